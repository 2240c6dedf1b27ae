"""Beam search over a streamed document, token by token, in bounded memory.

A prefix of the history that all items of the beam share is final, whatever tokens follow. Its actions are returned, and
its part of the arena and of the document is forgotten. Without forced decisions, the result is exactly that of a search
over the whole document.
"""

import numpy as np

from ..errors import Errors, JointMemoryError, JointValueError

from libc.stdint cimport int8_t, int32_t, uint16_t, uint64_t
from libcpp.vector cimport vector

from .beam cimport Search, check_signals, to_array
from .columns cimport FIRST, PADDING, ROOT, ROOT_VALUE, InputC
from .system cimport System
from .weights cimport Weights


cdef enum:
    FIRST_CAPACITY = 1024       # tokens
    # The shared prefix is searched for again when there are 1 / PATIENCE more steps than were open the last time: if
    # nothing becomes final for a long time, searching at each step would cost more than the beam search.
    PATIENCE = 16
    STEPS_PER_CHECK = 1 << 14   # of signals


cdef class Stream:
    """An incremental search over a streamed document.

    system (System): The system to search.
    templates (Templates): The feature templates.
    width (int): The beam width.
    weights (Weights): Averaged weights.
    biases (Mapping): See `Search`.
    RAISES ValueError: If the system cannot stream, or the weights are not averaged.
    """
    cdef readonly Search search
    cdef readonly int n_tokens          # in the window
    cdef readonly bint ended
    cdef InputC input
    cdef uint64_t[:, ::1] cells
    cdef int8_t[::1] constraints
    cdef int32_t[:, ::1] facts
    cdef int n_ahead                    # tokens that a step may read after the last one that its state refers to
    cdef bint started
    cdef bint failed                    # in the middle of a change, or there was an error
    cdef int next_look                  # number of steps

    def __cinit__(self, System system not None, templates, int width, Weights weights not None, biases=None):
        if not system.streams:
            raise JointValueError(Errors.J035, name=type(system).__name__)
        self.search = Search(system, templates, width, biases)
        # The current weights, even if they are replaced during the stream.
        self.search.scorer.use(weights.prediction_table(), system.row_width)
        self.n_ahead = templates.max_ahead
        n_columns = max(len(templates.columns), 1)
        self.cells = np.zeros((FIRST + FIRST_CAPACITY + PADDING, n_columns), dtype=np.uint64)
        self.constraints = np.zeros(FIRST_CAPACITY + 1, dtype=np.int8)
        self.facts = np.zeros((FIRST_CAPACITY + 1, max(system.n_facts, 1)), dtype=np.int32)
        for i in range(n_columns):
            self.cells[ROOT, i] = ROOT_VALUE
        self._look()

    cdef int enter(self) except -1:
        self.search.enter()
        # Whoever is in the middle of a change has the search.
        if self.failed:
            self.search.leave()
            raise JointValueError(Errors.J039)
        return 0

    cdef int _look(self) except -1:
        self.input.cells = &self.cells[0, 0]
        self.input.constraints = &self.constraints[0]
        self.input.facts = &self.facts[0, 0]
        self.input.n_columns = self.cells.shape[1]
        self.input.n_facts = self.search.system.n_facts
        self.input.n_tokens = self.n_tokens
        return 0

    def feed(self, values, constraints=None, facts=None):
        """Adds tokens.

        values (np.ndarray): The values (uint64, tokens x columns).
        constraints (np.ndarray | None): Constraints (int8, one per token), as in `Columns`.
        facts (np.ndarray | None): Facts (int32, tokens x facts), if the system reads some.
        RAISES ValueError: If shapes do not match, facts are missing (J046), there are too many tokens (J002), or after
            the end.
        """
        self.enter()
        try:
            self._feed(values, constraints, facts)
        except MemoryError as error:
            raise JointMemoryError(Errors.J003) from error
        finally:
            self.search.leave()

    def _feed(self, values, constraints, facts):
        values = np.asarray(values, dtype=np.uint64)
        if self.ended:
            raise JointValueError(Errors.J036)
        if values.ndim != 2 or values.shape[1] != self.cells.shape[1]:
            raise JointValueError(Errors.J001, shape=values.shape, n_columns=self.cells.shape[1])
        if self.n_tokens + values.shape[0] > 2**31 - 2 * FIRST:
            raise JointValueError(Errors.J002, n_tokens=self.n_tokens + values.shape[0])
        cdef uint64_t[:, ::1] wider_cells
        cdef int8_t[::1] more_constraints
        cdef int32_t[:, ::1] more_facts
        cdef int n_new = values.shape[0]
        constraints = np.zeros(n_new, np.int8) if constraints is None else np.asarray(constraints, dtype=np.int8)
        if constraints.shape != (n_new,):
            raise JointValueError(Errors.J001, shape=constraints.shape, n_columns=f"{n_new} constraints")
        cdef int n_facts = self.search.system.n_facts
        facts = np.zeros((n_new, 0), dtype=np.int32) if facts is None else np.asarray(facts, dtype=np.int32)
        if facts.ndim != 2 or facts.shape[0] != n_new:
            raise JointValueError(Errors.J001, shape=facts.shape, n_columns=f"the facts of {n_new} tokens")
        if n_facts and facts.shape[1] != n_facts:
            raise JointValueError(Errors.J046, n=facts.shape[1], wanted=n_facts)
        cdef int needed = self.n_tokens + n_new
        if needed > self.constraints.shape[0] - 1:
            wider = np.zeros((FIRST + 2 * <long long>needed + PADDING, self.cells.shape[1]), dtype=np.uint64)
            wider[: self.cells.shape[0]] = self.cells
            more = np.zeros(2 * <long long>needed + 1, dtype=np.int8)
            more[: self.constraints.shape[0]] = self.constraints
            longer = np.zeros((2 * <long long>needed + 1, self.facts.shape[1]), dtype=np.int32)
            longer[: self.facts.shape[0]] = self.facts
            wider_cells, more_constraints, more_facts = wider, more, longer
            # From here on nothing can fail until the input borrows the new arrays.
            self.cells, self.constraints, self.facts = wider_cells, more_constraints, more_facts
            self._look()
        np.asarray(self.cells)[FIRST + self.n_tokens : FIRST + needed] = values
        np.asarray(self.constraints)[self.n_tokens : needed] = constraints
        if n_facts:
            np.asarray(self.facts)[self.n_tokens : needed] = facts
        self.n_tokens = needed
        self._look()

    def end(self):
        """Ends the document."""
        self.enter()
        self.ended = True
        self.search.leave()

    @property
    def front(self):
        """The last token of the window that steps so far may have read (int)."""
        cdef int i, front = -1
        self.enter()
        if self.started:
            for i in range(self.search.n_items):
                front = max(front, self.search.system.front(self.search.state(i)) + self.n_ahead)
        self.search.leave()
        return front

    def run(self):
        """Searches as far as the available tokens allow.

        RETURNS (np.ndarray): The actions (uint16) that have become final since the last call, in order.
        """
        self.enter()
        try:
            return self._run()
        except MemoryError as error:
            raise JointMemoryError(Errors.J003) from error
        finally:
            self.search.leave()

    def _run(self):
        if self.n_tokens == 0 and not self.started:
            return np.zeros(0, dtype=np.uint16)
        self.failed = True
        with nogil:
            self.advance()
        self.failed = False
        if self.search.n_steps < self.next_look and not self.ended:
            return np.zeros(0, dtype=np.uint16)
        return self._release(self._final_steps())

    cdef int advance(self) except -1 nogil:
        if not self.started:
            self.search.start(&self.input)
            self.started = True
        while not self.search.all_final(&self.input) and (self.ended or self._may_step()):
            self.search.step(&self.input)
            if self.search.n_steps % STEPS_PER_CHECK == 0:
                check_signals()
        return 0

    cdef bint _may_step(self) noexcept nogil:
        cdef int i
        for i in range(self.search.n_items):
            if self.search.system.front(self.search.state(i)) + self.n_ahead >= self.n_tokens:
                return False
        return True

    cdef int _final_steps(self) except -1:
        """The number of initial steps that all items share."""
        if self.ended and self.search.all_final(&self.input):
            # The best item is the result.
            return self.search.n_steps
        return self.search.n_common_steps()

    def decide(self, int n_steps):
        """Forces a decision: keeps only the items whose first `n_steps` steps are those of the best item.

        RETURNS (np.ndarray): The actions of these steps (uint16).
        """
        self.enter()
        try:
            if not self.started:
                return np.zeros(0, dtype=np.uint16)
            n_steps = min(max(n_steps, 0), self.search.n_steps)
            self.search.keep_path_of_best(n_steps)
            return self._release(n_steps)
        except MemoryError as error:
            raise JointMemoryError(Errors.J003) from error
        finally:
            self.search.leave()

    def best(self):
        """The actions of the best item that are not yet final (uint16)."""
        self.enter()
        try:
            return self._actions(0, self.search.n_steps) if self.started else np.zeros(0, dtype=np.uint16)
        except MemoryError as error:
            raise JointMemoryError(Errors.J003) from error
        finally:
            self.search.leave()

    cdef _actions(self, int first, int last):
        cdef vector[uint16_t] actions
        self.search.path(self.search.ancestor(0, last), first, last, actions)
        return to_array(actions)

    cdef _release(self, int n_steps):
        """Returns the actions of the first steps, and forgets these steps."""
        result = self._actions(0, n_steps)
        self.search.forget_steps(n_steps)
        self.next_look = self.search.n_steps + self.search.n_steps // PATIENCE
        return result

    def forget(self, int n):
        """Drops the first tokens of the window, to which no state or template may refer any more.

        RAISES ValueError: If there are fewer tokens.
        """
        self.enter()
        try:
            if not n <= self.n_tokens:
                raise JointValueError(Errors.J045, n=n, n_tokens=self.n_tokens)
            if n <= 0:
                return
            self.failed = True
            cells, constraints, facts = map(np.asarray, (self.cells, self.constraints, self.facts))
            cells[FIRST : FIRST + self.n_tokens - n] = cells[FIRST + n : FIRST + self.n_tokens].copy()
            cells[FIRST + self.n_tokens - n :] = 0
            constraints[: self.n_tokens - n] = constraints[n : self.n_tokens].copy()
            constraints[self.n_tokens - n :] = 0
            facts[: self.n_tokens - n] = facts[n : self.n_tokens].copy()
            self.n_tokens -= n
            self._look()
            if self.started:
                self.search.move_back(n)
            self.failed = False
        except MemoryError as error:
            raise JointMemoryError(Errors.J003) from error
        finally:
            self.search.leave()
