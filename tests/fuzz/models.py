"""The target for saved components of every kind: cfg, model, learning and word classes, and their predictions.

Model files have checksums, so merely changed bytes would never get past them. So an input has the files in pieces (the
header and the arrays apart, separated by DIVIDER), which are assembled here with valid sizes and checksums: only the
contents are wrong.
"""

import copy
import json
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import spacy
import srsly
from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.util import fix_random_seed
from spacy.vocab import Vocab
from thinc.api import Model

from spacy_joint.annotation.constituents import set_constituents
from spacy_joint.engine import model_file
from spacy_joint.pipes.component_files import CHECKSUMS
from spacy_joint.pipes.structured_pipe import StructuredPipe
from spacy_joint.pipes.word_classes import NO_CLASSES

TRAINED_PARTS = ("word_classes", "model", "learning")
DIVIDER = b"\n--PART--\n"
MODEL = {"@architectures": "spacy_joint.BeamPerceptron.v1", "table_bits": 8, "beam_width": 2, "n_tables": 2}
CONFIGS: dict[str, dict[str, Any]] = {
    "joint_sbd_parser": {"model": MODEL},
    "sequence_tagger": {"model": MODEL},
    "hedge_chunker": {"model": MODEL},
    "hedge_segmenter": {"model": MODEL},
    "prenominal_orderer": {
        "model": {"@architectures": "spacy_joint.OrderPerceptron.v1", "table_bits": 8, "n_tables": 2}
    },
    "quotation_cues": {"model": MODEL},
    "quotation_spans": {"method": "semimarkov", "model": MODEL},
}
WORDS = ["Kim", "said", ":", '"', "the", "big", "red", "ball", "was", "sold", '"', ".", "she", "left"]
DEPS = (
    *("nsubj", "ROOT", "punct", "punct", "det", "amod", "amod", "nsubj", "aux", "ccomp", "punct", "punct"),
    *("nsubj", "ROOT"),
)
WORD_CLASSES = {"ball": [1, 3], "said": [0, 2]}


class Component(NamedTuple):
    """A component to load into, its empty model, and the saved parts of a trained one."""

    pipe: StructuredPipe
    model: Model
    parts: dict[str, Any]


def make_quoted(vocab: Vocab) -> Doc:
    """A document of two sentences with tags, trees, constituents and a quotation."""
    doc = Doc(
        vocab,
        words=WORDS,
        tags=["NNP", "VBD", ":", "``", "DT", "JJ", "JJ", "NN", "VBD", "VBN", "''", ".", "PRP", "VBD"],
        heads=[1, 1, 1, 9, 7, 7, 7, 9, 9, 1, 9, 1, 13, 13],
        deps=list(DEPS),
    )
    set_constituents(doc, [("NP", 0, 1), ("VP", 1, 11), ("NP", 4, 8), ("NP", 12, 13), ("VP", 13, 14)])
    doc.spans["quotations"] = [Span(doc, 3, 11, label="DIRECT", span_id="Q1")]
    doc.spans["quotation_cues"] = [Span(doc, 1, 2, label="CUE", span_id="Q1")]
    return doc


def _make_example() -> Example:
    doc = make_quoted(_blank().vocab)
    return Example(Doc(doc.vocab, words=WORDS, tags=[token.tag_ for token in doc]), doc)


@cache
def _blank() -> spacy.language.Language:
    return spacy.blank("en")


@cache
def _components() -> list[Component]:
    components = []
    for factory, config in CONFIGS.items():
        fix_random_seed(0)
        empty, trained = (_blank().create_pipe(factory, config=config) for _ in range(2))
        trained.initialize(lambda: [_make_example()], word_classes=WORD_CLASSES)
        for _ in range(3):
            trained.update([_make_example()], drop=0.1)
        parts = srsly.msgpack_loads(trained.to_bytes(exclude=["vocab"]))
        del parts[CHECKSUMS]
        components.append(Component(empty, copy.deepcopy(empty.model), parts))
    return components


def make_seeds() -> list[bytes]:
    seeds = []
    for number, (_, _, parts) in enumerate(_components()):
        pieces = [parts["cfg"]]
        for name in TRAINED_PARTS:
            pieces += unseal(parts[name])
        seeds.append(bytes([number]) + DIVIDER.join(pieces))
    return seeds


def unseal(content: bytes) -> tuple[bytes, bytes]:
    """The header and the arrays of a model file."""
    _, _, header_size, _ = model_file.PREFIX.unpack(content[: model_file.PREFIX.size])
    end = model_file.PREFIX.size + header_size
    return content[model_file.PREFIX.size : end], content[-(-end // model_file.ALIGNMENT) * model_file.ALIGNMENT :]


def seal(header: bytes, arrays: bytes) -> bytes:
    """A model file of these parts, with valid sizes and checksums."""
    try:
        described = json.loads(header)
        for about in described["arrays"]:
            array = arrays[about["at"] :][: about["n"] * int(about["dtype"][2:])]
            about["crc32"] = zlib.crc32(array)
        header = json.dumps(described).encode("utf8")
    except (AttributeError, IndexError, KeyError, RecursionError, TypeError, ValueError):
        pass
    content = model_file.PREFIX.pack(model_file.MAGIC, model_file.VERSION, len(header), zlib.crc32(header)) + header
    return content + b"\0" * (-len(content) % model_file.ALIGNMENT) + arrays


def load_component(content: bytes, directory: Path) -> None:
    number, content = content[0] if content else 0, content[1:]
    pipe, model, whole = _components()[number % len(CONFIGS)]
    cfg, *pieces = content.split(DIVIDER)
    sealed = map(seal, pieces[::2], pieces[1::2])
    parts = {**whole, "cfg": cfg, **dict(zip(TRAINED_PARTS, sealed, strict=False))}
    for name, part in parts.items():
        (directory / name).write_bytes(part)
    refused = _try(pipe, model, lambda: pipe.from_bytes(srsly.msgpack_dumps(parts), exclude=["vocab"]))
    refused += _try(pipe, model, lambda: pipe.from_disk(directory, exclude=["vocab"]))
    # Most bytes are not a component at all.
    _try(pipe, model, lambda: pipe.from_bytes(content, exclude=["vocab"]))
    if refused:
        raise refused[-1]


def _try(pipe: StructuredPipe, model: Model, take: Callable[[], Any]) -> list[ValueError]:
    # Reused, because creating another one would take most of the time.
    pipe.model, pipe.cfg = copy.deepcopy(model), {"labels": None, "templates": None, **pipe.settings}
    pipe.word_classes = NO_CLASSES
    try:
        take()
        # Use what was loaded, too: it must not crash the process.
        example = _make_example()
        pipe(example.predicted)
        pipe.update([example], drop=0.1)
    except ValueError as error:
        if not str(error).startswith("[J"):
            raise
        return [error]
    return []
