"""The lines of a CoNLL-U file, kept in the `Doc` that was made of them, for what spaCy has no attribute for.

These are comments, empty nodes, enhanced dependencies, MISC and the annotation of lines such as `1-2`. The lines are
kept as they are, one string per sentence, since parts of them would take more memory as Python objects.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from spacy.tokens import Doc, MorphAnalysis

from .conllu_sentences import Sentence, SentenceReader

LINES = "conllu_lines"


class KeptSentence(NamedTuple):
    """The lines of a sentence, and what reading them again gives; features are as spaCy formats them."""

    lines: list[str]
    sentence: Sentence


def register_extensions() -> None:
    """Register `Doc._.conllu_lines`, a list with the lines of each sentence as one string, empty by default."""
    if not Doc.has_extension(LINES):
        Doc.set_extension(LINES, default=[])


def set_lines(doc: Doc, sentences: Iterable[Sequence[str]]) -> None:
    """Keep the lines of the sentences that a document was made of."""
    register_extensions()
    doc._.set(LINES, ["\n".join(lines) for lines in sentences])


def get_sentences(doc: Doc) -> dict[int, KeptSentence]:
    """Read the kept sentences again, by the number of non-whitespace characters before them."""
    register_extensions()
    reader = SentenceReader(f"Doc._.{LINES}")
    kept = {}
    start = 0
    for text in doc._.get(LINES):
        lines = text.split("\n")
        sentence = reader.read(list(enumerate(lines, start=1)))
        sentence.morphs = [str(MorphAnalysis(doc.vocab, morph)) if morph else "" for morph in sentence.morphs]
        kept[start] = KeptSentence(lines, sentence)
        start += sum(count_characters(word) for word in sentence.words)
    return kept


def count_characters(text: str) -> int:
    """The number of characters that are not whitespace."""
    return len("".join(text.split()))
