"""The cases of words, and words in a case."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_joint.restoring.cases import CASES, apply_case, capitalise, find_case, find_spelled


@pytest.mark.parametrize(
    ("word", "case"),
    [
        ("the", "lower"),
        ("5", "lower"),
        ("Anna", "capitalised"),
        ("I", "capitalised"),
        ("3D", "capitalised"),
        ("O'Brien", "capitalised"),
        ("O'clock", "capitalised"),
        ("US", "capitals"),
        ("EBITDA", "capitals"),
        ("CEOs", "plural"),
        ("iPhone", "other"),
        ("McIntosh", "other"),
    ],
)
def test_cases_of_words(word, case):
    assert find_case(word) == case
    assert apply_case(case, word.lower(), {"iphone": "iPhone", "mcintosh": "McIntosh"}) == word


@pytest.mark.parametrize(
    ("text", "spelled"),
    [("in the u s we b b c", "u s b b c"), ("plan b and i t v", "t v"), ("r u at home e g now", ""), ("a i a", "")],
)
def test_letters_in_succession_are_spelled(text, spelled):
    words = text.split()
    assert [word for word, is_spelled in zip(words, find_spelled(words), strict=True) if is_spelled] == spelled.split()


def test_words_without_a_form_of_their_own_are_capitalised():
    assert apply_case("other", "ebay", {}) == apply_case("plural", "ebay", {}) == "Ebay"


def test_the_first_letter_is_capitalised_but_not_that_of_addresses():
    assert [capitalise(word) for word in ("'cause", "spire", "3d", "5", "")] == ["'Cause", "Spire", "3D", "5", ""]
    # A ligature is one character.
    assert capitalise("\ufb01ne") == "Fine"
    assert [capitalise(word) for word in ("ann@home.org", "home/ann", "#ann")] == ["ann@home.org", "home/ann", "#ann"]


@given(st.text(max_size=5), st.sampled_from(CASES))
def test_any_word_has_a_case_in_which_it_can_be_written(word, case):
    assert find_case(word) in CASES
    assert isinstance(apply_case(case, word, {}), str)
