"""Markov sequence labelling: one action a token, which gives it its tag.

A state is a place in the document and the last two tags; there is nothing unbounded, hence no nodes. With
`with_boundaries`, each tag is there twice, and the second says that the token starts a sentence.

Tokens with the constraint SKIPPED get no action: those whose tag nobody knows, in learning. They are seen by the
templates of others, and their tag is one of its own. (A document that is still coming has none.)

Kinds of actions: tags of tokens that go on with a sentence; tags of tokens that start one.
"""

from libc.stdint cimport int32_t, uint16_t

from ..engine.columns cimport InputC
from ..engine.system cimport System


cdef enum:
    GO_ON
    START
    N_KINDS


cdef enum:
    SKIPPED = -2

cdef struct StateC:
    int32_t next                # token
    int32_t sentence            # its first token
    uint16_t last, before       # actions + 1; 0: none, n_actions + 1: skipped


cdef class TaggingSystem(System):
    cdef readonly tuple tags
    cdef readonly int order
    cdef readonly bint with_boundaries

    cdef void skip(self, const InputC* input, StateC* state) noexcept nogil
