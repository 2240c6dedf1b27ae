"""Who speaks in a `Doc`, and when: attributes of tokens and spans, kept as plain values, so that they are saved with
the document. Times are in seconds from the beginning of the recording; None if unknown. Other attributes of tokens
record the layout of a transcript, for writing it again.
"""

from collections.abc import Sequence
from functools import partial
from operator import itemgetter
from typing import Any

from spacy.tokens import Span, Token

from .extensions import read_values, register

SPEAKER, START_TIME, END_TIME = "speaker", "start_time", "end_time"
ATTRIBUTES = (SPEAKER, START_TIME, END_TIME)
# Whether the start time of a token is estimated by the number of characters.
TIME_IS_ESTIMATED = "time_is_estimated"
# Whether a token begins a turn, or a further line of a cue; the cue that it begins, as a list of the values of
# `transcripts.transcript.Cue`.
TURN_START, LINE_START, CUE = "turn_start", "line_start", "cue"


def register_extensions() -> None:
    """Registers `speaker`, `start_time` and `end_time` of `Token` and `Span` (from its tokens), and
    `time_is_estimated`, `turn_start`, `line_start` and `cue` of `Token`."""
    for name in ATTRIBUTES:
        register(Token, name, default=None)
        register(Span, name, getter=partial(_read, name=name))
    for name in (TIME_IS_ESTIMATED, TURN_START, LINE_START):
        register(Token, name, default=False)
    register(Token, CUE, default=None)


def _read(span: Span, name: str) -> Any:
    return describe_speech(list(span)).get(name)


def describe_speech(tokens: Sequence[Token]) -> dict[str, Any]:
    """Returns the known values of `speaker`, `start_time` and `end_time` for consecutive tokens, as JSON-serialisable
    data: the first speaker, the earliest and the latest time."""
    if not all(Token.has_extension(name) for name in ATTRIBUTES):
        return {}
    found: dict[str, Any] = {}
    for name, choose in ((SPEAKER, itemgetter(0)), (START_TIME, min), (END_TIME, max)):
        values = [value for value in read_values(tokens, name) if value is not None]
        if values:
            found[name] = choose(values)
    return found


def format_speech(tokens: Sequence[Token]) -> str:
    """Formats the known values for readers, as in "ANNA, 00:01:02.500 - 00:01:04.000"; empty if nothing is known."""
    known = describe_speech(tokens)
    times = " - ".join(format_clock(known[name]) for name in (START_TIME, END_TIME) if name in known)
    return ", ".join(part for part in (known.get(SPEAKER), times) if part)


def format_clock(seconds: float, decimal: str = ".", digits: int = 3) -> str:
    """Formats a time as `01:02:03.500`; without `digits`, in whole seconds, cut off."""
    units = round(1000 * seconds) if digits else 1000 * int(seconds)
    minutes, milliseconds = divmod(units, 60_000)
    whole = f"{minutes // 60:02}:{minutes % 60:02}:{milliseconds // 1000:02}"
    return f"{whole}{decimal}{milliseconds % 1000:03}" if digits else whole
