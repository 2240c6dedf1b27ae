"""The transition system of quotations: legal actions, slots, and results."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_joint.engine.columns import Columns
from spacy_joint.engine.system import Walk
from spacy_joint.quotation.system import TOKEN_INFO, QuotationSystem

OUT, BEGIN, INSIDE, END = range(4)


def make_columns(n, **token_info):
    values = np.full((n, len(TOKEN_INFO)), -1, dtype=np.int32)
    for name in TOKEN_INFO:
        if name.startswith("n.") or name in ("sentence", "paragraph", "is.mark"):
            values[:, TOKEN_INFO.index(name)] = 0
    for name in ("sentence.first", "word.next", "word.before"):
        values[:, TOKEN_INFO.index(name)] = np.arange(n) if name.startswith("word") else 0
    values[:, TOKEN_INFO.index("sentence.last")] = n - 1
    for name, numbers in token_info.items():
        values[:, TOKEN_INFO.index(name.replace("_", "."))] = numbers
    return Columns(["word"], np.ones((n, 1), dtype=np.uint64), None, values)


def walk(actions, n=6, system=None, **token_info):
    walked = Walk(system or QuotationSystem(), make_columns(n, **token_info))
    for action in actions:
        walked.advance(action)
    return walked


def test_a_span_has_at_least_two_tokens_and_the_last_token_closes_it():
    assert walk([]).legal() == [OUT, BEGIN]
    assert walk([BEGIN]).legal() == [INSIDE, END]
    assert walk([OUT] * 5).legal() == [OUT]
    assert walk([OUT, BEGIN, INSIDE, INSIDE, INSIDE]).legal() == [END]


@given(st.data())
def test_any_walk_ends_in_spans_that_reproduce_it(data):
    n = data.draw(st.integers(0, 12))
    system = QuotationSystem()
    walked, actions = Walk(system, make_columns(n)), []
    while not walked.is_final:
        actions.append(data.draw(st.sampled_from(walked.legal())))
        walked.advance(actions[-1])
    spans = system.build(np.array(actions, dtype=np.uint16))
    assert system.actions(spans, n).tolist() == actions


@pytest.mark.parametrize("spans", [[(0, 0)], [(0, 2), (2, 3)], [(4, 6)], [(-1, 2)]])
def test_impossible_spans_are_refused(spans):
    with pytest.raises(ValueError, match=r"\[J320\]"):
        QuotationSystem().actions(spans, 6)


def test_features_see_the_whole_span_that_would_end():
    seen = walk([OUT, BEGIN, INSIDE], n_commas=[0, 0, 1, 1, 1, 2], n_cues=[1, 1, 1, 1, 1, 1]).slots()
    assert (seen["length"], seen["commas"], seen["cues.inside"]) == (4, 2, 1)


def test_a_span_may_fit_the_tree_of_a_cues_argument():
    token_info = {"argument": 2, "argument_left": 1, "argument_right": 3, "governor": 0}
    fits = walk([OUT, BEGIN, INSIDE], **token_info).slots()
    falls_short = walk([OUT, BEGIN], **token_info).slots()
    assert fits["fit.argument"] != falls_short["fit.argument"]
    assert fits["governors"] == falls_short["governors"] == 2


def test_neighbours_are_seen_only_on_request():
    before = [BEGIN, END, OUT]
    assert walk(before).slots()["last.distance"] > 0
    assert walk(before, system=QuotationSystem(neighbours=False)).slots()["last.distance"] == 0


@pytest.mark.parametrize("path", [[BEGIN], [END], [INSIDE], [BEGIN, BEGIN, END], [BEGIN, OUT, END], [4], [-1], [0.5]])
def test_invalid_paths_are_refused(path):
    with pytest.raises(ValueError, match=r"J314|J320"):
        QuotationSystem().build(path)


@pytest.mark.parametrize(
    "fact", ["sentence_first", "sentence_last", "word_next", "word_before", "cue_left", "cue_right", "governor"]
)
@pytest.mark.parametrize("index", [-(2**31), 2**31 - 1])
def test_facts_that_are_no_indices_are_not_used_as_such(fact, index):
    # Some are compared with indices before they are used.
    if (fact == "word_next" and index > 0) or (
        fact in ("word_before", "cue_left", "cue_right", "governor") and index < 0
    ):
        assert walk([BEGIN, INSIDE], **{fact: index}).slots()
    else:
        with pytest.raises(ValueError, match=r"J001.*token 0"):
            walk([BEGIN, INSIDE], **{fact: index})
