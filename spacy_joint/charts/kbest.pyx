"""The best derivations of a chart, one after the other: algorithm 3 of Huang & Chiang (2005), "Better k-best parsing".

A vertex is an entry of the chart, and its edges are the ways to derive it: the best one is in the chart, the others are
found again by the rules. A derivation is an edge and the ranks of the derivations of its children; the next one of a
vertex is the best of the neighbours of those before. Derivations that differ in tags and annotation only are of one
tree: where two words or constituents are joined, only the best one of each tree is kept. The first derivation of an
entry is that of the chart, so unary rules may be cyclic: later derivations depend on earlier ones only.
"""

from heapq import heappop, heappush

from .grammar import strip_annotation

cimport cython
from libc.math cimport INFINITY
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from .chart cimport Chart, EntryC, PairC


# The maximum number of derivations of the top that are tried per tree, but at least TRIES_AT_LEAST, and of derivations
# that are dropped at a vertex: there are infinitely many where unary rules of binarisation's symbols are cyclic.
cdef enum:
    TRIES = 50
    TRIES_AT_LEAST = 1_000
    MOST_DROPPED = 100_000

# The maximum number of derivations to list.
MAX_BEST = 1_000_000


@cython.internal
cdef class _Vertex:
    """An entry over the words i to j - 1."""

    cdef int32_t place, i, j
    cdef list edges             # the score of the rule, and of each child its entry, first word and end
    cdef list derivations       # the score, the number of the edge, and the children's ranks, the best one first
    cdef list trees             # of each of these, its outermost constituents: see `_name_tree`
    cdef set known              # the same
    cdef list candidates        # a heap of derivations, with negative scores
    cdef set seen
    cdef bint complete          # whether no more can be found
    cdef list tried             # the edges and ranks of the derivations, and of those that were dropped
    cdef size_t extended        # the number of these whose neighbours are candidates


