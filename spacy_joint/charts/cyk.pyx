"""Parses with charts: finds the most probable derivations, and sums over all derivations."""

from collections import defaultdict, namedtuple
from heapq import heappop, heappush
from math import inf

import numpy as np

from ..errors import Errors, JointValueError, check_range
from .grammar import strip_annotation

cimport cython
from libc.math cimport INFINITY
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from .chart cimport Chart, EntryC, PairC
from .posteriors cimport InsideOutside


# The maximum number of derivations to try per tree at the top, but at least TRIES_AT_LEAST, and to drop at a vertex:
# there are infinitely many if unary rules of binarisation's symbols are cyclic.
cdef enum:
    TRIES = 50
    TRIES_AT_LEAST = 1_000
    MAX_DROPPED = 100_000

# The maximum number of derivations to list.
MAX_BEST = 1_000_000


cdef class ChartParser(Chart):
    """Finds the most probable derivations of sentences. Without a boundary model (J682), agendas are in the order of
    inside scores. `max_span`: 0 for none."""

    cdef InsideOutside sums  # None until first used

    def parse(self, words, *, width=0, widths=None, glue=False):
        """Finds the most probable derivation of a sentence: its log-probability (natural), its nodes and the tags of
        words.

        Words are given as possible tags, with the log-probability of the word given each. Nodes are children first, the
        root last: the symbol, the first word and the end. Without a derivation, the result is minus infinity and no
        nodes, or, with `glue`, the fewest and best constituents found.

        width: The maximum number of entries of a cell, besides the tags of a word; 0: any number (exhaustive search).
        widths: The width of each cell (n x n + 1). -1: `width`; -2: likewise, but symbols of binarisation only; 0:
        closed, unless it has one word; above 0: at most this many entries.
        RAISES ValueError: If a tag is not a symbol of the grammar, or a score not finite or above 0 (J675), there are
            more than 5,000 words (J002), or a width or the array is wrong (J030, J001).
        """
        with self._filled(words, width, widths) as top:
            if top >= 0:
                return self.entries[top].edge.score, *self._list_nodes([top])
            return -inf, *(self._glue() if glue and self.n else ([], []))

    def list_best(self, words, k, *, width=0):
        """Lists the `k` most probable derivations (1 to 1,000,000; J030), as returned by `parse`, best first, no two
        with the same constituents (see `_Derivations`); fewer if very many differ only in tags and annotation."""
        check_range("k", k, 1, MAX_BEST)
        with self._filled(words, width, None) as top:
            return list_trees(self, top, k) if top >= 0 else []

    def sum_derivations(self, words, *, width=0, widths=None, min_probability=0.001):
        """Sums the probabilities of all derivations of a sentence (see posteriors.pxd).

        RETURNS: The log-probability of the sentence, minus infinity if it has no derivation; constituents, each with
        its expected number, at least `min_probability`; and the probabilities of the tags of each word. All without
        annotation. RAISES ValueError: As `parse`; if chains of unary rules have no finite sum (J684).
        """
        with self._filled(words, width, widths):
            if self.sums is None:
                self.sums = InsideOutside(self)
            total = self.sums.sum_all()
            expected, tags = defaultdict(float), []
            if total > -inf:
                tags = [defaultdict(float) for _ in range(self.n)]
                for symbol, start, end, posterior in self.sums.list_posteriors(min_probability / 10):
                    label = strip_annotation(self.symbols[symbol])
                    if end - start == 1 and self.is_tag[symbol]:
                        tags[start][label] += posterior
                    elif not self.is_factored[symbol]:
                        expected[label, start, end] += posterior
            return total, [(*key, number) for key, number in expected.items() if number >= min_probability], tags

    def rank_edges(self, words, nodes, *, width=0):
        """Returns the narrowest widths (int32) with which `parse` finds the best derivation, given as its nodes (J683):
        the worst rank of its edges in the agenda of each cell, from 1; 0 if it has none there."""
        cdef int32_t entry
        with self._filled(words, width, None):
            ranks = np.zeros((self.n, self.n + 1), dtype=np.int32)
            for symbol, start, end in nodes:
                is_cell = 0 <= start < end <= self.n
                entry = self.find(start, end, self.numbers[symbol]) if is_cell and symbol in self.numbers else -1
                if entry < 0:
                    raise JointValueError(Errors.J683, symbol=symbol)
                ranks[start, end] = max(ranks[start, end], self.entries[entry].rank)
            return ranks

    def _list_nodes(self, tops):
        """Lists the nodes and tags of the best derivations of entries that follow each other. An entry below 0 is a
        word with its most probable tag; -1 is the first word."""
        cdef EntryC entry
        # From the top down and from right to left, with numbers of children.
        ordered, pending = [], list(tops)
        while pending:
            index = pending.pop()
            if index < 0:
                ordered.append((self._find_tag(-1 - index), 0))
                continue
            entry = self.entries[index]
            children = [child for child in (entry.edge.left, entry.edge.right) if child >= 0]
            ordered.append((self.symbols[entry.symbol], len(children)))
            pending += children
        nodes, tags, waiting = [], [], []
        for symbol, n_children in reversed(ordered):
            if n_children == 0:
                waiting.append((len(tags), len(tags) + 1))
                tags.append(symbol)
                continue
            start, end = waiting.pop()
            if n_children == 2:
                start, _ = waiting.pop()
            waiting.append((start, end))
            nodes.append((symbol, start, end))
        return nodes, tags

    def _find_tag(self, int32_t word):
        """Finds the most probable tag of a word; "" if it has none."""
        indices = range(self.starts[word], self.starts[word + 1])
        best = max(indices, key=lambda index: self.scores[index], default=None)
        return "" if best is None else self.symbols[self.tags[best]]

    def _glue(self):
        """Finds the fewest and best constituents that cover the words. Returns their nodes under a root, and the
        tags."""
        cdef int32_t i, j, cell, index, top
        # Up to each word: the number of constituents, their score with the opposite sign, the last one and its start.
        best = [(0, 0.0, -1, 0)]
        for j in range(1, self.n + 1):
            # A word by itself, numbered so that no two are the same.
            found = [(best[j - 1][0] + 1, best[j - 1][1], -j, j - 1)]
            for i in range(j):
                cell = i * (self.n + 1) + j
                top = -1
                for index in range(self.cells[cell], self.ends[cell]):
                    if self.is_factored[self.entries[index].symbol] or self.entries[index].edge.left < 0:
                        continue
                    if top < 0 or self.entries[index].edge.score > self.entries[top].edge.score:
                        top = index
                if top >= 0:
                    found.append((best[i][0] + 1, best[i][1] - self.entries[top].edge.score, top, i))
            best.append(min(found))
        tops, j = [], self.n
        while j:
            tops.append(best[j][2])
            j = best[j][3]
        nodes, tags = self._list_nodes(tops[::-1])
        nodes.append((self.symbols[self.root], 0, self.n))
        return nodes, tags


