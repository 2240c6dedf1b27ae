"""Plain text in which turns begin with the name of the speaker, as in `ANNA: at the garage` (see `labels`). Lines
without a name continue the turn. A time, next to a name, in brackets, or on a line, applies until the next time."""

import re
from collections.abc import Iterator
from itertools import pairwise

from ..errors import Errors, JointValueError
from .labels import are_turns, find_all_names, find_label, remove_numbers
from .transcript import CLOCK, LINE_END, Format, Segment, is_sound, read_clock, set_times

# In brackets, alone, or as f4 writes it, at the end of a turn: #00:01:02-3#.
INLINE_TIME = re.compile(rf"(?:\[|#|^\s*)({CLOCK})(?:\]|-\d#|\s*$)")


def read_turns(content: str, source: str) -> Iterator[Segment]:
    """Reads plain text with names. RAISES ValueError: If no turn begins anywhere (J468)."""
    lines = remove_numbers(LINE_END.split(content))
    names = find_all_names(lines)
    labels = [find_label(line, names) for line in lines]
    if any(map(str.strip, lines)) and not any(labels):
        raise JointValueError(Errors.J468, source=source)
    speaker: str | None = None
    segments: list[Segment] = []
    stamps: list[tuple[int, str]] = []
    heads: list[tuple[int, str]] = []
    # If names or lines have times, so may the text between them, as in exports of Descript.
    has_times = any(line[:1] == "[" and INLINE_TIME.match(line) for line in map(str.lstrip, lines))
    has_times |= any(line.rstrip()[-1:] == "#" and INLINE_TIME.search(line) for line in lines)
    has_times |= any(label and label.time for label in labels)
    for number, (line, label) in enumerate(zip(lines, labels, strict=True)):
        begin, direction = 0, ""
        if label is not None:
            speaker, begin, direction = label.name or None, label.end, label.direction
            heads.append((len(segments), line[:begin].strip() if speaker else ""))
            if label.time:
                stamps.append((len(segments), label.time))
        is_after_blank = number > 0 and not lines[number - 1].strip()
        is_above = any(below and below.name for below in labels[number + 1 : number + 2])
        is_time = (is_after_blank or is_above) and read_clock(line.strip()) is not None
        begins = (label is not None, is_after_blank)
        segments.append(Segment(f"{direction}\n", speaker, None, *begins, is_sound=True, begins_line=True))
        parts = INLINE_TIME.split(line[begin:]) if has_times or is_time else [line[begin:]]
        for written, text in zip(["", *parts[1::2]], parts[::2], strict=True):
            stamps += [(len(segments), written)] if written else []
            segments.append(Segment(f"{text}\n", speaker, is_sound=is_sound(text)))
    # A name without words below it, as in `BY MS. DALY:`, is kept as text.
    for (first, head), (last, _) in pairwise([*heads, (len(segments), "")]):
        if not any(segment.text.strip() for segment in segments[first:last]):
            segments[first] = segments[first]._replace(text=f"{head}\n", speaker=None, is_sound=False)
    set_times(segments, stamps, may_be_daytime=True)
    yield from segments


TURNS = Format("turns", read_turns, are_turns)
