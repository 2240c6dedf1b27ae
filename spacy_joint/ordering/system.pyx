"""Orders of modifiers before a noun: a global linear model whose score is a sum over pairs, neighbours, places and the
head, searched by taking one modifier after another.

Taking a modifier decides its order with all that remain, its left neighbour and its place, so a prefix is worth the
same whatever follows, and prefixes that have placed the same modifiers and end alike are the same state. With few
modifiers all states are kept, which is exact (a dynamic program over subsets, as Held and Karp's); with more, the best
of each step.

Templates, weights and files are the engine's; search and learner are not. The engine's actions are a fixed inventory,
each with weights of its own, chosen by what one state sees. Which modifier comes next is no such action: modifiers
differ from phrase to phrase, and what taking one is worth sums over all that remain. Here all parts of a phrase are
scored once, before the search, and a search over sets of modifiers adds the scores up.
"""

from ..engine.beam import WIDEST_BEAM
from ..errors import Errors

from libc.stdint cimport int8_t, uint64_t
from libcpp.algorithm cimport sort
from libcpp.vector cimport vector

from ..engine.columns cimport FIRST, Columns, InputC
from ..engine.system cimport MAX_SLOTS
from ..engine.templates cimport MAX_TEMPLATES, Templates, keep_features
from ..engine.weights cimport Weights


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

SLOTS_OF_PARTS = ({A, B}, {LEFT, RIGHT}, {IT, AT_PLACE, FROM_LEFT}, {LAST, HEAD_NOUN})


cdef class OrderingSystem(System):
    """What templates may name of an order. A feature has one weight: `Ranker` searches."""

    def __init__(self):
        self.set_kinds([1])
        self.n_slots = N_SLOTS
        self.state_size = sizeof(uint64_t)
        self.node_size = sizeof(uint64_t)

    def __reduce__(self):
        return (OrderingSystem, ())

    def token_slots(self):
        return {"a": A, "b": B, "left": LEFT, "right": RIGHT, "it": IT, "last": LAST, "head": HEAD_NOUN}

    def value_slots(self):
        return {"place": AT_PLACE, "from.left": FROM_LEFT}


