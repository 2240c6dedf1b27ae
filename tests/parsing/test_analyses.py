"""N-best lists, boundary margins, partially given boundaries, and boundary biases."""

from functools import cache
from itertools import dropwhile

import numpy as np
import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc

import spacy_joint
from spacy_joint.annotation.custom_columns import write_column
from spacy_joint.parsing.joint_sbd_parser import BIASES, COLUMN_BIASES
from spacy_joint.pipes.streaming import stream_sentences

WORDS = ["you", "said", "you", "have", "four", "cats", "i", "have", "four", "cats", "how", "old", "are", "they"]
FEW = settings(max_examples=40)
WIDTHS = [1, 2, 7, 40]


@cache
def load(beam_width, boundary_margins=False):
    config = {"components.joint_sbd_parser.boundary_margins": boundary_margins}
    return spacy_joint.load(beam_width=beam_width, config=config)


@pytest.fixture(scope="module")
def nlp():
    return load(4, boundary_margins=True)


@pytest.fixture(scope="module")
def parser(nlp):
    return nlp.get_pipe("joint_sbd_parser")


def tag(nlp, words, starts=None):
    doc = Doc(nlp.vocab, words=words)
    doc = nlp.get_pipe("sequence_tagger")(doc)
    for token, start in zip(doc, starts or [], strict=False):
        token.is_sent_start = start
    return doc


@pytest.fixture(scope="module")
def tagged(assets):
    """A long document with tags. Shared: do not change it."""
    return tag(load(4), (assets / "transcript.txt").read_text(encoding="utf8").split())


def describe(doc):
    return [(token.head.i, token.dep_, bool(token.is_sent_start)) for token in doc]


@pytest.mark.parametrize("change", [str.upper, str.title])
def test_capitals_that_say_nothing_do_not_matter(nlp, change):
    text = (
        "hi nora it's me i'm still at the garage so i won't make it home before seven they found another problem " * 3
    )
    assert describe(nlp(change(text))) == describe(nlp(text))


# n-best


def test_analyses_are_distinct_and_the_best_comes_first(nlp, parser):
    analyses = parser.beam_parse(tag(nlp, WORDS), n_best=10)
    assert len({str(describe(analysis.doc)) for analysis in analyses}) == 10
    assert [analysis.score for analysis in analyses] == sorted((a.score for a in analyses), reverse=True)


def test_the_best_analysis_is_that_of_the_parser(nlp, parser):
    doc = tag(nlp, WORDS)
    (analysis,) = parser.beam_parse(doc, n_best=1)
    assert describe(analysis.doc) == describe(parser(doc))


def test_the_document_is_unchanged(nlp, parser):
    doc = tag(nlp, WORDS)
    before = doc.to_bytes()
    parser.beam_parse(doc, n_best=3)
    assert doc.to_bytes() == before


@pytest.mark.parametrize("words", [[], ["yes"], ["\n"], ["a", "b"]])
def test_documents_with_few_analyses_have_few(nlp, parser, words):
    for others in (False, True):
        analyses = parser.beam_parse(tag(nlp, words), n_best=2000, other_boundaries=others)
        assert len({str(describe(analysis.doc)) for analysis in analyses}) == len(analyses) >= 1


def test_analyses_can_be_asked_to_differ_in_boundaries(nlp, parser):
    doc = tag(nlp, WORDS)
    analyses = parser.beam_parse(doc, n_best=5, other_boundaries=True)
    starts = [tuple(token.is_sent_start for token in analysis.doc) for analysis in analyses]
    assert len(set(starts)) == len(starts) == 5
    assert describe(analyses[0].doc) == describe(parser(doc))
    assert [analysis.score for analysis in analyses] == sorted((a.score for a in analyses), reverse=True)


@pytest.mark.parametrize("n_best", [0, -1])
def test_fewer_than_one_analysis_is_refused(nlp, parser, n_best):
    with pytest.raises(ValueError, match="J030"):
        parser.beam_parse(tag(nlp, WORDS), n_best=n_best)


# Margins


