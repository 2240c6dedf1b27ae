"""A guide whose training is interrupted ends like one that is not: weights, moments, rates and random numbers go on."""

import pytest
import spacy
from spacy.cli.train import train
from spacy.tokens import DocBin
from spacy.util import load_config

from spacy_joint.cli.training.configs import CONFIGS

from .learning import make_tok2vec
from .test_parser_guide import NOUNS, VERBS, say

LSTM = make_tok2vec(16, 100, width=16, window=24, stride=16)


@pytest.fixture(params=["LSTM", "transformer"])
def config(request, tmp_path, write_transformer):
    """Twelve steps over several epochs, with dropout and a falling rate, and a checkpoint after each."""
    encoder = LSTM
    if request.param == "transformer":
        pytest.importorskip("torch")
        pytest.importorskip("transformers")
        name = str(write_transformer(tmp_path / "encoder", ["the", *NOUNS, *VERBS]))
        encoder = {"@architectures": "spacy_joint.Transformer.v1", "name": name, "window": 24, "stride": 16}
    vocab = spacy.blank("en").vocab
    for part in ("train", "dev"):
        DocBin(docs=[say(vocab, seed) for seed in range(12)]).to_disk(tmp_path / f"{part}.spacy")
    overrides = {f"paths.{part}": str(tmp_path / f"{part}.spacy") for part in ("train", "dev")}
    config = load_config(CONFIGS / "parser_guide_trf.cfg", overrides)
    del config["components"]["sequence_tagger"]
    config["nlp"] |= {"pipeline": ["parser_guide"], "tokenizer": {"@tokenizers": "spacy.Tokenizer.v1"}}
    config["initialize"]["before_init"] = None
    config["components"]["parser_guide"]["model"] |= {"tok2vec": encoder, "window": 24, "stride": 16}
    config["corpora"]["train"]["keep"] = []
    config["training"] |= {"dev_corpus": "corpora.dev_original", "frozen_components": []}
    config["training"] |= {"max_steps": 12, "eval_frequency": 1}
    config["training"]["batcher"]["size"] = 60
    config["training"]["before_to_disk"] = {
        "@callbacks": "spacy_joint.checkpoint.v1",
        "path": str(tmp_path / "checkpoint"),
    }
    config.to_disk(tmp_path / "config.cfg")
    return tmp_path / "config.cfg"


class Interruption(Exception):
    """Ends a training."""


def interrupt(config, output, n_steps, monkeypatch, train=train):
    """Trains, and ends the training after this number of steps and their checkpoints."""
    from spacy_joint.guiding.parser_guide import ParserGuide

    update, n_left = ParserGuide.update, n_steps

    def count(*args, **kwargs):
        nonlocal n_left
        if not n_left:
            raise Interruption
        n_left -= 1
        return update(*args, **kwargs)

    with monkeypatch.context() as patch, pytest.raises(Interruption):
        patch.setattr(ParserGuide, "update", count)
        train(config, output)


def test_a_guide_interrupted_twice_ends_like_an_uninterrupted_one(config, run, tmp_path, monkeypatch):
    checkpoint, resumed = tmp_path / "checkpoint", tmp_path / "resumed.cfg"
    train(config, tmp_path / "uninterrupted")
    expected = {
        "model": (tmp_path / "uninterrupted/model-last/parser_guide/model").read_bytes(),
        "learning": (checkpoint / "parser_guide/learning").read_bytes(),
    }
    interrupt(config, tmp_path / "first", 5, monkeypatch)
    run("resume", checkpoint, resumed)
    interrupt(resumed, tmp_path / "second", 3, monkeypatch)
    run("resume", checkpoint, resumed)
    train(resumed, tmp_path / "third")
    found = {
        "model": (tmp_path / "third/model-last/parser_guide/model").read_bytes(),
        "learning": (checkpoint / "parser_guide/learning").read_bytes(),
    }
    assert found["model"] == expected["model"]
    # The steps since the last start differ.
    assert len(found["learning"]) == len(expected["learning"])
    for finished in (checkpoint, tmp_path / "third/model-last"):
        assert "J442" in run("resume", finished, resumed, fails=True).output
