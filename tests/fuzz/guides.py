"""The target for saved guides: their labels and their layers, which must not crash when they predict."""

import copy
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import spacy
import srsly
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed
from thinc.api import Model

from spacy_joint.guiding.parser_guide import ParserGuide

from ..guiding.learning import make_tok2vec
from .models import DIVIDER

WORDS = ["Kim", "saw", "her"]
MODEL = {
    "@architectures": "spacy_joint.ParserGuide.v1",
    "tok2vec": make_tok2vec(2, 3, width=2, depth=1),
    "arc_width": 2,
    "label_width": 2,
}


@cache
def _make_guides() -> tuple[Any, Model, bytes]:
    """A guide to load into, its empty model, and the bytes of an initialized one."""
    nlp = spacy.blank("en")
    empty, other = (nlp.create_pipe("parser_guide", config={"model": MODEL}) for _ in range(2))
    doc = Doc(nlp.vocab, words=WORDS, heads=[1, 1, 1], deps=["nsubj", "ROOT", "obj"])
    fix_random_seed(0)
    other.initialize(lambda: [Example(Doc(nlp.vocab, words=WORDS), doc)])
    return empty, copy.deepcopy(empty.model), other.to_bytes(exclude=["vocab"])


def make_seeds() -> list[bytes]:
    parts = srsly.msgpack_loads(_make_guides()[2])
    return [parts["cfg"] + DIVIDER + parts["model"]]


def load_guide(content: bytes, directory: Path) -> None:
    guide: ParserGuide
    guide, model, _ = _make_guides()
    cfg, _, weights = content.partition(DIVIDER)
    guide.model, guide.cfg = copy.deepcopy(model), {"labels": []}
    for name, part in (("cfg", cfg), ("model", weights)):
        (directory / name).write_bytes(part)
    guide.from_disk(directory, exclude=["vocab"])
    # Layers check their settings when they are used, and these are not ours: any exception will do.
    with np.errstate(all="ignore"), suppress(Exception):
        guide(Doc(guide.vocab, words=WORDS))
