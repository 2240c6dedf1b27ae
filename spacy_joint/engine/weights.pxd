"""The hashed weight table (hash kernel, Bohnet 2010).

2^bits cells. The hash of a feature picks an offset, and the `width` cells from there are the weights of that feature
with each action: rows overlap, and colliding weights are noise that learning bears. No dictionary, no growth.

A table that learns has `raw`, `total` (float32) and `n_met` (uint8); one that predicts has `averaged` (int8 x scale)
and `kept` (a bit a feature). Learning only changes the former; `finish` makes the latter from them. Reading is safe
from any number of threads; `add` and `finish` want the table to themselves.
"""

from libc.stdint cimport int8_t, uint8_t, uint32_t, uint64_t


cdef extern from "rows.h" nogil:
    enum: ROW_BLOCK
    ctypedef struct KernelsC:
        int cell_bytes
        int sum_bytes
        void (*sum_rows)(void* sum, const void* table, const uint64_t* offsets, int n_rows, int width) noexcept nogil
        void (*to_scores)(float* scores, void** sums, int n_sums, int width, float scale) noexcept nogil
    const KernelsC* float_kernels()
    const KernelsC* int8_kernels()
    void prefetch(const void* address)
    void prefetch_row(const void* row, int bytes)
    int first_above(const float* scores, int i, int n, float bound)


cdef struct TableC:
    const KernelsC* kernels
    const void* cells
    const uint8_t* kept     # a bit a feature, see templates.pxd; NULL while learning
    int bits
    int width               # cells of a row: actions
    int padded_width        # the same rounded up to ROW_BLOCK
    float scale


cdef struct ChangeC:
    uint32_t cell
    uint32_t feature        # that the cell belongs to
    float value


cdef class Weights:
    cdef readonly int bits
    cdef readonly int width
    cdef public int min_met
    cdef readonly object raw            # np.ndarray of float32, or None
    cdef readonly object total          # np.ndarray of float32, or None
    cdef readonly object n_met          # np.ndarray of uint8, or None: how often features were learnt from, up to 255
    cdef readonly object averaged       # np.ndarray of int8, or None
    cdef readonly object kept           # np.ndarray of uint8, or None
    cdef readonly float scale
    cdef readonly long long n_updates
    cdef float[::1] _raw
    cdef float[::1] _total
    cdef uint8_t[::1] _n_met
    cdef const int8_t[::1] _averaged
    cdef const uint8_t[::1] _kept

    cdef int padded(self) noexcept
    cdef TableC learning_table(self) except *
    cdef TableC prediction_table(self) except *
    # w += step * value, for n distinct cells.
    cdef void add(self, const ChangeC* changes, Py_ssize_t n, float step) noexcept nogil
    cdef void count_update(self) noexcept nogil
