"""Reads the quotations and characters of a document from its spans.

Spans that belong together (the runs of a quotation, their cue, their speaker) have the same `id_`; single spans have
none. `quotation_spans.py` writes them.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain, repeat

from spacy.tokens import Doc, Span, SpanGroup, Token

from ..annotation.extensions import register
from ..annotation.quotations import CHARACTERS, CONFIDENCES, CUES, MIXED, PERSON, QUOTATIONS, SPEAKERS, TYPES
from ..annotation.spans import read_spans
from ..errors import Errors, JointValueError
from .attribution import find_phrase, mark_tokens
from .cast import PRONOUNS

# The attribute of a group of spans that says whether `Token._.in_quotation` reads it. Without it, as in joined
# documents, a group is read if it has the default key or the labels of quotations.
IS_READ = "in_quotation"
# The `id_` of a cue and of its quotation contains the character offset of the cue in its document. After documents are
# joined, as by `Doc.from_docs`, it shows where each of them starts, so equal ids are not confused.
CUE_ID = "Q@{}"
CUE_ID_PATTERN = re.compile(r"Q@(\d+)")


@dataclass(frozen=True)
class Character:
    """A character of a document.

    id (str): Its fullest name, with a number if several characters have the same.
    names (dict[str, int]): Its names and nouns (no pronouns) with frequencies, the most frequent first.
    gender (str | None): "male", "female" or None.
    n_quotations (int): The number of its quotations.
    n_mentions (int): The number of its mentions by names, nouns and pronouns.
    """

    id: str
    names: Mapping[str, int]
    gender: str | None
    n_quotations: int
    n_mentions: int


@dataclass(frozen=True)
class Quotation:
    """A quotation.

    contents (tuple[Span, ...]): Its runs of tokens, in order; several if it is interrupted.
    cue (Span | None): The cue that signals it.
    speaker (Span | None): The mention of the speaker, with only the modifiers that identify him or her.
    scores (tuple[float, ...]): The scores of its runs; 1 if the method does not score them.
    character (Character | None): Who speaks, if known.
    confidence (float | None): How certain the character is, from 0 to 1; None if there is none.
    """

    contents: tuple[Span, ...]
    cue: Span | None
    speaker: Span | None
    scores: tuple[float, ...]
    character: Character | None = None
    confidence: float | None = None

    @property
    def type(self) -> str:
        """The type of all runs (str); MIXED if they differ."""
        types = {content.label_ for content in self.contents}
        return types.pop() if len(types) == 1 else MIXED

    @property
    def speaker_phrase(self) -> Span | None:
        """The mention of the speaker with all modifiers, from the tree; without a tree, the mention itself."""
        if self.speaker is None or self.cue is None or not self.speaker.doc.has_annotation("DEP"):
            return self.speaker
        inside = mark_tokens(self.speaker.doc, ((content.start, content.end) for content in self.contents))
        phrase = find_phrase(self.speaker.doc, self.speaker.root, self.cue.root.i, inside)
        begin, end = min(phrase.start, self.speaker.start), max(phrase.end, self.speaker.end)
        return self.speaker.doc[begin:end]

    @property
    def is_inferred(self) -> bool:
        """Whether the conversation alone tells who speaks, without a mention of the speaker beside the quotation."""
        return self.character is not None and self.speaker is None


def get_quotations(
    doc: Doc,
    key: str = QUOTATIONS,
    cues_key: str = CUES,
    speakers_key: str = SPEAKERS,
    characters_key: str = CHARACTERS,
) -> list[Quotation]:
    """Returns the quotations of a document, in order: runs with the same `id_`, their cue and their speaker."""
    return _read(doc, key, cues_key, speakers_key, characters_key)[0]


def get_characters(doc: Doc) -> list[Character]:
    """Returns the characters of a document: those who speak most first, then those mentioned most."""
    _, found = _read(doc, QUOTATIONS, CUES, SPEAKERS, CHARACTERS)
    return sorted(found, key=lambda character: (-character.n_quotations, -character.n_mentions))


def _read(
    doc: Doc, key: str, cues_key: str, speakers_key: str, characters_key: str
) -> tuple[list[Quotation], list[Character]]:
    if key not in doc.spans:
        return [], []
    linked_cues = [span for span in read_spans(doc, cues_key) if span.id_]
    written = [(span, CUE_ID_PATTERN.fullmatch(span.id_)) for span in linked_cues]
    starts = sorted({span.start_char - int(match[1]) for span, match in written if match})

    def identify(span: Span) -> tuple[str, int]:
        return span.id_, bisect_right(starts, span.start_char)

    cues = {identify(span): span for span in linked_cues}
    speakers = {identify(span): span for span in read_spans(doc, speakers_key) if span.id_}
    group = doc.spans[key]
    scores, confidences = (group.attrs.get(name, ()) for name in ("scores", CONFIDENCES))
    runs: dict[tuple[str, int], list[tuple[Span, float, float | None]]] = {}
    # Spans added by users have no score.
    values = zip(read_spans(doc, key), chain(scores, repeat(1.0)), chain(confidences, repeat(None)))  # noqa: B905
    for number, (span, score, confidence) in enumerate(values):
        # A run without an id is a separate quotation.
        runs.setdefault(identify(span) if span.id_ else ("", number), []).append((span, score, confidence))
    counts = Counter(parts[0][0].kb_id_ for parts in runs.values())
    characters = _read_characters(doc, characters_key, counts)
    quotations = []
    for identity, parts in runs.items():
        spans, run_scores, run_confidences = zip(*parts, strict=True)
        character = characters.get(spans[0].kb_id_)
        confidence = None if character is None else run_confidences[0]
        quotations.append(
            Quotation(spans, cues.get(identity), speakers.get(identity), run_scores, character, confidence)
        )
    return quotations, list(characters.values())


def _read_characters(doc: Doc, key: str, n_quotations: Mapping[str, int]) -> dict[str, Character]:
    names: dict[str, Counter[str]] = {}
    genders: dict[str, str | None] = {}
    n_mentions: Counter[str] = Counter()
    for span in read_spans(doc, key):
        name = span.kb_id_
        n_mentions[name] += 1
        genders[name] = None if span.label_ == PERSON else span.label_.lower()
        text = " ".join(span.text.split()).rstrip(".,;")
        names.setdefault(name, Counter())
        if text.lower() not in PRONOUNS:
            names[name][text] += 1
    return {
        name: Character(name, dict(found.most_common()), genders[name], n_quotations.get(name, 0), n_mentions[name])
        for name, found in names.items()
    }


def is_in_quotation(token: Token) -> bool:
    """Returns whether a token is part of a quotation. RAISES ValueError: If one ends after the last token, since tokens
    have been merged (J340)."""
    for key, group in token.doc.spans.items():
        try:
            is_read = group.attrs.get(IS_READ, key == QUOTATIONS or (len(group) > 0 and group[0].label_ in TYPES))
            if is_read and _covers(group, token.idx):
                return True
        except IndexError as error:  # spaCy's E035
            raise JointValueError(Errors.J340, key=key) from error
    return False


def _covers(group: SpanGroup, index: int) -> bool:
    """Returns whether a character is in one of the spans. Compares characters, since tokens may have been merged."""
    if len(group.attrs.get("scores", ())) != len(group):
        return any(span.start_char <= index < span.end_char for span in group)
    # No spans have been added, so they are sorted and disjoint.
    at = bisect_right(group, index, key=lambda span: span.start_char)
    return at > 0 and index < group[at - 1].end_char


def register_extensions() -> None:
    """Registers `Doc._.quotations`, `Doc._.characters` and `Token._.in_quotation`, except for names in use."""
    register(Doc, "quotations", getter=get_quotations)
    register(Doc, "characters", getter=get_characters)
    register(Token, "in_quotation", getter=is_in_quotation)
