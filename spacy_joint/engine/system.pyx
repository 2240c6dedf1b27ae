"""What a task gives to the engine: see system.pxd for the contract. Also the arena that keeps the unbounded parts of
states, and `Walk`, which takes one path through a system by hand."""

from ..errors import Errors

from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memmove, memset

from .columns cimport Columns


cdef enum:
    FIRST_COLLECTION = 1 << 14


cdef int arena_init(ArenaC* arena, size_t node_size, int n_node_links) except -1 nogil:
    memset(arena, 0, sizeof(ArenaC))
    arena.node_size = node_size
    arena.n_node_links = n_node_links
    if arena_reserve(arena, 1024) == -1:
        with gil:
            raise MemoryError(Errors.J003)
    arena_clear(arena)
    return 0


cdef void arena_free(ArenaC* arena) noexcept nogil:
    free(arena.nodes)
    arena.nodes = NULL


cdef void arena_clear(ArenaC* arena) noexcept nogil:
    arena.used = 1
    arena.collect_at = FIRST_COLLECTION


cdef int arena_reserve(ArenaC* arena, uint32_t count) noexcept nogil:
    cdef size_t wanted = <size_t>arena.used + count
    cdef void* nodes
    if wanted <= arena.capacity:
        return 0
    wanted *= 2
    if wanted > <size_t>0xFFFFFFFE:
        return -1
    nodes = realloc(arena.nodes, wanted * arena.node_size)
    if nodes == NULL:
        return -1
    arena.nodes = <char*>nodes
    arena.capacity = <uint32_t>wanted
    return 0


cdef int arena_collect(ArenaC* arena, char** states, int n_states, int n_state_links) noexcept nogil:
    # A node links only to nodes with smaller numbers, so one pass down marks and one pass up moves and relinks.
    cdef uint32_t* moved_to = <uint32_t*>calloc(arena.used, sizeof(uint32_t))
    cdef uint32_t number, n_kept = 1
    cdef uint32_t* links
    cdef int i, j
    if moved_to == NULL:
        return -1
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
    """The base of all systems. Subclasses say what their actions, slots and states are."""

    cdef int set_kinds(self, sizes) except -1:
        """Lays out the actions: `sizes` actions of each kind, kind after kind."""
        if len(sizes) > MAX_KINDS:
            raise ValueError(Errors.J004.format(n_kinds=len(sizes), most=MAX_KINDS))
        self.n_kinds = len(sizes)
        self.kind_start[0] = 0
        for k, size in enumerate(sizes):
            self.kind_start[k + 1] = self.kind_start[k] + size
        self.n_actions = self.row_width = self.kind_start[self.n_kinds]
        return 0

    def token_slots(self):
        """Names of the slots that hold a row of the input, with their numbers (dict)."""
        return {}

    def value_slots(self):
        """Names of the slots that hold a plain number, with their numbers (dict)."""
        return {}

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

    cdef int front(self, const void* state) noexcept nogil:
        return 0

    cdef void move_back_state(self, void* state, int n) noexcept nogil:
        pass

    cdef void move_back_node(self, void* node, int n) noexcept nogil:
        pass


cdef class Walk:
    """One path through a system, action by action: to check a sequence of actions, and to try a system at random.

    system (System): The system.
    columns (Columns): The document.
    """

    def __cinit__(self, System system not None, Columns columns not None):
        if system.n_actions == 0:
            raise ValueError(Errors.J006)
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
        """The actions that may be taken now (list of int)."""
        if self.is_final:
            return []
        return [
            action for action in range(self.system.n_actions)
            if self.system.is_legal(&self.columns.c, &self.arena, self.at, action)
        ]

    def advance(self, int action):
        """Takes an action.

        RAISES ValueError: If the action is not legal now.
        """
        if action not in self.legal():
            raise ValueError(Errors.J005.format(action=action, legal=self.legal()[:20]))
        if arena_reserve(&self.arena, MAX_NODES_A_STEP) == -1:
            raise MemoryError(Errors.J003)
        self.system.advance(&self.columns.c, &self.arena, self.at, action)

    def collect(self):
        """Throws away nodes that the walk cannot reach any more; nothing that can be seen may change."""
        if arena_collect(&self.arena, &self.at, 1, self.system.n_state_links) == -1:
            raise MemoryError(Errors.J003)

    def slots(self):
        """What templates see now: slot name to number (dict)."""
        cdef uint64_t[MAX_SLOTS] slots
        self.system.slots(&self.columns.c, &self.arena, self.at, slots)
        names = {**self.system.token_slots(), **self.system.value_slots()}
        return {name: slots[number] for name, number in names.items()}
