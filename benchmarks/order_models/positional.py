"""The one-class system (Mitchell 2009): each modifier has its positions before the noun.

A position is the distance from the head, 1 to 4. A modifier's class is the smallest range that covers its preferred
positions; ranges farther from the head come first. Modifiers of the same range, and unseen ones, stay undecided.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import combinations

from spacy_joint.ordering.phrases import Phrase, identities

from .base import Orderer

PLACES = 4


class OneClass(Orderer):
    """Orders by the class of each modifier."""

    def __init__(self) -> None:
        self.ranges: dict[str, tuple[int, int]] = {}

    def fit(self, phrases: Iterable[Phrase]) -> None:
        """Count how often each modifier is at each place, in phrases of up to four modifiers."""
        counts: defaultdict[str, Counter[int]] = defaultdict(Counter)
        for phrase in phrases:
            if len(phrase.modifiers) <= PLACES:
                for place, word in enumerate(reversed(identities(phrase)), start=1):
                    counts[word][place] += 1
        self.ranges = {}
        for word, places in counts.items():
            total = places.total()
            preferred = [place for place, count in places.items() if count / total > 1 / PLACES] or list(places)
            # Mitchell has no class of all places: one that prefers the first and the last says nothing.
            self.ranges[word] = (min(preferred), max(preferred))

    def score(self, phrase: Phrase) -> float:
        """The number of pairs that stand as their ranges do, minus that of pairs that stand the other way."""
        found = [self.ranges.get(word) for word in identities(phrase)]
        return float(sum(_compare(a, b) for a, b in combinations(found, 2) if a is not None and b is not None))


def _compare(a: tuple[int, int], b: tuple[int, int]) -> int:
    """1 if the first range is farther from the head, by its middle; -1 if it is nearer."""
    return (sum(a) > sum(b)) - (sum(a) < sum(b))
