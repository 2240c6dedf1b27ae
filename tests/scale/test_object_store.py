"""A corpus in an object store: what comes out is what comes out of files, whatever dies."""

import json
import logging
import sys
import time

import pytest

from .corpora import kill, save_splitter, start, write_records

fsspec = pytest.importorskip("fsspec")
pytest.importorskip("s3fs")
servers = pytest.importorskip("moto.server")
N_SHARDS = 40
OPTIONS = ("--workers", 2, "--format", "json", "--shard-bytes", 1000)


@pytest.fixture
def store(monkeypatch):
    # It tells of each request.
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = servers.ThreadedMotoServer(port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    # Processes that annotate have them, too.
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    files = fsspec.filesystem("s3", skip_instance_cache=True, use_listings_cache=False)
    files.mkdir("corpus")
    yield files
    server.stop()


def read_rows(read):
    """What a run has written, in the order of the corpus, without the addresses of files."""
    shards = [json.loads(line) for line in read("manifest.jsonl").splitlines()]
    rows = [json.loads(line) for shard in shards for line in read(shard["shard"]).splitlines()]
    return [{**row, "source": row["source"].rpartition("/")[2]} for row in rows]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_run_that_is_killed_continues(store, tmp_path):
    splitter = save_splitter(tmp_path / "splitter")
    (tmp_path / "texts").mkdir()
    write_records(tmp_path / "texts/a.jsonl", 18 * N_SHARDS // 2)
    write_records(tmp_path / "texts/b.jsonl", 18 * N_SHARDS // 2, first=1000)
    for name in ("a", "b"):
        store.put(str(tmp_path / f"texts/{name}.jsonl"), f"corpus/texts/{name}.jsonl")
    assert start(tmp_path / "texts", *OPTIONS, "--model", splitter, "--output", tmp_path / "output").wait() == 0

    arguments = ("s3://corpus/texts", *OPTIONS, "--model", splitter, "--output", "s3://corpus/output")
    run = start(*arguments)
    while len(store.glob("corpus/output/done/*.json")) < 5:
        assert run.poll() is None
        time.sleep(0.01)
    kill(run.pid)
    run.wait()
    assert not store.exists("corpus/output/manifest.jsonl")
    assert start(*arguments).wait() == 0

    stored = read_rows(lambda name: store.cat_file(f"corpus/output/{name}"))
    assert len(stored) == 18 * N_SHARDS
    assert stored == read_rows(lambda name: (tmp_path / "output" / name).read_bytes())
    names = {name.removeprefix("corpus/output/") for name in store.find("corpus/output")}
    # A process that is killed may leave what it was writing beside its place.
    kept = [name for name in names if "/." not in name]
    assert {sum(name.startswith(folder) for name in kept) for folder in ("shards/", "done/")} == {N_SHARDS}
