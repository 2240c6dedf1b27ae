"""`finish`: prepare a trained pipeline for release, without data that only further training needs."""

from pathlib import Path
from typing import Annotated

import typer

from ..options import ReplacedArgument, WeightBitsOption


def finish(
    ctx: typer.Context,
    model: Annotated[str, typer.Argument(help="Path or package of a trained pipeline.")],
    output: ReplacedArgument,
    meta: Annotated[Path | None, typer.Option(help="JSON file with fields for meta.json.", exists=True)] = None,
    weight_bits: WeightBitsOption = 8,
) -> None:
    """Remove data that only further training needs.

    The copy is much smaller and predicts the same. Its config can be overridden as for `spacy train`, e.g. with
    --components.joint_sbd_parser.model.beam_width 16: a beam wider than in training is slower and more accurate. The
    config loses the paths of corpora, and components predict in one thread. If all components are from this package,
    the vocabulary loses words without vectors, and the length of texts is not limited.
    """
    from ... import find_pipeline
    from ...files.reading import read_json_object
    from ...training.finishing import finish_pipeline

    fields = read_json_object(meta) if meta else {}
    finish_pipeline(find_pipeline(model)[1], output, ctx.obj, fields, weight_bits)
