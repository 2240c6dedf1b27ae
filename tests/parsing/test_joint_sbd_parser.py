"""The joint parser as a component: preset boundaries are kept, trees match sentences, whitespace is never alone."""

import time

import numpy as np
import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc, DocBin
from spacy.training import Example

from spacy_joint.parsing.joint_sbd_parser import DependencyTrees
from spacy_joint.parsing.oracle import oracle_actions

WORDS = ["hello", "how", "are", "you", "i", "saw", "the", "big", "dog", "and", ".", "\n", "  ", "\n\n", "\n \n"]
STARTS = [True, False, None]


@pytest.fixture(scope="module")
def parser(pipeline):
    return pipeline.get_pipe("joint_sbd_parser")


def words_with_presets(n=30):
    return st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(STARTS)), max_size=n)


def preset(vocab, pairs):
    return Doc(vocab, words=[word for word, _ in pairs], sent_starts=[start for _, start in pairs] or None)


def starts_of(doc):
    return [bool(token.is_sent_start) for token in doc]


def check_trees(doc):
    """Each sentence is the subtree of its one root; none is only whitespace, unless the document is."""
    assert sum(len(sentence) for sentence in doc.sents) == len(doc)
    for sentence in doc.sents:
        roots = [token for token in sentence if token.head == token]
        assert roots == [sentence.root]
        assert {token.i for token in sentence.root.subtree} == set(range(sentence.start, sentence.end))
        assert not sentence.text.isspace() or doc.text.isspace()
        assert all(token.dep_ for token in sentence)
        for token in sentence:
            if token.text.isspace() and not doc.text.isspace():
                assert not list(token.children)


# Preset boundaries


@settings(max_examples=150)
@given(pairs=words_with_presets())
def test_preset_boundaries_are_kept_and_trees_agree_with_sentences(parser, pipeline, pairs):
    # Without tags, too.
    doc = parser(preset(pipeline.vocab, pairs))
    check_trees(doc)
    first_word = next((token.i for token in doc if not token.text.isspace()), 0)
    forced = after_blank_line = False
    for token, (word, start) in zip(doc, pairs, strict=True):
        if word.isspace():
            # A sentence that should start with whitespace starts with the next word.
            forced = forced or start is True
            after_blank_line = after_blank_line or word.count("\n") > 1
            continue
        if token.i > first_word:
            if forced or start is True:
                assert token.is_sent_start is True
            elif start is False:
                assert token.is_sent_start is False
            elif after_blank_line:
                assert token.is_sent_start is True
        forced = after_blank_line = False


def test_the_boundaries_of_an_earlier_component_are_kept(saved_pipeline):
    nlp = spacy.load(saved_pipeline)
    nlp.add_pipe("sentencizer", first=True)
    doc = nlp("hello. how are. you i am fine")
    assert [sentence.text for sentence in doc.sents] == ["hello.", "how are.", "you i am fine"]
    check_trees(doc)


@pytest.mark.parametrize("text", ["the big\ndog", "the big   dog", "the big\rdog"])
def test_a_single_line_break_does_not_end_a_sentence(parser, pipeline, text):
    doc = pipeline.make_doc(text)
    assert parser.get_constraints(doc).tolist() == [1, *[0] * (len(doc) - 1)]


def test_blank_lines_can_be_ignored(initialize):
    parser = initialize("joint_sbd_parser", blank_lines=False).get_pipe("joint_sbd_parser")
    doc = Doc(parser.vocab, words=["the", "big", "\n\n", "dog"])
    assert parser.get_constraints(doc).tolist() == [1, 0, 0, 0]


@settings(max_examples=25)
@given(data=st.data())
def test_presets_that_contradict_the_reference_do_not_stop_training(learning, data):
    nlp, examples = learning
    example = data.draw(st.sampled_from(examples))
    n = len(example.predicted)
    starts = data.draw(st.lists(st.sampled_from(STARTS), min_size=n, max_size=n))
    words = [token.text for token in example.predicted]
    losses = nlp.update([Example(Doc(nlp.vocab, words=words, sent_starts=starts), example.reference)])
    assert np.isfinite(losses["joint_sbd_parser"])


@pytest.fixture(scope="module")
def learning(initialize, read_examples):
    nlp = initialize("joint_sbd_parser", keep=())
    return nlp, read_examples(nlp)


