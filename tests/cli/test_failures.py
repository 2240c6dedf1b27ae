"""How commands fail and warn: in plain lines, and with a traceback for what is not expected."""

import os
import re
import signal
import subprocess
import sys
import time
import warnings
from functools import partial

import pytest
import spacy
from spacy.language import Language
from typer.testing import CliRunner

from spacy_joint.cli import app
from spacy_joint.errors import JointWarning, Warnings, format_warning


@Language.component("slow_client")
def ask(doc):
    raise TimeoutError("the server does not answer")


def test_an_error_of_a_component_is_not_taken_for_one_of_files(run, write_text, tmp_path):
    nlp = spacy.blank("en")
    nlp.add_pipe("slow_client")
    nlp.to_disk(tmp_path / "pipeline")
    with pytest.raises(TimeoutError, match="does not answer"):
        run("annotate", write_text("a.txt", "He left."), "--model", tmp_path / "pipeline", fails=True)


@pytest.mark.parametrize("content", ["# café".encode("latin1"), b"[paths]\ntrain = null\ntrain = null\n"])
@pytest.mark.parametrize("command", [["train", "--output"], ["jackknife"]])
def test_a_damaged_config_is_refused(command, content, run, tmp_path):
    config = tmp_path / "damaged.cfg"
    config.write_bytes(content)
    name, *options = command
    assert "[J441] A config" in run(name, config, *options, tmp_path / "a.spacy", fails=True).stderr


def test_a_package_that_a_language_needs_is_named(run, write_text, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "sudachipy", None)
    text = write_text("a.txt", "He left.")
    failed = run("word-classes", text, "--language", "ja", "--output", tmp_path / "classes", fails=True)
    assert "[J744] A package is missing: Japanese" in failed.stderr


@pytest.mark.parametrize(
    ("command", "option"), [("convert", "--traces"), ("convert-quotes", "--format-in"), ("distill", "--kind")]
)
def test_an_unknown_choice_is_named(command, option):
    result = CliRunner().invoke(app, [command, "a.conllu", "b.spacy", option, "x"])
    assert result.exit_code == 2 and f"Invalid value for '{option}': Value error, 'x' is not one of" in result.stderr


@pytest.mark.parametrize("arguments", [["finish", "pipeline", "finished"], ["train-treebank", "a.conllu"]])
def test_an_unknown_option_is_named(arguments):
    result = CliRunner().invoke(app, [*arguments, "--widht", "4"])
    assert result.exit_code == 2 and "No such option: --widht" in result.stderr


def test_options_that_override_a_config_may_come_anywhere(run, tmp_path):
    spacy.blank("en").to_disk(tmp_path / "blank")
    run("finish", tmp_path / "blank", "--nlp.batch_size", "7", tmp_path / "finished", "--nlp.lang=en")
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


@pytest.mark.parametrize(
    "arguments",
    [
        ["evaluate", "pipeline", "corpus.conllu", "--output", "pipeline/meta.json"],
        ["convert", "corpus.conllu", "./corpus.conllu"],
        ["annotate", "a.txt", "--output", "a.txt"],
        ["quotes", "b.txt", "a.txt", "--output", "a.txt"],
        ["distill", ".", "--output", "../inputs"],
        ["jackknife", "a.cfg", "train.spacy", "--paths.train", "train.spacy"],
        ["jackknife", "b.cfg", "train.spacy"],
        ["word-classes", "a.txt", "--output", "a.txt/classes"],
    ],
)
def test_work_does_not_begin_if_its_output_is_an_input_or_cannot_be_written(arguments, run, tmp_path, monkeypatch):
    directory = tmp_path / "inputs"
    directory.mkdir()
    spacy.blank("en").to_disk(directory / "pipeline")
    for name in ("corpus.conllu", "a.txt", "b.txt", "a.cfg", "train.spacy"):
        (directory / name).touch()
    (directory / "b.cfg").write_text("[paths]\ntrain = train.spacy\n", encoding="utf8")
    monkeypatch.chdir(directory)
    assert re.search(
        r"\[J440\].* not written: (the command reads|its directory is a file)", run(*arguments, fails=True).stderr
    )


@pytest.mark.parametrize("command", ["learn-order", "train-treebank", "word-classes"])
def test_a_negative_seed_is_refused(command, tmp_path):
    result = CliRunner().invoke(app, [command, "a.conllu", "--output", str(tmp_path / "output"), "--seed", "-1"])
    assert result.exit_code == 2 and "greater than or equal to 0" in result.stderr


def test_warnings_with_a_code_are_one_line():
    warning = JointWarning(Warnings.JW01, name="parser", n=3, total=20)
    assert format_warning(warning, JointWarning, "a.py", 1) == f"{warning}\n"
    assert format_warning("[W036] No rules.", UserWarning, "a.py", 1) == "[W036] No rules.\n"
    assert "a.py:1: UserWarning: No rules." in format_warning("No rules.", UserWarning, "a.py", 1)


def test_commands_print_warnings_so(run, tmp_path):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(warnings, "formatwarning", None)
        run("configs", tmp_path / "configs")
        assert warnings.formatwarning is format_warning


@pytest.mark.skipif(sys.platform == "win32", reason="it has no pseudo-terminals")
@pytest.mark.parametrize(
    ("no_color", "is_terminal", "is_coloured"), [("", True, True), ("1", True, False), ("", False, False)]
)
def test_colours_are_for_terminals_unless_they_are_declined(no_color, is_terminal, is_coloured, assets, tmp_path):
    command = [sys.executable, "-m", "spacy", "joint", "check", assets / "tiny_train.conllu"]
    environment = {**os.environ, "NO_COLOR": no_color}
    environment.pop("ANSI_COLORS_DISABLED", None)
    ours, theirs = os.openpty() if is_terminal else os.pipe()
    environment.setdefault("PYTHONPATH", os.getcwd())
    assert subprocess.run(command, stdout=theirs, env=environment, cwd=tmp_path).returncode == 0
    printed = os.read(ours, 10_000)
    os.close(ours)
    os.close(theirs)
    assert b"tiny_train" in printed and (b"\x1b[" in printed) == is_coloured


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="it ends processes without a signal")
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_command_that_is_stopped_leaves_no_temporary_files(sent, code, tmp_path):
    (tmp_path / "a.txt").write_text("He left.\n" * 100_000, encoding="utf8")
    command = [sys.executable, "-m", "spacy", "joint", "annotate", "a.txt", "--lines", "--output", "a.conllu"]
    # Commands in the background of a shell ignore interrupts, and so would what they start.
    heed = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    env = {"PYTHONPATH": os.getcwd(), **os.environ}
    with subprocess.Popen(command, env=env, cwd=tmp_path, preexec_fn=heed) as process:
        while not list(tmp_path.glob(".*")):
            time.sleep(0.1)
        process.send_signal(sent)
    assert process.returncode == code and os.listdir(tmp_path) == ["a.txt"]


@pytest.mark.slow
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
def test_a_stream_that_is_closed_or_full_is_an_error(arguments, name, tmp_path):
    (tmp_path / "a.txt").write_text("He left.", encoding="utf8")
    command = f"{sys.executable} -m spacy joint annotate {arguments}"
    environment = {"PYTHONPATH": os.getcwd(), **os.environ}
    result = subprocess.run(command, shell=True, stderr=subprocess.PIPE, env=environment, cwd=tmp_path)
    assert result.returncode == 1 and f"[J441] {name} cannot".encode() in result.stderr
