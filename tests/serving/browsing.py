"""What tests of the page in headless Chromium share: a worker that answers as it is told, and how to find and wait for
what is on the page."""

import shutil
from contextlib import contextmanager

import pytest
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
PATIENCE = 120
TEXT = "“We will paint the red big bridge,” said Ann Lee. The mayor added that the work will start in May."
BRACKETS = "(S (NP (PRP They)) (VBD slept))"
TREE = f'<svg xmlns="http://www.w3.org/2000/svg" width="{{width}}" height="9"><desc>{BRACKETS}</desc></svg>'
# The mark of tests in a browser.
needs_chromium = pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="needs chromium and chromedriver")


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
            "quotations": [{"type": "indirect", "contents": [content], "cue": said, "speaker": cats, "order": "SCQ"}],
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
    # Elements that the page draws again while a condition is looked at are looked for again.
    waiting = WebDriverWait(page, PATIENCE, ignored_exceptions=[StaleElementReferenceException])
    return waiting.until(lambda _: condition())


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
