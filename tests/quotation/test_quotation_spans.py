"""`quotation_cues` and `quotation_spans` as trainable spaCy components."""

import pickle
import subprocess
import sys

import pytest
import spacy
from spacy.tokens import Doc, DocBin
from spacy.training import Example

from spacy_joint.quotation.quotation_spans import DECODERS, METHODS

from .conftest import SMALL

TEXTS = ["", " ", "\n\n", "a", "“", "“We go,” she said.\n\nIt rained. He said that it was “cold” and left.", 'He "" .']
TRAINED = {
    "cues": {"factory": "quotation_cues"},
    "greedy": {"method": "greedy"},
    "chain": {"method": "chain"},
    "beam": {"method": "semimarkov"},
    "exact": {"method": "semimarkov", "decoder": "exact"},
    "sample": {"method": "semimarkov", "decoder": "sample"},
}


def read(doc):
    keys = ("quotations", "quotation_cues", "quotation_speakers")
    return {key: [(s.start, s.end, s.label_, s.id_) for s in doc.spans[key]] for key in keys if key in doc.spans}


@pytest.fixture(scope="module", params=list(TRAINED))
def kind(request):
    return request.param


@pytest.fixture(scope="module")
def nlp(kind, make_trained):
    return make_trained(**TRAINED[kind])


def test_it_learns_its_training_data(kind, nlp, read_quotes):
    scores = nlp.evaluate(read_quotes(nlp))
    # Sampling does not always find the best-scoring spans.
    least = {"greedy": 0.75, "sample": 0.4}.get(kind, 0.85)
    assert scores["quotation_cue_f" if kind == "cues" else "quotation_f"] > least


def test_it_generalises_to_other_documents(kind, nlp, read_quotes):
    scores = nlp.evaluate(read_quotes(nlp, "dev"))
    assert scores["quotation_cue_f" if kind == "cues" else "quotation_f"] > (0.2 if kind == "sample" else 0.4)


def test_the_same_seed_makes_the_same_model(kind, nlp, make_trained):
    again = make_trained(**TRAINED[kind])
    assert again.to_bytes(exclude=["vocab"]) == nlp.to_bytes(exclude=["vocab"])


def test_any_text_gets_annotation_that_survives_serialisation(nlp):
    for text in TEXTS:
        doc = nlp(text)
        assert read(Doc(nlp.vocab).from_bytes(doc.to_bytes())) == read(doc)
        (again,) = DocBin(store_user_data=True, docs=[doc]).get_docs(nlp.vocab)
        assert read(again) == read(doc)
        if nlp.pipe_names == ["quotation_spans"]:
            assert [token._.in_quotation for token in again] == [token._.in_quotation for token in doc]


def test_saved_and_copied_pipelines_predict_the_same(nlp, tmp_path):
    nlp.to_disk(tmp_path)
    expected = [read(nlp(text)) for text in TEXTS]
    for again in (spacy.load(tmp_path), pickle.loads(pickle.dumps(nlp))):
        assert [read(again(text)) for text in TEXTS] == expected


def test_pipe_and_annotating_again_change_nothing(nlp):
    docs = list(nlp.pipe(TEXTS))
    expected = [read(doc) for doc in docs]
    assert [read(nlp(text)) for text in TEXTS] == expected
    assert [read(nlp.pipeline[0][1](doc)) for doc in docs] == expected


def test_examples_without_annotation_change_nothing(nlp):
    before = nlp.to_bytes(exclude=["vocab"])
    docs = [nlp.make_doc(text) for text in TEXTS]
    pipe = nlp.pipeline[0][1]
    losses = pipe.update([Example(doc, doc.copy()) for doc in docs], losses={})
    assert losses == {nlp.pipe_names[0]: 0.0}
    # They only count as seen.
    pipe.perceptron.n_seen -= len(docs)
    assert nlp.to_bytes(exclude=["vocab"]) == before


def test_other_tokenisation_of_the_predicted_side_is_handled(nlp, read_quotes):
    examples = []
    for example in read_quotes(nlp):
        words = [part for token in example.reference for part in (token.text[:2], token.text[2:]) if part]
        examples.append(Example(Doc(nlp.vocab, words=words), example.reference))
    again = pickle.loads(pickle.dumps(nlp))
    again.update(examples)
    assert again.evaluate(examples)["quotation_f"] is not None


def test_several_processes(make_trained, tmp_path):
    nlp = make_trained(method="semimarkov")
    nlp.to_disk(tmp_path / "pipeline")
    script = tmp_path / "annotate.py"
    script.write_text(
        "import sys, spacy, srsly\n"
        "if __name__ == '__main__':\n"
        "    docs = spacy.load(sys.argv[1]).pipe(srsly.json_loads(sys.argv[2]), n_process=2, batch_size=2)\n"
        "    srsly.write_json('-', [[(s.start, s.end) for s in doc.spans['quotations']] for doc in docs])\n",
        encoding="utf8",
    )
    import srsly

    command = [sys.executable, str(script), str(tmp_path / "pipeline"), srsly.json_dumps(TEXTS)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True, encoding="utf8").stdout
    docs = [nlp(text) for text in TEXTS]
    assert srsly.json_loads(printed) == [[[span.start, span.end] for span in doc.spans["quotations"]] for doc in docs]


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


def test_combined_reports_what_it_lacks(make_trained):
    with pytest.raises(ValueError, match=r"\[J322\].*chain_quotations"):
        make_trained(method="combined", epochs=1)("hello there")


@pytest.mark.parametrize("setting", ["method", "decoder"])
def test_unknown_settings_are_refused(setting):
    known = {"method": METHODS, "decoder": DECODERS}[setting]
    with pytest.raises(ValueError, match=rf"\[J040\].*'luck'.*{known[0]}"):
        spacy.blank("en").add_pipe("quotation_spans", config={setting: "luck"})


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


@pytest.mark.parametrize("config", [{"factory_name": "quotation_cues"}, {"config": {"method": "semimarkov"}}])
def test_a_component_without_training_or_annotation_raises_a_coded_error(config):
    nlp = spacy.blank("en")
    nlp.add_pipe(**{"factory_name": "quotation_spans", **config})
    with pytest.raises(ValueError, match=r"\[J071\]"):
        nlp("hello")
    doc = nlp.make_doc("hello there")
    with pytest.raises(ValueError, match=r"\[J330\]"):
        nlp.initialize(lambda: [Example(doc, doc.copy())])


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
