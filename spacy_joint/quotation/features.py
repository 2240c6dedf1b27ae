"""Converts documents to input of the quotation systems: columns for templates, and token info for the search.

Columns describe each word: its form, its position (sentence, paragraph, between marks), its tree, and the cues around
it. Token info is what the search needs to describe a span, see system.pxd. Missing annotation (tags, trees,
cues) gives empty values. The definitions follow Scheible, Klinger & Pado (ACL 2016).
"""

from collections.abc import Callable, Sequence

import numpy as np
from spacy.attrs import DEP, HEAD, SENT_START, TAG
from spacy.tokens import Doc

from ..annotation.custom_columns import name_span_columns
from ..annotation.dependency_trees import cut_subtype
from ..annotation.quotations import CUES, QUOTATIONS
from ..engine.columns import Columns
from ..pipes.custom_columns import CustomColumns
from ..pipes.token_columns import COLUMNS, NO_CUSTOM_COLUMNS, WordColumns
from ..pipes.word_classes import WordClasses
from .marks import Marking, Texts, find_marking
from .system import TOKEN_INFO
from .trees import Trees

# The columns that templates can read of other tokens, as in `head_word`.
SEEN = ("word", "tag", "class2", "class4")
WORD_COLUMNS = tuple(name for name in COLUMNS if name != "pos")
POSITION_COLUMNS = ("dep", "depth", "sentence", "paragraph", "first", "last", "children")
MARK_COLUMNS = (
    *("mark", "pair_length", "pair_before", "pair_start", "pair_end", "pair_after", "pair_verb", "pair_capitals"),
    "quoted",
)
TREE_COLUMNS = ("opens_dep", "closes_dep", "opens_size", "closes_size")
OTHER_COLUMNS = tuple(f"{token}_{name}" for token in ("head", "opens_head", "closes_head") for name in SEEN)
# Not available when finding cues, which happens first.
CUE_COLUMNS = (
    *("cue", "argument_dep", "argument_begins", "argument_ends", "argument_side", "argument_cue", "argument_depth"),
    *("cue_left", "cue_right", "cue_left_word", "cue_right_word", "cues", "pair_cue"),
)
ALL_COLUMNS = (*WORD_COLUMNS, *POSITION_COLUMNS, *MARK_COLUMNS, *TREE_COLUMNS, *OTHER_COLUMNS, *CUE_COLUMNS)
# The columns of a `span_guide`, which templates read if they are in the settings.
SPAN_GUIDE_COLUMNS = tuple(name for key in (CUES, QUOTATIONS) for name in name_span_columns(key))
# Dependents that distinguish reporting verbs from others, one bit each.
CHILDREN = ("nsubj", "ccomp", "xcomp", "obj", "mark", "parataxis", "advcl", "obl", "aux", "cop", "neg", "det", "iobj")
MAX_DEPTH = 12
# A sentence can continue with a quotation after these.
COMMAS = frozenset((",", ":", ";"))
# The cue of a pair of marks may be among this number of words after it, as in “...,” the mayor said.
BESIDE = 3


def bucket(numbers: np.ndarray) -> np.ndarray:
    """Returns sizes or distances as buckets of engine/buckets.pxd, minus one."""
    return np.searchsorted(np.array([1, 2, 3, 4, 5, 7, 10, 15, 25, 50]), numbers, side="right")


class QuotationColumns:
    """Makes the columns of documents: of ALL_COLUMNS, and custom ones of components and users."""

    def __init__(
        self,
        names: Sequence[str],
        word_classes: WordClasses,
        find_marking: Callable[[Doc], Marking] = find_marking,
        custom: CustomColumns = NO_CUSTOM_COLUMNS,
    ) -> None:
        self.names = tuple(names)
        self.find_marking = find_marking
        # Include the columns that others are derived from.
        shown = [name for name in (*WORD_COLUMNS, *custom.names) if name in {*names, *SEEN}]
        self.words = WordColumns(shown, word_classes, custom=custom)

    def make_columns(self, doc: Doc, cues: Sequence[int]) -> tuple[Columns, np.ndarray]:
        """Returns the columns of a document with these head tokens of cues, and the tokens of their rows."""
        values, tokens = self.words.make_values(doc)
        columns = dict(zip(self.words.names, values.T, strict=True))
        info = _Description(doc, tokens, columns, np.asarray(cues, dtype=np.int64), self.find_marking(doc)).info
        chosen = np.empty((len(tokens), len(self.names)), dtype=np.uint64)
        for i, name in enumerate(self.names):
            chosen[:, i] = columns[name]
        return Columns(self.names, chosen, None, np.stack([info[name] for name in TOKEN_INFO], axis=1)), tokens


