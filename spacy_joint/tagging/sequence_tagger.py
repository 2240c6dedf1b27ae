"""`sequence_tagger`: tags by a Markov sequence model over whole documents, as a spaCy component.

It needs no sentence boundaries. With `sentence_starts`, each tag also encodes whether its token starts a sentence, and
the component sets `Token.is_sent_start`: the baseline that Bjorkelund et al. (2016) call MARMOT, after Mueller et al.
(2013). Preset starts, including those of trees, are kept. Whitespace gets spaCy's tag `_SP` and part of speech SPACE,
and never forms a sentence.

With `features`, a label is a tag with the values of these morphological features, which are predicted together, and
written to the column `fine_tag` for later components: `NOUN Case=Acc`.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from spacy.attrs import SENT_START
from spacy.morphology import Morphology
from spacy.parts_of_speech import IDS as POS_IDS
from spacy.tokens import Doc, Token
from spacy.training import Example

from ..annotation.custom_columns import FINE_TAG, write_column
from ..engine.learner import Instance
from ..errors import Warnings, check_choice, check_value
from ..pipes.streaming import MAX_DELAY, OpenDocument, StreamingPipe, cut_into_pieces
from ..pipes.token_columns import COLUMNS, SPACE_TAGS, find_reference_starts, read_aligned, read_starts
from .sequence_labeller import SequenceLabeller, TokenLabels
from .system import TaggingSystem


class SequenceTagger(SequenceLabeller, StreamingPipe):
    """Tags documents, and optionally predicts sentence starts."""

    default_templates = Path(__file__).parent / "templates.txt"
    trained_settings = ("attribute", "order", "sentence_starts", "features")
    # It must not read its own output.
    columns = tuple(name for name in COLUMNS if name not in ("tag", "pos", "morph"))

    def __init__(self, *args: Any, attribute: str, **settings: Any) -> None:
        check_choice("attribute", attribute, tuple(SPACE_TAGS))
        super().__init__(*args, attribute=attribute, **settings)

    @property
    def features(self) -> tuple[str, ...]:
        """The morphological features that are part of labels."""
        return tuple(self.cfg["features"])

    @property
    def learns_boundaries(self) -> bool:
        """Whether the component learns where sentences begin."""
        return bool(self.cfg["sentence_starts"])

    def read_labels(self, example: Example) -> list[str | None]:
        """Reads the tags of the reference; None for tokens without a tag, and for whitespace."""
        attribute = self.cfg["attribute"]
        tags = read_aligned(example, attribute)
        known = [tag if tag and tag != SPACE_TAGS[attribute] else None for tag in tags]
        names = self.features
        if not names:
            return known
        found = zip(known, read_aligned(example, "MORPH"), strict=True)
        return [tag and join_features(tag, features or "", names) for tag, features in found]

    def collect_labels(self, examples: Iterable[Example]) -> list[str]:
        """Collects the labels of references, sorted. Warns of features that none of them has (JW51)."""
        labels = super().collect_labels(examples)
        found = {pair.partition("=")[0] for label in labels for pair in label.rpartition(" ")[2].split("|")}
        for feature in self.features:
            if feature not in found:
                self.warn_once(Warnings.JW51, key=feature, feature=feature)
        return labels

    def make_system(self, labels: list[str]) -> TaggingSystem:
        """Makes the Markov model with these tags. RAISES ValueError: If they are not parts of speech (J040), or lack
        features (J030)."""
        for label in labels if self.features else ():
            allowed = "a tag with features, such as 'NOUN Case=Acc'"
            check_value(f"A label of '{self.name}'", label, split_label(label), allowed)
        for label in labels if self.cfg["attribute"] == "POS" else ():
            check_choice("label", split_label(label) if self.features else label, tuple(POS_IDS))
        return TaggingSystem(labels, self.cfg["order"], self.cfg["sentence_starts"])

    def make_instances(self, example: Example) -> list[Instance]:
        """Makes an instance of the tags of the reference; none if no tag is known, or if starts are predicted but not
        annotated."""
        tags = self.read_labels(example)
        known = {None, *self.perceptron.system.tags}
        if unknown := [tag for tag in tags if tag not in known]:
            self.warn_once(Warnings.JW03, label=unknown[0])
        if not self.cfg["sentence_starts"]:
            return self.encode(example, tags, None)
        starts = find_reference_starts(example)
        return [] if starts is None else self.encode(example, tags, starts)

    def get_constraints(self, doc: Doc) -> np.ndarray | None:
        """Returns preset boundaries (int8, one per token), if boundaries are predicted; else None."""
        return read_starts(doc) if self.cfg["sentence_starts"] else None

    def annotate(self, doc: Doc, prediction: TokenLabels) -> None:
        """Writes tags, and starts if they are predicted."""
        tokens, tags, starts = prediction
        attribute = self.cfg["attribute"]
        if self.features:
            fine: list[str | None] = [None] * len(doc)
            for token, label in zip(tokens.tolist(), tags, strict=True):
                fine[token] = label
            write_column(doc, FINE_TAG, fine)
            tags = list(map(split_label, tags))
        ids = self.get_label_ids(doc, tags)
        values = np.full(len(doc), doc.vocab.strings.add(SPACE_TAGS[attribute]), dtype=np.uint64)
        values[tokens] = [ids[tag] for tag in tags]
        doc.from_array([attribute], values)  # type: ignore[arg-type]  # wrong in its stub
        # spaCy refuses to set boundaries if there are trees; the boundaries of these have been kept anyway.
        if starts is not None and self.cfg["sentence_starts"] and not doc.has_annotation("DEP"):
            # Whitespace before the first sentence belongs to it.
            first = np.full(len(doc), -1, dtype=np.int64)
            first[[0, *tokens[1:][starts[1:]]]] = 1
            doc.from_array([SENT_START], first.astype(np.uint64))  # type: ignore[arg-type]  # wrong in its stub

    def stream(self, tokens: Iterable[Doc | Token], *, max_delay: int | None = MAX_DELAY) -> Iterator[Doc]:
        """Tags a streamed document in bounded memory: see `StreamingPipe`. Unless `max_delay` is reached, beyond which
        only the best tags are kept, tags are those of a call on the whole document."""
        document = OpenDocument(self, max_delay)

        def take_done(actions: np.ndarray) -> Iterator[Doc]:
            if len(actions) or (document.stream.ended and len(document.rows)):
                doc, words = document.pop_words(len(actions))
                self.annotate(doc, self.build(words, actions))
                yield doc

        for piece in cut_into_pieces(tokens, self.vocab):
            yield from take_done(document.feed(piece))
            if document.n_late:
                yield from take_done(document.stream.decide(document.n_late))
        yield from take_done(document.end())


@lru_cache(maxsize=1 << 16)
def join_features(tag: str, features: str, names: tuple[str, ...]) -> str:
    """Joins a tag with those of its features (`Name=Value|Name=Value`) that are in `names`, or with `_` if there are
    none."""
    values = Morphology.feats_to_dict(features)
    return f"{tag} {'|'.join(f'{name}={values[name]}' for name in names if name in values) or '_'}"


def split_label(label: str) -> str:
    """Returns the tag of a label with features."""
    return label.rpartition(" ")[0]
