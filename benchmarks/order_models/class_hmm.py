"""A hidden Markov model whose classes are distances from the head, and fall from each modifier to the next (Mitchell,
Dunlop and Roark 2011).

All descending paths are equally likely at first. Emissions are learnt without labels by generalised
expectation-maximisation; transitions stay uniform, because updating them did not help. Training stops when accuracy on
held-out phrases no longer rises, and keeps the best model.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from spacy_joint.ordering.phrases import Phrase, identities

from .base import Orderer
from .measures import answer_all
from .ngrams import find_known

# Iterations, at most, and without progress; what is added to the expected count of each word in each class.
ITERATIONS, PATIENCE, DELTA = 30, 5, 0.1
HELD_OUT = 10


class ClassHmm(Orderer):
    """Orders by a hidden Markov model of classes.

    n_classes: Distances from the head to tell apart; longer phrases cannot be ordered.
    seed: Of the noise that tells classes apart in the beginning.
    """

    def __init__(self, *, n_classes: int = 8, seed: int = 0) -> None:
        self.n_classes = n_classes
        self.seed = seed

    def fit(self, phrases: Iterable[Phrase]) -> None:
        """Learn the emissions; every tenth phrase is held out to know when to stop."""
        phrases = [phrase for phrase in phrases if len(phrase.modifiers) <= self.n_classes]
        held_out = phrases[::HELD_OUT]
        seen = [phrase for i, phrase in enumerate(phrases) if i % HELD_OUT]
        counts = Counter(word for phrase in seen for word in identities(phrase))
        self.vocabulary = {word for word, count in counts.items() if count > 1}
        kinds = {find_known(word.text, self.vocabulary) for phrase in seen for word in phrase.modifiers}
        self.numbers = {word: i for i, word in enumerate(sorted(kinds))}
        by_length: defaultdict[int, list[list[int]]] = defaultdict(list)
        for phrase in seen:
            by_length[len(phrase.modifiers)].append(self._encode(phrase))
        batches = [np.array(rows) for _, rows in sorted(by_length.items())]
        self.emissions = self._start(batches)
        best, best_accuracy, since = self.emissions, -1.0, 0
        for _ in range(ITERATIONS):
            accuracy = sum(answer.full for answer in answer_all(self, held_out)) / max(len(held_out), 1)
            since = 0 if accuracy > best_accuracy else since + 1
            if accuracy > best_accuracy:
                best, best_accuracy = self.emissions, accuracy
            if since == PATIENCE:
                break
            expected = np.zeros_like(self.emissions)
            for rows in batches:
                self._expect(rows, expected)
            self.emissions = self._normalise(expected)
        self.emissions = best

    def _encode(self, phrase: Phrase) -> list[int]:
        # Words of which not even the class is known share the last row.
        known = (find_known(word.text, self.vocabulary) for word in phrase.modifiers)
        return [self.numbers.get(word, len(self.numbers)) for word in known]

    def _start(self, batches: Sequence[np.ndarray]) -> np.ndarray:
        """Uniform emissions would never change, so they begin with the places that words have, and some noise."""
        expected = np.random.default_rng(self.seed).uniform(0.5, 1.0, (len(self.numbers) + 1, self.n_classes))
        for rows in batches:
            n = rows.shape[1]
            for place in range(n):
                middle = (n - place) * (self.n_classes + 1) / (n + 1) - 1
                weights = np.exp(-0.5 * (np.arange(self.n_classes) - middle) ** 2)
                np.add.at(expected, rows[:, place], weights / weights.sum())
        return self._normalise(expected)

    def _normalise(self, expected: np.ndarray) -> np.ndarray:
        smoothed = expected + DELTA
        return smoothed / smoothed.sum(axis=0)

    def _forward(self, emitted: np.ndarray) -> np.ndarray:
        """Sums over paths that end in each class (phrases x words x classes); class 0 is next to the head."""
        alpha = np.empty_like(emitted)
        alpha[:, 0] = emitted[:, 0]
        for i in range(1, emitted.shape[1]):
            from_above = np.cumsum(alpha[:, i - 1, ::-1], axis=1)[:, ::-1]
            alpha[:, i, :-1] = from_above[:, 1:] * emitted[:, i, :-1]
            alpha[:, i, -1] = 0.0
        return alpha

    def _expect(self, rows: np.ndarray, expected: np.ndarray) -> None:
        """Adds the expected emissions of phrases of one length."""
        emitted = self.emissions[rows]
        alpha = self._forward(emitted)
        beta = np.ones_like(emitted)
        for i in range(rows.shape[1] - 2, -1, -1):
            below = np.cumsum(beta[:, i + 1] * emitted[:, i + 1], axis=1)
            beta[:, i, 1:] = below[:, :-1]
            beta[:, i, 0] = 0.0
        posterior = alpha * beta
        total = alpha[:, -1].sum(axis=1)
        possible = total > 0
        posterior[possible] /= total[possible, None, None]
        np.add.at(expected, rows[possible], posterior[possible])

    def score(self, phrase: Phrase) -> float:
        """The log-probability of the sequence of modifiers, over all paths of classes."""
        if not phrase.modifiers or len(phrase.modifiers) > self.n_classes:
            return 0.0
        emitted = self.emissions[np.array([self._encode(phrase)])]
        total = float(self._forward(emitted)[0, -1].sum())
        return float(np.log(total)) if total > 0 else -1e9
