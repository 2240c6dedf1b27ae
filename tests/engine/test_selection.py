"""Which continuations a beam keeps, against a beam in plain Python: the best, and of equals the item and action that
come first, on any processor."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_joint.engine.beam import Search
from spacy_joint.engine.weights import Weights
from spacy_joint.tagging.system import TaggingSystem

from . import toys
from .toys import BOUNDED_TAGGING, JOINT, LATE, TAGGING, NaiveScores, all_kept, make_search, random_columns, replay

# There is room for four times the width of continuations, and for 64 at least; more are compared in parts.
WIDTHS = [1, 2, 5, 16, 17, 64, 200]
# Rows of scores of one block, of less than a block, and of several.
MANY_TAGS = TaggingSystem([f"tag{i}" for i in range(100)], order=1)
SYSTEMS = {"joint": (JOINT, 4), "late": (LATE, 4), "tagging": (TAGGING, 6), "bounded": (BOUNDED_TAGGING, 6)}
SYSTEMS |= {f"{n} tags": (TaggingSystem([f"tag{i}" for i in range(n)]), 4) for n in (16, 17)}
SYSTEMS["100 tags"] = (MANY_TAGS, 3)


def weights_of(system, values, seed):
    """Weights of few distinct values, so that many continuations are equally good."""
    weights = Weights(10, system.row_width)
    averaged = np.random.default_rng(seed).choice(np.array(values, dtype=np.int8), weights.n_cells)
    weights.set_averaged(averaged, all_kept(10), 1.0)
    return weights


def naive_beam(system, columns, scores, width):
    """The paths in the beam at the end and their scores, best first; without recombination."""
    items = [((), 0.0)]
    while True:
        walks = [replay(system, columns, path) for path, _ in items]
        if all(walk.is_final for walk in walks):
            return items
        found = []
        for walk, (path, total) in zip(walks, items, strict=True):
            if walk.is_final:
                found.append((path, total))
                continue
            of_action = scores(walk)
            found += [((*path, action), total + of_action[action]) for action in walk.legal()]
        # Stable: equals stay in the order of items and actions.
        items = sorted(found, key=lambda item: -item[1])[:width]


def check(name, width, seed, values):
    system, n_tokens = SYSTEMS[name]
    columns, weights = random_columns(n_tokens, seed), weights_of(system, values, seed)
    expected = naive_beam(system, columns, NaiveScores(system, toys.random_values(n_tokens, seed), weights), width)
    search = make_search(system, width)
    found = search.predict_all(weights, columns, recombine=False)
    assert [(tuple(path.tolist()), score) for path, score in found] == expected
    if width == 1:
        assert tuple(search.predict(weights, columns).tolist()) == expected[0][0]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("values", [(0,), (0, 1), (-1, 0, 1)])
def test_a_beam_keeps_the_best_and_of_equals_the_first(name, width, values):
    check(name, width, 1, values)


@settings(max_examples=60)
@given(
    st.sampled_from(["joint", "late", "tagging", "bounded", "17 tags"]),
    st.integers(1, 24),
    st.integers(0, 2**32 - 1),
    st.sampled_from([(0, 1), (0, 0, 0, 0, 5), (-127, 127), (-3, -2, -1)]),
)
def test_a_beam_of_any_width_keeps_the_best_and_of_equals_the_first(name, width, seed, values):
    check(name, width, seed, values)


@pytest.mark.parametrize("best", [0, 1, 63, 64, 65, 98, 99])
def test_the_best_of_many_actions_is_found_wherever_it_is(best):
    search = Search(MANY_TAGS, toys.templates_for(MANY_TAGS), 3, {best: 1.0})
    assert search.predict(weights_of(MANY_TAGS, [0], 0), random_columns(4)).tolist() == [best] * 4
