"""Feature templates compiled to recipes that read atoms and give hashes.

An atom is something that can be read of a state: a column of a token slot (`s0.word`, or `b0+1.tag` for the token after
b0) or a value slot (`distance`). A template conjoins atoms. A block is a group of templates, a paragraph of the
text, that is scored as one: its sum is kept for as long as the slots that it reads are the same, across the items of a
beam and across steps. Constant after construction, so threads may share one.
"""

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t

from .columns cimport InputC
from .system cimport MAX_SLOTS


cdef enum:
    MAX_TEMPLATES = 256     # rows.h relies on it
    MAX_BLOCK_ATOMS = 128
    MAX_CONJOINED = 8
    UNROLLED = 4            # most templates conjoin no more


cdef struct AtomC:
    int32_t slot
    int32_t column          # -1: a value slot
    int32_t offset          # in tokens, within PADDING


cdef struct BlockC:
    uint64_t seed
    uint32_t first_slot, n_slots
    uint32_t first_atom, n_atoms
    uint32_t first_template, n_templates


cdef struct TemplateC:
    uint64_t seed
    uint8_t[MAX_CONJOINED] atoms    # of the block; padded up to UNROLLED with n_atoms of the block, whose value is 0
    uint64_t n


# Which features take part. While learning, those whose hash, mixed with the seed, is below the threshold are left out;
# when predicting, those that learning met too seldom (a bit each; NULL: none are).
cdef struct FilterC:
    uint64_t seed
    uint64_t threshold
    const uint8_t* kept


cdef inline uint64_t mix(uint64_t h) noexcept nogil:
    h ^= h >> 32
    h *= <uint64_t>0xD6E8FEB86659FD93
    h ^= h >> 32
    return h * <uint64_t>0x9E3779B97F4A7C15


cdef inline int keep_features(const FilterC* filter, uint64_t* hashes, int n) noexcept nogil:
    """Moves the features that take part to the front. Returns their number."""
    cdef int i, n_kept = 0
    cdef uint64_t h
    # Without branches: no processor could guess which features are new to the model.
    if filter.kept != NULL:
        for i in range(n):
            h = hashes[i]
            hashes[n_kept] = h
            n_kept += filter.kept[h >> 3] >> (h & 7) & 1
    elif filter.threshold:
        for i in range(n):
            h = hashes[i]
            hashes[n_kept] = h
            n_kept += mix(h ^ filter.seed) >= filter.threshold
    else:
        n_kept = n
    return n_kept


cdef class Templates:
    cdef readonly str text
    cdef readonly tuple columns
    cdef readonly dict token_slots      # of the system
    cdef readonly dict value_slots
    cdef readonly int n_blocks
    cdef readonly int n_templates
    cdef BlockC[::1] blocks
    cdef TemplateC[::1] templates
    cdef AtomC[::1] atoms
    cdef uint16_t[::1] block_slots

    # What the sum of a block depends on, as one number (never 0).
    cdef uint64_t block_key(self, int block, const uint64_t* slots) noexcept nogil
    # The hash of each template of the block, in [0, 2^bits). Returns their number.
    cdef int block_features(self, int block, const InputC* input, const uint64_t* slots, int bits,
                            uint64_t* hashes) noexcept nogil
