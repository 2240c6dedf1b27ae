"""Charts of a grammar: see chart.pxd."""

from contextlib import contextmanager
from itertools import groupby
from math import isfinite, log

import numpy as np

from ..errors import Errors, JointValueError, check_range
from ..trees.transform import INTERMEDIATE
from .grammar import is_factored, strip_annotation

from libc.math cimport INFINITY
from libc.stdint cimport int32_t
from libcpp.algorithm cimport make_heap, pop_heap, push_heap
from libcpp.pair cimport pair

from ..engine.beam cimport check_signals
from ..engine.claim cimport Claim
from ..engine.vectors cimport refill
from .merit cimport Merit


# The chart numbers its cells by 32 bits. Time is cubic, so sentences of this length take minutes.
MAX_WORDS = 5_000


cdef class Chart:
    """The chart of a sentence, and its grammar: see `ChartParser`."""

    def __cinit__(self, grammar not None, boundaries=None, max_span=0):
        cdef PairC made
        cdef RuleC rule
        check_range("max_span", max_span, 0, NO_LIMIT - 1)
        self.max_span = max_span
        self.symbols = grammar.symbols
        self.stats, self.claim = {}, Claim("chart parser")
        self.n_symbols = len(self.symbols)
        self.merit = Merit(grammar, boundaries)
        numbers = self.numbers = {symbol: number for number, symbol in enumerate(self.symbols)}
        self.root = numbers[grammar.root]
        self.is_factored = [is_factored(symbol) for symbol in self.symbols]
        glue = grammar.root, INTERMEDIATE + grammar.root
        self.is_glue = [strip_annotation(symbol) in glue for symbol in self.symbols]
        tags = grammar.lexicon.totals()
        self.is_tag = [symbol in tags for symbol in self.symbols]
        unary, binary = [], []
        for parent, children, probability in grammar.rules:
            found = (*(numbers[child] for child in children), numbers[parent], log(probability))
            (binary if len(children) == 2 else unary).append(found)
        unary.sort()
        for _, rule.parent, rule.score in unary:
            self.unary.push_back(rule)
        self.unary_start = np.searchsorted([child for child, _, _ in unary], range(self.n_symbols + 1))
        lefts = []
        for (left, made.right), group in groupby(sorted(binary), key=lambda found: found[:2]):
            lefts.append(left)
            made.first = <int32_t>self.binary.size()
            self.pairs.push_back(made)
            for _, _, rule.parent, rule.score in group:
                self.binary.push_back(rule)
        made.first = <int32_t>self.binary.size()
        self.pairs.push_back(made)
        self.pair_start = np.searchsorted(lefts, range(self.n_symbols + 1))
        self.best.resize(self.n_symbols, EdgeC(-INFINITY, -1, -1))
        self.touched.resize(self.n_symbols)

    @contextmanager
    def _filled(self, words, width, widths):
        """Claims the chart for a sentence and fills it. Yields the entry of the root over all words, or -1."""
        # A copy, since reading an item may run code that changes the list.
        words = list(words)
        with self.claim:
            self.read(words, width, widths)
            self.stats = {"cells": self.n * (self.n + 1) // 2, "closed": self.n_closed, "edges": self.n_edges}
            yield self.find(0, self.n, self.root) if self.n else -1

    cdef int read(self, list words, object width, object widths) except -1:
        cdef const int32_t[:, ::1] view
        cdef const int32_t* cell_widths = NULL
        cdef int32_t n = len(words), default
        if n > MAX_WORDS:
            raise JointValueError(Errors.J002, name="The sentence", n=n, unit="words", most=MAX_WORDS)
        check_range("width", width, 0, NO_LIMIT - 1)
        default = width or NO_LIMIT
        if widths is not None:
            found = np.asarray(widths)
            if found.shape != (n, n + 1) or found.dtype.kind != "i" or (found < FACTORED_ONLY).any():
                allowed = f"({n}, {n + 1}), of integers from {FACTORED_ONLY}"
                raise JointValueError(Errors.J001, name="widths", value=f"{found.dtype} {found.shape}", allowed=allowed)
            view = np.ascontiguousarray(np.minimum(found, NO_LIMIT), dtype=np.int32)
            cell_widths = &view[0, 0] if n else NULL
        self.n = n
        refill(self.starts, 1, 0)
        self.tags.clear()
        self.scores.clear()
        for index, possible in enumerate(words):
            for tag, score in possible:
                if tag not in self.numbers or not isfinite(score) or score > 0:
                    raise JointValueError(Errors.J675, word=index, n_words=n, tag=tag, score=score)
                self.tags.push_back(self.numbers[tag])
                self.scores.push_back(score)
            self.starts.push_back(<int32_t>self.tags.size())
        with nogil:
            self.fill(default, cell_widths)
        return 0

    cdef int32_t find(self, int32_t i, int32_t j, int32_t symbol) noexcept nogil:
        cdef int32_t index, cell = i * (self.n + 1) + j
        for index in range(self.cells[cell], self.ends[cell]):
            if self.entries[index].symbol == symbol:
                return index
        return -1

    cdef int fill(self, int32_t width, const int32_t* widths) except -1 nogil:
        cdef int32_t i, j, index, cell, limit, n = self.n
        cdef size_t row
        cdef bint is_long
        cdef const char* admitted
        self.n_closed = self.n_edges = 0
        self.entries.clear()
        refill(self.cells, <size_t>n * (n + 1), 0)
        refill(self.ends, <size_t>n * (n + 1), 0)
        refill(self.column, <size_t>n * self.n_symbols, -1)
        refill(self.column_scores, <size_t>n * self.n_symbols, -INFINITY)
        refill(self.filled, n, 0)
        # Left by a failed search.
        for index in range(self.n_touched):
            self.best[self.touched[index]].score = -INFINITY
        self.n_touched = 0
        self.merit.prepare(n, self.starts.data(), self.tags.data(), self.scores.data())
        for j in range(1, n + 1):
            for i in range(j - 1, -1, -1):
                if (j - i) % CELLS_PER_CHECK == 0:
                    check_signals()
                cell = i * (n + 1) + j
                self.cells[cell] = self.ends[cell] = <int32_t>self.entries.size()
                limit = DEFAULT if widths == NULL else widths[cell]
                is_long = 0 < self.max_span < j - i
                admitted = NULL
                if is_long and 0 < i and j < n:
                    limit = CLOSED
                elif is_long:
                    admitted = self.is_glue.data()
                elif limit == FACTORED_ONLY:
                    admitted = self.is_factored.data()
                if limit < 0:
                    limit = width
                self.n_closed += limit == CLOSED
                if i == j - 1:
                    for index in range(self.starts[i], self.starts[j]):
                        self.update_best(self.tags[index], self.scores[index], -1, -1)
                elif limit == CLOSED:
                    continue
                else:
                    self.combine(i, j)
                self.process_agenda(i, j, limit, admitted)
                self.ends[cell] = <int32_t>self.entries.size()
                self.filled[i] = self.ends[cell] - self.cells[cell]
                row = <size_t>i * self.n_symbols
                for index in range(self.cells[cell], self.ends[cell]):
                    self.column_scores[row + self.entries[index].symbol] = self.entries[index].edge.score
            # Clear the column for the next one.
            for i in range(j):
                cell = i * (n + 1) + j
                row = <size_t>i * self.n_symbols
                self.filled[i] = 0
                for index in range(self.cells[cell], self.ends[cell]):
                    self.column[row + self.entries[index].symbol] = -1
                    self.column_scores[row + self.entries[index].symbol] = -INFINITY
        return 0

    cdef void combine(self, int32_t i, int32_t j) noexcept nogil:
        cdef int32_t middle, index, cell, rule
        cdef size_t row
        cdef const double* right
        cdef double score
        cdef const EntryC* entry
        cdef const PairC* both
        cdef const PairC* end
        for middle in range(i + 1, j):
            cell = i * (self.n + 1) + middle
            if self.filled[middle] == 0 or self.cells[cell] == self.ends[cell]:
                continue
            row = <size_t>middle * self.n_symbols
            right = self.column_scores.data() + row
            for index in range(self.cells[cell], self.ends[cell]):
                entry = &self.entries[index]
                both = self.pairs.data() + self.pair_start[entry.symbol]
                end = self.pairs.data() + self.pair_start[entry.symbol + 1]
                while both < end:
                    score = right[both.right]
                    if score > -INFINITY:
                        score += entry.edge.score
                        for rule in range(both.first, (both + 1).first):
                            self.update_best(
                                self.binary[rule].parent,
                                score + self.binary[rule].score,
                                index,
                                self.column[row + both.right],
                            )
                    both += 1

    cdef inline void update_best(self, int32_t symbol, double score, int32_t left, int32_t right) noexcept nogil:
        cdef EdgeC* best = &self.best[symbol]
        if score > best.score:
            if best.score == -INFINITY:
                self.touched[self.n_touched] = symbol
                self.n_touched += 1
            best.score, best.left, best.right = score, left, right

    cdef int process_agenda(self, int32_t i, int32_t j, int32_t limit, const char* admitted) except -1 nogil:
        cdef int32_t k, symbol, index, n_words, n_taken = 0
        if self.entries.size() + self.n_symbols > NO_LIMIT:
            with gil:
                raise MemoryError
        self.left = self.merit.left_rows.data() + i * self.merit.stride
        self.right = self.merit.right_rows.data() + j * self.merit.stride
        self.row = self.column.data() + <size_t>i * self.n_symbols
        self.agenda.clear()
        if i == j - 1:
            # The tags of a word are entries regardless of the limit.
            n_words = self.n_touched
            index = <int32_t>self.entries.size()
            for k in range(n_words):
                self.add_entry(self.touched[k], 0)
            for k in range(index, index + n_words):
                self.apply_unary_rules(k, admitted)
        else:
            for k in range(self.n_touched):
                symbol = self.touched[k]
                if admitted == NULL or admitted[symbol]:
                    self.agenda.push_back(self.merit_of(symbol))
            make_heap(self.agenda.begin(), self.agenda.end())
        while not self.agenda.empty():
            symbol = self.agenda.front().second
            pop_heap(self.agenda.begin(), self.agenda.end())
            self.agenda.pop_back()
            index = self.row[symbol]
            if index < 0:
                if n_taken == limit:
                    break
                n_taken += 1
            elif self.best[symbol].score <= self.entries[index].edge.score:
                continue
            self.apply_unary_rules(self.add_entry(symbol, n_taken), admitted)
        self.n_edges += n_taken
        for k in range(self.n_touched):
            self.best[self.touched[k]].score = -INFINITY
        self.n_touched = 0
        return 0

    cdef int32_t add_entry(self, int32_t symbol, int32_t rank) except -1 nogil:
        cdef int32_t index = self.row[symbol]
        if index < 0:
            index = self.row[symbol] = <int32_t>self.entries.size()
            self.entries.push_back(EntryC(self.best[symbol], symbol, rank))
        else:
            self.entries[index].edge, self.entries[index].rank = self.best[symbol], rank
        return index

    cdef int apply_unary_rules(self, int32_t index, const char* admitted) except -1 nogil:
        cdef int32_t k, parent
        cdef EntryC entry = self.entries[index]
        cdef double score
        for k in range(self.unary_start[entry.symbol], self.unary_start[entry.symbol + 1]):
            parent, score = self.unary[k].parent, entry.edge.score + self.unary[k].score
            if score > self.best[parent].score and (admitted == NULL or admitted[parent]):
                self.update_best(parent, score, index, -1)
                self.agenda.push_back(self.merit_of(parent))
                push_heap(self.agenda.begin(), self.agenda.end())
        return 0

    cdef inline pair[double, int32_t] merit_of(self, int32_t symbol) noexcept nogil:
        return pair[double, int32_t](self.best[symbol].score + self.left[symbol] + self.right[symbol], symbol)
