"""Beam search over the states of a system: see beam.pxd."""

import numpy as np

from ..errors import Errors

from libc.math cimport INFINITY, NAN, fabs
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcmp, memcpy, memset

from .columns cimport Columns
from .system cimport MAX_NODES_A_STEP, MAX_SLOTS, arena_clear, arena_collect, arena_free, arena_init, arena_reserve
from .templates cimport MAX_TEMPLATES, keep_features
from .weights cimport Weights, first_above, prefetch, prefetch_row


# Items of a beam.
WIDEST_BEAM = 1024
# Scores stay numbers that float32 tells apart.
MOST_BIAS = 1e6


cdef class Search:
    """A beam search and its buffers.

    system (System): What is searched.
    templates (Templates): What it sees.
    width (int): Items of the beam, 1..1024.
    biases (Mapping[int, float]): What to add to the scores of actions.
    RAISES ValueError: If the width, the system's number of actions or a bias is out of range, or the templates were
        compiled for a system with other slots.
    """

    def __cinit__(self, System system not None, Templates templates not None, int width, biases=None):
        cdef BiasC bias
        if not 1 <= width <= WIDEST_BEAM:
            raise ValueError(Errors.J030.format(width=width, most=WIDEST_BEAM))
        if not 1 <= system.n_actions <= MAX_ACTIONS:
            raise ValueError(Errors.J031.format(n=system.n_actions, most=MAX_ACTIONS))
        if system.n_slots > MAX_SLOTS:
            raise ValueError(Errors.J032.format(n=system.n_slots, most=MAX_SLOTS))
        for slots, read in (
            (system.token_slots(), templates.token_slots), (system.value_slots(), templates.value_slots)
        ):
            for name, number in read.items():
                if slots.get(name) != number:
                    raise ValueError(
                        Errors.J040.format(what="slot of the templates", name=name, known=", ".join(slots))
                    )
        for action, value in (biases or {}).items():
            if not 0 <= action < system.n_actions or not abs(value) <= MOST_BIAS:
                raise ValueError(Errors.J027.format(action=action, value=value, most=MOST_BIAS))
            bias.action, bias.value = action, value
            self.biases.push_back(bias)
        self.system = system
        self.templates = templates
        self.width = width
        cdef size_t n = width + 1
        self.states = <char*>calloc(n, system.state_size)
        self.next_states = <char*>calloc(n, system.state_size)
        self.totals = <double*>calloc(n, sizeof(double))
        self.final = <uint8_t*>calloc(n, 1)
        self.legal = <uint64_t*>calloc(n, sizeof(uint64_t))
        self.best_totals = <double*>calloc(n, sizeof(double))
        self.best = <HistoryC*>calloc(n, sizeof(HistoryC))
        self.to_collect = <void**>calloc(n, sizeof(void*))
        if (
            not self.states or not self.next_states or not self.totals or not self.final or not self.legal
            or not self.best_totals or not self.best or not self.to_collect
        ):
            raise MemoryError(Errors.J003)
        arena_init(&self.arena, system.node_size, system.n_node_links)
        self.recombines = True

    def __dealloc__(self):
        free(self.states)
        free(self.next_states)
        free(self.totals)
        free(self.final)
        free(self.legal)
        free(self.best_totals)
        free(self.best)
        free(self.to_collect)
        free(self.scores)
        free(self.cache.keys)
        free(self.cache.last_used)
        free(self.cache.sums)
        arena_free(&self.arena)

    cdef int use_table(self, TableC table) except -1:
        """Searches with these weights from now on. `table` is borrowed."""
        cdef uint32_t n_slots = 256
        cdef size_t sum_size = table.padded_width * table.kernels.sum_bytes
        if table.width != self.system.row_width:
            raise ValueError(Errors.J033.format(width=table.width, n=self.system.row_width))
        # Four times what one step can use, so that sums survive a few steps and probing stays short.
        while n_slots < <uint32_t>(4 * (self.width + 1) * self.templates.n_blocks):
            n_slots *= 2
        # Until the end of this method there is no table to search with.
        self.table.cells = NULL
        free(self.cache.keys)
        free(self.cache.last_used)
        free(self.cache.sums)
        free(self.scores)
        self.cache.keys = <uint64_t*>calloc(n_slots, sizeof(uint64_t))
        self.cache.last_used = <uint32_t*>calloc(n_slots, sizeof(uint32_t))
        self.cache.sums = <char*>malloc(n_slots * sum_size)
        self.scores = <float*>calloc((self.width + 1) * table.padded_width, sizeof(float))
        if not self.cache.keys or not self.cache.last_used or not self.cache.sums or not self.scores:
            raise MemoryError(Errors.J003)
        self.cache.n_slots = n_slots
        self.cache_step = 0
        self.table = table
        self.filter.kept = table.kept
        self.filter.threshold = 0
        return 0

    cdef void forget_sums(self) noexcept nogil:
        """To be called whenever weights or the document have changed."""
        memset(self.cache.keys, 0, self.cache.n_slots * sizeof(uint64_t))
        memset(self.cache.last_used, 0, self.cache.n_slots * sizeof(uint32_t))
        self.cache_step = 0

    cdef char* state(self, int item) noexcept nogil:
        return self.states + item * self.system.state_size

    cdef void start(self, const InputC* input) noexcept nogil:
        self.forget_sums()
        arena_clear(&self.arena)
        self.history.clear()
        self.lags.clear()
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

    cdef int score(self, const InputC* input, bint with_extra) noexcept nogil:
        cdef uint64_t[MAX_SLOTS] slots
        cdef int n_blocks = self.templates.n_blocks
        cdef int padded = self.table.padded_width
        cdef size_t sum_size = padded * self.table.kernels.sum_bytes
        cdef int row_bytes = self.table.width * self.table.kernels.cell_bytes
        cdef const char* cells = <const char*>self.table.cells
        cdef uint64_t* offsets
        cdef MissC miss
        cdef BiasC bias
        cdef size_t m, first
        cdef int i, item, b, j, n, n_scored
        cdef void* sums[MAX_TEMPLATES]
        n_scored = self.n_items + (1 if with_extra else 0)
        self.cache_step += 1
        self.misses.clear()
        self.n_offsets = 0
        if self.offsets.size() < <size_t>(n_scored * self.templates.n_templates):
            self.offsets.resize(n_scored * self.templates.n_templates)
        self.used.resize(<size_t>(self.width + 1) * n_blocks)
        # First all features, then all addresses, then all sums: what a pass reads is on its way from memory during the
        # pass before.
        for i in range(n_scored):
            item = i if i < self.n_items else self.width
            if self.final[item]:
                continue
            self.legal[item] = self.system.legal(input, &self.arena, self.state(item))
            self.system.slots(input, &self.arena, self.state(item), slots)
            self.find_sums(input, slots, item)
        offsets = self.offsets.data()
        for m in range(self.misses.size()):
            first = self.misses[m].first
            n = keep_features(&self.filter, offsets + first, self.misses[m].n)
            self.misses[m].n = n
            for j in range(n):
                prefetch_row(cells + offsets[first + j] * self.table.kernels.cell_bytes, row_bytes)
        for miss in self.misses:
            self.table.kernels.sum_rows(
                self.cache.sums + miss.slot * sum_size, cells, offsets + miss.first, miss.n, padded
            )
        for i in range(n_scored):
            item = i if i < self.n_items else self.width
            if self.final[item]:
                continue
            for b in range(n_blocks):
                sums[b] = self.cache.sums + self.used[<size_t>item * n_blocks + b] * sum_size
            self.table.kernels.to_scores(self.scores + item * padded, sums, n_blocks, padded, self.table.scale)
            for bias in self.biases:
                self.scores[item * padded + bias.action] += bias.value
        return 0

    cdef void find_sums(self, const InputC* input, const uint64_t* slots, int item) noexcept nogil:
        cdef int n_blocks = self.templates.n_blocks
        cdef uint32_t* used = self.used.data() + <size_t>item * n_blocks
        cdef uint32_t mask = self.cache.n_slots - 1
        cdef uint64_t* offsets
        cdef uint32_t at
        cdef uint64_t key
        cdef MissC miss
        cdef int b, j, n
        for b in range(n_blocks):
            key = self.templates.block_key(b, slots)
            at = <uint32_t>(key >> 32) & mask
            while self.cache.keys[at] != key and self.cache.last_used[at] == self.cache_step:
                at = (at + 1) & mask
            used[b] = at
            self.cache.last_used[at] = self.cache_step
            if self.cache.keys[at] == key:
                continue
            self.cache.keys[at] = key
            offsets = self.offsets.data() + self.n_offsets
            n = self.templates.block_features(b, input, slots, self.table.bits, offsets)
            if self.filter.kept != NULL:
                for j in range(n):
                    prefetch(self.filter.kept + (offsets[j] >> 3))
            miss.slot = at
            miss.first = self.n_offsets
            miss.n = n
            self.misses.push_back(miss)
            self.n_offsets += n

    cdef int select(self) noexcept nogil:
        # Ties go to the item and action that come first, whatever the machine.
        cdef int n_best = 0
        cdef int i, k
        for i in range(self.n_items):
            if self.final[i]:
                n_best = self.insert(self.totals[i], i, NO_ACTION, n_best)
            else:
                for k in range(self.system.n_kinds):
                    if self.legal[i] >> k & 1:
                        n_best = self.insert_above(
                            i, self.system.kind_start[k], self.system.kind_start[k + 1], n_best
                        )
        return n_best

    cdef inline int insert_above(self, int item, int first, int end, int n_best) noexcept nogil:
        """Inserts those of some actions that get into the beam."""
        cdef const float* scores = self.scores + item * self.table.padded_width
        cdef float bound = self.least_score(item, n_best)
        cdef int action = first_above(scores, first, end, bound)
        while action < end:
            n_best = self.insert(self.totals[item] + scores[action], item, action, n_best)
            bound = self.least_score(item, n_best)
            action = first_above(scores, action + 1, end, bound)
        return n_best

    cdef inline float least_score(self, int item, int n_best) noexcept nogil:
        """A score up to which no action of this item gets into the beam; NaN, which nothing is up to, while there is
        room. A little too low, because it is rounded."""
        cdef double least
        if n_best < self.width:
            return NAN
        least = self.best_totals[n_best - 1] - self.totals[item]
        return <float>(least - 1e-6 * fabs(least))

    cdef inline int insert(self, double total, int parent, int action, int n_best) noexcept nogil:
        cdef int at
        if n_best == self.width:
            if total <= self.best_totals[n_best - 1]:
                return n_best
            n_best -= 1
        at = n_best
        while at > 0 and total > self.best_totals[at - 1]:
            self.best_totals[at] = self.best_totals[at - 1]
            self.best[at] = self.best[at - 1]
            at -= 1
        self.best_totals[at] = total
        self.best[at].parent = parent
        self.best[at].action = action
        return n_best + 1

    cdef int advance(self, const InputC* input, int n_best) noexcept nogil:
        cdef size_t state_size = self.system.state_size
        cdef int i, n = 0
        cdef char* state
        cdef char* swap
        cdef size_t first = self.history.size()
        if arena_reserve(&self.arena, (n_best + 1) * MAX_NODES_A_STEP) == -1:
            return -1
        self.history.resize(first + self.width)
        for i in range(n_best):
            state = self.next_states + n * state_size
            memcpy(state, self.states + self.best[i].parent * state_size, state_size)
            if self.best[i].action != NO_ACTION:
                self.system.advance(input, &self.arena, state, self.best[i].action)
            # Those before are better.
            if self.recombines and self.is_among(state, n):
                continue
            self.history[first + n] = self.best[i]
            self.best_totals[n] = self.best_totals[i]
            n += 1
        # The learner's extra state moves along.
        memcpy(self.next_states + self.width * state_size, self.states + self.width * state_size, state_size)
        swap = self.states
        self.states = self.next_states
        self.next_states = swap
        memcpy(self.totals, self.best_totals, n * sizeof(double))
        if self.keeps_lags:
            self.lags.resize(first + self.width, INFINITY)
            for i in range(n):
                self.lags[first + i] = <float>(self.totals[0] - self.totals[i])
        self.n_items = n
        self.n_steps += 1
        return 0

    cdef int find_child(self, int parent, int action) noexcept nogil:
        cdef const HistoryC* step = self.history.data() + <size_t>(self.n_steps - 1) * self.width
        cdef int i
        for i in range(self.n_items):
            if step[i].parent == parent and step[i].action == action:
                return i
        return -1

    cdef bint is_among(self, const char* state, int n) noexcept nogil:
        cdef size_t state_size = self.system.state_size
        cdef const char* other
        cdef int i
        for i in range(n):
            other = self.next_states + i * state_size
            # Most differ in their first number, which saves the call.
            if (<const uint32_t*>state)[0] == (<const uint32_t*>other)[0] and memcmp(state, other, state_size) == 0:
                return True
        return False

    cdef int collect(self, bint with_extra) noexcept nogil:
        cdef int i
        if self.arena.used < self.arena.collect_at:
            return 0
        for i in range(self.n_items):
            self.to_collect[i] = self.state(i)
        if with_extra:
            self.to_collect[self.n_items] = self.state(self.width)
        return arena_collect(
            &self.arena, <char**>self.to_collect, self.n_items + (1 if with_extra else 0), self.system.n_state_links
        )

    cdef int run(self, const InputC* input) noexcept nogil:
        self.start(input)
        while not self.all_final(input):
            if self.score(input, False) == -1:
                return -1
            if self.advance(input, self.select()) == -1:
                return -1
            if self.collect(False) == -1:
                return -1
        return 0

    cdef void path(self, int item, int first, int last, vector[uint16_t]& actions) noexcept nogil:
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

    def predict(self, Weights weights not None, Columns columns not None, bint exact=False):
        """Finds the best actions for a document.

        weights (Weights): Finished weights, or with `exact`, weights that learn.
        columns (Columns): The document.
        exact (bool): Whether to search with the weights as they are learnt, neither averaged nor pruned nor quantised.
        RETURNS (np.ndarray): uint16, the actions in order; the best found under the beam.
        RAISES ValueError: If the weights are not for this system, or not finished.
        """
        self._run(weights, columns, exact)
        return self._path(0)

    def predict_all(self, Weights weights not None, Columns columns not None, bint recombine=True):
        """Finds the paths that are in the beam at the end.

        weights (Weights): Finished weights.
        columns (Columns): The document.
        recombine (bool): Whether to search as `predict` does; otherwise there are more of them, and often none as good.
        RETURNS (list[tuple[np.ndarray, float]]): Actions (uint16) and scores, best first.
        RAISES ValueError: If the weights are not for this system, or not finished.
        """
        self.recombines = recombine
        try:
            self._run(weights, columns, False)
        finally:
            self.recombines = True
        return [(self._path(i), self.totals[i]) for i in range(self.n_items)]

    def trace(self, Weights weights not None, Columns columns not None):
        """Searches, and says what was in the beam after each step, for those who ask how close the competition was.

        weights (Weights): Finished weights.
        columns (Columns): The document.
        RETURNS (tuple[np.ndarray, tuple[np.ndarray, np.ndarray, np.ndarray]]): What `predict` gives; and arrays of
            steps x width, the best item first: the item of the step before that each continues (uint16); the action
            (uint16, NO_ACTION for one that was complete); how far its score is below the best (float32, infinite where
            there is no item).
        RAISES ValueError: If the weights are not for this system, or not finished.
        """
        self.keeps_lags = True
        try:
            self._run(weights, columns, False)
            shape = self.n_steps, self.width
            parents, actions = np.zeros(shape, dtype=np.uint16), np.zeros(shape, dtype=np.uint16)
            lags = np.zeros(shape, dtype=np.float32)
            self._copy_history(parents.reshape(-1), actions.reshape(-1), lags.reshape(-1))
        finally:
            self.keeps_lags = False
            self.lags = vector[float]()
        return self._path(0), (parents, actions, lags)

    def _copy_history(self, uint16_t[::1] parents, uint16_t[::1] actions, float[::1] lags):
        cdef size_t i
        for i in range(self.history.size()):
            parents[i] = self.history[i].parent
            actions[i] = self.history[i].action
            lags[i] = self.lags[i]

    cdef int _run(self, Weights weights, Columns columns, bint exact) except -1:
        cdef int status
        if columns.names != self.templates.columns:
            raise ValueError(Errors.J034.format(got=", ".join(columns.names), wanted=", ".join(self.templates.columns)))
        self.use_weights(weights.learning_table() if exact else weights.prediction_table())
        with nogil:
            status = self.run(&columns.c)
        if status == -1:
            raise MemoryError(Errors.J003)
        return 0

    cdef _path(self, int item):
        """All actions of an item (np.ndarray of uint16)."""
        cdef vector[uint16_t] actions
        cdef size_t i
        self.path(item, 0, self.n_steps, actions)
        result = np.empty(actions.size(), dtype=np.uint16)
        cdef uint16_t[::1] view = result
        for i in range(actions.size()):
            view[i] = actions[i]
        return result

    cdef int use_weights(self, TableC table) except -1:
        # Another table may lie where the one before was.
        if (
            self.table.cells != table.cells or self.table.kernels != table.kernels or self.table.scale != table.scale
            or self.table.bits != table.bits or self.table.width != table.width or self.table.kept != table.kept
        ):
            self.use_table(table)
        return 0
