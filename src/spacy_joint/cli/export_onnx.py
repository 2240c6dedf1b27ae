"""`export-onnx`: a pipeline with a transformer as one that runs on a CPU without torch."""

from pathlib import Path
from typing import Annotated

import typer
from wasabi import msg

from ..errors import Errors, JointValueError


def export_onnx(
    pipeline: Annotated[str, typer.Argument(help="Trained pipeline with a transformer: its name or directory.")],
    output: Annotated[Path, typer.Argument(help="Output directory; an existing one is replaced.")],
    threads: Annotated[int, typer.Option(help="Number of threads in which the transformer runs.", min=1)] = 1,
) -> None:
    """Export the transformers of a pipeline as ONNX, with weights of 8 bits.

    The new pipeline needs the extra `onnx` instead of `transformer`. It cannot be trained further.
    """
    import spacy

    from ..files.replacing import replace_directory_when_written
    from ..guiding.onnx_transformer import CONVERTED, convert_transformers

    nlp = spacy.load(pipeline)
    converted = convert_transformers(nlp, threads)
    if not converted:
        raise JointValueError(Errors.J642, pipeline=pipeline, architecture=CONVERTED)
    with replace_directory_when_written(output) as path:
        nlp.to_disk(path)
    msg.good(f"{output}: {', '.join(converted)}")
