"""`train`: what users see of training over shards."""

import sys

import pytest
import spacy

from spacy_joint.cli.training.configs import CONFIGS


@pytest.fixture
def arguments(tagger_settings, tmp_path):
    settings = {**tagger_settings, "training.max_epochs": 1, "system.seed": 3}
    options = [part for name, value in settings.items() for part in (f"--{name}", value)]
    return ["train", CONFIGS / "sequence_tagger.cfg", "--output", tmp_path / "trained", *options]


def test_a_pipeline_is_trained_over_a_shard_per_worker(run, arguments, tmp_path):
    printed = run(*arguments, "--workers", 2).stdout
    assert "Shards: 2, finished epochs: 0, seed: 3" in printed
    assert "Seed: 3" in printed and "TAG_ACC" in printed
    nlp = spacy.load(tmp_path / "trained" / "model-best")
    assert nlp("They see us .")[0].tag_
    assert "finished epochs: 1" in run(*arguments, "--workers", 1, "--shards", 2).stdout


@pytest.mark.parametrize(("options", "code"), [(["--training.max_epochs", 0], "J030"), (["--ray", "local"], "J710")])
def test_what_is_impossible_is_said_before_anything_is_written(run, arguments, options, code, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "ray", None)
    assert f"[{code}]" in run(*arguments, *options, fails=True).stderr
    assert not (tmp_path / "trained").exists()
