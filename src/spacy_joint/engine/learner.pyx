"""Learning weights from documents and their gold actions, with inexact search.

An update strategy determines which stretches of the gold path are compared with those that the search prefers; an
update rule determines the step size along the difference of their features (updater.pyx). They can be combined freely:

- `greedy`: no beam; every step is compared.
- `early` (Collins & Roark 2004): stops when the gold item leaves the beam.
- `max_violation` (Huang et al. 2012): searches to the end; compares the prefix with the maximum violation.
- `dlaso` (Bjorkelund & Kuhn 2014): whenever the gold item leaves the beam, records the stretch and continues from the
  gold item alone; weights are updated at the end of the document.
- `laso` (Daume & Marcu 2005): the same, but weights are updated immediately.

The step sizes of passive-aggressive updates are computed stretch by stretch, with the current weights: with the scores
of the search, the updates of a document would overshoot.

All instances of a batch are searched with the weights at its start, by any number of threads, and the updates are
applied in order, so the number of threads does not affect the result.
"""

from functools import partial
from threading import Lock

import numpy as np

from ..errors import Errors, JointMemoryError, JointValueError
from .threads import run_all

from libc.stdint cimport uint8_t, uint16_t, uint64_t
from libc.string cimport memcpy
from libcpp.vector cimport vector

from .beam cimport check_signals
from .columns cimport Columns, InputC
from .reference cimport ILLEGAL, ReferenceSearch
from .system cimport (
    ArenaC,
    System,
    arena_clear,
    arena_collect,
    arena_free,
    arena_init,
    arena_reserve,
)
from .templates cimport Templates
from .updater cimport Bag, Updater
from .weights cimport ChangeC, Weights


STRATEGIES = ("greedy", "early", "max_violation", "dlaso", "laso")

cdef enum:
    GREEDY
    EARLY
    MAX_VIOLATION
    DLASO
    LASO

cdef enum:
    STOPPED = 2
    STEPS_PER_CHECK = 1 << 14       # of signals


# A stretch of the gold path and the path that the search preferred.
cdef struct StretchC:
    int first               # step
    int gold_end            # step
    size_t first_predicted, n_predicted
    double violation


cdef class Instance:
    """A training document.

    columns (Columns): The document.
    actions (np.ndarray): The gold actions (uint16).
    importance (np.ndarray | None): How much each step counts in updates (float32, one per action): a factor of its
        features, of the gold path and of what was preferred to it. None: 1 for all.
    RAISES ValueError: If the actions are not a sequence, or the values of importance not positive, one per action.
    """
    cdef readonly Columns columns
    cdef uint16_t[::1] actions
    cdef float[::1] importance
    cdef readonly int n_actions

    def __cinit__(self, Columns columns not None, actions, importance=None):
        actions = np.asarray(actions, dtype=np.uint16)
        if actions.ndim != 1:
            raise JointValueError(Errors.J043, n=f"of shape {actions.shape}", step=0)
        importance = np.ones(len(actions)) if importance is None else np.asarray(importance)
        if importance.shape != actions.shape or not ((importance > 0) & np.isfinite(importance)).all():
            raise JointValueError(Errors.J573, n=importance.size, n_actions=len(actions))
        self.importance = np.append(importance, 1).astype(np.float32)
        self.columns = columns
        self.n_actions = actions.shape[0]
        self.actions = np.append(actions, np.uint16(0))


cdef class Outcome:
    """The result of searching an instance."""
    cdef vector[vector[ChangeC]] differences    # of stretches without an update so far
    cdef double violation                       # of all stretches
    cdef int n_stretches
    cdef int n_used


cdef class Stop:
    """Asks the workers of one update to stop, after an interruption."""
    cdef bint asked

    def ask(self):
        self.asked = True


