"""The interface between tasks and the engine: see system.pxd for the contract. Also the arena with the unbounded parts
of states, and `Walk`, which follows a single derivation."""

from types import MappingProxyType

import numpy as np

from ..errors import Errors, JointMemoryError, JointValueError

from libc.stdint cimport uint16_t
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
        self.token_slots = self.value_slots = MappingProxyType({})
        # The arena has room for nodes even if there are none.
        self.node_size = sizeof(uint64_t)
        self.nodes_per_step = 2

    cdef int check(self, Columns columns) except -1:
        if self.n_info and columns.c.n_info != self.n_info:
            raise JointValueError(Errors.J046, n=columns.c.n_info, wanted=self.n_info)
        return 0

    cdef int set_kinds(self, sizes) except -1:
        if len(sizes) > MAX_KINDS:
            raise JointValueError(Errors.J031, n=len(sizes), what="kinds of actions", allowed=f"at most {MAX_KINDS}")
        self.n_kinds = len(sizes)
        self.kind_start[0] = 0
        for k, size in enumerate(sizes):
            self.kind_start[k + 1] = self.kind_start[k] + size
        self.n_actions = self.row_width = self.kind_start[self.n_kinds]
        if self.n_actions > MAX_ACTIONS:
            raise JointValueError(Errors.J031, n=self.n_actions, what="actions", allowed=f"1 to {MAX_ACTIONS}")
        return 0

    cdef int set_slots(self, str tokens, str values) except -1:
        names = tokens.split()
        # Read-only, since searches read memory at these numbers.
        self.token_slots = MappingProxyType({name: number for number, name in enumerate(names)})
        values_after = enumerate(values.split(), start=len(names))
        self.value_slots = MappingProxyType({name: number for number, name in values_after})
        self.n_slots = len(self.token_slots) + len(self.value_slots)
        return 0

    def parts(self):
        """Returns the slots that templates of each kind of part can use (sequence of sets of numbers). Default: all."""
        return (set(range(self.n_slots)),)

    cdef void start(self, const InputC* input, void* state) noexcept nogil:
        memset(state, 0, self.state_size)

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

    cdef void rebase_state(self, void* state, int n) noexcept nogil:
        pass

    cdef void rebase_node(self, void* node, int n) noexcept nogil:
        pass


cdef class Walk:
    """Follows a derivation of a document, step by step."""

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

    cdef bint is_legal(self, int action) noexcept:
        return (
            0 <= action < self.system.n_actions and not self.system.is_final(&self.columns.c, self.at)
            and self.system.is_legal(&self.columns.c, &self.arena, self.at, action)
        )

    cdef bint try_advance(self, int action) except -1:
        if not self.is_legal(action):
            return False
        arena_reserve(&self.arena, self.system.nodes_per_step)
        self.system.advance(&self.columns.c, &self.arena, self.at, action)
        return True

    def legal(self):
        """Returns the legal actions of the current state (list of int)."""
        return [action for action in range(self.system.n_actions) if self.is_legal(action)]

    def advance(self, int action):
        """Takes an action. RAISES ValueError: If it is not legal."""
        if not self.try_advance(action):
            raise JointValueError(Errors.J005, action=action, legal=self.legal()[:20])

    def collect(self):
        """Collects nodes that the walk can no longer reach, without observable effect."""
        arena_collect(&self.arena, &self.at, 1, self.system.n_state_links)

    def slots(self):
        """Returns the slots of the current state: slot name to number (dict)."""
        cdef uint64_t[MAX_SLOTS] slots
        self.system.slots(&self.columns.c, &self.arena, self.at, slots)
        numbers = {**self.system.token_slots, **self.system.value_slots}
        return {name: slots[number] for name, number in numbers.items()}


def check_derivation(actions, n_actions, min_length=0):
    """Checks a derivation from outside the engine, and returns it as an array (np.ndarray of uint16). RAISES
    ValueError: If `actions` is not a sequence of the system's actions, or too short (J314)."""
    derivation = np.asarray(actions)
    if derivation.ndim != 1 or (derivation.size and derivation.dtype.kind not in "ui"):
        raise JointValueError(Errors.J314, step=0, n=derivation.shape)
    wrong = np.flatnonzero((derivation < 0) | (derivation >= n_actions))
    if len(wrong) or not 0 <= min_length <= len(derivation):
        raise JointValueError(Errors.J314, step=int(wrong[0]) if len(wrong) else len(derivation), n=len(derivation))
    return np.ascontiguousarray(derivation, dtype=np.uint16)


cdef Walk blank_walk(System system, int n_tokens):
    token_info = np.zeros((n_tokens, system.n_info), dtype=np.int32)
    return Walk(system, Columns((), np.zeros((n_tokens, 0), dtype=np.uint64), token_info=token_info))


cdef Walk replay(System system, actions, int n_tokens):
    # In all systems, each token takes at least one action.
    cdef const uint16_t[::1] derivation = check_derivation(actions, system.n_actions, min_length=n_tokens)
    cdef Walk walk = blank_walk(system, n_tokens)
    cdef Py_ssize_t step
    for step in range(derivation.shape[0]):
        if not walk.try_advance(derivation[step]):
            raise JointValueError(Errors.J314, step=step, n=len(derivation))
    if not walk.is_final:
        raise JointValueError(Errors.J314, step=len(derivation), n=len(derivation))
    return walk
