"""A linear model as one object: its settings, and, once it is set up, a system, its templates and its weights.

Components and the registered architectures use it. It manages the training and averaging of weight tables, files, and
searches for threads; subclasses define the search and the learner. Several threads may predict at the same time, but
not while another trains. Predictions always use averaged weights, even during training.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from ..errors import Errors, JointValueError
from . import model_file
from .beam import MAX_WIDTH
from .columns import Columns
from .mixing import TrainingState
from .system import System
from .templates import Templates
from .threads import run_all
from .weights import MOST_OF_WEIGHT, Weights, find_most

MAX_TABLES = 16
# The seeds of the tables, which have 64 bits, are derived from this one.
MAX_SEED = 1 << 59
# The training state of a table, see weights.pxd.
LEARNT = ("raw", "total", "n_changes")


class LinearModel(ABC):
    """A system, templates and weights. Subclasses add a search and a learner.

    table_bits (int): Base-2 logarithm of the number of weights: one byte each in a finished model, eight in training.
    beam_width (int): The beam width, 1..1024. It may be changed for prediction, trading accuracy for speed.
    aggressiveness (float): The maximum step size of an update.
    min_changes (int): Features are pruned if training changed fewer of their weights, counted over all tables and
        updates. (An update that replaces one action by another changes two weights of a shared feature.)
    n_tables (int): The number of weight tables, which are trained separately, with different features dropped at
        random, and averaged for prediction: an ensemble that is as small and fast as a single table.
    threads (int): The number of documents that are searched, or tables that are trained, at the same time. It does not
        affect results.
    RAISES ValueError: If a setting is out of range.

    `n_seen` counts the documents up to the last update, including those that could not be learnt from, for resuming
    training.
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
        if not 1 <= n_tables <= MAX_TABLES:
            raise JointValueError(Errors.J026, n_tables=n_tables, most=MAX_TABLES)
        self.n_tables = n_tables
        self.threads = threads
        # The random seed of dropout, and the number of the first table: the seeds of tables depend on both, so that the
        # tables of an ensemble can be trained in different processes.
        self.seed = 0
        self.first_table = 0
        self._system: System | None = None
        self._templates: Templates | None = None
        self._weights: Weights | None = None
        # The other tables of the ensemble, in training.
        self._others: list[Weights] = []
        self._learners: list[Any] = []
        self._idle_searches: list[Any] = []
        self._unfinished = False
        self._finishing = Lock()
        self.n_seen = 0

    @property
    def beam_width(self) -> int:
        """The beam width.

        RAISES ValueError: If it is set out of range.
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
        """The number of threads.

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
        """Whether the model has a system, templates and weights."""
        return self._system is not None

    @property
    def system(self) -> Any:
        """The system.

        RAISES ValueError: If the perceptron has not been set up.
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
        """Sets up the perceptron, with all weights zero."""
        self._system = system
        self._templates = Templates(templates, columns, system)
        self._weights = Weights(self.table_bits, system.row_width, self.min_changes)
        # Prediction weights of zero; the training state is only allocated for the first update, so that loaded models
        # do not need it.
        n_features = 1 << self.table_bits
        self._weights.predict_with(np.zeros(self._weights.n_cells, np.int8), np.zeros(n_features >> 3, np.uint8), 1.0)
        self._others = []
        self.n_seen = 0
        self._forget_searches()

    def _learn(self) -> None:
        """Prepares all tables for training; new ones start from the prediction weights."""
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
        """Makes a search, which handles one document at a time."""

    @abstractmethod
    def _make_learner(self, weights: Weights, seed: int) -> Any:
        """Makes a learner for a table: see `Learner`."""

    @abstractmethod
    def predict(self, columns: Columns) -> np.ndarray:
        """The best structure of a document (uint16)."""

    @contextmanager
    def _lend_search(self) -> Iterator[Any]:
        """Lends a search for exclusive use, with up-to-date prediction weights."""
        self.finish()
        # Appending to and popping from lists is atomic, so threads can share the idle searches without a lock. A search
        # is returned to its original list, which is no longer used if the beam or the weights have changed.
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
                self._make_learner(weights, self.seed * MAX_TABLES + i)
                for i, weights in enumerate([self.weights, *self._others], self.first_table)
            ]
        self._unfinished = True
        # Tables are independent, so the number of threads does not affect them.
        n_threads = min(self.threads, len(self._learners))
        sums: dict[int, dict[str, float]] = {}

        def update_share(first: int) -> None:
            for i in range(first, len(self._learners), n_threads):
                sums[i] = self._learners[i].update(instances, dropout)

        if n_threads == 1:
            update_share(0)
        else:
            # An interrupt waits for the end of the batch: tables that have seen different batches cannot be averaged.
            run_all([partial(update_share, first) for first in range(n_threads)], stop=lambda: None)
        return sums[0]

    def copy_states(self) -> list[TrainingState]:
        """Copies of the training states of all tables, for passes elsewhere: see engine/mixing.py."""
        self._learn()
        return [
            TrainingState(
                fingerprint=self.fingerprint(),
                raw=weights.raw.copy(),
                total=weights.total.copy(),
                n_changes=weights.n_changes.copy(),
                n_updates=weights.n_updates,
                n_seen=self.n_seen,
                seed=self.seed,
            )
            for weights in (self.weights, *self._others)
        ]

    def restore_states(self, states: Sequence[TrainingState]) -> None:
        """Goes on from training states, which are copied.

        states (Sequence[TrainingState]): One per table, after the same updates.
        RAISES ValueError: If they are not those of this model, or not as many as it has tables (J732), or have arrays
            of other shapes (J022).
        """
        n_states = len(states)
        kinds = {(state.fingerprint, state.n_updates, state.n_seen, state.seed) for state in states}
        if n_states != self.n_tables or len(kinds) != 1 or states[0].fingerprint != self.fingerprint():
            raise JointValueError(Errors.J732, n_states=n_states, n_tables=self.n_tables, wanted=self.fingerprint())
        self._others = []
        self._learn()
        for weights, state in zip((self.weights, *self._others), states, strict=True):
            weights.restore(state.raw.copy(), state.total.copy(), state.n_changes.copy(), state.n_updates)
        self.n_seen, self.seed = states[0].n_seen, states[0].seed
        self._forget_searches()
        self._unfinished = True

    def finish(self) -> None:
        """Updates the prediction weights after training."""
        if not self._unfinished:
            return
        # Only once: another thread may already be searching with the new weights.
        with self._finishing:
            if self._unfinished:
                self.weights.finish(self._others, self.templates.n_templates)
                self._forget_idle()
                self._unfinished = False

    def _forget_idle(self) -> None:
        self._idle_searches = []

    def averages(self) -> np.ndarray:
        """The exact averages (float32) behind the prediction weights: the mean over all tables.

        RAISES ValueError: If there is no training state.
        """
        return np.mean([weights.averages() for weights in (self.weights, *self._others)], axis=0)

    def fingerprint(self) -> str:
        """A digest of the actions of the system and the features, on which the meaning of the weights depends."""
        described = json.dumps([type(self.system).__name__, self.system.__reduce__()[1]], sort_keys=True)
        return hashlib.sha256((described + self.templates.fingerprint).encode("utf8")).hexdigest()[:16]

    def _described(self) -> dict[str, Any]:
        return {
            "fingerprint": self.fingerprint(),
            "table_bits": self.weights.bits,
        }

    def to_bytes(self) -> bytes:
        """The averaged weights, as the content of a model file."""
        self.finish()
        described = {**self._described(), "scale": self.weights.scale}
        return model_file.pack(described, {"averaged": self.weights.averaged, "kept": self.weights.kept})

    def learning_to_bytes(self) -> bytes | None:
        """The training state, for resuming exactly; None for a model that can only predict."""
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

    def from_bytes(self, content: bytes | np.ndarray) -> None:
        """Loads averaged weights from bytes or an array of uint8, which is not copied. The perceptron must be set up
        with the same labels and templates.

        RAISES ValueError: If the content is damaged or was made for different labels or templates.
        """
        self._take(*model_file.unpack(content))

    def learning_from_bytes(self, content: bytes, source: str = "the bytes") -> None:
        """Loads the training state of `learning_to_bytes`; `source` is its name in errors."""
        self._take(*model_file.unpack(content, source), source, learning=True)

    def from_disk(self, path: Path) -> None:
        """Memory-maps averaged weights from a file: see `from_bytes`."""
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
        # NaNs would make the order of a beam undefined.
        numbers: list[Any] = [*arrays.values()] if learning else [described.get("scale")]
        try:
            in_range = n_tables in range(1, MAX_TABLES + 1) and seed in range(MAX_SEED) and n_seen in range(1 << 62)
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
                most = find_most(self.templates.n_templates)
                # Files are not read for this where any weight will do.
                if most < MOST_OF_WEIGHT and max(weights.averaged.max(), -int(weights.averaged.min())) > most:
                    raise JointValueError(Errors.J052, source=source, what="a number")
        except (KeyError, TypeError, OverflowError) as error:
            raise JointValueError(Errors.J050, source=source) from error
        self._weights, self._others, self.seed, self.n_seen = weights, others, seed, n_seen
        self._forget_searches()

    def __getstate__(self) -> dict[str, Any]:
        # Searches hold buffers, and learners hold threads: both are recreated when needed.
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
