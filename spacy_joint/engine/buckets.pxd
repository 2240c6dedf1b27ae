"""Sizes and distances in classes that widen, as values of slots: what is far apart need not be told exactly."""

from libc.stdint cimport int64_t, uint64_t


cdef inline uint64_t bucket(int64_t size) noexcept nogil:
    """The class of a size, from 1: 0, 1, 2, 3, 4, 5-6, 7-9, 10-14, 15-24, 25-49, more."""
    if size <= 4:
        return size + 1
    if size <= 6:
        return 6
    if size <= 9:
        return 7
    if size <= 14:
        return 8
    if size <= 24:
        return 9
    return 10 if size <= 49 else 11
