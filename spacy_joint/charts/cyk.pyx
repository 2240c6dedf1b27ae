"""Parses with charts: finds the most probable derivations, and sums over all derivations."""

from collections import defaultdict
from math import inf

import numpy as np

from ..errors import Errors, JointValueError, check_range
from ..trees.transform import INTERMEDIATE
from .grammar import strip_annotation
from .kbest import MAX_BEST

from libc.stdint cimport int32_t

from .chart cimport Chart, EntryC
from .kbest cimport list_trees
from .posteriors cimport Sums


cdef class ChartParser(Chart):
    """Finds the most probable derivations of sentences. Without a boundary model (J682), agendas are in the order of
    inside scores. `max_span`: 0 for none."""

    cdef Sums sums          # None until first used

    def parse(self, words, *, width=0, widths=None, glue=False):
        """Finds the most probable derivation of a sentence: its log-probability (natural), its nodes and the tags of
        words.

        Words are given as possible tags, with the log-probability of the word given each. Nodes are children first, the
        root last: the symbol, and the numbers of the children, -1 for none; words are numbered from 0, then nodes.
        Without a derivation, the result is minus infinity and no nodes, or, with `glue`, the fewest and best
        constituents found.

        width: The maximum number of entries of a cell, besides the tags of a word; 0: any number (exhaustive search).
        widths: The width of each cell (n x n + 1). -1: `width`; -2: likewise, but symbols of binarisation only; 0:
        closed, unless it has one word; above 0: at most this many entries.
        RAISES ValueError: If a tag is not a symbol of the grammar, or a score not finite or above 0 (J675), there are
            more than 5,000 words (J002), or a width or the array is wrong (J030, J001).
        """
        with self._filled(words, width, widths) as top:
            if top >= 0:
                nodes, tags, _ = self._list_nodes([top])
                return self.entries[top].edge.score, nodes, tags
            return -inf, *(self._glue() if glue and self.n else ([], []))

    def list_best(self, words, k, *, width=0, widths=None):
        """Lists the `k` most probable derivations as of `parse`, 1 to 1,000,000 (J030), best first, no two with the
        same constituents (see kbest.pyx); fewer if very many differ in tags and annotation only."""
        check_range("k", k, 1, MAX_BEST)
        with self._filled(words, width, widths) as top:
            return list_trees(self, top, k) if top >= 0 else []

    def sum_derivations(self, words, *, width=0, widths=None, least=0.001):
        """Sums the probabilities of all derivations of a sentence (see posteriors.pxd).

        RETURNS: The log-probability of the sentence, minus infinity if it has no derivation; constituents, each with
        its expected number, at least `least`; and the probabilities of the tags of each word. All without annotation.
        RAISES ValueError: As `parse`; if chains of unary rules have no finite sum (J684).
        """
        with self._filled(words, width, widths):
            if self.sums is None:
                self.sums = Sums(self)
            total = self.sums.sum_all()
            expected, tags = defaultdict(float), []
            if total > -inf:
                tags = [defaultdict(float) for _ in range(self.n)]
                for symbol, start, end, posterior in self.sums.list_posteriors(least / 10):
                    label = strip_annotation(self.symbols[symbol])
                    if end - start == 1 and self.is_tag[symbol]:
                        tags[start][label] += posterior
                    elif not self.is_factored[symbol]:
                        expected[label, start, end] += posterior
            return total, [(*key, number) for key, number in expected.items() if number >= least], tags

    def rank_edges(self, words, nodes, *, width=0, widths=None):
        """Returns the narrowest widths (int32) with which `parse` finds the best derivation, given as its nodes (J683):
        the worst rank of its edges in the agenda of each cell, from 1; 0 if it has none there."""
        cdef int32_t entry
        with self._filled(words, width, widths):
            ranks = np.zeros((self.n, self.n + 1), dtype=np.int32)
            spans = [(place, place + 1) for place in range(self.n)]
            for symbol, first, second in nodes:
                if not 0 <= first < len(spans) or not -1 <= second < len(spans) or symbol not in self.numbers:
                    raise JointValueError(Errors.J683, symbol=symbol)
                span = start, end = spans[first][0], spans[first if second < 0 else second][1]
                spans.append(span)
                entry = self.find(start, end, self.numbers[symbol]) if start < end else -1
                if entry < 0:
                    raise JointValueError(Errors.J683, symbol=symbol)
                ranks[span] = max(ranks[span], self.entries[entry].rank)
            return ranks

    def _list_nodes(self, tops):
        """Lists the nodes and tags of the best derivations of entries that follow each other, and the number of each
        entry. An entry below 0 is a word with its most probable tag."""
        cdef EntryC entry
        # From the last one and the top down, the right child first: reversed, this is children first, and words from
        # left to right.
        ordered, pending = [], list(tops)
        while pending:
            place = pending.pop()
            if place < 0:
                ordered.append((place, -1, -1, -1))
                continue
            entry = self.entries[place]
            ordered.append((place, entry.symbol, entry.edge.left, entry.edge.right))
            pending.extend(child for child in (entry.edge.left, entry.edge.right) if child >= 0)
        numbers, nodes, tags = {}, [], []
        for place, symbol, left, right in reversed(ordered):
            if left < 0:
                numbers[place] = len(tags)
                tags.append(self.symbols[symbol] if place >= 0 else self._find_tag(len(tags)))
            else:
                numbers[place] = self.n + len(nodes)
                nodes.append((self.symbols[symbol], numbers[left], numbers[right] if right >= 0 else -1))
        return nodes, tags, [numbers[place] for place in tops]

    def _find_tag(self, int32_t word):
        """Finds the most probable tag of a word; "" if it has none."""
        places = range(self.starts[word], self.starts[word + 1])
        best = max(places, key=lambda place: self.scores[place], default=None)
        return "" if best is None else self.symbols[self.tags[best]]

    def _glue(self):
        """Finds the fewest and best constituents that cover the words. Returns their nodes under a root, and the
        tags."""
        cdef int32_t i, j, cell, place, top
        # Up to each word: the number of constituents, their score with the opposite sign, the last one and its start.
        best = [(0, 0.0, -1, 0)]
        for j in range(1, self.n + 1):
            # A word by itself, numbered so that no two are the same.
            found = [(best[j - 1][0] + 1, best[j - 1][1], -j, j - 1)]
            for i in range(j):
                cell = i * (self.n + 1) + j
                top = -1
                for place in range(self.cells[cell], self.ends[cell]):
                    if self.is_factored[self.entries[place].symbol] or self.entries[place].edge.left < 0:
                        continue
                    if top < 0 or self.entries[place].edge.score > self.entries[top].edge.score:
                        top = place
                if top >= 0:
                    found.append((best[i][0] + 1, best[i][1] - self.entries[top].edge.score, top, i))
            best.append(min(found))
        tops, j = [], self.n
        while j:
            tops.append(best[j][2])
            j = best[j][3]
        nodes, tags, numbers = self._list_nodes(tops[::-1])
        root = self.symbols[self.root]
        last = numbers.pop()
        while len(numbers) > 1:
            nodes.append((INTERMEDIATE + root, numbers.pop(), last))
            last = self.n + len(nodes) - 1
        nodes.append((root, numbers[0], last) if numbers else (root, last, -1))
        return nodes, tags
