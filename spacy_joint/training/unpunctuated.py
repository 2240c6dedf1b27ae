"""Documents like the output of a speech recogniser, lower-cased and without punctuation, with repaired trees: the
starred variant of a treebank (EWT*). Numbers remain digits; disfluencies are neither added nor removed.
"""

import random
from collections.abc import Iterable, Iterator
from functools import partial

from spacy.language import Language
from spacy.symbols import PUNCT, X
from spacy.tokens import Doc
from spacy.training import Example

from ..annotation.restored import attach_mark, is_punctuation, list_marked, list_texts, write_restored
from ..corpora.examples import Augmenter
from ..errors import check_range
from ..pipes.spelling import Spelling
from .rewriting import Word, copy_words, require_same_tokens, require_words, rewrite, rewrite_example


def unpunctuate(doc: Doc) -> Doc | None:
    """Make the variant of a document, without tokens with POS PUNCT and whitespace tokens; return None if no token is
    left. A space follows every token; for trees and labels, see `rewrite`.

    RAISES ValueError: If the document has no POS or no sentence boundaries (J126), or trees and sentences have
        different boundaries (J124).
    """
    words = find_spoken(doc, copy_words(doc))
    return rewrite(doc, words) if words else None


def find_spoken(doc: Doc, words: Iterable[Word]) -> list[Word]:
    """List the words for tokens without POS PUNCT, lower-cased. Raises J126 without POS or boundaries."""
    require_words(doc)
    spelling = Spelling(language=doc.vocab.lang)
    return [
        word._replace(text=spelling.lower(word.text), space=True)
        for word in words
        if doc[word.source].pos != PUNCT and not doc[word.source].text.isspace()
    ]


def remove_punctuation(doc: Doc, *, keep_marks: bool = False) -> Doc | None:
    """Make the variant of a document without trees, recognising punctuation by its characters, like `mark_punctuation`;
    return None if no token is left.

    keep_marks (bool): Whether its tokens have the text with marks and capitals as `_.restored`. If so, the variant has
        no boundaries.
    """
    kept = [token for token in doc if not token.text.isspace() and not is_punctuation(token.text)]
    if not kept:
        return None
    spelling = Spelling(language=doc.vocab.lang)
    variant = rewrite(doc, [Word(spelling.lower(token.text), True, token.i) for token in kept])
    if keep_marks:
        written = list_marked(doc, list_texts(doc))
        texts = [attach_mark(word.text, word.mark) for word in written]
        # Only changed texts are stored.
        write_restored(
            variant, [None if text == token.text else text for token, text in zip(variant, texts, strict=True)]
        )
        for token in variant:
            token.is_sent_start = None
    return variant


def mark_punctuation(doc: Doc) -> None:
    """Set POS to PUNCT for Unicode's punctuation, except SYMBOLS, and to X for other tokens without POS."""
    for token in doc:
        if is_punctuation(token.text):
            token.pos = PUNCT
        elif not token.pos:
            token.pos = X


def create_unpunctuated_augmenter(*, share: float = 1.0, keep_original: bool = False) -> Augmenter:
    """Make an augmenter of training examples, registered as `spacy_joint.unpunctuated.v1`.

    share (float): The probability of changing a document. Draws are from Python's `random`, like spaCy's augmenters.
    keep_original (bool): Whether to yield the original, too, before its variant.
    RAISES ValueError: If share is not a probability (J030); when augmenting, J124, J125, J126.
    """
    check_range("share", share, 0, 1)
    return partial(_augment, share=share, keep_original=keep_original)


def _augment(nlp: Language, example: Example, *, share: float, keep_original: bool) -> Iterator[Example]:
    chosen = random.random() < share
    if keep_original or not chosen:
        yield example
    if chosen:
        require_same_tokens(example)
        # Gold tags choose the tokens of both sides.
        words = find_spoken(example.reference, copy_words(example.reference))
        if words:
            yield rewrite_example(example, words)
