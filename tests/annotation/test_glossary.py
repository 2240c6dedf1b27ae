"""Descriptions of labels for `spacy.explain`."""

import spacy
from spacy.glossary import GLOSSARY

import spacy_joint
from spacy_joint.annotation.glossary import FILE, extend_glossary


def test_every_label_of_the_shipped_pipeline_is_explained():
    nlp = spacy_joint.load()
    # Neither features, which have names, nor the scripts that make lemmas, nor words with capitals of their own.
    names = set(nlp.component_names) - {"sequence_morphologizer", "sequence_lemmatizer", "punctuation_restorer"}
    labels = {label for name in names for label in nlp.get_pipe(name).labels}
    assert {"nmod:poss", "advcl:relcl", "NNP", "ODD", "SBARQ"} <= labels
    # Warnings are errors: spaCy warns of a label that it does not know.
    assert all(spacy.explain(label) for label in labels)


def test_descriptions_of_spacy_stay(monkeypatch):
    monkeypatch.setitem(GLOSSARY, "nmod:poss", "as it was")
    extend_glossary()
    assert spacy.explain("nmod:poss") == "as it was"


def test_each_label_is_described_once():
    labels = [line.split("\t")[0] for line in FILE.read_text(encoding="utf8").splitlines()]
    assert len(labels) == len(set(labels))
