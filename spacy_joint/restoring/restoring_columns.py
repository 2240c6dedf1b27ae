"""Columns that also describe the phrases that begin and end at a word, and the question that its sentence asks. Only
words have rows, so text looks the same with and without marks."""

from collections.abc import Callable, Collection, Sequence
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from spacy.attrs import DEP, HEAD, SENT_START, TAG
from spacy.strings import StringStore
from spacy.tokens import Doc

from ..annotation.dependency_trees import cut_subtype, find_edges, prune
from ..annotation.restored import is_punctuation, list_texts
from ..pipes.custom_columns import CustomColumns
from ..pipes.spelling import Spelling
from ..pipes.tree_columns import TreeColumns
from ..pipes.word_classes import WordClasses

# For the largest phrase that begins with a word, and the largest that ends with it: the relation and the tag of its
# head; its size in bins; its side (1: it depends on a word before it, 2: on none, 3: on a word after it); and, if it is
# a conjunct, the numbers of conjuncts before it and in all.
PHRASE_ATTRIBUTES = ("dep", "tag", "size", "side", "conjuncts")
OPENS, CLOSES = (tuple(f"{edge}_{name}" for name in PHRASE_ATTRIBUTES) for edge in ("opens", "closes"))
# For the last clause of the sentence whose auxiliary precedes its subject: its relation, whether an interrogative
# precedes the auxiliary, and whether the clause ends the sentence.
QUESTION = "question"
PHRASE_COLUMNS = (*OPENS, *CLOSES, QUESTION)
# Bins: 1, 2, 3, 4-5, 6-8, 9-14, 15 or more words.
SIZES = np.array([2, 3, 4, 6, 9, 15])
MAX_CONJUNCTS = 3
AUXILIARIES, SUBJECTS, CONJUNCT = ("aux", "cop"), ("nsubj", "csubj", "expl"), ("conj",)
# The first letter of the Penn Treebank tags of interrogatives.
INTERROGATIVE = ("W",)


class WordTree(NamedTuple):
    """The trees over the words of a document, without its marks."""

    heads: np.ndarray  # rows of words; a root is its own head
    relations: np.ndarray  # hashes; 0 without trees
    sentences: np.ndarray  # numbers of sentences, ascending
    roots: np.ndarray  # rows; -1 without trees

    @property
    def ends(self) -> np.ndarray:
        """Whether each word is the last of its sentence (bool)."""
        return np.diff(self.sentences, append=self.sentences[-1:] + 1) > 0


def read_word_tree(doc: Doc, tokens: np.ndarray) -> WordTree:
    """Reads the trees over the words, given their tokens. A document without boundaries is one sentence."""
    attributes = doc.to_array([HEAD, DEP, SENT_START]).reshape(len(doc), 3)
    sentences = np.cumsum(attributes[:, 2] == 1)[tokens] if doc.has_annotation("SENT_START") else 0 * tokens
    if not doc.has_annotation("DEP"):
        nothing = np.zeros(len(tokens), dtype=np.uint64)
        return WordTree(np.arange(len(tokens)), nothing, sentences, np.full(len(tokens), -1))
    is_word = np.zeros(len(doc), dtype=bool)
    is_word[tokens] = True
    heads = prune(np.arange(len(doc)) + attributes[:, 0].astype(np.int64), is_word).heads
    roots = heads
    # Each pass doubles the number of arcs climbed.
    for _ in range(len(tokens).bit_length()):
        roots = roots[roots]
    return WordTree(heads, attributes[tokens, 1], sentences, roots)


