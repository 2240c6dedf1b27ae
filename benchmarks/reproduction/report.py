"""Writes the report: claims, tables and figures in Markdown, from the stored runs alone."""

from collections.abc import Iterator
from pathlib import Path

from measure import format_table

from spacy_joint.files.replacing import atomic_write

from .claims import judge
from .corpora import CORPORA, Library
from .figures import draw_all
from .plan import FINDERS, ON_DOCUMENTS, ON_SENTENCES, WITH_AND_WITHOUT_SYNTAX, Plan
from .results import ALPHA, Results
from .runs import DROPOUT, Reparsing, Run, Store

INTRODUCTION = """\
# Reproduction

This page repeats the experiments of Björkelund, Faleńska, Seeker & Kuhn (How to Train Dependency Parsers with Inexact
Search for Joint Sentence Boundary Detection and Parsing of Entire Documents, ACL 2016) on freely available treebanks.
The following command wrote the page and its figures:

```
{command}
```

It stores each run and resumes where it stopped. Except for the section on guides, nothing is edited by hand.

| system | what it is |
| --- | --- |
| MARMOT | `sequence_tagger` with `sentence_starts`: tags that also mark whether their token starts a sentence |
| NOSYNTAX | `joint_sbd_parser` trained on trivial trees: in each sentence, the head of every token is the next one |
| JOINT | `joint_sbd_parser` |
| JOINT-REPARSED | the boundaries of JOINT, then GOLD's parser |
| GOLD | `joint_sbd_parser` trained on sentences with `max_violation`, between gold boundaries |

LAS of MARMOT and NOSYNTAX is that of GOLD's parser between their boundaries. F1 counts tokens that start a sentence,
LAS counts all tokens, and tokens are gold. A star marks text that is lower-cased and without punctuation. EWT and GUM
stand in for the WSJ, EWT* and GUM* for WSJ*. NSC*, transcribed Naija with UPOS tags, stands in for Switchboard.

Unlike the paper, these experiments use beam width {beam_width} unless stated otherwise (20 in the paper), {epochs}
epochs, and one instance per update. Features are those of the components, updates are passive-aggressive, and weights
are averaged over all epochs. Word classes are those of the shipped pipelines, and dropout is
{dropout}. Only `laso` learns as the shipped pipelines do, except that these average several weight tables: with
perceptron updates applied immediately, and a dropout of {dropout_of_laso}. `greedy` has no beam. `early` sees little of
each document, so it runs until it has searched twice as many steps as the others, for at most {early} epochs. Tags are
predicted; those of training documents are jackknifed in {folds} folds. Four choices were made after seeing first
results on dev: the length of training with `early`, running NOSYNTAX also with `laso`, the dropout, and the number of
epochs for all. A dash marks a result that is not available.

Boundaries and trees are means over the seeds {seeds}; claims on them list the figures of all seeds, and are open where
seeds differ or the difference may be chance (p of {alpha} or more). Learning curves and beam widths are those of seed
{first}.
"""

NOTE_ON_MARKS = (
    "Letters mark results significantly better than MARMOT (m), NOSYNTAX (n), JOINT (j) or JOINT-REPARSED (r): "
    f"Wilcoxon's signed-rank test over documents, p < {ALPHA}."
)

# Not of these runs.
WITH_A_GUIDE = """\
## Does syntax still help boundaries when the encoder is strong?

Yes, on starred text. With the columns of a [`parser_guide`](../parser_guide.md), a bidirectional LSTM that began with
raw text, NOSYNTAX gains 4 to 5 points of F1 on EWT* and GUM*, and JOINT is still ahead of it, though by less: see the
[ablations of guides](guides.md#ablations), which are not of the runs below.
"""

# Results on test from tables 2 and 3 of the paper: boundary F1, then LAS.
IN_PRINT = {
    "GOLD": ("", "", "", "90.22", "84.99", "88.71"),
    "MARMOT": ("97.64", "71.87", "53.02", "89.81", "78.93", "83.37"),
    "NOSYNTAX": ("98.21", "76.31", "55.15", "89.95", "80.30", "83.61"),
    "JOINT": ("98.21", "76.65", "65.34", "89.71", "79.97", "85.66"),
    "JOINT-REPARSED": ("", "", "", "89.93", "80.61", "85.38"),
}


