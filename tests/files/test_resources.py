"""Files that commands make for configs."""

import pytest
import srsly

from spacy_joint.files.resources import read_labels, read_tokenizer_exceptions, read_word_classes


def test_without_a_path_there_is_nothing():
    assert (read_labels(None), read_word_classes(None), read_tokenizer_exceptions(None)) == (None, None, {})


def test_labels_are_read(tmp_path):
    srsly.write_json(tmp_path / "labels.json", ["ROOT", "nsubj"])
    assert read_labels(tmp_path / "labels.json") == ["ROOT", "nsubj"]


@pytest.mark.parametrize(
    ("read", "code"), [(read_labels, "J402"), (read_word_classes, "J520"), (read_tokenizer_exceptions, "J520")]
)
def test_a_missing_file_is_reported(read, code, tmp_path):
    with pytest.raises(FileNotFoundError, match=code):
        read(tmp_path / "nothing")
