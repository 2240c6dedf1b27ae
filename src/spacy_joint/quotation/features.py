"""A document as input of the quotation systems: columns for templates, facts for the search.

Columns describe each word: its form, its position (sentence, paragraph, between marks), its tree, and the cues around
it. Facts are the numbers that the search needs to describe a span, see system.pxd. Missing annotation (tags, trees,
cues) gives empty values. The definitions follow Scheible, Klinger & Pado (ACL 2016).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from spacy.attrs import DEP, HEAD, SENT_START, TAG
from spacy.tokens import Doc

from ..annotation.custom_columns import name_span_columns
from ..annotation.dependency_trees import cut_subtype
from ..annotation.quotations import CUES, QUOTATIONS
from ..engine.columns import Columns
from ..pipes.custom_columns import CustomColumns
from ..pipes.token_columns import COLUMNS, NO_CUSTOM_COLUMNS, WordClasses, WordColumns
from .layout import find_paragraph_starts
from .marks import MarkStyle, Texts, find_style, pair_marks
from .system import FACTS
from .trees import Trees

# The columns of other tokens that can be seen, as in `head_word`.
SEEN = ("word", "tag", "class2", "class4")
WORD_COLUMNS = tuple(name for name in COLUMNS if name != "pos")
POSITION_COLUMNS = ("dep", "depth", "sentence", "paragraph", "first", "last", "children")
MARK_COLUMNS = (
    "mark",
    "pair_length",
    "pair_before",
    "pair_start",
    "pair_end",
    "pair_after",
    "pair_verb",
    "pair_capitals",
    "quoted",
)
TREE_COLUMNS = ("opens_dep", "closes_dep", "opens_size", "closes_size")
OTHER_COLUMNS = tuple(f"{token}_{name}" for token in ("head", "opens_head", "closes_head") for name in SEEN)
# Not available when finding cues, which happens first.
CUE_COLUMNS = (
    "cue",
    "argument_dep",
    "argument_begins",
    "argument_ends",
    "argument_side",
    "argument_cue",
    "argument_depth",
    "cue_left",
    "cue_right",
    "cue_left_word",
    "cue_right_word",
    "cues",
    "pair_cue",
)
ALL_COLUMNS = (*WORD_COLUMNS, *POSITION_COLUMNS, *MARK_COLUMNS, *TREE_COLUMNS, *OTHER_COLUMNS, *CUE_COLUMNS)
# Those of a `span_guide`, which templates read if they are in the settings.
SPAN_GUIDE_COLUMNS = tuple(name for key in (CUES, QUOTATIONS) for name in name_span_columns(key))
# Dependents that distinguish reporting verbs from others, one bit each.
CHILDREN = ("nsubj", "ccomp", "xcomp", "obj", "mark", "parataxis", "advcl", "obl", "aux", "cop", "neg", "det", "iobj")
MAX_DEPTH = 12
# After these, a sentence may continue with a quotation.
COMMAS = frozenset((",", ":", ";"))
# The number of words after a pair of marks that may be its cue, as in “...,” the mayor said.
BESIDE = 3


def bucket(numbers: np.ndarray) -> np.ndarray:
    """Sizes and distances as buckets of engine/buckets.pxd, minus one."""
    return np.searchsorted(np.array([1, 2, 3, 4, 5, 7, 10, 15, 25, 50]), numbers, side="right")


class QuotationColumns:
    """Makes the columns of documents.

    names (Sequence[str]): The names of the columns, from ALL_COLUMNS.
    word_classes (WordClasses): The classes for the columns class1, class2, ...
    find_style (Callable): Returns the style of quotation marks of a document.
    custom (CustomColumns): The columns that components and users bring.
    """

    def __init__(
        self,
        names: Sequence[str],
        word_classes: WordClasses,
        find_style: Callable[[Doc], MarkStyle] = find_style,
        custom: CustomColumns = NO_CUSTOM_COLUMNS,
    ) -> None:
        self.names = tuple(names)
        self.word_classes = word_classes
        self.find_style = find_style
        self.custom = custom
        of_words = [name for name in (*WORD_COLUMNS, *custom.names) if name in names]
        # Include the columns that others are derived from.
        self.of_words = (*of_words, *(name for name in ("tag", *SEEN) if name not in of_words))
        self.words = WordColumns(self.of_words, word_classes, custom=custom)

    def __reduce__(self) -> tuple[Any, ...]:
        return (QuotationColumns, (self.names, self.word_classes, self.find_style, self.custom))

    def columns_of(self, doc: Doc, cues: Sequence[int]) -> tuple[Columns, np.ndarray]:
        """The columns of a document.

        doc (Doc): The document.
        cues (Sequence[int]): The head tokens of its cues.
        RETURNS (tuple[Columns, np.ndarray]): The columns, and the tokens of their rows: all except whitespace.
        """
        values, tokens = self.words.values_of(doc)
        columns = dict(zip(self.of_words, values.T, strict=True))
        facts = _Description(doc, tokens, columns, np.asarray(cues, dtype=np.int64), self.find_style(doc)).facts
        chosen = np.empty((len(tokens), len(self.names)), dtype=np.uint64)
        for i, name in enumerate(self.names):
            chosen[:, i] = columns[name]
        return Columns(self.names, chosen, None, facts), tokens


class _Description:
    """All columns of a document except those of words, and its facts.

    columns (dict): The columns of words, to which the others are added.
    cues (np.ndarray): The head tokens of cues.
    """

    def __init__(
        self, doc: Doc, tokens: np.ndarray, columns: dict[str, np.ndarray], cues: np.ndarray, style: MarkStyle
    ) -> None:
        self.doc, self.tokens, self.columns = doc, tokens, columns
        self.texts = Texts(doc)
        self.n = len(tokens)
        self.order = np.arange(self.n)
        self.is_mark = self.find(lambda word: not any(map(str.isalnum, word)))
        self.is_quote = self.find(lambda word: word in style.marks)
        numbers = np.full(len(doc) + 1, -1)
        numbers[tokens] = self.order
        self.is_cue = np.zeros(self.n, dtype=bool)
        self.is_cue[numbers[cues][numbers[cues] >= 0]] = True
        paragraph_starts = find_paragraph_starts(doc)
        self.new_paragraph = np.zeros(self.n, dtype=bool)
        self.new_paragraph[numbers[paragraph_starts]] = True
        self.pairs = [(int(numbers[a]), int(numbers[b])) for a, b in pair_marks(doc, style, paragraph_starts)]
        attributes = doc.to_array([HEAD, DEP, SENT_START, TAG]).reshape(len(doc), 4)[tokens]
        heads = numbers[tokens + attributes[:, 0].astype(np.int64)]
        # Tokens attached to whitespace, or to a token outside the document, become roots.
        self.heads = np.where(heads < 0, self.order, heads)
        self.dep, self.tag = attributes[:, 1], attributes[:, 3]
        self.trees = Trees.from_heads(self.heads, self.is_mark)
        self.starts = (attributes[:, 2] == 1) | self.new_paragraph
        self.starts[:1] = True
        self.sentence = np.cumsum(self.starts) - 1
        self.facts = np.full((self.n, len(FACTS)), -1, dtype=np.int32)
        self.fact = {name: self.facts[:, i] for i, name in enumerate(FACTS)}
        self.add_places()
        self.add_trees()
        self.add_marks()
        self.add_cues()
        self.add_counts()

    def find(self, is_one: Callable[[str], bool]) -> np.ndarray:
        """Which words satisfy a predicate."""
        return self.texts.find(is_one)[self.tokens]

    def add_places(self) -> None:
        """Adds sentences and paragraphs."""
        first = np.flatnonzero(self.starts)
        last = np.append(first[1:], self.n) - 1
        self.columns["first"], self.columns["last"] = (
            bucket(self.order - first[self.sentence]),
            bucket(last[self.sentence] - self.order),
        )
        self.columns["sentence"] = bucket(last[self.sentence] - first[self.sentence] + 1)
        ends_paragraph = np.append(self.new_paragraph[1:], True)[: self.n]
        self.columns["paragraph"] = self.new_paragraph + 2 * ends_paragraph + 1
        self.fact["sentence"][:] = self.sentence
        self.fact["sentence.first"][:] = first[self.sentence]
        self.fact["sentence.last"][:] = last[self.sentence]
        self.fact["paragraph"][:] = np.cumsum(self.new_paragraph)

    def add_trees(self) -> None:
        """Adds where subtrees open and close, and dependencies."""
        self.columns["dep"] = self.dep
        self.columns["depth"] = np.minimum(self.trees.depth, MAX_DEPTH) + 1
        children = np.zeros(self.n, dtype=np.uint64)
        bits = {label: _find_bit(self.doc.vocab.strings[label]) for label in np.unique(self.dep).tolist()}
        below = np.flatnonzero(self.heads != self.order)
        child_bits = np.array([bits[label] for label in self.dep[below].tolist()], dtype=np.uint64)
        np.bitwise_or.at(children, self.heads[below], child_bits)
        self.columns["children"] = children + 1
        opens_head = np.where(self.trees.opens >= 0, self.heads[self.trees.opens], -1)
        closes_head = np.where(self.trees.closes >= 0, self.heads[self.trees.closes], -1)
        sizes = np.append(self.trees.right - self.trees.left, -1)
        self.columns["opens_dep"], self.columns["closes_dep"] = (
            _see(self.dep, self.trees.opens),
            _see(self.dep, self.trees.closes),
        )
        self.columns["opens_size"] = bucket(sizes[self.trees.opens]) + 1
        self.columns["closes_size"] = bucket(sizes[self.trees.closes]) + 1
        for name, others in (
            ("head", np.where(self.heads == self.order, -1, self.heads)),
            ("opens_head", opens_head),
            ("closes_head", closes_head),
        ):
            for seen in SEEN:
                self.columns[f"{name}_{seen}"] = _see(self.columns[seen], others)
        right, left = np.append(self.trees.right, -1), np.append(self.trees.left, -1)
        self.fact["opens.right"][:] = right[self.trees.opens]
        self.fact["closes.left"][:] = left[self.trees.closes]
        self.fact["word.next"][:] = np.minimum.accumulate(np.where(self.is_mark, self.n, self.order)[::-1])[::-1]
        self.fact["word.before"][:] = np.maximum.accumulate(np.where(self.is_mark, -1, self.order))

    def add_marks(self) -> None:
        """Adds quotation marks, and the text between paired ones."""
        state = np.where(self.is_quote, 4, 0)
        self.columns |= {name: np.zeros(self.n, dtype=np.uint64) for name in MARK_COLUMNS}
        tags, numbers = np.unique(self.tag, return_inverse=True)
        strings = [self.doc.vocab.strings[tag] for tag in tags.tolist()]
        is_verb = np.array([tag.startswith(("V", "MD")) for tag in strings], dtype=bool)
        self.verbs = np.cumsum(is_verb[numbers])
        capital = np.cumsum(self.find(lambda word: word[:1].isupper()))
        real = np.cumsum(~self.is_mark)
        is_lower = self.find(lambda word: word[:1].islower())
        is_comma = self.find(lambda word: word in COMMAS)
        is_stop = self.find(lambda word: word[-1] in ",.?!…")
        for a, b in self.pairs:
            state[a], state[a + 1 : b], state[b] = 1, 2, 3
            inside = slice(a, b + 1)
            self.columns["pair_length"][inside] = bucket(np.array(b - a - 1)) + 1
            self.columns["pair_before"][inside] = self.columns["tag"][a - 1] if a and not self.new_paragraph[a] else 1
            # Whether it starts or continues a sentence.
            before = 0 if not a or self.new_paragraph[a] else 1 if is_comma[a - 1] else 2 if self.is_mark[a - 1] else 3
            self.columns["pair_start"][inside] = 1 + before + 4 * is_lower[a + 1] + 8 * is_stop[b - 1]
            self.columns["pair_after"][inside] = (
                self.columns["tag"][b + 1] if b + 1 < self.n and not self.new_paragraph[b + 1] else 1
            )
            self.columns["pair_end"][inside] = self.columns["word"][b - 1] if self.is_mark[b - 1] else 1
            self.columns["pair_verb"][inside] = 1 + min(self.verbs[b] - self.verbs[a], 2)
            share = (capital[b] - capital[a]) / max(real[b] - real[a], 1)
            self.columns["pair_capitals"][inside] = 1 + int(2.99 * share)
            self.fact["partner"][a], self.fact["partner"][b] = b, a
        self.columns["mark"] = state + 1
        quoted = np.zeros(int(self.sentence[-1]) + 1 if self.n else 0, dtype=bool)
        quoted[self.sentence[self.is_quote]] = True
        self.columns["quoted"] = quoted[self.sentence] + 1

    def add_cues(self) -> None:
        """Adds cues and their arguments."""
        self.arguments = arguments = self.trees.find_arguments(self.is_cue)
        right, left = np.append(self.trees.right, -1), np.append(self.trees.left, -1)
        governors = np.where(arguments >= 0, self.heads[arguments], -1)
        before = np.maximum.accumulate(np.where(self.is_cue, self.order, -1))
        cue_left = np.append(-1, before[:-1])[: self.n]
        after = np.minimum.accumulate(np.where(self.is_cue, self.order, self.n)[::-1])[::-1]
        cue_right = np.append(after[1:], self.n)[: self.n]
        cue_right = np.where(cue_right == self.n, -1, cue_right)
        self.columns["cue"] = self.is_cue + 1
        self.columns["argument_dep"] = _see(self.dep, arguments)
        self.columns["argument_cue"] = _see(self.columns["word"], governors)
        self.columns["argument_side"] = np.where(arguments < 0, 0, 1 + (arguments > governors))
        self.columns["argument_depth"] = np.where(
            arguments < 0, 0, 1 + np.minimum(self.trees.depth - self.trees.depth[arguments], 4)
        )
        self.columns["argument_begins"] = np.where(arguments < 0, 0, 1 + (left[arguments] == self.order))
        self.columns["argument_ends"] = np.where(arguments < 0, 0, 1 + (right[arguments] == self.order))
        for name, others in (("cue_left", cue_left), ("cue_right", cue_right)):
            same = (others >= 0) & (self.sentence[others] == self.sentence)
            self.columns[name] = np.where(others < 0, 0, 1 + 2 * bucket(np.abs(self.order - others)) + same)
            self.columns[f"{name}_word"] = _see(self.columns["word"], np.where(same, others, -1))
        in_sentence = np.bincount(self.sentence[self.is_cue], minlength=int(self.sentence[-1]) + 1 if self.n else 0)
        self.columns["cues"] = np.minimum(in_sentence[self.sentence], 3) + 1
        self.columns["pair_cue"] = np.zeros(self.n, dtype=np.uint64)
        for a, b in self.pairs:
            beside = self.is_cue[max(a - 1, 0) : a].any() + 2 * self.is_cue[b + 1 : b + 1 + BESIDE].any()
            self.columns["pair_cue"][a : b + 1] = 1 + beside + 4 * self.is_cue[a:b].any()
        self.fact["argument"][:] = arguments
        self.fact["argument.left"][:] = left[arguments]
        self.fact["argument.right"][:] = right[arguments]
        self.fact["cue.left"][:] = cue_left
        self.fact["cue.right"][:] = cue_right
        self.fact["governor"][:] = governors

    def add_counts(self) -> None:
        """Adds counts from the start of the document, including the token."""
        self.fact["n.marks"][:] = np.cumsum(self.is_quote)
        self.fact["n.cues"][:] = np.cumsum(self.is_cue)
        self.fact["n.verbs"][:] = self.verbs
        self.fact["n.commas"][:] = np.cumsum(self.find(lambda word: word == ","))
        self.fact["n.governed"][:] = np.cumsum(self.arguments >= 0)
        self.fact["is.mark"][:] = self.is_quote


def _see(values: np.ndarray, tokens: np.ndarray) -> np.ndarray:
    """The values of other tokens; 0 if there is none (-1)."""
    return np.append(values, values.dtype.type(0))[tokens]


def _find_bit(label: str) -> int:
    """The bit of a label, ignoring its subtype; 0 for uninformative labels."""
    name = cut_subtype(label)
    return 1 << CHILDREN.index(name) if name in CHILDREN else 0
