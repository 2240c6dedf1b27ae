"""Checks the five claims of the paper, and one of ours: statements that are true or false of the stored runs.

Statements are built from the results, so they are never out of date. Constants give vague terms of a claim ("slightly",
"nearly all") a meaning. What differs by seed, or may be chance, is open: neither true nor false.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from statistics import fmean
from typing import NamedTuple

from .plan import WITH_AND_WITHOUT_SYNTAX, Plan
from .results import ALPHA, Results, Scores
from .runs import Run

# Shares of the gold sequences that are used.
LITTLE, NEARLY_ALL = 0.5, 0.9
# Points of boundary F1: the least wide margin, and the most that counts as slightly better.
WIDE_MARGIN = 5.0
SLIGHTLY = 3.0
# Systems tie if fewer points of boundary F1 lie between them.
TIE = 1.0


class Statement(NamedTuple):
    """A part of a claim."""

    text: str
    holds: bool | None  # None if it is open


class Claim(NamedTuple):
    """A claim and its statements."""

    text: str
    statements: list[Statement]

    @property
    def verdict(self) -> str:
        """Whether the claim holds."""
        verdicts = [statement.holds for statement in self.statements]
        if not verdicts:
            return "not run"
        if all(verdicts):
            return "holds"
        n_open = verdicts.count(None)
        text = f"holds in {verdicts.count(True)} of {len(verdicts)} statements"
        return f"{text}; {n_open} are open" if n_open else text


def judge(plan: Plan, results: Results, first: Results) -> list[Claim]:
    """All claims; those of the paper come first, in its order. first: The results with the first seed."""
    return [
        Claim(
            "On documents, `early` and `max_violation` use less than half of the gold sequence; on sentences, nearly "
            "all.",
            list(_use_of_sequences(plan, results)),
        ),
        Claim(
            "`dlaso` beats both in boundary F1 and LAS, in fewer epochs and less time; `greedy` peaks early.",
            list(_strategies(plan, first)),
        ),
        Claim("A wider beam helps `dlaso` slightly and does not rescue `max_violation`.", list(_beams(plan, first))),
        Claim(
            "On starred text JOINT beats NOSYNTAX by a wide margin; on edited text they tie.",
            list(_syntax(plan, results)),
        ),
        Claim("On starred text, LAS of JOINT-REPARSED ≥ JOINT ≥ MARMOT.", list(_trees(plan, results))),
        Claim(
            f"(Ours.) After equal training time, `dlaso` and `laso` lead `early` by at least {WIDE_MARGIN:.0f} points "
            "of F1.",
            list(_early(plan, first)),
        ),
    ]


def _use_of_sequences(plan: Plan, results: Results) -> Iterator[Statement]:
    for corpus in plan.starred:
        for strategy in ("early", "max_violation"):
            for sentences in (False, True):
                each = results.used_each(plan.joint(corpus, strategy, sentences=sentences), plan.epochs)
                if not each:
                    continue
                bound, holds = (
                    (f"at least {NEARLY_ALL:.0%} of sentences", [used >= NEARLY_ALL for used in each])
                    if sentences
                    else (f"less than {LITTLE:.0%} of documents", [used < LITTLE for used in each])
                )
                shares = ", ".join(f"{used:.1%}" for used in each)
                yield Statement(f"{corpus}: `{strategy}` uses {bound}: {shares} in epoch {plan.epochs}.", _agree(holds))


def _agree(verdicts: Sequence[bool]) -> bool | None:
    """The verdict of all seeds; None if they differ."""
    return verdicts[0] if len(set(verdicts)) == 1 else None


def _is_significant(difference: float, probability: float) -> bool | None:
    """Whether a difference is positive; None if it may be chance."""
    return difference > 0 if probability < ALPHA else None


def _strategies(plan: Plan, results: Results) -> Iterator[Statement]:
    for corpus in plan.starred:
        for strategy in ("early", "max_violation"):
            yield from _lead(results, plan.joint(corpus), plan.joint(corpus, strategy))
        points = results.points(plan.joint(corpus, "greedy"))
        if points:
            peak, last = max(points, key=lambda point: point["boundary_f"]), points[-1]
            yield Statement(
                f"{corpus}: `greedy` has its best F1 in the first half of {last['number']} epochs: "
                f"{_points(peak['boundary_f'])} after {peak['number']}, {_points(last['boundary_f'])} at the end.",
                2 * peak["number"] <= last["number"],
            )


def _early(plan: Plan, results: Results) -> Iterator[Statement]:
    for strategy, corpus in product(("dlaso", "laso"), plan.starred):
        points = results.points(plan.joint(corpus, strategy))
        if not points:
            continue
        mine = points[-1]
        yours = results.after_seconds(plan.joint(corpus, "early"), mine["seconds"])
        if yours is not None:
            lead = 100 * (mine["boundary_f"] - yours["boundary_f"])
            times = f"{mine['seconds']:.0f} s; `early` took {yours['seconds']:.0f} s"
            yield Statement(f"{corpus}, `{strategy}`: {lead:+.1f} after {times}.", lead >= WIDE_MARGIN)


def _lead(results: Results, first: Run, second: Run) -> Iterator[Statement]:
    """Statements on how far one strategy leads another."""
    points, others = results.points(first), results.points(second)
    if not points or not others:
        return
    mine = points[-1]
    who = f"{first.corpus}: `{first.strategy}`"
    yours = results.after_epochs(second, mine["number"])
    # A longer run is scored less often: compare at its last scored epoch.
    then = results.after_epochs(first, yours["number"]) if yours else None
    if yours is not None and then is not None:
        yield Statement(
            f"{who} is better than `{second.strategy}` after {yours['number']} epochs: F1 / LAS {_both(then)} "
            f"and {_both(yours)}.",
            _is_better(then, yours),
        )
    yours = results.after_seconds(second, mine["seconds"])
    if yours is not None:
        text = f"after equal training time, {mine['seconds']:.0f} s"
        numbers = f"{_both(mine)} and {_both(yours)} (epoch {yours['number']})."
        yield Statement(
            f"{who} is better than `{second.strategy}` {text}: F1 / LAS {numbers}",
            _is_better(mine, yours),
        )
    top = max(others, key=lambda point: point["boundary_f"])
    passed = next((point for point in points if point["boundary_f"] > top["boundary_f"]), None)
    when = f"after {passed['number']} epochs and {passed['seconds']:.0f} s" if passed else "never"
    yield Statement(
        f"{who} passes the best F1 of `{second.strategy}` in fewer epochs and less time: {_points(top['boundary_f'])} "
        f"after {top['number']} epochs and {top['seconds']:.0f} s, passed {when}.",
        passed is not None and passed["number"] <= top["number"] and passed["seconds"] <= top["seconds"],
    )


def _is_better(mine: Scores, yours: Scores) -> bool:
    return mine["boundary_f"] > yours["boundary_f"] and mine["las"] > yours["las"]


def _beams(plan: Plan, results: Results) -> Iterator[Statement]:
    for corpus in plan.corpora_of_beams:
        ran = {
            strategy: {
                width: scores
                for width in plan.beam_widths
                if (scores := results.measure(plan.joint(corpus, strategy, width)))
            }
            for strategy in ("dlaso", "max_violation")
        }
        dlaso, other = ran["dlaso"], ran["max_violation"]
        if plan.beam_width not in dlaso:
            continue
        base, widest = dlaso[plan.beam_width], max(dlaso)
        if widest > plan.beam_width:
            gain = 100 * (dlaso[widest]["boundary_f"] - base["boundary_f"])
            yield Statement(
                f"{corpus}: F1 of `dlaso` grows with the beam width, by at most {SLIGHTLY:.0f} points: F1 / LAS "
                f"{_both(base)} with width {plan.beam_width}, {_both(dlaso[widest])} with width {widest}.",
                0 < gain <= SLIGHTLY,
            )
        if other:
            width, top = max(other.items(), key=lambda item: item[1]["boundary_f"])
            yield Statement(
                f"{corpus}: `max_violation` with any beam width up to {max(other)} is worse than `dlaso` with width "
                f"{plan.beam_width}: F1 / LAS {_both(top)} at best, with width {width}, and {_both(base)}.",
                _is_better(base, top),
            )


def _syntax(plan: Plan, results: Results) -> Iterator[Statement]:
    for strategy, corpus in product(("dlaso", "laso"), plan.corpora):
        joint, without = (plan.finder(corpus, system, strategy) for system in WITH_AND_WITHOUT_SYNTAX)
        mine, yours = results.measure(joint), results.measure(without)
        probability = results.probability(joint, without, "boundary_f")
        others = results.measure_each(without)
        each = [
            100 * (scores["boundary_f"] - others[seed]["boundary_f"])
            for seed, scores in results.measure_each(joint).items()
            if seed in others
        ]
        if mine is None or yours is None or probability is None or not each:
            continue
        both = f"{_points(mine['boundary_f'])} and {_points(yours['boundary_f'])}"
        by_seed = ", ".join(f"{difference:+.1f}" for difference in each)
        if corpus in plan.starred:
            yield Statement(
                f"{corpus}, `{strategy}`: JOINT is better than NOSYNTAX: F1 {both} ({by_seed}; p = {probability:.2g}).",
                _is_significant(fmean(each), probability),
            )
            yield Statement(
                f"{corpus}, `{strategy}`: JOINT leads by at least {WIDE_MARGIN:.0f} points: {by_seed}.",
                _agree([difference >= WIDE_MARGIN for difference in each]),
            )
        else:
            yield Statement(
                f"{corpus}, `{strategy}`: they are less than {TIE:.0f} point apart: F1 {both} ({by_seed}).",
                _agree([abs(difference) < TIE for difference in each]),
            )


def _trees(plan: Plan, results: Results) -> Iterator[Statement]:
    for corpus in plan.starred:
        systems = plan.trees(corpus)
        for better, worse in (("JOINT-REPARSED", "JOINT"), ("JOINT", "MARMOT")):
            mine, yours = results.measure(systems[better]), results.measure(systems[worse])
            probability = results.probability(systems[better], systems[worse], "las")
            if mine is not None and yours is not None and probability is not None:
                yield Statement(
                    f"{corpus}: LAS of {better} > {worse}: {_points(mine['las'])}, {_points(yours['las'])} "
                    f"(p = {probability:.2g}).",
                    _is_significant(mine["las"] - yours["las"], probability),
                )


def _points(share: float) -> str:
    return f"{100 * share:.1f}"


def _both(scores: Scores) -> str:
    return f"{_points(scores['boundary_f'])} / {_points(scores['las'])}"
