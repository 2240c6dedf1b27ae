"""Orders of modifiers before a noun: a global linear model whose score is a sum over pairs, neighbours, places and the
head. The search places one modifier at a time, from left to right.

Placing a modifier determines its order relative to all remaining ones, its left neighbour and its place. The score of a
prefix therefore does not depend on what follows, and prefixes with the same set and the same last modifier are the same
state.

`OrderingSystem` implements this for the engine: the candidates of a state are the remaining modifiers, with a row of
slots for each part that placing one determines. `Ranker` is a separate search over the same parts: it scores each part
once, before the search, and sums the scores over sets of modifiers. With few modifiers it keeps all states, which is
exact (a dynamic program over subsets, like Held and Karp's) and also finds the runner-up; with more, it keeps the best
states of each step.
"""

from ..engine.beam import MAX_WIDTH
from ..errors import Errors, JointMemoryError, JointValueError

from libc.math cimport isfinite
from libc.stdint cimport uint64_t
from libcpp.algorithm cimport sort
from libcpp.vector cimport vector

from ..engine.columns cimport FIRST, Columns, InputC
from ..engine.scorer cimport Scorer
from ..engine.system cimport ArenaC
from ..engine.templates cimport Templates
from ..engine.weights cimport ROW_BLOCK, Weights


cdef enum:
    AT_ONCE = 64        # parts scored together

cdef enum:
    A
    B
    LEFT
    RIGHT
    IT
    LAST
    HEAD_NOUN
    AT_PLACE
    FROM_LEFT
    N_SLOTS


cdef class OrderingSystem(System):
    """Orders of modifiers, one modifier per step, the leftmost first. A phrase has at most 64."""

    def __init__(self):
        self.set_candidates(MAX_MODIFIERS + 4)
        self.n_slots = N_SLOTS
        self.state_size = sizeof(StateC)
        self.node_size = sizeof(uint64_t)

    def __reduce__(self):
        return (OrderingSystem, ())

    def token_slots(self):
        return {"a": A, "b": B, "left": LEFT, "right": RIGHT, "it": IT, "last": LAST, "head": HEAD_NOUN}

    def value_slots(self):
        return {"place": AT_PLACE, "from.left": FROM_LEFT}

    def parts(self):
        return ({A, B}, {LEFT, RIGHT}, {IT, AT_PLACE, FROM_LEFT}, {LAST, HEAD_NOUN})

    cdef int check(self, Columns columns) except -1:
        if not 1 <= columns.c.n_tokens <= MAX_MODIFIERS + 1:
            raise JointValueError(Errors.J355, n=columns.c.n_tokens - 1, most=MAX_MODIFIERS)
        return 0

    cdef void start(self, const InputC* input, void* state_) noexcept nogil:
        cdef StateC* state = <StateC*>state_
        state.placed = state.n_placed = 0
        state.last = -1

    cdef bint is_final(self, const InputC* input, const void* state) noexcept nogil:
        return (<const StateC*>state).n_placed == input.n_tokens - 1

    cdef int n_candidates(self, const InputC* input, const void* state) noexcept nogil:
        return input.n_tokens - 1

    cdef bint is_legal(self, const InputC* input, const ArenaC* arena, const void* state_, int k) noexcept nogil:
        # Validity: the modifier is not placed, but all identical ones before it are.
        # Action: place the modifier after the others.
        cdef const StateC* state = <const StateC*>state_
        cdef int r
        if not 0 <= k < input.n_tokens - 1 or state.placed >> k & 1:
            return False
        for r in range(k):
            if not state.placed >> r & 1 and _are_same(input, FIRST + k, FIRST + r):
                return False
        return True

    cdef int candidate_rows(self, const InputC* input, const ArenaC* arena, const void* state_, int k,
                            uint64_t* rows, uint8_t* parts) noexcept nogil:
        cdef const StateC* state = <const StateC*>state_
        cdef int n = input.n_tokens - 1
        cdef int r, n_rows = 1
        self.part_row(n, PLACE, k, n - 1 - state.n_placed, rows)
        parts[0] = PLACE
        if state.last >= 0:
            self.part_row(n, NEIGHBOURS, state.last, k, rows + n_rows * N_SLOTS)
            parts[n_rows] = NEIGHBOURS
            n_rows += 1
        for r in range(n):
            if r != k and not state.placed >> r & 1:
                self.part_row(n, PAIR, k, r, rows + n_rows * N_SLOTS)
                parts[n_rows] = PAIR
                n_rows += 1
        if state.n_placed == n - 1:
            # The head is also a right neighbour, so pairs of nouns share features within the phrase and at its end.
            self.part_row(n, HEAD, k, 0, rows + n_rows * N_SLOTS)
            self.part_row(n, NEIGHBOURS, k, n, rows + (n_rows + 1) * N_SLOTS)
            parts[n_rows], parts[n_rows + 1] = HEAD, NEIGHBOURS
            n_rows += 2
        return n_rows

    cdef void advance(self, const InputC* input, ArenaC* arena, void* state_, int k) noexcept nogil:
        cdef StateC* state = <StateC*>state_
        state.placed |= <uint64_t>1 << k
        state.n_placed += 1
        state.last = k

    cdef void part_row(self, int n, int part, int i, int j, uint64_t* row) noexcept nogil:
        cdef int slot
        for slot in range(N_SLOTS):
            row[slot] = 0
        if part == PAIR:
            row[A], row[B] = FIRST + i, FIRST + j
        elif part == NEIGHBOURS:
            row[LEFT], row[RIGHT] = FIRST + i, FIRST + j
        elif part == PLACE:
            row[IT] = FIRST + i
            row[AT_PLACE] = min(j + 1, MAX_PLACE)
            row[FROM_LEFT] = min(n - j, MAX_PLACE)
        else:
            row[LAST], row[HEAD_NOUN] = FIRST + i, FIRST + n


