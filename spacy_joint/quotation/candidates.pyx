"""Finds the spans of a document that score better than no span.

The score of a span is the score of its actions minus that of leaving its tokens outside, so the best spans of a
document are those with the highest total score. With `neighbours`, however, the score of a span is only right if it is
the only one in its document.
"""

import numpy as np

from ..errors import Errors, JointValueError

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, uint64_t
from libcpp.vector cimport vector

from ..engine.beam cimport check_signals
from ..engine.claim cimport Claim
from ..engine.columns cimport Columns
from ..engine.scorer cimport Scorer
from ..engine.templates cimport Templates
from ..engine.weights cimport Weights

from .system cimport BEGIN, END, INSIDE, OUT, QuotationSystem, StateC


cdef enum:
    BATCH_SIZE = 64                 # states scored together
    BATCHES_PER_CHECK = 1 << 10     # of signals


cdef class SpanScorer:
    """Scores the spans of one document by averaged weights of the same system as its columns and templates."""
    cdef QuotationSystem system
    cdef Scorer scorer
    cdef Columns columns
    cdef uint64_t[:, ::1] rows
    cdef float[:, ::1] scores       # of the actions of the last states scored
    cdef vector[double] out         # score of OUT, cumulative sum over tokens
    cdef vector[float] begin        # score of BEGIN, per token
    cdef size_t n_batches           # scored by `score_from`
    cdef Claim claim

    def __cinit__(self, QuotationSystem system not None, Templates templates not None, Weights weights not None,
                  Columns columns not None):
        cdef int32_t i
        # In double precision, since the score of a short span is a small difference of two large sums.
        cdef double total = 0
        self.system, self.columns, self.claim = system, columns, Claim("span scorer")
        self.scorer = Scorer(templates, BATCH_SIZE)
        system.check(columns)
        templates.check(system)
        self.scorer.check(columns)
        self.scorer.use(weights.prediction_table(), system.row_width)
        self.rows = np.zeros((BATCH_SIZE, system.n_slots), dtype=np.uint64)
        self.scores = np.zeros((BATCH_SIZE, self.scorer.c.padded_width), dtype=np.float32)
        with self.claim, nogil:
            for i in range(columns.c.n_tokens):
                if i % BATCH_SIZE == 0:
                    self.score(-1, i, min(BATCH_SIZE, columns.c.n_tokens - i))
                total += self.scores[i % BATCH_SIZE, OUT]
                self.out.push_back(total)
                self.begin.push_back(self.scores[i % BATCH_SIZE, BEGIN])

    cdef void score(self, int32_t begin, int32_t first, int32_t n) noexcept nogil:
        """Scores the actions of n tokens, with an open span from `begin`, or no open span (-1)."""
        cdef StateC state
        cdef int32_t i
        state.begin = begin
        state.last_begin = state.last_end = -1
        for i in range(n):
            state.next = first + i
            self.system.slots(&self.columns.c, NULL, &state, &self.rows[i, 0])
        self.scorer.score(&self.columns.c, &self.rows[0, 0], NULL, n, &self.scores[0, 0])

    cdef int score_from(self, int32_t begin, int32_t longest, vector[float]& scores) except -1 nogil:
        """Scores all spans from `begin`, of 2 to `longest` tokens."""
        cdef int32_t n = min(begin + longest, self.columns.c.n_tokens) - begin - 1
        cdef int32_t i
        cdef double inside = self.begin[begin]
        cdef double before = self.out[begin - 1] if begin > 0 else 0
        scores.clear()
        for i in range(n):
            if i % BATCH_SIZE == 0:
                self.score(begin, begin + 1 + i, min(BATCH_SIZE, n - i))
                self.n_batches += 1
                if self.n_batches % BATCHES_PER_CHECK == 0:
                    check_signals()
            scores.push_back(<float>(inside + self.scores[i % BATCH_SIZE, END] - (self.out[begin + 1 + i] - before)))
            inside += self.scores[i % BATCH_SIZE, INSIDE]
        return 0

    def score_spans(self, spans):
        """Returns the scores of spans of two tokens or more in the document (first and last token; J320 for others)."""
        cdef vector[float] scores
        cdef int32_t n_tokens = self.columns.c.n_tokens
        result = []
        with self.claim:
            for begin, end in spans:
                if not 0 <= begin < end < n_tokens:
                    raise JointValueError(Errors.J320, begin=begin, end=end, first=0, last=n_tokens - 1)
                self.score_from(begin, end - begin + 1, scores)
                result.append(scores[end - begin - 1])
        return result

    def find(self, float slack, int32_t longest):
        """Finds all spans of up to `longest` tokens, with a score above zero, that moving their end by one token cannot
        improve. A token can begin a span unless OUT scores better than BEGIN by more than `slack`."""
        cdef vector[int32_t] begins, ends
        cdef vector[float] found, scores
        cdef int32_t begin, i
        cdef double out
        longest = max(0, min(longest, self.columns.c.n_tokens))
        with self.claim, nogil:
            for begin in range(self.columns.c.n_tokens - 1):
                out = self.out[begin] - (self.out[begin - 1] if begin > 0 else 0)
                if self.begin[begin] - out < -slack:
                    continue
                self.score_from(begin, longest, scores)
                # Past the end, no score is better.
                scores.push_back(-INFINITY)
                for i in range(<int32_t>scores.size() - 1):
                    if scores[i] > 0 and (i == 0 or scores[i] > scores[i - 1]) and scores[i] >= scores[i + 1]:
                        begins.push_back(begin)
                        ends.push_back(begin + 1 + i)
                        found.push_back(scores[i])
        return np.array(begins, dtype=np.int32), np.array(ends, dtype=np.int32), np.array(found, dtype=np.float32)
