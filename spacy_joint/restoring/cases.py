"""The case of words. Only letters count: "3d" is lower case, "3D" is capitalised."""

import re
from collections.abc import Mapping, Sequence
from itertools import groupby

# word, Word, WORD, CEOs (capitals with a plural -s), and words with a special spelling, such as iPhone.
LOWER, CAPITALISED, CAPITALS, PLURAL, OTHER = CASES = ("lower", "capitalised", "capitals", "plural", "other")
# Words with one of these, such as addresses, get no capital at the beginning of a sentence.
ADDRESS_SIGNS = ("@", "/", "\\", "#", "_")
# O'Brien, but not o'clock and o'er.
IRISH_NAME = re.compile(r"o['’](?!clock|er)[a-z]{3}")
# English words of one letter, and letters that stand for words: "r u", "e g".
LETTERS_ALONE, LETTERS_FOR_WORDS = "ai", ({"r", "u"}, {"e", "g"})


def find_spelled(words: Sequence[str]) -> list[bool]:
    """Finds the letters of abbreviations in English words: two or more in succession, as in "the u s"."""
    found: list[bool] = []
    for is_letter, group in groupby(words, _is_letter):
        letters = list(group)
        is_spelled = is_letter and len(letters) > 1 and not any(set(letters) <= pair for pair in LETTERS_FOR_WORDS)
        found += [is_spelled] * len(letters)
    return found


def _is_letter(word: str) -> bool:
    return len(word) == 1 and word.isalpha() and word not in LETTERS_ALONE


def find_case(word: str) -> str:
    """Finds the first of CASES that yields a word."""
    return next((case for case in CASES[:-1] if apply_case(case, word.lower(), {}) == word), OTHER)


def apply_case(case: str, word: str, forms: Mapping[str, str]) -> str:
    """Applies one of CASES to a lower-case word; `forms` has the spellings for OTHER. A word that the case does not fit
    is capitalised."""
    if case == LOWER:
        return word
    if case == CAPITALS:
        return word.upper()
    if case == PLURAL and word[-1:] == "s":
        return word[:-1].upper() + "s"
    return forms[word] if case == OTHER and word in forms else capitalise(word)


def capitalise(word: str) -> str:
    """Capitalises the first letter of a word, except of addresses and similar words."""
    if any(sign in word for sign in ADDRESS_SIGNS):
        return word
    if IRISH_NAME.match(word):
        return word[:3].upper() + word[3:]
    index = next((i for i, each in enumerate(word) if each.isalpha()), 0)
    return word[:index] + word[index : index + 1].title() + word[index + 1 :]
