"""Which directories a run writes to, which files it reads and removes, and what is there if it stops anywhere."""

import errno
import os
import shutil
import sys
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

import fsspec
import pytest

from spacy_joint.errors import JointError, JointWarning
from spacy_joint.scale.annotating import corpus, locks
from spacy_joint.scale.annotating.annotator import Annotator
from spacy_joint.scale.annotating.corpus import list_corpus
from spacy_joint.scale.annotating.records import Reading
from spacy_joint.scale.annotating.storage import Directory, StoredFile, find_files

from .corpora import Here, kill, read_lines, read_rows, read_tree, start, wait_until_done, write_records

needs_links = pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")


def write_text(path, text="One."):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf8")
    return path


def list_sources(*inputs, output="memory://output"):
    return [file.address for file in list_corpus(list(map(str, inputs)), Directory(str(output)), Reading())]


# Whose directory it is


@pytest.mark.parametrize("name", ["shards/mine.parquet", "done/thesis.json", "notes.txt"])
def test_a_directory_with_other_files_is_refused(annotate, name, tmp_path):
    path = write_records(tmp_path / "a.jsonl", 10)
    write_text(tmp_path / "output" / name)
    with pytest.raises(JointError, match=rf"J713.*other files, such as {name.partition('/')[0]}"):
        annotate(tmp_path / "output", path)
    assert (tmp_path / "output" / name).read_text() == "One."


def test_files_that_no_run_has_written_are_never_removed(annotate, tmp_path):
    path = write_records(tmp_path / "a.jsonl", 100)
    annotate(tmp_path / "output", path)
    folders = ("", "shards", "done", ".part")
    names = ("mine", "mine.json")
    mine = [write_text(tmp_path / "output" / folder / name) for folder in folders for name in names]
    write_records(path, 150)
    annotate(tmp_path / "output", path)
    assert [each.read_text() for each in mine] == ["One."] * 8


def test_settings_that_are_damaged_are_named(annotate, tmp_path):
    path = write_records(tmp_path / "a.jsonl", 10)
    annotate(tmp_path / "output", path)
    write_text(tmp_path / "output/settings.json", '{"pipeline": {"na')
    with pytest.raises(JointError, match=r"J713.*its settings\.json is damaged"):
        annotate(tmp_path / "output", path)


def test_another_run_is_refused_until_the_first_one_ends(annotate, tmp_path, monkeypatch):
    path = write_records(tmp_path / "a.jsonl", 30)
    run = Here.run

    def run_another(self, *arguments):
        monkeypatch.setattr(Here, "run", run)
        with pytest.raises(JointError, match=r"J713.*another run is writing there"):
            annotate(tmp_path / "output", path)
        yield from run(self, *arguments)

    monkeypatch.setattr(Here, "run", run_another)
    assert annotate(tmp_path / "output", path)["records"] == 30
    assert annotate(tmp_path / "output", path)["records"] == 30


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_run_that_is_killed_keeps_nobody_out(annotate, splitter, tmp_path):
    path = write_records(tmp_path / "a.jsonl", 18 * 60)
    options = ("--format", "json", "--shard-bytes", 1000, "--workers", 1)
    run = start(path, *options, "--model", splitter, "--output", tmp_path / "output")
    wait_until_done(run, tmp_path / "output", 5)
    with pytest.raises(JointError, match=r"J713.*another run"):
        annotate(tmp_path / "output", path)
    kill(run.pid)
    run.wait()
    assert annotate(tmp_path / "output", path)["records"] == 18 * 60


@pytest.fixture
def storage(monkeypatch):
    """A directory of a storage without locks."""
    monkeypatch.setattr(locks, "LEASE", 1)
    directory = Directory(f"memory://{uuid4().hex}")
    yield directory
    fsspec.filesystem("memory").store.clear()


def test_a_storage_without_locks_is_locked_for_as_long_as_its_owner_lives(storage):
    with locks.lock(storage) as check:
        with pytest.raises(JointError, match=r"J713.*another run"), locks.lock(storage):
            pass
        check()
    assert storage.read(".lock") is None
    # It has been killed.
    storage.replace(".lock", [b"another run"])
    with locks.lock(storage) as check:
        check()


def test_a_run_that_has_lost_its_lock_does_not_complete(annotate, storage, tmp_path, monkeypatch):
    path = write_records(tmp_path / "a.jsonl", 10)
    monkeypatch.setattr(corpus, "list_done", lambda output: output.replace(".lock", [b"another run"]) or set())
    with pytest.raises(JointError, match=r"J713.*another run"):
        annotate(storage.address, path)
    assert storage.read(".lock") == b"another run" and storage.read("manifest.jsonl") is None


def test_the_same_command_in_another_directory_is_another_run(annotate, tmp_path, monkeypatch):
    for name in ("A", "B"):
        write_text(tmp_path / name / "texts/x.txt", f"From {name}.")
    monkeypatch.chdir(tmp_path / "A")
    annotate("../output", "texts")
    monkeypatch.chdir(tmp_path / "B")
    with pytest.raises(JointError, match=r"J713.*inputs: .*/A/texts"):
        annotate("../output", "texts")
    assert [row["text"] for row in read_rows(tmp_path / "output")] == ["From A."]


