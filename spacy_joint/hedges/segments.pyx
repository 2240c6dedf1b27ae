"""Segmentation before parsing: sequence labelling in which a label gives the type of a word's segment, and whether the
word begins it (B) or not (B').

Kinds of actions: B' of each label; B of a group; B of the other labels. Groups have the label `G`; other segments have
2 to max_span words. Without a label `G`, segments have no types, and only the action of the first word is forced.
"""

from ..errors import Errors, JointValueError, check_range
from ..trees.transform import GROUP

from libc.stdint cimport int32_t, uint64_t

from ..engine.columns cimport InputC
from ..engine.system cimport MAX_KINDS, ArenaC
from ..tagging.system cimport SequenceSystem, StateC


# The greatest `max_span`, which is a C integer.
MAX_SPAN = 1_000_000


cdef class SegmentSystem(SequenceSystem):
    """Segments documents by labels of words and their beginnings: Markov order 2, with hard constraints. The labels are
    types, with `G` first, or a single one. Constraints mark known starts of segments (1)."""
    cdef int max_span
    cdef bint typed

    def __cinit__(self, labels, max_span=7):
        self.set_tags(labels, 2, True)
        if self.n_tags > MAX_KINDS - 2:
            raise JointValueError(Errors.J031, n=self.n_tags, what="labels", allowed=f"at most {MAX_KINDS - 2}")
        check_range("max_span", max_span, 1, MAX_SPAN)
        self.max_span = max_span
        self.typed = self.tags[0] == GROUP
        self.set_kinds([1] * self.n_tags + [1, self.n_tags - 1])

    def __reduce__(self):
        return (SegmentSystem, (self.tags, self.max_span))

    cdef uint64_t legal(self, const InputC* input, const ArenaC* arena, const void* state_) noexcept nogil:
        cdef const StateC* state = <const StateC*>state_
        cdef int n_labels = self.n_tags
        cdef int32_t token = state.next
        cdef bint is_first = token == 0 or input.constraints[token] > 0
        cdef bint is_last = token + 1 == input.n_tokens or input.constraints[token + 1] > 0
        cdef uint64_t group = <uint64_t>1 << n_labels
        cdef uint64_t others = group << 1 if n_labels > 1 else 0
        cdef uint64_t kinds = 0
        cdef int label
        # B. Validity: a segment other than a group has room for two words, and the previous one is a group or has at
        # least two; within a sentence, a group does not follow a group. Action: begin a segment at the word.
        if is_first:
            return group | (0 if is_last or self.max_span == 1 else others)
        label = (state.last - 1) % n_labels
        # B'. Validity: the label is that of the previous word, and its segment may be longer. Action: continue it.
        if not self.typed:
            return group | <uint64_t>1 << label
        if label == 0 or token - state.sentence < self.max_span:
            kinds |= <uint64_t>1 << label
        if label == 0:
            # A group may follow a group where a sentence may start.
            kinds |= group if input.constraints[token] == 0 else 0
            kinds |= 0 if is_last or self.max_span == 1 else others
        elif token - state.sentence > 1:
            kinds |= group | (0 if is_last else others)
        return kinds

    cdef int front(self, const void* state) noexcept nogil:
        # A segment of two words depends on the second.
        return (<const StateC*>state).next + 1
