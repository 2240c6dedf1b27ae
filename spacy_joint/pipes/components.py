"""Components of a pipeline by their factories, since users choose their names."""

from __future__ import annotations

from spacy.language import Language


def list_components(nlp: Language, *factories: str) -> list[str]:
    """The names of the components that these factories have made, disabled ones too, in the order of the pipeline."""
    return [name for name, factory in nlp.pipe_factories.items() if factory in factories]


def enable_components(nlp: Language, *factories: str) -> None:
    """Enable the components that these factories have made."""
    for name in list_components(nlp, *factories):
        nlp.enable_pipe(name)
