"""Constituency trees for tests: random ones, and those of a text."""

from hypothesis import strategies as st

from spacy_joint.trees.constituency_trees import ROOT, Tree, assemble, flatten, parse_trees
from spacy_joint.trees.transform import INTERMEDIATE

LABELS = ("S", "NP", "VP", "PP", "FRAG")
TAGS = ("NN", "DT", "IN", "VB", ",")


def read_tree(text):
    """The only tree of a text with numbered words."""
    (tree,) = parse_trees(text, indexed=True)
    return tree


def above(children):
    """Constituents of the given children; none has a single child with the same label, as after cleaning."""

    def is_clean(node):
        return len(node.children) != 1 or node.children[0].label != node.label

    lists = st.lists(children, min_size=1, max_size=5)
    return st.builds(lambda label, below: Tree(label, tuple(below)), st.sampled_from(LABELS), lists).filter(is_clean)


def number(tree):
    """Number the words of a random tree."""
    return assemble(*flatten(tree))


unnumbered = st.recursive(
    st.builds(lambda tag, word: Tree(tag, word=word), st.sampled_from(TAGS), st.sampled_from("abc")),
    above,
    max_leaves=25,
)
constituents = unnumbered.map(number)
trees = st.lists(unnumbered, min_size=1, max_size=4).map(lambda below: number(Tree(ROOT, tuple(below))))


def unbinarise(tree):
    """Replace the nodes that binarisation made by their children; heads are no longer marked."""
    nodes, parents = flatten(tree)
    for place in range(1, len(nodes)):
        parent = parents[place]
        if parent > 0 and nodes[parent].label.startswith(INTERMEDIATE):
            # The parent comes first in the list, so its own parent is final.
            parents[place] = parents[parent]
    return assemble(nodes, parents)


@st.composite
def discontinuous_trees(draw, max_words=12):
    """Trees under a root in which any constituent may have gaps."""
    n_words = draw(st.integers(1, max_words))
    nodes, parents = [Tree(ROOT)], [-1]
    for _ in range(draw(st.integers(0, 8))):
        parents.append(draw(st.integers(0, len(nodes) - 1)))
        nodes.append(Tree(draw(st.sampled_from(LABELS)), function=draw(st.sampled_from(("", "SBJ", "hd")))))
    n_constituents = len(nodes)
    for index in range(n_words):
        parents.append(draw(st.integers(0, n_constituents - 1)))
        nodes.append(Tree(draw(st.sampled_from(TAGS)), word=draw(st.sampled_from("abc")), index=index))
    return assemble(nodes, parents)
