"""Training over shards in one process: what one shard learns, what is saved, and where training goes on."""

import io
import shutil
import sys

import pytest
from spacy.cli.train import train as train_by_spacy
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import load_config
from spacy.vocab import Vocab

from spacy_joint.cli.training.configs import CONFIGS
from spacy_joint.training.distributed import PROGRESS, Progress, Training
from spacy_joint.training.passes import Worker, take_shard

from .conftest import read_parts, run_until_killed

CONFIG = CONFIGS / "sequence_tagger.cfg"


@pytest.fixture(scope="module")
def overrides(tagger_settings):
    return {**tagger_settings, "training.max_epochs": 3}


def train(output, overrides, n_shards=2, make_runner=Worker):
    config = load_config(CONFIG, overrides=overrides, interpolate=False)
    training = Training(config, output, n_shards)
    stdout = io.StringIO()
    training.run(make_runner, stdout, io.StringIO())
    return training, stdout.getvalue()


@pytest.fixture(scope="module")
def trained(overrides, tmp_path_factory):
    directory = tmp_path_factory.mktemp("trained")
    training, printed = train(directory, overrides)
    return directory, training, printed


def test_one_shard_learns_what_spacy_learns(overrides, tmp_path):
    train_by_spacy(CONFIG, tmp_path / "spacy", overrides={**overrides, "training.eval_frequency": 1000})
    train(tmp_path / "ours", overrides, n_shards=1)
    assert read_parts(tmp_path / "ours") == read_parts(tmp_path / "spacy")


def test_settings_that_a_config_leaves_out_have_the_defaults_of_spacy(overrides, tmp_path):
    config = load_config(CONFIG, overrides=overrides, interpolate=False)
    section, _, name = config["training"].pop("train_corpus").partition(".")
    config[section]["train"] = config[section][name]
    assert Training(config, tmp_path, 1).training["train_corpus"] == "corpora.train"


def test_each_epoch_is_logged_and_the_best_is_kept(trained, tmp_path, overrides):
    directory, training, printed = trained
    assert "Seed: 0" in printed
    lines = [line.split() for line in printed.splitlines()]
    assert [line[0] for line in lines if line and line[0].isdecimal()] == ["1", "2", "3"]
    results = training.progress.results
    # The batches of both shards.
    assert [step for _, step in results] == [7, 14, 21]
    best = 1 + max(range(3), key=lambda epoch: results[epoch][0])
    train(tmp_path, {**overrides, "training.max_epochs": best})
    assert read_parts(tmp_path) == read_parts(directory, "model-best")


def test_training_goes_on_after_the_last_epoch(trained, overrides, tmp_path):
    train(tmp_path, {**overrides, "training.max_epochs": 1})
    training, _ = train(tmp_path, overrides)
    assert read_parts(tmp_path) == read_parts(trained[0])
    assert training.progress.results == trained[1].progress.results
    # There is nothing left to do.
    assert train(tmp_path, overrides)[1] == ""


def test_training_interrupted_in_an_epoch_goes_on_at_its_beginning(trained, overrides, tmp_path):
    class Failing(Worker):
        def run(self, states, epoch):
            for passes in super().run(states, epoch):
                yield passes
                if epoch == 1:
                    raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(tmp_path, overrides, make_runner=Failing)
    # As if the best model had not been copied either.
    shutil.rmtree(tmp_path / "model-best")
    train(tmp_path, overrides)
    for name in ("model-last", "model-best"):
        assert read_parts(tmp_path, name) == read_parts(trained[0], name)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_killed_training_goes_on(trained, overrides, tmp_path):
    settings = [part for name, value in overrides.items() for part in (f"--{name}", str(value))]
    arguments = ("-m", "spacy", "joint", "train", CONFIG, "--output", tmp_path, "--shards", "2", *settings)
    run_until_killed((tmp_path / "model-last" / PROGRESS).exists, *arguments)
    train(tmp_path, overrides)
    assert read_parts(tmp_path) == read_parts(trained[0])


