"""Learning of weights from documents and their correct actions, with inexact search.

An update strategy says which stretches of the correct path are compared with what the search preferred; an update rule
says how far the weights move along the difference of their features. They combine freely:

- `greedy`: no beam; every step is compared.
- `early` (Collins & Roark 2004): stops when the correct item leaves the beam.
- `max_violation` (Huang et al. 2012): searches to the end; the prefix where the correct item is furthest behind.
- `dlaso` (Bjorkelund & Kuhn 2014): whenever the correct item leaves the beam, keeps that stretch aside and goes on from
  the correct item alone; weights change at the end of the document.
- `laso` (Daume & Marcu 2005): the same, but weights change at once.

- `perceptron` (Collins 2002): a step of fixed length.
- `passive_aggressive` (Crammer et al. 2006, PA-I): the least step that mends the violation, for one stretch after
  another, each measured anew: with the scores that the search saw, the steps of a document overshoot together.

The instances of a batch are all searched with the weights of its start, by any number of threads, and applied in their
order, so the number of threads does not change the result.
"""

from concurrent.futures import ThreadPoolExecutor, wait

import numpy as np

from ..errors import Errors

from libc.stdint cimport uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy
from libcpp.vector cimport vector

from .beam cimport NO_ACTION, Search
from .columns cimport Columns, InputC
from .system cimport (
    MAX_NODES_A_STEP,
    MAX_SLOTS,
    ArenaC,
    System,
    arena_clear,
    arena_collect,
    arena_free,
    arena_init,
    arena_reserve,
)
from .templates cimport MAX_TEMPLATES, Templates, keep_features
from .weights cimport ChangeC, Weights


STRATEGIES = ("greedy", "early", "max_violation", "dlaso", "laso")
RULES = ("perceptron", "passive_aggressive")

cdef enum:
    GREEDY
    EARLY
    MAX_VIOLATION
    DLASO
    LASO

cdef enum:
    NO_MEMORY = -1
    ILLEGAL = -2
    EMPTY = 0xFFFFFFFF


# A stretch of the correct path and what the search preferred to it.
cdef struct StretchC:
    int first               # step
    int gold_end            # step
    size_t first_predicted, n_predicted
    double violation


cdef cppclass Difference:
    """A sparse vector over cells, by open addressing; each cell with the feature that it was first met for."""
    vector[ChangeC] changes
    size_t n

    void clear() noexcept nogil:
        this.n = 0
        this.make_empty(1024)

    void make_empty(size_t size) noexcept nogil:
        cdef ChangeC empty
        empty.cell = EMPTY
        empty.feature = 0
        empty.value = 0
        this.changes.assign(size, empty)

    void add(uint32_t cell, uint32_t feature, float value) noexcept nogil:
        cdef ChangeC* change
        if 2 * this.n >= this.changes.size():
            this.grow()
        change = this.find(cell)
        if change.cell == <uint32_t>EMPTY:
            change.cell = cell
            change.feature = feature
            this.n += 1
        change.value += value

    ChangeC* find(uint32_t cell) noexcept nogil:
        cdef size_t mask = this.changes.size() - 1
        cdef size_t at = (cell * <uint64_t>0x9E3779B97F4A7C15) >> 32 & mask
        while this.changes[at].cell != cell and this.changes[at].cell != <uint32_t>EMPTY:
            at = (at + 1) & mask
        return &this.changes[at]

    void grow() noexcept nogil:
        cdef vector[ChangeC] changes
        cdef ChangeC change
        changes.swap(this.changes)
        this.make_empty(changes.size() * 4)
        for change in changes:
            if change.cell != <uint32_t>EMPTY:
                this.find(change.cell)[0] = change

    vector[ChangeC] pop() noexcept nogil:
        """Hands out the cells that differ. Empty from then on."""
        cdef vector[ChangeC] result
        cdef ChangeC change
        result.reserve(this.n)
        for change in this.changes:
            if change.cell != <uint32_t>EMPTY and change.value != 0:
                result.push_back(change)
        this.clear()
        return result


cdef class Instance:
    """A document to learn from.

    columns (Columns): The document.
    actions (np.ndarray): uint16, the correct actions.
    RAISES ValueError: If the actions are not one sequence.
    """
    cdef readonly Columns columns
    cdef uint16_t[::1] actions
    cdef readonly int n_actions

    def __cinit__(self, Columns columns not None, actions):
        actions = np.asarray(actions, dtype=np.uint16)
        if actions.ndim != 1:
            raise ValueError(Errors.J043.format(n=f"of shape {actions.shape}", step=0))
        self.columns = columns
        self.n_actions = actions.shape[0]
        self.actions = np.append(actions, np.uint16(0))


