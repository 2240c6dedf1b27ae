"""`prenominal_orderer`: the order of modifiers before nouns, as a spaCy component and as a service to text generators.

It marks noun phrases with two or more modifiers in `doc.spans[spans_key]`, ODD where another order is much better than
that of the text, OK elsewhere, and changes nothing. Phrases are found where there are dependency trees or tags, so it
comes after a component that makes them. It learns from any annotated text, whose order is taken to be right.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from spacy.tokens import Doc, Span
from spacy.training import Example

from ..errors import Errors, JointValueError
from ..pipes.structured_pipe import StructuredPipe
from ..pipes.token_columns import WordClasses
from .extract import Place, find_in_doc
from .order_perceptron import get_order_perceptron
from .orders import Order
from .phrase_columns import COLUMNS
from .phrase_ranker import PhraseRanker
from .phrases import MOST_MODIFIERS, Phrase, Word
from .system import OrderingSystem

LABELS = ("OK", "ODD")
SOURCES = ("auto", "dependencies", "tags")


class Ordered(NamedTuple):
    """The order of some modifiers.

    words: The modifiers in the best order.
    orders: The best orders as indices into the modifiers given, with scores, best first; no two read alike.
    margin: By how much the best order scores above the second best; infinite if there is no other.
    """

    words: tuple[str, ...]
    orders: tuple[Order, ...]
    margin: float


class Judged(NamedTuple):
    """A phrase of a document. best: The best order. score: Of the order in the text. margin: By how much that scores
    above the best other order; negative if another is better.
    """

    place: Place
    best: tuple[int, ...]
    score: float
    margin: float


class PrenominalOrderer(StructuredPipe[list[Judged]]):
    """Says how modifiers before nouns are best ordered, and which orders in a document are odd."""

    default_templates = Path(__file__).parent / "templates.txt"
    columns = COLUMNS

    def __init__(self, *args: Any, source: str, exempt: Sequence[str], **settings: Any) -> None:
        if source not in SOURCES:
            raise JointValueError(Errors.J353, value=source, allowed=", ".join(SOURCES))
        super().__init__(*args, source=source, exempt=list(exempt), **settings)
        self._ranker: PhraseRanker | None = None
        self._exempt = [tuple(expression.lower().split()) for expression in exempt]
        register_extensions()

    # Without a document.

    def order(
        self,
        modifiers: Sequence[str],
        head: str | None = None,
        *,
        tags: Sequence[str] | None = None,
        head_tag: str = "NN",
        n_best: int = 1,
    ) -> Ordered:
        """Finds the best order of modifiers.

        modifiers (Sequence[str]): In any order, which does not matter; up to 64, with repeats or not.
        head (str): The noun, if it is known.
        tags (Sequence[str]): Tags of the Penn Treebank, one a modifier, if they are known: orders get better.
        head_tag (str): The tag of the head.
        n_best (int): How many orders to give.
        RETURNS (Ordered): The best orders.
        RAISES ValueError: If there are too many modifiers, or they are a string, `n_best` is not positive, tags do not
            fit, or the component was not trained.
        """
        if isinstance(modifiers, str):
            raise JointValueError(Errors.J359, text=modifiers)
        if tags is not None and len(tags) != len(modifiers):
            raise JointValueError(Errors.J357, n_tags=len(tags), n=len(modifiers))
        words = tuple(map(Word, modifiers)) if tags is None else tuple(map(Word, modifiers, tags))
        # The tag of the head is only known where those of the modifiers are.
        noun = None if head is None else Word(head, head_tag if tags is not None else "")
        return self.order_phrase(Phrase(words, noun), n_best)

    def order_phrase(self, phrase: Phrase, n_best: int = 1) -> Ordered:
        """Finds the best order of the modifiers of a phrase: see `order`."""
        if n_best < 1:
            raise JointValueError(Errors.J307, value=n_best)
        orders, margin = self._require_trained().rank(phrase, n_best)
        return Ordered(tuple(phrase.modifiers[i].text for i in orders[0].indices), orders, margin)

    def score_order(self, phrase: Phrase) -> float:
        """The score of the order that the modifiers of a phrase are in."""
        return self._require_trained().score(phrase)

    def _require_trained(self) -> PhraseRanker:
        self.require_trained()
        return self._get_ranker()

    def _get_ranker(self) -> PhraseRanker:
        perceptron = get_order_perceptron(self.model)
        ranker = self._ranker
        # Loading or initializing replaces what it was made of.
        if (
            ranker is None
            or ranker.phrase_columns.names != perceptron.templates.columns
            or ranker.phrase_columns.word_classes is not self.word_classes
        ):
            self._ranker = ranker = PhraseRanker(perceptron, self.word_classes)
        return ranker

    def fit(
        self,
        phrases: Iterable[Phrase],
        *,
        epochs: int = 15,
        dropout: float = 0.5,
        seed: int = 0,
        word_classes: Mapping[str, Sequence[int]] | None = None,
    ) -> Iterator[float]:
        """Learns from phrases instead of examples, from zero: see `PhraseRanker.learn`, whose progress it yields.

        RAISES ValueError: If there are no phrases.
        """
        phrases = list(phrases)
        if not phrases:
            raise JointValueError(Errors.J352, paths="what was given")
        self.word_classes = WordClasses.from_dict(word_classes or {})
        self._set_up(list(LABELS), self.default_templates.read_text(encoding="utf8"))
        return self._require_trained().learn(
            phrases, epochs=epochs, dropout=dropout, untagged_share=self.cfg["untagged_share"], seed=seed
        )

    # What a task says.

    def collect_labels(self, examples: Iterable[Example]) -> list[str]:
        """The labels are always the same. The examples are read to see that there is something to learn.

        RAISES ValueError: If no example has a phrase with two modifiers.
        """
        if not any(True for example in examples for _ in find_in_doc(example.reference, self.cfg["source"])):
            raise JointValueError(Errors.J352, paths="the examples")
        return list(LABELS)

    def flatten_labels(self, labels: list[str]) -> tuple[str, ...]:
        """The labels."""
        return tuple(labels)

    def make_system(self, labels: list[str]) -> OrderingSystem:
        """The parts of orders.

        RAISES ValueError: If the labels are not the component's own.
        """
        if list(labels) != list(LABELS):
            raise JointValueError(Errors.J415, name=self.name, labels=labels, allowed=", ".join(LABELS))
        return OrderingSystem()

    def make_instance(self, example: Example) -> Any:
        """The phrases of the reference, in its order; None if it has neither trees nor tags to find them by."""
        reference = example.reference
        if not any(map(reference.has_annotation, ("DEP", "TAG"))):
            return None
        phrases = [phrase for _, phrase in find_in_doc(reference, self.cfg["source"])]
        return self._get_ranker().make_instances(phrases, self.cfg["untagged_share"])

    def predict_doc(self, doc: Doc) -> list[Judged]:
        """Judges the phrases of a document, each of which has a search of its own."""
        return [
            self._judge(place, phrase)
            for place, phrase in find_in_doc(doc, self.cfg["source"])
            if len(phrase.modifiers) <= MOST_MODIFIERS and all(map(_is_word, phrase.modifiers))
        ]

    def _judge(self, place: Place, phrase: Phrase) -> Judged:
        orders, margin = self._get_ranker().rank(phrase)
        words = [word.text for word in phrase.modifiers]
        best = orders[0]
        if [words[i] for i in best.indices] == words:
            return Judged(place, tuple(range(len(words))), best.score, margin if len(orders) > 1 else 0.0)
        score = self.score_order(phrase)
        return Judged(place, best.indices, score, score - best.score)

    def annotate(self, doc: Doc, prediction: list[Judged]) -> None:
        """Writes the phrases of a document to its spans."""
        spans = []
        for place, best, score, margin in prediction:
            first, end = place.modifiers[0][0], place.head + 1
            words = tuple(token.lower_ for token in doc[first:end])
            odd = margin < -self.cfg["threshold"] and not any(_contains(words, fixed) for fixed in self._exempt)
            span = Span(doc, first, end, label=LABELS[odd])
            # Plain numbers, so that documents can be saved.
            span._.best_order = tuple(token for i in best for token in range(*place.modifiers[i]))
            span._.order_score, span._.order_margin = score, margin
            spans.append(span)
        doc.spans[self.cfg["spans_key"]] = spans

    # Suggestions.

    def suggest(self, doc: Doc) -> list[dict[str, Any]]:
        """What to change in a document that the component has annotated: its ODD phrases.

        RETURNS (list[dict]): JSON-serialisable: `start` and `end` (tokens), `start_char` and `end_char`, `text`,
            `suggestion`, `score` and `margin`.
        """
        suggestions = []
        for span in doc.spans.get(self.cfg["spans_key"], []):
            if span.label_ == LABELS[True]:
                suggestions.append(
                    {
                        "label": span.label_,
                        "start": span.start,
                        "end": span.end,
                        "start_char": span.start_char,
                        "end_char": span.end_char,
                        "text": span.text,
                        "suggestion": reorder(span),
                        "score": span._.order_score,
                        "margin": span._.order_margin,
                    }
                )
        return suggestions

    def match(self, doc: Doc) -> list[tuple[int, int, int]]:
        """The ODD phrases of an annotated document as spaCy's `Matcher` gives matches: label, start and end."""
        return [(doc.vocab.strings.add(s["label"]), s["start"], s["end"]) for s in self.suggest(doc)]


