"""The experiments of Björkelund, Faleńska, Seeker & Kuhn (ACL 2016) again, on treebanks that are free.

Runs what has not been run yet, stores each run as JSON, and writes the report and its figures from what is stored. It
can be interrupted at any time and goes on where it was. What the systems are is in docs/reproduction.md, which this
writes; which runs there are is in reproduction/plan.py.
"""

import measure  # noqa: F401  # keeps BLAS to one thread

# isort: split
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated

import spacy
import typer
from reproduction.corpora import CORPORA, Library
from reproduction.plan import Plan, make_full_plan, make_quick_plan
from reproduction.report import write_report
from reproduction.runs import Reparsing, Run, Store


def make_library(plan: Plan, treebanks: Path, work: Path) -> Library:
    """The documents of a plan."""
    return Library(treebanks, work, plan.tagging, plan.seed, spacy.blank("en").vocab)


def perform(runs: list[Run | Reparsing], plan: Plan, treebanks: Path, work: Path) -> int:
    """Do those of some runs that have not been done; how many."""
    store = Store(work)
    done = 0
    for run in runs:
        if store.find(run) is None:
            library = make_library(plan, treebanks, work)
            corpus = run.parser.corpus if isinstance(run, Reparsing) else run.corpus
            library.tag(CORPORA[corpus])
            result = run.perform(library, store)
            store.write(run, result)
            print(f"{run.name}: {result['seconds']:.0f} s", flush=True)
            done += 1
    return done


def main(
    treebanks: Annotated[Path, typer.Argument(help="Directory with ewt_train.conllu, ewt_dev.conllu, gum_train ...")],
    work: Annotated[Path, typer.Argument(help="Directory for runs, models and tagged corpora.")],
    report: Annotated[Path, typer.Argument(help="Markdown file to write, with figures beside it.")],
    quick: Annotated[bool, typer.Option("--quick", help="Tiny corpora and models: does everything work?")] = False,
    processes: Annotated[int, typer.Option(min=1, help="Runs at the same time.")] = 1,
    seed: Annotated[int, typer.Option(help="Of everything.")] = 0,
    report_only: Annotated[bool, typer.Option("--report-only", help="Run nothing, write what there is.")] = False,
) -> None:
    """Run everything and write the report."""
    plan = make_quick_plan(seed) if quick else make_full_plan(seed)
    if not report_only:
        # Not forked, so that it is the same everywhere.
        with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
            futures = [pool.submit(perform, runs, plan, treebanks, work) for runs in plan.list_tasks()]
            try:
                done = sum(future.result() for future in as_completed(futures))
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
        print(f"{done} runs done, all others were there.")
    command = f"python -m spacy project run {'reproduce-quick' if quick else 'reproduce'}"
    write_report(plan, make_library(plan, treebanks, work), Store(work), report, command)


if __name__ == "__main__":
    typer.run(main)
