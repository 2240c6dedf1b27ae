"""The interface between tasks and the engine: see system.pxd for the contract. Also the arena with the unbounded parts
of states, and `Walk`, which follows a single path through a system."""

import numpy as np

from ..errors import Errors, JointMemoryError, JointValueError

from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memmove, memset

from .columns cimport Columns


cdef enum:
    FIRST_COLLECTION = 1 << 14


cdef int arena_init(ArenaC* arena, size_t node_size, int n_node_links) except -1 nogil:
    memset(arena, 0, sizeof(ArenaC))
    arena.node_size = node_size
    arena.n_node_links = n_node_links
    arena_reserve(arena, 1024)
    arena_clear(arena)
    return 0


cdef void arena_free(ArenaC* arena) noexcept nogil:
    free(arena.nodes)
    arena.nodes = NULL


cdef void arena_clear(ArenaC* arena) noexcept nogil:
    arena.used = 1
    arena.collect_at = FIRST_COLLECTION


cdef int arena_reserve(ArenaC* arena, uint32_t count) except -1 nogil:
    cdef size_t wanted = <size_t>arena.used + count
    cdef void* nodes
    if wanted <= arena.capacity:
        return 0
    wanted *= 2
    nodes = realloc(arena.nodes, wanted * arena.node_size) if wanted <= <size_t>0xFFFFFFFE else NULL
    if nodes == NULL:
        with gil:
            raise JointMemoryError(Errors.J003)
    arena.nodes = <char*>nodes
    arena.capacity = <uint32_t>wanted
    return 0


cdef int arena_collect(ArenaC* arena, char** states, int n_states, int n_state_links) except -1 nogil:
    # A node links only to nodes with smaller numbers, so one pass down marks and one pass up moves and relinks.
    cdef uint32_t* moved_to = <uint32_t*>calloc(arena.used, sizeof(uint32_t))
    cdef uint32_t number, n_kept = 1
    cdef uint32_t* links
    cdef int i, j
    if moved_to == NULL:
        with gil:
            raise JointMemoryError(Errors.J003)
    for i in range(n_states):
        links = <uint32_t*>states[i]
        for j in range(n_state_links):
            moved_to[links[j]] = 1
    for number in range(arena.used - 1, 0, -1):
        if moved_to[number]:
            links = <uint32_t*>arena_node(arena, number)
            for j in range(arena.n_node_links):
                moved_to[links[j]] = 1
    moved_to[0] = 0
    for number in range(1, arena.used):
        if moved_to[number]:
            moved_to[number] = n_kept
            links = <uint32_t*>arena_node(arena, number)
            for j in range(arena.n_node_links):
                links[j] = moved_to[links[j]]
            memmove(arena_node(arena, n_kept), links, arena.node_size)
            n_kept += 1
    for i in range(n_states):
        links = <uint32_t*>states[i]
        for j in range(n_state_links):
            links[j] = moved_to[links[j]]
    free(moved_to)
    arena.used = n_kept
    # Live nodes double before the next collection, so that collecting costs a constant share of the time.
    arena.collect_at = max(<uint32_t>FIRST_COLLECTION, 2 * n_kept)
    return 0


