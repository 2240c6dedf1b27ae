"""Formats of constituency trees: what is written is read, and what is wrong is named with its line."""

from dataclasses import replace
from io import StringIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import DocBin
from spacy.vocab import Vocab

from spacy_joint.annotation.constituents import get_tree, get_trees, set_constituents
from spacy_joint.corpora.brackets import clean, put_under_root, read_brackets, write_brackets
from spacy_joint.corpora.constituency_treebanks import FORMATS, make_doc, read_tree_documents, read_treebank
from spacy_joint.corpora.negra import read_negra, write_negra
from spacy_joint.corpora.traces import attach_fillers
from spacy_joint.trees.constituency_trees import ROOT, Tree, assemble, flatten, parse_trees

from ..trees.strategies import read_tree

QUICK = settings(max_examples=60)
# `Whom did Ada meet ?`, with the object where the verb is.
QUESTION = "(ROOT (SQ (VP (WP 0=Whom) (VB 3=meet)) (VBD 1=did) (NP (NNP 2=Ada))) (. 4=?))"
NEGRA = """#FORMAT 3
#BOT ORIGIN
0 a table
#EOT ORIGIN
%% a comment
#BOS 7 1 2 3 %% another
Whom\tWP\tAcc\tOA\t500
did\tVBD\t--\tHD\t501
Ada\tNNP\t--\t--\t502
meet\tVB\t--\tHD\t500\tSB\t501 %% a secondary edge
?\t.\t--\t--\t0
#500\tVP\t--\tOC\t501
#502\tNP\t--\tSB\t501
#501\tSQ\t--\t--\t0
#EOS 7
"""
ALPINO = """<?xml version="1.0" encoding="ISO-8859-1"?>
<alpino version="1.2"><alpino_ds version="1.2" id="1">
<node begin="0" end="4" cat="top" rel="top">
  <node begin="0" end="3" cat="whq" rel="--">
    <node begin="0" end="1" index="1" pos="pron" rel="whd" word="wat"/>
    <node begin="0" end="3" cat="sv1" rel="body">
      <node begin="1" end="2" pos="verb" rel="hd" word="doet" lemma="doen"/>
      <node begin="0" end="1" index="1" rel="obj1"/>
      <node begin="0" end="1" cat="np" rel="mod"><node begin="0" end="1" index="1" rel="hd"/></node>
      <node begin="2" end="3" pos="name" rel="su" word="Zo\xeb"/>
    </node>
  </node>
  <node begin="3" end="4" pos="punct" rel="--" word="?"/>
</node>
<sentence>wat doet Zo\xeb ?</sentence>
</alpino_ds></alpino>
"""


WORDS = st.text("ab(=#%", min_size=1, max_size=4)


@st.composite
def trees(draw, words=WORDS, max_words=8):
    """Trees with gaps, functions, lemmas and morphology."""
    names = st.sampled_from(("", "A", "B-1"))
    nodes, parents = [Tree(ROOT)], [-1]
    for _ in range(draw(st.integers(0, 6))):
        parents.append(draw(st.integers(0, len(nodes) - 1)))
        nodes.append(Tree(draw(st.sampled_from(("NP", "X", "S"))), function=draw(names)))
    n_constituents = len(nodes)
    for index in range(draw(st.integers(1, max_words))):
        parents.append(draw(st.integers(0, n_constituents - 1)))
        word = draw(words)
        nodes.append(Tree("N", word=word, index=index, function=draw(names), lemma=draw(names), morph=draw(names)))
    return assemble(nodes, parents)


def write(name, *written):
    file = StringIO()
    FORMATS[name].write(written, file)
    return file.getvalue()


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    return tmp_path_factory.mktemp("trees")


def read(name, text, directory, encoding="utf8"):
    path = directory / "trees"
    path.write_text(text, encoding=encoding)
    return list(read_treebank(path, name))