cdef class PhraseScores:
    """The scores of all parts of the orders of a phrase, for one phrase at a time.

    system (OrderingSystem): The system that defines the slots.
    templates (Templates): The feature templates of parts.
    """

    def __cinit__(self, OrderingSystem system not None, Templates templates not None):
        templates.check(system)
        self.system = system
        self.scorer = Scorer(templates, AT_ONCE)

    cdef int add_row(self, int part, int i, int j) except -1 nogil:
        cdef size_t at = self.parts.size()
        self.parts.push_back(part)
        self.rows.resize((at + 1) * N_SLOTS)
        self.system.part_row(self.n, part, i, j, self.rows.data() + at * N_SLOTS)
        return 0

    cdef int fill(self, const InputC* input) except -1 nogil:
        cdef int n = input.n_tokens - 1
        cdef int i, j
        cdef const float* score
        self.n = n
        _zero(self.pairs, n * n)
        _zero(self.neighbours, n * n)
        _zero(self.places, n * n)
        _zero(self.heads, n)
        self.same_before.clear()
        self.same_before.resize(<size_t>n * n, <uint8_t>0)
        self.rows.clear()
        self.parts.clear()
        for i in range(n):
            for j in range(n):
                if i != j:
                    self.add_row(PAIR, i, j)
                    self.add_row(NEIGHBOURS, i, j)
                # Places at least MAX_PLACE from both ends are equivalent.
                if not MAX_PLACE <= j <= n - MAX_PLACE:
                    self.add_row(PLACE, i, j)
            self.add_row(HEAD, i, 0)
            self.add_row(NEIGHBOURS, i, n)
        self.scores.resize(max(self.parts.size(), <size_t>1) * ROW_BLOCK)
        self.scorer.forget()
        self.scorer.score(input, self.rows.data(), self.parts.data(), self.parts.size(), self.scores.data())
        score = self.scores.data()
        # They would have no order.
        for i in range(<int>self.parts.size()):
            if not isfinite(score[i * ROW_BLOCK]):
                with gil:
                    raise JointValueError(Errors.J009, step=0)
        for i in range(n):
            for j in range(n):
                if i != j:
                    self.pairs[i * n + j] = score[0]
                    self.neighbours[i * n + j] = score[ROW_BLOCK]
                    score += 2 * ROW_BLOCK
                if MAX_PLACE <= j <= n - MAX_PLACE:
                    self.places[i * n + j] = self.places[i * n + j - 1]
                else:
                    self.places[i * n + j] = score[0]
                    score += ROW_BLOCK
                if j < i:
                    self.same_before[i * n + j] = _are_same(input, FIRST + i, FIRST + j)
            self.heads[i] = score[0] + score[ROW_BLOCK]
            score += 2 * ROW_BLOCK
        return 0

    cdef int count(self, const InputC* input, const int* order, Bag bag, float sign) except -1 nogil:
        cdef StateC state
        cdef size_t r
        cdef int i, n_rows
        self.rows.resize(<size_t>self.system.max_rows * N_SLOTS)
        self.parts.resize(self.system.max_rows)
        self.system.start(input, &state)
        for i in range(self.n):
            n_rows = self.system.candidate_rows(input, NULL, &state, order[i], self.rows.data(), self.parts.data())
            for r in range(n_rows):
                bag.count(input, self.rows.data() + r * N_SLOTS, self.parts[r], 0, sign)
            self.system.advance(input, NULL, &state, order[i])
        return 0

    cdef double score_order(self, const int* order) noexcept nogil:
        cdef int n = self.n
        cdef double total = 0
        cdef int i, j
        for i in range(n):
            total += self.places[order[i] * n + n - 1 - i]
            if i > 0:
                total += self.neighbours[order[i - 1] * n + order[i]]
            for j in range(i + 1, n):
                total += self.pairs[order[i] * n + order[j]]
        if n > 0:
            total += self.heads[order[n - 1]]
        return total

    cdef int search(self, int width, int n_best, vector[int]& orders, vector[double]& totals) except -1 nogil:
        cdef int n = self.n
        cdef vector[ItemC] found
        cdef ItemC item, start
        cdef size_t first, end, at, i, m
        cdef int step, k, r, item_number, n_equal
        cdef double gain
        cdef bint is_repeat
        orders.clear()
        totals.clear()
        self.items.clear()
        self.steps.clear()
        self.steps.push_back(0)
        start.score, start.placed, start.last, start.parent = 0, 0, -1, -1
        self.items.push_back(start)
        for step in range(n):
            first, end = self.steps[step], self.items.size()
            found.clear()
            for at in range(first, end):
                for k in range(n):
                    if self.items[at].placed >> k & 1:
                        continue
                    gain = self.places[k * n + n - 1 - step] + (self.heads[k] if step == n - 1 else 0)
                    if self.items[at].last >= 0:
                        gain += self.neighbours[self.items[at].last * n + k]
                    is_repeat = False
                    for r in range(n):
                        if r == k or self.items[at].placed >> r & 1:
                            continue
                        gain += self.pairs[k * n + r]
                        # Identical modifiers are placed in their given order.
                        is_repeat |= self.same_before[k * n + r]
                    if is_repeat:
                        continue
                    item.score = self.items[at].score + gain
                    item.placed = self.items[at].placed | <uint64_t>1 << k
                    item.last = k
                    item.parent = <int>at
                    found.push_back(item)
            # Group equal states, best first, and keep at most n_best of each.
            sort(found.begin(), found.end(), &_by_state)
            m = 0
            n_equal = 0
            for i in range(found.size()):
                if i > 0 and found[i].placed == found[i - 1].placed and found[i].last == found[i - 1].last:
                    n_equal += 1
                else:
                    n_equal = 0
                if n_equal < n_best:
                    found[m] = found[i]
                    m += 1
            found.resize(m)
            if width > 0 and m > <size_t>width:
                sort(found.begin(), found.end(), &_by_score)
                found.resize(width)
            self.steps.push_back(self.items.size())
            self.items.insert(self.items.end(), found.begin(), found.end())
        found.assign(self.items.begin() + self.steps[n], self.items.end())
        # From here on, `placed` is the number of the item.
        for i in range(found.size()):
            found[i].placed = self.steps[n] + i
        sort(found.begin(), found.end(), &_by_score)
        for i in range(min(found.size(), <size_t>n_best)):
            totals.push_back(found[i].score)
            orders.resize((i + 1) * n)
            item_number = <int>found[i].placed
            for step in range(n - 1, -1, -1):
                orders[i * n + step] = self.items[item_number].last
                item_number = self.items[item_number].parent
        return 0


