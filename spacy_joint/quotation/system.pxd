"""Quotations found from left to right: what each token does to the span that is open, if one is.

A semi-Markov model (Sarawagi & Cohen 2004), searched one token a step, so that all items of a beam are at the same
token and their scores compare: templates see the whole span that would end here, from its first token to this one. A
span has two tokens or more. A state is a place, the span that is open, and the last one that ended: nothing is
unbounded, hence there are no nodes.

Facts of the columns are what the search itself has to know of tokens, see features.py. They are numbers of tokens, or
counts up to and with a token.
"""

from libc.stdint cimport int32_t, uint64_t

from ..engine.columns cimport InputC
from ..engine.system cimport System


# The actions, a kind each.
cdef enum:
    OUT         # the token is in no span
    BEGIN       # the first of a span
    INSIDE
    END         # the last of the span
    N_ACTIONS

cdef enum:
    SENTENCE
    SENTENCE_FIRST
    SENTENCE_LAST
    PARAGRAPH
    OPENS_RIGHT         # where the largest subtree ends that begins here
    CLOSES_LEFT         # where the largest subtree begins that ends here
    WORD_NEXT           # the first token from here on that is no punctuation
    WORD_BEFORE         # the last one up to here
    PARTNER             # of a quotation mark
    ARGUMENT            # the dependent of a cue that this is in
    ARGUMENT_LEFT
    ARGUMENT_RIGHT
    GOVERNOR            # the cue
    CUE_LEFT            # the nearest cue before this token
    CUE_RIGHT
    IS_MARK
    N_MARKS
    N_CUES
    N_VERBS
    N_COMMAS
    N_GOVERNED
    N_FACTS


cdef struct StateC:
    int32_t next            # token
    int32_t begin           # of the span that is open; -1: none is
    int32_t last_begin      # of the last that ended
    int32_t last_end        # its last token; -1: there was none


cdef class QuotationSystem(System):
    cdef readonly bint neighbours
    # The value slots that tell whether a span from `begin` to `end` is one.
    cdef void describe(self, const InputC* input, int32_t begin, int32_t end, uint64_t* slots) noexcept nogil
