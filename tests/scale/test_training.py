"""Training over shards on Ray: the same result as in one process, whatever happens to workers."""

import os
import signal
import sys
from functools import partial
from types import SimpleNamespace

import pytest
from spacy.tokens import Doc, DocBin
from spacy.util import load_config
from spacy.vocab import Vocab

from spacy_joint.cli.training.configs import CONFIGS
from spacy_joint.errors import JointValueError
from spacy_joint.scale.cluster import connect
from spacy_joint.scale.training import RayPassRunner
from spacy_joint.training.distributed import Training
from spacy_joint.training.passes import Worker

N_SHARDS = 3


@pytest.fixture(scope="module")
def training(tmp_path_factory):
    """A training that has just begun: a tagger with two tables, and eight documents."""
    directory = tmp_path_factory.mktemp("training")
    words = ["the", "old", "man", "sees", "boats"]
    docs = [
        Doc(Vocab(), words=words[first:] + words[:first], tags=[str(i % 3) for i in range(5)])
        for first in (0, 1, 2, 3, 4, 0, 2, 4)
    ]
    for part in ("train", "dev"):
        DocBin(docs=docs).to_disk(directory / f"{part}.spacy")
    model = {"table_bits": 12, "n_tables": 2, "min_changes": 1}
    overrides = {
        **{f"components.sequence_tagger.model.{name}": value for name, value in model.items()},
        "training.train_corpus": "corpora.original",
        "paths.train": str(directory / "train.spacy"),
        "paths.dev": str(directory / "dev.spacy"),
    }
    config = load_config(CONFIGS / "sequence_tagger.cfg", overrides=overrides, interpolate=False)
    return Training(config, directory / "output", N_SHARDS)


@pytest.fixture(scope="module")
def ray():
    ray = pytest.importorskip("ray")
    ray.init("local", num_cpus=3, object_store_memory=100 << 20, include_dashboard=False, logging_level="error")
    # A connection that exists is used.
    with connect() as connected:
        assert connected is ray
        yield ray
    assert ray.is_initialized()
    ray.shutdown()


def run_epochs(training, runner):
    """All that was learnt in two epochs from the state at the beginning."""
    states = training.component.perceptron.copy_states()
    passes = [list(runner.run(states, epoch)) for epoch in range(2)]
    return [
        [getattr(each.state, name).tobytes() for name in ("raw", "total", "n_changes")] + [each.losses, each.n_batches]
        for epoch in passes
        for of_table in epoch
        for each in of_table
    ]


@pytest.fixture(scope="module")
def learnt(training):
    found = run_epochs(training, make(training, Worker))
    # Epochs, tables and shards differ.
    assert len(found) == 2 * 2 * N_SHARDS and len({of_pass[0] for of_pass in found}) > len(found) / 2
    return found


def make(training, make_runner, n_shards=N_SHARDS):
    return make_runner(training.nlp.config.to_str(), training.nlp.to_bytes(), n_shards)


@pytest.fixture(scope="module")
def runner(training, ray):
    return make(training, partial(RayPassRunner, ray, 2))


def test_workers_learn_what_one_process_learns(training, runner, learnt):
    assert run_epochs(training, runner) == learnt


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_worker_that_is_killed_in_a_pass_is_replaced(training, runner, ray, learnt, monkeypatch):
    def find_processes():
        return ray.get([actor.__ray_call__.remote(lambda self: os.getpid()) for actor in runner.actors])

    killed = find_processes()
    waiting = list(killed)

    def get(calls):
        # All calls have been made by now.
        while waiting:
            os.kill(waiting.pop(), signal.SIGKILL)
        return ray.get(calls)

    monkeypatch.setattr(runner, "ray", SimpleNamespace(put=ray.put, get=get, exceptions=ray.exceptions))
    assert run_epochs(training, runner) == learnt
    assert not waiting and not set(find_processes()) & set(killed)


def test_errors_of_workers_are_those_of_one_process(training, ray):
    for make_runner in (partial(RayPassRunner, ray, 1), Worker):
        with pytest.raises(JointValueError, match=r"^\[J735\] Shard \d+ of 99 ") as caught:
            list(make(training, make_runner, 99).run(training.component.perceptron.copy_states(), 0))
        assert type(caught.value) is JointValueError
