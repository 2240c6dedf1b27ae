"""Scores of quotations."""

from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_joint.annotation.quotations import make_span
from spacy_joint.scoring.quotations import score_quotations

WORDS = ["Ann", "said", "“", "we", "go", "”", "and", "that", "it", "rained", "on", "us"]


def make_doc(runs, cues=(), words=WORDS):
    doc = Doc(Vocab(), words=words)
    doc.spans["quotations"] = [make_span(doc, begin, end, f"Q{number}") for number, (begin, end) in enumerate(runs)]
    doc.spans["quotation_cues"] = [Span(doc, cue, cue + 1, label="CUE", span_id="Q0") for cue in cues]
    return doc


def score(predicted, gold, predicted_cues=(), gold_cues=()):
    example = Example(make_doc(predicted, predicted_cues), make_doc(gold, gold_cues))
    return score_quotations([example])


def test_strict_scores_require_both_boundaries():
    scores = score([(2, 6), (7, 11)], [(2, 6), (7, 12)])
    assert (scores["quotation_p"], scores["quotation_r"], scores["quotation_f"]) == (0.5, 0.5, 0.5)


def test_partial_scores_are_shares_of_tokens():
    scores = score([(7, 11)], [(7, 12)])
    assert (scores["quotation_partial_p"], scores["quotation_partial_r"]) == (1.0, 0.8)


def test_types_are_scored_separately():
    per_type = score([(2, 6), (7, 11)], [(2, 6), (7, 12)])["quotation_per_type"]
    assert (per_type["DIRECT"]["f"], per_type["INDIRECT"]["f"]) == (1.0, 0.0)
    # No gold and no predicted quotations: perfect scores.
    assert per_type["MIXED"]["f"] == 1.0


def test_partial_scores_do_not_ask_for_the_type_of_the_other_side():
    per_type = score([(3, 5)], [(2, 6)])["quotation_per_type"]
    assert (per_type["INDIRECT"]["partial_p"], per_type["DIRECT"]["partial_r"]) == (1.0, 0.5)


def test_cues_are_scored_by_their_heads():
    scores = score([(2, 6)], [(2, 6)], (1, 9), (1,))
    assert (scores["quotation_cue_p"], scores["quotation_cue_r"]) == (0.5, 1.0)


def test_boundaries_near_and_far_from_the_cue():
    scores = score([(2, 5)], [(2, 6)], gold_cues=(1,))
    assert (scores["quotation_near_r"], scores["quotation_far_r"]) == (1.0, 0.0)
    scores = score([(2, 5)], [(2, 6)], gold_cues=(9,))
    assert (scores["quotation_near_r"], scores["quotation_far_r"]) == (0.0, 1.0)


def test_whitespace_tokens_do_not_count():
    gold = make_doc([(2, 6)])
    predicted = make_doc([(3, 8)], words=["Ann", "said", "\n", "“", "we", "\n", "go", "”", *WORDS[6:]])
    assert score_quotations([Example(predicted, gold)])["quotation_f"] == 1.0


def test_the_predicted_document_may_have_other_tokens():
    gold = make_doc([(2, 6), (7, 12)], cues=(1,))
    # An earlier word, and one in a quotation, are divided.
    words = ["A", "nn", "said", "“", "we", "go", "”", "and", "that", "it", "rai", "ned", "on", "us"]
    scores = score_quotations([Example(make_doc([(3, 7), (8, 14)], cues=(2,), words=words), gold)])
    assert scores["quotation_f"] == scores["quotation_cue_f"] == scores["quotation_far_r"] == 1.0
    scores = score_quotations([Example(make_doc([(3, 7), (8, 11)], words=words), gold)])
    assert (scores["quotation_p"], scores["quotation_partial_p"]) == (0.5, 1.0)
    assert scores["quotation_partial_r"] == (1 + 2.5 / 5) / 2


def test_quotations_without_words_do_not_count():
    words = ["\n", *WORDS]
    gold = make_doc([(0, 1), (3, 7)], cues=(2,), words=words)
    scores = score_quotations([Example(make_doc([(3, 7), (0, 1)], words=words), gold)])
    assert scores["quotation_f"] == scores["quotation_partial_f"] == 1.0
    # The only quotation with the cue has no words.
    assert scores["quotation_near_r"] == scores["quotation_far_r"] == 1.0


def test_references_without_spans_are_skipped():
    doc = Doc(Vocab(), words=WORDS)
    assert score_quotations([Example(doc, doc.copy())])["quotation_f"] is None
