"""Head rules: which child of a constituent is its head, as data.

The text has one rule per line: a label, a direction and labels of children. The rules of a label are tried in the order
of the lines. `left` and `right` take the first of the labels that any child has, and the leftmost or rightmost of these
children; `leftmost` and `rightmost` take the outermost child on that side that has any of the labels, or, without
labels, the outermost child; `function` is followed by grammatical functions, and otherwise like `left`. Rules for `*`
are tried first, for all labels. If no rule matches, the head is the leftmost child. Labels are compared exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from ..errors import Errors, JointValueError

FILES = {file.stem.removeprefix("head_rules_"): file for file in Path(__file__).parent.glob("head_rules_*.txt")}
DIRECTIONS = ("left", "right", "leftmost", "rightmost", "function")
ANY = "*"


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
            if direction not in DIRECTIONS or (not labels and not direction.endswith("most")):
                raise JointValueError(Errors.J331, line=number, found=line, allowed=", ".join(DIRECTIONS))
            self.rules.setdefault(label, []).append((direction, tuple(labels)))

    def find(self, label: str, children: Sequence[str], functions: Sequence[str] = ()) -> int:
        """The index of the head among the children of a node.

        label (str): The label of the node.
        children (Sequence[str]): The labels of its children.
        functions (Sequence[str]): The grammatical functions of the children, if they are known.
        """
        for direction, wanted in [*self.rules.get(ANY, ()), *self.rules.get(label, ())]:
            values = functions if direction == "function" else children
            is_reversed = direction.startswith("right")
            order = range(len(values) - 1, -1, -1) if is_reversed else range(len(values))
            if direction.endswith("most"):
                found = [place for place in order if not wanted or values[place] in wanted]
            else:
                found = [place for value in wanted for place in order if values[place] == value]
            if found:
                return found[0]
        return 0


@cache
def load_head_rules(name: str) -> HeadRules:
    """The rules of this package for a treebank: "alpino", "english" (Penn Treebank) or "negra" (also TiGer).

    RAISES ValueError: If there are no rules of this name (J564).
    """
    if name not in FILES:
        raise JointValueError(Errors.J564, found=name, allowed=", ".join(sorted(FILES)))
    return HeadRules(FILES[name].read_text(encoding="utf8"))
