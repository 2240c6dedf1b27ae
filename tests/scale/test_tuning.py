"""Trainings with different settings: what is tried, what is stopped, and what is written."""

import json
import random
from collections import Counter

import pytest
from spacy.tokens import Doc, DocBin
from spacy.util import load_config
from spacy.vocab import Vocab

from spacy_joint.cli.configs import CONFIGS
from spacy_joint.errors import JointValueError
from spacy_joint.scale.cluster import connect
from spacy_joint.scale.tuning import Range, Tuning
from spacy_joint.training.distributed import Training
from spacy_joint.training.shards import LocalEngine

BEAM = "components.sequence_tagger.model.beam_width"
DROPOUT = "training.dropout"


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    directory = tmp_path_factory.mktemp("corpus")
    words = ["the", "old", "man", "sees", "boats"]
    docs = [
        Doc(Vocab(), words=words[first:] + words[:first], tags=[str(i * first % 3) for i in range(5)])
        for first in (0, 1, 2, 3, 4, 0, 2, 4)
    ]
    for part in ("train", "dev"):
        DocBin(docs=docs).to_disk(directory / f"{part}.spacy")
    model = {"table_bits": 12, "n_tables": 2, "min_changes": 1}
    overrides = {
        **{f"components.sequence_tagger.model.{name}": value for name, value in model.items()},
        "training.train_corpus": "corpora.original",
        "training.max_epochs": 5,
        "paths.train": str(directory / "train.spacy"),
        "paths.dev": str(directory / "dev.spacy"),
    }
    return load_config(CONFIGS / "sequence_tagger.cfg", overrides=overrides, interpolate=False)


@pytest.fixture
def make(config, tmp_path):
    def make(space, n_trials):
        path = tmp_path / "space.json"
        path.write_text(space if isinstance(space, str) else json.dumps(space), encoding="utf8")
        return Tuning(config, path, tmp_path / "tuned", n_trials)

    return make


def train(config, path):
    training = Training(config, path, 1)
    return [info["score"] for info in training.learn(LocalEngine)]


def test_values_are_drawn_from_choices_and_ranges(make):
    space = {BEAM: {"low": 1, "high": 3}, DROPOUT: {"low": 0.01, "high": 0.5, "log": True}, "system.seed": [4, 5]}
    trials = make(space, 60).trials
    assert [trial.number for trial in trials] == list(range(1, 61))
    assert trials[0].values == {BEAM: 5, DROPOUT: 0.3, "system.seed": 0}
    drawn = [trial.values for trial in trials[1:]]
    assert {values[BEAM] for values in drawn} == {1, 2, 3}
    assert {values["system.seed"] for values in drawn} == {4, 5}
    assert all(0.01 <= values[DROPOUT] <= 0.5 for values in drawn)
    # The same seed draws the same values.
    assert [trial.values for trial in make(space, 60).trials] == [trial.values for trial in trials]


def test_logarithms_are_uniform():
    generator = random.Random(0)
    for ends in ((1, 99), (1.0, 100.0)):
        n_below = Counter(Range(*ends, log=True).draw(generator) < 10 for _ in range(1000))
        assert 450 < n_below[True] < 550


def test_nothing_is_tried_twice(make):
    values = [trial.values[BEAM] for trial in make({BEAM: [5, 4, 3]}, 10).trials]
    assert values[0] == 5 and sorted(values) == [3, 4, 5]


@pytest.mark.parametrize(
    ("space", "what"),
    [
        ("{", "it is not JSON"),
        ([], "it is not an object with names"),
        ({}, "it is not an object with names"),
        ({"training.nothing": [1]}, "the config has no value training.nothing"),
        ({"training": [1]}, "training is a section"),
        ({DROPOUT: []}, "there is no choice"),
        ({DROPOUT: 0.1}, "neither a list of choices nor a range"),
        ({DROPOUT: {"low": 0}}, "has the keys low, and not"),
        ({DROPOUT: {"low": 0, "high": 1, "step": 1}}, "has the keys low, high, step"),
        ({DROPOUT: {"low": 1, "high": 1}}, "low = 1 is not less than high = 1"),
        ({DROPOUT: {"low": 0, "high": 1, "log": True}}, "low = 0 has no logarithm"),
        ({DROPOUT: {"low": "0", "high": 1}}, "low and high are numbers"),
        ('{"training.dropout": {"low": 0, "high": 1e999}}', "low and high are numbers"),
        ({DROPOUT: {"low": 0, "high": 1, "log": 1}}, "log is true or false"),
    ],
)
def test_a_space_that_cannot_be_searched_is_refused(make, space, what):
    with pytest.raises(JointValueError, match=r"^\[J737\] .*space\.json cannot be searched: ") as caught:
        make(space, 2)
    assert what in caught.value.cause


@pytest.fixture(scope="module")
def ray():
    ray = pytest.importorskip("ray")
    pytest.importorskip("matplotlib")
    with connect(num_cpus=2, object_store_memory=100 << 20, log_to_driver=False):
        yield ray


def test_trials_have_the_scores_of_trainings(make, ray, tmp_path, capfd, monkeypatch):
    tuning = make({BEAM: [5, 1, 0], DROPOUT: [0.3, 1.0]}, 5)
    ended = []
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    best = tuning.run(1, ended.append)
    printed = capfd.readouterr()
    assert printed.out == printed.err == ""
    assert not list(here.iterdir())
    assert [trial.number for trial in ended] == [1, 2, 3, 4, 5]
    assert sorted(path.name for path in tuning.output.iterdir()) == ["best.cfg", "trials.jsonl", "trials.svg"]
    for trial in ended:
        if trial.values[BEAM] == 0:
            assert trial.state == "failed" and trial.reason.startswith("[J030]") and not trial.scores
            continue
        scores = train(tuning.configure(trial), tmp_path / "trained")
        assert trial.scores == scores[: len(trial.scores)]
        assert trial.state == ("finished" if trial.scores == scores else "stopped")
    assert {trial.state for trial in ended} == {"finished", "stopped", "failed"}
    lines = [json.loads(line) for line in (tuning.output / "trials.jsonl").read_text().splitlines()]
    assert [line["scores"] for line in lines] == [trial.scores for trial in ended]
    assert best.best == max(trial.best for trial in ended)
    written = load_config(tuning.output / "best.cfg", interpolate=False)
    assert written["training"]["train_corpus"] == "corpora.original" and "${paths.dev}" in written.to_str()
    assert max(train(written, tmp_path / "trained")) == best.best
