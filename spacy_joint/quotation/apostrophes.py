"""Distinguishes apostrophes from single quotation marks, which look the same: ' and ’.

Both stand before and after words: some words start or end with an apostrophe ('em, th’, the dogs’ turn). The words and
the punctuation around a mark tell which roles it can have; mark_roles.py chooses one. Nothing is learnt.
"""

import re

from spacy.tokens import Doc, Token

from ..annotation.reporting_verbs import BESIDE_MARKS, is_reporting

# The roles that a mark can have, in bits. One that is `UNSURE` can also be an apostrophe.
NEITHER, OPENING, CLOSING, EITHER, UNSURE = 0, 1, 2, 3, 4
# Words that start with an apostrophe, in lower case.
ELIDED = frozenset(
    re.findall(
        r"\w+",
        "ad ave bout cause cept coz cos e em er fraid gainst im m midst mongst neath ow pon scuse spect t til tis tisn "
        "twas twasn tween twere twill twixt twould un",
    )
)
SENTENCE_ENDS = frozenset(".?!…")
# Tags of verbs that can belong to speech: "...," believe me, "..."
BASE_FORMS = frozenset(("VB", "VBP"))


def find_straight_role(doc: Doc, i: int, space_before: bool, space_after: bool, may_open: bool) -> int:
    """Returns the roles that ' or ’ can have. `may_open` says whether the document also opens with it."""
    before, after = doc[i - 1].text if i else "", doc[i + 1].text if i + 1 < len(doc) else ""
    follows_word, precedes_word = before[-1:].isalnum(), after[:1].isalnum()
    is_attached = not space_before and not space_after
    opens, closes = (not follows_word, not precedes_word) if is_attached else (space_before, space_after)
    opens = opens and may_open and not is_elided(after)
    return OPENING * opens | CLOSING * closes | UNSURE * ((opens or closes) and follows_word)


def is_followed_by_verb(doc: Doc, i: int) -> bool:
    """Returns whether a reporting verb follows a mark, which then closes, as in "..." said he, or "..." he said."""
    if i + 1 >= len(doc) or not doc[i + 1].text.islower():
        return False
    if any(map(is_reporting, doc[i + 2 : i + 3])):
        return True
    return doc[i + 1].tag_ not in BASE_FORMS and can_report(doc[i + 1])


def can_report(token: Token) -> bool:
    """Returns whether a token is a verb that reports beside marks."""
    return is_reporting(token) or is_reporting(token, BESIDE_MARKS)


def is_elided(word: str) -> bool:
    """Returns whether an apostrophe, not a mark, precedes this word: 'em, '90s."""
    return word in ELIDED or (word[:2].isdigit() and not word[:4].isdigit())
