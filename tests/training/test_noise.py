import pickle
import random

import numpy as np
import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_joint.annotation.custom_columns import read_column, write_column
from spacy_joint.corpora.examples import make_example
from spacy_joint.training import noise
from spacy_joint.training.noise import CHANGES, corrupt, create_noise_augmenter, misspell, spell_number
from spacy_joint.training.rewriting import rewrite

from ..corpora.strategies import documents

ALL_CHANGES = [change for changes in CHANGES.values() for change in changes]


def make_doc(*rows, **columns):
    """A document from rows of word, tag, POS, head and label; a space before "_" is left out."""
    words, tags, pos, heads, deps = (list(column) for column in zip(*rows, strict=True))
    spaces = [not word.startswith("_") for word in [*words[1:], ""]]
    words = [word.lstrip("_") for word in words]
    return Doc(Vocab(), words=words, spaces=spaces, tags=tags, pos=pos, heads=heads, deps=deps, **columns)


def make_letter(**columns):
    return make_doc(
        ("The", "DT", "DET", 1, "det"),
        ("cats", "NNS", "NOUN", 4, "nsubj"),
        ("_,", ",", "PUNCT", 1, "punct"),
        ("too", "RB", "ADV", 1, "advmod"),
        ("left", "VBD", "VERB", 4, "ROOT"),
        ("_.", ".", "PUNCT", 4, "punct"),
        ("I", "PRP", "PRON", 7, "nsubj"),
        ("do", "VBP", "VERB", 7, "ROOT"),
        ("_n't", "RB", "PART", 7, "advmod"),
        **columns,
    )


def get_rows(doc):
    return [(token.text, token.tag_, token.pos_, token.head.i, token.dep_) for token in doc]


def get_starts(doc):
    return [token.i for token in doc if token.is_sent_start]


@pytest.fixture
def rate(monkeypatch):
    """Sets how often something is changed; the rest is not changed."""

    def set_rates(**rates):
        names = "REMOVED_COMMAS ADDED_COMMAS TYPOS FILLERS REPETITIONS REDUCTIONS UNHEARD MISHEARD IMAGINED"
        for name in names.split():
            monkeypatch.setattr(noise, name, rates.get(name, 0))

    return set_rates


def test_capitals_keep_all_annotation():
    doc = make_letter()
    caps, title = corrupt(doc, noise.write_all_caps), corrupt(doc, noise.write_title_case)
    assert caps.text == "THE CATS, TOO LEFT. I DON'T "
    assert title.text == "The Cats, Too Left. I Don't "
    for copy in (caps, title):
        assert [row[1:] for row in get_rows(copy)] == [row[1:] for row in get_rows(doc)]


def test_words_after_an_opening_mark_are_in_title_case():
    doc = make_doc(("He", "PRP", "PRON", 0, "ROOT"), ("(", "-LRB-", "PUNCT", 0, "punct"), ("_too", "RB", "ADV", 0, "x"))
    assert corrupt(doc, noise.write_title_case).text == "He (Too "


def test_removed_commas_leave_the_rest_of_the_trees(rate):
    rate(REMOVED_COMMAS=1)
    copy = corrupt(make_letter(), noise.change_commas)
    assert copy.text == "The cats too left. I don't "
    assert [token.head.i for token in copy] == [1, 3, 1, 3, 3, 6, 6, 6]


def test_added_commas_are_punctuation_and_keep_trees_projective(rate):
    rate(ADDED_COMMAS=1)
    copy = corrupt(make_letter(), noise.change_commas)
    assert copy.text == "The, cats, too, left. I, don't "
    added = [row for place, row in enumerate(get_rows(copy)) if place in (1, 5, 9)]
    assert added == [(",", ",", "PUNCT", head, "punct") for head in (2, 6, 10)]
    assert get_starts(copy) == [0, 8]


def test_a_document_without_commas_gets_none():
    assert corrupt(make_doc(("Go", "VB", "VERB", 0, "ROOT")), noise.change_commas) is None


def test_typos_are_inside_long_words(rate):
    rate(TYPOS=1)
    doc = make_letter()
    copy = corrupt(doc, noise.write_typos)
    assert [token.text for token in copy if len(doc[token.i]) < 4] == ["The", ",", "too", ".", "I", "do", "n't"]
    assert copy[1].text != "cats" and copy[1].text[0] + copy[1].text[-1] == "cs"
    assert [row[1:] for row in get_rows(copy)] == [row[1:] for row in get_rows(doc)]


def test_a_misspelling_changes_one_letter_or_swaps_two():
    found = {misspell("abc", "x", random.Random(seed)) for seed in range(50)}
    assert found == {"ac", "abxc", "axc", "acb"}


