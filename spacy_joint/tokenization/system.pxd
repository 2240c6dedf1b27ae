"""Word segmentation: one action per character, its position in a word.

A state is a place in the text, the beginning of the current word and the previous word. Its size is bounded, so there
are no nodes. Words are identified by hashes of the info of their characters.

Whitespace with the constraint SKIPPED gets no action and ends a word. Whitespace with the constraint JOINING may be
inside a word; the previous action decides.

Kinds of actions, of one action each: the first character of several (BEGIN), one inside (INSIDE), the last (END), a
word of a single character (SINGLE), and whitespace between words (OUTSIDE).
"""

from libc.stdint cimport int32_t, uint64_t

from ..engine.columns cimport InputC
from ..engine.system cimport System


cdef enum:
    BEGIN, INSIDE, END, SINGLE, OUTSIDE, N_ACTIONS

cdef enum:
    SKIPPED = -2
    JOINING = 1

cdef struct StateC:
    uint64_t word               # the hash of the characters of the current word before `next`; 0: none
    uint64_t before             # the hash of the previous word; 0: none
    int32_t next                # character
    int32_t first               # character of the current word
    int32_t last                # action + 1; 0: none


cdef class SegmentationSystem(System):
    cdef void skip(self, const InputC* input, StateC* state) noexcept nogil