# Which files are read


@needs_links
def test_links_are_followed_and_each_file_is_read_once(tmp_path, monkeypatch):
    text = write_text(tmp_path / "store/a.txt")
    texts = tmp_path / "texts"
    texts.mkdir()
    for name, target in (("file.txt", "store/a.txt"), ("none.txt", "store/none.txt"), ("folder", "store")):
        (texts / name).symlink_to(tmp_path / target)
    (tmp_path / "store/back").symlink_to(texts)
    found = [StoredFile(f"{texts}/{name}", 4) for name in ("file.txt", "folder/a.txt", "folder/back/file.txt")]
    assert find_files(str(texts)) == (found[:2], True)
    assert find_files(f"{texts}/*/*.txt") == (found[1:2], True)
    monkeypatch.chdir(tmp_path)
    assert list_sources("texts", "store", text, "./store//a.txt", f"file://{text}") == [f"{texts}/file.txt"]


def test_a_directory_that_cannot_be_read_is_named(tmp_path, monkeypatch):
    write_text(tmp_path / "texts/secret/a.txt")
    write_text(tmp_path / "texts/b.txt")
    scan = os.scandir

    def refuse(path):
        if str(path).endswith("secret"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(JointError, match=r"J441\] \S+secret cannot be read.*denied"):
        find_files(str(tmp_path / "texts"))


def test_the_output_of_other_runs_is_no_input(annotate, tmp_path):
    (tmp_path / "texts").mkdir()
    path = write_records(tmp_path / "texts/a.jsonl", 10)
    annotate(tmp_path / "texts/earlier", path)
    note = write_text(tmp_path / "texts/earlier/note.txt")
    own = write_text(tmp_path / "texts/mine/settings.json", '{"text": "One."}')
    for inputs, expected in ((tmp_path / "texts", [path, note, own]), (f"{tmp_path}/texts/**/*.json*", [path, own])):
        with pytest.warns(JointWarning, match=r"\[JW43\] \d files of .*output of another run"):
            assert list_sources(inputs) == list(map(str, expected))
    assert list_sources(tmp_path / "texts/earlier/manifest.jsonl") == [f"{tmp_path}/texts/earlier/manifest.jsonl"]


def test_records_with_the_same_id_are_all_kept(annotate, tmp_path):
    for name in ("a", "b"):
        write_text(tmp_path / f"{name}.jsonl", '{"text": "One.", "id": 1}\n' * 2)
    annotate(tmp_path / "output", tmp_path / "a.jsonl", tmp_path / "b.jsonl", shard_bytes=1)
    places = [(Path(row["source"]).stem, row["record"]) for row in read_rows(tmp_path / "output")]
    assert places == [("a", 1), ("a", 2), ("b", 1), ("b", 2)]


# What is there


def test_the_manifest_lists_the_shards_of_the_last_run_that_is_complete(annotate, tmp_path):
    path = write_records(tmp_path / "a.jsonl", 40)
    output = tmp_path / "output"
    annotate(output, path, limit=2)
    assert not (output / "manifest.jsonl").exists() and len(list(output.glob("shards/*"))) == 2
    annotate(output, path)
    before = read_tree(output / "shards")
    write_records(path, 40, first=100)
    annotate(output, path, limit=2)
    assert len(read_tree(output / "shards").items() - before.items()) == 2
    assert read_tree(output / "shards").items() > before.items()
    assert [row["text"][:13] for row in read_rows(output)] == [f"Record {n:06}" for n in range(40)]
    annotate(output, path)
    assert sorted(f"shards/{name}" for name in read_tree(output / "shards")) == sorted(
        shard["shard"] for shard in read_lines(output / "manifest.jsonl")
    )
    assert [row["text"][:13] for row in read_rows(output)] == [f"Record {n:06}" for n in range(100, 140)]


def test_the_manifest_has_the_lengths_and_digests_of_shards(annotate, tmp_path):
    annotate(tmp_path / "output", write_records(tmp_path / "a.jsonl", 40))
    for shard in read_lines(tmp_path / "output/manifest.jsonl"):
        content = (tmp_path / "output" / shard["shard"]).read_bytes()
        assert (shard["bytes"], shard["sha256"]) == (len(content), sha256(content).hexdigest())


@pytest.mark.parametrize("n_left", [None, 0, 50])
@pytest.mark.parametrize("folder", ["shards", "done"])
def test_what_is_damaged_is_made_again(annotate, folder, n_left, tmp_path):
    path = write_records(tmp_path / "a.jsonl", 40)
    annotate(tmp_path / "output", path)
    before = read_tree(tmp_path / "output")
    damaged = sorted((tmp_path / "output" / folder).iterdir())[1]
    if n_left is None:
        damaged.unlink()
    else:
        damaged.write_bytes(damaged.read_bytes()[:n_left])
    annotate(tmp_path / "output", path)
    assert read_tree(tmp_path / "output") == before


def test_records_with_transient_failures_are_tried_again(annotate, tmp_path, monkeypatch):
    path = write_records(tmp_path / "a.jsonl", 40)
    annotate(tmp_path / "whole", path)
    make_doc = Annotator._make_doc

    def fail(self, record):
        if record.number == 1:
            raise OSError("no answer")
        if record.number == 40:
            raise ValueError("no text")
        return make_doc(self, record)

    with monkeypatch.context() as patch:
        patch.setattr(Annotator, "_make_doc", fail)
        totals = annotate(tmp_path / "output", path)
    assert (totals["documents"], totals["failures"], totals["transient"]) == (38, 2, 1)
    totals = annotate(tmp_path / "output", path)
    assert (totals["documents"], totals["failures"], totals["transient"]) == (39, 1, 0)
    whole, found = (read_lines(tmp_path / name / "manifest.jsonl") for name in ("whole", "output"))
    assert len(found) > 2 and found[:-1] == whole[:-1]


def test_a_record_that_is_gone_at_the_end_is_named(annotate, tmp_path, monkeypatch):
    path = write_records(tmp_path / "a.jsonl", 10)
    run = Here.run

    def lose(self, *arguments):
        yield from run(self, *arguments)
        shutil.rmtree(tmp_path / "output/done")

    with monkeypatch.context() as patch, pytest.raises(JointError, match=r"J441\] \S+/done/\w+\.json.*or missing"):
        patch.setattr(Here, "run", lose)
        annotate(tmp_path / "output", path)
    assert annotate(tmp_path / "output", path)["records"] == 10


def test_directories_with_signs_of_patterns_can_be_written_to(annotate, tmp_path):
    path = write_records(tmp_path / "a.jsonl", 40)
    for _ in range(2):
        assert annotate(tmp_path / "output [1]*", path)["records"] == len(read_rows(tmp_path / "output [1]*")) == 40


# Where a run may stop


def test_each_file_is_stored_before_it_has_its_name(tmp_path, monkeypatch):
    stored, fsync, replace = set(), os.fsync, os.replace

    def note(descriptor):
        stored.add(os.fstat(descriptor).st_ino)
        fsync(descriptor)

    def check(source, target):
        assert os.stat(source).st_ino in stored
        replace(source, target)

    monkeypatch.setattr(os, "fsync", note)
    monkeypatch.setattr(os, "replace", check)
    Directory(str(tmp_path)).replace("shards/a", [b"1", b"2"])
    assert read_tree(tmp_path) == {"shards/a": b"12"}
    assert os.name != "posix" or (tmp_path / "shards").stat().st_ino in stored


@pytest.mark.skipif(sys.platform != "linux", reason="fills a disk by means of Linux")
def test_on_a_full_disk_the_run_ends_and_continues_when_there_is_room(annotate, full_disk, tmp_path):
    path = write_records(tmp_path / "a.jsonl", 40)
    annotate(tmp_path / "whole", path)
    annotate(tmp_path / "output", path, limit=1)
    before = read_tree(tmp_path / "output")
    reason = r"J440\] \S+output/shards/\w+\.json was not written: File too large"
    with full_disk(600), pytest.raises(JointError, match=reason):
        annotate(tmp_path / "output", path)
    assert read_tree(tmp_path / "output") == before
    annotate(tmp_path / "output", path)
    assert read_tree(tmp_path / "output") == read_tree(tmp_path / "whole")


class Killed(BaseException):
    """Stands for the death of the process."""


@contextmanager
def kill_at(step):
    """Kill the process after `step` renamed or removed files; yield a list that is empty until then."""
    left = iter(range(step))
    stopped = []

    def limit(function):
        def call(*arguments, **options):
            if next(left, None) is None:
                stopped.append(function)
                raise Killed
            return function(*arguments, **options)

        return call

    with pytest.MonkeyPatch.context() as patch:
        for name in ("replace", "remove"):
            patch.setattr(os, name, limit(getattr(os, name)))
        with suppress(Killed):
            yield stopped


def test_a_run_that_is_killed_anywhere_continues(annotate, tmp_path):
    path = write_records(tmp_path / "a.jsonl", 30)
    output, earlier = tmp_path / "output", tmp_path / "earlier"
    annotate(earlier, path)
    # Some shards stay, and others take the place of earlier ones.
    write_records(path, 50)
    annotate(output, path)
    whole = read_tree(output)
    step, stopped = 0, [True]
    while stopped:
        shutil.rmtree(output)
        shutil.copytree(earlier, output)
        with kill_at(step) as stopped:
            annotate(output, path)
        rows = read_rows(output)
        assert len(rows) in (30, 50) and rows == read_rows(earlier)[:30] + rows[30:]
        assert stopped or read_tree(output) == whole
        annotate(output, path)
        assert read_tree(output) == whole
        step += 1
    assert step > 8
