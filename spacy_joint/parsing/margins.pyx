"""Margins of sentence boundaries, which show the confidence of the search: the best score of analyses in which a token
starts a sentence minus that of analyses in which it does not, at the last step at which the beam holds both."""

import numpy as np

from ..errors import Errors, JointValueError
from .system cimport SB, SHIFT, SWAP

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, uint16_t, uint64_t
from libcpp.vector cimport vector


cdef enum:
    WINDOW = 64     # tokens before its front whose decisions a derivation remembers; all items agree on earlier ones

# The types of the arrays of `Search.trace`.
TYPES = (np.dtype(np.uint16), np.dtype(np.uint16), np.dtype(np.float32))

# The decisions of a derivation about its last tokens. The bit of a token is its number modulo WINDOW.
cdef struct DerivationC:
    int32_t next            # the first token not yet shifted
    int32_t n_swapped
    uint64_t decided
    uint64_t starts


cdef inline uint64_t bit(int32_t token) noexcept nogil:
    return <uint64_t>1 << (token % WINDOW)


cdef inline void decide(DerivationC* derivation, uint64_t token, bint starts) noexcept nogil:
    derivation.decided |= token
    derivation.starts = derivation.starts | token if starts else derivation.starts & ~token


cdef inline void follow(DerivationC* derivation, uint16_t action) noexcept nogil:
    """Appends an action."""
    if action == SB:
        decide(derivation, bit(derivation.next), True)
    elif action == SWAP:
        derivation.n_swapped += 1
    elif action == SHIFT:
        if derivation.n_swapped:
            derivation.n_swapped -= 1
            return
        if not derivation.decided & bit(derivation.next):
            decide(derivation, bit(derivation.next), False)
        derivation.next += 1
        # This bit belonged to the token WINDOW tokens back.
        derivation.decided &= ~bit(derivation.next)


def boundary_margins(parents, actions, gaps, int n_tokens):
    """Returns the margin of each token (np.ndarray of float32), from the arrays of `Search.trace`: negative if the best
    analysis without a start is better, NaN if the beam never held both.

    RAISES ValueError: If the arrays differ in shape, or refer to items that do not exist.
    """
    shapes = {array.shape for array in (parents, actions, gaps)}
    types = (parents.dtype, actions.dtype, gaps.dtype)
    if len(shapes) != 1 or parents.ndim != 2 or types != TYPES or (parents >= max(parents.shape[1], 1)).any():
        raise JointValueError(Errors.J306, shapes=sorted(shapes))
    cdef const uint16_t[:, :] parent = parents, action = actions
    cdef const float[:, :] gap = gaps
    cdef int width = parents.shape[1], n_steps = parents.shape[0]
    margins_array = np.full(max(n_tokens, 0), np.nan, dtype=np.float32)
    cdef float[::1] margins = margins_array
    cdef vector[DerivationC] derivations, before
    cdef int step, i, n_items, with_it, without
    cdef int32_t front, token
    cdef uint64_t open, with_any, without_any, decided
    derivations.resize(width)
    before.resize(width)
    for step in range(n_steps):
        before.swap(derivations)
        n_items = front = 0
        while n_items < width and gap[step, n_items] != INFINITY:
            derivations[n_items] = before[parent[step, n_items]]
            follow(&derivations[n_items], action[step, n_items])
            front = max(front, derivations[n_items].next)
            n_items += 1
        with_any = without_any = 0
        for i in range(n_items):
            decided = known(&derivations[i], front)
            with_any |= decided & derivations[i].starts
            without_any |= decided & ~derivations[i].starts
        open = with_any & without_any
        if not open:
            continue
        for token in range(max(front - WINDOW + 1, 0), min(front + 1, n_tokens)):
            if not open & bit(token):
                continue
            with_it = without = -1
            # Ends with the best ones, since items are in the order of their scores.
            for i in range(n_items - 1, -1, -1):
                if known(&derivations[i], front) & bit(token):
                    if derivations[i].starts & bit(token):
                        with_it = i
                    else:
                        without = i
            margins[token] = gap[step, without] - gap[step, with_it]
    return margins_array


cdef inline uint64_t known(const DerivationC* derivation, int32_t front) noexcept nogil:
    """Returns the tokens up to `front`, within the window, that the derivation has decided, as bits."""
    cdef uint64_t decided = derivation.decided
    cdef int32_t token
    if front - derivation.next >= WINDOW:
        return 0
    # These bits belong to tokens outside the window of the front.
    for token in range(derivation.next + 1, front + 1):
        decided &= ~bit(token)
    return decided
