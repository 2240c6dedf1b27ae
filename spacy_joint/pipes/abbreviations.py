"""Abbreviations with a full stop, from `abbreviations.txt`."""

import re
from functools import cache
from pathlib import Path

_text = (Path(__file__).parent / "abbreviations.txt").read_text(encoding="utf8")
_sections: dict[str, str] = dict(re.findall(r"^\[([\w ]+)\]\n([^[]*)", re.sub("(?m)^#.*\n", "", _text), re.MULTILINE))


def _read(language: str, kind: str) -> frozenset[str]:
    return frozenset(_sections.get(f"{language} {kind}", "").split())


@cache
def read_abbreviations(language: str) -> frozenset[str]:
    """Read the abbreviations of a language that are one token with their full stop; lower-case ones may also be
    capitalised or in capitals."""
    return _read(language, "leading") | _read(language, "others")


@cache
def read_leading(language: str) -> frozenset[str]:
    """Read titles, references and the like, in lower case. They belong to the next word."""
    return frozenset(map(str.lower, _read(language, "leading")))


# Words that may be English abbreviations if a full stop follows, in lower case.
STEMS = frozenset(word[:-1].lower() for word in read_abbreviations("en") | _read("en", "words"))
# English words that, with a full stop, are references if a number follows.
REFERENCES = _read("en", "references")
