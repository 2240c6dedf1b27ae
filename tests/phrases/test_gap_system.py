"""What is particular to the transition system with gaps. test_tree_systems.py tests what all have in common."""

from spacy_joint.phrases.gap_system import GapSystem, name_actions

from .binarised import BINARY, LABELS, find_actions, start

SYSTEM = GapSystem(LABELS, BINARY, "ROOT")


def test_what_binarisation_made_is_completed_by_its_own_side():
    legal = start(SYSTEM, 4, [("SHIFT",), ("SHIFT",), ("BINARY", "@A", "L"), ("SHIFT",)]).legal()
    # The unfinished constituent is s0, and has the head.
    assert SYSTEM.actions_by_name["BINARY", "A", "L"] in legal
    assert SYSTEM.actions_by_name["BINARY", "A", "R"] not in legal


def test_the_order_of_words_decides_which_child_is_left():
    # 0 and 2 are joined first, so the word between them is behind the deque.
    nodes = [("A", 0, 2, 1), ("B", 3, 1, 0), ("ROOT", 4, -1, 0)]
    names = name_actions(3, nodes)
    assert names == [
        ("SHIFT",),
        ("SHIFT",),
        ("SHIFT",),
        ("GAP",),
        ("BINARY", "A", "R"),
        ("BINARY", "B", "R"),
        ("UNARY", "ROOT"),
    ]
    assert SYSTEM.build(find_actions(SYSTEM, 3, nodes), 3) == [("A", 0, 2), ("B", 3, 1), ("ROOT", 4, -1)]


def test_gap_types_are_seen():
    names = name_actions(3, [("A", 0, 2, 1), ("B", 3, 1, 0), ("ROOT", 4, -1, 0)])
    seen = [start(SYSTEM, 3, names[:n]).slots()["gap_type(d0)"] for n in range(1, len(names))]
    # The constituent of the first and the last word has a gap, which the word between them fills.
    assert seen == [*[1] * (len(seen) - 2), 2, 3]
