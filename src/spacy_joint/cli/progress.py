"""Progress bars of commands."""

from __future__ import annotations

import sys
from typing import Any


def show_progress(is_long: bool, **settings: Any) -> Any:
    """A progress bar, for long input and if standard error is a terminal."""
    from tqdm import tqdm

    return tqdm(disable=not (is_long and sys.stderr.isatty()), file=sys.stderr, leave=False, **settings)
