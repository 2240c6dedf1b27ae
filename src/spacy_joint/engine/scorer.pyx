"""Scores of rows of slots: see scorer.pxd."""

from ..errors import Errors, JointMemoryError, JointValueError

from libc.stdint cimport uint16_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from .system cimport MAX_PARTS
from .templates cimport MAX_TEMPLATES, BlockC, block_features, dropout_filter, keep_features
from .weights cimport KernelsC, prefetch


cdef class Scorer:
    """Scores rows of slots.

    templates (Templates): The feature templates.
    at_once (int): The number of rows scored together; more rows are scored in batches.
    """

    def __cinit__(self, Templates templates not None, int at_once):
        cdef size_t rows = max(at_once, 1)
        self.templates = templates
        self.recipes = &templates.recipes
        self.at_once = rows
        self.offsets = <uint64_t*>malloc(rows * templates.n_templates * sizeof(uint64_t))
        self.misses = <MissC*>malloc(rows * templates.n_blocks * sizeof(MissC))
        self.used = <uint32_t*>malloc(rows * templates.n_blocks * sizeof(uint32_t))
        if not self.offsets or not self.misses or not self.used:
            raise JointMemoryError(Errors.J003)

    def __dealloc__(self):
        free(self.entries)
        free(self.sums)
        free(self.offsets)
        free(self.misses)
        free(self.used)

    cdef int use(self, Table table, int width) except -1:
        cdef uint32_t n_entries = 256
        cdef int shift = 64 - 8
        if table.c.width != width:
            raise JointValueError(Errors.J033, width=table.c.width, n=width)
        if table is self.table:
            self.filter.kept, self.filter.threshold = table.c.kept, 0
            self.forget()
            return 0
        # Four times the maximum for one call, so that sums survive several calls and probing stays short.
        while n_entries < <uint32_t>(4 * self.at_once * self.recipes.n_blocks):
            n_entries *= 2
            shift -= 1
        # There is no valid table until the end of this method.
        self.table = None
        free(self.entries)
        free(self.sums)
        self.sums = NULL
        self.entries = <EntryC*>calloc(n_entries, sizeof(EntryC))
        self.sums = <char*>malloc(<size_t>n_entries * table.c.padded_width * table.c.kernels.sum_bytes)
        if not self.entries or not self.sums:
            raise JointMemoryError(Errors.J003)
        self.n_entries, self.shift, self.call = n_entries, shift, 0
        self.c = table.c
        self.filter.kept, self.filter.threshold = table.c.kept, 0
        self.table = table
        return 0

    cdef void drop_out(self, double share, uint64_t seed, uint64_t instance) noexcept nogil:
        self.filter = dropout_filter(share, seed, instance)

    cdef void forget(self) noexcept nogil:
        memset(self.entries, 0, self.n_entries * sizeof(EntryC))
        self.call = 0

    cdef int check(self, Columns columns) except -1:
        if columns.names != self.templates.columns:
            raise JointValueError(Errors.J034, got=", ".join(columns.names), wanted=", ".join(self.templates.columns))
        return 0

    cdef void score(self, const InputC* input, const uint64_t* rows, const uint8_t* parts, int n,
                    float* scores) noexcept nogil:
        cdef int first = 0
        cdef int some
        while first < n:
            some = min(n - first, self.at_once)
            self.score_some(
                input, rows + <size_t>first * self.recipes.n_slots, parts + first if parts else NULL, some,
                scores + <size_t>first * self.c.padded_width
            )
            first += some

    cdef void score_some(self, const InputC* input, const uint64_t* rows, const uint8_t* parts, int n,
                         float* scores) noexcept nogil:
        cdef const RecipesC* recipes = self.recipes
        cdef const KernelsC* kernels = self.c.kernels
        cdef MissC* miss
        cdef const uint32_t* used
        cdef void* sums[MAX_TEMPLATES]
        cdef int padded = self.c.padded_width
        cdef size_t sum_size = <size_t>padded * kernels.sum_bytes
        cdef int i, j, m, n_found, part
        # All features first, then all sums, so that rows are prefetched while features are computed.
        for m in range(self.look_up(input, rows, parts, n)):
            miss = self.misses + m
            n_found = keep_features(&self.filter, self.offsets + miss.first, miss.n)
            kernels.sum_rows(
                self.sums + miss.entry * sum_size, self.c.cells, self.offsets + miss.first, n_found, padded
            )
        for i in range(n):
            part = parts[i] if parts else 0
            used = self.used + <size_t>i * recipes.n_blocks
            n_found = recipes.part_start[part + 1] - recipes.part_start[part]
            for j in range(n_found):
                sums[j] = self.sums + used[recipes.part_blocks[recipes.part_start[part] + j]] * sum_size
            kernels.to_scores(scores + <size_t>i * padded, sums, n_found, padded, self.c.scale)

    cdef int look_up(self, const InputC* input, const uint64_t* rows, const uint8_t* parts, int n) noexcept nogil:
        cdef const RecipesC* recipes = self.recipes
        cdef const uint8_t* kept = self.filter.kept
        cdef const char* cells = <const char*>self.c.cells
        cdef int cell_bytes = self.c.kernels.cell_bytes
        cdef EntryC* entries = self.entries
        cdef uint32_t* used = self.used
        cdef uint64_t* offsets = self.offsets
        cdef MissC* miss = self.misses
        cdef const uint64_t* slots
        cdef const uint64_t* multipliers = &recipes.slot_multipliers[0]
        cdef const uint16_t* read
        cdef const BlockC* block
        cdef uint32_t mask = self.n_entries - 1
        cdef uint32_t at
        cdef uint64_t key, call
        cdef int n_slots = recipes.n_slots, n_blocks = recipes.n_blocks
        cdef int shift = self.shift
        cdef int n_offsets = 0, n_misses = 0
        cdef int b, i, m, n_found, part, p, n_read, r
        self.call += 1
        call = self.call
        for part in range(MAX_PARTS if parts else 1):
            for p in range(recipes.part_start[part], recipes.part_start[part + 1]):
                b = recipes.part_blocks[p]
                block = recipes.blocks + b
                read = recipes.block_slots + block.first_slot
                n_read = block.n_slots
                slots = rows
                for i in range(n):
                    if parts and parts[i] != part:
                        slots += n_slots
                        continue
                    # A key of the values on which the sum depends, never 0. Its high bits are the most random.
                    key = block.seed
                    for r in range(n_read):
                        key += slots[read[r]] * multipliers[read[r]]
                    key |= 1
                    at = <uint32_t>(key >> shift)
                    while entries[at].key != key and entries[at].last_used == call:
                        at = (at + 1) & mask
                    used[i * n_blocks + b] = at
                    entries[at].last_used = call
                    if entries[at].key != key:
                        entries[at].key = key
                        n_found = block_features(recipes, b, input, slots, self.c.bits, offsets + n_offsets)
                        # Rows are prefetched before it is known which features are kept, since most are. Their first
                        # line is enough: the processor fetches what follows.
                        for m in range(n_offsets, n_offsets + n_found):
                            if kept != NULL:
                                prefetch(kept + (offsets[m] >> 3))
                            prefetch(cells + offsets[m] * cell_bytes)
                        miss.entry, miss.first, miss.n = at, n_offsets, n_found
                        miss += 1
                        n_misses += 1
                        n_offsets += n_found
                    slots += n_slots
        return n_misses

    cdef int features(self, const InputC* input, const uint64_t* row, int part, uint64_t* hashes) noexcept nogil:
        cdef int j, n = 0
        for j in range(self.recipes.part_start[part], self.recipes.part_start[part + 1]):
            n += block_features(self.recipes, self.recipes.part_blocks[j], input, row, self.c.bits, hashes + n)
        return keep_features(&self.filter, hashes, n)
