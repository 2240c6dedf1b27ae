"""Word classes learnt from plain text, at several sizes: words with similar neighbours share a class.

A word is represented by how often each frequent word occurs at each position around it, as positive pointwise mutual
information with smoothed context counts (Levy, Goldberg and Dagan 2015). The table is reduced by a truncated singular
value decomposition, the rows are normalised to unit length and clustered by k-means, and the clusters are merged by
Ward's method into the smaller sizes, so that the classes of all sizes are nested. The classes are used like Brown
clusters (Brown et al. 1992) as features of a tagger or parser (Koo, Carreras and Collins 2008), but the algorithm is
different: no bigram likelihood is maximised, and classes are numbers rather than bit strings. `learn_case_classes`
adds what lower-cased text lacks: how often a word is capitalised where its position does not require it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy
from numpy.typing import NDArray
from scipy.cluster.hierarchy import cut_tree, linkage
from scipy.sparse import coo_array, csr_array, diags_array, hstack
from scipy.sparse.linalg import svds

from ..files.learnt import WORD_CLASS_SIZES

# Only the most frequent words serve as contexts: more of them enlarge the table without improving the classes.
MAX_CONTEXTS = 3000
# Context counts are raised to this power, so that rare contexts do not look informative.
SMOOTHING = 0.75
KMEANS_ROUNDS = 15

# The minimum shares of capitalised tokens of the classes after "never capitalised" and "almost never".
CASE_BOUNDS = (0.05, 0.3, 0.7, 0.95)
# After these, a capital may be due to the start of a sentence.
OPENERS = frozenset("\"\u201c\u201d\u2018\u2019'`:(.-!?[*") | {"``", "''", "--"}


def learn_word_classes(
    sentences: Iterable[Sequence[str]],
    *,
    sizes: Sequence[int] = WORD_CLASS_SIZES,
    min_count: int = 3,
    window: int = 2,
    dims: int = 100,
    seed: int = 0,
) -> dict[str, tuple[int, ...]]:
    """Assign a class at each of the `sizes` to every lower-cased word with `min_count` occurrences, by frequency.

    `window` is the number of neighbours on each side that represent a word, `dims` the number of dimensions kept. The
    classes of each size are numbered from 0; there are at most as many as words. The same sentences and seed give the
    same classes.
    """
    if not sizes or min(sizes) < 1 or window < 1 or dims < 1:
        raise ValueError("sizes, window and dims must be positive")
    words, stream = _number_words(sentences, min_count, window)
    if len(words) < 3:
        return {word: (0,) * len(sizes) for word in words}
    vectors = _reduce(_count_contexts(stream, len(words), window), dims, seed)
    finest = _kmeans(vectors, max(sizes))
    classes = _coarsen(vectors, finest, sizes)
    return {word: tuple(row) for word, row in zip(words, classes.tolist(), strict=True)}


def learn_case_classes(sentences: Iterable[Sequence[str]], *, min_count: int = 1) -> dict[str, int]:
    """Assign a class from 0 (never capitalised) to 5 (always) to every lower-cased word of cased text.

    Tokens count only where the position does not require a capital: not at the start of a sentence, not after a
    quotation mark, colon or the like, and not in sentences that are mostly capitalised. Words with fewer than
    `min_count` such tokens are left out.
    """
    capitalised: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for sentence in sentences:
        if sum(word[:1].isupper() for word in sentence) > 0.5 * len(sentence):
            continue
        for previous, word in pairwise(sentence):
            if previous not in OPENERS and word[:1].isalpha():
                total[word.lower()] += 1
                capitalised[word.lower()] += word[0].isupper()
    return {
        word: 1 + bisect_right(CASE_BOUNDS, capitalised[word] / count) if capitalised[word] else 0
        for word, count in total.items()
        if count >= min_count
    }


def _number_words(
    sentences: Iterable[Sequence[str]], min_count: int, window: int
) -> tuple[list[str], NDArray[numpy.int64]]:
    """The words by decreasing frequency, and the text as word numbers, padded by `window` before and after sentences.

    With n words, n is a rare word, n + 1 is padding before a sentence, and n + 2 padding after it.
    """
    text = [[word.lower() for word in sentence] for sentence in sentences]
    counts = Counter(word for sentence in text for word in sentence)
    words = [w for w, n in sorted(counts.items(), key=lambda item: (-item[1], item[0])) if n >= min_count]
    numbers = {word: number for number, word in enumerate(words)}
    rare, start, end = range(len(words), len(words) + 3)
    stream: list[int] = []
    for sentence in text:
        stream += [start] * window
        stream += [numbers.get(word, rare) for word in sentence]
        stream += [end] * window
    return words, numpy.array(stream, dtype=numpy.int64)


def _count_contexts(stream: NDArray[numpy.int64], size: int, window: int) -> csr_array:
    """The positive pointwise mutual information of words and contexts, with a block of columns per position."""
    kept = min(MAX_CONTEXTS, size)
    column = numpy.full(size + 3, -1)
    column[:kept] = numpy.arange(kept)
    column[size:] = kept + numpy.arange(3)
    middle = stream[window : len(stream) - window]
    blocks = []
    for offset in (*range(-window, 0), *range(1, window + 1)):
        context = column[stream[window + offset : len(stream) - window + offset]]
        used = (middle < size) & (context >= 0)
        pairs = (middle[used], context[used])
        counts = csr_array(coo_array((numpy.ones(len(pairs[0])), pairs), shape=(size, kept + 3))).tocoo()
        by_word = counts.sum(axis=1)
        by_context = counts.sum(axis=0) ** SMOOTHING
        by_context /= by_context.sum()
        row, col = counts.coords
        information = numpy.log(counts.data / (by_word[row] * by_context[col]))
        blocks.append(coo_array((numpy.maximum(information, 0.0), (row, col)), shape=counts.shape))
    table = csr_array(hstack(blocks))
    table.eliminate_zeros()
    return table


def _reduce(table: csr_array, dims: int, seed: int) -> NDArray[numpy.float64]:
    """The first `dims` dimensions of the rows, weighted by the roots of their singular values, at unit length."""
    smaller = min(table.shape)
    begin = numpy.random.default_rng(seed).standard_normal(smaller)
    left, singular, _ = svds(table, k=min(dims, smaller - 1), v0=begin)
    vectors = left * numpy.sqrt(singular)
    return vectors / numpy.maximum(numpy.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


def _kmeans(vectors: NDArray[numpy.float64], k: int) -> NDArray[numpy.int64]:
    """Cluster the rows around `k` centres, which are initialized with the first (most frequent) distinct rows."""
    _, first = numpy.unique(numpy.round(vectors, 6), axis=0, return_index=True)
    centres = vectors[numpy.sort(first)[:k]]
    groups = numpy.full(len(vectors), -1)
    for _ in range(KMEANS_ROUNDS):
        nearest = ((centres * centres).sum(axis=1) - 2 * vectors @ centres.T).argmin(axis=1)
        if (nearest == groups).all():
            break
        groups = nearest
        means, filled = _means(vectors, groups, len(centres))
        centres = numpy.where(filled[:, None], means, centres)
    return numpy.unique(groups, return_inverse=True)[1]


def _means(
    vectors: NDArray[numpy.float64], groups: NDArray[numpy.int64], k: int
) -> tuple[NDArray[numpy.float64], NDArray[numpy.bool_]]:
    """The mean of the rows of each group, and which groups are not empty."""
    sizes = numpy.bincount(groups, minlength=k)
    member = csr_array((numpy.ones(len(groups)), (groups, numpy.arange(len(groups)))), shape=(k, len(groups)))
    return diags_array(1.0 / numpy.maximum(sizes, 1)) @ (member @ vectors), sizes > 0


def _coarsen(
    vectors: NDArray[numpy.float64], finest: NDArray[numpy.int64], sizes: Sequence[int]
) -> NDArray[numpy.int64]:
    """The class of each row at each size, by merging the finest groups."""
    k = int(finest.max()) + 1
    if k < 2:
        return numpy.zeros((len(finest), len(sizes)), dtype=numpy.int64)
    merges = linkage(_means(vectors, finest, k)[0], "ward")
    # In decreasing order: `cut_tree` always puts a level that merges nothing into the first column.
    levels = sorted({min(size, k) for size in sizes}, reverse=True)
    cut = cut_tree(merges, n_clusters=levels)
    return cut[finest][:, [levels.index(min(size, k)) for size in sizes]]
