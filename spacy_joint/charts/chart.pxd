"""Charts of a grammar in binary form (CYK): the most probable derivation of each symbol over any words of a sentence.

The cell (i, j) covers the words i to j - 1 and has one entry per symbol that derives them, with the score of its best
derivation, a natural logarithm. Columns are filled from left to right, and the cells of a column from the bottom up, so
that only one column of right children has to be found by symbol. Memory is linear in the number of entries, plus two
numbers per symbol and word.

The edges of a cell are in an agenda, by figure of merit (see merit.pxd). The best one becomes an entry or improves one,
and gives edges by unary rules, until the cell is full or nothing improves. No score is above 0, so cyclic unary rules
cannot improve the entry that they begin with. If constituents have a maximum span, longer cells are only for glue: the
root, and the symbols that binarisation makes of its children, which begin or end with the sentence.

A `Chart` owns the buffers of one caller: each thread needs its own. Its rules are constant.
"""

from libc.stdint cimport int32_t, int64_t
from libcpp.pair cimport pair
from libcpp.vector cimport vector

from ..engine.claim cimport Claim
from .merit cimport Merit


cdef enum:
    NO_LIMIT = 0x7FFFFFFF   # of a cell
    CELLS_PER_CHECK = 64    # of signals, in a column; few cells are long, so the time between checks is short

# In arrays of widths.
cdef enum WidthC:
    FACTORED_ONLY = -2
    DEFAULT = -1
    CLOSED = 0


cdef struct RuleC:
    int32_t parent
    double score


# The rules with the same two children: rules[first .. the first of the next pair).
cdef struct PairC:
    int32_t right
    int32_t first


# A way to derive a symbol over the words of a cell. Children are entries, before the cell or in it.
cdef struct EdgeC:
    double score
    int32_t left        # the only child of a unary rule; -1: a word
    int32_t right       # -1: none


# A symbol over the words of a cell, with its best derivation.
cdef struct EntryC:
    EdgeC edge
    int32_t symbol
    int32_t rank        # the number of entries taken from the agenda up to this edge; 0: a word's


cdef class Chart:
    cdef readonly tuple symbols
    cdef Merit merit
    cdef readonly dict stats
    cdef dict numbers                   # of symbols
    cdef int32_t n_symbols
    cdef int32_t root
    cdef int32_t max_span               # 0: none
    cdef vector[char] is_factored       # by symbol
    cdef vector[char] is_glue           # by symbol: whether it is the root, or made of its children by binarisation
    cdef vector[char] is_tag            # by symbol: whether it has words in the lexicon
    cdef vector[PairC] pairs            # those with the left child s: pairs[pair_start[s] .. pair_start[s + 1])
    cdef vector[int32_t] pair_start
    cdef vector[RuleC] binary
    cdef vector[RuleC] unary            # those with the child s: unary[unary_start[s] .. unary_start[s + 1])
    cdef vector[int32_t] unary_start
    # The sentence: the tags of word k, tags[starts[k] .. starts[k + 1]), with their scores.
    cdef int32_t n
    cdef vector[int32_t] starts
    cdef vector[int32_t] tags
    cdef vector[double] scores
    cdef vector[EntryC] entries         # by cell
    cdef vector[int32_t] cells          # n x n + 1: the first entry of cell (i, j), in the order of filling
    cdef vector[int32_t] ends           # likewise: after its last entry
    cdef vector[int32_t] column         # of the current column, by first word and symbol: the entry, or -1
    cdef vector[double] column_scores   # likewise: its score, or minus infinity
    cdef vector[int32_t] filled         # of the current column, by first word: the number of entries
    cdef vector[EdgeC] best             # of the current cell, by symbol: its best edge
    cdef vector[int32_t] touched        # the symbols that have one
    cdef int32_t n_touched
    cdef vector[pair[double, int32_t]] agenda   # likewise, a heap of figures of merit and symbols
    cdef const float* left              # likewise, by symbol: the estimate for its left side
    cdef const float* right             # for its right side
    cdef int32_t* row                   # its row of `column`
    cdef int64_t n_closed
    cdef int64_t n_edges
    cdef Claim claim

    cdef int read(self, list words, object width, object widths) except -1
    cdef int fill(self, int32_t width, const int32_t* widths) except -1 nogil
    # Collects the best binary edge of each symbol over a cell.
    cdef void combine(self, int32_t i, int32_t j) noexcept nogil
    cdef void update_best(self, int32_t symbol, double score, int32_t left, int32_t right) noexcept nogil
    # Empties the agenda of a cell. Only the symbols that are admitted become entries; NULL: all.
    cdef int process_agenda(self, int32_t i, int32_t j, int32_t limit, const char* admitted) except -1 nogil
    # Makes an entry of the best edge of a symbol, or improves the one that is there.
    cdef int32_t add_entry(self, int32_t symbol, int32_t rank) except -1 nogil
    # Adds edges by the unary rules of an entry to the agenda.
    cdef int apply_unary_rules(self, int32_t index, const char* admitted) except -1 nogil
    cdef pair[double, int32_t] merit_of(self, int32_t symbol) noexcept nogil
    # The entry of a symbol in a cell, or -1.
    cdef int32_t find(self, int32_t i, int32_t j, int32_t symbol) noexcept nogil
