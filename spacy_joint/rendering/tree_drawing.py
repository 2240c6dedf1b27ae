"""Draws constituency trees as SVG, with crossing branches where constituents are discontinuous.

Words are in one row at the bottom. Each constituent has a bar below its label, from which lines go down to its
children, as in TIGERSearch; a bar hops over the lines of other constituents that it crosses. No label is drawn over a
line: a discontinuous constituent is in the column of one of its words, above which there are only constituents that
contain this word, and constituents whose bars would overlap are at different levels.
"""

from collections import defaultdict
from collections.abc import Mapping
from itertools import accumulate
from typing import Any, NamedTuple
from unicodedata import combining, east_asian_width
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from spacy.tokens import Doc, Span
from spacy.util import is_in_jupyter

from ..annotation.constituents import get_tree, get_trees
from ..errors import check_choice
from ..files.xml import NO_XML
from ..trees.constituency_trees import Tree, assemble, find_blocks, flatten, list_children

OPTIONS: dict[str, Any] = {"color": "#000000", "bg": "#ffffff", "font": "Arial", "compact": False}
# Lengths are in pixels.
WORD_SIZE, LABEL_SIZE = 16, 13
# Of an average character, as a share of the font size; East Asian characters are as wide as they are high.
CHARACTER_WIDTH = 0.6
MARGIN = 10
# From the baseline of a label down to its bar, down to the line below it, and up to the line above it.
TO_BAR, BELOW, ABOVE = 16, 5, 13
# From the baselines of tags to those of words.
TO_WORD = 22
HOP = 4
# The distances between columns, and between the baselines of levels.
NORMAL, COMPACT = (20, 44), (10, 34)


class Placed(NamedTuple):
    """A node in a drawing. x: The middle of its label. level: The number of levels below it; 0 for a tag."""

    node: Tree
    parent: int
    children: list[int]
    x: float
    level: int


def render_tree(doc: Doc | Span, *, options: Mapping[str, Any] = {}, jupyter: bool | None = None) -> str | None:
    """Draw the constituents of a span, or of each sentence of a document, like `displacy.render`.

    options: As for displaCy: color ("#000000"), bg, the background ("#ffffff"; "transparent": none), font ("Arial") and
        compact (False), which saves space.
    jupyter: Whether to show the drawing in a notebook instead of returning it. By default, notebooks are detected.
    RETURNS (str | None): SVG; if there are several sentences, one after the other.
    RAISES ValueError: If there is no such option (J040), constituents are not annotated (J336) or cross (J335), or the
        span cuts a constituent (J337).
    """
    trees = get_trees(doc) if isinstance(doc, Doc) else [get_tree(doc)]
    drawn = "\n".join(draw_tree(tree.children[0] if len(tree.children) == 1 else tree, options) for tree in trees)
    if jupyter or (jupyter is None and is_in_jupyter()):
        from IPython.display import HTML, display

        # Keeps MathJax from reading words as mathematics.
        display(HTML(f'<span class="tex2jax_ignore">{drawn}</span>'))
        return None
    return drawn


def draw_tree(tree: Tree, options: Mapping[str, Any] = {}) -> str:
    """Draw a tree as well-formed SVG: see `render_tree`. RAISES ValueError: If there is no such option (J040)."""
    for option in options:
        check_choice("option of drawings", option, OPTIONS)
    style = {**OPTIONS, **options}
    gap, level_height = COMPACT if style["compact"] else NORMAL
    placed, width = _place(tree, gap)
    # The baseline of tags.
    baseline = MARGIN + WORD_SIZE + max((each.level for each in placed), default=0) * level_height
    height = baseline + TO_WORD + MARGIN
    size = {"width": _format(width), "height": str(height), "viewBox": f"0 0 {_format(width)} {height}"}
    font = {"font-family": style["font"], "font-size": str(LABEL_SIZE), "text-anchor": "middle"}
    root = {"xmlns": "http://www.w3.org/2000/svg", "role": "img", **size, **font, "fill": style["color"]}
    svg = Element("svg", root)
    words = sorted((each for each in placed if each.node.is_preterminal), key=lambda each: each.node.index)
    _add(svg, "title", text=" ".join(_clean(each.node.word) for each in words))
    _add(svg, "desc", text=_clean(str(tree)))
    _add(svg, "rect", {"width": "100%", "height": "100%", "fill": style["bg"]})
    heights = [baseline - each.level * level_height for each in placed]
    lines = [line for index in range(len(placed)) for line in _draw_lines(index, placed, heights)]
    _add(svg, "path", {"d": " ".join(lines), "fill": "none", "stroke": style["color"]})
    for each, y in zip(placed, heights, strict=True):
        _add(svg, "text", {"x": _format(each.x), "y": str(y)}, _clean(each.node.label))
    row = _add(svg, "g", {"font-size": str(WORD_SIZE)})
    for each in words:
        _add(row, "text", {"x": _format(each.x), "y": str(baseline + TO_WORD)}, _clean(each.node.word))
    indent(svg, space="")
    return tostring(svg, encoding="unicode")


