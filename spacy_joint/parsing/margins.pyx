"""How sure a search was of each sentence boundary, from what else was in its beam.

A decision about a token is open as long as the beam holds analyses of both kinds: those in which it starts a sentence,
and those in which it does not. The margin is by how much the best of the one kind was ahead of the best of the other
when both were there for the last time. It says nothing of what the beam never held.
"""

import numpy as np

from ..errors import Errors, JointValueError
from .system cimport SB, SHIFT, SWAP

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, uint16_t, uint64_t
from libcpp.vector cimport vector


cdef enum:
    # Tokens behind its front of which an analysis knows what it decided. Beams agree about what is further back.
    WINDOW = 64


# Of `Search.trace`.
TYPES = (np.dtype(np.uint16), np.dtype(np.uint16), np.dtype(np.float32))

# Which of the last tokens a path has decided, and how. The bit of a token is its number modulo WINDOW.
cdef struct PathC:
    int32_t next            # the first token that was not shifted
    int32_t n_swapped
    uint64_t decided
    uint64_t starts


cdef inline uint64_t bit(int32_t token) noexcept nogil:
    return <uint64_t>1 << (token % WINDOW)


cdef inline void decide(PathC* path, uint64_t token, bint starts) noexcept nogil:
    path.decided |= token
    path.starts = path.starts | token if starts else path.starts & ~token


cdef inline void follow(PathC* path, uint16_t action) noexcept nogil:
    """Takes one more action."""
    if action == SB:
        decide(path, bit(path.next), True)
    elif action == SWAP:
        path.n_swapped += 1
    elif action == SHIFT:
        if path.n_swapped:
            path.n_swapped -= 1
            return
        if not path.decided & bit(path.next):
            decide(path, bit(path.next), False)
        path.next += 1
        # The place of the token that is WINDOW tokens back.
        path.decided &= ~bit(path.next)


def boundary_margins(parents, actions, lags, int n_tokens):
    """How far the best analysis with a sentence starting at each token was ahead of the best without.

    parents, actions, lags (np.ndarray): What `Search.trace` gave for a `JointSystem`.
    n_tokens (int): Tokens of the document.
    RETURNS (np.ndarray): float32 a token: a difference of scores, negative where the best analysis without was ahead;
        NaN where the beam never held both.
    RAISES ValueError: If the arrays differ in shape, or name items that are not there.
    """
    arrays = (parents, actions, lags)
    shapes = {array.shape for array in arrays}
    types = tuple(array.dtype for array in arrays)
    if len(shapes) != 1 or parents.ndim != 2 or types != TYPES or (parents >= max(parents.shape[1], 1)).any():
        raise JointValueError(Errors.J306, shapes=sorted(shapes))
    cdef const uint16_t[:, :] parent = parents
    cdef const uint16_t[:, :] action = actions
    cdef const float[:, :] lag = lags
    cdef int width = parents.shape[1], n_steps = parents.shape[0]
    margins_array = np.full(max(n_tokens, 0), np.nan, dtype=np.float32)
    cdef float[::1] margins = margins_array
    cdef vector[PathC] paths, before
    cdef int step, i, with_it, without
    cdef int32_t front, token
    cdef uint64_t open, with_any, without_any
    paths.resize(width)
    for step in range(n_steps):
        before = paths
        front = 0
        for i in range(width):
            if lag[step, i] == INFINITY:
                break
            paths[i] = before[parent[step, i]]
            follow(&paths[i], action[step, i])
            front = max(front, paths[i].next)
        with_any = without_any = 0
        for i in range(width):
            if lag[step, i] == INFINITY:
                break
            with_any |= known(&paths[i], front) & paths[i].starts
            without_any |= known(&paths[i], front) & ~paths[i].starts
        open = with_any & without_any
        if not open:
            continue
        for token in range(max(front - WINDOW + 1, 0), min(front + 1, n_tokens)):
            if not open & bit(token):
                continue
            with_it = without = -1
            for i in range(width):
                if lag[step, i] == INFINITY:
                    break
                if known(&paths[i], front) & bit(token):
                    if paths[i].starts & bit(token):
                        with_it = i if with_it < 0 else with_it
                    else:
                        without = i if without < 0 else without
            margins[token] = lag[step, without] - lag[step, with_it]
    return margins_array


cdef inline uint64_t known(const PathC* path, int32_t front) noexcept nogil:
    """Tokens up to `front` that the path has decided, as far as the window reaches."""
    cdef uint64_t decided = path.decided
    cdef int32_t token
    if front - path.next >= WINDOW:
        return 0
    # These bits stand for tokens that are out of the window of the front.
    for token in range(path.next + 1, front + 1):
        decided &= ~bit(token)
    return decided
