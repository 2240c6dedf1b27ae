"""Learns weights from documents and their gold actions, with inexact search.

An update strategy selects segments of the gold derivation to compare with those that the search prefers; an update
rule sets the step size along the difference of their features (updater.pyx). Any strategy works with any rule:

- `greedy`: no beam; every step is compared.
- `early` (Collins & Roark 2004): stops when the gold item leaves the beam.
- `max_violation` (Huang et al. 2012): searches to the end; compares the prefix with the maximum violation.
- `dlaso` (Bjorkelund & Kuhn 2014): whenever the gold item leaves the beam, records the segment and continues from the
  gold item alone; weights are updated at the end of the document.
- `laso` (Daume & Marcu 2005): the same, but weights are updated immediately.

The step sizes of passive-aggressive updates are computed segment by segment, with the current weights: with the scores
of the search, the updates of a document would overshoot.

All instances of a batch are searched with the weights at its start, by any number of threads, and the updates are
applied in order, so the number of threads does not affect the result.
"""

from functools import partial
from threading import Lock

import numpy as np

from ..errors import Errors, JointValueError, check_choice, check_range
from .threads import run_all

cimport cython
from libc.stdint cimport uint16_t, uint64_t
from libc.string cimport memcpy
from libcpp.vector cimport vector

from .beam cimport NO_ACTION, STEPS_PER_CHECK, Search, check_signals
from .columns cimport Columns, InputC
from .system cimport ArenaC, System, arena_clear, arena_collect, arena_free, arena_init, arena_reserve
from .templates cimport Templates
from .updater cimport Bag, Updater
from .weights cimport ChangeC, Weights, pad


STRATEGIES = ("greedy", "early", "max_violation", "dlaso", "laso")

cdef enum:
    GREEDY
    EARLY
    MAX_VIOLATION
    DLASO
    LASO

# Why a search ends early: the gold derivation is illegal, or the update was interrupted.
cdef enum:
    ILLEGAL = 1
    STOPPED


# A segment of the gold derivation, and what the search preferred.
cdef struct SegmentC:
    int first               # step
    int gold_end            # step
    size_t first_predicted, n_predicted
    double violation


cdef class Instance:
    """A training document and its gold actions.

    update_weight (np.ndarray | None): The weight of each step in updates (float32, one per action), a factor of its
        features on both the gold and the preferred derivation. None: 1 for all.
    RAISES ValueError: If the actions are not a sequence, or `update_weight` is not one positive number per action.
    """
    cdef readonly Columns columns
    cdef uint16_t[::1] actions
    cdef float[::1] update_weight
    cdef readonly int n_actions

    def __cinit__(self, Columns columns not None, actions, update_weight=None):
        actions = np.asarray(actions, dtype=np.uint16)
        if actions.ndim != 1:
            raise JointValueError(Errors.J043, n=f"of shape {actions.shape}", step=0)
        update_weight = np.ones(len(actions)) if update_weight is None else np.asarray(update_weight)
        if update_weight.shape != actions.shape or not ((update_weight > 0) & np.isfinite(update_weight)).all():
            allowed = f"{len(actions)} positive finite numbers, one per action"
            raise JointValueError(Errors.J001, name="update_weight", value=update_weight.shape, allowed=allowed)
        self.update_weight = np.append(update_weight, 1).astype(np.float32)
        self.columns = columns
        self.n_actions = actions.shape[0]
        self.actions = np.append(actions, np.uint16(0))


