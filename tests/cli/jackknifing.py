"""Configs of small trainings for tests of `jackknife`, and what it writes."""

from spacy.tokens import DocBin
from spacy.vocab import Vocab
from thinc.api import Config

PERCEPTRON = {"@architectures": "spacy_joint.BeamPerceptron.v1", "table_bits": 16, "beam_width": 2}
PERCEPTRON |= {"update_strategy": "laso", "rule": "perceptron", "min_changes": 1}
TAGGER = {"sequence_tagger": {"factory": "sequence_tagger", "model": PERCEPTRON}}
TOK2VEC = {"@architectures": "spacy.HashEmbedCNN.v2", "width": 8, "depth": 1, "embed_size": 100, "window_size": 1}
TOK2VEC |= {"maxout_pieces": 2, "subword_features": False, "pretrained_vectors": None}


def write_config(path, components, reader, corpus, options=None, **training):
    """Write a config that trains components on a corpus, with options of its reader, and return its path."""
    batcher = {"@batchers": "spacy.batch_by_sequence.v1", "size": 2}
    config = {
        "nlp": {"lang": "en", "pipeline": list(components)},
        "components": components,
        "corpora": {
            "train": {"@readers": reader, "path": str(corpus), **(options or {})},
            "dev": {"@readers": reader, "path": "not read"},
        },
        "training": {"seed": 1, "max_epochs": 4, "max_steps": 0, "batcher": batcher, **training},
    }
    Config(config).to_disk(path)
    return path


def read_docs(path):
    return list(DocBin().from_disk(path).get_docs(Vocab()))