def test_a_misheard_word_is_another_one_of_the_document_that_begins_alike(rate):
    rate(MISHEARD=1)
    doc = make_letter()
    copies = [rewrite(doc, noise.mishear(doc, random.Random(seed))) for seed in range(9)]
    assert len({copy.text for copy in copies}) > 1
    for copy in copies:
        assert {(token.text, token.tag_) for token in copy} <= {(token.text, token.tag_) for token in doc}
        assert [token.text[0].lower() for token in copy] == [token.text[0].lower() for token in doc]


def test_words_are_unheard_and_imagined_without_changing_boundaries(rate):
    rate(UNHEARD=0.5, IMAGINED=0.5)
    doc = make_letter()
    copies = [rewrite(doc, noise.mishear(doc, random.Random(seed))) for seed in range(30)]
    assert {len(list(copy.sents)) for copy in copies} == {len(list(doc.sents))}
    assert len({copy.text for copy in copies}) > 5
    assert any(token.dep_ == "discourse" and token.text == "The" for copy in copies for token in copy)


def test_fillers_are_interjections_attached_as_discourse(rate):
    rate(FILLERS=1)
    copy = corrupt(make_letter(), noise.imitate_speech)
    fillers = [token for token in copy if token.tag_ == "UH"]
    assert {token.text.lower() for token in fillers} == {"uh", "um"}
    assert {(token.pos_, token.dep_, str(token.morph)) for token in fillers} == {("INTJ", "discourse", "")}
    assert [token.head.text for token in fillers] == ["left", "cats", "cats", "left", "do", "do"]
    assert [sentence[0].text for sentence in copy.sents] == [fillers[0].text, fillers[4].text]
    assert fillers[0].text.istitle() and copy[1].text == "the"
    # A filler is not between "do" and "n't".
    assert copy.text.endswith("don't ")


def test_a_repeated_word_is_the_reparandum_of_its_repetition(rate):
    rate(REPETITIONS=1)
    copy = corrupt(make_letter(morphs=["Definite=Def"] + [""] * 8), noise.imitate_speech)
    assert copy.text == "The the cats, too left. I I don't "
    assert get_rows(copy)[:2] == [("The", "DT", "DET", 1, "reparandum"), ("the", "DT", "DET", 2, "det")]
    assert [str(token.morph) for token in copy[:2]] == ["Definite=Def"] * 2
    assert get_starts(copy) == [0, 7]


def test_a_number_becomes_words_of_which_the_last_is_the_head(rate):
    rate()
    doc = make_doc(
        ("In", "IN", "ADP", 1, "case"),
        ("1998", "CD", "NUM", 2, "obl"),
        ("ate", "VBD", "VERB", 2, "ROOT"),
        ("25", "CD", "NUM", 2, "obj"),
        lemmas=["in", "1998", "eat", "25"],
        morphs=["", "NumForm=Digit|NumType=Card", "", ""],
    )
    copy = corrupt(doc, noise.imitate_speech)
    assert get_rows(copy) == [
        ("In", "IN", "ADP", 3, "case"),
        ("nineteen", "CD", "NUM", 3, "compound"),
        ("ninety", "CD", "NUM", 3, "compound"),
        ("eight", "CD", "NUM", 4, "obl"),
        ("ate", "VBD", "VERB", 4, "ROOT"),
        ("twenty", "CD", "NUM", 6, "compound"),
        ("five", "CD", "NUM", 4, "obj"),
    ]
    assert [token.lemma_ for token in copy[1:4]] == ["nineteen", "ninety", "eight"]
    assert {str(token.morph) for token in copy[1:4]} == {"NumForm=Word|NumType=Card"}


@pytest.mark.parametrize(
    "rows",
    [
        [("$", "$", "SYM", 0, "ROOT"), ("_5", "CD", "NUM", 0, "nummod")],
        [("$", "$", "SYM", 0, "ROOT"), ("5", "CD", "NUM", 0, "nummod")],
        [("5", "CD", "NUM", 1, "nummod"), ("_kg", "NNS", "NOUN", 1, "ROOT")],
        [("3.5", "CD", "NUM", 0, "ROOT")],
        [("007", "CD", "NUM", 0, "ROOT")],
    ],
)
def test_other_numbers_stay_digits(rate, rows):
    rate()
    assert corrupt(make_doc(*rows), noise.imitate_speech) is None


@pytest.mark.parametrize(
    ("digits", "words"),
    [
        ("0", "zero"),
        ("19", "nineteen"),
        ("40", "forty"),
        ("101", "one hundred one"),
        ("1,998", "one thousand nine hundred ninety eight"),
        ("1998", "nineteen ninety eight"),
        ("1905", "nineteen oh five"),
        ("1900", "nineteen hundred"),
        ("2008", "two thousand eight"),
        ("2024", "twenty twenty four"),
        ("12,000,015", "twelve million fifteen"),
    ],
)
def test_numbers_are_spelled(digits, words):
    assert " ".join(spell_number(digits)) == words


