"""Finds quotations from left to right: each action says what a token does to the open span, if there is one.

This is a semi-Markov model (Sarawagi & Cohen 2004), searched one token per step, so that all items of a beam are at the
same token and their scores are comparable: templates see the whole span that would end here, from its first token to
this one. A span has at least two tokens. A state is a position, the open span, and the last finished one; it is
bounded, so there are no nodes.

The token info of the columns (see features.py) is token indices, or counts up to and including the token.
"""

from libc.stdint cimport int32_t, uint64_t

from ..engine.columns cimport InputC
from ..engine.system cimport System


# The actions, one per kind: the token is outside of spans, or the first, an inner or the last token of a span.
cdef enum:
    OUT, BEGIN, INSIDE, END, N_ACTIONS

cdef enum:
    SENTENCE, SENTENCE_FIRST, SENTENCE_LAST, PARAGRAPH
    OPENS_RIGHT                     # the end of the largest subtree that begins here
    CLOSES_LEFT                     # the beginning of the largest subtree that ends here
    WORD_NEXT, WORD_BEFORE          # the first token from here on, the last up to here, that is not punctuation
    PARTNER                         # of a quotation mark
    ARGUMENT, ARGUMENT_LEFT, ARGUMENT_RIGHT     # the dependent of a cue whose subtree contains this token
    GOVERNOR, CUE_LEFT, CUE_RIGHT   # this cue; the nearest cues before and after this token
    IS_MARK, N_MARKS, N_CUES, N_VERBS, N_COMMAS, N_GOVERNED
    N_INFO


cdef struct StateC:
    int32_t next            # token
    int32_t begin           # of the open span; -1: none
    int32_t last_begin      # of the last finished span
    int32_t last_end        # its last token; -1: none


cdef class QuotationSystem(System):
    cdef readonly bint neighbours
    # Fills the slots that describe a span from `begin` to `end`.
    cdef void describe(self, const InputC* input, int32_t begin, int32_t end, uint64_t* slots) noexcept nogil
