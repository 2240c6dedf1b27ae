"""Documents like the output of a speech recogniser: lower-cased, without punctuation, with repaired trees.

This is the starred variant of a treebank (EWT*). Words are not changed otherwise: numbers remain digits, and
disfluencies are neither added nor removed.
"""

import random
import unicodedata
from collections.abc import Iterable, Iterator
from functools import partial

from spacy.language import Language
from spacy.symbols import PUNCT, X
from spacy.tokens import Doc, Token
from spacy.training import Example

from ..corpora.examples import Augmenter
from ..errors import Errors, JointValueError
from .rewriting import Word, copy_words, require_same_tokens, require_words, rewrite

# Punctuation according to Unicode, but read as words.
SYMBOLS = frozenset("%&#@*/\\§")


def unpunctuate(doc: Doc) -> Doc | None:
    """Make the variant of a document; None if no token is left.

    Tokens with POS PUNCT and whitespace tokens, which treebanks do not have, are removed, and a space follows every
    token; for trees and labels, see `rewrite`.

    Raises ValueError if the document has no POS or no sentence boundaries (J123), or if its trees and its sentences
    have different boundaries (J124).
    """
    words = find_spoken(doc, copy_words(doc))
    return rewrite(doc, words) if words else None


def find_spoken(doc: Doc, words: Iterable[Word]) -> list[Word]:
    """The words that stand for tokens without POS PUNCT, lower-cased.

    Raises ValueError (J123) if the document has no POS or no sentence boundaries.
    """
    require_words(doc)
    return [
        word._replace(text=word.text.lower(), space=True)
        for word in words
        if doc[word.source].pos != PUNCT and not doc[word.source].text.isspace()
    ]


def remove_punctuation(doc: Doc) -> Doc | None:
    """Make the variant of a document without trees: what is punctuation depends on the characters of a token, not on
    its POS, as in `mark_punctuation`. None if no token is left.

    Where a sentence starts, the first of its tokens that is kept does.
    """
    words = [
        Word(token.text.lower(), True, token.i) for token in doc if not token.text.isspace() and not _is_mark(token)
    ]
    return rewrite(doc, words) if words else None


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
        require_same_tokens(example)
        # Both sides keep the same tokens, whatever the predicted tags are.
        words = find_spoken(example.reference, copy_words(example.reference))
        if words:
            yield Example(rewrite(example.predicted, words), rewrite(example.reference, words))