def write_report(plan: Plan, library: Library, store: Store, path: Path, command: str) -> None:
    """Write the report and its figures."""
    results, first = Results(store, plan.seeds), Results(store, plan.seeds[:1])
    figures = draw_all(plan, first, path.parent, path.stem)
    parts = [
        INTRODUCTION.format(
            command=command,
            beam_width=plan.beam_width,
            epochs=plan.epochs,
            early=plan.longer["early"],
            dropout=DROPOUT["dlaso"],
            dropout_of_laso=DROPOUT["laso"],
            folds=plan.tagging.folds,
            alpha=ALPHA,
            first=plan.seeds[0],
            seeds=", ".join(map(str, plan.seeds)),
        ),
        _count_missing(plan, results),
        "## The claims\n",
        *_list_claims(plan, results, first),
        "## Boundaries and trees\n",
        *_compare_systems(plan, results, "dev"),
        _compare_syntax(plan, results),
        _show(figures["syntax"], "Boundary F1 on dev with and without syntax"),
        WITH_A_GUIDE,
        "## Update strategies\n",
        *_compare_strategies(plan, first),
        _show(figures["curves"], "Learning curves over epochs and over seconds of training"),
        "## Use of the gold sequence\n",
        _compare_use(plan, results),
        _show(figures["used"], "Share of the gold sequence that is used, on documents and on sentences"),
        "## Beam width\n",
        *_compare_beams(plan, first),
        _show(figures["beams"], "Scores by beam width"),
        "## Results on test\n",
        *_compare_systems(plan, results, "test"),
        "Results on test in the paper:\n",
        format_table(
            ["", *(f"{measure} {corpus}" for measure in ("F1", "LAS") for corpus in ("WSJ", "Switchboard", "WSJ*"))],
            [[system, *figures] for system, figures in IN_PRINT.items()],
        )
        + "\n",
        "## Runs\n",
        *_list_runs(plan, library, results),
    ]
    with atomic_write(path) as temporary:
        temporary.write_text("\n".join(part for part in parts if part), encoding="utf8")


def _count_missing(plan: Plan, results: Results) -> str:
    runs = {run for runs in plan.list_tasks() for run in runs}
    missing = sum(results.find(run) is None for run in runs)
    return f"**{missing} of {len(runs)} runs are missing: the verdicts cover the others.**\n" if missing else ""


def _list_claims(plan: Plan, results: Results, first: Results) -> Iterator[str]:
    words = {True: "yes", False: "**no**", None: "open"}
    for number, claim in enumerate(judge(plan, results, first), start=1):
        statements = [f"- {words[holds]}: {text}" for text, holds in claim.statements]
        yield "\n".join([f"**{number}. {claim.text}** Here: {claim.verdict}.", "", *statements]).rstrip() + "\n"


def _compare_systems(plan: Plan, results: Results, split: str) -> Iterator[str]:
    finders = {corpus: {system: plan.finder(corpus, system) for system in FINDERS} for corpus in plan.corpora}
    trees = {corpus: plan.trees(corpus) for corpus in plan.corpora}
    for title, name, systems in (("Boundary F1", "boundary_f", finders), ("LAS", "las", trees)):
        rows = [
            [system, *(_mark(results, systems[corpus], system, name, split) for corpus in plan.corpora)]
            for system in systems[plan.corpora[0]]
        ]
        yield f"{title}, {split}:\n\n{format_table(['', *plan.corpora], rows)}\n"
    yield NOTE_ON_MARKS + "\n"


def _mark(
    results: Results, systems: dict[str, Run] | dict[str, Run | Reparsing], system: str, name: str, split: str
) -> str:
    scores = results.measure(systems[system], split)
    if scores is None:
        return "-"
    # GOLD knows the gold boundaries, so it is not compared.
    letters = "".join(
        "r" if other == "JOINT-REPARSED" else other[0].lower()
        for other, run in systems.items()
        if system != "GOLD" and other not in (system, "GOLD") and results.is_better(systems[system], run, name, split)
    )
    return f"{_points(scores[name])} {letters}".rstrip()


def _compare_syntax(plan: Plan, results: Results) -> str:
    rows = []
    for strategy in ("dlaso", "laso"):
        runs = {
            corpus: {system: plan.finder(corpus, system, strategy) for system in WITH_AND_WITHOUT_SYNTAX}
            for corpus in plan.corpora
        }
        for system in WITH_AND_WITHOUT_SYNTAX:
            cells = [_mark(results, runs[corpus], system, "boundary_f", "dev") for corpus in plan.corpora]
            rows.append([strategy, system, *cells])
    header = ["", "", *plan.corpora]
    return f"Boundary F1 with and without syntax, for two update strategies, dev:\n\n{format_table(header, rows)}\n"


