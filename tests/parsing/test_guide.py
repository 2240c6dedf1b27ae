"""What a guide thinks, in the search of the joint parser: token info, slots, templates, and that it is believed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc

from spacy_joint.annotation.custom_columns import write_column
from spacy_joint.engine.columns import Columns
from spacy_joint.engine.system import Walk
from spacy_joint.errors import JointValueError
from spacy_joint.parsing.joint_sbd_parser import JointSbdParser
from spacy_joint.parsing.system import GUIDE_SLOTS, JointSystem
from spacy_joint.pipes.guide_columns import NO_HEAD, find_guide_info, read_guide_templates

from ..engine.toys import blank_columns, replay
from .strategies import QUICK, random_walk, seeds

GUIDED = JointSystem(["l"], ["r"], ["root"], guided=True)
COLUMNS = {
    "guide_boundary": {"edges": [-1.0, 0.0, 1.0]},
    "guide_head": {"edges": [-2.0, -1.0, 0.0, 1.0, 2.0, 3.0]},
    "guide_margin": {"edges": [1.0]},
    "guide_label": {},
}
UNKNOWN, ITSELF, AT_S0, AT_S1, AT_B0, BEFORE, PASSED, AHEAD = range(1, 9)


def make_columns(heads):
    """A document with a guide: the head of each token, -1 if unknown."""
    offsets = np.array([np.nan if head < 0 else head - token for token, head in enumerate(heads)])
    token_info = find_guide_info(offsets, np.arange(len(heads)))
    return Columns(["word"], np.ones((len(heads), 1), dtype=np.uint64), None, token_info)


def see(heads, actions):
    """The slots of the guide after some actions."""
    walk = Walk(GUIDED, make_columns(heads))
    names = {"sh": "SHIFT", "sb": "SB", "la": ("LEFT", "l"), "ra": ("RIGHT", "r"), "swap": "SWAP"}
    for action in actions.split():
        walk.advance(GUIDED.actions[names[action]])
    slots = walk.slots()
    return tuple(slots[name] for name in ("guide(s0)", "guide(s1)", "guide(b0)", "awaits(s0)", "awaits(s1)"))


@pytest.mark.parametrize(
    ("heads", "actions", "expected"),
    [
        # Nothing on the stack.
        ([0, 0], "", (0, 0, ITSELF, 0, 0)),
        ([1, 1], "sh", (AT_B0, 0, ITSELF, 1, 0)),
        # s1 = 0, s0 = 1, b0 = 2.
        ([1, 2, 2, 2], "sh sh", (AT_B0, AT_S0, ITSELF, 1, 1)),
        ([0, 0, 1, 1], "sh sh", (AT_S1, ITSELF, AT_S0, 2, 1)),
        ([3, -1, 0, 3], "sh sh", (UNKNOWN, AHEAD, AT_S1, 1, 2)),
        # s1 = 1, s0 = 2, b0 = 3; 0 is below them.
        ([0, 0, 0, 0], "sh sh sh", (BEFORE, BEFORE, BEFORE, 1, 1)),
        # 1 has been attached to 0: its guide's dependent has passed it.
        ([1, 1, 1], "sh sh ra", (PASSED, 0, BEFORE, 1, 0)),
        # The end of the document.
        ([0, 0], "sh sh", (AT_S1, ITSELF, 0, 1, 1)),
    ],
)
def test_templates_see_where_the_guides_heads_are(heads, actions, expected):
    assert see(heads, actions) == expected


@QUICK
@given(st.lists(st.integers(0, 11), min_size=1, max_size=12), seeds)
def test_any_guide_leaves_walks_as_they_are(heads, seed):
    columns = make_columns([head % len(heads) for head in heads])
    seen = set()
    actions = random_walk(GUIDED, columns, seed, lambda walk: seen.update(walk.slots()[name] for name in GUIDE_SLOTS))
    assert seen <= set(range(AHEAD + 1))
    plain = JointSystem(["l"], ["r"], ["root"])
    assert replay(plain, blank_columns(len(heads)), actions).is_final


def test_systems_without_a_guide_have_no_such_slots():
    plain = JointSystem(["l"], ["r"], ["root"])
    assert not plain.value_slots.keys() & GUIDE_SLOTS
    assert GUIDED.value_slots.keys() >= set(GUIDE_SLOTS)
    assert plain.n_info == 0 and len(plain.__reduce__()[1]) == 4


def test_token_info_are_distances_to_heads_and_last_dependents_among_words():
    offsets = np.array([2, np.nan, 0, -1, 9])
    assert find_guide_info(offsets, np.array([0, 2, 3, 4])).tolist() == [[1, 0], [0, 1], [-1, 0], [NO_HEAD, 0]]


def test_a_head_on_whitespace_is_unknown():
    assert find_guide_info(np.array([1, np.nan, 0]), np.array([0, 2])).tolist() == [[NO_HEAD, 0], [0, 0]]


def test_a_document_without_a_guide_has_unknown_heads():
    assert find_guide_info(np.full(2, np.nan), np.arange(2)).tolist() == [[NO_HEAD, 0]] * 2
    assert find_guide_info(np.zeros(0), np.zeros(0, dtype=np.intp)).shape == (0, 2)


@pytest.mark.parametrize(("offsets", "code"), [([0], "J612"), (["0", "0"], "J613"), ([0.5, 0], "J615")])
def test_each_token_needs_an_offset_that_is_an_integer(initialize, offsets, code):
    nlp = initialize("joint_sbd_parser", limit=1, columns=COLUMNS)
    doc = Doc(nlp.vocab, words=["a", "b"], tags=["X", "X"])
    write_column(doc, "guide_head", offsets)
    with pytest.raises(JointValueError, match=rf"\[{code}\]"):
        nlp.get_pipe("joint_sbd_parser").get_columns(doc, None)


def test_templates_read_only_the_columns_that_there_are():
    path = JointSbdParser.guide_templates
    assert "guide(s0)" in read_guide_templates(path, COLUMNS, GUIDE_SLOTS)
    alone = read_guide_templates(path, ["guide_boundary"], GUIDE_SLOTS)
    assert "b0.guide_boundary" in alone
    assert not any(name in alone.split("\n\n", 1)[1] for name in ("guide_label", "guide_head", "guide(", "awaits("))


def write_guide(doc, reference, wrong=()):
    """Columns that say what the reference says, except about some tokens."""
    for name, values in (
        ("guide_boundary", [4.0 if token.is_sent_start else -4.0 for token in reference]),
        ("guide_head", [1 if token.i in wrong else token.head.i - token.i for token in reference]),
        ("guide_margin", [0.5 if token.i in wrong else 5.0 for token in reference]),
        ("guide_label", [token.dep_ for token in reference]),
    ):
        write_column(doc, name, values)


@pytest.mark.parametrize(("marks", "expected"), [([], [0, 3]), (["."], [0])])
def test_a_bias_follows_the_guide_in_text_without_punctuation(initialize, marks, expected):
    # All weights are zero.
    nlp = initialize("joint_sbd_parser", limit=1, columns=COLUMNS, guide_bias=1e4, punctuated_bias=-1e3)
    words = ["so", "it", "rained", "we", "left", *marks]
    doc = Doc(nlp.vocab, words=words, tags=["X"] * len(words))
    write_guide(doc, Doc(nlp.vocab, words=words, sent_starts=[1, 0, 0, 1, 0, *[0] * len(marks)]))
    parser = nlp.get_pipe("joint_sbd_parser")
    assert [token.i for token in parser(doc) if token.is_sent_start] == expected


def test_a_parser_learns_to_follow_a_guide(initialize, read_examples, small_model, train):
    scores = []
    for columns in ({}, COLUMNS):
        nlp = initialize("joint_sbd_parser", model={**small_model, "min_changes": 1}, columns=columns)
        training, held_out = (read_examples(nlp, part, keep=["TAG"]) for part in ("train", "dev"))
        for example in (*training, *held_out):
            write_guide(example.predicted, example.reference)
        train(nlp, training, epochs=3)
        scores.append(nlp.evaluate(held_out))
    alone, guided = scores
    assert guided["dep_las_punct"] > alone["dep_las_punct"] + 0.2
    assert guided["boundary_f"] > alone["boundary_f"] + 0.1


def test_n_best_analyses_are_guided_too(initialize, read_examples):
    nlp = initialize("joint_sbd_parser", columns=COLUMNS)
    parser = nlp.get_pipe("joint_sbd_parser")
    examples = read_examples(nlp, keep=["TAG"], limit=2)
    for example in examples:
        write_guide(example.predicted, example.reference)
    nlp.update(examples)
    doc = examples[0].predicted.copy()
    analyses = parser.beam_parse(doc, n_best=3)
    assert len(analyses) == 3
    heads, _ = parser.scored_parses(parser.predict([doc]))
    assert heads[0]
