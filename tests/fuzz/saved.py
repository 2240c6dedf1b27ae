"""Targets for saved components, which are used after loading: it must not crash the process.

Their parts have checksums, so merely changed bytes would never get past them. So an input has the parts in pieces
(model files as header and arrays apart, separated by DIVIDER), which are assembled here with valid sizes and checksums:
only the contents are wrong. The first byte is the number of the component.
"""

import copy
import json
import zlib
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import spacy
import srsly
from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.util import fix_random_seed
from spacy.vocab import Vocab

from spacy_joint.annotation.constituents import set_constituents
from spacy_joint.corpora.constituency_treebanks import make_doc
from spacy_joint.engine import model_file
from spacy_joint.errors import JointValueError
from spacy_joint.pipes.component_files import CHECKSUMS
from spacy_joint.trees.constituency_trees import parse_trees

from ..charts.grammars import TREEBANK
from ..guiding.learning import make_tok2vec

DIVIDER = b"\n--PART--\n"
# Of a closing of charts, the key of its model file.
CELLS = "cells"
BEAM = {"@architectures": "spacy_joint.BeamPerceptron.v1", "table_bits": 8, "beam_width": 2, "n_tables": 2}
PERCEPTRONS: dict[str, dict[str, Any]] = {
    "joint_sbd_parser": {"model": BEAM},
    "sequence_tagger": {"model": BEAM},
    "hedge_chunker": {"model": BEAM},
    "hedge_segmenter": {"model": BEAM},
    "prenominal_orderer": {
        "model": {"@architectures": "spacy_joint.OrderPerceptron.v1", "table_bits": 8, "n_tables": 2}
    },
    "quotation_cues": {"model": BEAM},
    "quotation_spans": {"method": "semimarkov", "model": BEAM},
}
CHARTS = {"closure": ["constituents", "complete", "widths"], "decoding": "max_constituents"}
GUIDE = {
    "@architectures": "spacy_joint.ParserGuide.v1",
    "tok2vec": make_tok2vec(2, 3, width=2, depth=1),
    "arc_width": 2,
    "label_width": 2,
}
WORDS = ["Kim", "said", ":", '"', "the", "big", "red", "ball", "was", "sold", '"', ".", "she", "left"]
DEPS = (
    *("nsubj", "ROOT", "punct", "punct", "det", "amod", "amod", "nsubj", "aux", "ccomp", "punct", "punct"),
    *("nsubj", "ROOT"),
)
WORD_CLASSES = {"ball": [1, 3], "said": [0, 2]}


class Saved(NamedTuple):
    """A component to load into, its attributes before, the saved parts of a trained one, and how it is used."""

    pipe: Any
    empty: dict[str, Any]
    parts: dict[str, bytes]
    use: Callable[[Any], object]


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


def _save(
    factory: str, config: dict[str, Any], use: Callable[[Any], object], example: Example, **settings: Any
) -> Saved:
    """Trains a component with an example, and uses it."""
    fix_random_seed(0)
    pipe, trained = (_blank().create_pipe(factory, config=config) for _ in range(2))
    trained.initialize(lambda: [example], **settings)
    for _ in range(3):
        use(trained)
    # Reused, because creating another one would take most of the time.
    empty = {name: copy.deepcopy(getattr(pipe, name)) for name in ("model", "cfg") if hasattr(pipe, name)}
    parts = srsly.msgpack_loads(trained.to_bytes(exclude=["vocab"]))
    del parts[CHECKSUMS]
    return Saved(pipe, empty, parts, use)


@cache
def make_perceptrons() -> list[Saved]:
    """Components with a perceptron, which predict and learn."""

    def use(pipe: Any) -> None:
        example = _make_example()
        pipe(example.predicted)
        pipe.update([example], drop=0.1)

    return [_save(*each, use, _make_example(), word_classes=WORD_CLASSES) for each in PERCEPTRONS.items()]