cdef class Outcome:
    """What the search of one instance gave."""
    cdef vector[vector[ChangeC]] differences    # of stretches that were not learnt from yet
    cdef double violation                       # of all stretches
    cdef int n_stretches
    cdef int n_used
    cdef int status


cdef class Worker:
    """What one thread needs to search an instance and to find the difference to be learnt."""
    cdef System system
    cdef Templates templates
    cdef Search search
    cdef ArenaC arena
    cdef bytearray states
    cdef char* gold_state       # in `states`
    cdef char* other_state
    cdef int walked             # steps of the correct path that `states` has taken
    cdef int strategy
    cdef bint passive_aggressive
    cdef double aggressiveness
    cdef vector[StretchC] stretches
    cdef vector[uint16_t] predicted
    cdef Difference difference

    def __cinit__(self, System system, Templates templates, int width, int strategy, bint passive_aggressive,
                  double aggressiveness):
        self.system, self.templates = system, templates
        self.search = Search(system, templates, 1 if strategy == GREEDY else width)
        # The correct item leaves the beam when others are better, not as soon as one of the same state is: learning
        # from such short stretches was no better, or worse.
        self.search.recombines = False
        self.strategy = strategy
        self.passive_aggressive = passive_aggressive
        self.aggressiveness = aggressiveness
        self.states = bytearray(2 * system.state_size)
        self.gold_state = self.states
        self.other_state = self.gold_state + system.state_size
        arena_init(&self.arena, self.system.node_size, self.system.n_node_links)

    def __dealloc__(self):
        arena_free(&self.arena)

    cdef int find_stretches(self, const InputC* input, const uint16_t* gold, int n_gold, Outcome outcome,
                            Weights weights) noexcept nogil:
        """Searches along the correct path as the strategy says; fills `stretches`. 0, or why not.
        Only `laso` changes `weights` already."""
        cdef int gold_item = 0      # where the correct item is in the beam; -1: nowhere
        cdef int first = 0          # step from which all items of the beam differ from the correct one
        cdef int worst_step = 0
        cdef double worst = 0, violation
        cdef int step, row
        cdef uint16_t action
        cdef char* gold_state
        cdef double* gold_total = &self.search.totals[self.search.width]
        self.stretches.clear()
        self.predicted.clear()
        self.search.start(input)
        self.start_differences(input)
        memcpy(self.search.state(self.search.width), self.search.state(0), self.system.state_size)
        gold_total[0] = 0
        outcome.n_used = n_gold
        while True:
            self.search.final[self.search.width] = self.system.is_final(input, self.search.state(self.search.width))
            step = self.search.n_steps
            if self.search.all_final(input) and self.search.final[self.search.width]:
                if step < n_gold:
                    return ILLEGAL
                break
            if self.search.score(input, gold_item < 0) == -1:
                return NO_MEMORY
            row = gold_item if gold_item >= 0 else self.search.width
            action = gold[step] if step < n_gold else <uint16_t>NO_ACTION
            if (step >= n_gold) != self.search.final[self.search.width]:
                return ILLEGAL
            if step < n_gold:
                if not self.system.is_legal(input, &self.search.arena, self.search.state(row), action):
                    return ILLEGAL
                gold_total[0] += self.search.scores[row * self.search.table.padded_width + action]
            if self.search.advance(input, self.search.select()) == -1:
                return NO_MEMORY
            if gold_item >= 0:
                gold_item = self.search.find_child(gold_item, action)
            gold_state = self.search.state(self.search.width)
            if step < n_gold:
                self.system.advance(input, &self.search.arena, gold_state, action)
            if self.search.collect(True) == -1:
                return NO_MEMORY
            violation = self.search.totals[0] - gold_total[0]
            if self.strategy == MAX_VIOLATION:
                if gold_item != 0 and (worst_step == 0 or violation > worst):
                    worst, worst_step = violation, self.search.n_steps
            elif gold_item == -1:
                self.keep(first, self.search.n_steps, n_gold, violation)
                if self.strategy == EARLY:
                    outcome.n_used = min(self.search.n_steps, n_gold)
                    return 0
                memcpy(self.search.state(0), gold_state, self.system.state_size)
                self.search.totals[0] = gold_total[0]
                self.search.n_items = 1
                gold_item = 0
                first = self.search.n_steps
                if self.strategy == LASO and self.learn_now(input, gold, outcome, weights) == -1:
                    return NO_MEMORY
        if self.strategy == MAX_VIOLATION:
            if worst_step > 0:
                self.keep(0, worst_step, n_gold, worst)
                outcome.n_used = min(worst_step, n_gold)
        elif gold_item != 0:
            self.keep(first, self.search.n_steps, n_gold, self.search.totals[0] - gold_total[0])
        return 0

    cdef void keep(self, int first, int last, int n_gold, double violation) noexcept nogil:
        cdef StretchC stretch
        cdef vector[uint16_t] actions
        self.search.path(0, first, last, actions)
        stretch.first = first
        stretch.gold_end = min(last, n_gold)
        stretch.first_predicted = self.predicted.size()
        stretch.n_predicted = actions.size()
        stretch.violation = violation
        self.predicted.insert(self.predicted.end(), actions.begin(), actions.end())
        self.stretches.push_back(stretch)

    cdef int learn_now(self, const InputC* input, const uint16_t* gold, Outcome outcome,
                       Weights weights) noexcept nogil:
        if self.find_differences(input, gold, outcome) == -1:
            return -1
        self.apply(outcome, weights)
        outcome.differences.clear()
        self.stretches.clear()
        self.search.forget_sums()
        return 0

    cdef void apply(self, Outcome outcome, Weights weights) noexcept nogil:
        """Moves the weights along one difference after another; leaves the count of instances alone."""
        cdef size_t i
        cdef double step, violation, squared_norm
        cdef ChangeC change
        for i in range(outcome.differences.size()):
            if outcome.differences[i].empty():
                continue
            step = self.aggressiveness
            if self.passive_aggressive:
                # Measured anew: stretches that came before may have mended, or worsened, it already.
                violation = squared_norm = 0
                for change in outcome.differences[i]:
                    violation -= <double>weights._raw[change.cell] * change.value
                    squared_norm += <double>change.value * change.value
                step = max(0.0, min(step, (violation + 1) / squared_norm))
            weights.add(outcome.differences[i].data(), outcome.differences[i].size(), step)

    cdef void start_differences(self, const InputC* input) noexcept nogil:
        self.difference.clear()
        arena_clear(&self.arena)
        self.system.start(input, self.gold_state)
        self.walked = 0

    cdef int find_differences(self, const InputC* input, const uint16_t* gold, Outcome outcome) noexcept nogil:
        """Walks the stretches again for the features in which they differ. 0, or why not."""
        cdef const uint16_t* predicted
        cdef int p
        cdef StretchC stretch
        for stretch in self.stretches:
            predicted = self.predicted.data() + stretch.first_predicted
            p = 0
            while self.walked < stretch.first:
                if self.step(input, self.gold_state, gold[self.walked], 0) == -1:
                    return NO_MEMORY
                self.walked += 1
            while self.walked < stretch.gold_end and p < <int>stretch.n_predicted and gold[self.walked] == predicted[p]:
                if self.step(input, self.gold_state, gold[self.walked], 0) == -1:
                    return NO_MEMORY
                self.walked += 1
                p += 1
            memcpy(self.other_state, self.gold_state, self.system.state_size)
            while self.walked < stretch.gold_end:
                if self.step(input, self.gold_state, gold[self.walked], 1) == -1:
                    return NO_MEMORY
                self.walked += 1
            while p < <int>stretch.n_predicted:
                if self.step(input, self.other_state, predicted[p], -1) == -1:
                    return NO_MEMORY
                p += 1
            outcome.differences.push_back(self.difference.pop())
            outcome.n_stretches += 1
            outcome.violation += stretch.violation
            if self.arena.used >= self.arena.collect_at:
                if arena_collect(&self.arena, &self.gold_state, 1, self.system.n_state_links) == -1:
                    return NO_MEMORY
        return 0

    cdef int step(self, const InputC* input, char* state, int action, int sign) noexcept nogil:
        """Takes a step, and counts its features unless sign is 0."""
        cdef uint64_t[MAX_SLOTS] slots
        cdef uint64_t[MAX_TEMPLATES] hashes
        cdef int b, i, n
        if sign != 0:
            self.system.slots(input, &self.arena, state, slots)
            for b in range(self.templates.n_blocks):
                n = self.templates.block_features(b, input, slots, self.search.table.bits, hashes)
                n = keep_features(&self.search.filter, hashes, n)
                for i in range(n):
                    self.difference.add(<uint32_t>(hashes[i] + action), hashes[i], sign)
        if arena_reserve(&self.arena, MAX_NODES_A_STEP) == -1:
            return -1
        self.system.advance(input, &self.arena, state, action)
        return 0