def test_a_parser_with_given_sentences_learns_only_trees(initialize, read_examples, train):
    nlp = initialize("joint_sbd_parser")
    examples = read_examples(nlp, keep=["TAG", "SENT_START"])
    train(nlp, examples)
    scores = nlp.evaluate(examples)
    assert scores["boundary_f"] == 1
    assert scores["dep_las_punct"] > 0.9


def test_learning_does_not_see_the_bias(initialize, read_examples, train):
    weights = []
    for bias in (0.0, 1e5):
        nlp = initialize("joint_sbd_parser", boundary_bias=bias)
        train(nlp, read_examples(nlp, keep=["TAG"]), epochs=2)
        weights.append(nlp.get_pipe("joint_sbd_parser").perceptron.to_bytes())
    assert weights[0] == weights[1]


@pytest.mark.parametrize("sb_position", ["early", "late"])
def test_boundaries_can_be_decided_early_or_late(initialize, read_examples, train, sb_position):
    nlp = initialize("joint_sbd_parser", sb_position=sb_position)
    examples = read_examples(nlp, keep=["TAG"])
    train(nlp, examples, epochs=8)
    assert nlp.evaluate(examples)["boundary_f"] > 0.9
    pairs = [("hello", None), ("how", True), ("are", False), ("you", True), ("\n", True), ("i", False), ("saw", False)]
    assert starts_of(nlp.get_pipe("joint_sbd_parser")(preset(nlp.vocab, pairs))) == [1, 1, 0, 1, 0, 1, 0]


@pytest.mark.parametrize("position", ["", "Early", "sometime"])
def test_an_unknown_position_of_boundaries_is_refused(initialize, position):
    with pytest.raises(ValueError, match=rf"\[J040\].*'{position}'"):
        initialize("joint_sbd_parser", sb_position=position)


# Whitespace


@pytest.mark.parametrize(
    ("words", "heads_of_whitespace"),
    [
        (["\n", "hello", "there"], {0: 1}),
        (["\n", " ", "hello"], {0: 2, 1: 2}),
        (["hello", "\n", "there"], {1: 0}),
        (["hello", "\n", "\n\n", "there"], {1: 0, 2: 0}),
        (["hello", "there", "\n"], {2: 1}),
        (["\n", "\n\n"], {0: 0, 1: 0}),
    ],
)
def test_whitespace_is_attached_to_the_previous_token(parser, pipeline, words, heads_of_whitespace):
    doc = parser(Doc(pipeline.vocab, words=words))
    assert {token.i: token.head.i for token in doc if token.text.isspace()} == heads_of_whitespace
    check_trees(doc)


def test_whitespace_does_not_change_the_trees_of_words(pipeline):
    words = ["hey", "are", "you", "up", "yeah", "just", "got", "back", "nice"]
    plain = pipeline(Doc(pipeline.vocab, words=words))
    spaced = pipeline(Doc(pipeline.vocab, words=["\n", *(part for word in words for part in (word, "  "))]))
    assert [(token.dep_, token.head.text) for token in spaced if not token.text.isspace()] == [
        (token.dep_, token.head.text) for token in plain
    ]


# Using the result


@settings(max_examples=30)
@given(pairs=words_with_presets(60))
def test_sentences_survive_serialisation(parser, pipeline, pairs):
    doc = parser(preset(pipeline.vocab, pairs))
    expected = [(sentence.start, sentence.end) for sentence in doc.sents]
    copies = [Doc(pipeline.vocab).from_bytes(doc.to_bytes()), doc.copy()]
    if len(doc):
        copies += DocBin(attrs=["HEAD", "DEP"], docs=[doc]).get_docs(pipeline.vocab)
    for copy in copies:
        assert [(sentence.start, sentence.end) for sentence in copy.sents] == expected
        assert [token.head.i for token in copy] == [token.head.i for token in doc]


