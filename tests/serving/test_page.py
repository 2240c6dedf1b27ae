"""The page in headless Chromium, if it is installed.

The environment variable SCREENSHOT sets a path to store a screenshot of the page with an annotated text.
"""

import os
import re
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlencode

import pytest
from selenium.webdriver import ActionChains, Chrome, ChromeOptions, ChromeService, Keys
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select, WebDriverWait

from spacy_joint.errors import Errors
from spacy_joint.serving.app import create_app
from spacy_joint.serving.worker import Busy, Workers

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
PATIENCE = 120
TEXT = "“We will paint the red big bridge,” said Ann Lee. The mayor added that the work will start in May."
# WCAG 2, level AA.
LEAST_CONTRAST = 4.5
# The texts on the page with their contrast to what is behind them.
CONTRASTS = """
const luminance = (colour) => {
  const [red, green, blue] = colour.match(/[\\d.]+/g).slice(0, 3).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};
const behind = (element) => {
  const colour = getComputedStyle(element).backgroundColor;
  return /, 0\\)$|transparent/.test(colour) ? behind(element.parentElement) : colour;
};
return [...document.body.querySelectorAll("*")]
  .filter((element) => element.checkVisibility() && !["OPTION", "NOSCRIPT"].includes(element.tagName))
  .filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
  .map((element) => {
    const [dark, light] = [luminance(getComputedStyle(element).color), luminance(behind(element))].sort();
    return [element.textContent.slice(0, 40), (light + 0.05) / (dark + 0.05)];
  });
"""

pytestmark = pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="needs chromium and chromedriver")


BRACKETS = "(S (NP (PRP They)) (VBD slept))"
TREE = f'<svg xmlns="http://www.w3.org/2000/svg" width="{{width}}" height="9"><desc>{BRACKETS}</desc></svg>'


class Prompter:
    """A worker that answers every text in the same way, or fails."""

    pipeline, max_characters, timeout = "xx_prompted", 1000, 7
    text = "😀 Cats said they slept."

    def __init__(self):
        self.failure = None
        self.has_parser = True
        self.n_sentences, self.warnings, self.asked = 2, [], []
        self.tree = TREE.format(width=9)
        self.description = {
            "name": "xx_prompted",
            "version": "1",
            "components": {"hedges": "hedge_chunker"},
            "finds_constituents": False,
        }

    def annotate(self, text, format, phrases):
        self.fail()
        self.asked.append((text, phrases))
        token = {"start": 0, "end": 1, "tag": "toString", "lemma": "", "pos": "", "morph": "", "dep": "dep"}
        tokens = [
            {**token, "id": id, "text": word, "head": id - 1} for id, word in enumerate(self.text.split(), start=1)
        ]
        tokens[1].update(lemma="cat", pos="NOUN", morph="Number=Plur")
        cats, said, they = self.place("Cats"), self.place("said"), self.place("they slept")
        content = {**they, "type": "indirect", "score": 1.0}
        return {
            "text": self.text,
            "readable": "Cats said that they slept.",
            "warnings": self.warnings,
            "sentences": [
                {**self.place(self.text), "tokens": tokens, "probability": None if number == 0 else 0.874}
                for number in range(self.n_sentences)
            ]
            if self.has_parser
            else None,
            "quotations": [
                {"type": "indirect", "contents": [content], "cue": said, "speaker": cats, "order": "SCQ"},
            ],
            "modifiers": None,
            "hedges": [
                {**self.place(words), "label": label, "structure": "(X)"}
                for words, label in (("Cats", "NP"), ("said they", "UNKNOWN"))
            ]
            if phrases
            else None,
            "explanations": {"NP": "noun phrase", "NOUN": "noun"},
        }

    def draw_tree(self, text, sentence, kind, format):
        self.fail()
        return {"tree": self.tree}

    def fail(self):
        if self.failure:
            raise self.failure

    def place(self, words):
        start = self.text.index(words)
        return {"text": words, "start": start, "end": start + len(words), "start_token": 0, "end_token": 1}


