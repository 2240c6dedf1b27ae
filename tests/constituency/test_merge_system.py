"""What is particular to the transition system with separate labels. test_tree_systems.py tests what all have in
common."""

from collections import Counter

import pytest
from hypothesis import given, settings

from spacy_joint.annotation.constituency_trees import ROOT
from spacy_joint.constituency.binary_trees import to_nodes, to_phrases
from spacy_joint.constituency.heads import load_head_rules
from spacy_joint.constituency.merge_system import MergeSystem, name_actions
from spacy_joint.engine.system import Walk

from .binarised import LABELS, blank_columns
from .binarised import walk as follow
from .strategies import discontinuous_trees
from .strategies import trees as continuous_trees

SYSTEM = MergeSystem(LABELS, LABELS, "ROOT")
RULES = load_head_rules("english")
SHIFT, MERGE_L, MERGE_R, GAP, NO_LABEL = ("SHIFT",), ("MERGE", "L"), ("MERGE", "R"), ("GAP",), ("NO-LABEL",)
# The children of A are 0, 1 and 3, and 1 has the head.
FLAT = [("@A", 1, 3, 0), ("A", 0, 4, 1), ("B", 5, 2, 0), ("ROOT", 6, -1, 0)]


def start(n_words, names):
    walk = Walk(SYSTEM, blank_columns(n_words))
    for name in names:
        walk.advance(SYSTEM.actions_by_name[name])
    return walk


def allowed(walk):
    legal = set(walk.legal())
    return {name for name, number in SYSTEM.actions_by_name.items() if number in legal}


def check(tree):
    n_words, nodes = len(tree.leaves()), to_nodes(tree, RULES)
    names = name_actions(n_words, nodes)
    assert len(names) == 4 * n_words - 2 + names.count(GAP)
    unary, branching = (sorted({name[1] for name in names if name[0] == kind}) for kind in ("UNARY", "LABEL"))
    system = MergeSystem(unary, branching, ROOT) if unary or branching else SYSTEM
    actions = system.number_actions(names)
    steps = iter(actions.tolist())
    taken = follow(system, n_words, lambda legal: next(step for step in steps if step in legal))
    assert taken.tolist() == actions.tolist()
    built = to_phrases(system.build(actions, n_words), n_words)
    expected = to_phrases([node[:3] for node in nodes], n_words)
    assert Counter((phrase.label, *phrase.blocks) for phrase in built) == Counter(
        (phrase.label, *phrase.blocks) for phrase in expected
    )


@settings(deadline=None, max_examples=100)
@given(tree=discontinuous_trees())
def test_the_oracle_makes_any_discontinuous_tree_with_a_label_step_per_structural_step(tree):
    check(tree)


@settings(deadline=None, max_examples=100)
@given(tree=continuous_trees)
def test_the_oracle_makes_any_continuous_tree_with_a_label_step_per_structural_step(tree):
    check(tree)


def test_children_are_merged_as_soon_as_they_are_there():
    assert name_actions(4, FLAT) == [
        *(SHIFT, NO_LABEL, SHIFT, NO_LABEL, MERGE_R, NO_LABEL),
        *(SHIFT, NO_LABEL, SHIFT, NO_LABEL, GAP, MERGE_L, ("LABEL", "A")),
        *(MERGE_R, ("LABEL", "B")),
    ]


def test_an_unfinished_constituent_shows_its_head_and_its_outermost_children():
    slots = start(4, name_actions(4, FLAT)[:-3]).slots()
    assert (slots["d0"] - slots["d0.left"], slots["d0.right"] - slots["d0.left"]) == (1, 3)
    # Its category is not that of a word.
    assert slots["d0.label"] != slots["d0.left.label"] == slots["d0.right.label"]


def test_an_unfinished_constituent_waits_for_a_word():
    walk = start(3, [SHIFT, NO_LABEL, SHIFT, NO_LABEL, MERGE_L, NO_LABEL])
    assert allowed(walk) == {SHIFT}


def test_what_is_merged_after_the_last_word_gets_a_label():
    walk = start(3, [SHIFT, NO_LABEL, SHIFT, NO_LABEL, SHIFT, NO_LABEL, MERGE_L])
    assert allowed(walk) == {("LABEL", label) for label in LABELS}


@pytest.mark.parametrize("names", [[SHIFT], [SHIFT, NO_LABEL, SHIFT, NO_LABEL, MERGE_L]])
def test_what_covers_the_sentence_gets_a_label_or_the_root(names):
    kind = "LABEL" if len(names) > 1 else "UNARY"
    assert allowed(start(names.count(SHIFT), names)) == {("LABEL", "ROOT"), *((kind, label) for label in LABELS)}
