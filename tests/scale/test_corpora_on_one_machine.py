"""`annotate-corpus`: runs that are stopped anywhere end with the output of runs that are not."""

import sys

import pytest

from .corpora import (
    N_SHARDS,
    count_done,
    kill,
    list_children,
    read_lines,
    read_tree,
    start,
    wait_until_done,
    wait_until_ended,
)

OPTIONS = ("--format", "jsonl", "--shard-bytes", 1000)


@pytest.fixture(scope="module")
def undisturbed(annotate, corpus, tmp_path_factory):
    output = tmp_path_factory.mktemp("output") / "undisturbed"
    annotate(output, corpus, format="jsonl")
    return output


def test_each_record_is_in_one_shard(undisturbed, corpus):
    shards = read_lines(undisturbed / "manifest.jsonl")
    assert len(shards) == N_SHARDS
    rows = [row for shard in shards for row in read_lines(undisturbed / shard["shard"])]
    assert {len(list(undisturbed.glob(f"{folder}/*"))) for folder in ("shards", "done")} == {N_SHARDS}
    # The second file has the same records as the first one.
    places = [(row["source"], row["record"]) for row in rows if row["text"].startswith("Record")]
    assert places == [(str(corpus / name), n + 1) for name in ("a.jsonl", "b.jsonl") for n in range(9 * N_SHARDS)]


@pytest.mark.skipif(sys.platform != "linux", reason="finds processes in /proc")
def test_a_run_survives_its_workers_and_continues_where_it_was_killed(corpus, splitter, undisturbed, tmp_path):
    arguments = (corpus, *OPTIONS, "--model", splitter, "--output", tmp_path / "output", "--workers", 2)
    run = start(*arguments)
    wait_until_done(run, tmp_path / "output", 20)
    kill(list_children(run.pid, "popen_loky")[0])
    wait_until_done(run, tmp_path / "output", 90)
    workers = list_children(run.pid, "popen_loky")
    kill(run.pid)
    run.wait()
    assert workers
    wait_until_ended(workers)
    assert 90 <= count_done(tmp_path / "output") < N_SHARDS
    assert not (tmp_path / "output/manifest.jsonl").exists()
    assert start(*arguments).wait() == 0
    assert read_tree(tmp_path / "output") == read_tree(undisturbed)
