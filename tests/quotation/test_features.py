"""The columns of a document that describe its quotation marks."""

import pytest
import spacy

from spacy_joint.pipes.word_classes import WordClasses
from spacy_joint.quotation.features import ALL_COLUMNS, QuotationColumns


@pytest.fixture
def describe():
    """The value of a column for the words between the first pair of marks, which they share."""
    columns = QuotationColumns(ALL_COLUMNS, WordClasses.from_dict({}))
    nlp = spacy.blank("en")

    def describe(name, text):
        doc = nlp(text)
        cues = [token.i for token in doc if token.text in ("said", "says")]
        _, (names, values, *_) = columns.make_columns(doc, cues)[0].__reduce__()
        words = [token.text for token in doc if not token.is_space]
        (value,) = set(values[words.index("“") : words.index("”") + 1, names.index(name)].tolist())
        return value

    return describe


def test_a_pair_of_marks_begins_or_continues_a_sentence(describe):
    texts = ["“We go.”", "He said:\n\n“We go.”", "It rained. “We go.”", "He said, “We go.”", "He said “We go.”"]
    first, new_paragraph, after_stop, after_comma, after_word = (describe("pair_start", text) for text in texts)
    assert first == new_paragraph
    assert len({first, after_stop, after_comma, after_word}) == 4


@pytest.mark.parametrize("other", ["It is “we go.”", "It is “We go”"])
def test_a_pair_of_marks_may_contain_a_sentence_or_a_part_of_one(describe, other):
    assert describe("pair_start", other) != describe("pair_start", "It is “We go.”")


def test_columns_show_the_cues_beside_and_inside_a_pair_of_marks(describe):
    texts = ["“We go.”", "He said “We go.”", "“We go,” the mayor said.", "“We said no.”", "“We go.” It rains, he said."]
    alone, before, after, inside, far = (describe("pair_cue", text) for text in texts)
    assert len({alone, before, after, inside}) == 4
    assert far == alone
