"""Choosing the morphological features that a parser sees with its tags, on the development set.

The value of a feature is the information about relations that it adds to the tag. It is estimated without training
anything: by the bits per word by which it reduces the surprisal of the relations of the development set.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from spacy.morphology import Morphology
from spacy.tokens import Doc

from ..annotation.dependency_trees import cut_subtype

# The minimum value of a feature, in bits per word, and the maximum number of features: each divides tags further.
MIN_GAIN, MAX_FEATURES = 0.02, 4
# The weight of the less specific estimate, in words.
SMOOTHING = 2.0


# Words with the same annotation: the tag, the features, the relation, and their number.
Counted = list[tuple[str, dict[str, str], str, int]]


def choose_features(train: Iterable[Doc], dev: Iterable[Doc]) -> list[str]:
    """Chooses the most valuable features, best first, each given those before it."""
    learnt, tested = _count_words(train), _count_words(dev)
    names = sorted({name for _, features, _, _ in learnt for name in features})
    chosen: list[str] = []
    bits = _measure_bits(learnt, tested, chosen)
    while len(chosen) < MAX_FEATURES and len(chosen) < len(names):
        others = [name for name in names if name not in chosen]
        least, best = min((_measure_bits(learnt, tested, [*chosen, name]), name) for name in others)
        if bits - least < MIN_GAIN:
            break
        chosen.append(best)
        bits = least
    return chosen


def _count_words(docs: Iterable[Doc]) -> Counted:
    counts = Counter(
        (token.tag_, str(token.morph), cut_subtype(token.dep_))
        for doc in docs
        for token in doc
        if token.tag and token.dep
    )
    return [(tag, Morphology.feats_to_dict(morph), relation, n) for (tag, morph, relation), n in counts.items()]


def _measure_bits(learnt: Counted, tested: Counted, names: Sequence[str]) -> float:
    """Measures the mean surprisal of the relations of tested words, smoothed by less specific estimates."""

    def list_keys(tag: str, features: dict[str, str]) -> tuple[tuple[str, ...], ...]:
        return (), (tag,), (tag, *(features.get(name, "") for name in names))

    given: Counter[tuple[str, ...]] = Counter()
    together: Counter[tuple[tuple[str, ...], str]] = Counter()
    for tag, features, relation, n in learnt:
        for key in set(list_keys(tag, features)):
            given[key] += n
            together[key, relation] += n
    n_relations = len({relation for _, _, relation, _ in learnt}) + 1
    bits = 0.0
    for tag, features, relation, n in tested:
        probability = 1 / n_relations
        for key in list_keys(tag, features):
            counted = together[key, relation] + SMOOTHING * probability
            probability = counted / (given[key] + SMOOTHING)
        bits -= n * math.log2(probability)
    return bits / max(sum(n for *_, n in tested), 1)
