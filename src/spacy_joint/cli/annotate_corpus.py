"""`annotate --engine`: annotate a corpus of any size, on all cores or on a cluster."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer
from wasabi import msg

from ..errors import Errors, JointValueError
from .options import EngineName
from .progress import show_progress

if TYPE_CHECKING:
    from ..scale.annotator import Done

# Bytes of records per shard.
SHARD_BYTES = 1_000_000
TEXT_COLUMN = "text"

EngineOption = Annotated[
    EngineName | None,
    typer.Option(help="Annotate a corpus: local (processes on this machine) or ray (a Ray cluster)."),
]
WorkersOption = Annotated[
    int | None, typer.Option(min=1, help="For a corpus: number of processes. Default: one per core.")
]
TextColumnOption = Annotated[
    str | None,
    typer.Option(help=f"For a corpus: column of the text in Parquet and JSON lines. Default: {TEXT_COLUMN}."),
]
ShardBytesOption = Annotated[
    int | None,
    typer.Option(min=1, help=f"For a corpus: minimum bytes of records per shard. Default: {SHARD_BYTES:,}."),
]


def annotate_corpus(
    inputs: Sequence[str],
    output: str,
    *,
    engine: EngineName,
    address: str | None,
    workers: int | None,
    model: str | None,
    beam_width: int | None,
    format_: str,
    format_in: str | None,
    lines: bool,
    text_column: str | None,
    shard_bytes: int | None,
) -> None:
    """Annotates a corpus and prints what came out: see `annotate` for the options."""
    from ..scale.corpus import annotate_corpus
    from ..scale.local_engine import LocalEngine
    from ..scale.ray_engine import RayEngine
    from ..scale.records import FORMATS, Reading

    if format_in is not None and format_in not in FORMATS:
        raise JointValueError(Errors.J404, found=format_in, allowed=", ".join(FORMATS))
    if address is not None and engine is not EngineName.ray:
        raise JointValueError(Errors.J716, option="address", engine="ray")
    start = time.perf_counter()
    with show_progress(True, total=0, unit="B", unit_scale=True) as progress:
        words = 0

        def show(done: Done, total: int) -> None:
            nonlocal words
            words += done.words
            progress.total = total
            progress.set_postfix_str(f"{words / (time.perf_counter() - start):,.0f} words/s", refresh=False)
            progress.update(done.n_read)

        totals = annotate_corpus(
            inputs,
            output,
            RayEngine(address, workers) if engine is EngineName.ray else LocalEngine(workers),
            model=model,
            beam_width=beam_width,
            format=format_,
            reading=Reading(format_in, lines, text_column or TEXT_COLUMN),
            shard_bytes=shard_bytes or SHARD_BYTES,
            show=show,
        )
    documents, n_words, shards = (totals[key] for key in ("documents", "words", "shards"))
    msg.good(f"{output}: {documents:,} documents, {n_words:,} words, {shards:,} shards")