def _compare_strategies(plan: Plan, results: Results) -> Iterator[str]:
    for corpus in plan.starred:
        dlaso = results.points(plan.joint(corpus))
        if not dlaso:
            continue
        seconds = dlaso[-1]["seconds"]
        rows = []
        for strategy in ON_DOCUMENTS:
            run = plan.joint(corpus, strategy)
            epochs, points = results.epochs(run), results.points(run)
            if not points:
                continue
            peak = max(points, key=lambda point: point["boundary_f"])
            rows.append(
                [
                    strategy,
                    _both(results.after_epochs(run, plan.epochs)),
                    _both(results.after_seconds(run, seconds)),
                    f"{_both(peak)} ({peak['number']}, {peak['seconds']:.0f} s)",
                    f"{epochs[-1]['seconds']:.0f} s",
                    f"{epochs[-1]['number']}",
                ]
            )
        header = [
            "",
            f"after {plan.epochs} epochs",
            f"after {seconds:.0f} s",
            "best F1 (epoch, time)",
            "training time",
            "epochs",
        ]
        yield f"{corpus}, F1 / LAS on dev; times are for training alone:\n\n{format_table(header, rows)}\n"


def _compare_use(plan: Plan, results: Results) -> str:
    rows = []
    for corpus in plan.starred:
        for strategy in ON_SENTENCES:
            cells = []
            for sentences in (False, True):
                epochs = results.epochs(plan.joint(corpus, strategy, sentences=sentences))[: plan.epochs]
                cells += [f"{100 * epoch['used']:.1f}" for epoch in (epochs[0], epochs[-1])] if epochs else ["-", "-"]
            rows.append([corpus, strategy, *cells])
    return (
        "Percentage of gold actions that took part in updates or survived, in the first and the last of "
        f"{plan.epochs} epochs. `dlaso` continues from the gold item, so it uses all of them.\n\n"
        + format_table(
            ["", "", "documents, first", "documents, last", "sentences, first", "sentences, last"],
            rows,
        )
        + "\n"
    )


def _compare_beams(plan: Plan, results: Results) -> Iterator[str]:
    for corpus in plan.corpora_of_beams:
        rows = []
        for width in plan.beam_widths:
            cells = []
            for strategy in ("dlaso", "max_violation"):
                run = plan.joint(corpus, strategy, width)
                epochs = results.epochs(run)
                cells += [_both(results.measure(run)), f"{epochs[-1]['seconds']:.0f} s" if epochs else "-"]
            rows.append([width, *cells])
        header = ["beam width", "dlaso", "training time", "max_violation", "training time"]
        yield f"{corpus}, F1 / LAS on dev after {plan.epochs} epochs:\n\n{format_table(header, rows)}\n"


def _list_runs(plan: Plan, library: Library, results: Results) -> Iterator[str]:
    accuracies = {corpus: library.read_accuracy(CORPORA[corpus]) or {} for corpus in plan.corpora}
    rows = [
        [corpus, *(_points(accuracy[split]) if split in accuracy else "-" for split in ("train", "dev", "test"))]
        for corpus, accuracy in accuracies.items()
    ]
    yield f"Tag accuracy:\n\n{format_table(['', 'train, jackknifed', 'dev', 'test'], rows)}\n"
    runs = list(dict.fromkeys(run for runs in plan.list_tasks() for run in runs))
    rows = []
    for run in runs:
        found = results.find(run)
        if isinstance(run, Run):
            settings = [
                run.corpus,
                run.system,
                "sentences" if run.sentences else "documents",
                run.strategy,
                run.beam_width,
            ]
            epochs = results.epochs(run)
            taken = [epochs[-1]["number"], f"{epochs[-1]['seconds']:.1f}"] if epochs else ["-", "-"]
        else:
            settings = [run.parser.corpus, f"{run.boundaries.system}, reparsed", "sentences", "", run.parser.beam_width]
            taken = ["", ""]
        seed = run.seed if isinstance(run, Run) else run.boundaries.seed
        rows.append([*settings, seed, *taken, f"{found['seconds']:.1f}" if found else "not run"])
    header = ["corpus", "system", "instances", "strategy", "beam width", "seed", "epochs", "training (s)", "total (s)"]
    yield "Times are CPU seconds in one thread. The last column includes reading and scoring.\n"
    yield format_table(header, rows) + "\n"


def _show(figure: str, description: str) -> str:
    return f"![{description}]({figure}.svg)\n"


def _points(share: float) -> str:
    return f"{100 * share:.1f}"


def _both(scores: dict[str, float] | None) -> str:
    return f"{_points(scores['boundary_f'])} / {_points(scores['las'])}" if scores else "-"