cdef int _zero(vector[float]& numbers, size_t n) except -1 nogil:
    """Not `assign`, whose exceptions Cython does not catch."""
    numbers.clear()
    numbers.resize(n, <float>0)
    return 0


cdef bint _are_same(const InputC* input, int row, int other) noexcept nogil:
    """Whether two rows are equal in all columns."""
    cdef int c
    for c in range(input.n_columns):
        if input.cells[row * input.n_columns + c] != input.cells[other * input.n_columns + c]:
            return False
    return True


# Total orders, so that the result does not depend on the sorting algorithm.
cdef bint _by_state(const ItemC& x, const ItemC& y) noexcept nogil:
    if x.placed != y.placed:
        return x.placed < y.placed
    if x.last != y.last:
        return x.last < y.last
    if x.score != y.score:
        return x.score > y.score
    return x.parent < y.parent


cdef bint _by_score(const ItemC& x, const ItemC& y) noexcept nogil:
    if x.score != y.score:
        return x.score > y.score
    if x.placed != y.placed:
        return x.placed < y.placed
    if x.last != y.last:
        return x.last < y.last
    return x.parent < y.parent


cdef int width_for(int n, int width) noexcept nogil:
    """The search is exact (0) if there are few modifiers."""
    return 0 if n <= MAX_EXACT else width


