"""Checks how well a tokenizer makes the words of a corpus, before training on these words: a component that is trained
on gold tokens does well on them even if the pipeline's tokenizer splits text differently.
"""

import warnings
from collections.abc import Callable, Iterable
from typing import Any

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


def score_words(
    tokenizer: Callable[[str], Doc], references: Iterable[Doc], max_words: int | None = SAMPLE_WORDS
) -> PRFScore:
    """Scores the words, without whitespace, that a tokenizer makes of the text of documents, up to about `max_words`
    (None: all)."""
    score = PRFScore()
    for reference in references:
        score.score_set(_list_words(tokenizer(reference.text)), _list_words(reference))
        if max_words is not None and score.tp + score.fn >= max_words:
            break
    return score


def _list_words(doc: Doc) -> set[tuple[int, int]]:
    # Not `Token.is_space`, which is always False if the vocabulary has no language.
    return {(token.idx, len(token)) for token in doc if not token.text.isspace()}


def check_word_scores(score: PRFScore, tokenizer: object) -> None:
    """Warns if F1 is below DOUBTFUL (JW20), unless there are no words.

    RAISES ValueError: If it is below USELESS (J505).
    """
    f_score, n_words = 100 * score.fscore, score.tp + score.fn
    percent = {"recall": 100 * score.recall, "precision": 100 * score.precision, "f_score": f_score}
    described: dict[str, Any] = {**percent, "n_words": n_words, "tokenizer": type(tokenizer).__name__}
    if n_words and f_score < USELESS:
        raise JointValueError(Errors.J505, least=USELESS, **described)
    if n_words and f_score < DOUBTFUL:
        advice = MORE_TEXT if hasattr(tokenizer, "initialize") else LEARN
        warnings.warn(JointWarning(Warnings.JW20, least=DOUBTFUL, advice=advice, **described), stacklevel=4)
