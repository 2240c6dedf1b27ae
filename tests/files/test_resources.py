"""Files that commands make for configs."""

import pytest
import srsly
from confection import ConfigValidationError

from spacy_joint.files.resources import read_labels, read_tokenizer_exceptions, read_word_classes


def test_without_a_path_there_is_nothing():
    assert (read_labels(None), read_word_classes(None), read_tokenizer_exceptions(None)) == (None, None, {})


@pytest.mark.parametrize(
    ("read", "write", "content"),
    [
        (read_labels, srsly.write_json, ["ROOT", "nsubj"]),
        (read_word_classes, srsly.write_msgpack, {"cat": [1, 2]}),
        (read_tokenizer_exceptions, srsly.write_json, {"cannot": ["can", "not"]}),
    ],
)
def test_what_commands_write_is_read(read, write, content, tmp_path):
    write(tmp_path / "file", content)
    assert read(tmp_path / "file") == content


def test_errors_of_configs_do_not_show_entries(tmp_path):
    srsly.write_msgpack(tmp_path / "file", {"cat": [1, 2]})
    config = {"labels": None, "word_classes": read_word_classes(tmp_path / "file")}
    assert "cat" not in str(ConfigValidationError(config=config))


@pytest.mark.parametrize(
    ("read", "code"), [(read_labels, "J402"), (read_word_classes, "J520"), (read_tokenizer_exceptions, "J520")]
)
def test_a_missing_file_is_reported(read, code, tmp_path):
    with pytest.raises(FileNotFoundError, match=code):
        read(tmp_path / "nothing")


@pytest.mark.parametrize(
    ("read", "content", "code"),
    [
        *((read_word_classes, content, "J441") for content in (b"", b"the\n", b"\x93\x01\x02\x03", b"\x81")),
        *((read_tokenizer_exceptions, content, "J464") for content in (b"3", b"[]")),
    ],
)
def test_other_files_are_refused(read, content, code, tmp_path):
    (tmp_path / "other").write_bytes(content)
    with pytest.raises((OSError, ValueError), match=code):
        read(tmp_path / "other")