cdef class System:
    """The base class of all systems. Subclasses define actions, slots and states."""

    def __cinit__(self):
        self.nodes_per_step = 2

    cdef int set_candidates(self, int max_rows) except -1:
        """Declares that states are continued by candidates with at most `max_rows` rows."""
        self.has_candidates = True
        self.max_rows = max_rows
        self.n_actions = MAX_ACTIONS
        self.row_width = 1
        return 0

    cdef int check(self, Columns columns) except -1:
        if self.n_facts and columns.c.n_facts != self.n_facts:
            raise JointValueError(Errors.J046, n=columns.c.n_facts, wanted=self.n_facts)
        return 0

    cdef int set_kinds(self, sizes) except -1:
        """Numbers the actions: `sizes` actions of each kind, kind by kind."""
        if len(sizes) > MAX_KINDS:
            raise JointValueError(Errors.J004, n_kinds=len(sizes), most=MAX_KINDS)
        self.n_kinds = len(sizes)
        self.kind_start[0] = 0
        for k, size in enumerate(sizes):
            self.kind_start[k + 1] = self.kind_start[k] + size
        self.n_actions = self.row_width = self.kind_start[self.n_kinds]
        return 0

    def token_slots(self):
        """The names and numbers of the slots that hold a row of the input (dict)."""
        return {}

    def value_slots(self):
        """The names and numbers of the slots that hold a plain number (dict)."""
        return {}

    def parts(self):
        """The kinds of parts that rows describe, each as the set of slot numbers that its templates can use (sequence
        of sets). By default, all rows are of one kind."""
        return (set(range(self.n_slots)),)

    cdef void start(self, const InputC* input, void* state) noexcept nogil:
        pass

    cdef bint is_final(self, const InputC* input, const void* state) noexcept nogil:
        return True

    cdef uint64_t legal(self, const InputC* input, const ArenaC* arena, const void* state) noexcept nogil:
        return 0

    cdef void slots(self, const InputC* input, const ArenaC* arena, const void* state, uint64_t* slots) noexcept nogil:
        pass

    cdef bint is_legal(self, const InputC* input, const ArenaC* arena, const void* state, int action) noexcept nogil:
        cdef uint64_t kinds = self.legal(input, arena, state)
        cdef int k
        for k in range(self.n_kinds):
            if action < self.kind_start[k + 1]:
                return kinds >> k & 1
        return False

    cdef void advance(self, const InputC* input, ArenaC* arena, void* state, int action) noexcept nogil:
        pass

    cdef int n_candidates(self, const InputC* input, const void* state) noexcept nogil:
        return 0

    cdef int candidate_rows(self, const InputC* input, const ArenaC* arena, const void* state, int candidate,
                            uint64_t* rows, uint8_t* parts) noexcept nogil:
        return 0

    cdef int front(self, const void* state) noexcept nogil:
        return 0

    cdef void move_back_state(self, void* state, int n) noexcept nogil:
        pass

    cdef void move_back_node(self, void* node, int n) noexcept nogil:
        pass


cdef class Walk:
    """A path through a system, action by action, for checking sequences of actions and for random tests.

    system (System): The system.
    columns (Columns): The document.
    """

    def __cinit__(self, System system not None, Columns columns not None):
        if system.n_actions == 0:
            raise JointValueError(Errors.J006)
        system.check(columns)
        self.system = system
        self.columns = columns
        self.state = bytearray(max(system.state_size, 1))
        self.at = self.state
        arena_init(&self.arena, system.node_size, system.n_node_links)
        system.start(&columns.c, self.at)

    def __dealloc__(self):
        arena_free(&self.arena)

    @property
    def is_final(self):
        """Whether the walk has ended (bool)."""
        return self.system.is_final(&self.columns.c, self.at)

    def legal(self):
        """The legal actions, or candidates, of the current state (list of int)."""
        if self.is_final:
            return []
        cdef int n = self.system.n_actions
        if self.system.has_candidates:
            n = self.system.n_candidates(&self.columns.c, self.at)
        return [
            action for action in range(n)
            if self.system.is_legal(&self.columns.c, &self.arena, self.at, action)
        ]

    def advance(self, int action):
        """Takes an action, or a candidate.

        RAISES ValueError: If it is not legal.
        """
        if action not in self.legal():
            raise JointValueError(Errors.J005, action=action, legal=self.legal()[:20])
        arena_reserve(&self.arena, self.system.nodes_per_step)
        self.system.advance(&self.columns.c, &self.arena, self.at, action)

    def collect(self):
        """Collects nodes that the walk can no longer reach; this must not change anything observable."""
        arena_collect(&self.arena, &self.at, 1, self.system.n_state_links)

    def slots(self):
        """The slots of the current state: slot name to number (dict)."""
        if self.system.has_candidates:
            raise JointValueError(Errors.J008, name=type(self.system).__name__)
        cdef uint64_t[MAX_SLOTS] slots
        self.system.slots(&self.columns.c, &self.arena, self.at, slots)
        names = {**self.system.token_slots(), **self.system.value_slots()}
        return {name: slots[number] for name, number in names.items()}

    def rows(self, int candidate):
        """The rows of a candidate: for each row, the kind of part, and slot name to number (list of tuple[int, dict]).

        RAISES ValueError: If it is not legal.
        """
        if not self.system.has_candidates or candidate not in self.legal():
            raise JointValueError(Errors.J005, action=candidate, legal=self.legal()[:20])
        cdef uint64_t[:, ::1] rows = np.zeros((self.system.max_rows, self.system.n_slots), dtype=np.uint64)
        cdef uint8_t[::1] parts = np.zeros(self.system.max_rows, dtype=np.uint8)
        n = self.system.candidate_rows(&self.columns.c, &self.arena, self.at, candidate, &rows[0, 0], &parts[0])
        names = {**self.system.token_slots(), **self.system.value_slots()}
        return [(parts[i], {name: rows[i, number] for name, number in names.items()}) for i in range(n)]
