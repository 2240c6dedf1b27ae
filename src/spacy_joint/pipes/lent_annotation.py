"""Annotation of the reference that a component learns with, where nothing before it has annotated the document.

With spaCy's default settings, no component annotates the training documents of those after it (`annotating_components`
is empty). A parser that never sees a tag in training is lost when it gets them from a tagger later. A parser that
always sees the right one trusts it too much, so some tokens get none.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from spacy.training import Example


def lend_annotation(example: Example, attributes: Sequence[str], drop: float, seed: Sequence[int]) -> Example:
    """An example whose predicted document has the attributes.

    example (Example): The example, which is not modified.
    attributes (Sequence[str]): Of "tag", "pos" and "dep", the relations and heads.
    drop (float): The share of tokens, chosen at random, that get no tag and no part of speech.
    seed (Sequence[int]): The seed of this choice.
    RETURNS (Example): The same example, or, if its predicted document has no annotation of an attribute, but its
        reference does, one with a copy that has that of the reference.
    """
    lacking = [
        attribute
        for attribute in map(str.upper, attributes)
        if not example.predicted.has_annotation(attribute) and example.reference.has_annotation(attribute)
    ]
    if not lacking:
        return example
    lent = Example(example.predicted.copy(), example.reference)
    dropped = np.random.default_rng(seed).random(len(lent.predicted)) < drop
    for attribute in lacking:
        if attribute == "DEP":
            names, values = ["HEAD", "DEP"], _align_trees(lent)
        else:
            names, values = (
                [attribute],
                np.array([value or 0 for value in lent.get_aligned(attribute)], dtype=np.uint64),
            )
            values[dropped] = 0
        lent.predicted.from_array(names, values)  # type: ignore[arg-type]  # wrong in its stub
    return lent


def _align_trees(example: Example) -> np.ndarray:
    """Offsets of heads and ids of relations; a token without a counterpart is its own head and has no relation."""
    heads, relations = example.get_aligned_parse(projectivize=False)
    strings = example.predicted.vocab.strings
    offsets = [0 if head is None else head - token for token, head in enumerate(heads)]
    ids = [strings.add(relation) if relation else 0 for relation in relations]
    return np.stack([np.array(offsets, dtype=np.int64).astype(np.uint64), np.array(ids, dtype=np.uint64)], axis=1)
