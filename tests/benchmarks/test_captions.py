"""Where captions end their lines: calls are read, and lines that end badly are counted."""

import pytest
import spacy
from captions import count, cut_by_trees, fill_by_textwrap, fill_greedily, find_bad_ends, read_call
from spacy.tokens import Doc

from spacy_joint.transcripts.caption_writing import make_units
from spacy_joint.transcripts.captioning import Limits
from spacy_joint.transcripts.words import fill_times, list_words

NARROW = Limits(max_width=12)


@pytest.fixture
def doc():
    doc = Doc(
        spacy.blank("en").vocab,
        words=["we", "looked", "into", "the", "old", "garage"],
        heads=[1, 1, 5, 5, 5, 1],
        deps=["nsubj", "ROOT", "case", "det", "amod", "obl"],
    )
    for token in doc:
        token._.start_time, token._.end_time = token.i, token.i + 0.5
    return doc


def test_calls_have_words_with_their_marks_speakers_and_times(tmp_path):
    path = tmp_path / "call.tsv"
    rows = [
        "token\tstart\tend\tspeaker\tpunctuation\tcase",
        "Hi\t0.5\t0.7\t1\t,\tUC",
        "<crosstalk>\t\t\t1\t\tLC",
        "nora\t\t\t2\t.\tLC",
    ]
    path.write_text("\n".join(rows), "utf8")
    first, second = read_call(path, unpunctuated=False)
    assert (first.text, first.speaker, first.times, first.is_word) == ("Hi, ", "1", (0.5, 0.7), True)
    assert (second.text, second.times, second.is_word) == ("nora. ", None, False)
    assert [segment.text for segment in read_call(path, unpunctuated=True)] == ["hi ", "nora "]


def test_lines_that_end_between_a_word_and_its_noun_are_bad(doc):
    assert find_bad_ends(doc) == {"determiner": {4, 5}, "preposition": {3, 4, 5}, "name": set()}


@pytest.mark.parametrize(("fill", "n_bad"), [(cut_by_trees, 1), (fill_greedily, 2), (fill_by_textwrap, 2)])
def test_ways_to_cut_are_counted(doc, fill, n_bad):
    words = fill_times(list_words(doc))
    units = make_units(words)
    counts = count(words, units, fill(words, units, NARROW), find_bad_ends(doc), NARROW)
    assert (counts["too wide"], counts["too many lines"]) == (0, 0)
    assert counts["any"] <= n_bad
