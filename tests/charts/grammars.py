"""Random grammars and sentences, and what brute force says of them."""

import math
from functools import cache
from itertools import product

from hypothesis import strategies as st

from spacy_joint.charts.grammar import Grammar, Rule
from spacy_joint.charts.lexicon import Lexicon

SYMBOLS = ("R", "A", "B", "@R")
TREEBANK = """
(ROOT (S (NP (DT the) (JJ old) (NN cat)) (VP (VBD saw) (NP (NNP ada))) (. .)))
(ROOT (S (NP (NNP ben)) (VP (VBD met) (NP (DT the) (NN cat)) (PP (IN in) (NP (DT the) (NN park)))) (. .)))
(ROOT (S (NP (DT the) (NN saw)) (VP (VBD met) (NP (NNP ben))) (, ,) (NP (NN today)) (. .)))
"""


def make_grammar(rules):
    return Grammar("R", rules, Lexicon({"a": tuple((symbol, 1e-9) for symbol in SYMBOLS)}, (), {}))


def tag(grammar, words):
    return [[(tag, math.log(p)) for tag, p in grammar.lexicon.find_tags(word).items()] for word in words]


@st.composite
def grammars(draw, *, cyclic=True):
    """Random grammars; if `cyclic`, with cyclic unary rules. Some symbols derive nothing but words."""
    right_sides = [
        (parent, (child,))
        for parent in SYMBOLS
        for child in SYMBOLS
        if cyclic or SYMBOLS.index(parent) < SYMBOLS.index(child)
    ]
    right_sides += [(parent, pair) for parent in SYMBOLS for pair in product(SYMBOLS, repeat=2)]
    rules = draw(st.lists(st.sampled_from(right_sides), unique=True, max_size=12))
    if ("R", ("A", "@R")) not in rules:
        rules.append(("R", ("A", "@R")))
    weights = [draw(st.integers(1, 9)) for _ in rules]
    totals = {symbol: sum(w for (p, _), w in zip(rules, weights, strict=True) if p == symbol) for symbol in SYMBOLS}
    return make_grammar([Rule(*rule, 0.9 * w / totals[rule[0]]) for rule, w in zip(rules, weights, strict=True)])


sentences = st.lists(
    st.lists(st.tuples(st.sampled_from(SYMBOLS), st.floats(-5, 0)), max_size=3, unique_by=lambda tag: tag[0]),
    min_size=1,
    max_size=5,
)


def list_derivations(grammar, sentence):
    """All derivations of a sentence by a grammar without cycles: the score and the nested tuples of each."""

    @cache
    def derive(symbol, start, end):
        found = (
            [(score, (symbol, start)) for tag, score in sentence[start] if tag == symbol] if end - start == 1 else []
        )
        for rule in grammar.rules:
            if rule.parent != symbol:
                continue
            weight = math.log(rule.probability)
            if len(rule.children) == 1:
                found += [(weight + score, (symbol, tree)) for score, tree in derive(rule.children[0], start, end)]
                continue
            for middle in range(start + 1, end):
                for (score, left), (other, right) in product(
                    derive(rule.children[0], start, middle), derive(rule.children[1], middle, end)
                ):
                    found.append((weight + score + other, (symbol, left, right)))
        return found

    return derive(grammar.root, 0, len(sentence))


def list_constituents(tree):
    """The label, first word and end of the constituents of nested tuples, children first, and the end of the tree."""
    symbol, *children = tree
    if isinstance(children[0], int):
        return [], children[0] + 1
    found, start = [], None
    for child in children:
        below, end = list_constituents(child)
        start = first_word(child) if start is None else start
        found += below
    return found + ([] if symbol.startswith("@") else [(symbol, start, end)]), end


def first_word(tree):
    while not isinstance(tree, int):
        tree = tree[1]
    return tree


def leave_out_binarisation(nodes):
    return [node for node in nodes if not node[0].startswith("@")]
