"""The interface between tasks and the engine: states, actions, and the slots that templates can use.

A search holds many states at once, copies them by value and never frees what they point to, so

- a state is a plain struct of `state_size` bytes; unbounded parts (stack, history) are kept in nodes of an arena;
- a node is written once, when it is created, and shared by all states that descend from its creator. It begins with
  `n_node_links` links (uint32) to older nodes; a state begins with `n_state_links` links. This is all that the arena
  needs to collect unreachable nodes (0 is the null link, never the number of a node);
- `advance` creates at most `nodes_per_step` nodes.

Each step takes one action of a fixed set. A state is one row of slots, whose features have a weight for each action.
Actions are numbered 0..n_actions-1 and grouped into kinds; the actions of a kind are either all legal or all illegal.
Kind k has the actions kind_start[k]..kind_start[k+1]-1.

A system without actions only names slots: another search scores its rows (ordering/system.pyx). Rows may describe
several kinds of parts, each with its own slots; `parts` lists these kinds.

Every state that is not final has a legal action, and every derivation ends: searches rely on this. All cdef methods are
called without the GIL by several threads at once; a system is constant after construction.
"""

from libc.stdint cimport uint32_t, uint64_t

from .columns cimport Columns, InputC


cdef enum:
    MAX_ACTIONS = 4096
    MAX_KINDS = 64          # one bit each in the result of `legal`
    MAX_SLOTS = 64
    MAX_PARTS = 8


cdef struct ArenaC:
    char* nodes
    size_t node_size
    uint32_t used           # node 0 is never allocated
    uint32_t capacity
    uint32_t collect_at     # collect once `used` is above this
    int n_node_links


cdef int arena_init(ArenaC* arena, size_t node_size, int n_node_links) except -1 nogil
cdef void arena_free(ArenaC* arena) noexcept nogil
cdef void arena_clear(ArenaC* arena) noexcept nogil
# Reserves room for `count` more nodes. This invalidates pointers to nodes.
cdef int arena_reserve(ArenaC* arena, uint32_t count) except -1 nogil
# Collects the nodes that no state can reach. `states` are n pointers; their links are rewritten.
cdef int arena_collect(ArenaC* arena, char** states, int n_states, int n_state_links) except -1 nogil


cdef inline uint32_t arena_add(ArenaC* arena) noexcept nogil:
    """Allocates a node, for which room must have been reserved, and returns its number."""
    arena.used += 1
    return arena.used - 1


cdef inline void* arena_node(const ArenaC* arena, uint32_t number) noexcept nogil:
    return <void*>(arena.nodes + number * arena.node_size)


cdef class System:
    cdef readonly int n_actions
    cdef readonly int n_kinds
    cdef readonly int row_width     # weights per feature: one per action
    cdef bint can_stream            # whether the three methods at the end are implemented
    cdef readonly int n_slots
    cdef readonly object token_slots  # read-only dicts: names and numbers of the slots that hold a row of the input
    cdef readonly object value_slots  # of those that hold a plain number
    cdef readonly int n_info        # required per token; 0: the system reads none
    cdef size_t state_size
    cdef size_t node_size           # set by constructors of systems with nodes
    cdef int nodes_per_step         # 2 unless the constructor changes it
    cdef int n_state_links
    cdef int n_node_links
    cdef int[MAX_KINDS + 1] kind_start

    # Numbers the actions, kind by kind: `sizes` are the numbers of actions of each kind. Called by the constructor.
    cdef int set_kinds(self, sizes) except -1
    # Names the slots, those of tokens first, in the order of their numbers. Called by the constructor.
    cdef int set_slots(self, str tokens, str values) except -1
    # Refuses documents that cannot be searched. Called with the GIL, before anything else.
    cdef int check(self, Columns columns) except -1

    # The first state of a search over `input`: by default, all zeros.
    cdef void start(self, const InputC* input, void* state) noexcept nogil
    cdef bint is_final(self, const InputC* input, const void* state) noexcept nogil
    # Bit k: the actions of kind k are legal.
    cdef uint64_t legal(self, const InputC* input, const ArenaC* arena, const void* state) noexcept nogil
    cdef bint is_legal(self, const InputC* input, const ArenaC* arena, const void* state, int action) noexcept nogil
    # Takes a legal action.
    cdef void advance(self, const InputC* input, ArenaC* arena, void* state, int action) noexcept nogil
    # Fills the slots of a state: rows of the input for token slots, plain numbers for value slots.
    cdef void slots(self, const InputC* input, const ArenaC* arena, const void* state, uint64_t* slots) noexcept nogil

    # For streams: the last token on which the slots or the legal actions of a state depend, and how to renumber states
    # and nodes when the first n tokens of the document are forgotten.
    cdef int front(self, const void* state) noexcept nogil
    cdef void rebase_state(self, void* state, int n) noexcept nogil
    cdef void rebase_node(self, void* node, int n) noexcept nogil


# Follows a derivation step by step. `blank_walk` is for systems whose legal actions do not depend on attributes of
# tokens.
cdef class Walk:
    cdef System system
    cdef Columns columns
    cdef ArenaC arena
    cdef bytearray state
    cdef char* at                   # the current state

    cdef bint is_legal(self, int action) noexcept
    # Takes an action. Returns False, and changes nothing, if it is not legal.
    cdef bint try_advance(self, int action) except -1


cdef Walk blank_walk(System system, int n_tokens)
# Returns the walk after all actions of a derivation. RAISES ValueError: If an action is illegal or missing (J314).
cdef Walk replay(System system, actions, int n_tokens)
