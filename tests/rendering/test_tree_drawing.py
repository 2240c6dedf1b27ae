"""Drawings of constituency trees."""

import re
import sys
from itertools import pairwise
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest
from hypothesis import given
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_joint.annotation.constituents import set_trees
from spacy_joint.corpora import constituency_treebanks
from spacy_joint.rendering.tree_drawing import LABEL_SIZE, draw_tree, render_tree
from spacy_joint.trees.constituency_trees import Tree

from ..trees.strategies import discontinuous_trees, read_tree

NAMESPACE = "{http://www.w3.org/2000/svg}"
QUESTION = "(ROOT (SQ (VP (WP 0=whom) (VB 3=meet)) (VBD 1=did) (NP (NNP 2=ada)) (. 4=?)))"
CONTINUOUS = "(ROOT (S (NP (PRP 0=we)) (VP (VBD 1=left) (NP (DT 2=the) (NN 3=town))) (. 4=.)))"


def make_doc(*texts):
    return constituency_treebanks.make_doc(Vocab(), list(map(read_tree, texts)))


def parse(drawn):
    return ElementTree.fromstring(drawn)


def list_texts(svg):
    return [
        (element.text or "", float(element.get("x")), float(element.get("y")))
        for element in svg.iter(f"{NAMESPACE}text")
    ]


def list_words(svg):
    row = svg.find(f"{NAMESPACE}g")
    return [element.text for element in row.iter(f"{NAMESPACE}text")]


def list_lines(svg):
    """The straight lines as ((x, y), (x, y)), without the arcs between them, and the places of the arcs."""
    lines, arcs = [], []
    x = y = 0.0
    for command, arguments in re.findall("([MHVa])([^MHVa]*)", svg.find(f"{NAMESPACE}path").get("d")):
        numbers = [float(number) for number in arguments.split()]
        before = (x, y)
        if command == "M":
            x, y = numbers
        elif command == "a":
            arcs.append((x + numbers[-2] / 2, y))
            x += numbers[-2]
        else:
            x, y = (numbers[0], y) if command == "H" else (x, numbers[0])
            lines.append((before, (x, y)))
    return lines, arcs


def test_words_are_in_one_row_in_their_order():
    svg = parse(draw_tree(read_tree(QUESTION)))
    assert list_words(svg) == ["whom", "did", "ada", "meet", "?"]
    xs = [x for text, x, y in list_texts(svg) if text in list_words(svg)]
    assert xs == sorted(xs)
    assert len({y for text, x, y in list_texts(svg) if text in list_words(svg)}) == 1


def test_all_labels_are_drawn():
    labels = sorted(text for text, _, _ in list_texts(parse(draw_tree(read_tree(QUESTION)))))
    assert labels == sorted(
        ["ROOT", "SQ", "VP", "NP", "WP", "VBD", "NNP", "VB", ".", "whom", "did", "ada", "meet", "?"]
    )


@pytest.mark.parametrize(("text", "crossings"), [(QUESTION, 2), (CONTINUOUS, 0)])
def test_lines_hop_over_lines_that_they_cross(text, crossings):
    _, arcs = list_lines(parse(draw_tree(read_tree(text))))
    assert len(arcs) == crossings


@given(discontinuous_trees())
def test_no_label_is_over_a_line_or_another_label(tree):
    svg = parse(draw_tree(tree))
    lines, _ = list_lines(svg)
    labels = [(text, x, y) for text, x, y in list_texts(svg) if text != text.lower()]
    boxes = [(x - 0.3 * len(text) * LABEL_SIZE, x + 0.3 * len(text) * LABEL_SIZE, y - 9, y) for text, x, y in labels]
    for left, right, top, bottom in boxes:
        for (x0, y0), (x1, y1) in lines:
            assert max(x0, x1) < left or right < min(x0, x1) or max(y0, y1) < top or bottom < min(y0, y1)
    for place, (left, right, top, bottom) in enumerate(boxes):
        for other_left, other_right, other_top, other_bottom in boxes[:place]:
            assert right < other_left or other_right < left or bottom < other_top or other_bottom < top


