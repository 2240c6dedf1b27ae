"""Random trees, documents and walks of the joint system, for property tests; not a model of real syntax."""

from typing import NamedTuple

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from spacy_joint.engine.system import Walk
from spacy_joint.parsing.system import JointSystem

QUICK = settings(max_examples=60)
POSITIONS = ("early", "late")
LEFT, RIGHT, ROOT = ("det", "nsubj"), ("obj", "obl", "det"), ("root", "frag")

seeds = st.integers(0, 2**32 - 1)
constraint_lists = st.lists(st.sampled_from([-1, 0, 0, 1]), max_size=14)


class Forest(NamedTuple):
    """Trees of a document; a root heads itself."""

    heads: np.ndarray
    labels: list[str]
    starts: np.ndarray


@st.composite
def trees(draw, max_size=9):
    """Heads of one tree, arbitrarily non-projective.

    spaCy finds boundaries of such trees in a bounded number of passes, which are enough for ten words.
    """
    size = draw(st.integers(1, max_size))
    order = draw(st.permutations(range(size)))
    heads = [0] * size
    heads[order[0]] = order[0]
    for rank in range(1, size):
        heads[order[rank]] = order[draw(st.integers(0, rank - 1))]
    return heads


@st.composite
def projective_trees(draw, max_size=9):
    """Heads of one tree without crossing arcs."""
    size = draw(st.integers(1, max_size))
    heads = [0] * size

    def attach(begin, end, head):
        while begin < end:
            # The tokens begin..cut-1 form one dependent with its subtree.
            cut = draw(st.integers(begin + 1, end))
            root = draw(st.integers(begin, cut - 1))
            heads[root] = head
            attach(begin, root, root)
            attach(root + 1, cut, root)
            begin = cut

    root = draw(st.integers(0, size - 1))
    heads[root] = root
    attach(0, root, root)
    attach(root + 1, size, root)
    return heads


@st.composite
def forests(draw, sentences=None):
    """A document of up to five sentences, with labels that the system of `joint_system` knows."""
    heads, labels, starts = [], [], []
    for tree in draw(st.lists(trees() if sentences is None else sentences, min_size=1, max_size=5)):
        begin = len(heads)
        for token, head in enumerate(tree):
            known = ROOT if head == token else LEFT if head > token else RIGHT
            labels.append(draw(st.sampled_from(known)))
            heads.append(begin + head)
            starts.append(token == 0)
    return Forest(np.array(heads, dtype=np.int32), labels, np.array(starts))


def joint_system(position="early"):
    return JointSystem(LEFT, RIGHT, ROOT, position)


def random_walk(system, columns, seed, each_step=lambda walk: None):
    """Actions of a complete walk. Each walk has its own preferences, so that some swap often and others never."""
    random = np.random.default_rng(seed)
    liking = random.random(system.n_actions) ** 3
    n = len(columns)
    # Two tokens swap at most once, and a swapped token is shifted again.
    longest = 3 * n + n * max(n - 1, 0)
    walk, actions = Walk(system, columns), []
    each_step(walk)
    while not walk.is_final:
        legal = walk.legal()
        assert legal, f"nothing is legal after {actions}"
        weights = liking[legal] + 1e-6
        actions.append(int(random.choice(legal, p=weights / weights.sum())))
        walk.advance(actions[-1])
        each_step(walk)
        assert len(actions) <= longest
    return actions
