"""Documents as columns: which tokens are rows, and which values templates can read."""

import os
import signal
from threading import Event, Thread
from time import sleep
from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_joint.pipes.token_columns import (
    COLUMNS,
    CONTEXT,
    PUNCTUATED,
    UNPUNCTUATED,
    WordColumns,
    find_reference_starts,
    move_off_whitespace,
)
from spacy_joint.pipes.word_classes import NO_CLASSES, WordClasses

NLP = spacy.blank("en")


def column(doc, name, word_classes=NO_CLASSES):
    values, tokens = WordColumns([name], word_classes).make_values(doc)
    assert len(values) == len(tokens)
    return values[:, 0].tolist()


def test_words_are_lower_cased_and_forms_are_not():
    doc = Doc(NLP.vocab, words=["The", "the"])
    assert column(doc, "word") == [doc[1].orth] * 2
    assert column(doc, "form") == [doc[0].orth, doc[1].orth]


def test_tags_and_shapes_are_spacys():
    doc = Doc(NLP.vocab, words=["The", "cat"], tags=["DT", "NN"], pos=["DET", "NOUN"])
    assert column(doc, "tag") == [token.tag for token in doc]
    assert column(doc, "pos") == [token.pos for token in doc]
    assert column(doc, "shape") == [token.shape for token in doc]


def test_affixes_are_those_of_the_lower_cased_word_and_never_the_whole_word():
    doc = Doc(NLP.vocab, words=["Walking", "talking", "king", "KING"])
    walking, talking, king, king_too = column(doc, "suffix4")
    assert walking == talking != 0
    assert king == king_too == 0


@pytest.mark.parametrize("words", [[], ["a"], ["\n"], ["A", "\n", "a", "\n\n", "bcdefgh"]])
@pytest.mark.parametrize("vocab", [NLP.vocab, Vocab()])
def test_every_column_of_any_document_has_one_row_per_word(words, vocab):
    values, tokens = WordColumns(list(COLUMNS), NO_CLASSES).make_values(Doc(vocab, words=words))
    assert values.shape == (sum(not word.isspace() for word in words), len(COLUMNS)) and len(tokens) == len(values)


def test_the_vocabulary_of_an_earlier_document_does_not_matter():
    columns = WordColumns(["word", "form", "shape", "suffix1"], NO_CLASSES)
    words = ["She", "SAID", "so"]
    found = [columns.make_values(Doc(vocab, words=words))[0].tolist() for vocab in (Vocab(), NLP.vocab)]
    assert found[0] == found[1]
    assert found[0] == WordColumns(columns.names, NO_CLASSES).make_values(Doc(NLP.vocab, words=words))[0].tolist()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_fork_waits_for_a_thread_that_adds_words(monkeypatch):
    columns, adding = WordColumns(["word"], NO_CLASSES), Event()

    def look_up(words):
        adding.set()
        sleep(0.2)
        return NO_CLASSES.look_up(words)

    monkeypatch.setattr(columns, "word_classes", SimpleNamespace(look_up=look_up))
    doc = Doc(NLP.vocab, words=["one", "two"])
    thread = Thread(target=columns.make_values, args=[doc])
    thread.start()
    adding.wait()
    child = os.fork()
    if not child:
        try:
            signal.alarm(5)  # ends a child that hangs
            columns.make_values(doc)
            os._exit(0)
        finally:
            os._exit(1)
    thread.join()
    assert os.waitpid(child, 0)[1] == 0


# Word classes


def test_classes_are_looked_up_by_lower_cased_word():
    classes = WordClasses.from_dict({"cat": [0, 7], "dog": [1, 7]})
    doc = Doc(NLP.vocab, words=["Dog", "cat", "cow"])
    assert column(doc, "class1", classes) == [2, 1, 0]
    assert column(doc, "class2", classes) == [8, 8, 0]
    assert column(doc, "class3", classes) == [0, 0, 0]