def _place(tree: Tree, gap: int) -> tuple[list[Placed], float]:
    """Place the nodes of a tree, in preorder, with a gap between columns; also return the width of the drawing."""
    numbered = assemble(*flatten(tree))
    if numbered is None:
        return [], 2 * MARGIN
    parents = flatten(numbered)[1]
    # The blocks of a node, as the columns of words.
    nodes, blocks = zip(*((node, find_blocks(words)) for node, words in numbered.yields()), strict=True)
    children = list_children(parents)
    # From the leaves up: in preorder, children come after their parents.
    upwards = range(len(nodes) - 1, -1, -1)
    columns, heights = [0] * len(nodes), [0] * len(nodes)
    halves = [_measure(node.label, LABEL_SIZE) / 2 for node in nodes]
    for index in upwards:
        below = children[index]
        heights[index] = 1 + max((heights[child] for child in below), default=-1)
        columns[index] = columns[below[0]] if len(below) == 1 else _choose_column(blocks[index])
    widths = _measure_columns(nodes, blocks, columns, gap)
    lefts = [MARGIN, *(MARGIN + edge for edge in accumulate(widths))]
    xs = [0.0] * len(nodes)
    for index in upwards:
        left, right = lefts[blocks[index][0][0]], lefts[blocks[index][-1][1]]
        if len(blocks[index]) > 1 or nodes[index].is_preterminal:
            xs[index] = (lefts[columns[index]] + lefts[columns[index] + 1]) / 2
        else:
            below_xs, half = [xs[child] for child in children[index]], halves[index]
            xs[index] = min(max((min(below_xs) + max(below_xs)) / 2, left + half), right - half)
    levels = [0] * len(nodes)
    taken: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for index in sorted(range(len(nodes)), key=lambda index: (heights[index], blocks[index][0])):
        if nodes[index].is_preterminal:
            continue
        below_xs = [xs[child] for child in children[index]]
        start, end = min(xs[index] - halves[index], *below_xs), max(xs[index] + halves[index], *below_xs)
        level = 1 + max(levels[child] for child in children[index])
        while any(start <= other_end and other_start <= end for other_start, other_end in taken[level]):
            level += 1
        taken[level].append((start, end))
        levels[index] = level
    placed = [Placed(*each) for each in zip(nodes, parents, children, xs, levels, strict=True)]
    return placed, lefts[-1] + MARGIN


def _choose_column(blocks: list[tuple[int, int]]) -> int:
    """Choose the column of the word that is nearest to the middle."""
    middle = (blocks[0][0] + blocks[-1][1] - 1) / 2
    nearest = [min(max(middle, start), end - 1) for start, end in blocks]
    return int(min(nearest, key=lambda column: abs(column - middle)))


def _measure_columns(
    nodes: tuple[Tree, ...], blocks: tuple[list[tuple[int, int]], ...], columns: list[int], gap: int
) -> list[float]:
    """Compute widths of columns that leave enough room for words and labels."""
    widths = [0.0] * blocks[0][-1][1]
    for node, node_blocks, column in zip(nodes, blocks, columns, strict=True):
        width = max(_measure(node.label, LABEL_SIZE), _measure(node.word, WORD_SIZE))
        # The label of a continuous constituent is above all of its words.
        start, end = node_blocks[0] if len(node_blocks) == 1 else (column, column + 1)
        for index in range(start, end):
            widths[index] = max(widths[index], width / (end - start))
    return [width + gap for width in widths]


def _draw_lines(index: int, placed: list[Placed], heights: list[int]) -> list[str]:
    """Draw the lines from a node to its children, as commands of an SVG path."""
    node = placed[index]
    if not node.children:
        return []
    y = heights[index] + TO_BAR
    xs = sorted(placed[child].x for child in node.children)
    start, end = min(node.x, xs[0]), max(node.x, xs[-1])
    lines = [f"M{_format(node.x)} {heights[index] + BELOW}V{y}"]
    if start < end:
        below = (other for other in placed[1:] if other.level < node.level < placed[other.parent].level)
        crossed = sorted(other.x for other in below if start < other.x < end)
        hops = [f"H{_format(x - HOP)}a{HOP} {HOP} 0 0 1 {2 * HOP} 0" for x in crossed]
        lines.append("".join([f"M{_format(start)} {y}", *hops, f"H{_format(end)}"]))
    return lines + [f"M{_format(placed[child].x)} {y}V{heights[child] - ABOVE}" for child in node.children]


def _measure(text: str | None, size: int) -> float:
    visible = [character for character in _clean(text) if not combining(character)]
    return size * sum(1 if east_asian_width(character) in "WF" else CHARACTER_WIDTH for character in visible)


def _clean(text: str | None) -> str:
    """Put a text on one line, and replace characters that XML cannot represent."""
    return NO_XML.sub("\ufffd", " ".join((text or "").split()))


def _format(length: float) -> str:
    return f"{length:.1f}".removesuffix(".0")


def _add(parent: Element, name: str, attributes: Mapping[str, str] = {}, text: str | None = None) -> Element:
    element = SubElement(parent, name, dict(attributes))
    element.text = text
    return element
