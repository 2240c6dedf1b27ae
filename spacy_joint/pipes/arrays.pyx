"""Array operations for columns. In numpy, they are slow for documents of a sentence or two: each call takes a
microsecond, however short the array."""

import numpy as np

from cython.operator cimport dereference
from libc.stdint cimport int8_t, int32_t, uint8_t, uint64_t
from libcpp.unordered_map cimport unordered_map
from libcpp.utility cimport pair
from libcpp.vector cimport vector


# The number of the subject among the relatives.
cdef enum:
    SUBJECT = 2


cdef class RowIndex:
    """The rows of 64-bit keys, such as the hashes of words: 0, 1, 2, ... in the order in which they are added."""

    cdef unordered_map[uint64_t, int32_t] rows

    def __len__(self):
        return self.rows.size()

    def find(self, const uint64_t[:] keys not None):
        """Finds the rows of keys (intp), -1 for unknown ones; and the distinct unknown keys, in order of occurrence."""
        found = np.full(keys.shape[0], -1, dtype=np.intp)
        cdef Py_ssize_t[::1] out = found
        cdef Py_ssize_t i
        cdef bint all_known = True
        for i in range(keys.shape[0]):
            row = self.rows.find(keys[i])
            if row != self.rows.end():
                out[i] = dereference(row).second
            else:
                all_known = False
        return found, [] if all_known else list(dict.fromkeys(np.asarray(keys)[found < 0].tolist()))

    def add(self, const uint64_t[:] keys not None):
        """Adds keys (uint64); known keys keep their rows."""
        cdef Py_ssize_t i
        for i in range(keys.shape[0]):
            self.rows.insert(pair[uint64_t, int32_t](keys[i], <int32_t>self.rows.size()))


def preceding(values, Py_ssize_t distance=1):
    """Shifts an array: each word gets the value of the word `distance` places before it, or 0."""
    shifted = np.zeros(len(values), dtype=values.dtype)
    shifted[distance:] = values[:max(len(values) - distance, 0)]
    return shifted


def following(values):
    """Shifts an array: each word gets the value of the next word, and the last one 0."""
    shifted = np.zeros(len(values), dtype=values.dtype)
    shifted[:-1] = values[1:]
    return shifted


def find_runs(breaks, Py_ssize_t min_length, bint whole=True, bounds=None):
    """Finds the tokens in runs of at least `min_length` tokens without breaks (bool), and the number of tokens at the
    end for which later tokens can change this. With `whole`, a document without breaks is a run of any length.
    `bounds` has the first token and the end of each document (int, documents x 2); None: a single one.
    RAISES IndexError: If these do not exist."""
    cdef const uint8_t[::1] is_break = np.ascontiguousarray(breaks, dtype=bool).view(np.uint8)
    cdef Py_ssize_t n = is_break.shape[0], begin = 0, end = 0, first, last, i
    cdef const Py_ssize_t[:, :] documents = np.array([[0, n]] if bounds is None else bounds, dtype=np.intp)
    found = np.zeros(n, dtype=bool)
    cdef uint8_t[::1] out = found.view(np.uint8)
    for first, last in documents:
        if not 0 <= first <= last <= n:
            raise IndexError(f"There are no tokens {first} to {last}.")
        begin = first
        while True:
            end = begin
            while end < last and not is_break[end]:
                end += 1
            if end - begin >= min_length or (whole and begin == first and end == last):
                for i in range(begin, end):
                    out[i] = True
            if end == last:
                break
            begin = end + 1
    return found, 0 if end - begin >= min_length else end - begin


