"""`configs`: copy the training configs of the package to a directory, to use or change them."""

import shutil
from pathlib import Path
from typing import Annotated

import typer
from wasabi import msg

from ..files.replacing import replace_when_written

CONFIGS = Path(__file__).parent.parent / "configs"


def configs(
    output: Annotated[Path, typer.Argument(help="Output directory.")],
) -> None:
    """Copy the training configs of all components to a directory, where they replace files of the same names."""
    paths = sorted(CONFIGS.glob("*.cfg"))
    for config in paths:
        with replace_when_written(output / config.name) as path:
            shutil.copyfile(config, path)
    msg.good(f"{output}: {', '.join(path.name for path in paths)}")
