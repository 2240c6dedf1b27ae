"""The joint transition system: arc-standard with SWAP (Nivre 2009) and SB (Bjorkelund et al. 2016).

A state is a stack, a buffer and the last sentence boundary. The bottom of the stack is the artificial root, which is
not a node. The buffer consists of the swapped tokens and the rest of the document, from `next` on. `build` reconstructs
arcs and boundaries from the actions.

In a guided system, templates also see the predictions of a guide, which are token info: the distance from each
token to its head (0 for a root, INT32_MIN if unknown) and to its last dependent (0 if none comes after it).
Positions would change when a stream forgets tokens.
"""

from libc.stdint cimport int32_t, uint16_t, uint32_t

from ..engine.system cimport System


# Kinds of actions, in the order of their numbers.
cdef enum:
    SHIFT
    SB
    SWAP
    LEFT        # LEFT-ARC: s1 becomes a dependent of s0
    RIGHT       # RIGHT-ARC, s1 not the root: s0 becomes a dependent of s1
    ROOT_ARC    # RIGHT-ARC, s1 the root: s0 becomes the root of its sentence
    N_KINDS


# An item of the stack, or of the swapped part of the buffer. Children are tokens, -1 for none; labels count from 1.
cdef struct ItemC:
    uint32_t below          # the link
    int32_t token
    int32_t left, left2, right, right2          # outermost and second-outermost children
    uint16_t left_label, left2_label, right_label, right2_label
    uint16_t n_left, n_right


cdef struct StateC:
    uint32_t stack          # links
    uint32_t swapped
    int32_t next            # first token not yet shifted
    int32_t last_boundary   # LAST(S)
    uint16_t last_action, action_before     # + 1; 0: none


cdef class JointSystem(System):
    cdef readonly tuple left_labels, right_labels, root_labels
    cdef readonly bint early, guided
    cdef readonly dict actions      # numbers of "SHIFT", "SB", "SWAP" and ("LEFT" | "RIGHT" | "ROOT", label)
    cdef tuple names                # labels of actions
