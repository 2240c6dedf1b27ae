"""Distinguishes apostrophes from single quotation marks, which look the same: ' and ’.

Both stand before and after words: some words start or end with an apostrophe ('em, th’, the dogs’ turn). The words and
the punctuation around a mark decide; at the end of a word, the next mark does, too. Nothing is learnt.
"""

import re

from spacy.tokens import Doc

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
    """Returns the role of ' or ’ by its neighbours. `may_open` says whether the document also opens with it."""
    before, after = doc[i - 1].text if i else "", doc[i + 1].text if i + 1 < len(doc) else ""
    follows_word, precedes_word = before[-1:].isalnum(), after[:1].isalnum()
    opens, closes = space_before, space_after
    if opens == closes and follows_word != precedes_word:
        # Between spaces, as in tokenised text, or attached on both sides.
        opens, closes = (opens, True) if follows_word else (True, closes)
    elif not opens and not closes:
        if follows_word:
            return NEITHER
        opens = closes = True
    if opens and closes and may_open and follows_word:
        # Between spaces, after a word.
        return EITHER | UNSURE
    closing = (_find_closing_role(doc, i) if follows_word else CLOSING) if closes else NEITHER
    announced = i > 0 and is_reporting(doc[i - 1])
    if not (opens and may_open) or is_elided(after) or (follows_word and after[:1].islower() and not announced):
        return closing
    # After a word, in tokenised text, a mark seldom opens.
    closes_only = is_followed_by_verb(doc, i) or (follows_word and not announced)
    return OPENING if not closing else closing if closes_only else EITHER


def _find_closing_role(doc: Doc, i: int) -> int:
    """Returns the role of a mark after a word."""
    if is_followed_by_verb(doc, i):
        return CLOSING
    # As in “...” he said.
    is_attributed = any(is_reporting(token) for token in doc[i + 2 : i + 3])
    return NEITHER if doc[i + 1 : i + 2].text[:1].islower() and not is_attributed else CLOSING | UNSURE


def is_followed_by_verb(doc: Doc, i: int) -> bool:
    """Returns whether a reporting verb follows a mark, which then closes, as in "..." said he."""
    if i + 1 >= len(doc) or not doc[i + 1].text.islower() or doc[i + 1].tag_ in BASE_FORMS:
        return False
    return is_reporting(doc[i + 1]) or is_reporting(doc[i + 1], BESIDE_MARKS)


def is_elided(word: str) -> bool:
    """Returns whether an apostrophe, not a mark, precedes this word: 'em, '90s."""
    return word in ELIDED or (word[:2].isdigit() and not word[:4].isdigit())


def starts_clause(doc: Doc, i: int) -> bool:
    """Returns whether the second of two opening marks of a kind starts a sentence; if not, it is an apostrophe."""
    return not doc[i + 1 : i + 2].text[:1].islower() and doc[i - 1].text[-1] in SENTENCE_ENDS
