"""What the tabs of the page show, in headless Chromium, if it is installed."""

import pytest
from selenium.webdriver import Keys
from selenium.webdriver.common.by import By

from spacy_joint.errors import Errors
from spacy_joint.serving.app import create_app
from spacy_joint.serving.worker import Busy, Workers

from .browsing import (
    TREE,
    find_all,
    needs_chromium,
    open_tab,
    open_with_text,
    screen,
    section,
    set_theme,
    submit,
    type_text,
    wait,
    wait_for_trees,
)

pytestmark = needs_chromium


def test_trees_are_drawn_of_the_first_sentence_and_of_those_opened_by_keyboard(page):
    open_tab(page, "trees")
    wait_for_trees(page, 1)
    rows = find_all(page, ".sentence")
    assert [row.get_attribute("open") is not None for row in rows] == [True, False]
    summary = find_all(page, ".sentence > summary")[1]
    summary.send_keys(Keys.ENTER)
    wait_for_trees(page, 2)
    assert "mayor ← added (nsubj)" in find_all(page, ".tree svg")[1].get_attribute("aria-label")


@pytest.mark.parametrize(("width", "is_across"), [(1180, True), (390, False)])
def test_trees_fit_the_width_and_are_not_scaled(browser, address, width, is_across):
    with screen(browser, width):
        page = open_with_text(browser, address, "The old man said that they will paint the big red bridge in May.")
        open_tab(page, "trees")
        wait_for_trees(page, 1)
        (tree,) = find_all(page, ".tree svg")
        frame = find_all(page, ".tree")[0]
        assert tree.size["width"] <= frame.size["width"]
        places = [(word.rect["x"], word.rect["y"]) for word in find_all(page, ".tree .word")]
        assert (len({y for _, y in places}) == 1) == is_across
        assert {label.value_of_css_property("font-size") for label in find_all(page, ".tree .label")} == {"12px"}
        assert page.execute_script("return document.documentElement.scrollWidth") <= width


def test_a_tree_is_drawn_again_when_the_width_changes(page):
    open_tab(page, "trees")
    wait_for_trees(page, 1)
    width = find_all(page, ".tree svg")[0].size["width"]
    with screen(page, 390):
        wait(page, lambda: find_all(page, ".tree svg")[0].size["width"] < width)


@pytest.mark.parametrize("name", ["text", "sentences", "trees", "quotations", "more"])
def test_long_words_wrap_on_small_screens(browser, address, name):
    with screen(browser, 390):
        page = open_with_text(browser, address, f"“{'a' * 100},” said {'B' * 90}. We left.")
        open_tab(page, name)
        assert page.execute_script("return document.documentElement.scrollWidth") <= 390


def test_constituents_are_drawn_when_they_are_opened(page):
    open_tab(page, "trees")
    find_all(page, ".constituents summary")[0].click()
    wait(page, lambda: find_all(page, ".constituents img"))
    description = find_all(page, ".constituents img")[0].get_attribute("alt")
    assert description.startswith("(") and "(NNP Ann) (NNP Lee)" in description


def test_constituents_that_do_not_fit_are_shown_in_lines(prompter, prompted):
    prompter.description["finds_constituents"] = True
    prompter.tree = TREE.format(width=5000)
    submit(prompted)
    wait(prompted, lambda: find_all(prompted, ".constituents"))
    open_tab(prompted, "trees")
    find_all(prompted, ".constituents summary")[0].click()
    wait(prompted, lambda: find_all(prompted, ".constituents pre"))
    lines = find_all(prompted, ".constituents pre")[0].get_property("textContent").split("\n")
    assert lines == ["S", "  NP", "    PRP They", "  VBD slept"]


def test_without_a_constituency_parser_there_are_no_constituents_to_open(prompted):
    open_tab(prompted, "trees")
    wait_for_trees(prompted, 1)
    assert not find_all(prompted, ".constituents")


def test_constituents_that_could_not_be_drawn_are_asked_for_again(prompter, prompted):
    prompter.description["finds_constituents"] = True
    submit(prompted)
    wait(prompted, lambda: find_all(prompted, ".constituents"))
    open_tab(prompted, "trees")
    prompter.failure = Busy(Errors.J433, seconds=7)
    row = find_all(prompted, ".constituents")[0]
    summary = row.find_element(By.TAG_NAME, "summary")
    summary.click()
    wait(prompted, lambda: "[J433]" in row.text)
    prompter.failure = None
    summary.click()
    summary.click()
    wait(prompted, lambda: find_all(prompted, ".constituents img"))


def test_sentences_say_how_probable_their_boundaries_are(prompted):
    open_tab(prompted, "sentences")
    assert [each.text for each in find_all(prompted, ".confidence")] == ["87%"]
    assert section(prompted, "confidence-key").is_displayed()


