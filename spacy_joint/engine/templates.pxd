"""Feature templates compiled to recipes that compute hashes from atoms.

An atom is a value of a row of slots: a column of a token slot (`s0.word`, or `b0+1.tag` for the token after b0) or a
value slot (`distance`). A template combines atoms; its hash is a mixed sum of their values, each times a multiplier
that depends on its position in the template. A block, a paragraph of the text, is a group of templates whose sum is
cached while the slots that it reads do not change, across the items of a beam and across steps. If rows describe parts
of different kinds (see system.pxd), each block belongs to one kind of part.

Threads may share templates, which are constant. Users of the recipes must keep the `Templates` alive.
"""

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t

from .columns cimport InputC
from .system cimport MAX_PARTS, MAX_SLOTS, System


cdef enum:
    MAX_TEMPLATES = 512
    MAX_BLOCK_ATOMS = 128
    MAX_BLOCK_PRODUCTS = 512
    MAX_CONJOINED = 8
    UNROLLED = 4            # most templates have no more atoms


cdef struct AtomC:
    int32_t slot
    int32_t offset          # of the cell, from the first of the slot's row; unused for value slots


# The value of an atom times a multiplier, shared by templates with the atom in the same position.
cdef struct ProductC:
    uint64_t multiplier
    uint32_t atom           # of the block


cdef struct BlockC:
    uint64_t seed
    uint32_t first_slot, n_slots
    uint32_t first_atom, n_atoms
    uint32_t n_columns      # atoms that are columns; value slots come after them
    uint32_t first_product, n_products
    uint32_t first_template, n_templates


cdef struct TemplateC:
    uint64_t seed
    uint16_t[MAX_CONJOINED] products    # of the block; padded with its n_products, a product of 0
    uint32_t n


cdef struct RecipesC:
    const BlockC* blocks
    const TemplateC* templates
    const AtomC* atoms
    const ProductC* products
    const uint16_t* block_slots
    const uint16_t* part_blocks         # the blocks of part p: part_blocks[part_start[p] .. part_start[p + 1])
    int[MAX_PARTS + 1] part_start
    int n_blocks
    int n_templates
    int n_slots
    uint64_t[MAX_SLOTS] slot_multipliers


# In training, drops features whose hash, mixed with the seed, is below the threshold; in prediction, pruned ones.
cdef struct FilterC:
    uint64_t seed
    uint64_t threshold
    const uint8_t* kept     # one bit per feature; NULL: none are pruned


cdef inline uint64_t mix(uint64_t h) noexcept nogil:
    h ^= h >> 32
    h *= <uint64_t>0xD6E8FEB86659FD93
    h ^= h >> 32
    return h * <uint64_t>0x9E3779B97F4A7C15


cdef inline FilterC dropout_filter(double share, uint64_t seed, uint64_t instance) noexcept nogil:
    """Drops a share of the features at random, different ones for each instance."""
    cdef FilterC filter
    filter.kept = NULL
    filter.seed = (instance + (seed << 32)) * <uint64_t>0x9E3779B97F4A7C15
    filter.threshold = <uint64_t>(min(share, 1 - 2.0**-53) * 18446744073709551616.0)
    return filter


cdef inline int keep_features(const FilterC* filter, uint64_t* hashes, int n) noexcept nogil:
    """Moves the features to keep to the front. Returns their number."""
    cdef int i, n_kept = 0
    cdef uint64_t h
    # Without branches, since they would be unpredictable.
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


cdef inline int block_features(const RecipesC* recipes, int block, const InputC* input, const uint64_t* slots, int bits,
                               uint64_t* hashes) noexcept nogil:
    """Computes the hash of each template of the block, in [0, 2^bits). Returns their number."""
    cdef const BlockC* b = recipes.blocks + block
    cdef const AtomC* atoms = recipes.atoms + b.first_atom
    cdef const ProductC* product = recipes.products + b.first_product
    cdef const TemplateC* template = recipes.templates + b.first_template
    cdef uint64_t[MAX_BLOCK_ATOMS] values
    cdef uint64_t[MAX_BLOCK_PRODUCTS + 1] products
    cdef uint64_t h
    cdef uint32_t i, j
    for i in range(b.n_columns):
        values[i] = input.cells[<long long>slots[atoms[i].slot] * input.n_columns + atoms[i].offset]
    for i in range(b.n_columns, b.n_atoms):
        values[i] = slots[atoms[i].slot]
    for i in range(b.n_products):
        products[i] = values[product[i].atom] * product[i].multiplier
    products[b.n_products] = 0
    for i in range(b.n_templates):
        # Adding zeros costs less than mispredicted branches.
        h = (
            template.seed
            + products[template.products[0]] + products[template.products[1]]
            + products[template.products[2]] + products[template.products[3]]
        )
        for j in range(UNROLLED, template.n):
            h += products[template.products[j]]
        hashes[i] = mix(h) >> (64 - bits)
        template += 1
    return b.n_templates


cdef class Templates:
    cdef readonly str text
    cdef readonly str fingerprint       # a digest of the features, regardless of order, blocks and unused columns
    cdef readonly tuple columns
    cdef readonly object token_slots    # of the system
    cdef readonly object value_slots
    cdef readonly int n_blocks
    cdef readonly int n_templates
    cdef readonly int max_ahead         # the maximum offset of a token from that of its slot
    cdef RecipesC recipes
    cdef BlockC[::1] blocks
    cdef TemplateC[::1] templates
    cdef AtomC[::1] atoms
    cdef ProductC[::1] products
    cdef uint16_t[::1] block_slots
    cdef uint16_t[::1] part_blocks

    # Refuses systems with other slots.
    cdef int check(self, System system) except -1
