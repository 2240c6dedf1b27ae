"""`prenominal_orderer`: orders modifiers before nouns, as a spaCy component and for text generation.

It adds noun phrases with two or more modifiers to `doc.spans[spans_key]`, labelled ODD if another order scores much
better than the one in the text, else OK. It does not change the text. Finding phrases requires dependency trees or tags
from an earlier component. Any annotated text is training data, since its order is assumed to be correct.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from spacy.tokens import Doc, Span
from spacy.training import Example

from ..annotation.extensions import register
from ..annotation.glossary import extend_glossary
from ..annotation.spans import read_spans
from ..engine.columns import Columns
from ..errors import Errors, JointValueError, check_choice, check_range, check_value
from ..pipes.component_files import uses_parts
from ..pipes.structured_pipe import StructuredPipe
from ..pipes.word_classes import WordClasses
from .extract import Place, find_in_doc
from .phrase_columns import COLUMNS, PhraseColumns
from .phrases import MAX_MODIFIERS, Phrase, Word, sort_modifiers
from .system import OrderingSystem

# A phrase with sorted modifiers: its columns, and the modifiers in the order of the text.
PhraseInstance = tuple[Columns, Sequence[int]]
# Phrases per step of a progress bar. It does not affect the weights, which are updated after each phrase.
BATCH = 256
LABELS = ("OK", "ODD")
SOURCES = ("auto", "dependencies", "tags")

extend_glossary()


class Order(NamedTuple):
    """The indices of the modifiers of a phrase, left to right, and a score; higher is better."""

    indices: tuple[int, ...]
    score: float


class RankedOrders(NamedTuple):
    """The best orders of some modifiers.

    words: The modifiers in the best order.
    orders: The best orders as indices into the given modifiers, with scores, best first; no two have the same words.
    margin: The score of the best order minus that of the second best; infinite if there is no other.
    """

    words: tuple[str, ...]
    orders: tuple[Order, ...]
    margin: float


class JudgedPhrase(NamedTuple):
    """A phrase of a document and its best order; the score of the order in the text, and its margin over the best other
    order, which is negative if the other order is better."""

    place: Place
    best: tuple[int, ...]
    score: float
    margin: float


class PrenominalOrderer(StructuredPipe[list[JudgedPhrase]]):
    """Finds the best order of modifiers before nouns, and odd orders in documents."""

    model_name = "order_perceptron"
    default_templates = Path(__file__).parent / "templates.txt"
    columns = COLUMNS

    def __init__(self, *args: Any, source: str, exempt: Sequence[str], **settings: Any) -> None:
        check_choice("source", source, SOURCES)
        check_range("untagged_share", settings["untagged_share"], 0, 1)
        super().__init__(*args, source=source, exempt=list(exempt), **settings)
        self._exempt = [tuple(expression.lower().split()) for expression in exempt if expression.strip()]

    def order(
        self,
        modifiers: Sequence[str],
        head: str | None = None,
        *,
        tags: Sequence[str] | None = None,
        head_tag: str = "NN",
        n_best: int = 1,
    ) -> RankedOrders:
        """Finds the best order of modifiers.

        modifiers (Sequence[str]): At most 64 modifiers, possibly with repeats. Their order does not matter.
        head (str): The noun, if known.
        tags (Sequence[str]): Penn Treebank tags, one per modifier, if known; they improve the results.
        RAISES ValueError: If there are too many modifiers, they are a string, `n_best` is not positive, the number of
            tags is wrong, or the component has not been trained.
        """
        check_value("modifiers", modifiers, not isinstance(modifiers, str), "a list of strings")
        if tags is not None and len(tags) != len(modifiers):
            raise JointValueError(Errors.J143, first=f"{len(tags)} tags", second=f"{len(modifiers)} modifiers")
        words = tuple(map(Word, modifiers, tags or [""] * len(modifiers)))
        # Training phrases have tags for the head and the modifiers, or for neither.
        noun = None if head is None else Word(head, head_tag if tags is not None else "")
        return self.order_phrase(Phrase(words, noun), n_best)

    @uses_parts
    def order_phrase(self, phrase: Phrase, n_best: int = 1) -> RankedOrders:
        """Finds the best orders of the modifiers of a phrase: see `order`."""
        check_range("n_best", n_best, 1)
        self.require_trained()
        # Sorted, so that the result does not depend on the given order.
        ordered, places = sort_modifiers(phrase)
        # At least two, for the margin.
        found = self.perceptron.rank(self._get_word_columns().make_columns(ordered), max(n_best, 2))
        orders = tuple(Order(tuple(places[i] for i in indices), score) for indices, score in found)
        margin = orders[0].score - orders[1].score if len(orders) > 1 else float("inf")
        return RankedOrders(tuple(phrase.modifiers[i].text for i in orders[0].indices), orders[:n_best], margin)

    @uses_parts
    def score_order(self, phrase: Phrase) -> float:
        """Returns the score of the given order of the modifiers of a phrase."""
        self.require_trained()
        return self.perceptron.score(*_make_instance(self._get_word_columns(), phrase))

    def make_word_columns(self) -> PhraseColumns:
        """Makes the object that builds the columns of phrases."""
        return PhraseColumns(self.perceptron.templates.columns, self.word_classes)

    def _list_instances(self, phrases: Iterable[Phrase]) -> list[PhraseInstance]:
        """Makes an instance of each phrase with its tags, and of an evenly spread share of them again without tags."""
        instances: list[PhraseInstance] = []
        columns: PhraseColumns = self._get_word_columns()
        due = 0.0
        for phrase in phrases:
            if not 2 <= len(phrase.modifiers) <= MAX_MODIFIERS:
                continue
            instances.append(_make_instance(columns, phrase))
            due += self.cfg["untagged_share"]
            if due >= 1.0:
                due -= 1.0
                instances.append(_make_instance(columns, phrase.without_tags()))
        return instances

    def fit(
        self,
        phrases: Iterable[Phrase],
        *,
        epochs: int = 15,
        dropout: float = 0.5,
        seed: int = 0,
        word_classes: Mapping[str, Sequence[int]] | None = None,
    ) -> Iterator[float]:
        """Trains from scratch on phrases instead of examples, shuffled in each epoch. Yields the progress, from 0 to 1,
        after each batch.

        RAISES ValueError: If there are no phrases.
        """
        phrases = list(phrases)
        if not phrases:
            raise JointValueError(Errors.J330, source="The data", what="phrases with two or more modifiers")
        self.word_classes = WordClasses.from_dict(word_classes or {})
        self._set_up(list(LABELS), self.default_templates.read_text(encoding="utf8"))
        self.perceptron.seed = seed
        return self._learn(self._list_instances(phrases), epochs, dropout, np.random.default_rng(seed))

    def _learn(
        self, instances: Sequence[PhraseInstance], epochs: int, dropout: float, random: np.random.Generator
    ) -> Iterator[float]:
        for epoch in range(epochs):
            order = random.permutation(len(instances)).tolist()
            for first in range(0, len(order), BATCH):
                self.perceptron.update([[instances[i] for i in order[first : first + BATCH]]], dropout)
                yield (epoch + min(first + BATCH, len(order)) / len(order)) / epochs

    def collect_labels(self, examples: Iterable[Example]) -> list[str]:
        """Returns the fixed labels. RAISES ValueError: If no example has a phrase with two modifiers."""
        if not any(True for example in examples for _ in find_in_doc(example.reference, self.cfg["source"])):
            raise JointValueError(Errors.J330, source="The data", what="phrases with two or more modifiers")
        return list(LABELS)

    def make_system(self, labels: list[str]) -> OrderingSystem:
        """Makes the system of orders. RAISES ValueError: If the labels are not the fixed ones."""
        check_value(f"labels of '{self.name}'", labels, list(labels) == list(LABELS), ", ".join(LABELS))
        return OrderingSystem()

    def make_instances(self, example: Example) -> list[Any]:
        """Makes an instance of all phrases of the reference; none if it has neither trees nor tags."""
        reference = example.reference
        if not any(map(reference.has_annotation, ("DEP", "TAG"))):
            return []
        return [self._list_instances(phrase for _, phrase in find_in_doc(reference, self.cfg["source"]))]

    def _list_read_attributes(self) -> list[str]:
        return ["tag", "dep"] if self.cfg["source"] == "dependencies" else ["tag"]

    def predict_doc(self, doc: Doc) -> list[JudgedPhrase]:
        """Judges the phrases of a document, with a separate search for each."""
        return [
            self._judge(place, phrase)
            for place, phrase in find_in_doc(doc, self.cfg["source"])
            # Taggers give punctuation various tags.
            if len(phrase.modifiers) <= MAX_MODIFIERS
            and all(any(map(str.isalnum, word.text)) for word in phrase.modifiers)
        ]

    def _judge(self, place: Place, phrase: Phrase) -> JudgedPhrase:
        words, orders, margin = self.order_phrase(phrase, n_best=2)
        best = orders[0]
        if words == tuple(word.text for word in phrase.modifiers):
            return JudgedPhrase(place, tuple(range(len(words))), best.score, margin if len(orders) > 1 else 0.0)
        score = self.score_order(phrase)
        return JudgedPhrase(place, best.indices, score, score - best.score)

    def annotate(self, doc: Doc, prediction: list[JudgedPhrase]) -> None:
        """Writes the phrases to the spans of the document."""
        spans = []
        for place, best, score, margin in prediction:
            first, end = place.modifiers[0][0], place.head + 1
            words = tuple(token.lower_ for token in doc[first:end])
            exempt = any(words[i : i + len(fixed)] == fixed for fixed in self._exempt for i in range(len(words)))
            # `spacy find-threshold` sets a numpy threshold, and numpy's truth values are not indices.
            is_odd = int(margin < -self.cfg["threshold"] and not exempt)
            span = Span(doc, first, end, label=LABELS[is_odd])
            # Plain numbers, which can be serialised with the document.
            span._.best_order = tuple(token - first for i in best for token in range(*place.modifiers[i]))
            span._.order_score, span._.order_margin = score, margin
            spans.append(span)
        doc.spans[self.cfg["spans_key"]] = spans

    def suggest(self, doc: Doc) -> list[dict[str, Any]]:
        """Suggests corrections for the ODD phrases of an annotated document.

        RETURNS (list[dict]): JSON-serialisable data: `label`, `start` and `end` (tokens), `start_char` and `end_char`,
            `text`, `suggestion`, `score` and `margin`.
        """
        return [
            {
                "label": span.label_,
                **{name: getattr(span, name) for name in ("start", "end", "start_char", "end_char", "text")},
                "suggestion": reorder(span),
                "score": span._.order_score,
                "margin": span._.order_margin,
            }
            for span in read_spans(doc, self.cfg["spans_key"])
            if span.label_ == LABELS[True]
        ]

    def match(self, doc: Doc) -> list[tuple[int, int, int]]:
        """Finds the ODD phrases of an annotated document, in the format of spaCy's `Matcher`: label, start and end."""
        return [(doc.vocab.strings.add(s["label"]), s["start"], s["end"]) for s in self.suggest(doc)]


