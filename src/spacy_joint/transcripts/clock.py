"""Times as they are written in transcripts: `01:02:03,500`, `1:02:03.5`, `02:03`."""

from __future__ import annotations

import re

# Hours may be missing, or more than 99. Both decimal marks occur in all formats.
CLOCK = r"(?:\d{1,9}:)?\d{1,2}:\d{1,2}(?:[.,]\d{1,3})?"
_PARTS = re.compile(r"(?:(\d{1,9}):)?(\d{1,2}):(\d{1,2})(?:[.,](\d{1,3}))?")


def read_clock(written: str) -> float | None:
    """A time in seconds (float); None if it is not a time, such as 00:61."""
    match = _PARTS.fullmatch(written)
    if match is None:
        return None
    hours, minutes, seconds = (int(part or 0) for part in match.group(1, 2, 3))
    if minutes > 59 or seconds > 59:
        return None
    return 3600 * hours + 60 * minutes + seconds + int((match[4] or "").ljust(3, "0")) / 1000
