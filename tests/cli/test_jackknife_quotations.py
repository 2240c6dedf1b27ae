"""`jackknife` with corpora of quotations: columns of a guide of spans, and cues that are found with them."""

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc, DocBin, Span
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_joint.annotation.custom_columns import name_span_columns
from spacy_joint.corpora.quotations import JACKKNIFED
from spacy_joint.quotation.features import SPAN_GUIDE_COLUMNS

from .jackknifing import PERCEPTRON, TOK2VEC, read_docs, write_config

GUIDE_MODEL = {"@architectures": "spacy_joint.SpanGuide.v1", "tok2vec": TOK2VEC}
GUIDE = {"span_guide": {"factory": "span_guide", "model": GUIDE_MODEL}}
COLUMNS = {"quotation_cues_begin": {"edges": [0.0]}}
CUES = {"quotation_cues": {"factory": "quotation_cues", "columns": COLUMNS, "model": PERCEPTRON}}


def quote(words, cue, start, end):
    doc = Doc(Vocab(), words=words, tags=["T"] * len(words))
    doc.spans["quotation_cues"] = [Span(doc, cue, cue + 1, label="CUE")]
    doc.spans["quotations"] = [Span(doc, start, end, label="INDIRECT")]
    return doc


@pytest.fixture
def docs():
    return [quote([str(n), "said", "that", "it", "rained", "."], 1, 2, 5) for n in range(6)]


@pytest.fixture
def configure(tmp_path, docs):
    """Write a config that trains components on a corpus, by default on the documents."""
    DocBin(docs=docs, store_user_data=True).to_disk(tmp_path / "train.spacy")

    def configure(components, score, corpus="train.spacy", **training):
        reader, weights = "spacy_joint.QuotationCorpus.v1", {score: 1.0}
        path = tmp_path / "config.cfg"
        return write_config(path, components, reader, tmp_path / corpus, score_weights=weights, **training)

    return configure


def describe(doc):
    spans = {key: [(span.start, span.end, span.label_) for span in group] for key, group in doc.spans.items()}
    return [(token.text, token.tag_) for token in doc], spans


def test_columns_of_a_guide_of_spans_are_added(run, configure, docs, tmp_path):
    config = configure(GUIDE, "span_guide_f")
    printed = run("jackknife", config, tmp_path / "guided.spacy", "--folds", 3).stdout
    guided = read_docs(tmp_path / "guided.spacy")
    assert [describe(doc) for doc in guided] == [describe(doc) for doc in docs]
    right = []
    for doc in guided:
        assert set(doc._.token_columns) == set(SPAN_GUIDE_COLUMNS)
        columns = {name: np.asarray(values) > 0 for name, values in doc._.token_columns.items()}
        gold = dict.fromkeys(SPAN_GUIDE_COLUMNS, ())
        for key, (first, last) in (("quotation_cues", (1, 1)), ("quotations", (2, 4))):
            places = ([first], [last], range(first, last + 1))
            gold |= dict(zip(name_span_columns(key), places, strict=True))
        right += [all(columns[name][i] == (i in gold[name]) for name in gold) for i in range(len(doc))]
    assert f"accuracy {100 * np.mean(right):.2f}" in " ".join(printed.split())


def test_cues_are_found_with_the_columns_of_the_corpus(run, configure, docs, tmp_path):
    # The guide in the pipeline has learnt nothing, and those of the corpus are always right.
    for doc in docs:
        is_cue = [token.i == 1 for token in doc]
        doc._.token_columns = {"quotation_cues_begin": [1.0 if right else -1.0 for right in is_cue]}
    DocBin(docs=docs, store_user_data=True).to_disk(tmp_path / "guided.spacy")
    nlp = spacy.blank("en")
    nlp.add_pipe("span_guide")
    nlp.initialize(lambda: [Example(doc.copy(), doc) for doc in docs])
    nlp.to_disk(tmp_path / "guide")
    sourced = {"span_guide": {"source": str(tmp_path / "guide")}}
    config = configure(sourced | CUES, "quotation_cue_f", "guided.spacy", frozen_components=["span_guide"])
    run("jackknife", config, tmp_path / "cues.spacy", "--folds", 2)
    for doc, original in zip(read_docs(tmp_path / "cues.spacy"), docs, strict=True):
        assert [(span.start, span.end) for span in doc.spans[JACKKNIFED]] == [(1, 2)]
        found, given = (of._.token_columns["quotation_cues_begin"] for of in (doc, original))
        assert list(found) == list(given)
