"""The short texts by which boundaries of edited text are measured, and what they count."""

import pytest
from edited_text import TEXTS, Text, generate, make_text, read_texts, score


@pytest.mark.parametrize(
    ("name", "n"),
    [
        *(("development", 165), ("held_out", 161), ("golden_rules", 48), ("fr/development", 107), ("fr/held_out", 62)),
        *(("pt/development", 114), ("pt/held_out", 64)),
    ],
)
def test_all_sentences_have_words(name, n):
    texts = list(read_texts(TEXTS / f"{name}.txt"))
    assert len(texts) == n
    for text, starts in texts:
        sentences = [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
        assert all(sentence.strip() and not sentence[0].isspace() for sentence in sentences)
        assert " | " not in text and "\\n" not in text


def test_a_line_is_read_with_its_breaks():
    assert make_text(r"Hi,\n\n| it is\nme. | Bye") == Text("Hi,\n\nit is\nme. Bye", [0, 5, 15])


def test_exact_texts_and_boundaries_are_counted():
    texts = [make_text("A. | B. | C."), make_text("D")]
    assert score(texts, lambda text: [0, 3, 6] if len(text) > 1 else [0]) == (2, 1.0)
    assert score(texts, lambda text: [0, 2] if len(text) > 1 else [0]) == (1, 2 / 3)
    assert {kind: len(each) for kind, each in generate().items()} == {"said": 72, "asked": 112, "greetings": 640}
