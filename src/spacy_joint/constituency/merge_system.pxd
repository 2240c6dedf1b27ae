"""Discontinuous shift-reduce with separate labels (ML-GAP) after Coavoux, Crabbe & Cohen (2019): the states.

Stack, deque and gaps are those of gap_system.pxd. Trees are not binarised: MERGE joins d0 and s0 to an unfinished
constituent, to which further children may be added by further merges, until it gets a label. After each SHIFT and each
MERGE there is a step for the label, so that a tree takes 4n - 2 steps and one for each gap. The action that merges says
which side has the head.

The root is put above what is left at the end, without a step of its own.

An unfinished constituent is `temporary`; its label is that of the child with its head (0: a tag over a word), and its
links `left` and `right` are its outermost children.
"""

from libc.stdint cimport uint32_t

from ..engine.system cimport ArenaC
from .gap_system cimport GapSystem, StateC
from .phrases cimport NodeC


cdef class MergeSystem(GapSystem):
    cdef readonly tuple branching   # labels

    # Whether the last action was SHIFT or MERGE.
    cdef bint awaits_label(self, const StateC* state) noexcept nogil
    # Makes a new constituent of s0 and d0 an unfinished one.
    cdef void finish_merge(self, ArenaC* arena, uint32_t lower, uint32_t upper, NodeC* new, bint side) noexcept nogil
