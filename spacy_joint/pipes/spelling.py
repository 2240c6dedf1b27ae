"""Spells text for models: composed (Unicode's NFC), and with the quotation marks, apostrophes, dashes and currency
signs of their training text. Others, such as `’` for `'`, would make words unknown. Documents keep their text; only
models see the new spelling.

Also makes lower case, which depends on the language, as in Turkish.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise

import numpy as np
from spacy.training import Example

# Substitutes for a character that a model does not know, in order of preference.
APOSTROPHES, CURRENCIES = "'’ʼ‘`´′", "€$£¥₺₽₹₩₴₫"  # noqa: RUF001
SUBSTITUTES: dict[str, str] = {
    **{character: APOSTROPHES for character in f"{APOSTROPHES}‛＇"},  # noqa: RUF001
    **{character: '“„«"”' for character in "“„«‟〝"},
    **{character: '”“»"' for character in "”»〞"},
    **{character: '"“«' for character in "‹〈"},
    **{character: '"”»' for character in "›〉"},
    **{character: '"”»“«' for character in '"″＂'},
    **{character: "–—-" for character in "–—―‒"},  # noqa: RUF001
    **{character: "-‐–" for character in "-‐‑−﹣－"},  # noqa: RUF001
    **{character: CURRENCIES for character in CURRENCIES},
}
# A character is known if it is at least this frequent in training.
MIN_COUNT = 5
# Letters whose lower case is not Unicode's default, by language.
DOTTED = {"İ": "i", "I": "ı"}  # noqa: RUF001
LOWER_CASE = {language: {ord(capital): ord(letter) for capital, letter in DOTTED.items()} for language in ("tr", "az")}
# Marks where a word may be divided at the end of a line; visible only there.
SOFT_HYPHEN = "\N{SOFT HYPHEN}"
# In a word of several parts, a line break is a space.
LINE_BREAK = re.compile(r"\s*[\r\n]\s*")


def find_known_characters(examples: Iterable[Example]) -> str:
    """Finds the characters that `Spelling` may replace or use as substitutes and that are frequent enough in the
    references; they are sorted."""
    counts: Counter[str] = Counter()
    for example in examples:
        counts.update(example.reference.text)
    wanted = {*SUBSTITUTES, *"".join(SUBSTITUTES.values())}
    return "".join(sorted(character for character in wanted if counts[character] >= MIN_COUNT))


class Spelling:
    """Spells text for models.

    known (str | None): The characters in SUBSTITUTES that the model knows. None: all.
    """

    def __init__(self, known: str | None = None, language: str = "") -> None:
        self.known, self.language = known, language
        self.replaced: dict[str, str] = {}
        if known is not None:
            for character in SUBSTITUTES.keys() - set(known):
                substitute = next((other for other in SUBSTITUTES[character] if other in known), None)
                if substitute is not None:
                    self.replaced[character] = substitute
        # As code points.
        self.lower_case = LOWER_CASE.get(language, {})

    def lower(self, text: str) -> str:
        """Makes a text lower case."""
        return (text.translate(self.lower_case) if self.lower_case else text).lower()

    def spell(self, word: str) -> str:
        """Spells a word for models; whitespace is unchanged."""
        if word.isspace():
            return word
        composed = unicodedata.normalize("NFC", LINE_BREAK.sub(" ", word))
        return self._replace(composed.replace(SOFT_HYPHEN, "") or composed)

    def fold(self, word: str) -> str:
        """Spells a word for models, in lower case."""
        return self.lower(self.spell(word))

    def align(self, text: str) -> tuple[str, np.ndarray | None]:
        """Spells a text for models. Also returns the positions in the given text of each character of the result and of
        its end (int64, ascending); None if positions do not change."""
        if unicodedata.is_normalized("NFC", text) and SOFT_HYPHEN not in text:
            return self._replace(text), None
        # Characters never combine with whitespace.
        begins = [i for i in range(1, len(text)) if text[i - 1].isspace() or not combines(text[i])]
        pieces: list[str] = []
        positions: list[int] = []
        for begin, end in pairwise([0, *begins, len(text)]):
            given = text[begin:end]
            piece = unicodedata.normalize("NFC", given.replace(SOFT_HYPHEN, "")) or given
            # Some characters are decomposed by NFC.
            pieces.append(piece if len(piece) <= len(given) else given)
            positions += range(begin, begin + len(pieces[-1]))
        return self._replace("".join(pieces)), np.array([*positions, len(text)], dtype=np.int64)

    def _replace(self, text: str) -> str:
        for character in self.replaced.keys() & set(text) if self.replaced else ():
            text = text.replace(character, self.replaced[character])
        return text


def combines(character: str) -> bool:
    """Returns whether a character belongs to the one before: a mark, a Korean vowel or final consonant, a soft
    hyphen."""
    is_mark = character > "\x7f" and unicodedata.category(character)[0] == "M"
    return is_mark or "\u1160" <= character <= "\u11ff" or character == SOFT_HYPHEN


DEFAULT_SPELLING = Spelling()
