"""Beam search over a streamed document, in bounded memory. Steps that all items of the beam share are final: their
actions are returned, and their part of the arena and the document is forgotten. Without forced decisions, the result
equals that of a search over the whole document."""

import numpy as np

from ..errors import Errors, JointValueError, check_value

from libc.stdint cimport int8_t, int32_t, uint64_t

from .beam cimport STEPS_PER_CHECK, Search, check_signals
from .columns cimport FIRST, PADDING, Columns, InputC
from .system cimport System
from .weights cimport Weights


cdef enum:
    # Looking for shared steps is slow, so the number of open steps must first grow by a share of 1 / PATIENCE.
    PATIENCE = 16


cdef class Stream:
    """An incremental search over a streamed document, with averaged weights; for the other arguments, see `Search`.

    RAISES ValueError: If the system cannot stream, or the weights are not averaged.
    """
    cdef Search search                  # has the buffers of the stream; Python must not use it
    cdef readonly int n_tokens          # in the window
    cdef readonly bint ended
    cdef InputC input
    cdef uint64_t[:, ::1] cells
    cdef int8_t[::1] constraints
    cdef int32_t[:, ::1] token_info
    cdef int n_ahead                    # tokens that a step may read after the last one that its state refers to
    cdef bint started
    cdef int next_check                 # number of steps

    def __cinit__(self, System system not None, templates, int width, Weights weights not None, biases=None):
        cdef Columns empty
        if not system.can_stream:
            raise JointValueError(Errors.J037, name=type(system).__name__)
        self.search = Search(system, templates, width, biases)
        # Keeps the current weights, even if they are replaced during the stream.
        self.search.scorer.use(weights.prediction_table(), system.row_width)
        self.n_ahead = templates.max_ahead
        empty = Columns(templates.columns, np.zeros((0, len(templates.columns))), None, np.zeros((0, system.n_info)))
        self.cells, self.constraints, self.token_info = empty.cells, empty.constraints, empty.token_info
        self._borrow()

    cdef int _borrow(self) except -1:
        self.input = InputC(
            &self.cells[0, 0], &self.constraints[0], &self.token_info[0, 0],
            self.cells.shape[1], self.search.system.n_info, self.n_tokens,
        )
        return 0

    def feed(self, values, constraints=None, token_info=None):
        """Adds tokens.

        values, constraints, token_info (np.ndarray): As in `Columns`.
        RAISES ValueError: If shapes do not match, token info is missing (J046), there are too many tokens (J002), or
            the document has ended (J036).
        """
        with self.search.claim:
            if self.ended:
                raise JointValueError(Errors.J036)
            values = np.asarray(values, dtype=np.uint64)
            n_tokens = self.n_tokens + values.size // self.cells.shape[1]
            if n_tokens > 2**31 - 2 * FIRST:
                raise JointValueError(Errors.J002, name="The document", n=n_tokens, unit="tokens", most="2^31")
            self._add(Columns(self.search.templates.columns, values, constraints, token_info))

    cdef int _add(self, Columns columns) except -1:
        cdef long long needed = self.n_tokens + len(columns)
        cdef uint64_t[:, ::1] cells
        cdef int8_t[::1] constraints
        cdef int32_t[:, ::1] token_info
        self.search.system.check(columns)
        if needed >= self.constraints.shape[0]:
            cells = lengthen(self.cells, FIRST + 2 * needed + 1 + PADDING)
            constraints = lengthen(self.constraints, 2 * needed + 1)
            token_info = lengthen(self.token_info, 2 * needed + 1)
            # From here on nothing can fail until the input borrows the new arrays.
            self.cells, self.constraints, self.token_info = cells, constraints, token_info
        # The arrays of the columns are longer than their tokens.
        self.cells[FIRST + self.n_tokens : FIRST + needed] = columns.cells[FIRST : FIRST + columns.c.n_tokens]
        self.constraints[self.n_tokens : needed] = columns.constraints[: columns.c.n_tokens]
        if self.search.system.n_info:
            self.token_info[self.n_tokens : needed] = columns.token_info[: columns.c.n_tokens]
        self.n_tokens = needed
        return self._borrow()

    def end(self):
        """Ends the document."""
        with self.search.claim:
            self.ended = True

    cdef int _last_read(self) noexcept nogil:
        """Returns the last token of the window that steps so far may have read."""
        cdef int i, front = -1
        for i in range(self.search.n_items):
            front = max(front, self.search.system.front(self.search.state(i)) + self.n_ahead)
        return front

    def run(self):
        """Searches as far as the tokens allow; returns the actions that have become final (np.ndarray of uint16)."""
        with self.search.claim:
            if self.n_tokens == 0 and not self.started:
                return np.zeros(0, dtype=np.uint16)
            self.search.claim.is_broken = True
            with nogil:
                self.advance()
            self.search.claim.is_broken = False
            if self.search.n_steps < self.next_check and not self.ended:
                return np.zeros(0, dtype=np.uint16)
            # At the end, the best item is the result.
            is_over = self.ended and self.search.all_final(&self.input)
            return self._release(self.search.n_steps if is_over else self.search.n_common_steps())

    cdef int advance(self) except -1 nogil:
        if not self.started:
            self.search.start(&self.input)
            self.started = True
        while not self.search.all_final(&self.input) and (self.ended or self._last_read() < self.n_tokens):
            self.search.step(&self.input)
            if self.search.n_steps % STEPS_PER_CHECK == 0:
                check_signals()
        return 0

    def decide(self, int n_steps):
        """Forces a decision: keeps only the items that share the first `n_steps` steps with the best one, and returns
        the actions of these steps (np.ndarray of uint16)."""
        with self.search.claim:
            n_steps = min(max(n_steps, 0), self.search.n_steps)
            self.search.keep_best_prefix(n_steps)
            return self._release(n_steps)

    def best(self):
        """Returns the actions of the best item that are not yet final (uint16)."""
        with self.search.claim:
            return self.search.copy_derivation(0)

    cdef _release(self, int n_steps):
        result = self.search.copy_steps(self.search.ancestor(0, n_steps), 0, n_steps)
        self.search.forget_steps(n_steps)
        self.next_check = self.search.n_steps + self.search.n_steps // PATIENCE
        return result

    def forget(self, int n):
        """Drops the first `n` tokens of the window, which must not be needed any more. RAISES ValueError: If it has
        fewer (J030)."""
        with self.search.claim:
            check_value("n", n, n <= self.n_tokens, f"at most {self.n_tokens}, the tokens of the window")
            if n <= 0:
                return
            self.search.claim.is_broken = True
            for array, first in zip(map(np.asarray, (self.cells, self.constraints, self.token_info)), (FIRST, 0, 0)):
                tokens = array[first : first + self.n_tokens]
                tokens[:-n] = tokens[n:].copy()
                tokens[-n:] = 0
            self.n_tokens -= n
            self._borrow()
            if self.started:
                self.search.rebase(n)
            self.search.claim.is_broken = False


cdef lengthen(array, n_rows):
    """Copies an array, with rows of zeros added."""
    longer = np.zeros((n_rows, *array.shape[1:]), dtype=np.asarray(array).dtype)
    longer[: len(array)] = array
    return longer
