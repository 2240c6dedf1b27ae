"""Writes the report: claims, tables and figures in Markdown, from the stored runs alone."""

from collections.abc import Iterator, Mapping
from math import sqrt
from pathlib import Path

from measure import format_table

from spacy_joint.files.atomic import atomic_write

from .claims import Claim, Figure, Table, Verdict, judge
from .corpora import CORPORA, Library
from .figures import draw_all
from .plan import FINDERS, Plan
from .results import ALPHA, Results
from .runs import DROPOUT, Reparsing, Run, Store

INTRODUCTION = """\
# Reproduction

This page repeats the experiments of Björkelund, Faleńska, Seeker & Kuhn ([How to Train Dependency Parsers with Inexact
Search for Joint Sentence Boundary Detection and Parsing of Entire Documents](https://aclanthology.org/P16-1181/), ACL
2016) on free treebanks. This command trains and tests all systems, resumes where it stopped, and writes the page:

```bash
{command}
```

| system | sentences | trees |
| --- | --- | --- |
| GOLD | gold | `joint_sbd_parser`, trained on sentences with `max_violation` |
| MARMOT | `sequence_tagger` with `sentence_starts` | GOLD |
| NOSYNTAX | `joint_sbd_parser`, trained on trivial trees: each token's head is the next one | GOLD |
| JOINT | `joint_sbd_parser` | the same |
| JOINT-REPARSED | JOINT | GOLD |

EWT and GUM stand in for the WSJ; NSC, transcribed Naija with UPOS tags, for Switchboard. A star marks lower-cased text
without punctuation. F1 is that of sentence starts; LAS counts all tokens. Tokens are gold. Tags are predicted; those of
training documents are jackknifed in {folds} folds.

Updates are passive-aggressive, as in the paper. Unlike there, the beam width is {beam_width} (paper: 20) unless a table
says otherwise, training takes {epochs} epochs with one instance per update, dropout is {dropout}, and features and word
classes are those of our components. Weights are averaged over all epochs. Exceptions:

- `greedy` has no beam.
- `early` sees only the beginning of a document per epoch, so it runs until it has searched twice as many steps as the
  others, for at most {early} epochs.
- `laso` learns like the shipped pipelines, but with one weight table: perceptron updates, applied at once, and a
  dropout of {dropout_of_laso}.

First results on dev informed four choices: the length of training with `early`, the number of epochs, the dropout, and
running NOSYNTAX with `laso`, too.

## Claims

Scores are means over seeds {seeds}; `early`, `greedy` and other beam widths have seed {first} only. ± gives 95 %
intervals over seeds, from the standard deviation pooled over the systems on a corpus. A statement holds (yes) or fails
(no) if it does so in the whole interval; otherwise it is open. In claims 4 and 5, *better* also requires p < {alpha}
over documents (Wilcoxon's signed-rank test on scores averaged over seeds).
"""

SPLITS = ("dev", "test")
WORDS: dict[Verdict, str] = {True: "yes", False: "**no**", None: "open"}

# Tables 2 and 3 of the paper: boundary F1, then LAS.
IN_PRINT = {
    "GOLD": ("", "", "", "90.22", "84.99", "88.71"),
    "MARMOT": ("97.64", "71.87", "53.02", "89.81", "78.93", "83.37"),
    "NOSYNTAX": ("98.21", "76.31", "55.15", "89.95", "80.30", "83.61"),
    "JOINT": ("98.21", "76.65", "65.34", "89.71", "79.97", "85.66"),
    "JOINT-REPARSED": ("", "", "", "89.93", "80.61", "85.38"),
}


def write_report(plan: Plan, library: Library, store: Store, path: Path, command: str) -> None:
    """Write the report and its figures."""
    results = Results(plan, store)
    draw_all(plan, results, path)
    claims = judge(plan, results)
    paper = [f"{measure} {corpus}" for measure in ("F1", "LAS") for corpus in ("WSJ", "Switchboard", "WSJ*")]
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
        ).strip(),
        *_count_missing(plan, results),
        _summarise(claims),
        *(part for number, claim in enumerate(claims, start=1) for part in _write_section(number, claim, path.stem)),
        "## Results on dev and test",
        *_compare_systems(plan, results),
        "In the paper, on test:",
        format_table(["", *paper], [[system, *printed] for system, printed in IN_PRINT.items()]),
        "## Tags and training times",
        *_list_costs(plan, library, results),
    ]
    with atomic_write(path) as temporary:
        temporary.write_text("\n\n".join(parts) + "\n", encoding="utf8")


