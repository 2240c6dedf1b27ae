"""The English abbreviations in `abbreviations.txt`."""

import re
from pathlib import Path

_leading, _others, _words = (
    frozenset(word for line in part.splitlines() if line[:1] != "#" for word in line.split())
    for part in re.split("\n==.*", (Path(__file__).parent / "abbreviations.txt").read_text(encoding="utf8"))
)
# Abbreviations that are one token with their full stop.
ABBREVIATIONS = _leading | _others
# Titles, references and the like, in lower case. They belong to the next word, so they hardly ever end a sentence.
LEADING = frozenset(map(str.lower, _leading))
# Words that may be abbreviations if a full stop follows, in lower case.
STEMS = frozenset(word[:-1].lower() for word in ABBREVIATIONS | _words)
