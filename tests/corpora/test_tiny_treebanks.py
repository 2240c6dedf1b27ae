"""The tiny treebanks of other languages in `assets`: they are valid, and have what English does not."""

import pytest
from spacy.vocab import Vocab

from spacy_joint.annotation.multiword_tokens import get_words
from spacy_joint.corpora.conllu import read_conllu

from .conftest import write

NAMES = [f"tiny_{language}_{part}.conllu" for language in ("german", "turkish") for part in ("train", "dev")]


@pytest.mark.parametrize("name", NAMES)
def test_they_are_written_as_they_were(assets, name):
    assert write(*read_conllu(assets / name, Vocab())) == (assets / name).read_text(encoding="utf8")


@pytest.mark.parametrize("name", NAMES)
def test_their_tokens_are_their_text(assets, name):
    for doc in read_conllu(assets / name, Vocab(), paragraphs=True):
        assert any(map(get_words, doc))


def test_words_of_turkish_tokens_are_their_letters_or_not(assets):
    tokens = [token for doc in read_conllu(assets / "tiny_turkish_train.conllu", Vocab()) for token in doc]
    assert {token.text for token in tokens if token._.ud_joined} == {"ki"}
    assert {get_words(token)[1].form for token in tokens if get_words(token)} == {"idi"}


def test_a_german_word_looks_like_the_words_of_a_multiword_token(assets):
    tokens = [token for doc in read_conllu(assets / "tiny_german_train.conllu", Vocab()) for token in doc]
    assert not any(get_words(token) for token in tokens if token.lower_ == "zudem")
    zum = next(token for token in tokens if token.text == "zum")
    assert "".join(word.form for word in get_words(zum)) == "zudem"
