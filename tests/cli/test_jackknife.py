"""`jackknife`: each document is tagged by a tagger that has not seen it, and nothing else changes."""

from functools import partial

import pytest
import spacy
from spacy.tokens import Doc, DocBin
from spacy.util import load_config
from spacy.vocab import Vocab

from spacy_joint.annotation.custom_columns import GUIDE_COLUMNS, GUIDE_LABEL
from spacy_joint.corpora.conllu import read_conllu
from spacy_joint.corpora.examples import make_example
from spacy_joint.training.jackknifing import Jackknife
from spacy_joint.training.unpunctuated import unpunctuate

from .jackknifing import TAGGER, TOK2VEC, read_docs, write_config

GUIDE_MODEL = {"@architectures": "spacy_joint.ParserGuide.v1", "arc_width": 8, "label_width": 8, "tok2vec": TOK2VEC}
GUIDE = {"parser_guide": {"factory": "parser_guide", "model": GUIDE_MODEL}}
TAGGING_GUIDE = {"parser_guide": {"factory": "parser_guide", "model": {**GUIDE_MODEL, "tags": True}}}
UNPUNCTUATED = '{"@augmenters":"spacy_joint.unpunctuated.v1","keep_original":true}'


@pytest.fixture
def docs(assets):
    return list(read_conllu(assets / "tiny_train.conllu", Vocab()))[:5]


@pytest.fixture
def configure(docs, tmp_path):
    """Write a config that trains components on the documents."""
    DocBin(docs=docs).to_disk(tmp_path / "train.spacy")
    reader, corpus = "spacy_joint.DocBinCorpus.v1", tmp_path / "train.spacy"
    return partial(write_config, tmp_path / "config.cfg", reader=reader, corpus=corpus)


@pytest.fixture
def config(configure):
    return configure(TAGGER, options={"augmenter": None})


@pytest.fixture
def output(tmp_path):
    return tmp_path / "tagged.spacy"


def describe_all_but_tags(doc):
    return [
        (token.text, token.whitespace_, token.pos_, str(token.morph), token.lemma_, token.head.i, token.dep_)
        for token in doc
    ]


@pytest.mark.parametrize("augmenter", ["null", UNPUNCTUATED], ids=["originals", "with copies"])
def test_only_tags_change(run, config, output, docs, augmenter):
    printed = run("jackknife", config, output, "--folds", 3, "--corpora.train.augmenter", augmenter).stdout
    expected = docs if augmenter == "null" else [variant for doc in docs for variant in (doc, unpunctuate(doc))]
    tagged = read_docs(output)
    assert list(map(describe_all_but_tags, tagged)) == list(map(describe_all_but_tags, expected))
    pairs = [(a.tag_, b.tag_) for old, new in zip(expected, tagged, strict=True) for a, b in zip(old, new, strict=True)]
    right = sum(a == b for a, b in pairs)
    assert 0.3 * len(pairs) < right < len(pairs)
    assert f"accuracy {100 * right / len(pairs):.2f}" in " ".join(printed.split())
    assert "seed 1" in printed


def test_line_breaks_are_kept(run, config, output, docs):
    lines = '{"@augmenters":"spacy_joint.noise.v1","unpunctuated":0,"speech":0,"lines":1}'
    run("jackknife", config, output, "--folds", 3, f"--corpora.train.augmenter={lines}")
    wrapped = [doc for doc in read_docs(output) if "\n" in doc.text]
    assert len(wrapped) > 1
    for doc in wrapped:
        assert {token.tag_ for token in doc if token.text.isspace()} == {"_SP"}
        assert " ".join(doc.text.split()) in [each.text.strip() for each in docs]


def test_no_tagger_has_seen_the_documents_it_tags_and_boundaries_without_trees_are_kept(run, config, output, tmp_path):
    # A tag that occurs in only one document cannot be predicted for it.
    starts = [True, False, True, False]
    docs = [Doc(Vocab(), words=list("abcd"), tags=[f"T{n}"] * 4, sent_starts=starts) for n in range(5)]
    DocBin(docs=docs).to_disk(tmp_path / "train.spacy")
    run("jackknife", config, output, "--folds", 5)
    for number, doc in enumerate(read_docs(output)):
        assert all(token.tag_ and token.tag_ != f"T{number}" for token in doc)
        assert [token.is_sent_start for token in doc] == starts


@pytest.mark.parametrize(
    "components", [GUIDE, TAGGER | GUIDE, TAGGING_GUIDE], ids=["guide", "tagger, guide", "guide with tags"]
)
def test_columns_of_a_guide_are_added(run, configure, output, docs, components):
    config = configure(components, options={"augmenter": None})
    run("jackknife", config, output, "--folds", 2, "--corpora.train.augmenter", UNPUNCTUATED)
    expected = [variant for doc in docs for variant in (doc, unpunctuate(doc))]
    found = read_docs(output)
    assert list(map(describe_all_but_tags, found)) == list(map(describe_all_but_tags, expected))
    for doc in found:
        assert all(len(doc._.token_columns[name]) == len(doc) for name in GUIDE_COLUMNS)
    tags = [[[token.tag_ for token in doc] for doc in group] for group in (found, expected)]
    assert (tags[0] == tags[1]) is (components is GUIDE)


