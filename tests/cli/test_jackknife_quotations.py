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

CONFIG = """
[nlp]
lang = "en"
pipeline = ["{name}"]

[components]

{components}

[corpora]

[corpora.train]
@readers = "spacy_joint.QuotationCorpus.v1"
path = "{path}"

[corpora.dev]
@readers = "spacy_joint.QuotationCorpus.v1"
path = "not read"

[training]
seed = 1
max_epochs = 4
max_steps = 0

[training.batcher]
@batchers = "spacy.batch_by_sequence.v1"
size = 2

[training.score_weights]
{score} = 1.0
"""
GUIDE = """
[components.span_guide]
factory = "span_guide"

[components.span_guide.model]
@architectures = "spacy_joint.SpanGuide.v1"

[components.span_guide.model.tok2vec]
@architectures = "spacy.HashEmbedCNN.v2"
width = 8
depth = 1
embed_size = 100
window_size = 1
maxout_pieces = 2
subword_features = false
pretrained_vectors = null
"""
CUES = """
[components.quotation_cues]
factory = "quotation_cues"

[components.quotation_cues.columns]

[components.quotation_cues.columns.quotation_cues_begin]
edges = [0.0]

[components.quotation_cues.model]
@architectures = "spacy_joint.BeamPerceptron.v1"
table_bits = 16
beam_width = 2
update_strategy = "laso"
rule = "perceptron"
min_changes = 1
"""


def quote(words, cue, start, end):
    doc = Doc(Vocab(), words=words, tags=["T"] * len(words))
    doc.spans["quotation_cues"] = [Span(doc, cue, cue + 1, label="CUE")]
    doc.spans["quotations"] = [Span(doc, start, end, label="INDIRECT")]
    return doc


@pytest.fixture
def docs():
    return [quote([str(n), "said", "that", "it", "rained", "."], 1, 2, 5) for n in range(6)]


@pytest.fixture
def write(tmp_path, docs):
    """Write a config, with the documents as its corpus unless there is another one."""
    DocBin(docs=docs, store_user_data=True).to_disk(tmp_path / "train.spacy")

    def write(name, components, score, corpus="train.spacy"):
        path = tmp_path / f"{name}.cfg"
        text = CONFIG.format(name=name, components=components, score=score, path=(tmp_path / corpus).as_posix())
        path.write_text(text, encoding="utf8")
        return path

    return write


def read(path):
    return list(DocBin().from_disk(path).get_docs(Vocab()))


def describe(doc):
    spans = {key: [(span.start, span.end, span.label_) for span in group] for key, group in doc.spans.items()}
    return [(token.text, token.tag_) for token in doc], spans


def test_columns_of_a_guide_of_spans_are_added(run, write, docs, tmp_path):
    config = write("span_guide", GUIDE, "span_guide_f")
    printed = run("jackknife", config, tmp_path / "guided.spacy", "--folds", 3).stdout
    guided = read(tmp_path / "guided.spacy")
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


def test_cues_are_found_with_the_columns_of_the_corpus(run, write, docs, tmp_path):
    # The guide in the pipeline has learnt nothing, and those of the corpus are always right.
    for doc in docs:
        is_cue = [token.i == 1 for token in doc]
        doc._.token_columns = {"quotation_cues_begin": [1.0 if right else -1.0 for right in is_cue]}
    DocBin(docs=docs, store_user_data=True).to_disk(tmp_path / "guided.spacy")
    nlp = spacy.blank("en")
    nlp.add_pipe("span_guide")
    nlp.initialize(lambda: [Example(doc.copy(), doc) for doc in docs])
    nlp.to_disk(tmp_path / "guide")
    sourced = f'[components.span_guide]\nsource = "{(tmp_path / "guide").as_posix()}"\n'
    config = write("quotation_cues", sourced + CUES, "quotation_cue_f", "guided.spacy")
    text = config.read_text(encoding="utf8").replace('["quotation_cues"]', '["span_guide","quotation_cues"]')
    config.write_text(text.replace("[training]", '[training]\nfrozen_components = ["span_guide"]'), encoding="utf8")
    run("jackknife", config, tmp_path / "cues.spacy", "--folds", 2)
    for doc, original in zip(read(tmp_path / "cues.spacy"), docs, strict=True):
        assert [(span.start, span.end) for span in doc.spans[JACKKNIFED]] == [(1, 2)]
        found, given = (of._.token_columns["quotation_cues_begin"] for of in (doc, original))
        assert list(found) == list(given)
