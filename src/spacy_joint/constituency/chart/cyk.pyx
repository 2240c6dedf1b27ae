"""Viterbi parsing with a grammar in binary form (CYK): see cyk.pxd."""

from math import inf, isfinite, log

from ...errors import Errors, JointMemoryError, JointValueError

from libc.stdint cimport INT32_MAX, int32_t
from libcpp.vector cimport vector

from ...engine.beam cimport check_signals


# The chart numbers its cells by 32 bits. Time is cubic, so sentences of this length take minutes.
MAX_WORDS = 5_000
cdef enum:
    SPLITS_PER_CHECK = 1 << 12      # of signals


cdef class ChartParser:
    """Finds the most probable derivation of a sentence.

    grammar (Grammar): The grammar.
    """

    def __cinit__(self, grammar not None):
        cdef RuleC made
        self.symbols = grammar.symbols
        self.n_symbols = len(self.symbols)
        numbers = {symbol: number for number, symbol in enumerate(self.symbols)}
        self.root = numbers[grammar.root]
        listed = [[], []]
        for rule in grammar.rules:
            left, right = numbers[rule.children[0]], numbers[rule.children[1]] if len(rule.children) == 2 else -1
            listed[len(rule.children) - 1].append((left, right, numbers[rule.parent], log(rule.probability)))
        counts = [[0] * (self.n_symbols + 1) for _ in listed]
        for rules, count in zip(listed, counts, strict=True):
            rules.sort()
            for left, _, _, _ in rules:
                count[left + 1] += 1
            for number in range(self.n_symbols):
                count[number + 1] += count[number]
        self.unary_start, self.binary_start = counts
        for rules in listed:
            for _, made.other, made.parent, made.score in rules:
                if made.other < 0:
                    self.unary.push_back(made)
                else:
                    self.binary.push_back(made)

    def parse(self, words):
        """The most probable derivation of a sentence.

        words (Sequence[Sequence[tuple[str, float]]]): The possible tags of each word, with the natural logarithm of the
            word's probability given the tag.
        RETURNS (tuple[float, list[tuple[str, int, int]]]): The natural logarithm of its probability, and its nodes
            except tags, children first, the root last: the symbol, and the numbers of the first and second child, -1 if
            there is none. Words have the numbers from 0, and nodes the following ones. If there is no derivation, minus
            infinity and no nodes.
        RAISES ValueError: If a tag is not a symbol of the grammar, or a score not finite or above 0 (J675), or there
            are more than 5,000 words (J677).
        """
        words = list(words)
        if len(words) > MAX_WORDS:
            raise JointValueError(Errors.J677, n=len(words), limit=MAX_WORDS)
        cdef vector[int32_t] starts, tags
        cdef vector[double] scores
        cdef int32_t n = len(words), top
        numbers = {symbol: number for number, symbol in enumerate(self.symbols)}
        starts.push_back(0)
        for place, possible in enumerate(words):
            for tag, score in possible:
                if tag not in numbers or not isfinite(score) or score > 0:
                    raise JointValueError(Errors.J675, word=place, n_words=n, tag=tag, score=score)
                tags.push_back(numbers[tag])
                scores.push_back(score)
            starts.push_back(<int32_t>tags.size())
        if n == 0 or tags.empty():
            return -inf, []
        if self.in_use:
            raise JointValueError(Errors.J007, what="chart parser")
        self.in_use = True
        try:
            with nogil:
                self.fill(n, starts.data(), tags.data(), scores.data())
            top = self.cells[n]
            while top < self.ends[n] and self.entries[top].symbol != self.root:
                top += 1
            if top == self.ends[n]:
                return -inf, []
            return self.entries[top].score, self._list_nodes(top, n)
        except MemoryError as error:
            raise JointMemoryError(Errors.J003) from error
        finally:
            self.in_use = False

    def _list_nodes(self, int32_t top, int32_t n_words):
        """The nodes of the best derivation of an entry that covers all words."""
        cdef EntryC entry
        # From the top down, the right child first: reversed, this is children first, and words from left to right.
        ordered, pending = [], [top]
        while pending:
            place = pending.pop()
            entry = self.entries[place]
            ordered.append((place, entry.symbol, entry.left, entry.right))
            pending.extend(child for child in (entry.left, entry.right) if child >= 0)
        numbers, nodes, word = {-1: -1}, [], 0
        for place, symbol, left, right in reversed(ordered):
            if left < 0:
                numbers[place] = word
                word += 1
            else:
                numbers[place] = n_words + len(nodes)
                nodes.append((self.symbols[symbol], numbers[left], numbers[right]))
        return nodes

    cdef int add(self, int32_t symbol, double score, int32_t left, int32_t right) except -1 nogil:
        cdef EntryC entry
        cdef int32_t place = self.found[symbol]
        if place >= 0 and score <= self.entries[place].score:
            return 0
        entry.score, entry.symbol, entry.left, entry.right = score, symbol, left, right
        if place >= 0:
            self.entries[place] = entry
        else:
            if self.entries.size() == INT32_MAX:
                with gil:
                    raise MemoryError
            place = <int32_t>self.entries.size()
            self.entries.push_back(entry)
            self.found[symbol] = place
        if self.unary_start[symbol] < self.unary_start[symbol + 1]:
            self.pending.push_back(place)
        return 0

    cdef int fill(self, int32_t n, const int32_t* starts, const int32_t* tags, const double* scores) except -1 nogil:
        cdef int32_t i, j, middle, place, child, k, cell, n_splits = 0
        cdef size_t width = self.n_symbols
        cdef size_t at
        cdef const int32_t* right
        cdef const RuleC* rule
        cdef const RuleC* end
        cdef EntryC entry
        cdef double score
        self.entries.clear()
        self.cells.clear()
        self.cells.resize(<size_t>n * (n + 1), 0)
        self.ends.clear()
        self.ends.resize(<size_t>n * (n + 1), 0)
        self.column.clear()
        self.column.resize(<size_t>n * width, -1)
        for j in range(1, n + 1):
            for i in range(j - 1, -1, -1):
                cell = i * (n + 1) + j
                self.cells[cell] = <int32_t>self.entries.size()
                self.found.clear()
                self.found.resize(width, -1)
                self.pending.clear()
                n_splits += j - i
                if n_splits >= SPLITS_PER_CHECK:
                    n_splits = 0
                    check_signals()
                if i == j - 1:
                    for k in range(starts[i], starts[j]):
                        self.add(tags[k], scores[k], -1, -1)
                for middle in range(i + 1, j):
                    right = self.column.data() + middle * width
                    for place in range(self.cells[i * (n + 1) + middle], self.ends[i * (n + 1) + middle]):
                        entry = self.entries[place]
                        rule = self.binary.data() + self.binary_start[entry.symbol]
                        end = self.binary.data() + self.binary_start[entry.symbol + 1]
                        while rule < end:
                            child = right[rule.other]
                            if child >= 0:
                                score = entry.score + self.entries[child].score + rule.score
                                self.add(rule.parent, score, place, child)
                            rule += 1
                # What an entry improves is applied again, with its new score.
                at = 0
                while at < self.pending.size():
                    place = self.pending[at]
                    at += 1
                    entry = self.entries[place]
                    for k in range(self.unary_start[entry.symbol], self.unary_start[entry.symbol + 1]):
                        self.add(self.unary[k].parent, entry.score + self.unary[k].score, place, -1)
                self.ends[cell] = <int32_t>self.entries.size()
                for place in range(self.cells[cell], self.ends[cell]):
                    self.column[i * width + self.entries[place].symbol] = place
            # The next column is another one.
            for i in range(j):
                cell = i * (n + 1) + j
                for place in range(self.cells[cell], self.ends[cell]):
                    self.column[i * width + self.entries[place].symbol] = -1
        return 0
