"""The best derivations of a chart, one after the other: algorithm 3 of Huang & Chiang (2005), "Better k-best parsing".

A vertex is an entry of the chart, and its incoming edges are the ways to derive it. The chart stores the best one only;
the others are found again, by the rules, when a second derivation of the entry is asked for. A derivation is an edge
and the ranks of those of its children; the next one of a vertex is the best of the neighbours of those before.

The first derivation of each entry is that of the chart, so unary rules may be cyclic: what is asked of a vertex on
behalf of a later derivation of its own is an earlier one, which is there.
"""

from heapq import heappop, heappush

from .grammar import strip_annotation

from libc.math cimport INFINITY
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from .chart cimport Chart, EntryC, PairC


# Derivations of the same tree are dropped. At most this many are looked at for each that is asked for, and these many.
cdef enum:
    TRIES = 50
    TRIES_AT_LEAST = 1_000

# How many derivations may be asked for.
MAX_BEST = 1_000_000


cdef class _Vertex:
    """An entry over the words i to j - 1.

    edges: The score of the rule, and the children with the end of the left one; -1: none.
    derivations: The score, the edge, and the ranks of the children's derivations, the best one first.
    candidates: A heap of the same, with negative scores.
    complete: Whether no more can be found.
    extended: The number of derivations of which the neighbours are candidates.
    """

    cdef int32_t place, i, j
    cdef list edges, derivations, candidates
    cdef set seen
    cdef bint complete
    cdef size_t extended


cdef class Derivations:
    """The derivations of entries of a chart, found as they are asked for.

    chart (Chart): A filled chart. It must not change meanwhile.
    """

    cdef Chart chart
    cdef dict vertices

    def __cinit__(self, Chart chart not None):
        self.chart = chart
        self.vertices = {}

    def list_trees(self, int32_t top, int32_t k):
        """The best derivations of an entry over all words, at most k, no two of the same constituents.

        Returns (list[tuple[float, list[tuple[str, int, int]], list[str]]]): As those of `ChartParser.parse`.
        """
        cdef _Vertex vertex = self._get(top, 0, self.chart.n)
        found, seen = [], set()
        cdef size_t rank
        for rank in range(max(TRIES * k, TRIES_AT_LEAST)):
            if len(found) == k or not self._reach(vertex, rank):
                break
            nodes, tags, constituents = self._unfold(vertex, rank)
            if constituents not in seen:
                seen.add(constituents)
                found.append((vertex.derivations[rank][0], nodes, tags))
        return found

    cdef _Vertex _get(self, int32_t place, int32_t i, int32_t j):
        """The vertex of an entry."""
        cdef _Vertex vertex = self.vertices.get(place)
        if vertex is None:
            vertex = _Vertex()
            vertex.place, vertex.i, vertex.j = place, i, j
            vertex.derivations, vertex.candidates, vertex.seen = [], [], set()
            self._find_edges(vertex)
            self.vertices[place] = vertex
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
            # If a tag is given twice, it is the better one.
            score = max(
                [chart.scores[k] for k in range(chart.starts[i], chart.starts[j]) if chart.tags[k] == entry.symbol],
                default=-INFINITY,
            )
            if score > -INFINITY:
                vertex.edges.append((score, -1, -1, j))
        cell = i * (chart.n + 1) + j
        for place in range(chart.cells[cell], chart.ends[cell]):
            child = chart.entries[place]
            for k in range(chart.unary_start[child.symbol], chart.unary_start[child.symbol + 1]):
                if chart.unary[k].parent == entry.symbol:
                    vertex.edges.append((chart.unary[k].score, place, -1, j))
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
                            vertex.edges.append((chart.binary[k].score, place, row[both.right], middle))
            cell = middle * (chart.n + 1) + j
            for place in range(chart.cells[cell], chart.ends[cell]):
                row[chart.entries[place].symbol] = -1
        first = entry.edge.left, entry.edge.right
        for number, (score, left, right, _) in enumerate(vertex.edges):
            if (left, right) == first:
                vertex.derivations.append((entry.edge.score, number, 0, 0))
                continue
            for place in (left, right):
                if place >= 0:
                    score += chart.entries[place].edge.score
            heappush(vertex.candidates, (-score, number, 0, 0))
        return 0

    cdef bint _reach(self, _Vertex vertex, size_t rank) except -1:
        """Finds derivations of a vertex up to a rank. Returns whether there is one of it."""
        pending = [(vertex, rank)]
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
        if vertex.extended < len(vertex.derivations):
            _, number, left_rank, right_rank = vertex.derivations[vertex.extended]
            rule, left, right, middle = vertex.edges[number]
            if left >= 0:
                one = self._get(left, vertex.i, middle)
                other = self._get(right, middle, vertex.j) if right >= 0 else None
                ranks = [(left_rank + 1, right_rank)]
                if right >= 0:
                    ranks.append((left_rank, right_rank + 1))
                for first, second in ranks:
                    for child, rank in ((one, first), (other, second)):
                        if child is not None and len(child.derivations) <= rank and not child.complete:
                            return child, rank
                for first, second in ranks:
                    key = number, first, second
                    if key in vertex.seen:
                        continue
                    score = rule
                    for child, rank in ((one, first), (other, second)):
                        if child is None:
                            continue
                        if rank >= len(child.derivations):
                            break
                        score += child.derivations[rank][0]
                    else:
                        vertex.seen.add(key)
                        heappush(vertex.candidates, (-score, *key))
            vertex.extended += 1
        if vertex.candidates:
            score, number, left_rank, right_rank = heappop(vertex.candidates)
            vertex.derivations.append((-score, number, left_rank, right_rank))
        else:
            vertex.complete = True
        return None

    cdef object _unfold(self, _Vertex top, size_t rank):
        """The nodes of a derivation, its tags, and its constituents: their labels, without annotation, and words."""
        cdef _Vertex vertex
        ordered, pending = [], [(top, rank)]
        while pending:
            vertex, at = pending.pop()
            _, number, left_rank, right_rank = vertex.derivations[at]
            _, left, right, middle = vertex.edges[number]
            ordered.append((vertex, left, right))
            if left >= 0:
                pending.append((self._get(left, vertex.i, middle), left_rank))
            if right >= 0:
                pending.append((self._get(right, middle, vertex.j), right_rank))
        # Words and nodes that are not the child of any yet. An entry may be in a derivation twice, in a cycle.
        waiting, nodes, tags, constituents = [], [], [], []
        for vertex, left, right in reversed(ordered):
            symbol = self.chart.entries[vertex.place].symbol
            if left < 0:
                waiting.append(len(tags))
                tags.append(self.chart.symbols[symbol])
                continue
            second = waiting.pop() if right >= 0 else -1
            first = waiting.pop()
            waiting.append(self.chart.n + len(nodes))
            nodes.append((self.chart.symbols[symbol], first, second))
            if not self.chart.is_factored[symbol]:
                constituents.append((strip_annotation(self.chart.symbols[symbol]), vertex.i, vertex.j))
        return nodes, tags, tuple(constituents)
