"""Adapts the model of `prenominal_orderer`, without a pipeline, to the interface of the other systems."""

from collections.abc import Iterable, Mapping, Sequence

from thinc.api import Model

from spacy_joint.ordering.order_perceptron import make_order_perceptron
from spacy_joint.ordering.phrase_columns import COLUMNS
from spacy_joint.ordering.phrase_ranker import PhraseRanker, Ranking
from spacy_joint.ordering.phrases import Phrase
from spacy_joint.ordering.prenominal_orderer import PrenominalOrderer
from spacy_joint.ordering.system import OrderingSystem
from spacy_joint.pipes.architectures import get_perceptron
from spacy_joint.pipes.word_classes import WordClasses

from .base import Orderer


class BeamOrderer(Orderer):
    """Orders as the model of a `prenominal_orderer` does.

    seed: See `PhraseRanker.learn`.
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
        self.seed = seed
        self.word_classes = WordClasses.from_dict(word_classes or {})
        self.perceptron = get_perceptron(model or make_order_perceptron())
        self._forget()

    def _forget(self) -> None:
        self.perceptron.set_up(
            OrderingSystem(), PrenominalOrderer.default_templates.read_text(encoding="utf8"), COLUMNS
        )
        self.ranker = PhraseRanker(self.perceptron, self.word_classes)

    def fit(self, phrases: Iterable[Phrase]) -> None:
        """Learn from all phrases, from zero."""
        self._forget()
        for _ in self.ranker.learn(phrases, epochs=15, dropout=0.5, untagged_share=0.0, seed=self.seed):
            pass

    def score(self, phrase: Phrase) -> float:
        """The sum over all parts of the order."""
        return self.ranker.score(phrase)

    def order(self, phrase: Phrase, n_best: int = 1) -> Ranking:
        """Find the best orders, exactly for up to eight modifiers."""
        return self.ranker.rank(phrase, n_best)
