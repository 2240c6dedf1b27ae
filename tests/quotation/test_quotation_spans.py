"""`quotation_cues` and `quotation_spans` as trainable spaCy components."""

import pickle

import pytest
import spacy

from spacy_joint.annotation.reporting_verbs import is_reporting
from spacy_joint.quotation import rules
from spacy_joint.quotation.quotation_spans import DECODERS, METHODS

from .conftest import SMALL, read_tree

TEXTS = ["", " ", "\n\n", "a", "“", "“We go,” she said.\n\nIt rained. He said that it was “cold” and left.", 'He "" .']
# tests/test_contract.py has the beam, cues and rules, and what all methods share.
TRAINED = {
    "greedy": {"method": "greedy"},
    "chain": {"method": "chain"},
    "exact": {"method": "semimarkov", "decoder": "exact"},
    "sample": {"method": "semimarkov", "decoder": "sample"},
}
# The least scores on training and other documents. Sampling does not always find the best-scoring spans.
LEAST = {"greedy": (0.75, 0.4), "chain": (0.85, 0.4), "exact": (0.85, 0.4), "sample": (0.4, 0.2)}


def read(doc):
    keys = ("quotations", "quotation_cues", "quotation_speakers")
    return {key: [(s.start, s.end, s.label_, s.id_) for s in doc.spans[key]] for key in keys if key in doc.spans}


@pytest.fixture(scope="module", params=list(TRAINED))
def kind(request):
    return request.param


@pytest.fixture(scope="module")
def nlp(kind, make_trained):
    return make_trained(**TRAINED[kind])


def test_it_learns_its_training_data_and_generalises_to_other_documents(kind, nlp, read_quotes):
    for part, least in zip(("train", "dev"), LEAST[kind], strict=True):
        assert nlp.evaluate(read_quotes(nlp, part))["quotation_f"] > least


def test_the_same_seed_makes_the_same_model(kind, nlp, make_trained):
    again = make_trained(**TRAINED[kind])
    assert again.to_bytes(exclude=["vocab"]) == nlp.to_bytes(exclude=["vocab"])


def test_saved_and_copied_pipelines_predict_the_same(nlp, tmp_path):
    nlp.to_disk(tmp_path)
    expected = [read(nlp(text)) for text in TEXTS]
    for again in (spacy.load(tmp_path), pickle.loads(pickle.dumps(nlp))):
        assert [read(again(text)) for text in TEXTS] == expected


def test_combined_adds_only_indirect_quotations_to_those_of_the_chain(make_trained, read_quotes):
    chain = make_trained(method="chain", spans_key="quotations")
    combined = make_trained(method="combined")
    (example, *_) = read_quotes(chain)
    doc = chain.get_pipe("quotation_spans")(example.predicted.copy())
    direct = [(span.start, span.end) for span in doc.spans["quotations"] if span.label_ != "INDIRECT"]
    doc.spans["chain_quotations"] = list(doc.spans["quotations"])
    doc = combined.get_pipe("quotation_spans")(doc)
    found = doc.spans["quotations"]
    assert [(span.start, span.end) for span in found if span.label_ != "INDIRECT"] == direct
    assert any(span.label_ == "INDIRECT" for span in found)
    with pytest.raises(ValueError, match=r"\[J322\].*chain_quotations"):
        combined("hello there")


@pytest.mark.parametrize(
    ("setting", "value", "error"),
    [
        ("method", "luck", rf"\[J040\].*'luck'.*{METHODS[0]}"),
        ("decoder", "luck", rf"\[J040\].*'luck'.*{DECODERS[0]}"),
        *((key, "quotations", r"\[J030\] keys of 'q") for key in ("cues_key", "speakers_key", "characters_key")),
        *((style, "sometimes", "J040") for style in ("single_quotes", "guillemets_inward", "dialogue_dashes")),
    ],
)
def test_settings_that_do_not_fit_are_refused(setting, value, error):
    with pytest.raises(ValueError, match=error):
        spacy.blank("en").add_pipe("quotation_spans", config={setting: value})


def test_a_bias_adds_and_removes_cues(make_trained, read_quotes):
    trained = make_trained("quotation_cues")
    counts = []
    for bias in (-1000.0, 0.0, 1000.0):
        nlp = spacy.blank("en", vocab=trained.vocab)
        model = trained.config["components"]["quotation_cues"]["model"]
        nlp.add_pipe("quotation_cues", config={"cue_bias": bias, "model": model})
        nlp.from_bytes(trained.to_bytes())
        docs = nlp.pipe(example.predicted for example in read_quotes(nlp))
        counts.append(sum(len(doc.spans["quotation_cues"]) for doc in docs))
    assert counts[0] == 0 < counts[1] < counts[2]


def test_rules_need_no_training_and_are_saved(unparsed, tmp_path):
    unparsed.initialize()
    unparsed.to_disk(tmp_path)
    assert [read(spacy.load(tmp_path)(text)) for text in TEXTS] == [read(unparsed(text)) for text in TEXTS]


def test_keys_are_configurable():
    nlp = spacy.blank("en")
    nlp.add_pipe("quotation_spans", config={"spans_key": "a", "cues_key": "b", "speakers_key": "c"})
    assert sorted(nlp("“We go now,” she said.").spans) == ["a", "b", "c"]


def test_scores_of_spans_are_those_of_the_model(make_trained, read_quotes):
    nlp = make_trained(method="semimarkov", model=SMALL)
    (example, *_) = read_quotes(nlp)
    group = nlp.get_pipe("quotation_spans")(example.predicted.copy()).spans["quotations"]
    assert len(group.attrs["scores"]) == len(group) > 0
    assert all(score > 0 for score in group.attrs["scores"])


def test_reports_after_commas_are_found_once_per_document(unparsed, monkeypatch):
    # The speech at the end keeps the clauses around it from being quotations.
    chain = " ".join(
        f"said/VBD/{max(i - 5, 0)}/ccomp today/RB/{i}/x ,/,/{i}/x snowing/VBG/{i}/x ,/,/{i}/x" for i in range(0, 200, 5)
    )
    speech = " ".join(f"{word}/195/x" for word in ["“/``", "It/PRP", "is/VBZ", "late/RB", "./.", "”/``"])
    doc = read_tree(unparsed.vocab, f"{chain} {speech}")
    tested = []
    monkeypatch.setattr(rules, "is_reporting", lambda token, *kind: tested.append(token) or is_reporting(token, *kind))
    unparsed.get_pipe("quotation_spans")(doc)
    assert 0 < len(tested) < len(doc)
