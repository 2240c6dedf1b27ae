"""The transition system of quotations: see system.pxd for its states. Actions document Validity and Action."""

import numpy as np

from ..engine.system import check_derivation
from ..errors import Errors, JointValueError

from libc.stdint cimport int32_t, uint64_t
from libc.string cimport memset

from ..engine.buckets cimport bucket
from ..engine.columns cimport FIRST, NOTHING, Columns, InputC
from ..engine.system cimport ArenaC, System


# In the order of the numbers in system.pxd.
TOKEN_INFO = tuple("""
    sentence sentence.first sentence.last paragraph opens.right closes.left word.next word.before partner
    argument argument.left argument.right governor cue.left cue.right is.mark n.marks n.cues n.verbs n.commas n.governed
""".split())

cdef enum:
    TOKEN
    FIRST_TOKEN         # of the span
    CUE                 # that governs the span, or else the nearest
    PLACE, LENGTH, EDGES, MARKS, PAIRED, SENTENCES, WHOLE
    FIT_OPENS, FIT_CLOSES, FIT_ARGUMENT
    GOVERNED, GOVERNORS, CUES_INSIDE, CUE_BEFORE, CUE_AFTER, CUE_SIDE
    COMMAS, VERBS
    LAST_DISTANCE, LAST_EDGES, LAST_CUES
    N_SLOTS

# In the order of the numbers above.
TOKEN_SLOTS = "w b c"
VALUE_SLOTS = """
    place length edges marks paired sentences whole fit.opens fit.closes fit.argument governed governors
    cues.inside cue.before cue.after cue.side commas verbs last.distance last.edges last.cues
"""


cdef inline const int32_t* info_of(const InputC* input, int32_t token) noexcept nogil:
    return input.token_info + <long long>token * N_INFO


cdef inline int32_t count(const InputC* input, int32_t begin, int32_t end, int what) noexcept nogil:
    return info_of(input, end)[what] - (info_of(input, begin - 1)[what] if begin > 0 else 0)


cdef inline uint64_t edges(const InputC* input, int32_t begin, int32_t end) noexcept nogil:
    """Returns which ends of a span are quotation marks, and whether there are others inside."""
    cdef int32_t first = info_of(input, begin)[IS_MARK], last = info_of(input, end)[IS_MARK]
    return 1 + first + 2 * last + 4 * (count(input, begin, end, N_MARKS) > first + last)


