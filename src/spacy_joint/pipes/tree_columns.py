"""Columns that also show what a token is in its tree: its relation, its head, its subject, its auxiliary."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from spacy.attrs import DEP, HEAD
from spacy.strings import StringStore
from spacy.tokens import Doc

from ..annotation.dependency_trees import cut_subtype
from ..engine.columns import Columns
from ..errors import Errors, JointValueError
from .arrays import TreeReader
from .token_columns import WordClasses, WordColumns

# The dependents that templates can read, by their relations, the subject first; of several, the last one counts (*there
# are rooms*).
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

OTHER = 0
KINDS = {relation: kind for kind, relations in enumerate(DEPENDENTS.values(), start=1) for relation in relations}
KINDS |= {relation: len(DEPENDENTS) + 1 for relation in SHARING if relation not in KINDS}
IS_SHARING = [kind in {KINDS[relation] for relation in SHARING} for kind in range(len(DEPENDENTS) + 2)]


class TreeColumns:
    """Builds the columns of documents with trees.

    names (Sequence[str]): The names of the columns, from COLUMNS, then from TREE_COLUMNS.
    word_classes (WordClasses): The classes for the columns class1, class2, ...
    """

    def __init__(self, names: Sequence[str], word_classes: WordClasses) -> None:
        self.names = tuple(names)
        self.word_classes = word_classes
        of_token = [name for name in names if name not in TREE_COLUMNS]
        # The columns that show another token, by their places: which token, and which of its columns.
        shown = {place: name.split("_") for place, name in enumerate(names) if name in RELATED}
        extra = sorted({column for _, column in shown.values()}.difference(of_token))
        self.word_columns = WordColumns([*of_token, *extra], word_classes)
        self.reader = TreeReader(
            IS_SHARING,
            len(DEPENDENTS),
            len(of_token),
            [self.names.index(name) if name in names else -1 for name in OWN],
            [
                (place, RELATIVES.index(relative), self.word_columns.names.index(column))
                for place, (relative, column) in shown.items()
            ],
        )
        self.reads_tree = len(of_token) < len(names)
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
        if not self.reads_tree:
            return of_words, tokens
        heads, relations = self._read_tree(doc, tokens)
        values = np.empty((len(tokens), len(self.names)), dtype=np.uint64)
        self.reader.fill(values, of_words, heads, relations, self._find_kinds(doc.vocab.strings, relations))
        return values, tokens

    def _read_tree(self, doc: Doc, tokens: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The rows of the heads, and the relations."""
        attributes = doc.to_array([HEAD, DEP]).reshape(len(doc), 2)
        rows = np.zeros(len(doc), dtype=np.intp)
        rows[tokens] = np.arange(len(tokens))
        return rows[(np.arange(len(doc)) + attributes[:, 0].astype(np.int64))[tokens]], attributes[tokens, 1]

    def _find_kinds(self, strings: StringStore, relations: np.ndarray) -> np.ndarray:
        """What kinds of dependents tokens with these relations are (uint8)."""
        listed = relations.tolist()
        for relation in set(listed).difference(self.kinds):
            self.kinds[relation] = KINDS.get(cut_subtype(strings[relation]), OTHER)
        return np.fromiter(map(self.kinds.__getitem__, listed), dtype=np.uint8, count=len(listed))
