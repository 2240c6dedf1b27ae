"""Scores that depend on the distance between the tokens of a window, on a CPU.

Distances fall into classes, each a range, so that in a row of scores, the tokens of a class stand next to each other.
"""

import numpy as np

from ..errors import Errors, JointValueError


def add_by_distance(scores not None, by_class not None, bounds not None, Py_ssize_t first):
    """Adds to the score of each token that of its distance.

    scores (np.ndarray): The scores of the artificial root, and of the tokens of a window, for some of them
        (float32, rows x (tokens + 1), contiguous), to be changed.
    by_class (np.ndarray): The scores of classes for these tokens (float32, rows x classes, contiguous).
    bounds (np.ndarray): The least distance of each class but the first (intp, ascending).
    first (int): The number of the token of the first row.
    RAISES ValueError: If shapes do not match (J620).
    """
    _check(scores, by_class, bounds, first)
    cdef float[:, ::1] s = scores
    cdef const float[:, ::1] c = by_class
    cdef const Py_ssize_t[::1] b = bounds
    cdef Py_ssize_t n = s.shape[1] - 1, row, number, token, end
    with nogil:
        for row in range(s.shape[0]):
            token = 0
            for number in range(c.shape[1]):
                end = _find_end(b, number, first + row, token, n)
                while token < end:
                    s[row, token + 1] += c[row, number]
                    token += 1


def sum_by_distance(scores not None, sums not None, bounds not None, Py_ssize_t first):
    """Writes the sums of scores by the class of the distance, which is the gradient of `add_by_distance`.

    sums (np.ndarray): The sums (float32, rows x classes, contiguous), to be written.
    scores, bounds, first: As for `add_by_distance`.
    RAISES ValueError: If shapes do not match (J620).
    """
    _check(scores, sums, bounds, first)
    cdef const float[:, ::1] s = scores
    cdef float[:, ::1] c = sums
    cdef const Py_ssize_t[::1] b = bounds
    cdef Py_ssize_t n = s.shape[1] - 1, row, number, token, end
    cdef double total
    with nogil:
        for row in range(s.shape[0]):
            token = 0
            for number in range(c.shape[1]):
                end = _find_end(b, number, first + row, token, n)
                total = 0.0
                while token < end:
                    total += s[row, token + 1]
                    token += 1
                c[row, number] = <float>total


cdef inline Py_ssize_t _find_end(const Py_ssize_t[::1] bounds, Py_ssize_t number, Py_ssize_t dependent,
                                 Py_ssize_t token, Py_ssize_t n) noexcept nogil:
    """The end of the class of `token`, from 0 to n: where the next class begins."""
    if number == bounds.shape[0]:
        return n
    # No distance is beyond n, and the sum cannot overflow.
    return min(max(dependent + min(max(bounds[number], -n), n), token), n)


def _check(scores, by_class, bounds, first):
    n, shape = len(scores), np.shape(scores)
    if len(shape) != 2 or first < 0 or shape[1] < first + n + 1:
        raise JointValueError(Errors.J620, name="scores", shape=shape, wanted=(n, f"{first + n + 1} or more"))
    if np.shape(by_class) != (n, len(bounds) + 1):
        raise JointValueError(Errors.J620, name="by_class", shape=np.shape(by_class), wanted=(n, len(bounds) + 1))
