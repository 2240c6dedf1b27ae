"""What stands before a word: marks, what closes after them, and line breaks."""

import pytest
import spacy
from spacy.tokens import Doc

from spacy_joint.pipes.marks import (
    ABBREVIATION,
    BLANK_LINE,
    COLON,
    COMMA,
    CONTINUED,
    DASH,
    DOTTED,
    ELLIPSIS,
    IN_BRACKETS,
    IN_QUOTES,
    INITIAL,
    LINE,
    SYMBOL,
    TERMINAL,
    UNMARKED,
    WORD,
)
from spacy_joint.pipes.token_columns import WordColumns
from spacy_joint.pipes.word_classes import NO_CLASSES

NLP = spacy.blank("en")


def read_last(written: str) -> int:
    """What stands before the last word of text with punctuation; words are between spaces, and _ is no space."""
    words, spaces = [], []
    for chunk in f"{written}_.".split(" "):
        pieces = chunk.split("_")
        words += pieces
        spaces += [False] * (len(pieces) - 1) + [True]
    values, _ = WordColumns(["before"], NO_CLASSES).make_values(Doc(NLP.vocab, words=words, spaces=spaces))
    return values[-2, 0]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("they left", WORD),
        ("they left_. We", TERMINAL),
        ("left_?! We", TERMINAL),
        ("left_, And", COMMA),
        ("left_, and", CONTINUED),
        ("at 5 p.m. and", CONTINUED),
        ("eggs etc_. and", CONTINUED),
        ("eggs etc_. We", TERMINAL),
        ("his M.Sc_. in", CONTINUED),
        ("then . . . and", CONTINUED),
        ("then . . . And", TERMINAL),
        ("left_. we", TERMINAL),
        ("got an a_. and", TERMINAL),
        ("well_... we", ELLIPSIS),
        ("well_… We", ELLIPSIS),
        ("asked J. Smith", INITIAL),
        ("vitamin C. and", CONTINUED),
        ("so_: we", COLON),
        ("so — we", DASH),
        ("so :) we", SYMBOL),
        ("the U.S. We", DOTTED),
        ("see Sgt. Pepper", ABBREVIATION),
        ('left_,_" She', COMMA + IN_QUOTES),
        ("left_,_\n she", CONTINUED + LINE),
        ("left_?_” she", CONTINUED),
        ("left_?_” She", TERMINAL + IN_QUOTES),
        # It opens.
        ('left_. " We', WORD),
        ("left_._) We", TERMINAL + IN_BRACKETS),
        ("left_?_”_) We", TERMINAL + IN_BRACKETS),
        ("dogs_' Food", WORD + IN_QUOTES),
        ("left_\n We", LINE),
        ("left_._\n\n We", TERMINAL + BLANK_LINE),
        ("left_\n_\n We", BLANK_LINE),
    ],
)
def test_it_is_read_before_the_last_word(written, expected):
    assert read_last(written) == expected


def test_the_lack_of_marks_shows_nothing_in_text_without_punctuation():
    values, _ = WordColumns(["before"], NO_CLASSES).make_values(Doc(NLP.vocab, words=["they", "left", "\n", "we"]))
    assert values[:, 0].tolist() == [UNMARKED, UNMARKED, UNMARKED + LINE]