cdef class QuotationSystem(System):
    """Quotations of a document. Without `neighbours`, templates do not see the previous span: spans are independent."""

    def __cinit__(self, neighbours=True):
        self.neighbours = neighbours
        self.set_kinds([1] * N_ACTIONS)
        self.set_slots(TOKEN_SLOTS, VALUE_SLOTS)
        self.n_info = N_INFO
        self.state_size = sizeof(StateC)

    def __reduce__(self):
        return (QuotationSystem, (self.neighbours,))

    cdef int check(self, Columns columns) except -1:
        cdef const int32_t* info
        cdef int32_t token, n = columns.c.n_tokens
        System.check(self, columns)
        for token in range(n):
            # The integers that are indices. There is room for a token after the last one.
            info = info_of(&columns.c, token)
            if not (
                0 <= info[SENTENCE_FIRST] <= n and 0 <= info[SENTENCE_LAST] <= n and 0 <= info[WORD_NEXT]
                and info[WORD_BEFORE] <= n and info[CUE_LEFT] <= n and info[CUE_RIGHT] <= n and info[GOVERNOR] <= n
            ):
                name, allowed = f"The info of token {token}", f"indices of the {n} tokens"
                raise JointValueError(Errors.J001, name=name, value="no index", allowed=allowed)
        return 0

    cdef void start(self, const InputC* input, void* state_) noexcept nogil:
        cdef StateC* state = <StateC*>state_
        state.next = 0
        state.begin = state.last_begin = state.last_end = -1

    cdef bint is_final(self, const InputC* input, const void* state) noexcept nogil:
        return (<const StateC*>state).next == input.n_tokens

    cdef uint64_t legal(self, const InputC* input, const ArenaC* arena, const void* state_) noexcept nogil:
        cdef const StateC* state = <const StateC*>state_
        cdef bint is_last = state.next + 1 == input.n_tokens
        # OUT. Validity: no span is open. Action: none.
        # BEGIN. Validity: no span is open, and there is another token to end it. Action: open a span at the token.
        # INSIDE. Validity: a span is open, and there is another token to end it. Action: none.
        # END. Validity: a span is open. Action: close the span after the token.
        if state.begin < 0:
            return 1 << OUT if is_last else 1 << OUT | 1 << BEGIN
        return 1 << END if is_last else 1 << INSIDE | 1 << END

    cdef void advance(self, const InputC* input, ArenaC* arena, void* state_, int action) noexcept nogil:
        cdef StateC* state = <StateC*>state_
        if action == BEGIN:
            state.begin = state.next
        elif action == END:
            state.last_begin, state.last_end = state.begin, state.next
            state.begin = -1
        state.next += 1

    cdef void slots(self, const InputC* input, const ArenaC* arena, const void* state_, uint64_t* slots) noexcept nogil:
        cdef const StateC* state = <const StateC*>state_
        cdef int32_t token = state.next
        memset(slots, 0, N_SLOTS * sizeof(uint64_t))
        slots[TOKEN] = FIRST + token
        slots[FIRST_TOKEN] = slots[CUE] = NOTHING
        if state.begin >= 0:
            slots[PLACE] = 2 if state.begin + 1 == token else 3
            self.describe(input, state.begin, token, slots)
        else:
            slots[PLACE] = 1
            if self.neighbours and state.last_end >= 0:
                slots[LAST_EDGES] = edges(input, state.last_begin, state.last_end)
                slots[LAST_DISTANCE] = bucket(token - state.last_end) + 16 * (
                    info_of(input, token)[SENTENCE] != info_of(input, state.last_end)[SENTENCE]
                ) + 32 * (info_of(input, token)[PARAGRAPH] != info_of(input, state.last_end)[PARAGRAPH])
                slots[LAST_CUES] = 1 + min(2, count(input, state.last_end, token, N_CUES))

    cdef void describe(self, const InputC* input, int32_t begin, int32_t end, uint64_t* slots) noexcept nogil:
        cdef const int32_t* first = info_of(input, begin)
        cdef const int32_t* last = info_of(input, end)
        # The first and the last token that are not punctuation.
        cdef int32_t begin_word = min(first[WORD_NEXT], end)
        cdef int32_t end_word = max(last[WORD_BEFORE], begin)
        cdef const int32_t* opening = info_of(input, begin_word)
        cdef const int32_t* closing = info_of(input, end_word)
        cdef int32_t length = end - begin + 1
        cdef int32_t n, left, right, cue = -1
        slots[FIRST_TOKEN] = FIRST + begin
        slots[LENGTH] = bucket(length)
        slots[EDGES] = edges(input, begin, end)
        slots[MARKS] = 1 + min(4, count(input, begin, end, N_MARKS))
        if first[PARTNER] >= 0:
            slots[PAIRED] = 1 if first[PARTNER] == end else 2 if first[PARTNER] > end else 3
        elif last[PARTNER] >= 0:
            slots[PAIRED] = 4 if last[PARTNER] >= begin else 5
        slots[SENTENCES] = 1 + min(3, last[SENTENCE] - first[SENTENCE]) + 4 * (first[PARAGRAPH] != last[PARAGRAPH])
        slots[WHOLE] = (
            1 + (info_of(input, first[SENTENCE_FIRST])[WORD_NEXT] == begin_word)
            + 2 * (info_of(input, last[SENTENCE_LAST])[WORD_BEFORE] == end_word) + 4 * (last[SENTENCE_LAST] == end)
        )
        slots[FIT_OPENS] = compare(opening[OPENS_RIGHT], end_word)
        slots[FIT_CLOSES] = compare(begin_word, closing[CLOSES_LEFT])
        if opening[ARGUMENT] >= 0:
            slots[FIT_ARGUMENT] = (
                compare(opening[ARGUMENT_RIGHT], end_word) + 4 * (opening[ARGUMENT_LEFT] == begin_word)
                + 8 * (opening[ARGUMENT] == closing[ARGUMENT])
            )
        elif closing[ARGUMENT] >= 0:
            slots[FIT_ARGUMENT] = (
                16 + (closing[ARGUMENT_LEFT] == begin_word) + 2 * (closing[ARGUMENT_RIGHT] == end_word)
            )
        n = count(input, begin, end, N_GOVERNED)
        slots[GOVERNED] = 1 if n == 0 else 4 if n == length else 2 if 2 * n < length else 3
        slots[GOVERNORS] = (
            1 if opening[GOVERNOR] < 0 and closing[GOVERNOR] < 0 else 2 if opening[GOVERNOR] == closing[GOVERNOR]
            else 3 if opening[GOVERNOR] < 0 else 4 if closing[GOVERNOR] < 0 else 5
        )
        slots[CUES_INSIDE] = 1 + min(3, count(input, begin, end, N_CUES))
        slots[COMMAS] = 1 + min(4, count(input, begin, end, N_COMMAS))
        slots[VERBS] = 1 + min(4, count(input, begin, end, N_VERBS))
        left, right = first[CUE_LEFT], last[CUE_RIGHT]
        if left >= 0 and info_of(input, left)[PARAGRAPH] == first[PARAGRAPH]:
            slots[CUE_BEFORE] = bucket(begin - left) + 16 * (info_of(input, left)[SENTENCE] == first[SENTENCE])
            cue = left
        if right >= 0 and info_of(input, right)[PARAGRAPH] == last[PARAGRAPH]:
            slots[CUE_AFTER] = bucket(right - end) + 16 * (info_of(input, right)[SENTENCE] == last[SENTENCE])
            if cue < 0 or right - end < begin - left:
                cue = right
        if opening[GOVERNOR] >= 0 and not begin <= opening[GOVERNOR] <= end:
            cue = opening[GOVERNOR]
        if cue >= 0:
            slots[CUE] = FIRST + cue
            slots[CUE_SIDE] = 1 + (cue > end) + 2 * (cue == opening[GOVERNOR]) + 4 * (cue == closing[GOVERNOR])

    def actions(self, spans, int n_tokens):
        """Returns the actions (uint16) that build spans of two tokens or more (first, last), sorted and disjoint."""
        actions = np.full(max(n_tokens, 0), OUT, dtype=np.uint16)
        cdef int free = 0
        for begin, end in spans:
            if not free <= begin < end < n_tokens:
                raise JointValueError(Errors.J320, begin=begin, end=end, first=free, last=n_tokens - 1)
            actions[begin] = BEGIN
            actions[begin + 1 : end] = INSIDE
            actions[end] = END
            free = end + 1
        return actions

    def build(self, actions):
        """Returns the spans (first and last token) that a complete derivation (J314) builds."""
        derivation = check_derivation(actions, self.n_actions)
        spans = list(zip(np.flatnonzero(derivation == BEGIN).tolist(), np.flatnonzero(derivation == END).tolist()))
        wrong = np.flatnonzero(self.actions(spans, len(derivation)) != derivation)
        if len(wrong):
            raise JointValueError(Errors.J314, step=int(wrong[0]), n=len(derivation))
        return spans


cdef inline uint64_t compare(int32_t edge, int32_t end) noexcept nogil:
    """Returns the position of an edge relative to the end of a span: 0 no edge, 1 equal, 2 after it, 3 before it."""
    if edge < 0:
        return 0
    return 1 if edge == end else 2 if edge > end else 3
