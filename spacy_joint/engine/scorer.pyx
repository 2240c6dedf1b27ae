"""Scores rows of slots: see scorer.pxd."""

from ..errors import Errors, JointMemoryError, JointValueError

from libc.stdint cimport uint16_t
from libc.string cimport memset

from .system cimport MAX_PARTS
from .templates cimport MAX_TEMPLATES, BlockC, block_features, dropout_filter, keep_features
from .weights cimport KernelsC, prefetch


cdef class Scorer:
    """Scores rows of slots, `batch_size` of them together."""

    def __cinit__(self, Templates templates not None, int batch_size):
        cdef size_t rows = max(batch_size, 1)
        self.templates = templates
        self.recipes = &templates.recipes
        self.batch_size = rows
        self.offsets.resize(rows * templates.n_templates)
        self.misses.resize(rows * templates.n_blocks)
        self.used.resize(rows * templates.n_blocks)

    cdef int use(self, Table table, int width) except -1:
        cdef size_t n_entries = 256
        cdef int shift = 64 - 8
        if table.c.width != width:
            raise JointValueError(Errors.J033, width=table.c.width, n=width)
        if table is not self.table:
            # Four times the maximum for one call, so that sums survive several calls and probing stays short.
            while n_entries < <size_t>4 * self.batch_size * self.recipes.n_blocks:
                n_entries *= 2
                shift -= 1
            # No table is set if the buffers cannot be allocated.
            self.table = None
            try:
                self.entries.resize(n_entries)
                self.sums.resize(n_entries * table.c.padded_width * table.c.kernels.sum_bytes)
            except MemoryError as error:
                raise JointMemoryError(Errors.J003) from error
            self.shift, self.c, self.table = shift, table.c, table
        self.filter.kept, self.filter.threshold = table.c.kept, 0
        self.forget()
        return 0

    cdef void drop_out(self, double share, uint64_t seed, uint64_t instance) noexcept nogil:
        self.filter = dropout_filter(share, seed, instance)

    cdef void forget(self) noexcept nogil:
        memset(self.entries.data(), 0, self.entries.size() * sizeof(EntryC))
        self.call = 0

    cdef int check(self, Columns columns) except -1:
        if columns.names != self.templates.columns:
            raise JointValueError(Errors.J034, got=", ".join(columns.names), wanted=", ".join(self.templates.columns))
        return 0

    cdef void score(self, const InputC* input, const uint64_t* rows, const uint8_t* parts, int n,
                    float* scores) noexcept nogil:
        cdef int first = 0
        while first < n:
            self.score_batch(
                input, rows + <size_t>first * self.recipes.n_slots, parts + first if parts else NULL,
                min(n - first, self.batch_size), scores + <size_t>first * self.c.padded_width
            )
            first += self.batch_size

    cdef void score_batch(self, const InputC* input, const uint64_t* rows, const uint8_t* parts, int n,
                          float* scores) noexcept nogil:
        cdef const RecipesC* recipes = self.recipes
        cdef const KernelsC* kernels = self.c.kernels
        cdef const MissC* miss
        cdef const uint32_t* used
        cdef uint64_t* offsets = self.offsets.data()
        cdef char* cached = self.sums.data()
        cdef void* sums[MAX_TEMPLATES]
        cdef int padded = self.c.padded_width
        cdef size_t sum_size = <size_t>padded * kernels.sum_bytes
        cdef int i, j, m, n_found, part
        # All features first, then all sums, so that rows are prefetched while features are computed.
        for m in range(self.look_up(input, rows, parts, n)):
            miss = self.misses.data() + m
            n_found = keep_features(&self.filter, offsets + miss.first, miss.n)
            kernels.sum_rows(cached + miss.entry * sum_size, self.c.cells, offsets + miss.first, n_found, padded)
        for i in range(n):
            part = parts[i] if parts else 0
            used = self.used.data() + <size_t>i * recipes.n_blocks
            n_found = recipes.part_start[part + 1] - recipes.part_start[part]
            for j in range(n_found):
                sums[j] = cached + used[recipes.part_blocks[recipes.part_start[part] + j]] * sum_size
            kernels.to_scores(scores + <size_t>i * padded, sums, n_found, padded, self.c.scale)

    cdef int look_up(self, const InputC* input, const uint64_t* rows, const uint8_t* parts, int n) noexcept nogil:
        cdef const RecipesC* recipes = self.recipes
        cdef const uint8_t* kept = self.filter.kept
        cdef const char* cells = <const char*>self.c.cells
        cdef int cell_bytes = self.c.kernels.cell_bytes
        cdef EntryC* entries = self.entries.data()
        cdef uint32_t* used = self.used.data()
        cdef uint64_t* offsets = self.offsets.data()
        cdef MissC* miss = self.misses.data()
        cdef const uint64_t* slots
        cdef const uint64_t* multipliers = &recipes.slot_multipliers[0]
        cdef const uint16_t* read
        cdef const BlockC* block
        cdef uint32_t mask = <uint32_t>self.entries.size() - 1
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
                        # Before filtering, since most features are kept. The first cache line of a row is enough: the
                        # processor fetches the next ones.
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
