"""Speakers of novels: compares characters with the names of a corpus."""

import re

from ..quotation.characters import Character
from ..quotation.names import Name, read_names

NUMBER = re.compile(r"-\d+$")
DETERMINERS = frozenset(("the", "a", "an", "this", "that", "his", "her", "my", "our", "their", "of", "s", "'s"))


# LitBank's name of a character, such as "Mrs_Bennet-7", or all names of a character in lower case.
Gold = str | frozenset[str]


def are_same(gold: Gold, character: Character | None) -> bool:
    """Return whether a character is the gold one. If all gold names are known, most mentions of the character by name
    must use them. With a name of LitBank, one name of the character must have all of its words, or vice versa; titles
    and determiners do not count, but titles must not differ in gender."""
    if isinstance(gold, frozenset):
        names = {} if character is None else character.names
        # Nouns such as "the painter" are not names.
        proper = {name.text for name in character.parsed} if character else set()
        names = {name: count for name, count in names.items() if name in proper} or names
        known = sum(count for name, count in names.items() if name.lower() in gold)
        return 2 * known > sum(names.values())
    expected = _parse(NUMBER.sub("", gold).replace("_", " "))
    if character is None or expected is None:
        return False
    for name in filter(None, map(_parse, character.names)):
        genders = {Name(parsed.titles, ("",)).gender for parsed in (expected, name) if parsed.titles}
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
