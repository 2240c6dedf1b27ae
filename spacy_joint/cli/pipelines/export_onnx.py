"""`export-onnx`: convert a pipeline with a transformer, so that it runs on a CPU without torch."""

from typing import Annotated

import typer
from wasabi import msg

from ...errors import Errors, JointValueError
from ..options import ReplacedArgument


def export_onnx(
    model: Annotated[str, typer.Argument(help="Path or package of a pipeline with a transformer.")],
    output: ReplacedArgument,
    threads: Annotated[int, typer.Option(help="Number of threads of the transformer.", min=1)] = 1,
) -> None:
    """Export transformers as ONNX, with weights of 8 bits.

    The new pipeline needs the extra `onnx` instead of `transformer`. It cannot be trained further.
    """
    from ... import load
    from ...files.atomic import atomic_write_directory
    from ...guiding.onnx_transformer import CONVERTED, convert_transformers

    nlp = load(model)
    converted = convert_transformers(nlp, threads)
    if not converted:
        raise JointValueError(Errors.J129, pipeline=model, name=f"component with a tok2vec by {CONVERTED}")
    with atomic_write_directory(output) as path:
        nlp.to_disk(path)
    msg.good(f"{output}: {', '.join(converted)}")
