"""`annotate-corpus`: records that fail, or kill their process, are set aside; the others are annotated."""

import json
import os
import signal
import subprocess
import sys
from functools import partial

import pytest

from .corpora import (
    list_children,
    read_lines,
    read_tree,
    save_trap,
    start,
    wait_until_done,
    wait_until_ended,
    write_records,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="finds processes in /proc, and has names of any bytes")
TEXTS = ["One.", "This will kill it.", "Two.", "Too little memory.", "No answer comes.", "Three."]
REASONS = {2: "[J730] Worker processes died 2 times: {SIGKILL(-9)}", 4: "MemoryError", 5: "TimeoutError: no answer"}


@pytest.fixture(scope="module")
def trap(tmp_path_factory):
    return save_trap(tmp_path_factory.mktemp("trap"))


@pytest.mark.parametrize("ray", [(), ("--ray", "local")], ids=["processes", "ray"])
def test_records_that_kill_their_process_or_fail_for_lack_of_memory_or_network_are_set_aside(trap, tmp_path, ray):
    if ray:
        pytest.importorskip("ray")
    texts = tmp_path / "texts"
    texts.mkdir()
    (texts / "a.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in TEXTS), encoding="utf8")
    with open(os.fsencode(texts) + b"/b\xff.txt", "w", encoding="utf8") as file:
        file.write("Four.")
    environment = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    environment["PYTHONPATH"] = os.pathsep.join([str(trap.parent), os.environ.get("PYTHONPATH", os.getcwd())])
    options = ("--model", trap, "--format", "json", "--shard-bytes", 100, "--workers", 1, *ray)
    run = start(texts, *options, "--output", tmp_path / "output", env=environment, stderr=subprocess.PIPE)
    printed = run.communicate()[1].decode("utf8").splitlines()
    failures = read_lines(tmp_path / "output/errors.jsonl")
    assert {failure["record"]: failure["reason"][: len(REASONS[failure["record"]])] for failure in failures} == REASONS
    rows = [row for path in (tmp_path / "output/shards").iterdir() for row in read_lines(path)]
    assert sorted(row["text"] for row in rows) == ["Four.", "One.", "Three.", "Two."]
    assert f"{texts}/b\\xff.txt" in {row["source"] for row in rows}
    assert run.returncode == 1 and len(printed) == 1
    assert printed[0].startswith(f"[JW44] 3 of 7 records failed, first record 2 of {texts}/a.jsonl ([J730]")


def test_after_ctrl_c_a_run_says_how_to_continue_and_then_where_it_does(annotate, splitter, tmp_path):
    # More shards than can be done between the first ones and the interrupt, on a busy machine too.
    corpus, output = write_records(tmp_path / "a.jsonl", 18 * 300), tmp_path / "output"
    arguments = (corpus, "--format", "jsonl", "--shard-bytes", 1000, "--model", splitter, "--output", output)
    # Commands in the background of a shell ignore interrupts, and so would what they start.
    heed = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    run = start(*arguments, "--workers", 2, stderr=subprocess.PIPE, start_new_session=True, preexec_fn=heed)
    wait_until_done(run, output, 10)
    workers = list_children(run.pid, "popen_loky")
    # As a terminal does, to all processes of the command.
    os.killpg(run.pid, 2)
    # Afterwards, loky's tracker of resources may warn that a directory is already gone.
    printed = run.communicate(timeout=60)[1].decode("utf8").splitlines()[0]
    assert run.returncode == 130
    assert printed.startswith("Stopped: ") and printed.endswith(" shards are done. The same command continues.")
    assert len(workers) == 2
    # They look every second whether the command still lives.
    wait_until_ended(workers)
    run = start(*arguments, "--workers", 1, stderr=subprocess.PIPE)
    assert run.communicate()[1].startswith(b"Resumed at 0.") and run.returncode == 0
    annotate(tmp_path / "whole", corpus, format="jsonl")
    assert read_tree(output) == read_tree(tmp_path / "whole")


def test_by_default_there_is_a_worker_per_core_that_may_be_used(monkeypatch):
    from spacy_joint.scale.annotating.local_runner import LocalCorpusRunner

    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0})
    assert LocalCorpusRunner().workers == 1
