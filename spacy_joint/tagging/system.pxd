"""Markov sequence labelling: one action per token, which is its tag.

A state is a position in the document and the last two tags; it is bounded, so there are no nodes. With
`with_boundaries`, there are two actions per tag, and the second means that the token starts a sentence.

Tokens with the constraint SKIPPED, whose tag is unknown in training, get no action. Other tokens see them with a
special tag. Streamed documents have no skipped tokens.

Kinds of actions: tags of tokens that continue a sentence; tags of tokens that start one.
"""

from libc.stdint cimport int32_t, uint16_t

from ..engine.columns cimport InputC
from ..engine.system cimport System


cdef enum:
    CONTINUE
    START
    SKIPPED = -2

cdef struct StateC:
    int32_t next                # token
    int32_t sentence            # its first token
    uint16_t last, before       # actions + 1; 0: none, n_actions + 1: skipped


cdef class SequenceSystem(System):
    cdef readonly tuple tags
    cdef int n_tags
    cdef readonly int order
    cdef readonly bint with_boundaries

    # Called by constructors.
    cdef int set_tags(self, tags, order, bint with_boundaries) except -1
    cdef void skip(self, const InputC* input, StateC* state) noexcept nogil