def strip(tree, *fields):
    """A tree without some of the fields of its nodes."""
    nodes, parents = flatten(tree)
    return assemble([replace(node, **dict.fromkeys(fields, "")) for node in nodes], parents)


@QUICK
@given(trees(), trees())
@pytest.mark.parametrize("name", ["alpino", "discbracket"])
def test_trees_with_any_words_are_read_as_they_were_written(name, directory, one, other):
    lost = {"alpino": (), "discbracket": ("function", "lemma", "morph")}[name]
    expected = [strip(tree, *lost) for tree in (one, other)]
    assert read(name, write(name, one, other), directory) == expected


@QUICK
@given(trees(st.text("ab(=", min_size=1)), trees(st.text("ab(=", min_size=1)))
@pytest.mark.parametrize("name", ["export", "export3"])
def test_exported_trees_are_read_as_they_were_written(name, directory, one, other):
    lost = {"export": (), "export3": ("lemma",)}[name]
    assert read(name, write(name, one, other), directory) == [strip(tree, *lost) for tree in (one, other)]


@QUICK
@given(trees())
def test_trees_survive_in_documents(tree):
    doc = make_doc(Vocab(), [tree])
    (again,) = DocBin().from_bytes(DocBin(docs=[doc]).to_bytes()).get_docs(Vocab())
    assert get_tree(again) == strip(tree, "morph")


def test_several_trees_survive_in_one_document():
    tree = read_tree(QUESTION)
    doc = make_doc(Vocab(), [tree, tree])
    first, second = doc.sents
    assert get_tree(first) == get_tree(second) == tree
    assert get_trees(doc) == [tree, tree]
    assert [(span.label_, span.text) for span in doc.spans["constituents"] if span.id_] == [
        ("VP", "Whom"),
        ("VP", "meet"),
    ] * 2


def test_a_constituent_in_several_sentences_is_refused():
    doc = make_doc(Vocab(), [read_tree("(ROOT (N 0=a) (N 1=b))"), read_tree("(ROOT (N 0=c))")])
    set_constituents(doc, [("NP", 1, 3)])
    with pytest.raises(ValueError, match=r"\[J337\].*'a b'.*NP"):
        get_trees(doc)
    assert get_trees(make_doc(Vocab(), [])) == []


# Brackets


def test_brackets_cannot_have_gaps(directory):
    assert read("brackets", write("brackets", *parse_trees("(ROOT (X (N a)))")), directory)
    with pytest.raises(ValueError, match=r"\[J559\] Tree 2"):
        write("brackets", *parse_trees("(ROOT (X (N a)))"), read_tree(QUESTION))


def test_words_and_labels_with_brackets_are_escaped():
    tree = Tree(ROOT, (Tree("$(", word="("), Tree("N", word="a b", index=1)))
    file = StringIO()
    write_brackets([tree], file)
    assert file.getvalue() == "(ROOT ($[ -LRB-) (N ab))\n"


