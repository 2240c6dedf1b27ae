"""The script that makes documents of which only the boundaries are known."""

import numpy as np
import pytest

import spacy_joint
from spacy_joint.annotation.custom_columns import read_column

# It does not support Python 3.10.
pytest.importorskip("nupunkt")

SCRIPT = "known_boundaries.py"
CALL = """token	start	end	speaker	punctuation	case
So	1.0	1.2	0		UC
we've	1.2	1.5	0	,	LC
<laugh>	1.5	1.6	0		LC
grown	2.0	2.5	0	.	LC
5%	3.5	4.0	0		CA
Why	4.0	4.1	1	?	UC
"""


@pytest.fixture(scope="module")
def nlp():
    return spacy_joint.load(beam_width=1)


def list_sentences(doc):
    assert all(token.is_sent_start is not None for token in doc)
    return [sentence.text for sentence in doc.sents]


def test_calls_have_the_boundaries_and_pauses_of_their_words(script, nlp, write_text, monkeypatch):
    monkeypatch.setattr(script, "ALIGNED", 0)
    words = script.read_words(write_text("call.tsv", CALL))
    doc = script.make_call(nlp, words)
    assert list_sentences(doc) == ["So we've, grown.", "5%", "Why?"]
    np.testing.assert_array_equal(read_column(doc, "pause"), [np.nan, 0, 0, 0, 0.4, 0, 1, 0, 0, 0])
    assert [len(part) for part in script.divide_words(words, 2)] == [3, 2]


def test_fillers_leave_their_marks_and_pauses_to_other_words(script):
    spoken = [("Uh,", 0.0, True), ("so", 0.1, False), ("um,", 0.2, False), ("we", 0.3, False), ("left.", 0, False)]
    spoken += [("Eh?", 0.5, True), ("They,", 0.5, False), ("uh,", 0.0, False), ("uh.", 0.0, False)]
    left = script.leave_out_fillers([script.Word(*word) for word in spoken])
    assert [word.text for word in left] == ["so,", "we", "left.", "They,"]
    assert [round(word.pause, 3) for word in left] == [0.1, 0.5, 0, 1]
    assert [word.is_start for word in left] == [True, False, False, True]


def test_pauses_count_only_where_all_words_around_them_have_times(script, write_text):
    assert all(np.isnan(word.pause) for word in script.read_words(write_text("call.tsv", CALL)))


@pytest.mark.parametrize(
    ("paragraph", "sentences"),
    [
        ('"Why?" she asked. "Go!" He left.', ['"Why?" she asked.', '"Go!"', "He left."]),
        ('"No!" said Mr. Hall. It rained.', ['"No!" said Mr. Hall.', "It rained."]),
        ('"Why?" Mary asked. "We left." She said no more.', ['"Why?" Mary asked.', '"We left."', "She said no more."]),
    ],
)
def test_sentences_of_raw_text(script, nlp, paragraph, sentences):
    assert list_sentences(script.make_text(nlp, [paragraph])) == sentences


def test_paragraphs_begin_sentences(script, nlp):
    doc = script.make_text(nlp, ["It rained", "all day. We left."])
    assert list_sentences(doc) == ["It rained", "all day.", "We left."]
