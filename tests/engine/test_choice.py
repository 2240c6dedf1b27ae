"""Choosing one row of a document, or none, by a log-linear model."""

import pickle

import numpy as np
import pytest

from spacy_joint.engine.choice_model import ChoiceModel
from spacy_joint.engine.columns import Columns

TEMPLATES = "it.colour\nit.colour it.size"
NAMES = ("colour", "size")


def make_model(templates=TEMPLATES, **settings):
    return ChoiceModel(templates, NAMES, **{"table_bits": 10, "aggressiveness": 0.2, **settings})


def make_rows(*rows):
    return Columns(NAMES, np.array(rows, dtype=np.uint64).reshape(len(rows), len(NAMES)))


# The first row of a colour is right; without a row of colour 1, none is.
INSTANCES = [
    (make_rows((2, 1), (1, 1), (3, 2)), [1]),
    (make_rows((1, 2), (2, 2)), [0]),
    (make_rows((3, 1), (2, 1)), []),
    (make_rows((3, 1)), []),
]


def learn(model, epochs=50, **settings):
    return [model.update(INSTANCES, **settings)["loss"] for _ in range(epochs)]


def test_all_choices_are_equally_probable_before_training_and_without_rows_none_is_chosen():
    assert make_model().choose(make_rows((1, 1), (2, 1), (3, 1))).tolist() == [0.25] * 4
    assert make_model().choose(make_rows()).tolist() == [1.0]


def test_right_rows_become_probable():
    model = make_model()
    losses = learn(model)
    assert losses[-1] < losses[0] / 2
    assert [model.choose(columns).argmax() for columns, _ in INSTANCES] == [1, 0, 2, 1]
    for columns, _ in INSTANCES:
        shares = model.choose(columns)
        assert shares.dtype == np.float64 and shares.sum() == pytest.approx(1) and (shares > 0).all()


def test_the_first_step_is_the_gradient():
    # Two rows and none: each has a third. Both features of the right row gain two thirds of a step, those of the other
    # one lose a third.
    model = make_model()
    model.update([(make_rows((1, 1), (2, 2)), [0])])
    assert sorted(np.unique(model.weights.raw)) == pytest.approx([-0.2 / 3, 0, 0.4 / 3])


def test_any_of_several_right_rows_will_do():
    model = make_model()
    for _ in range(50):
        model.update([(make_rows((1, 1), (2, 1), (3, 1)), [0, 1])])
    shares = model.choose(make_rows((1, 1), (2, 1), (3, 1)))
    assert shares[0] == pytest.approx(shares[1]) and shares[0] + shares[1] > 0.8


def test_learning_again_gives_the_same_bytes_and_a_model_survives_saving_and_pickling():
    model, again, loaded = (make_model() for _ in range(3))
    for each in (model, again):
        learn(each, 5, dropout=0.3)
    assert model.to_bytes() == again.to_bytes()
    loaded.from_bytes(model.to_bytes())
    for copy in (loaded, pickle.loads(pickle.dumps(model))):
        assert copy.choose(INSTANCES[0][0]).tolist() == model.choose(INSTANCES[0][0]).tolist()


OTHER = Columns(("colour",), np.ones((1, 1), dtype=np.uint64))
REFUSED = {
    "a row after the last": ("J030", lambda model: model.update([(make_rows((1, 1), (2, 1)), [2])])),
    "a negative row": ("J030", lambda model: model.update([(make_rows((1, 1), (2, 1)), [-1])])),
    "columns": ("J034", lambda model: model.choose(OTHER)),
    "columns to learn from": ("J034", lambda model: model.update([(OTHER, [0])])),
    "templates": ("J061", lambda model: make_model("it.size").from_bytes(model.to_bytes())),
}


@pytest.mark.parametrize(("code", "call"), REFUSED.values(), ids=REFUSED)
def test_what_does_not_fit_is_refused(code, call):
    with pytest.raises(ValueError, match=rf"\[{code}\]"):
        call(make_model())
