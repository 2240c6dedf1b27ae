import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_joint.tagging.edit_scripts import apply_script, make_script


@pytest.mark.parametrize(
    "word, lemma, script",
    [
        ("making", "make", ";0>|3>e"),
        ("Houses", "house", ";0>|1>"),
        ("are", "be", ";2>b|0>"),
        ("I", "I", "Aa;0>|0>"),
        ("is", "be", ";=be"),
        ("london", "London", "Aa;0>|0>"),
        ("Londoners", "Londoner", "Aa;0>|1>"),
        ("IBM", "IBM", "AA;0>|0>"),
        ("iPhones", "iPhone", "=;0>|1>"),
        (":", ":", ";0>|0>"),
        ("8,000", "8000", ";-,"),
        ("8,", "8", ";0>|1>"),
    ],
)
def test_scripts_are_general(word, lemma, script):
    assert make_script(word, lemma) == script


@given(st.text(min_size=1), st.text(min_size=1))
def test_the_script_of_a_pair_makes_its_lemma(word, lemma):
    assert apply_script(make_script(word, lemma), word) == lemma


@given(st.text(), st.text(min_size=1))
def test_any_script_makes_something_of_any_word(script, word):
    assert apply_script(script, word)
    assert apply_script(make_script("an unusually long word", "unusual"), word)


def test_a_word_that_is_too_short_stays_as_it_is():
    assert apply_script(";0>|4>", "Bed") == "Bed"
