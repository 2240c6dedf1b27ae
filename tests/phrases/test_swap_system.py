"""What is particular to the systems with swaps. test_tree_systems.py tests what all have in common."""

import numpy as np
import pytest

from spacy_joint.engine.columns import Columns
from spacy_joint.engine.system import Walk
from spacy_joint.errors import JointValueError
from spacy_joint.phrases.swap_system import MOVES, SwapSystem, name_actions

from ..engine.toys import blank_columns
from .binarised import BINARY, LABELS, find_actions, start

# The first and the last of four words are joined over the others.
NODES = [("A", 0, 3, 0), ("B", 1, 2, 1), ("C", 4, 5, 0), ("ROOT", 6, -1, 0)]
SHIFT = ("SHIFT",)
END = [("BINARY", "C", "L"), ("UNARY", "ROOT")]
JOINED = ("BINARY", "A", "L")
INSIDE = [SHIFT, SHIFT, ("BINARY", "B", "R")]


def make_system(kind="swap", distances=range(1, 13)):
    return SwapSystem(LABELS, BINARY, "ROOT", -1, distances, kind)


def list_moves(system, walk):
    legal = set(walk.legal())
    return [name[1] for name, number in system.actions_by_name.items() if name[0] in MOVES.values() and number in legal]


@pytest.mark.parametrize(
    ("kind", "fetched"),
    [
        ("swap", [SHIFT, SHIFT, SHIFT, SHIFT, ("SWAP", 2)]),
        ("single_swap", [SHIFT, SHIFT, SHIFT, SHIFT, ("SWAP", 1), ("SWAP", 1)]),
        ("skip_shift", [SHIFT, ("SKIP", 2)]),
    ],
)
def test_a_word_further_on_is_fetched(kind, fetched):
    names = name_actions(4, NODES, kind)
    assert names == [*fetched, JOINED, *INSIDE, *END]
    system = make_system(kind)
    assert system.build(find_actions(system, 4, NODES), 4) == [("A", 0, 3), ("B", 1, 2), ("C", 4, 5), ("ROOT", 6, -1)]


def test_words_swapped_are_next_in_their_order():
    system = make_system()
    first = start(system, 5, []).slots()["q0"]
    slots = start(system, 5, [SHIFT] * 4 + [("SWAP", 2)]).slots()
    assert [slots[name] - first for name in ("s1", "s0", "q0", "q1", "q2", "q3")] == [0, 3, 1, 2, 4, 5]
    assert slots["queued"] == 2


def test_marks_between_heads_are_counted():
    system = make_system()
    # , a : ,
    counts = np.array([[1, 0, 0], [1, 0, 0], [1, 1, 0], [2, 1, 0]])
    columns = Columns((), np.zeros((4, 0), dtype=np.uint64), token_info=counts)
    # The first and the last word are on the stack, with a colon between them.
    slots = start(system, 4, [SHIFT] * 4 + [("SWAP", 2)], columns).slots()
    assert [slots[name] for name in ("comma", "colon", "semicolon")] == [1, 2, 1]
    assert start(system, 4, [SHIFT] * 2, columns).slots()["marks"] < slots["marks"]
    without = start(system, 4, [SHIFT] * 2).slots()
    assert [without[name] for name in ("comma", "colon", "semicolon", "marks")] == [0] * 4


def test_only_words_between_a_word_and_a_partner_are_swapped():
    system = make_system()
    # The last word, too, can be fetched.
    for n_words in (4, 5):
        assert list_moves(system, start(system, n_words, [SHIFT] * 4)) == [1, 2]
    assert list_moves(system, start(system, 5, [SHIFT] * 2)) == []
    # A constituent stays where it is, and is none to be fetched.
    assert list_moves(system, start(system, 5, [SHIFT] * 2 + [("BINARY", "A", "L"), SHIFT, SHIFT])) == [1]
    assert list_moves(system, start(system, 5, [SHIFT] * 4 + [("UNARY", "A")])) == []


def test_swapped_words_are_not_swapped_with_each_other_again():
    system = make_system()
    walk = start(system, 4, [SHIFT] * 3 + [("SWAP", 1), SHIFT])
    # The word on top precedes the one below it.
    assert list_moves(system, walk) == []


def test_a_word_is_skipped_to_where_there_are_enough():
    system = make_system("skip_shift")
    assert list_moves(system, start(system, 5, [SHIFT])) == [1, 2, 3]
    assert list_moves(system, start(system, 5, [SHIFT, ("SKIP", 2)])) == [1, 2]
    assert list_moves(system, start(system, 5, [])) == []


def test_a_constituent_that_waits_for_its_left_sister_gets_it():
    system = make_system("skip_shift")
    walk = start(system, 6, [SHIFT] * 3 + [("BINARY", "@A", "R")])
    legal = {name for name, number in system.actions_by_name.items() if number in walk.legal()}
    assert {name[0] for name in legal} == {"BINARY"} and {name[2] for name in legal} == {"R"}


def test_only_distances_of_the_system_are_legal():
    system = make_system(distances=[2])
    assert list_moves(system, start(system, 5, [SHIFT] * 4)) == [2]
    assert find_actions(system, 3, [("A", 0, 2, 0), ("A", 3, 1, 0), ("ROOT", 4, -1, 0)]) is None


@pytest.mark.parametrize("kind", MOVES)
def test_words_that_are_too_far_have_no_actions(kind):
    nodes = [("A", 0, 59, 0)]
    for word in range(1, 59):
        nodes.append(("A", 60 + len(nodes) - 1, word, 0))
    nodes.append(("ROOT", 60 + len(nodes) - 1, -1, 0))
    assert name_actions(60, nodes, kind) is None


@pytest.mark.parametrize("kind", MOVES)
def test_the_number_of_steps_is_linear_for_any_walk(kind):
    system = make_system(kind)
    n_words = 200
    walk = Walk(system, blank_columns(n_words))
    moves = {number for name, number in system.actions_by_name.items() if name[0] in MOVES.values()}
    n_steps = 0
    while not walk.is_final:
        legal = walk.legal()
        # Moves as often as possible, by one word, and otherwise shifts.
        walk.advance(min(moves.intersection(legal), default=legal[0]))
        n_steps += 1
    assert n_steps < 70 * n_words


def test_invalid_settings_are_refused():
    with pytest.raises(JointValueError, match="J030"):
        make_system(distances=[0])
    with pytest.raises(JointValueError, match="J030"):
        make_system(distances=[49])
    with pytest.raises(JointValueError, match="J040"):
        make_system("swop")
