"""The length of texts: without limit if no component needs one."""

from pathlib import Path

import pytest
import spacy

import spacy_joint
from spacy_joint.files.resources import read_word_classes

SHIPPED = list((Path(__file__).parents[2] / "pipelines" / "en_joint_english").glob("*/*/config.cfg"))
# Of few words, which take most of the time.
LONG = f"it was a {'lo' * 200}ng day and then we went home " * 3_000


@spacy.registry.callbacks("tests.keep.v1")
def make_callback():
    return lambda nlp: nlp


def test_the_shipped_pipeline_reads_texts_beyond_the_limit_of_spacy():
    nlp = spacy_joint.load(beam_width=1)
    assert len(LONG) > 1_200_000
    doc = nlp(LONG)
    assert doc.text == LONG and doc.has_annotation("DEP")


def test_words_are_classed_in_paragraphs_beyond_the_limit_of_spacy(run, write_text, tmp_path):
    run("word-classes", write_text("long.txt", LONG), "--output", tmp_path / "classes")
    assert set(read_word_classes(tmp_path / "classes")) == set(LONG.split())


def test_finished_pipelines_lift_the_limit_by_themselves(run, saved_pipeline, tmp_path):
    run("finish", saved_pipeline, tmp_path / "finished")
    nlp = spacy.load(tmp_path / "finished")
    assert len(nlp.make_doc(LONG).text) == len(LONG)
    nlp.to_disk(tmp_path / "saved")
    assert spacy.load(tmp_path / "saved").max_length == nlp.max_length


@pytest.mark.skipif(not SHIPPED, reason="the sources of the pipeline are not part of what is installed")
def test_the_shipped_pipeline_lifts_the_limit_by_itself():
    nlp = spacy.load(SHIPPED[0].parent)
    assert nlp.max_length > len(LONG)


def test_callbacks_of_users_are_kept(run, saved_pipeline, tmp_path):
    config = "--nlp.after_pipeline_creation"
    run("finish", saved_pipeline, tmp_path / "finished", config, '{"@callbacks": "tests.keep.v1"}')
    written = spacy.util.load_config(tmp_path / "finished" / "config.cfg")
    assert written["nlp"]["after_pipeline_creation"] == {"@callbacks": "tests.keep.v1"}


@pytest.mark.parametrize("is_enabled", [True, False])
def test_other_components_keep_the_limit_of_spacy(saved_pipeline, tmp_path, is_enabled):
    nlp = spacy.load(saved_pipeline)
    nlp.add_pipe("sentencizer")
    if not is_enabled:
        nlp.disable_pipe("sentencizer")
    nlp.to_disk(tmp_path)
    with pytest.raises(ValueError, match="E088"):
        spacy_joint.load(tmp_path)(LONG)


def test_pipelines_without_components_keep_the_limit_of_spacy(tmp_path):
    spacy.blank("en").to_disk(tmp_path)
    assert spacy_joint.load(tmp_path).max_length == 1_000_000
