"""Discontinuous shift-reduce with swaps after Versley (2014) and Maier (2015): the states.

A state has a stack ... s1 s0 and a queue q0 q1 ... of words; s1 and s0 are joined. There are three ways to join
constituents that are not neighbours:

- `swap`: SWAP-i puts s1, ..., si, which are words, back before the queue;
- `single_swap`: the same with SWAP-1 only, i times;
- `skip_shift` (Maier & Lichte 2016): SKIP-i puts qi on the stack, and leaves q0, ..., qi-1 where they are.

The queue is a chain of the words put back or left, and then all words from `next` on. SWAP and SKIP add as many nodes
as they move words. A sentence has a budget of moved words, so that its length bounds the number of steps linearly.
"""

from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t

from ..engine.columns cimport InputC
from ..engine.system cimport ArenaC
from .system cimport PhraseSystem


cdef enum:
    # The longest moves of Alpino and of the Wall Street Journal are of 29 and 31 words.
    MAX_MOVED = 48
    # The budget per word of the sentence. Gold trees of these treebanks need 18.
    MOVES_PER_WORD = 32


cdef struct StateC:
    uint32_t top, queue         # links: s0, and the first word that was put back or left
    int32_t next                # first word that has never left the queue, after those
    int32_t n_stack
    int32_t n_moved
    uint16_t last_action, action_before     # + 1; 0: none


cdef class SwapSystem(PhraseSystem):
    cdef readonly str kind
    cdef tuple distances                # i of SWAP-i or SKIP-i, ascending
    cdef bint skips
    cdef int[MAX_MOVED] lengths         # the same
    # By n, the kinds of moves of at most n words.
    cdef uint64_t[MAX_MOVED + 1] moves_up_to

    # Fills the slots of the marks between two words.
    cdef void fill_mark_slots(self, const InputC* input, int64_t first, int64_t last, uint64_t* slots) noexcept nogil
    # Takes words off the front of the queue.
    cdef void take(self, ArenaC* arena, StateC* state, int32_t* words, int n) noexcept nogil
    # Puts words before the queue.
    cdef void requeue(self, ArenaC* arena, StateC* state, const int32_t* words, int n) noexcept nogil
