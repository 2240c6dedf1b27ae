"""How well a tokenizer makes the words of a corpus, which is checked before anything is trained on these words.

A component that is trained on gold tokens looks fine in every evaluation on gold tokens, even if the pipeline's own
tokenizer splits text differently.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import NamedTuple

from spacy.language import Language
from spacy.scorer import PRFScore
from spacy.tokens import Doc
from spacy.training import Example

from ..errors import Errors, JointValueError, JointWarning, Warnings
from .no_tokenizer import NoTokenizer

# The number of words after which the tokenizer is judged.
SAMPLE_WORDS = 10_000
# F1 of words, in percent: below the first, there is a warning; below the second, training is refused. An error in a
# word costs about as much accuracy as an error in a tag. What is below the second finds words by chance.
DOUBTFUL = 95
USELESS = 50


class WordScores(NamedTuple):
    """Words that a tokenizer makes of the text of documents, compared with those of the documents.

    precision, recall, f_score: In percent; 100 if there are no words.
    n_words: The number of words of the documents. Whitespace tokens do not count.
    """

    precision: float
    recall: float
    f_score: float
    n_words: int


def score_words(
    tokenizer: Callable[[str], Doc], references: Iterable[Doc], max_words: int | None = SAMPLE_WORDS
) -> WordScores:
    """Compare a tokenizer with documents, of which none is read after the first `max_words` words (None: all are)."""
    score = PRFScore()
    n_words = 0
    for reference in references:
        words = _list_words(reference)
        score.score_set(_list_words(tokenizer(reference.text)), words)
        n_words += len(words)
        if max_words is not None and n_words >= max_words:
            break
    if not n_words:
        return WordScores(100.0, 100.0, 100.0, 0)
    return WordScores(100 * score.precision, 100 * score.recall, 100 * score.fscore, n_words)


def _list_words(doc: Doc) -> set[tuple[int, int]]:
    # Not `Token.is_space`, which is always False if the vocabulary has no language.
    return {(token.idx, len(token)) for token in doc if not token.text.isspace()}


def check_tokenizer(nlp: Language, examples: Iterable[Example]) -> None:
    """Compare the tokenizer of a pipeline, unless it has none, with the references of examples.

    Warns if F1 is below DOUBTFUL (JW20); raises ValueError if it is below USELESS (J505).
    """
    if not isinstance(nlp.tokenizer, NoTokenizer):
        report_unfit(score_words(nlp.tokenizer, (example.reference for example in examples)), nlp.tokenizer)


def report_unfit(scores: WordScores, tokenizer: object) -> None:
    """Warn or raise as `check_tokenizer` does."""
    described = {**scores._asdict(), "tokenizer": type(tokenizer).__name__}
    if scores.f_score < USELESS:
        raise JointValueError(Errors.J505, least=USELESS, **described)
    if scores.f_score < DOUBTFUL:
        warnings.warn(JointWarning(Warnings.JW20, least=DOUBTFUL, **described), stacklevel=4)
