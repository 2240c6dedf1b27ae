"""Word classes learnt from plain text, at several sizes: words with similar neighbours share a class.

Counts of frequent words at each position around a word become positive pointwise mutual information with smoothed
context counts (Levy, Goldberg and Dagan 2015). A truncated singular value decomposition reduces the table, k-means
clusters its rows at unit length, and Ward's method merges the clusters into the smaller sizes, so classes are nested.
They serve as features of a tagger or parser like Brown clusters (Brown et al. 1992; Koo, Carreras and Collins 2008),
but are numbers rather than bit strings, and maximise no bigram likelihood. `learn_case_classes` adds classes by how
often a word is capitalised where its position does not require it.
"""

import warnings
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy
import srsly
from numpy.typing import NDArray
from scipy.cluster.hierarchy import cut_tree, linkage
from scipy.cluster.vq import kmeans2
from scipy.sparse import coo_array, csr_array, hstack
from scipy.sparse.linalg import svds
from spacy.language import Language
from spacy.pipeline import Sentencizer
from spacy.vocab import Vocab
from wasabi import msg

from ..annotation.sentences import list_sentences
from ..corpora.conllu_sentences import read_sentences
from ..corpora.docbin import read_docbin
from ..corpora.raw_text import read_prose
from ..errors import Errors, JointValueError
from ..files.atomic import write_bytes
from ..files.reading import require_file
from ..files.resources import WORD_CLASS_SIZES
from ..pipes.spelling import DEFAULT_SPELLING, Spelling

# The neighbours on each side of a word that represent it.
WINDOW = 2
# Only the most frequent words serve as contexts: more of them enlarge the table without improving the classes.
MAX_CONTEXTS = 3000
# Context counts are raised to this power, so rare contexts do not seem informative.
SMOOTHING = 0.75
KMEANS_ROUNDS = 15

# The minimum shares of capitalised tokens of the classes after "never capitalised" and "almost never".
CASE_BOUNDS = (0.05, 0.3, 0.7, 0.95)
# The class of words never seen where a capital is informative.
NO_CASE = 6
# After these, a capital may be due to the start of a sentence.
OPENERS = frozenset("\"\u201c\u201d\u2018\u2019'`:(.-!?[*") | {"``", "''", "--"}


def learn_classes(
    texts: Sequence[Path],
    output: Path,
    nlp: Language,
    *,
    min_count: int = 3,
    seed: int = 0,
) -> None:
    """Learns word classes from files, and writes them to a file for configs.

    texts (Sequence[Path]): `.txt`, `.conllu` or `.spacy` files.
    nlp (Language): A pipeline with the tokenizer for `.txt` files.
    RAISES ValueError: If there is no text (J330), or a format is unknown (J040).
    RAISES FileNotFoundError: If a file is missing (J402).
    """
    spelling = Spelling(language=nlp.vocab.lang)
    sentences = [list(map(spelling.spell, words)) for path in texts for words in _read_sentences(path, nlp) if words]
    if not sentences:
        raise JointValueError(Errors.J330, source=", ".join(map(str, texts)), what="sentences with words")
    cases = learn_case_classes(sentences, spelling=spelling)
    found = learn_word_classes(sentences, min_count=min_count, seed=seed, spelling=spelling)
    classes = {word: [*row, cases.get(word, NO_CASE)] for word, row in found.items()}
    write_bytes(output, srsly.msgpack_dumps(classes))
    msg.good(f"{output}: {len(classes):,} words, from {sum(map(len, sentences)):,} (seed {seed})")


def _read_sentences(path: Path, nlp: Language) -> Iterator[list[str]]:
    require_file(path)
    if path.suffix == ".txt":
        for doc in map(Sentencizer(), map(nlp.tokenizer, read_prose(path))):
            for sentence in doc.sents:
                yield [token.text for token in sentence if not token.is_space]
    elif path.suffix == ".conllu":
        for sentence in read_sentences(path):
            # Some corpora mask words that they may not distribute.
            if sum(set(word) == {"_"} for word in sentence.words) <= len(sentence.words) / 2:
                yield sentence.words
    elif path.suffix == ".spacy":
        for doc in read_docbin(path, Vocab()):
            for span in list_sentences(doc):
                yield [token.text for token in span if not token.text.isspace()]
    else:
        raise JointValueError(Errors.J040, name="file type", value=str(path), allowed=".txt, .conllu, .spacy")