def test_functions_are_kept(directory):
    (tree,) = read("brackets", "( (S (NP-SBJ-1 (NN tea)) (VP (VBZ is) (ADJP-PRD (JJ hot)))))", directory)
    assert [(node.label, node.function) for node in tree.nodes() if node.function] == [("NP", "SBJ"), ("ADJP", "PRD")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Wh-movement out of a clause, with an empty subject that does not move.
        (
            "( (SBARQ (WHNP-1 (WP What)) (SQ (VBD did) (NP-SBJ-2 (PRP he)) (VP (VB try) (S (NP-SBJ (-NONE- *-2)) "
            "(VP (TO to) (VP (VB do) (NP (-NONE- *T*-1))))))) (. ?)))",
            "(ROOT (SBARQ (SQ (VP (S (VP (VP (WHNP (WP 0=What)) (VB 5=do)) (TO 4=to))) (VB 3=try)) (VBD 1=did) "
            "(NP (PRP 2=he))) (. 6=?)))",
        ),
        # Extraposition.
        (
            "( (S (NP-SBJ (NP (DT A) (NN man)) (SBAR (-NONE- *ICH*-1))) (VP (VBD came) (SBAR-1 (WHNP (WP who)) "
            "(S (VP (VBD sang)))))))",
            "(ROOT (S (NP (NP (DT 0=A) (NN 1=man)) (SBAR (WHNP (WP 3=who)) (S (VP (VBD 4=sang))))) (VP (VBD 2=came))))",
        ),
        (
            "( (S (NP-SBJ (NP (PRP It)) (S (-NONE- *EXP*-1))) (VP (VBZ helps) (S-1 (VP (TO to) (VP (VB ask)))))))",
            "(ROOT (S (NP (NP (PRP 0=It)) (S (VP (TO 2=to) (VP (VB 3=ask))))) (VP (VBZ 1=helps))))",
        ),
        # Right node raising: the last trace counts.
        (
            "( (S (VP (VP (VB buy) (NP (-NONE- *RNR*-1))) (CC or) (VP (VB rent) (NP (-NONE- *RNR*-1))) "
            "(NP-1 (NN it)))))",
            "(ROOT (S (VP (VP (VB buy)) (CC or) (VP (VB rent) (NP (NN it))))))",
        ),
        # A quotation around the verb that reports it.
        (
            "( (S-1 (NP-SBJ (PRP I)) (PRN (, ,) (S (NP-SBJ (PRP he)) (VP (VBD said) (SBAR (-NONE- 0) "
            "(S (-NONE- *T*-1))))) (, ,)) (VP (VBP go))))",
            "(ROOT (PRN (S (VP (SBAR (S (NP (PRP 0=I)) (VP (VBP 5=go)))) (VBD 3=said)) (NP (PRP 2=he))) (, 1=,) "
            "(, 4=,)))",
        ),
        # Empty fillers, missing fillers, and traces that are only deleted.
        (
            "( (NP (NN tea) (SBAR (WHNP-1 (-NONE- 0)) (S (NP (PRP I)) (VP (VBP like) (NP (-NONE- *T*-1)) "
            "(NP (-NONE- *T*-9)) (NP (-NONE- *)))))))",
            "(ROOT (NP (NN tea) (SBAR (S (NP (PRP I)) (VP (VBP like))))))",
        ),
        # A filler that is its own trace, or is above it.
        ("( (S (NP-1 (-NONE- *T*-1)) (VP-2 (VB go) (X (-NONE- *T*-2)))))", "(ROOT (S (VP (VB go))))"),
    ],
)
def test_fillers_are_attached_where_their_traces_are(directory, text, expected):
    path = directory / "traces.mrg"
    path.write_text(text, encoding="utf8")
    (tree,) = read_brackets(path, "cross")
    assert str(tree) == expected
    (deleted,) = read_brackets(path)
    assert deleted.is_continuous and deleted.leaves() == tree.leaves()


def test_trees_without_words_are_left_out():
    (tree,) = parse_trees("( (X (-NONE- *T*-1)))")
    assert clean(attach_fillers(put_under_root(tree))) is None


def test_an_unknown_way_to_treat_traces_is_refused(directory):
    (directory / "a.mrg").write_text("(N a)", encoding="utf8")
    with pytest.raises(ValueError, match=r"\[J040\].*keep"):
        list(read_treebank(directory / "a.mrg", traces="keep"))


# Discbracket


def test_positions_may_have_holes_and_words_equals_signs(directory):
    (tree,) = read("discbracket", "(S (N 999999999=b=c) (N 5=a))", directory)
    assert str(tree) == "(ROOT (S (N a) (N b=c)))"


# NeGra export


def test_an_exported_tree(directory):
    (tree,) = read("export", NEGRA, directory)
    assert str(tree) == QUESTION
    assert [node.function for node in tree.nodes()] == ["", "", "OC", "OA", "HD", "HD", "SB", "", ""]
    assert tree.preterminals()[0].morph == "Acc"


