"""Finds texts that are probably in another language than a pipeline's, by its word classes."""

import warnings

import numpy as np
from spacy.attrs import LOWER
from spacy.language import Language
from spacy.tokens import Doc

from ..errors import JointWarning, Warnings
from .word_classes import NO_CLASSES

# Texts with fewer letters are not judged. In other texts, a pipeline knows words with at least this share of letters,
# unless the text is in another language.
MIN_LETTERS, MIN_KNOWN = 30, 0.4


def find_language_warning(nlp: Language, doc: Doc) -> JointWarning | None:
    """Finds whether the word classes of the pipeline have few of the words, so that the text is probably in another
    language (JW50)."""
    tables = (getattr(component, "word_classes", NO_CLASSES) for _, component in nlp.components)
    classes = next((table for table in tables if len(table.words)), None)
    lexemes = [(doc.vocab[word], n) for word, n in doc.count_by(LOWER).items()]
    # Weighted by length, since some languages, such as Chinese, have few spaces.
    counts = {
        lexeme.orth: n * len(lexeme.text)
        for lexeme, n in lexemes
        if lexeme.text[0].isalpha() and not (lexeme.like_url or lexeme.like_email)
    }
    n_letters = sum(counts.values())
    if classes is None or n_letters < MIN_LETTERS:
        return None
    is_known = classes.look_up(np.array(list(counts), dtype=np.uint64))[:, 0] > 0
    share = float(np.array(list(counts.values()))[is_known].sum()) / n_letters
    return JointWarning(Warnings.JW50, share=share) if share < MIN_KNOWN else None


def warn_of_language(nlp: Language, doc: Doc) -> bool:
    """Warns if a text is probably in another language (JW50). Returns whether it did."""
    warning = find_language_warning(nlp, doc)
    if warning:
        warnings.warn(warning, stacklevel=2)
    return warning is not None
