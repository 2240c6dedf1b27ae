"""Annotates partitions: writes a shard, and then a record of its sources, both named after the partition. A partition
with a record is done; annotating it again makes the same files."""

import platform
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice
from operator import attrgetter
from typing import Any, NamedTuple

from spacy.language import Language
from spacy.tokens import Doc

from ... import load
from ...about import __version__
from ...errors import Errors, JointError, JointOSError, JointValueError
from ...files.grouping import group_by_size
from ...files.steps import digest_directory
from ...length import lift_max_length
from ...pipes.streaming import can_stream, find_offset, stream_sentences
from ...transcripts.documents import make_doc_of_text
from ...transcripts.reading import TEXT
from .manifest import write_shard
from .partitions import Partition
from .records import FAILURE, Reading, Record
from .shards import FORMATS
from .storage import Directory

# Characters annotated at a time.
BATCH = 100_000
# Longer texts are streamed, in parts of PART characters.
LONG_TEXT, PART = 1_000_000, 250_000
# The format of a record that kills processes; its text is the reason.
KILLER = "killer"


class Annotation(NamedTuple):
    """The settings of a run; all but `model` and `output` affect the result. For `model` and `beam_width`, see
    `spacy_joint.load`."""

    model: str | None
    pipeline: dict[str, str]  # see describe_pipeline
    beam_width: int | None
    format: str  # a key of shards.FORMATS
    reading: Reading
    shard_bytes: int  # the length at which a partition is complete
    inputs: Sequence[str]  # addresses
    output: str  # the address of the output directory


class _Failure(NamedTuple):
    offset: int  # the characters of the record before the failure, which are annotated
    reason: str
    transient: bool = False


class WorkerDeath(JointOSError):
    """An annotating process died several times."""


class Annotator:
    """A pipeline that annotates partitions. Raises J717 if the pipeline on this machine differs."""

    def __init__(self, annotation: Annotation) -> None:
        import pyarrow

        # Arrow's other allocators keep freed memory.
        pyarrow.set_memory_pool(pyarrow.system_memory_pool())
        self.nlp = lift_max_length(load(annotation.model, beam_width=annotation.beam_width))
        found = describe_pipeline(self.nlp)
        if found != annotation.pipeline:
            raise JointValueError(Errors.J717, place=platform.node(), found=found, expected=annotation.pipeline)
        self.format = FORMATS[annotation.format]
        self.output = Directory(annotation.output)

    def __call__(self, partition: Partition) -> Partition:
        """Annotates a partition, unless it is done, and returns it without its records."""
        if not partition.records:
            return partition
        failures: list[dict[str, Any]] = []
        lengths: list[int] = []

        def encode() -> Iterator[Any]:
            for record, found in self._annotate(partition.records):
                if isinstance(found, _Failure):
                    failures.append({**_locate(record), **found._asdict()})
                else:
                    lengths.append(found[1])
                    yield found[0]

        def describe() -> dict[str, Any]:
            ends = {"first": _locate(partition.records[0]), "last": _locate(partition.records[-1])}
            totals = {"records": len(partition.records), "documents": len(lengths), "words": sum(lengths)}
            return {**ends, **totals, "failures": failures}

        # Frees strings that only these documents use.
        with self.nlp.memory_zone():
            parts = self.format.join(encode())
            write_shard(self.output, partition.name, self.format.suffix, parts, describe)
        return partition._replace(records=(), n_words=sum(lengths))

    def _annotate(self, records: Iterable[Record]) -> Iterator[tuple[Record, tuple[Any, int] | _Failure]]:
        """Yields the encoded documents of records and their numbers of words, or the failure of a record."""
        for batch in group_by_size(records, lambda record: len(record.text), BATCH):
            short = [record for record in batch if record.format not in (FAILURE, KILLER) and not self._is_long(record)]
            try:
                annotated = iter(list(self.nlp.pipe(map(self._make_doc, short))))
            except Exception:
                # One by one, so that only failing records fail.
                annotated = map(self.nlp, map(self._make_doc, short))
            for record in batch:
                if record.format in (FAILURE, KILLER):
                    yield record, _Failure(0, record.text, record.format == KILLER)
                    continue
                docs = self._stream_parts(record.text) if self._is_long(record) else islice(annotated, 1)
                yield from ((record, found) for found in self._encode(record, docs))

    def check(self, record: Record) -> None:
        """Annotates a record and discards the result, to test whether this process survives."""
        with self.nlp.memory_zone():
            for _ in self._annotate([record]):
                pass

    def _is_long(self, record: Record) -> bool:
        return len(record.text) > LONG_TEXT and record.format == TEXT and can_stream(self.nlp)

    def _stream_parts(self, text: str) -> Iterator[Doc]:
        """Yields the parts of a very long text, which is cut only where all analyses of the parser's search agree."""
        parts = (text[start : start + PART] for start in range(0, len(text), PART))
        return (doc for doc, _ in groupby(stream_sentences(parts, self.nlp), key=attrgetter("doc")))

    def _make_doc(self, record: Record) -> Doc:
        return make_doc_of_text(self.nlp, record.text, record.format, record.source)

    def _encode(self, record: Record, docs: Iterable[Doc]) -> Iterator[tuple[Any, int] | _Failure]:
        """Encodes the documents of a record one by one, so that a long text is never in memory as a whole."""
        offset = 0
        try:
            for doc in docs:
                if not doc.has_annotation("SENT_START"):
                    raise JointValueError(Errors.J336, source=f"Record {record.number}", what="sentence boundaries")
                offset = find_offset(doc) or 0
                yield self.format.encode(doc, record, offset), len(doc) - int(doc.to_array("IS_SPACE").sum())
                offset += len(doc.text)
        except Exception as error:
            reason = str(error) if isinstance(error, JointError) else f"{type(error).__name__}: {error}"
            # A retry may succeed with more memory or a better network.
            yield _Failure(offset, reason, isinstance(error, OSError | MemoryError))


def _locate(record: Record) -> dict[str, Any]:
    return {"source": record.source, "record": record.number}


def describe_pipeline(nlp: Language) -> dict[str, str]:
    """Identifies a pipeline by its name, version, and a digest of its files."""
    return {
        "name": f"{nlp.meta['lang']}_{nlp.meta['name']}",
        "version": nlp.meta["version"],
        "digest": digest_directory(nlp.path),
        "spacy_joint": __version__,
    }


def describe_settings(annotation: Annotation) -> dict[str, Any]:
    """Describes the settings that affect the result as JSON."""
    described = {**annotation._asdict(), "reading": annotation.reading._asdict(), "inputs": list(annotation.inputs)}
    return {key: value for key, value in described.items() if key not in ("model", "output")}
