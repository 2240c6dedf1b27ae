"""The configs of the repository are complete, and pass spaCy's own checks."""

from pathlib import Path

import pytest
import spacy
from spacy.cli.debug_config import debug_config
from spacy.util import load_config

# Those for training; another one only puts trained components together.
CONFIGS = sorted(
    path for path in (Path(__file__).parent.parent / "configs").glob("*.cfg") if "\n[training]\n" in path.read_text()
)
CONFIG = pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)


@pytest.fixture
def saved_cues(tmp_path, small_model):
    nlp = spacy.blank("en")
    nlp.add_pipe("quotation_cues", config={"model": small_model})
    nlp.to_disk(tmp_path / "cues")
    return tmp_path / "cues"


@pytest.fixture
def overrides(assets, saved_pipeline, saved_cues):
    def choose(path: Path) -> dict[str, str]:
        paths = {"paths.word_classes": str(assets / "en_word_classes.msgpack")}
        if "tokenizer_exceptions" in load_config(path)["paths"]:
            paths["paths.tokenizer_exceptions"] = str(assets / "en_tokenizer_exceptions.json")
        if "tagger" in load_config(path)["paths"]:
            paths["paths.tagger"] = str(saved_pipeline)
        if "parser" in load_config(path)["paths"]:
            paths["paths.parser"] = str(saved_pipeline)
        if "cues" in load_config(path)["paths"]:
            paths["paths.cues"] = str(saved_cues)
        return paths

    return choose


def test_there_is_a_config_for_each_component():
    assert [path.stem for path in CONFIGS] == [
        "hedge_chunker",
        "joint_sbd_parser",
        "prenominal_orderer",
        "quotation_cues",
        "quotation_spans",
        "sequence_lemmatizer",
        "sequence_morphologizer",
        "sequence_tagger",
    ]


@CONFIG
def test_debug_config_accepts_it(path, overrides, capsys):
    debug_config(path, overrides=overrides(path), show_funcs=True)
    printed = capsys.readouterr().out
    assert "Config is valid" in printed
    assert "Perceptron.v1" in printed


@CONFIG
def test_it_works_without_word_classes(path, overrides):
    component = load_config(path)["nlp"]["pipeline"][-1]
    block = f"initialize.components.{component}.word_classes"
    debug_config(path, overrides={**overrides(path), block: None})


@CONFIG
def test_training_is_seeded_and_ends(path):
    training = load_config(path, interpolate=True)["training"]
    assert training["seed"] == training["max_steps"] == 0 < training["max_epochs"]


def test_training_of_the_parser_stops_early_by_the_mean_of_boundaries_and_trees():
    (path,) = [path for path in CONFIGS if path.stem == "joint_sbd_parser"]
    training = load_config(path)["training"]
    assert training["patience"] > 3 * training["eval_frequency"]
    assert {name: weight for name, weight in training["score_weights"].items() if weight} == {
        "boundary_f": 0.5,
        "dep_las_punct": 0.5,
    }


def test_the_tagger_can_train_on_each_kind_of_text(overrides):
    (path,) = [path for path in CONFIGS if path.stem == "sequence_tagger"]
    for kind in ("original", "unpunctuated", "both"):
        debug_config(path, overrides={**overrides(path), "training.train_corpus": f"corpora.{kind}"})