cdef class Ranker:
    """Ranks the orders of phrases.

    system (OrderingSystem): The system to search.
    templates (Templates): The feature templates.
    width (int): The beam width for more than MAX_EXACT modifiers.
    RAISES ValueError: If the width is out of range.
    """
    cdef PhraseScores scores
    cdef readonly int width
    cdef bint in_use

    def __cinit__(self, system, templates, width):
        if not 1 <= width <= MAX_WIDTH:
            raise JointValueError(Errors.J030, width=width, most=MAX_WIDTH)
        self.scores = PhraseScores(system, templates)
        self.width = width

    cdef int enter(self, Weights weights, Columns columns) except -1:
        if self.in_use:
            raise JointValueError(Errors.J007, what="ranker")
        self.scores.system.check(columns)
        self.scores.scorer.check(columns)
        self.scores.scorer.use(weights.prediction_table(), self.scores.system.row_width)
        self.in_use = True
        return 0

    def rank(self, Weights weights not None, Columns columns not None, int n_best=2, exact=None):
        """The best orders of a phrase, no two with the same words.

        weights (Weights): Averaged weights.
        columns (Columns): The modifiers, followed by the head.
        n_best (int): The number of orders to find.
        exact (bool | None): Whether to keep all states. None does so if there are few modifiers.
        RETURNS (list[tuple[tuple[int, ...], float]]): Orders, as indices of modifiers, and their scores, best first.
        RAISES ValueError: If there are more than 64 modifiers.
        """
        cdef vector[int] orders
        cdef vector[double] totals
        cdef int n = len(columns) - 1
        cdef int width = width_for(n, self.width) if exact is None else (0 if exact else self.width)
        self.enter(weights, columns)
        try:
            with nogil:
                self.scores.fill(&columns.c)
                self.scores.search(width, max(n_best, 1), orders, totals)
        except MemoryError as error:
            raise JointMemoryError(Errors.J003) from error
        finally:
            self.in_use = False
        return [
            (tuple([orders[i * n + j] for j in range(n)]), totals[i])
            for i in range(totals.size())
        ]

    def score(self, Weights weights not None, Columns columns not None, order):
        """The score of one order (float), like that of `rank`."""
        cdef vector[int] places = check_order(order, len(columns) - 1)
        self.enter(weights, columns)
        try:
            self.scores.fill(&columns.c)
            return self.scores.score_order(places.data())
        except MemoryError as error:
            raise JointMemoryError(Errors.J003) from error
        finally:
            self.in_use = False


def check_order(order, int n):
    """An order of n modifiers as a list.

    RAISES ValueError: If it is not a permutation.
    """
    order = [int(place) for place in order]
    if sorted(order) != list(range(n)):
        raise JointValueError(Errors.J356, order=order, n=n)
    return order