def _make_instance(columns: PhraseColumns, phrase: Phrase) -> PhraseInstance:
    ordered, places = sort_modifiers(phrase)
    return columns.make_columns(ordered), sorted(range(len(places)), key=places.__getitem__)


def get_best_order(span: Span) -> tuple[int, ...] | None:
    """Returns the tokens of the modifiers of a phrase in their best order, counted from the start of the span, so that
    they remain valid when documents are joined; None if the span is not a phrase."""
    order = span.doc.user_data.get(_make_key(span))
    # Deserialised documents have lists instead of tuples.
    return None if order is None else tuple(order)


def set_best_order(span: Span, order: Sequence[int]) -> None:
    """Stores the best order as spaCy stores extension values, so that it follows its span when documents are joined."""
    span.doc.user_data[_make_key(span)] = tuple(order)


def _make_key(span: Span) -> Any:
    # A tuple, although spaCy's stubs require strings.
    return ("._.", "best_order", span.start_char, span.end_char)


def reorder(span: Span) -> str:
    """Returns the text of a span with its modifiers in the best order. Hyphenated words stay together; commas and
    spaces stay in place."""
    doc = span.doc
    modifiers: list[Span] = []
    for token in map(span.__getitem__, span._.best_order):
        if token.is_space or token.text == ",":
            continue
        if modifiers and modifiers[-1].end == token.i and not doc[token.i - 1].whitespace_:
            modifiers[-1] = doc[modifiers[-1].start : token.i + 1]
        else:
            modifiers.append(doc[token.i : token.i + 1])
    places = sorted(modifiers, key=attrgetter("start"))
    starts = [*(place.start_char for place in places[1:]), span[-1].idx]
    gaps = [doc.text[place.end_char : start] for place, start in zip(places, starts, strict=True)]
    return "".join(chain(*zip(map(str, modifiers), gaps, strict=True))) + span[-1].text


register(Span, "best_order", getter=get_best_order, setter=set_best_order)
register(Span, "order_score", default=None)
register(Span, "order_margin", default=None)
