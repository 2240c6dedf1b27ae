"""Finds the components of a pipeline by their factories, since users choose their names."""

from typing import Any

from spacy.language import Language
from spacy.tokens import Doc


def list_components(nlp: Language, *factories: str) -> list[str]:
    """Lists the names of the components that these factories have made, including disabled ones, in the order of the
    pipeline."""
    return [name for name, factory in nlp.pipe_factories.items() if factory in factories]


def get_components(nlp: Language, *factories: str) -> list[Any]:
    """Gets the components that these factories have made, including disabled ones, in the order of the pipeline."""
    return [nlp.get_pipe(name) for name in list_components(nlp, *factories)]


def enable_components(nlp: Language, *factories: str) -> None:
    """Enables the components that these factories have made."""
    for name in list_components(nlp, *factories):
        nlp.enable_pipe(name)


def run_disabled(nlp: Language, doc: Doc, *factories: str) -> Doc:
    """Runs the disabled components of these factories on a document that the pipeline has annotated."""
    for name in list_components(nlp, *factories):
        if name in nlp.disabled:
            doc = nlp.get_pipe(name)(doc)
    return doc
