"""Viterbi parsing with a grammar in binary form (CYK): the most probable derivation of a sentence.

A chart is a triangle of cells. The cell (i, j) is about the words i to j - 1 and has one entry per symbol that derives
them, with the score of its best derivation, a natural logarithm. Columns are filled from left to right, and the cells
of a column from the bottom up, so that of right children only one column has to be found by symbol; left children are
lists. Memory is linear in the number of entries, plus one number per symbol and word.

Unary rules are applied within a cell until nothing improves. This ends, also if they are cyclic, because no score is
above 0: a cycle cannot improve what it begins with.

A `ChartParser` owns the buffers of one caller: each thread needs its own. Its rules are constant.
"""

from libc.stdint cimport int32_t
from libcpp.vector cimport vector


# A rule, listed under one of its children.
cdef struct RuleC:
    int32_t other       # the right child; -1 of a unary rule
    int32_t parent
    double score


# A symbol over the words of a cell, with its best derivation. Children are entries, before this one or in its cell.
cdef struct EntryC:
    double score
    int32_t symbol
    int32_t left        # the only child of a unary rule; -1: a word
    int32_t right       # -1: none


cdef class ChartParser:
    cdef readonly tuple symbols
    cdef int32_t n_symbols
    cdef int32_t root
    cdef vector[RuleC] binary           # those with the left child s: binary[binary_start[s] .. binary_start[s + 1])
    cdef vector[int32_t] binary_start
    cdef vector[RuleC] unary            # likewise
    cdef vector[int32_t] unary_start
    cdef vector[EntryC] entries         # by cell
    cdef vector[int32_t] cells          # n x n + 1: the first entry of cell (i, j), in the order of filling
    cdef vector[int32_t] ends           # likewise: after its last entry
    cdef vector[int32_t] column         # of the current column, by first word and symbol: the entry, or -1
    cdef vector[int32_t] found          # of the current cell, by symbol: the entry, or -1
    cdef vector[int32_t] pending        # entries of the current cell whose unary rules are to be applied
    cdef bint in_use

    # Adds an entry to the current cell, or improves the one that is there.
    cdef int add(self, int32_t symbol, double score, int32_t left, int32_t right) except -1 nogil
    # Fills the chart. The tags of word k: tags[starts[k] .. starts[k + 1]), with their scores.
    cdef int fill(self, int32_t n, const int32_t* starts, const int32_t* tags, const double* scores) except -1 nogil
