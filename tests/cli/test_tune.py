"""`tune`: what is refused before any training."""

import json
import sys

import pytest

from spacy_joint.cli.configs import CONFIGS


@pytest.mark.parametrize(
    ("space", "options", "code"),
    [
        ({"training.dropout": [0.1]}, ["--trials", 0], "J736"),
        ({"training.dropout": [0.1]}, ["--workers", 0], "J736"),
        ({"training.drop": [0.1]}, [], "J737"),
        ({"training.dropout": {"low": 0.2, "high": 0.1}}, [], "J737"),
        ({"training.dropout": [0.1]}, [], "J710"),
    ],
)
def test_what_is_impossible_is_said_before_anything_is_written(run, space, options, code, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "ray", None)
    (tmp_path / "space.json").write_text(json.dumps(space))
    command = ["tune", CONFIGS / "sequence_tagger.cfg", tmp_path / "space.json", "--output", tmp_path / "tuned"]
    assert f"[{code}]" in run(*command, *options, fails=True).stderr
    assert not (tmp_path / "tuned").exists()
