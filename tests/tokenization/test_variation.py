"""Copies of texts with other dashes, symbols and spaces."""

import random

from spacy_joint.tokenization.variation import list_added, vary

TEXT = 'He paid 5 dollars, he said "yes"? Then he left us all here.'
WORDS = ["He", "paid", "5", "dollars", ",", "he", "said", '"', "yes", '"', "?", "Then", "he", "left", "us", "all"]


def find_spans(text, words):
    spans, end = [], 0
    for word in words:
        start = text.index(word, end)
        end = start + len(word)
        spans.append((start, end))
    return spans


def test_words_stay_and_others_are_added():
    spans = find_spans(TEXT, WORDS)
    copies = {vary(TEXT, spans, "—€", random.Random(seed))[0] for seed in range(200)}
    assert any("5€ dollars" in copy for copy in copies) and any(" — " in copy for copy in copies)
    assert any('" yes' in copy for copy in copies) and any('" ?' in copy for copy in copies)
    for seed in range(50):
        copy, changed = vary(TEXT, spans, "—€", random.Random(seed))
        words = [copy[start:end] for start, end in changed]
        assert [word for word in words if word not in "—€"] == WORDS


def test_a_seed_always_makes_the_same_copy():
    spans = find_spans(TEXT, WORDS)
    assert vary(TEXT, spans, "—€", random.Random(3)) == vary(TEXT, spans, "—€", random.Random(3))


def test_characters_inside_words_of_the_treebank_are_not_added():
    assert list_added(["5€", "so—so", "–", "$"]) == "–$£%"
