"""Falls back to gold annotation in training if no earlier component has annotated the document, as by default
(`annotating_components` is empty). A parser trained without tags cannot use those of a tagger later; one that always
sees gold tags trusts them too much, so some tokens get none."""

from collections.abc import Sequence

import numpy as np
from spacy.training import Example

from .token_columns import read_aligned


def fall_back_to_gold(example: Example, attributes: Sequence[str], drop: float, seed: Sequence[int]) -> Example:
    """Returns the example, with a copy of its predicted document that also has those of the attributes ("tag", "pos",
    "morph", "dep") that only the reference has. A random share of the tokens, `drop`, gets none of the first three."""
    lacking = [
        attribute
        for attribute in map(str.upper, attributes)
        if not example.predicted.has_annotation(attribute) and example.reference.has_annotation(attribute)
    ]
    if not lacking:
        return example
    filled = Example(example.predicted.copy(), example.reference)
    dropped = np.random.default_rng(seed).random(len(filled.predicted)) < drop
    # The reference may have another vocabulary.
    strings = filled.predicted.vocab.strings
    for attribute in lacking:
        if attribute == "DEP":
            names = ["HEAD", "DEP"]
            heads, relations = filled.get_aligned_parse(projectivize=False)
            # A token without a counterpart is its own head and has no relation.
            heads = np.array([token if head is None else head for token, head in enumerate(heads)], dtype=np.int64)
            ids = np.array([strings.add(relation) if relation else 0 for relation in relations], dtype=np.uint64)
            values = np.column_stack([(heads - np.arange(len(heads))).view(np.uint64), ids])
        else:
            names = [attribute]
            found = read_aligned(filled, attribute)
            values = np.array([strings.add(value) if value else 0 for value in found], dtype=np.uint64)
            values[dropped] = 0
        filled.predicted.from_array(names, values)  # type: ignore[arg-type]  # wrong in its stub
    return filled