def register_extensions() -> None:
    """Makes `Span._.best_order`, `Span._.order_score` and `Span._.order_margin`, unless somebody else has."""
    if not Span.has_extension("best_order"):
        Span.set_extension("best_order", getter=get_best_order, setter=set_best_order)
    for name in ("order_score", "order_margin"):
        if not Span.has_extension(name):
            Span.set_extension(name, default=None)


def get_best_order(span: Span) -> tuple[int, ...] | None:
    """The tokens of the modifiers of a phrase in their best order; None if it is no phrase."""
    order = span.doc.user_data.get(_make_key(span))
    # A document that was bytes has lists where others have tuples.
    return None if order is None else tuple(order)


def set_best_order(span: Span, order: Sequence[int]) -> None:
    """Keeps the best order where spaCy keeps the values of extensions, so that it moves with the span."""
    span.doc.user_data[_make_key(span)] = tuple(order)


def _make_key(span: Span) -> Any:
    # A tuple, though spaCy's stubs say that keys are strings.
    return ("._.", "best_order", span.start_char, span.end_char)


def _is_word(word: Word) -> bool:
    """Whether it is more than marks, which taggers take for all kinds of words."""
    return any(map(str.isalnum, word.text))


def _contains(words: tuple[str, ...], expression: tuple[str, ...]) -> bool:
    n = len(expression)
    return any(words[i : i + n] == expression for i in range(len(words) - n + 1))


def reorder(span: Span) -> str:
    """The text of a span with its modifiers in the best order, hyphens as they were."""
    order = span._.best_order
    parts = []
    for i, token in enumerate(order):
        joined = i + 1 < len(order) and order[i + 1] == token + 1 and not span.doc[token].whitespace_
        parts.append(span.doc[token].text + ("" if joined else " "))
    return "".join(parts) + span[-1].text
