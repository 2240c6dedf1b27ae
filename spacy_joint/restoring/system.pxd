"""Restoring text word by word: first the case of a word, then the mark after it.

A state is a position in the document and the decisions around it. Its size is bounded, so there are no nodes. The
constraint of a word is a set of bits: FINAL (it ends a sentence), CASE_GIVEN and MARK_GIVEN (this decision is skipped,
and features see it as given). Its token info is the row of the root of its sentence, or -1.

Kinds of actions: cases of words; marks within a sentence, of which the first is "no mark"; marks at its end. So each
sentence has one final mark, at its end.
"""

from libc.stdint cimport int32_t, uint8_t, uint16_t

from ..engine.columns cimport InputC
from ..engine.system cimport System


cdef enum:
    CASE
    INSIDE
    END

cdef enum:
    FINAL = 1
    CASE_GIVEN = 2
    MARK_GIVEN = 4

cdef struct StateC:
    int32_t next                # word
    int32_t sentence            # its first word
    uint8_t decides_mark        # the case of the word is decided, and its mark is next
    uint8_t since               # words since the last mark or sentence start, up to MAX_SINCE
    uint16_t case_now           # an action + 1; 0: none, n_actions + 1: given
    uint16_t case_before
    uint16_t mark               # the last mark of the sentence that is not "none"


cdef class RestoringSystem(System):
    cdef readonly tuple cases
    cdef readonly tuple inside
    cdef readonly tuple final

    # Skips given decisions.
    cdef void skip(self, const InputC* input, StateC* state) noexcept nogil
    cdef void take_case(self, StateC* state, uint16_t case) noexcept nogil
    cdef void take_mark(self, const InputC* input, StateC* state, uint16_t mark) noexcept nogil
