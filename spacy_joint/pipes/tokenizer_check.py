"""Checks how well a tokenizer makes the words of a corpus, before training on these words: a component that is trained
on gold tokens does well on them even if the pipeline's tokenizer splits text differently.
"""

import warnings
from collections.abc import Callable, Iterable
from typing import NamedTuple

from spacy.scorer import PRFScore
from spacy.tokens import Doc

from ..errors import Errors, JointValueError, JointWarning, Warnings

# The number of words after which the tokenizer is judged.
SAMPLE_WORDS = 10_000
# F1 of words, in percent, below which there is a warning, and below which (chance reaches it) training is refused.
DOUBTFUL, USELESS = 95, 50
# Advice for a tokenizer with fixed rules, and for a learnt one.
LEARN = (
    "Learn exceptions with `spacy joint tokenizer-exceptions`, or set `@tokenizers = "
    '"spacy_joint.CharacterTokenizer.v1"`, which is learnt from the corpus'
)
MORE_TEXT = "It is learnt from the corpus: let it learn from more text, or set another tokenizer of the language"


class WordScores(NamedTuple):
    """Scores of the words that a tokenizer makes of the text of documents.

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
    """Compares a tokenizer with documents, and stops after `max_words` words (None: never)."""
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


def check_word_scores(scores: WordScores, tokenizer: object) -> None:
    """Warns if F1 is below DOUBTFUL (JW20).

    RAISES ValueError: If it is below USELESS (J505).
    """
    described = {**scores._asdict(), "tokenizer": type(tokenizer).__name__}
    if scores.f_score < USELESS:
        raise JointValueError(Errors.J505, least=USELESS, **described)
    if scores.f_score < DOUBTFUL:
        advice = MORE_TEXT if hasattr(tokenizer, "initialize") else LEARN
        warnings.warn(JointWarning(Warnings.JW20, least=DOUBTFUL, advice=advice, **described), stacklevel=4)
