"""Scores rows of slots: a score is the sum of the weights of the features of a row. Each thread needs its own `Scorer`,
which caches sums of blocks, because most rows read the same values as rows of the previous call. Cached sums are valid
for one document and one state of the weights: call `forget` whenever either changes."""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from .columns cimport Columns, InputC
from .templates cimport FilterC, RecipesC, Templates
from .weights cimport Table, TableC


# The sum of a block, by key. The cache is direct-mapped, with linear probing; entries of the current call are kept.
cdef struct EntryC:
    uint64_t key
    uint64_t last_used      # call


cdef struct MissC:
    uint32_t entry
    uint32_t first, n       # of offsets


cdef class Scorer:
    cdef Templates templates
    cdef Table table                # owns the memory of `c`
    cdef TableC c
    cdef FilterC filter
    cdef const RecipesC* recipes
    cdef int batch_size             # rows scored together
    cdef uint64_t call
    cdef vector[EntryC] entries     # the size is a power of two
    cdef vector[char] sums          # entries x padded_width elements
    cdef int shift                  # from keys to entries
    cdef vector[uint64_t] offsets   # batch_size x n_templates
    cdef vector[MissC] misses       # batch_size x n_blocks
    cdef vector[uint32_t] used      # batch_size x n_blocks: entries

    # Sets the weights, with rows of `width` cells.
    cdef int use(self, Table table, int width) except -1
    # Drops a share of the features at random until the next `use`.
    cdef void drop_out(self, double share, uint64_t seed, uint64_t instance) noexcept nogil
    cdef void forget(self) noexcept nogil
    # Refuses documents without exactly the columns that the templates read.
    cdef int check(self, Columns columns) except -1
    # rows: n x n_slots. parts: the kind of part of each row; NULL: the first. scores: n x padded_width, written.
    cdef void score(self, const InputC* input, const uint64_t* rows, const uint8_t* parts, int n,
                    float* scores) noexcept nogil
    cdef void score_batch(self, const InputC* input, const uint64_t* rows, const uint8_t* parts, int n,
                          float* scores) noexcept nogil
    # Finds the entries of all blocks of all rows; adds the sums to compute to `misses` and returns their number.
    cdef int look_up(self, const InputC* input, const uint64_t* rows, const uint8_t* parts, int n) noexcept nogil
    # Writes the kept features of a row to `hashes`, which has room for MAX_TEMPLATES. Returns their number.
    cdef int features(self, const InputC* input, const uint64_t* row, int part, uint64_t* hashes) noexcept nogil
