"""The map function of a corpus: the records of a piece are annotated, and written as a shard with a record of what it
was made from.

Both have the name of the piece, and its record is written last. So a piece that has a record is done, and one that is
annotated twice, by whatever process, makes the same files.
"""

from __future__ import annotations

import io
import json
import platform
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from .. import load
from ..about import __version__
from ..corpora.raw_text import parse_object
from ..errors import Errors, JointError, JointOSError, JointValueError
from ..files.reading import decode_line, read_lines
from ..pipes.streaming import OFFSETS, can_stream, stream_sentences
from ..transcripts.documents import make_doc_of_text
from ..transcripts.reading import TEXT, guess_format
from .pieces import Piece
from .records import ANY_TEXT, FAILURE, LINE, OBJECT, Reading, Record
from .shards import FORMATS, Origin
from .storage import Directory

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

Value = TypeVar("Value")

SHARDS, DONE = "shards", "done"
# Characters that are annotated at a time.
BATCH = 100_000
# The number of characters from which on a text is cut, and that of its parts before they are cut.
LONG_TEXT, PART = 1_000_000, 250_000


class Annotation(NamedTuple):
    """How a corpus is annotated. Only what affects its output is here.

    model (str | None): The pipeline, see `spacy_joint.load`.
    pipeline (dict): Its name, its version, and a digest of its files.
    beam_width (int | None): See `spacy_joint.load`.
    format (str): The format of shards.
    reading (Reading): How files are read.
    shard_bytes (int): The length from which on a piece is not continued.
    inputs (Sequence[str]): The addresses of the corpus.
    """

    model: str | None
    pipeline: dict[str, str]
    beam_width: int | None
    format: str
    reading: Reading
    shard_bytes: int
    inputs: Sequence[str]


class Done(NamedTuple):
    """A piece that is done.

    place (tuple[int, int]): The number of its group, and its own in the group.
    name (str): Its name.
    n_read (int): How many stored bytes have been read for it.
    words (int): How many words have been annotated now.
    """

    place: tuple[int, int]
    name: str
    n_read: int
    words: int = 0


class WorkerDeath(JointOSError):
    """Processes that annotate have died, and the engine cannot go on without them."""


