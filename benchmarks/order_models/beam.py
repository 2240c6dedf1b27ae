"""Adapts `prenominal_orderer` to the interface of the other systems."""

from collections.abc import Iterable, Mapping, Sequence

from spacy.vocab import Vocab
from thinc.api import Model

from spacy_joint.ordering.order_perceptron import make_order_perceptron
from spacy_joint.ordering.phrases import Phrase
from spacy_joint.ordering.prenominal_orderer import PrenominalOrderer

from .base import Order, Orderer


class BeamOrderer(Orderer):
    """Orders as a `prenominal_orderer` does.

    seed: See `PrenominalOrderer.fit`.
    word_classes: Classes of lower-cased words, see training/word_classes.py.
    model: From `make_order_perceptron`; None: with its defaults.
    """

    def __init__(
        self,
        *,
        seed: int = 0,
        word_classes: Mapping[str, Sequence[int]] | None = None,
        model: Model | None = None,
    ) -> None:
        self.seed, self.word_classes = seed, word_classes
        settings = {"source": "auto", "exempt": [], "untagged_share": 0.0}
        self.pipe = PrenominalOrderer(Vocab(), model or make_order_perceptron(), "orderer", scorer=None, **settings)

    def fit(self, phrases: Iterable[Phrase]) -> None:
        """Learn from all phrases, from zero."""
        for _ in self.pipe.fit(phrases, seed=self.seed, word_classes=self.word_classes):
            pass

    def score(self, phrase: Phrase) -> float:
        """The sum over all parts of the order."""
        return self.pipe.score_order(phrase)

    def order(self, phrase: Phrase) -> list[Order]:
        """Find the best order, exactly for up to eight modifiers."""
        return [self.pipe.order_phrase(phrase).orders[0].indices]
