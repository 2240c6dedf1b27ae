"""Figures: what the pages show is what docs/figures.json says, and no page contradicts another."""

import pytest
from figures import Figures

PAGE = "Before.\n\n<!-- s: begin -->\n\n| x | F1 |\n| --- | --- |\n| a | 1 |\n| b | 2 |\n\n<!-- s: end -->\n\nAfter.\n"
TABLE = "Seen in dev:\n\n| x | F1 |\n| --- | --- |\n| a | 3 |\n| b |  |\n| c | 5 |\n"


@pytest.fixture
def figures(tmp_path):
    """Those of a repository with a page that has a section, and a README that quotes it."""
    (tmp_path / "docs" / "summaries").mkdir(parents=True)
    (tmp_path / "docs" / "page.md").write_text(PAGE)
    (tmp_path / "docs" / "summaries" / "best.md").write_text('The best has {{ cell("page/s", "c", "F1") }}.\n')
    (tmp_path / "README.md").write_text("<!-- best: begin -->\n\nNothing.\n\n<!-- best: end -->\n")
    return Figures(tmp_path)


def test_pages_show_the_figures():
    for page, name, text, wanted in Figures().list_sections():
        assert text == wanted, f"section {name} of {page.name}: run python benchmarks/figures.py"


def test_all_figures_are_shown():
    figures = Figures()
    assert {f"{page.stem}/{name}" for page, name, _, _ in figures.list_sections()} >= figures.sections.keys()


def test_model_cards_agree_with_the_results():
    """Both show EWT test, measured by two scripts."""
    figures = Figures()
    for name in ("en_joint_english", "en_joint_english_md", "en_joint_english_trf"):
        for corpus in ("EWT", "EWT*"):
            measures = ("boundary F1", "UAS", "LAS")
            card = [figures.get_cell(f"{name}/figures", f"{corpus} test", measure) for measure in measures]
            assert " / ".join(card) == figures.get_cell("results/peers", name, corpus)


def test_a_section_is_replaced_wherever_it_is_quoted(figures):
    page = figures.root / "docs" / "page.md"
    figures.replace(page, "s", TABLE)
    figures.write()
    assert page.read_text() == f"Before.\n\n<!-- s: begin -->\n\n{TABLE}\n<!-- s: end -->\n\nAfter.\n"
    assert "The best has 5." in (figures.root / "README.md").read_text()
    assert Figures(figures.root).sections == figures.sections


def test_rows_are_not_lost(figures):
    with pytest.raises(ValueError, match="without b"):
        figures.replace(figures.root / "docs" / "page.md", "s", "| x | F1 |\n| --- | --- |\n| a | 3 |\n")


def test_a_page_needs_the_section(figures):
    with pytest.raises(ValueError, match="no section t"):
        figures.replace(figures.root / "docs" / "page.md", "t", TABLE)


def test_a_section_needs_figures(figures):
    with pytest.raises(ValueError, match="no page/s"):
        figures.render(figures.root / "docs" / "page.md", "s")


def test_a_cell_that_is_missing_is_named(figures):
    figures.replace(figures.root / "docs" / "page.md", "s", TABLE)
    with pytest.raises(KeyError, match="'d' and 'F1'"):
        figures.get_cell("page/s", "d", "F1")