@cache
def make_charts() -> list[Saved]:
    """A chart parser: grammar, boundary model and closings."""

    def use(pipe: Any) -> None:
        if pipe.labels:
            words = ["the", "old", "cat", "met", "42", "in", "Ben", "."]
            doc = pipe(Doc(pipe.vocab, words=words, sent_starts=[place == 0 for place in range(len(words))]))
            pipe.list_parses(doc[:], 2)

    doc = make_doc(_blank().vocab, list(parse_trees(TREEBANK)))
    return [_save("chart_parser", CHARTS, use, Example(doc, doc))]


@cache
def make_guides() -> list[Saved]:
    """A guide. Its layers check their settings when they are used, and these are not ours: any exception will do."""

    def use(pipe: Any) -> None:
        with np.errstate(all="ignore"), suppress(Exception):
            pipe(Doc(pipe.vocab, words=WORDS))

    return [_save("parser_guide", {"model": GUIDE}, use, _make_example())]


def make_seeds(make: Callable[[], list[Saved]]) -> list[bytes]:
    return [
        bytes([number]) + DIVIDER.join(piece for part in saved.parts.values() for piece in unseal(part))
        for number, saved in enumerate(make())
    ]


def unseal(content: bytes) -> list[bytes]:
    """The header and the arrays of a model file; before them, the settings of a closing; or other content."""
    if content.startswith(model_file.MAGIC):
        _, _, header_size, _ = model_file.PREFIX.unpack(content[: model_file.PREFIX.size])
        end = model_file.PREFIX.size + header_size
        return [
            content[model_file.PREFIX.size : end],
            content[-(-end // model_file.ALIGNMENT) * model_file.ALIGNMENT :],
        ]
    with suppress(Exception):
        settings = srsly.msgpack_loads(content)
        cells = unseal(settings.pop(CELLS))
        return [srsly.msgpack_dumps(settings), *cells]
    return [content]


def seal(*pieces: bytes) -> bytes:
    """A part of these pieces, with valid sizes and checksums."""
    if len(pieces) != 2:
        # Parts that cannot be read stay as they are.
        with suppress(Exception):
            return srsly.msgpack_dumps(srsly.msgpack_loads(pieces[0]) | {CELLS: seal(*pieces[1:])})
        return pieces[0]
    header, arrays = pieces
    with suppress(AttributeError, IndexError, KeyError, RecursionError, TypeError, ValueError):
        described = json.loads(header)
        for about in described["arrays"]:
            array = arrays[about["at"] :][: about["n"] * int(about["dtype"][2:])]
            about["crc32"] = zlib.crc32(array)
        header = json.dumps(described).encode("utf8")
    content = model_file.PREFIX.pack(model_file.MAGIC, model_file.VERSION, len(header), zlib.crc32(header)) + header
    return content + b"\0" * (-len(content) % model_file.ALIGNMENT) + arrays


def load_component(make: Callable[[], list[Saved]], content: bytes, directory: Path) -> None:
    """Loads a component in each way, and uses it."""
    number, content = content[0] if content else 0, content[1:]
    saved = make()[number % len(make())]
    left, parts = content.split(DIVIDER), dict(saved.parts)
    for name, part in parts.items():
        n = len(unseal(part))
        if len(left) >= n:
            parts[name] = seal(*left[:n])
        left = left[n:]
    # Other components have other files.
    directory = directory / saved.pipe.name
    directory.mkdir(exist_ok=True)
    for name, part in parts.items():
        (directory / name).write_bytes(part)
    refused = _try(saved, lambda: saved.pipe.from_bytes(srsly.msgpack_dumps(parts), exclude=["vocab"]))
    refused = _try(saved, lambda: saved.pipe.from_disk(directory, exclude=["vocab"])) or refused
    # Most bytes are not a component at all.
    _try(saved, lambda: saved.pipe.from_bytes(content, exclude=["vocab"]))
    if refused is not None:
        raise refused


def _try(saved: Saved, take: Callable[[], object]) -> JointValueError | None:
    for name, value in saved.empty.items():
        setattr(saved.pipe, name, copy.deepcopy(value))
    try:
        take()
        saved.use(saved.pipe)
    except JointValueError as error:
        return error
    return None