def test_infinitives_are_reduced_and_places_are_not(rate):
    rate(REDUCTIONS=1)
    doc = make_doc(
        ("I", "PRP", "PRON", 2, "nsubj"),
        ("am", "VBP", "AUX", 2, "aux"),
        ("going", "VBG", "VERB", 2, "ROOT"),
        ("to", "IN", "ADP", 4, "case"),
        ("Rome", "NNP", "PROPN", 2, "obl"),
        ("because", "IN", "SCONJ", 7, "mark"),
        ("I", "PRP", "PRON", 7, "nsubj"),
        ("want", "VBP", "VERB", 2, "advcl"),
        ("to", "TO", "PART", 7, "xcomp"),
    )
    copy = corrupt(doc, noise.imitate_speech)
    assert copy.text == "I am going to Rome cause I wanna "
    assert [row[1:] for row in get_rows(copy)] == [row[1:] for row in get_rows(doc)]


def test_a_recognizer_writes_neither_punctuation_nor_capitals(rate):
    rate(REPETITIONS=1)
    copy = corrupt(make_letter(), noise.imitate_recognizer)
    assert copy.text == "the the cats too left i i do n't "
    assert [token.head.i for token in copy] == [1, 2, 4, 2, 4, 6, 7, 7, 7]
    assert get_starts(copy) == [0, 5]


@pytest.mark.parametrize("change", ALL_CHANGES)
@settings(max_examples=30)
@given(doc=documents(), seed=st.integers(0, 9))
def test_boundaries_and_trees_of_copies_agree_and_survive_a_docbin(change, doc, seed):
    copy = corrupt(doc, change, seed)
    if copy is None:
        return
    (again,) = DocBin().from_bytes(DocBin(docs=[copy]).to_bytes()).get_docs(doc.vocab)
    attributes = ["ORTH", "TAG", "POS", "MORPH", "HEAD", "DEP", "SENT_START"]
    assert again.to_array(attributes).tolist() == copy.to_array(attributes).tolist()
    assert len(list(copy.sents)) <= len(list(doc.sents))
    for sentence in copy.sents:
        assert sum(token.head == token for token in sentence) == 1
        assert all(token.head in sentence for token in sentence)


def augment(nlp, example, **shares):
    return list(create_noise_augmenter(**{**dict.fromkeys(CHANGES, 0.0), **shares})(nlp, example))


def test_the_original_comes_first_and_then_its_copies(nlp):
    example = make_example(make_letter())
    original, unpunctuated, capitals = augment(nlp, example, unpunctuated=1.0, capitals=1.0)
    assert original is example
    assert unpunctuated.reference.text == "the cats too left i do n't "
    assert capitals.reference.text in ("THE CATS, TOO LEFT. I DON'T ", "The Cats, Too Left. I Don't ")


def test_both_sides_of_a_copy_have_the_same_words(nlp):
    for example in augment(nlp, make_example(make_letter()), **dict.fromkeys(CHANGES, 1.0)):
        assert [token.text for token in example.predicted] == [token.text for token in example.reference]
        assert not any(example.predicted.has_annotation(name) for name in ("TAG", "POS", "DEP", "SENT_START"))


def test_annotation_of_the_predicted_side_is_kept(nlp, rate):
    rate(REPETITIONS=1)
    example = make_example(make_letter(), keep=["TAG", "SENT_START"])
    for token in example.predicted:
        token.tag_ = f"tag{token.i}"
    for copy in augment(nlp, example, speech=1.0)[1:]:
        assert [token.tag_ for token in copy.predicted][:3] == ["tag0", "tag0", "tag1"]
        assert get_starts(copy.predicted) == get_starts(copy.reference)


@pytest.mark.parametrize("values", [list(range(9)), np.arange(9)])
def test_an_added_word_has_the_columns_of_the_next_one(rate, values):
    rate(REPETITIONS=1)
    doc = make_letter()
    write_column(doc, "pitch", values)
    copy = corrupt(doc, noise.imitate_speech)
    assert list(read_column(copy, "pitch")) == [0, 0, 1, 2, 3, 4, 5, 6, 6, 7, 8]


def test_a_share_is_that_of_the_documents_with_a_copy(nlp):
    example = make_example(make_letter())
    copies = sum(len(augment(nlp, example, capitals=0.25, seed=seed)) - 1 for seed in range(400))
    assert 70 < copies < 130


def test_copies_that_do_not_differ_are_left_out(nlp):
    example = make_example(make_doc(("1", "LS", "X", 0, "ROOT")))
    assert augment(nlp, example, **dict.fromkeys(CHANGES, 1.0)) == [example]