# A derivation of a vertex: its score, the number of its edge, the ranks of the derivations of the children among those
# of their vertices, and its tree, as numbers of its outermost constituents: see `_name_tree`.
Derivation = namedtuple("Derivation", "score edge ranks tree")


@cython.internal
cdef class _Vertex:
    """An entry of the chart over the words i to j - 1, and its derivations, the best one first."""

    cdef int32_t index, i, j
    cdef list edges             # ways to derive it: the score of the rule, and the children, as arguments of `_get`
    cdef list derivations       # found so far, no two with the same tree if words or constituents are joined
    cdef set trees              # of these
    cdef list candidates        # the next ones, a heap: the score with the opposite sign, the edge and the ranks
    cdef set seen               # the edges and ranks that have been candidates
    cdef list tried             # those of the derivations, and of derivations that were dropped because of their trees
    cdef size_t n_extended      # the number of these whose neighbours are candidates
    cdef bint is_complete       # whether no more derivations can be found


# Not accessible from Python, since it does not validate its arguments.
@cython.internal
cdef class _Derivations:
    """The derivations of entries of a filled chart, which must not change meanwhile, found on demand: algorithm 3 of
    Huang & Chiang (2005), "Better k-best parsing".

    A vertex is an entry of the chart. Its first derivation is that of the chart. All others are found again by the
    rules: each is an edge and, for each child, the rank of one of its derivations, and the next one of a vertex is the
    best of the neighbours of those before, in which one rank is higher by one. Derivations that differ only in tags and
    annotation have the same tree: where two words or constituents are joined, only the best one of each tree is kept.
    Unary rules may be cyclic, since later derivations depend only on earlier ones.
    """

    cdef Chart chart
    cdef dict vertices          # by entry
    cdef dict numbers           # of constituents with their descendants

    def __cinit__(self, Chart chart not None):
        self.chart = chart
        self.vertices, self.numbers = {}, {}

    cdef _Vertex _get(self, tuple child):
        """Gets the vertex of an entry, given with its first word and its end, with its first derivation."""
        cdef _Vertex vertex
        made, pending = {}, [child]
        while pending:
            entry = pending.pop()
            if entry[0] in self.vertices:
                continue
            vertex = made.get(entry[0]) or self._make_vertex(entry)
            number, ranks = vertex.tried[0]
            # The vertices below the first derivation come first.
            lacking = [below for below in vertex.edges[number][1] if below[0] not in self.vertices]
            if lacking:
                made[vertex.index] = vertex
                pending += [entry, *lacking]
            else:
                self.vertices[vertex.index] = vertex
                self._add(vertex, self.chart.entries[vertex.index].edge.score, number, ranks)
        return self.vertices[child[0]]

    cdef _Vertex _make_vertex(self, tuple child):
        """Makes the vertex of an entry: finds its edges, and tries the one in the chart first."""
        cdef Chart chart = self.chart
        cdef _Vertex vertex = _Vertex()
        cdef EntryC entry
        cdef int32_t index
        vertex.index, vertex.i, vertex.j = child
        entry = chart.entries[vertex.index]
        vertex.edges, vertex.derivations, vertex.trees = self._find_edges(vertex), [], set()
        vertex.candidates, vertex.seen, vertex.tried = [], set(), []
        first = [index for index in (entry.edge.left, entry.edge.right) if index >= 0]
        for number, (score, children) in enumerate(vertex.edges):
            ranks = (0,) * len(children)
            if [index for index, _, _ in children] == first:
                vertex.tried.append((number, ranks))
                continue
            for index, _, _ in children:
                score += chart.entries[index].edge.score
            heappush(vertex.candidates, (-score, number, ranks))
        return vertex

    cdef list _find_edges(self, _Vertex vertex):
        cdef Chart chart = self.chart
        cdef EntryC entry = chart.entries[vertex.index], child
        cdef int32_t i = vertex.i, j = vertex.j, middle, index, k, cell, other
        cdef vector[int32_t] row
        cdef const PairC* both
        cdef tuple children
        edges = []
        if j - i == 1:
            # If a tag is given twice, the better one counts.
            score = max(
                [chart.scores[k] for k in range(chart.starts[i], chart.starts[j]) if chart.tags[k] == entry.symbol],
                default=-INFINITY,
            )
            if score > -INFINITY:
                edges.append((score, ()))
        cell = i * (chart.n + 1) + j
        for index in range(chart.cells[cell], chart.ends[cell]):
            child = chart.entries[index]
            for k in range(chart.unary_start[child.symbol], chart.unary_start[child.symbol + 1]):
                if chart.unary[k].parent == entry.symbol:
                    edges.append((chart.unary[k].score, ((index, i, j),)))
        row.resize(chart.n_symbols, -1)
        for middle in range(i + 1, j):
            cell = middle * (chart.n + 1) + j
            for index in range(chart.cells[cell], chart.ends[cell]):
                row[chart.entries[index].symbol] = index
            cell = i * (chart.n + 1) + middle
            for index in range(chart.cells[cell], chart.ends[cell]):
                child = chart.entries[index]
                for other in range(chart.pair_start[child.symbol], chart.pair_start[child.symbol + 1]):
                    both = &chart.pairs[other]
                    if row[both.right] < 0:
                        continue
                    for k in range(both.first, (both + 1).first):
                        if chart.binary[k].parent == entry.symbol:
                            children = (index, i, middle), (row[both.right], middle, j)
                            edges.append((chart.binary[k].score, children))
            cell = middle * (chart.n + 1) + j
            for index in range(chart.cells[cell], chart.ends[cell]):
                row[chart.entries[index].symbol] = -1
        return edges

    cdef int _add(self, _Vertex vertex, score, number, ranks) except -1:
        """Adds a derivation to a vertex, unless it joins two children to a tree that one before it has."""
        tree = self._name_tree(vertex, number, ranks)
        # Other repeated trees are kept: if rules are cyclic, requested ranks must exist.
        if len(ranks) < 2 or tree not in vertex.trees:
            vertex.derivations.append(Derivation(score, number, ranks, tree))
            vertex.trees.add(tree)
        return 0

    cdef tuple _name_tree(self, _Vertex vertex, number, tuple ranks):
        """Numbers the outermost constituents of a derivation; the same constituents have the same numbers."""
        below = ()
        for child, rank in zip(vertex.edges[number][1], ranks):
            below += self._get(child).derivations[rank].tree
        symbol = self.chart.entries[vertex.index].symbol
        if not ranks or self.chart.is_factored[symbol]:
            return below
        named = (strip_annotation(self.chart.symbols[symbol]), vertex.i, vertex.j, below)
        return (self.numbers.setdefault(named, len(self.numbers)),)

    cdef bint _reach(self, _Vertex vertex, size_t rank) except -1:
        """Finds derivations of a vertex up to a rank. Returns whether there is one of this rank."""
        pending = [(vertex, rank)]
        while pending:
            vertex, rank = pending.pop()
            if len(vertex.derivations) > rank or vertex.is_complete:
                continue
            pending.append((vertex, rank))
            lacking = self._add_neighbours(vertex)
            if lacking is None:
                self._try_next(vertex)
            else:
                pending.append(lacking)
        return len(vertex.derivations) > rank

    cdef object _add_neighbours(self, _Vertex vertex):
        """Makes the neighbours of the last derivation tried candidates. Returns the child and the rank of a derivation
        that has to be found before; None if there is none."""
        cdef _Vertex child
        if vertex.n_extended == len(vertex.tried):
            return None
        number, ranks = vertex.tried[vertex.n_extended]
        rule, below = vertex.edges[number]
        children = [self._get(each) for each in below]
        neighbours = [
            tuple([rank + (other == place) for other, rank in enumerate(ranks)]) for place in range(len(ranks))
        ]
        for ranks in neighbours:
            for child, rank in zip(children, ranks):
                if len(child.derivations) <= rank and not child.is_complete:
                    return child, rank
        for ranks in neighbours:
            if (number, ranks) in vertex.seen:
                continue
            score = rule
            for child, rank in zip(children, ranks):
                if rank >= len(child.derivations):
                    break
                score += child.derivations[rank].score
            else:
                vertex.seen.add((number, ranks))
                heappush(vertex.candidates, (-score, number, ranks))
        vertex.n_extended += 1
        return None

    cdef int _try_next(self, _Vertex vertex) except -1:
        """Adds the best candidate to the derivations of a vertex."""
        if vertex.candidates and len(vertex.tried) <= len(vertex.derivations) + MAX_DROPPED:
            score, number, ranks = heappop(vertex.candidates)
            vertex.tried.append((number, ranks))
            self._add(vertex, -score, number, ranks)
        else:
            vertex.is_complete = True
        return 0

    cdef object _unfold(self, _Vertex top, derivation):
        """Lists the nodes of a derivation and its tags."""
        cdef _Vertex vertex, child
        nodes, tags, pending = [], [], [(top, derivation)]
        while pending:
            vertex, derivation = pending.pop()
            _, below = vertex.edges[derivation.edge]
            symbol = self.chart.symbols[self.chart.entries[vertex.index].symbol]
            if below:
                nodes.append((symbol, vertex.i, vertex.j))
            else:
                tags.append(symbol)
            for entry, rank in zip(below, derivation.ranks):
                child = self._get(entry)
                pending.append((child, child.derivations[rank]))
        return nodes[::-1], tags[::-1]


cdef list list_trees(Chart chart, int32_t top, int32_t k):
    """Lists the best derivations of an entry over all words of a filled chart: at most k, no two with the same
    constituents."""
    cdef _Derivations derivations = _Derivations(chart)
    cdef _Vertex vertex = derivations._get((top, 0, chart.n))
    cdef size_t rank
    found = {}
    for rank in range(max(TRIES * k, TRIES_AT_LEAST)):
        if len(found) == k or not derivations._reach(vertex, rank):
            break
        derivation = vertex.derivations[rank]
        if derivation.tree not in found:
            found[derivation.tree] = derivation.score, *derivations._unfold(vertex, derivation)
    return list(found.values())
