"""Files and directories are replaced whole, by any number of writers, or not at all."""

import os
import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest

from spacy_joint.files.atomic import atomic_write, atomic_write_directory, open_atomic, write_bytes

N_WRITERS = 4
CONTENTS = [str(number).encode() * 100_000 for number in range(N_WRITERS)]


def write_directory(path, number):
    with atomic_write_directory(path, pattern="a") as temporary:
        temporary.mkdir()
        for name in "ab":
            (temporary / name).write_bytes(CONTENTS[number])


def write_at_once(write, path):
    """Write in several threads at once, each of which always writes its own content."""
    with ThreadPoolExecutor(N_WRITERS) as threads:
        list(threads.map(lambda i: write(path, i % N_WRITERS), range(25 * N_WRITERS)))


def test_writing_leaves_no_temporary_files(tmp_path):
    write_bytes(tmp_path / "new" / "model", b"new")
    write_directory(tmp_path / "directory", 0)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a", "b", "directory", "model", "new"]


def test_writing_replaces_an_existing_file(tmp_path):
    (tmp_path / "model").write_bytes(b"old and longer" * 1000)
    write_bytes(tmp_path / "model", b"new")
    assert (tmp_path / "model").read_bytes() == b"new"


def test_an_existing_file_stays_intact_when_writing_fails(tmp_path, monkeypatch):
    def fail(_):
        raise OSError("no space left on device")

    path = tmp_path / "model"
    write_bytes(path, b"old")
    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match=r"J440.*no space"):
        write_bytes(path, b"new")
    assert path.read_bytes() == b"old" and os.listdir(tmp_path) == ["model"]


def test_nothing_is_left_if_removing_the_old_directory_is_interrupted(tmp_path, monkeypatch):
    def interrupt(_):
        monkeypatch.undo()
        raise KeyboardInterrupt

    write_directory(tmp_path / "directory", 0)
    monkeypatch.setattr(shutil, "rmtree", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_directory(tmp_path / "directory", 1)
    assert os.listdir(tmp_path) == ["directory"]
    assert (tmp_path / "directory" / "a").read_bytes() == CONTENTS[1]


def test_what_cannot_be_written_has_a_code(tmp_path):
    file = tmp_path / "file"
    file.touch()
    for write, path, code in (
        (open_atomic, file / "x", "J440"),
        (open_atomic, tmp_path, "J440"),
        (atomic_write_directory, file, "J713"),
    ):
        with pytest.raises((OSError, ValueError), match=rf"\[{code}\]"), write(path):
            pass
    assert os.listdir(tmp_path) == ["file"]


def test_of_files_written_at_once_the_last_one_stays_whole(tmp_path):
    write_at_once(lambda path, i: write_bytes(path, CONTENTS[i]), tmp_path / "model")
    assert (tmp_path / "model").read_bytes() in CONTENTS and os.listdir(tmp_path) == ["model"]


def test_what_a_killed_writer_has_left_does_not_mix_with_the_next_output(tmp_path):
    path = tmp_path / "model"
    with atomic_write(path) as first:
        first.write_bytes(b"first")
        with atomic_write(path) as second:
            second.write_bytes(b"second")
        assert path.read_bytes() == b"second"
    assert path.read_bytes() == b"first"


def test_of_directories_written_at_once_the_last_one_stays_whole(tmp_path):
    write_at_once(write_directory, tmp_path / "directory")
    contents = [(tmp_path / "directory" / name).read_bytes() for name in "ab"]
    assert contents[0] == contents[1] in CONTENTS and os.listdir(tmp_path) == ["directory"]
