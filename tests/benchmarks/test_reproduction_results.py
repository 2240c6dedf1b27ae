"""The verdicts of the reproduction: a statement holds or fails only if its whole interval agrees."""

from math import inf

import pytest
from reproduction.results import Estimate, pool


@pytest.mark.parametrize(("margin", "verdict"), [(0.01, True), (0.03, None), (inf, None)])
def test_a_bound_within_the_interval_leaves_a_statement_open(margin, verdict):
    lead = Estimate(0.02, margin)
    assert lead.exceeds(0) is verdict
    assert Estimate(-0.02, margin).is_below(0) is verdict
    assert lead.is_below(0) is (None if verdict is None else False)


def test_intervals_are_those_of_the_t_distribution():
    # 4.303 is its quantile for two degrees of freedom, 2.776 for four.
    assert pool([[0.0, 1.0, 2.0]]) == pytest.approx(4.303, abs=1e-3)
    assert pool([[0.0, 1.0, 2.0], [7.0], [], [10.0, 11.0, 12.0]]) == pytest.approx(2.776, abs=1e-3)


def test_one_seed_has_no_interval():
    assert pool([[0.5], [0.7]]) == inf
    assert Estimate(0.5, inf).show("+") == "+50.0"
