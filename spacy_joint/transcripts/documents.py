"""Making documents of transcripts and texts: sets known boundaries, and the speakers and times of tokens."""

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import groupby, pairwise

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc

from ..annotation.custom_columns import PAUSE, write_column
from ..annotation.extensions import read_values
from ..annotation.restored import read_restored, write_restored
from ..annotation.speech import CUE, END_TIME, LINE_START, SPEAKER, START_TIME, TIME_IS_ESTIMATED, TURN_START
from ..pipes.arrays import find_runs
from ..pipes.components import run_disabled
from ..pipes.token_columns import MARKS, MIN_UNPUNCTUATED
from .reading import TEXT, guess_format, read_string
from .transcript import Transcript
from .words import find_prose, has_marks, list_words, split_words

RESTORER = "punctuation_restorer"
# Lines without blank ones between them are entries of a list, such as reviews or answers, if the longest has at least
# LONG characters (captions are narrower), none ends in one of OPEN_MARKS, and at least half are short, below
# SHORT_SHARE of the longest even with the next word. An entry does not begin where text may be wrapped: where the next
# word would not have fitted, in lines of at most WIDEST characters, or before lower case, except after a short line.
FEW_LINES, LONG, WIDEST, SHORT_SHARE = 3, 60, 100, 0.7
OPEN_MARKS = (",", ";", "-", "–", "—")


def make_doc(nlp: Language, transcript: Transcript) -> Doc:
    """Makes a document of a transcript, for the pipeline to annotate: `nlp(make_doc(nlp, transcript))`.

    Where a turn begins, `token.is_sent_start` is True, so no sentence or tree crosses its start, unless the speaker
    changes within an utterance of a recogniser. Tokens and spans have the extension attributes `_.speaker`,
    `_.start_time` and `_.end_time` (seconds; None if unknown). `token._.time_is_estimated` is True if the start time is
    estimated by the number of characters, as within a cue. If words have times, with gaps between some of them,
    `doc._.token_columns["pause"]` has the seconds of silence before each token (NaN if unknown).

    nlp (Language): The pipeline, of which only the tokenizer is used.
    transcript (Transcript): The transcript, as read by `read`.
    RETURNS (Doc): The document.
    """
    doc = nlp.make_doc(transcript.text)
    offsets = [token.idx for token in doc]
    for start in transcript.sentence_starts:
        doc[bisect_left(offsets, start)].is_sent_start = True
    turn_starts = [turn.start for turn in transcript.turns]
    for name, starts in ((TURN_START, turn_starts), (LINE_START, transcript.lines)):
        for start in starts:
            doc[bisect_left(offsets, start)]._.set(name, True)
    for start, cue in transcript.cues.items():
        doc[bisect_left(offsets, start)]._.set(CUE, list(cue))
    pauses = np.full(len(doc), np.nan)
    for token in doc:
        if token.text.isspace():
            continue
        if (pause := transcript.find_pause(token.idx)) is not None:
            pauses[token.i] = pause
        speaker = transcript.turns[bisect_right(turn_starts, token.idx) - 1].speaker
        if speaker is not None:
            token._.set(SPEAKER, speaker)
        times = transcript.find_times(token.idx, token.idx + len(token))
        for name, time in zip((START_TIME, END_TIME), times or (), strict=False):
            token._.set(name, time)
        if transcript.is_estimated(token.idx):
            token._.set(TIME_IS_ESTIMATED, True)
    # Recognisers whose words last until the next one do not measure pauses.
    if (pauses > 0).any():
        write_column(doc, PAUSE, pauses)
    return doc


def make_doc_of_text(nlp: Language, text: str, format: str | None = None, source: str = "The text") -> Doc:
    """Makes a document of a text in a format, which is guessed from `source`, the path, and the text if it is None: see
    `read`. RAISES ValueError: If it is a damaged transcript (J460-J468)."""
    format = format or guess_format(text, source)
    if format != TEXT:
        return make_doc(nlp, read_string(text, format, source))
    doc = nlp.make_doc(text)
    starts = set(_find_entries(text))
    for token in doc:
        if token.idx in starts:
            token.is_sent_start = True
    return doc


def _find_entries(text: str) -> Iterator[int]:
    """Yields the offsets of the entries of lists, except their first ones: see `FEW_LINES`."""
    for is_blank, block in groupby(re.finditer("^.*$", text, re.MULTILINE), lambda line: not line[0].strip()):
        lines = list(block)
        written = [line[0].strip() for line in lines]
        longest = max(map(len, written))
        if is_blank or len(lines) < FEW_LINES or longest < LONG or any(line.endswith(OPEN_MARKS) for line in written):
            continue
        # With the first word of the next line.
        lengths = [len(line) + 1 + len(after.split(maxsplit=1)[0]) for line, after in pairwise(written)]
        short, room = SHORT_SHARE * longest, longest if longest <= WIDEST else math.inf
        if 2 * sum(length < short for length in lengths) < len(lengths):
            continue
        for length, line, entry in zip(lengths, lines[1:], written[1:], strict=True):
            if length <= (short if entry[0].islower() else room):
                yield line.start() + line[0].index(entry)


def restore_marks(nlp: Language, doc: Doc) -> Doc:
    """Restores the marks of an annotated document that has none, or of its long parts without any, by the disabled
    punctuation_restorer of the pipeline, if it has one. Only changes prose, and speech with turns."""
    tokens, words = list(doc), list_words(doc)
    begins, are_marked = read_values(tokens, TURN_START), has_marks(words)
    parts = np.ones(len(doc), dtype=bool)
    if are_marked:
        breaks = np.array([token.text in MARKS or token.text.count("\n") > 1 for token in tokens], dtype=bool)
        breaks |= np.array([*begins[1:], True], dtype=bool)
        parts, _ = find_runs(breaks, MIN_UNPUNCTUATED, whole=False)
    paragraphs = [] if any(begins) else split_words(words, [word.begins_paragraph for word in words])
    for paragraph, is_prose in zip(paragraphs, find_prose(paragraphs, are_marked), strict=True):
        parts[paragraph[0].start : paragraph[-1].end] &= is_prose
    if not parts.any():
        return doc
    given = read_restored(tokens)
    doc = run_disabled(nlp, doc, RESTORER)
    write_restored(doc, [None if is_restored else text for text, is_restored in zip(given, parts, strict=True)])
    return doc