def _count_missing(plan: Plan, results: Results) -> list[str]:
    runs = plan.list_runs()
    missing = sum(results.find(run) is None for run in runs)
    return [f"**{missing} of {len(runs)} runs are missing: the verdicts cover the others.**"] if missing else []


def _summarise(claims: list[Claim]) -> str:
    rows = [
        [number, claim.text, *(claim.verdicts.count(verdict) for verdict in WORDS)]
        for number, claim in enumerate(claims, start=1)
    ]
    return format_table(["", "claim", *(word.strip("*") for word in WORDS.values())], rows)


def _write_section(number: int, claim: Claim, stem: str) -> Iterator[str]:
    yield f"## {number}. {claim.title}"
    for part in claim.parts:
        if isinstance(part, Figure):
            yield f"![{part.caption}]({stem}_{part.name}.svg)"
        elif isinstance(part, Table):
            rows = [[cell if isinstance(cell, str) else WORDS[cell] for cell in row] for row in part.rows]
            yield format_table(part.header, rows)
        else:
            yield part


def _compare_systems(plan: Plan, results: Results) -> Iterator[str]:
    finders = {corpus: {system: plan.run(corpus, system=system) for system in FINDERS} for corpus in plan.corpora}
    trees = {corpus: plan.trees(corpus) for corpus in plan.corpora}
    for title, name, systems in (("F1", "boundary_f", finders), ("LAS", "las", trees)):
        rows = [
            [system, *(_mark(results, systems[corpus], system, name) for corpus in plan.corpora)]
            for system in systems[plan.corpora[0]]
        ]
        margins = [
            " / ".join(f"{100 * results.margin(corpus, name, split) / sqrt(len(plan.seeds)):.1f}" for split in SPLITS)
            for corpus in plan.corpora
        ]
        yield f"{title}:"
        yield format_table(["", *plan.corpora], [*rows, ["±", *margins]])
    yield (
        "Letters mark results better than those of MARMOT (m), NOSYNTAX (n), JOINT (j) or JOINT-REPARSED (r), over "
        "seeds and over documents."
    )


def _mark(results: Results, systems: Mapping[str, Run | Reparsing], system: str, name: str) -> str:
    """The scores of a system on all splits, with the letters of the systems that it beats."""
    cells = []
    for split in SPLITS:
        scores = results.measure(systems[system], split)
        # GOLD knows the gold boundaries, so it is not compared.
        letters = "".join(
            "r" if other == "JOINT-REPARSED" else other[0].lower()
            for other, run in systems.items()
            if "GOLD" not in (system, other) and results.is_better(systems[system], run, name, split)
        )
        cells.append(f"{100 * scores[name]:.1f} {letters}".rstrip() if scores else "-")
    return " / ".join(cells)


def _list_costs(plan: Plan, library: Library, results: Results) -> Iterator[str]:
    accuracies = [library.read_accuracy(CORPORA[corpus]) or {} for corpus in plan.corpora]
    rows = [
        [f"tag accuracy, {split}", *(f"{100 * one[split]:.1f}" if split in one else "-" for one in accuracies)]
        for split in ("train", *SPLITS)
    ]
    for system in ("GOLD", *FINDERS):
        runs = [plan.gold(corpus) if system == "GOLD" else plan.run(corpus, system=system) for corpus in plan.corpora]
        ends = [results.epochs(run)[-1:] for run in runs]
        rows.append([f"training, {system}", *(f"{end[0]['seconds']:.0f} s" if end else "-" for end in ends)])
    yield format_table(["", *plan.corpora], rows)
    done = [found for run in plan.list_runs() if (found := results.find(run))]
    hours = sum(found["seconds"] for found in done) / 3600
    yield f"Times are CPU time in one thread. All {len(done)} runs took {hours:.1f} hours, with reading and scoring."
