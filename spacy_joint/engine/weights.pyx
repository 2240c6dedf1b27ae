"""The hashed weight table: see weights.pxd for its layout, ownership and thread safety."""

import numpy as np

from ..errors import Errors, JointValueError, check_range

from libc.stdint cimport int8_t, uint8_t

from .claim cimport Claim


# Averaged weights are clipped at this quantile of non-zero magnitudes: outliers would cost all others precision.
CLIP_QUANTILE = 0.9999
# Sums of quantised weights have 16 bits (rows.h): beyond 258 templates, weights have less than 8.
MAX_WEIGHT, MAX_SUM = 2**7 - 1, 2**15 - 1


def find_max_weight(n_templates):
    """Returns the largest magnitude of a quantised weight such that sums of `n_templates` weights cannot overflow."""
    return min(MAX_WEIGHT, MAX_SUM // n_templates)


cdef class Table:
    """Read-only cells, with the arrays that own them: made by `Weights`."""


cdef class Weights:
    """A table of 2^bits weights (8..30 bits) for rows of `width` actions, all zero. Features are pruned if training
    changed fewer of their cells than `min_changes` (1..255), over all updates.

    RAISES ValueError: If an argument is out of range.
    """

    def __cinit__(self, bits, width, min_changes=1):
        check_range("table_bits", bits, 8, 30)
        check_range("The width of a table", width, 1, 2**15)
        check_range("min_changes", min_changes, 1, 255)
        self.bits, self.width, self.min_changes, self.scale = bits, width, min_changes, 1.0
        self.claim = Claim("table of weights")

    @property
    def n_cells(self):
        """The number of cells of the table, including the part of the last rows beyond 2^bits (int)."""
        return (1 << self.bits) + pad(self.width)

    @property
    def is_learning(self):
        """Whether the table has a training state (bool)."""
        return self.raw is not None

    def start_training(self):
        """Prepares the table for training, from zero or, if it can only predict, from its averages."""
        if self.is_learning:
            return
        raw, n_changes = np.zeros(self.n_cells, dtype=np.float32), np.zeros(1 << self.bits, dtype=np.uint8)
        if self.averaged is not None:
            raw[:] = self.averaged.astype(np.float32) * self.scale
            n_changes[:] = np.unpackbits(self.kept, bitorder="little") * self.min_changes
        self.restore(raw, np.zeros_like(raw), n_changes, 0)

    def restore(self, raw, total, n_changes, n_updates):
        """Restores a training state: weights and their weighted changes (float32, n_cells each), changes per feature
        (uint8, 2^bits), and the number of instances seen. RAISES ValueError: If shapes differ."""
        self._check(raw, np.float32, self.n_cells)
        self._check(total, np.float32, self.n_cells)
        self._check(n_changes, np.uint8, 1 << self.bits)
        with self.claim:
            # Views come first, since they refuse arrays that are not contiguous and writable.
            self._raw, self._total, self._n_changes = raw, total, n_changes
            self.raw, self.total, self.n_changes, self.n_updates = raw, total, n_changes, n_updates
            self._learning = self.make_table(float_kernels(), &self._raw[0], NULL, 1.0, self._raw)

    def _check(self, array, dtype, size):
        if array.shape != (size,) or array.dtype != dtype:
            raise JointValueError(Errors.J022, got=f"{array.dtype}{array.shape}", wanted=f"{np.dtype(dtype)}({size},)")

    def set_averaged(self, averaged, kept, scale):
        """Sets the prediction weights: quantised weights (int8, n_cells), one bit per feature that is set unless it is
        pruned (uint8, 2^bits / 8), and the value of a quantised weight of 1. Arrays may be read-only.

        RAISES ValueError: If shapes differ (J022).
        """
        self._check(averaged, np.int8, self.n_cells)
        self._check(kept, np.uint8, 1 << self.bits >> 3)
        cdef const int8_t[::1] cells = averaged
        cdef const uint8_t[::1] bits = kept
        self._predicting = self.make_table(int8_kernels(pad(self.width)), &cells[0], &bits[0], scale, (averaged, kept))
        self.averaged, self.kept, self.scale = averaged, kept, scale

    cdef Table make_table(self, const KernelsC* kernels, const void* cells, const uint8_t* kept, float scale, owners):
        cdef Table table = Table()
        table.c = TableC(kernels, cells, kept, self.bits, self.width, pad(self.width), scale)
        table.owners = owners
        return table

    def averages(self):
        """Returns the averages over all instances seen (float32): w - u / c, the lazy form of Collins 2002."""
        if not self.is_learning:
            raise JointValueError(Errors.J023)
        return self.raw - self.total / np.float32(max(self.n_updates, 1))

    def finish(self, others=(), n_templates=1):
        """Averages, prunes and quantises the trained weights for prediction. Training can continue afterwards.

        others (Sequence[Weights]): Tables of the same size, trained with other features dropped. Scores are linear in
            the weights, so the average is an ensemble at the cost of a single table.
        n_templates (int): The largest number of weights in a sum.
        """
        averages = self.averages()
        n_changes = self.n_changes.astype(np.uint16)
        for other in others:
            averages += other.averages()
            n_changes += other.n_changes
        averages /= np.float32(1 + len(others))
        magnitudes = np.abs(averages)
        nonzero = magnitudes[magnitudes > 0]
        limit = find_max_weight(n_templates)
        scale = float(np.quantile(nonzero, CLIP_QUANTILE)) / limit if nonzero.size else 1.0
        # Small cells are rounded to zero, and features with fewer than `min_changes` changes are not looked up.
        self.set_averaged(
            np.clip(np.rint(averages / np.float32(scale)), -limit, limit).astype(np.int8),
            np.packbits(n_changes >= self.min_changes, bitorder="little"),
            scale,
        )

    cdef Table learning_table(self):
        if self._learning is None:
            raise JointValueError(Errors.J023)
        return self._learning

    cdef Table prediction_table(self):
        if self._predicting is None:
            raise JointValueError(Errors.J024)
        return self._predicting

    cdef void add(self, const ChangeC* changes, Py_ssize_t n, float step) noexcept nogil:
        cdef Py_ssize_t i
        cdef float change
        cdef float now = <float>self.n_updates
        for i in range(n):
            change = step * changes[i].value
            self._raw[changes[i].cell] += change
            self._total[changes[i].cell] += now * change
            if self._n_changes[changes[i].feature] < 255:
                self._n_changes[changes[i].feature] += 1

    cdef double score(self, const ChangeC* changes, Py_ssize_t n) noexcept nogil:
        cdef Py_ssize_t i
        cdef double total = 0
        for i in range(n):
            total += <double>self._raw[changes[i].cell] * changes[i].value
        return total

    cdef void count_update(self) noexcept nogil:
        self.n_updates += 1
