"""How commands fail and warn: in plain lines, and with a traceback for what is not expected."""

import os
import signal
import sys
import time
import warnings

import pytest
import spacy
from spacy.language import Language

from spacy_joint.errors import JointWarning, Warnings, format_warning


@Language.component("slow_client")
def ask(doc):
    raise TimeoutError("the server does not answer")


def test_an_error_of_a_component_is_not_taken_for_one_of_files(run, write_text, save_pipeline):
    with pytest.raises(TimeoutError, match="does not answer"):
        run("annotate", write_text("a.txt", "He left."), "--model", save_pipeline("slow_client"), fails=True)


def test_a_package_that_a_language_needs_is_named(run, write_text, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "sudachipy", None)
    text = write_text("a.txt", "He left.")
    failed = run("word-classes", text, "--language", "ja", "--output", tmp_path / "classes", fails=True)
    assert "[J744] A package is missing: Japanese" in failed.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        *(
            (f"{command} a.conllu b.spacy {option} x", f"Invalid value for '{option}': Value error, 'x' is not one of")
            for command, option in (("convert", "--traces"), ("convert-quotes", "--format-in"), ("distill", "--kind"))
        ),
        *(
            (f"{command} a.conllu --output output --seed -1", "greater than or equal to 0")
            for command in ("learn-order", "train-treebank", "word-classes")
        ),
        ("finish pipeline finished --widht 4", "No such option: --widht"),
        ("train-treebank a.conllu --widht 4", "No such option: --widht"),
    ],
)
def test_unknown_options_and_values_are_named(run, arguments, message):
    assert message in run(*arguments.split(), fails=2).stderr


def test_options_that_override_a_config_may_come_anywhere(run, save_pipeline, tmp_path):
    run("finish", save_pipeline(), "--nlp.batch_size", "7", tmp_path / "finished", "--nlp.lang=en")
    assert spacy.load(tmp_path / "finished").batch_size == 7


@pytest.mark.parametrize("section", ["nlp", "training", "initialize"])
@pytest.mark.parametrize(
    "command",
    [
        "finish blank out",
        "resume blank out.cfg",
        "train blank/config.cfg -o out",
        "jackknife blank/config.cfg out.spacy",
    ],
)
def test_an_override_of_an_unknown_setting_is_refused(run, command, section, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    spacy.blank("en").to_disk("blank")
    failed = run(*command.split(), f"--{section}.nope", "5", fails=True)
    assert f"[J040] Unknown setting of [{section}] 'nope'." in failed.stderr


def test_warnings_with_a_code_are_one_line(run, tmp_path):
    warning = JointWarning(Warnings.JW01, name="parser", n=3, total=20)
    assert format_warning(warning, JointWarning, "a.py", 1) == f"{warning}\n"
    assert format_warning("[W036] No rules.", UserWarning, "a.py", 1) == "[W036] No rules.\n"
    assert "a.py:1: UserWarning: No rules." in format_warning("No rules.", UserWarning, "a.py", 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(warnings, "formatwarning", None)
        run("configs", tmp_path / "configs")
        assert warnings.formatwarning is format_warning


@pytest.mark.skipif(sys.platform == "win32", reason="it has no pseudo-terminals")
@pytest.mark.parametrize(
    ("no_color", "is_terminal", "is_coloured"), [("", True, True), ("1", True, False), ("", False, False)]
)
def test_colours_are_for_terminals_unless_they_are_declined(
    start, no_color, is_terminal, is_coloured, assets, monkeypatch
):
    monkeypatch.setenv("NO_COLOR", no_color)
    monkeypatch.delenv("ANSI_COLORS_DISABLED", raising=False)
    ours, theirs = os.openpty() if is_terminal else os.pipe()
    assert start("check", assets / "tiny_train.conllu", stdout=theirs).wait() == 0
    printed = os.read(ours, 10_000)
    os.close(ours)
    os.close(theirs)
    assert b"tiny_train" in printed and (b"\x1b[" in printed) == is_coloured


@pytest.mark.skipif(sys.platform == "win32", reason="it ends processes without a signal")
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_command_that_is_stopped_leaves_no_temporary_files(start, sent, code, tmp_path):
    (tmp_path / "a.txt").write_text("He left.\n" * 100_000, encoding="utf8")
    process = start("annotate", "a.txt", "--lines", "--output", "a.conllu", cwd=tmp_path)
    while not list(tmp_path.glob(".*")):
        time.sleep(0.1)
    process.send_signal(sent)
    assert process.wait() == code and os.listdir(tmp_path) == ["a.txt"]


@pytest.mark.skipif(sys.platform != "linux", reason="it has no /dev/full, or no shell that closes streams")
@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ("- <&-", "standard input"),
        ("a.txt >&-", "standard output"),
        ("a.txt >/dev/full", "The output"),
        ("a.txt --output /dev/full", "The output"),
        ("--help >/dev/full", "The output"),
    ],
)
def test_a_stream_that_is_closed_or_full_is_an_error(start, arguments, name, tmp_path):
    (tmp_path / "a.txt").write_text("He left.", encoding="utf8")
    process = start("annotate", arguments, cwd=tmp_path, shell=True)
    assert f"[J441] {name} cannot".encode() in process.stderr.read() and process.wait() == 1
