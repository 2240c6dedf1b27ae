"""Repeats the experiments of Björkelund, Faleńska, Seeker & Kuhn (ACL 2016) on free treebanks.

Performs missing runs, stores each as JSON, and writes the report and its figures from the stored runs. An interrupted
run resumes. The report, docs/experiments/reproduction.md, describes the systems; reproduction/plan.py lists the runs.
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
    """Create the library of a plan's documents."""
    return Library(treebanks, work, plan.tagging, plan.seeds[0], spacy.blank("en").vocab)


def perform(runs: list[Run | Reparsing], plan: Plan, treebanks: Path, work: Path) -> int:
    """Perform the missing ones of these runs; return their number."""
    store, library = Store(work), make_library(plan, treebanks, work)
    done = 0
    for run in runs:
        if store.find(run) is None:
            library.tag(CORPORA[run.corpus])
            result = run.perform(library, store)
            store.write(run, result)
            print(f"{run.name}: {result['seconds']:.0f} s", flush=True)
            done += 1
    return done


def main(
    treebanks: Annotated[Path, typer.Argument(help="Directory with ewt_train.conllu, ewt_dev.conllu, gum_train ...")],
    work: Annotated[Path, typer.Argument(help="Directory for runs, models and tagged corpora.")],
    report: Annotated[Path, typer.Argument(help="Markdown file to write, with figures beside it.")],
    quick: Annotated[bool, typer.Option("--quick", help="Tiny corpora and models, as a check.")] = False,
    processes: Annotated[int, typer.Option(min=1, help="Number of parallel runs.")] = 1,
    seeds: Annotated[int, typer.Option(min=1, help="Number of random seeds: 0, 1 and so on.")] = 3,
    report_only: Annotated[bool, typer.Option("--report-only", help="Only write the report from stored runs.")] = False,
) -> None:
    """Perform all runs and write the report."""
    plan = make_quick_plan(seeds) if quick else make_full_plan(seeds)
    if not report_only:
        # Spawned, not forked, for the same behaviour on every platform.
        with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
            futures = [pool.submit(perform, runs, plan, treebanks, work) for runs in plan.list_tasks()]
            try:
                done = sum(future.result() for future in as_completed(futures))
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
        print(f"{done} runs done, all others were stored already.")
    command = f"python -m spacy project run {'quick' if quick else 'all'} projects/reproduction"
    write_report(plan, make_library(plan, treebanks, work), Store(work), report, command)


if __name__ == "__main__":
    typer.run(main)
