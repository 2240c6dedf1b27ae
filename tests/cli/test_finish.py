"""`finish`: what remains of a pipeline."""

import zlib
from typing import Any

import numpy as np
import spacy
from spacy.language import Language
from spacy.pipeline import TrainablePipe
from thinc.api import Model

import spacy_joint
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