def test_constituents_are_numbered_by_height_then_from_the_left():
    file = StringIO()
    write_negra([read_tree(QUESTION)], file, version=3)
    rows = [line.split("\t") for line in file.getvalue().splitlines()[2:-1]]
    assert [(row[0], row[-1]) for row in rows] == [
        ("Whom", "500"),
        ("did", "502"),
        ("Ada", "501"),
        ("meet", "500"),
        ("?", "0"),
        ("#500", "502"),
        ("#501", "502"),
        ("#502", "0"),
    ]


def test_version_4_has_lemmas(directory):
    (tree,) = read("export", "#BOS 1\ncats cat NNS -- -- 500\n#500 -- NP -- -- 0\n#EOS 1\n", directory)
    assert tree == Tree(ROOT, (Tree("NP", (Tree("NNS", word="cats", lemma="cat"),)),))


def test_empty_constituents_and_sentences_are_left_out(directory):
    assert read("export", "#BOS 1\n#500 X -- -- 0\n#EOS 1\n#BOS 2\n#EOS 2\n", directory) == []


@pytest.mark.parametrize("word", ["#500", "%%", "#BOS", "#EOS", r"\#500", r"\\%%x"])
def test_words_with_a_meaning_in_the_format_are_escaped(word, directory):
    tree = Tree(ROOT, (Tree("N", word=word, lemma=word),))
    assert read("export", write("export", tree), directory) == [tree]


# Alpino


def test_a_tree_of_alpino(directory):
    (tree,) = read("alpino", ALPINO, directory, encoding="latin-1")
    assert str(tree) == "(ROOT (whq (pron wat) (sv1 (verb doet) (name Zoë))) (punct ?))"
    assert [node.function for node in tree.nodes()] == ["", "", "whd", "body", "hd", "su", ""]
    assert tree.preterminals()[1].lemma == "doen"


def test_marked_heads_become_relations(directory):
    text = write("alpino", Tree(ROOT, (Tree("np", (Tree("n", word="<&"),), head=0),)))
    (tree,) = read("alpino", text, directory)
    assert tree.children[0].children[0] == Tree("n", word="<&", function="hd")


def test_characters_that_xml_lacks_are_replaced(directory):
    (tree,) = read("alpino", write("alpino", Tree(ROOT, (Tree("n", word="a\x00b"),))), directory)
    assert tree.leaves() == ["a\ufffdb"]


def test_a_tree_without_a_top_is_put_under_the_root(directory):
    (tree,) = read("alpino", "<node cat='np'><node begin='7' pos='n' word='a'/></node>", directory)
    assert str(tree) == "(ROOT (np (n a)))"


# All formats