def learn_word_classes(
    sentences: Iterable[Sequence[str]],
    *,
    sizes: Sequence[int] = WORD_CLASS_SIZES,
    min_count: int = 3,
    dims: int = 100,
    seed: int = 0,
    spelling: Spelling = DEFAULT_SPELLING,
) -> dict[str, tuple[int, ...]]:
    """Assigns a class at each of the `sizes` to every lower-cased word with `min_count` occurrences, by frequency.

    Neighbours represent a word, in `dims` dimensions. The classes of each size are numbered from 0; there are at most
    as many as words. The same sentences and seed give the same classes.
    """
    words, stream = _number_words(sentences, min_count, spelling)
    if len(words) < 3:
        return {word: (0,) * len(sizes) for word in words}
    classes = _cluster(_reduce(_count_contexts(stream, len(words)), dims, seed), sizes)
    return {word: tuple(row) for word, row in zip(words, classes.tolist(), strict=True)}


def learn_case_classes(sentences: Iterable[Sequence[str]], *, spelling: Spelling = DEFAULT_SPELLING) -> dict[str, int]:
    """Assigns a class from 0 (never capitalised) to 5 (always) to every lower-cased word of cased text with tokens that
    count. Tokens do not count at the start of a sentence, after a quotation mark, colon or the like, and in sentences
    that are mostly capitalised.
    """
    capitalised: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for sentence in sentences:
        if sum(word[:1].isupper() for word in sentence) > 0.5 * len(sentence):
            continue
        for previous, word in pairwise(sentence):
            if previous not in OPENERS and word[:1].isalpha():
                lower = spelling.lower(word)
                total[lower] += 1
                capitalised[lower] += word[0].isupper()
    return {
        word: 1 + bisect_right(CASE_BOUNDS, capitalised[word] / count) if capitalised[word] else 0
        for word, count in total.items()
    }


def _number_words(
    sentences: Iterable[Sequence[str]], min_count: int, spelling: Spelling
) -> tuple[list[str], NDArray[numpy.int64]]:
    """Lists the n words by decreasing frequency, and the text as numbers of words, where n is any rarer word. WINDOW
    times n + 1 precede each sentence, and as many n + 2 follow it."""
    text = [list(map(spelling.lower, sentence)) for sentence in sentences]
    counts = Counter(word for sentence in text for word in sentence)
    words = [w for w, n in sorted(counts.items(), key=lambda item: (-item[1], item[0])) if n >= min_count]
    numbers = {word: number for number, word in enumerate(words)}
    rare, start, end = range(len(words), len(words) + 3)
    stream: list[int] = []
    for sentence in text:
        stream += [start] * WINDOW + [numbers.get(word, rare) for word in sentence] + [end] * WINDOW
    return words, numpy.array(stream, dtype=numpy.int64)


def _count_contexts(stream: NDArray[numpy.int64], size: int) -> csr_array:
    """Computes the positive pointwise mutual information of words and contexts: a block of columns per position."""
    kept = min(MAX_CONTEXTS, size)
    column = numpy.full(size + 3, -1)
    column[:kept] = numpy.arange(kept)
    column[size:] = kept + numpy.arange(3)
    middle = stream[WINDOW : len(stream) - WINDOW]
    blocks = []
    for offset in (*range(-WINDOW, 0), *range(1, WINDOW + 1)):
        context = column[stream[WINDOW + offset : len(stream) - WINDOW + offset]]
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
    """Reduces rows to their first `dims` dimensions, weighted by the roots of the singular values, at unit length."""
    smaller = min(table.shape)
    begin = numpy.random.default_rng(seed).standard_normal(smaller)
    left, singular, _ = svds(table, k=min(dims, smaller - 1), v0=begin)
    vectors = left * numpy.sqrt(singular)
    return vectors / numpy.maximum(numpy.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


def _cluster(vectors: NDArray[numpy.float64], sizes: Sequence[int]) -> NDArray[numpy.int64]:
    """Finds the class of each row at each size: clusters around the first (most frequent) distinct rows are merged."""
    _, first = numpy.unique(numpy.round(vectors, 6), axis=0, return_index=True)
    with warnings.catch_warnings():
        # scipy warns of clusters that become empty.
        warnings.simplefilter("ignore", UserWarning)
        centres = vectors[numpy.sort(first)[: max(sizes)]]
        centres, groups = kmeans2(vectors, centres, KMEANS_ROUNDS, minit="matrix")
    used, finest = numpy.unique(groups, return_inverse=True)
    if len(used) < 2:
        return numpy.zeros((len(finest), len(sizes)), dtype=numpy.int64)
    # In decreasing order: `cut_tree` always puts a level that merges nothing into the first column.
    levels = sorted({min(size, len(used)) for size in sizes}, reverse=True)
    cut = cut_tree(linkage(centres[used], "ward"), n_clusters=levels)
    return cut[finest][:, [levels.index(min(size, len(used))) for size in sizes]]
