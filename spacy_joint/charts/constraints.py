"""Chart constraints: words at which no constituent of several words begins or ends (Roark & Hollingshead 2008, 2009).

Two taggers of Markov order 2 say how certain that is of each word. With right branching, cells that end at a closed
word are closed, and those that begin at one are only for symbols of binarisation, whose beginning is no constituent's;
with left branching, it is the other way round. How many words are closed is a mode:

- "absolute": those whose score is above `amount`. At 0, they are what the taggers say.
- "high_precision": those with a score above 0, without a share `amount` of them, the least certain of their sentence.
- "quadratic": all but the least certain, so that at least `amount` cells for each word are open to constituents. Each
  takes linear time, so that a sentence takes quadratic time.
- "linear": all but the `amount` words where it is least certain that no constituent ends (with left branching: begins),
  so that a sentence takes linear time. All words remain open for the other end.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import srsly

from ..engine.columns import Columns, affix_columns
from ..engine.learner import Instance
from ..engine.perceptron import Perceptron
from ..errors import Errors, JointValueError, check_choice
from ..pipes.component_files import report_damage
from ..tagging.system import TaggingSystem
from ..trees.constituency_trees import Constituent, Tree
from .cells import describe_word
from .closing import CLOSED, DEFAULT, FACTORED_ONLY
from .estimation import BRANCHING
from .grammar import is_factored

TEMPLATES = Path(__file__).parent / "constraint_templates.txt"
SUFFIXES = (-2, -3)
COLUMNS = ("word", "shape", "tag", "suffix2", "suffix3")
# The modes, and an amount that is good for each. Those that are bounded do not take cubic time.
MODES = {"absolute": 100.0, "high_precision": 0.3, "quadratic": 4.0, "linear": 20.0}
BOUNDED = ("quadratic", "linear")
# The labels of words; the order is that of the actions of the taggers.
LABELS = ("open", "closed")
ORDER = 2
# All states of a tagger: its beam is exact.
BEAM_WIDTH = len(LABELS) ** ORDER
TABLE_BITS = 18
LEARNING: Any = {"update_strategy": "max_violation", "rule": "perceptron", "aggressiveness": 1.0, "min_changes": 1}
PASSES, BATCH = 4, 16
# Words whose values are kept.
MAX_KNOWN = 1 << 17


def check_mode(mode: str, amount: float) -> None:
    """RAISES ValueError: If a mode is unknown, or its amount not finite or, except with "absolute", below 0."""
    check_choice("mode", mode, MODES)
    if not np.isfinite(amount) or (amount < 0 and mode != "absolute"):
        raise JointValueError(Errors.J030, name="amount", value=amount, allowed="a finite number from 0")


def mark_boundaries(spans: Iterable[Constituent], n_words: int) -> np.ndarray:
    """Whether constituents of several words begin, and whether they end, at each word (bool, 2 x words)."""
    marked = np.zeros((2, n_words), dtype=bool)
    for symbol, start, end in spans:
        if end - start > 1 and not is_factored(symbol):
            marked[0, start] = marked[1, end - 1] = True
    return marked


class ChartConstraints:
    """Tells widths of cells by the words at which constituents do not begin or end."""

    def __init__(
        self, tags: Mapping[str, str], *, branching: str = "right", mode: str = "absolute", amount: float = 0.0
    ) -> None:
        check_choice("branching", branching, BRANCHING)
        self.tags, self.branching = dict(tags), branching
        self.choose(mode, amount)
        self._describe = lru_cache(MAX_KNOWN)(self._describe_word)
        templates = TEMPLATES.read_text(encoding="utf8")
        self.taggers = []
        # Of where constituents begin, and where they end.
        for _ in range(2):
            tagger = Perceptron(table_bits=TABLE_BITS, beam_width=BEAM_WIDTH, n_tables=1, threads=1, **LEARNING)
            tagger.set_up(TaggingSystem(LABELS, ORDER), templates, COLUMNS)
            self.taggers.append(tagger)

    def __reduce__(self) -> tuple[Any, ...]:
        return ChartConstraints.from_bytes, (self.to_bytes(),)

    def choose(self, mode: str, amount: float) -> None:
        """Set how many words are closed. RAISES ValueError: As `check_mode`."""
        check_mode(mode, amount)
        self.mode, self.amount = mode, float(amount)

    def score(self, words: Sequence[str]) -> np.ndarray:
        """How certain it is that no constituent begins, and that none ends, at each word (2 x words): the score of the
        best tags up to the next word in which the word is closed, less that of those in which it is open."""
        columns = self._make_columns(words)
        return np.array([_find_margins(tagger, columns) for tagger in self.taggers])

    def predict(self, words: Sequence[str]) -> np.ndarray:
        """The widths of the cells of a sentence (int32, n x n + 1)."""
        n = len(words)
        widths = np.full((n, n + 1), DEFAULT, dtype=np.int32)
        if n < 2:
            return widths
        scores = self.score(words)
        # All words are one constituent.
        scores[0, 0] = scores[1, -1] = -np.inf
        begins, ends = self._close(scores)
        after = np.concatenate([[False], ends])
        if self.branching == "right":
            widths[begins] = FACTORED_ONLY
            widths[:, after] = CLOSED
        else:
            widths[:, after] = FACTORED_ONLY
            widths[begins] = CLOSED
        # Single words, and what is no cell.
        widths[np.tril_indices(n, 1, n + 1)] = DEFAULT
        return widths

    def learn(self, trees: Iterable[Tree], *, passes: int = PASSES, seed: int = 0) -> None:
        """Learn from trees as `prepare` in estimation.py makes them."""
        sentences = [(words, tree) for tree in trees if (words := tree.leaves())]
        read = [(self._make_columns(words), mark_boundaries(tree.spans(), len(words))) for words, tree in sentences]
        for number, tagger in enumerate(self.taggers):
            instances = [
                Instance(columns, tagger.system.actions([LABELS[not is_open] for is_open in boundaries[number]]))
                for columns, boundaries in read
            ]
            rng = random.Random(seed)
            for _ in range(passes):
                rng.shuffle(instances)
                for start in range(0, len(instances), BATCH):
                    tagger.update(instances[start : start + BATCH])
            tagger.finish()

    def to_bytes(self) -> bytes:
        """The constraints as bytes."""
        settings = {"branching": self.branching, "mode": self.mode, "amount": self.amount, "tags": self.tags}
        return srsly.msgpack_dumps({**settings, "taggers": [tagger.to_bytes() for tagger in self.taggers]})

    @classmethod
    def from_bytes(cls, data: bytes) -> ChartConstraints:
        """Read constraints. RAISES ValueError: If the bytes (J050 to J052, J061) or a setting (J030) are wrong."""
        with report_damage("The chart constraints", "the content"):
            read = srsly.msgpack_loads(data)
            made = cls(read["tags"], branching=read["branching"], mode=read["mode"], amount=read["amount"])
            for tagger, content in zip(made.taggers, read["taggers"], strict=True):
                tagger.from_bytes(content)
            return made

    def _make_columns(self, words: Sequence[str]) -> Columns:
        values = np.array([self._describe(word) for word in words], dtype=np.uint64).reshape(-1, len(COLUMNS))
        return Columns(COLUMNS, values)

    def _describe_word(self, word: str) -> tuple[int, ...]:
        return (*describe_word(word, self.tags), *affix_columns([word.lower()], SUFFIXES)[0].tolist())

    def _close(self, scores: np.ndarray) -> np.ndarray:
        """Where no constituent is to begin, and none to end (bool, 2 x words)."""
        n = scores.shape[1]
        if self.mode == "absolute":
            return scores > self.amount
        if self.mode == "high_precision":
            return np.array([row > _find_threshold(row, self.amount) for row in scores])
        if self.mode == "linear":
            closed = np.zeros((2, n), dtype=bool)
            side = int(self.branching == "right")
            closed[side, np.argsort(scores[side], kind="stable")[max(int(self.amount), 1) :]] = True
            return closed
        closed, n_open = np.ones((2, n), dtype=bool), 0
        for place in np.argsort(scores, axis=None, kind="stable"):
            if n_open >= self.amount * n:
                break
            side, word = divmod(int(place), n)
            closed[side, word] = False
            n_open += int(np.count_nonzero(~closed[0, :word] if side else ~closed[1, word + 1 :]))
        closed[0, 0] = closed[1, -1] = False
        return closed


def _find_threshold(scores: np.ndarray, share: float) -> float:
    """The greatest of a share of the scores above 0, from the least on."""
    positive = np.sort(scores[scores > 0])
    reopened = min(round(share * len(positive)), len(positive))
    return float(positive[reopened - 1]) if reopened else 0.0


def _find_margins(tagger: Perceptron, columns: Columns) -> np.ndarray:
    """See `ChartConstraints.score`."""
    _, (parents, actions, gaps) = tagger.trace(columns)
    n = len(columns)
    # The action at each word of the items one word later, which know what comes next.
    before_next = np.take_along_axis(actions[: n - 1], parents[1:n].astype(np.intp), axis=1)
    at_word = np.concatenate([before_next, actions[n - 1 : n]])
    later = np.concatenate([gaps[1:n], gaps[n - 1 : n]])
    best = [np.where(at_word == action, later, np.inf).min(axis=1) for action in range(len(LABELS))]
    # What fell out of the beam is as bad as can be; both cannot.
    return np.nan_to_num(best[0] - best[1], posinf=1e6, neginf=-1e6).astype(np.float64)
