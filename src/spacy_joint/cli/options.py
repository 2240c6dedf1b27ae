"""Options that several commands have."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

LinesOption = Annotated[bool, typer.Option("--lines", help="Treat each line as a document.")]
ModelOption = Annotated[
    str | None,
    typer.Option("--model", "-m", help="Path or package of a pipeline, `md` or `trf`. Default: the shipped pipeline."),
]
AddressOption = Annotated[
    str | None, typer.Option(help="For ray: address of the cluster, or auto. Default: this machine.")
]
OutputOption = Annotated[Path | None, typer.Option("--output", "-o", help="Output file. Default: standard output.")]


class EngineName(str, Enum):
    """What runs the workers: processes on this machine, or a Ray cluster."""

    local = "local"
    ray = "ray"


class Kind(str, Enum):
    """Kinds of text: as it is, without punctuation and capitals, or both."""

    original = "original"
    unpunctuated = "unpunctuated"
    both = "both"
