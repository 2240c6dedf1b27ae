"""`configs`: copy the training configs of the package to a directory."""

import shutil
from pathlib import Path
from typing import Annotated

import typer
from wasabi import msg

from ...files.atomic import atomic_write

PACKAGE = Path(__file__).parents[2]
# A checkout has the configs beside the package, a wheel within it.
CONFIGS = next(folder for folder in (PACKAGE / "configs", PACKAGE.parent / "configs") if folder.is_dir())


def configs(output: Annotated[Path, typer.Argument(help="Output directory.")]) -> None:
    """Copy the training configs to a directory.

    They replace files of the same names. `spacy train` fills in the defaults that they omit; `python -m spacy init
    fill-config` writes them, for tools that need complete configs.
    """
    paths = sorted(CONFIGS.glob("*.cfg"))
    for config in paths:
        with atomic_write(output / config.name) as path:
            shutil.copyfile(config, path)
    msg.good(f"{output}: {', '.join(path.name for path in paths)}")