@pytest.mark.parametrize("n_tokens", [30, 200])
def test_sentences_are_those_decided_however_far_from_projective_their_trees_are(parser, pipeline, n_tokens):
    order = np.random.default_rng(0)
    labels = parser.label_data
    for _ in range(20):
        heads = np.arange(2 * n_tokens)
        for begin in (0, n_tokens):
            tokens = begin + order.permutation(n_tokens)
            for place in range(1, n_tokens):
                heads[tokens[place]] = tokens[max(0, place - order.integers(1, 4))]
        names = [
            labels["root" if head == token else "left" if head > token else "right"][0]
            for token, head in enumerate(heads)
        ]
        starts = np.arange(2 * n_tokens) % n_tokens == 0
        actions = oracle_actions(parser.perceptron.system, heads, names, starts)
        doc = Doc(pipeline.vocab, words=["word"] * 2 * n_tokens)
        parser.annotate(doc, parser.build(np.arange(2 * n_tokens), actions))
        assert np.flatnonzero(starts_of(doc)).tolist() == [0, n_tokens]
        check_trees(doc)


def test_flattening_the_first_sentence_leaves_the_last_one_alone(parser, pipeline):
    n = 80
    inwards = np.ravel(list(zip(range(n // 2), range(n - 1, n // 2 - 1, -1), strict=True)))
    heads = np.arange(n + 8)
    heads[inwards[:-1]] = inwards[1:]
    heads[n : n + 4], heads[n + 4 :] = [n, n, n + 1, n + 2], [n + 4, n + 4, n + 5, n + 6]
    starts = np.isin(np.arange(n + 8), [0, n, n + 4])
    doc = Doc(pipeline.vocab, words=["word"] * (n + 8))
    parser.annotate(doc, DependencyTrees(np.arange(n + 8), heads, ["dep"] * (n + 8), starts))
    assert np.flatnonzero(starts_of(doc)).tolist() == [0, n, n + 4]
    assert [token.head.i for token in doc[n + 4 :]] == heads[n + 4 :].tolist()


def test_extension_attributes_and_user_data_are_kept(pipeline):
    doc = pipeline.make_doc("hello there how are you")
    doc.user_data["note"] = "kept"
    doc.set_ents([doc.char_span(6, 11, label="PLACE")])
    pipeline(doc)
    assert doc.user_data["note"] == "kept"
    assert [ent.text for ent in doc.ents] == ["there"]
    assert doc.has_annotation("SENT_START") and doc.has_annotation("DEP")


# Size


def test_time_is_linear_in_document_length(parser, pipeline):
    text = "hey are you up yeah just got back from the market did you get the tickets no they were sold out"
    words = text.split()
    model = {**pipeline.get_pipe_config("joint_sbd_parser")["model"], "beam_width": 1}
    greedy = spacy.blank("en").add_pipe("joint_sbd_parser", config={"model": model})
    greedy.from_bytes(parser.to_bytes(exclude=["vocab", "learning"]))
    seconds = {}
    for n_tokens in (10_000, 100_000):
        doc = Doc(pipeline.vocab, words=(words * (n_tokens // len(words) + 1))[:n_tokens])
        # CPU time, so that other load does not matter.
        begin = time.process_time()
        greedy(doc)
        seconds[n_tokens] = time.process_time() - begin
    assert sum(len(sentence) for sentence in doc.sents) == 100_000
    # Ten times the tokens, with a factor of two for noise.
    assert seconds[100_000] < 20 * max(seconds[10_000], 0.05)


# Labels


def test_labels_are_distinguished_by_direction(parser):
    assert parser.label_data["root"] == ["ROOT"]
    assert "nsubj" in parser.label_data["left"] and "obj" in parser.label_data["right"]
    assert parser.labels == tuple(sorted({label for labels in parser.label_data.values() for label in labels}))


@pytest.mark.parametrize(
    ("heads", "deps"), [([0, 1], ["ROOT", "ROOT"]), ([1, 1], ["a", "ROOT"]), ([0, 0], ["ROOT", "a"])]
)
def test_a_treebank_may_have_arcs_in_one_direction_or_none(small_model, heads, deps):
    nlp = spacy.blank("en")
    nlp.add_pipe("joint_sbd_parser", config={"model": small_model})
    words = ["hello", "hello"]
    example = Example(Doc(nlp.vocab, words=words), Doc(nlp.vocab, words=words, heads=heads, deps=deps))
    nlp.initialize(lambda: [example])
    nlp.update([example])
    check_trees(nlp(Doc(nlp.vocab, words=words * 3)))
