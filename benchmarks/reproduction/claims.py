"""Checks the five claims of the paper, and one of ours, on the stored runs.

Constants give vague terms of a claim ("slightly", "nearly all") a meaning. A statement that is neither true nor false
of the whole interval of its figure is open.
"""

from collections.abc import Iterator
from itertools import product
from math import inf
from typing import NamedTuple

from .plan import ON_DOCUMENTS, ON_SENTENCES, WITH_AND_WITHOUT_SYNTAX, Plan
from .results import Results, Scores
from .runs import MEASURES, Reparsing, Run

# Shares of the gold sequences that are used.
LITTLE, NEARLY_ALL = 0.5, 0.9
# Boundary F1: the least wide margin, the most that counts as slightly better, and the width of a tie.
WIDE_MARGIN, SLIGHTLY, TIE = 0.05, 0.03, 0.01

# Of other runs: docs/experiments/guides.md.
WITH_A_GUIDE = """\
Syntax also helps a strong encoder on starred text, though less. With columns of a
[`parser_guide`](../parser_guide.md), a bidirectional LSTM, NOSYNTAX gains 4 to 5 points of F1 on EWT* and GUM*, and
JOINT remains ahead of it (one seed; [ablations](guides.md#ablations)).\
"""

# Whether a statement holds; None if it is open. In tables, all other cells are strings.
Verdict = bool | None


class Table(NamedTuple):
    """A table whose cells are text, or verdicts on statements."""

    header: list[str]
    rows: list[list[str | Verdict]]


class Figure(NamedTuple):
    """A figure by its name in figures.py."""

    name: str
    caption: str


class Claim(NamedTuple):
    """A claim, and the title and contents of its section; text is Markdown."""

    text: str
    title: str
    parts: list[str | Table | Figure]

    @property
    def verdicts(self) -> list[Verdict]:
        """The verdicts on its statements."""
        rows = [row for part in self.parts if isinstance(part, Table) for row in part.rows]
        return [cell for row in rows for cell in row if not isinstance(cell, str)]


def judge(plan: Plan, results: Results) -> list[Claim]:
    """All claims; those of the paper come first, in its order."""
    return [
        Claim(
            "On documents, `early` and `max_violation` use less than half of the gold sequence; on sentences, nearly "
            f"all ({100 * NEARLY_ALL:.0f} %).",
            "Use of the gold sequence",
            [
                "Percentage of gold actions that took part in updates or survived, in the last of "
                f"{plan.epochs} epochs. `dlaso` uses all: it continues from the gold item. Intervals are "
                "not pooled; `early` has one seed, so its verdicts rest on bare figures.",
                _compare_use(plan, results),
                Figure("used", "Share of the gold sequence that is used, on documents and on sentences"),
            ],
        ),
        Claim(
            "`dlaso` beats both in F1 and LAS, in fewer epochs and less time; `greedy` peaks early.",
            "Update strategies",
            [
                "F1 / LAS on dev. Seconds are of training alone; *equal time* is that of `dlaso`.",
                _list_strategies(plan, results),
                Figure("curves", "Learning curves over epochs and over seconds of training"),
                "Lead of `dlaso` in F1 / LAS. The last comparison allows it the epochs and the time that the other one "
                "needs for its best F1.",
                _compare_strategies(plan, results),
                "Lead in F1 of `greedy` at its best in the first half of training over `greedy` at the end:",
                _find_peaks(plan, results),
            ],
        ),
        Claim(
            f"A wider beam helps `dlaso` slightly (by up to {100 * SLIGHTLY:.0f} points of F1) and does not rescue "
            "`max_violation`.",
            "Beam width",
            [
                f"F1 / LAS on dev after {plan.epochs} epochs, and seconds of training:",
                *_compare_beams(plan, results),
                Figure("beams", "Scores by beam width"),
            ],
        ),
        Claim(
            f"On starred text, JOINT beats NOSYNTAX by a wide margin ({100 * WIDE_MARGIN:.0f} points of F1); on edited "
            f"text, they tie (within {100 * TIE:.0f} point).",
            "Syntax",
            [
                "F1 on dev:",
                _compare_syntax(plan, results),
                Figure("syntax", "Boundary F1 on dev with and without syntax"),
                WITH_A_GUIDE,
            ],
        ),
        Claim(
            "On starred text, LAS of JOINT-REPARSED ≥ JOINT ≥ MARMOT.",
            "Trees",
            ["Lead in LAS on dev:", _compare_trees(plan, results)],
        ),
        Claim(
            f"(Ours.) After equal training time, `dlaso` and `laso` lead `early` by at least {100 * WIDE_MARGIN:.0f} "
            "points of F1.",
            "Equal time",
            ["Lead in F1 over `early`:", _compare_early(plan, results)],
        ),
    ]


