"""Systems that rank each modifier by itself: by its tag, the baseline for all systems, or by its positions, as in the
one-class system of Mitchell (2009)."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations

from spacy_joint.ordering.phrases import Phrase, identities

from .base import Orderer

RANKS = {tag: rank for rank, tag in enumerate(("JJS", "JJR", "JJ", "VBN", "VBG", "NNP", "NNPS", "NN", "NNS"))}
PLACES = 4


def _count_ordered(ranks: Sequence[int]) -> float:
    """The number of pairs in ascending order, minus that of pairs in descending order."""
    return float(sum((a < b) - (a > b) for a, b in combinations(ranks, 2)))


class TagRank(Orderer):
    """Superlatives before comparatives, adjectives, participles, proper nouns and nouns."""

    def fit(self, phrases: Iterable[Phrase]) -> None:
        """Nothing is learnt."""

    def score(self, phrase: Phrase) -> float:
        """How many pairs are in the order of their tags."""
        return _count_ordered([RANKS.get(word.tag, RANKS["JJ"]) for word in phrase.modifiers])


class OneClass(Orderer):
    """Orders by the class of each modifier: the smallest range that covers its preferred positions (distances from the
    noun, 1 to 4). Farther ranges come first. Modifiers of the same range, and unseen ones, stay undecided."""

    def fit(self, phrases: Iterable[Phrase]) -> None:
        """Count how often each modifier is at each place, in phrases of up to four modifiers."""
        counts: defaultdict[str, Counter[int]] = defaultdict(Counter)
        for phrase in phrases:
            if len(phrase.modifiers) <= PLACES:
                for place, word in enumerate(reversed(identities(phrase)), start=1):
                    counts[word][place] += 1
        # Twice the middle of each range.
        self.middles: dict[str, int] = {}
        for word, places in counts.items():
            total = places.total()
            preferred = [place for place, count in places.items() if count / total > 1 / PLACES] or list(places)
            # Mitchell has no class of all places: one that prefers the first and the last says nothing.
            self.middles[word] = min(preferred) + max(preferred)

    def score(self, phrase: Phrase) -> float:
        """How many pairs stand as their ranges do."""
        return _count_ordered([-self.middles[word] for word in identities(phrase) if word in self.middles])
