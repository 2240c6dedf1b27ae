"""Reads and checks the examples that components are initialized with."""

from collections.abc import Callable, Iterable

from spacy.training import Example, validate_get_examples

from ..errors import Errors, JointValueError


def read_examples(get_examples: Callable[[], Iterable[Example]], component: object) -> list[Example]:
    """Returns all examples, which are read only once: to read and augment a corpus takes long, and training keeps it
    in memory, too. RAISES TypeError: If there is no function that returns examples."""
    method = f"{type(component).__name__}.initialize"
    if not callable(get_examples):
        validate_get_examples(get_examples, method)
    given = get_examples()
    examples = list(given or ())
    # spaCy refuses an empty list, but not an empty corpus.
    validate_get_examples(lambda: given and iter(examples), method)
    return examples


def require_spans(examples: Iterable[Example], key: str) -> None:
    """Checks that a reference has spans under the key. RAISES ValueError: If none has (J330)."""
    if not any(len(example.reference.spans.get(key, ())) for example in examples):
        raise JointValueError(Errors.J330, source="The data", what=f"spans in doc.spans['{key}']")
