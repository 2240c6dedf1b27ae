"""The page in headless Chromium, if it is installed: texts, files, links, themes and failures.

The environment variable SCREENSHOT sets a path to store a screenshot of the page with its example.
"""

import os
from pathlib import Path
from urllib.parse import parse_qs, urlencode

import pytest
from selenium.webdriver import ActionChains, Keys
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

from spacy_joint.errors import Errors
from spacy_joint.serving.app import create_app
from spacy_joint.serving.worker import Busy, Workers

from .browsing import (
    TEXT,
    Prompter,
    check_that_nothing_was_loaded_from_other_hosts_or_blocked,
    find_all,
    needs_chromium,
    open_tab,
    open_with_text,
    section,
    set_theme,
    submit,
    type_text,
    wait,
    wait_for_trees,
)

# WCAG 2, level AA.
MIN_CONTRAST = 4.5
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
SRT = "1\n00:00:01,000 --> 00:00:02,000\nANNA: It rained.\n"

pytestmark = needs_chromium


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


def test_one_tab_is_open_at_a_time_and_arrows_move_between_them(page):
    tabs = find_all(page, "[role=tab]")
    panels = [section(page, tab.get_attribute("aria-controls")) for tab in tabs]
    assert [panel.is_displayed() for panel in panels] == [True, False, False, False, False]
    tabs[0].send_keys(Keys.ARROW_RIGHT)
    assert [panel.is_displayed() for panel in panels] == [False, True, False, False, False]
    assert [tab.get_attribute("aria-selected") for tab in tabs] == ["false", "true", "false", "false", "false"]
    page.switch_to.active_element.send_keys(Keys.ARROW_LEFT, Keys.ARROW_LEFT)
    assert [panel.is_displayed() for panel in panels] == [False, False, False, False, True]


def test_a_file_is_read_by_its_content_and_its_text_shown(page, write_text):
    path = write_text("talk.srt", SRT)
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
    [("VTT", "vtt", "<v ANNA>It rained."), ("CoNLL-U", "conllu", "1\tIt\tit"), ("JSON", "json", "ANNA")],
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
    assert not [(text, contrast) for text, contrast in contrasts if contrast < MIN_CONTRAST]


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
