"""What a task gives to the engine: states, continuations and what of them templates may name.

A search holds many states at once, copies them by value and never frees what they point to, so

- a state is a plain struct of `state_size` bytes; what is unbounded (stack, history) is kept in nodes of an arena;
- a node is written once, when it is made, and shared by every state that descends from the one that made it. It
  begins with `n_node_links` links (uint32) to nodes made before it; a state begins with `n_state_links` links. That is
  all the arena needs to know to throw away what no state can reach (0 is the null link, and no node's number);
- an advance makes at most MAX_NODES_PER_STEP nodes.

A state is continued in one of two ways:

- by an action of a fixed inventory. The state is one row of slots; its features have a weight for each action. Actions
  are numbered 0..n_actions-1 and come in kinds of adjacent numbers, for which legality is decided at once: kind k holds
  actions kind_start[k]..kind_start[k+1]-1;
- by one of its candidates, which differ from state to state (`has_candidates`). A candidate has rows of slots of its
  own, one for each part that it adds to the structure; features have a single weight. Its score is the sum over its
  rows. Parts may be of several kinds, each with its own slots: `parts` names them, and a row says which it is.

Every state that is not final has a legal continuation, and every walk ends: searches rely on it. All cdef methods are
called without the GIL by several threads at once; a system is constant after construction.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from .columns cimport Columns, InputC


cdef enum:
    MAX_ACTIONS = 4096
    MAX_KINDS = 64          # a bit each in what `legal` returns
    MAX_SLOTS = 64
    MAX_PARTS = 8
    MAX_NODES_PER_STEP = 2


cdef struct ArenaC:
    char* nodes
    size_t node_size
    uint32_t used           # node 0 is never handed out
    uint32_t capacity
    uint32_t collect_at     # collect once `used` is above this
    int n_node_links


cdef int arena_init(ArenaC* arena, size_t node_size, int n_node_links) except -1 nogil
cdef void arena_free(ArenaC* arena) noexcept nogil
cdef void arena_clear(ArenaC* arena) noexcept nogil
# Makes room for `count` more nodes. Pointers to nodes are invalid afterwards.
cdef int arena_reserve(ArenaC* arena, uint32_t count) except -1 nogil
# Throws away the nodes that none of the states reaches. `states` are n pointers; their links are rewritten.
cdef int arena_collect(ArenaC* arena, char** states, int n_states, int n_state_links) except -1 nogil


cdef inline uint32_t arena_add(ArenaC* arena) noexcept nogil:
    """The number of a new node; room for it was reserved."""
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
    cdef readonly bint streams      # whether the three methods at the end are there
    cdef readonly int n_slots
    cdef readonly int n_facts       # per token that columns must have; 0: any number, none is read
    cdef size_t state_size
    cdef size_t node_size
    cdef int n_state_links
    cdef int n_node_links
    cdef int[MAX_KINDS + 1] kind_start

    # One of these is called, once, by the constructor.
    cdef int set_kinds(self, sizes) except -1
    cdef int set_candidates(self, int max_rows) except -1
    # Refuses documents that it cannot search. Called with the GIL, before anything else.
    cdef int check(self, Columns columns) except -1

    # The first state of a search over `input`.
    cdef void start(self, const InputC* input, void* state) noexcept nogil
    cdef bint is_final(self, const InputC* input, const void* state) noexcept nogil
    # Whether an action, or a candidate, may be taken.
    cdef bint is_legal(self, const InputC* input, const ArenaC* arena, const void* state, int action) noexcept nogil
    # Takes a legal action, or candidate.
    cdef void advance(self, const InputC* input, ArenaC* arena, void* state, int action) noexcept nogil

    # Systems of actions. Bit k: actions of kind k may be taken.
    cdef uint64_t legal(self, const InputC* input, const ArenaC* arena, const void* state) noexcept nogil
    # What templates see of a state: rows of the input for token slots, plain numbers for value slots.
    cdef void slots(self, const InputC* input, const ArenaC* arena, const void* state, uint64_t* slots) noexcept nogil

    # Systems of candidates. Candidates of a state have numbers below this, up to MAX_ACTIONS.
    cdef int n_candidates(self, const InputC* input, const void* state) noexcept nogil
    # Writes the rows of slots of a legal candidate, n_slots each, and the kind of part of each. Their number.
    cdef int candidate_rows(self, const InputC* input, const ArenaC* arena, const void* state, int candidate,
                            uint64_t* rows, uint8_t* parts) noexcept nogil

    # For streams (stream.pyx). The last token that the slots or the legality of a state may name; and how states and
    # nodes change when the first n tokens of the document are forgotten.
    cdef int front(self, const void* state) noexcept nogil
    cdef void move_back_state(self, void* state, int n) noexcept nogil
    cdef void move_back_node(self, void* node, int n) noexcept nogil


cdef class Walk:
    cdef System system
    cdef Columns columns
    cdef ArenaC arena
    cdef bytearray state
    cdef char* at
