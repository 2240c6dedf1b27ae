"""Columns that also show what a token is in its tree: its relation, its head, its subject, its auxiliary."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from spacy.attrs import DEP, HEAD
from spacy.strings import StringStore
from spacy.tokens import Doc

from ..engine.columns import Columns
from ..errors import Errors, JointValueError
from .arrays import find_last_dependents
from .token_columns import WordClasses, WordColumns

# The dependents that templates can read, by their relations; of several, the last one counts (*there are rooms*).
DEPENDENTS = {
    "subject": ("nsubj", "csubj", "expl"),
    "aux": ("aux",),
    "cop": ("cop",),
    "mark": ("mark",),
    "case": ("case",),
    "det": ("det",),
}
# Tokens with these relations share the subject of their head, if they have none of their own.
SHARING = ("aux", "cop", "conj", "xcomp")
READ = ("word", "tag", "class2")
RELATIVES = ("head", *DEPENDENTS)
RELATED = tuple(f"{relative}_{column}" for relative in RELATIVES for column in READ)
# The relation; those of the head and of the subject; which side the head is on (0: before, 1: root, 2: after); a number
# for the relations of all dependents.
OWN = ("dep", "head_dep", "subject_dep", "side", "dependents")
TREE_COLUMNS = (*OWN, *RELATED)

OTHER, SUBJECT = 0, 1
KINDS = {relation: kind for kind, relations in enumerate(DEPENDENTS.values(), start=1) for relation in relations}
KINDS |= {relation: len(DEPENDENTS) + 1 for relation in SHARING if relation not in KINDS}
N_KINDS = max(KINDS.values()) + 1
IS_SHARING = np.isin(np.arange(N_KINDS), [KINDS[relation] for relation in SHARING])


class TreeColumns:
    """Builds the columns of documents with trees.

    names (Sequence[str]): The names of the columns, from COLUMNS, then from TREE_COLUMNS.
    word_classes (WordClasses): The classes for the columns class1, class2, ...
    """

    def __init__(self, names: Sequence[str], word_classes: WordClasses) -> None:
        self.names = tuple(names)
        self.word_classes = word_classes
        of_token = [name for name in names if name not in TREE_COLUMNS]
        # The places of columns that show another token, that token as a number of RELATIVES, and the column shown.
        self.places = [place for place, name in enumerate(names) if name in RELATED]
        shown = [self.names[place].split("_") for place in self.places]
        extra = sorted({column for _, column in shown}.difference(of_token))
        self.word_columns = WordColumns([*of_token, *extra], word_classes)
        self.n_of_token = len(of_token)
        self.relatives = np.array([RELATIVES.index(relative) for relative, _ in shown], dtype=np.intp)
        self.sources = np.array([self.word_columns.names.index(column) for _, column in shown], dtype=np.intp)
        self.own = {name: self.names.index(name) for name in OWN if name in names}
        # The kind of a dependent by the hash of its relation.
        self.kinds: dict[int, int] = {}

    def __reduce__(self) -> tuple[object, ...]:
        return (TreeColumns, (self.names, self.word_classes))

    def columns_of(self, doc: Doc, constraints: np.ndarray | None = None) -> tuple[Columns, np.ndarray]:
        """The columns of a document, and the tokens of their rows: see `WordColumns.columns_of`."""
        values, tokens = self.values_of(doc)
        return Columns(self.names, values, None if constraints is None else constraints[tokens]), tokens

    def values_of(self, doc: Doc, more_follows: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """The values of the columns (uint64, rows x columns), and the tokens of the rows: see `WordColumns.values_of`.

        RAISES ValueError: If more of the document follows, so that its trees are not complete.
        """
        if more_follows:
            raise JointValueError(Errors.J370)
        of_words, tokens = self.word_columns.values_of(doc)
        n = len(tokens)
        values = np.empty((n, len(self.names)), dtype=np.uint64)
        values[:, : self.n_of_token] = of_words[:, : self.n_of_token]
        if self.own or self.places:
            heads, relations = self._read_tree(doc, tokens)
            related = np.vstack([heads, self._find_dependents(doc.vocab.strings, heads, relations)])
            for name, place in self.own.items():
                values[:, place] = _describe(name, heads, relations, related[RELATIVES.index("subject")])
            # Row n is a token that is not there.
            padded = np.append(of_words, np.zeros((1, of_words.shape[1]), dtype=np.uint64), axis=0)
            # Faster than indexing by rows and columns.
            values[:, self.places] = padded.take(related.T[:, self.relatives] * padded.shape[1] + self.sources)
        return values, tokens

    def _read_tree(self, doc: Doc, tokens: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The rows of the heads, and the relations."""
        attributes = doc.to_array([HEAD, DEP]).reshape(len(doc), 2)
        rows = np.zeros(len(doc), dtype=np.intp)
        rows[tokens] = np.arange(len(tokens))
        return rows[(np.arange(len(doc)) + attributes[:, 0].astype(np.int64))[tokens]], attributes[tokens, 1]

    def _find_dependents(self, strings: StringStore, heads: np.ndarray, relations: np.ndarray) -> np.ndarray:
        """The rows of the last dependents, in the order of DEPENDENTS; the number of rows stands for none."""
        n = len(heads)
        for relation in set(relations.tolist()).difference(self.kinds):
            self.kinds[relation] = KINDS.get(strings[relation].partition(":")[0], OTHER)
        kinds = np.fromiter(map(self.kinds.__getitem__, relations.tolist()), dtype=np.intp, count=n)
        found = find_last_dependents(heads, kinds, N_KINDS)
        subjects, shares = found[SUBJECT], IS_SHARING[kinds]
        # Twice, for the auxiliary of a conjunct.
        for _ in range(2):
            subjects[:n] = np.where(shares & (subjects[:n] == n), subjects[heads], subjects[:n])
        return found[SUBJECT : SUBJECT + len(DEPENDENTS), :n]


def _describe(name: str, heads: np.ndarray, relations: np.ndarray, subjects: np.ndarray) -> np.ndarray:
    """One of the columns OWN."""
    if name == "dep":
        return relations
    if name == "head_dep":
        return relations[heads]
    if name == "subject_dep":
        return np.append(relations, 0)[subjects]
    offsets = heads - np.arange(len(heads))
    if name == "side":
        return np.sign(offsets) + 1
    dependents = np.zeros(len(heads), dtype=np.uint64)
    inside = offsets != 0
    np.add.at(dependents, heads[inside], relations[inside])
    return dependents
