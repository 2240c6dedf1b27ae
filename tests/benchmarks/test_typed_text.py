"""Text as others type it, and words that get their characters back."""

import unicodedata

import spacy
from spacy.tokens import Doc
from typed_text import CHANGES, put_back


def test_text_is_changed():
    text = 'He said "it\'s" so.\n\n' + "word " * 20 + "end"
    assert CHANGES["‘’ and “”"](text).startswith("He said “it’s” so.\n\n")
    wrapped = CHANGES["wrapped"](text)
    assert wrapped.count("\n") == 3 and wrapped.split() == text.split()


def test_words_get_their_characters_back():
    text = 'l\'été "vu"'
    words = [unicodedata.normalize("NFD", word) for word in ("l’", "été", "\n", "“", "vu", "”")]
    heads, deps = [1, 1, 1, 4, 1, 4], ["det", "ROOT", "dep", "punct", "dep", "punct"]
    doc = put_back(Doc(spacy.blank("xx").vocab, words=words, heads=heads, deps=deps), text)
    assert [token.text for token in doc] == ["l'", "été", "\n", '"', "vu", '"']
    assert [token.head.i for token in doc] == heads
