"""Tables of word classes: looking words up, and saving the tables, which components of a pipeline share."""

import pickle
import shutil

import numpy as np
import pytest
import spacy

from spacy_joint.engine import model_file
from spacy_joint.pipes.word_classes import WordClasses

CLASSES = {"hey": [1, 5], "are": [0, 2]}
OTHER = {"hey": [3, 1]}
WORDS = ["hey", "are", "new"]


def look_up(classes, words=WORDS):
    hashes = np.array([spacy.strings.get_string_id(word) for word in words], dtype=np.uint64)
    return classes.look_up(hashes)[:, :2].tolist()


def list_tables(path):
    return sorted(file.relative_to(path).as_posix() for file in path.rglob("word_classes*"))


@pytest.fixture
def make(small_model, read_examples):
    """Makes a pipeline of taggers with these word classes."""

    def make(*tables):
        nlp = spacy.blank("en")
        for number, table in enumerate(tables):
            tagger = nlp.add_pipe("sequence_tagger", name=f"tagger{number}", config={"model": small_model})
            tagger.initialize(lambda: read_examples(nlp), word_classes=table)
        return nlp

    return make


@pytest.mark.parametrize("classes", [{}, CLASSES])
def test_a_table_is_the_same_in_bytes(classes):
    original = WordClasses.from_dict(classes)
    again = WordClasses.from_bytes(original.to_bytes())
    assert look_up(again) == look_up(original)
    assert again.digest == original.digest and (again.digest is None) == (not classes)


def test_arrays_for_another_purpose_are_refused():
    for arrays in ({}, {"words": np.zeros(2, np.uint64), "classes": np.zeros(3, np.uint16)}):
        with pytest.raises(ValueError, match=r"\[J050\]"):
            WordClasses.from_bytes(model_file.pack({}, arrays))


def test_components_of_a_saved_pipeline_share_a_table(make, tmp_path):
    nlp = make(CLASSES, CLASSES, None)
    nlp.to_disk(tmp_path)
    assert list_tables(tmp_path) == [f"word_classes-{WordClasses.from_dict(CLASSES).digest}"]
    for again in (
        spacy.load(tmp_path),
        pickle.loads(pickle.dumps(nlp)),
        spacy.load(tmp_path).from_bytes(nlp.to_bytes()),
    ):
        tables = [pipe.word_classes for _, pipe in again.pipeline]
        assert list(map(look_up, tables)) == [[[2, 6], [1, 3], [0, 0]]] * 2 + [[[0, 0]] * 3]
    without = spacy.load(tmp_path, exclude=["tagger0"])
    without.to_disk(tmp_path / "without")
    assert look_up(spacy.load(tmp_path / "without").get_pipe("tagger1").word_classes) == [[2, 6], [1, 3], [0, 0]]


def test_a_sourced_component_takes_its_table_along(make, tmp_path):
    make(OTHER).to_disk(tmp_path / "source")
    nlp = make(CLASSES)
    nlp.add_pipe("tagger0", name="sourced", source=spacy.load(tmp_path / "source"))
    nlp.to_disk(tmp_path / "both")
    assert len(list_tables(tmp_path / "both")) == 2
    for again in (spacy.load(tmp_path / "both"), pickle.loads(pickle.dumps(nlp))):
        assert look_up(again.get_pipe("sourced").word_classes) == [[4, 2], [0, 0], [0, 0]]
        assert look_up(again.get_pipe("tagger0").word_classes) == [[2, 6], [1, 3], [0, 0]]


@pytest.mark.parametrize("exclude", [[], ["vocab"]])
def test_a_component_that_is_saved_by_itself_has_its_table(make, tmp_path, exclude):
    tagger = make(CLASSES).get_pipe("tagger0")
    tagger.to_disk(tmp_path / "tagger", exclude=exclude)
    assert list_tables(tmp_path) == ["tagger/word_classes"]
    moved = shutil.move(tmp_path / "tagger", tmp_path / "moved")
    for load in (
        lambda fresh: fresh.from_disk(moved, exclude=exclude),
        lambda fresh: fresh.from_bytes(tagger.to_bytes(exclude=exclude), exclude=exclude),
    ):
        fresh = load(make(OTHER).get_pipe("tagger0"))
        assert look_up(fresh.word_classes) == look_up(tagger.word_classes)


def test_no_table_of_an_earlier_model_stays_with_a_component(make, tmp_path):
    make(CLASSES).get_pipe("tagger0").to_disk(tmp_path / "tagger0")
    make(None).get_pipe("tagger0").to_disk(tmp_path / "tagger0")
    assert not list_tables(tmp_path)
    make(CLASSES).get_pipe("tagger0").to_disk(tmp_path / "tagger0")
    for table in (CLASSES, OTHER):
        make(table).to_disk(tmp_path)
        assert list_tables(tmp_path) == [f"word_classes-{WordClasses.from_dict(table).digest}"]
    make(None).to_disk(tmp_path)
    assert not list_tables(tmp_path)


def test_a_table_stays_as_long_as_a_component_has_it(make, tmp_path):
    make(CLASSES, OTHER).to_disk(tmp_path)
    make(OTHER).to_disk(tmp_path)
    assert spacy.load(tmp_path).pipe_names == ["tagger0"]
    make(CLASSES, OTHER).get_pipe("tagger1").to_disk(tmp_path / "tagger1")
    assert list_tables(tmp_path) == [f"word_classes-{WordClasses.from_dict(OTHER).digest}"]


@pytest.mark.parametrize("damage", ["empty", "truncated", "other", "missing"])
def test_a_damaged_or_missing_table_is_named(make, tmp_path, damage):
    make(CLASSES).to_disk(tmp_path)
    (name,) = list_tables(tmp_path)
    content = (tmp_path / name).read_bytes()
    if damage == "missing":
        (tmp_path / name).unlink()
    else:
        wrong = {"empty": b"", "truncated": content[: len(content) // 2], "other": b"PK\3\4" * 100}[damage]
        (tmp_path / name).write_bytes(wrong)
    with pytest.raises(ValueError, match=rf"\[J(05\d|073)\].*{name}"):
        spacy.load(tmp_path)


def test_a_table_that_is_missing_in_bytes_is_reported(make):
    tagger = make(CLASSES).get_pipe("tagger0")
    with pytest.raises(ValueError, match=r"\[J050\]"):
        tagger.from_bytes(tagger.to_bytes(exclude=["word_classes"]))
