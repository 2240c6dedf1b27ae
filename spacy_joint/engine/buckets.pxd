"""Buckets of sizes and distances, as values of slots; larger values have wider buckets."""

from libc.stdint cimport int64_t, uint64_t


cdef inline uint64_t bucket(int64_t size) noexcept nogil:
    """Returns the bucket of a size, from 1: 0, 1, 2, 3, 4, 5-6, 7-9, 10-14, 15-24, 25-49, more."""
    # Without branches, since they would be unpredictable.
    return (
        1 + (size > 0) + (size > 1) + (size > 2) + (size > 3) + (size > 4) + (size > 6) + (size > 9) + (size > 14)
        + (size > 24) + (size > 49)
    )