class _Description:
    """Adds all other columns of a document to those of its words, and computes its token info."""

    def __init__(
        self, doc: Doc, tokens: np.ndarray, columns: dict[str, np.ndarray], cues: np.ndarray, marking: Marking
    ) -> None:
        self.doc, self.tokens, self.columns = doc, tokens, columns
        self.texts = Texts(doc)
        self.n = len(tokens)
        self.order = np.arange(self.n)
        self.is_mark = self.find(lambda word: not any(map(str.isalnum, word)))
        self.is_quote = self.find(lambda word: word in marking.style.marks)
        numbers = np.full(len(doc) + 1, -1)
        numbers[tokens] = self.order
        self.new_paragraph, self.is_cue = (np.zeros(self.n, dtype=bool) for _ in range(2))
        self.new_paragraph[numbers[marking.starts]] = True
        self.is_cue[numbers[cues][numbers[cues] >= 0]] = True
        self.pairs = [(int(numbers[a]), int(numbers[b])) for a, b in marking.pairs]
        attributes = doc.to_array([HEAD, DEP, SENT_START, TAG]).reshape(len(doc), 4)[tokens]
        heads = numbers[tokens + attributes[:, 0].astype(np.int64)]
        # Tokens attached to whitespace, or to a token outside the document, become roots.
        self.heads = np.where(heads < 0, self.order, heads)
        self.dep, self.tag = attributes[:, 1], attributes[:, 3]
        self.trees = Trees.from_heads(self.heads, self.is_mark)
        starts = (attributes[:, 2] == 1) | self.new_paragraph
        starts[:1] = True
        self.first = np.flatnonzero(starts)
        self.sentence = np.cumsum(starts) - 1
        self.info: dict[str, np.ndarray] = {}
        self.add_sentences_and_paragraphs()
        self.add_trees()
        self.add_marks()
        self.add_cues()

    def find(self, predicate: Callable[[str], bool]) -> np.ndarray:
        return self.texts.find(predicate)[self.tokens]

    def add_sentences_and_paragraphs(self) -> None:
        first = self.first[self.sentence]
        last = (np.append(self.first[1:], self.n) - 1)[self.sentence]
        self.columns["first"], self.columns["last"] = bucket(self.order - first), bucket(last - self.order)
        self.columns["sentence"] = bucket(last - first + 1)
        self.columns["paragraph"] = self.new_paragraph + 2 * np.append(self.new_paragraph[1:], True)[: self.n] + 1
        self.info |= {"sentence": self.sentence, "sentence.first": first, "sentence.last": last}
        self.info["paragraph"] = np.cumsum(self.new_paragraph)

    def add_trees(self) -> None:
        trees = self.trees
        self.columns["dep"] = self.dep
        self.columns["depth"] = np.minimum(trees.depth, MAX_DEPTH) + 1
        children = np.zeros(self.n, dtype=np.uint64)
        labels = {label: cut_subtype(self.doc.vocab.strings[label]) for label in np.unique(self.dep).tolist()}
        bits = {label: 1 << CHILDREN.index(name) if name in CHILDREN else 0 for label, name in labels.items()}
        below = np.flatnonzero(self.heads != self.order)
        child_bits = np.array([bits[label] for label in self.dep[below].tolist()], dtype=np.uint64)
        np.bitwise_or.at(children, self.heads[below], child_bits)
        self.columns["children"] = children + 1
        others = {"head": np.where(self.heads == self.order, -1, self.heads)}
        for side, edges in (("opens", trees.opens), ("closes", trees.closes)):
            self.columns[f"{side}_dep"] = _take(self.dep, edges)
            self.columns[f"{side}_size"] = bucket(_take(trees.right - trees.left, edges, -1)) + 1
            others[f"{side}_head"] = _take(self.heads, edges, -1)
        for name, indices in others.items():
            self.columns |= {f"{name}_{seen}": _take(self.columns[seen], indices) for seen in SEEN}
        self.info["opens.right"] = _take(trees.right, trees.opens, -1)
        self.info["closes.left"] = _take(trees.left, trees.closes, -1)
        self.info["word.next"] = self.find_next(~self.is_mark)
        self.info["word.before"] = self.find_last(~self.is_mark)

    def find_last(self, chosen: np.ndarray) -> np.ndarray:
        """Returns the last chosen token up to each token; -1 if there is none."""
        return np.maximum.accumulate(np.where(chosen, self.order, -1))

    def find_next(self, chosen: np.ndarray) -> np.ndarray:
        """Returns the next chosen token from each token on; the number of tokens if there is none."""
        return np.minimum.accumulate(np.where(chosen, self.order, self.n)[::-1])[::-1]

    def add_marks(self) -> None:
        state, partner = np.where(self.is_quote, 4, 0), np.full(self.n, -1)
        self.columns |= {name: np.zeros(self.n, dtype=np.uint64) for name in MARK_COLUMNS}
        tags, numbers = np.unique(self.tag, return_inverse=True)
        strings = [self.doc.vocab.strings[tag] for tag in tags.tolist()]
        verbs = np.cumsum(np.array([tag.startswith(("V", "MD")) for tag in strings], dtype=bool)[numbers])
        capital = np.cumsum(self.find(lambda word: word[:1].isupper()))
        real = np.cumsum(~self.is_mark)
        is_lower = self.find(lambda word: word[:1].islower())
        is_comma = self.find(lambda word: word in COMMAS)
        is_stop = self.find(lambda word: word[-1] in ",.?!…")
        for a, b in self.pairs:
            state[a], state[a + 1 : b], state[b] = 1, 2, 3
            starts, ends = not a or self.new_paragraph[a], b + 1 == self.n or self.new_paragraph[b + 1]
            # Whether the pair starts or continues a sentence.
            before = 0 if starts else 1 if is_comma[a - 1] else 2 if self.is_mark[a - 1] else 3
            for name, value in (
                ("length", bucket(np.array(b - a - 1)) + 1),
                ("before", 1 if starts else self.columns["tag"][a - 1]),
                ("start", 1 + before + 4 * is_lower[a + 1] + 8 * is_stop[b - 1]),
                ("after", 1 if ends else self.columns["tag"][b + 1]),
                ("end", self.columns["word"][b - 1] if self.is_mark[b - 1] else 1),
                ("verb", 1 + min(verbs[b] - verbs[a], 2)),
                ("capitals", 1 + int(2.99 * ((capital[b] - capital[a]) / max(real[b] - real[a], 1)))),
            ):
                self.columns[f"pair_{name}"][a : b + 1] = value
            partner[a], partner[b] = b, a
        self.columns["mark"] = state + 1
        quoted = np.zeros(len(self.first), dtype=bool)
        quoted[self.sentence[self.is_quote]] = True
        self.columns["quoted"] = quoted[self.sentence] + 1
        self.info |= {"is.mark": self.is_quote, "n.marks": np.cumsum(self.is_quote), "partner": partner}
        self.info |= {"n.verbs": verbs, "n.commas": np.cumsum(self.find(lambda word: word == ","))}

    def add_cues(self) -> None:
        trees = self.trees
        arguments = trees.find_arguments(self.is_cue)
        left, right = _take(trees.left, arguments, -1), _take(trees.right, arguments, -1)
        governors = _take(self.heads, arguments, -1)
        cue_left = np.append(-1, self.find_last(self.is_cue)[:-1])[: self.n]
        cue_right = np.append(self.find_next(self.is_cue)[1:], self.n)[: self.n]
        cue_right = np.where(cue_right == self.n, -1, cue_right)
        self.columns["cue"] = self.is_cue + 1
        self.columns["argument_dep"] = _take(self.dep, arguments)
        self.columns["argument_cue"] = _take(self.columns["word"], governors)
        for name, values in (
            ("side", arguments > governors),
            ("depth", np.minimum(trees.depth - trees.depth[arguments], 4)),
            ("begins", left == self.order),
            ("ends", right == self.order),
        ):
            self.columns[f"argument_{name}"] = np.where(arguments < 0, 0, 1 + values)
        for name, others in (("cue_left", cue_left), ("cue_right", cue_right)):
            same = (others >= 0) & (self.sentence[others] == self.sentence)
            self.columns[name] = np.where(others < 0, 0, 1 + 2 * bucket(np.abs(self.order - others)) + same)
            self.columns[f"{name}_word"] = _take(self.columns["word"], np.where(same, others, -1))
        in_sentence = np.bincount(self.sentence[self.is_cue], minlength=len(self.first))
        self.columns["cues"] = np.minimum(in_sentence[self.sentence], 3) + 1
        self.columns["pair_cue"] = np.zeros(self.n, dtype=np.uint64)
        for a, b in self.pairs:
            beside = self.is_cue[max(a - 1, 0) : a].any() + 2 * self.is_cue[b + 1 : b + 1 + BESIDE].any()
            self.columns["pair_cue"][a : b + 1] = 1 + beside + 4 * self.is_cue[a:b].any()
        self.info |= {"argument": arguments, "argument.left": left, "argument.right": right, "governor": governors}
        self.info |= {"cue.left": cue_left, "cue.right": cue_right}
        self.info |= {"n.cues": np.cumsum(self.is_cue), "n.governed": np.cumsum(arguments >= 0)}


def _take(values: np.ndarray, tokens: np.ndarray, missing: int = 0) -> np.ndarray:
    """Returns the values of other tokens; `missing` where there is none (-1)."""
    return np.append(values, values.dtype.type(missing))[tokens]
