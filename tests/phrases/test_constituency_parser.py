"""The component: trees of sentences, continuous and discontinuous."""

import tracemalloc
from functools import cache

import pytest
import spacy
from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.util import fix_random_seed
from spacy.vocab import Vocab

from spacy_joint.annotation.constituents import get_trees
from spacy_joint.corpora.constituency_treebanks import make_doc
from spacy_joint.corpora.examples import make_example
from spacy_joint.errors import JointValueError, JointWarning
from spacy_joint.phrases.binary_trees import list_phrases, to_nodes
from spacy_joint.phrases.constituency_parser import SYSTEMS
from spacy_joint.trees.constituency_trees import parse_trees
from spacy_joint.trees.discontinuity import make_continuous
from spacy_joint.trees.heads import load_head_rules
from spacy_joint.trees.transform import mark_heads

# In questions, the verb phrase is around the subject.
QUESTIONS = """
(ROOT (SQ (VP (WP 0=whom) (VB 3=meet)) (VBD 1=did) (NP (NNP 2=ada)) (. 4=?)))
(ROOT (SQ (VP (WP 0=what) (VB 4=see)) (VBD 1=did) (NP (DT 2=the) (NN 3=cat)) (. 5=?)))
(ROOT (SQ (VP (WP 0=what) (VB 3=see)) (VBD 1=did) (NP (NNP 2=ben)) (. 4=?)))
(ROOT (S (NP (DT 0=the) (NN 1=cat)) (VP (VBD 2=saw) (NP (NNP 3=ada))) (. 4=.)))
(ROOT (S (NP (NNP 0=ben)) (VP (VBD 1=met) (NP (DT 2=the) (NN 3=cat))) (. 4=.)))
"""
TREES = list(parse_trees(QUESTIONS, indexed=True))


def train(small_model, **settings):
    nlp = spacy.blank("en")
    model = {**small_model, "update_strategy": "laso", "min_changes": 1}
    parser = nlp.add_pipe("constituency_parser", config={"model": model, **settings})
    examples = [learn_from(nlp.vocab, trees) for trees in (TREES[:3], TREES[3:], TREES[2:4])]
    fix_random_seed(0)
    parser.initialize(lambda: examples, nlp=nlp)
    for _ in range(30):
        parser.update(examples)
    return nlp


@pytest.fixture(scope="module")
def trained(small_model):
    """The trained pipeline of a system. Shared: do not change it."""
    return cache(lambda system="gap": train(small_model, system=system))


@pytest.fixture(scope="module")
def nlp(trained):
    return trained()


def learn_from(vocab, trees):
    """An example whose predicted side has the tags and sentences of the trees."""
    return make_example(make_doc(vocab, trees), ["TAG", "SENT_START"])


def parse(nlp, doc):
    return nlp.get_pipe("constituency_parser")(doc)


def parse_again(nlp, trees):
    """The document of these trees, parsed by a pipeline."""
    return parse(nlp, learn_from(nlp.vocab, trees).predicted)


@pytest.mark.parametrize("system", [name for name in SYSTEMS if name != "shift_reduce"])
def test_every_discontinuous_system_learns_them(trained, system):
    assert get_trees(parse_again(trained(system), TREES)) == TREES


def test_steps_of_discontinuous_trees_may_count_more(small_model):
    assert get_trees(parse_again(train(small_model, update_weight=2.0), TREES)) == TREES


def test_the_continuous_system_learns_continuous_variants(trained):
    doc = parse_again(trained("shift_reduce"), TREES)
    rules = load_head_rules("english")
    assert [str(tree) for tree in get_trees(doc)] == [str(make_continuous(mark_heads(tree, rules))) for tree in TREES]
    assert not any(span.id for span in doc.spans["constituents"])


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("n_words", [0, 1, 2, 1000])
def test_sentences_of_any_length_have_a_tree(small_model, system, n_words):
    nlp = spacy.blank("en")
    parser = nlp.add_pipe("constituency_parser", config={"model": small_model, "system": system})
    parser.initialize(lambda: [learn_from(nlp.vocab, TREES)], nlp=nlp)
    doc = Doc(nlp.vocab, words=["see"] * n_words, sent_starts=[i == 0 for i in range(n_words)])
    parse(nlp, doc)
    assert [len(tree.leaves()) for tree in get_trees(doc)] == [n_words] * (n_words > 0)


def test_marks_between_words_can_be_features(small_model, write_text):
    templates = str(write_text("templates.txt", "s0.label s1.label\nmarks\ncomma\n"))
    nlp = spacy.blank("en")
    parser = nlp.add_pipe("constituency_parser", config={"model": small_model, "system": "swap"})
    parser.initialize(lambda: [learn_from(nlp.vocab, TREES)], nlp=nlp, templates=templates)
    doc = Doc(nlp.vocab, words=["a", ",", "b", ",", "c"], sent_starts=[True, False, True, False, False])
    columns, _ = parser.get_columns(doc, parser.get_constraints(doc))
    assert [part.__reduce__()[1][3].tolist() for part in columns.split(1)] == [
        [[0, 0, 0], [1, 0, 0]],
        [[1, 0, 0], [2, 0, 0], [2, 0, 0]],
    ]


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"system": "swop"}, "J040.*single_swap"), ({"update_weight": 0.0}, "J030"), ({"update_weight": -1.0}, "J030")],
)
def test_unknown_systems_and_weights_that_are_not_positive_are_refused(settings, message):
    with pytest.raises(JointValueError, match=message):
        spacy.blank("en").add_pipe("constituency_parser", config=settings)


