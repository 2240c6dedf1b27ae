"""Decides whether quotation marks open or close where their neighbours do not tell: in tokenised text, straight marks
stand between spaces (" I go , " he said .), and ' and ’ at the end of a word may be apostrophes.

The roles of all marks in a paragraph are decided together, at the lowest cost: words next to each mark speak for a
role, and so do the words between two marks, which are speech or narration. The costs were chosen on LitBank's first 80
novels, as they are and with single marks instead of double ones; nothing is learnt.
"""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise

from spacy.tokens import Doc, Span

from ..annotation.reporting_verbs import is_reporting
from .apostrophes import CLOSING, EITHER, NEITHER, OPENING, SENTENCE_ENDS, UNSURE, can_report, is_followed_by_verb

# The costs of a mark that has no role, or that opens a quotation within one; of an apostrophe within a quotation; of a
# quotation that no mark in the paragraph closes; and of a role that a neighbour contradicts.
DROPPED, APOSTROPHE, UNCLOSED, UNLIKELY = 5, 1, 2, 3
IMPOSSIBLE = 10_000
MARKS, OPENING_MARKS = frozenset(("'", "’", "‘", '"', "''")), frozenset(("‘", "“"))
# Words of speech rather than narration; the length of a long turn, in tokens, and the highest cost of its length.
SPOKEN = frozenset(("i", "my", "me", "we", "you", "your", "oh", "yes", "'ll", "’ll"))
LONG, MAX_LENGTH = 100, 4


def resolve_roles(doc: Doc, roles: dict[int, int], paragraph_starts: Sequence[int]) -> None:
    """Resolves the ambiguous roles of the marks of one kind, by token, in place."""
    marks, edges = sorted(roles), [*paragraph_starts, len(doc)]
    for start, end in pairwise(edges):
        found = marks[bisect_left(marks, start) : bisect_left(marks, end)]
        if any(roles[i] & UNSURE or roles[i] == EITHER for i in found):
            _resolve(doc, roles, found, end)


def _resolve(doc: Doc, roles: dict[int, int], marks: Sequence[int], end: int) -> None:
    """Resolves the roles of the marks of a paragraph by dynamic programming over two states: outside and inside."""
    costs = 0, IMPOSSIBLE
    steps = []
    for i, following in pairwise([*marks, end]):
        opening = _weigh_opening(doc, i) if roles[i] & OPENING else IMPOSSIBLE
        closing = _weigh_closing(doc, i) if roles[i] & CLOSING else IMPOSSIBLE
        is_unsure = bool(roles[i] & UNSURE)
        dropped = 0 if is_unsure or roles[i] == NEITHER else DROPPED
        # The cost, the role, and the state before.
        outside = min((costs[0] + dropped, NEITHER, 0), (costs[1] + closing, CLOSING, 1))
        inside = min(
            (costs[1] + dropped + APOSTROPHE * is_unsure, NEITHER, 1),
            (costs[0] + opening, OPENING, 0),
            (costs[1] + opening + DROPPED, OPENING, 1),
        )
        costs = outside[0], inside[0] + _weigh_speech(doc[i + 1 : following])
        steps.append((outside, inside))
    state = int(costs[1] + UNCLOSED < costs[0])
    for i, step in zip(reversed(marks), reversed(steps), strict=True):
        _, roles[i], state = step[state]


def _weigh_opening(doc: Doc, i: int) -> int:
    """Returns the cost of a mark that opens."""
    before, after = _read_neighbours(doc, i)
    if not after or is_followed_by_verb(doc, i):
        return UNLIKELY
    cost = int(any(map(can_report, doc[i + 1 : i + 4]))) + before.isalnum()
    if after.islower() and not _is_announced(doc, i):
        cost += 1 + (before[-1:] in SENTENCE_ENDS)
    # Right after an opening mark, it is rather an apostrophe.
    return cost + 2 * (before in OPENING_MARKS) + (after in MARKS or 2 * (not after[0].isalnum()))


def _weigh_closing(doc: Doc, i: int) -> int:
    """Returns the cost of a mark that closes."""
    before, after = _read_neighbours(doc, i)
    if before in ("", ":") or (before[-1:].isalnum() and after[:1].isalnum()):
        return UNLIKELY
    return (before in MARKS) + 2 * (before == "," and _is_announced(doc, i))


def _weigh_speech(words: Span) -> int:
    """Returns the cost of quoting the words between two marks."""
    cost = -min(sum(word.lower_ in SPOKEN for word in words), 2)
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
