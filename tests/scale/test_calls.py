"""The folds of `jackknife` and the files of `distill` in processes and on Ray: as in one process, whatever happens to
workers."""

import os
import socket
import sys
from functools import partial
from itertools import starmap
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab
from typer.testing import CliRunner

from spacy_joint.cli import app
from spacy_joint.cli.training.configs import CONFIGS
from spacy_joint.errors import JointOSError, JointValueError, check_range
from spacy_joint.scale import cluster
from spacy_joint.scale.cluster import connect
from spacy_joint.scale.training import call_in_processes, call_on_ray
from spacy_joint.training.jackknifing import jackknife_corpus


@pytest.fixture(scope="module")
def ray():
    pytest.importorskip("ray")
    with connect(num_cpus=2, object_store_memory=100 << 20, log_to_driver=False) as ray:
        yield ray


def test_a_corpus_is_annotated_as_in_one_process(ray, tmp_path):
    words = ["the", "old", "man", "sees", "boats"]
    docs = [Doc(Vocab(), words=words[first:] + words[:first], tags=list("DANVN")) for first in (0, 1, 2, 3, 4, 0)]
    DocBin(docs=docs).to_disk(tmp_path / "train.spacy")
    overrides = {
        "paths.train": str(tmp_path / "train.spacy"),
        "training.max_epochs": 1,
        "training.train_corpus": "corpora.original",
        "components.sequence_tagger.model.table_bits": 12,
    }
    outputs = [tmp_path / "here.spacy", tmp_path / "ray.spacy"]
    for output, call in zip(outputs, (starmap, partial(call_on_ray, ray, 2)), strict=True):
        jackknife_corpus(CONFIGS / "sequence_tagger.cfg", output, 3, overrides, call)
    assert outputs[0].read_bytes() == outputs[1].read_bytes()


def test_a_teacher_annotates_as_in_one_process(ray, tmp_path):
    turns = [f"Nora met {name} in London.\nThey left early.\n" for name in ("Ada", "Tom", "Eve", "Ben", "Zoe")]
    (tmp_path / "turns.txt").write_text("\n".join(turns), encoding="utf8")
    for name, options in (("here", []), ("ray", ["--ray", "local", "--workers", "2"])):
        command = ["distill", f"{tmp_path}/turns.txt", "--lines", "--words", "2", "--shard-words", "9"]
        CliRunner().invoke(app, [*command, *options, "--output", f"{tmp_path}/{name}"], catch_exceptions=False)
    here, elsewhere = (
        {path.name: path.read_bytes() for path in (tmp_path / name).rglob("*.spacy")} for name in ("here", "ray")
    )
    assert len(here) > 3 and here == elsewhere
    assert (tmp_path / "here/manifest.json").read_bytes() == (tmp_path / "ray/manifest.json").read_bytes()


@pytest.fixture(params=["processes", "ray"])
def call(request):
    return call_in_processes if request.param == "processes" else partial(call_on_ray, request.getfixturevalue("ray"))


def test_calls_are_made_when_a_worker_is_free(call):
    taken = []

    def take():
        for number in range(6):
            taken.append(number)
            yield (number,)

    results = call(2, abs, take())
    assert next(results) == 0
    assert taken == [0, 1, 2]
    assert list(results) == [1, 2, 3, 4, 5]


def test_calls_are_in_order_and_repeated_if_their_process_dies(ray, tmp_path):
    def double(number):
        if number == 1 and not (tmp_path / "died").exists():
            (tmp_path / "died").touch()
            os._exit(1)
        return 2 * number

    assert list(call_on_ray(ray, 2, double, [(number,) for number in range(5)])) == [0, 2, 4, 6, 8]


def test_errors_of_calls_are_those_of_one_process(call):
    with pytest.raises(JointValueError, match=r"^\[J030\] words is 0"):
        list(call(1, check_range, [("words", 0, 1)]))


@pytest.fixture
def replace_ray(monkeypatch):
    """Replace Ray by a package that starts with a function."""

    def replace_ray(start):
        monkeypatch.setitem(sys.modules, "ray", SimpleNamespace(is_initialized=lambda: False, init=start))
        monkeypatch.setattr(cluster, "require_packages", lambda *_: None)

    return replace_ray


def test_a_ray_that_does_not_start_is_reported(replace_ray):
    replace_ray(Mock(side_effect=RuntimeError("no port is free")))
    with pytest.raises(JointOSError, match=r"^\[J740\] .*no port is free"), connect():
        pass


def test_an_address_that_does_not_answer_is_refused_at_once(monkeypatch):
    monkeypatch.setattr(cluster, "require_packages", lambda *_: None)
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    for scheme in ("", "ray://"):
        address = f"{scheme}127.0.0.1:{port}"
        with pytest.raises(JointOSError, match=rf"^\[J740\] .*{address}: Connection refused"), connect(address):
            pass


def test_what_ray_prints_is_in_a_file_that_errors_name(replace_ray, capfd):
    def fail(*_, **__):
        os.write(2, b"noise")
        raise RuntimeError("no port is free")

    replace_ray(fail)
    with pytest.raises(JointOSError, match="J740"), connect():
        pass
    printed = capfd.readouterr().err
    path = Path(printed.removeprefix("The log of Ray: ").strip())
    assert path.read_text(encoding="utf8") == "noise"
    path.unlink()


def test_a_process_that_dies_again_and_again_is_given_up(call, monkeypatch):
    monkeypatch.setattr(cluster, "RETRIES", 1)
    with pytest.raises(JointOSError, match=r"^\[J730\] Worker processes died \d times"):
        list(call(1, os._exit, [(1,)]))
