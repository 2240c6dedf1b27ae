"""Figures of merit: see merit.pxd."""

from ..errors import Errors, JointValueError
from .grammar import strip_annotation

from libc.stdint cimport int32_t

from ..engine.vectors cimport refill


# Below all scores of paths.
cdef float LOWEST = -3e38


cdef class Merit:
    """Estimates the contexts of cells. RAISES ValueError: If the boundary model is of another grammar (J682)."""

    def __cinit__(self, grammar not None, boundaries):
        self.n_symbols = len(grammar.symbols)
        if boundaries is None:
            self.left_rows.resize(self.n_symbols, 0)
            self.right_rows.resize(self.n_symbols, 0)
            return
        if boundaries.symbols != grammar.symbols:
            raise JointValueError(Errors.J682, found=len(boundaries.symbols), expected=self.n_symbols)
        self.stride = self.n_symbols
        self.n_tags = len(boundaries.tags)
        numbers = {tag: number for number, tag in enumerate(boundaries.tags)}
        tags = grammar.lexicon.totals()
        self.tag_of = [numbers.get(strip_annotation(tag), -1) if tag in tags else -1 for tag in grammar.symbols]
        self.shares = boundaries.shares
        self.left_table = boundaries.left.ravel()
        self.right_table = boundaries.right.ravel()
        self.bigrams = boundaries.bigrams.ravel()
        self.index.resize(self.n_tags + 1, -1)

    cdef int prepare(self, int32_t n, const int32_t* starts, const int32_t* tags, const double* scores) except -1 nogil:
        cdef int32_t k, t, tag, at, width = self.n_tags + 1
        cdef float score
        if self.stride == 0:
            return 0
        # A search that failed may have left places.
        refill(self.index, width, -1)
        self.starts.clear()
        self.tags.clear()
        self.scores.clear()
        # The ends of the sentence are words with a special tag.
        for k in range(-1, n + 1):
            self.starts.push_back(<int32_t>self.tags.size())
            if 0 <= k < n:
                for t in range(starts[k], starts[k + 1]):
                    tag = self.tag_of[tags[t]]
                    if tag < 0:
                        continue
                    score = <float>scores[t] + self.shares[tags[t]]
                    at = self.index[tag]
                    if at < 0:
                        self.index[tag] = <int32_t>self.tags.size()
                        self.tags.push_back(tag)
                        self.scores.push_back(score)
                    elif score > self.scores[at]:
                        self.scores[at] = score
                for at in range(self.starts.back(), <int32_t>self.tags.size()):
                    self.index[self.tags[at]] = -1
            if self.starts.back() == <int32_t>self.tags.size():
                # An end, or a word without tags.
                self.tags.push_back(self.n_tags)
                self.scores.push_back(0)
        self.starts.push_back(<int32_t>self.tags.size())
        self.paths.resize(self.tags.size())
        self.left_rows.resize(<size_t>(n + 1) * self.n_symbols)
        self.right_rows.resize(<size_t>(n + 1) * self.n_symbols)
        # Word k of the sentence has the number k + 1 here.
        self.paths[0] = self.paths[self.starts[n + 1]] = 0
        for k in range(n):
            if k > 0:
                self.extend(k, k - 1, width, 1)
            self.fill_row(k, &self.left_table[0], &self.left_rows[<size_t>k * self.n_symbols])
        for k in range(n + 1, 1, -1):
            if k <= n:
                self.extend(k, k + 1, 1, width)
            self.fill_row(k, &self.right_table[0], &self.right_rows[<size_t>(k - 1) * self.n_symbols])
        return 0

    cdef void extend(self, int32_t word, int32_t neighbour, int32_t row, int32_t column) noexcept nogil:
        cdef int32_t at, t
        cdef float path
        for t in range(self.starts[word], self.starts[word + 1]):
            path = LOWEST
            for at in range(self.starts[neighbour], self.starts[neighbour + 1]):
                path = max(path, self.paths[at] + self.bigrams[self.tags[at] * row + self.tags[t] * column])
            self.paths[t] = path + self.scores[t]

    cdef void fill_row(self, int32_t word, const float* table, float* row) noexcept nogil:
        cdef int32_t at, symbol
        cdef float path, score
        cdef const float* tag_row
        for symbol in range(self.n_symbols):
            row[symbol] = LOWEST
        for at in range(self.starts[word], self.starts[word + 1]):
            path = self.paths[at]
            tag_row = table + <size_t>self.tags[at] * self.n_symbols
            for symbol in range(self.n_symbols):
                score = path + tag_row[symbol]
                row[symbol] = score if score > row[symbol] else row[symbol]