class RestoringColumns:
    """Builds the columns of documents with trees: those of `TreeColumns`, and PHRASE_COLUMNS."""

    def __init__(
        self, names: Sequence[str], word_classes: WordClasses, custom: CustomColumns, spelling: Spelling
    ) -> None:
        self.names = tuple(names)
        others = [name for name in names if name not in PHRASE_COLUMNS]
        self.tree_columns = TreeColumns(others, word_classes, custom, spelling)
        self.indices = np.array([names.index(name) for name in others], dtype=np.intp)
        self.reads_phrases = len(others) < len(names)

    def make_values(self, doc: Doc, more_follows: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """See `WordColumns.make_values`. RAISES ValueError: If more of the document follows (J037)."""
        others, tokens = self.tree_columns.make_values(doc, more_follows)
        is_word = np.array([not is_punctuation(text) for text in list_texts(doc)], dtype=bool)[tokens]
        others, tokens = others[is_word], tokens[is_word]
        if not self.reads_phrases:
            return others, tokens
        values = np.zeros((len(tokens), len(self.names)), dtype=np.uint64)
        values[:, self.indices] = others
        tree = read_word_tree(doc, tokens)
        tags = doc.to_array([TAG]).reshape(len(doc))[tokens]
        columns = _make_phrase_columns(tree, tags, doc.vocab.strings)
        for name in {*PHRASE_COLUMNS}.intersection(self.names):
            values[:, self.names.index(name)] = columns[name]
        return values, tokens


def _make_phrase_columns(tree: WordTree, tags: np.ndarray, strings: StringStore) -> dict[str, np.ndarray]:
    heads, relations = tree.heads, tree.relations
    n = len(heads)
    words = np.arange(n)
    left, right = (find_edges(choose, heads, words) for choose in (np.minimum, np.maximum))
    sizes = right - left + 1
    is_conjunct = _match(relations, cut_subtype, CONJUNCT, strings)
    conjuncts = np.bincount(heads[is_conjunct], minlength=n)[heads]
    before = np.zeros(n, dtype=np.int64)
    # Conjuncts grouped by their head, in the order of the text.
    in_rows = np.flatnonzero(is_conjunct)[np.argsort(heads[is_conjunct], kind="stable")]
    before[in_rows] = np.arange(len(in_rows)) - np.searchsorted(heads[in_rows], heads[in_rows])
    counted = np.minimum(before, MAX_CONJUNCTS) * (MAX_CONJUNCTS + 1) + np.minimum(conjuncts, MAX_CONJUNCTS)
    phrase_columns = {
        "dep": relations,
        "tag": tags,
        "size": np.searchsorted(SIZES, sizes, side="right") + 1,
        "side": np.sign(heads - words) + 2,
        "conjuncts": np.where(is_conjunct, counted, 0),
    }
    columns = {}
    # Larger phrases overwrite smaller ones.
    order = np.argsort(sizes, kind="stable")
    for edge, edges in (("opens", left), ("closes", right)):
        largest = np.full(n, -1)
        largest[edges[order]] = order
        for name, values in phrase_columns.items():
            columns[f"{edge}_{name}"] = np.where(largest < 0, 0, values[largest].astype(np.uint64))
    columns[QUESTION] = _make_question_column(tree, tags, left, right, strings)
    return columns


def _make_question_column(
    tree: WordTree, tags: np.ndarray, left: np.ndarray, right: np.ndarray, strings: StringStore
) -> np.ndarray:
    heads, relations, sentences, _ = tree
    n = len(heads)
    first = {}
    for names in (AUXILIARIES, SUBJECTS):
        found = np.flatnonzero(_match(relations, cut_subtype, names, strings))
        first[names] = np.full(n, n)
        np.minimum.at(first[names], heads[found], found)
    auxiliaries = first[AUXILIARIES]
    clauses = np.flatnonzero((auxiliaries < first[SUBJECTS]) & (first[SUBJECTS] < n))
    asked = np.append(0, np.cumsum(_match(tags, itemgetter(slice(1)), INTERROGATIVE, strings)))
    is_asked = asked[auxiliaries[clauses]] > asked[left[clauses]]
    ends = tree.ends[right[clauses]]
    values = relations[clauses] * np.uint64(4) + is_asked.astype(np.uint64) * np.uint64(2) + ends + np.uint64(1)
    # By sentence.
    last = np.zeros(sentences.max(initial=0) + 1, dtype=np.uint64)
    last[sentences[clauses]] = values
    return last[sentences]


def _match(hashes: np.ndarray, cut: Callable[[str], str], allowed: Collection[str], strings: StringStore) -> np.ndarray:
    """Returns for which hashes `cut` turns the string into an allowed one (bool)."""
    matching = [value for value in {*hashes.tolist()} if cut(strings[value]) in allowed]
    return np.isin(hashes, np.array(matching, dtype=np.uint64))
