"""Sums over all derivations: inside and outside probabilities (Lari & Young 1990) of the entries of a chart.

The inside sum of an entry is the probability of all derivations of its words from its symbol, and the outside sum that
of all ways to derive the rest of the sentence. Chains of unary rules, cyclic ones too, are summed by the inverse of
I - U, where U has the unary rules. A chart that is not exhaustive gives the sums of its entries.

To avoid overflow and underflow, the sums of a cell are relative to its scale: inside sums to e to the scale, where the
largest is 1, and outside sums to the probability of the sentence divided by it. Their product is a posterior
probability. An `InsideOutside` owns the buffers of one chart.
"""

from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from .chart cimport Chart


cdef struct ChainC:
    int32_t symbol
    double probability


cdef class InsideOutside:
    cdef Chart chart
    cdef vector[double] binary          # the probabilities of rules
    cdef vector[ChainC] chains          # those from s upwards, s itself included: chains[start[s] .. start[s + 1])
    cdef vector[int32_t] chain_start
    cdef vector[double] scales          # of cells: natural logarithms
    cdef vector[double] inside          # of entries
    cdef vector[double] outside         # likewise, from above the chain of the entry
    cdef vector[double] row             # of the current cell, by symbol
    cdef vector[double] right_row       # of the cell to the right
    cdef vector[double] around          # of the cell to the right: additions to its outside sums

    # Returns the log probability of the sentence; minus infinity if there is no derivation.
    cdef double sum_all(self) except? 1
    # After that, lists symbols with first word, end and posterior probability, at least `min_probability`; no words.
    cdef list list_posteriors(self, double min_probability)
    cdef int sum_inside(self, Chart chart) except -1 nogil
    cdef int sum_outside(self, Chart chart) except -1 nogil
