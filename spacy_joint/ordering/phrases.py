"""Noun phrases as the systems that order modifiers see them: words with tags, and nothing else of the sentence.

A modifier that is written with hyphens is one word. Tags are the Penn Treebank's, or "" where nobody knows them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from ..errors import Errors, JointValueError

SUFFIX = ".jsonl"
NUMBER = "<num>"
# Of a phrase that can be ordered: a bit each in the search.
MOST_MODIFIERS = 64


class Word(NamedTuple):
    """A modifier or a head noun. text: As it is written. tag: Of the Penn Treebank; "" if unknown."""

    text: str
    tag: str = ""


class Phrase(NamedTuple):
    """The modifiers of a noun in the order of the text, left to right. head: None if unknown."""

    modifiers: tuple[Word, ...]
    head: Word | None = None

    def without_tags(self) -> Phrase:
        """The same words, their tags unknown."""
        return Phrase(tuple(Word(word.text) for word in self.modifiers), self.head and Word(self.head.text))


def identity(text: str) -> str:
    """What a word is counted as: lower case, and all numbers written in digits alike."""
    if any(character.isalpha() for character in text) or not any(character.isdigit() for character in text):
        return text.lower()
    return NUMBER


def identities(phrase: Phrase) -> tuple[str, ...]:
    """What the modifiers are counted as."""
    return tuple(identity(word.text) for word in phrase.modifiers)


def has_repeats(phrase: Phrase) -> bool:
    """Whether two modifiers are the same, so that their order cannot be told from the other."""
    return len(set(identities(phrase))) < len(phrase.modifiers)


def write_phrases(phrases: Iterable[Phrase], path: Path) -> None:
    """Write phrases as JSON lines: lists of words, each with its tag, the head last (or null)."""
    with path.open("w", encoding="utf8") as file:
        for modifiers, head in phrases:
            file.write(json.dumps([*modifiers, head], ensure_ascii=False) + "\n")


def read_phrases(path: Path) -> Iterator[Phrase]:
    """Read what `write_phrases` wrote.

    Raises ValueError (J350) if a line is something else.
    """
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                *modifiers, head = json.loads(line.decode("utf8"))
                phrase = Phrase(tuple(Word(*word) for word in modifiers), None if head is None else Word(*head))
                if not all(isinstance(value, str) for word in (*phrase.modifiers, head or ()) for value in word):
                    raise TypeError
            except (TypeError, ValueError, RecursionError) as error:
                raise JointValueError(Errors.J350, file=path, line=number) from error
            yield phrase