def test_every_word_has_a_margin(nlp, parser):
    doc = parser(tag(nlp, [*WORDS[:6], "\n", *WORDS[6:]]))
    margins = [token._.boundary_margin for token in doc]
    assert margins[6] is None
    assert all(isinstance(margin, float) for margin in margins[:6] + margins[7:])
    assert margins[0] == float("inf")
    assert any(0 < margin < float("inf") for margin in margins[:6])


def test_margins_change_no_analysis(nlp):
    doc = tag(nlp, WORDS)
    assert describe(load(4).get_pipe("joint_sbd_parser")(doc.copy())) == describe(
        nlp.get_pipe("joint_sbd_parser")(doc.copy())
    )


def test_margins_survive_serialisation(nlp, parser):
    doc = parser(tag(nlp, WORDS))
    back = Doc(nlp.vocab).from_bytes(doc.to_bytes())
    assert [token._.boundary_margin for token in back] == [token._.boundary_margin for token in doc]


def test_margins_move_with_their_tokens(nlp):
    docs = [nlp(text) for text in ("it rained we left", "we left")]
    margins = [token._.boundary_margin for doc in docs for token in doc]
    assert [token._.boundary_margin for token in Doc.from_docs(docs)] == margins
    with docs[0].retokenize() as retokenizer:
        retokenizer.merge(docs[0][0:2])
    assert [token._.boundary_margin for token in docs[0]] == [margins[0], *margins[2:4]]


def test_without_the_setting_there_are_no_margins(nlp):
    doc = load(4).get_pipe("joint_sbd_parser")(tag(nlp, WORDS))
    assert doc[0]._.boundary_margin is None
    assert not doc.user_data


def test_given_boundaries_have_no_competing_analyses(nlp, parser):
    doc = parser(tag(nlp, WORDS, [None, None, True, False]))
    assert doc[2]._.boundary_margin == doc[3]._.boundary_margin == float("inf")


# Partially given boundaries


@FEW
@given(
    st.sampled_from(WIDTHS),
    st.sampled_from(["call", "margins", "beam_parse", "stream"]),
    st.lists(st.tuples(st.sampled_from([*WORDS, ".", "\n"]), st.sampled_from([True, False, None, None])), max_size=25),
)
def test_boundaries_given_in_part_are_obeyed_in_every_mode_at_every_width(width, mode, pairs):
    # Whitespace before the first word belongs to its sentence.
    pairs = list(dropwhile(lambda pair: pair[0].isspace(), pairs))
    # No other test uses this one, so its width may change.
    nlp = load(max(WIDTHS), boundary_margins=mode == "margins")
    parser = nlp.get_pipe("joint_sbd_parser")
    parser.perceptron.beam_width = width
    doc = tag(nlp, [word for word, _ in pairs], [start for _, start in pairs])
    if mode == "beam_parse":
        results = [analysis.doc for analysis in parser.beam_parse(doc, n_best=3)]
    elif mode == "stream":
        results = [[token for sentence in parser.stream(iter(doc)) for token in sentence]]
    else:
        results = [parser(doc.copy())]
    for result in results:
        forced = True
        for token, (word, start) in zip(result, pairs, strict=True):
            if word.isspace():
                # A sentence that should start with whitespace starts with the next word.
                forced = forced or start is True
                continue
            if forced or start is not None:
                assert bool(token.is_sent_start) is (forced or start)
            forced = False


# Biases


@pytest.fixture(scope="module")
def with_biases():
    """The shipped pipeline, with other biases for each test."""
    nlp = spacy_joint.load()

    def with_biases(*values, pause_bias=0.0):
        settings = dict(zip(BIASES, values, strict=False))
        # Whole numbers are numbers, too.
        nlp.get_pipe("joint_sbd_parser").set_biases({**settings, "marked_bias": 0, "pause_bias": pause_bias})
        return nlp

    return with_biases


@pytest.mark.parametrize(
    "parse",
    [
        lambda parser, tagged: parser(tagged.copy()).sents,
        lambda parser, tagged: parser.beam_parse(tagged, n_best=2)[0].doc.sents,
        lambda parser, tagged: parser.stream(iter(tagged)),
    ],
    ids=["call", "n-best", "stream"],
)
def test_a_bias_makes_more_or_fewer_sentences(with_biases, tagged, parse):
    fewest, fewer, usual, more, most = (
        len(list(parse(with_biases(bias).get_pipe("joint_sbd_parser"), tagged)))
        for bias in (-1e6, -300.0, 0.0, 300.0, 1e6)
    )
    # The beam compares paths at different tokens, so even then not all tokens start a sentence.
    assert fewest == 1 and most > 0.6 * len(tagged)
    assert fewest <= fewer < usual < more <= most


