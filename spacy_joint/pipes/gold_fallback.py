"""Annotation of the reference that a component learns with, where no earlier component has annotated the document, as
by default (`annotating_components` is empty). A parser that sees no tags in training is lost when it gets them from a
tagger later; one that always sees the right ones trusts them too much, so some tokens get none."""

from collections.abc import Sequence

import numpy as np
from spacy.training import Example


def fall_back_to_gold(example: Example, attributes: Sequence[str], drop: float, seed: Sequence[int]) -> Example:
    """The example, with a copy of its predicted document that has those of the attributes ("tag", "pos", "morph",
    "dep") which only the reference has. A random share of the tokens, `drop`, gets none of the first three."""
    lacking = [
        attribute
        for attribute in map(str.upper, attributes)
        if not example.predicted.has_annotation(attribute) and example.reference.has_annotation(attribute)
    ]
    if not lacking:
        return example
    lent = Example(example.predicted.copy(), example.reference)
    dropped = np.random.default_rng(seed).random(len(lent.predicted)) < drop
    # The vocabulary of the reference may be another one.
    strings = lent.predicted.vocab.strings
    for attribute in lacking:
        if attribute == "DEP":
            names = ["HEAD", "DEP"]
            heads, relations = lent.get_aligned_parse(projectivize=False)
            # A token without a counterpart is its own head and has no relation.
            heads = np.array([token if head is None else head for token, head in enumerate(heads)], dtype=np.int64)
            ids = np.array([strings.add(relation) if relation else 0 for relation in relations], dtype=np.uint64)
            values = np.column_stack([(heads - np.arange(len(heads))).view(np.uint64), ids])
        else:
            names = [attribute]
            found = lent.get_aligned(attribute, as_string=True)
            values = np.array([strings.add(value) if value else 0 for value in found], dtype=np.uint64)
            values[dropped] = 0
        lent.predicted.from_array(names, values)  # type: ignore[arg-type]  # wrong in its stub
    return lent
