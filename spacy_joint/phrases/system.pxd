"""The base of systems that build whole trees: their kinds of actions.

In the order of their numbers: SHIFT, GAP, UNARY-X, UNARY-root, and for each side X, root and @X: the finished labels,
the root, and the unfinished labels that binarisation makes. In LEFT kinds, the lower of two constituents on the chain
has the head; in RIGHT kinds, the upper one. A system may lack kinds, and add its own.
"""

from libc.stdint cimport uint32_t, uint64_t

from ..engine.columns cimport InputC
from ..engine.system cimport ArenaC
from ..trees.system cimport NodeC, TreeSystem


cdef enum:
    SHIFT, GAP, UNARY, UNARY_ROOT
    LEFT, LEFT_ROOT, LEFT_INTERMEDIATE
    RIGHT, RIGHT_ROOT, RIGHT_INTERMEDIATE
    N_KINDS

cdef enum:
    MAX_LABELS = 4096
    ROOT_LABEL = 1

cdef class PhraseSystem(TreeSystem):
    cdef readonly str root

    # Numbers labels and actions. `gaps` are the names of kind GAP, `more` those of further kinds of one action each.
    cdef int set_phrases(self, unary, binary, root, int tag_column, gaps, more) except -1
    # Adds the kinds that join two constituents. `is_last` allows the root; `opens_left` and `opens_right` allow
    # unfinished constituents with the head on that side. Returns the kinds that have actions; if none has, other kinds
    # that join, of which some always have.
    cdef uint64_t join(self, uint64_t kinds, const NodeC* lower, const NodeC* upper, bint is_last, bint opens_left,
                       bint opens_right) noexcept nogil
    # Fills the slots of a constituent: first and last token, children; their categories; length and gap length.
    cdef void fill_slots(self, const InputC* input, const ArenaC* arena, uint32_t number, uint64_t* tokens,
                         uint64_t* labels, uint64_t* sizes) noexcept nogil
