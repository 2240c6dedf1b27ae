"""Alignment of words that have times with the text of their utterance, in which they may be written in another case, or
without marks. Words that are not in the text are skipped; those without times or a speaker take them from their
neighbours."""

import re
from collections.abc import Sequence
from itertools import groupby

from .transcript import Segment

# Marks after a word, which share its times.
MARKS = re.compile(r"[^\w\s]+(?=\s|$)")
# The maximum number of characters between two words that are found: the text is not searched to its end for each word
# that it lacks.
REACH = 100_000


def align(utterance: Segment, words: Sequence[Segment]) -> list[Segment]:
    """Divides an utterance into its words that have times, and the text between them."""
    lowered = utterance.text.lower()

    def find(text: str, start: int) -> int:
        end = start + REACH
        found = utterance.text.find(text, start, end)
        return lowered.find(text.lower(), start, end) if found < 0 and len(lowered) == len(utterance.text) else found

    parts: list[Segment] = []
    done = 0
    speaker = next((word.speaker for word in words if word.speaker is not None), utterance.speaker)
    for word in words:
        text = word.text.strip()
        begin = find(text, done)
        # Words without times are found, too, so that times of later words of the same form fit.
        if begin < 0 or not text:
            continue
        between = utterance.text[done:begin]
        done = begin + len(text)
        text = utterance.text[begin:done]
        if between.strip() and word.times is not None:
            parts.append(Segment(between, speaker))
            between = ""
        speaker = word.speaker or speaker
        parts.append(Segment(between + text, speaker, word.times, is_word=word.times is not None))
    # White space separates this utterance from the next one.
    parts.append(Segment(f"{utterance.text[done:]} ", speaker))
    merged = _merge(parts)
    return _fill(merged, utterance.times) if utterance.times else merged


def _merge(parts: Sequence[Segment]) -> list[Segment]:
    """Joins words with the marks after them, and adjacent parts of one speaker without times, which share a gap."""
    merged: list[Segment] = []
    for (is_timed, speaker), group in groupby(parts, key=lambda part: (part.times is not None, part.speaker)):
        members = list(group)
        if is_timed:
            merged += members
            continue
        text = "".join(part.text for part in members)
        marks = MARKS.match(text)
        if marks and merged:
            merged[-1] = merged[-1]._replace(text=merged[-1].text + marks[0])
            text = text[marks.end() :]
        merged.append(Segment(text, speaker))
    return merged


def _fill(parts: Sequence[Segment], times: tuple[float, float]) -> list[Segment]:
    """Gives parts without times the time between their neighbours."""
    filled: list[Segment] = []
    # The begin of each part, or of the next one that has times, from last to first.
    begins = [times[1]]
    for part in reversed(parts):
        begins.append(part.times[0] if part.times else begins[-1])
    end = times[0]
    for part, begin in zip(parts, begins[:0:-1], strict=True):
        own = part.times or (end, max(begin, end))
        filled.append(part._replace(times=own))
        end = own[1]
    return filled
