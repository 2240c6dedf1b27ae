"""How text is spelt for models."""

import unicodedata

import numpy as np
import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.training import Example

from spacy_joint.pipes.spelling import MIN_COUNT, SUBSTITUTES, Spelling, find_known_characters
from spacy_joint.pipes.token_columns import WordColumns
from spacy_joint.pipes.word_classes import NO_CLASSES


def test_characters_are_known_if_they_are_frequent():
    doc = Doc(spacy.blank("xx").vocab, words=["“"] + ["'"] * MIN_COUNT)
    assert find_known_characters([Example(doc, doc)]) == "'"


@pytest.mark.parametrize(
    ("known", "word", "spelt"),
    [
        ("'", "l’", "l'"),
        ("'’", "l’", "l’"),
        ("’", "it's", "it’s"),
        ('"', "«", '"'),
        ("«»", "“", "«"),
        ("«»", "”", "»"),
        ("-", "—", "-"),
        ("", "l’", "l’"),
        (None, "l’", "l’"),
        (None, "e\u0301te\u0301", "été"),
        (None, "ha\u0309i\nquân", "hải quân"),
        (None, "\n", "\n"),
        (None, "co\u00adop", "coop"),
        (None, "\u00ad", "\u00ad"),
    ],
)
def test_words_are_spelt_as_in_training(known, word, spelt):
    assert Spelling(known).spell(word) == spelt


@pytest.mark.parametrize("language", ["tr", "az"])
def test_turkic_languages_have_their_own_lower_case(language):
    assert Spelling(language=language).lower("IŞIK İyi") == "ışık iyi"  # noqa: RUF001
    assert Spelling(language="en").lower("IT") == "it"


@given(
    st.text(
        st.characters(exclude_categories=["Cs"]) | st.sampled_from("e\u0301\u0327\u1112\u1161\u11ab\u00ad’“—"),
        max_size=20,
    )
)
def test_positions_lead_back_to_the_given_text(text):
    for spelling in (Spelling(), Spelling("'-\"")):
        spelt, positions = spelling.align(text)
        if positions is None:
            assert len(spelt) == len(text)
        else:
            assert len(positions) == len(spelt) + 1
            assert positions[-1] == len(text) and (np.diff(positions) > 0).all()
            assert not text or positions[0] == 0


def test_korean_syllables_are_composed():
    text = unicodedata.normalize("NFD", "한국")
    spelt, positions = Spelling().align(text)
    assert spelt == "한국" and positions.tolist() == [0, 3, 6]


def test_every_substitute_is_another_single_character():
    assert all(len(set(others) - {character}) and len(character) == 1 for character, others in SUBSTITUTES.items())


def test_columns_of_words_have_their_spelling():
    vocab = spacy.blank("xx").vocab
    columns = WordColumns(["word", "form", "shape", "suffix3"], NO_CLASSES, spelling=Spelling("'"))
    plain, _ = columns.make_values(Doc(vocab, words=["L'", "été"]))
    others, _ = columns.make_values(Doc(vocab, words=["L’", unicodedata.normalize("NFD", "été")]))
    assert plain.tolist() == others.tolist()


def test_components_save_the_characters_that_they_know():
    nlp = spacy.blank("xx", config={"nlp": {"tokenizer": {"@tokenizers": "spacy_joint.NoTokenizer.v1"}}})
    model = {"@architectures": "spacy_joint.BeamPerceptron.v1", "table_bits": 12, "beam_width": 1}
    tagger = nlp.add_pipe("sequence_tagger", config={"model": model})
    doc = Doc(nlp.vocab, words=["l'", "ami"] * MIN_COUNT, tags=["D", "N"] * MIN_COUNT)
    nlp.initialize(lambda: [Example(doc.copy(), doc)])
    assert tagger.cfg["characters"] == "'"
    loaded = spacy.blank("xx")
    loaded.add_pipe("sequence_tagger", config={"model": model}).from_bytes(tagger.to_bytes())
    assert loaded.get_pipe("sequence_tagger").spelling.spell("l’") == "l'"
