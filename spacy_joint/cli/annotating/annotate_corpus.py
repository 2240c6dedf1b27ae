"""`annotate-corpus`: annotate a corpus of any size, on all cores or on a cluster."""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated, Any

import typer
from wasabi import msg

from ...errors import check_choice
from ..options import BeamWidthOption, LinesOption, ModelOption, RayOption, show_progress

if TYPE_CHECKING:
    from ...scale.annotating.partitions import Partition

BAR = "{percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} [{elapsed}<{remaining}{postfix}]"


def annotate_corpus(
    inputs: Annotated[
        list[str], typer.Argument(metavar="INPUT", help="Files, directories, patterns and storage addresses.")
    ],
    output: Annotated[str, typer.Option("--output", "-o", help="Output directory, or its address.")],
    format_: Annotated[
        str,
        typer.Option("--format", "-f", help="conllu, json (documents), jsonl (sentences), parquet, spacy (DocBin)."),
    ] = "conllu",
    model: ModelOption = None,
    beam_width: BeamWidthOption = None,
    lines: LinesOption = False,
    format_in: Annotated[
        str | None,
        typer.Option(help="text, turns, srt, recogniser, csv, jsonl, parquet, wet, ... Default: by suffix or content."),
    ] = None,
    text_column: Annotated[str, typer.Option(help="Column of the text in CSV, Parquet and JSON lines.")] = "text",
    meta: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN", help="Metadata to keep; '' keeps none. Default: all.")
    ] = None,
    shard_bytes: Annotated[int, typer.Option(min=1, help="Minimum bytes of records per shard.")] = 1_000_000,
    workers: Annotated[int | None, typer.Option(min=1, help="Number of processes. Default: one per core.")] = None,
    ray: RayOption = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with code 1 if any record failed.")] = False,
) -> None:
    """Annotate a corpus of any size.

    The output is a directory of shards, with a manifest. The same command continues an interrupted run. --ray and
    --workers do not affect the result. errors.jsonl lists the records that fail. The exit code is 1 if all records
    fail, or if any fails for lack of memory, files or processes.
    """
    from ...scale.annotating.corpus import annotate_corpus
    from ...scale.annotating.local_runner import LocalCorpusRunner
    from ...scale.annotating.ray_runner import RayCorpusRunner
    from ...scale.annotating.records import FORMATS, Reading

    if format_in is not None:
        check_choice("format", format_in, FORMATS)
    runner = LocalCorpusRunner(workers) if ray is None else RayCorpusRunner(ray, workers)
    start = time.perf_counter()
    n_earlier = n_new = n_skipped = words = 0
    is_resumed = False
    with ExitStack() as stack:
        progress: Any = None

        def show(done: Partition, total: int) -> None:
            nonlocal progress, n_earlier, n_new, n_skipped, words, is_resumed
            if progress is None:
                # Not earlier, since Ray redirects standard error.
                progress = stack.enter_context(
                    show_progress(True, total=total, unit="B", unit_scale=True, smoothing=0, bar_format=BAR)
                )
            if done.n_words is None:
                n_earlier += 1
                n_skipped += done.n_read
                # Skipped bytes do not count for the speed.
                progress.initial = n_skipped
            else:
                # Not always the first new shard: an interrupt can leave one undone before others.
                if n_earlier and not is_resumed:
                    is_resumed = True
                    where = f"{n_skipped / 1e6:,.1f} of {total / 1e6:,.1f} MB"
                    progress.write(f"Resumed at {where}: {n_earlier:,} shards were done.", file=sys.stderr)
                n_new += 1
                words += done.n_words
            speed = words / (time.perf_counter() - start)
            progress.set_postfix_str(f"{n_earlier + n_new:,} shards, {speed:,.0f} words/s", refresh=False)
            progress.update(done.n_read)

        try:
            totals = annotate_corpus(
                inputs,
                output,
                runner,
                model=model,
                beam_width=beam_width,
                format=format_,
                reading=Reading(format_in, lines, text_column, meta or None),
                shard_bytes=shard_bytes,
                show=show,
            )
        except KeyboardInterrupt:
            stack.close()
            typer.echo(f"Stopped: {n_earlier + n_new:,} shards are done. The same command continues.", err=True)
            raise typer.Exit(130) from None
    # JW44 has reported failures.
    failures = totals["failures"]
    if failures and (strict or totals["transient"] or failures == totals["records"]):
        raise typer.Exit(1)
    msg.good(f"{output}: " + ", ".join(f"{totals[key]:,} {key}" for key in ("documents", "words", "shards")))
