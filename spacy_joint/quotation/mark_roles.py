"""Decides whether quotation marks open or close, or are apostrophes, where neither glyphs nor spaces show it: ' and ’
stand before and after words ('em, th’, the dogs’ turn), and in tokenised text (" I go , " he said .), straight marks
stand between spaces.

First, the words and the punctuation around a mark determine its possible roles. Then, the roles of all marks in a
paragraph are decided together, at the lowest cost: words next to each mark favour a role, and so do the words between
two marks, which are speech or narration. The costs were chosen on LitBank's first 80 novels, unchanged and with single
marks instead of double ones; nothing is learnt.
"""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise

from spacy.tokens import Doc, Span, Token

from ..annotation.reporting_verbs import BESIDE_MARKS, is_reporting
from .words import WORDS

# The roles that a mark can have, in bits. One that is `UNSURE` can also be an apostrophe.
NEITHER, OPENING, CLOSING, EITHER, UNSURE = 0, 1, 2, 3, 4
SENTENCE_ENDS = frozenset(".?!…")
# The costs of a mark that has no role, or that replaces an opening one; of a quotation within one; of an apostrophe
# within a quotation; of a quotation that no mark in the paragraph closes; and of a role that a neighbour contradicts.
DROPPED, NESTED, APOSTROPHE, UNCLOSED, UNLIKELY = 5, 2, 1, 2, 3
IMPOSSIBLE = 10_000
MARKS, OPENING_MARKS = frozenset(("'", "’", "‘", '"', "''")), frozenset(("‘", "“"))
# The length of a long turn, in tokens, and the highest cost of its length; the length at which words in marks cost 1.
LONG, MAX_LENGTH, MAX_WORDS = 100, 4, 15


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
    return can_report(doc[i + 1]) or any(map(is_reporting, doc[i + 2 : i + 3]))


def can_report(token: Token) -> bool:
    """Returns whether a token is a verb that reports beside marks."""
    return is_reporting(token) or is_reporting(token, BESIDE_MARKS)


def is_elided(word: str) -> bool:
    """Returns whether an apostrophe, not a mark, precedes this word: 'em, '90s."""
    return word in WORDS["elided"] or (word[:2].isdigit() and not word[:4].isdigit())


def resolve_roles(doc: Doc, roles: dict[int, int], paragraph_starts: Sequence[int]) -> None:
    """Resolves the ambiguous roles of the marks of one kind, by token, in place."""
    marks, edges = sorted(roles), [*paragraph_starts, len(doc)]
    for start, end in pairwise(edges):
        found = marks[bisect_left(marks, start) : bisect_left(marks, end)]
        if any(roles[i] & UNSURE or roles[i] == EITHER for i in found):
            _resolve(doc, roles, found, end)


def _resolve(doc: Doc, roles: dict[int, int], marks: Sequence[int], end: int) -> None:
    """Resolves the roles of the marks of a paragraph by dynamic programming over four states: outside; in a quotation;
    in one within it, or in words with marks after a word of it; and in such words (a “masher.”) outside."""
    costs = [0, IMPOSSIBLE, IMPOSSIBLE, IMPOSSIBLE]
    steps = []
    for i, following in pairwise([*marks, end]):
        opening = _weigh_opening(doc, i) if roles[i] & OPENING else IMPOSSIBLE
        closing = _weigh_closing(doc, i) if roles[i] & CLOSING else IMPOSSIBLE
        is_unsure = bool(roles[i] & UNSURE)
        dropped = 0 if is_unsure else DROPPED
        opens_words = roles[i] & OPENING and all(text[-1:].isalnum() for text in _read_neighbours(doc, i))
        words, nesting = (0, NESTED) if opens_words else (IMPOSSIBLE, IMPOSSIBLE)
        ending = 0 if roles[i] & CLOSING else IMPOSSIBLE
        # The cost, the role, and the state before.
        ways = (
            ((costs[0] + dropped, NEITHER, 0), (costs[1] + closing, CLOSING, 1), (costs[3] + ending, CLOSING, 3)),
            (
                (costs[1] + dropped + APOSTROPHE * is_unsure, NEITHER, 1),
                (costs[0] + opening, OPENING, 0),
                (costs[1] + opening + DROPPED, OPENING, 1),
                (costs[2] + ending, CLOSING, 2),
            ),
            ((costs[2] + dropped, NEITHER, 2), (costs[1] + nesting, OPENING, 1)),
            ((costs[3] + dropped, NEITHER, 3), (costs[0] + words, OPENING, 0)),
        )
        steps.append([min(way) for way in ways])
        speech, length = _weigh_speech(doc[i + 1 : following]), (following - i) // MAX_WORDS
        more = (0, speech, speech + length, length)
        costs = [cost + added for (cost, *_), added in zip(steps[-1], more, strict=True)]
    state = int(costs[1] + UNCLOSED < costs[0])
    for i, step in zip(reversed(marks), reversed(steps), strict=True):
        _, roles[i], state = step[state]


def _weigh_opening(doc: Doc, i: int) -> int:
    """Returns the cost of opening a quotation: high before narration (" he said) or another mark, and higher after a
    word, or before a word in lower case that no verb announces."""
    before, after = _read_neighbours(doc, i)
    if not after or is_followed_by_verb(doc, i):
        return UNLIKELY
    cost = int(any(map(can_report, doc[i + 1 : i + 4]))) + before.isalnum()
    if after.islower() and not _is_announced(doc, i):
        cost += 1
    # Right after an opening mark, it is more likely an apostrophe.
    return cost + 2 * (before in OPENING_MARKS) + 2 * (not after[0].isalnum())


def _weigh_closing(doc: Doc, i: int) -> int:
    """Returns the cost of closing a quotation: a mark between two words is likely to be an apostrophe (the dogs' turn),
    and few quotations are empty."""
    before, after = _read_neighbours(doc, i)
    if before[-1:].isalnum() and after[:1].isalnum():
        return UNLIKELY
    return int(before in MARKS)


def _weigh_speech(words: Span) -> int:
    """Returns the cost of quoting the words between two marks: low if they say "I" or ask, high if "he said" opens
    them, or if they are many."""
    cost = -min(sum(word.lower_ in WORDS["spoken"] for word in words), 2)
    if any(map(can_report, words[:3])):
        cost += 2
    return cost + min(len(words) // LONG, MAX_LENGTH) - (words[-1:].text in ("?", "!"))


def _read_neighbours(doc: Doc, i: int) -> tuple[str, str]:
    """Returns the texts of the tokens before and after a mark; empty if there is none."""
    before, after = doc[i - 1 : i] if i else doc[:0], doc[i + 1 : i + 2]
    return before.text.strip(), after.text.strip()


def _is_announced(doc: Doc, i: int) -> bool:
    """Returns whether a reporting verb stands right before a mark, as in "..., he said, "..." """
    return any(map(is_reporting, doc[max(i - 4, 0) : i]))