WRONG = {
    "discbracket": [
        ("(S (N 0=a)\n(N b))", r"\[J550\].*line 2.*'b'"),
        ("(S (N -1=a))", r"\[J550\]"),
        ("(S (N 0=))", r"\[J550\]"),
        ("(S (N 0=a) (N 0=b))", r"\[J551\].*line 1.*position 0"),
        ("(S (N 0=a)))", r"\[J131\].*closing bracket"),
    ],
    "export": [
        ("a N -- -- 0", r"\[J142\].*line 1.*'a'"),
        ("#EOS 1", r"\[J142\].*line 1"),
        ("#BOS 1\na N -- -- 0", r"\[J554\].*line 1"),
        ("#BOS 1\n#BOS 2", r"\[J554\].*line 1"),
        ("#BOS 1\na N 0\n#EOS 1", r"\[J552\].*line 2: 3 fields"),
        ("#BOS 1\na N -- -- 0 SB\n#EOS 1", r"\[J142\].*line 2.*'SB'"),
        ("#BOS 1\na N -- -- 500\n#EOS 1", r"\[J142\].*line 2.*'500'"),
        ("#BOS 1\n#500 X -- -- 0\n#500 Y -- -- 0\n#EOS 1", r"\[J555\].*line 3.*#500"),
        ("#BOS 1\na N -- -- 0\n#500 X -- -- 501\n#501 X -- -- 500\n#EOS 1", r"\[J557\].*line 3.*#500"),
        ("#BOS 1\n#500 X -- -- 501\n#501 X -- -- 502\n#502 X -- -- 501\n#EOS 1", r"\[J557\].*line 3.*#501"),
        ("#BOS 1\n#500 X -- -- 500\n#EOS 1", r"\[J557\].*line 2.*#500"),
    ],
    "alpino": [
        ("", r"\[J464\].*line 1"),
        ("<?xml version='1.0' encoding='big5'?><a/>", r"\[J464\].*line 1.*multi-byte"),
        ("<?xml version='1.0' encoding='tengwar'?><a/>", r"\[J464\].*line 1.*unknown"),
        ("<a>\n<node cat='top'></a>", r"\[J464\].*line 2"),
        ("<node cat='top'>\n<node pos='n' word='a'/></node>", r"\[J561\].*line 2.*position ''"),
        ("<node cat='top'><node begin='-1' pos='n' word='a'/></node>", r"\[J561\].*position '-1'"),
        ("<node cat='top'><node begin='1' word='a'/></node>", r"\[J561\].*word without a tag"),
        ("<node cat='top'><node begin='1' pos='n' word=''/></node>", r"\[J561\].*empty word"),
        ("<node begin='1' pos='n' word='a'><node cat='np'/></node>", r"\[J561\].*below a word"),
        ("<node cat='top'><node index='1'><node cat='np'/></node></node>", r"\[J561\].*below one without a category"),
        (
            "<node cat='top'><node begin='1' pos='n' word='a'/>\n<node begin='1' pos='n' word='a'/></node>",
            r"\[J551\].*line 2.*position 1",
        ),
        ("<!DOCTYPE a [<!ENTITY b 'c'>]><node cat='top'/>", r"\[J562\].*entity b"),
    ],
}


@pytest.mark.parametrize(("name", "text", "message"), [(name, *row) for name, rows in WRONG.items() for row in rows])
def test_wrong_files_are_named_with_their_line(name, text, message, directory):
    with pytest.raises(ValueError, match=message):
        read(name, text, directory)


@pytest.mark.parametrize("name", WRONG)
def test_deep_trees_long_sentences_and_chains(name, directory):
    words = [Tree("N", word="a", index=index) for index in range(1000)]
    nodes = [Tree(ROOT), *(Tree("X") for _ in range(3000)), *words]
    parents = [-1, *range(3000), *(3000 - index for index in range(1000))]
    tree = assemble(nodes, parents)
    (again,) = read(name, write(name, tree), directory)
    assert again == tree


def test_suffixes_tell_formats_in_a_directory(write_text, tmp_path):
    path = write_text("b.export", NEGRA)
    write_text("a.txt", "no trees")
    assert [str(tree) for tree in read_treebank(tmp_path)] == [QUESTION]
    (doc,) = read_tree_documents(tmp_path, Vocab())
    assert str(get_tree(doc)) == QUESTION
    assert [str(tree) for tree in read_negra(path)] == [QUESTION]


def test_unknown_formats_are_refused(tmp_path):
    (tmp_path / "a.export").touch()
    with pytest.raises(ValueError, match=r"\[J040\].*'tiger'.*export3"):
        list(read_treebank(tmp_path / "a.export", "tiger"))


def test_functions_are_kept_in_documents_until_their_spans_change(directory):
    (tree,) = read("export", NEGRA, directory)
    doc = make_doc(Vocab(), [tree])
    assert [node.function for node in get_tree(doc).nodes()] == [node.function for node in tree.nodes()]
    doc.spans["constituents"].append(doc[0:1])
    assert [node.function for node in get_tree(doc).nodes() if not node.is_preterminal] == [""] * 5
