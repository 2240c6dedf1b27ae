"""Commands on a full disk or with unreadable input: one coded error, and the old output stays."""

import re
import sys
from pathlib import Path

import pytest

import spacy_joint
from spacy_joint.cli.training.configs import CONFIGS

from ..scale.corpora import read_tree

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="disks are filled, and input is broken, by means of Linux"
)

# It opens, but reading fails.
UNREADABLE = "/proc/self/mem"
COMMANDS = {
    "annotate": ["annotate", "TEXT", "--output", "OUTPUT"],
    "annotate --format spacy": ["annotate", "TEXT", "--format", "spacy", "--output", "OUTPUT"],
    "annotate --lines": ["annotate", "TEXT", "--lines", "--format", "json", "--output", "OUTPUT"],
    "quotes": ["quotes", "TEXT", "--format", "json", "--output", "OUTPUT"],
    "quotes --lines": ["quotes", "TEXT", "--lines", "--format", "jsonl", "--output", "OUTPUT"],
    "convert": ["convert", "TREEBANK", "OUTPUT"],
    "convert-quotes": ["convert-quotes", "QUOTES", "OUTPUT"],
    "word-classes": ["word-classes", "TREEBANK", "--output", "OUTPUT"],
    "finish": ["finish", "en_joint_english", "OUTPUT"],
    "learn-order": ["learn-order", "MODIFIERS", "--epochs", "1", "--table-bits", "10", "--output", "OUTPUT"],
    "learn-speakers": ["learn-speakers", "SPEAKERS", "OUTPUT"],
    "distill": ["distill", "TEXT", "--output", "OUTPUT"],
    "jackknife": ["jackknife", "CONFIG", "OUTPUT", "--folds", "2", "--paths.train", "CORPUS"],
}
DIRECTORY_COMMANDS = ("distill", "finish", "learn-order", "learn-speakers")
# Their output is not a DocBin.
TEXT_COMMANDS = ("annotate", "annotate --lines", "quotes", "quotes --lines")


@pytest.fixture(scope="module")
def shipped() -> Path:
    return spacy_joint.load().path


@pytest.fixture
def place(assets: Path, tagger_settings, shipped: Path, write_text, tmp_path: Path) -> dict[str, Path]:
    text = write_text("text.txt", "“We go,” she said.\n" * 20)
    (tmp_path / "a.txt").write_text("Ann came .\n“ We go , ” she said .\n", encoding="utf8")
    annotation = write_text("a.ann", "QUOTE\tQ\t1\t0\t1\t4\t“ We go , ”\nATTRIB\tQ\tAnn-0\n")
    (tmp_path / "outputs").mkdir()
    return {
        "TEXT": text,
        "CORPUS": Path(tagger_settings["paths.train"]),
        "TREEBANK": assets / "tiny_train.conllu",
        "MODIFIERS": assets / "modifiers_train.conllu",
        "SPEAKERS": annotation,
        "QUOTES": assets / "tiny_quotes" / "dev",
        "PIPELINE": shipped,
        "CONFIG": CONFIGS / "sequence_tagger.cfg",
        "OUTPUT": tmp_path / "outputs" / "output.spacy",
    }


@pytest.mark.parametrize("name", COMMANDS)
def test_on_a_full_disk_the_old_output_stays(name, place, run, full_disk):
    if name in TEXT_COMMANDS:
        place["OUTPUT"] = place["OUTPUT"].with_suffix("")
    output = place["OUTPUT"]
    if name in DIRECTORY_COMMANDS:
        output.mkdir()
        (output / "config.cfg").write_text("what was there", encoding="utf8")
    else:
        output.write_text("what was there", encoding="utf8")
    before = read_tree(output.parent)
    with full_disk(64):
        failed = run(*(place.get(argument, argument) for argument in COMMANDS[name]), fails=True)
    assert re.findall(r"\[J\d+\]", failed.stderr) in (["[J440]"], ["[J441]"])
    assert "File too large" in failed.stderr
    assert read_tree(output.parent) == before


@pytest.mark.parametrize("content", [None, b"hi\n\xff\n"])
@pytest.mark.parametrize("name", TEXT_COMMANDS)
def test_input_that_cannot_be_read_is_named_and_the_old_output_stays(name, content, place, run):
    if content is None:
        place["TEXT"] = Path(UNREADABLE)
    else:
        place["TEXT"].write_bytes(content)
    place["OUTPUT"] = place["OUTPUT"].with_suffix("")
    place["OUTPUT"].write_text("what was there", encoding="utf8")
    before = read_tree(place["OUTPUT"].parent)
    failed = run(*(place.get(argument, argument) for argument in COMMANDS[name]), fails=True)
    assert re.findall(r"\[J\d+\]", failed.stderr) == ["[J403]" if content else "[J441]"]
    assert str(place["TEXT"]) in "".join(failed.stderr.split())
    assert read_tree(place["OUTPUT"].parent) == before


@pytest.mark.parametrize(
    "arguments",
    [
        ["train", "CONFIG", "--paths.train", "CORPUS", "--paths.dev", "CORPUS", "--output", "OUTPUT"],
        ["train-treebank", "--train", "TREEBANK", "--language", "en", "--output", "OUTPUT"],
        ["calibrate", "PIPELINE", "TREEBANK", "--output", "OUTPUT/pipeline"],
        ["learn-order", "MODIFIERS", "--output", "OUTPUT/pipeline"],
        ["learn-speakers", "SPEAKERS", "OUTPUT/pipeline"],
        ["finish", "PIPELINE", "OUTPUT/pipeline"],
    ],
)
def test_work_does_not_begin_if_a_directory_of_something_else_is_in_the_place_of_its_result(arguments, place, run):
    for name in ("model-best", "package", "pipeline"):
        (place["OUTPUT"] / name).mkdir(parents=True)
        (place["OUTPUT"] / name / "thesis.txt").touch()
    place["OUTPUT/pipeline"] = place["OUTPUT"] / "pipeline"
    before = read_tree(place["OUTPUT"])
    failed = run(*(place.get(argument, argument) for argument in arguments), fails=True)
    assert re.search(r"\[J713\].*other files, such as thesis\.txt", " ".join(failed.stderr.split()))
    assert not failed.stdout and read_tree(place["OUTPUT"]) == before


@pytest.mark.parametrize(("name", "suffix"), [("convert", "conllu"), ("convert", "ptb"), ("word-classes", "conllu")])
def test_a_corpus_that_cannot_be_read_is_refused(name, suffix, place, run, tmp_path):
    place["TREEBANK"] = tmp_path / f"broken.{suffix}"
    place["TREEBANK"].symlink_to(UNREADABLE)
    failed = run(*(place.get(argument, argument) for argument in COMMANDS[name]), fails=True)
    assert re.findall(r"\[J\d+\]", failed.stderr) == ["[J441]"]
    assert not list(place["OUTPUT"].parent.iterdir())
