"""The benchmark of turns: which are chosen, and what is counted."""

import numpy as np
import turns


def test_a_tenth_of_the_other_places_is_above_the_threshold():
    others = np.arange(100) / 100
    assert turns.find_true_positives(np.array([0.1, 0.95, 0.99, 0.89]), others) == 0.5
