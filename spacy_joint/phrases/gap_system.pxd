"""Discontinuous shift-reduce after Coavoux & Crabbe (2017): the states.

A state has a stack ... s1 s0 and a deque ... d1 d0, whose newest constituent d0 is one side of every reduction. GAP
puts s0 behind the deque, so that d0 can be reduced with a constituent further down; a reduction puts the constituents
jumped over back on the stack. Stack and deque are one chain, d0 -> d1 -> ... -> s0 -> s1 -> ..., in which `mid` is s0,
so that only reductions copy constituents. Continuous shift-reduce (Sagae & Lavie 2005) is the same without GAP.
"""

from libc.stdint cimport int32_t, uint16_t, uint32_t

from ..engine.system cimport ArenaC
from .system cimport PhraseSystem


cdef enum:
    # The longest run of gaps in Alpino is 7.
    MAX_GAPS = 12


cdef struct StateC:
    uint32_t top, mid           # links: d0 and s0
    int32_t next                # first token not yet shifted
    uint16_t last_action, action_before     # + 1; 0: none
    uint16_t n_gaps             # since the last other action
    uint16_t unused             # no unnamed padding, since equal states must have equal bytes


cdef class GapSystem(PhraseSystem):
    # Puts the deque without d0 on the stack without s0, and returns the top of the stack.
    cdef uint32_t flush_deque(self, ArenaC* arena, const StateC* state) noexcept nogil
