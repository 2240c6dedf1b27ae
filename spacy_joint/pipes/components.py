"""Finds the components of a pipeline by their factories, since users choose their names."""

from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

from ..errors import Errors, JointValueError


def list_components(nlp: Language, *factories: str) -> list[str]:
    """Lists the names of the components that these factories have made, including disabled ones, in the order of the
    pipeline."""
    return [name for name, factory in nlp.pipe_factories.items() if factory in factories]


def get_components(nlp: Language, *factories: str) -> list[Any]:
    """Gets the components that these factories have made, including disabled ones, in the order of the pipeline."""
    return [nlp.get_pipe(name) for name in list_components(nlp, *factories)]


def require_components(nlp: Language, factory: str) -> list[Any]:
    """Gets the components that this factory has made: see `get_components`. RAISES ValueError: If none (J129)."""
    if not (found := get_components(nlp, factory)):
        raise JointValueError(Errors.J129, name=factory, pipeline=", ".join(nlp.pipe_names))
    return found


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
