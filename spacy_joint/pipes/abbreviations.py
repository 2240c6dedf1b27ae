"""The English abbreviations in `abbreviations.txt`."""

from pathlib import Path

_leading, _others, _words = (
    frozenset(word for line in part.splitlines() if line[:1] not in "#=" for word in line.split())
    for part in (Path(__file__).parent / "abbreviations.txt").read_text(encoding="utf8").split("\n==")
)
# Those that are one word with their full stop.
ABBREVIATIONS = _leading | _others
# Titles, references and the like, in lower case. What they belong to follows, so they hardly ever end a sentence.
LEADING = frozenset(map(str.lower, _leading))
# What may be an abbreviation if a full stop follows, in lower case.
STEMS = frozenset(word[:-1].lower() for word in ABBREVIATIONS | _words)
