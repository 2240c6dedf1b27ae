"""Markov sequence labelling: one tag per token, and optionally whether the token starts a sentence."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_joint.tagging.system import SKIP, TaggingSystem

from ..engine.toys import blank_columns, replay, walk_at_random

QUICK = settings(max_examples=60)
TAGS = ("NN", "VB", "IN")
PLAIN = TaggingSystem(TAGS)
BOUNDED = TaggingSystem(TAGS, with_boundaries=True)
constraint_lists = st.lists(st.sampled_from([-1, 0, 1]), max_size=12)


def after(system, actions, n_tokens=5, constraints=None):
    return replay(system, blank_columns(n_tokens, constraints), actions)


@QUICK
@given(st.integers(0, 12), st.integers(0, 2**32 - 1), st.sampled_from([PLAIN, BOUNDED]))
def test_every_walk_takes_one_action_per_token(n_tokens, seed, system):
    assert len(walk_at_random(system, blank_columns(n_tokens), seed)) == n_tokens


@QUICK
@given(constraint_lists, st.integers(0, 2**32 - 1))
def test_every_walk_keeps_preset_boundaries(constraints, seed):
    actions = walk_at_random(BOUNDED, blank_columns(len(constraints), constraints), seed)
    _, starts = BOUNDED.build(actions)
    for token, constraint in enumerate(constraints[1:], 1):
        assert constraint == 0 or starts[token] == (constraint == 1)


@QUICK
@given(st.lists(st.booleans(), min_size=1))
def test_boundaries_are_recovered_from_their_actions(starts):
    _, found = BOUNDED.build(BOUNDED.actions(["NN"] * len(starts), starts))
    assert found.tolist() == [True, *starts[1:]]


LEGAL = {
    "without boundaries, constraints mean nothing": (PLAIN, [0], [0, 1, -1, 0, 0], [0, 1, 2]),
    "the first token always starts a sentence": (BOUNDED, [], [-1, 0, 0, 0, 0], [3, 4, 5]),
    "a preset boundary must start a sentence": (BOUNDED, [3], [0, 1, 0, 0, 0], [3, 4, 5]),
    "where a boundary is forbidden, the sentence continues": (BOUNDED, [3], [0, -1, 0, 0, 0], [0, 1, 2]),
    "elsewhere, a boundary is optional": (BOUNDED, [3], None, [0, 1, 2, 3, 4, 5]),
}


@pytest.mark.parametrize(("system", "taken", "constraints", "legal"), LEGAL.values(), ids=LEGAL)
def test_legal_actions(system, taken, constraints, legal):
    assert after(system, taken, constraints=constraints).legal() == legal


@pytest.mark.parametrize(("order", "seen"), [(0, (0, 0)), (1, (2, 0)), (2, (2, 3))])
def test_templates_see_as_many_tags_as_the_order_if_there_are_any(order, seen):
    for actions, expected in (([], (0, 0)), ([2, 1], seen)):
        slots = after(TaggingSystem(TAGS, order), actions).slots()
        assert (slots["tag-1"], slots["tag-2"]) == expected


def test_the_length_of_the_sentence_is_counted_from_its_start():
    assert after(BOUNDED, [3, 0, 4, 0]).slots()["sentence.length"] == 2


def test_long_sentences_share_one_length_class():
    lengths = [after(BOUNDED, [3] + [0] * n, 40).slots()["sentence.length"] for n in (20, 30)]
    assert lengths[0] == lengths[1]


@pytest.mark.parametrize("tags", [["NN", "XX"], [""]])
def test_an_unknown_tag_gives_none(tags):
    assert PLAIN.actions(tags) is None


@pytest.mark.parametrize("system", [PLAIN, BOUNDED])
def test_missing_tags_give_no_actions(system):
    assert len(system.actions([], [])) == 0


def test_a_system_without_tags_is_refused():
    with pytest.raises(ValueError, match="J330"):
        TaggingSystem([])


@QUICK
@given(st.lists(st.tuples(st.sampled_from([*TAGS, None]), st.booleans())), st.sampled_from([PLAIN, BOUNDED]))
def test_skipped_tokens_have_no_actions(rows, system):
    tags = [tag for tag, _ in rows]
    constraints = [SKIP if tag is None else 0 for tag in tags]
    actions = system.actions(tags, [start for _, start in rows])
    walk = after(system, actions, len(rows), constraints)
    assert walk.is_final
    assert system.build(actions)[0] == [tag for tag in tags if tag is not None]


def test_a_skipped_token_counts_neither_as_a_tag_nor_as_the_start_of_the_document():
    slots = after(PLAIN, [1], constraints=[0, SKIP, 0, 0, 0]).slots()
    assert slots["w"] == after(PLAIN, [1, 1]).slots()["w"]
    assert (slots["tag-1"], slots["tag-2"]) == (len(TAGS) + 1, 2)


@pytest.mark.parametrize("system", [PLAIN, BOUNDED])
@pytest.mark.parametrize("actions", [[0, 6], [-1], [0.5], [[0]], ["NN"], 0, None])
def test_invalid_paths_are_refused(system, actions):
    with pytest.raises(ValueError, match="J314"):
        system.build(actions)
