"""The tables of guides.py: what is compared with what."""

import guides
import numpy as np
import pytest

# Starts of sentences, heads and labels of 8 tokens.
STARTS = np.array([True, False] * 4)
HEADS = np.arange(8)
LABELS = np.array(["root"] * 8)
RIGHT = (STARTS, HEADS, LABELS)
WRONG = (np.array([True] * 8), HEADS + 1, LABELS)
SCORES = {"right": RIGHT, "wrong": WRONG, "wrong again": WRONG}


@pytest.fixture
def comparison(tmp_path, monkeypatch):
    """A comparison of systems on 20 documents, of which the first one is always wrong."""
    (tmp_path / "en_tiny-ud-dev.conllu").touch()
    monkeypatch.setattr(guides, "load", lambda system: (None, system.path))
    monkeypatch.setattr(guides, "score", lambda nlp, path, found, starred: count_documents(SCORES[found]))
    comparison = guides.Comparison([tmp_path], "dev", costs=False)
    for name in ("wrong", "right", "wrong again"):
        comparison.add(name, guides.System(name, guides.BEAM))
    return comparison


def count_documents(found):
    of_doc = guides.count(found, RIGHT)
    return {name: [counts] * 20 for name, counts in of_doc.items()}


def test_p_values_are_of_the_difference_to_the_first_row(comparison):
    assert comparison.header == ["TINY", "TINY*"]
    p_values = {name: result["TINY LAS"]["p_value"] for name, result in comparison.results.items()}
    assert p_values["right"] < 0.01 and p_values["wrong again"] == 1
    assert comparison.rows[0] == ["wrong", *["66.7 / 0.0 / 0.0"] * 2]


def test_two_systems_are_contrasted_whatever_the_first_row_is(comparison):
    assert comparison.contrast("again", "wrong", "wrong again") == ["again", *["66.7 / 66.7 (1.000)"] * 2]
    assert "66.7 / 100.0 (0.001)" in comparison.contrast("both", "wrong again", "right")


def test_the_section_of_a_page_is_replaced(comparison, tmp_path):
    page = tmp_path / "docs" / "page.md"
    page.parent.mkdir()
    page.write_text("<!-- ablations: begin -->\n\nold\n\n<!-- ablations: end -->\n")
    comparison.write(None, page, "ablations", "more")
    text = page.read_text()
    assert "| wrong again | 66.7 (1.000) / 0.0 (1.000) / 0.0 (1.000) |" in text and "\n\nmore\n" in text
    assert "old" not in text