cdef class Scores:
    """The scores of all parts of the orders of one phrase after another.

    system (OrderingSystem): What templates name.
    templates (Templates): Features of parts.
    RAISES ValueError: If a block of templates names slots of different parts.
    """

    def __cinit__(self, OrderingSystem system not None, Templates templates not None):
        cdef int b
        self.system, self.templates = system, templates
        for b in range(templates.n_blocks):
            first = templates.blocks[b].first_slot
            slots = {templates.block_slots[i] for i in range(first, first + templates.blocks[b].n_slots)}
            part = next((part for part in range(N_PARTS) if slots <= SLOTS_OF_PARTS[part]), None)
            if part is None:
                named = {**system.token_slots(), **system.value_slots()}
                raise ValueError(Errors.J354.format(names=", ".join(n for n, slot in named.items() if slot in slots)))
            self.blocks_of_part[<int>part].push_back(b)

    cdef void fill_slots(self, int part, int i, int j, uint64_t* slots) noexcept nogil:
        """What parts i, j are: two modifiers; for PLACE, a modifier and its distance from the head."""
        if part == PAIR:
            slots[A], slots[B] = FIRST + i, FIRST + j
        elif part == NEIGHBOURS:
            slots[LEFT], slots[RIGHT] = FIRST + i, FIRST + j
        elif part == PLACE:
            slots[IT] = FIRST + i
            slots[AT_PLACE] = min(j + 1, MOST_PLACE)
            slots[FROM_LEFT] = min(self.n - j, MOST_PLACE)
        else:
            slots[LAST], slots[HEAD_NOUN] = FIRST + i, FIRST + self.n

    cdef float score_part(self, const InputC* input, int part, int i, int j) noexcept nogil:
        cdef uint64_t[MAX_SLOTS] slots
        cdef uint64_t[MAX_TEMPLATES] hashes
        cdef const float* floats = <const float*>self.table.cells
        cdef const int8_t* bytes_ = <const int8_t*>self.table.cells
        cdef float total = 0
        cdef int whole = 0
        cdef int b, k, n
        self.fill_slots(part, i, j, slots)
        for b in self.blocks_of_part[part]:
            n = self.templates.block_features(b, input, slots, self.table.bits, hashes)
            n = keep_features(&self.filter, hashes, n)
            if self.table.kernels.cell_bytes == 1:
                for k in range(n):
                    whole += bytes_[hashes[k]]
            else:
                for k in range(n):
                    total += floats[hashes[k]]
        return total + whole * self.table.scale

    cdef void fill(self, const InputC* input) noexcept nogil:
        cdef int n = input.n_tokens - 1
        cdef int i, j
        self.n = n
        self.pairs.assign(<size_t>n * n, <float>0)
        self.neighbours.assign(<size_t>n * n, <float>0)
        self.places.assign(<size_t>n * n, <float>0)
        self.heads.assign(<size_t>n, <float>0)
        self.same_before.assign(<size_t>n * n, <uint8_t>0)
        for i in range(n):
            for j in range(n):
                if i != j:
                    self.pairs[i * n + j] = self.score_part(input, PAIR, i, j)
                    self.neighbours[i * n + j] = self.score_part(input, NEIGHBOURS, i, j)
                # Beyond MOST_PLACE from either end, all places are alike.
                if MOST_PLACE <= j <= n - MOST_PLACE:
                    self.places[i * n + j] = self.places[i * n + j - 1]
                else:
                    self.places[i * n + j] = self.score_part(input, PLACE, i, j)
                if j < i:
                    self.same_before[i * n + j] = _are_same(input, FIRST + i, FIRST + j)
            # The head is the last one's right neighbour, so pairs of nouns are learnt alike inside and at the end.
            self.heads[i] = self.score_part(input, HEAD, i, 0) + self.score_part(input, NEIGHBOURS, i, n)

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

    cdef void add_part(self, const InputC* input, int part, int i, int j, vector[uint64_t]& hashes) noexcept nogil:
        cdef uint64_t[MAX_SLOTS] slots
        cdef uint64_t[MAX_TEMPLATES] found
        cdef int b, n
        self.fill_slots(part, i, j, slots)
        for b in self.blocks_of_part[part]:
            n = self.templates.block_features(b, input, slots, self.table.bits, found)
            n = keep_features(&self.filter, found, n)
            hashes.insert(hashes.end(), found, found + n)

    cdef void add_features(self, const InputC* input, const int* order, vector[uint64_t]& hashes) noexcept nogil:
        cdef int n = self.n
        cdef int i, j
        for i in range(n):
            self.add_part(input, PLACE, order[i], n - 1 - i, hashes)
            if i > 0:
                self.add_part(input, NEIGHBOURS, order[i - 1], order[i], hashes)
            for j in range(i + 1, n):
                self.add_part(input, PAIR, order[i], order[j], hashes)
        if n > 0:
            self.add_part(input, HEAD, order[n - 1], 0, hashes)
            self.add_part(input, NEIGHBOURS, order[n - 1], n, hashes)

    cdef void search(self, int width, int n_best, vector[int]& orders, vector[double]& totals) noexcept nogil:
        cdef int n = self.n
        cdef vector[ItemC] found
        cdef ItemC item, start
        cdef size_t first, end, at, i, m
        cdef int step, k, r, item_number, least
        cdef double gain
        cdef bint is_later_twin
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
                    is_later_twin = False
                    for r in range(n):
                        if r == k or self.items[at].placed >> r & 1:
                            continue
                        gain += self.pairs[k * n + r]
                        # Of modifiers that nobody can tell apart the first comes first.
                        is_later_twin |= self.same_before[k * n + r]
                    if is_later_twin:
                        continue
                    item.score = self.items[at].score + gain
                    item.placed = self.items[at].placed | <uint64_t>1 << k
                    item.last = k
                    item.parent = <int>at
                    found.push_back(item)
            # Alike next to each other, better ones first; then at most n_best of each are left, the rest of equals.
            sort(found.begin(), found.end(), &_by_state)
            m = 0
            least = 0
            for i in range(found.size()):
                if i > 0 and found[i].placed == found[i - 1].placed and found[i].last == found[i - 1].last:
                    least += 1
                else:
                    least = 0
                if least < n_best:
                    found[m] = found[i]
                    m += 1
            found.resize(m)
            if width > 0 and m > <size_t>width:
                sort(found.begin(), found.end(), &_by_score)
                found.resize(width)
            self.steps.push_back(self.items.size())
            self.items.insert(self.items.end(), found.begin(), found.end())
        found.assign(self.items.begin() + self.steps[n], self.items.end())
        # By their numbers from now on.
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


