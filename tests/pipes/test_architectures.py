"""The registered architecture: a thinc model that works with configs, copies and thinc's own serialisation."""

import pickle

import pytest
import spacy
from spacy.util import registry
from thinc.api import Model

from spacy_joint.engine.perceptron import Perceptron
from spacy_joint.pipes.architectures import BeamPerceptron, get_perceptron


def test_a_config_sets_its_settings():
    settings = {"table_bits": 12, "beam_width": 3, "update_strategy": "early", "rule": "perceptron", "threads": 2}
    config = {"model": {"@architectures": "spacy_joint.BeamPerceptron.v1", "aggressiveness": 0.5, **settings}}
    model = registry.resolve(config)["model"]
    assert isinstance(model, Model)
    perceptron = get_perceptron(model)
    assert isinstance(perceptron, Perceptron)
    assert {name: getattr(perceptron, name) for name in settings} == settings
    assert perceptron.aggressiveness == 0.5


def test_it_has_defaults():
    perceptron = get_perceptron(BeamPerceptron())
    assert (perceptron.beam_width, perceptron.update_strategy, perceptron.rule) == (8, "laso", "perceptron")


@pytest.mark.parametrize(
    ("setting", "value", "message"),
    [
        *((name, "luck", r"\[J040\].*'luck'") for name in ("update_strategy", "rule")),
        *(("beam_width", n, rf"\[J030\] beam_width is {n}\. It must be from 1 to 1024") for n in (0, -1, 1025, 10**12)),
    ],
)
def test_settings_that_are_unknown_or_out_of_range_are_refused_at_once(setting, value, message):
    with pytest.raises(ValueError, match=message):
        BeamPerceptron(**{setting: value})


@pytest.mark.parametrize(
    ("component", "architecture", "found", "expected"),
    [
        ("sequence_tagger", "spacy_joint.BiLSTMEncoder.v1", "with_windows.*", "beam_perceptron"),
        ("sequence_tagger", "spacy_joint.OrderPerceptron.v1", "order_perceptron", "beam_perceptron"),
        ("prenominal_orderer", "spacy_joint.BeamPerceptron.v1", "beam_perceptron", "order_perceptron"),
        ("parser_guide", "spacy_joint.BeamPerceptron.v1", "beam_perceptron", "parser_guide"),
        ("span_guide", "spacy_joint.BeamPerceptron.v1", "beam_perceptron", "span_guide"),
    ],
)
def test_a_model_of_another_architecture_is_refused(component, architecture, found, expected):
    sizes = {"width": 8, "depth": 1} if "BiLSTM" in architecture else {}
    with pytest.raises(ValueError, match=rf"\[J030\] model of '{component}' is '{found}'\. It must be {expected}\."):
        spacy.blank("xx").add_pipe(component, config={"model": {"@architectures": architecture, **sizes}})


def test_use_before_setup_is_refused():
    perceptron = get_perceptron(BeamPerceptron())
    assert not perceptron.is_set_up
    for use in (lambda: perceptron.system, lambda: perceptron.templates, lambda: perceptron.weights):
        with pytest.raises(ValueError, match=r"\[J060\]"):
            use()


def test_the_model_predicts_actions_from_columns(pipeline):
    pipe = pipeline.get_pipe("joint_sbd_parser")
    doc = pipeline.make_doc("hello there how are you")
    columns, tokens = pipe.get_columns(doc, None)
    (actions,) = pipe.model.predict([columns])
    assert pipe.build(tokens, actions).heads.tolist() == pipe.predict([doc])[0].heads.tolist()
    _, backprop = pipe.model.begin_update([columns])
    assert backprop([actions]) == []


def test_thinc_copies_and_serialises_it(pipeline):
    pipe = pipeline.get_pipe("joint_sbd_parser")
    doc = pipeline.make_doc("hello there how are you")
    columns, _ = pipe.get_columns(doc, None)
    expected = pipe.model.predict([columns])[0].tolist()
    copies = [
        pipe.model.copy(),
        pickle.loads(pickle.dumps(pipe.model)),
        pipe.model.copy().from_bytes(pipe.model.to_bytes()),
    ]
    for model in copies:
        assert get_perceptron(model) is not pipe.perceptron
        assert model.predict([columns])[0].tolist() == expected
    with pipe.model.use_params({}):
        assert pipe.model.predict([columns])[0].tolist() == expected
