"""The page in headless Chromium, if it is installed.

The environment variable SCREENSHOT sets a path to store a screenshot of the page with an annotated text.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlencode

import pytest
from selenium.webdriver import ActionChains, Chrome, ChromeOptions, ChromeService, Keys
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from spacy_joint.errors import Errors
from spacy_joint.serving.app import create_app
from spacy_joint.serving.worker import Busy

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


class Prompter:
    """A worker that answers every text in the same way, or fails."""

    max_characters, timeout = 1000, 7
    text = "😀 Cats said they slept."

    def __init__(self):
        self.failure = None
        self.has_parser = True
        self.tree = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'
        self.description = {
            "name": "xx_prompted",
            "version": "1",
            "components": {"hedges": "hedge_chunker"},
            "finds_hedges": True,
            "finds_constituents": False,
            "finds_modifiers": False,
        }

    def annotate(self, text, format):
        self.fail()
        token = {"start": 0, "end": 1, "tag": "toString", "lemma": "", "pos": "", "morph": "", "dep": "dep"}
        tokens = [
            {**token, "id": id, "text": word, "head": id - 1} for id, word in enumerate(self.text.split(), start=1)
        ]
        tokens[1].update(lemma="cat", pos="NOUN", morph="Number=Plur")
        cats, said, they = self.place("Cats"), self.place("said"), self.place("they slept")
        content = {**they, "type": "indirect", "score": 1.0}
        return {
            "text": self.text,
            "sentences": [{**self.place(self.text), "tokens": tokens}] * 2 if self.has_parser else None,
            "quotations": [
                {"type": "indirect", "contents": [content], "cue": said, "speaker": cats, "order": "SCQ"},
            ],
            "modifiers": None,
            "hedges": [
                {**self.place(words), "label": label, "structure": "(X)"}
                for words, label in (("Cats", "NP"), ("said they", "UNKNOWN"))
            ],
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
    with running(create_app(prompter)) as address:
        yield open_with_text(browser, address, prompter.text)


@pytest.fixture
def page(browser, address):
    """The page once it has annotated the text."""
    return open_with_text(browser, address, TEXT)


def open_with_text(browser, address, text):
    browser.get("about:blank")
    browser.get(address)
    # ChromeDriver cannot type some characters.
    browser.execute_script("document.getElementById('text').value = arguments[0]", text)
    submit(browser)
    wait(browser, lambda: section(browser, "results").is_displayed())
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
    wait(page, lambda: sum(image.get_property("naturalWidth") > 0 for image in find_all(page, ".tree img")) == n)


def set_theme(page, theme):
    features = [{"name": "prefers-color-scheme", "value": theme}]
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def check_that_nothing_was_loaded_from_other_hosts_or_blocked(page, address):
    loaded = page.execute_script("return performance.getEntriesByType('resource').map((entry) => entry.name)")
    assert loaded and all(name.startswith((address, "data:")) for name in loaded)
    assert [entry for entry in page.get_log("browser") if entry["level"] == "SEVERE"] == []


def test_the_first_sentence_is_open_and_its_tree_drawn(page):
    wait_for_trees(page, 1)
    rows = find_all(page, ".sentence")
    assert [row.get_attribute("open") is not None for row in rows] == [True, False]
    if "SCREENSHOT" in os.environ:
        page.set_window_size(1180, 200 + page.execute_script("return document.documentElement.scrollHeight"))
        page.save_screenshot(str(Path(os.environ["SCREENSHOT"]).absolute()))


def test_a_tree_is_drawn_when_its_sentence_is_opened_by_keyboard(page):
    wait_for_trees(page, 1)
    summary = find_all(page, ".sentence > summary")[1]
    summary.send_keys(Keys.ENTER)
    wait_for_trees(page, 2)
    image = find_all(page, ".sentence img")[1]
    assert "mayor ← added (nsubj)" in image.get_attribute("alt")


def test_constituents_are_drawn_when_they_are_opened(page):
    wait_for_trees(page, 1)
    find_all(page, ".constituents summary")[0].click()
    wait_for_trees(page, 2)
    image = find_all(page, ".constituents img")[0]
    assert image.get_attribute("alt").startswith("(") and "(NNP Ann) (NNP Lee)" in image.get_attribute("alt")


def test_without_a_constituency_parser_there_are_no_constituents_to_open(prompted):
    wait_for_trees(prompted, 1)
    assert not find_all(prompted, ".constituents")


def test_a_tree_that_is_higher_than_the_window_is_scrolled_to_its_words(prompter, prompted):
    prompter.tree = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="5000"/>'
    find_all(prompted, ".sentence > summary")[1].click()
    wait_for_trees(prompted, 2)
    frame = find_all(prompted, ".tree")[1]
    assert frame.size["height"] < prompted.execute_script("return innerHeight")
    bottoms = [element.rect["y"] + element.rect["height"] for element in (frame, find_all(prompted, ".tree img")[1])]
    assert abs(bottoms[0] - bottoms[1]) < 10


def test_a_tree_that_could_not_be_drawn_is_asked_for_again(prompter, prompted):
    wait_for_trees(prompted, 1)
    prompter.failure = Busy(Errors.J433, seconds=7)
    row = find_all(prompted, ".sentence")[1]
    row.find_element(By.TAG_NAME, "summary").click()
    wait(prompted, lambda: "[J433]" in row.text)
    prompter.failure = None
    row.find_element(By.TAG_NAME, "summary").click()
    row.find_element(By.TAG_NAME, "summary").click()
    wait_for_trees(prompted, 2)
    assert "[J433]" not in row.text


def test_quotations_cues_and_speakers_are_highlighted_in_the_text(page):
    first = find_all(page, ".sentence > summary")[0]
    # A hedge inside a quotation divides it.
    marks = [(mark.get_attribute("class").split(), mark.text) for mark in first.find_elements(By.TAG_NAME, "mark")]
    kinds = ("quotation", "cue", "speaker")
    marked = {kind: "".join(text for classes, text in marks if kind in classes).replace(" ", "") for kind in kinds}
    assert marked == {"quotation": "“Wewillpainttheredbigbridge,”", "cue": "said", "speaker": "AnnLee"}
    assert first.text == "“We will paint the red big bridge,” said Ann Lee."


def test_highlights_may_overlap_and_count_characters_as_python_does(prompted):
    marks = find_all(prompted, ".sentence:first-child summary mark")
    assert [(mark.text, mark.get_attribute("class"), mark.get_attribute("title")) for mark in marks] == [
        ("Cats", "speaker hedge first last", "speaker of a quotation; noun phrase"),
        ("said", "cue hedge first", "cue of a quotation; UNKNOWN"),
        ("", "hedge", "UNKNOWN"),
        ("they", "quotation hedge last", "indirect quotation; UNKNOWN"),
        ("slept", "quotation", "indirect quotation"),
    ]


def test_without_sentences_the_text_is_highlighted_as_a_whole(browser, prompter, running):
    prompter.has_parser = False
    with running(create_app(prompter)) as address:
        page = open_with_text(browser, address, prompter.text)
    assert "finds no sentences" in section(page, "sentences").text
    (whole,) = find_all(page, ".document")
    assert whole.text == prompter.text and len(whole.find_elements(By.TAG_NAME, "mark")) == 5


def test_words_are_explained(page):
    header, *rows = find_all(page, ".sentence[open] tr")
    assert header.text == "Word Lemma Tag Part of speech Morphology Label Head"
    assert rows[1].text.endswith("nsubj 4 paint") and "We we PRP PRON" in rows[1].text
    explained = {term.text: term.get_attribute("title") for term in rows[1].find_elements(By.TAG_NAME, "abbr")}
    assert explained == {"PRP": "pronoun, personal", "PRON": "pronoun", "nsubj": "nominal subject"}


def test_lemmas_parts_of_speech_and_morphology_have_columns_if_there_are_any(prompted):
    header, _, cats, *_ = find_all(prompted, ".sentence[open] tr")
    assert header.text == "Word Lemma Tag Part of speech Morphology Label Head"
    assert cats.text == "2 Cats cat toString NOUN Number=Plur dep 1 😀"
    assert [term.text for term in cats.find_elements(By.TAG_NAME, "abbr")] == ["NOUN"]


def test_explanations_can_be_read_without_hovering(page):
    section(page, "glossary").find_element(By.TAG_NAME, "summary").click()
    assert "nsubj nominal subject" in section(page, "explanations").text


def open_tab(page, name):
    section(page, f"{name}-tab").click()
    wait(page, lambda: section(page, f"{name}-panel").is_displayed())


def test_one_tab_is_open_at_a_time_and_arrows_move_between_them(page):
    tabs = find_all(page, "[role=tab]")
    panels = [section(page, tab.get_attribute("aria-controls")) for tab in tabs]
    assert [panel.is_displayed() for panel in panels] == [True, False, False, False]
    tabs[0].send_keys(Keys.ARROW_RIGHT)
    assert [panel.is_displayed() for panel in panels] == [False, True, False, False]
    assert [tab.get_attribute("aria-selected") for tab in tabs] == ["false", "true", "false", "false"]
    page.switch_to.active_element.send_keys(Keys.ARROW_LEFT, Keys.ARROW_LEFT)
    assert [panel.is_displayed() for panel in panels] == [False, False, False, True]
    open_tab(page, "sentences")


SRT = "1\n00:00:01,000 --> 00:00:02,000\nANNA: It rained.\n"


def test_a_file_is_read_by_its_content_and_its_text_shown(page, tmp_path):
    path = tmp_path / "talk.srt"
    path.write_text(SRT, "utf8")
    section(page, "file").send_keys(str(path))
    wait(page, lambda: section(page, "sentences").text.startswith("It rained."))
    assert section(page, "text").get_property("value") == SRT
    wait_for_trees(page, 1)
    open_tab(page, "text")
    wait(page, lambda: section(page, "written").text == "[00:00:01] ANNA: It rained.")
    open_tab(page, "sentences")


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
    wait(page, lambda: section(page, "sentences").text.startswith("It rained."))


@pytest.mark.parametrize(
    ("name", "suffix", "content"), [("VTT", "vtt", "<v ANNA>It rained."), ("JSON", "json", "ANNA")]
)
def test_formats_can_be_downloaded(page, tmp_path, name, suffix, content):
    page.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
    type_text(page, SRT)
    submit(page)
    wait(page, lambda: section(page, "sentences").text.startswith("It rained."))
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
    assert "big red bridge" in section(page, "modifiers").text and "odd" in section(page, "modifiers").text
    assert "(NP (PRP We))" in section(page, "hedges").text


def test_nothing_was_loaded_from_other_hosts_and_nothing_was_blocked(browser, address):
    browser.get_log("browser")
    wait_for_trees(open_with_text(browser, address, TEXT), 1)
    check_that_nothing_was_loaded_from_other_hosts_or_blocked(browser, address)


def test_text_is_shown_as_text(page):
    type_text(page, "<b>It</b> &amp; we left. <img src=x>")
    submit(page)
    wait(page, lambda: "<b>It</b> &amp; we" in section(page, "sentences").text)
    assert not find_all(page, "#sentences b, #sentences img[src=x]")


def test_clicking_an_example_annotates_it(page):
    page.find_element(By.CLASS_NAME, "example").click()
    wait(page, lambda: "garage" in section(page, "sentences").text)


@pytest.mark.parametrize("key", [Keys.CONTROL, Keys.META])
def test_a_shortcut_annotates_the_text(page, key):
    type_text(page, "It rained.")
    ActionChains(page).key_down(key).send_keys(Keys.ENTER).key_up(key).perform()
    wait(page, lambda: section(page, "sentences").text.startswith("It rained."))


def test_a_link_holds_the_text_in_its_fragment_and_restores_it(browser, address):
    text = "a & b=c #d\né 100% 😀 +"
    page = open_with_text(browser, address, text)
    link = section(page, "link").get_attribute("href")
    start, _, fragment = link.partition("#")
    assert start == f"{address}/" and parse_qs(fragment) == {"text": [text]}
    page.get("about:blank")
    page.get(link)
    wait(page, lambda: section(page, "results").is_displayed())
    assert section(page, "text").get_property("value") == text


def test_a_link_replaces_the_text_of_an_open_page(page, address):
    page.get(f"{address}/#{urlencode({'text': 'He slept.'})}")
    wait(page, lambda: section(page, "sentences").text.startswith("He slept."))


@pytest.mark.parametrize("fragment", ["", "text", "other=a", "text=%E0%A4%A"])
def test_a_fragment_without_text_does_no_harm(browser, address, fragment):
    browser.get("about:blank")
    browser.get(f"{address}/#{fragment}")
    wait(browser, lambda: "en_joint_english" in section(browser, "pipeline").text)
    assert not find_all(browser, ".failed")


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
    with running(create_app(prompter)) as address:
        page = open_with_text(browser, address, "a")
    submit(page)
    wait(page, lambda: section(page, "status").text.startswith("The server does not answer."))
    assert not section(page, "results").is_displayed()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_everything_is_legible_in_both_themes(prompted, theme):
    set_theme(prompted, theme)
    section(prompted, "glossary").find_element(By.TAG_NAME, "summary").click()
    background = prompted.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert (background == "rgb(255, 255, 255)") == (theme == "light")
    contrasts = prompted.execute_script(CONTRASTS)
    assert len(contrasts) > 30
    assert not [(text, contrast) for text, contrast in contrasts if contrast < LEAST_CONTRAST]


@pytest.mark.parametrize(("theme", "filtered"), [("light", "none"), ("dark", "invert(1)")])
def test_trees_are_white_on_dark(prompted, theme, filtered):
    set_theme(prompted, theme)
    wait_for_trees(prompted, 1)
    assert find_all(prompted, ".sentence img")[0].value_of_css_property("filter") == filtered


def test_the_api_can_be_tried_in_the_browser_without_other_hosts(browser, prompter, running):
    with running(create_app(prompter)) as address:
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
