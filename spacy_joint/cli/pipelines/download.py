"""`download`: install a pretrained pipeline in the version that was released with this version of the package."""

import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer
from wasabi import msg

from ... import PRETRAINED, VARIANTS
from ...about import __pipelines_version__, __repository__, __version__
from ...errors import Errors, JointOSError, check_choice
from ...files.reading import require_file


def download(
    variant: Annotated[
        str | None,
        typer.Argument(metavar=f"[{'|'.join(VARIANTS)}]", help="Variant or language. Default: en_joint_english."),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option("--from", metavar="ADDRESS", help="Address or directory of wheels. Default: this release."),
    ] = None,
) -> None:
    """Install a pretrained pipeline with pip.

    The pipeline is the one for this version of the package. pip does not upgrade or downgrade the package: it refuses a
    pipeline that needs another version.
    """
    name = PRETRAINED
    if variant is not None:
        check_choice("variant or language", variant, VARIANTS)
        name = VARIANTS[variant]
    wheel = f"{name}-{__pipelines_version__}-py3-none-any.whl"
    if source is None:
        if not __repository__:
            raise JointOSError(Errors.J404, name=name, wheel=wheel)
        source = f"{__repository__}/releases/download/v{__version__}"
    if "://" in source:
        address = f"{source.rstrip('/')}/{wheel}"
    else:
        address = str(require_file(Path(source, wheel)))
    finished = subprocess.run([sys.executable, "-m", "pip", "install", address, f"spacy-joint=={__version__}"])
    if finished.returncode:
        raise JointOSError(Errors.J405, address=address, code=finished.returncode, version=__version__)
    msg.good(f"{name} {__pipelines_version__}: load it with spacy.load({name!r})")
