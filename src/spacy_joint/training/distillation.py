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

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc

from ..annotation.sentences import MARGIN
from ..errors import Errors, JointValueError
from ..pipes.components import list_components
from .unpunctuated import mark_punctuation, remove_punctuation, unpunctuate

TAGGER = "sequence_tagger"
# Documents are ranked by the margin below which this share of their decisions is. On the development documents of EWT
# and GUM without punctuation, its correlation with LAS is 0.44 and 0.63.
UNSURE = 0.2


def annotate_passages(
    nlp: Language,
    passages: Iterable[Sequence[str]],
    *,
    original: bool = True,
    unpunctuated: bool = True,
    projected: bool = False,
    keep: float = 1.0,
    n_process: int = 1,
) -> Iterator[Doc]:
    """Yields the annotated documents of passages.

    nlp (Language): The teacher.
    passages (Iterable[Sequence[str]]): The paragraphs of each document. A sentence begins where a paragraph begins.
    original (bool): Whether to yield each document as it is.
    unpunctuated (bool): Whether to yield it, after that, without punctuation and capitals.
    projected (bool): Whether documents without punctuation have the boundaries and trees of the punctuated text, and
        tags predicted without punctuation. If not, all of their annotation is the teacher's own.
    keep (float): The share of documents without punctuation that are kept, those of whose boundaries the teacher is
        surest. Below 1, all documents are held, and the teacher must store `boundary_margins`.
    n_process (int): The number of processes of `nlp.pipe`; -1: one per core.
    RAISES ValueError: If projection lacks a tagger (J129), or the teacher predicts no trees (J652).
    """
    docs = (make_doc(nlp, paragraphs) for paragraphs in passages)
    if unpunctuated and projected:
        annotated = _parse(nlp, ((doc, False) for doc in docs), n_process)
        yield from _project(nlp, (doc for doc, _ in annotated), original)
        return
    annotated = _parse(nlp, _make_variants(docs, original, unpunctuated), n_process)
    if keep < 1:
        annotated = _select(list(annotated), keep)
    for doc, _ in annotated:
        yield doc


def _make_variants(docs: Iterable[Doc], original: bool, unpunctuated: bool) -> Iterator[tuple[Doc, bool]]:
    """Documents, and whether they are without punctuation."""
    for doc in docs:
        variant = remove_punctuation(doc) if unpunctuated else None
        if original:
            yield doc, False
        if variant is not None:
            yield variant, True


def _parse(nlp: Language, docs: Iterable[tuple[Doc, bool]], n_process: int) -> Iterator[tuple[Doc, bool]]:
    for doc, is_variant in nlp.pipe(docs, as_tuples=True, n_process=n_process):
        if len(doc) and not doc.has_annotation("DEP"):
            raise JointValueError(Errors.J652, pipeline=", ".join(nlp.pipe_names))
        yield doc, is_variant


def _select(annotated: list[tuple[Doc, bool]], keep: float) -> Iterator[tuple[Doc, bool]]:
    """All documents with punctuation, and the surest ones without it."""
    margins = [_find_margin(doc) if is_variant else np.inf for doc, is_variant in annotated]
    ranked = sorted((i for i, (_, is_variant) in enumerate(annotated) if is_variant), key=lambda i: -margins[i])
    dropped = set(ranked[round(keep * len(ranked)) :])
    for i, pair in enumerate(annotated):
        if i not in dropped:
            yield pair


def _find_margin(doc: Doc) -> float:
    """The margin that most decisions about boundaries exceed."""
    margins = [margin for token in doc[1:] if (margin := token._.get(MARGIN)) is not None]
    # No interpolation: margins may be infinite.
    return float(np.quantile(margins, UNSURE, method="lower")) if margins else np.inf


def make_doc(nlp: Language, paragraphs: Sequence[str]) -> Doc:
    """Tokenizes paragraphs, each of which begins a sentence."""
    doc = nlp.make_doc(" ".join(paragraphs))
    offsets = [token.idx for token in doc]
    for start in accumulate((len(paragraph) + 1 for paragraph in paragraphs[:-1]), initial=0):
        if doc:
            doc[bisect_left(offsets, start)].is_sent_start = True
    return doc


def _project(nlp: Language, docs: Iterable[Doc], original: bool) -> Iterator[Doc]:
    taggers = list_components(nlp, TAGGER)
    if not taggers:
        raise JointValueError(Errors.J129, name=TAGGER, pipeline=", ".join(nlp.pipe_names))
    tagger = nlp.get_pipe(taggers[0])
    for doc in docs:
        copy = doc.copy()
        mark_punctuation(copy)
        variant = unpunctuate(copy)
        if original:
            yield doc
        if variant is not None:
            yield tagger(variant)