@pytest.mark.parametrize("share", [-0.1, 1.1])
def test_a_share_that_is_not_a_probability_is_an_error(share):
    with pytest.raises(ValueError, match=rf"\[J030\] typos is {share}"):
        create_noise_augmenter(typos=share)


UNTAGGED = make_example(Doc(Vocab(), words=["Go", "on"], sent_starts=[True, False]))
REFUSED = {
    "speech in another language": ("de", "speech", make_example(make_letter()), r"\[J030\] .*'de'"),
    "speech without parts of speech": ("en", "speech", UNTAGGED, r"\[J126\] .*has no POS.*corpora\.original"),
    "sides of different tokens": (
        "en",
        "capitals",
        Example(Doc(Vocab(), ["The", "cats,"]), make_letter()),
        r"\[J125\]",
    ),
}


@pytest.mark.parametrize(("language", "change", "example", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_corrupted_is_refused(language, change, example, message):
    with pytest.raises(ValueError, match=message):
        augment(spacy.blank(language), example, **{change: 1.0})


def test_the_augmenter_can_be_pickled(nlp):
    augmenter = pickle.loads(pickle.dumps(create_noise_augmenter()))
    assert len(list(augmenter(nlp, make_example(make_letter())))) >= 2


# Lines


def make_paragraphs():
    """Two paragraphs of two sentences each, divided by a token that is a blank line."""
    text = "Bees matter . They fly far and feed us all . \n\n Old orchards die . No one knows why it is so ."
    words = text.split(" ")
    ends = [i for i, word in enumerate(words) if word == "."]
    starts = [0, *(i + 1 + (words[i + 1] == "\n\n") for i in ends[:-1])]
    heads = [max(start for start in starts if start <= i) for i in range(len(words))]
    spaces = ["\n\n" not in pair and pair[1] != "." for pair in zip(words, [*words[1:], "."], strict=True)]
    deps = ["ROOT" if head == i else "dep" for i, head in enumerate(heads)]
    tags = ["_SP" if word.isspace() else "X" for word in words]
    return Doc(Vocab(), words=words, spaces=spaces, tags=tags, heads=heads, deps=deps, lemmas=words)


def test_paragraphs_get_line_breaks():
    doc = make_paragraphs()
    texts = {
        "".join(word.text for word in noise.break_lines(doc, random.Random(seed)) if word.text.isspace())
        for seed in range(9)
    }
    assert texts == {"\n", "\n\n"}
    assert rewrite(doc, noise.join_lines(doc)).text == doc.text.replace("\n\n", " ")


def test_wrapped_lines_keep_all_annotation(monkeypatch):
    monkeypatch.setattr(noise, "WIDTHS", (16, 16))
    doc = make_paragraphs()
    copy = rewrite(doc, noise.wrap_lines(doc, random.Random(0)))
    lines = copy.text.split("\n")
    assert lines == [
        "Bees matter.",
        "They fly far and",
        "feed us all.",
        "",
        "Old orchards",
        "die. No one",
        "knows why it is",
        "so.",
    ]
    breaks = [token for token in copy if token.text == "\n"]
    assert [(token.tag_, token.dep_, token.lemma_, token.head.i) for token in breaks] == [
        ("_SP", "dep", "\n", token.i - 1) for token in breaks
    ]
    assert [sent.text.split() for sent in copy.sents] == [sent.text.split() for sent in doc.sents]
    written = [(t.text, t.tag_, t.dep_, t.head.text) for t in copy if not t.text.isspace()]
    assert written == [(t.text, t.tag_, t.dep_, t.head.text) for t in doc if not t.text.isspace()]


def test_only_copies_with_lines_have_line_breaks(nlp):
    example = make_example(make_paragraphs(), keep=["TAG"])
    none = {"unpunctuated": 0, "speech": 0, "commas": 0, "typos": 0}
    plain, capitals, lines = create_noise_augmenter(**none, capitals=1, lines=1)(nlp, example)
    assert "\n" not in plain.text + capitals.text
    assert "\n" in lines.text
    assert [token.tag_ for token in lines.predicted] == [token.tag_ for token in lines.reference]
    first, *_ = create_noise_augmenter(**none)(nlp, example)
    assert first is example


@pytest.mark.parametrize(
    ("doc", "changes"), [(make_letter(), dict.fromkeys(CHANGES, 1.0)), (make_paragraphs(), {"lines": 1.0})]
)
def test_choices_depend_on_the_seed_and_the_text_only(nlp, doc, changes):
    def run(seed):
        return [example.reference.text for example in augment(nlp, make_example(doc), **changes, seed=seed)]

    state = random.getstate()
    assert run(1) == run(1)
    assert random.getstate() == state
    assert len({tuple(run(seed)) for seed in range(10)}) > 1
