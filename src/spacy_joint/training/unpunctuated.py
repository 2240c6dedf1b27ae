"""Documents like the output of a speech recogniser: lower-cased, without punctuation, with repaired trees.

This is the starred variant of a treebank (EWT*). Words are not changed otherwise: numbers remain digits, and
disfluencies are neither added nor removed.
"""

import random
import unicodedata
from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray
from spacy.language import Language
from spacy.symbols import PUNCT, X
from spacy.tokens import Doc, Token
from spacy.training import Example

from ..annotation.custom_columns import copy_columns
from ..annotation.dependency_trees import prune
from ..corpora.examples import TOKEN_ANNOTATIONS, Augmenter
from ..errors import Errors, JointValueError

# Punctuation according to Unicode, but read as words.
SYMBOLS = frozenset("%&#@*/\\§")


def unpunctuate(doc: Doc) -> Doc | None:
    """Make the variant of a document; None if no token is left.

    Tokens with POS PUNCT and whitespace tokens, which treebanks do not have, are removed. Dependents of a removed token
    are attached to its nearest kept ancestor. If a sentence loses its root, its first orphan becomes the root and the
    others are attached to it as `parataxis`; empty sentences are dropped. TAG, POS, MORPH, LEMMA and labels are kept, a
    space follows every token; of spans, entities and user data, only custom columns are copied.

    Raises ValueError if the document has no POS or no sentence boundaries (J123), or if its trees and its sentences
    have different boundaries (J124).
    """
    for attribute in ("POS", "SENT_START"):
        if not doc.has_annotation(attribute):
            raise JointValueError(Errors.J123, attribute=attribute)
    kept = _find_kept(doc)
    return _restrict(doc, kept) if kept.any() else None


def remove_punctuation(doc: Doc) -> Doc | None:
    """Make the variant of a document without trees: what is punctuation depends on the characters of a token, not on
    its POS, as in `mark_punctuation`. None if no token is left.

    Where a sentence starts, the first of its tokens that is kept does.
    """
    kept = np.array([not token.text.isspace() and not _is_mark(token) for token in doc], dtype=bool)
    return _restrict(doc, kept) if kept.any() else None


def mark_punctuation(doc: Doc) -> None:
    """Set POS to PUNCT for tokens that are punctuation according to Unicode, except symbols that are read as words, and
    to X for others without POS. This is for pipelines that do not predict POS."""
    for token in doc:
        if _is_mark(token):
            token.pos = PUNCT
        elif not token.pos:
            token.pos = X


def _is_mark(token: Token) -> bool:
    return not token.text.isspace() and all(map(is_punctuation, token.text))


def is_punctuation(character: str) -> bool:
    """Whether a character is punctuation rather than a symbol that is read as a word, such as %."""
    return unicodedata.category(character).startswith("P") and character not in SYMBOLS


def create_unpunctuated_augmenter(*, share: float = 1.0, keep_original: bool = False) -> Augmenter:
    """Make an augmenter of training examples, registered as `spacy_joint.unpunctuated.v1`.

    share: The probability of changing a document. It uses Python's `random`, like spaCy's own augmenters.
    keep_original: Whether to yield the original, too, before its variant.
    Raises ValueError (J126) if share is not a probability; the augmenter raises ValueError (J123-J125).
    """
    if not 0.0 <= share <= 1.0:
        raise JointValueError(Errors.J126, found=share)
    return partial(_augment, share=share, keep_original=keep_original)


def _augment(nlp: Language, example: Example, *, share: float, keep_original: bool) -> Iterator[Example]:
    chosen = random.random() < share
    if keep_original or not chosen:
        yield example
    if chosen:
        predicted, reference = example.predicted, example.reference
        if [token.text for token in predicted] != [token.text for token in reference]:
            raise JointValueError(Errors.J125, words=_quote(reference))
        variant = unpunctuate(reference)
        if variant is not None:
            # Both sides keep the same tokens, whatever the predicted tags are.
            yield Example(_restrict(predicted, _find_kept(reference)), variant)


def _find_kept(doc: Doc) -> NDArray[np.bool_]:
    return np.array([token.pos != PUNCT and not token.text.isspace() for token in doc], dtype=bool)


def _restrict(doc: Doc, kept: NDArray[np.bool_]) -> Doc:
    """Copy the kept tokens, lower-cased, with all of their annotation, into a new document."""
    words = [token.text.lower() for token, keep in zip(doc, kept, strict=True) if keep]
    restricted = Doc(doc.vocab, words=words, spaces=[True] * len(words))
    copy_columns(doc, restricted, kept)
    columns = {name: _get_column(doc, name)[kept] for name in TOKEN_ANNOTATIONS if doc.has_annotation(name)}
    if "SENT_START" in columns:
        columns["SENT_START"] = _move_starts(_get_column(doc, "SENT_START"), kept)
    if doc.has_annotation("DEP"):
        heads = np.arange(len(doc)) + doc.to_array("HEAD").astype(np.int64)
        pruned = prune(heads, kept)
        labels = _get_column(doc, "DEP")[kept]
        labels[pruned.promoted] = doc.vocab.strings.add("ROOT")
        labels[pruned.adopted] = doc.vocab.strings.add("parataxis")
        columns["HEAD"] = (pruned.heads - np.arange(len(words))).astype(np.uint64)
        columns["DEP"] = labels
    if columns:
        table = np.stack(list(columns.values()), axis=1)
        restricted.from_array(list(columns), table)  # type: ignore[arg-type]  # thinc's own array type in its stub
    if "DEP" in columns and not np.array_equal(restricted.to_array("SENT_START"), columns["SENT_START"]):
        # If there are trees, spaCy derives the boundaries from them.
        raise JointValueError(Errors.J124, words=_quote(doc))
    return restricted


def _get_column(doc: Doc, attribute: str) -> NDArray[np.uint64]:
    return np.asarray(doc.to_array(attribute), dtype=np.uint64)


def _move_starts(starts: NDArray[np.uint64], kept: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Make the first kept token of each sentence its start; others keep their value (0: unknown, or -1 as unsigned)."""
    sentence = np.cumsum(starts == 1)
    _, first = np.unique(sentence[kept], return_index=True)
    moved = starts[kept]
    moved[first] = 1
    return moved


def _quote(doc: Doc) -> str:
    return repr(doc[:8].text + (" ..." if len(doc) > 8 else ""))
