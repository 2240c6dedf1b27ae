"""The maximum length of texts. spaCy refuses texts of more than 1,000,000 characters (E088), because its own parser and
entity recogniser need much memory per character. The components of this package do not."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.language import Language


def lift_max_length(nlp: Language) -> Language:
    """Removes the limit on the length of texts, and returns the pipeline."""
    nlp.max_length = sys.maxsize
    return nlp


def lift_max_length_if_own(nlp: Language) -> Language:
    """Removes the limit if all components are from this package, and returns the pipeline."""
    packages = {type(component).__module__.partition(".")[0] for _, component in nlp.components}
    return lift_max_length(nlp) if packages == {__package__} else nlp


def create_max_length_lifter() -> Callable[[Language], Language]:
    """Makes the callback for `[nlp] after_pipeline_creation`, registered as `spacy_joint.lift_max_length.v1`."""
    return lift_max_length_if_own
