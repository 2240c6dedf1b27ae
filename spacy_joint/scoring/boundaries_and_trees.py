"""Scores of sentence boundaries and dependency trees, for components that predict both.

The scores of spaCy's parser scorer keep their names and meanings. Two measures of Björkelund et al. (ACL 2016) are
added: the F1 of boundaries over tokens, where a true positive is a token correctly predicted to start a sentence, and
attachment scores over all tokens, whereas spaCy leaves out punctuation. Annotation is never repaired.
"""

from collections.abc import Iterable
from typing import Any

from spacy.pipeline.dep_parser import parser_score
from spacy.scorer import PRFScore, Scorer
from spacy.tokens import Doc, Token
from spacy.training import Example

from ..annotation.sentences import list_places, list_words
from .counts import make_factory, report


def score_boundaries_and_trees(examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
    """Score sentence boundaries and trees. Scores are between 0 and 1, or None if nothing could be scored.

    - `sents_p`, `sents_r`, `sents_f`: whole sentences, correct if both ends are.
    - `dep_uas`, `dep_las`, `dep_las_per_type`: trees without the labels `p` and `punct`.
    - `boundary_p`, `boundary_r`, `boundary_f`: see `score_boundaries`.
    - `dep_uas_punct`, `dep_las_punct`: trees over all tokens except whitespace.

    Labels are compared case-insensitively, so `ROOT` equals `root`. Tokens are compared through the alignment of the
    two tokenisations: a token that does not correspond to exactly one token of the reference counts as wrong.
    References without boundaries, and their tokens without labels, are skipped.

    kwargs: Options of spaCy's `Scorer.score_spans` and `Scorer.score_deps`, for the scores that spaCy defines.
    """
    examples = list(examples)
    all_tokens = Scorer.score_deps(examples, "dep", getter=_get_label)
    return {
        **parser_score(examples, **kwargs),
        **score_boundaries(examples),
        "dep_uas_punct": all_tokens["dep_uas"],
        "dep_las_punct": all_tokens["dep_las"],
    }


# Registered as `spacy_joint.boundary_and_tree_scorer.v1`.
make_boundary_and_tree_scorer = make_factory(score_boundaries_and_trees)


def score_boundaries(examples: Iterable[Example]) -> dict[str, float | None]:
    """Compute precision, recall and F1 of the tokens that start a sentence, pooled over all documents.

    The first token of a document counts like any other, as in the published results, although it is trivial to predict.
    With different tokenisations, a predicted token can only be correct if a token of the reference starts at the same
    character. The start of a sentence is its first token that is not whitespace.

    References without boundaries are skipped; a prediction without boundaries misses all of them.
    """
    score = PRFScore()
    for example in examples:
        if not example.reference.has_annotation("SENT_START"):
            continue
        score.score_set(_find_starts(example.predicted), _find_starts(example.reference))
    return report("boundary", score)


def _find_starts(doc: Doc) -> set[int]:
    """Find the starts of sentences, in non-whitespace characters; none without boundaries."""
    places = list_places(doc)
    return {places[words[0].i] for words in list_words(doc)} if doc.has_annotation("SENT_START") else set()


def _get_label(token: Token, attribute: str) -> str:
    """Get the lower-cased label of a token; for whitespace, the empty label, which spaCy treats as missing."""
    # Like spaCy's scorer, avoid `is_space`, which is always false for a vocabulary without lexical attributes.
    return "" if token.text.isspace() else token.vocab.strings.as_string(getattr(token, attribute)).lower()