def make_relative_columns(const uint64_t[:, ::1] sources not None, const Py_ssize_t[::1] heads not None,
                          const uint8_t[::1] kinds not None, const uint8_t[::1] shares not None,
                          const int32_t[:, ::1] requested not None):
    """Makes columns that show each token or a relative of it (uint64, tokens x columns); 0 for a missing relative.

    Relative 0 is the token itself, 1 its head, and 1 + k its last dependent of kind k. Kind 1 is that of subjects, and
    0 that of other tokens. `requested` has a relative and a column of `sources` for each column to make. By kind,
    `shares` is whether a token without a subject shares that of its head.
    RAISES IndexError: If a head, kind, relative or column does not exist, or sizes of arrays differ.
    """
    cdef Py_ssize_t n = heads.shape[0], step = 1 + shares.shape[0], token, at, relative, i
    # -1 stands for a relative that a token does not have.
    cdef vector[Py_ssize_t] relatives, subjects
    if sources.shape[0] != n or kinds.shape[0] != n or requested.shape[1] != 2 or step <= SUBJECT:
        raise IndexError("All arrays need a row per token, and there are at least two kinds.")
    for i in range(requested.shape[0]):
        if not (0 <= requested[i, 0] < step and 0 <= requested[i, 1] < sources.shape[1]):
            raise IndexError(f"There is no relative {requested[i, 0]} or no column {requested[i, 1]}.")
    relatives.resize(n * step, -1)
    for token in range(n):
        if not (0 <= heads[token] < n and kinds[token] < shares.shape[0]):
            raise IndexError(f"Token {token} has head {heads[token]} and kind {kinds[token]}.")
        relatives[token * step] = token
        relatives[token * step + 1] = heads[token]
        if kinds[token]:
            relatives[heads[token] * step + 1 + kinds[token]] = token
    for token in range(n):
        # It may also share the subject of its head's head: an auxiliary of a conjunct has that of the first conjunct.
        at = token
        for _ in range(2):
            if relatives[at * step + SUBJECT] >= 0 or not shares[kinds[at]]:
                break
            at = heads[at]
        subjects.push_back(relatives[at * step + SUBJECT])
    values = np.empty((n, requested.shape[0]), dtype=np.uint64)
    cdef uint64_t[:, ::1] out = values
    for token in range(n):
        relatives[token * step + SUBJECT] = subjects[token]
        for i in range(requested.shape[0]):
            relative = relatives[token * step + requested[i, 0]]
            out[token, i] = sources[relative, requested[i, 1]] if relative >= 0 else 0
    return values


# How a word begins, as decided by `parsing/layout.py`. 0: otherwise.
cdef enum:
    BEGINS_PLAIN = 1            # like most words
    CONTINUES = 2               # continues the word before it, without a space
    BEGINS_WITH_FLAG = 3        # with half of a flag
    BEGINS_NOTHING = 4          # continues any word on the same line

# How a word ends. 0: otherwise.
cdef enum:
    ENDS_PLAIN = 1              # like most words
    WRAPS = 2                   # a bracket or the like, which ends a sentence if the word before it does
    JOINS = 3                   # joins the next word
    ENDS_WITH_FLAG = 4          # with half of a flag
    IS_ADDRESS = 5              # only spaces end it
    IS_BREAK = 6                # whitespace with a line break
    ENDS_IN_COLON = 7           # may introduce an address
    IS_SPACE = 8                # other whitespace
    IS_TAB = 9                  # other whitespace with a tab
    IS_BAR = 10                 # between cells

# The maximum number of words that wrap a word, or belong to an address: streams depend on a bounded context.
cdef Py_ssize_t MAX_WORDS = 32


def forbid_starts(
    const uint8_t[:, ::1] edges not None, const uint64_t[:, :] spaces not None, int8_t[::1] constraints not None
):
    """Sets the constraints of words that continue the word before them, mostly without a space, to -1. The first two
    columns of `edges` are how words begin and end; the last column of `spaces` is whether a space follows.
    RAISES IndexError: If a column is missing, or sizes of arrays differ."""
    cdef Py_ssize_t n = edges.shape[0], i, in_address = 0, wrapping = 0, space = spaces.shape[1] - 1
    # How the last word that wrapped no other ended, and the whitespace after it.
    cdef uint8_t begins, ends, before = IS_BREAK, gap = 0
    cdef bint continues, is_attached
    if edges.shape[1] < 2 or space < 0 or spaces.shape[0] != n or constraints.shape[0] != n:
        raise IndexError("All arrays need a row per token, edges two columns, and spaces one.")
    for i in range(n):
        begins, ends = edges[i, 0], edges[i, 1]
        if ends in (IS_SPACE, IS_TAB):
            gap = max(gap, ends)
            continue
        if ends == IS_BREAK:
            before = IS_BREAK
            gap = 0
            continue
        is_attached = before != IS_BREAK and not gap and not spaces[i - 1, space]
        if is_attached:
            continues = (
                begins in (CONTINUES, BEGINS_NOTHING) or in_address or before == JOINS
                or (begins == BEGINS_PLAIN and before in (ENDS_PLAIN, ENDS_IN_COLON))
                or (begins == BEGINS_WITH_FLAG and before == ENDS_WITH_FLAG)
            )
        else:
            continues = before != IS_BREAK and (
                begins == BEGINS_NOTHING
                or (ends == IS_ADDRESS and before == ENDS_IN_COLON)
                or (gap == IS_TAB and before in (ENDS_PLAIN, ENDS_IN_COLON, IS_ADDRESS))
            )
        if continues:
            constraints[i] = -1
        if ends == IS_BAR and before != IS_BREAK:
            gap = IS_TAB
            continue
        gap = 0
        if not is_attached:
            in_address = wrapping = 0
            before = ENDS_PLAIN
        in_address = MAX_WORDS if ends == IS_ADDRESS else max(in_address - 1, 0)
        wrapping = wrapping + 1 if ends == WRAPS else 0
        if not wrapping:
            before = ends
        elif wrapping > MAX_WORDS:
            before = 0
