"""The component: its grammar from examples or a file, what it writes to documents, and its file."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed
from spacy.vocab import Vocab

from spacy_joint.annotation.constituents import get_trees
from spacy_joint.charts.decoding import DECODINGS
from spacy_joint.charts.training import hedge
from spacy_joint.corpora.constituency_treebanks import make_doc
from spacy_joint.errors import JointError, JointValueError, JointWarning
from spacy_joint.trees.constituency_trees import parse_trees

from .grammars import TREEBANK

TREES = list(parse_trees(TREEBANK))

# A small grammar, so that tests are fast.
SMALL = {"horizontal": 1, "parents": True, "tag_parents": True, "split_cycles": 0}


def make(trees=TREES, grammar=None, decoding="viterbi", **settings):
    nlp = spacy.blank("en")
    nlp.add_pipe("chart_parser", config={**SMALL, "decoding": decoding, **settings})
    doc = make_doc(nlp.vocab, trees)
    nlp.config["initialize"]["components"]["chart_parser"] = {"grammar": grammar}
    nlp.initialize(lambda: [Example(doc.copy(), doc)])
    return nlp


@pytest.fixture(scope="module")
def nlp():
    return make()


def untagged(trees):
    return Doc(
        Vocab(),
        words=[word for tree in trees for word in tree.leaves()],
        sent_starts=[place == 0 for tree in trees for place in range(len(tree.leaves()))],
    )


def parse(nlp, doc):
    return nlp.get_pipe("chart_parser")(doc)


def test_sentences_get_trees_tags_and_probabilities(nlp):
    doc = parse(nlp, untagged(TREES))
    assert list(map(str, get_trees(doc))) == list(map(str, TREES))
    assert [sentence._.parse_string for sentence in doc.sents] == [str(tree.children[0]) for tree in TREES]
    probabilities = [sentence._.parse_probability for sentence in doc.sents]
    assert [of_sentence["log_probability"] for of_sentence in doc._.parse_stats] == probabilities
    assert max(probabilities) < 0
    assert doc[:2]._.parse_probability is None


def test_given_tags_are_read_and_not_written():
    nlp = make(tags="given")
    words = ["the", "saw", "met", "ben", "."]
    doc = parse(nlp, Doc(nlp.vocab, words=words, tags=["DT", "NN", "VBD", "", "."], sent_starts=[True] + [False] * 4))
    assert doc[:]._.parse_string == "(S (NP (DT the) (NN saw)) (VP (VBD met) (NP (_ ben))) (. .))"


def test_documents_without_tags_to_read_are_reported_once():
    nlp = make(tags="given")
    with pytest.warns(JointWarning, match=r"\[JW42\]"):
        parse(nlp, untagged(TREES))
    parse(nlp, untagged(TREES))


def test_a_document_without_boundaries_is_one_sentence():
    nlp = make()
    doc = Doc(nlp.vocab, words=TREES[0].leaves())
    with pytest.warns(JointWarning, match=r"\[JW04\]"):
        parse(nlp, doc)
    assert doc[:]._.parse_string == str(TREES[0].children[0])


def test_whitespace_is_outside_all_trees(nlp):
    words = ["\n", "the", "cat", "\n", "saw", "ada", ".", "\n\n", "ben", "met", "ada", ".", " "]
    starts = [number in (0, 7) for number in range(len(words))]
    doc = parse(nlp, Doc(nlp.vocab, words=words, sent_starts=starts))
    assert doc[1:7]._.parse_string == "(S (NP (DT the) (NN cat)) (VP (VBD saw) (NP (NNP ada))) (. .))"
    assert [(stats["start"], stats["end"]) for stats in doc._.parse_stats] == [(1, 7), (8, 12)]
    assert all(sentence._.parse_probability < 0 for sentence in doc.sents)
    assert not doc[3].tag_


@pytest.mark.parametrize("words", [[], ["\n"], ["cat"], ["."], ["cat"] * 30, [" ", "\x00"]])
def test_any_document_gets_trees_over_all_its_words(nlp, words):
    doc = Doc(nlp.vocab, words=words, sent_starts=[i == 0 for i in range(len(words))])
    parse(nlp, doc)
    assert [word for tree in get_trees(doc) for word in tree.leaves()] == [word for word in words if word.strip()]


def test_a_sentence_that_is_too_long_goes_to_the_error_handler():
    nlp = make(max_words=7)
    failed = []
    nlp.set_error_handler(lambda name, proc, docs, error: failed.extend((doc[0].text, error.code) for doc in docs))
    docs = [untagged([tree]) for tree in TREES]
    assert [doc[0].text for doc in nlp.get_pipe("chart_parser").pipe(docs)] == ["the", "the"]
    assert failed == [("ben", "J700")]


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({"tags": "found"}, "J040"),
        ({"horizontal": -1}, "J030"),
        ({"split_cycles": 5}, "J030"),
        ({"max_words": 0}, "J030"),
        ({"width": -1}, "J030"),
        ({"max_span": -1}, "J030"),
        ({"figure_of_merit": "outside"}, "J040"),
        ({"closure": "all"}, "J040"),
        ({"closure": ["complete", "none"]}, "J040"),
        ({"decoding": "best"}, "J040"),
        ({"max_words": 5001}, "J030"),
        ({"keep_open": 0.0}, "J030"),
    ],
)
def test_wrong_settings_are_refused(settings, code):
    with pytest.raises(JointValueError, match=rf"\[{code}\].*{next(iter(settings))}"):
        spacy.blank("en").add_pipe("chart_parser", config=settings)


# Where the grammar comes from


def test_a_grammar_can_be_read_from_a_file(write_text, tmp_path, nlp):
    other = make(trees=TREES[:1], grammar=str(write_text("edited.txt", nlp.get_pipe("chart_parser").grammar.to_text())))
    assert other.get_pipe("chart_parser").grammar.to_text() == nlp.get_pipe("chart_parser").grammar.to_text()
    with pytest.raises(JointError, match=r"\[J402\]"):
        make(grammar=str(tmp_path / "nowhere.txt"))


def test_examples_without_constituents_are_left_out():
    nlp = spacy.blank("en")
    parser = nlp.add_pipe("chart_parser")
    doc, plain = make_doc(nlp.vocab, TREES[:1]), nlp.make_doc("hello there")
    parser.initialize(lambda: [Example(plain, plain), Example(nlp.make_doc(""), nlp.make_doc("")), Example(doc, doc)])
    assert parser.labels == ("NP", "S", "VP")


@pytest.mark.parametrize(
    ("trees", "code"),
    [
        ("(ROOT (S (VP (WP 0=whom) (VB 3=meet)) (VBD 1=did) (NP (NNP 2=ada))))", "J703"),
        ("(ROOT (S|X (A 0=whom) (VBD 1=did)))", "J672"),
    ],
)
def test_trees_that_are_not_for_grammars_are_refused(trees, code):
    with pytest.raises(JointValueError, match=rf"\[{code}\]"):
        make(list(parse_trees(trees, indexed=True)))


def test_trees_need_tags():
    nlp = spacy.blank("en")
    doc = make_doc(nlp.vocab, TREES)
    doc[1].tag_ = ""
    with pytest.raises(JointValueError, match=r"\[J702\].*'old'"):
        nlp.add_pipe("chart_parser").initialize(lambda: [Example(doc, doc)])


def test_initialize_has_learnt_everything(nlp):
    doc = make_doc(nlp.vocab, TREES)
    before = nlp.to_bytes()
    nlp.update([Example(doc.copy(), doc)])
    assert nlp.to_bytes() == before
    assert not nlp.get_pipe("chart_parser").is_trainable


# Its file


def test_its_file_is_a_readable_grammar(nlp, tmp_path):
    nlp.to_disk(tmp_path)
    text = (tmp_path / "chart_parser" / "grammar.txt").read_text(encoding="utf8")
    assert text == nlp.get_pipe("chart_parser").grammar.to_text()


@pytest.mark.parametrize(
    ("content", "code"),
    [(b"\xff\xfe", "J052"), (b"hello", "J666"), (b"pcfg 1\nroot ROOT\nbinary 2\n", "J668"), (b"\n", "J668")],
)
def test_damaged_files_are_refused_by_name(nlp, tmp_path, content, code):
    parser = nlp.get_pipe("chart_parser")
    parser.to_disk(tmp_path, exclude=["vocab"])
    (tmp_path / "grammar.txt").write_bytes(content)
    with pytest.raises(JointValueError, match=rf"\[{code}\].*grammar\.txt"):
        parser.from_disk(tmp_path)


def test_the_boundary_model_belongs_to_it(tmp_path):
    parser = make(closure="none").get_pipe("chart_parser")
    parser.to_disk(tmp_path, exclude=["vocab"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["boundaries", "checksums", "grammar.txt"]
    (tmp_path / "boundaries").write_bytes(b"hello")
    with pytest.raises(JointValueError, match=r"\[J052\]"):
        parser.from_disk(tmp_path)
    (tmp_path / "boundaries").unlink()
    with pytest.raises(JointValueError, match=r"\[J704\].*figure_of_merit"):
        parser.from_disk(tmp_path)
    inside = (
        spacy.blank("en")
        .add_pipe("chart_parser", config={"figure_of_merit": "inside", "closure": "none"})
        .from_disk(tmp_path)
    )
    assert inside.labels == parser.labels
    parser.to_disk(tmp_path, exclude=["vocab"])
    inside.to_disk(tmp_path, exclude=["vocab"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["checksums", "grammar.txt"]


@pytest.mark.parametrize(
    ("kinds", "other"),
    [
        (["constituents"], "complete"),
        (["widths", "complete"], "constituents"),
    ],
)
def test_cells_can_be_closed(kinds, other, tmp_path):
    nlp = make(TREES * 20, closure=kinds if len(kinds) > 1 else kinds[0], width=10)
    doc = parse(nlp, untagged(TREES))
    assert list(map(str, get_trees(doc))) == list(map(str, TREES))
    assert sum(stats["closed"] for stats in doc._.parse_stats) > 0
    nlp.to_disk(tmp_path)
    names = {"boundaries", "checksums", "grammar.txt", *kinds}
    assert {path.name for path in (tmp_path / "chart_parser").iterdir()} == names
    for again in (spacy.load(tmp_path), pickle.loads(pickle.dumps(nlp))):
        assert list(parse(again, untagged(TREES))._.parse_stats) == list(doc._.parse_stats)
    with pytest.raises(JointValueError, match=rf"\[J704\].*{other}"):
        spacy.load(tmp_path, config={"components.chart_parser.closure": other})
    # A loaded pipeline need not use all of them.
    for closure in ("none", kinds[-1]):
        again = spacy.load(tmp_path, config={"components.chart_parser.closure": closure})
        assert any(stats["closed"] for stats in parse(again, untagged(TREES))._.parse_stats) == (closure != "none")


@pytest.mark.parametrize("closure", ["none", "constituents", "complete", "widths"])
def test_constituents_can_be_hedges(closure):
    nlp = make(TREES * 20, max_span=3, closure=closure)
    doc = parse(nlp, untagged(TREES))
    assert list(map(str, get_trees(doc))) == [str(hedge(tree, 3)) for tree in TREES]
    assert all(sentence._.parse_probability < 0 for sentence in doc.sents)


def test_a_closing_of_another_kind_is_refused(tmp_path):
    parser = make(closure=["constituents", "complete"]).get_pipe("chart_parser")
    parser.to_disk(tmp_path, exclude=["vocab"])
    (tmp_path / "complete").write_bytes((tmp_path / "constituents").read_bytes())
    with pytest.raises(JointValueError, match=r"\[J704\].*complete"):
        parser.from_disk(tmp_path)


# Decoding


@pytest.mark.parametrize("settings", [{"closure": "none", "width": 0}, {}])
def test_the_tree_of_the_most_probable_constituents_is_found(settings):
    nlp = make(TREES * 20, decoding="max_constituents", **settings)
    doc = parse(nlp, untagged(TREES))
    assert list(map(str, get_trees(doc))) == list(map(str, TREES))
    for sentence in doc.sents:
        # All trees together are at least as probable as the best one, except for rounding.
        ((best, _),) = nlp.get_pipe("chart_parser").list_parses(sentence, 1)
        assert best - 1e-6 <= sentence._.parse_probability < 0 or settings != {"closure": "none", "width": 0}


@pytest.mark.parametrize("closure", ["complete", "widths"])
def test_closings_do_not_learn_from_trees_that_are_too_long(closure):
    nlp = make(TREES * 5, closure=closure, max_words=3, cut_long=True)
    assert [stats["parts"] for stats in parse(nlp, untagged(TREES))._.parse_stats] == [2, 3, 3]


def test_sentences_without_a_tree_are_parsed_with_wider_cells():
    narrow, wide = (parse(make(width=width, figure_of_merit="inside", tags="own"), untagged(TREES)) for width in (1, 0))
    assert any(stats["stage"] == "wider" for stats in narrow._.parse_stats)
    for one, other in zip(narrow._.parse_stats, wide._.parse_stats, strict=True):
        assert one["log_probability"] is None or one["log_probability"] <= other["log_probability"]
        assert one["edges"] < other["edges"]


@pytest.mark.parametrize("decoding", DECODINGS)
def test_split_symbols_are_not_seen_in_labels(decoding):
    settings = {"horizontal": 0, "parents": False, "tag_parents": False, "split_cycles": 1, "decoding": decoding}
    content = []
    for _ in range(2):
        fix_random_seed(0)
        nlp = make(TREES * 20, **settings)
        content.append(nlp.get_pipe("chart_parser").to_bytes())
    parser = nlp.get_pipe("chart_parser")
    assert {"NP-0", "NP-1"} <= set(parser.grammar.symbols)
    assert set(parser.labels) == {"NP", "PP", "S", "VP"}
    assert list(map(str, get_trees(parse(nlp, untagged(TREES))))) == list(map(str, TREES))
    assert content[0] == content[1] == parser.from_bytes(content[0]).to_bytes()


# Other trees


def test_the_best_trees_of_a_sentence_are_listed(nlp):
    parser = nlp.get_pipe("chart_parser")
    doc = parse(nlp, untagged(TREES))
    for sentence, tree in zip(doc.sents, TREES, strict=True):
        (probability, best), *others = parser.list_parses(sentence, 3)
        assert str(best) == str(tree)
        assert probability == pytest.approx(sentence._.parse_probability)
        assert all(score <= probability and other.leaves() == tree.leaves() != [] for score, other in others)
    assert len(parser.list_parses(next(iter(doc.sents)), 1)) == 1
    assert parser.list_parses(nlp.make_doc("\n")[:], 3) == []
    with pytest.raises(JointValueError, match=r"\[J030\]"):
        parser.list_parses(doc[:7], 0)


def test_as_many_trees_are_listed_as_are_asked_for():
    """Split symbols give each tree many derivations, which must not crowd out other trees."""
    phrase = "(PP (IN in) (NP (DT the) (NN park)))"
    object_ = f"(NP (NP (DT the) (NN cat)) {phrase})"
    trees = parse_trees(f"(ROOT (S (NP (NNP ben)) (VP (VP (VBD met) {object_}) {phrase})))")
    nlp = make(list(trees) * 9, horizontal=0, parents=False, tag_parents=False, split_cycles=2, width=0)
    doc = Doc(nlp.vocab, words=["ben", "met", "the", "cat", *("in", "the", "park") * 4])
    # Four phrases can be attached in 42 ways, a Catalan number.
    for k in (1, 41, 42, 100):
        listed = nlp.get_pipe("chart_parser").list_parses(doc[:], k)
        assert len(listed) == len({str(tree) for _, tree in listed}) == min(k, 42)


@pytest.mark.parametrize("decoding", DECODINGS)
def test_sentences_that_the_grammar_does_not_derive_have_fragments(decoding):
    nlp = make(tags="given", decoding=decoding)
    words, tags = ["the", "cat", "the", "old", "cat"], ["DT", "NN", "DT", "JJ", "NN"]
    doc = parse(nlp, Doc(nlp.vocab, words=words, tags=tags, sent_starts=[place == 0 for place in range(5)]))
    assert doc[:]._.parse_probability is None
    assert doc._.parse_stats[0]["stage"] == "glued"
    assert doc[:]._.parse_string == "(ROOT (NP (DT the) (NN cat)) (NP (DT the) (JJ old) (NN cat)))"
    assert nlp.get_pipe("chart_parser").list_parses(doc[:], 3) == []


def test_threads_may_share_a_component():
    nlp = make()
    expected = [str(tree) for tree in get_trees(parse(nlp, untagged(TREES * 20)))]
    with ThreadPoolExecutor(4) as pool:
        for doc in pool.map(lambda _: parse(nlp, untagged(TREES * 20)), range(12)):
            assert [str(tree) for tree in get_trees(doc)] == expected
