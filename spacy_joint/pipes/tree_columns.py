"""Columns that also show a token's place in its tree: its relation, its head, its subject, its auxiliary."""

from collections.abc import Sequence

import numpy as np
from spacy.attrs import DEP, HEAD
from spacy.tokens import Doc

from ..annotation.dependency_trees import cut_subtype, prune
from ..errors import Errors, JointValueError
from .arrays import make_relative_columns
from .custom_columns import CustomColumns
from .spelling import DEFAULT_SPELLING, Spelling
from .token_columns import NO_CUSTOM_COLUMNS, WordColumns
from .word_classes import WordClasses

# The relations of the dependents that templates can read, the subject first. Of several, the last counts (*there are
# rooms*).
DEPENDENTS = {
    "subject": ("nsubj", "csubj", "expl"),
    "aux": ("aux",),
    "cop": ("cop",),
    "mark": ("mark",),
    "case": ("case",),
    "det": ("det",),
}
# Tokens with these relations share the subject of their head, if they have none.
SHARING = ("aux", "cop", "conj", "xcomp")
READ = ("word", "tag", "class2")
# The relatives that `make_relative_columns` numbers.
RELATIVES = ("token", "head", *DEPENDENTS)
RELATED = tuple(f"{relative}_{column}" for relative in RELATIVES[1:] for column in READ)
# The relation of a token; the side of its head (0: before, 1: root, 2: after); a number for the relations of all
# dependents.
TREE_SOURCES = ("dep", "side", "dependents")
OWN = ("dep", "head_dep", "subject_dep", "side", "dependents")
TREE_COLUMNS = (*OWN, *RELATED)

OTHER = 0
KINDS = {relation: kind for kind, relations in enumerate(DEPENDENTS.values(), start=1) for relation in relations}
KINDS |= {relation: len(DEPENDENTS) + 1 for relation in SHARING if relation not in KINDS}
SHARES = np.isin(range(len(DEPENDENTS) + 2), [KINDS[relation] for relation in SHARING]).astype(np.uint8)


class TreeColumns:
    """Builds the columns of documents with trees: of COLUMNS and custom ones, then of TREE_COLUMNS."""

    def __init__(
        self,
        names: Sequence[str],
        word_classes: WordClasses,
        custom: CustomColumns = NO_CUSTOM_COLUMNS,
        spelling: Spelling = DEFAULT_SPELLING,
    ) -> None:
        # For each column, the relative that it shows, and the column of this relative.
        related = {*RELATED, "head_dep", "subject_dep"}
        requested = [name.split("_") if name in related else ("token", name) for name in names]
        word_names = dict.fromkeys(column for _, column in requested if column not in TREE_SOURCES)
        self.word_columns = WordColumns(list(word_names), word_classes, custom=custom, spelling=spelling)
        sources = (*word_names, *TREE_SOURCES)
        numbers = [(RELATIVES.index(relative), sources.index(column)) for relative, column in requested]
        self.requested = np.array(numbers, dtype=np.int32)
        self.reads_tree = not set(TREE_COLUMNS).isdisjoint(names)

    def make_values(self, doc: Doc, more_follows: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """Returns the values of the columns, and the tokens of their rows: see `WordColumns.make_values`.
        RAISES ValueError: If more of the document follows, so that its trees are not complete (J037)."""
        if more_follows:
            raise JointValueError(Errors.J037, name="tree columns")
        return self.list_values([doc])[0]

    def list_values(self, docs: Sequence[Doc]) -> list[tuple[np.ndarray, np.ndarray]]:
        """Returns the result of `make_values` for each of the documents, which have one vocabulary."""
        found = self.word_columns.list_values(docs)
        if not self.reads_tree:
            return found
        return [(self._add_tree(doc, *rows), rows[1]) for doc, rows in zip(docs, found, strict=True)]

    def _add_tree(self, doc: Doc, values: np.ndarray, tokens: np.ndarray) -> np.ndarray:
        """Makes the columns, given those of words and their tokens."""
        attributes = doc.to_array([HEAD, DEP]).reshape(len(doc), 2)
        order, rows = np.arange(len(tokens)), np.zeros(len(doc), dtype=np.intp)
        rows[tokens] = order
        all_heads = np.arange(len(doc)) + attributes[:, 0].astype(np.int64)
        is_shown = np.zeros(len(doc), dtype=bool)
        is_shown[tokens] = True
        # Heads are rarely whitespace, and pruning is slow.
        heads = rows[all_heads[tokens]] if is_shown[all_heads[tokens]].all() else prune(all_heads, is_shown).heads
        relations = attributes[tokens, 1]
        sides = 1 + np.sign(heads - order)
        is_below = heads != order
        dependents = np.zeros(len(tokens), dtype=np.uint64)
        np.add.at(dependents, heads[is_below], relations[is_below])
        sources = np.column_stack([values, relations, sides.astype(np.uint64), dependents])
        names = {relation: cut_subtype(doc.vocab.strings[relation]) for relation in set(relations.tolist())}
        kinds = np.array([KINDS.get(names[relation], OTHER) for relation in relations.tolist()], dtype=np.uint8)
        return make_relative_columns(sources, heads, kinds, SHARES, self.requested)
