"""Noun phrases whose modifiers are ordered: words with their tags. A hyphenated word is a single word."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from ..errors import Errors, JointValueError

SUFFIX = ".jsonl"
NUMBER = "<num>"
# The maximum number of modifiers in a phrase, as the search uses one bit for each.
MAX_MODIFIERS = 64


class Word(NamedTuple):
    """A modifier or a head noun as written, and its Penn Treebank tag ("" if unknown)."""

    text: str
    tag: str = ""


class Phrase(NamedTuple):
    """The modifiers of a noun in the order of the text, and the noun (None if unknown)."""

    modifiers: tuple[Word, ...]
    head: Word | None = None

    def without_tags(self) -> Phrase:
        """Return the phrase without its tags."""
        return Phrase(tuple(Word(word.text) for word in self.modifiers), self.head and Word(self.head.text))


def identity(text: str) -> str:
    """Return the normal form of a word: lower case, or NUMBER for any number in digits."""
    if any(character.isalpha() for character in text) or not any(character.isdigit() for character in text):
        return text.lower()
    return NUMBER


def identities(phrase: Phrase) -> tuple[str, ...]:
    """Return the normal forms of the modifiers."""
    return tuple(identity(word.text) for word in phrase.modifiers)


def has_repeats(phrase: Phrase) -> bool:
    """Return whether two modifiers are the same, so that swapping them makes no difference."""
    return len(set(identities(phrase))) < len(phrase.modifiers)


def sort_modifiers(phrase: Phrase) -> tuple[Phrase, tuple[int, ...]]:
    """Sort the modifiers of a phrase; return the phrase and their original indices."""
    indices = tuple(sorted(range(len(phrase.modifiers)), key=lambda i: phrase.modifiers[i]))
    return Phrase(tuple(phrase.modifiers[i] for i in indices), phrase.head), indices


def write_phrases(phrases: Iterable[Phrase], path: Path) -> None:
    """Write phrases as JSON lines: lists of words with tags, with the head (or null) last."""
    with path.open("w", encoding="utf8") as file:
        for modifiers, head in phrases:
            file.write(json.dumps([*modifiers, head], ensure_ascii=False) + "\n")


def read_phrases(path: Path) -> Iterator[Phrase]:
    """Read phrases written by `write_phrases`. RAISES ValueError: If a line is invalid (J142)."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                *modifiers, head = json.loads(line.decode("utf8"))
                phrase = Phrase(tuple(Word(*word) for word in modifiers), None if head is None else Word(*head))
                if not all(isinstance(value, str) for word in (*phrase.modifiers, head or ()) for value in word):
                    raise TypeError
            except (TypeError, ValueError, RecursionError) as error:
                expected = "a JSON list of modifiers and the head (or null), each a list of a word and its tag"
                described = {"file": path, "line": number, "found": line[:80], "expected": expected}
                raise JointValueError(Errors.J142, **described) from error
            yield phrase
