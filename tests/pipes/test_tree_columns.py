"""Columns of trees: what a token is to its head, and what its dependents are."""

import pickle

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc

from spacy_joint.pipes.token_columns import COLUMNS, WordColumns
from spacy_joint.pipes.tree_columns import RELATED, TREE_COLUMNS, TreeColumns
from spacy_joint.pipes.word_classes import WordClasses

VOCAB = spacy.blank("en").vocab
CLASSES = WordClasses.from_dict({"dogs": [1, 20], "she": [2, 30]})


def make(words, heads, deps, tags=None):
    return Doc(VOCAB, words=words.split(), heads=heads, deps=deps.split(), tags=tags and tags.split())


def read(doc, name):
    """The values of a column; strings for hashes, and None for what is not there."""
    values, _ = TreeColumns([name], CLASSES).make_values(doc)
    if name in ("side", "dependents") or name.endswith("class2"):
        return values[:, 0].tolist()
    return [VOCAB.strings[value] if value else None for value in values[:, 0].tolist()]


#       0   1     2     3  4   5      6     7
DOGS = make(
    "the Dogs that she has walked are barking",
    [1, 7, 5, 5, 5, 1, 7, 7],
    "det nsubj obj nsubj aux acl:relcl aux ROOT",
    "DT NNS WDT PRP VBZ VBN VBP VBG",
)


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ("dep", ["det", "nsubj", "obj", "nsubj", "aux", "acl:relcl", "aux", "ROOT"]),
        ("side", [2, 2, 2, 2, 2, 0, 2, 1]),
        ("head_dep", ["nsubj", "ROOT", *["acl:relcl"] * 3, "nsubj", "ROOT", "ROOT"]),
        ("head_word", ["dogs", "barking", *["walked"] * 3, "dogs", "barking", "barking"]),
        ("head_tag", ["NNS", "VBG", *["VBN"] * 3, "NNS", "VBG", "VBG"]),
        ("head_class2", [21, 0, 0, 0, 0, 21, 0, 0]),
        ("subject_dep", [*[None] * 4, *["nsubj"] * 4]),
        ("subject_word", [*[None] * 4, "she", "she", "dogs", "dogs"]),
        ("subject_tag", [*[None] * 4, "PRP", "PRP", "NNS", "NNS"]),
        ("subject_class2", [0, 0, 0, 0, 31, 31, 21, 21]),
    ],
)
def test_columns_of_a_token_its_head_and_its_subject(column, expected):
    assert read(DOGS, column) == expected


@pytest.mark.parametrize(
    ("column", "words", "heads", "deps", "expected"),
    [
        ("aux_word", "she has walked", [2, 2, 2], "nsubj aux ROOT", [None, None, "has"]),
        ("aux_word", "it was seen", [2, 2, 2], "nsubj:pass aux:pass ROOT", [None, None, "was"]),
        ("cop_word", "she is here", [2, 2, 2], "nsubj cop ROOT", [None, None, "is"]),
        ("mark_word", "to go", [1, 1], "mark ROOT", [None, "to"]),
        ("case_word", "in town", [1, 1], "case ROOT", [None, "in"]),
        ("det_word", "these towns", [1, 1], "det ROOT", [None, "these"]),
        ("subject_word", "there went well", [1, 1, 1], "expl ROOT advmod", [None, "there", None]),
        ("subject_word", "that went well", [1, 2, 2], "nsubj csubj:outer ROOT", [None, "that", "went"]),
    ],
)
def test_dependents_by_their_relations_without_subtypes(column, words, heads, deps, expected):
    assert read(make(words, heads, deps), column) == expected


def test_the_last_of_several_dependents_counts():
    doc = make("she would have gone", [3, 3, 3, 3], "nsubj aux aux ROOT")
    assert read(doc, "aux_word") == [None, None, None, "have"]
    doc = make("there are towns", [1, 1, 1], "expl ROOT nsubj")
    assert read(doc, "subject_word") == [None, "towns", None]


def test_all_dependents_in_any_order_are_one_number():
    orders = [
        make("she has gone", [2, 2, 2], "nsubj aux ROOT"),
        make("has she gone", [2, 2, 2], "aux nsubj ROOT"),
        make("has she gone", [2, 2, 2], "aux obj ROOT"),
    ]
    numbers = [read(doc, "dependents") for doc in orders]
    assert numbers[0][2] == numbers[1][2] != numbers[2][2]
    assert [number[:2] for number in numbers] == [[0, 0]] * 3


