"""The config of docs/fine_tuning.md trains, and pretrained components can be trained further."""

import re
from pathlib import Path

import numpy as np
import pytest
import spacy
import srsly
import typer
from spacy.cli._util import app
from spacy.cli.init_config import fill_config
from spacy.cli.train import train
from spacy.tokens import Doc, DocBin
from spacy.training import Example

import spacy_joint
from spacy_joint.training.finishing import finish_pipeline

PAGE = Path(__file__).parents[2] / "docs" / "fine_tuning.md"
NAMES = ("sequence_tagger", "joint_sbd_parser")
SETTINGS = {f"components.{name}.model.n_tables": 1 for name in NAMES} | {
    "components.joint_sbd_parser.boundary_bias": 0.0
}

WORDS = ["yeet", "the", "ball", "over", "here", "fam"]
TAGS = ["VB", "DT", "NN", "IN", "RB", "NN"]
HEADS = [0, 2, 0, 4, 0, 0]
DEPS = ["ROOT", "det", "obj", "case", "advmod", "vocative"]


def read_config():
    """The config of the page."""
    (found,) = re.findall(r"```ini\n(.*?)```", PAGE.read_text(encoding="utf8"), re.DOTALL)
    return found


@pytest.fixture
def corpus(read_examples, tmp_path):
    """The path of the tiny treebank as a DocBin, with an entity in each document."""
    nlp = spacy.blank("en")
    docs = [example.reference for example in read_examples(nlp, limit=4)]
    for doc in docs:
        doc.set_ents([doc.char_span(0, len(doc[0].text), label="FIRST")], default="outside")
    path = tmp_path / "corpus.spacy"
    DocBin(docs=docs, attrs=["ENT_IOB", "ENT_TYPE", "TAG", "HEAD", "DEP", "SENT_START"]).to_disk(path)
    return path


@pytest.mark.skipif(not PAGE.is_file(), reason="the docs are not part of what is installed")
@pytest.mark.parametrize(
    ("component", "changes"),
    [("ner", {}), ("joint_sbd_parser", {"nlp.pipeline": NAMES, "training.frozen_components": NAMES[:1]})],
)
def test_the_config_of_the_page_trains(component, changes, corpus, tmp_path):
    recipe, config, output = tmp_path / "recipe.cfg", tmp_path / "config.cfg", tmp_path / "training"
    recipe.write_text(read_config(), encoding="utf8")
    fill_config(config, recipe, silent=True)
    train(config, output, overrides={"paths.train": str(corpus), "paths.dev": str(corpus), **changes})
    before, after = spacy_joint.load(), spacy.load(output / "model-last")
    for name in after.component_names:
        is_the_same = name in before.component_names and (
            after.get_pipe(name).to_bytes(exclude=["vocab", "learning"])
            == before.get_pipe(name).to_bytes(exclude=["vocab", "learning"])
        )
        assert is_the_same == (name != component)
    assert list(after("she lost her keys a neighbour found them").sents)


def parse(nlp, words=WORDS):
    doc = nlp(Doc(nlp.vocab, words=words))
    return [(token.tag_, token.head.i, token.dep_) for token in doc]


@pytest.fixture(scope="module")
def taught():
    """The pretrained pipeline after some updates with one document."""
    nlp = spacy_joint.load(config=SETTINGS)
    reference = Doc(nlp.vocab, words=WORDS, tags=TAGS, heads=HEADS, deps=DEPS)
    nlp.resume_training()
    for _ in range(5):
        nlp.update([Example(Doc(nlp.vocab, words=WORDS), reference)], annotates=["sequence_tagger"])
    return nlp


def test_the_pretrained_pipeline_learns_examples(taught):
    expected = list(zip(TAGS, HEADS, DEPS, strict=True))
    assert parse(spacy_joint.load()) != expected
    assert parse(taught) == expected


def test_what_it_knew_is_not_lost(taught, read_examples):
    before = spacy_joint.load()
    scores = [nlp.evaluate(read_examples(nlp, "dev")) for nlp in (before, taught)]
    for name in ("tag_acc", "boundary_f", "dep_las_punct"):
        # The treebank is tiny: a few boundaries are several points.
        assert scores[1][name] > scores[0][name] - 0.1


def test_the_weights_that_an_update_starts_from_are_those_of_prediction():
    nlp = spacy_joint.load(config=SETTINGS)
    weights = nlp.get_pipe("sequence_tagger").perceptron.weights
    expected = weights.averaged.astype(np.float32) * weights.scale
    same = Doc(nlp.vocab, words=["hello"], tags=["UH"])
    nlp.get_pipe("sequence_tagger").update([Example(Doc(nlp.vocab, words=["hello"]), same)])
    assert (weights.raw == expected).all()


def test_a_pipeline_that_was_taught_is_finished_like_any_other(taught, tmp_path):
    taught.to_disk(tmp_path / "taught")
    finish_pipeline(tmp_path / "taught", tmp_path / "finished", {}, {})
    assert not list((tmp_path / "finished").rglob("learning"))
    assert parse(spacy.load(tmp_path / "finished")) == parse(taught)


# Labels


def test_spacy_writes_labels_that_initialization_reads(assets, tmp_path, read_examples):
    nlp = spacy.blank("en")
    for name in NAMES:
        nlp.add_pipe(name, config={"model": {"table_bits": 18}})
    nlp.config["corpora"] = {
        name: {"@readers": "spacy_joint.ConlluCorpus.v1", "path": str(assets / f"tiny_{name}.conllu")}
        for name in ("train", "dev")
    }
    config = nlp.config
    config.to_disk(tmp_path / "config.cfg")
    command = ["init", "labels", str(tmp_path / "config.cfg"), str(tmp_path / "labels")]
    typer.main.get_command(app)(command, standalone_mode=False)
    examples = read_examples(nlp)
    nlp.initialize(lambda: examples)
    for name in NAMES:
        assert srsly.read_json(tmp_path / "labels" / f"{name}.json") == nlp.get_pipe(name).label_data
        reader = {"@readers": "spacy.read_labels.v1", "path": str(tmp_path / "labels" / f"{name}.json")}
        config["initialize"]["components"][name] = {"labels": reader}
    again = spacy.util.load_model_from_config(config, auto_fill=True)
    again.initialize()
    assert [again.get_pipe(name).label_data for name in NAMES] == [nlp.get_pipe(name).label_data for name in NAMES]