cdef class Learner:
    """Learns weights from batches of instances.

    weights (Weights): Changed in place.
    system (System): What is searched.
    templates (Templates): What it sees.
    width (int): Items of the beam.
    strategy (str): One of STRATEGIES.
    rule (str): One of RULES.
    aggressiveness (float): The longest step (C of PA-I; the step of `perceptron`).
    threads (int): Instances of a batch that are searched at the same time.
    seed (int): Decides which features dropout leaves out.
    RAISES ValueError: If a setting is not known or out of range.
    """
    cdef readonly Weights weights
    cdef readonly System system
    cdef readonly Templates templates
    cdef readonly str strategy
    cdef readonly str rule
    cdef readonly double aggressiveness
    cdef readonly int threads
    cdef readonly uint64_t seed
    cdef list workers
    cdef object pool

    def __init__(self, Weights weights not None, System system not None, Templates templates not None, width, *,
                 strategy="dlaso", rule="passive_aggressive", aggressiveness=1.0, threads=1, seed=0):
        if strategy not in STRATEGIES:
            raise ValueError(Errors.J040.format(what="update strategy", name=strategy, known=", ".join(STRATEGIES)))
        if rule not in RULES:
            raise ValueError(Errors.J040.format(what="update rule", name=rule, known=", ".join(RULES)))
        if not aggressiveness > 0:
            raise ValueError(Errors.J041.format(value=aggressiveness))
        if threads < 1:
            raise ValueError(Errors.J042.format(value=threads))
        self.weights, self.system, self.templates = weights, system, templates
        self.strategy, self.rule, self.aggressiveness, self.threads = strategy, rule, aggressiveness, threads
        self.seed = seed
        # Weights that change within an instance leave nothing to do at the same time.
        n_workers = 1 if strategy == "laso" else threads
        self.workers = [
            Worker(
                system, templates, width, STRATEGIES.index(strategy), rule == "passive_aggressive", aggressiveness
            )
            for _ in range(n_workers)
        ]
        self.pool = ThreadPoolExecutor(n_workers) if n_workers > 1 else None

    def update(self, instances, double dropout=0.0):
        """Learns from a batch.

        instances (Sequence[Instance]): The batch.
        dropout (float): The share of features to leave out, others for each instance, 0..1.
        RETURNS (dict): Sums over the batch: `violation` (score by which the search preferred something wrong),
            `stretches` (updates), `used` and `gold` (actions of the correct path that took part, and all of them).
        RAISES ValueError: If the correct actions of an instance are not a legal path to a final state.
        """
        if not 0 <= dropout <= 1:
            raise ValueError(Errors.J044.format(value=dropout))
        cdef Outcome outcome
        cdef Worker worker = self.workers[0]
        cdef Weights weights = self.weights
        instances = list(instances)
        sums = {"violation": 0.0, "stretches": 0, "used": 0, "gold": 0}
        if self.pool is None:
            outcomes = [self._search(instance, self.workers[0], dropout, i) for i, instance in enumerate(instances)]
        else:
            chunks = [self.pool.submit(self._search_share, instances, w, dropout) for w in range(len(self.workers))]
            # An error must not leave a worker searching when the next batch comes.
            wait(chunks)
            found = dict(pair for chunk in chunks for pair in chunk.result())
            outcomes = [found[i] for i in range(len(instances))]
        for instance, outcome in zip(instances, outcomes):
            worker.apply(outcome, weights)
            weights.count_update()
            sums["violation"] += outcome.violation
            sums["stretches"] += outcome.n_stretches
            sums["used"] += outcome.n_used
            sums["gold"] += instance.n_actions
        return sums

    def _search_share(self, instances, w, dropout):
        # A longest-first deal would balance better, but every w-th is near enough for batches of many.
        share = range(w, len(instances), len(self.workers))
        return [(i, self._search(instances[i], self.workers[w], dropout, i)) for i in share]

    def _search(self, Instance instance not None, Worker worker, double dropout, int place):
        cdef Outcome outcome = Outcome()
        cdef Weights weights = self.weights
        cdef const InputC* input = &instance.columns.c
        cdef const uint16_t* gold = &instance.actions[0]
        cdef int n_gold = instance.n_actions
        if instance.columns.names != self.templates.columns:
            raise ValueError(
                Errors.J034.format(got=", ".join(instance.columns.names), wanted=", ".join(self.templates.columns))
            )
        worker.search.use_weights(weights.learning_table())
        worker.search.filter.seed = (
            (<uint64_t>(weights.n_updates + place + 1) + (self.seed << 32)) * <uint64_t>0x9E3779B97F4A7C15
        )
        worker.search.filter.threshold = <uint64_t>(min(dropout, 1 - 2.0**-53) * 18446744073709551616.0)
        with nogil:
            outcome.status = worker.find_stretches(input, gold, n_gold, outcome, weights)
            if outcome.status == 0:
                outcome.status = worker.find_differences(input, gold, outcome)
        if outcome.status == NO_MEMORY:
            raise MemoryError(Errors.J003)
        if outcome.status == ILLEGAL:
            raise ValueError(Errors.J043.format(step=worker.search.n_steps, n=n_gold))
        return outcome