@pytest.mark.parametrize(
    ("words", "heads", "deps", "expected"),
    [
        ("they sing and dance", [1, 1, 3, 1], "nsubj ROOT cc conj", [None, "they", None, "they"]),
        # The auxiliary of a conjunct.
        ("they sang and have danced", [1, 1, 4, 4, 1], "nsubj ROOT cc aux conj", [None, "they", None, "they", "they"]),
        ("they want to dance", [1, 1, 3, 1], "nsubj ROOT mark xcomp", [None, "they", None, "they"]),
        ("they are big", [2, 2, 2], "nsubj cop ROOT", [None, "they", "they"]),
        # A conjunct with a subject of its own.
        ("they sing she dances", [1, 1, 3, 1], "nsubj ROOT nsubj conj", [None, "they", None, "she"]),
        # Other clauses do not share it.
        ("they go if asked", [1, 1, 3, 1], "nsubj ROOT mark advcl", [None, "they", None, None]),
    ],
)
def test_conjuncts_and_auxiliaries_share_a_subject(words, heads, deps, expected):
    assert read(make(words, heads, deps), "subject_word") == expected


def test_the_subject_does_not_pass_from_one_sentence_to_another():
    doc = make("they sang dance", [1, 1, 2], "nsubj ROOT ROOT")
    assert read(doc, "subject_word") == [None, "they", None]


def test_whitespace_takes_no_part():
    words = ["\n", "she", " ", "has", "\n\n", "walked"]
    doc = Doc(VOCAB, words=words, heads=[1, 5, 1, 5, 3, 5], deps=["dep", "nsubj", "dep", "aux", "dep", "ROOT"])
    plain = make("she has walked", [2, 2, 2], "nsubj aux ROOT")
    names = TREE_COLUMNS
    values, tokens = TreeColumns(names, CLASSES).make_values(doc)
    assert tokens.tolist() == [1, 3, 5]
    assert values.tolist() == TreeColumns(names, CLASSES).make_values(plain)[0].tolist()


def test_words_below_whitespace_have_the_head_above_it():
    doc = Doc(VOCAB, words=["First", "dogs", "\n", "bark"], heads=[0, 0, 1, 2], deps=["ROOT", "dep", "dep", "dep"])
    assert read(doc, "head_word") == ["first", "first", "dogs"]


@pytest.mark.parametrize("words", [[], ["\n"], [" ", "\n"]])
def test_documents_without_words_have_no_rows(words):
    values, tokens = TreeColumns(TREE_COLUMNS, CLASSES).make_values(Doc(VOCAB, words=words))
    assert values.shape == (0, len(TREE_COLUMNS)) and len(tokens) == 0


def test_a_document_of_one_word():
    doc = make("Dogs", [0], "ROOT", "NNS")
    names = ("dep", "head_dep", "head_word", "head_tag")
    assert [read(doc, name) for name in names] == [["ROOT"], ["ROOT"], ["dogs"], ["NNS"]]
    assert read(doc, "side") == [1] and read(doc, "dependents") == [0]
    assert {tuple(read(doc, name)) for name in RELATED if not name.startswith("head")} <= {(None,), (0,)}


def test_a_document_without_a_tree_is_a_row_of_roots():
    doc = Doc(VOCAB, words=["she", "walked"])
    assert read(doc, "head_word") == ["she", "walked"]
    assert read(doc, "dep") == [None, None] and read(doc, "subject_word") == [None, None]


def test_columns_of_words_are_those_of_word_columns():
    names = ["tag", "word", "class2", "style", "dep", "head_tag"]
    shared = [name for name in names if name in COLUMNS]
    values, _ = TreeColumns(names, CLASSES).make_values(DOGS)
    places = [names.index(name) for name in shared]
    assert np.array_equal(values[:, places], WordColumns(shared, CLASSES).make_values(DOGS)[0])


def test_columns_can_be_pickled():
    columns = TreeColumns(TREE_COLUMNS, CLASSES)
    columns.make_values(DOGS)
    again = pickle.loads(pickle.dumps(columns))
    assert np.array_equal(again.make_values(DOGS)[0], columns.make_values(DOGS)[0])
