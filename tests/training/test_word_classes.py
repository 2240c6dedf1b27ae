import random

import pytest

from spacy_joint.training.word_classes import learn_case_classes, learn_word_classes

NOUNS = ["dog", "cat", "bird", "horse"]
VERBS = ["sees", "hears", "likes", "fears"]
ADJECTIVES = ["big", "small", "old", "young"]


def make_text(count=600, seed=0):
    pick = random.Random(seed).choice
    return [["The", pick(ADJECTIVES), pick(NOUNS), pick(VERBS), "a", pick(NOUNS), "."] for _ in range(count)]


def test_words_of_the_same_distribution_share_a_class():
    classes = learn_word_classes(make_text(), sizes=(6, 15), dims=5)
    kinds = [{classes[word][0] for word in words} for words in (NOUNS, VERBS, ADJECTIVES)]
    assert all(len(kind) == 1 for kind in kinds)
    assert len(set.union(*kinds)) == 3


def test_it_is_deterministic_and_reads_an_iterable_once():
    text = make_text()
    assert learn_word_classes(text, sizes=(2, 4), dims=5) == learn_word_classes(iter(text), sizes=(2, 4), dims=5)


def test_sizes_are_nested_and_in_the_requested_order():
    classes = learn_word_classes(make_text(), sizes=(8, 2, 4), dims=5)
    assert [len({ids[level] for ids in classes.values()}) for level in range(3)] == [8, 2, 4]
    assert len({ids for ids in classes.values()}) == 8
    assert all(0 <= ids[1] < 2 for ids in classes.values())


def test_words_are_sorted_by_frequency_lower_cased_and_without_rare_ones():
    classes = learn_word_classes([*make_text(), ["hapax", "hapax"]], min_count=3, dims=5)
    assert set(list(classes)[:3]) == {"a", "the", "."}
    assert "hapax" not in classes and "The" not in classes


@pytest.mark.parametrize("text", [[], [[]], [["a", "a", "a"]], [["a", "b"]] * 3])
def test_tiny_text_has_one_class_for_each_word_at_most(text):
    classes = learn_word_classes(text, sizes=(2, 4))
    assert all(ids == (0, 0) for ids in classes.values())


def test_vocabulary_smaller_than_the_sizes_and_dimensions():
    classes = learn_word_classes(make_text())
    assert len(classes) == 15
    assert all(len(ids) == 3 and max(ids) < 15 for ids in classes.values())


def test_case_classes():
    text = [["Then", "we", "saw", "Paris", "."]] * 4 + [["ALL", "Dogs", "BARK"], ["we", "said", '"', "No"]]
    text += [["so", "may", "the", "rest", "in", "May"]]
    assert learn_case_classes(text) == {
        "we": 0, "saw": 0, "paris": 5, "said": 0, "may": 3, "the": 0, "rest": 0, "in": 0
    }  # fmt: skip
