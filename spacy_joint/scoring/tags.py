"""Scores of tags, for components that predict tags and possibly sentence boundaries.

Tag accuracy is spaCy's; for boundaries see boundaries_and_trees.py.
"""

from collections.abc import Iterable
from typing import Any

from spacy.scorer import Scorer
from spacy.training import Example

from .boundaries_and_trees import score_boundaries
from .counts import make_factory


def score_tags(examples: Iterable[Example], *, attribute: str | None = None, **kwargs: Any) -> dict[str, Any]:
    """Score `tag_acc`, `pos_acc`, and, if boundaries were predicted, `boundary_p`, `boundary_r`, `boundary_f`.

    Scores are between 0 and 1, or None if nothing could be scored.

    attribute (str | None): "TAG" or "POS", to score only this one.
    kwargs: Options of spaCy's `Scorer.score_token_attr`.
    """
    examples = list(examples)
    scores: dict[str, Any] = {}
    for name in ("tag", "pos") if attribute is None else (attribute.lower(),):
        scores |= Scorer.score_token_attr(examples, name, **kwargs)
    if any(example.predicted.has_annotation("SENT_START") for example in examples):
        scores |= score_boundaries(examples)
    return scores


# Registered as `spacy_joint.tag_scorer.v1`.
make_tag_scorer = make_factory(score_tags)
