"""Scores of predicted orders of modifiers against the original order: by phrases and by pairs."""

from collections.abc import Callable, Iterable
from functools import partial
from itertools import combinations
from typing import Any

from spacy.training import Example

from .counts import divide


def make_order_scorer(spans_key: str = "prenominal") -> Callable[..., dict[str, Any]]:
    """Make the scorer of the phrases in `doc.spans[spans_key]`, registered as `spacy_joint.order_scorer.v1`."""
    return partial(score_orders, spans_key=spans_key)


def score_orders(examples: Iterable[Example], *, spans_key: str, **kwargs: Any) -> dict[str, Any]:
    """Score `order_full` and `order_pair` against the original order, and `order_odd`, the share labelled ODD.

    Scores are between 0 and 1, or None if nothing could be scored.
    """
    full = correct = pairs = odd = n = 0
    for example in examples:
        for span in example.predicted.spans.get(spans_key, []):
            order = span._.best_order
            texts = [span[token].lower_ for token in order]
            n += 1
            full += texts == [span[token].lower_ for token in sorted(order)]
            correct += sum(a < b for a, b in combinations(order, 2))
            pairs += len(order) * (len(order) - 1) // 2
            odd += span.label_ == "ODD"
    return {"order_full": divide(full, n), "order_pair": divide(correct, pairs), "order_odd": divide(odd, n)}