def test_words_that_are_also_names_of_labels_have_classes():
    # spaCy gives some strings, such as the names of dependency labels, fixed numbers instead of hashes.
    classes = WordClasses.from_dict({word: [2] for word in ("mark", "case", "det", "noun", "prep", "orth")})
    doc = Doc(NLP.vocab, words=["Mark", "case", "det", "noun", "prep", "orth"])
    assert column(doc, "class1", classes) == [3] * 6


def test_words_must_have_the_same_number_of_classes():
    for classes in ({"a": [1], "b": [1, 2]}, {"a": [1, 2, 3, 4, 5]}):
        with pytest.raises(ValueError, match=r"\[J030\]"):
            WordClasses.from_dict(classes)


# Stretches of text


def test_a_document_without_marks_is_unpunctuated_and_others_are_not():
    assert column(Doc(NLP.vocab, words=["so", "we", "left"]), "style") == [UNPUNCTUATED] * 3
    assert column(Doc(NLP.vocab, words=["We", "left", "."]), "style") == [PUNCTUATED] * 3
    assert column(Doc(NLP.vocab, words=["we", "left", "…"]), "style") == [PUNCTUATED] * 3


def test_long_stretches_without_marks_are_unpunctuated():
    words = ["we", "left", "."] * 20 + ["we", "left"] * 50 + ["."]
    assert column(Doc(NLP.vocab, words=words), "style") == [PUNCTUATED] * 60 + [UNPUNCTUATED] * 100 + [PUNCTUATED]
    # A sentence is not.
    words = ["we", "left", "."] * 20 + ["we", "left"] * 20 + ["."]
    assert set(column(Doc(NLP.vocab, words=words), "style")) == {PUNCTUATED}


@pytest.mark.parametrize("name", ["form", "shape"])
@pytest.mark.parametrize("words", ["DO N'T LEAVE NOW , I SAY", "DO NOT", "NO", "It Is Only A Paper Moon . " * 6])
def test_text_in_capitals_or_title_case_is_read_as_lower_cased(name, words):
    doc = Doc(NLP.vocab, words=words.split())
    assert column(doc, name) == column(Doc(NLP.vocab, words=words.lower().split()), name)


def test_clitics_in_lower_case_do_not_end_a_stretch_in_title_case():
    title, lower = (Doc(NLP.vocab, words=text.split() * 100) for text in ("They Do n't Know", "they do n't know"))
    assert column(title, "form") == column(lower, "form")


@pytest.mark.parametrize(
    "words", ["We met NATO , the UN and the EU .", "Ann Lee , Bo Kim and Cy Day left .", "John Smith", "你好 NASA 你好"]
)
def test_names_and_acronyms_keep_their_capitals(words):
    doc = Doc(NLP.vocab, words=words.split())
    assert column(doc, "form") == [token.orth for token in doc]


def test_each_stretch_of_a_document_is_read_as_it_is_written():
    normal, capitals = ["Then", "Ann", "left", "us", "."], ["AND", "THEN", "IT", "RAINED", "ALL", "DAY"]
    doc = Doc(NLP.vocab, words=[*normal, *capitals, *normal])
    forms = [NLP.vocab.strings[form] for form in column(doc, "form")]
    assert forms == [*normal, *(word.lower() for word in capitals), *normal]


STRETCHES = [
    "so we left",
    "We left , and it rained .",
    "WE LEFT NOW AND IT RAINED .",
    "We Left And It Rained",
    "1 . I",
    "I",
]


@settings(max_examples=200)
@given(st.lists(st.tuples(st.sampled_from(STRETCHES), st.integers(1, 30)), max_size=6), st.integers(0, 600))
def test_values_of_the_beginning_of_a_document_are_final(parts, n):
    words = [word for text, times in parts for word in text.split() * times]
    columns = WordColumns(["form", "shape", "style"], NO_CLASSES)
    whole, _ = columns.make_values(Doc(NLP.vocab, words=words))
    begun, tokens = columns.make_values(Doc(NLP.vocab, words=words[:n]), more_follows=True)
    assert begun.tolist() == whole[: len(begun)].tolist()
    assert len(words[:n]) - len(tokens) < CONTEXT
    # The context decides, too, as a document that begins earlier.
    later, _ = columns.make_values(Doc(NLP.vocab, words=words[max(n - CONTEXT, 0) :]))
    assert later[min(n, CONTEXT) :].tolist() == whole[n:].tolist()


