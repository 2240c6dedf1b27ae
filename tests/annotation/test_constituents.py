"""Constituents in a document: the attributes of spans and tokens."""

import pytest
import spacy
from spacy.tokens import Doc, DocBin, Span, Token
from spacy.vocab import Vocab

from spacy_joint.annotation.constituents import (
    get_constituents,
    get_tree,
    get_trees,
    register_extensions,
    set_constituents,
)
from spacy_joint.corpora.constituency_treebanks import make_doc
from spacy_joint.trees.constituency_trees import Tree, parse_trees

register_extensions()

TREES = """
(ROOT (S (NP (PRP 0=we)) (VP (VBD 1=saw) (NP (NP (DT 2=the) (NN 3=dog)) (PP (IN 4=of) (NP (NNP 5=ada))))) (. 6=.)))
(ROOT (SQ (VP (WP 0=whom) (VB 3=meet)) (VBD 1=did) (NP (NNP 2=ada)) (. 4=?)))
"""


@pytest.fixture
def doc():
    return make_doc(spacy.blank("en").vocab, list(parse_trees(TREES, indexed=True)))


def test_constituents_and_words_are_in_preorder_with_each_extent_once(doc):
    found = [(span.text, span._.labels) for span in doc[2:6]._.constituents]
    assert found == [
        ("the dog of ada", ("NP",)),
        ("the dog", ("NP",)),
        ("the", ()),
        ("dog", ()),
        ("of ada", ("PP",)),
        ("of", ()),
        ("ada", ("NP",)),
    ]


def test_a_unary_chain_is_one_constituent_with_several_labels():
    doc = make_doc(Vocab(), list(parse_trees("(ROOT (S (VP (VB run))))")))
    assert [(span.label_, span._.labels) for span in doc[0:1]._.constituents] == [("S", ("S", "VP"))]
    assert doc[0]._.parse_string == "(S (VP (VB run)))"


def test_children_are_constituents_and_words_and_the_outermost_has_no_parent(doc):
    assert [child.text for child in doc[0:7]._.children] == ["we", "saw the dog of ada", "."]
    assert [child.text for child in doc[4:6]._.children] == ["of", "ada"]
    assert list(doc[2:3]._.children) == []
    assert doc[2:4]._.parent.text == "the dog of ada" and doc[0:7]._.parent is None


def test_tokens_are_spans_of_one_word(doc):
    assert (doc[5]._.labels, doc[5]._.parse_string, doc[5]._.parent.text) == (("NP",), "(NP (NNP ada))", "of ada")
    assert (doc[4]._.labels, doc[4]._.parse_string, doc[4]._.parent.label_) == ((), "(IN of)", "PP")


def test_a_span_is_written_in_brackets(doc):
    assert doc[4:6]._.parse_string == "(PP (IN of) (NP (NNP ada)))"
    assert doc[3:4]._.parse_string == "(NN dog)"
    set_constituents(doc, [("VP", 1, 6)])
    assert doc[0:6]._.parse_string == "(ROOT (PRP we) (VP (VBD saw) (DT the) (NN dog) (IN of) (NNP ada)))"


def test_a_span_that_cuts_a_constituent_has_no_tree(doc):
    with pytest.raises(ValueError, match=r"\[J337\] 'dog of' cuts the constituent NP"):
        str(doc[3:5]._.parse_string)


@pytest.mark.parametrize("read", [get_constituents, get_tree])
def test_constituents_that_cross_are_refused(doc, read):
    set_constituents(doc, [("NP", 0, 3), ("VP", 1, 4)])
    with pytest.raises(ValueError, match=r"\[J335\] The constituent VP of tokens 1 to 4"):
        read(doc)


def test_brackets_in_words_are_escaped_and_whitespace_is_left_out():
    doc = Doc(Vocab(), words=["(", ")", " \n"], tags=["-LRB-", "-RRB-", "_SP"])
    set_constituents(doc, [])
    assert str(get_tree(doc)) == "(ROOT (-LRB- -LRB-) (-RRB- -RRB-))"
    assert get_tree(doc[0:1]) == Tree("ROOT", (Tree("-LRB-", word="("),))


def test_phrases_of_a_label(doc):
    assert [span.text for span in doc[0:7]._.phrases("NP")] == ["we", "the dog of ada", "the dog", "ada"]
    assert [span.text for span in doc[0:7]._.phrases("NP", nested=False)] == ["we", "the dog of ada"]
    assert [span.text for span in doc._.phrases("PP", "SQ")] == ["of ada", "whom did ada meet ?"]


