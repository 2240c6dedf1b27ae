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
    # The logarithm of the number of slots.
    cdef int bits

    def __cinit__(self):
        self._resize(10)

    def __len__(self):
        return self.n

    def __reduce__(self):
        raise TypeError("A RowIndex is a cache, which is not pickled.")

    cdef size_t _find_slot(self, uint64_t key) noexcept nogil:
        """The slot of a key, or the free one where it belongs."""
        # Keys that are no hashes, such as multiples of a power of two, would else all begin at the same slot.
        cdef size_t slot = (key * <uint64_t>0x9E3779B97F4A7C15) >> (64 - self.bits)
        while self.rows[slot] >= 0 and self.keys[slot] != key:
            slot = (slot + 1) & (self.keys.size() - 1)
        return slot

    cdef int _resize(self, int bits) except -1:
        """Makes 2^bits slots."""
        cdef vector[uint64_t] keys
        cdef vector[int32_t] rows
        cdef size_t i, slot
        keys.resize(<size_t>1 << bits, 0)
        rows.resize(<size_t>1 << bits, -1)
        self.bits = bits
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
                self._resize(self.bits + 1)
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


# The columns that `TreeReader.fill` writes beside those of relatives, in the order in which it takes their places.
cdef enum:
    OWN_DEP
    OWN_HEAD_DEP
    OWN_SUBJECT_DEP
    OWN_SIDE
    OWN_DEPENDENTS
    N_OWN

# Relatives: the head, then the dependents by their kinds, of which the first is the subject.
cdef enum:
    HEAD_OF
    SUBJECT_OF


cdef class TreeReader:
    """Reads the relatives of tokens from their tree into columns.

    shares (Sequence[bool]): By kind of token, whether it shares the subject of its head if it has none. There are
        `n_dependents` kinds of dependents that are looked for, from 1; other kinds are not.
    n_dependents (int): The number of these kinds.
    n_of_token (int): The number of columns that are copied from those of words, the first ones.
    own (Sequence[int]): The places of the columns of the relation, that of the head and of the subject, the side of
        the head, and the sum of the relations of all dependents; -1 for columns that are not there.
    shown (Sequence[tuple[int, int, int]]): Other columns: place, the relative shown (0: the head, or a kind of
        dependent), and which column of words is shown of it.
    """

    cdef vector[bint] shares
    cdef vector[int] own, places, relatives, sources
    cdef int n_dependents, n_of_token, n_columns, n_of_words

    def __init__(self, shares, int n_dependents, int n_of_token, own, shown):
        places, relatives, sources = ([part[i] for part in shown] for i in range(3))
        if (len(own) != N_OWN or not 0 < n_dependents < len(shares) or n_of_token < 0
                or min(own) < -1 or min(places + sources, default=0) < 0
                or not all(0 <= relative <= n_dependents for relative in relatives)):
            raise IndexError("There is no such column or relative.")
        self.shares, self.own = shares, own
        self.places, self.relatives, self.sources = places, relatives, sources
        self.n_dependents, self.n_of_token = n_dependents, n_of_token
        self.n_columns = max(n_of_token, 1 + max(own), 1 + max(places, default=-1))
        self.n_of_words = max(n_of_token, 1 + max(sources, default=-1))

    def fill(self, uint64_t[:, ::1] values not None, const uint64_t[:, ::1] of_words not None,
             const Py_ssize_t[::1] heads not None, const uint64_t[::1] relations not None,
             const uint8_t[::1] kinds not None):
        """Writes the columns.

        values (np.ndarray): Where they are written (uint64, tokens x columns).
        of_words (np.ndarray): The columns of words (uint64, tokens x columns).
        heads (np.ndarray): The heads of the tokens (intp).
        relations (np.ndarray): Their relations (uint64).
        kinds (np.ndarray): Their kinds (uint8).
        RAISES IndexError: If an array has another size, or there is no such head or kind.
        """
        cdef Py_ssize_t n = heads.shape[0], token, relative
        cdef Py_ssize_t step = 1 + self.n_dependents
        cdef Py_ssize_t* of_token
        cdef uint64_t[N_OWN] own
        cdef vector[Py_ssize_t] relatives, subjects
        cdef vector[uint64_t] dependents
        cdef size_t i
        cdef int column
        if not (values.shape[0] == of_words.shape[0] == relations.shape[0] == kinds.shape[0] == n
                and values.shape[1] >= self.n_columns and of_words.shape[1] >= self.n_of_words):
            raise IndexError("All arrays need a row per token, and the columns that are read or written.")
        # -1 stands for a relative that a token does not have.
        relatives.resize(n * step, -1)
        dependents.resize(n, 0)
        for token in range(n):
            if not (0 <= heads[token] < n and kinds[token] < self.shares.size()):
                raise IndexError(f"Token {token} has head {heads[token]} and kind {kinds[token]}.")
            relatives[token * step + HEAD_OF] = heads[token]
            if 0 < kinds[token] <= self.n_dependents:
                relatives[heads[token] * step + kinds[token]] = token
            if heads[token] != token:
                dependents[heads[token]] += relations[token]
        for token in range(n):
            subjects.push_back(self.find_subject(relatives, heads, kinds, token))
        for token in range(n):
            of_token = &relatives[token * step]
            of_token[SUBJECT_OF] = subjects[token]
            own[OWN_DEP] = relations[token]
            own[OWN_HEAD_DEP] = relations[heads[token]]
            own[OWN_SUBJECT_DEP] = relations[subjects[token]] if subjects[token] >= 0 else 0
            own[OWN_SIDE] = 1 + (heads[token] > token) - (heads[token] < token)
            own[OWN_DEPENDENTS] = dependents[token]
            for column in range(self.n_of_token):
                values[token, column] = of_words[token, column]
            for i in range(N_OWN):
                if self.own[i] >= 0:
                    values[token, self.own[i]] = own[i]
            for i in range(self.places.size()):
                relative = of_token[self.relatives[i]]
                values[token, self.places[i]] = of_words[relative, self.sources[i]] if relative >= 0 else 0

    cdef Py_ssize_t find_subject(self, const vector[Py_ssize_t]& relatives, const Py_ssize_t[::1] heads,
                                 const uint8_t[::1] kinds, Py_ssize_t token) noexcept nogil:
        """The subject of a token, or the one that it shares with its head, or with the head of that: the auxiliary of
        a conjunct has the subject of the first conjunct."""
        cdef Py_ssize_t step = 1 + self.n_dependents, subject
        for _ in range(3):
            subject = relatives[token * step + SUBJECT_OF]
            if subject >= 0 or not self.shares[kinds[token]]:
                return subject
            token = heads[token]
        return -1
