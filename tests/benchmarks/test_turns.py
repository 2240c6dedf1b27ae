"""The benchmark of turns: which are chosen, and what is counted."""

import random

import numpy as np
import turns


def test_turns_are_long_enough_and_from_evenly_many_files(tmp_path):
    for name in "ab":
        lines = [f"{name} one two three {number}." for number in range(9)]
        (tmp_path / f"{name}.txt").write_text("\n".join(["No.", "", *lines]), encoding="utf8")
    chosen = list(turns.read_turns(tmp_path, 6, 5, random.Random(0)))
    assert [turn[0] for turn in chosen] == ["a"] * 3 + ["b"] * 3


def test_words_are_heard_without_marks():
    assert (
        turns.clean(["“Well,", "it’s", "-", "$5", "(10%)...", "O'Neill’s", "well-known?"])
        == "well it's $5 10% o'neill's well-known"
    )


def test_a_tenth_of_the_other_places_is_above_the_threshold():
    others = np.arange(100) / 100
    assert turns.find_true_positives(np.array([0.1, 0.95, 0.99, 0.89]), others) == 0.5