cdef class Worker:
    """The buffers of a thread for searching an instance and finding the differences of features.

    Whoever uses it in another thread holds its lock: a worker that was asked to stop may not have stopped yet.
    """
    cdef object lock
    cdef System system
    cdef ReferenceSearch search
    cdef Bag bag
    cdef Updater updater        # for strategies that change weights within an instance
    cdef Stop stop
    cdef int strategy
    cdef ArenaC arena
    cdef bytearray states
    cdef char* gold_state       # in `states`
    cdef char* other_state
    cdef uint64_t[::1] rows
    cdef uint8_t[::1] parts
    cdef int walked             # steps of the gold path taken by `gold_state`
    cdef vector[StretchC] stretches
    cdef vector[uint16_t] predicted

    def __cinit__(self, System system, Templates templates, int width, int strategy, Updater updater):
        self.system, self.updater, self.strategy = system, updater, strategy
        self.lock, self.stop = Lock(), Stop()
        self.search = ReferenceSearch(system, templates, 1 if strategy == GREEDY else width)
        self.bag = Bag(self.search.scorer)
        n_rows = max(system.max_rows, 1)
        self.rows = np.zeros(n_rows * max(system.n_slots, 1), dtype=np.uint64)
        self.parts = np.zeros(n_rows, dtype=np.uint8)
        self.states = bytearray(2 * system.state_size)
        self.gold_state = self.states
        self.other_state = self.gold_state + system.state_size
        arena_init(&self.arena, self.system.node_size, self.system.n_node_links)

    def __dealloc__(self):
        arena_free(&self.arena)

    cdef int learn(self, const InputC* input, const uint16_t* gold, const float* importance, int n_gold,
                   Outcome outcome) except -1 nogil:
        """Searches according to the strategy, and finds the differences from the gold path. Returns 0, ILLEGAL or
        STOPPED."""
        cdef int status
        self.bag.clear()
        arena_clear(&self.arena)
        self.system.start(input, self.gold_state)
        self.walked = 0
        status = self.find_stretches(input, gold, importance, n_gold, outcome)
        if status == 0:
            self.find_differences(input, gold, importance, outcome)
        return status

    cdef int find_stretches(self, const InputC* input, const uint16_t* gold, const float* importance, int n_gold,
                            Outcome outcome) except -1 nogil:
        """Fills `stretches`. Only `laso` already updates weights."""
        cdef int first = 0          # the first step of the current stretch
        cdef int worst_step = 0
        cdef double worst = 0, violation
        cdef int status
        self.stretches.clear()
        self.predicted.clear()
        self.search.start_reference(input, gold, n_gold)
        outcome.n_used = n_gold
        while not self.search.is_over(input):
            status = self.search.step_reference(input)
            if status != 0:
                return status
            if self.stop.asked:
                return STOPPED
            if self.search.n_steps % STEPS_PER_CHECK == 0:
                check_signals()
            violation = self.search.totals[0] - self.search.reference_total
            if self.strategy == MAX_VIOLATION:
                if self.search.reference_item != 0 and (worst_step == 0 or violation > worst):
                    worst, worst_step = violation, self.search.n_steps
            elif self.search.reference_item == -1:
                self.keep(first, self.search.n_steps, n_gold, violation)
                if self.strategy == EARLY:
                    outcome.n_used = min(self.search.n_steps, n_gold)
                    return 0
                self.search.return_to_reference()
                first = self.search.n_steps
                if self.strategy == LASO:
                    self.learn_now(input, gold, importance, outcome)
        if self.search.n_steps < n_gold:
            return ILLEGAL
        if self.strategy == MAX_VIOLATION:
            if worst_step > 0:
                self.keep(0, worst_step, n_gold, worst)
                outcome.n_used = min(worst_step, n_gold)
        elif self.search.reference_item != 0:
            self.keep(first, self.search.n_steps, n_gold, self.search.totals[0] - self.search.reference_total)
        return 0

    cdef int keep(self, int first, int last, int n_gold, double violation) except -1 nogil:
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
        return 0

    cdef int learn_now(self, const InputC* input, const uint16_t* gold, const float* importance,
                       Outcome outcome) except -1 nogil:
        cdef size_t i
        self.find_differences(input, gold, importance, outcome)
        for i in range(outcome.differences.size()):
            self.updater.update(outcome.differences[i], 1)
        outcome.differences.clear()
        self.stretches.clear()
        self.search.scorer.forget()
        return 0

    cdef int find_differences(self, const InputC* input, const uint16_t* gold, const float* importance,
                              Outcome outcome) except -1 nogil:
        """Replays the stretches to find the features in which they differ."""
        cdef const uint16_t* predicted
        cdef int p, step
        cdef StretchC stretch
        for stretch in self.stretches:
            predicted = self.predicted.data() + stretch.first_predicted
            p = 0
            while self.walked < stretch.first:
                self.step(input, self.gold_state, gold[self.walked], 0)
                self.walked += 1
            while self.walked < stretch.gold_end and p < <int>stretch.n_predicted and gold[self.walked] == predicted[p]:
                self.step(input, self.gold_state, gold[self.walked], 0)
                self.walked += 1
                p += 1
            memcpy(self.other_state, self.gold_state, self.system.state_size)
            while self.walked < stretch.gold_end:
                self.step(input, self.gold_state, gold[self.walked], importance[self.walked])
                self.walked += 1
            while p < <int>stretch.n_predicted:
                # A step that was preferred counts as much as the gold one in its place.
                step = stretch.first + p
                self.step(input, self.other_state, predicted[p], -importance[step] if step < stretch.gold_end else -1)
                p += 1
            outcome.differences.emplace_back()
            self.bag.take(outcome.differences.back())
            outcome.n_stretches += 1
            outcome.violation += stretch.violation
            if self.arena.used >= self.arena.collect_at:
                arena_collect(&self.arena, &self.gold_state, 1, self.system.n_state_links)
        return 0

    cdef int step(self, const InputC* input, char* state, int action, float sign) except -1 nogil:
        """Takes an action, and counts its features `sign` times."""
        cdef size_t n_slots = self.system.n_slots
        cdef int i, n
        if sign != 0 and self.system.has_candidates:
            n = self.system.candidate_rows(input, &self.arena, state, action, &self.rows[0], &self.parts[0])
            for i in range(n):
                self.bag.count(input, &self.rows[i * n_slots], self.parts[i], 0, sign)
        elif sign != 0:
            self.system.slots(input, &self.arena, state, &self.rows[0])
            self.bag.count(input, &self.rows[0], 0, action, sign)
        arena_reserve(&self.arena, self.system.nodes_per_step)
        self.system.advance(input, &self.arena, state, action)
        return 0


