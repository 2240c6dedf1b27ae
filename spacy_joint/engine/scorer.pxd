"""Scores of rows of slots: the sums of the weights of their features. Knows nothing of searches.

A `Scorer` owns the buffers of one caller: each thread needs its own. Sums of blocks are kept from call to call,
because the rows of one call mostly read what rows of the call before have read. They are valid for one document and one
state of the weights: `forget` is called whenever either changes.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from .columns cimport Columns, InputC
from .templates cimport FilterC, RecipesC, Templates
from .weights cimport Table, TableC


# The sum of a block, by key. The cache is direct-mapped, with linear probing; an entry that the present call has used
# is not given away.
cdef struct EntryC:
    uint64_t key
    uint64_t last_used      # call


cdef struct MissC:
    uint32_t entry
    uint32_t first, n       # of offsets


cdef class Scorer:
    cdef readonly Templates templates
    cdef Table table                # what keeps `c` alive
    cdef TableC c
    cdef FilterC filter
    cdef const RecipesC* recipes
    cdef int at_once                # rows that are scored together
    cdef uint64_t call
    cdef EntryC* entries
    cdef char* sums                 # n_entries x padded_width elements
    cdef uint32_t n_entries         # a power of two
    cdef int shift                  # from keys to entries
    cdef uint64_t* offsets          # at_once x n_templates
    cdef MissC* misses              # at_once x n_blocks
    cdef uint32_t* used             # at_once x n_blocks: entries

    # Scores with these weights from now on, of rows of `width` cells.
    cdef int use(self, Table table, int width) except -1
    # Leaves out a share of the features until the next `use`.
    cdef void drop_out(self, double share, uint64_t seed, uint64_t instance) noexcept nogil
    cdef void forget(self) noexcept nogil
    # Refuses documents whose columns are not those that the templates read.
    cdef int check(self, Columns columns) except -1
    # rows: n x n_slots. parts: the kind of part of each row; NULL: the first. scores: n x padded_width, written.
    cdef void score(self, const InputC* input, const uint64_t* rows, const uint8_t* parts, int n,
                    float* scores) noexcept nogil
    cdef void score_some(self, const InputC* input, const uint64_t* rows, const uint8_t* parts, int n,
                         float* scores) noexcept nogil
    # Finds the entries of all blocks of all rows; notes in `misses` what has to be summed. Their number.
    cdef int look_up(self, const InputC* input, const uint64_t* rows, const uint8_t* parts, int n) noexcept nogil
    # The features of a row that take part. `hashes` has room for MAX_TEMPLATES. Returns their number.
    cdef int features(self, const InputC* input, const uint64_t* row, int part, uint64_t* hashes) noexcept nogil
