"""The constraints that tags of HTML put on sentence starts."""

import re
from bisect import bisect_left, bisect_right

import numpy as np

from .lines import FINAL, LOOKBACK

# A tag, or its beginning up to the last attribute.
TAG = re.compile(
    r"""<(/?)(!?[A-Za-z][\w:-]*)((?:\s+[\w:@.-]+=(?:"[^"<>]{0,2000}"?|'[^'<>]{0,2000}'?))*)(\s*/?>)?""",
)
# Elements that divide no text; that begin and end sentences; and that only end them, since the opening tags of these
# may be placeholders: man <section>.
VOID = frozenset(("br", "hr", "img", "input", "link", "meta"))
BLOCKS = frozenset(re.findall(r"\w+", "blockquote dd div dl dt h1 h2 h3 h4 h5 h6 head html li ol p pre td th tr ul"))
ENDING = BLOCKS | frozenset(("body", "form", "option", "script", "section", "style", "table", "title"))


def constrain_tags(text: str, offsets: list[int], words: np.ndarray, constraints: np.ndarray) -> None:
    """Adds the constraints of tags: no sentence begins inside one; one begins at a block and after it; and after other
    tags only if these close an element that ends with a mark."""
    begin = end = 0
    was_opening = False
    for tag in TAG.finditer(text):
        first, after = bisect_left(offsets, tag.start()), bisect_left(offsets, tag.end())
        constraints[words[bisect_right(offsets, tag.start()) : after]] = -1
        slash, name, *rest = tag.groups("")
        is_opening, name = not slash, name.lower()
        if not any(rest) or name in VOID:
            continue
        if text[end : tag.start()].strip():
            # Not right after another tag.
            begin, was_opening = tag.start(), False
        opens_block = is_opening and name in BLOCKS
        if opens_block and not was_opening and offsets[first : first + 1] == [tag.start()]:
            constraints[words[first]] = 1
        end, was_opening = tag.end(), is_opening
        gap = text[end : offsets[after]] if after < len(words) else "-"
        if gap.strip():
            continue
        if not is_opening and name in ENDING:
            if not text.startswith("</", offsets[after]):
                constraints[words[after]] = 1
            continue
        ends = not is_opening and text[max(begin - LOOKBACK, 0) : begin].rstrip().endswith(tuple(FINAL))
        if opens_block or not ("\n" in gap or ends):
            constraints[words[after]] = -1
