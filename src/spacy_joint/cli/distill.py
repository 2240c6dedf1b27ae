"""`distill`: make training documents from raw text, annotated by a pipeline, the teacher.

In edited text, punctuation and capitals tell a teacher where sentences end. A student that learns from its documents,
with and without punctuation, sees far more text than a treebank has, and may be much smaller.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from functools import lru_cache, partial
from itertools import starmap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer
from wasabi import msg

from ..about import __version__
from ..errors import Errors, JointValueError
from ..files.replacing import replace_when_written
from ..files.steps import Steps, digest
from .options import AddressOption, EngineName, Kind

if TYPE_CHECKING:
    from spacy.language import Language

# The directory of the records of the output files.
STEPS = "steps"


def distill(
    texts: Annotated[list[Path], typer.Argument(help=".txt files (UTF-8), or .jsonl files with the key `text`.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Output directory.")],
    teacher: Annotated[
        str | None,
        typer.Option("--teacher", "-t", help="Path or package of a pipeline. Default: the shipped one."),
    ] = None,
    lines: Annotated[
        bool,
        typer.Option(
            "--lines",
            help="Each line is a paragraph, and blank lines separate documents. Default: blank lines separate "
            "paragraphs, and each file or line of .jsonl is a document.",
        ),
    ] = False,
    kind: Annotated[Kind, typer.Option(help="Documents to make.")] = Kind.both,
    projected: Annotated[
        bool,
        typer.Option(
            "--projected/--own",
            help="Whether unpunctuated documents have the boundaries and trees of the punctuated text, or the "
            "teacher's own.",
        ),
    ] = False,
    keep: Annotated[
        float,
        typer.Option(
            min=0,
            max=1,
            help="Share of unpunctuated documents to keep: those of whose boundaries the teacher is surest.",
        ),
    ] = 1.0,
    words: Annotated[
        int, typer.Option(min=1, help="Minimum words per document, up to a paragraph end; twice as many at most.")
    ] = 800,
    limit: Annotated[int, typer.Option(min=0, help="Maximum passages, evenly from all texts; 0: all.")] = 0,
    shard_words: Annotated[int, typer.Option(min=1, help="Words of raw text per output file.")] = 250_000,
    beam_width: Annotated[int | None, typer.Option(help="Beam width of the teacher. Default: its own.")] = None,
    n_process: Annotated[int, typer.Option("--n-process", "-n", help="Number of processes; -1: one per core.")] = 1,
    engine: Annotated[
        EngineName, typer.Option(help="local: one file after the other, in this process. ray: with Ray.")
    ] = EngineName.local,
    workers: Annotated[int, typer.Option(min=1, help="For ray: number of files at the same time.")] = 1,
    address: AddressOption = None,
) -> None:
    """Make training documents from raw text, annotated by a teacher.

    Paragraphs that do not end like a sentence, such as headings, are left out. The output directory has `.spacy` files
    and a manifest. A run that was interrupted continues after its last file when it is started again. The engine and
    the number of workers do not affect the result.

    To train on them, see spacy_joint.MixedCorpus.v1.
    """
    from ..scale.cluster import connect
    from ..scale.tasks import call_on_ray

    for option, is_given in (("workers", workers != 1), ("address", address is not None)):
        if is_given and engine is not EngineName.ray:
            raise JointValueError(Errors.J716, option=option, engine="ray")
    # Other machines have it at the same place.
    teacher = str(Path(teacher).resolve()) if teacher is not None and Path(teacher).exists() else teacher
    _load.cache_clear()
    nlp = _load(teacher, beam_width, keep < 1, projected)
    settings = {
        "teacher": {key: nlp.meta[key] for key in ("lang", "name", "version")},
        "kind": kind.value,
        "projected": projected,
        "keep": keep,
        "beam_width": beam_width,
    }
    made_from = {**settings, "files_of_teacher": digest(sorted(path for path in nlp.path.rglob("*") if path.is_file()))}
    job = _Job(output.resolve(), teacher, beam_width, kind, projected, keep, n_process, made_from)
    filled = _fill_shards(_limit(lambda: _read_passages(texts, lines, words), limit), shard_words)
    calls = ((job, number, passages) for number, passages in enumerate(filled))
    shards: list[Path] = []
    with connect(address, num_cpus=workers) if engine is EngineName.ray else nullcontext() as ray:
        for name in call_on_ray(ray, workers, _make_shard, calls) if ray else starmap(_make_shard, calls):
            shards.append(output / name)
    if not shards:
        raise JointValueError(Errors.J651, paths=", ".join(map(str, texts)))
    # Those of an earlier run with more text.
    for record in (output / STEPS).glob("*.json"):
        shard = output / f"{record.stem}.spacy"
        if shard not in shards:
            shard.unlink(missing_ok=True)
            record.unlink()
    sizes = {shard.name: _measure(shard) for shard in shards}
    with replace_when_written(output / "manifest.json") as path:
        manifest = {"version": __version__, **settings, "words": words, "limit": limit, "shards": sizes}
        path.write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf8")
    n_docs, n_words = (sum(size[key] for size in sizes.values()) for key in ("documents", "words"))
    msg.good(f"{output}: {n_docs:,} documents, {n_words:,} words, {len(shards)} files")


class _Job(NamedTuple):
    """How files are made, in whatever process."""

    output: Path
    teacher: str | None
    beam_width: int | None
    kind: Kind
    projected: bool
    keep: float
    n_process: int
    made_from: dict[str, Any]


def _make_shard(job: _Job, number: int, passages: list[list[str]]) -> str:
    """Makes an output file, unless it is there, and returns its name."""
    nlp = _load(job.teacher, job.beam_width, job.keep < 1, job.projected)
    shard = job.output / f"{number:05}.spacy"
    make = partial(_annotate, shard, nlp, passages, job.kind, job.projected, job.keep, job.n_process)
    content = hashlib.sha256(json.dumps(passages).encode("utf8")).hexdigest()
    steps = Steps(job.output / STEPS, msg.text)
    return steps.run(shard.stem, shard, make, settings={**job.made_from, "passages": content}).name


# Once per process; what is at its place may change between runs.
@lru_cache(maxsize=1)
def _load(teacher: str | None, beam_width: int | None, has_margins: bool, projected: bool) -> Language:
    from .. import load

    nlp = load(teacher, beam_width=beam_width)
    if has_margins:
        _store_margins(nlp, projected)
    return nlp


def _store_margins(nlp: Language, projected: bool) -> None:
    from ..parsing.joint_sbd_parser import JointSbdParser

    parsers = [pipe for _, pipe in nlp.pipeline if isinstance(pipe, JointSbdParser)]
    if projected or not parsers:
        raise JointValueError(Errors.J656, pipeline=", ".join(nlp.pipe_names))
    for parser in parsers:
        parser.store_margins()


def _read_passages(texts: Iterable[Path], lines: bool, words: int) -> Iterator[list[str]]:
    from ..corpora.raw_text import divide_evenly, is_prose, read_paragraphs

    for path in texts:
        for paragraphs in read_paragraphs(path, lines=lines):
            yield from divide_evenly(list(filter(is_prose, paragraphs)), words)


def _limit(read: Callable[[], Iterator[list[str]]], limit: int) -> Iterator[list[str]]:
    """As many passages as allowed, evenly from all of them, which are read twice rather than held."""
    if not limit:
        yield from read()
        return
    total = sum(1 for _ in read())
    for number, passage in enumerate(read()):
        # One for each whole number that is passed.
        if (number + 1) * min(limit, total) // total > number * min(limit, total) // total:
            yield passage


def _fill_shards(passages: Iterable[list[str]], words: int) -> Iterator[list[list[str]]]:
    shard: list[list[str]] = []
    n_words = 0
    for passage in passages:
        shard.append(passage)
        n_words += sum(len(paragraph.split()) for paragraph in passage)
        if n_words >= words:
            yield shard
            shard, n_words = [], 0
    if shard:
        yield shard


def _annotate(
    output: Path, nlp: Language, passages: list[list[str]], kind: Kind, projected: bool, keep: float, n_process: int
) -> None:
    from spacy.tokens import DocBin

    from ..training.distillation import annotate_passages

    # What is only in these documents is forgotten with them.
    with replace_when_written(output) as path, nlp.memory_zone():
        docs = annotate_passages(
            nlp,
            passages,
            original=kind is not Kind.unpunctuated,
            unpunctuated=kind is not Kind.original,
            projected=projected,
            keep=keep,
            n_process=n_process,
        )
        DocBin(docs=docs).to_disk(path)


def _measure(shard: Path) -> dict[str, int]:
    from spacy.tokens import DocBin

    found = DocBin().from_disk(shard)
    return {"documents": len(found), "words": sum(map(len, found.tokens))}
