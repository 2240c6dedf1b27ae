"""The boundaries of recognisers: how they are carried to other words and counted."""

import pytest
import spacy
from spacy.language import Language

pytest.importorskip("rapidfuzz")

from recognisers import align, carry_ends, measure, read_words

HEADER = "token\tstart\tend\tspeaker\tpunctuation\tcase\n"
CALLS = {
    "reference": "So we grew . | It's <laugh> fine . | Thank you . | Bye .",
    # It misses `we` and mishears `grew`. Its first full stop is right, and its second one wrong.
    "ours": "so 0 1 | grow 1 2 , | it's 3 4 | fine 4 5 . | thank 5 6 . | you 6 7 | bye 8 9 .",
    "silent": "so | we | grew | it's | fine",
}


def write(path, words):
    """Writes a call: tokens, times and marks."""
    rows = []
    for part in words.split():
        if part == "|":
            continue
        if rows and part in {".", ","}:
            rows[-1][4] = part
        elif rows and part.isdigit():
            rows[-1][1 + bool(rows[-1][1])] = part
        else:
            rows.append([part, "", "", "0", "", ""])
    path.parent.mkdir()
    path.write_text(HEADER + "".join("\t".join(row) + "\n" for row in rows), "utf8")
    return path


@pytest.fixture
def calls(tmp_path):
    for name, words in CALLS.items():
        write(tmp_path / name / "call.tsv", words)
    return tmp_path


@Language.component("begin_after_pauses")
def begin_after_pauses(doc):
    """Begins a sentence at a word after a second, or at `it`."""
    pauses = doc._.token_columns.get("pause", [0] * len(doc))
    for token in doc:
        token.is_sent_start = bool(token.i == 0 or token.text == "it" or pauses[token.i] >= 1)
    return doc


def test_ends_go_to_the_word_aligned_or_the_last_one_before(calls):
    words = {name: read_words(calls / name / "call.tsv") for name in CALLS}
    assert [word.key for word in words["reference"]] == ["so", "we", "grew", "its", "fine", "thank", "you", "bye"]
    assert [word.ends for word in words["reference"]] == [False, False, True, False, True, False, True, True]
    places, are_same, distance = align(words["reference"], words["ours"])
    assert (places.tolist(), distance) == ([0, 1, 1, 2, 3, 4, 5, 6], 2)
    assert are_same.tolist() == [True, False, False, True, True, True, True, True]
    assert carry_ends(words["reference"], places, 7).tolist() == [False, True, False, True, False, True, True]
    places, _, distance = align(words["reference"], words["silent"])
    assert carry_ends(words["reference"], places, 5).tolist() == [False, False, True, False, True]
    assert distance == 3


def test_recognisers_and_pipelines_are_scored_on_the_same_words(calls):
    nlp = spacy.blank("en")
    nlp.add_pipe("begin_after_pauses")
    results = measure(calls, {"rule": nlp})
    assert list(results) == ["reference", "ours", "silent"]
    assert results["reference"] == {"WER": 0, "rule": 50}
    # Of the three ends within the call, the recogniser has one of two, the rule one, and with times two.
    assert results["ours"] == pytest.approx({"WER": 25, "itself": 40, "rule": 50, "rule, times": 80})
    assert results["silent"] == pytest.approx({"WER": 37.5, "rule": 100})
