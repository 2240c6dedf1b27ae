"""Parsing with charts: the most probable derivations, and what all derivations agree on."""

from collections import defaultdict
from math import inf

import numpy as np

from ...errors import Errors, JointMemoryError, JointValueError
from ..transform import TEMPORARY
from .grammar import strip_annotation
from .kbest import MAX_BEST, Derivations

from libc.stdint cimport int32_t

from .chart cimport Chart, EntryC
from .posteriors cimport Sums


cdef class ChartParser(Chart):
    """Finds the most probable derivations of sentences.

    grammar (Grammar): The grammar.
    boundaries (BoundaryModel | None): What is next to constituents, for the order in which agendas are emptied. Without
        it, this is the order of inside scores.
    max_span (int): How many words a constituent may have, except the root; 0: any number. Cells of more words have only
        symbols of binarisation of the root, and only those that begin or end with the sentence, so that time is linear.
    stats (dict[str, int]): Of the last sentence: `cells`, of which `closed` had the width 0, and `edges`, the number of
        entries that agendas gave.
    RAISES ValueError: If the boundary model is of another grammar (J682), or `max_span` is not allowed (J686).
    """

    def parse(self, words, *, width=0, widths=None, glue=False):
        """The most probable derivation of a sentence.

        words (Sequence[Sequence[tuple[str, float]]]): The possible tags of each word, with the natural logarithm of the
            word's probability given the tag.
        width (int): How many entries a cell may have, besides the tags of a word; 0: any number, so that the search is
            exhaustive.
        widths (np.ndarray | None): A number for each cell, an array of integers of shape (n, n + 1) for n words: at
            [i, j], that of the words i to j - 1, for j > i. -1: as `width` says; -2: likewise, but symbols of
            binarisation only; 0: none, so that a cell of several words is left out; above 0: at most this many.
        glue (bool): If there is no derivation, whether to join the best constituents that were found, as few as
            possible, under a root, so that any sentence with words has a tree. Its log-probability is minus infinity.
        RETURNS (tuple[float, list[tuple[str, int, int]], list[str]]): The natural logarithm of its probability, its
            nodes except tags, and the tag of each word. Nodes are children first, the root last: the symbol, and the
            numbers of the first and second child, -1 if there is none. Words have the numbers from 0, and nodes the
            following ones. If there is no derivation, minus infinity, and no nodes and tags.
        RAISES ValueError: If a tag is not a symbol of the grammar, or a score not finite or above 0 (J675), there are
            more than 5,000 words (J677), or a width or the array is wrong (J678, J679).
        """
        cdef int32_t top
        self.begin(words, width, widths)
        try:
            top = self.find(0, self.n, self.root) if self.n else -1
            if top >= 0:
                nodes, tags, _ = self._list_nodes([top])
                return self.entries[top].edge.score, nodes, tags
            return -inf, *(self._glue() if glue and self.n else ([], []))
        finally:
            self.in_use = False

    def list_best(self, words, k, *, width=0, widths=None):
        """The most probable derivations of a sentence, no two with the same constituents (see kbest.pyx).

        words, width, widths: As those of `parse`.
        k (int): How many at most. Fewer are found if there are no more, or if very many derivations differ in tags and
            annotation only.
        RETURNS (list[tuple[float, list[tuple[str, int, int]], list[str]]]): As `parse` does, the most probable one
            first.
        RAISES ValueError: As `parse` does; if `k` is not from 1 to 1,000,000 (J685).
        """
        cdef int32_t top
        if not 1 <= k <= MAX_BEST:
            raise JointValueError(Errors.J685, k=k, limit=MAX_BEST)
        self.begin(words, width, widths)
        try:
            top = self.find(0, self.n, self.root) if self.n else -1
            return Derivations(self).list_trees(top, k) if top >= 0 else []
        except MemoryError as error:
            raise JointMemoryError(Errors.J003) from error
        finally:
            self.in_use = False

    def sum_derivations(self, words, *, width=0, widths=None, least=0.001):
        """Sum the probabilities of all derivations of a sentence (see posteriors.pxd).

        words, width, widths: As those of `parse`.
        least (float): Constituents that are less probable are left out, as are tags below a tenth of it.
        RETURNS (tuple[float, list[tuple[str, int, int, float]], list[dict[str, float]]]): The natural logarithm of the
            probability of the sentence; how probable constituents are: the label without annotation, the first word,
            the end, and the expected number of such constituents there; and how probable the tags of each word are,
            without annotation. If there is no derivation, minus infinity and none.
        RAISES ValueError: As `parse` does; if chains of unary rules have no finite sum (J684).
        """
        self.begin(words, width, widths)
        try:
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
        except MemoryError as error:
            raise JointMemoryError(Errors.J003) from error
        finally:
            self.in_use = False

    def rank_edges(self, words, nodes, *, width=0, widths=None):
        """How wide each cell must be for a derivation, and so what a classifier of cells is to predict.

        words, width, widths: As those of `parse`.
        nodes (Sequence[tuple[str, int, int]]): The best derivation, as `parse` returns it for the same arguments.
        RETURNS (np.ndarray): Widths as `parse` takes them, 32-bit integers: the rank of the derivation's edge in the
            agenda of the cell, from 1, the worst one if there are several; 0 if there is none. With these widths,
            the result is the same derivation, or one with the same probability.
        RAISES ValueError: As `parse` does; if the nodes are no derivation of the chart (J683).
        """
        cdef int32_t entry
        self.begin(words, width, widths)
        try:
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
        finally:
            self.in_use = False

    def _list_nodes(self, tops):
        """The nodes of the best derivations of entries that follow each other, the tags of words, and the number of
        each entry.

        tops: The entries; below 0: a word with its most probable tag.
        """
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
        """The most probable tag of a word; "" if it has none."""
        cdef int32_t place, best = -1
        for place in range(self.starts[word], self.starts[word + 1]):
            if best < 0 or self.scores[place] > self.scores[best]:
                best = place
        return self.symbols[self.tags[best]] if best >= 0 else ""

    def _glue(self):
        """The nodes of the fewest constituents that cover the words, and the best of those, under a root, and the tags
        of words."""
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
            nodes.append((TEMPORARY + root, numbers.pop(), last))
            last = self.n + len(nodes) - 1
        nodes.append((root, numbers[0], last) if numbers else (root, last, -1))
        return nodes, tags