class Annotator:
    """A pipeline that annotates pieces.

    annotation (Annotation): How.
    output (str): The address of the output directory.
    RAISES ValueError: If the pipeline here is another one (J717).
    """

    def __init__(self, annotation: Annotation, output: str) -> None:
        import pyarrow

        # Arrow's other allocators keep what has been freed.
        pyarrow.set_memory_pool(pyarrow.system_memory_pool())
        self.nlp = load(annotation.model, beam_width=annotation.beam_width)
        found = describe_pipeline(self.nlp)
        if found != annotation.pipeline:
            raise JointValueError(Errors.J717, place=platform.node(), found=found, expected=annotation.pipeline)
        self.reading = annotation.reading
        self.format = FORMATS[annotation.format]
        self.output = Directory(output)

    def __call__(self, piece: Piece) -> Done:
        """Annotates a piece, unless it is done."""
        if not piece.records:
            return Done(piece.place, piece.name, piece.n_read)
        encoded: list[Any] = []
        failures: list[dict[str, Any]] = []
        words = 0
        # What is only in these documents is forgotten with them.
        with self.nlp.memory_zone():
            for record, found in self._annotate(piece.records):
                if isinstance(found, Exception):
                    failures.append({"source": record.source, "record": record.number, "reason": _describe(found)})
                else:
                    encoded.extend(shard for shard, _ in found)
                    words += sum(n_words for _, n_words in found)
            self.output.replace(f"{SHARDS}/{piece.name}{self.format.suffix}", [self.format.join(encoded)])
        first, last = piece.records[0], piece.records[-1]
        done = {
            "shard": f"{SHARDS}/{piece.name}{self.format.suffix}",
            "first": {"source": first.source, "record": first.number},
            "last": {"source": last.source, "record": last.number},
            "records": len(piece.records),
            "documents": len(encoded),
            "words": words,
            "failures": failures,
        }
        self.output.replace(f"{DONE}/{piece.name}.json", [json.dumps(done, ensure_ascii=False).encode("utf8")])
        return Done(piece.place, piece.name, piece.n_read, words)

    def _annotate(self, records: Iterable[Record]) -> Iterator[tuple[Record, list[tuple[Any, int]] | Exception]]:
        """The encoded documents of each record and their numbers of words, or what it fails with."""
        for batch in _divide(records):
            texts = [_attempt(self._parse, record) for record in batch]
            short = [text for text in texts if isinstance(text, _Text) and not self._is_long(text)]
            together = _attempt(lambda texts: list(self.nlp.pipe(map(self._make_doc, texts))), short)
            docs = None if isinstance(together, Exception) else iter(together)
            for record, text in zip(batch, texts, strict=True):
                if isinstance(text, Exception):
                    yield record, text
                elif self._is_long(text):
                    yield record, _attempt(self._encode, text, _stream_parts(self.nlp, text.text))
                elif docs is not None:
                    yield record, _attempt(self._encode, text, [next(docs)])
                else:
                    # One of them fails, and the others must not.
                    yield record, _attempt(self._encode_alone, text)

    def _parse(self, record: Record) -> _Text:
        if record.format == FAILURE:
            raise _DamagedError(record.data.decode("utf8"))
        if record.format == OBJECT:
            found = parse_object(record.data, record.source, record.number, self.reading.text_column)
            text = found.pop(self.reading.text_column)
            meta = found.pop("meta", {})
            meta = meta if isinstance(meta, dict) else {"meta": meta}
            return _Text(text, TEXT, Origin(record.source, record.number, 0, {**found, **meta}))
        # A byte order mark is at the beginning of a file only.
        encoding = "utf-8-sig" if record.number == 1 else "utf-8"
        if record.format == LINE:
            text = decode_line(record.data, record.source, record.number, encoding).rstrip("\r\n")
        else:
            text = "".join(read_lines(io.BytesIO(record.data), record.source, encoding))
        format_ = {LINE: TEXT, ANY_TEXT: None}.get(record.format, record.format) or guess_format(text)
        return _Text(text, format_, Origin(record.source, record.number, 0, {}))

    def _is_long(self, text: _Text) -> bool:
        return len(text.text) > LONG_TEXT and text.format == TEXT and can_stream(self.nlp)

    def _make_doc(self, text: _Text) -> Doc:
        # spaCy's limit is for models that need much memory per character.
        self.nlp.max_length = max(self.nlp.max_length, len(text.text))
        return make_doc_of_text(self.nlp, text.text, text.format, text.origin.source)

    def _encode_alone(self, text: _Text) -> list[tuple[Any, int]]:
        return self._encode(text, [self.nlp(self._make_doc(text))])

    def _encode(self, text: _Text, docs: Iterable[Doc]) -> list[tuple[Any, int]]:
        """The encoded documents of a record, and their numbers of words."""
        encoded = []
        for doc in docs:
            if not doc.has_annotation("SENT_START"):
                raise JointValueError(Errors.J406, model="The pipeline", document=text.origin.record)
            origin = text.origin._replace(offset=OFFSETS.get(doc, 0))
            encoded.append((self.format.encode(doc, origin), len(doc) - int(doc.to_array("IS_SPACE").sum())))
        return encoded


class _Text(NamedTuple):
    """What is in a record: its text, the format of it, and where it comes from."""

    text: str
    format: str
    origin: Origin


class _DamagedError(ValueError):
    """The rest of a file cannot be read."""


def _divide(records: Iterable[Record]) -> Iterator[list[Record]]:
    batch: list[Record] = []
    size = 0
    for record in records:
        batch.append(record)
        size += len(record.data)
        if size >= BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _stream_parts(nlp: Language, text: str) -> Iterator[Doc]:
    """The parts of a very long text, which is cut only where the search of the parser is certain of its past."""
    pieces = (text[start : start + PART] for start in range(0, len(text), PART))
    for doc, _ in groupby(stream_sentences(pieces, nlp), key=attrgetter("doc")):
        yield doc


def _attempt(function: Callable[..., Value], *arguments: Any) -> Value | Exception:
    """The value of a function, or what it fails with, unless that is not the fault of its arguments."""
    try:
        return function(*arguments)
    except (OSError, MemoryError):
        raise
    except Exception as error:
        return error


def _describe(failure: Exception) -> str:
    return str(failure) if isinstance(failure, JointError | _DamagedError) else f"{type(failure).__name__}: {failure}"


def describe_pipeline(nlp: Language) -> dict[str, str]:
    """What tells a pipeline from others (dict[str, str]): its name, its version, and a digest of its files."""
    digest = sha256()
    for path in sorted(path for path in nlp.path.rglob("*") if path.is_file()):
        digest.update(f"{path.relative_to(nlp.path).as_posix()} {path.stat().st_size} ".encode())
        digest.update(path.read_bytes())
    return {
        "name": f"{nlp.meta['lang']}_{nlp.meta['name']}",
        "version": nlp.meta["version"],
        "digest": digest.hexdigest(),
        "spacy_joint": __version__,
    }
