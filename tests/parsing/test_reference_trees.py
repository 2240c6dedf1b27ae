"""The gold trees of the joint parser: trees of references, projected to the predicted tokens."""

from itertools import pairwise

import numpy as np
import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_joint.parsing.partial_trees import read_partial_trees
from spacy_joint.parsing.reference_trees import read_reference

VOCAB = Vocab()


def refer(words, heads=None, deps=None, predicted=None, starts=None, spaces=None):
    reference = Doc(VOCAB, words=words, spaces=spaces, heads=heads, deps=deps, sent_starts=starts)
    spaces = None if predicted is None or spaces is None else [True] * len(predicted)
    return read_reference(Example(Doc(VOCAB, words=predicted or words, spaces=spaces), reference))


def check(trees):
    """One root per sentence, all heads inside, no cycles."""
    bounds = [*np.flatnonzero(trees.starts), len(trees.heads)]
    assert trees.starts[0]
    for begin, end in pairwise(bounds):
        heads = trees.heads[begin:end]
        assert ((begin <= heads) & (heads < end)).all()
        (root,) = np.flatnonzero(heads == np.arange(begin, end)) + begin
        for _ in range(begin, end):
            heads = trees.heads[heads]
        assert (heads == root).all()


def test_the_same_tokens_have_the_trees_of_the_reference():
    trees = refer(["a", "b", "c", "d"], [1, 1, 3, 3], ["x", "ROOT", "y", "ROOT"])
    assert trees.heads.tolist() == [1, 1, 3, 3]
    assert trees.labels == ["x", "ROOT", "y", "ROOT"]
    assert trees.starts.tolist() == [True, False, True, False]
    assert trees.tokens.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(("words", "starts"), [([], None), (["a", "b"], None), (["a", "b"], [True, False])])
def test_a_reference_without_trees_causes_no_update(words, starts):
    assert refer(words, starts=starts) is None


def test_whitespace_is_ignored():
    trees = refer(["a", "\n", "b"], [1, 1, 1], ["x", "ROOT", "y"])
    check(trees)
    assert trees.tokens.tolist() == [0, 2]
    assert len(trees.heads) == 2


def test_a_whitespace_document_causes_no_update_and_no_error():
    trees = refer(["\n", "  "], [0, 0], ["ROOT", "dep"])
    assert len(trees.heads) == 0


@pytest.mark.parametrize("n_spaces", [1, 2, 3])
def test_a_sentence_that_starts_with_whitespace_starts_with_its_first_word(n_spaces):
    # Several whitespace tokens in a row are rare, but must not lose their sentence.
    root = 2 + n_spaces
    heads = [0, 0, *[root] * n_spaces, root, root]
    trees = refer(["a", "b", *["\n"] * n_spaces, "c", "d"], heads, ["ROOT", "x", *["dep"] * n_spaces, "ROOT", "y"])
    check(trees)
    assert trees.starts.tolist() == [True, False, True, False]
    assert trees.heads.tolist() == [0, 0, 2, 2]


def test_finer_tokens_get_trees_around_those_that_correspond():
    trees = refer(["ab", "c", "d"], [1, 1, 1], ["x", "ROOT", "y"], predicted=["a", "b", "c", "d"])
    check(trees)
    assert trees.heads.tolist()[2:] == [2, 2]


def test_a_sentence_without_counterpart_does_not_fail():
    trees = refer(
        ["a", "b", "\n", "cc", "d"], [0, 0, 3, 3, 3], ["ROOT", "x", "dep", "ROOT", "y"], ["a", "b", "c", "c", "d"]
    )
    check(trees)
    assert trees.starts.tolist() == [True, False, True, False, False]


def test_broken_references_are_named_in_training(saved_pipeline):
    pipeline = spacy.load(saved_pipeline)
    # spaCy sets boundaries from trees when it gets both, but not when heads are set one by one.
    words = ["a", "b", "c"]
    reference = Doc(pipeline.vocab, words=words, sent_starts=[True, False, False])
    for token in reference:
        token.dep_ = "ROOT"
    with pytest.raises(ValueError, match=r"\[J303\].*3 roots"):
        pipeline.update([Example(Doc(pipeline.vocab, words=words), reference)])


def test_a_reference_without_a_root_is_refused_with_any_tokens():
    with pytest.raises(ValueError, match=r"\[J303\].*0 roots"):
        refer(["a", "bc"], [1, 0], ["x", "y"], predicted=["a", "b", "c"])


def test_trees_with_words_below_whitespace_without_a_head_are_incomplete():
    words = ["a", "\n", "b"]
    reference = Doc(VOCAB, words=words, heads=[0, 1, 1], deps=["ROOT", "", "x"])
    example = Example(Doc(VOCAB, words=words), reference)
    assert read_reference(example) is None
    known = read_partial_trees(example)
    assert known is not None and known.labels == ["ROOT", None]


@given(data=st.data())
def test_any_other_tokenisation_gets_trees(data):
    text = data.draw(st.text(alphabet="ab\n ", min_size=1, max_size=24))

    def split():
        cuts = sorted(data.draw(st.sets(st.integers(1, max(1, len(text) - 1)))))
        parts = [text[i:j] for i, j in zip([0, *cuts], [*cuts, len(text)], strict=True)]
        return [part for part in parts if part]

    words = split()
    heads: list[int] = []
    begin = 0
    for i in range(len(words)):
        # Either a new sentence begins, or the token is attached to an earlier one in its sentence.
        begin = data.draw(st.sampled_from([i, begin]))
        heads.append(data.draw(st.integers(begin, max(begin, i - 1))))
    deps = ["ROOT" if head == i else "x" for i, head in enumerate(heads)]
    no_spaces = [False] * len(words)
    reference = Doc(VOCAB, words=words, spaces=no_spaces, heads=heads, deps=deps)
    predicted = split()
    example = Example(Doc(VOCAB, words=predicted, spaces=[False] * len(predicted)), reference)
    trees = read_reference(example)
    assert trees.tokens.tolist() == [i for i, word in enumerate(predicted) if not word.isspace()]
    if len(trees.heads):
        check(trees)


def test_a_sentence_that_loses_its_root_gets_another_with_the_root_label():
    trees = refer(["she", "cannot"], [1, 1], ["nsubj", "ROOT"], predicted=["she can", "not"])
    check(trees)
    assert [label for token, label in enumerate(trees.labels) if trees.heads[token] == token] == ["ROOT"]