cdef class GoldSearch(Search):
    """A beam search that also follows a given derivation, even after it has left the beam."""
    cdef const uint16_t* gold           # its actions, borrowed for one search
    cdef int n_gold
    cdef int gold_item                  # the item of the derivation in the beam; -1: none
    cdef double gold_total              # its score
    cdef bint gold_final
    cdef vector[char] gold_state
    cdef vector[uint64_t] gold_slots
    cdef vector[float] gold_scores

    def __cinit__(self, system, templates, int width, biases=None):
        with self.claim:
            self.gold_state.resize(self.system.state_size)
            self.gold_slots.resize(self.system.n_slots)
            self.gold_scores.resize(pad(self.system.row_width))
        # So the gold item leaves the beam only when outscored: the shorter segments with recombination did not help.
        self.recombines = False

    cdef void start_gold(self, const InputC* input, const uint16_t* actions, int n) noexcept nogil:
        self.start(input)
        self.gold, self.n_gold = actions, n
        self.gold_item = 0
        self.gold_total = 0
        memcpy(self.gold_state.data(), self.state(0), self.system.state_size)

    cdef bint is_over(self, const InputC* input) noexcept nogil:
        """Returns whether both the beam and the derivation have ended."""
        self.gold_final = self.system.is_final(input, self.gold_state.data())
        return self.all_final(input) and self.gold_final

    cdef int step_with_gold(self, const InputC* input) except -1 nogil:
        """Advances both by a step. Returns 0, or ILLEGAL if the next action of the derivation is illegal."""
        cdef int action = NO_ACTION
        cdef bint has_action = self.n_steps < self.n_gold
        if has_action == self.gold_final:
            return ILLEGAL
        if has_action:
            action = self.gold[self.n_steps]
            if not self.system.is_legal(input, &self.arena, self.gold_state.data(), action):
                return ILLEGAL
        self.expand(input)
        if has_action:
            self.gold_total += self.score_gold(input, action)
        self.advance(input, self.select())
        if self.gold_item >= 0:
            self.gold_item = self.find_child(self.gold_item, action)
        if has_action:
            arena_reserve(&self.arena, self.system.nodes_per_step)
            self.system.advance(input, &self.arena, self.gold_state.data(), action)
        self.collect(self.gold_state.data(), False)
        return 0

    cdef float score_gold(self, const InputC* input, int action) noexcept nogil:
        cdef int i, n = 0
        if self.gold_item >= 0:
            # Its row exists; preceding final items have none.
            for i in range(self.gold_item):
                n += not self.final[i]
            return self.scores[n * self.stride + action]
        self.system.slots(input, &self.arena, self.gold_state.data(), self.gold_slots.data())
        self.scorer.score(input, self.gold_slots.data(), NULL, 1, self.gold_scores.data())
        return self.gold_scores[action]

    cdef void return_to_gold(self) noexcept nogil:
        """Makes the derivation the only item of the beam."""
        memcpy(self.state(0), self.gold_state.data(), self.system.state_size)
        self.totals[0] = self.gold_total
        self.n_items = 1
        self.gold_item = 0


# The result of searching an instance.
@cython.internal
cdef class Outcome:
    cdef vector[vector[ChangeC]] differences    # of segments that have caused no update yet
    cdef double violation                       # sum over all segments
    cdef int n_segments
    cdef int n_used


# Asks the workers of one update to stop, after an interruption.
@cython.internal
cdef class StopFlag:
    cdef bint is_set

    def set(self):
        self.is_set = True


