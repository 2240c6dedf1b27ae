"""The base of systems that build whole trees: see system.pxd."""

from ..errors import Errors, JointValueError
from ..trees.transform import INTERMEDIATE

from libc.stdint cimport uint32_t, uint64_t

from ..engine.buckets cimport bucket
from ..engine.columns cimport FIRST, InputC
from ..engine.system cimport ArenaC, Walk, replay
from ..trees.system cimport NodeC, TreeSystem, node_at


cdef class PhraseSystem(TreeSystem):
    """The base class of systems that build whole trees. Unary labels are for constituents over words only; binary ones
    (J330) have the side of the head, "L" or "R". The tag column has the categories of words (-1: none)."""

    cdef int set_phrases(self, unary, binary, root, int tag_column, gaps, more) except -1:
        if not binary:
            raise JointValueError(Errors.J330, source="The data", what="constituents")
        self.root = root
        self.set_labels(unary, binary, [root], MAX_LABELS, tag_column)
        kinds = [[] for _ in range(N_KINDS)]
        kinds[SHIFT], kinds[GAP] = [("SHIFT",)], list(gaps)
        kinds[UNARY] = [("UNARY", name) for name in self.unary if name != root]
        # With these, any derivation can end.
        kinds[UNARY_ROOT], kinds[LEFT_ROOT] = [("UNARY", root)], [("BINARY", root, "L")]
        for name, side in self.binary:
            k = LEFT_INTERMEDIATE if name.startswith(INTERMEDIATE) else LEFT_ROOT if name == root else LEFT
            kinds[k + (0 if side == "L" else RIGHT - LEFT)].append(("BINARY", name, side))
        self.set_actions([*kinds, *([action] for action in more)])
        self.n_state_links = 2
        return 0

    def __reduce__(self):
        return (type(self), (self.unary, self.binary, self.root, self.tag_column))

    cdef uint64_t join(self, uint64_t kinds, const NodeC* lower, const NodeC* upper, bint is_last, bint opens_left,
                       bint opens_right) noexcept nogil:
        # The unfinished one has the head. The root covers the sentence.
        if not upper.intermediate:
            kinds |= 1 << LEFT | (<uint64_t>is_last << LEFT_ROOT) | (<uint64_t>opens_left << LEFT_INTERMEDIATE)
        if not lower.intermediate:
            kinds |= 1 << RIGHT | (<uint64_t>is_last << RIGHT_ROOT) | (<uint64_t>opens_right << RIGHT_INTERMEDIATE)
        kinds &= self.has_actions
        return kinds or (1 << LEFT | 1 << RIGHT | 1 << LEFT_ROOT) & self.has_actions

    def build(self, actions, int n_words):
        """Returns the tree that a complete derivation (J314) builds: nodes as in `find_parents`, without heads."""
        cdef Walk walk = replay(self, actions, n_words)
        cdef const NodeC* node
        cdef uint32_t number
        nodes = []
        # The numbers of words and nodes by their links, and those of nodes by the links to their first child.
        numbers, above = [-1], {}
        for number in range(1, walk.arena.used):
            node = node_at(&walk.arena, number)
            if node.label and node.left not in above:
                above[node.left] = n_words + len(nodes)
                nodes.append((self.labels[node.label - 1], numbers[node.left], numbers[node.right]))
            # Systems may copy constituents.
            numbers.append(above[node.left] if node.label else node.head)
        return nodes

    cdef void fill_slots(self, const InputC* input, const ArenaC* arena, uint32_t number, uint64_t* tokens,
                         uint64_t* labels, uint64_t* sizes) noexcept nogil:
        cdef const NodeC* node = node_at(arena, number)
        tokens[0], tokens[1] = FIRST + node.first, FIRST + node.last
        sizes[0] = 1 + bucket(node.n_words)
        sizes[1] = 1 + bucket(node.last + 1 - node.first - node.n_words)
        self.fill_child_slots(input, arena, number, tokens + 2, labels)


def find_parents(int n_words, nodes):
    """Finds the parent of each word and each node of a tree (J343); -1 for the root. Nodes are given children first,
    the root last: the label, the children in the order of their first words, and which of them has the head (0 or 1).
    Children are words, or n_words + i for node i; -1 replaces a missing second child."""
    parents = [-1] * (n_words + len(nodes))
    for number, (_, first, second, _) in enumerate(nodes, start=n_words):
        for child in (first, second) if second != -1 else (first,):
            if not 0 <= child < number or parents[child] != -1:
                raise JointValueError(Errors.J343, node=number - n_words)
            parents[child] = number
    if not nodes or -1 in parents[: len(parents) - 1]:
        raise JointValueError(Errors.J343, node=len(nodes) - 1)
    return parents
