"""What columns need of arrays and numpy does slowly for documents of a sentence or two: each of its calls takes a
microsecond, however short the array is."""

import numpy as np

from libc.stdint cimport int32_t, uint8_t, uint64_t
from libcpp.vector cimport vector


cdef class RowIndex:
    """The rows of 64-bit keys, such as the hashes of words: 0, 1, 2, ... in the order in which they are added."""

    # Open addressing. The row of a free slot is -1.
    cdef vector[uint64_t] keys
    cdef vector[int32_t] rows
    cdef size_t n

    def __cinit__(self):
        self._resize(1024)

    def __len__(self):
        return self.n

    def __reduce__(self):
        raise TypeError("A RowIndex is a cache, which is not pickled.")

    cdef size_t _find_slot(self, uint64_t key) noexcept nogil:
        """The slot of a key, or the free one where it belongs."""
        cdef size_t slot = key & (self.keys.size() - 1)
        while self.rows[slot] >= 0 and self.keys[slot] != key:
            slot = (slot + 1) & (self.keys.size() - 1)
        return slot

    cdef int _resize(self, size_t size) except -1:
        """Makes this many slots, a power of two."""
        cdef vector[uint64_t] keys
        cdef vector[int32_t] rows
        cdef size_t i, slot
        keys.resize(size, 0)
        rows.resize(size, -1)
        self.keys.swap(keys)
        self.rows.swap(rows)
        for i in range(rows.size()):
            if rows[i] >= 0:
                slot = self._find_slot(keys[i])
                self.keys[slot], self.rows[slot] = keys[i], rows[i]
        return 0

    def find(self, const uint64_t[:] keys not None):
        """Looks keys up.

        keys (np.ndarray): The keys (uint64).
        RETURNS (tuple[np.ndarray, list[int]]): Their rows (intp), -1 for unknown keys; and the distinct unknown keys in
            the order of their first occurrence.
        """
        found = np.empty(keys.shape[0], dtype=np.intp)
        cdef Py_ssize_t[::1] out = found
        cdef Py_ssize_t i
        cdef bint all_known = True
        for i in range(keys.shape[0]):
            out[i] = self.rows[self._find_slot(keys[i])]
            all_known = all_known and out[i] >= 0
        return found, [] if all_known else list(dict.fromkeys(np.asarray(keys)[found < 0].tolist()))

    def add(self, const uint64_t[:] keys not None):
        """Adds keys (uint64); those that it has keep their rows."""
        cdef Py_ssize_t i
        cdef size_t slot
        for i in range(keys.shape[0]):
            # At most half of the slots are taken.
            if 2 * (self.n + 1) > self.keys.size():
                self._resize(2 * self.keys.size())
            slot = self._find_slot(keys[i])
            if self.rows[slot] < 0:
                self.keys[slot], self.rows[slot] = keys[i], <int32_t>self.n
                self.n += 1


def find_stretches(breaks, Py_ssize_t least, bint whole=True):
    """Finds the tokens in stretches without breaks.

    breaks (np.ndarray): Which tokens are breaks (bool).
    least (int): The minimum number of tokens of a stretch.
    whole (bool): Whether a document without breaks is a stretch, however short it is.
    RETURNS (tuple[np.ndarray, int]): Which tokens are in a stretch (bool); and the number of tokens at the end of which
        more tokens can make a stretch, or no stretch.
    """
    cdef const uint8_t[::1] is_break = np.ascontiguousarray(breaks, dtype=bool).view(np.uint8)
    cdef Py_ssize_t n = is_break.shape[0]
    found = np.zeros(n, dtype=bool)
    cdef uint8_t[::1] out = found.view(np.uint8)
    cdef Py_ssize_t begin = 0, end = 0, i
    while True:
        end = begin
        while end < n and not is_break[end]:
            end += 1
        if end - begin >= least or (whole and begin == 0 and end == n):
            for i in range(begin, end):
                out[i] = True
        if end == n:
            return found, 0 if end - begin >= least else end - begin
        begin = end + 1


def find_last_dependents(const Py_ssize_t[::1] heads not None, const Py_ssize_t[::1] kinds not None, int n_kinds):
    """Finds the last dependent of each kind that each token has.

    heads (np.ndarray): The heads of the tokens (intp).
    kinds (np.ndarray): What kind of dependent each token is (intp, less than n_kinds).
    n_kinds (int): The number of kinds.
    RETURNS (np.ndarray): The dependents (intp, kinds x (tokens + 1)); the number of tokens stands for none.
    RAISES IndexError: If there is no such head or kind.
    """
    cdef Py_ssize_t n = heads.shape[0], token
    if kinds.shape[0] != n:
        raise IndexError("Each token needs a head and a kind.")
    found = np.full((n_kinds, n + 1), n, dtype=np.intp)
    cdef Py_ssize_t[:, ::1] out = found
    for token in range(n):
        if not (0 <= heads[token] < n and 0 <= kinds[token] < n_kinds):
            raise IndexError(f"Token {token} has head {heads[token]} and kind {kinds[token]}.")
        out[kinds[token], heads[token]] = token
    return found