@cython.internal
cdef class Worker:
    """The buffers of a thread for searching an instance and finding the differences of features."""
    cdef object lock            # held while learning: a worker that was asked to stop may still be running
    cdef System system
    cdef GoldSearch search
    cdef Bag bag
    cdef Updater updater
    cdef StopFlag stop
    cdef int update_strategy

    # Of the current instance.
    cdef Outcome outcome
    cdef const InputC* input
    cdef const uint16_t* gold
    cdef const float* update_weight
    cdef int n_gold
    cdef ArenaC arena
    cdef vector[char] gold_state
    cdef vector[char] other_state
    cdef int walked             # steps of the gold derivation taken by `gold_state`
    cdef vector[uint64_t] slots
    cdef vector[SegmentC] segments
    cdef vector[uint16_t] predicted

    def __cinit__(self, System system, Templates templates, int width, int update_strategy, Updater updater):
        self.system, self.updater, self.update_strategy = system, updater, update_strategy
        self.lock, self.stop = Lock(), StopFlag()
        self.search = GoldSearch(system, templates, 1 if update_strategy == GREEDY else width)
        self.bag = Bag(self.search.scorer)
        self.slots.resize(system.n_slots)
        self.gold_state.resize(system.state_size)
        self.other_state.resize(system.state_size)
        arena_init(&self.arena, system.node_size, system.n_node_links)

    def __dealloc__(self):
        arena_free(&self.arena)

    def learn(self, Instance instance not None, double dropout, uint64_t seed, int index):
        """Finds the differences from the gold derivation. Dropout depends on the place in the batch."""
        cdef int status
        check_signals()
        self.outcome = Outcome()
        self.input, self.n_gold = &instance.columns.c, instance.n_actions
        self.gold, self.update_weight = &instance.actions[0], &instance.update_weight[0]
        self.system.check(instance.columns)
        self.search.scorer.check(instance.columns)
        self.search.scorer.use(self.updater.weights.learning_table(), self.system.row_width)
        self.search.scorer.drop_out(dropout, seed, self.updater.weights.n_updates + index + 1)
        with nogil:
            self.bag.clear()
            arena_clear(&self.arena)
            self.system.start(self.input, self.gold_state.data())
            self.walked = 0
            status = self.find_segments()
            if status == 0:
                self.find_differences()
        if status == ILLEGAL:
            raise JointValueError(Errors.J043, step=self.search.n_steps, n=self.n_gold)
        return self.outcome

    cdef int find_segments(self) except -1 nogil:
        """Fills `segments`; `laso` also updates weights. Returns 0, ILLEGAL or STOPPED."""
        cdef int status, worst_step = 0, first = 0      # first: of the current segment
        cdef double worst = 0, violation
        self.segments.clear()
        self.predicted.clear()
        self.search.start_gold(self.input, self.gold, self.n_gold)
        self.outcome.n_used = self.n_gold
        while not self.search.is_over(self.input):
            status = self.search.step_with_gold(self.input)
            if status != 0:
                return status
            if self.stop.is_set:
                return STOPPED
            if self.search.n_steps % STEPS_PER_CHECK == 0:
                check_signals()
            violation = self.search.totals[0] - self.search.gold_total
            if self.update_strategy == MAX_VIOLATION:
                if self.search.gold_item != 0 and (worst_step == 0 or violation > worst):
                    worst, worst_step = violation, self.search.n_steps
            elif self.search.gold_item == -1:
                self.keep(first, self.search.n_steps, violation)
                if self.update_strategy == EARLY:
                    self.outcome.n_used = min(self.search.n_steps, self.n_gold)
                    return 0
                self.search.return_to_gold()
                first = self.search.n_steps
                if self.update_strategy == LASO:
                    self.find_differences()
                    self.updater.update_all(self.outcome.differences)
                    self.segments.clear()
                    self.search.scorer.forget()
        if self.search.n_steps < self.n_gold:
            return ILLEGAL
        if self.update_strategy == MAX_VIOLATION:
            if worst_step > 0:
                self.keep(0, worst_step, worst)
                self.outcome.n_used = min(worst_step, self.n_gold)
        elif self.search.gold_item != 0:
            self.keep(first, self.search.n_steps, self.search.totals[0] - self.search.gold_total)
        return 0

    cdef int keep(self, int first, int last, double violation) except -1 nogil:
        cdef vector[uint16_t] actions
        self.search.collect_actions(0, first, last, actions)
        self.segments.push_back(
            SegmentC(first, min(last, self.n_gold), self.predicted.size(), actions.size(), violation)
        )
        self.predicted.insert(self.predicted.end(), actions.begin(), actions.end())
        return 0

    cdef int find_differences(self) except -1 nogil:
        """Replays the segments to find the features in which they differ."""
        cdef const uint16_t* predicted
        cdef int p, step, n_predicted
        cdef SegmentC segment
        cdef char* gold_state = self.gold_state.data()
        cdef char* other_state = self.other_state.data()
        for segment in self.segments:
            predicted = self.predicted.data() + segment.first_predicted
            n_predicted = <int>segment.n_predicted
            p = 0
            while self.walked < segment.first:
                self.step_gold(0)
            while self.walked < segment.gold_end and p < n_predicted and self.gold[self.walked] == predicted[p]:
                self.step_gold(0)
                p += 1
            memcpy(other_state, gold_state, self.system.state_size)
            while self.walked < segment.gold_end:
                self.step_gold(self.update_weight[self.walked])
            while p < n_predicted:
                # A preferred step has the weight of the gold step in its place.
                step = segment.first + p
                self.step(other_state, predicted[p], -self.update_weight[step] if step < segment.gold_end else -1)
                p += 1
            self.outcome.differences.emplace_back()
            self.bag.drain(self.outcome.differences.back())
            self.outcome.n_segments += 1
            self.outcome.violation += segment.violation
            if self.arena.used >= self.arena.collect_at:
                arena_collect(&self.arena, &gold_state, 1, self.system.n_state_links)
        return 0

    cdef int step_gold(self, float sign) except -1 nogil:
        self.step(self.gold_state.data(), self.gold[self.walked], sign)
        self.walked += 1
        return 0

    cdef int step(self, char* state, int action, float sign) except -1 nogil:
        """Takes an action, and counts its features `sign` times."""
        if sign != 0:
            self.system.slots(self.input, &self.arena, state, self.slots.data())
            self.bag.count(self.input, self.slots.data(), 0, action, sign)
        arena_reserve(&self.arena, self.system.nodes_per_step)
        self.system.advance(self.input, &self.arena, state, action)
        return 0


