"""Components that a pipeline has, but does not run unless they are enabled."""

from __future__ import annotations

from spacy.language import Language


def enable_factories(nlp: Language, *factories: str) -> None:
    """Enable the disabled components that these factories have made."""
    for name in nlp.disabled:
        if nlp.get_pipe_meta(name).factory in factories:
            nlp.enable_pipe(name)
