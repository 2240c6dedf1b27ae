"""Scores from raw text: words, sentences, tags, features, lemmas and trees, where the words are predicted, too.

The measures are those of the CoNLL 2018 shared task (https://universaldependencies.org/conll18/evaluation.html). Words
and sentences are spans of the text without whitespace, and each score is an F1 over all of them: a missed word counts
as wrong in every score. Subtypes of relations are ignored. spaCy has no multiword tokens: its tokens correspond to the
Words of the shared task, and the Tokens of the shared task are not scored.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from spacy.scorer import PRFScore
from spacy.tokens import Doc, Token

from ..errors import Errors, JointValueError

Span = tuple[int, int]
"""The start and the end, in non-whitespace characters."""

# The features that the shared task compares; it ignores those of single languages, and layers such as Number[psor].
UNIVERSAL_FEATURES = frozenset(
    (
        *("PronType", "NumType", "Poss", "Reflex", "Foreign", "Abbr", "Gender", "Animacy", "Number", "Case"),
        *("Definite", "Degree", "VerbForm", "Mood", "Tense", "Aspect", "Voice", "Evident", "Polarity", "Person"),
        "Polite",
    )
)


def score_raw_text(predicted: Iterable[Doc], references: Iterable[Doc]) -> dict[str, float]:
    """Score documents made from the texts of the references. Scores are between 0 and 1, pooled over all documents.

    - `raw_words_p`, `raw_words_r`, `raw_words_f`: words, correct if both ends are.
    - `raw_sents_p`, `raw_sents_r`, `raw_sents_f`: sentences, correct if both ends are.
    - `raw_tag_f`, `raw_pos_f`: words with the correct TAG and POS (XPOS and UPOS).
    - `raw_morph_f`: words whose morphological features are all correct (UFeats). Only the 21 UNIVERSAL_FEATURES are
      compared.
    - `raw_lemma_f`: words with the correct lemma, capitals included. Any lemma is correct where the reference has none.
    - `raw_uas_f`, `raw_las_f`: words with the correct head, and with the correct relation, too.

    predicted, references: Equally many documents with sentences and trees, whose texts differ only in whitespace.
    Raises ValueError (J152) if two texts differ.
    """
    scores: dict[str, PRFScore] = {}
    for found, right in zip(predicted, references, strict=True):
        if _remove_whitespace(found.text) != _remove_whitespace(right.text):
            raise JointValueError(Errors.J152, found=found.text[:50], expected=right.text[:50])
        actual, expected = _collect_facts(found), _collect_facts(right)
        unknown = {span for span, lemma in expected["lemma"] if not lemma}
        actual["lemma"] = {(span, "" if span in unknown else lemma) for span, lemma in actual["lemma"]}
        for name, facts in actual.items():
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
        "morph": {(span, _keep_universal(str(token.morph))) for span, token in words},
        "lemma": {(span, token.lemma_) for span, token in words},
        "uas": {(span, head) for span, head, _ in trees},
        "las": set(trees),
    }


@lru_cache(maxsize=1 << 12)
def _keep_universal(features: str) -> str:
    """The features `Name=Value|Name=Value` that are compared."""
    return "|".join(each for each in features.split("|") if each.partition("=")[0] in UNIVERSAL_FEATURES)


def _get_head(token: Token, spans: dict[int, Span]) -> Span | None:
    """The span of the head; None for a root."""
    return None if token.head.i == token.i else spans.get(token.head.i)


def _get_relation(token: Token) -> str:
    return token.dep_.partition(":")[0].lower()


def _remove_whitespace(text: str) -> str:
    return "".join(text.split())