def test_another_training_begins_anew(trained, overrides):
    def count_finished(changed, n_shards=2):
        config = load_config(CONFIG, overrides={**overrides, **changed}, interpolate=False)
        return Training(config, trained[0], n_shards).progress.epoch

    assert count_finished({"training.max_epochs": 5, "training.patience": 100}) == 3
    assert count_finished({"training.dropout": 0.5}) == 0
    assert count_finished({"training.seed": 1}) == 0
    assert count_finished({"components.sequence_tagger.model.beam_width": 1}) == 0
    assert count_finished({}, n_shards=3) == 0


def test_training_on_a_changed_corpus_begins_anew(overrides, tmp_path):
    corpus = tmp_path / "train.spacy"
    settings = {**overrides, "paths.train": str(corpus), "training.max_epochs": 1}
    config = load_config(CONFIG, overrides=settings, interpolate=False)
    for content, finished in ((overrides["paths.train"], 0), (overrides["paths.dev"], 0), (overrides["paths.dev"], 1)):
        shutil.copy(content, corpus)
        training = Training(config, tmp_path / "trained", 1)
        assert training.progress.epoch == finished
        training.run(Worker, io.StringIO(), io.StringIO())


def test_training_stops_like_spacy():
    settings = {"max_epochs": 9, "max_steps": 0, "patience": 0}
    progress = Progress("digest", 4, 40, results=[(0.1, 10), (0.5, 20), (0.5, 30), (0.3, 40)])
    assert not progress.is_over(settings)
    assert progress.is_over({**settings, "max_epochs": 4})
    assert progress.is_over({**settings, "max_steps": 40}) and not progress.is_over({**settings, "max_steps": 41})
    # Patience counts from the earliest of the best results.
    assert progress.is_over({**settings, "patience": 20}) and not progress.is_over({**settings, "patience": 21})


def test_each_document_is_in_one_shard_and_shards_are_equally_long():
    lengths = [1, 50, 7, 3, 90, 2, 2, 40, 11, 5, 60, 1]
    examples = [
        Example(doc, doc) for doc in (Doc(Vocab(), words=[f"w{i}"] * length) for i, length in enumerate(lengths))
    ]
    shards = [list(take_shard(examples, shard, 3, seed=0)) for shard in range(3)]
    assert sorted(id(example) for shard in shards for example in shard) == sorted(map(id, examples))
    n_words = [sum(len(example.reference) for example in shard) for shard in shards]
    assert max(n_words) - min(n_words) <= max(lengths)
    assert list(take_shard(examples, 0, 1, seed=0)) == examples


def test_copies_as_long_as_their_originals_are_in_all_shards():
    pairs = [Example(Doc(Vocab(), words=["w"] * 5), Doc(Vocab(), words=["w"] * 5)) for _ in range(200)]
    first = {id(example) for example in take_shard(pairs, 0, 2, seed=0)}
    assert 30 < sum(id(example) in first for example in pairs[::2]) < 70


@pytest.mark.parametrize(
    ("changed", "n_shards", "code"),
    [
        ({"training.max_epochs": 0}, 2, "J030"),
        ({"training.max_epochs": -1}, 2, "J030"),
        ({"training.seed": None}, 2, "J030"),
        ({"training.seed": "x"}, 2, "J030"),
        ({"training.frozen_components": ["sequence_tagger"]}, 2, "J733"),
        ({"nlp.pipeline": ["sequence_tagger", "tagger"], "components.tagger": {"factory": "tagger"}}, 2, "J733"),
        ({}, 0, "J030"),
        ({}, 100, "J735"),
    ],
)
def test_what_cannot_be_trained_over_shards_is_refused(overrides, tmp_path, changed, n_shards, code):
    with pytest.raises(ValueError, match=rf"\[{code}\]"):
        train(tmp_path / "refused", {**overrides, **changed}, n_shards)