@pytest.fixture(scope="module")
def address():
    """The address of a server started by the command."""
    command = [
        sys.executable,
        "-m",
        "spacy",
        "joint",
        "serve",
        "--port",
        "0",
        "--timeout",
        "60",
        "--max-characters",
        "300",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        yield re.match(r"http://127\.0\.0\.1:\d+", server.stdout.readline())[0]
        server.terminate()


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    options = ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
        "--window-size=1180,900",
        f"--user-data-dir={tmp_path_factory.mktemp('chromium')}",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = Chrome(options=options, service=ChromeService(DRIVER))
    yield browser
    browser.quit()


@pytest.fixture
def prompter():
    return Prompter()


@pytest.fixture
def prompted(browser, prompter, running):
    """The page of the prompter, with an annotated text."""
    with running(create_app(Workers(prompter))) as address:
        yield open_with_text(browser, address, prompter.text)


@pytest.fixture
def page(browser, address):
    """The page once it has annotated the text."""
    return open_with_text(browser, address, TEXT)


def open_with_text(browser, address, text):
    browser.get("about:blank")
    browser.get(address)
    # The example.
    wait(browser, lambda: section(browser, "results").is_displayed())
    # ChromeDriver cannot type some characters.
    browser.execute_script("document.getElementById('text').value = arguments[0]", text)
    submit(browser)
    wait(browser, lambda: section(browser, "status").text != "…")
    return browser


def wait(page, condition):
    return WebDriverWait(page, PATIENCE).until(lambda _: condition())


def type_text(page, text):
    field = section(page, "text")
    field.clear()
    field.send_keys(text)


def submit(page):
    page.find_element(By.CSS_SELECTOR, "button[type=submit]").click()


def section(page, name):
    return page.find_element(By.ID, name)


def find_all(page, selector):
    return page.find_elements(By.CSS_SELECTOR, selector)


def wait_for_trees(page, n):
    wait(page, lambda: len(find_all(page, ".tree svg")) == n)


def open_tab(page, name):
    section(page, f"{name}-tab").click()
    wait(page, lambda: section(page, f"{name}-panel").is_displayed())


@contextmanager
def screen(page, width):
    """The page on a screen of another width."""
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        yield
    finally:
        page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def set_theme(page, theme):
    features = [{"name": "prefers-color-scheme", "value": theme}]
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def check_that_nothing_was_loaded_from_other_hosts_or_blocked(page, address):
    loaded = page.execute_script("return performance.getEntriesByType('resource').map((entry) => entry.name)")
    assert loaded and all(name.startswith((address, "data:")) for name in loaded)
    assert [entry for entry in page.get_log("browser") if entry["level"] == "SEVERE"] == []


def test_a_parsed_example_is_shown_first_as_readable_text(browser, address):
    browser.get("about:blank")
    browser.get(address)
    wait(browser, lambda: section(browser, "results").is_displayed())

    assert section(browser, "readable").text.startswith("I won't make it home before seven. Could you")
    if "SCREENSHOT" in os.environ:
        open_tab(browser, "sentences")
        browser.set_window_size(900, 900)
        browser.save_screenshot(str(Path(os.environ["SCREENSHOT"]).absolute()))
        browser.set_window_size(1180, 900)


def test_the_first_sentence_is_open_and_its_tree_drawn(page):
    open_tab(page, "trees")
    wait_for_trees(page, 1)
    rows = find_all(page, ".sentence")
    assert [row.get_attribute("open") is not None for row in rows] == [True, False]


def test_a_tree_is_drawn_when_its_sentence_is_opened_by_keyboard(page):
    open_tab(page, "trees")
    wait_for_trees(page, 1)
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


def test_a_warning_is_shown(prompter, prompted):
    prompter.warnings = ["[JW50] Why."]
    submit(prompted)
    wait(prompted, lambda: section(prompted, "warnings").text == "[JW50] Why.")


@pytest.mark.parametrize("text", ["", " \n"])
def test_an_empty_text_has_a_hint_and_no_request(prompter, prompted, text):
    n = len(prompter.asked)
    prompted.execute_script("document.getElementById('text').value = arguments[0]", text)
    submit(prompted)
    wait(prompted, lambda: section(prompted, "status").text.startswith("Type or paste a text"))
    assert not section(prompted, "results").is_displayed() and len(prompter.asked) == n


def test_pipelines_can_be_chosen_and_are_kept_in_the_address(browser, prompter, running):
    other = Prompter()
    other.description = {**other.description, "name": "yy_other"}
    workers = Workers(prompter, ["other & more"])
    workers._workers["other & more"] = other
    with running(create_app(workers)) as address:
        page = open_with_text(browser, address, prompter.text)
        assert "pipeline=" not in page.current_url and "xx_prompted" in section(page, "pipeline").text
        Select(section(page, "pipelines")).select_by_visible_text("other & more")
        wait(page, lambda: "yy_other" in section(page, "pipeline").text)
        kept = page.current_url
        page.get("about:blank")
        page.get(kept)
        wait(page, lambda: "yy_other" in section(page, "pipeline").text)


def test_a_single_pipeline_needs_no_choice(prompted):
    assert not section(prompted, "choice").is_displayed()


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


def test_highlights_may_overlap_and_count_characters_as_python_does(prompted):
    open_tab(prompted, "sentences")
    marks = find_all(prompted, "#sentences li:first-child mark")
    assert [(mark.text, mark.get_attribute("class"), mark.get_attribute("title")) for mark in marks] == [
        ("Cats", "speaker spoken", "speaker of a quotation"),
        ("said", "cue spoken", "cue of a quotation"),
        ("they slept", "quotation spoken", "indirect quotation"),
    ]


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


def test_lemmas_parts_of_speech_and_morphology_have_columns_if_there_are_any(prompted):
    open_tab(prompted, "trees")
    header, _, cats, *_ = find_all(prompted, ".sentence[open] tr")
    assert header.text == "Word Lemma Tag Part of speech Morphology Label Head"
    assert cats.text == "2 Cats cat toString NOUN Number=Plur dep 1 😀"
    assert [term.text for term in cats.find_elements(By.TAG_NAME, "abbr")] == ["NOUN"]


def test_explanations_can_be_read_without_hovering(page):
    open_tab(page, "trees")
    section(page, "glossary").find_element(By.TAG_NAME, "summary").click()
    assert "nsubj nominal subject" in section(page, "explanations").text


def test_one_tab_is_open_at_a_time_and_arrows_move_between_them(page):
    tabs = find_all(page, "[role=tab]")
    panels = [section(page, tab.get_attribute("aria-controls")) for tab in tabs]
    assert [panel.is_displayed() for panel in panels] == [True, False, False, False, False]
    tabs[0].send_keys(Keys.ARROW_RIGHT)
    assert [panel.is_displayed() for panel in panels] == [False, True, False, False, False]
    assert [tab.get_attribute("aria-selected") for tab in tabs] == ["false", "true", "false", "false", "false"]
    page.switch_to.active_element.send_keys(Keys.ARROW_LEFT, Keys.ARROW_LEFT)
    assert [panel.is_displayed() for panel in panels] == [False, False, False, False, True]


SRT = "1\n00:00:01,000 --> 00:00:02,000\nANNA: It rained.\n"


def test_a_file_is_read_by_its_content_and_its_text_shown(page, tmp_path):
    path = tmp_path / "talk.srt"
    path.write_text(SRT, "utf8")
    section(page, "file").send_keys(str(path))
    wait(page, lambda: section(page, "readable").text == "[00:00:01] ANNA: It rained.")
    assert section(page, "text").get_property("value") == SRT
    open_tab(page, "sentences")
    assert find_all(page, "#sentences li")[0].text == "ANNA · 0:01 It rained."


def test_a_file_can_be_dropped_on_the_text(page):
    page.execute_script(
        """
        const transfer = new DataTransfer();
        transfer.items.add(new File([arguments[0]], "talk.srt"));
        document.getElementById("text").dispatchEvent(
          new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
        """,
        SRT,
    )
    wait(page, lambda: "It rained." in section(page, "readable").text)


@pytest.mark.parametrize(
    ("name", "suffix", "content"),
    [
        ("VTT", "vtt", "<v ANNA>It rained."),
        ("CoNLL-U", "conllu", "1\tIt\tit"),
        ("JSON", "json", "ANNA"),
    ],
)
def test_formats_can_be_downloaded(page, tmp_path, name, suffix, content):
    page.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
    type_text(page, SRT)
    submit(page)
    wait(page, lambda: "It rained." in section(page, "readable").text)
    page.find_element(By.XPATH, f"//button[.='{name}']").click()
    path = tmp_path / f"transcript.{suffix}"
    wait(page, lambda: path.exists() and content in path.read_text("utf8"))


def test_captions_of_text_without_times_are_refused(page):
    page.find_element(By.XPATH, "//button[.='SRT']").click()
    wait(page, lambda: "[J470]" in section(page, "download-status").text)


def test_quotations_modifiers_and_hedges_have_their_tabs(page):
    open_tab(page, "quotations")
    assert "Ann Lee" in section(page, "quotations").text
    open_tab(page, "more")
    wait(page, lambda: "…" not in section(page, "hedges").text)
    assert "big red bridge" in section(page, "modifiers").text and "odd" in section(page, "modifiers").text
    assert "(NP (PRP We))" in section(page, "hedges").text


def test_nothing_was_loaded_from_other_hosts_and_nothing_was_blocked(browser, address):
    browser.get_log("browser")
    open_tab(open_with_text(browser, address, TEXT), "trees")
    wait_for_trees(browser, 1)
    find_all(browser, ".constituents summary")[0].click()
    wait(browser, lambda: find_all(browser, ".constituents img"))
    check_that_nothing_was_loaded_from_other_hosts_or_blocked(browser, address)


def test_text_is_shown_as_text(page):
    type_text(page, "<b>It</b> &amp; we left. <img src=x>")
    submit(page)
    wait(page, lambda: "<b>It</b> &amp; we" in section(page, "sentences").get_property("textContent"))
    assert not find_all(page, "#results b, #results img[src=x]")


def test_clicking_an_example_annotates_it(page):
    find_all(page, ".example")[0].click()
    wait(page, lambda: "jacket" in section(page, "readable").text)


@pytest.mark.parametrize("key", [Keys.CONTROL, Keys.META])
def test_a_shortcut_annotates_the_text(page, key):
    type_text(page, "It rained.")
    ActionChains(page).key_down(key).send_keys(Keys.ENTER).key_up(key).perform()
    wait(page, lambda: "It rained." in section(page, "readable").text)


def test_the_address_follows_the_text_and_restores_it(browser, address):
    text = "a & b=c #d\né 100% 😀 +"
    page = open_with_text(browser, address, text)
    wait(page, lambda: "#text=a" in page.current_url)
    kept = page.current_url
    start, _, fragment = kept.partition("#")
    assert start == f"{address}/" and parse_qs(fragment) == {"text": [text]}
    page.get("about:blank")
    page.get(kept)
    wait(page, lambda: section(page, "results").is_displayed())
    assert section(page, "text").get_property("value") == text


def test_the_address_does_not_hold_a_long_text(browser, prompter, running):
    prompter.max_characters = 10_000
    with running(create_app(Workers(prompter))) as address:
        page = open_with_text(browser, address, "a" * 7000)
        assert len(page.current_url) > 7000 and not section(page, "too-long").is_displayed()
        page = open_with_text(browser, address, "a" * 9000)
        wait(page, lambda: page.current_url == f"{address}/")
        assert section(page, "too-long").is_displayed()


def test_a_link_replaces_the_text_of_an_open_page(page, address):
    page.get(f"{address}/#{urlencode({'text': 'He slept.'})}")
    wait(page, lambda: section(page, "readable").text == "He slept.")


@pytest.mark.parametrize("fragment", ["", "text", "other=a", "text=%E0%A4%A", "text=a&pipeline=none"])
def test_a_fragment_without_text_does_no_harm(browser, address, fragment):
    browser.get("about:blank")
    browser.get(f"{address}/#{fragment}")
    wait(browser, lambda: section(browser, "status").text not in ("", "…"))
    assert not find_all(browser, "#status.failed")


def test_a_text_that_is_too_long_replaces_the_results(page):
    type_text(page, "a" * 301)
    submit(page)
    assert "300 are allowed" in section(page, "status").text
    assert not section(page, "results").is_displayed()


def test_an_error_of_the_server_replaces_the_results(prompter, prompted):
    prompter.failure = Busy(Errors.J433, seconds=7)
    submit(prompted)
    wait(prompted, lambda: section(prompted, "status").text.startswith("[J433]"))
    assert not section(prompted, "results").is_displayed()
    prompter.failure = None
    submit(prompted)
    wait(prompted, lambda: section(prompted, "results").is_displayed())
    assert section(prompted, "status").text == "Sentences: 2"


def test_a_server_that_is_gone_does_not_answer(browser, prompter, running):
    with running(create_app(Workers(prompter))) as address:
        page = open_with_text(browser, address, "a")
    submit(page)
    wait(page, lambda: section(page, "status").text.startswith("The server does not answer."))
    assert not section(page, "results").is_displayed()


@pytest.mark.parametrize("tab", ["text", "sentences", "trees", "quotations", "more"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_everything_is_legible_in_both_themes(prompter, prompted, theme, tab):
    prompter.warnings = ["[JW50] Why."]
    submit(prompted)
    wait(prompted, lambda: section(prompted, "warnings").text)
    set_theme(prompted, theme)
    open_tab(prompted, tab)
    background = prompted.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert (background == "rgb(255, 255, 255)") == (theme == "light")
    contrasts = prompted.execute_script(CONTRASTS)
    assert len(contrasts) > 20
    assert not [(text, contrast) for text, contrast in contrasts if contrast < LEAST_CONTRAST]


@pytest.mark.parametrize(("theme", "filtered"), [("light", "none"), ("dark", "invert(1)")])
def test_constituents_are_white_on_dark(page, theme, filtered):
    set_theme(page, theme)
    open_tab(page, "trees")
    find_all(page, ".constituents summary")[0].click()
    wait(page, lambda: find_all(page, ".constituents img"))
    assert find_all(page, ".constituents img")[0].value_of_css_property("filter") == filtered
    set_theme(page, "light")


def test_the_api_can_be_tried_in_the_browser_without_other_hosts(browser, prompter, running):
    with running(create_app(Workers(prompter))) as address:
        browser.get_log("browser")
        browser.get(f"{address}/docs")
        wait(browser, lambda: len(find_all(browser, ".opblock")) == 5)
        find_all(browser, ".opblock-post .opblock-summary-control")[0].click()
        wait(browser, lambda: find_all(browser, ".try-out__btn"))
        find_all(browser, ".try-out__btn")[0].click()
        wait(browser, lambda: find_all(browser, ".execute"))
        find_all(browser, ".execute")[0].click()
        wait(browser, lambda: "indirect" in "".join(part.text for part in find_all(browser, ".live-responses-table")))
        check_that_nothing_was_loaded_from_other_hosts_or_blocked(browser, address)
