"""Scores from raw text: words, sentences, tags and trees, where the words are predicted, too.

The measures are those of the CoNLL 2018 shared task (https://universaldependencies.org/conll18/evaluation.html). Words
and sentences are spans of the text without whitespace, and each score is an F1 over all of them: a missed word counts
as wrong in every score. Subtypes of relations are ignored. spaCy has no multiword tokens: its tokens correspond to the
Words of the shared task, and the Tokens of the shared task are not scored.
"""

from __future__ import annotations

from collections.abc import Iterable

from spacy.scorer import PRFScore
from spacy.tokens import Doc, Token

from ..errors import Errors, JointValueError

Span = tuple[int, int]
"""The start and the end, in non-whitespace characters."""


def score_raw_text(predicted: Iterable[Doc], references: Iterable[Doc]) -> dict[str, float]:
    """Score documents made from the texts of the references. Scores are between 0 and 1, pooled over all documents.

    - `raw_words_p`, `raw_words_r`, `raw_words_f`: words, correct if both ends are.
    - `raw_sents_p`, `raw_sents_r`, `raw_sents_f`: sentences, correct if both ends are.
    - `raw_tag_f`, `raw_pos_f`: words with the correct TAG and POS (XPOS and UPOS).
    - `raw_uas_f`, `raw_las_f`: words with the correct head, and with the correct relation, too.

    predicted, references: Equally many documents with sentences and trees, whose texts differ only in whitespace.
    Raises ValueError (J152) if two texts differ.
    """
    scores: dict[str, PRFScore] = {}
    for found, right in zip(predicted, references, strict=True):
        if _remove_whitespace(found.text) != _remove_whitespace(right.text):
            raise JointValueError(Errors.J152, found=found.text[:50], expected=right.text[:50])
        expected = _collect_facts(right)
        for name, facts in _collect_facts(found).items():
            scores.setdefault(name, PRFScore()).score_set(facts, expected[name])
    summary: dict[str, float] = {}
    for name, score in scores.items():
        if name in ("words", "sents"):
            summary |= {f"raw_{name}_p": score.precision, f"raw_{name}_r": score.recall}
        summary[f"raw_{name}_f"] = score.fscore
    return summary


def _collect_facts(doc: Doc) -> dict[str, set[tuple]]:
    """The annotation of a document, as one set of facts per measure."""
    spans: dict[int, Span] = {}
    begin = 0
    for token in doc:
        end = begin + len(_remove_whitespace(token.text))
        if end > begin:
            spans[token.i] = (begin, end)
        begin = end
    words = [(spans[token.i], token) for token in doc if token.i in spans]
    sentences = [[spans[token.i] for token in sentence if token.i in spans] for sentence in doc.sents]
    trees = [(span, _get_head(token, spans), _get_relation(token)) for span, token in words]
    return {
        "words": set(spans.values()),
        "sents": {(inside[0][0], inside[-1][1]) for inside in sentences if inside},
        "tag": {(span, token.tag_) for span, token in words},
        "pos": {(span, token.pos_) for span, token in words},
        "uas": {(span, head) for span, head, _ in trees},
        "las": set(trees),
    }


def _get_head(token: Token, spans: dict[int, Span]) -> Span | None:
    """The span of the head; None for a root."""
    return None if token.head.i == token.i else spans.get(token.head.i)


def _get_relation(token: Token) -> str:
    return token.dep_.partition(":")[0].lower()


def _remove_whitespace(text: str) -> str:
    return "".join(text.split())