def test_components_of_other_pipelines_are_not_trained(run, configure, output, docs, tmp_path, small_model):
    tagger = spacy.blank("en")
    tagger.add_pipe("sequence_tagger", config={"model": small_model})
    tagger.initialize(lambda: [make_example(doc) for doc in docs])
    tagger.to_disk(tmp_path / "tagger")
    sourced = {"sequence_tagger": {"source": str(tmp_path / "tagger")}}
    config = configure(sourced | GUIDE, options={"keep": ["TAG"]}, frozen_components=["sequence_tagger"])
    run("jackknife", config, output, "--folds", 2)
    for doc, original in zip(read_docs(output), docs, strict=True):
        assert [token.tag_ for token in doc] == [token.tag_ for token in original]
        assert set(doc._.token_columns) == set(GUIDE_COLUMNS)


def test_all_folds_learn_from_the_other_corpora_of_a_mixture(run, config, output, tmp_path):
    for name, tags in (("gold", [f"T{n}" for n in range(4)]), ("silver", ["S"] * 4)):
        documents = [Doc(Vocab(), words=["a"] * 3, tags=[tag] * 3, sent_starts=[True, False, False]) for tag in tags]
        DocBin(docs=documents).to_disk(tmp_path / f"{name}.spacy")
    mixed = load_config(config)
    readers = {name: {**mixed["corpora"]["train"], "path": f"{tmp_path}/{name}.spacy"} for name in ("gold", "silver")}
    shares = {"gold": 1.0, "silver": 8.0}
    mixed["corpora"]["train"] = {"@readers": "spacy_joint.MixedCorpus.v1", "shares": shares, "corpora": readers}
    mixed.to_disk(config)
    run("jackknife", config, output, "--folds", 2)
    assert [[token.tag_ for token in doc] for doc in read_docs(output)] == [["S"] * 3] * 4


def test_copies_stay_in_the_folds_of_their_originals(run, config, configure, output, tmp_path):
    # The label of a document occurs in its copy only, so a guide that has seen the copy would know it.
    words = ["a", ",", "b"]
    docs = [
        Doc(Vocab(), words=words, tags=["T"] * 3, pos=["X", "PUNCT", "X"], heads=[2, 2, 2], deps=[f"L{n}", "p", "ROOT"])
        for n in range(4)
    ]
    DocBin(docs=docs).to_disk(tmp_path / "train.spacy")
    run("jackknife", config, output, "--folds", 2, "--corpora.train.augmenter", UNPUNCTUATED)
    guide = configure(GUIDE, options={"keep": ["TAG"]})
    run("jackknife", guide, tmp_path / "guided.spacy", "--folds", 4, "--corpora.train.path", output)
    guided = read_docs(tmp_path / "guided.spacy")
    assert [len(doc) for doc in guided] == [3, 2] * 4
    for number, doc in enumerate(guided):
        assert f"L{number // 2}" not in doc._.token_columns[GUIDE_LABEL]
        assert [token.tag_ for token in doc] == ["T"] * len(doc)


def test_copies_lose_gold_punctuation_not_predicted_punctuation(run, config, output, docs):
    overrides = ["--components.sequence_tagger.attribute", "POS", "--corpora.train.augmenter", UNPUNCTUATED]
    run("jackknife", config, output, "--folds", 2, *overrides)
    expected = [text for doc in docs for text in (doc.text, unpunctuate(doc).text)]
    assert [doc.text for doc in read_docs(output)] == expected


@pytest.fixture
def trainings(monkeypatch):
    """The trainings so far. The second one is interrupted."""
    made, train = [], Jackknife._train

    def train_or_fail(self, seen, unseen):
        made.append(unseen)
        if len(made) == 2:
            raise OSError("interrupted")
        return train(self, seen, unseen)

    monkeypatch.setattr(Jackknife, "_train", train_or_fail)
    return made


def test_finished_folds_are_reused(run, config, output, tmp_path, trainings):
    run("jackknife", config, output, "--folds", 2, fails=True)
    assert not output.exists()
    run("jackknife", config, output, "--folds", 2)
    # Of the first fold once, of the second one twice.
    assert len(trainings) == 3 and trainings[1] == trainings[2]
    run("jackknife", config, tmp_path / "at_once.spacy", "--folds", 2)
    assert output.read_bytes() == (tmp_path / "at_once.spacy").read_bytes()
    assert not list(tmp_path.glob("*.parts"))


def test_folds_with_other_settings_are_not_reused(run, config, output, trainings):
    run("jackknife", config, output, "--folds", 2, fails=True)
    run("jackknife", config, output, "--folds", 2, "--training.seed", 2)
    assert len(trainings) == 4