cdef class Learner:
    """Learns weights from batches of instances.

    weights (Weights): The weights, which are modified in place.
    system (System): The system to search.
    templates (Templates): The feature templates.
    width (int): The beam width.
    strategy (str): The update strategy, one of STRATEGIES.
    rule (str): The update rule, one of RULES.
    aggressiveness (float): The maximum step size (C of PA-I; the step of `perceptron`).
    threads (int): The number of instances of a batch that are searched at the same time.
    seed (int): The random seed of dropout.
    RAISES ValueError: If a setting is unknown or out of range.
    """
    cdef readonly Weights weights
    cdef readonly System system
    cdef readonly Templates templates
    cdef readonly str strategy
    cdef readonly str rule
    cdef readonly double aggressiveness
    cdef readonly int threads
    cdef readonly uint64_t seed
    cdef Updater updater
    cdef list workers

    def __cinit__(self, Weights weights not None, System system not None, Templates templates not None, width, *,
                  strategy="dlaso", rule="passive_aggressive", aggressiveness=1.0, threads=1, seed=0):
        if strategy not in STRATEGIES:
            raise JointValueError(Errors.J040, what="update strategy", name=strategy, known=", ".join(STRATEGIES))
        if threads < 1:
            raise JointValueError(Errors.J042, value=threads)
        self.weights, self.system, self.templates = weights, system, templates
        self.strategy, self.rule, self.aggressiveness, self.threads = strategy, rule, aggressiveness, threads
        self.seed = seed
        self.updater = Updater(weights, rule, aggressiveness)
        # If weights change within an instance, nothing can be done in parallel.
        n_workers = 1 if strategy == "laso" else threads
        number = STRATEGIES.index(strategy)
        self.workers = [Worker(system, templates, width, number, self.updater) for _ in range(n_workers)]

    def update(self, instances, double dropout=0.0):
        """Learns from a batch.

        instances (Sequence[Instance]): The batch.
        dropout (float): The share of features dropped at random from each instance, 0..1.
        RETURNS (dict): Sums over the batch: `violation` (by how much the search preferred a wrong path), `stretches`
            (updates), `used` and `gold` (gold actions that were used, and all gold actions).
        RAISES ValueError: If the gold actions of an instance are not a legal path to a final state, or another thread
            is training the same weights.
        """
        if not 0 <= dropout <= 1:
            raise JointValueError(Errors.J044, value=dropout)
        cdef Outcome outcome
        cdef Stop stop = Stop()
        cdef size_t i
        instances = list(instances)
        sums = {"violation": 0.0, "stretches": 0, "used": 0, "gold": 0}
        self.weights.claim()
        try:
            if len(self.workers) == 1:
                outcomes = [self._search(instance, self.workers[0], dropout, i) for i, instance in enumerate(instances)]
            else:
                outcomes = [None] * len(instances)
                shares = [
                    partial(self._search_share, instances, outcomes, w, dropout, stop) for w in range(len(self.workers))
                ]
                run_all(shares, stop.ask)
            for instance, outcome in zip(instances, outcomes):
                for i in range(outcome.differences.size()):
                    self.updater.update(outcome.differences[i], 1)
                self.weights.count_update()
                sums["violation"] += outcome.violation
                sums["stretches"] += outcome.n_stretches
                sums["used"] += outcome.n_used
                sums["gold"] += instance.n_actions
        except MemoryError as error:
            raise JointMemoryError(Errors.J003) from error
        finally:
            stop.asked = True
            self.weights.release()
        return sums

    def _search_share(self, instances, outcomes, w, dropout, Stop stop not None):
        cdef Worker worker = self.workers[w]
        with worker.lock:
            worker.stop = stop
            # Assigning the longest first would balance better, but this is good enough for large batches.
            for i in range(w, len(instances), len(self.workers)):
                if stop.asked:
                    return
                outcomes[i] = self._search(instances[i], worker, dropout, i)

    def _search(self, Instance instance not None, Worker worker not None, double dropout, int place):
        cdef Outcome outcome = Outcome()
        cdef const InputC* input = &instance.columns.c
        cdef const uint16_t* gold = &instance.actions[0]
        cdef const float* importance = &instance.importance[0]
        cdef int n_gold = instance.n_actions
        cdef int status
        check_signals()
        self.system.check(instance.columns)
        worker.search.scorer.check(instance.columns)
        worker.search.scorer.use(self.weights.learning_table(), self.system.row_width)
        worker.search.scorer.drop_out(dropout, self.seed, self.weights.n_updates + place + 1)
        with nogil:
            status = worker.learn(input, gold, importance, n_gold, outcome)
        if status == ILLEGAL:
            raise JointValueError(Errors.J043, step=worker.search.n_steps, n=n_gold)
        return outcome