def test_blocks_of_a_constituent_share_an_id(nlp):
    doc = parse_again(nlp, TREES[:1])
    blocks = [span for span in doc.spans["constituents"] if span.label_ == "VP"]
    assert [block.text for block in blocks] == ["whom", "meet"]
    assert blocks[0].id and blocks[0].id == blocks[1].id
    assert next(iter(doc.sents))._.parse_string == str(TREES[0].children[0])


def test_sentences_are_parsed_by_themselves(nlp):
    together, alone = parse_again(nlp, TREES[3:]), [parse_again(nlp, [tree]) for tree in TREES[3:]]
    assert get_trees(together) == [tree for doc in alone for tree in get_trees(doc)]


def test_whitespace_is_outside_all_trees(nlp):
    words = ["\n", "the", "cat", "\n", "saw", "ada", ".", "\n\n", "ben", "met", "the", "cat", ".", " "]
    tags = ["_SP", "DT", "NN", "_SP", "VBD", "NNP", ".", "_SP", "NNP", "VBD", "DT", "NN", ".", "_SP"]
    starts = [number in (0, 7) for number in range(len(words))]
    doc = parse(nlp, Doc(nlp.vocab, words=words, tags=tags, sent_starts=starts))
    assert doc[1:7]._.parse_string == "(S (NP (DT the) (NN cat)) (VP (VBD saw) (NP (NNP ada))) (. .))"
    clauses = [span.text.split() for span in doc.spans["constituents"] if span.label_ == "S"]
    assert clauses == [["the", "cat", "saw", "ada", "."], ["ben", "met", "the", "cat", "."]]


def test_a_document_without_boundaries_is_one_sentence(nlp):
    doc = Doc(nlp.vocab, words=["the", "cat", "saw", "ada", "."], tags=["DT", "NN", "VBD", "NNP", "."])
    parser = nlp.get_pipe("constituency_parser")
    parser._warned = frozenset()
    with pytest.warns(JointWarning, match=r"\[JW04\]"):
        parser(doc)
    assert doc.spans["constituents"][0].label_ == "S"


def test_a_reference_with_other_tokens_teaches_what_fits(nlp):
    reference = make_doc(nlp.vocab, TREES[3:4])
    predicted = Doc(
        nlp.vocab,
        words=["the", "cat", "sa", "w", "ada", "."],
        spaces=[True, True, False, True, True, True],
        tags=["DT", "NN", "VBD", "VBD", "NNP", "."],
    )
    labels = nlp.get_pipe("constituency_parser").collect_labels([Example(predicted, reference)])
    # The verb phrase has three words now.
    assert labels == {"unary": ["NP"], "binary": [["@S", "L"], ["@VP", "L"], ["NP", "R"], ["S", "R"], ["VP", "L"]]}


def test_a_reference_with_other_tokens_may_have_another_vocabulary(nlp):
    reference = make_doc(Vocab(), TREES[:1])
    # Ids that the vocabulary of the pipeline has not seen.
    reference.spans["constituents"] = [
        Span(reference, span.start, span.end, span.label_, span_id=span.id_ and "foreign")
        for span in reference.spans["constituents"]
    ]
    example = Example(
        Doc(nlp.vocab, words=["whom", "did", "ada", "me", "et", "?"], spaces=[True, True, True, False, True, False]),
        reference,
    )
    assert nlp.get_pipe("constituency_parser").collect_labels([example])["unary"]


@pytest.mark.parametrize(
    "tree", TREES + list(parse_trees("(ROOT (S (NP (NP (NN 0=a))) (X (Y (VP (V 1=b))))))", indexed=True))
)
def test_binary_nodes_are_a_tree_again(tree):
    nodes = to_nodes(tree, load_head_rules("english"))
    words = len(tree.leaves())
    again = [
        (*block, phrase.label)
        for phrase in list_phrases([node[:3] for node in nodes], words)
        for block in phrase.blocks
    ]
    assert sorted(again) == sorted((start, end, label) for label, start, end in tree.spans()[1:])
    # Only words and the root have unary nodes.
    assert all(child < words for _, child, other, _ in nodes[:-1] if other < 0)


def test_the_memory_for_phrases_is_linear_in_the_number_of_words():
    words = 8000
    nodes = [("X", words + word - 2 if word > 1 else 0, word) for word in range(1, words)]
    tracemalloc.start()
    phrases = list_phrases([*nodes, ("ROOT", 2 * words - 2, -1)], words)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [phrase.blocks for phrase in phrases] == [[(0, end)] for end in range(words, 1, -1)]
    assert peak < 500 * words