def _compare_use(plan: Plan, results: Results) -> Table:
    rows = []
    for corpus, strategy in product(plan.starred, ON_SENTENCES):
        row: list[str | Verdict] = [f"{corpus}, `{strategy}`"]
        for sentences in (False, True):
            used = results.used(plan.run(corpus, strategy, sentences=sentences), plan.epochs)
            if used is None:
                row += ["-", "-"]
            else:
                row += [used.show(), used.exceeds(NEARLY_ALL) if sentences else used.is_below(LITTLE)]
        rows.append(row)
    return Table(["", "documents", f"< {100 * LITTLE:.0f} %", "sentences", f"≥ {100 * NEARLY_ALL:.0f} %"], rows)


def _list_strategies(plan: Plan, results: Results) -> Table:
    rows: list[list[str | Verdict]] = []
    for corpus, strategy in product(plan.starred, ON_DOCUMENTS):
        run = plan.run(corpus, strategy)
        best = results.within(run, best=True)
        rows.append(
            [
                f"{corpus}, `{strategy}`",
                _both(results.within(run, epochs=plan.epochs)),
                _both(_after_equal_time(plan, results, run)),
                f"{_both(best)} ({_cost(best)})" if best else "-",
                _cost(results.within(run)),
            ]
        )
    return Table(["", f"{plan.epochs} epochs", "equal time", "best F1 (epoch, time)", "training (epochs, time)"], rows)


def _compare_strategies(plan: Plan, results: Results) -> Table:
    rows = []
    for corpus, strategy in product(plan.starred, ON_SENTENCES):
        dlaso, other = plan.run(corpus), plan.run(corpus, strategy)
        best = results.within(other, best=True)
        limits = {"epochs": best["number"], "seconds": best["seconds"]} if best else {}
        pairs = [
            (results.within(dlaso, epochs=plan.epochs), results.within(other, epochs=plan.epochs)),
            (results.within(dlaso), _after_equal_time(plan, results, other)),
            (results.within(dlaso, best=True, **limits), best),
        ]
        cells = [cell for pair in pairs for cell in _compare(results, corpus, *pair, *MEASURES)]
        rows.append([f"{corpus}, over `{strategy}`", *cells])
    return Table(["", f"{plan.epochs} epochs", "better", "equal time", "better", "until its best F1", "better"], rows)


def _find_peaks(plan: Plan, results: Results) -> Table:
    rows = []
    for corpus in plan.starred:
        run = plan.run(corpus, "greedy")
        half, last = results.within(run, epochs=plan.epochs / 2, best=True), results.within(run)
        rows.append([corpus, *_compare(results, corpus, half, last, "boundary_f")])
    return Table(["", "lead", "better"], rows)


def _compare_beams(plan: Plan, results: Results) -> Iterator[Table]:
    for corpus in plan.corpora_of_beams:
        rows: list[list[str | Verdict]] = []
        scores: dict[str, dict[int, Scores]] = {"dlaso": {}, "max_violation": {}}
        for width in plan.beam_widths:
            row: list[str | Verdict] = [str(width)]
            for strategy, found in scores.items():
                last = results.within(plan.run(corpus, strategy, width))
                row += [_both(last), f"{last['seconds']:.0f}" if last else "-"]
                if last:
                    found[width] = last
            rows.append(row)
        yield Table([f"width, {corpus}", "`dlaso`", "s", "`max_violation`", "s"], rows)
        dlaso, others = scores["dlaso"], scores["max_violation"].values()
        base, widest = dlaso.get(plan.beam_width), max(plan.beam_widths)
        best = max(others, key=lambda one: one["boundary_f"], default=None)
        gain = _compare(results, corpus, dlaso.get(widest), base, "boundary_f", most=SLIGHTLY)
        lead = _compare(results, corpus, base, best, *MEASURES)
        yield Table(
            ["", "lead", "holds"],
            [
                [f"`dlaso`, width {widest} over {plan.beam_width}, F1", *gain],
                [f"`dlaso`, width {plan.beam_width}, over the best of `max_violation`, F1 / LAS", *lead],
            ],
        )


