"""Abbreviations with a full stop, from `abbreviations.txt`."""

from functools import cache
from pathlib import Path

from ..files.reading import read_word_lists


def _read(language: str, kind: str) -> frozenset[str]:
    lists = read_word_lists(Path(__file__).parent / "abbreviations.txt")
    return lists.get(f"{language} {kind}", frozenset())


@cache
def read_abbreviations(language: str) -> frozenset[str]:
    """Read the abbreviations of a language that are one token with their full stop; lower-case ones may also be
    capitalised or in capitals."""
    return _read(language, "leading") | _read(language, "cited") | _read(language, "others")


@cache
def read_leading(language: str) -> frozenset[str]:
    """Read titles, references and the like, in lower case. They belong to the next word."""
    return frozenset(map(str.lower, _read(language, "leading") | _read(language, "cited")))


@cache
def read_titles(language: str) -> frozenset[str]:
    """Read those abbreviations of `read_leading` that always have a capital."""
    leading = _read(language, "leading")
    return frozenset(word for word in leading if word[0].isupper() and word.lower() not in leading)


# English words, or abbreviations if a full stop follows.
WORDS = _read("en", "words")
# Words that may be English abbreviations if a full stop follows, in lower case.
STEMS = frozenset(word[:-1].lower() for word in read_abbreviations("en") | WORDS)
# English words that, with a full stop, are references if a number follows.
REFERENCES = _read("en", "references")
