"""Pairs of quotation marks, paragraphs, and types of spans."""

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc

from spacy_joint.annotation.quotations import find_type
from spacy_joint.quotation.layout import find_paragraph_starts
from spacy_joint.quotation.marks import MAX_OPEN, MarkStyle, pair_marks

NLP = spacy.blank("en")


@pytest.mark.parametrize(
    ("words", "label"),
    [
        (["“", "so", "”"], "DIRECT"),
        (['"', '"'], "DIRECT"),
        (["that", "“", "so", "”"], "MIXED"),
        (["“", "so", "”", "and"], "MIXED"),
        (["that", "'", "so", "'"], "INDIRECT"),
    ],
)
def test_the_type_of_a_span_is_that_of_its_marks(words, label):
    assert find_type(Doc(NLP.vocab, words=words), 0, len(words)) == label


@given(st.text(alphabet="a\"“”'‘’«»„ \n.,", max_size=60), st.booleans(), st.booleans())
def test_pairs_of_any_text_are_in_order_and_apart(text, single, inward):
    doc = NLP.make_doc(text)
    pairs = pair_marks(doc, MarkStyle(single, inward, True, False), find_paragraph_starts(doc))
    edges = [i for pair in pairs for i in pair]
    assert edges == sorted(set(edges))


def test_only_the_last_open_marks_are_kept():
    n = MAX_OPEN + 5
    doc = Doc(NLP.vocab, words=["so", "“"] * n + ["so", "”"] * n)
    ((opening, _),) = pair_marks(doc, MarkStyle(False, False, True, False), [0])
    assert opening == 2 * 5 + 1
