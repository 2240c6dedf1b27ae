"""The hashed weight table (hash kernel, Bohnet 2010).

The table has 2^bits cells. The hash of a feature is an offset, and the `width` cells from there are the weights of that
feature for each action. Rows overlap, and colliding weights are noise that training tolerates; there is no dictionary.

A table in training has `raw`, `total` and `n_changes`; `finish` computes from them `averaged` and `kept`, which are all
that prediction needs. Readers hold a `Table`, which owns its cells: replaced weights stay alive as long as they are
read. Reading is safe from any number of threads; `add` and `finish` need exclusive access.
"""

from libc.stdint cimport int8_t, uint8_t, uint16_t, uint32_t, uint64_t

from .claim cimport Claim


cdef extern from "rows.h" nogil:
    enum: ROW_BLOCK
    ctypedef struct KernelsC:
        int cell_bytes
        int sum_bytes
        void (*sum_rows)(void* sum, const void* table, const uint64_t* offsets, int n_rows, int width) noexcept nogil
        void (*to_scores)(float* scores, void** sums, int n_sums, int width, float scale) noexcept nogil
    const KernelsC* float_kernels()
    const KernelsC* int8_kernels(int width)
    ctypedef struct SelectionC:
        void (*two_best)(const float* scores, int width, float* best, float* second) noexcept nogil
        int (*at_least)(const float* scores, int width, float least, uint16_t* found) noexcept nogil
        float (*kth_greatest)(float* values, int n, int k) noexcept nogil
        void (*order)(double* totals, int n, int n_best, uint32_t* order) noexcept nogil
    const SelectionC* selection()
    void prefetch(const void* address)


cdef inline int pad(int width) noexcept nogil:
    """Rounds a width up to a multiple of ROW_BLOCK."""
    return (width + ROW_BLOCK - 1) // ROW_BLOCK * ROW_BLOCK


cdef struct TableC:
    const KernelsC* kernels
    const void* cells
    const uint8_t* kept     # one bit per feature, see templates.pxd; NULL while learning
    int bits
    int width               # cells of a row: one per action
    int padded_width        # the same rounded up to ROW_BLOCK
    float scale


# Read-only cells, with the arrays that own them. Constant.
cdef class Table:
    cdef TableC c
    cdef object owners


cdef struct ChangeC:
    uint32_t cell
    uint32_t feature        # to which the cell belongs
    float value


cdef class Weights:
    cdef readonly int bits
    cdef readonly int width
    cdef public int min_changes
    # Arrays, or None.
    cdef readonly object raw            # float32
    cdef readonly object total          # float32
    cdef readonly object n_changes      # uint8: changed cells per feature, up to 255
    cdef readonly object averaged       # int8, times the scale
    cdef readonly object kept           # uint8: one bit per feature
    cdef readonly float scale
    cdef readonly long long n_updates
    cdef float[::1] _raw
    cdef float[::1] _total
    cdef uint8_t[::1] _n_changes
    cdef Table _learning
    cdef Table _predicting
    cdef Claim claim                    # of learners, and of calls that replace the arrays of the training state

    cdef Table make_table(self, const KernelsC* kernels, const void* cells, const uint8_t* kept, float scale, owners)
    cdef Table learning_table(self)
    cdef Table prediction_table(self)
    # w += step * value, for n distinct cells; the table is claimed.
    cdef void add(self, const ChangeC* changes, Py_ssize_t n, float step) noexcept nogil
    # w . value
    cdef double score(self, const ChangeC* changes, Py_ssize_t n) noexcept nogil
    cdef void count_update(self) noexcept nogil
