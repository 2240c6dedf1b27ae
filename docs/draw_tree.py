"""Draws the figure of the page on the constituency parser.

python docs/draw_tree.py
"""

from pathlib import Path

from spacy_joint.rendering.tree_drawing import draw_tree
from spacy_joint.trees.constituency_trees import parse_trees

QUESTION = """
(SQ (VP (WP 0=Whom) (VB 3=meet) (PP (IN 4=in) (NP (DT 5=the) (NN 6=park)))) (VBD 1=did) (NP (NNP 2=Ada)) (. 7=?))
"""
FIGURE = Path(__file__).parent / "constituency_tree.svg"


def draw() -> str:
    """Draw the tree of the question."""
    (tree,) = parse_trees(QUESTION, indexed=True)
    return draw_tree(tree) + "\n"


if __name__ == "__main__":
    FIGURE.write_text(draw(), encoding="utf8")
