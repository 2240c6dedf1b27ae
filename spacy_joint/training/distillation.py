"""Distillation: training documents from raw text, annotated by a pipeline, the teacher.

A student learns from them together with gold documents. The teacher may also annotate the text without punctuation:
directly, or by projection from the punctuated text, which shows where sentences end (see `unpunctuated`). Either way,
a sentence begins where a paragraph begins; the student does not see paragraphs. Documents with known boundaries may
replace text, and keep their boundaries. The terms are those of Hinton, Vinyals and Dean (2015), but a structured
perceptron learns from the teacher's best analysis, not from its scores (sequence-level distillation: Kim and Rush
2016).
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from hashlib import sha256
from itertools import accumulate, chain, starmap
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab
from wasabi import msg

from .. import load
from ..about import __version__
from ..annotation.custom_columns import KEY, PAUSE, read_column, write_column
from ..annotation.restored import RESTORED
from ..corpora.docbin import SUFFIX, read_docbin
from ..corpora.raw_text import JSONL, divide_evenly, is_prose, read_paragraphs
from ..errors import Errors, JointValueError
from ..files.atomic import atomic_write, write_json
from ..files.grouping import group_by_size
from ..files.reading import list_files
from ..files.steps import Steps, digest_directory, digest_json
from ..pipes.components import get_components, list_components
from .unpunctuated import mark_punctuation, remove_punctuation, unpunctuate

# A document to annotate: its paragraphs, or a document with known boundaries, as the bytes of a DocBin.
Passage = Sequence[str] | bytes
TAGGER, GUIDE, RESTORER = "sequence_tagger", "parser_guide", "punctuation_restorer"
# The directory of the records of output files.
STEPS = "steps"


@dataclass(frozen=True)
class Distillation:
    """Makes files of training documents in a directory.

    teacher (str | None), beam_width (int | None): The pipeline: see `spacy_joint.load`.
    kind (str): Whether documents are "original", "unpunctuated" (without punctuation and capitals), or "both".
    projected (bool): Whether documents without punctuation have the boundaries and trees of the punctuated text, and
        only tags predicted without punctuation.
    marks (bool): Whether documents without punctuation that have their own trees keep marks and capitals as
        `_.restored`, for a `punctuation_restorer` to learn from. They do not keep known boundaries.
    tagger (str | None): The pipeline that tags the documents in the end, such as the one before the student: its path
        or package. None: the teacher.
    """

    output: Path
    teacher: str | None
    beam_width: int | None = None
    kind: str = "both"
    projected: bool = False
    marks: bool = False
    tagger: str | None = None

    def run(
        self,
        texts: Sequence[Path],
        *,
        lines: bool = False,
        words: int = 800,
        limit: int = 0,
        shard_words: int = 250_000,
        call: Callable[..., Iterator[Any]] = starmap,
    ) -> dict[str, dict[str, int]]:
        """Makes all files, except those that an earlier run made from the same input, and a manifest.

        texts (Sequence[Path]), lines (bool): Files, or directories of them: see `read_paragraphs`. The documents of
            .spacy files are passages, which keep tokens, sentence boundaries and pauses.
        words (int): The minimum number of words of a document: see `divide_evenly`.
        limit (int): The maximum number of passages, taken evenly from all texts; 0: all.
        shard_words (int): The number of words that completes a file.
        call (Callable): Calls a function several times, like `starmap`, in this process or others.
        RETURNS (dict): The numbers of `documents` and `words` of each file.
        RAISES ValueError: If the texts have no prose (J651), the teacher predicts no trees, or projection lacks a
        tagger (J129).
        """
        # The pipeline may have changed since an earlier run.
        _load.cache_clear()
        _load_tagger.cache_clear()
        nlp = _load(self.teacher, self.beam_width)
        settings = {
            "teacher": {key: nlp.meta[key] for key in ("lang", "name", "version")},
            **{name: getattr(self, name) for name in ("kind", "projected", "marks", "beam_width")},
        }
        made_from = {**settings, "files_of_teacher": digest_directory(nlp.path)}
        if self.tagger is not None:
            made_from["files_of_tagger"] = digest_directory(_load_tagger(self.tagger).path)

        listed = (list_files(path, ".txt", JSONL, SUFFIX) if path.is_dir() else [path] for path in texts)
        files = list(chain.from_iterable(listed))

        def read() -> Iterator[Passage]:
            for path in files:
                if path.suffix == SUFFIX:
                    yield from map(_keep_boundaries, read_docbin(path, Vocab()))
                    continue
                for paragraphs in read_paragraphs(path, lines=lines):
                    yield from divide_evenly(list(filter(is_prose, paragraphs)), words)

        passages = take_evenly(read, limit) if limit else read()
        filled = group_by_size(passages, _count_words, shard_words)
        names = list(call(Distillation._make_shard, ((self, made_from, *each) for each in enumerate(filled))))
        if not names:
            raise JointValueError(Errors.J651, paths=", ".join(map(str, texts)))
        # Remove files of an earlier run with more text, but not other files.
        for record in (self.output / STEPS).glob("*.json"):
            if record.stem.isdigit() and f"{record.stem}.spacy" not in names:
                (self.output / f"{record.stem}.spacy").unlink(missing_ok=True)
                record.unlink()
        found = ((name, DocBin().from_disk(self.output / name)) for name in names)
        sizes = {name: {"documents": len(docs), "words": sum(map(len, docs.tokens))} for name, docs in found}
        manifest = {"version": __version__, **settings, "words": words, "limit": limit, "shards": sizes}
        write_json(self.output / "manifest.json", manifest)
        return sizes

    def _make_shard(self, made_from: dict[str, Any], number: int, passages: list[Passage]) -> str:
        """Makes a file, unless it exists, and returns its name."""
        shard = self.output / f"{number:05}.spacy"
        described = [sha256(each).hexdigest() if isinstance(each, bytes) else each for each in passages]
        steps = Steps(self.output / STEPS, msg.text)
        make = partial(self._write_shard, shard, passages)
        return steps.run(shard.stem, shard, make, settings={**made_from, "passages": digest_json(described)}).name

    def _write_shard(self, shard: Path, passages: list[Passage]) -> None:
        nlp = _load(self.teacher, self.beam_width)
        # Frees strings that only these documents use.
        with atomic_write(shard) as path, nlp.memory_zone():
            has_data = self.marks or any(isinstance(passage, bytes) for passage in passages)
            DocBin(docs=map(_keep_data, self._annotate(nlp, passages)), store_user_data=has_data).to_disk(path)

    def _annotate(self, nlp: Language, passages: Iterable[Passage]) -> Iterator[Doc]:
        """Yields the annotated documents of passages. Unpunctuated documents with pauses are yielded twice: without
        their pauses, and with them."""
        docs = (make_doc(nlp, passage) for passage in passages)
        tagger = None if self.tagger is None else _load_tagger(self.tagger)
        if self.projected and self.kind != "original":
            yield from self._project(_parse(nlp, docs), _find_tagger(nlp if tagger is None else tagger))
            return
        annotated = _parse(nlp, self._make_variants(docs))
        yield from annotated if tagger is None else map(_find_tagger(tagger), annotated)

    def _make_variants(self, docs: Iterable[Doc]) -> Iterator[Doc]:
        for doc in docs:
            variant = None if self.kind == "original" else remove_punctuation(doc, keep_marks=self.marks)
            if self.kind != "unpunctuated":
                yield doc
            if variant is not None:
                yield from _vary_pauses(variant)

    def _project(self, docs: Iterable[Doc], tag: Callable[[Doc], Doc]) -> Iterator[Doc]:
        """Yields documents, each followed by its unpunctuated form with the same trees."""
        for doc in docs:
            copy = doc.copy()
            mark_punctuation(copy)
            variant = unpunctuate(copy)
            if self.kind != "unpunctuated":
                yield doc if self.tagger is None else tag(doc)
            if variant is not None:
                yield from _vary_pauses(tag(variant))


_load_tagger = lru_cache(maxsize=1)(load)


@lru_cache(maxsize=1)
def _load(teacher: str | None, beam_width: int | None) -> Language:
    nlp = load(teacher, beam_width=beam_width)
    # A restorer would replace the marks to be learnt.
    for name in list_components(nlp, RESTORER):
        nlp.disable_pipe(name)
    return nlp


def _parse(nlp: Language, docs: Iterable[Doc]) -> Iterator[Doc]:
    for doc in nlp.pipe(docs):
        if len(doc) and not doc.has_annotation("DEP"):
            raise JointValueError(Errors.J129, name="parser", pipeline=", ".join(nlp.pipe_names))
        yield doc


def _vary_pauses(doc: Doc) -> Iterator[Doc]:
    """Yields a copy of a document without pauses, if it has any, and the document."""
    if read_column(doc, PAUSE) is not None:
        copy = doc.copy()
        copy.user_data = {key: value for key, value in doc.user_data.items() if key != KEY}
        yield copy
    yield doc


def make_doc(nlp: Language, passage: Passage) -> Doc:
    """Tokenizes paragraphs, each of which begins a sentence; or loads a document."""
    if isinstance(passage, bytes):
        return next(DocBin().from_bytes(passage).get_docs(nlp.vocab))
    doc = nlp.make_doc(" ".join(passage))
    offsets = [token.idx for token in doc]
    for start in accumulate((len(paragraph) + 1 for paragraph in passage[:-1]), initial=0):
        if doc:
            doc[bisect_left(offsets, start)].is_sent_start = True
    return doc


def _find_tagger(nlp: Language) -> Callable[[Doc], Doc]:
    """Finds the component that sets tags: a tagger, or a guide with a layer for them."""
    for pipe in get_components(nlp, TAGGER, GUIDE):
        if getattr(pipe, "tagger", pipe) is not None:
            return pipe
    raise JointValueError(Errors.J129, name=TAGGER, pipeline=", ".join(nlp.pipe_names))


def _keep_boundaries(doc: Doc) -> bytes:
    return DocBin(attrs=["ORTH", "SPACY", "SENT_START"], docs=[_keep_data(doc)], store_user_data=True).to_bytes()


def _keep_data(doc: Doc) -> Doc:
    """Keeps pauses and restored text, and drops other user data, such as the columns of the teacher's guide."""
    pauses = doc.user_data.get(KEY, {}).get(PAUSE)
    data: dict[Any, Any] = doc.user_data
    kept: dict[Any, Any] = {key: data[key] for key in data if isinstance(key, tuple) and RESTORED in key}
    doc.user_data = kept
    if pauses is not None:
        write_column(doc, PAUSE, pauses)
    return doc


def _count_words(passage: Passage) -> int:
    if isinstance(passage, bytes):
        return sum(map(len, DocBin().from_bytes(passage).tokens))
    return len(" ".join(passage).split())


def take_evenly(read: Callable[[], Iterator[Passage]], limit: int) -> Iterator[Passage]:
    """Takes at most `limit` passages, evenly from all, which are read twice instead of being held in memory."""
    total = sum(1 for _ in read())
    limit = min(limit, total)
    # Whenever number * limit / total passes a whole number.
    return (passage for number, passage in enumerate(read()) if number * limit % total + limit >= total)
