"""A linear model as one object: its settings, and, once it is set up, a system, its templates and its weights.

What components and the registered architectures hold: tables that learn and are averaged, files, searches that are
lent to threads. How documents are searched and learnt is up to subclasses. Safe to predict with from several threads;
learning needs it to itself. Predictions always come from averaged weights, also in the middle of training.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from ..errors import Errors, JointValueError
from . import model_file
from .beam import MAX_WIDTH
from .columns import Columns
from .system import System
from .templates import Templates
from .weights import Weights

MOST_TABLES = 16
# Tables have seeds of their own, made of this one, of 64 bits.
MOST_SEED = 1 << 59
# What a table learns, see weights.pxd.
LEARNT = ("raw", "total", "n_changes")


class LinearModel(ABC):
    """A system, templates and weights, with what searches and learns them. Tasks add a search and a learner.

    table_bits (int): Base-2 logarithm of the number of weights; one byte each in a finished model, eight in training.
    beam_width (int): Items of the beam, 1..1024. It may be changed for prediction: accuracy against speed.
    aggressiveness (float): The maximum step size of an update.
    min_changes (int): Features are pruned if learning changed fewer of their weights, counted over all tables and
        updates. (An update that takes one action for another changes two weights of a feature that both have.)
    n_tables (int): Weight tables that learn side by side, each with other features left out by dropout, and are
        averaged for prediction: an ensemble that is as small and fast as one table.
    threads (int): Documents that are searched, or tables that learn, at the same time. Results do not depend on it.
    RAISES ValueError: If a setting is out of range.

    `n_seen` counts the documents up to the last that was learnt from, with those that taught nothing, for whoever wants
    to go on after an interruption.
    """

    def __init__(
        self,
        *,
        table_bits: int,
        beam_width: int,
        aggressiveness: float,
        min_changes: int,
        n_tables: int,
        threads: int,
    ) -> None:
        self.table_bits = table_bits
        self.beam_width = beam_width
        self.aggressiveness = aggressiveness
        self.min_changes = min_changes
        if not 1 <= n_tables <= MOST_TABLES:
            raise JointValueError(Errors.J026, n_tables=n_tables, most=MOST_TABLES)
        self.n_tables = n_tables
        self.threads = threads
        # Decides which features dropout leaves out.
        self.seed = 0
        self._system: System | None = None
        self._templates: Templates | None = None
        self._weights: Weights | None = None
        # The other tables of the mixture, while it learns.
        self._others: list[Weights] = []
        self._learners: list[Any] = []
        self._idle_searches: list[Any] = []
        self._unfinished = False
        self._finishing = Lock()
        self.n_seen = 0

    @property
    def beam_width(self) -> int:
        """Items of the beam.

        RAISES ValueError: If it is set to what no beam can have.
        """
        return self._beam_width

    @beam_width.setter
    def beam_width(self, width: int) -> None:
        if not 1 <= width <= MAX_WIDTH:
            raise JointValueError(Errors.J030, width=width, most=MAX_WIDTH)
        self._beam_width = width
        self._forget_idle()

    @property
    def threads(self) -> int:
        """How much is done at the same time.

        RAISES ValueError: If it is set to less than one.
        """
        return self._threads

    @threads.setter
    def threads(self, threads: int) -> None:
        if threads < 1:
            raise JointValueError(Errors.J042, value=threads)
        self._threads = threads

    @property
    def is_set_up(self) -> bool:
        """Whether there is a system to search."""
        return self._system is not None

    @property
    def system(self) -> Any:
        """The system that is searched.

        RAISES ValueError: If the perceptron was not set up.
        """
        if self._system is None:
            raise JointValueError(Errors.J060)
        return self._system

    @property
    def templates(self) -> Templates:
        """The feature templates."""
        if self._templates is None:
            raise JointValueError(Errors.J060)
        return self._templates

    @property
    def weights(self) -> Weights:
        """The weight table."""
        if self._weights is None:
            raise JointValueError(Errors.J060)
        return self._weights

    def set_up(self, system: System, templates: str, columns: Sequence[str]) -> None:
        """Makes the perceptron ready to learn, with all weights zero."""
        self._system = system
        self._templates = Templates(templates, columns, system)
        self._weights = Weights(self.table_bits, system.row_width, self.min_changes)
        # Weights of zero that predict; what learning needs is made when there is something to learn, and a model that
        # is loaded never pays for it.
        n_features = 1 << self.table_bits
        self._weights.predict_with(np.zeros(self._weights.n_cells, np.int8), np.zeros(n_features >> 3, np.uint8), 1.0)
        self._others = []
        self.n_seen = 0
        self._forget_searches()

    def _learn(self) -> None:
        """Makes all tables ready to learn, those that are new from what predicts."""
        weights = self.weights
        if not weights.is_learning:
            self._others = []
        weights.learn()
        while len(self._others) < self.n_tables - 1:
            other = Weights(weights.bits, weights.width, weights.min_changes)
            other.restore(weights.raw.copy(), weights.total.copy(), weights.n_changes.copy(), weights.n_updates)
            self._others.append(other)

    def _forget_searches(self) -> None:
        self._learners = []
        self._forget_idle()
        self._unfinished = False

    @abstractmethod
    def _make_search(self, beam_width: int) -> Any:
        """What searches one document at a time."""

    @abstractmethod
    def _make_learner(self, weights: Weights, seed: int) -> Any:
        """What learns one table: see `Learner`."""

    @abstractmethod
    def predict(self, columns: Columns) -> np.ndarray:
        """The best structure of a document (uint16)."""

    @contextmanager
    def _lend_search(self) -> Iterator[Any]:
        """A search that nobody else uses; the weights that predict are up to date."""
        self.finish()
        # Lists append and pop atomically, so threads share the idle searches without a lock. A search goes back to the
        # list that it came from, which nobody looks at any more if the beam or the weights were changed meanwhile.
        idle = self._idle_searches
        try:
            search = idle.pop()
        except IndexError:
            search = self._make_search(self.beam_width)
        yield search
        idle.append(search)

    def update(self, instances: Sequence[Any], dropout: float = 0.0) -> dict[str, float]:
        """Learns from a batch: see `Learner.update`. With several tables, the sums are those of the first."""
        if not self._learners:
            self._learn()
            self._learners = [
                self._make_learner(weights, self.seed * MOST_TABLES + i)
                for i, weights in enumerate([self.weights, *self._others])
            ]
        self._unfinished = True
        # Tables do not know of each other, so any number of threads gives the same ones.
        if self.n_tables == 1 or self.threads == 1:
            sums = [learner.update(instances, dropout) for learner in self._learners]
        else:
            with ThreadPoolExecutor(self.threads) as pool:
                sums = list(pool.map(lambda learner: learner.update(instances, dropout), self._learners))
        return sums[0]

    def finish(self) -> None:
        """Brings the weights that predict up to date with what was learnt."""
        if not self._unfinished:
            return
        # Once only: another thread may search with the weights that this one would replace.
        with self._finishing:
            if self._unfinished:
                self.weights.finish(self._others)
                self._forget_idle()
                self._unfinished = False

    def _forget_idle(self) -> None:
        self._idle_searches = []

    def averages(self) -> np.ndarray:
        """The exact averages (float32) behind the weights that predict: the mean of all tables' own.

        RAISES ValueError: If what was learnt is not there any more.
        """
        return np.mean([weights.averages() for weights in (self.weights, *self._others)], axis=0)

    def fingerprint(self) -> str:
        """A digest of what the weights mean: the actions of the system and the features."""
        described = json.dumps([type(self.system).__name__, self.system.__reduce__()[1]], sort_keys=True)
        return hashlib.sha256((described + self.templates.fingerprint).encode("utf8")).hexdigest()[:16]

    def _described(self) -> dict[str, Any]:
        return {
            "fingerprint": self.fingerprint(),
            "table_bits": self.weights.bits,
        }

    def to_bytes(self) -> bytes:
        """The finished weights, as the content of a model file."""
        self.finish()
        described = {**self._described(), "scale": self.weights.scale}
        return model_file.pack(described, {"averaged": self.weights.averaged, "kept": self.weights.kept})

    def learning_to_bytes(self) -> bytes | None:
        """What learning needs to go on exactly where it is; None for a model that only predicts."""
        if not self.weights.is_learning:
            return None
        arrays = {
            f"{name}.{i}": getattr(weights, name)
            for i, weights in enumerate([self.weights, *self._others])
            for name in LEARNT
        }
        described = {"n_updates": self.weights.n_updates, "n_tables": len(self._others) + 1, "seed": self.seed}
        described["n_seen"] = self.n_seen
        return model_file.pack({**self._described(), **described}, arrays)

    def from_bytes(self, content: bytes) -> None:
        """Takes finished weights; the perceptron must be set up for the same labels and templates.

        RAISES ValueError: If the content is damaged or was made for others.
        """
        self._take(*model_file.unpack(content))

    def learning_from_bytes(self, content: bytes, source: str = "the bytes") -> None:
        """Takes what `learning_to_bytes` gave; `source` is what to call it in errors."""
        self._take(*model_file.unpack(content, source), source, learning=True)

    def from_disk(self, path: Path) -> None:
        """Maps finished weights from a file: see `from_bytes`."""
        self._take(*model_file.read(path), source=str(path))

    def _take(
        self,
        described: dict[str, Any],
        arrays: dict[str, np.ndarray],
        source: str = "the bytes",
        learning: bool = False,
    ) -> None:
        if described.get("fingerprint") != self.fingerprint():
            raise JointValueError(
                Errors.J061, source=source, got=described.get("fingerprint"), wanted=self.fingerprint()
            )
        others: list[Weights] = []
        n_tables, seed = described.get("n_tables", 1), described.get("seed", self.seed)
        n_seen = described.get("n_seen", 0)
        # Numbers that are none would make the order of a beam undefined.
        numbers: list[Any] = [*arrays.values()] if learning else [described.get("scale")]
        try:
            in_range = n_tables in range(1, MOST_TABLES + 1) and seed in range(MOST_SEED) and n_seen in range(1 << 62)
            if not in_range or not all(np.isfinite(number).all() for number in numbers):
                raise JointValueError(Errors.J052, source=source, what="a number")
            weights = Weights(described["table_bits"], self.system.row_width, self.min_changes)
            if learning:
                weights.predict_with(self.weights.averaged, self.weights.kept, self.weights.scale)
                others = [Weights(weights.bits, weights.width, self.min_changes) for _ in range(1, n_tables)]
                for i, table in enumerate([weights, *others]):
                    raw, total, n_changes = (arrays[f"{name}.{i}"].copy() for name in LEARNT)
                    table.restore(raw, total, n_changes, described["n_updates"])
            else:
                weights.predict_with(arrays["averaged"], arrays["kept"], described["scale"])
        except (KeyError, TypeError, OverflowError) as error:
            raise JointValueError(Errors.J050, source=source) from error
        self._weights, self._others, self.seed, self.n_seen = weights, others, seed, n_seen
        self._forget_searches()

    def __getstate__(self) -> dict[str, Any]:
        # Searches hold buffers, learners threads: both are made again when needed.
        state = {
            **{name: value for name, value in self.__dict__.items() if name != "_finishing"},
            "_templates": None,
            "_weights": None,
            "_others": [],
            "_learners": [],
            "_idle_searches": [],
        }
        if self.is_set_up:
            state["_content"] = (self.templates.text, self.templates.columns, self.to_bytes(), self.learning_to_bytes())
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        content = state.pop("_content", None)
        self.__dict__.update(state)
        self._finishing = Lock()
        if content is not None:
            text, columns, finished, learning = content
            self._templates = Templates(text, columns, self.system)
            self.from_bytes(finished)
            if learning is not None:
                self.learning_from_bytes(learning)
