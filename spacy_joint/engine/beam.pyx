"""Beam search over the states of a system: see beam.pxd."""

import numpy as np

from ..errors import Errors, JointValueError, check_range, check_value
from .threads import check_stop

from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY, isfinite
from libc.math cimport fabsf as fabs
from libc.string cimport memcmp, memcpy
from libcpp.algorithm cimport reverse

from .claim cimport Claim
from .columns cimport Columns
from .system cimport MAX_ACTIONS, MAX_SLOTS, arena_clear, arena_collect, arena_free, arena_init, arena_reserve
from .weights cimport Weights, pad, selection


# The maximum beam width.
MAX_WIDTH = 1024
# Keeps scores distinguishable in float32.
MAX_BIAS = 1e6

HISTORY = np.dtype([("parent", np.uint16), ("action", np.uint16)])   # HistoryC
cdef float LOWEST = -3.4e38     # below all scores, above those of illegal actions


cdef int check_signals() except -1 nogil:
    with gil:
        PyErr_CheckSignals()
        check_stop()
    return 0


cdef class Search:
    """A beam search and its buffers.

    width (int): The beam width, 1..1024.
    biases (Mapping[int, float | tuple[Sequence[str], np.ndarray]]): Values to add to the scores of actions: a number,
        or one to three atoms of the templates, such as "b0.style", and an array of numbers that is indexed by their
        values; 0 beyond it.
    RAISES ValueError: If a number is out of range, or the templates lack the system's slots or the atoms of a bias.
    """

    def __cinit__(self, System system not None, Templates templates not None, int width, biases=None):
        check_range("beam_width", width, 1, MAX_WIDTH)
        if system.n_actions < 1:
            raise JointValueError(Errors.J031, n=system.n_actions, what="actions", allowed=f"1 to {MAX_ACTIONS}")
        if system.n_slots > MAX_SLOTS:
            raise JointValueError(Errors.J031, n=system.n_slots, what="slots", allowed=f"at most {MAX_SLOTS}")
        templates.check(system)
        self.system = system
        self.templates = templates
        for action, value in (biases or {}).items():
            self.add_bias(action, value)
        self.width = width
        self.recombines = True
        self.scorer = Scorer(templates, width)
        self.selection = selection()
        self.stride = pad(system.n_actions)
        self.n_found = max(4 * width, 64)
        cdef size_t n = width
        self.claim = Claim("search")
        with self.claim:
            self.states.resize(n * system.state_size)
            self.next_states.resize(n * system.state_size)
            self.totals.resize(n)
            self.final.resize(n)
            self.best_totals.resize(n)
            self.best.resize(n)
            self.leading.resize(n)
            # `selection` writes a few values past the end of these.
            self.bounds.resize(2 * n + 7)
            self.found_totals.resize(self.n_found + 3)
            self.found.resize(self.n_found)
            self.order.resize(self.n_found)
            self.reached.resize(n + 1)
            self.actions.resize(self.stride)
            self.rows.resize(n * system.n_slots)
            self.scores.resize(n * self.stride)
        arena_init(&self.arena, system.node_size, system.n_node_links)

    def __dealloc__(self):
        arena_free(&self.arena)

    cdef int add_bias(self, action, value) except -1:
        cdef BiasC bias
        cdef const float[::1] numbers
        cdef size_t i
        atoms, table = value if isinstance(value, tuple) else ((), value)
        table = np.asarray(table, dtype=np.float32)
        is_valid = 0 <= action < self.system.n_actions and (np.abs(table) <= MAX_BIAS).all()
        allowed = f"numbers up to {MAX_BIAS} for an action of the system"
        check_value(f"The bias of action {action}", table.tolist(), is_valid, allowed)
        if len(atoms) != table.ndim or table.ndim > MAX_BIAS_ATOMS:
            allowed = f"a dimension for each atom, at most {MAX_BIAS_ATOMS}"
            raise JointValueError(Errors.J001, name="bias", value=table.shape, allowed=allowed)
        slots, columns = self.system.token_slots, self.templates.columns
        for n, atom in enumerate(atoms):
            token, _, column = atom.rpartition(".")
            if token not in slots or column not in columns:
                raise JointValueError(Errors.J156, atom=atom, tokens=", ".join(slots), columns=", ".join(columns))
            bias.slots[n], bias.columns[n], bias.sizes[n] = slots[token], columns.index(column), table.shape[n]
        bias.action, bias.n_atoms, bias.first = action, table.ndim, self.bias_values.size()
        numbers = table.ravel()
        for i in range(<size_t>table.size):
            self.bias_values.push_back(numbers[i])
        self.biases.push_back(bias)
        return 0

    cdef char* state(self, int item) noexcept nogil:
        return self.states.data() + item * self.system.state_size

    cdef void start(self, const InputC* input) noexcept nogil:
        self.scorer.forget()
        arena_clear(&self.arena)
        self.history.clear()
        self.gaps.clear()
        self.n_items = 1
        self.n_steps = 0
        self.totals[0] = 0
        self.system.start(input, self.state(0))

    cdef bint all_final(self, const InputC* input) noexcept nogil:
        cdef int i, n_final = 0
        for i in range(self.n_items):
            self.final[i] = self.system.is_final(input, self.state(i))
            n_final += self.final[i]
        return n_final == self.n_items

    cdef void expand(self, const InputC* input) noexcept nogil:
        cdef size_t n_slots = self.system.n_slots
        cdef int i, n = 0
        cdef uint64_t* rows = self.rows.data()
        cdef float* scores = self.scores.data()
        for i in range(self.n_items):
            if not self.final[i]:
                self.system.slots(input, &self.arena, self.state(i), rows + n * n_slots)
                n += 1
        self.scorer.score(input, rows, NULL, n, scores)
        for i in range(self.n_items):
            if not self.final[i]:
                self.add_biases(input, rows, scores)
                rows += n_slots
                self.mask(self.system.legal(input, &self.arena, self.state(i)), scores)
                scores += self.stride

    cdef void add_biases(self, const InputC* input, const uint64_t* slots, float* scores) noexcept nogil:
        cdef BiasC bias
        cdef size_t at
        cdef uint64_t value
        cdef int i
        for bias in self.biases:
            at = 0
            for i in range(bias.n_atoms):
                # A token slot holds a row of the input, even if there is no token.
                value = input.cells[slots[bias.slots[i]] * input.n_columns + bias.columns[i]]
                if value >= bias.sizes[i]:
                    break
                at = at * bias.sizes[i] + value
            else:
                scores[bias.action] += self.bias_values[bias.first + at]

    cdef void mask(self, uint64_t legal, float* scores) noexcept nogil:
        cdef int k, a
        for k in range(self.system.n_kinds):
            if not legal >> k & 1:
                for a in range(self.system.kind_start[k], self.system.kind_start[k + 1]):
                    scores[a] = -INFINITY
        for a in range(self.system.n_actions, self.stride):
            scores[a] = -INFINITY

    cdef int select(self) noexcept nogil:
        # Ties go to the item and action that come first, on any machine.
        cdef const float* scores = self.scores.data()
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
            bound = self.selection.kth_greatest(self.bounds.data(), 2 * self.n_items, self.width)
            # Slightly lower, to allow for rounding.
            bound -= <float>1e-5 * (1 + fabs(bound))
        scores = self.scores.data()
        for i in range(self.n_items):
            if self.final[i]:
                n = self.add_candidate(self.totals[i], i, NO_ACTION, n)
                continue
            if self.leading[i] >= bound:
                least = LOWEST
                if bound > -INFINITY:
                    distance = <float>(self.totals[i] - self.totals[0])
                    least = bound - distance
                    least -= <float>1e-5 * (fabs(least) + fabs(distance))
                n_found = self.selection.at_least(scores, self.stride, least, self.actions.data())
                for j in range(n_found):
                    n = self.add_candidate(self.totals[i] + scores[self.actions[j]], i, self.actions[j], n)
            scores += self.stride
        return self.keep_best(n)

    cdef inline int add_candidate(self, double total, int parent, int action, int n) noexcept nogil:
        if n == self.n_found:
            n = self.keep_best(n)
            memcpy(self.found_totals.data(), self.best_totals.data(), n * sizeof(double))
            memcpy(self.found.data(), self.best.data(), n * sizeof(HistoryC))
        self.found_totals[n] = total
        self.found[n].parent = parent
        self.found[n].action = action
        return n + 1

    cdef int keep_best(self, int n) noexcept nogil:
        cdef int i, n_best = min(n, self.width)
        self.selection.order(self.found_totals.data(), n, n_best, self.order.data())
        for i in range(n_best):
            self.best_totals[i] = self.found_totals[self.order[i]]
            self.best[i] = self.found[self.order[i]]
        return n_best

    cdef int advance(self, const InputC* input, int n_best) except -1 nogil:
        cdef size_t state_size = self.system.state_size
        cdef int i, n = 0
        cdef char* state
        cdef size_t first = self.history.size()
        # Infinite scores cannot be ranked.
        if n_best == 0 or not isfinite(self.best_totals[0]):
            with gil:
                raise JointValueError(Errors.J009, step=self.n_steps)
        arena_reserve(&self.arena, n_best * self.system.nodes_per_step)
        self.history.resize(first + self.width)
        for i in range(n_best):
            state = self.next_states.data() + n * state_size
            memcpy(state, self.state(self.best[i].parent), state_size)
            if self.best[i].action != NO_ACTION:
                self.system.advance(input, &self.arena, state, self.best[i].action)
            # Earlier items are better.
            if self.recombines and self.is_duplicate(state, n):
                continue
            self.history[first + n] = self.best[i]
            self.best_totals[n] = self.best_totals[i]
            n += 1
        self.states.swap(self.next_states)
        memcpy(self.totals.data(), self.best_totals.data(), n * sizeof(double))
        if self.keeps_gaps:
            self.gaps.resize(first + self.width, INFINITY)
            for i in range(n):
                self.gaps[first + i] = <float>(self.totals[0] - self.totals[i])
        self.n_items = n
        self.n_steps += 1
        return 0

    cdef bint is_duplicate(self, const char* state, int n) noexcept nogil:
        cdef size_t state_size = self.system.state_size
        cdef const char* other
        cdef int i
        for i in range(n):
            other = self.next_states.data() + i * state_size
            # Most states differ in their first number, which saves the call.
            if (<const uint32_t*>state)[0] == (<const uint32_t*>other)[0] and memcmp(state, other, state_size) == 0:
                return True
        return False

    cdef int collect(self, char* extra, bint force) except -1 nogil:
        cdef int i, n = self.n_items
        if self.arena.used < self.arena.collect_at and not force:
            return 0
        for i in range(n):
            self.reached[i] = self.state(i)
        if extra != NULL:
            self.reached[n] = extra
            n += 1
        return arena_collect(&self.arena, self.reached.data(), n, self.system.n_state_links)

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

    cdef int collect_actions(self, int item, int first, int last, vector[uint16_t]& actions) except -1 nogil:
        cdef HistoryC h
        cdef int step
        actions.clear()
        for step in range(last - 1, first - 1, -1):
            h = self.history[<size_t>step * self.width + item]
            if h.action != NO_ACTION:
                actions.push_back(h.action)
            item = h.parent
        reverse(actions.begin(), actions.end())
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

    cdef void keep_best_prefix(self, int n) noexcept nogil:
        cdef size_t last = <size_t>(self.n_steps - 1) * self.width
        cdef size_t state_size = self.system.state_size
        cdef int best = self.ancestor(0, n)
        cdef int i, n_kept = 0
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

    cdef int rebase(self, int n) except -1 nogil:
        cdef uint32_t node
        cdef int i
        # Nodes of the arena are moved, too, so garbage must be collected first.
        self.collect(NULL, True)
        for i in range(self.n_items):
            self.system.rebase_state(self.state(i), n)
        for node in range(1, self.arena.used):
            self.system.rebase_node(self.arena.nodes + <size_t>node * self.arena.node_size, n)
        # Cached sums are keyed by rows of the input.
        self.scorer.forget()
        return 0

    def predict(self, Weights weights not None, Columns columns not None, bint exact=False):
        """Returns the best actions that the beam finds for a document (np.ndarray of uint16).

        exact (bool): Whether to search with the weights in training, which are not averaged, pruned or quantised.
        RAISES ValueError: If the weights are not for this system, or not averaged (or in training, if `exact`).
        """
        with self.claim:
            self.search(weights, columns, exact)
            return self.copy_derivation(0)

    def predict_all(self, Weights weights not None, Columns columns not None, bint recombine=True):
        """Returns the derivations left in the beam, best first, as actions (uint16) and scores.

        recombine (bool): Whether to recombine items, like `predict`; otherwise there are more derivations, often worse.
        RAISES ValueError: As `predict`.
        """
        with self.claim:
            self.recombines = recombine
            try:
                self.search(weights, columns, False)
            finally:
                self.recombines = True
            return [(self.copy_derivation(i), self.totals[i]) for i in range(self.n_items)]

    def trace(self, Weights weights not None, Columns columns not None):
        """Searches, and returns the items of the beam after each step, for computing margins.

        RETURNS (tuple[np.ndarray, tuple[np.ndarray, np.ndarray, np.ndarray]]): The result of `predict`; and arrays of
            steps x width, best item first: the item of the previous step that each continues (uint16), the action
            (uint16, NO_ACTION for a final item), and how far its score is below the best one (float32, infinite if
            there is no item).
        RAISES ValueError: As `predict`.
        """
        with self.claim:
            self.keeps_gaps = True
            try:
                self.search(weights, columns, False)
                history = to_array(self.history.data(), self.history.size(), HISTORY)
                gaps = to_array(self.gaps.data(), self.gaps.size(), np.float32)
            finally:
                self.keeps_gaps = False
                self.gaps = vector[float]()
            arrays = (history["parent"], history["action"], gaps)
            return self.copy_derivation(0), tuple(array.reshape(self.n_steps, self.width) for array in arrays)

    cdef int search(self, Weights weights, Columns columns, bint exact) except -1:
        self.system.check(columns)
        self.scorer.check(columns)
        self.scorer.use(weights.learning_table() if exact else weights.prediction_table(), self.system.row_width)
        with nogil:
            self.run(&columns.c)
        return 0

    cdef copy_derivation(self, int item):
        return self.copy_steps(item, 0, self.n_steps)

    cdef copy_steps(self, int item, int first, int last):
        cdef vector[uint16_t] actions
        self.collect_actions(item, first, last, actions)
        return to_array(actions.data(), actions.size(), np.uint16)


cdef to_array(const void* numbers, size_t n, dtype):
    dtype = np.dtype(dtype)
    return np.frombuffer((<const char*>numbers)[: n * <size_t>dtype.itemsize], dtype=dtype).copy()
