"""Orders modifiers by an n-gram model of noun phrases, with interpolated modified Kneser-Ney smoothing (Chen and
Goodman 1999), as Mitchell, Dunlop and Roark (2011) do.

Learns from noun phrases alone, with their heads, between start and end marks. Words seen once represent unseen words of
the same shape. Counts are in plain dictionaries, which suffice for noun phrases.
"""

from collections import Counter, defaultdict
from collections.abc import Container, Iterable
from math import log

from spacy_joint.ordering.phrases import Phrase, Word, identity

from .base import Orderer

START, END = "<s>", "</s>"
SUFFIXES = ("ing", "ion", "ity", "est", "ed", "er", "ly", "al", "s", "y")


def unknown_class(text: str) -> str:
    """What stands for a word that is not known: its capitals, digits, hyphens and ending."""
    parts = [
        "A" if text.isupper() and len(text) > 1 else "C" if text[:1].isupper() else "c",
        "D" if any(character.isdigit() for character in text) else "",
        "-" if "-" in text else "",
        next((suffix for suffix in SUFFIXES if text.lower().endswith(suffix)), ""),
    ]
    return f"<unknown {''.join(parts)}>"


def find_known(text: str, vocabulary: Container[str]) -> str:
    """A word, or what stands for it if it is not in the vocabulary."""
    word = identity(text)
    return word if word in vocabulary else unknown_class(text)


def _list_words(phrase: Phrase) -> list[Word]:
    return [*phrase.modifiers, *filter(None, [phrase.head])]


class NGrams(Orderer):
    """Orders by a language model of modifiers and their head noun. order: The longest n-grams."""

    def __init__(self, *, order: int = 5) -> None:
        self.n = order
        self.vocabulary: frozenset[str] = frozenset()

    def fit(self, phrases: Iterable[Phrase]) -> None:
        """Count the n-grams, and the continuations of shorter ones."""
        phrases = list(phrases)
        words = Counter(identity(word.text) for phrase in phrases for word in _list_words(phrase))
        self.vocabulary = frozenset(word for word, count in words.items() if count > 1)
        counts: Counter[tuple[str, ...]] = Counter()
        for phrase in phrases:
            sequence = self._sequence(phrase)
            counts.update(sequence[max(0, i - self.n + 1) : i + 1] for i in range(1, len(sequence)))
        # The longest are counted as they are, shorter ones by how many different words precede them.
        self.counts: list[Counter[tuple[str, ...]]] = [Counter() for _ in range(self.n + 1)]
        for gram, count in counts.items():
            self.counts[len(gram)][gram] += count
        for size in range(self.n, 1, -1):
            for gram in self.counts[size]:
                self.counts[size - 1][gram[1:]] += 1
        self._estimate()

    def _sequence(self, phrase: Phrase) -> tuple[str, ...]:
        return (START, *(find_known(word.text, self.vocabulary) for word in _list_words(phrase)), END)

    def _estimate(self) -> None:
        """Discounts, and for each context its total and the mass that it leaves to shorter ones."""
        self.discounts: list[tuple[float, ...]] = [()]
        self.contexts: list[dict[tuple[str, ...], tuple[int, float]]] = [{}]
        for size in range(1, self.n + 1):
            of_count = Counter(self.counts[size].values())
            t = [0, *(of_count[count] for count in (1, 2, 3, 4))]
            y = t[1] / (t[1] + 2 * t[2]) if t[1] else 0.0
            discounts = [0.0] + [
                min(max(n - (n + 1) * y * t[n + 1] / t[n], 0.0), float(n)) if t[n] else 0.0 for n in (1, 2, 3)
            ]
            self.discounts.append(tuple(discounts))
            totals: defaultdict[tuple[str, ...], int] = defaultdict(int)
            left: defaultdict[tuple[str, ...], float] = defaultdict(float)
            for gram, count in self.counts[size].items():
                totals[gram[:-1]] += count
                left[gram[:-1]] += discounts[min(count, 3)]
            self.contexts.append({context: (totals[context], left[context] / totals[context]) for context in totals})
        self.n_words = len({gram[-1] for gram in self.counts[1]}) + 1

    def score(self, phrase: Phrase) -> float:
        """The log-probability of the sequence."""
        sequence = self._sequence(phrase)
        return sum(log(self._probability(sequence[max(0, i - self.n + 1) : i + 1])) for i in range(1, len(sequence)))

    def _probability(self, gram: tuple[str, ...]) -> float:
        probability = 1.0 / self.n_words
        for size in range(1, len(gram) + 1):
            part = gram[-size:]
            context = self.contexts[size].get(part[:-1])
            if context is None:
                # Longer contexts end in this one, so they were not seen either.
                break
            total, left = context
            count = self.counts[size].get(part, 0)
            probability = max(count - self.discounts[size][min(count, 3)], 0.0) / total + left * probability
        return probability
