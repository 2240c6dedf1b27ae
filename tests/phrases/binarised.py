"""Binarised trees and walks for tests of the systems that build them."""

from hypothesis import strategies as st

from spacy_joint.engine.system import Walk
from spacy_joint.phrases.gap_system import name_actions
from spacy_joint.phrases.swap_system import SwapSystem
from spacy_joint.phrases.swap_system import name_actions as name_swap_actions

from ..engine.toys import blank_columns, walk_to_end

LABELS = ("A", "B", "C")
BINARY = [(prefix + label, side) for label in LABELS for prefix in ("", "@") for side in "LR"]


def find_actions(system, n_words, nodes):
    """The actions that build a tree; None if the system has none."""
    if isinstance(system, SwapSystem):
        return system.number_actions(name_swap_actions(n_words, nodes, system.kind))
    return system.number_actions(name_actions(n_words, nodes))


def start(system, n_words, names, columns=None):
    """A walk that has taken the actions with these names."""
    walk = Walk(system, columns or blank_columns(n_words))
    for name in names:
        walk.advance(system.actions_by_name[name])
    return walk


def check_rows(system, columns):
    """Make a check that templates with the largest offsets stay within the document; it also collects nodes."""

    def check(walk):
        slots = walk.slots()
        rows = [slots[name] + offset for name in system.token_slots for offset in (-8, 8)]
        assert 0 <= min(rows) <= max(rows) < columns.cells.shape[0]
        walk.collect()

    return check


def walk(system, n_words, choose):
    """The actions of a walk that `choose` directs, from the legal actions of each state."""
    columns = blank_columns(n_words)
    return walk_to_end(system, columns, choose, check_rows(system, columns))


@st.composite
def binary_trees(draw, most_words=12, reach=3):
    """Any binarised tree, as nodes and the number of words. With a `reach` of 1, it is continuous."""
    n_words = draw(st.integers(1, most_words))
    nodes = []
    roots = []
    for word in range(n_words):
        roots.append(word)
        if draw(st.booleans()):
            nodes.append((draw(st.sampled_from(LABELS)), word, -1, 0))
            roots[-1] = (word, n_words + len(nodes) - 1)
        else:
            roots[-1] = (word, word)
    while len(roots) > 1:
        left = draw(st.integers(0, len(roots) - 2))
        right = draw(st.integers(left + 1, min(left + reach, len(roots) - 1)))
        (first, a), (_, b) = roots[left], roots[right]
        nodes.append((draw(st.sampled_from(LABELS)), a, b, draw(st.integers(0, 1))))
        del roots[right]
        roots[left] = (first, n_words + len(nodes) - 1)
    nodes.append(("ROOT", roots[0][1], -1, 0))
    return n_words, nodes


def unfold(n_words, nodes):
    """A tree as nested tuples, whatever the order of its nodes."""
    made = list(range(n_words))
    for label, first, second, *_ in nodes:
        made.append((label, *(made[child] for child in (first, second) if child >= 0)))
    return made[-1]
