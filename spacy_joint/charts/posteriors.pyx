"""Sums over all derivations: see posteriors.pxd."""

import numpy as np

from ..errors import Errors, JointValueError

from libc.math cimport INFINITY, exp, log
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from ..engine.beam cimport check_signals
from ..engine.vectors cimport refill
from .chart cimport CELLS_PER_CHECK, Chart, EntryC, PairC

# Sums of chains below this are rounding errors.
MIN_SUM = 1e-12
# Sums above this are of chains that do not end.
MAX_SUM = 1e11


cdef class InsideOutside:
    """Inside and outside sums of a chart. RAISES ValueError: If chains of unary rules have no finite sum (J684)."""

    def __cinit__(self, Chart chart not None):
        cdef ChainC chain
        cdef int32_t k, symbol
        self.chart = chart
        self.binary = [exp(rule.score) for rule in chart.binary]
        used = sorted(
            {child for child in range(chart.n_symbols) if chart.unary_start[child] < chart.unary_start[child + 1]}
            | {rule.parent for rule in chart.unary}
        )
        indices = {symbol: index for index, symbol in enumerate(used)}
        rules = np.zeros((len(used), len(used)))
        for symbol in used:
            for k in range(chart.unary_start[symbol], chart.unary_start[symbol + 1]):
                rules[indices[symbol], indices[chart.unary[k].parent]] += exp(chart.unary[k].score)
        # The probabilities of a symbol add up to at most 1 (J674), so its chains have no finite sum only if they lead
        # back to it almost surely. Then there is no inverse, or one of large numbers, which is fast to check.
        try:
            sums = np.linalg.inv(np.eye(len(used)) - rules)
        except np.linalg.LinAlgError as error:
            raise JointValueError(Errors.J684) from error
        if not ((sums > -1) & (sums < MAX_SUM)).all():
            raise JointValueError(Errors.J684)
        self.chain_start.push_back(0)
        for symbol in range(chart.n_symbols):
            upwards = {symbol: 1.0}
            if symbol in indices:
                row = sums[indices[symbol]]
                upwards = {used[index]: row[index] for index in np.flatnonzero(row > MIN_SUM)}
            for chain.symbol, chain.probability in upwards.items():
                self.chains.push_back(chain)
            self.chain_start.push_back(<int32_t>self.chains.size())

    cdef list list_posteriors(self, double min_probability):
        cdef Chart chart = self.chart
        cdef int32_t i, j, cell, index
        cdef double posterior
        found = []
        for i in range(chart.n):
            for j in range(i + 1, chart.n + 1):
                cell = i * (chart.n + 1) + j
                for index in range(chart.cells[cell], chart.ends[cell]):
                    posterior = self.inside[index] * self.outside[index]
                    if posterior >= min_probability:
                        found.append((chart.entries[index].symbol, i, j, posterior))
        return found

    cdef double sum_all(self) except? 1:
        cdef Chart chart = self.chart
        cdef int32_t top = chart.find(0, chart.n, chart.root) if chart.n else -1
        cdef double total
        with nogil:
            if top < 0:
                return -INFINITY
            self.sum_inside(chart)
            if self.inside[top] == 0:
                return -INFINITY
            total = self.scales[chart.n] + log(self.inside[top])
            refill(self.outside, chart.entries.size(), 0)
            self.outside[top] = 1 / self.inside[top]
            self.sum_outside(chart)
        return total

    cdef int sum_inside(self, Chart chart) except -1 nogil:
        cdef int32_t i, j, middle, index, k, rule, cell, left_cell, right_cell, n = chart.n
        cdef double scale, value, highest
        cdef const PairC* both
        cdef EntryC entry
        refill(self.scales, chart.cells.size(), -INFINITY)
        refill(self.inside, chart.entries.size(), 0)
        refill(self.row, chart.n_symbols, 0)
        refill(self.right_row, chart.n_symbols, 0)
        for j in range(1, n + 1):
            for i in range(j - 1, -1, -1):
                if (j - i) % CELLS_PER_CHECK == 0:
                    check_signals()
                cell = i * (n + 1) + j
                if chart.cells[cell] == chart.ends[cell]:
                    continue
                scale = -INFINITY
                if i == j - 1:
                    for k in range(chart.starts[i], chart.starts[j]):
                        scale = max(scale, chart.scores[k])
                    for k in range(chart.starts[i], chart.starts[j]):
                        self.row[chart.tags[k]] = max(self.row[chart.tags[k]], exp(chart.scores[k] - scale))
                for middle in range(i + 1, j):
                    scale = max(scale, self.scales[i * (n + 1) + middle] + self.scales[middle * (n + 1) + j])
                for middle in range(i + 1, j):
                    left_cell, right_cell = i * (n + 1) + middle, middle * (n + 1) + j
                    value = exp(self.scales[left_cell] + self.scales[right_cell] - scale)
                    if value == 0:
                        continue
                    for index in range(chart.cells[right_cell], chart.ends[right_cell]):
                        self.right_row[chart.entries[index].symbol] = value * self.inside[index]
                    for index in range(chart.cells[left_cell], chart.ends[left_cell]):
                        entry = chart.entries[index]
                        both = chart.pairs.data() + chart.pair_start[entry.symbol]
                        for _ in range(chart.pair_start[entry.symbol + 1] - chart.pair_start[entry.symbol]):
                            value = self.inside[index] * self.right_row[both.right]
                            if value > 0:
                                for rule in range(both.first, (both + 1).first):
                                    self.row[chart.binary[rule].parent] += value * self.binary[rule]
                            both += 1
                    for index in range(chart.cells[right_cell], chart.ends[right_cell]):
                        self.right_row[chart.entries[index].symbol] = 0
                # The row has no chains yet. The chains of all entries need it unchanged.
                for index in range(chart.cells[cell], chart.ends[cell]):
                    value = self.row[chart.entries[index].symbol]
                    if value > 0:
                        for k in range(
                            self.chain_start[chart.entries[index].symbol],
                            self.chain_start[chart.entries[index].symbol + 1],
                        ):
                            self.right_row[self.chains[k].symbol] += value * self.chains[k].probability
                highest = 0
                for index in range(chart.cells[cell], chart.ends[cell]):
                    self.inside[index] = self.right_row[chart.entries[index].symbol]
                    highest = max(highest, self.inside[index])
                for index in range(chart.cells[cell], chart.ends[cell]):
                    if highest > 0:
                        self.inside[index] /= highest
                self.scales[cell] = scale + log(highest) if highest > 0 else -INFINITY
                refill(self.row, chart.n_symbols, 0)
                refill(self.right_row, chart.n_symbols, 0)
        return 0

    cdef int sum_outside(self, Chart chart) except -1 nogil:
        cdef int32_t i, j, middle, index, k, rule, cell, left_cell, right_cell, n = chart.n
        cdef double factor, value
        cdef const PairC* both
        cdef EntryC entry
        refill(self.around, chart.n_symbols, 0)
        for j in range(n, 0, -1):
            for i in range(j):
                if (j - i) % CELLS_PER_CHECK == 0:
                    check_signals()
                cell = i * (n + 1) + j
                if self.scales[cell] == -INFINITY:
                    continue
                for index in range(chart.cells[cell], chart.ends[cell]):
                    self.right_row[chart.entries[index].symbol] = self.outside[index]
                for index in range(chart.cells[cell], chart.ends[cell]):
                    entry = chart.entries[index]
                    value = 0
                    for k in range(self.chain_start[entry.symbol], self.chain_start[entry.symbol + 1]):
                        value += self.chains[k].probability * self.right_row[self.chains[k].symbol]
                    self.outside[index] = self.row[entry.symbol] = value
                for index in range(chart.cells[cell], chart.ends[cell]):
                    self.right_row[chart.entries[index].symbol] = 0
                for middle in range(i + 1, j):
                    left_cell, right_cell = i * (n + 1) + middle, middle * (n + 1) + j
                    factor = exp(self.scales[left_cell] + self.scales[right_cell] - self.scales[cell])
                    if factor == 0:
                        continue
                    for index in range(chart.cells[right_cell], chart.ends[right_cell]):
                        self.right_row[chart.entries[index].symbol] = self.inside[index]
                    for index in range(chart.cells[left_cell], chart.ends[left_cell]):
                        entry = chart.entries[index]
                        both = chart.pairs.data() + chart.pair_start[entry.symbol]
                        for _ in range(chart.pair_start[entry.symbol + 1] - chart.pair_start[entry.symbol]):
                            if self.right_row[both.right] > 0:
                                value = 0
                                for rule in range(both.first, (both + 1).first):
                                    value += self.binary[rule] * self.row[chart.binary[rule].parent]
                                value *= factor
                                self.outside[index] += value * self.right_row[both.right]
                                self.around[both.right] += value * self.inside[index]
                            both += 1
                    for index in range(chart.cells[right_cell], chart.ends[right_cell]):
                        self.outside[index] += self.around[chart.entries[index].symbol]
                        self.around[chart.entries[index].symbol] = 0
                        self.right_row[chart.entries[index].symbol] = 0
                for index in range(chart.cells[cell], chart.ends[cell]):
                    self.row[chart.entries[index].symbol] = 0
        return 0


def find_best_splits(const double[:, :] gains not None):
    """Divides n words in two, recursively, such that the sum of the gains of all parts (n x n + 1; J001) is maximal.
    Returns the first word of the second half of each part (int32, n x n + 1)."""
    cdef int32_t i, j, middle, n = gains.shape[0]
    cdef int32_t[:, ::1] middles
    cdef vector[double] best
    cdef double highest, value
    if gains.shape[1] != n + 1:
        raise JointValueError(Errors.J001, name="gains", value=(gains.shape[0], gains.shape[1]), allowed=(n, n + 1))
    made = np.zeros((n, n + 1), dtype=np.int32)
    middles = made
    best.resize(<size_t>n * (n + 1))
    with nogil:
        for j in range(1, n + 1):
            for i in range(j - 1, -1, -1):
                if (j - i) % CELLS_PER_CHECK == 0:
                    check_signals()
                highest = -INFINITY if j - i > 1 else 0
                for middle in range(i + 1, j):
                    value = best[i * (n + 1) + middle] + best[middle * (n + 1) + j]
                    if value > highest:
                        highest, middles[i, j] = value, middle
                best[i * (n + 1) + j] = highest + gains[i, j]
    return made
