"""The target for the saved parts of chart parsers: grammars, boundary models and closings.

One part of a parser is replaced. Classifiers and taggers within a part are model files, of which an input has the
header and the arrays apart, as in models.py.
"""

from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import spacy
import srsly
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed

from spacy_joint.charts.chart_parser import ChartParserPipe
from spacy_joint.corpora.constituency_treebanks import make_doc
from spacy_joint.errors import JointValueError
from spacy_joint.pipes.component_files import CHECKSUMS
from spacy_joint.trees.constituency_trees import parse_trees

from ..charts.grammars import TREEBANK
from .models import DIVIDER, seal, unseal

SETTINGS = {"closure": ["constituents", "complete", "widths"], "decoding": "max_constituents"}
# Of a closing, the key of its model file.
CELLS = "cells"


@cache
def _make() -> tuple[ChartParserPipe, dict[str, Any]]:
    """A component, and the parts of its bytes."""
    fix_random_seed(0)
    nlp = spacy.blank("en")
    pipe = nlp.create_pipe("chart_parser", config=SETTINGS)
    assert isinstance(pipe, ChartParserPipe)
    doc = make_doc(nlp.vocab, list(parse_trees(TREEBANK)))

    pipe.initialize(lambda: [Example(doc, doc)])
    parts = srsly.msgpack_loads(pipe.to_bytes())
    del parts[CHECKSUMS]
    return pipe, parts


def make_seeds() -> list[bytes]:
    """The number of a part, and the part: its settings, and its model files in pieces."""
    seeds = []
    for number, name in enumerate(ChartParserPipe.file_names):
        pieces = [_make()[1][name]]
        with suppress(Exception):
            settings = srsly.msgpack_loads(pieces[0])
            cells = unseal(settings.pop(CELLS))
            pieces = [srsly.msgpack_dumps(settings), *cells]
        seeds.append(bytes([number]) + DIVIDER.join(pieces))
    return seeds


def load_charts(content: bytes, directory: Path) -> None:
    pipe, parts = _make()
    number, content = content[0] if content else 0, content[1:]
    part, *pieces = content.split(DIVIDER)
    if pieces:
        # What is wrong otherwise is left as it is.
        with suppress(Exception):
            part = srsly.msgpack_dumps(srsly.msgpack_loads(part) | {CELLS: seal(*pieces)})
    # Most bytes are not a component at all.
    _try(pipe, content)
    names = pipe.file_names
    refused = _try(pipe, srsly.msgpack_dumps({**parts, names[number % len(names)]: part}))
    if refused is not None:
        raise refused


def _try(pipe: ChartParserPipe, content: bytes) -> JointValueError | None:
    """Loads a component and uses it. Returns the error that refuses it."""
    try:
        pipe.from_bytes(content)
        if pipe.labels:
            words = ["the", "old", "cat", "met", "42", "in", "Ben", "."]
            doc = pipe(Doc(pipe.vocab, words=words, sent_starts=[place == 0 for place in range(len(words))]))
            pipe.list_parses(doc[:], 2)
    except JointValueError as error:
        return error
    return None