cdef class Learner:
    """Learns weights from batches of instances, in place. For system, templates and beam width, see `Search`.

    update_strategy (str): The update strategy, one of STRATEGIES.
    rule (str), aggressiveness (float): The update rule and the maximum step size: see `Updater`.
    threads (int): The number of instances of a batch that are searched at the same time.
    RAISES ValueError: If a setting is unknown or out of range.
    """
    cdef readonly Weights weights
    cdef uint64_t seed
    cdef Updater updater
    cdef list workers

    def __cinit__(self, Weights weights not None, System system not None, Templates templates not None, width, *,
                  update_strategy="dlaso", rule="passive_aggressive", aggressiveness=1.0, threads=1, seed=0):
        check_choice("update strategy", update_strategy, STRATEGIES)
        check_range("threads", threads, 1)
        self.weights, self.seed = weights, seed
        self.updater = Updater(weights, rule, aggressiveness)
        # `laso` changes weights within an instance, so instances cannot be searched in parallel.
        n_workers = 1 if update_strategy == "laso" else threads
        number = STRATEGIES.index(update_strategy)
        self.workers = [Worker(system, templates, width, number, self.updater) for _ in range(n_workers)]

    def update(self, instances, double dropout=0.0):
        """Learns from a batch (Sequence[Instance]); `dropout` is the share of features of each to drop at random, 0..1.

        RETURNS (dict): Sums over the batch: `violation` (by how much the search preferred wrong derivations),
            `segments` (updates), `used` and `gold` (gold actions that were used, and all gold actions).
        RAISES ValueError: If gold actions are not a legal derivation to a final state, or another thread trains the
            weights.
        """
        check_range("dropout", dropout, 0, 1)
        cdef Outcome outcome
        cdef StopFlag stop = StopFlag()
        instances = list(instances)
        outcomes = [None] * len(instances)
        sums = {"violation": 0.0, "segments": 0, "used": 0, "gold": 0}
        with self.weights.claim:
            try:
                if len(self.workers) == 1:
                    self._search(instances, outcomes, dropout, stop, 0)
                else:
                    search_batch = partial(self._search, instances, outcomes, dropout, stop)
                    run_all([partial(search_batch, w) for w in range(len(self.workers))], stop.set)
                for instance, outcome in zip(instances, outcomes):
                    self.updater.update_all(outcome.differences)
                    self.weights.count_update()
                    sums["violation"] += outcome.violation
                    sums["segments"] += outcome.n_segments
                    sums["used"] += outcome.n_used
                    sums["gold"] += instance.n_actions
            finally:
                stop.is_set = True
        return sums

    def _search(self, instances, outcomes, dropout, StopFlag stop not None, w):
        """Searches the instances of the w-th worker."""
        cdef Worker worker = self.workers[w]
        with worker.lock:
            worker.stop = stop
            # Good enough for large batches, although assigning the longest first would balance better.
            for i in range(w, len(instances), len(self.workers)):
                if stop.is_set:
                    return
                outcomes[i] = worker.learn(instances[i], dropout, self.seed, i)
