"""The significance of differences between systems."""

import pytest
from significance import randomise

from spacy_joint.scoring.quotations import Counts


def test_a_large_difference_is_significant_and_no_difference_is_not():
    good, bad = [Counts(9, 10, 9, 10)] * 30, [Counts(4, 10, 4, 10)] * 30
    assert randomise(good, bad, rounds=500) < 0.01
    assert randomise(good, good, rounds=500) == 1.0


def test_one_document_is_never_significant():
    assert randomise([Counts(9, 10, 9, 10)], [Counts(4, 10, 4, 10)], rounds=200) == 1.0


def test_randomisation_is_repeatable():
    systems = [[Counts(i % 3, 3, i % 3, 4) for i in range(20)], [Counts(1, 3, 1, 4) for _ in range(20)]]
    assert randomise(*systems, rounds=100) == randomise(*systems, rounds=100)


def test_different_documents_are_refused():
    with pytest.raises(ValueError, match="one count per document"):
        randomise([Counts()], [])