def test_the_cache_grows_with_its_words():
    words = [f"Word{number}" for number in range(3000)]
    columns = WordColumns(["form"], NO_CLASSES)
    for _ in range(2):
        values, _ = columns.make_values(Doc(NLP.vocab, words=[*words, "end"]))
        assert values[:-1, 0].tolist() == [NLP.vocab.strings[word.lower()] for word in words]


# Sentence starts


@pytest.mark.parametrize(
    ("words", "starts", "moved"),
    [
        ("a b c", [1, 0, 1], [1, 0, 1]),
        ("_ b c", [1, 0, 0], [0, 1, 0]),
        ("_ _ c", [1, 0, 0], [0, 0, 1]),
        ("a _ _ c", [1, 1, 0, 0], [1, 0, 0, 1]),
        ("a _ c", [1, 1, 1], [1, 0, 1]),
        ("a _", [1, 1], [1, 0]),
        ("_", [1], [0]),
    ],
)
def test_starts_move_off_whitespace(words, starts, moved):
    doc = Doc(NLP.vocab, words=[word.replace("_", "\n") for word in words.split()])
    assert move_off_whitespace(np.array(starts, dtype=bool), doc).tolist() == [bool(start) for start in moved]


@pytest.mark.parametrize(
    ("predicted", "expected"),
    [
        ("ab c \n de f", [1, 0, 0, 1, 0]),
        ("a b c d e f", [1, 0, 0, 1, 0, 0]),
        ("abc def", [1, 1]),
        ("abcdef", [1]),
        ("abcd ef", [1, 0]),
    ],
)
def test_starts_of_references_are_carried_over(predicted, expected):
    reference = Doc(NLP.vocab, words=["ab", "c", "\n", "de", "f"], spaces=[False] * 5, sent_starts=[1, -1, 1, -1, -1])
    words = predicted.split(" ")
    example = Example(Doc(NLP.vocab, words=words, spaces=[False] * len(words)), reference)
    assert find_reference_starts(example).tolist() == [bool(start) for start in expected]


def test_a_reference_without_boundaries_has_no_starts():
    doc = Doc(NLP.vocab, words=["a", "b"])
    assert find_reference_starts(Example(doc, doc.copy())) is None


def test_words_stay_unknown_if_looking_them_up_is_interrupted(monkeypatch):
    columns = WordColumns(["word", "form", "suffix2"], NO_CLASSES)
    doc = Doc(NLP.vocab, words=["Wonderful", "weather"])
    expected, _ = WordColumns(columns.names, NO_CLASSES).make_values(doc)

    with monkeypatch.context() as patched:
        patched.setattr(columns.word_classes, "look_up", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            columns.make_values(doc)
    assert columns.make_values(doc)[0].tolist() == expected.tolist()


def test_outlines_are_suffixes_in_which_all_vowels_are_the_same():
    doc = Doc(NLP.vocab, words=["evlerden", "kitaplardan", "domovům", "domovom"])
    first, second, third, fourth = column(doc, "outline6")
    assert first == second != 0
    assert third == fourth
    assert len(set(column(doc, "suffix6"))) == 4


def test_inner_letters_are_those_before_an_ending_of_some_length():
    doc = Doc(NLP.vocab, words=["evlerden", "sularda", "evler"])
    # Both are "l-r" before three letters: ler-den, lar-da has another place.
    assert column(doc, "inner3")[0] == column(doc, "inner2")[1] == column(Doc(NLP.vocab, words=["evlere"]), "inner1")[0]
    assert column(doc, "inner5")[2] == 0
