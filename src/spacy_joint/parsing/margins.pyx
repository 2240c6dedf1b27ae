"""The margins of sentence boundaries, i.e. the confidence of the search, computed from the items of its beam.

The decision about a token is open as long as the beam holds both analyses in which it starts a sentence and analyses in
which it does not. The margin is the difference between the best scores of both kinds at the last step at which both
were in the beam. Analyses that were never in the beam do not count.
"""

import numpy as np

from ..errors import Errors, JointValueError
from .system cimport SB, SHIFT, SWAP

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, uint16_t, uint64_t
from libcpp.vector cimport vector


cdef enum:
    # The number of tokens behind its front whose decisions a path remembers. All items of a beam agree on earlier ones.
    WINDOW = 64


# The types of the arrays of `Search.trace`.
TYPES = (np.dtype(np.uint16), np.dtype(np.uint16), np.dtype(np.float32))

# The decisions of a path about its last tokens. The bit of a token is its number modulo WINDOW.
cdef struct PathC:
    int32_t next            # the first token not yet shifted
    int32_t n_swapped
    uint64_t decided
    uint64_t starts


cdef inline uint64_t bit(int32_t token) noexcept nogil:
    return <uint64_t>1 << (token % WINDOW)


cdef inline void decide(PathC* path, uint64_t token, bint starts) noexcept nogil:
    path.decided |= token
    path.starts = path.starts | token if starts else path.starts & ~token


cdef inline void follow(PathC* path, uint16_t action) noexcept nogil:
    """Appends an action."""
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
        # This bit was that of the token WINDOW tokens back.
        path.decided &= ~bit(path.next)


def boundary_margins(parents, actions, gaps, int n_tokens):
    """The score of the best analysis with a sentence start at each token minus that of the best one without.

    parents, actions, gaps (np.ndarray): The arrays of `Search.trace` for a `JointSystem`.
    n_tokens (int): The number of tokens of the document.
    RETURNS (np.ndarray): The margins (float32, one per token): negative if the best analysis without a start is better,
        NaN if the beam never held both.
    RAISES ValueError: If the arrays differ in shape, or refer to items that do not exist.
    """
    arrays = (parents, actions, gaps)
    shapes = {array.shape for array in arrays}
    types = tuple(array.dtype for array in arrays)
    if len(shapes) != 1 or parents.ndim != 2 or types != TYPES or (parents >= max(parents.shape[1], 1)).any():
        raise JointValueError(Errors.J306, shapes=sorted(shapes))
    cdef const uint16_t[:, :] parent = parents
    cdef const uint16_t[:, :] action = actions
    cdef const float[:, :] gap = gaps
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
            if gap[step, i] == INFINITY:
                break
            paths[i] = before[parent[step, i]]
            follow(&paths[i], action[step, i])
            front = max(front, paths[i].next)
        with_any = without_any = 0
        for i in range(width):
            if gap[step, i] == INFINITY:
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
                if gap[step, i] == INFINITY:
                    break
                if known(&paths[i], front) & bit(token):
                    if paths[i].starts & bit(token):
                        with_it = i if with_it < 0 else with_it
                    else:
                        without = i if without < 0 else without
            margins[token] = gap[step, without] - gap[step, with_it]
    return margins_array


cdef inline uint64_t known(const PathC* path, int32_t front) noexcept nogil:
    """The tokens up to `front`, within the window, that the path has decided."""
    cdef uint64_t decided = path.decided
    cdef int32_t token
    if front - path.next >= WINDOW:
        return 0
    # These bits are those of tokens outside the window of the front.
    for token in range(path.next + 1, front + 1):
        decided &= ~bit(token)
    return decided
