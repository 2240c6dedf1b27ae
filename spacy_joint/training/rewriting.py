"""Copies of documents with words left out, changed or added by augmenters, with consistent trees and boundaries."""

from collections.abc import Mapping, Sequence
from enum import Enum
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from spacy.tokens import Doc
from spacy.training import Example

from ..annotation.custom_columns import PAUSE, copy_columns, read_column, write_column
from ..annotation.dependency_trees import find_gap_head, prune
from ..corpora.examples import TOKEN_ANNOTATIONS
from ..errors import Errors, JointValueError
from ..pipes.custom_columns import read_numbers

NO_CHANGES: Mapping[str, str] = MappingProxyType({})


class Added(Enum):
    """The head of an added word: the next word, the head of the shortest arc over its place (`find_gap_head`), or the
    previous word, which must be its source."""

    TO_NEXT = 1
    TO_CLAUSE = 2
    TO_PREVIOUS = 3


class Word(NamedTuple):
    """A word of a copy. An added word stands before or after its source, which is kept."""

    text: str
    space: bool  # whether a space follows
    source: int  # the position of its token in the document
    annotation: Mapping[str, str] = NO_CHANGES  # by attribute, values that differ from the source's
    added: Added | None = None


def copy_words(doc: Doc) -> list[Word]:
    """List the words of an unchanged copy."""
    return [Word(token.text, bool(token.whitespace_), token.i) for token in doc]


def rewrite(doc: Doc, words: Sequence[Word]) -> Doc:
    """Make a copy of a document with other words, in order. Words that are not added have different sources.

    Dependents of an omitted token are attached to its nearest kept ancestor. If a sentence loses its root, its first
    orphan becomes the root, and other orphans are attached to it as `parataxis`; empty sentences are dropped. TAG, POS,
    MORPH, LEMMA and labels come from the sources. Custom columns are copied; spans, entities and other user data are
    not. Raises J124 if trees and sentences have different boundaries.
    """
    copy = Doc(doc.vocab, words=[word.text for word in words], spaces=[word.space for word in words])
    sources = np.array([word.source for word in words], dtype=np.int64)
    copy_columns(doc, copy, sources)
    if len(words) and read_column(copy, PAUSE) is not None:
        write_column(copy, PAUSE, _carry_pauses(read_numbers(doc, PAUSE), sources))
    columns = {name: _get_column(doc, name)[sources] for name in TOKEN_ANNOTATIONS if doc.has_annotation(name)}
    if "SENT_START" in columns:
        columns["SENT_START"] = _move_starts(_get_column(doc, "SENT_START"), sources)
    if "DEP" in columns:
        heads = np.arange(len(doc)) + doc.to_array("HEAD").astype(np.int64)
        is_own = np.array([word.added is None for word in words], dtype=bool)
        pruned = prune(heads, np.isin(np.arange(len(doc)), sources[is_own]))
        own = np.flatnonzero(is_own)
        columns["DEP"][own[pruned.promoted]] = doc.vocab.strings.add("ROOT")
        columns["DEP"][own[pruned.adopted]] = doc.vocab.strings.add("parataxis")
        # For each word, the number of its kept token.
        numbers = np.cumsum(is_own) - is_own
        heads = pruned.heads[numbers]
        for index in np.flatnonzero(~is_own).tolist():
            number = int(numbers[index])
            if words[index].added is Added.TO_CLAUSE:
                heads[index] = find_gap_head(pruned.heads, number)
            else:
                heads[index] = number - (words[index].added is Added.TO_PREVIOUS)
        columns["HEAD"] = (own[heads] - np.arange(len(words))).astype(np.uint64)
    for index, word in enumerate(words):
        for name, value in word.annotation.items():
            if name in columns:
                add = doc.vocab.morphology.add if name == "MORPH" else doc.vocab.strings.add
                columns[name][index] = add(value)
    if columns:
        table = np.stack(list(columns.values()), axis=1)
        copy.from_array(list(columns), table)  # type: ignore[arg-type]  # thinc's own array type in its stub
    # spaCy derives the boundaries from the trees.
    is_derived = {"SENT_START", "DEP"} <= columns.keys()
    if is_derived and not np.array_equal(copy.to_array("SENT_START"), columns["SENT_START"]):
        raise JointValueError(Errors.J124, words=_quote(doc))
    return copy


def rewrite_example(example: Example, words: Sequence[Word]) -> Example:
    """Make a copy of an example with other words on both sides: see `rewrite`."""
    return Example(rewrite(example.predicted, words), rewrite(example.reference, words))


def require_words(doc: Doc) -> None:
    """Raises J126 if a document lacks POS or sentence boundaries."""
    for attribute in ("POS", "SENT_START"):
        if not doc.has_annotation(attribute):
            raise JointValueError(Errors.J126, words=_quote(doc), what=attribute)


def require_same_tokens(example: Example) -> None:
    """Raises J125 if the two sides of an example have different tokens."""
    if [token.text for token in example.predicted] != [token.text for token in example.reference]:
        raise JointValueError(Errors.J125, words=_quote(example.reference))


def _get_column(doc: Doc, attribute: str) -> NDArray[np.uint64]:
    return np.asarray(doc.to_array(attribute), dtype=np.uint64)


def _move_starts(starts: NDArray[np.uint64], sources: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Make the first word of each sentence its start, also if it is added. Other words stay 0 (unknown) or -1."""
    sentence = np.cumsum(starts == 1)
    _, first = np.unique(sentence[sources], return_index=True)
    moved = starts[sources]
    moved[moved == 1] = np.uint64(2**64 - 1)
    moved[first] = 1
    return moved


def _carry_pauses(pauses: NDArray[np.float64], sources: NDArray[np.int64]) -> NDArray[np.float64]:
    """Find the pauses before words: the longest since the previous token; none between an added word and its source."""
    carried = np.zeros(len(sources))
    distinct, first = np.unique(sources, return_index=True)
    carried[first] = np.fmax.reduceat(pauses[: distinct[-1] + 1], np.append(0, distinct[:-1] + 1))
    return carried


def _quote(doc: Doc) -> str:
    return repr(doc[:8].text + (" ..." if len(doc) > 8 else ""))
