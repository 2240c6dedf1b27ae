"""The sentences of documents that may have no boundaries."""

from __future__ import annotations

from spacy.tokens import Doc, Span


def list_sentences(doc: Doc) -> list[Span]:
    """The sentences of a document, which is a single one if it has no boundaries."""
    return list(doc.sents) if doc.has_annotation("SENT_START") else [doc[:]]
