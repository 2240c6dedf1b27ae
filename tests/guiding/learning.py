"""How the guides of these tests learn."""

from spacy.util import fix_random_seed
from thinc.api import Adam


def make_tok2vec(embed_width, rows, **encode):
    """The config of a small recurrent encoder of words, which are embedded by their norms."""
    return {
        "@architectures": "spacy.Tok2Vec.v2",
        "embed": {
            "@architectures": "spacy.MultiHashEmbed.v2",
            "width": embed_width,
            "attrs": ["NORM"],
            "rows": [rows],
            "include_static_vectors": False,
        },
        "encode": {"@architectures": "spacy_joint.BiLSTMEncoder.v1", **encode},
    }


def learn(nlp, name, examples, epochs):
    """Initialize a pipeline, and train one of its components with batches of eight."""
    fix_random_seed(0)
    nlp.initialize(lambda: examples)
    optimizer = Adam(0.01)
    for _ in range(epochs):
        for first in range(0, len(examples), 8):
            nlp.get_pipe(name).update(examples[first : first + 8], sgd=optimizer)
