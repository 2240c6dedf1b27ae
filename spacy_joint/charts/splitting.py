"""Counts the rules and words of trees, from which grammars are estimated. Symbols may be split into subsymbols.

The NPs of a treebank may be subjects or dates. Subsymbols, `NP-0` and `NP-1`, are learnt to make its trees more
probable. Each cycle (Petrov, Barrett, Thibaux & Klein 2006) splits all symbols except the root into two, which differ
by noise; finds the probabilities of their rules by expectation maximisation; and merges the half of the pairs that
matter least. In the end, the rules of a subsymbol are smoothed towards those of its symbol. Nodes of the same height
and number of children are one operation on arrays, whose last axes are subsymbols of parent and children.
"""

from collections.abc import Iterable, Iterator

import numpy as np

from ..trees.constituency_trees import Tree, flatten, list_children
from .lexicon import TaggedWord, choose_classes

# Four make up to 16 subsymbols, and so up to 4,096 numbers for a rule with three symbols.
MAX_CYCLES = 4
STEPS, STEPS_AFTER_MERGING = 25, 10
NOISE, MERGED = 0.01, 0.5
# Subsymbols that are expected to occur less often are not split.
MIN_SPLIT = 100
# The share of the mean in the probability of a rule, and of a word.
SMOOTHING, WORD_SMOOTHING = 0.01, 0.1
# Rules and tags of words that are expected to occur less often are left out.
EPSILON = 1e-4
# Nodes at once, so that memory is bounded.
BLOCK = 1 << 13
# Reduce the subsymbols of the parent, of the first child and of the second child.
MERGING = ("nx...,nxu->nu...", "nxy...,nyu->nxu...", "nxyz,nzu->nxyu")

Counted = tuple[str, tuple[str, ...]]
"""A symbol and its children."""


