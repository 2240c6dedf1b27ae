"""The tags next to constituents: the model behind the boundary figure of merit of Caraballo & Charniak (1998).

The merit of a symbol over some words also depends on the tags around them: on the probability of the symbol given the
tag before it, and of the tag after it given the symbol. Tags are uncertain, so the parser takes their best sequence by
bigrams (Bodenstab, Dunlop, Hall & Roark 2011). They have no annotation.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import srsly
from typing_extensions import Self

from ..errors import Errors, JointValueError, report_damage
from ..trees.constituency_trees import Tree
from .grammar import Grammar, is_factored, join_subsymbols, strip_annotation

# Added to all counts.
SMOOTHING = 0.1


@dataclass(frozen=True, eq=False)
class BoundaryModel:
    """Natural logarithms of probabilities (float32). The last row of tables is for both ends of a sentence. Constant.

    shares: By symbol, its share of the tags with its label; 0 if it is not a tag.
    left: By the tag before (rows) and symbol: the symbol, given this tag and that any constituent begins there.
    right: By symbol (rows) and the tag after it: the tag, given the symbol.
    bigrams: By the tag before (rows) and tag: the tag, given the one before.
    Wrong shapes, and values that are infinite, NaN or above 0, raise J001.
    """

    symbols: Sequence[str]
    tags: Sequence[str]
    shares: np.ndarray
    left: np.ndarray
    right: np.ndarray
    bigrams: np.ndarray

    def __post_init__(self) -> None:
        # The instance is frozen.
        values = vars(self)
        values |= {"symbols": tuple(self.symbols), "tags": tuple(self.tags)}
        n, rows = len(self.symbols), len(self.tags) + 1
        shapes = {"shares": (n,), "left": (rows, n), "right": (rows, n), "bigrams": (rows, rows)}
        for name, shape in shapes.items():
            array = values[name] = np.ascontiguousarray(values[name], dtype=np.float32)
            if array.shape != shape or not np.isfinite(array).all() or (array > 0).any():
                allowed = f"{shape}, of finite numbers up to 0"
                raise JointValueError(Errors.J001, name=name, value=array.shape, allowed=allowed)

    def to_bytes(self) -> bytes:
        """Write the model to bytes."""
        return srsly.msgpack_dumps(vars(self))

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Read a model. RAISES ValueError: If the bytes are not a model (J052), or its arrays are wrong, as above."""
        with report_damage("The boundary model", "the content"):
            return cls(**srsly.msgpack_loads(data))


def estimate_boundaries(trees: Iterable[Tree], grammar: Grammar) -> BoundaryModel:
    """Estimate the model of a grammar from the prepared trees (see estimation.py) that it was made from."""
    # A subsymbol counts as the whole symbol.
    whole = sorted({join_subsymbols(symbol) for symbol in grammar.symbols})
    symbols = {symbol: number for number, symbol in enumerate(whole)}
    tags = sorted({strip_annotation(tag) for tag in grammar.lexicon.totals()})
    numbers = {tag: number for number, tag in enumerate(tags)}
    end = len(tags)
    # Of constituents, the symbols and the tags before and after; of adjacent tags, the first and the second; the
    # symbols of tags.
    covered, before, after, followed, following, used = ([] for _ in range(6))
    for tree in trees:
        around = [end, *(numbers.get(strip_annotation(word.label), end) for word in tree.preterminals()), end]
        for node, words in tree.yields():
            if node.label not in symbols:
                continue
            if node.is_preterminal:
                used.append(symbols[node.label])
            else:
                covered.append(symbols[node.label])
                before.append(around[(words & -words).bit_length() - 1])
                after.append(around[words.bit_length() + 1])
        followed += around[:-1]
        following += around[1:]
    # A symbol with named sisters also counts for the symbol without, by which back-off rules replace it.
    named = {
        number: symbols[strip_annotation(symbol)]
        for symbol, number in symbols.items()
        if is_factored(symbol) and strip_annotation(symbol) in symbols and strip_annotation(symbol) != symbol
    }
    tables = [_count(tags_around, covered, (end + 1, len(symbols))) for tags_around in (before, after)]
    for table in tables:
        for number, plain in named.items():
            table[:, plain] += table[:, number]
    part_of = [symbols[join_subsymbols(symbol)] for symbol in grammar.symbols]
    is_tag = np.isin(grammar.symbols, list(grammar.lexicon.totals()))
    tag_numbers = np.array([numbers.get(strip_annotation(symbol), end) for symbol in grammar.symbols])
    shares = np.bincount(np.array(used, dtype=int), minlength=len(symbols))[part_of] + SMOOTHING
    totals = np.bincount(tag_numbers, weights=shares * is_tag, minlength=end + 1)
    return BoundaryModel(
        grammar.symbols,
        tags,
        np.log(np.where(is_tag, shares / np.where(is_tag, totals[tag_numbers], 1), 1)),
        _take_logarithms(tables[0][:, part_of], axis=1),
        _take_logarithms(tables[1][:, part_of], axis=0),
        _take_logarithms(_count(followed, following, (end + 1, end + 1)), axis=1),
    )


def _count(rows: list[int], columns: list[int], shape: tuple[int, int]) -> np.ndarray:
    cells = np.array(rows, dtype=int) * shape[1] + np.array(columns, dtype=int)
    return np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape).astype(float)


def _take_logarithms(counts: np.ndarray, axis: int) -> np.ndarray:
    """Take the logarithms of smoothed relative frequencies along an axis."""
    smoothed = counts + SMOOTHING
    return np.log(smoothed / smoothed.sum(axis=axis, keepdims=True))
