"""The hashed weight table: see weights.pxd for what it is and who may touch it when."""

import numpy as np

from ..errors import Errors


# Averaged weights are clipped at this quantile of their non-zero magnitudes when they are made int8: a handful of
# outliers (biases of frequent actions) would otherwise cost all others their precision.
CLIP_QUANTILE = 0.9999


cdef class Weights:
    """A table of 2^bits weights for rows of `width` actions, all zero.

    bits (int): Base-2 logarithm of the number of cells, 8..30.
    width (int): Cells of a row.
    RAISES ValueError: If either is out of range.
    """

    def __init__(self, bits, width):
        if not 8 <= bits <= 30:
            raise ValueError(Errors.J020.format(bits=bits))
        if not 1 <= width <= 2**15:
            raise ValueError(Errors.J021.format(width=width))
        self.bits = bits
        self.width = width
        self.scale = 1.0
        self.n_updates = 0

    cdef int padded(self) noexcept:
        return (self.width + ROW_BLOCK - 1) // ROW_BLOCK * ROW_BLOCK

    @property
    def n_cells(self):
        """Cells of the table, with the part of the last rows that reaches beyond 2^bits (int)."""
        return (1 << self.bits) + self.padded()

    @property
    def is_learning(self):
        """Whether the table holds what learning needs (bool)."""
        return self.raw is not None

    def learn(self):
        """Makes the table ready to learn, from zero or, when it only predicts, from its averages."""
        if self.is_learning:
            return
        if self.averaged is None:
            raw = np.zeros(self.n_cells, dtype=np.float32)
        else:
            raw = self.averaged.astype(np.float32) * self.scale
        self.restore(raw, np.zeros(self.n_cells, dtype=np.float32), 0)

    def restore(self, raw, total, n_updates):
        """Puts back what `learn` had come to.

        raw, total (np.ndarray): float32, n_cells each.
        n_updates (int): Instances seen.
        RAISES ValueError: If the shapes are not those of this table.
        """
        for array in (raw, total):
            if array.shape != (self.n_cells,) or array.dtype != np.float32:
                raise ValueError(Errors.J022.format(got=f"{array.dtype}{array.shape}", wanted=f"float32({self.n_cells},)"))
        self.raw, self.total, self.n_updates = raw, total, n_updates
        self._raw, self._total = raw, total

    def predict_with(self, averaged, scale):
        """Sets the weights that predict.

        averaged (np.ndarray): int8, n_cells; may be read-only, such as a mapped file.
        scale (float): The value of one.
        RAISES ValueError: If the shape is not that of this table.
        """
        if averaged.shape != (self.n_cells,) or averaged.dtype != np.int8:
            raise ValueError(Errors.J022.format(got=f"{averaged.dtype}{averaged.shape}", wanted=f"int8({self.n_cells},)"))
        self.averaged, self.scale = averaged, scale
        self._averaged = averaged

    def averages(self):
        """The averages over all instances seen (np.ndarray of float32): w - u / c, Daume's lazy form of Collins 2002."""
        return self.raw - self.total / np.float32(max(self.n_updates, 1))

    def finish(self):
        """Averages, prunes and quantises what was learnt into the weights that predict. Learning can go on after."""
        averages = self.averages()
        magnitudes = np.abs(averages)
        nonzero = magnitudes[magnitudes > 0]
        scale = float(np.quantile(nonzero, CLIP_QUANTILE)) / 127 if nonzero.size else 1.0
        # Whatever is nearer to zero than to one step is pruned by rounding.
        self.predict_with(np.clip(np.rint(averages / np.float32(scale)), -127, 127).astype(np.int8), scale)

    def forget_learning(self):
        """Drops what only learning needs, four fifths of the memory and more."""
        self.raw = self.total = None
        self._raw = self._total = None

    cdef TableC learning_table(self) except *:
        cdef TableC table
        if self.raw is None:
            raise ValueError(Errors.J023)
        table.kernels = float_kernels()
        table.cells = &self._raw[0]
        table.bits, table.width, table.padded_width, table.scale = self.bits, self.width, self.padded(), 1.0
        return table

    cdef TableC prediction_table(self) except *:
        cdef TableC table
        if self.averaged is None:
            raise ValueError(Errors.J024)
        table.kernels = int8_kernels()
        table.cells = &self._averaged[0]
        table.bits, table.width, table.padded_width, table.scale = self.bits, self.width, self.padded(), self.scale
        return table

    cdef void add(self, const uint32_t* cells, const float* values, Py_ssize_t n, float step) noexcept nogil:
        """w += step * values, for distinct cells."""
        cdef Py_ssize_t i
        cdef float change
        cdef float now = <float>self.n_updates
        for i in range(n):
            change = step * values[i]
            self._raw[cells[i]] += change
            self._total[cells[i]] += now * change

    cdef void count_update(self) noexcept nogil:
        self.n_updates += 1
