"""What is next to constituents: the model behind the boundary figure of merit of Caraballo & Charniak (1998).

How promising a symbol over some words is depends on the words around it, too: on how probable the symbol is after the
tag before it, and the tag after it is after the symbol. The tags of words are uncertain, so the parser takes the best
sequence of them by bigrams (Bodenstab, Dunlop, Hall & Roark 2011). Tags are without annotation.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import srsly

from ...annotation.constituency_trees import Tree, take_apart
from ...errors import Errors, JointValueError
from .grammar import Grammar, is_factored, join_subsymbols, strip_annotation

# What is added to all counts.
SMOOTHING = 0.1


class BoundaryModel:
    """Natural logarithms of probabilities, all float32. Constant.

    symbols (tuple[str, ...]): Those of the grammar.
    tags (tuple[str, ...]): The labels of tags. The row after their rows is for both ends of a sentence.
    shares (np.ndarray): Of each symbol among the tags with its label; 0 if it is no tag.
    left (np.ndarray): Of each symbol, given the tag before it (rows) and that any constituent begins there.
    right (np.ndarray): Of each tag after a symbol (rows), given the symbol.
    bigrams (np.ndarray): Of each tag, given the one before it (rows).
    RAISES ValueError: If the shape of an array is wrong, or it has what is not finite or above 0 (J680).
    """

    def __init__(
        self,
        symbols: Iterable[str],
        tags: Iterable[str],
        shares: np.ndarray,
        left: np.ndarray,
        right: np.ndarray,
        bigrams: np.ndarray,
    ) -> None:
        self.symbols, self.tags = tuple(symbols), tuple(tags)
        self.shares, self.left, self.right, self.bigrams = (
            np.ascontiguousarray(array, dtype=np.float32) for array in (shares, left, right, bigrams)
        )
        rows = len(self.tags) + 1
        shapes = {
            "shares": (len(self.symbols),),
            "left": (rows, len(self.symbols)),
            "right": (rows, len(self.symbols)),
            "bigrams": (rows, rows),
        }
        for name, shape in shapes.items():
            array = getattr(self, name)
            if array.shape != shape or not np.isfinite(array).all() or (array > 0).any():
                raise JointValueError(Errors.J680, name=name, found=array.shape, expected=shape)

    def to_bytes(self) -> bytes:
        """The model as bytes."""
        return srsly.msgpack_dumps(vars(self))

    @classmethod
    def from_bytes(cls, data: bytes) -> BoundaryModel:
        """Read a model.

        RAISES ValueError: If the bytes are no model (J681), or its arrays are wrong, as above.
        """
        try:
            values: dict[str, Any] = srsly.msgpack_loads(data)
            return cls(**values)
        except JointValueError:
            raise
        except Exception as error:
            raise JointValueError(Errors.J681) from error


def estimate_boundaries(trees: Iterable[Tree], grammar: Grammar, smoothing: float = SMOOTHING) -> BoundaryModel:
    """Estimate the model of a grammar.

    trees: As the grammar was made of them, except for splits: see `prepare` in estimation.py.
    smoothing: What is added to all counts, above 0.
    RAISES ValueError: If `smoothing` is not above 0 (J673).
    """
    if not smoothing > 0:
        raise JointValueError(Errors.J673, name="smoothing", value=smoothing, allowed="numbers above 0")
    # A subsymbol counts as the whole symbol.
    whole = sorted({join_subsymbols(symbol) for symbol in grammar.symbols})
    symbols = {symbol: number for number, symbol in enumerate(whole)}
    tags = sorted({strip_annotation(tag) for tag in grammar.lexicon.totals()})
    numbers = {tag: number for number, tag in enumerate(tags)}
    end = len(tags)
    # Each constituent, as its symbol and the tags before and after it; each tag before another; the symbols of tags.
    covered: list[int] = []
    before: list[int] = []
    after: list[int] = []
    followed: list[int] = []
    following: list[int] = []
    used: list[int] = []
    for tree in trees:
        nodes, parents = take_apart(tree)
        # Nodes are in preorder, so the words before one are those of the preterminals before it.
        firsts, ends, around = [], [0] * len(nodes), [end]
        for node in nodes:
            firsts.append(len(around) - 1)
            if node.is_preterminal:
                around.append(numbers.get(strip_annotation(node.label), end))
        around.append(end)
        for place in range(len(nodes) - 1, -1, -1):
            ends[place] = max(ends[place], firsts[place] + nodes[place].is_preterminal)
            if place:
                ends[parents[place]] = max(ends[parents[place]], ends[place])
        for node, first, last in zip(nodes, firsts, ends, strict=True):
            if node.label not in symbols:
                continue
            symbol = symbols[node.label]
            if node.is_preterminal:
                used.append(symbol)
                continue
            covered.append(symbol)
            before.append(around[first])
            after.append(around[last + 1])
        followed += around[:-1]
        following += around[1:]
    # A symbol with named sisters counts for that without, too, by which back-off rules replace it.
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
    of_tag = np.array([numbers.get(strip_annotation(symbol), end) for symbol in grammar.symbols])
    shares = np.bincount(np.array(used, dtype=int), minlength=len(symbols))[part_of] + smoothing
    totals = np.bincount(of_tag, weights=shares * is_tag, minlength=end + 1)
    return BoundaryModel(
        grammar.symbols,
        tags,
        np.log(np.where(is_tag, shares / np.where(is_tag, totals[of_tag], 1), 1)),
        _take_logarithms(tables[0][:, part_of], smoothing, axis=1),
        _take_logarithms(tables[1][:, part_of], smoothing, axis=0),
        _take_logarithms(_count(followed, following, (end + 1, end + 1)), smoothing, axis=1),
    )


def _count(rows: list[int], columns: list[int], shape: tuple[int, int]) -> np.ndarray:
    """How often each row goes with each column."""
    cells = np.array(rows, dtype=int) * shape[1] + np.array(columns, dtype=int)
    return np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape).astype(float)


def _take_logarithms(counts: np.ndarray, smoothing: float, axis: int) -> np.ndarray:
    """The logarithms of smoothed relative frequencies along an axis."""
    smoothed = counts + smoothing
    return np.log(smoothed / smoothed.sum(axis=axis, keepdims=True))
