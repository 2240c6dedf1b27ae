"""The interface between tasks and the engine: states, continuations, and the slots that templates can use.

A search holds many states at once, copies them by value and never frees what they point to, so

- a state is a plain struct of `state_size` bytes; unbounded parts (stack, history) are kept in nodes of an arena;
- a node is written once, when it is created, and shared by all states that descend from its creator. It begins with
  `n_node_links` links (uint32) to older nodes; a state begins with `n_state_links` links. This is all that the arena
  needs to collect unreachable nodes (0 is the null link, and not the number of a node);
- `advance` creates at most `nodes_per_step` nodes.

A state is continued in one of two ways:

- by an action of a fixed set. The state is one row of slots; its features have a weight for each action. Actions are
  numbered 0..n_actions-1 and grouped into kinds, whose actions are either all legal or all illegal: kind k has the
  actions kind_start[k]..kind_start[k+1]-1;
- by one of its candidates, which depend on the state (`has_candidates`). A candidate has its own rows of slots, one for
  each part that it adds to the structure; features have a single weight. Its score is the sum over its rows. There may
  be several kinds of parts, each with its own slots: `parts` lists them, and each row has a kind.

Every state that is not final has a legal continuation, and every path ends: searches rely on this. All cdef methods are
called without the GIL by several threads at once; a system is constant after construction.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

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
    cdef readonly int row_width     # weights per feature: one per action, or one for systems with candidates
    cdef readonly bint has_candidates
    cdef readonly int max_rows      # per candidate
    cdef readonly bint streams      # whether the three methods at the end are implemented
    cdef readonly int n_slots
    cdef readonly int n_facts       # required per token; 0: none is read
    cdef size_t state_size
    cdef size_t node_size
    cdef int nodes_per_step         # 2 unless the constructor changes it
    cdef int n_state_links
    cdef int n_node_links
    cdef int[MAX_KINDS + 1] kind_start

    # The constructor must call exactly one of these, once.
    cdef int set_kinds(self, sizes) except -1
    cdef int set_candidates(self, int max_rows) except -1
    # Refuses documents that cannot be searched. Called with the GIL, before anything else.
    cdef int check(self, Columns columns) except -1

    # The first state of a search over `input`.
    cdef void start(self, const InputC* input, void* state) noexcept nogil
    cdef bint is_final(self, const InputC* input, const void* state) noexcept nogil
    # Whether an action, or a candidate, is legal.
    cdef bint is_legal(self, const InputC* input, const ArenaC* arena, const void* state, int action) noexcept nogil
    # Takes a legal action, or candidate.
    cdef void advance(self, const InputC* input, ArenaC* arena, void* state, int action) noexcept nogil

    # For systems of actions. Bit k: actions of kind k are legal.
    cdef uint64_t legal(self, const InputC* input, const ArenaC* arena, const void* state) noexcept nogil
    # Fills the slots of a state: rows of the input for token slots, plain numbers for value slots.
    cdef void slots(self, const InputC* input, const ArenaC* arena, const void* state, uint64_t* slots) noexcept nogil

    # For systems of candidates. The candidates of a state have numbers below this, which is at most MAX_ACTIONS.
    cdef int n_candidates(self, const InputC* input, const void* state) noexcept nogil
    # Writes the rows of slots of a legal candidate, n_slots each, and their kinds of parts. Returns their number.
    cdef int candidate_rows(self, const InputC* input, const ArenaC* arena, const void* state, int candidate,
                            uint64_t* rows, uint8_t* parts) noexcept nogil

    # For streams (stream.pyx). The last token on which the slots or the legal actions of a state depend; and how to
    # renumber states and nodes when the first n tokens of the document are forgotten.
    cdef int front(self, const void* state) noexcept nogil
    cdef void move_back_state(self, void* state, int n) noexcept nogil
    cdef void move_back_node(self, void* node, int n) noexcept nogil


cdef class Walk:
    cdef System system
    cdef Columns columns
    cdef ArenaC arena
    cdef bytearray state
    cdef char* at