def test_whitespace_is_no_constituent():
    doc = Doc(Vocab(), words=["\n", "run", "\n"], tags=["_SP", "VB", "_SP"])
    set_constituents(doc, [("VP", 1, 2)])
    assert [span.text for span in doc[0:3]._.constituents] == ["run"]


def test_a_discontinuous_constituent_has_several_blocks(doc):
    phrases = {span.label_: span for span in list(doc.sents)[1]._.constituents}
    (first, *_) = [span for span in doc.spans["constituents"] if span.start == 7 and span.label_ == "VP"]
    blocks = first._.blocks
    assert [(block.text, block.label_) for block in blocks] == [("whom", "VP"), ("meet", "VP")]
    assert blocks.name == "VP"
    assert [block.text for block in phrases["NP"]._.blocks] == ["ada"]


def test_blocks_survive_docbin(doc):
    (again,) = DocBin(store_user_data=True, docs=[doc]).get_docs(Vocab())
    assert [sentence._.parse_string for sentence in again.sents] == [sentence._.parse_string for sentence in doc.sents]
    (first, *_) = [span for span in again.spans["constituents"] if span.start == 7 and span.label_ == "VP"]
    assert [block.text for block in first._.blocks] == ["whom", "meet"]


def test_blocks_of_joined_documents_are_told_apart(doc):
    joined = Doc.from_docs([doc, doc])
    assert [sentence._.parse_string for sentence in joined.sents] == 2 * [
        sentence._.parse_string for sentence in doc.sents
    ]
    whom = [span for span in joined.spans["constituents"] if (span.text, span.label_) == ("whom", "VP")]
    assert [[block.start for block in span._.blocks] for span in whom] == [[7, 10], [19, 22]]


def describe(doc):
    """All that the attributes tell about each sentence and its words."""
    sentences = [
        (sentence._.parse_string, [(span.text, span._.labels) for span in sentence._.constituents])
        for sentence in doc.sents
    ]
    return sentences, [token._.parent and token._.parent.text for token in doc]


def test_constituents_may_be_set_in_any_order(doc):
    spans = list(doc.spans["constituents"])
    expected = describe(doc)
    doc.spans["constituents"] = spans[::-1]
    assert describe(doc) == expected


def test_constituents_can_be_added_later(doc):
    group = doc.spans["constituents"]
    group.append(Span(doc, 3, 6, "X"))
    group.append(Span(doc, 0, 2, "Y"))
    assert doc[0:2]._.labels == ("Y",)
    (added,) = doc._.phrases("X")
    assert added.text == "dog of ada"


@pytest.mark.parametrize("name", ["labels", "parse_string", "parent", "blocks"])
def test_without_constituents_attributes_are_errors(name):
    doc = Doc(Vocab(), words=["run"])
    for owner in (doc[0:1], doc[0]):
        if owner._.has(name):
            with pytest.raises(ValueError, match=r"\[J336\]"):
                getattr(owner._, name)


@pytest.mark.parametrize(
    "read",
    [lambda doc: doc[0:1]._.children, lambda doc: doc[0:1]._.constituents, lambda doc: doc._.phrases(), get_tree],
)
def test_without_constituents_reading_them_is_an_error(read):
    with pytest.raises(ValueError, match=r"\[J336\]"):
        list(read(Doc(Vocab(), words=["run"])))


def test_names_registered_by_others_are_not_overwritten():
    Span.set_extension("labels", default="taken", force=True)
    register_extensions()
    assert Span.get_extension("labels")[0] == "taken"
    Span.remove_extension("labels")
    register_extensions()
    assert Token.has_extension("hedge_b")


@pytest.mark.parametrize("is_split", [True, False])
def test_constituents_of_merged_words_are_refused(is_split):
    doc = Doc(Vocab(), words=["the", "old", "man", "sat", "down"], sent_starts=[True, False, False, False, False])
    set_constituents(doc, [("S", 0, 5), ("NP", 0, 3), ("VP", 3, 5)])
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[1:3])
        if is_split:
            retokenizer.split(doc[4], ["do", "wn"], heads=[doc[3], doc[3]])
    for read in (get_constituents, get_trees, lambda doc: doc[2]._.labels):
        with pytest.raises(ValueError, match=r"\[J340\].*'constituents'"):
            read(doc)