cdef bint _are_same(const InputC* input, int row, int other) noexcept nogil:
    """Whether all columns of two rows are the same."""
    cdef int c
    for c in range(input.n_columns):
        if input.cells[row * input.n_columns + c] != input.cells[other * input.n_columns + c]:
            return False
    return True


# Total orders, so that the outcome does not depend on how the library sorts.
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


cdef int width_for(int n, int width) noexcept:
    """Few modifiers are searched exactly."""
    return 0 if n <= MOST_EXACT else width


cdef class Ranker:
    """Ranks the orders of phrases.

    system (OrderingSystem): What is searched.
    templates (Templates): What it sees.
    width (int): States to keep of each step, where there are more than MOST_EXACT modifiers.
    RAISES ValueError: If the width is out of range, or a block of templates names slots of different parts.
    """
    cdef Scores scores
    cdef readonly int width

    def __init__(self, system, templates, width):
        if not 1 <= width <= WIDEST_BEAM:
            raise ValueError(Errors.J030.format(width=width, most=WIDEST_BEAM))
        self.scores = Scores(system, templates)
        self.width = width

    cdef int _start(self, Weights weights, Columns columns) except -1:
        if columns.names != self.scores.templates.columns:
            raise ValueError(
                Errors.J034.format(got=", ".join(columns.names), wanted=", ".join(self.scores.templates.columns))
            )
        if not 1 <= columns.c.n_tokens <= MOST_MODIFIERS + 1:
            raise ValueError(Errors.J355.format(n=columns.c.n_tokens - 1, most=MOST_MODIFIERS))
        self.scores.table = weights.prediction_table()
        self.scores.filter.kept = self.scores.table.kept
        self.scores.filter.threshold = 0
        self.scores.fill(&columns.c)
        return 0

    def rank(self, Weights weights not None, Columns columns not None, int n_best=2, exact=None):
        """The best orders of a phrase, no two of which read alike.

        weights (Weights): Finished weights.
        columns (Columns): The modifiers and, last, the head.
        n_best (int): How many to find.
        exact (bool | None): Whether to keep all states; None: where there are few modifiers.
        RETURNS (list[tuple[tuple[int, ...], float]]): Orders, as the places of modifiers, and their scores, best first.
        RAISES ValueError: If there are more modifiers than 64.
        """
        cdef vector[int] orders
        cdef vector[double] totals
        self._start(weights, columns)
        cdef int n = self.scores.n
        cdef int width = width_for(n, self.width) if exact is None else (0 if exact else self.width)
        with nogil:
            self.scores.search(width, max(n_best, 1), orders, totals)
        return [
            (tuple([orders[i * n + j] for j in range(n)]), totals[i])
            for i in range(totals.size())
        ]

    def score(self, Weights weights not None, Columns columns not None, order):
        """The score of one order (float): that of `rank`, summed anew."""
        cdef vector[int] places = order
        self._start(weights, columns)
        if sorted(order) != list(range(self.scores.n)):
            raise ValueError(Errors.J356.format(order=list(order), n=self.scores.n))
        return self.scores.score_order(places.data())
