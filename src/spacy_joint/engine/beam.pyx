"""Beam search over the states of a system: see beam.pxd."""

import numpy as np

from ..errors import Errors, JointMemoryError, JointValueError

from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY, isfinite
from libc.math cimport fabsf as fabs
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memcpy

from .columns cimport Columns
from .system cimport MAX_ACTIONS, MAX_SLOTS, arena_clear, arena_collect, arena_free, arena_init
from .system cimport arena_reserve
from .weights cimport ROW_BLOCK, Weights, selection


# The maximum beam width.
MAX_WIDTH = 1024
# Keeps scores distinguishable in float32.
MAX_BIAS = 1e6

cdef enum:
    STEPS_PER_CHECK = 1 << 14   # of signals
cdef float LOWEST = -3.4e38     # below all scores, above those of illegal actions


cdef int check_signals() except -1 nogil:
    with gil:
        PyErr_CheckSignals()
    return 0


cdef class Search:
    """A beam search and its buffers.

    system (System): The system to search.
    templates (Templates): The feature templates.
    width (int): The beam width, 1..1024.
    biases (Mapping[int, float | tuple[str, Mapping[int, float]]]): Values to add to the scores of actions: a number, or
        an atom of the templates, such as "b0.style", and a number for each of its values; 0 for others.
    RAISES ValueError: If the width, the system's number of actions or a bias is out of range, the templates were
        compiled for a system with other slots, or a bias names an atom that they do not read.
    """

    def __cinit__(self, System system not None, Templates templates not None, int width, biases=None):
        if not 1 <= width <= MAX_WIDTH:
            raise JointValueError(Errors.J030, width=width, most=MAX_WIDTH)
        if not 1 <= system.n_actions <= MAX_ACTIONS:
            raise JointValueError(Errors.J031, n=system.n_actions, most=MAX_ACTIONS)
        if system.n_slots > MAX_SLOTS:
            raise JointValueError(Errors.J032, n=system.n_slots, most=MAX_SLOTS)
        templates.check(system)
        self.system = system
        self.templates = templates
        for action, value in (biases or {}).items():
            self.add_bias(action, value)
        self.width = width
        self.recombines = True
        self.scorer = Scorer(templates, width)
        self.selection = selection()
        self.stride = (system.n_actions + ROW_BLOCK - 1) // ROW_BLOCK * ROW_BLOCK
        cdef size_t n = width
        self.states = <char*>calloc(n, system.state_size)
        self.next_states = <char*>calloc(n, system.state_size)
        self.totals = <double*>calloc(n, sizeof(double))
        self.final = <uint8_t*>calloc(n, 1)
        self.rows = <uint64_t*>calloc(n, max(system.n_slots, 1) * sizeof(uint64_t))
        # The number of candidates varies, so their scores are in a vector.
        self.action_scores = <float*>calloc(1 if system.has_candidates else n * self.stride, sizeof(float))
        self.best_totals = <double*>calloc(n, sizeof(double))
        self.best = <HistoryC*>calloc(n, sizeof(HistoryC))
        self.leading = <float*>calloc(n, sizeof(float))
        self.bounds = <float*>calloc(2 * n + 7, sizeof(float))
        self.actions = <uint16_t*>calloc(max(self.stride, MAX_ACTIONS), sizeof(uint16_t))
        self.n_found = max(4 * width, 64)
        self.found = <HistoryC*>calloc(self.n_found, sizeof(HistoryC))
        self.found_totals = <double*>calloc(self.n_found + 3, sizeof(double))
        self.order = <uint32_t*>calloc(self.n_found, sizeof(uint32_t))
        self.reached = <char**>calloc(n + 1, sizeof(char*))
        if (
            not self.states or not self.next_states or not self.totals or not self.final or not self.rows
            or not self.action_scores or not self.best_totals or not self.best or not self.leading
            or not self.bounds or not self.actions
            or not self.found or not self.found_totals or not self.order or not self.reached
        ):
            raise JointMemoryError(Errors.J003)
        arena_init(&self.arena, system.node_size, system.n_node_links)

    def __dealloc__(self):
        free(self.states)
        free(self.next_states)
        free(self.totals)
        free(self.final)
        free(self.rows)
        free(self.action_scores)
        free(self.best_totals)
        free(self.best)
        free(self.leading)
        free(self.bounds)
        free(self.actions)
        free(self.found)
        free(self.found_totals)
        free(self.order)
        free(self.reached)
        arena_free(&self.arena)

    cdef int add_bias(self, action, value) except -1:
        cdef BiasC bias
        cdef bint is_everywhere = not isinstance(value, tuple)
        atom, values = ("", {0: value}) if is_everywhere else value
        token, _, column = atom.rpartition(".")
        slots, columns = self.system.token_slots(), self.templates.columns
        if not is_everywhere and not (token in slots and column in columns):
            raise JointValueError(Errors.J156, atom=atom, tokens=", ".join(slots), columns=", ".join(columns))
        for attribute, value in values.items():
            if not 0 <= action < self.system.n_actions or not abs(value) <= MAX_BIAS:
                raise JointValueError(Errors.J027, action=action, value=value, most=MAX_BIAS)
            bias.action, bias.value, bias.attribute = action, value, attribute
            bias.slot = -1 if is_everywhere else slots[token]
            bias.column = 0 if is_everywhere else columns.index(column)
            self.biases.push_back(bias)
        return 0

    cdef int enter(self) except -1:
        if self.in_use:
            raise JointValueError(Errors.J007, what="search")
        self.in_use = True
        return 0

    cdef void leave(self) noexcept:
        self.in_use = False

    cdef char* state(self, int item) noexcept nogil:
        return self.states + item * self.system.state_size

    cdef void start(self, const InputC* input) noexcept nogil:
        self.scorer.forget()
        arena_clear(&self.arena)
        self.history.clear()
        self.gaps.clear()
        self.n_items = 1
        self.n_steps = 0
        self.totals[0] = 0
        self.system.start(input, self.states)

    cdef bint all_final(self, const InputC* input) noexcept nogil:
        cdef int i
        cdef bint result = True
        for i in range(self.n_items):
            self.final[i] = self.system.is_final(input, self.state(i))
            if not self.final[i]:
                result = False
        return result

    cdef int expand(self, const InputC* input) except -1 nogil:
        cdef size_t n_slots = self.system.n_slots
        cdef int i, n = 0
        cdef float* scores
        if self.system.has_candidates:
            return self.expand_candidates(input)
        for i in range(self.n_items):
            if not self.final[i]:
                self.system.slots(input, &self.arena, self.state(i), self.rows + n * n_slots)
                n += 1
        self.scores = scores = self.action_scores
        self.scorer.score(input, self.rows, NULL, n, scores)
        n = 0
        for i in range(self.n_items):
            if not self.final[i]:
                self.favour(input, self.rows + n * n_slots, scores)
                n += 1
                self.mask(self.system.legal(input, &self.arena, self.state(i)), scores)
                scores += self.stride
        return 0

    cdef void favour(self, const InputC* input, const uint64_t* slots, float* scores) noexcept nogil:
        cdef BiasC bias
        for bias in self.biases:
            # A token slot holds a row of the input, even if there is no token.
            if bias.slot < 0 or input.cells[slots[bias.slot] * input.n_columns + bias.column] == bias.attribute:
                scores[bias.action] += bias.value

    cdef void mask(self, uint64_t legal, float* scores) noexcept nogil:
        cdef int k, a
        for k in range(self.system.n_kinds):
            if not legal >> k & 1:
                for a in range(self.system.kind_start[k], self.system.kind_start[k + 1]):
                    scores[a] = -INFINITY
        for a in range(self.system.n_actions, self.stride):
            scores[a] = -INFINITY

    cdef int expand_candidates(self, const InputC* input) except -1 nogil:
        cdef size_t n_slots = self.system.n_slots
        cdef size_t max_rows = self.system.max_rows
        cdef size_t width = ROW_BLOCK       # of a score of one weight: rows are padded
        cdef int i, c, r, most = 1, n_rows = 0, item = 0
        cdef size_t at
        self.candidate_ends.clear()
        for i in range(self.n_items):
            if not self.final[i]:
                most = max(most, self.system.n_candidates(input, self.state(i)))
        self.stride = (most + ROW_BLOCK - 1) // ROW_BLOCK * ROW_BLOCK
        for i in range(self.n_items):
            if self.final[i]:
                continue
            for c in range(self.system.n_candidates(input, self.state(i))):
                if not self.system.is_legal(input, &self.arena, self.state(i), c):
                    self.candidate_ends.push_back(-1)
                    continue
                if self.candidate_parts.size() < n_rows + max_rows:
                    self.candidate_rows.resize(2 * (n_rows + max_rows) * n_slots)
                    self.candidate_parts.resize(2 * (n_rows + max_rows))
                n_rows += self.system.candidate_rows(
                    input, &self.arena, self.state(i), c, self.candidate_rows.data() + n_rows * n_slots,
                    self.candidate_parts.data() + n_rows
                )
                self.candidate_ends.push_back(n_rows)
        self.row_scores.resize(<size_t>max(n_rows, 1) * width)
        self.scorer.score(
            input, self.candidate_rows.data(), self.candidate_parts.data(), n_rows, self.row_scores.data()
        )
        # Not `assign`, whose exceptions Cython does not catch.
        self.candidate_scores.clear()
        self.candidate_scores.resize(<size_t>self.n_items * self.stride, <float>-INFINITY)
        self.scores = self.candidate_scores.data()
        r = 0
        at = 0
        for i in range(self.n_items):
            if self.final[i]:
                continue
            for c in range(self.system.n_candidates(input, self.state(i))):
                if self.candidate_ends[at] >= 0:
                    self.scores[item * self.stride + c] = 0
                    while r < self.candidate_ends[at]:
                        self.scores[item * self.stride + c] += self.row_scores[r * width]
                        r += 1
                at += 1
            item += 1
        return 0

    cdef int select(self) noexcept nogil:
        # Ties go to the item and action that come first, whatever the machine.
        cdef const float* scores = self.scores
        cdef float bound = -INFINITY
        cdef float best, second, least, distance
        cdef int i, j, n_found, n = 0
        # The two best continuations of each item give a lower bound, so that the other continuations of most items need
        # not be examined. Scores are relative to the best item, in single precision.
        for i in range(self.n_items):
            best, second = 0, -INFINITY
            if not self.final[i]:
                self.selection.two_best(scores, self.stride, &best, &second)
                scores += self.stride
            distance = <float>(self.totals[i] - self.totals[0])
            self.leading[i] = self.bounds[2 * i] = distance + best
            self.bounds[2 * i + 1] = distance + second
        if 2 * self.n_items >= self.width:
            bound = self.selection.kth_greatest(self.bounds, 2 * self.n_items, self.width)
            # Slightly lower, to allow for rounding.
            bound -= <float>1e-5 * (1 + fabs(bound))
        scores = self.scores
        for i in range(self.n_items):
            if self.final[i]:
                n = self.note(self.totals[i], i, NO_ACTION, n)
                continue
            if self.leading[i] >= bound:
                least = LOWEST
                if bound > -INFINITY:
                    distance = <float>(self.totals[i] - self.totals[0])
                    least = bound - distance
                    least -= <float>1e-5 * (fabs(least) + fabs(distance))
                n_found = self.selection.at_least(scores, self.stride, least, self.actions)
                for j in range(n_found):
                    n = self.note(self.totals[i] + scores[self.actions[j]], i, self.actions[j], n)
            scores += self.stride
        return self.keep_best(n)

    cdef inline int note(self, double total, int parent, int action, int n) noexcept nogil:
        """Adds a continuation; returns their number."""
        if n == self.n_found:
            n = self.keep_best(n)
            memcpy(self.found_totals, self.best_totals, n * sizeof(double))
            memcpy(self.found, self.best, n * sizeof(HistoryC))
        self.found_totals[n] = total
        self.found[n].parent = parent
        self.found[n].action = action
        return n + 1

    cdef int keep_best(self, int n) noexcept nogil:
        """Copies the best continuations to best[]; returns their number."""
        cdef int i, n_best = min(n, self.width)
        self.selection.order(self.found_totals, n, n_best, self.order)
        for i in range(n_best):
            self.best_totals[i] = self.found_totals[self.order[i]]
            self.best[i] = self.found[self.order[i]]
        return n_best

    cdef int advance(self, const InputC* input, int n_best) except -1 nogil:
        cdef size_t state_size = self.system.state_size
        cdef int i, n = 0
        cdef char* state
        cdef size_t first = self.history.size()
        # Scores that are infinite are nothing to choose by.
        if n_best == 0 or not isfinite(self.best_totals[0]):
            with gil:
                raise JointValueError(Errors.J009, step=self.n_steps)
        arena_reserve(&self.arena, n_best * self.system.nodes_per_step)
        self.history.resize(first + self.width)
        for i in range(n_best):
            state = self.next_states + n * state_size
            memcpy(state, self.states + self.best[i].parent * state_size, state_size)
            if self.best[i].action != NO_ACTION:
                self.system.advance(input, &self.arena, state, self.best[i].action)
            # Earlier items are better.
            if self.recombines and self.is_among(state, n):
                continue
            self.history[first + n] = self.best[i]
            self.best_totals[n] = self.best_totals[i]
            n += 1
        self.states, self.next_states = self.next_states, self.states
        memcpy(self.totals, self.best_totals, n * sizeof(double))
        if self.keeps_gaps:
            self.gaps.resize(first + self.width, INFINITY)
            for i in range(n):
                self.gaps[first + i] = <float>(self.totals[0] - self.totals[i])
        self.n_items = n
        self.n_steps += 1
        return 0

    cdef bint is_among(self, const char* state, int n) noexcept nogil:
        cdef size_t state_size = self.system.state_size
        cdef const char* other
        cdef int i
        for i in range(n):
            other = self.next_states + i * state_size
            # Most states differ in their first number, which avoids the call.
            if (<const uint32_t*>state)[0] == (<const uint32_t*>other)[0] and memcmp(state, other, state_size) == 0:
                return True
        return False

    cdef int collect(self, char* extra, bint at_once) except -1 nogil:
        cdef int i, n = self.n_items
        if self.arena.used < self.arena.collect_at and not at_once:
            return 0
        for i in range(n):
            self.reached[i] = self.state(i)
        if extra != NULL:
            self.reached[n] = extra
            n += 1
        return arena_collect(&self.arena, self.reached, n, self.system.n_state_links)

    cdef int step(self, const InputC* input) except -1 nogil:
        self.expand(input)
        self.advance(input, self.select())
        self.collect(NULL, False)
        return 0

    cdef int run(self, const InputC* input) except -1 nogil:
        self.start(input)
        while not self.all_final(input):
            self.step(input)
            if self.n_steps % STEPS_PER_CHECK == 0:
                check_signals()
        return 0

    cdef int find_child(self, int parent, int action) noexcept nogil:
        cdef const HistoryC* step = self.history.data() + <size_t>(self.n_steps - 1) * self.width
        cdef int i
        for i in range(self.n_items):
            if step[i].parent == parent and step[i].action == action:
                return i
        return -1

    cdef int ancestor(self, int item, int n) noexcept nogil:
        cdef int step
        for step in range(self.n_steps - 1, n - 1, -1):
            item = self.history[<size_t>step * self.width + item].parent
        return item

    cdef int path(self, int item, int first, int last, vector[uint16_t]& actions) except -1 nogil:
        cdef int step
        cdef HistoryC h
        cdef size_t i, n
        cdef uint16_t action
        actions.clear()
        for step in range(last - 1, first - 1, -1):
            h = self.history[<size_t>step * self.width + item]
            if h.action != NO_ACTION:
                actions.push_back(h.action)
            item = h.parent
        n = actions.size()
        for i in range(n // 2):
            action = actions[i]
            actions[i] = actions[n - 1 - i]
            actions[n - 1 - i] = action
        return 0

    cdef int n_common_steps(self) except -1 nogil:
        cdef vector[uint16_t] items
        cdef int step = self.n_steps
        cdef int i, j, n = self.n_items, n_kept
        cdef uint16_t parent
        for i in range(n):
            items.push_back(i)
        while step > 0 and n > 1:
            step -= 1
            n_kept = 0
            for i in range(n):
                parent = self.history[<size_t>step * self.width + items[i]].parent
                # Neighbours mostly have the same parent, so the set is small.
                for j in range(n_kept):
                    if items[j] == parent:
                        break
                else:
                    items[n_kept] = parent
                    n_kept += 1
            n = n_kept
        return step

    cdef void keep_path_of_best(self, int n) noexcept nogil:
        cdef size_t last = <size_t>(self.n_steps - 1) * self.width
        cdef size_t state_size = self.system.state_size
        cdef int best = self.ancestor(0, n)
        cdef int i, n_kept = 0
        if n >= self.n_steps:
            # Only the best item has all steps in common with itself.
            self.n_items = min(self.n_items, 1)
            return
        for i in range(self.n_items):
            if self.ancestor(i, n) == best:
                if n_kept < i:
                    memcpy(self.state(n_kept), self.state(i), state_size)
                    self.totals[n_kept] = self.totals[i]
                    self.history[last + n_kept] = self.history[last + i]
                n_kept += 1
        self.n_items = n_kept

    cdef void forget_steps(self, int n) noexcept nogil:
        self.history.erase(self.history.begin(), self.history.begin() + <size_t>n * self.width)
        self.n_steps -= n

    cdef int move_back(self, int n) except -1 nogil:
        cdef uint32_t node
        cdef int i
        # Nodes of the arena are moved, too, so garbage must be collected first.
        self.collect(NULL, True)
        for i in range(self.n_items):
            self.system.move_back_state(self.state(i), n)
        for node in range(1, self.arena.used):
            self.system.move_back_node(self.arena.nodes + <size_t>node * self.arena.node_size, n)
        # Cached sums are keyed by rows of the input.
        self.scorer.forget()
        return 0

    def predict(self, Weights weights not None, Columns columns not None, bint exact=False):
        """Finds the best actions for a document.

        weights (Weights): Averaged weights, or, with `exact`, weights in training.
        columns (Columns): The document.
        exact (bool): Whether to search with the training weights, which are not averaged, pruned or quantised.
        RETURNS (np.ndarray): The best actions that the beam finds (uint16), in order.
        RAISES ValueError: If the weights are not for this system, or not averaged.
        """
        self.enter()
        try:
            self.load(weights, columns, exact)
            return self.copy_path(0)
        except MemoryError as error:
            raise JointMemoryError(Errors.J003) from error
        finally:
            self.leave()

    def predict_all(self, Weights weights not None, Columns columns not None, bint recombine=True):
        """Finds the paths that are in the beam at the end.

        weights (Weights): Averaged weights.
        columns (Columns): The document.
        recombine (bool): Whether to recombine items, like `predict`; otherwise there are more paths, often worse ones.
        RETURNS (list[tuple[np.ndarray, float]]): Actions (uint16) and scores, best first.
        RAISES ValueError: If the weights are not for this system, or not averaged.
        """
        self.enter()
        self.recombines = recombine
        try:
            self.load(weights, columns, False)
            return [(self.copy_path(i), self.totals[i]) for i in range(self.n_items)]
        except MemoryError as error:
            raise JointMemoryError(Errors.J003) from error
        finally:
            self.recombines = True
            self.leave()

    def trace(self, Weights weights not None, Columns columns not None):
        """Searches, and returns the items of the beam after each step, for computing margins.

        weights (Weights): Averaged weights.
        columns (Columns): The document.
        RETURNS (tuple[np.ndarray, tuple[np.ndarray, np.ndarray, np.ndarray]]): The result of `predict`; and arrays of
            steps x width, best item first: the item of the previous step that each continues (uint16); the action
            (uint16, NO_ACTION for a final item); the gap between its score and the best one (float32, infinite if there
            is no item).
        RAISES ValueError: If the weights are not for this system, or not averaged.
        """
        self.enter()
        self.keeps_gaps = True
        try:
            self.load(weights, columns, False)
            shape = self.n_steps, self.width
            parents, actions = np.zeros(shape, dtype=np.uint16), np.zeros(shape, dtype=np.uint16)
            gaps = np.zeros(shape, dtype=np.float32)
            self._copy_history(parents.reshape(-1), actions.reshape(-1), gaps.reshape(-1))
            return self.copy_path(0), (parents, actions, gaps)
        except MemoryError as error:
            raise JointMemoryError(Errors.J003) from error
        finally:
            self.keeps_gaps = False
            self.gaps = vector[float]()
            self.leave()

    def _copy_history(self, uint16_t[::1] parents, uint16_t[::1] actions, float[::1] gaps):
        cdef size_t i
        for i in range(self.history.size()):
            parents[i] = self.history[i].parent
            actions[i] = self.history[i].action
            gaps[i] = self.gaps[i]

    cdef int load(self, Weights weights, Columns columns, bint exact) except -1:
        """Searches a document."""
        self.system.check(columns)
        self.scorer.check(columns)
        self.scorer.use(weights.learning_table() if exact else weights.prediction_table(), self.system.row_width)
        with nogil:
            self.run(&columns.c)
        return 0

    cdef copy_path(self, int item):
        """All actions of an item (uint16)."""
        cdef vector[uint16_t] actions
        self.path(item, 0, self.n_steps, actions)
        return to_array(actions)


cdef to_array(vector[uint16_t]& actions):
    cdef size_t i
    result = np.empty(actions.size(), dtype=np.uint16)
    cdef uint16_t[::1] view = result
    for i in range(actions.size()):
        view[i] = actions[i]
    return result
