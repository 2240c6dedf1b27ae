"""`annotate` in the formats of constituency treebanks."""

from io import StringIO

import pytest
from spacy.language import Language
from spacy.tokens import Doc

import spacy_joint
from spacy_joint.annotation.constituents import get_trees, set_constituents, set_trees
from spacy_joint.corpora.constituency_treebanks import FORMATS, read_treebank
from spacy_joint.errors import JointWarning
from spacy_joint.trees.constituency_trees import parse_trees

TEXT = "We left the old town. \n\nYou may (again) call us at 7."
CROSSING = "(ROOT (SQ (VP (WP 0=whom) (VB 3=meet)) (VBD 1=did) (NP (NNP 2=ada))))"


@pytest.fixture(scope="module")
def expected():
    """The trees of the text, by the shipped pipeline."""
    nlp = spacy_joint.load()
    nlp.enable_pipe("constituency_parser")
    return get_trees(nlp(TEXT))


@Language.component("test_crosser")
def cross_branches(doc: Doc) -> Doc:
    set_trees(doc, parse_trees(CROSSING, indexed=True))
    if doc[0].text == "cross":
        set_constituents(doc, [("X", 0, 3), ("Y", 1, 4)])
    return doc


@pytest.fixture
def crossing(save_pipeline):
    """A pipeline that finds a discontinuous tree over four words."""
    return save_pipeline("sentencizer", "test_crosser")


def describe(trees):
    return [(tree.spans(), tree.leaves()) for tree in trees]


@pytest.mark.parametrize("name", FORMATS)
def test_constituents_can_be_read_back_from_each_format(run, write_text, tmp_path, expected, name):
    output = tmp_path / "trees.txt"
    run("annotate", write_text("text.txt", TEXT), "--format", name, "--output", output)
    assert describe(read_treebank(output, name)) == describe(expected)


@pytest.mark.parametrize("name", ["brackets", "export"])
def test_standard_input_and_lines_are_numbered_as_one_treebank(run, expected, name):
    written = StringIO()
    FORMATS[name].write(expected, written)
    assert run("annotate", "-", "-f", name, text=TEXT).stdout == written.getvalue()
    assert name == "export" or run("annotate", "-", "-f", name, text="").stdout == ""
    lines = run("annotate", "-", "-f", name, "--lines", text=TEXT).stdout
    assert lines.count("#BOS 2" if name == "export" else "(ROOT") == (1 if name == "export" else 2)


def test_brackets_have_the_continuous_variants_of_discontinuous_trees(run, crossing):
    text = "whom did ada meet"
    printed = run("annotate", "-", "-f", "discbracket", "-m", crossing, text=text).stdout
    assert [tree.spans() for tree in parse_trees(printed, indexed=True)] == [
        tree.spans() for tree in parse_trees(CROSSING, indexed=True)
    ]
    with pytest.warns(JointWarning, match=r"\[JW46\] Tree 1 "):
        printed = run("annotate", "-", "-f", "brackets", "-m", crossing, "--lines", text=f"{text}\n" * 2).stdout
    assert printed == "(ROOT (SQ (VP (_ whom)) (_ did) (NP (_ ada)) (_ meet)))\n" * 2


def test_documents_whose_constituents_cross_do_not_keep_others_from_being_written(run, crossing):
    text = "whom did ada meet\ncross these words please\nwhom did ada meet"
    with pytest.warns(JointWarning, match=r"\[JW48\].* document 2 .*\[J335\]"):
        printed = run("annotate", "-", "-f", "discbracket", "-m", crossing, "--lines", text=text, fails=True).stdout
    assert printed.count("whom") == printed.count("ROOT") == 2
