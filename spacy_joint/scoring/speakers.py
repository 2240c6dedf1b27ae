"""Speakers of novels: compares characters with the names of a corpus, such as "Mrs_Bennet-7" in LitBank."""

from __future__ import annotations

import re

from ..quotation.characters import Character
from ..quotation.names import Name, read_names

NUMBER = re.compile(r"-\d+$")
DETERMINERS = frozenset(("the", "a", "an", "this", "that", "his", "her", "my", "our", "their", "of", "s", "'s"))


def are_same(gold: str, character: Character | None) -> bool:
    """Return whether the words of one of a character's names include all words of the gold name, or vice versa. Titles
    and determiners do not count, but titles must not differ in gender."""
    expected = _parse(NUMBER.sub("", gold).replace("_", " "))
    if character is None or expected is None:
        return False
    for name in filter(None, map(_parse, character.names)):
        genders = {Name(each.titles, ("",)).gender for each in (expected, name) if each.titles}
        words = set(expected.words), set(name.words)
        if len(genders - {None}) < 2 and (words[0] <= words[1] or words[1] <= words[0]):
            return True
    return False


def _parse(text: str) -> Name | None:
    """Parse a name, without determiners."""
    words = [word.lower().strip(".") for word in text.split()]
    words = [word for word in words if word and word not in DETERMINERS]
    titles = tuple(word for word in words[:-1] if word in read_names().title_genders)
    rest = tuple(word for word in words if word not in titles)
    return Name(titles, rest) if rest else None
