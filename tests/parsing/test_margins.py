"""Boundary margins, compared with a plain replay of all paths in the beam."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_joint.engine.beam import Search
from spacy_joint.engine.columns import Columns
from spacy_joint.engine.templates import Templates
from spacy_joint.parsing.margins import boundary_margins

from ..engine.toys import JOINT, LATE, random_weights

QUICK = settings(max_examples=40)
SHIFT, SB, SWAP = (JOINT.actions[name] for name in ("SHIFT", "SB", "SWAP"))


def make_search(system, width, seed):
    """A search with random weights."""
    templates = Templates("s0.word b0.word\ns1.word\nb0.flag", ("word",), system)
    return Search(system, templates, width), random_weights(system, seed)


def make_columns(n_tokens, seed):
    return Columns(("word",), np.random.default_rng(seed).integers(0, 5, (n_tokens, 1)).astype(np.uint64))


def decisions(path):
    """A dict of the tokens that a path has decided: whether each starts a sentence."""
    decided = {}
    following, n_swapped = 0, 0
    for action in path:
        if action == SB:
            decided[following] = True
        elif action == SWAP:
            n_swapped += 1
        elif action == SHIFT and n_swapped:
            n_swapped -= 1
        elif action == SHIFT:
            decided.setdefault(following, False)
            following += 1
    return decided


def plain_margins(parents, actions, gaps, n_tokens):
    margins = [float("nan")] * n_tokens
    paths = [[]]
    for of_step in zip(parents.tolist(), actions.tolist(), gaps.tolist(), strict=True):
        items = [(parent, action, gap) for parent, action, gap in zip(*of_step, strict=True) if gap < float("inf")]
        paths = [[*paths[parent], action] for parent, action, _ in items]
        decided = [decisions(path) for path in paths]
        for token in range(n_tokens):
            ways = {
                starts: [gap for ways, (_, _, gap) in zip(decided, items, strict=True) if ways.get(token) is starts]
                for starts in (True, False)
            }
            if all(ways.values()):
                margins[token] = min(ways[False]) - min(ways[True])
    return margins


@QUICK
@given(st.sampled_from([JOINT, LATE]), st.integers(0, 9), st.integers(0, 2**32 - 1), st.integers(1, 12))
def test_margins_are_those_of_a_plain_replay(system, n_tokens, seed, width):
    search, weights = make_search(system, width, seed)
    columns = make_columns(n_tokens, seed)
    path, trace = search.trace(weights, columns)
    assert path.tolist() == search.predict(weights, columns).tolist()
    np.testing.assert_allclose(boundary_margins(*trace, n_tokens), plain_margins(*trace, n_tokens), rtol=1e-5)


def test_beam_width_one_has_no_competing_analyses():
    search, weights = make_search(JOINT, 1, seed=0)
    _, trace = search.trace(weights, make_columns(8, seed=0))
    assert np.isnan(boundary_margins(*trace, 8)).all()


def test_arrays_that_are_not_a_trace_are_refused():
    right = np.zeros((3, 2), np.uint16), np.zeros((3, 2), np.uint16), np.zeros((3, 2), np.float32)
    for wrong in ((right[0][:2], *right[1:]), (right[0] + 2, *right[1:]), tuple(array[0] for array in right)):
        with pytest.raises(ValueError, match="J306"):
            boundary_margins(*wrong, 3)


@pytest.mark.parametrize("which", [0, 1, 2])
def test_arrays_of_other_types_are_refused(which):
    arrays = [np.zeros((2, 1), dtype=dtype) for dtype in (np.uint16, np.uint16, np.float32)]
    assert len(boundary_margins(*arrays, 2)) == 2 and len(boundary_margins(*arrays, -1)) == 0
    arrays[which] = arrays[which].astype(np.int64)
    with pytest.raises(ValueError, match="J306"):
        boundary_margins(*arrays, 2)
