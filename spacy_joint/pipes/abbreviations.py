"""Abbreviations with a full stop, from `abbreviations.txt`."""

from functools import cache
from pathlib import Path

from ..files.reading import read_word_lists

_LISTS = read_word_lists(Path(__file__).parent / "abbreviations.txt")


def _read(language: str, kind: str) -> frozenset[str]:
    return _LISTS.get(f"{language} {kind}", frozenset())


@cache
def read_abbreviations(language: str) -> frozenset[str]:
    """Read the abbreviations of a language that are one token with their full stop; lower-case ones may also be
    capitalised or in capitals."""
    return _read(language, "leading") | _read(language, "cited") | _read(language, "others")


@cache
def read_leading(language: str) -> frozenset[str]:
    """Read the abbreviations that belong to the next word, such as titles and references, in lower case."""
    return frozenset(map(str.lower, _read(language, "leading") | _read(language, "cited")))


def read_references(language: str) -> frozenset[str]:
    """Read words that, with a full stop, are references if a number follows."""
    return _read(language, "references")


@cache
def read_final(language: str) -> frozenset[str]:
    """Read the other abbreviations, in lower case. They may end a sentence."""
    return frozenset(map(str.lower, _read(language, "others"))) - read_leading(language)


@cache
def read_titles(language: str) -> frozenset[str]:
    """Read those abbreviations of `read_leading` that always have a capital."""
    leading = _read(language, "leading")
    return frozenset(word for word in leading if word[0].isupper() and word.lower() not in leading)


def read_words(language: str) -> frozenset[str]:
    """Read words that are abbreviations if a full stop follows."""
    return _read(language, "words")


@cache
def read_stems(language: str) -> frozenset[str]:
    """Read the words that may be abbreviations if a full stop follows, in lower case and without it."""
    return frozenset(word[:-1].lower() for word in read_abbreviations(language) | read_words(language))


# Those of any language.
ALL_STEMS = frozenset().union(*(read_stems(name.partition(" ")[0]) for name in _LISTS))
