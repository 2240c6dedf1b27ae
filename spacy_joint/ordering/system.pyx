"""Orders of modifiers before a noun: a global linear model whose score is a sum over pairs, neighbours, places and the
head. The search places one modifier at a time, from left to right.

When a modifier is placed, its place, its left neighbour and its order relative to all remaining ones are known.
Prefixes with the same set and the same last modifier are therefore one state. `Ranker` scores each part once, before
the search. With few modifiers it keeps all states, which is exact (a dynamic program over subsets, as in Held & Karp)
and also finds the runner-up; with more, it keeps the best states of each step.

Templates name parts by their kinds:

- PAIR: `a` is somewhere before `b`;
- NEIGHBOURS: `left` is just before `right`;
- PLACE: `it` is at `place` (counted from the head: 1 is next to it) and `from.left` (1 is the first), both at most
  MAX_PLACE;
- HEAD: `last` is next to `head`.

For the engine, a document is a phrase: its modifiers, and its head as the last row.

The engine's learner compares parts of derivations, where the search loses the gold one. Phrases are short and their
search is mostly exact, so `OrderLearner` compares whole orders, even if the best order is correct but its margin is too
small.
"""

from itertools import chain

from ..engine.beam import MAX_WIDTH
from ..errors import Errors, JointValueError, check_range, check_value

from libc.math cimport isfinite
from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memcmp
from libcpp.algorithm cimport sort
from libcpp.vector cimport vector

from ..engine.beam cimport STEPS_PER_CHECK, check_signals
from ..engine.claim cimport Claim
from ..engine.columns cimport FIRST, Columns, InputC
from ..engine.scorer cimport Scorer
from ..engine.system cimport System
from ..engine.templates cimport Templates
from ..engine.updater cimport Bag, Updater
from ..engine.vectors cimport refill
from ..engine.weights cimport ROW_BLOCK, ChangeC, Weights


cdef enum:
    MAX_MODIFIERS = 64      # one bit each
    MAX_PLACE = 4
    MAX_EXACT = 8           # modifiers in an exact search
    BATCH_SIZE = 64         # parts scored together
    MAX_BEST = 1 << 20      # orders
    MAX_FORCED = 16         # modifiers in an exact search on request, since the number of states is exponential

cdef enum:
    A, B, LEFT, RIGHT, IT, LAST, HEAD_NOUN, AT_PLACE, FROM_LEFT, N_SLOTS

cdef enum Part:
    PAIR, NEIGHBOURS, PLACE, HEAD, N_PARTS


# A prefix of an order. Its continuations depend only on the set of placed modifiers and on the last one.
cdef struct ItemC:
    double score
    uint64_t placed
    int last                # -1: none
    int parent              # the number of the item of the previous step


cdef class OrderingSystem(System):
    """The parts of orders of modifiers. A phrase has at most 64 modifiers."""

    def __cinit__(self):
        self.row_width = 1
        self.set_slots("a b left right it last head", "place from.left")

    def __reduce__(self):
        return (OrderingSystem, ())

    def parts(self):
        return ({A, B}, {LEFT, RIGHT}, {IT, AT_PLACE, FROM_LEFT}, {LAST, HEAD_NOUN})

    cdef int check(self, Columns columns) except -1:
        cdef int n = columns.c.n_tokens - 1
        if not 0 <= n <= MAX_MODIFIERS:
            raise JointValueError(Errors.J002, name="The phrase", n=n, unit="modifiers", most=MAX_MODIFIERS)
        return 0