@given(discontinuous_trees())
def test_each_node_but_the_root_has_one_line_to_its_parent(tree):
    lines, _ = list_lines(parse(draw_tree(tree)))
    nodes = list(tree.nodes())
    vertical = [line for line in lines if line[0][0] == line[1][0] and line[0] != line[1]]
    # And one from each constituent to its bar.
    assert len(vertical) == len(nodes) - 1 + sum(not node.is_preterminal for node in nodes)


@given(discontinuous_trees())
def test_lines_of_different_constituents_do_not_run_along_each_other(tree):
    lines, _ = list_lines(parse(draw_tree(tree)))
    for axis in (0, 1):
        # Of each vertical or horizontal line, where it is and where it begins and ends.
        along = sorted(
            (start[axis], *sorted((start[1 - axis], end[1 - axis]))) for start, end in lines if start[axis] == end[axis]
        )
        for (place, _, end), (other, start, _) in pairwise(along):
            assert place != other or end <= start


@pytest.mark.parametrize("text", ["<b>&\"'", "a\x00b\ufffe", "two\nlines", "猫", "e\u0301"])
def test_any_word_and_label_can_be_drawn(text):
    svg = parse(draw_tree(Tree(text, (Tree(text, word=text),))))
    assert {element.tag.removeprefix(NAMESPACE) for element in svg.iter()} == {
        "svg",
        "title",
        "desc",
        "rect",
        "path",
        "text",
        "g",
    }
    (word,) = list_words(svg)
    assert "\n" not in word and len(word) == len(text)


def test_a_drawing_says_what_it_shows():
    svg = parse(draw_tree(read_tree(QUESTION)))
    assert svg.get("role") == "img"
    assert svg.find(f"{NAMESPACE}title").text == "whom did ada meet ?"
    assert svg.find(f"{NAMESPACE}desc").text == QUESTION


def test_options_are_those_of_displacy():
    drawn = draw_tree(read_tree(QUESTION), {"color": "red", "bg": "transparent", "font": 'a "b"'})
    svg = parse(drawn)
    assert (svg.get("fill"), svg.get("font-family")) == ("red", 'a "b"')
    assert svg.find(f"{NAMESPACE}rect").get("fill") == "transparent"
    compact = parse(draw_tree(read_tree(QUESTION), {"compact": True}))
    assert all(float(compact.get(side)) < float(svg.get(side)) for side in ("width", "height"))


def test_an_unknown_option_is_an_error():
    with pytest.raises(ValueError, match=r"\[J040\] Unknown option of drawings 'colour'"):
        draw_tree(read_tree(QUESTION), {"colour": "red"})


def test_a_document_is_drawn_sentence_by_sentence():
    doc = make_doc(QUESTION, CONTINUOUS)
    drawn = render_tree(doc, jupyter=False)
    assert drawn == "\n".join(render_tree(sentence, jupyter=False) for sentence in doc.sents)
    assert drawn.count("<svg") == 2 and "ROOT" not in drawn


def test_a_phrase_can_be_drawn():
    svg = parse(render_tree(make_doc(CONTINUOUS)[2:4], jupyter=False))
    assert list_words(svg) == ["the", "town"]


@pytest.mark.parametrize("words", [[], ["\n"]])
def test_without_words_there_is_nothing_to_draw(words):
    doc = Doc(Vocab(), words=words)
    set_trees(doc, [])
    assert "<text" not in render_tree(doc, jupyter=False)
    assert "<text" not in render_tree(doc[:], jupyter=False)


def test_without_constituents_drawing_is_an_error():
    with pytest.raises(ValueError, match=r"\[J336\]"):
        render_tree(Doc(Vocab(), words=["run"]))


def test_notebooks_show_the_drawing(monkeypatch):
    shown = []
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(HTML=str, display=shown.append))
    doc = make_doc(QUESTION)
    assert render_tree(doc, jupyter=True) is None
    assert shown == [f'<span class="tex2jax_ignore">{render_tree(doc, jupyter=False)}</span>']
