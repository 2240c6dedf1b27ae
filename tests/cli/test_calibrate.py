"""Calibrated pipelines: what the command changes, and what users then see of a document."""

import pytest
from spacy.tokens import Doc

import spacy_joint
from spacy_joint.pipes.component_files import CHECKSUMS
from spacy_joint.pipes.streaming import stream_sentences

PARSER = "joint_sbd_parser"
TEXT = "so we left early and it rained all day\n\nshe paid the bill thanks a lot call me when you can i am at home"
ON = {f"components.{PARSER}.boundary_probabilities": True}


@pytest.fixture(scope="module")
def corpora(assets):
    return [assets / "tiny_train.conllu", assets / "tiny_dev.conllu"]


@pytest.fixture(scope="module")
def calibrated(run, corpora, tmp_path_factory):
    """The directory of the shipped pipeline, calibrated."""
    output = tmp_path_factory.mktemp("calibrated") / "pipeline"
    assert "unpunctuated" in run("calibrate", spacy_joint.PRETRAINED, *corpora, "--output", output).output
    return output


@pytest.fixture(scope="module")
def nlp(calibrated):
    return spacy_joint.load(calibrated, config=ON)


def list_probabilities(doc):
    return [token._.boundary_probability for token in doc]


def test_words_have_probabilities_unless_nothing_is_to_be_decided(nlp):
    doc = nlp.make_doc(TEXT)
    doc[3].is_sent_start, doc[4].is_sent_start = False, True
    doc = nlp(doc)
    given = {0, 3, 4}
    for token, probability in zip(doc, list_probabilities(doc), strict=True):
        # A blank line decides, too.
        if token.i in given or token.is_space or doc[token.i - 1].is_space:
            assert probability is None
        else:
            assert isinstance(probability, float) and 0 < probability < 1


def test_found_boundaries_are_more_probable(nlp):
    open_ = [token for token in nlp(TEXT) if token._.boundary_probability is not None]
    assert any(token.is_sent_start for token in open_)
    least = min(token._.boundary_probability for token in open_ if token.is_sent_start)
    assert least > max(token._.boundary_probability for token in open_ if not token.is_sent_start)


def test_analyses_do_not_change(nlp):
    found, expected = nlp(TEXT), spacy_joint.load()(TEXT)
    assert [(t.head.i, t.dep_, t.is_sent_start) for t in found] == [
        (t.head.i, t.dep_, t.is_sent_start) for t in expected
    ]


def test_only_the_settings_of_the_parser_change(calibrated):
    original = spacy_joint.load().path
    names, expected = (
        {path.relative_to(each) for path in each.rglob("*") if path.is_file() and path.name != CHECKSUMS}
        for each in (calibrated, original)
    )
    assert names == expected
    changed = [str(name) for name in names if (calibrated / name).read_bytes() != (original / name).read_bytes()]
    assert changed == [f"{PARSER}/cfg"]


def test_probabilities_and_calibrations_survive_serialisation(nlp):
    doc = nlp(TEXT)
    other = spacy_joint.load(config=ON)
    other.get_pipe(PARSER).from_bytes(nlp.get_pipe(PARSER).to_bytes())
    for again in (Doc(nlp.vocab).from_bytes(doc.to_bytes()), other(TEXT)):
        assert list_probabilities(again) == list_probabilities(doc)


def test_without_the_setting_a_calibration_or_a_document_there_are_none(nlp, calibrated):
    uncalibrated = spacy_joint.load(config=ON)
    uncalibrated.get_pipe(PARSER).cfg.pop("calibration", None)
    for other in (spacy_joint.load(calibrated), uncalibrated):
        doc = other(TEXT)
        assert set(list_probabilities(doc)) == {None} and not doc.user_data
    assert {token._.boundary_probability for sent in stream_sentences([TEXT], nlp) for token in sent} == {None}
    for text in ("", "\n", "yes"):
        assert set(list_probabilities(nlp(text))) <= {None}


def test_other_settings_of_the_search_are_reported(calibrated):
    other = spacy_joint.load(calibrated, beam_width=2, config=ON)
    with pytest.warns(UserWarning, match="JW41.*'beam_width'"):
        doc = other(TEXT)
    assert any(list_probabilities(doc))


def test_kinds_of_text_that_were_not_calibrated_have_none(run, corpora, tmp_path):
    run("calibrate", spacy_joint.PRETRAINED, *corpora, "-o", tmp_path / "some", "--kind", "unpunctuated")
    nlp = spacy_joint.load(tmp_path / "some", config=ON)
    assert any(list_probabilities(nlp(TEXT)))
    assert not any(list_probabilities(nlp("We left, of course. It rained.")))