cdef class Ranker:
    """Ranks the orders of phrases. Only one thread may use it at a time. RAISES ValueError: If the width of beams is
    out of range."""
    cdef OrderingSystem system
    cdef readonly int width             # of the beam, if there are more than MAX_EXACT modifiers
    cdef Scorer scorer
    cdef Claim claim
    cdef int n
    cdef vector[float] pairs            # n x n
    cdef vector[float] neighbours       # n x n
    cdef vector[float] places           # n x n, by distance from the head; 0 is next to it
    cdef vector[float] heads            # n
    cdef vector[uint8_t] same_before    # n x n: j < i, and they are identical
    cdef vector[uint64_t] rows
    cdef vector[uint8_t] parts
    cdef vector[float] scores
    cdef vector[ItemC] items            # of all steps

    def __cinit__(self, OrderingSystem system not None, Templates templates not None, width):
        check_range("beam_width", width, 1, MAX_WIDTH)
        templates.check(system)
        self.system, self.width, self.claim = system, width, Claim("ranker")
        self.scorer = Scorer(templates, BATCH_SIZE)

    def rank(self, Weights weights not None, Columns columns not None, n_best=2, exact=None):
        """Returns the best orders of a phrase, best first, as indices of modifiers with scores. No two have the same
        words.

        columns: The modifiers, followed by the head.
        exact: Whether to keep all states, for at most 16 modifiers (J030); None: only if there are at most 8.
        RAISES ValueError: If there are more than 64 modifiers.
        """
        cdef vector[int] orders
        cdef vector[double] totals
        cdef int n = len(columns) - 1, most = max(1, min(n_best, MAX_BEST))
        cdef bint is_exact = n <= MAX_EXACT if exact is None else exact
        if exact:
            check_range("The number of modifiers", n, 0, MAX_FORCED)
        with self.claim:
            self.prepare(weights, columns)
            with nogil:
                self.search(is_exact, most, orders, totals)
        return [(tuple([orders[i * n + j] for j in range(n)]), totals[i]) for i in range(totals.size())]

    def score(self, Weights weights not None, Columns columns not None, order):
        """Returns the score of one order (float), on the scale of `rank`."""
        cdef vector[int] places = check_order(order, len(columns) - 1)
        with self.claim:
            self.prepare(weights, columns)
            return self.score_order(places.data())

    cdef int prepare(self, Weights weights, Columns columns) except -1:
        """Sets the weights and scores the parts of a phrase."""
        self.system.check(columns)
        self.scorer.check(columns)
        self.scorer.use(weights.prediction_table(), self.system.row_width)
        with nogil:
            self.fill(&columns.c)
        return 0

    cdef int add_row(self, int part, int i, int j) except -1 nogil:
        """Adds the row of a part. i, j: two modifiers; for PLACE, a modifier and its distance from the head."""
        cdef size_t at = self.rows.size()
        cdef uint64_t* row
        self.parts.push_back(part)
        # New slots are 0.
        self.rows.resize(at + N_SLOTS)
        row = self.rows.data() + at
        if part == PAIR:
            row[A], row[B] = FIRST + i, FIRST + j
        elif part == NEIGHBOURS:
            row[LEFT], row[RIGHT] = FIRST + i, FIRST + j
        elif part == PLACE:
            row[IT] = FIRST + i
            row[AT_PLACE] = min(j + 1, MAX_PLACE)
            row[FROM_LEFT] = min(self.n - j, MAX_PLACE)
        else:
            row[LAST], row[HEAD_NOUN] = FIRST + i, FIRST + self.n
        return 0

    cdef int fill(self, const InputC* input) except -1 nogil:
        cdef int n = input.n_tokens - 1
        cdef int i, j
        cdef const float* score
        self.n = n
        refill(self.pairs, n * n, 0)
        refill(self.neighbours, n * n, 0)
        refill(self.places, n * n, 0)
        refill(self.heads, n, 0)
        refill(self.same_before, n * n, 0)
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
            # The head is also a right neighbour, so pairs of nouns share features within the phrase and at its end.
            self.add_row(HEAD, i, 0)
            self.add_row(NEIGHBOURS, i, n)
        self.scores.resize(max(self.parts.size(), <size_t>1) * ROW_BLOCK)
        self.scorer.forget()
        self.scorer.score(input, self.rows.data(), self.parts.data(), self.parts.size(), self.scores.data())
        score = self.scores.data()
        # NaN and infinity cannot be ordered.
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
        """Counts the features of an order."""
        cdef uint64_t placed = 0
        cdef int n = self.n, i, r
        cdef size_t at
        self.rows.clear()
        self.parts.clear()
        for i in range(n):
            placed |= <uint64_t>1 << order[i]
            self.add_row(PLACE, order[i], n - 1 - i)
            if i > 0:
                self.add_row(NEIGHBOURS, order[i - 1], order[i])
            for r in range(n):
                if not placed >> r & 1:
                    self.add_row(PAIR, order[i], r)
        if n > 0:
            self.add_row(HEAD, order[n - 1], 0)
            self.add_row(NEIGHBOURS, order[n - 1], n)
        for at in range(self.parts.size()):
            bag.count(input, self.rows.data() + at * N_SLOTS, self.parts[at], 0, sign)
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

    cdef int search(self, bint is_exact, int n_best, vector[int]& orders, vector[double]& totals) except -1 nogil:
        """Writes the best orders to `orders`, best first, as rows of n modifiers, and their scores to `totals`."""
        cdef int n = self.n
        cdef vector[ItemC] found
        cdef ItemC item
        cdef size_t first = 0, end, at, i, m
        cdef int step, k, r, number, n_equal
        cdef double gain
        cdef bint is_repeat, is_equal, is_cut
        orders.clear()
        totals.clear()
        self.items.clear()
        item.score, item.placed, item.last, item.parent = 0, 0, -1, -1
        self.items.push_back(item)
        for step in range(n):
            end = self.items.size()
            found.clear()
            for at in range(first, end):
                if (at + 1) % STEPS_PER_CHECK == 0:
                    check_signals()
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
            m = n_equal = 0
            for i in range(found.size()):
                is_equal = i > 0 and found[i].placed == found[i - 1].placed and found[i].last == found[i - 1].last
                n_equal = n_equal + 1 if is_equal else 0
                if n_equal < n_best:
                    found[m] = found[i]
                    m += 1
            found.resize(m)
            is_cut = not is_exact and m > <size_t>self.width
            if is_cut or step == n - 1:
                sort(found.begin(), found.end(), &_by_score)
            if is_cut:
                found.resize(self.width)
            first = self.items.size()
            self.items.insert(self.items.end(), found.begin(), found.end())
        for i in range(min(self.items.size() - first, <size_t>n_best)):
            number = <int>(first + i)
            totals.push_back(self.items[number].score)
            orders.resize((i + 1) * n)
            for step in range(n - 1, -1, -1):
                orders[i * n + step] = self.items[number].last
                number = self.items[number].parent
        return 0


