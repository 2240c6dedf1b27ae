"""Updates weights along the difference of two bags of features: see updater.pxd."""

from ..errors import check_choice, check_value

from .templates cimport MAX_TEMPLATES
from .vectors cimport refill


RULES = ("perceptron", "passive_aggressive")

cdef enum:
    EMPTY = 0xFFFFFFFF
    MIN_CELLS = 1024        # of an empty bag

cdef ChangeC NO_CHANGE = ChangeC(EMPTY, 0, 0)


cdef class Bag:
    """The difference of two bags of features, as cells of the weight table, each with the first feature that was
    counted in it."""

    def __cinit__(self, Scorer scorer not None):
        self.scorer = scorer
        self.clear()

    cdef int clear(self) except -1 nogil:
        self.n = 0
        refill(self.cells, MIN_CELLS, NO_CHANGE)
        return 0

    cdef int count(self, const InputC* input, const uint64_t* row, int part, int action, float sign) except -1 nogil:
        cdef uint64_t[MAX_TEMPLATES] hashes
        cdef int i, n = self.scorer.features(input, row, part, hashes)
        for i in range(n):
            self.add(<uint32_t>(hashes[i] + action), <uint32_t>hashes[i], sign)
        return 0

    cdef int add(self, uint32_t cell, uint32_t feature, float value) except -1 nogil:
        cdef vector[ChangeC] before
        cdef ChangeC* change
        cdef ChangeC moved
        if 2 * self.n >= self.cells.size():
            before.resize(self.cells.size() * 4, NO_CHANGE)
            before.swap(self.cells)
            for moved in before:
                if moved.cell != <uint32_t>EMPTY:
                    self.find(moved.cell)[0] = moved
        change = self.find(cell)
        if change.cell == <uint32_t>EMPTY:
            change.cell = cell
            change.feature = feature
            self.n += 1
        change.value += value
        return 0

    cdef ChangeC* find(self, uint32_t cell) noexcept nogil:
        cdef size_t mask = self.cells.size() - 1
        cdef size_t at = (cell * <uint64_t>0x9E3779B97F4A7C15) >> 32 & mask
        while self.cells[at].cell != cell and self.cells[at].cell != <uint32_t>EMPTY:
            at = (at + 1) & mask
        return &self.cells[at]

    cdef int drain(self, vector[ChangeC]& changes) except -1 nogil:
        cdef ChangeC change
        changes.clear()
        changes.reserve(self.n)
        for change in self.cells:
            if change.cell != <uint32_t>EMPTY and change.value != 0:
                changes.push_back(change)
        self.clear()
        return 0


cdef class Updater:
    """Updates weights in place by a rule: "perceptron" (Collins 2002) takes steps of size `aggressiveness`;
    "passive_aggressive" (Crammer et al. 2006, PA-I, with `aggressiveness` as C) takes the smallest step, at most
    `aggressiveness`, after which the gold structure outscores the other one by the loss."""

    def __cinit__(self, Weights weights not None, rule, double aggressiveness):
        check_choice("update rule", rule, RULES)
        check_value("aggressiveness", aggressiveness, aggressiveness > 0, "above 0")
        self.weights = weights
        self.passive_aggressive = rule == "passive_aggressive"
        self.aggressiveness = aggressiveness

    cdef void update(self, const vector[ChangeC]& difference, double loss) noexcept nogil:
        cdef double step = self.aggressiveness, norm = 0
        cdef size_t i
        if difference.empty():
            return
        if self.passive_aggressive:
            for i in range(difference.size()):
                norm += <double>difference[i].value * difference[i].value
            # With the current weights, since updates after the search may have changed the gap.
            step = max(0.0, min(step, (loss - self.weights.score(difference.data(), difference.size())) / norm))
        self.weights.add(difference.data(), difference.size(), step)

    cdef void update_all(self, vector[vector[ChangeC]]& differences) noexcept nogil:
        cdef size_t i
        for i in range(differences.size()):
            self.update(differences[i], 1)
        differences.clear()
