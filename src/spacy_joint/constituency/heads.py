"""Head rules: which child of a constituent is its head, as data.

The text has one rule per line: a label, a direction and labels of children. The rules of a label are tried in the order
of the lines. `left` and `right` take the first of the labels that any child has, and the leftmost or rightmost of these
children; `leftmost` and `rightmost` take the outermost child on that side that has any of the labels, or, without
labels, the outermost child. If no rule matches, the head is the leftmost child. Labels are compared exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from ..errors import Errors, JointValueError

ENGLISH = Path(__file__).parent / "head_rules_en.txt"
DIRECTIONS = ("left", "right", "leftmost", "rightmost")


class HeadRules:
    """Rules read from a text.

    text (str): The rules.
    RAISES ValueError: If a line is not a rule (J331).
    """

    def __init__(self, text: str) -> None:
        self.rules: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
        for number, line in enumerate(text.splitlines(), start=1):
            words = line.partition("# ")[0].split()
            if not words:
                continue
            label, direction, *labels = [*words, ""] if len(words) == 1 else words
            if direction not in DIRECTIONS or (not labels and direction in ("left", "right")):
                raise JointValueError(Errors.J331, line=number, found=line, allowed=", ".join(DIRECTIONS))
            self.rules.setdefault(label, []).append((direction, tuple(labels)))

    def find(self, label: str, children: Sequence[str]) -> int:
        """The index of the head among the children of a node, given their labels."""
        for direction, labels in self.rules.get(label, ()):
            order = range(len(children)) if direction.startswith("left") else range(len(children) - 1, -1, -1)
            if direction in ("leftmost", "rightmost"):
                found = [place for place in order if not labels or children[place] in labels]
            else:
                found = [place for wanted in labels for place in order if children[place] == wanted]
            if found:
                return found[0]
        return 0


@cache
def english() -> HeadRules:
    """The rules for the English Penn Treebank."""
    return HeadRules(ENGLISH.read_text(encoding="utf8"))
