"""Learning from partly annotated documents: what is annotated is learnt, and the rest is left to the parser."""

from itertools import pairwise

import numpy as np
import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_joint.errors import JointWarning
from spacy_joint.parsing.oracle import oracle_actions
from spacy_joint.parsing.partial_trees import complete, read_partial_trees
from spacy_joint.parsing.system import JointSystem

from .strategies import forests, joint_system

VOCAB = Vocab()
# "she saw the cat it ran"
WORDS = ["she", "saw", "the", "cat", "it", "ran"]
HEADS = [1, 1, 3, 1, 5, 5]
DEPS = ["nsubj", "ROOT", "det", "obj", "nsubj", "ROOT"]
ALL = set(range(6))


def refer(known, words=WORDS, predicted=None, heads=HEADS, deps=DEPS):
    """An example whose reference has annotation for the known tokens only."""
    heads = [heads[i] if i in known else i for i in range(len(words))]
    deps = [deps[i] if i in known else "" for i in range(len(words))]
    reference = Doc(VOCAB, words=words, heads=heads, deps=deps)
    return Example(Doc(VOCAB, words=predicted or words), reference)


def test_tokens_without_a_label_are_not_known():
    known = read_partial_trees(refer({0, 1, 3, 5}))
    assert known.heads.tolist() == [1, 1, -1, 1, -1, 5]
    assert known.labels == ["nsubj", "ROOT", None, "obj", None, "ROOT"]


@pytest.mark.parametrize(
    ("known", "starts"),
    [
        # Within known arcs there is no boundary; "it" may belong to either sentence.
        ({0, 1, 3, 5}, [0, -1, -1, -1, 0, 0]),
        # Between adjacent known trees there is one.
        (ALL, [0, -1, -1, -1, 1, -1]),
        # Next to a tree without a known root there may be one.
        ({0, 2, 3, 4, 5}, [0, -1, -1, -1, 0, -1]),
    ],
)
def test_known_arcs_exclude_boundaries_or_need_them(known, starts):
    assert read_partial_trees(refer(known)).starts.tolist() == starts


def test_boundaries_without_trees_are_known():
    reference = Doc(VOCAB, words=WORDS, sent_starts=[True, False, None, False, True, None])
    known = read_partial_trees(Example(Doc(VOCAB, words=WORDS), reference))
    assert known.starts.tolist() == [1, -1, 0, -1, 1, 0]
    assert known.heads.tolist() == [-1] * 6


def test_nothing_is_known_without_annotation():
    assert read_partial_trees(Example(Doc(VOCAB, words=WORDS), Doc(VOCAB, words=WORDS))) is None
    assert read_partial_trees(Example(Doc(VOCAB), Doc(VOCAB))) is None


def test_whitespace_is_left_out():
    words, deps = ["she", "\n", "saw", "it"], ["nsubj", "dep", "ROOT", "obj"]
    known = read_partial_trees(refer({0, 1, 2}, words, heads=[2, 0, 2, 2], deps=deps))
    assert known.tokens.tolist() == [0, 2, 3]
    assert known.heads.tolist() == [1, 1, -1]


def test_a_dependent_of_unknown_whitespace_is_not_known():
    known = read_partial_trees(refer({0, 2}, ["she", "\n", "saw"], heads=[1, 1, 2], deps=["nsubj", "", "ROOT"]))
    assert known.heads.tolist() == [-1, 1]


def test_known_arcs_are_carried_over_to_other_tokens():
    known = read_partial_trees(refer({0, 1, 3}, WORDS, [*WORDS[:5], "r", "an"]))
    assert known.heads.tolist() == [1, 1, -1, 1, -1, -1, -1]


# Completion


@settings(max_examples=200)
@given(forest=forests(), data=st.data())
def test_known_arcs_are_completed_to_trees(forest, data):
    n_tokens = len(forest.heads)
    known = data.draw(st.lists(st.booleans(), min_size=n_tokens, max_size=n_tokens))
    words = ["x"] * n_tokens
    deps = [label if is_known else "" for label, is_known in zip(forest.labels, known, strict=True)]
    heads = [int(head) if is_known else i for i, (head, is_known) in enumerate(zip(forest.heads, known, strict=True))]
    partial = read_partial_trees(Example(Doc(VOCAB, words=words), Doc(VOCAB, words=words, heads=heads, deps=deps)))
    if partial is None:
        assert not any(known)
        return
    # Any prediction whose boundaries agree with what is known.
    starts = data.draw(st.lists(st.booleans(), min_size=n_tokens, max_size=n_tokens))
    starts = (np.array(starts) & (partial.starts >= 0)) | (np.arange(n_tokens) == 0)
    bounds = [*np.flatnonzero(starts), n_tokens]
    predicted_heads = np.concatenate([np.full(end - begin, begin) for begin, end in pairwise(bounds)])
    labels = ["root" if head == i else "det" for i, head in enumerate(predicted_heads)]
    system = joint_system()
    trees = complete(partial, predicted_heads, labels, starts, system.actions)
    if trees is None:
        # spaCy puts boundaries elsewhere where arcs cross too much.
        return
    assert trees.heads[known].tolist() == forest.heads[known].tolist()
    assert [label for label, is_known in zip(trees.labels, known, strict=True) if is_known] == [
        label for label, is_known in zip(forest.labels, known, strict=True) if is_known
    ]
    actions = oracle_actions(system, trees.heads, trees.labels, trees.starts)
    assert system.build(actions, n_tokens)[0].tolist() == trees.heads.tolist()


