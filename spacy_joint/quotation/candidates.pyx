"""The spans of a document that are better than no span, with their scores.

The score of a span is what the model gives to its actions less what it gives to leaving its tokens out, so a document's
spans are best where the sum of their scores is greatest. It holds for systems without `neighbours` only; with them,
scores are those of spans whose document has no other.
"""

import numpy as np

from ..errors import Errors

from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from ..engine.beam cimport Search
from ..engine.columns cimport Columns
from ..engine.templates cimport Templates
from ..engine.weights cimport Weights

from .system cimport BEGIN, END, INSIDE, OUT, QuotationSystem, StateC


cdef enum:
    AT_ONCE = 64        # states that are scored together


cdef class SpanScorer:
    """Scores the spans of one document.

    system (QuotationSystem): The system.
    templates (Templates): What it sees.
    weights (Weights): Finished weights.
    columns (Columns): The document.
    RAISES ValueError: If the columns are not those that the templates read.
    """
    cdef Search search
    cdef Columns columns
    cdef vector[float] out          # score of OUT, summed up to and with a token
    cdef vector[float] begin        # score of BEGIN, a token

    def __init__(self, QuotationSystem system, Templates templates, Weights weights, Columns columns):
        cdef int32_t first, i
        cdef float total = 0
        cdef int status = 0
        if columns.names != templates.columns:
            raise ValueError(Errors.J034.format(got=", ".join(columns.names), wanted=", ".join(templates.columns)))
        self.search = Search(system, templates, AT_ONCE)
        self.columns = columns
        self.search.use_weights(weights.prediction_table())
        self.search.start(&columns.c)
        with nogil:
            first = 0
            while first < columns.c.n_tokens:
                status = self.score(-1, first, min(first + AT_ONCE, columns.c.n_tokens))
                if status == -1:
                    break
                for i in range(self.search.n_items):
                    total += self.search.scores[i * self.search.table.padded_width + OUT]
                    self.out.push_back(total)
                    self.begin.push_back(self.search.scores[i * self.search.table.padded_width + BEGIN])
                first += self.search.n_items
        if status == -1:
            raise MemoryError(Errors.J003)

    cdef int score(self, int32_t begin, int32_t first, int32_t end) noexcept nogil:
        """Scores the actions of tokens first..end-1 where a span from `begin` is open, or none is."""
        cdef StateC* state
        cdef int32_t i
        self.search.n_items = end - first
        for i in range(end - first):
            state = <StateC*>self.search.state(i)
            state.next = first + i
            state.begin = begin
            state.last_begin = state.last_end = -1
            self.search.final[i] = False
        return self.search.score(&self.columns.c, False)

    cdef int score_from(self, int32_t begin, int32_t longest, vector[float]& scores) noexcept nogil:
        """The scores of all spans from `begin`, of 2 to `longest` tokens."""
        cdef int32_t n_tokens = self.columns.c.n_tokens
        cdef int32_t last = min(begin + longest, n_tokens)
        cdef int32_t first = begin + 1
        cdef int32_t i
        cdef float inside = self.begin[begin]
        cdef float before = self.out[begin - 1] if begin > 0 else 0
        cdef const float* row
        scores.clear()
        while first < last:
            if self.score(begin, first, min(first + AT_ONCE, last)) == -1:
                return -1
            for i in range(self.search.n_items):
                row = self.search.scores + i * self.search.table.padded_width
                scores.push_back(inside + row[END] - (self.out[first + i] - before))
                inside += row[INSIDE]
            first += self.search.n_items
        return 0

    def score_spans(self, spans):
        """The scores of spans.

        spans (Sequence[tuple[int, int]]): First and last token of each.
        RETURNS (list[float]): A score each.
        """
        cdef vector[float] scores
        result = []
        for begin, end in spans:
            if self.score_from(begin, end - begin + 1, scores) == -1:
                raise MemoryError(Errors.J003)
            result.append(scores[end - begin - 1])
        return result

    def find(self, float slack, int32_t longest):
        """All spans with a score above zero that one token more, or less, at their end would make no better.

        slack (float): A token may begin a span if the model prefers no span by no more than this.
        longest (int): The most tokens of a span.
        RETURNS (tuple[np.ndarray, np.ndarray, np.ndarray]): int32 first and last tokens; float32 scores.
        """
        cdef vector[int32_t] begins, ends
        cdef vector[float] found, scores
        cdef int32_t begin, i
        cdef int status = 0
        cdef float out
        with nogil:
            for begin in range(self.columns.c.n_tokens - 1):
                out = self.out[begin] - (self.out[begin - 1] if begin > 0 else 0)
                if self.begin[begin] - out < -slack:
                    continue
                status = self.score_from(begin, longest, scores)
                if status == -1:
                    break
                for i in range(<int32_t>scores.size()):
                    if scores[i] > 0 and (i == 0 or scores[i] > scores[i - 1]) and (
                        i + 1 == <int32_t>scores.size() or scores[i] >= scores[i + 1]
                    ):
                        begins.push_back(begin)
                        ends.push_back(begin + 1 + i)
                        found.push_back(scores[i])
        if status == -1:
            raise MemoryError(Errors.J003)
        return np.array(begins, dtype=np.int32), np.array(ends, dtype=np.int32), np.array(found, dtype=np.float32)
