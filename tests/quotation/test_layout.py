"""Paragraphs of plain text: lines cut at a width, a paragraph per line, verse, and dialogue by lines."""

import textwrap

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st

from spacy_joint.quotation.layout import find_paragraph_starts, find_soft_breaks, find_wraps, unwrap
from spacy_joint.quotation.writing import describe_quotation

NLP = spacy.blank("en")
PARAGRAPHS = [
    "“We have looked at the old bridge from both banks of the river, and at every one of its seven piers,” said the "
    "engineer. “Two of them have sunk, and none of us can say why they have not sunk further.”",
    "The mayor told her that “this is not what anybody in town wanted to hear before the summer.” She asked whether "
    "the buses could still use it, and for how long, because the other road is closed in the winter.",
    "“For a year, perhaps,” the engineer answered. From the back of the room somebody shouted: “Then build a new one "
    "at last, and do not ask us again!” Nobody laughed, and the mayor closed the meeting before it was over.",
]
VERSE = """The river rose above the wall,
And took the garden and the gate;
We heard the ferryman call, and call,
“Come over now, it is not too late,
Come over, neighbours, one and all!”
But we had only time to wait."""
DIALOGUE = """“Are you coming over to the other side with us tomorrow?” asked Ann.
“No.”
“Then stay here with the dog, if you like it so much.”
“I will, thank you,” said Bo, and he took the dog by its collar.
“Good night.”"""


def wrap(paragraphs, width):
    return "\n\n".join(textwrap.fill(paragraph, width) for paragraph in paragraphs)


def find(nlp, text):
    """The quotations of a text without line breaks and positions."""

    def unwrapped(span):
        return span and " ".join(span["text"].split())

    described = [describe_quotation(quotation) for quotation in nlp(text)._.quotations]
    return [
        (each["type"], [*map(unwrapped, each["contents"])], unwrapped(each["cue"]), unwrapped(each["speaker"]))
        for each in described
    ]


@pytest.mark.parametrize("width", [40, 60, 72, 80, 100])
def test_wrapped_text_has_the_quotations_of_text_with_a_paragraph_per_line(parsed, width):
    found = find(parsed, wrap(PARAGRAPHS, width))
    assert len(found) == 5
    assert found == find(parsed, "\n\n".join(PARAGRAPHS))


@pytest.mark.parametrize("newline", ["\n", "\r\n", "  \n", "\n   "])
def test_spaces_around_line_breaks_do_not_matter(unparsed, newline):
    # A single wrapped paragraph needs no blank line.
    for paragraphs in (PARAGRAPHS, PARAGRAPHS[:1]):
        text = wrap(paragraphs, 60).replace("\n", newline)
        assert find(unparsed, text) == find(unparsed, "\n".join(paragraphs))


@pytest.mark.parametrize("blank_line", ["\n\n", "\n"])
def test_blank_lines_or_short_lines_end_paragraphs_of_wrapped_text(blank_line):
    doc = NLP(wrap(PARAGRAPHS, 60).replace("\n\n", blank_line))
    assert [doc[i].text for i in find_paragraph_starts(doc)] == ["“", "The", "“"]


@pytest.mark.parametrize(
    "text",
    ["\n".join(PARAGRAPHS), "\n\n".join(PARAGRAPHS), VERSE, DIALOGUE, f"Bridges\nBy Ann Lee\n\n{PARAGRAPHS[0]}", "\n"],
)
def test_line_breaks_of_other_texts_end_paragraphs(text):
    assert find_wraps(text) == []
    doc = NLP(text)
    assert len(find_paragraph_starts(doc)) == sum(bool(line) for line in text.split("\n"))


def test_chinese_text_is_wrapped_at_any_character_but_japanese_dialogue_by_lines_is_not():
    text = "他们从河的两岸看了这座旧桥，也看了七个桥墩，说这座桥已经沉了，而且没有人知道为什么，但是还可以用一年。" * 3
    assert len(find_wraps("\n".join(text[i : i + 36] for i in range(0, len(text), 36)))) > 2
    assert find_wraps("「行きますか。」\n「いいえ。」\n「では、ここで犬と待っていてください。」") == []


def test_trees_and_cues_survive_unwrapping(parsed):
    doc = parsed(wrap(PARAGRAPHS, 60))
    plain, tokens = unwrap(doc, ["quotation_cues"])
    assert [doc[i].text for i in tokens] == [token.text for token in plain]
    assert [tokens[token.head.i] for token in plain] == [doc[i].head.i for i in tokens]
    assert [(token.tag_, token.dep_) for token in plain] == [(doc[i].tag_, doc[i].dep_) for i in tokens]
    assert [tokens[sentence.start] for sentence in plain.sents] == [sentence.start for sentence in doc.sents]
    cues = plain.spans["quotation_cues"]
    assert [tokens[cue.start] for cue in cues] == [cue.start for cue in doc.spans["quotation_cues"]]


@given(st.text(alphabet="aB“”。.字 \n\r\t", max_size=80))
def test_any_text_has_paragraphs(text):
    doc = NLP.make_doc(text)
    soft = find_soft_breaks(doc)
    assert not any(soft[start] for start in find_paragraph_starts(doc))
    assert all(doc[i].text.isspace() for i in soft.nonzero()[0])
