"""Draws the figure of the home page: the trees of its example, as the shipped pipeline finds them.

python docs/draw_home.py
"""

from pathlib import Path

from spacy.displacy import DependencyRenderer, parse_deps
from spacy.tokens import Doc, Token

import spacy_joint

TEXT = "did you lock the door i left the keys on the table"
# In pixels: the width of a word, the gap between sentences, the height of an arc and of the words.
WORD, GAP, LEVEL, LINE = 50, 20, 30, 26
SVG = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="15"
  text-anchor="middle">
<rect width="100%" height="100%" fill="white"/>
{content}
</svg>
"""
WORD_SVG = '<text x="{x}" y="{y}">{word}</text>'
ARC_SVG = """<path fill="none" stroke="#1b5e8a"
  d="M{start},{bottom} V{corner} Q{start},{top} {inner},{top} H{outer} Q{end},{top} {end},{corner} V{tip}"/>
<path d="M{end},{bottom} l-4,-7 h8 z" fill="#1b5e8a"/>
<text x="{middle}" y="{label_y}" font-size="12" fill="#1b5e8a">{label}</text>"""
END_SVG = '<path d="M{x},0 V{height}" stroke="#888" stroke-dasharray="4 4"/>'


def draw(doc: Doc) -> str:
    """Draw the trees of all sentences next to each other, with a line where a sentence ends."""
    starts = {sentence.start for sentence in doc.sents}
    xs = [WORD * (token.i + 0.5) + GAP * sum(0 < start <= token.i for start in starts) for token in doc]
    levels = DependencyRenderer().get_levels(parse_deps(doc)["arcs"])
    bottom = (max(levels.values()) + 0.5) * LEVEL
    height, width = bottom + LINE, xs[-1] + WORD / 2
    parts = [WORD_SVG.format(x=x, y=bottom + 16, word=token.text) for x, token in zip(xs, doc, strict=True)]
    parts += [END_SVG.format(x=xs[start] - (WORD + GAP) / 2, height=height) for start in starts if start]
    parts += [draw_arc(token, xs, levels, bottom) for token in doc if token.head != token]
    return SVG.format(width=width, height=height, content="\n".join(parts))


def draw_arc(token: Token, xs: list[float], levels: dict[tuple[int, int, str], int], bottom: float) -> str:
    """Draw the arc from a head to a token."""
    first, last = sorted((token.i, token.head.i))
    direction = 1 if token.head.i < token.i else -1
    # Arcs leave a word beside those that arrive at it.
    start, end = xs[token.head.i] + 6 * direction, xs[token.i]
    top = bottom - levels[first, last, token.dep_] * LEVEL + 8
    return ARC_SVG.format(
        start=start,
        end=end,
        inner=start + 8 * direction,
        outer=end - 8 * direction,
        top=top,
        corner=top + 8,
        tip=bottom - 5,
        bottom=bottom,
        middle=(start + end) / 2,
        label_y=top - 4,
        label=token.dep_,
    )


if __name__ == "__main__":
    drawing = draw(spacy_joint.load()(TEXT))
    (Path(__file__).parent / "home.svg").write_text(drawing, encoding="utf8")
