"""Distillation: training documents from raw text, annotated by a pipeline, the teacher.

A student learns from them together with gold documents. Edited text shows a teacher where sentences end, and it may
annotate the text without punctuation, too: by itself, or by projection from the edited text (see `unpunctuated`). Where
a paragraph begins, a sentence begins in either kind: this is more than the student will be told.

Teacher and student are meant as in Hinton, Vinyals and Dean (2015), but a structured perceptron learns from the
teacher's best analysis, not from its scores (Kim and Rush 2016, sequence-level distillation).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from spacy.language import Language
from spacy.tokens import Doc

from ..errors import Errors, JointValueError
from .unpunctuated import mark_punctuation, remove_punctuation, unpunctuate

TAGGER = "sequence_tagger"


def annotate_passages(
    nlp: Language,
    passages: Iterable[Sequence[str]],
    *,
    original: bool = True,
    unpunctuated: bool = True,
    projected: bool = False,
    n_process: int = 1,
) -> Iterator[Doc]:
    """Yields the annotated documents of passages.

    nlp (Language): The teacher.
    passages (Iterable[Sequence[str]]): The paragraphs of each document. A sentence begins where a paragraph begins.
    original (bool): Whether to yield each document as it is.
    unpunctuated (bool): Whether to yield it, after that, without punctuation and capitals.
    projected (bool): Whether documents without punctuation have the boundaries and trees of the punctuated text, and
        tags predicted without punctuation. If not, all of their annotation is the teacher's own.
    n_process (int): The number of processes of `nlp.pipe`; -1: one per core.
    RAISES ValueError: If projection lacks a tagger (J129), or the teacher predicts no trees (J652).
    """
    docs = (make_doc(nlp, paragraphs) for paragraphs in passages)
    if unpunctuated and projected:
        yield from _project(nlp, _parse(nlp, docs, n_process), original)
    else:
        yield from _parse(nlp, _make_variants(docs, original, unpunctuated), n_process)


def _make_variants(docs: Iterable[Doc], original: bool, unpunctuated: bool) -> Iterator[Doc]:
    for doc in docs:
        variant = remove_punctuation(doc) if unpunctuated else None
        if original:
            yield doc
        if variant is not None:
            yield variant


def _parse(nlp: Language, docs: Iterable[Doc], n_process: int) -> Iterator[Doc]:
    for doc in nlp.pipe(docs, n_process=n_process):
        if len(doc) and not doc.has_annotation("DEP"):
            raise JointValueError(Errors.J652, pipeline=", ".join(nlp.pipe_names))
        yield doc


def make_doc(nlp: Language, paragraphs: Sequence[str]) -> Doc:
    """Tokenizes paragraphs, each of which begins a sentence."""
    doc = nlp.make_doc(" ".join(paragraphs))
    offsets = [token.idx for token in doc]
    for start in accumulate((len(paragraph) + 1 for paragraph in paragraphs[:-1]), initial=0):
        if doc:
            doc[bisect_left(offsets, start)].is_sent_start = True
    return doc


def _project(nlp: Language, docs: Iterable[Doc], original: bool) -> Iterator[Doc]:
    if TAGGER not in nlp.pipe_names:
        raise JointValueError(Errors.J129, name=TAGGER, pipeline=", ".join(nlp.pipe_names))
    tagger = nlp.get_pipe(TAGGER)
    for doc in docs:
        copy = doc.copy()
        mark_punctuation(copy)
        variant = unpunctuate(copy)
        if original:
            yield doc
        if variant is not None:
            yield tagger(variant)
