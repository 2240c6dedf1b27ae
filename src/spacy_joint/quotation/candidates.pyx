"""The spans of a document that score better than no span.

The score of a span is the score of its actions minus that of leaving its tokens outside, so the best spans of a
document are those with the highest total score. This only holds for systems without `neighbours`; with them, scores are
those of a span that is the only one in its document.
"""

import numpy as np

from ..errors import Errors, JointMemoryError, JointValueError

from libc.stdint cimport int32_t, uint64_t
from libcpp.vector cimport vector

from ..engine.columns cimport Columns
from ..engine.scorer cimport Scorer
from ..engine.templates cimport Templates
from ..engine.weights cimport Weights

from .system cimport BEGIN, END, INSIDE, OUT, QuotationSystem, StateC


cdef enum:
    AT_ONCE = 64        # states scored together


cdef class SpanScorer:
    """Scores the spans of one document.

    system (QuotationSystem): The system.
    templates (Templates): The feature templates.
    weights (Weights): Averaged weights.
    columns (Columns): The document.
    RAISES ValueError: If the columns are not those that the templates read, or the templates or weights those of the
        system.
    """
    cdef QuotationSystem system
    cdef Scorer scorer
    cdef Columns columns
    cdef uint64_t[:, ::1] rows
    cdef float[:, ::1] scores       # of the actions of the last states scored
    cdef vector[double] out         # score of OUT, cumulative sum over tokens
    cdef vector[float] begin        # score of BEGIN, per token
    cdef bint in_use                # by a call of Python

    def __cinit__(self, QuotationSystem system not None, Templates templates not None, Weights weights not None,
                  Columns columns not None):
        cdef int32_t first, i, n
        # In double precision, since the score of a short span is a small difference of two large sums.
        cdef double total = 0
        self.system = system
        self.columns = columns
        self.scorer = Scorer(templates, AT_ONCE)
        system.check(columns)
        templates.check(system)
        self.scorer.check(columns)
        self.scorer.use(weights.prediction_table(), system.row_width)
        self.rows = np.zeros((AT_ONCE, system.n_slots), dtype=np.uint64)
        self.scores = np.zeros((AT_ONCE, self.scorer.c.padded_width), dtype=np.float32)
        try:
            with nogil:
                first = 0
                while first < columns.c.n_tokens:
                    n = min(AT_ONCE, columns.c.n_tokens - first)
                    self.score(-1, first, n)
                    for i in range(n):
                        total += self.scores[i, OUT]
                        self.out.push_back(total)
                        self.begin.push_back(self.scores[i, BEGIN])
                    first += n
        except MemoryError as error:
            raise JointMemoryError(Errors.J003) from error

    cdef int enter(self) except -1:
        if self.in_use:
            raise JointValueError(Errors.J007, what="span scorer")
        self.in_use = True
        return 0

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
        """The scores of all spans from `begin`, of 2 to `longest` tokens."""
        cdef int32_t last = min(begin + longest, self.columns.c.n_tokens)
        cdef int32_t first = begin + 1
        cdef int32_t i, n
        cdef double inside = self.begin[begin]
        cdef double before = self.out[begin - 1] if begin > 0 else 0
        scores.clear()
        while first < last:
            n = min(AT_ONCE, last - first)
            self.score(begin, first, n)
            for i in range(n):
                scores.push_back(<float>(inside + self.scores[i, END] - (self.out[first + i] - before)))
                inside += self.scores[i, INSIDE]
            first += n
        return 0

    def score_spans(self, spans):
        """The scores of spans.

        spans (Sequence[tuple[int, int]]): The first and the last token of each span.
        RETURNS (list[float]): One score per span.
        RAISES ValueError: If a span has fewer than two tokens, or is not in the document.
        """
        cdef vector[float] scores
        cdef int32_t n_tokens = self.columns.c.n_tokens
        result = []
        self.enter()
        try:
            for begin, end in spans:
                if not 0 <= begin < end < n_tokens:
                    raise JointValueError(Errors.J320, begin=begin, end=end, first=0, last=n_tokens - 1)
                self.score_from(begin, end - begin + 1, scores)
                result.append(scores[end - begin - 1])
        except MemoryError as error:
            raise JointMemoryError(Errors.J003) from error
        finally:
            self.in_use = False
        return result

    def find(self, float slack, int32_t longest):
        """All spans with a score above zero that cannot be improved by moving their end by one token.

        slack (float): A token can begin a span unless the score of OUT exceeds that of BEGIN by more than this.
        longest (int): The maximum number of tokens of a span.
        RETURNS (tuple[np.ndarray, np.ndarray, np.ndarray]): int32 first and last tokens; float32 scores.
        """
        cdef vector[int32_t] begins, ends
        cdef vector[float] found, scores
        cdef int32_t begin, i
        cdef double out
        if longest < 0:
            longest = 0
        longest = min(longest, self.columns.c.n_tokens)
        self.enter()
        try:
            with nogil:
                for begin in range(self.columns.c.n_tokens - 1):
                    out = self.out[begin] - (self.out[begin - 1] if begin > 0 else 0)
                    if self.begin[begin] - out < -slack:
                        continue
                    self.score_from(begin, longest, scores)
                    for i in range(<int32_t>scores.size()):
                        if scores[i] > 0 and (i == 0 or scores[i] > scores[i - 1]) and (
                            i + 1 == <int32_t>scores.size() or scores[i] >= scores[i + 1]
                        ):
                            begins.push_back(begin)
                            ends.push_back(begin + 1 + i)
                            found.push_back(scores[i])
        except MemoryError as error:
            raise JointMemoryError(Errors.J003) from error
        finally:
            self.in_use = False
        return np.array(begins, dtype=np.int32), np.array(ends, dtype=np.int32), np.array(found, dtype=np.float32)
