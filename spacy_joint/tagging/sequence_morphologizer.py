"""`sequence_morphologizer`: parts of speech and morphological features of parsed tokens, as a spaCy component.

A label is a part of speech with features, in the format of spaCy's `morphologizer`: `Number=Sing|POS=NOUN`. Much of it
follows from the tag. The tree adds to it: the number of a verb, for instance, follows from its subject.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from spacy.attrs import POS
from spacy.morphology import Morphology
from spacy.parts_of_speech import IDS as POS_IDS
from spacy.tokens import Doc, MorphAnalysis
from spacy.training import Example
from spacy.vocab import Vocab

from ..errors import check_choice, check_value
from ..pipes.token_columns import COLUMNS, read_aligned
from ..pipes.tree_columns import TREE_COLUMNS, TreeColumns
from .sequence_labeller import SequenceLabeller, TokenLabels
from .system import TaggingSystem

PART = "POS"


class MorphCache(dict[str, tuple[int, MorphAnalysis]]):
    """The parts of speech and features of labels. A pickled copy is empty, since a pickled vocabulary has no features.

    All labels of a model are looked up when it is set up: in `nlp.memory_zone`, spaCy would forget features whose
    strings a document had added before.
    """

    def __init__(self, vocab: Vocab, labels: Iterable[str] = ()) -> None:
        self.vocab = vocab
        for label in labels:
            self.__missing__(label)

    def __missing__(self, label: str) -> tuple[int, MorphAnalysis]:
        features = Morphology.feats_to_dict(label)
        part = features.pop(PART, "")
        self[label] = meaning = POS_IDS[part], MorphAnalysis(self.vocab, features)
        return meaning

    def __reduce__(self) -> tuple[Any, ...]:
        return (MorphCache, (self.vocab,))


class SequenceMorphologizer(SequenceLabeller):
    """Gives tokens parts of speech and features."""

    label_kind = "parts of speech or features"
    default_templates = Path(__file__).parent / "morphology_templates.txt"
    coarse_templates = Path(__file__).parent / "coarse_morphology_templates.txt"
    # It must not read its own output.
    columns = (*(name for name in COLUMNS if name != "morph"), *TREE_COLUMNS)
    columns_class = TreeColumns

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self._morph_cache = MorphCache(self.vocab)

    def make_system(self, labels: list[str]) -> TaggingSystem:
        """Makes a system without memory of previous labels. RAISES ValueError: If a label is malformed (J030), or its
        part of speech unknown (J040)."""
        for label in labels:
            is_valid = all(pair.count("=") == 1 for pair in label.split("|") if label)
            check_value("A label", label, is_valid, "such as POS=NOUN|Number=Sing")
            check_choice("part of speech", Morphology.feats_to_dict(label).get(PART, ""), tuple(POS_IDS))
        self._morph_cache = MorphCache(self.vocab, labels)
        return super().make_system(labels)

    def read_labels(self, example: Example) -> list[str | None]:
        """Reads parts of speech with features; None for tokens that have neither."""
        parts = read_aligned(example, "POS")
        features = read_aligned(example, "MORPH")
        return [_join(part, feature) for part, feature in zip(parts, features, strict=True)]

    def annotate(self, doc: Doc, prediction: TokenLabels) -> None:
        """Writes `token.pos` and `token.morph`."""
        tokens, labels, _ = prediction
        cache = self._morph_cache if doc.vocab is self.vocab else MorphCache(doc.vocab)
        found = [cache[label] for label in labels]
        parts = np.full(len(doc), POS_IDS["SPACE"], dtype=np.uint64)
        parts[tokens] = [part for part, _ in found]
        doc.from_array([POS], parts)  # type: ignore[arg-type]  # wrong in its stub
        if len(tokens) < len(doc):
            nothing = MorphAnalysis(doc.vocab)
            for token in np.flatnonzero(parts == POS_IDS["SPACE"]).tolist():
                doc[token].morph = nothing
        # Not by `Doc.from_array`, which looks up the features of each token as a string.
        for token, (_, analysis) in zip(tokens.tolist(), found, strict=True):
            doc[token].morph = analysis


def _join(part: str | None, features: str | None) -> str | None:
    if part == "SPACE" or part is None or features is None or not (part or features):
        return None
    return Morphology.dict_to_feats({**Morphology.feats_to_dict(features), **({PART: part} if part else {})})
