"""The page in headless Chromium, if it is installed.

The environment variable SCREENSHOT sets a path to store a screenshot of the page with an annotated text.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from selenium.webdriver import Chrome, ChromeOptions, ChromeService
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
PATIENCE = 120
TEXT = "“We will paint the red big bridge,” said Ann Lee. The mayor added that the work will start in May."

pytestmark = pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="needs chromium and chromedriver")


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


@pytest.fixture(scope="module")
def page(browser, address):
    """The page once it has annotated the text."""
    browser.get(address)
    type_text(browser, TEXT)
    WebDriverWait(browser, PATIENCE).until(lambda _: browser.find_element(By.ID, "results").is_displayed())
    return browser


def type_text(browser, text):
    field = browser.find_element(By.ID, "text")
    field.clear()
    field.send_keys(text)
    browser.find_element(By.TAG_NAME, "button").click()


def section(page, name):
    return page.find_element(By.ID, name)


def test_a_tree_is_drawn_for_each_sentence(page):
    images = section(page, "sentences").find_elements(By.TAG_NAME, "img")
    assert len(images) == len(section(page, "sentences").find_elements(By.TAG_NAME, "figure")) > 1
    WebDriverWait(page, PATIENCE).until(lambda _: all(image.get_property("naturalWidth") > 0 for image in images))
    if "SCREENSHOT" in os.environ:
        page.set_window_size(1180, 200 + page.execute_script("return document.documentElement.scrollHeight"))
        page.save_screenshot(str(Path(os.environ["SCREENSHOT"]).absolute()))


def test_quotations_modifiers_and_hedges_have_their_sections(page):
    assert "Ann Lee" in section(page, "quotations").text
    assert "big red bridge" in section(page, "modifiers").text and "odd" in section(page, "modifiers").text
    assert "no hedge_chunker" in section(page, "hedges").text


def test_nothing_was_loaded_from_other_hosts_and_nothing_was_blocked(page, address):
    loaded = page.execute_script("return performance.getEntriesByType('resource').map((entry) => entry.name)")
    assert loaded and all(name.startswith((address, "data:")) for name in loaded)
    assert [entry for entry in page.get_log("browser") if entry["level"] == "SEVERE"] == []


def test_text_is_shown_as_text(page):
    type_text(page, "<b>It</b> &amp; we left. <img src=x>")
    WebDriverWait(page, PATIENCE).until(lambda _: "<b>It</b> &amp; we" in section(page, "sentences").text)
    assert not section(page, "sentences").find_elements(By.CSS_SELECTOR, "b, img[src=x]")


def test_clicking_an_example_annotates_it(page):
    page.find_element(By.CLASS_NAME, "example").click()
    WebDriverWait(page, PATIENCE).until(lambda _: "garage" in section(page, "sentences").text)


def test_the_page_reports_a_text_that_is_too_long(page):
    type_text(page, "a" * 301)
    assert "300 are allowed" in section(page, "status").text
