"""Extracts the binary features of a word for alignment models, in groups (Dunlop, Mitchell and Roark 2010).

Groups are identity, stem, binned length, six properties of the form, and nine endings. The stem just cuts inflections;
it is not Porter's.
"""

from bisect import bisect_left
from collections.abc import Callable

from spacy_joint.ordering.phrases import identity

ENDINGS = ("al", "ble", "ed", "er", "est", "ic", "ing", "ive", "ly")
# The longest words of each bin; one more is open.
LENGTHS = (1, 2, 3, 4, 6, 8, 12, 18)
INFLECTIONS = ("ies", "ing", "est", "ed", "er", "es", "s")
UNKNOWN = "<unknown>"


def stem(word: str) -> str:
    """A word without its inflection, if that leaves three letters."""
    for ending in INFLECTIONS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def _has_ending(ending: str) -> Callable[[str], object]:
    return lambda text: text.lower().endswith(ending)


def _is_number(text: str) -> bool:
    try:
        float(text.replace(",", ""))
    except ValueError:
        return False
    return True


GROUPS: dict[str, Callable[[str], object]] = {
    "word": identity,
    "stem": lambda text: stem(identity(text)),
    "length": lambda text: bisect_left(LENGTHS, len(text)),
    "capital": lambda text: text[:1].isupper(),
    "all capitals": str.isupper,
    "hyphen": lambda text: "-" in text,
    "starts numeric": lambda text: text[:1].isdigit(),
    "numeric": _is_number,
    **{f"-{ending}": _has_ending(ending) for ending in ENDINGS},
}
# Groups whose values are words: those seen once stand for all that were never seen.
OPEN = ("word", "stem")
