"""A linear model: trains and averages weight tables, reads and writes them, and lends searches to threads.

Several threads may predict at the same time, but not while another trains. Predictions always use averaged weights,
even during training.
"""

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from ..errors import Errors, JointValueError, check_range, report_damage
from . import model_file
from .beam import MAX_WIDTH
from .mixing import TrainingState
from .system import System
from .templates import Templates
from .threads import make_fork_lock, run_all
from .weights import MAX_WEIGHT, Weights, find_max_weight

MAX_TABLES = 16
# The seeds of all tables, which are derived from the model's, must fit into 64 bits.
MAX_SEED = 1 << 59
# The arrays of the training state of a table, see weights.pxd.
ARRAYS = ("raw", "total", "n_changes")
# The usual size of a huge page, in bytes.
HUGE_PAGE = 1 << 21
# One thread finishes a model after training while others wait.
_finishing = make_fork_lock()


class LinearModel(ABC):
    """Settings and, once it is set up, a system, its templates and its weights.

    table_bits (int): Base-2 logarithm of the number of weights: one byte each in a finished model, about ten per
        table in training.
    beam_width (int): The beam width, 1..1024. It may be changed for prediction, trading accuracy for speed.
    aggressiveness (float): The maximum step size of an update.
    min_changes (int): Features are pruned if training changed fewer of their weights, over all tables and updates. (An
        update that replaces one action by another changes two weights of a shared feature.)
    n_tables (int): The number of weight tables, 1..16. They are trained separately, with different features dropped at
        random, and averaged for prediction: an ensemble as small and fast as a single table.
    threads (int): How many documents are searched, or tables trained, at the same time. Results do not depend on it.
    RAISES ValueError: If a setting is out of range.
    """

    def __init__(
        self, *, table_bits: int, beam_width: int, aggressiveness: float, min_changes: int, n_tables: int, threads: int
    ) -> None:
        self.table_bits = table_bits
        self.beam_width = beam_width
        self.aggressiveness = aggressiveness
        self.min_changes = min_changes
        check_range("n_tables", n_tables, 1, MAX_TABLES)
        self.n_tables = n_tables
        self.threads = threads
        # Dropout depends on both. Processes that train some of the tables set `first_table`.
        self.seed = self.first_table = 0
        self.clear()

    def clear(self) -> None:
        """Forgets the system, its templates and weights."""
        self._system: System | None = None
        self._templates: Templates | None = None
        # The tables of the ensemble. The first has the prediction weights; the others only exist in training.
        self._use([])

    def _use(self, tables: list[Weights], n_seen: int = 0) -> None:
        # `n_seen` counts documents, including those without instances.
        self._tables, self.n_seen = tables, n_seen
        self._learners: list[Any] = []
        # Each update replaces `_version`; `_finished_version` is the one that the prediction weights were made from.
        self._version = self._finished_version = object()
        self.forget_searches()

    @property
    def beam_width(self) -> int:
        """The beam width. RAISES ValueError: If it is set out of range (J030)."""
        return self._beam_width

    @beam_width.setter
    def beam_width(self, width: int) -> None:
        check_range("beam_width", width, 1, MAX_WIDTH)
        self._beam_width = width
        self.forget_searches()

    @property
    def threads(self) -> int:
        """The number of threads. RAISES ValueError: If it is set to less than one (J030)."""
        return self._threads

    @threads.setter
    def threads(self, threads: int) -> None:
        check_range("threads", threads, 1)
        self._threads = threads

    @property
    def is_set_up(self) -> bool:
        """Whether the model has a system, templates and weights."""
        return self._system is not None

    @property
    def system(self) -> Any:
        """The system. RAISES ValueError: If the model has not been set up (J060), like `templates` and `weights`."""
        if self._system is None:
            raise JointValueError(Errors.J060, name="The model")
        return self._system

    @property
    def templates(self) -> Templates:
        """The feature templates."""
        if self._templates is None:
            raise JointValueError(Errors.J060, name="The model")
        return self._templates

    @property
    def weights(self) -> Weights:
        """The weight table."""
        if not self._tables:
            raise JointValueError(Errors.J060, name="The model")
        return self._tables[0]

    def set_up(self, system: System, templates: str, columns: Sequence[str]) -> None:
        """Sets up the model, with all weights zero."""
        self._system = system
        self._templates = Templates(templates, columns, system)
        weights = Weights(self.table_bits, system.row_width, self.min_changes)
        # The training state is only allocated by the first update: loaded models do not need it.
        weights.set_averaged(np.zeros(weights.n_cells, np.int8), np.zeros(1 << self.table_bits >> 3, np.uint8), 1.0)
        self._use([weights])

    def _start_training(self) -> None:
        """Prepares all tables for training; new ones start from the prediction weights."""
        weights = self.weights
        if not weights.is_learning:
            del self._tables[1:]
        weights.start_training()
        while len(self._tables) < self.n_tables:
            other = Weights(weights.bits, weights.width, weights.min_changes)
            other.restore(*_copy(weights), weights.n_updates)
            self._tables.append(other)

    @abstractmethod
    def _make_search(self, beam_width: int) -> Any:
        """Makes a search, which handles one document at a time."""

    @abstractmethod
    def _make_learner(self, weights: Weights, seed: int) -> Any:
        """Makes a learner for a table: see `Learner`."""

    @contextmanager
    def _borrow_search(self) -> Iterator[Any]:
        """Lends a search for exclusive use, with up-to-date prediction weights."""
        self.finish()
        # Lists need no lock. A search returns to the list that it came from, which is dropped when the beam or the
        # weights change.
        idle = self._idle_searches
        try:
            search = idle.pop()
        except IndexError:
            search = self._make_search(self.beam_width)
        yield search
        idle.append(search)

    def update(self, instances: Sequence[Any], dropout: float = 0.0) -> dict[str, float]:
        """Learns from a batch: see `Learner.update`. With several tables, returns the sums of the first."""
        if not self._learners:
            self._start_training()
            self._learners = [
                self._make_learner(weights, self.seed * MAX_TABLES + i)
                for i, weights in enumerate(self._tables, self.first_table)
            ]
        # Tables are independent, so the number of threads does not affect them.
        n_threads = min(self.threads, len(self._learners))
        sums: dict[int, dict[str, float]] = {}

        def update_share(first: int) -> None:
            for i in range(first, len(self._learners), n_threads):
                sums[i] = self._learners[i].update(instances, dropout)

        try:
            if n_threads == 1:
                update_share(0)
            else:
                # An interrupt waits for the end of the batch: tables of different batches cannot be averaged.
                run_all([partial(update_share, first) for first in range(n_threads)], stop=lambda: None)
        finally:
            self._version = object()
        return sums[0]

    def copy_states(self) -> list[TrainingState]:
        """Copies the training states of all tables, for passes elsewhere: see mixing.py."""
        self._start_training()
        fingerprint = self.fingerprint()
        return [
            TrainingState(fingerprint, *_copy(weights), weights.n_updates, self.n_seen, self.seed)
            for weights in self._tables
        ]

    def restore_states(self, states: Sequence[TrainingState]) -> None:
        """Resumes from copies of training states, one per table, all after the same updates.

        RAISES ValueError: If they belong to another model, differ in updates or are not one per table (J732), or shapes
            differ (J022).
        """
        n_states = len(states)
        kinds = {(state.fingerprint, state.n_updates, state.n_seen, state.seed) for state in states}
        if n_states != self.n_tables or len(kinds) != 1 or states[0].fingerprint != self.fingerprint():
            raise JointValueError(Errors.J732, n_states=n_states, n_tables=self.n_tables, wanted=self.fingerprint())
        self._restore(states)
        self._version = object()

    def _restore(self, states: Sequence[TrainingState]) -> None:
        tables = [Weights(self.weights.bits, self.weights.width, self.min_changes) for _ in states]
        for table, state in zip(tables, states, strict=True):
            table.restore(*_copy(state), state.n_updates)
        tables[0].set_averaged(self.weights.averaged, self.weights.kept, self.weights.scale)
        self._use(tables, states[0].n_seen)
        self.seed = states[0].seed

    def finish(self) -> None:
        """Updates the prediction weights after training."""
        if self._finished_version is self._version:
            return
        # Only once: another thread may already be searching with the new weights.
        with _finishing:
            # Another thread may go on learning meanwhile.
            version = self._version
            if self._finished_version is not version:
                self.weights.finish(self._tables[1:], self.templates.n_templates)
                self.forget_searches()
                self._finished_version = version

    def forget_searches(self) -> None:
        """Makes new searches for later predictions."""
        self._idle_searches: list[Any] = []

    def fingerprint(self) -> str:
        """Returns a digest of the system's actions and the features, which define the meaning of the weights."""
        described = json.dumps([type(self.system).__name__, self.system.__reduce__()[1]], sort_keys=True)
        return hashlib.sha256((described + self.templates.fingerprint).encode("utf8")).hexdigest()[:16]

    def _pack(self, arrays: dict[str, np.ndarray], **described: Any) -> bytes:
        described |= {"fingerprint": self.fingerprint(), "table_bits": self.weights.bits}
        return model_file.pack(described, arrays)

    def to_bytes(self) -> bytes:
        """Returns the averaged weights, as the content of a model file."""
        self.finish()
        return self._pack(
            {name: getattr(self.weights, name) for name in ("averaged", "kept")}, scale=self.weights.scale
        )

    def learning_to_bytes(self) -> bytes | None:
        """Returns the training state, for resuming exactly; None for a model that can only predict."""
        if not self.weights.is_learning:
            return None
        arrays = {f"{name}.{i}": getattr(weights, name) for i, weights in enumerate(self._tables) for name in ARRAYS}
        n_tables, n_updates = len(self._tables), self.weights.n_updates
        return self._pack(arrays, n_tables=n_tables, n_updates=n_updates, n_seen=self.n_seen, seed=self.seed)

    def from_bytes(self, content: Any, source: str = "the bytes") -> None:
        """Loads averaged weights from the content of a model file; `source` is its name in errors.

        RAISES ValueError: If the content is damaged or was made for different labels or templates.
        """
        described, arrays = model_file.unpack(_move_to_huge_pages(content), source)
        with self._check(described, source):
            _require(np.isfinite(described["scale"]).all(), source)
            weights = Weights(described["table_bits"], self.system.row_width, self.min_changes)
            weights.set_averaged(arrays["averaged"], arrays["kept"], described["scale"])
            limit = find_max_weight(self.templates.n_templates)
            # With few templates, no weight can cause an overflow.
            if limit < MAX_WEIGHT:
                _require(-limit <= weights.averaged.min() and weights.averaged.max() <= limit, source)
        self._use([weights])

    def learning_from_bytes(self, content: Any, source: str = "the bytes") -> None:
        """Loads the training state of `learning_to_bytes`; `source` is its name in errors."""
        described, arrays = model_file.unpack(content, source)
        with self._check(described, source):
            n_updates, n_tables, n_seen, seed = (described[k] for k in ("n_updates", "n_tables", "n_seen", "seed"))
            _require(n_tables in range(1, MAX_TABLES + 1) and seed in range(MAX_SEED), source)
            # NaNs would make the order of a beam undefined.
            _require(n_seen in range(1 << 62) and all(np.isfinite(array).all() for array in arrays.values()), source)
            states = []
            for i in range(n_tables):
                raw, total, n_changes = (arrays[f"{name}.{i}"] for name in ARRAYS)
                states.append(TrainingState("", raw, total, n_changes, n_updates, n_seen, seed))
            self._restore(states)

    @contextmanager
    def _check(self, described: dict[str, Any], source: str) -> Iterator[None]:
        """Refuses weights of other labels or templates (J061), and files with values missing or of wrong types
        (J050)."""
        got, wanted = described.get("fingerprint"), self.fingerprint()
        if got != wanted:
            raise JointValueError(Errors.J061, source=source, got=got, wanted=wanted)
        with report_damage(source):
            yield

    def __getstate__(self) -> dict[str, Any]:
        # Searches hold buffers, and learners hold threads: both are recreated when needed.
        left_out = ("_templates", "_tables", "_learners", "_version", "_finished_version", "_idle_searches")
        state = {name: value for name, value in self.__dict__.items() if name not in left_out}
        if self.is_set_up:
            state["_content"] = (self.templates.text, self.templates.columns, self.to_bytes(), self.learning_to_bytes())
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        content = state.pop("_content", None)
        self.clear()
        self.__dict__.update(state)
        if content is not None:
            text, columns, finished, learning = content
            self._templates = Templates(text, columns, self.system)
            self.from_bytes(finished)
            if learning is not None:
                self.learning_from_bytes(learning)


def _move_to_huge_pages(content: Any) -> Any:
    """Copies the content of a large file to whole huge pages, if the system has them, since rows of tables are read at
    random."""
    n_bytes = len(content)
    if n_bytes < HUGE_PAGE:
        return content
    # numpy asks for huge pages for arrays of 4 MB and more.
    buffer = np.empty(n_bytes + 2 * HUGE_PAGE, dtype=np.uint8)
    begin = -buffer.ctypes.data % HUGE_PAGE
    moved = buffer[begin : begin + n_bytes]
    moved[:] = memoryview(content)
    return moved


def _copy(state: Weights | TrainingState) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return state.raw.copy(), state.total.copy(), state.n_changes.copy()


def _require(is_valid: bool, source: str) -> None:
    if not is_valid:
        raise JointValueError(Errors.J052, source=source, what="a number")
