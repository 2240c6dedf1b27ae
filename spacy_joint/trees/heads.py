"""Head rules, which find the head among the children of a constituent.

The text has one rule per line: a label, a direction and labels of children. The rules of a label are tried in the order
of the lines. `left` and `right` take the first listed label that any child has, and its leftmost or rightmost child;
`leftmost` and `rightmost` take the outermost child on that side that has any of the labels, or, without labels, the
outermost child; `function` lists grammatical functions instead of labels, and works like `left`. Rules for `*` are
tried first, for all labels. If no rule matches, the head is the leftmost child. Labels are compared exactly.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from ..errors import Errors, JointValueError, check_choice

FILES = {file.stem.removeprefix("head_rules_"): file for file in Path(__file__).parent.glob("head_rules_*.txt")}
DIRECTIONS = ("left", "right", "leftmost", "rightmost", "function")
ANY = "*"


class HeadRules:
    """Rules read from a text. RAISES ValueError: If a line is not a rule (J331)."""

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
        """Find the index of the head of a node, given its label, and the labels and functions of its children."""
        for direction, wanted in [*self.rules.get(ANY, ()), *self.rules.get(label, ())]:
            values = functions if direction == "function" else children
            order = range(len(values))[:: -1 if direction.startswith("right") else 1]
            if direction.endswith("most"):
                found = [index for index in order if not wanted or values[index] in wanted]
            else:
                found = [index for value in wanted for index in order if values[index] == value]
            if found:
                return found[0]
        return 0


@cache
def load_head_rules(name: str) -> HeadRules:
    """Load the rules for a treebank: "alpino", "english" (Penn Treebank) or "negra" (also TiGer). RAISES ValueError: If
    the name is unknown (J040)."""
    check_choice("head rules", name, sorted(FILES))
    return HeadRules(FILES[name].read_text(encoding="utf8"))
