"""The lazy-swap oracle (Nivre, Kuhlmann & Hall 2009): the actions of the joint system that build given trees.

For each sentence: LEFT-ARC or RIGHT-ARC once the dependent has all its own dependents; SWAP if s0 precedes s1 in the
projective order (the in-order traversal of the tree) and s0 and b0 are not in the same maximal projective component;
otherwise SHIFT. SB separates sentences; the system determines whether it is early or late. All trees round-trip.
"""

import numpy as np

from ..errors import Errors, JointValueError
from .system import name_arc

cimport cython
from libc.stdint cimport int32_t

from .system cimport SB, SHIFT, SWAP, JointSystem


def oracle_actions(JointSystem system not None, heads, labels, starts):
    """Returns the actions that build the given trees (np.ndarray of uint16); None if the system lacks a label. A root
    is its own head, and the first token is assumed to start a sentence.

    RAISES ValueError: If a sentence is not a tree with a single root and all heads inside.
    """
    n_tokens = len(heads)
    heads = np.ascontiguousarray(heads, dtype=np.int32)
    if len(labels) != n_tokens or len(starts) != n_tokens:
        others = f"{len(labels)} labels and {len(starts)} sentence starts"
        raise JointValueError(Errors.J143, first=f"{n_tokens} heads", second=others)
    if n_tokens == 0:
        return np.zeros(0, dtype=np.uint16)
    names = [name_arc(token, head, label) for token, (head, label) in enumerate(zip(heads.tolist(), labels))]
    arcs = [system.actions.get(name, -1) for name in names]
    if -1 in arcs:
        return None
    bounds = np.flatnonzero(np.concatenate([[True], np.asarray(starts, dtype=bool)[1:], [True]])).astype(np.int32)
    cdef Sentences sentences = Sentences(heads, np.array(arcs, dtype=np.int32), bounds)
    return sentences.actions(system.early)


# Not accessible from Python, since it does not validate its arguments.
@cython.internal
cdef class Sentences:
    """The trees of a document, with data for the oracle."""
    cdef const int32_t[::1] heads
    cdef const int32_t[::1] arcs            # the action that attaches a token
    cdef const int32_t[::1] bounds          # first tokens of sentences, and the number of tokens
    cdef int32_t[::1] order                 # positions in the projective order
    cdef int32_t[::1] component             # maximal projective components
    cdef int32_t[::1] n_waiting             # dependents not yet attached
    cdef int32_t[::1] stack
    cdef int32_t[::1] first_child           # children in document order, as linked lists
    cdef int32_t[::1] next_sibling

    def __cinit__(self, heads, arcs, bounds):
        n = len(heads)
        self.heads, self.arcs, self.bounds = heads, arcs, bounds
        self.order, self.first_child, self.next_sibling = np.full((3, n), -1, dtype=np.int32)
        self.component = np.arange(n, dtype=np.int32)
        self.n_waiting, self.stack = np.zeros((2, n + 1), dtype=np.int32)
        for i in range(len(bounds) - 1):
            self.check(bounds[i], bounds[i + 1])

    cdef int check(self, int begin, int end) except -1:
        """Links children and orders the sentence begin..end-1; raises an error if it is not a tree."""
        cdef int token, head, root = -1, n_roots = 0
        problem = None
        for token in range(end - 1, begin - 1, -1):
            head = self.heads[token]
            if not begin <= head < end:
                problem = f"the head of token {token} is {head}, outside the sentence"
                break
            if head == token:
                root = token
                n_roots += 1
            else:
                self.next_sibling[token] = self.first_child[head]
                self.first_child[head] = token
        else:
            if n_roots != 1:
                problem = f"it has {n_roots} roots"
            elif self.traverse(root, begin) != end:
                problem = "its heads form a cycle"
        if problem:
            raise JointValueError(Errors.J303, begin=begin, last=end - 1, problem=problem)
        return 0

    cdef int traverse(self, int root, int index) noexcept:
        """In-order traversal without recursion; returns the position after the last token. Consumes first_child."""
        cdef int depth = 1, token, child
        self.stack[0] = root
        while depth:
            token = self.stack[depth - 1]
            child = self.first_child[token]
            if child >= 0 and (child < token or self.order[token] >= 0):
                self.first_child[token] = self.next_sibling[child]
                self.stack[depth] = child
                depth += 1
            elif self.order[token] < 0:
                self.order[token] = index
                index += 1
            else:
                depth -= 1
        return index

    cdef void count_waiting(self, int begin, int end) noexcept:
        cdef int token
        self.n_waiting[begin:end] = 0
        for token in range(begin, end):
            if self.heads[token] != token:
                self.n_waiting[self.heads[token]] += 1

    cdef void find_components(self, int begin, int end) noexcept:
        """Finds components: tokens that are attached without swaps, identified by the remaining token."""
        cdef int depth = 0, token, s0, s1
        self.count_waiting(begin, end)
        for token in range(begin, end):
            self.stack[depth] = token
            depth += 1
            while depth >= 2:
                s0, s1 = self.stack[depth - 1], self.stack[depth - 2]
                if self.heads[s1] == s0 and self.n_waiting[s1] == 0:
                    self.component[s1] = s0
                    self.n_waiting[s0] -= 1
                    self.stack[depth - 2] = s0
                elif self.heads[s0] == s1 and self.n_waiting[s0] == 0:
                    self.component[s0] = s1
                    self.n_waiting[s1] -= 1
                else:
                    break
                depth -= 1
        for token in range(begin, end):
            s0 = token
            while self.component[s0] != s0:
                s0 = self.component[s0]
            # Path compression.
            while self.component[token] != s0:
                s1 = self.component[token]
                self.component[token] = s0
                token = s1

    def actions(self, bint early):
        """Returns the actions for all sentences."""
        actions = []
        cdef int i, begin, end, next, depth, s0, s1, b0
        cdef int n_sentences = self.bounds.shape[0] - 1
        cdef bint flagged
        for i in range(n_sentences):
            begin, end = self.bounds[i], self.bounds[i + 1]
            self.find_components(begin, end)
            self.count_waiting(begin, end)
            swapped = []
            next = begin
            depth = 0
            flagged = i == n_sentences - 1
            while True:
                if next == end and not swapped and not flagged and (early or depth == 1):
                    actions.append(SB)
                    flagged = True
                s0 = self.stack[depth - 1] if depth >= 1 else -1
                s1 = self.stack[depth - 2] if depth >= 2 else -1
                b0 = swapped[len(swapped) - 1] if swapped else next if next < end else -1
                if s1 >= 0 and self.heads[s1] == s0 and self.n_waiting[s1] == 0:
                    actions.append(self.arcs[s1])
                    self.n_waiting[s0] -= 1
                    self.stack[depth - 2] = s0
                    depth -= 1
                elif s1 >= 0 and self.heads[s0] == s1 and self.n_waiting[s0] == 0:
                    actions.append(self.arcs[s0])
                    self.n_waiting[s1] -= 1
                    depth -= 1
                elif s1 >= 0 and self.order[s0] < self.order[s1] and (
                    b0 < 0 or self.component[s0] != self.component[b0]
                ):
                    actions.append(SWAP)
                    self.stack[depth - 2] = s0
                    depth -= 1
                    swapped.append(s1)
                elif b0 >= 0:
                    actions.append(SHIFT)
                    self.stack[depth] = b0
                    depth += 1
                    if swapped:
                        swapped.pop()
                    else:
                        next += 1
                else:
                    actions.append(self.arcs[s0])
                    break
        return np.array(actions, dtype=np.uint16)
