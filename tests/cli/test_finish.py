"""`finish`: what remains of a pipeline; also the length of texts, without limit if no component needs one."""

import json
import zlib
from typing import Any

import numpy as np
import pytest
import spacy
from spacy.language import Language
from spacy.pipeline import TrainablePipe
from thinc.api import Model

import spacy_joint
from spacy_joint.files.resources import read_word_classes
from spacy_joint.training.finishing import finish_pipeline


def test_words_of_the_corpora_are_removed_unless_they_have_vectors(tmp_path):
    nlp = spacy.blank("en")
    nlp.vocab.set_vector("garage", np.ones(3, dtype=np.float32))
    nlp.vocab.strings.add("secret")
    nlp.to_disk(tmp_path / "trained")
    finish_pipeline(tmp_path / "trained", tmp_path / "finished", {}, {})
    finished = spacy.load(tmp_path / "finished")
    assert "garage" in finished.vocab.strings and "secret" not in finished.vocab.strings
    nearest, _, _ = finished.vocab.vectors.most_similar(np.ones((1, 3), dtype=np.float32))
    assert finished.vocab.strings[nearest[0, 0]] == "garage"


def test_models_of_other_packages_keep_their_settings(saved_pipeline, tmp_path):
    @spacy.registry.architectures("other.Model.v1")
    def make_model(threads: int, table_bits: int) -> Model[Any, Any]:
        return Model("other", lambda model, docs, is_train: (docs, list), attrs={"threads": threads})

    @Language.factory("other")
    def make_component(nlp: Language, name: str, model: Model[Any, Any]) -> Any:
        return TrainablePipe(nlp.vocab, model, name)

    nlp = spacy.load(saved_pipeline)
    nlp.add_pipe("other", config={"model": {"@architectures": "other.Model.v1", "threads": 3, "table_bits": 2}})
    nlp.to_disk(tmp_path / "trained")
    assert spacy_joint.load(tmp_path / "trained", threads=2).get_pipe("other").model.attrs["threads"] == 3
    finish_pipeline(tmp_path / "trained", tmp_path / "finished", {}, {}, weight_bits=5)
    assert spacy.load(tmp_path / "finished").get_pipe("other").model.attrs["threads"] == 3


def test_weights_of_fewer_bits_compress_better(saved_pipeline, tmp_path):
    sizes = []
    for bits in (8, 5, 2):
        finish_pipeline(saved_pipeline, tmp_path / "finished", {}, {}, bits)
        for name in ("sequence_tagger", "joint_sbd_parser"):
            weights = spacy.load(tmp_path / "finished").get_pipe(name).perceptron.weights.averaged
            assert weights.any() and not (weights % (1 << 8 - bits)).any()
        sizes.append(len(zlib.compress((tmp_path / "finished" / "joint_sbd_parser" / "model").read_bytes())))
    assert sizes == sorted(sizes, reverse=True) and len(set(sizes)) == 3


def test_a_component_that_was_not_trained_has_no_weights_to_round(tmp_path):
    nlp = spacy.blank("en")
    nlp.add_pipe("quotation_spans")
    nlp.to_disk(tmp_path / "rules")
    finish_pipeline(tmp_path / "rules", tmp_path / "finished", {}, {}, weight_bits=5)
    assert spacy.load(tmp_path / "finished")("“We are here,” said Ann.").spans["quotations"]


# Of few words, which take most of the time.
LONG = f"it was a {'lo' * 200}ng day and then we went home " * 3_000


@spacy.registry.callbacks("tests.keep.v1")
def make_callback():
    return lambda nlp: nlp


def test_the_shipped_pipeline_reads_texts_beyond_the_limit_of_spacy():
    assert 1_200_000 < len(LONG) < spacy.load(spacy_joint.PRETRAINED).max_length
    doc = spacy_joint.load(beam_width=1)(LONG)
    assert doc.text == LONG and doc.has_annotation("DEP")


def test_words_are_classed_in_paragraphs_beyond_the_limit_of_spacy(run, write_text, tmp_path):
    run("word-classes", write_text("long.txt", LONG), "--output", tmp_path / "classes")
    assert set(read_word_classes(tmp_path / "classes")) == set(LONG.split())


def test_finished_pipelines_lift_the_limit_by_themselves_and_keep_callbacks(run, saved_pipeline, tmp_path):
    run("finish", saved_pipeline, tmp_path / "finished")
    nlp = spacy.load(tmp_path / "finished")
    assert len(nlp.make_doc(LONG).text) == len(LONG)
    nlp.to_disk(tmp_path / "saved")
    assert spacy.load(tmp_path / "saved").max_length == nlp.max_length
    callback = {"@callbacks": "tests.keep.v1"}
    run("finish", saved_pipeline, tmp_path / "other", "--nlp.after_pipeline_creation", json.dumps(callback))
    config = spacy.util.load_config(tmp_path / "other" / "config.cfg")
    assert config["nlp"]["after_pipeline_creation"] == callback


@pytest.mark.parametrize("is_enabled", [True, False])
def test_pipelines_with_other_components_or_none_keep_the_limit_of_spacy(
    saved_pipeline, save_pipeline, tmp_path, is_enabled
):
    nlp = spacy.load(saved_pipeline)
    nlp.add_pipe("sentencizer")
    if not is_enabled:
        nlp.disable_pipe("sentencizer")
    nlp.to_disk(tmp_path / "saved")
    with pytest.raises(ValueError, match="E088"):
        spacy_joint.load(tmp_path / "saved")(LONG)
    assert spacy_joint.load(save_pipeline()).max_length == 1_000_000
