"""The hashed weight table: see weights.pxd for its layout, ownership and thread safety."""

import numpy as np

from ..errors import Errors, JointValueError

from libc.stdint cimport int8_t, uint8_t


# Averaged weights are clipped at this quantile of their non-zero magnitudes before quantisation to int8: otherwise, a
# few outliers (biases of frequent actions) would reduce the precision of all others.
CLIP_QUANTILE = 0.9999
# Sums of quantised weights have 16 bits (rows.h), so that beyond 258 templates, weights have less than 8.
MOST_OF_WEIGHT, MOST_OF_SUM = 2**7 - 1, 2**15 - 1


def find_most(n_templates):
    """The largest magnitude of a quantised weight, of which so many may be in a sum."""
    return min(MOST_OF_WEIGHT, MOST_OF_SUM // n_templates)


cdef class Table:
    """Read-only cells, with the arrays that own them, created by `Weights`."""


cdef class Weights:
    """A table of 2^bits weights for rows of `width` actions, all zero.

    bits (int): Base-2 logarithm of the number of cells, 8..30.
    width (int): The number of cells of a row.
    min_changes (int): Features are pruned if training changed fewer of their cells, 1..255, counted over all updates.
        An update that replaces one action by another changes two cells of a shared feature.
    RAISES ValueError: If an argument is out of range.
    """

    def __init__(self, bits, width, min_changes=1):
        if not 8 <= bits <= 30:
            raise JointValueError(Errors.J020, bits=bits)
        if not 1 <= width <= 2**15:
            raise JointValueError(Errors.J021, width=width)
        self.bits = bits
        if not 1 <= min_changes <= 255:
            raise JointValueError(Errors.J025, min_changes=min_changes)
        self.width = width
        self.min_changes = min_changes
        self.scale = 1.0
        self.n_updates = 0

    cdef int padded(self) noexcept:
        return (self.width + ROW_BLOCK - 1) // ROW_BLOCK * ROW_BLOCK

    @property
    def n_cells(self):
        """The number of cells of the table, including the part of the last rows beyond 2^bits (int)."""
        return (1 << self.bits) + self.padded()

    @property
    def is_learning(self):
        """Whether the table has a training state (bool)."""
        return self.raw is not None

    def learn(self):
        """Prepares the table for training, from zero or, if it can only predict, from its averages."""
        if self.is_learning:
            return
        if self.averaged is None:
            raw = np.zeros(self.n_cells, dtype=np.float32)
        else:
            raw = self.averaged.astype(np.float32) * self.scale
        n_changes = np.zeros(1 << self.bits, dtype=np.uint8)
        if self.kept is not None:
            n_changes[:] = np.unpackbits(self.kept, bitorder="little") * self.min_changes
        self.restore(raw, np.zeros(self.n_cells, dtype=np.float32), n_changes, 0)

    def restore(self, raw, total, n_changes, n_updates):
        """Restores a training state.

        raw, total (np.ndarray): Weights and their weighted changes (float32, n_cells each).
        n_changes (np.ndarray): Changes per feature (uint8, 2^bits).
        n_updates (int): The number of instances seen.
        RAISES ValueError: If the shapes do not match this table.
        """
        self._check(raw, np.float32, self.n_cells)
        self._check(total, np.float32, self.n_cells)
        self._check(n_changes, np.uint8, 1 << self.bits)
        if self.in_use:
            raise JointValueError(Errors.J028)
        # The views first, since they refuse arrays that are not contiguous and writable.
        self._raw, self._total, self._n_changes = raw, total, n_changes
        self.raw, self.total, self.n_changes, self.n_updates = raw, total, n_changes, n_updates
        cdef Table table = Table()
        table.c.kernels = float_kernels()
        table.c.cells = &self._raw[0]
        table.c.kept = NULL
        table.cells = self._raw
        self._learning = self._describe(table, 1.0)

    def _check(self, array, dtype, size):
        if array.shape != (size,) or array.dtype != dtype:
            raise JointValueError(
                Errors.J022, got=f"{array.dtype}{array.shape}", wanted=f"{np.dtype(dtype)}({size},)"
            )

    def predict_with(self, averaged, kept, scale):
        """Sets the prediction weights.

        averaged (np.ndarray): The quantised weights (int8, n_cells); may be read-only, such as a memory-mapped file.
        kept (np.ndarray): One bit per feature, which is set unless it is pruned (uint8, 2^bits / 8).
        scale (float): The value of a quantised weight of 1.
        RAISES ValueError: If the shapes do not match this table.
        """
        self._check(averaged, np.int8, self.n_cells)
        self._check(kept, np.uint8, 1 << self.bits >> 3)
        cdef const int8_t[::1] cells = averaged
        cdef const uint8_t[::1] bits = kept
        cdef Table table = Table()
        table.c.kernels = int8_kernels(self.padded())
        table.c.cells = &cells[0]
        table.c.kept = &bits[0]
        table.cells, table.kept = cells, bits
        self._predicting = self._describe(table, scale)
        self.averaged, self.kept, self.scale = averaged, kept, scale

    def _describe(self, Table table, float scale):
        table.c.bits, table.c.width, table.c.padded_width, table.c.scale = self.bits, self.width, self.padded(), scale
        return table

    def averages(self):
        """The averages over all instances seen (float32): w - u / c, the lazy form of Collins 2002."""
        if not self.is_learning:
            raise JointValueError(Errors.J023)
        return self.raw - self.total / np.float32(max(self.n_updates, 1))

    def finish(self, others=(), n_templates=1):
        """Averages, prunes and quantises the trained weights to prediction weights. Training can continue afterwards.

        others (Sequence[Weights]): Tables of the same size, trained on the same task with different features dropped.
            Scores are linear in the weights, so the averaged table is an ensemble at the cost of a single table.
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
        most = find_most(n_templates)
        scale = float(np.quantile(nonzero, CLIP_QUANTILE)) / most if nonzero.size else 1.0
        # Pruning is twofold: cells closer to zero than to one step are rounded to zero, and features with fewer than
        # `min_changes` changes are not looked up at all.
        self.predict_with(
            np.clip(np.rint(averages / np.float32(scale)), -most, most).astype(np.int8),
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

    cdef int claim(self) except -1:
        if self._learning is None:
            raise JointValueError(Errors.J023)
        if self.in_use:
            raise JointValueError(Errors.J028)
        self.in_use = True
        return 0

    cdef void release(self) noexcept:
        self.in_use = False

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