cdef bint _are_same(const InputC* input, int row, int other) noexcept nogil:
    """Returns whether two rows are equal in all columns."""
    cdef int n = input.n_columns
    return memcmp(input.cells + row * n, input.cells + other * n, n * sizeof(uint64_t)) == 0


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
    return x.score > y.score if x.score != y.score else _by_state(x, y)


cdef class OrderLearner:
    """Learns weights from phrases by passive-aggressive updates against the best wrong order (Crammer et al. 2006).

    The loss of an order, and so the required margin, is the share of its pairs that are in the wrong order.

    RAISES ValueError: If the beam's width is out of range, or the aggressiveness is not above 0.
    """
    cdef readonly Weights weights
    cdef Ranker ranker
    cdef Bag bag
    cdef Updater updater
    cdef uint64_t seed

    def __cinit__(self, Weights weights not None, OrderingSystem system not None, Templates templates not None, width,
                  *, aggressiveness=1.0, seed=0):
        self.weights, self.seed = weights, seed
        self.ranker = Ranker(system, templates, width)
        self.bag = Bag(self.ranker.scorer)
        self.updater = Updater(weights, "passive_aggressive", aggressiveness)

    def update(self, documents, double dropout=0.0):
        """Learns from the phrases of documents, each with its columns, and its modifiers in the order of the text.

        dropout: The share of features dropped at random from each phrase, 0..1.
        RETURNS: The total `violation`: the amount by which the required margins were missed.
        RAISES ValueError: If the dropout is out of range, or an order is not a permutation of the modifiers.
        """
        cdef double violation = 0
        cdef Columns columns
        cdef vector[int] gold
        check_range("dropout", dropout, 0, 1)
        phrases = [
            (columns, check_order(order, len(columns) - 1))
            for columns, order in chain.from_iterable(documents)
            if 3 <= len(columns) <= MAX_MODIFIERS + 1
        ]
        with self.weights.claim:
            self.ranker.scorer.use(self.weights.learning_table(), 1)
            for columns, order in phrases:
                gold = order
                self.ranker.scorer.check(columns)
                self.ranker.scorer.drop_out(dropout, self.seed, self.weights.n_updates + 1)
                violation += self._learn(&columns.c, gold.data(), columns.c.n_tokens - 1 <= MAX_EXACT)
                self.weights.count_update()
        return {"violation": violation}

    cdef double _learn(self, const InputC* input, const int* gold, bint is_exact) except? -1:
        cdef vector[int] orders
        cdef vector[double] totals
        cdef vector[ChangeC] difference
        cdef double gold_score, loss, violation, worst = 0, worst_loss = 0
        cdef int n, n_wrong, chosen = -1
        cdef size_t i
        self.ranker.fill(input)
        n = self.ranker.n
        # One of the best two orders is the best wrong one.
        self.ranker.search(is_exact, 2, orders, totals)
        gold_score = self.ranker.score_order(gold)
        for i in range(totals.size()):
            n_wrong = count_wrong_pairs(gold, &orders[i * n], n)
            if n_wrong == 0:
                continue
            loss = 2.0 * n_wrong / (n * (n - 1))
            violation = totals[i] - gold_score + loss
            if chosen == -1 or violation > worst:
                worst, worst_loss, chosen = violation, loss, <int>i
        if chosen == -1 or worst <= 0:
            return 0
        self.bag.clear()
        self.ranker.count(input, gold, self.bag, 1)
        self.ranker.count(input, &orders[chosen * n], self.bag, -1)
        self.bag.drain(difference)
        self.updater.update(difference, worst_loss)
        return worst


cdef int count_wrong_pairs(const int* gold, const int* other, int n) noexcept nogil:
    cdef int[MAX_MODIFIERS] place
    cdef int i, j, n_wrong = 0
    for i in range(n):
        place[gold[i]] = i
    for i in range(n):
        for j in range(i + 1, n):
            # Identical modifiers are in the same order on both sides.
            n_wrong += place[other[i]] > place[other[j]]
    return n_wrong


def check_order(order, int n):
    """Returns an order of n modifiers as a list. RAISES ValueError: If it is not a permutation."""
    order = [int(place) for place in order]
    allowed = f"a permutation of the numbers of the {n} modifiers, from 0"
    check_value("order", order, sorted(order) == list(range(n)), allowed)
    return order