def test_given_boundaries_take_precedence_over_a_bias(with_biases):
    parser = with_biases(1e6).get_pipe("joint_sbd_parser")
    doc = parser(tag(load(4), WORDS, starts=[None, False, False] + [None] * (len(WORDS) - 3)))
    assert not doc[1].is_sent_start and not doc[2].is_sent_start
    assert len(list(doc.sents)) > 0.5 * len(WORDS)


@pytest.mark.parametrize("bias", [1e7, -1e7])
@pytest.mark.parametrize("setting", [*BIASES, *COLUMN_BIASES])
def test_a_bias_is_a_number_in_the_range_of_scores(setting, bias):
    with pytest.raises(ValueError, match=rf"J030.*{setting}"):
        spacy.blank("en").add_pipe("joint_sbd_parser", config={setting: bias})


def test_each_stretch_of_text_has_its_own_bias(with_biases):
    # No boundary without a mark where there is punctuation, and far more where there is none.
    nlp = with_biases(None, -1e6, 1e6)
    edited, plain = "We left, of course. It rained. ", "so we left and then it rained all day "
    text = edited * 10 + plain * 12 + edited * 10
    doc = nlp(text)
    starts = [token.idx for token in doc if token.is_sent_start and token.i and token.nbor(-1).text != "."]
    # A stretch ends with its last word before a mark.
    first, last = len(edited) * 10, len(edited) * 10 + len(plain) * 12 + len("We left")
    assert starts and all(first <= start <= last for start in starts)
    streamed = [sentence.text for sentence in stream_sentences([text], nlp)]
    assert streamed == [sentence.text for sentence in doc.sents]


@pytest.mark.parametrize(("text", "n_split"), [("so we left and it rained all day ", 2), ("We left. It rained. ", 0)])
def test_pauses_split_text_without_punctuation_by_a_bias(with_biases, text, n_split):
    starts = {}
    for pause_bias in (0.0, 1e4):
        nlp = with_biases(None, 0.0, 0.0, pause_bias=pause_bias)
        doc = nlp.make_doc(text * 12)
        pauses = np.zeros(len(doc))
        # After "we".
        pauses[[2, 10]] = 1.0
        write_column(doc, "pause", pauses)
        starts[pause_bias] = {token.i for token in nlp(doc) if token.is_sent_start}
    assert len(starts[1e4] & {2, 10}) == n_split and not starts[0.0] & {2, 10}
    assert n_split or starts[1e4] == starts[0.0]


def test_one_bias_overrules_those_of_kinds_of_text(with_biases):
    text = "we left of course it rained all day"
    several, one = (list(map(str, with_biases(0.0, *biases)(text).sents)) for biases in ((-1e6, 1e6), (0.0, 0.0)))
    assert several == one


# Shares of heads and labels


def test_shares_of_heads_and_labels_add_up(parser, nlp):
    docs = [tag(nlp, WORDS), tag(nlp, ["hi", "\n", "there"])]
    all_heads, all_labels = parser.scored_parses(parser.predict(docs))
    for doc, heads, labels in zip(docs, all_heads, all_labels, strict=True):
        for token in doc:
            expected = pytest.approx(0 if token.is_space else 1)
            assert sum(share for (dependent, _), share in heads.items() if dependent == token.i) == expected
            assert sum(share for (dependent, _), share in labels.items() if dependent == token.i) == expected
            assert labels[token.i, "no such label"] == 0


def test_a_prediction_has_the_largest_share(nlp):
    # A beam of one item holds the prediction only.
    greedy = load(1).get_pipe("joint_sbd_parser")
    doc = tag(nlp, WORDS)
    (heads,), (labels,) = greedy.scored_parses(greedy.predict([doc]))
    greedy(doc)
    for token in doc:
        assert heads[token.i, token.head.i] == 1
        assert labels[token.i, token.dep_] == 1