def _compare_syntax(plan: Plan, results: Results) -> Table:
    rows = []
    for corpus, strategy in product(plan.corpora, ("dlaso", "laso")):
        joint, without = (plan.run(corpus, strategy, system=system) for system in WITH_AND_WITHOUT_SYNTAX)
        mine, yours = results.measure(joint), results.measure(without)
        lead, probability, better = _test(results, joint, without, "boundary_f")
        if corpus in plan.starred:
            verdicts = [better, _compare(results, corpus, mine, yours, "boundary_f", least=WIDE_MARGIN)[1], ""]
        else:
            verdicts = ["", "", _compare(results, corpus, mine, yours, "boundary_f", least=-TIE, most=TIE)[1]]
        f1 = (f"{100 * one['boundary_f']:.1f}" if one else "-" for one in (mine, yours))
        rows.append([f"{corpus}, `{strategy}`", *f1, lead, probability, *verdicts])
    header = ["", *WITH_AND_WITHOUT_SYNTAX, "lead", "p", "better", f"≥ {100 * WIDE_MARGIN:.0f}", "tie"]
    return Table(header, rows)


def _compare_trees(plan: Plan, results: Results) -> Table:
    rows = []
    for corpus, (better, worse) in product(plan.starred, (("JOINT-REPARSED", "JOINT"), ("JOINT", "MARMOT"))):
        trees = plan.trees(corpus)
        rows.append([f"{corpus}, {better} over {worse}", *_test(results, trees[better], trees[worse], "las")])
    return Table(["", "lead", "p", "better"], rows)


def _compare_early(plan: Plan, results: Results) -> Table:
    rows = []
    for corpus in plan.starred:
        early = _after_equal_time(plan, results, plan.run(corpus, "early"))
        for strategy in ("dlaso", "laso"):
            last = results.within(plan.run(corpus, strategy))
            cells = _compare(results, corpus, last, early, "boundary_f", least=WIDE_MARGIN)
            rows.append([f"{corpus}, `{strategy}`", *cells])
    return Table(["", "lead", f"≥ {100 * WIDE_MARGIN:.0f}"], rows)


def _compare(
    results: Results,
    corpus: str,
    mine: Scores | None,
    yours: Scores | None,
    *names: str,
    least: float = 0.0,
    most: float = inf,
) -> list[str | Verdict]:
    """Leads, and whether all of them lie between two bounds."""
    if mine is None or yours is None:
        return ["-", "-"]
    leads = [results.lead(corpus, mine, yours, name) for name in names]
    verdicts = [verdict for lead in leads for verdict in (lead.exceeds(least), lead.is_below(most))]
    holds = False if False in verdicts else None if None in verdicts else True
    return [" / ".join(lead.show("+") for lead in leads), holds]


def _test(results: Results, first: Run | Reparsing, second: Run | Reparsing, name: str) -> list[str | Verdict]:
    """The lead of the first of two systems, its p-value, and whether it is better."""
    lead, _ = _compare(results, first.corpus, results.measure(first), results.measure(second), name)
    probability = results.probability(first, second, name)
    if probability is None:
        return ["-", "-", "-"]
    return [lead, f"{probability:.2g}", results.is_better(first, second, name)]


def _after_equal_time(plan: Plan, results: Results, run: Run) -> Scores | None:
    """The last point of a strategy within the training time of `dlaso`."""
    last = results.within(plan.run(run.corpus))
    return results.within(run, seconds=last["seconds"]) if last else None


def _both(scores: Scores | None) -> str:
    return " / ".join(f"{100 * scores[name]:.1f}" for name in MEASURES) if scores else "-"


def _cost(point: Scores | None) -> str:
    return f"{point['number']:.0f}, {point['seconds']:.0f} s" if point else "-"
