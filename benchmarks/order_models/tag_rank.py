"""A rule that orders modifiers by their tags: the baseline for all systems."""

from collections.abc import Iterable

from spacy_joint.ordering.phrases import Phrase

from .base import Orderer

RANKS = {tag: rank for rank, tag in enumerate(("JJS", "JJR", "JJ", "VBN", "VBG", "NNP", "NNPS", "NN", "NNS"))}


class TagRank(Orderer):
    """Superlatives before comparatives, adjectives, participles, proper nouns and nouns."""

    def fit(self, phrases: Iterable[Phrase]) -> None:
        """Nothing is learnt."""

    def score(self, phrase: Phrase) -> float:
        """The number of pairs in the order of their tags, minus that of pairs in the other order."""
        ranks = [RANKS.get(word.tag, RANKS["JJ"]) for word in phrase.modifiers]
        pairs = ((a, b) for i, a in enumerate(ranks) for b in ranks[i + 1 :])
        return float(sum((a < b) - (a > b) for a, b in pairs))