def complete_words(known, heads, labels, starts):
    trees = complete(read_partial_trees(refer(known)), np.array(heads), labels, np.array(starts, dtype=bool), ARCS)
    return None if trees is None else (trees.heads.tolist(), trees.labels, np.flatnonzero(trees.starts).tolist())


ARCS = JointSystem(["nsubj", "det"], ["obj"], ["ROOT"]).actions


def test_a_prediction_that_agrees_is_kept():
    starts = [1, 0, 0, 0, 1, 0]
    assert complete_words({1, 3}, HEADS, DEPS, starts) == (HEADS, DEPS, [0, 4])


def test_between_two_known_roots_there_is_a_boundary():
    heads, labels = [1, 1, 3, 1, 5, 1], ["nsubj", "ROOT", "det", "obj", "nsubj", "obj"]
    # "it" is attached to the second root, but was predicted in the first sentence.
    expected = ([1, 1, 3, 1, 1, 5], ["nsubj", "ROOT", "det", "obj", "obj", "ROOT"], [0, 5])
    assert complete_words({1, 5}, heads, labels, [1, 0, 0, 0, 0, 0]) == expected


def test_a_predicted_root_next_to_a_known_tree_stays_one():
    # The root of the first sentence is known, and "it" is predicted to be the root of all.
    heads, labels = [4, 4, 3, 4, 4, 4], ["nsubj", "nsubj", "det", "nsubj", "ROOT", "obj"]
    expected = ([1, 1, 3, 1, 4, 4], ["nsubj", "ROOT", "det", "obj", "ROOT", "obj"], [0, 4])
    assert complete_words({0, 1, 3}, heads, labels, [1, 0, 0, 0, 0, 0]) == expected


def test_a_cycle_is_broken_at_what_is_not_known():
    heads, labels = [0, 0, 3, 4, 0, 0], ["ROOT", "obj", "det", "nsubj", "obj", "obj"]
    found, _, _ = complete_words({0, 1, 3}, heads, labels, [1, 0, 0, 0, 0, 0])
    assert [found[i] for i in (0, 1, 3)] == [1, 1, 1]
    found, _, _ = complete_words({2}, [0, 0, 0, 2, 0, 0], labels, [1, 0, 0, 0, 0, 0])
    assert found == [0, 0, 3, 0, 0, 0]


# Learning


@pytest.fixture
def make_parser(small_model):
    """Create a pipeline whose parser has the labels of the known tokens."""

    def make(known=ALL):
        nlp = spacy.blank("en")
        nlp.add_pipe("joint_sbd_parser", config={"model": {**small_model, "min_changes": 1}})
        nlp.initialize(lambda: [refer(known)])
        return nlp

    return make


def parse(nlp):
    return nlp(Doc(nlp.vocab, words=WORDS))


@pytest.mark.filterwarnings(r"ignore:\[JW06\]")
def test_the_known_arcs_of_a_document_are_learnt(make_parser, train):
    doc = parse(train(make_parser(), [refer({0, 1, 3})], epochs=20))
    assert [(doc[i].head.i, doc[i].dep_) for i in (0, 1, 3)] == [(1, "nsubj"), (1, "ROOT"), (1, "obj")]


def test_parts_of_several_documents_make_a_whole(make_parser, train):
    # Predictions average over all updates, so they follow the weights late.
    doc = parse(train(make_parser(), [refer({0, 1, 2, 5}), refer({1, 3, 4, 5})], epochs=80))
    assert [token.head.i for token in doc] == HEADS
    assert [token.dep_ for token in doc] == DEPS


def test_nothing_is_learnt_from_what_is_already_predicted(make_parser, train):
    nlp = train(make_parser(), [refer(ALL)], epochs=20)
    parser = nlp.get_pipe("joint_sbd_parser")
    before = parser.perceptron.weights.raw.copy()
    losses = nlp.update([refer({0, 3})])
    assert losses == {"joint_sbd_parser": 0}
    assert (parser.perceptron.weights.raw == before).all()


def test_boundaries_without_trees_are_learnt(make_parser, train):
    reference = Doc(VOCAB, words=WORDS, sent_starts=[True, False, False, True, False, False])
    doc = parse(train(make_parser(), [Example(Doc(VOCAB, words=WORDS), reference)], epochs=20))
    assert [sentence.start for sentence in doc.sents] == [0, 3]


def test_two_known_roots_are_in_two_sentences(make_parser, train):
    doc = parse(train(make_parser(), [refer({1, 5})], epochs=20))
    assert doc[1].head.i == 1 and doc[5].head.i == 5
    assert doc[1].sent != doc[5].sent


def test_of_an_arc_with_a_label_that_the_parser_lacks_nothing_is_learnt(make_parser, train):
    nlp = make_parser()
    deps = ["nsubj", "ROOT", "det", "odd", "nsubj", "ROOT"]
    with pytest.warns(JointWarning, match=r"\[JW03\] .*'odd'"):
        train(nlp, [refer(ALL, deps=deps)], epochs=40)
    doc = parse(nlp)
    assert [doc[i].dep_ for i in (0, 1, 2, 4, 5)] == [DEPS[i] for i in (0, 1, 2, 4, 5)]
    assert "odd" not in nlp.get_pipe("joint_sbd_parser").labels


def test_labels_are_collected_from_what_is_known(make_parser):
    nlp = make_parser({0, 1, 3})
    assert nlp.get_pipe("joint_sbd_parser").label_data == {"left": ["nsubj"], "right": ["obj"], "root": ["ROOT"]}
