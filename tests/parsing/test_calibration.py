"""Probabilities of sentence starts: that they are frequencies, and what they depend on."""

import json

import numpy as np
import pytest
from spacy.tokens import Doc

from spacy_joint.annotation.custom_columns import write_column
from spacy_joint.errors import JointValueError
from spacy_joint.parsing.calibration import KINDS, Calibration, Decisions, fit_calibration

N = 4000
CHANCES = np.array([0.1, 0.4, 0.6, 0.95])
MARGINS = np.array([-300.0, -50.0, 50.0, 400.0])


def make_decisions(scale=1.0, kind="punctuated", seed=0, guided=False):
    """Decisions with four margins, and whether each is a start, with four chances."""
    rng = np.random.default_rng(seed)
    numbers = rng.integers(4, size=N)
    is_open = np.ones(N, dtype=bool)
    is_open[:1] = False
    margins = scale * MARGINS[numbers]
    gold = rng.random(N) < CHANCES[numbers]
    guide = np.where(gold, 3.0, -3.0) if guided else None
    return Decisions(margins > 0, margins, is_open, np.full(N, KINDS[kind]), guide), gold


def fit(*samples):
    return fit_calibration(samples, {})


def test_probabilities_are_frequencies():
    calibration = fit(make_decisions())
    decisions, gold = make_decisions(seed=1)
    probabilities = calibration.predict(decisions)
    for margin, chance in zip(MARGINS, CHANCES, strict=True):
        rows = decisions.is_open & (decisions.margins == margin)
        assert probabilities[rows].mean() == pytest.approx(chance, abs=0.05)
        assert probabilities[rows].mean() == pytest.approx(gold[rows].mean(), abs=0.05)


def test_the_unit_of_margins_does_not_matter():
    first, second = make_decisions(), make_decisions(scale=100.0)
    np.testing.assert_allclose(fit(first).predict(first[0]), fit(second).predict(second[0]), atol=1e-6)


def test_given_starts_have_no_probability_and_teach_nothing():
    decisions, gold = make_decisions()
    is_open = decisions.is_open & (np.arange(N) % 2 == 0)
    partly = decisions._replace(is_open=is_open)
    calibration = fit((partly, gold))
    assert (np.isnan(calibration.predict(partly)) == ~is_open).all()
    wrong = np.where(is_open, gold, ~gold)
    np.testing.assert_array_equal(fit((partly, wrong)).predict(partly), calibration.predict(partly))


def test_each_kind_of_text_has_probabilities_of_its_own():
    punctuated, gold = make_decisions()
    unpunctuated = make_decisions(kind="unpunctuated")[0]
    calibration = fit((punctuated, gold), (unpunctuated, ~gold))
    first, second = calibration.predict(punctuated)[1:], calibration.predict(unpunctuated)[1:]
    np.testing.assert_allclose(first, 1 - second, atol=1e-3)


def test_kinds_of_text_without_decisions_have_no_probabilities():
    assert np.isnan(fit(make_decisions()).predict(make_decisions(kind="unpunctuated")[0])).all()


def test_a_guide_is_believed():
    decisions, gold = make_decisions(guided=True)
    probabilities = fit((decisions, gold)).predict(decisions)[1:]
    assert probabilities[gold[1:]].min() > 0.9 and probabilities[~gold[1:]].max() < 0.1


def test_without_errors_probabilities_are_still_short_of_certainty():
    decisions, _ = make_decisions()
    probabilities = fit((decisions, decisions.starts)).predict(decisions)[1:]
    assert 0 < probabilities.min() < 0.01 and 0.99 < probabilities.max() < 1


def test_margins_may_be_unknown():
    decisions, gold = make_decisions()
    unknown = decisions._replace(margins=np.full(N, np.nan))
    probabilities = fit((unknown, gold)).predict(unknown)[1:]
    assert np.isfinite(probabilities).all()


@pytest.mark.parametrize("n", [0, 10])
def test_too_few_decisions_are_refused(n):
    decisions, gold = make_decisions()
    few = decisions._replace(is_open=decisions.is_open & (np.arange(N) <= n))
    with pytest.raises(JointValueError, match="J646"):
        fit((few, gold))


@pytest.mark.parametrize("guided", [False, True])
def test_a_calibration_survives_json(guided):
    decisions, gold = make_decisions(guided=guided)
    stored = fit((decisions, gold)).to_dict()
    back = Calibration.from_dict(json.loads(json.dumps(stored)), guided=guided)
    assert back.to_dict() == stored


def make_talk(length, chance, seed):
    """Decisions for starts, a share of them right, in the middle of a document whose other sentences have a length."""
    lengths = [length] * (300 // length) + [10] * 20 + [length] * (300 // length)
    starts = np.zeros(sum(lengths), dtype=bool)
    starts[np.cumsum([0, *lengths[:-1]])] = True
    positions = np.arange(len(starts))
    margins = np.where(starts, 50.0, -50.0)
    gold = starts & (np.random.default_rng(seed).random(len(starts)) < chance)
    # Only starts in the middle count: there, the next start is equally far in all documents.
    is_open = (positions > 310) & (positions < len(starts) - 310)
    return Decisions(starts, margins, is_open, np.full(len(starts), KINDS["any"])), gold


def test_the_same_margins_are_believed_more_in_documents_with_short_sentences():
    kinds = ((4, 0.9), (20, 0.5))
    calibration = fit(*(make_talk(*kind, seed) for kind in kinds for seed in range(20)))
    for length, chance in kinds:
        decisions, _ = make_talk(length, chance, seed=0)
        assert calibration.predict(decisions)[decisions.starts & decisions.is_open].mean() == pytest.approx(
            chance, abs=0.1
        )


@pytest.mark.parametrize(
    "changed",
    [
        {"scale": 0.0},
        {"scale": None},
        {"weights": {}},
        {"weights": [1]},
        {"weights": {"unheard": [[0.0] * 8] * 2}},
        {"weights": {"any": [[0.0] * 8]}},
        {"weights": {"any": [[0.0] * 6] * 2}},
        {"weights": {"any": [[0.0] * 9] * 2}},
        {"search": None},
    ],
)
def test_a_damaged_calibration_is_refused(initialize, changed):
    parser = initialize("joint_sbd_parser").get_pipe("joint_sbd_parser")
    parser.calibrate([make_decisions()])
    assert parser.from_bytes(parser.to_bytes()).calibration is not None
    parser.cfg["calibration"].update(changed)
    with pytest.raises(JointValueError, match=r"J052.*cfg"):
        parser.from_bytes(parser.to_bytes())


def test_the_parser_reads_the_log_odds_of_its_guide(initialize):
    nlp = initialize("joint_sbd_parser", columns={"guide_boundary": {"edges": [0.0]}})
    doc = Doc(nlp.vocab, words=["so", " ", "we", "left"], tags=["RB", "_SP", "PRP", "VBD"])
    write_column(doc, "guide_boundary", [2.0, None, -1.0, None])
    decisions = nlp.get_pipe("joint_sbd_parser").decide(doc)[1]
    np.testing.assert_array_equal(decisions.guide, [2.0, -1.0, np.nan])


def test_learning_drops_the_calibration(initialize, read_examples):
    nlp = initialize("joint_sbd_parser")
    parser = nlp.get_pipe("joint_sbd_parser")
    parser.calibrate([make_decisions()])
    assert parser.calibration is not None
    nlp.update(read_examples(nlp, keep=["TAG"], limit=1))
    assert parser.calibration is None