# Not accessible from Python, since it does not validate its arguments.
@cython.internal
cdef class _Derivations:
    """The derivations of entries of a filled chart, which must not change meanwhile, found on demand."""

    cdef Chart chart
    cdef dict vertices
    cdef dict numbers           # of constituents with their descendants

    def __cinit__(self, Chart chart not None):
        self.chart = chart
        self.vertices, self.numbers = {}, {}

    cdef _Vertex _get(self, tuple child):
        """Gets the vertex of an entry, given with its first word and its end."""
        cdef _Vertex vertex = self.vertices.get(child[0])
        if vertex is None:
            vertex = _Vertex()
            vertex.place, vertex.i, vertex.j = child
            vertex.derivations, vertex.trees, vertex.known, vertex.tried = [], [], set(), []
            vertex.candidates, vertex.seen = [], set()
            self._find_edges(vertex)
            self.vertices[vertex.place] = vertex
        return vertex

    cdef int _find_edges(self, _Vertex vertex) except -1:
        """Finds the edges of a vertex. That of the chart is its first derivation; all others are candidates."""
        cdef Chart chart = self.chart
        cdef EntryC entry = chart.entries[vertex.place], child
        cdef int32_t i = vertex.i, j = vertex.j, middle, place, k, cell, other
        cdef vector[int32_t] row
        cdef const PairC* both
        vertex.edges = []
        if j - i == 1:
            # If a tag is given twice, the better one counts.
            score = max(
                [chart.scores[k] for k in range(chart.starts[i], chart.starts[j]) if chart.tags[k] == entry.symbol],
                default=-INFINITY,
            )
            if score > -INFINITY:
                vertex.edges.append((score, ()))
        cell = i * (chart.n + 1) + j
        for place in range(chart.cells[cell], chart.ends[cell]):
            child = chart.entries[place]
            for k in range(chart.unary_start[child.symbol], chart.unary_start[child.symbol + 1]):
                if chart.unary[k].parent == entry.symbol:
                    vertex.edges.append((chart.unary[k].score, ((place, i, j),)))
        row.resize(chart.n_symbols, -1)
        for middle in range(i + 1, j):
            cell = middle * (chart.n + 1) + j
            for place in range(chart.cells[cell], chart.ends[cell]):
                row[chart.entries[place].symbol] = place
            cell = i * (chart.n + 1) + middle
            for place in range(chart.cells[cell], chart.ends[cell]):
                child = chart.entries[place]
                for other in range(chart.pair_start[child.symbol], chart.pair_start[child.symbol + 1]):
                    both = &chart.pairs[other]
                    if row[both.right] < 0:
                        continue
                    for k in range(both.first, (both + 1).first):
                        if chart.binary[k].parent == entry.symbol:
                            children = (place, i, middle), (row[both.right], middle, j)
                            vertex.edges.append((chart.binary[k].score, children))
            cell = middle * (chart.n + 1) + j
            for place in range(chart.cells[cell], chart.ends[cell]):
                row[chart.entries[place].symbol] = -1
        first = [place for place in (entry.edge.left, entry.edge.right) if place >= 0]
        for number, (score, children) in enumerate(vertex.edges):
            ranks = (0,) * len(children)
            if [place for place, _, _ in children] == first:
                vertex.derivations.append((entry.edge.score, number, ranks))
                vertex.tried.append((number, ranks))
                continue
            for place, _, _ in children:
                score += chart.entries[place].edge.score
            heappush(vertex.candidates, (-score, number, ranks))
        return 0

    cdef bint _reach(self, _Vertex vertex, size_t rank) except -1:
        """Finds derivations of a vertex up to a rank. Returns whether there is one of this rank."""
        pending = [(vertex, rank)]
        self._name_first(vertex)
        while pending:
            vertex, rank = pending.pop()
            if len(vertex.derivations) > rank or vertex.complete:
                continue
            pending.append((vertex, rank))
            lacking = self._extend(vertex)
            if lacking is not None:
                pending.append(lacking)
        return len(vertex.derivations) > rank

    cdef object _extend(self, _Vertex vertex):
        """Finds the next derivation of a vertex. Returns the child and the rank of the derivation that it waits for."""
        cdef _Vertex child
        self._name_first(vertex)
        if vertex.extended < len(vertex.tried):
            number, ranks = vertex.tried[vertex.extended]
            rule, places = vertex.edges[number]
            children = [self._get(place) for place in places]
            next_ranks = [
                tuple([rank + (other == place) for other, rank in enumerate(ranks)]) for place in range(len(ranks))
            ]
            for ranks in next_ranks:
                for child, rank in zip(children, ranks):
                    if len(child.derivations) <= rank and not child.complete:
                        return child, rank
            for ranks in next_ranks:
                if (number, ranks) in vertex.seen:
                    continue
                score = rule
                for child, rank in zip(children, ranks):
                    if rank >= len(child.derivations):
                        break
                    score += child.derivations[rank][0]
                else:
                    vertex.seen.add((number, ranks))
                    heappush(vertex.candidates, (-score, number, ranks))
            vertex.extended += 1
        if vertex.candidates:
            score, number, ranks = heappop(vertex.candidates)
            vertex.tried.append((number, ranks))
            tree = self._name_tree(vertex, number, ranks)
            # Other repeated trees are kept: if rules are cyclic, requested ranks must exist.
            if len(ranks) < 2 or tree not in vertex.known:
                vertex.derivations.append((-score, number, ranks))
                vertex.trees.append(tree)
                vertex.known.add(tree)
            elif len(vertex.tried) > len(vertex.derivations) + MOST_DROPPED:
                vertex.complete = True
        else:
            vertex.complete = True
        return None

    cdef int _name_first(self, _Vertex top) except -1:
        """Names the tree of the first derivation of a vertex, and of those below it."""
        cdef _Vertex vertex, child
        pending = [top]
        while pending:
            vertex = pending.pop()
            if vertex.trees:
                continue
            _, number, ranks = vertex.derivations[0]
            lacking = []
            for place in vertex.edges[number][1]:
                child = self._get(place)
                if not child.trees:
                    lacking.append(child)
            if lacking:
                pending.append(vertex)
                pending.extend(lacking)
            else:
                vertex.trees.append(self._name_tree(vertex, number, ranks))
                vertex.known.update(vertex.trees)
        return 0

    cdef tuple _name_tree(self, _Vertex vertex, number, tuple ranks):
        """Numbers the outermost constituents of a derivation; the same constituents have the same numbers."""
        cdef _Vertex child
        below = ()
        for place, rank in zip(vertex.edges[number][1], ranks):
            child = self._get(place)
            self._name_first(child)
            below += child.trees[rank]
        symbol = self.chart.entries[vertex.place].symbol
        if not ranks or self.chart.is_factored[symbol]:
            return below
        named = (strip_annotation(self.chart.symbols[symbol]), vertex.i, vertex.j, below)
        return (self.numbers.setdefault(named, len(self.numbers)),)

    cdef object _unfold(self, _Vertex top, size_t rank):
        """Lists the nodes of a derivation and its tags."""
        cdef _Vertex vertex
        ordered, pending = [], [(top, rank)]
        while pending:
            vertex, at = pending.pop()
            _, number, ranks = vertex.derivations[at]
            _, places = vertex.edges[number]
            ordered.append((vertex, len(places)))
            pending.extend([(self._get(place), at) for place, at in zip(places, ranks)])
        # Words and nodes without a parent yet. An entry may be in a derivation twice, in a cycle.
        waiting, nodes, tags = [], [], []
        for vertex, n_children in reversed(ordered):
            symbol = self.chart.entries[vertex.place].symbol
            if n_children == 0:
                waiting.append(len(tags))
                tags.append(self.chart.symbols[symbol])
                continue
            second = waiting.pop() if n_children == 2 else -1
            first = waiting.pop()
            waiting.append(self.chart.n + len(nodes))
            nodes.append((self.chart.symbols[symbol], first, second))
        return nodes, tags


cdef list list_trees(Chart chart, int32_t top, int32_t k):
    cdef _Derivations derivations = _Derivations(chart)
    cdef _Vertex vertex = derivations._get((top, 0, chart.n))
    found = {}
    cdef size_t rank
    for rank in range(max(TRIES * k, TRIES_AT_LEAST)):
        if len(found) == k or not derivations._reach(vertex, rank):
            break
        if vertex.trees[rank] not in found:
            found[vertex.trees[rank]] = vertex.derivations[rank][0], *derivations._unfold(vertex, rank)
    return list(found.values())
