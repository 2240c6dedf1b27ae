"""Modifiers before nouns, found in trees, parses and tagged text."""

import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_joint.ordering.extract import find_in_dependencies, find_in_doc, find_in_tags, find_in_tree
from spacy_joint.trees.constituency_trees import parse_trees


def tagged(text):
    words, tags = zip(*(token.rsplit("/", 1) for token in text.split()), strict=True)
    return [[word.text for word in (*phrase.modifiers, phrase.head)] for _, phrase in find_in_tags(words, tags)]


def tree(text):
    (read,) = parse_trees(text)
    return [[word.text for word in (*phrase.modifiers, phrase.head)] for phrase in find_in_tree(read)]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("the/DT big/JJ red/JJ ball/NN rolls/VBZ", [["big", "red", "ball"]]),
        ("a/DT red/JJ ball/NN", []),
        ("big/JJ ,/, red/JJ ball/NN", []),
        ("a/DT very/RB big/JJ red/JJ ball/NN", [["big", "red", "ball"]]),
        ("the/DT old/JJ brick/NN school/NN walls/NNS fell/VBD", [["old", "brick", "school", "walls"]]),
        ("throwing/VBG big/JJ red/JJ balls/NNS", [["big", "red", "balls"]]),
        ("the/DT rolling/VBG red/JJ ball/NN", [["rolling", "red", "ball"]]),
        ("old/JJ jazz/NN singer/NN Smith/NNP", []),
        ("the/DT old/JJ jazz/NN band/NN 's/POS drummer/NN", []),
        ("a/DT well/RB -/HYPH known/VBN old/JJ song/NN", [["well-known", "old", "song"]]),
        ("a/DT blue/JJ -/HYPH green/JJ woollen/JJ hat/NN", [["blue-green", "woollen", "hat"]]),
        ("big/JJ red/JJ ball/NN and/CC old/JJ tin/NN box/NN", [["big", "red", "ball"], ["old", "tin", "box"]]),
    ],
)
def test_runs_of_tags(text, expected):
    assert tagged(text) == expected


def test_a_position_has_the_tokens_of_each_modifier():
    ((place, phrase),) = find_in_tags(["a", "blue", "-", "green", "tin", "box"], ["DT", "JJ", "HYPH", "JJ", "NN", "NN"])
    assert place.modifiers == ((1, 4), (4, 5)) and place.head == 5
    assert phrase.modifiers[0] == ("blue-green", "JJ")


@pytest.mark.parametrize(
    "text, expected",
    [
        ("(NP (DT the) (JJ big) (JJ red) (NN ball))", [["big", "red", "ball"]]),
        ("( (S (NP-SBJ (DT the) (JJ big) (-NONE- *) (JJ red) (NN ball))) )", [["big", "red", "ball"]]),
        ("(NP (DT a) (ADJP (RB very) (JJ big)) (JJ red) (NN ball))", []),
        ("(NP (JJ big) (ADJP (JJ dark) (JJ red)) (NN ball))", [["big", "dark", "red", "ball"]]),
        ("(NP (JJ big) (, ,) (JJ red) (NN ball))", []),
        ("(NP (JJ big) (NN jazz) (NN band) (POS 's))", []),
        ("(NP (JJ old) (NN eye) (HYPH -) (VBG catching) (NN hat))", [["old", "eye-catching", "hat"]]),
        ("(NP (NML (NN tea) (JJ blue) (HYPH -) (JJ green)) (JJ old) (NN hat))", [["tea", "blue-green", "old", "hat"]]),
        ("(NP (JJ old) (JJ red) (NN hat) (NP (NN box)))", []),
        ("(NP (JJ big) (CD two) (JJ red) (JJ old) (NNS balls))", [["red", "old", "balls"]]),
    ],
)
def test_trees(text, expected):
    assert tree(text) == expected


@pytest.fixture
def doc():
    return Doc(
        Vocab(),
        words=["a", "big", "red", "ball", "and", "fresh", "orange", "juice", "bottles"],
        tags=["DT", "JJ", "JJ", "NN", "CC", "JJ", "NN", "NN", "NNS"],
        pos=["DET", "ADJ", "ADJ", "NOUN", "CCONJ", "ADJ", "NOUN", "NOUN", "NOUN"],
        heads=[3, 3, 3, 3, 8, 8, 7, 8, 3],
        deps=["det", "amod", "amod", "ROOT", "cc", "amod", "compound", "compound", "conj"],
    )


def test_dependencies_skip_modifiers_that_cannot_be_moved_singly(doc):
    ((place, phrase),) = find_in_dependencies(doc)
    assert [word.text for word in phrase.modifiers] == ["big", "red"] and place.head == 3


def test_a_document_is_read_by_its_trees_or_by_its_tags(doc):
    assert len(list(find_in_doc(doc))) == 1
    by_tags = [phrase for _, phrase in find_in_doc(doc, "tags")]
    assert [len(phrase.modifiers) for phrase in by_tags] == [2, 3]
