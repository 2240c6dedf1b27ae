"""`span_guide`: predicts where spans begin and end from the vectors of an encoder, as a spaCy component. It writes
columns, which the templates of `quotation_cues` and `quotation_spans` read."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab
from thinc.api import Model

from ..annotation.custom_columns import name_span_columns, write_column
from ..errors import check_value
from ..pipes.examples import require_spans
from ..pipes.guide_columns import find_span_places
from ..pipes.token_columns import find_whitespace
from .guide_pipe import GuidePipe, cross_entropy_of_odds


class SpanGuide(GuidePipe[Any]):
    """Predicts for each token whether spans begin at it, end with it, or contain it.

    spans_keys (Sequence[str]): The groups of `doc.spans`, which are its labels.
    RAISES ValueError: If these are not different strings, or there are none (J030).
    """

    model_name = "span_guide"

    def __init__(self, vocab: Vocab, model: Model, name: str, *, spans_keys: Sequence[str], **settings: Any) -> None:
        is_valid = spans_keys and all(spans_keys) and len(set(spans_keys)) == len(spans_keys)
        allowed = "a list of different groups of spans, such as quotations"
        check_value(f"spans_keys of '{name}'", spans_keys, is_valid, allowed)
        super().__init__(vocab, model, name, labels=spans_keys, **settings)

    def set_annotations(self, docs: Iterable[Doc], scores: Iterable[Any]) -> None:
        """Writes the predictions of `predict` as columns, with missing values for whitespace."""
        names = [name for key in self.labels for name in name_span_columns(key)]
        for doc, odds in zip(docs, scores, strict=True):
            columns = self.model.ops.to_numpy(odds).copy()
            columns[find_whitespace(doc)] = np.nan
            for name, column in zip(names, columns.T, strict=True):
                write_column(doc, name, np.ascontiguousarray(column))

    def collect_labels(self, examples: Iterable[Example]) -> list[str]:
        """Returns the groups of spans, which are settings.

        RAISES ValueError: If no reference has spans of one of them (J330).
        """
        examples = list(examples)
        for key in self.labels:
            require_spans(examples, key)
        return list(self.labels)

    def learn(self, vectors: list[Any], examples: list[Example]) -> tuple[float, list[Any]]:
        """Adds to the gradients of `heads`. The loss is the sum of the cross-entropies of all columns."""
        scores, backprop = self.model.get_ref("heads").begin_update(vectors)
        golds = [np.hstack([find_span_places(example, key) for key in self.labels]) for example in examples]
        n = sum(map(len, vectors))
        found = [cross_entropy_of_odds(self.model.ops, *pair) for pair in zip(scores, golds, strict=True)]
        return sum(loss for loss, _ in found) / n, backprop([gradient / n for _, gradient in found])
