"""Documents that are processed together get the results that each gets by itself."""

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc

import spacy_joint
from spacy_joint.parsing.layout import find_layout, find_layouts
from spacy_joint.pipes.token_columns import COLUMNS, WordColumns
from spacy_joint.pipes.word_classes import NO_CLASSES

NLP = spacy.blank("en")
# The end of each text affects the next one if both are read as one.
TEXTS = [
    "He left —",
    "so it was late",
    "",
    "\n\n",
    "We saw Dr.",
    "Ann I. Orr",
    "12 So.",
    "98 people came.\n\n",
    "TERMS\n\n1. Pay the rent.",
    "“Why?”",
    "he asked",
    "WE ARE CLOSED",
    "and " * 90,
    "yes",
]


@pytest.fixture(params=[1, 3, len(TEXTS)])
def batches(request):
    docs = list(map(NLP.make_doc, TEXTS))
    return [docs[first : first + request.param] for first in range(0, len(docs), request.param)]


def test_constraints_do_not_depend_on_other_documents(batches):
    for docs in batches:
        for doc, constraints in zip(docs, find_layouts(docs), strict=True):
            assert constraints.tolist() == find_layout(doc).tolist()


def test_columns_do_not_depend_on_other_documents(batches):
    columns = WordColumns(COLUMNS, NO_CLASSES)
    for docs in batches:
        for doc, (values, tokens) in zip(docs, columns.list_values(docs), strict=True):
            alone, tokens_alone = columns.make_values(doc)
            assert np.array_equal(values, alone) and np.array_equal(tokens, tokens_alone)


def test_documents_may_have_other_vocabularies():
    nlp = spacy_joint.load()
    nlp.select_pipes(enable=["sequence_tagger", "joint_sbd_parser"])
    vocabularies = (spacy.blank("de").vocab, NLP.vocab, nlp.vocab)
    docs = [Doc(vocab, words=["Er", "kam", "am", "3.", "Mai", ".", "Wir", "sahen", "ihn"]) for vocab in vocabularies]
    alone = [nlp(doc.copy()).to_json() for doc in docs]
    assert [doc.to_json() for doc in nlp.pipe(docs)] == alone
