"""Plays: lines that start with the name of a speaker."""

import pytest


def find(nlp, text):
    return [
        (quotation.speaker.text, [content.text for content in quotation.contents])
        for quotation in nlp(text)._.quotations
    ]


LINES = [("ANNA", ["We are late."]), ("BO LEE", ["We know it. Come in."]), ("ANNA", ["Thank you!"])]


@pytest.mark.parametrize("mark", [".", ":", " —", ". —"])
@pytest.mark.parametrize("end", ["\n", "\n\n"])
def test_lines_of_a_play_have_speakers(unparsed, parsed, mark, end):
    text = end.join(f"{name}{mark} {speech}" for name, (speech,) in LINES)
    assert find(unparsed, text) == find(parsed, text) == LINES


def test_lines_may_be_wrapped(unparsed):
    text = "ANNA. We are late, and Ben\nis, too.\n\nBO. We know it.\n\nANNA. Thank you\nso much!"
    speech = [("ANNA", ["We are late, and Ben\nis, too."]), ("BO", ["We know it."]), ("ANNA", ["Thank you\nso much!"])]
    assert find(unparsed, text) == speech


ANSWER = 'I fell off a roof. My doctor said, "No more roofs."\n\nSo I looked at the ground.'
INTERVIEW = f"""A talk with Guido van Rossen.\n
Ann Lee: You began as a carpenter. What happened?\n
Guido van Rossen: {ANSWER}\n\nOn soil\n
Ann Lee (laughing): What did you see?\n
Guido van Rossen: Nothing but clay.\n\nWe spoke in May.\n"""


def test_answers_of_an_interview_go_on_over_paragraphs(unparsed, parsed):
    found = [
        ("Ann Lee", ["You began as a carpenter. What happened?"]),
        ("Guido van Rossen", [ANSWER]),
        ("Ann Lee", ["What did you see?"]),
        ("Guido van Rossen", ["Nothing but clay."]),
    ]
    assert find(unparsed, INTERVIEW) == find(parsed, INTERVIEW) == found


@pytest.mark.parametrize(("question", "answer"), [("Q:", "A:"), ("Q.", "A."), ("Question:", "Answer:")])
def test_letters_may_stand_for_names(parsed, question, answer):
    text = f"Ann Lee bakes.\n\n{question} How?\n\n{answer} By hand.\n\n{question} When?\n\n{answer} At night."
    assert [speaker.rstrip(":") for speaker, _ in find(parsed, text)] == [question.strip(":"), answer.strip(":")] * 2
    assert [quotation.character for quotation in parsed(text)._.quotations] == [None] * 4


def test_lines_of_a_chat_may_end_without_a_mark(unparsed):
    text = "Ann: are you at home\nBo: yes, until eight\nAnn: the door is open\nBo: is it?"
    assert [speaker for speaker, _ in find(unparsed, text)] == ["Ann", "Bo"] * 2


@pytest.mark.parametrize(
    "text",
    [
        "ANNA: Why?\n\nGWOZDZ: It is late.\n\nANNA: Is it?\n\nGWOZDZ: Yes.",
        # A direction to enter is no part of a name.
        "ANNA. Hush.\n\nEnter GWOZDZ, with a bag.\n\nGWOZDZ. Has it gone?\n\nANNA. It never came.\n\nGWOZDZ. Oh!",
    ],
)
def test_a_name_before_a_mark_is_a_character(parsed, text):
    assert [quotation.character.id for quotation in parsed(text)._.quotations] == ["ANNA", "GWOZDZ"] * 2


def test_a_name_may_begin_with_an_abbreviated_title(unparsed):
    lines = [("MRS. LEE", ["Who is it?"]), ("BO", ["I am."]), ("MRS. LEE", ["Come in."])]
    assert find(unparsed, "\n".join(f"{name}: {speech}" for name, (speech,) in lines)) == lines


@pytest.mark.parametrize("direction", ["ANNA (rising).", "ANNA. [Rising]", "ANNA (rising):", "ANNA, rising. —"])
def test_stage_directions_are_no_speech(unparsed, direction):
    text = f"A room.\n\nBO LEE. Come in.\n\n{direction} We are late.\n\nBO LEE. We know it."
    assert find(unparsed, text) == [("BO LEE", ["Come in."]), ("ANNA", ["We are late."]), ("BO LEE", ["We know it."])]


@pytest.mark.parametrize(
    "text",
    [
        "LONDON. It rained.\n\nIt was late.\n\nThe bus left.",
        "CHAPTER ONE\n\nIt rained.\n\nCHAPTER TWO\n\nIt was late.",
        "LONDON — It rained.\n\nPARIS — It snowed.\n\nROME — It was hot.",
        "NATO. It met.\n\nNATO. It left.\n\nNATO. It met again.",
        "Lee: 1,200.\n\nGrey: 700.\n\nLee: 90.\n\nGrey: 20.",
        "Name: Ann Lee\nPhone: 555 12\n\nName: Bo Grey\nPhone: 555 99\n",
    ],
)
def test_headings_are_no_names(unparsed, text):
    assert find(unparsed, text) == []
