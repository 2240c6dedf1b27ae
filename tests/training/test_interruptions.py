"""Whenever a process is killed: files are either old or new, and resumed training has the same result."""

import json
import random
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.cli.train import train
from spacy.training import Example
from spacy.util import registry
from thinc.api import ConfigValidationError

from spacy_joint.cli.training.configs import CONFIGS
from spacy_joint.engine import model_file
from spacy_joint.training.resuming import create_skip_documents

from .conftest import read_parts, run_until_killed

CONFIG = CONFIGS / "sequence_tagger.cfg"


@pytest.fixture(scope="module")
def overrides(tagger_settings) -> dict[str, Any]:
    """Four epochs of six batches."""
    return {
        **tagger_settings,
        "components.sequence_tagger.model.table_bits": 14,
        "initialize.components.sequence_tagger.word_classes": None,
        "training.max_epochs": 4,
        "training.eval_frequency": 1000,
    }


@pytest.fixture(scope="module")
def uninterrupted(overrides: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    directory = tmp_path_factory.mktemp("uninterrupted")
    train(CONFIG, directory, overrides=overrides)
    return read_parts(directory)


@pytest.fixture
def resume(run, tmp_path) -> Callable[..., dict[str, bytes]]:
    """Train to the end from a checkpoint."""

    def resume(checkpoint: Path, *arguments: str) -> dict[str, bytes]:
        run("resume", checkpoint, tmp_path / "resumed.cfg", *arguments)
        train(tmp_path / "resumed.cfg", tmp_path / "resumed")
        return read_parts(tmp_path / "resumed")

    return resume


@pytest.mark.parametrize("kind", ["original", "both"])
def test_training_stopped_within_an_epoch_ends_like_uninterrupted_training(
    overrides, kind, resume, tmp_path, uninterrupted
):
    corpus = {"training.train_corpus": f"corpora.{kind}"}
    if kind != "both":
        train(CONFIG, tmp_path / "uninterrupted", overrides={**overrides, **corpus})
        uninterrupted = read_parts(tmp_path / "uninterrupted")
    train(CONFIG, tmp_path / "first", overrides={**overrides, **corpus, "training.max_steps": 5})
    # Resumed training may be interrupted, too.
    resume(tmp_path / "first" / "model-last", "--training.max_steps", "4")
    (tmp_path / "resumed").rename(tmp_path / "second")
    assert resume(tmp_path / "second" / "model-last", "--training.max_steps", "0") == uninterrupted


def test_streamed_training_ends_like_uninterrupted_training(overrides, resume, tmp_path):
    (tmp_path / "shards").mkdir()
    for number in range(2):
        shutil.copy(overrides["paths.train"], tmp_path / "shards" / f"{number}.spacy")
    config = spacy.util.load_config(CONFIG, overrides=overrides)
    gold = config["corpora"]["original"]
    config["corpora"]["original"] = {
        "@readers": "spacy_joint.MixedCorpus.v1",
        "corpora": {"gold": gold, "silver": {**gold, "path": str(tmp_path / "shards")}},
        "shares": {"gold": 1, "silver": 2},
        "buffer_size": 4,
    }
    config["training"] |= {"train_corpus": "corpora.original", "max_epochs": -1, "max_steps": 20}
    config.to_disk(tmp_path / "config.cfg")
    train(tmp_path / "config.cfg", tmp_path / "uninterrupted")
    train(tmp_path / "config.cfg", tmp_path / "first", overrides={"training.max_steps": 13})
    # Steps count from the checkpoint, and spaCy makes one more.
    resumed = resume(tmp_path / "first" / "model-last", "--training.max_steps", "6")
    assert resumed == read_parts(tmp_path / "uninterrupted")


def test_documents_are_skipped_up_to_the_end_of_a_batch():
    def batch(items):
        for i in range(0, len(items), 2):
            yield items[i : i + 2]

    skip = create_skip_documents(n=6, batcher=batch)
    assert [list(skip([1, 2, 3, 4])), list(skip([5, 6, 7, 8])), list(skip([9]))] == [[], [[7, 8]], [[9]]]
    with pytest.raises(ValueError, match=r"\[J444\].* 3 documents"):
        list(create_skip_documents(n=3, batcher=batch)([1, 2, 3, 4]))


def test_a_checkpoint_needs_a_path():
    with pytest.raises(ConfigValidationError, match="path"):
        registry.resolve({"callback": {"@callbacks": "spacy_joint.checkpoint.v1", "path": None}})


def test_training_that_cannot_be_resumed_says_why(run, pipeline, tmp_path):
    pipeline.to_disk(tmp_path / "trained")
    run("finish", tmp_path / "trained", tmp_path / "finished")
    (tmp_path / "empty").mkdir()
    mixed = spacy.load(tmp_path / "trained")
    senter = mixed.add_pipe("senter")
    senter.initialize(lambda: [Example.from_dict(mixed.make_doc("a"), {"sent_starts": [True]})], nlp=mixed)
    mixed.to_disk(tmp_path / "mixed")
    uneven = spacy.load(tmp_path / "trained")
    uneven.get_pipe("sequence_tagger").perceptron.n_seen += 1
    uneven.to_disk(tmp_path / "uneven")
    expected = {"empty": "E053", "finished": "J442", "mixed": "J442", "uneven": "J443"}
    for name, code in expected.items():
        assert f"[{code}]" in run("resume", tmp_path / name, tmp_path / "resumed.cfg", fails=True).stderr
        assert not (tmp_path / "resumed.cfg").exists()
    assert "[J440]" in run("resume", tmp_path / "trained", tmp_path / "trained" / "config.cfg", fails=True).stderr
    assert spacy.load(tmp_path / "trained").pipe_names == pipeline.pipe_names


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_killed_training_leaves_a_checkpoint_to_resume_from(overrides, resume, uninterrupted, tmp_path):
    checkpoint = tmp_path / "checkpoint"
    config = spacy.util.load_config(CONFIG, overrides=overrides)
    config["training"]["eval_frequency"] = 1
    config["training"]["before_to_disk"] = {"@callbacks": "spacy_joint.checkpoint.v1", "path": str(checkpoint)}
    config.to_disk(tmp_path / "killed.cfg")
    arguments = ("-m", "spacy", "train", tmp_path / "killed.cfg", "--output", tmp_path / "killed")
    run_until_killed(checkpoint.is_dir, *arguments, later=random.random() / 2)
    # Our files are complete even where spaCy overwrites a directory; model-best is a copy that spaCy makes.
    for path in (tmp_path / "killed" / "model-last" / "sequence_tagger").iterdir():
        if path.name in ("cfg", "checksums"):
            json.loads(path.read_bytes())
        elif not path.name.startswith("."):
            model_file.unpack(path.read_bytes())
    quiet = ("--training.before_to_disk", "null", "--training.eval_frequency", "1000")
    assert resume(checkpoint, *quiet) == uninterrupted


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_killed_annotation_keeps_the_existing_output(tmp_path):
    text, output = tmp_path / "long.txt", tmp_path / "annotated.conllu"
    text.write_text("he said that it was cold and she left\n" * 20_000, encoding="utf8")
    output.write_text("what was there", encoding="utf8")

    def is_writing():
        return any(path.name.startswith(".annotated") and path.stat().st_size for path in tmp_path.iterdir())

    arguments = ("-m", "spacy", "joint", "annotate", text, "--lines", "--output", output)
    code = run_until_killed(is_writing, *arguments, later=random.random() / 2)
    assert code == -signal.SIGKILL
    assert output.read_text(encoding="utf8") == "what was there"
