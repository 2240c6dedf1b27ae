"""The configs that the repository ships: complete, and accepted by spaCy's own checks."""

from pathlib import Path

import pytest
from spacy.cli.debug_config import debug_config
from spacy.util import load_config

CONFIGS = sorted((Path(__file__).parent.parent / "configs").glob("*.cfg"))
CONFIG = pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)


@pytest.fixture
def overrides(assets, saved_pipeline):
    def choose(path: Path) -> dict[str, str]:
        paths = {"paths.word_classes": str(assets / "en_word_classes.msgpack")}
        if "tagger" in load_config(path)["paths"]:
            paths["paths.tagger"] = str(saved_pipeline)
        return paths

    return choose


def test_there_is_a_config_for_each_component():
    stems = [path.stem for path in CONFIGS]
    assert stems == ["hedge_chunker", "joint_sbd_parser", "prenominal_orderer", "sequence_tagger"]


@CONFIG
def test_debug_config_accepts_it(path, overrides, capsys):
    debug_config(path, overrides=overrides(path), show_funcs=True)
    printed = capsys.readouterr().out
    assert "Config is valid" in printed
    assert "Perceptron.v1" in printed


@CONFIG
def test_it_can_do_without_word_classes(path, overrides):
    component = load_config(path)["nlp"]["pipeline"][-1]
    block = f"initialize.components.{component}.word_classes"
    debug_config(path, overrides={**overrides(path), block: None})


@CONFIG
def test_training_is_seeded_and_never_stops_early(path):
    training = load_config(path, interpolate=True)["training"]
    assert training["seed"] == 0
    assert training["patience"] == training["max_steps"] == 0 < training["max_epochs"]


def test_the_tagger_can_train_on_each_kind_of_text(overrides):
    for kind in ("original", "unpunctuated", "both"):
        path = CONFIGS[0].with_name("sequence_tagger.cfg")
        debug_config(path, overrides={**overrides(path), "training.train_corpus": f"corpora.{kind}"})