class SplitTreebank:
    """Binarised trees, at least one, and their rules. seed: That of the noise."""

    def __init__(self, trees: Iterable[Tree], seed: int = 0) -> None:
        self._rng = np.random.default_rng(seed)
        parts = [flatten(tree) for tree in trees]
        words = [["".join((node.word or "").split()) for node in nodes if node.is_preterminal] for nodes, _ in parts]
        self._words, classes = words, choose_classes(words)
        # The number of each rule, by its number of children; rules of words have none.
        self._rules: list[dict[Counted, int]] = [{}, {}, {}]
        roots: list[int] = []
        symbols: list[int] = []
        rules, heights, children = ([] for _ in range(3))
        numbers: dict[str, int] = {}
        for (nodes, parents), forms in zip(parts, words, strict=True):
            start, left = len(symbols), iter(forms)
            below = list_children(parents)
            height = [0] * len(nodes)
            for index in range(len(nodes) - 1, 0, -1):
                height[parents[index]] = max(height[parents[index]], height[index] + 1)
            for node, indices in zip(nodes, below, strict=True):
                if node.is_preterminal:
                    word = next(left)
                    # A rare word is as probable as its class, whose name follows a space.
                    labels: tuple[str, ...] = (f" {classes[word]}" if word in classes else word,)
                else:
                    labels = tuple([nodes[index].label for index in indices])
                known = self._rules[len(indices)]
                rules.append(known.setdefault((node.label, labels), len(known)))
                symbols.append(numbers.setdefault(node.label, len(numbers)))
                children.append(([start + index for index in indices] + [-1, -1])[:2])
            heights += height
            roots.append(start)
        self._symbols = list(numbers)
        self._roots, self._symbol, self._rule = np.array(roots), np.array(symbols), np.array(rules)
        self._children = np.array(children).reshape(-1, 2)
        self._arity = (self._children >= 0).sum(axis=1)
        self._blocks = _cut(np.array(heights), self._arity)
        # The symbols of rules: that of the parent, and those of children.
        self._of_rules = []
        for arity, known in enumerate(self._rules):
            rows = [[numbers[symbol] for symbol in (parent, *labels[:arity])] for parent, labels in known]
            self._of_rules.append(np.array(rows, dtype=int).reshape(-1, arity + 1))
        self._unsplit = {numbers[self._symbols[number]] for number in self._symbol[self._roots]}
        # How often rules occur, by the subsymbols of parent and children, and how probable they are given the parent's.
        self._counts = [
            np.bincount(self._rule[self._arity == arity], minlength=len(known)).reshape(len(known), *[1] * (arity + 1))
            * 1.0
            for arity, known in enumerate(self._rules)
        ]
        self._maximise()

    @property
    def n_subsymbols(self) -> int:
        """The maximum number of subsymbols of a symbol."""
        return self._totals.shape[1]

    def run_cycle(self) -> None:
        """Split symbols, and merge the pairs that matter least."""
        for change, n_steps in ((self.split, STEPS), (self.merge, STEPS_AFTER_MERGING)):
            change()
            for _ in range(n_steps):
                self.improve()

    def split(self) -> None:
        """Split subsymbols in two, except the root and rare ones."""
        is_split = (self._totals >= MIN_SPLIT)[..., None]
        is_split[list(self._unsplit)] = False
        shares = np.where(is_split, (0.5, 0.5), (1.0, 0.0)).reshape(len(self._symbols), -1)
        for arity, (rules, counts) in enumerate(zip(self._of_rules, self._counts, strict=True)):
            for axis in range(arity + 1):
                others = tuple(1 + other for other in range(arity + 1) if other != axis)
                counts = np.repeat(counts, 2, axis=axis + 1) * np.expand_dims(shares[rules[:, axis]], others)
            counts *= 1 + NOISE * (2 * self._rng.random(counts.shape) - 1)
            self._counts[arity] = counts
        self._maximise()

    def improve(self) -> float:
        """Make a step of expectation maximisation. Returns the log-probability (natural) of the trees before it."""
        likelihood = self._expect()
        weights = self._outside / ((self._outside * self._inside).sum(axis=1) * self._scales)[:, None]
        for arity, probabilities in enumerate(self._probabilities):
            counts = np.zeros_like(probabilities)
            nodes = np.flatnonzero(self._arity == arity)
            nodes = nodes[np.argsort(self._rule[nodes], kind="stable")]
            for start in range(0, len(nodes), BLOCK):
                products = weights[block := nodes[start : start + BLOCK]]
                for child in range(arity):
                    below = self._inside[self._children[block, child]]
                    products = products[..., None] * below.reshape(len(block), *[1] * (child + 1), -1)
                rules = self._rule[block]
                firsts = np.flatnonzero(np.diff(rules, prepend=-1))
                counts[rules[firsts]] += np.add.reduceat(products, firsts, axis=0)
            self._counts[arity] = counts * probabilities
        self._maximise()
        return likelihood

    def merge(self) -> None:
        """Merge the pairs of subsymbols that `split` made and that matter least."""
        self._expect()
        n_pairs = self.n_subsymbols // 2
        inside, outside = (array.reshape(-1, n_pairs, 2) for array in (self._inside, self._outside))
        pairs = self._totals.reshape(-1, n_pairs, 2)
        together = pairs.sum(axis=2, keepdims=True)
        shares = np.divide(pairs, together, out=np.full_like(pairs, 0.5), where=together > 0)
        # How much less probable a tree is if the subsymbols of one of its nodes are merged.
        apart = (inside * outside).sum(axis=2)
        merged = (shares[self._symbol] * inside).sum(axis=2) * outside.sum(axis=2)
        total = apart.sum(axis=1, keepdims=True)
        losses = np.zeros((len(self._symbols), n_pairs))
        np.add.at(losses, self._symbol, -np.log(np.maximum((total - apart + merged) / total, np.finfo(float).tiny)))
        is_pair = np.all(pairs > EPSILON, axis=2)
        rows, columns = np.nonzero(is_pair)
        order = np.argsort(losses[rows, columns], kind="stable")[: int(MERGED * len(rows))]
        is_pair[rows[order], columns[order]] = False
        # The new numbers of subsymbols.
        is_first = np.stack([together[:, :, 0] > 0, is_pair], axis=2).reshape(len(pairs), -1)
        numbers = np.cumsum(is_first, axis=1) - 1
        becomes = np.eye(numbers.max() + 1)[np.maximum(numbers, 0)]
        for arity, (rules, counts) in enumerate(zip(self._of_rules, self._counts, strict=True)):
            for axis in range(arity + 1):
                counts = np.einsum(MERGING[axis], counts, becomes[rules[:, axis]])
            self._counts[arity] = counts
        self._maximise()

    def count(self) -> tuple[dict[Counted, float], list[list[TaggedWord]]]:
        """Count how often each rule occurs, and how often each word of the sentences has each tag, by subsymbols and
        with smoothing if there are any."""
        if self.n_subsymbols > 1:
            self._expect()
            self._smooth()
        exists = self._totals > EPSILON
        names = [
            [f"{symbol}-{number}" if exists[row].sum() > 1 else symbol for number in range(self.n_subsymbols)]
            for row, symbol in enumerate(self._symbols)
        ]
        rules: dict[Counted, float] = {}
        for arity in (1, 2):
            counts = self._counts[arity]
            for rule, *numbers in np.argwhere(counts > EPSILON).tolist():
                symbols = zip(self._of_rules[arity][rule], numbers, strict=True)
                parent, *below = (names[row][number] for row, number in symbols)
                rules[parent, tuple(below)] = float(counts[(rule, *numbers)])
        word_nodes = np.flatnonzero(self._arity == 0)
        weights = np.ones((len(word_nodes), 1))
        if self.n_subsymbols > 1:
            weights = self._probabilities[0][self._rule[word_nodes]] * self._outside[word_nodes]
            weights /= weights.sum(axis=1, keepdims=True)
        tags: Iterator[dict[str, float]] = iter(
            {names[row][number]: share for number, share in enumerate(shares) if share > EPSILON}
            for row, shares in zip(self._symbol[word_nodes].tolist(), weights.tolist(), strict=True)
        )
        sentences: list[list[TaggedWord]] = [[(word, next(tags)) for word in words] for words in self._words]
        found = {tag for words in sentences for _, word_tags in words for tag in word_tags}
        return _remove_dead(rules, found), sentences

    def _maximise(self) -> None:
        """Compute probabilities from counts."""
        n_subsymbols = self._counts[0].shape[1]
        self._totals = np.zeros((len(self._symbols), n_subsymbols))
        for rules, counts in zip(self._of_rules, self._counts, strict=True):
            np.add.at(self._totals, rules[:, 0], counts.sum(axis=tuple(range(2, counts.ndim))))
        self._probabilities = []
        for arity, (rules, counts) in enumerate(zip(self._of_rules, self._counts, strict=True)):
            totals = self._totals[rules[:, 0]].reshape(len(rules), n_subsymbols, *[1] * arity)
            self._probabilities.append(np.divide(counts, totals, out=np.zeros_like(counts), where=totals > 0))

    def _expect(self) -> float:
        """Find inside and outside probabilities, scaled at each node so that none vanish. Returns the
        log-probability."""
        shape = (len(self._symbol), self.n_subsymbols)
        inside, outside, scales = np.zeros(shape), np.zeros(shape), np.zeros(len(self._symbol))
        for arity, nodes in self._blocks:
            values = self._probabilities[arity][self._rule[nodes]]
            for child in reversed(range(arity)):
                below = inside[self._children[nodes, child]]
                values = np.einsum("n...y,ny->n...", values, below)
            scales[nodes] = values.max(axis=1)
            inside[nodes] = values / scales[nodes, None]
        outside[self._roots, 0] = 1
        for arity, nodes in reversed(self._blocks):
            if not arity:
                continue
            values = np.einsum("nx...,nx->n...", self._probabilities[arity][self._rule[nodes]], outside[nodes])
            children = self._children[nodes].T
            around = [values]
            if arity == 2:
                first, second = inside[children]
                around = [np.einsum("nyz,nz->ny", values, second), np.einsum("nyz,ny->nz", values, first)]
            for indices, found in zip(children, around, strict=False):
                outside[indices] = found / found.max(axis=1, keepdims=True)
        self._inside, self._outside, self._scales = inside, outside, scales
        return float(np.log(scales).sum() + np.log(inside[self._roots, 0]).sum())

    def _smooth(self) -> None:
        """Mix the rules of a subsymbol with the mean of those of all subsymbols of its symbol."""
        exists = self._totals > EPSILON
        for arity, rules in enumerate(self._of_rules):
            share = SMOOTHING if arity else WORD_SMOOTHING
            shape = (len(rules), self.n_subsymbols, *[1] * arity)
            is_used, totals = (table[rules[:, 0]].reshape(shape) for table in (exists, self._totals))
            probabilities = self._probabilities[arity]
            mean = probabilities.sum(axis=1, keepdims=True, where=is_used) / is_used.sum(axis=1, keepdims=True)
            self._counts[arity] = totals * is_used * ((1 - share) * probabilities + share * mean)
        self._maximise()


def _cut(heights: np.ndarray, arities: np.ndarray) -> list[tuple[int, np.ndarray]]:
    """Group nodes into operations, children first, each with the number of children of its nodes."""
    order = np.lexsort((arities, heights))
    cuts = np.flatnonzero(np.diff(heights[order]) | np.diff(arities[order])) + 1
    alike = (nodes[start : start + BLOCK] for nodes in np.split(order, cuts) for start in range(0, len(nodes), BLOCK))
    return [(int(arities[nodes[0]]), nodes) for nodes in alike]


def _remove_dead(rules: dict[Counted, float], tags: set[str]) -> dict[Counted, float]:
    """Leave out rules with a child that has no rules or words left, because its own were too rare."""
    while True:
        known = tags | {parent for parent, _ in rules}
        kept = {rule: count for rule, count in rules.items() if known.issuperset(rule[1])}
        if len(kept) == len(rules):
            return kept
        rules = kept