def test_many_sentences_are_shown_page_by_page(prompter, prompted):
    prompter.n_sentences = 120
    submit(prompted)
    wait(prompted, lambda: section(prompted, "status").text == "Sentences: 120")
    for name, selector in (("sentences", "#sentences li"), ("trees", ".sentence")):
        open_tab(prompted, name)
        back, on = find_all(prompted, f"#{name} .pages button")
        place = find_all(prompted, f"#{name} .pages span")[0]
        assert len(find_all(prompted, selector)) == 50 and not back.is_enabled() and place.text == "1–50 of 120"
        on.click()
        on.click()
        assert len(find_all(prompted, selector)) == 20 and not on.is_enabled() and place.text == "101–120 of 120"
    assert find_all(prompted, "#sentences ol")[0].get_property("start") == 101


def test_text_has_its_own_direction(page):
    type_text(page, "שלום עולם")
    submit(page)
    wait(page, lambda: section(page, "sentences").get_property("textContent").startswith("שלום"))
    open_tab(page, "sentences")
    assert find_all(page, "#sentences li > div")[0].value_of_css_property("direction") == "rtl"
    assert section(page, "text").value_of_css_property("direction") == "rtl"


def test_quotations_cues_and_speakers_are_highlighted_in_the_text(page):
    open_tab(page, "sentences")
    first = find_all(page, "#sentences li > div")[0]
    marks = [(mark.get_attribute("class").split(), mark.text) for mark in first.find_elements(By.TAG_NAME, "mark")]
    kinds = ("quotation", "cue", "speaker")
    marked = {kind: "".join(text for classes, text in marks if kind in classes).replace(" ", "") for kind in kinds}
    assert marked == {"quotation": "“Wewillpainttheredbigbridge,”", "cue": "said", "speaker": "AnnLee"}
    assert first.text == "“We will paint the red big bridge,” said Ann Lee."


def test_quotations_have_the_colours_of_their_speakers(page):
    type_text(page, "“We are late,” said Ann Lee. “So are we,” said Bob Cole. “We left,” said Ann Lee.")
    submit(page)
    wait(page, lambda: section(page, "status").text == "Sentences: 3")
    open_tab(page, "quotations")
    rows = [row.find_elements(By.TAG_NAME, "mark") for row in find_all(page, "#quotations tbody tr")]
    assert [speaker.text for speaker, _ in rows] == ["Ann Lee", "Bob Cole", "Ann Lee"]
    colours = [said.value_of_css_property("background-color") for _, said in rows]
    assert colours[0] == colours[2] != colours[1]


def test_without_sentences_the_text_is_highlighted_as_a_whole(browser, prompter, running):
    prompter.has_parser = False
    with running(create_app(Workers(prompter))) as address:
        page = open_with_text(browser, address, prompter.text)
    open_tab(page, "sentences")
    assert "finds no sentences" in section(page, "sentences").text
    (whole,) = find_all(page, "#sentences .document")
    assert whole.text == prompter.text and len(whole.find_elements(By.TAG_NAME, "mark")) == 3


def test_words_are_explained(page):
    open_tab(page, "trees")
    header, *rows = find_all(page, ".sentence[open] tr")
    assert header.text == "Word Lemma Tag Part of speech Morphology Label Head"
    assert rows[1].text.endswith("nsubj 4 paint") and "We we PRP PRON" in rows[1].text
    explained = {term.text: term.get_attribute("title") for term in rows[1].find_elements(By.TAG_NAME, "abbr")}
    assert explained == {"PRP": "pronoun, personal", "PRON": "pronoun", "nsubj": "nominal subject"}
    # Also without hovering.
    section(page, "glossary").find_element(By.TAG_NAME, "summary").click()
    assert "nsubj nominal subject" in section(page, "explanations").text


def test_quotations_modifiers_and_hedges_have_their_tabs(page):
    open_tab(page, "quotations")
    assert "Ann Lee" in section(page, "quotations").text
    open_tab(page, "more")
    wait(page, lambda: "…" not in section(page, "hedges").text)
    assert "big red bridge" in section(page, "modifiers").text and "odd" in section(page, "modifiers").text
    assert "(NP (PRP We))" in section(page, "hedges").text


@pytest.mark.parametrize(("theme", "filtered"), [("light", "none"), ("dark", "invert(1)")])
def test_constituents_are_white_on_dark(page, theme, filtered):
    set_theme(page, theme)
    open_tab(page, "trees")
    find_all(page, ".constituents summary")[0].click()
    wait(page, lambda: find_all(page, ".constituents img"))
    assert find_all(page, ".constituents img")[0].value_of_css_property("filter") == filtered
    set_theme(page, "light")
