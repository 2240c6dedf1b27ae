"""Plays: lines that start with the name of a speaker."""

import pytest


def find(nlp, text):
    return [
        (quotation.speaker.text, [content.text for content in quotation.contents])
        for quotation in nlp(text)._.quotations
    ]


LINES = [("ANNA", ["We are late."]), ("BO LEE", ["We know it. Come in."]), ("ANNA", ["Thank you!"])]


@pytest.mark.parametrize("mark", [".", ":"])
@pytest.mark.parametrize("end", ["\n", "\n\n"])
def test_lines_of_a_play_have_speakers(unparsed, parsed, mark, end):
    text = end.join(f"{name}{mark} {speech}" for name, (speech,) in LINES)
    assert find(unparsed, text) == find(parsed, text) == LINES


def test_lines_may_be_wrapped(unparsed):
    text = "ANNA. We are late, and Ben\nis, too.\n\nBO. We know it.\n\nANNA. Thank you\nso much!"
    speech = [("ANNA", ["We are late, and Ben\nis, too."]), ("BO", ["We know it."]), ("ANNA", ["Thank you\nso much!"])]
    assert find(unparsed, text) == speech


@pytest.mark.parametrize("direction", ["ANNA (rising).", "ANNA. [Rising]", "ANNA (rising):"])
def test_stage_directions_are_no_speech(unparsed, direction):
    text = f"A room.\n\nBO LEE. Come in.\n\n{direction} We are late.\n\nBO LEE. We know it."
    assert find(unparsed, text) == [("BO LEE", ["Come in."]), ("ANNA", ["We are late."]), ("BO LEE", ["We know it."])]


@pytest.mark.parametrize(
    "text",
    [
        "LONDON. It rained.\n\nIt was late.\n\nThe bus left.",
        "CHAPTER ONE\n\nIt rained.\n\nCHAPTER TWO\n\nIt was late.",
        "NATO. It met.\n\nNATO. It left.\n\nNATO. It met again.",
    ],
)
def test_headings_are_no_names(unparsed, text):
    assert find(unparsed, text) == []
