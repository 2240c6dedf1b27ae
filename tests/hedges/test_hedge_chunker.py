"""The components: their annotation of a document, and their guarantees."""

from itertools import islice, pairwise

import numpy as np
import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed

from spacy_joint.annotation.constituents import get_constituents, set_constituents
from spacy_joint.engine.columns import Columns
from spacy_joint.engine.system import Walk

SAID = ["i", "think", "you", "should", "call", "the", "shop", "in", "the", "old", "town"]


@pytest.fixture(scope="module")
def make(small_model, read_examples, train):
    """Train a pipeline on the tiny treebank with the given components and settings."""

    def make(*factories, keep=("TAG", "SENT_START"), **configs):
        nlp = spacy.blank("en")
        for factory in factories:
            nlp.add_pipe(factory, config={"model": small_model, **configs.get(factory, {})})
        examples = read_examples(nlp, keep=keep)
        fix_random_seed(0)
        nlp.initialize(lambda: examples)
        return train(nlp, examples, annotates=["hedge_segmenter"] if "hedge_segmenter" in factories else [])

    return make


@pytest.fixture(scope="module")
def nlp(make):
    return make("sequence_tagger", "hedge_chunker")


@pytest.fixture(scope="module")
def divided(make):
    """A chunker that is not joint, after a segmenter."""
    return make("hedge_segmenter", "hedge_chunker", hedge_chunker={"joint": False})


# Guarantees


def test_hedges_are_the_outermost_constituents(nlp):
    doc = nlp("i think you should call the shop in the old town")
    hedges = [(span.label_, span.start, span.end) for span in doc.spans["hedges"]]
    constituents = get_constituents(doc)
    assert hedges and set(hedges) <= set(constituents)
    assert all(end <= start for (_, _, end), (_, start, _) in pairwise(hedges))
    assert all(any(first <= start and end <= last for _, first, last in hedges) for _, start, end in constituents)


def test_no_constituent_is_longer_than_the_limit(make):
    nlp = make("sequence_tagger", "hedge_chunker", hedge_chunker={"max_span": 3})
    doc = nlp("i think you should call the shop in the old town")
    assert all(len(span) <= 3 for span in doc.spans["constituents"])


def test_segments_cover_the_document_and_flags_mark_their_starts(nlp):
    doc = nlp("i think you should call the shop in the old town")
    segments = list(doc.spans["hedge_segments"])
    assert segments[0].start == 0 and segments[-1].end == len(doc)
    assert all(one.end == other.start for one, other in pairwise(segments))
    assert [token.i for token in doc if token._.hedge_b] == [segment.start for segment in segments]


def test_groups_are_shown_on_demand(nlp, make):
    shown = make("sequence_tagger", "hedge_chunker", hedge_chunker={"groups": True, "spans_key": "shown"})
    text = "well , i think you should call the shop in the old town !"
    plain_doc, shown_doc = nlp(text), shown(text)
    groups = [(span.start, span.end) for span in plain_doc.spans["hedge_segments"] if span.label_ == "G"]
    assert groups
    assert groups == [(span.start, span.end) for span in shown_doc.spans["shown"] if span.label_ == "G"]
    assert not any(span.label_ == "G" for span in plain_doc.spans["hedges"])


def test_known_sentence_boundaries_are_kept(nlp):
    words = ["call", "the", "shop", "the", "old", "town", "is", "nice"]
    free = nlp(Doc(nlp.vocab, words=words))
    for boundary in range(1, len(words)):
        bound = nlp(Doc(nlp.vocab, words=words, sent_starts=[place in (0, boundary) for place in range(len(words))]))
        for key in ("constituents", "hedge_segments"):
            assert not any(span.start < boundary < span.end for span in bound.spans[key])
    assert len(free.spans["constituents"])


def test_sentences_that_are_known_do_not_change_each_other(nlp):
    def chunk(words):
        starts = [place % len(SAID) == 0 for place in range(len(words))]
        doc = Doc(nlp.vocab, words=words, tags=["NN"] * len(words), sent_starts=starts)
        return get_constituents(nlp.get_pipe("hedge_chunker")(doc))

    alone = chunk(SAID)
    again = [(label, start + len(SAID), end + len(SAID)) for label, start, end in alone]
    assert alone and chunk(SAID + SAID) == alone + again


def test_whitespace_never_begins_or_ends_a_hedge(nlp):
    doc = nlp("\n\ncall  the \n shop   now \n")
    for span in [*doc.spans["constituents"], *doc.spans["hedge_segments"]]:
        assert not span[0].is_space and not span[-1].is_space


def test_a_segmenter_comes_before_a_chunker_that_is_not_joint(divided):
    doc = divided("i think you should call the shop in the old town")
    segments = [(span.start, span.end) for span in doc.spans["hedge_segments"]]
    assert segments
    for constituent in doc.spans["constituents"]:
        assert any(start <= constituent.start and constituent.end <= end for start, end in segments)


def test_a_chunker_that_is_not_joint_requires_segments(divided):
    with pytest.raises(ValueError, match=r"\[J338\] 'hedge_chunker'"):
        divided.get_pipe("hedge_chunker")(divided.make_doc("hello there"))


def test_segments_without_types(make):
    nlp = make("hedge_segmenter", hedge_segmenter={"typed": False})
    assert nlp.get_pipe("hedge_segmenter").labels == ("SEGMENT",)
    doc = nlp("call the shop now")
    assert {span.label_ for span in doc.spans["hedge_segments"]} == {"SEGMENT"}


@pytest.mark.parametrize("key", ["constituents", "hedge_segments"])
def test_the_key_of_hedges_is_that_of_no_other_group(key):
    with pytest.raises(ValueError, match=r"\[J030\] spans_key"):
        spacy.blank("en").add_pipe("hedge_chunker", config={"spans_key": key})


@pytest.mark.parametrize("factory", ["hedge_chunker", "hedge_segmenter"])
@pytest.mark.parametrize("max_span", [0, 2**31])
def test_a_limit_out_of_range_is_refused(factory, max_span):
    with pytest.raises(ValueError, match=rf"\[J030\] max_span is {max_span}"):
        spacy.blank("en").add_pipe(factory, config={"max_span": max_span})


def test_references_are_learnt_whatever_known_boundaries_contradict_them(make, read_examples):
    fresh = make("hedge_chunker")
    examples = read_examples(fresh, keep=["TAG"])
    for example in examples:
        example.predicted.from_array(["SENT_START"], example.predicted.to_array(["LENGTH"]) * 0 + 1)
    assert all(fresh.get_pipe("hedge_chunker").make_instances(example) for example in examples)
    fresh.update(examples)


# Streaming


def test_streaming_loses_no_token(nlp):
    words = ["well", ",", *SAID, "before", "they", "close"]
    chunker = nlp.get_pipe("hedge_chunker")
    pieces = list(chunker.stream(nlp, iter(words)))
    assert [token.text for piece in pieces for token in piece] == words
    assert all(len(piece) == 1 or len(piece.spans["hedges"]) == 1 for piece in pieces)
    assert list(chunker.stream(nlp, [])) == []


def test_the_delay_of_words_is_bounded(nlp):
    read = 0

    def speak():
        nonlocal read
        while True:
            for word in SAID:
                read += 1
                yield word

    given = 0
    for piece in islice(nlp.get_pipe("hedge_chunker").stream(nlp, speak()), 50):
        assert read - given <= 7 + 3
        given += len(piece)


def test_streaming_needs_the_pipeline_of_the_component(nlp):
    with pytest.raises(ValueError, match=r"\[J339\]"):
        next(nlp.get_pipe("hedge_chunker").stream(spacy.blank("en"), ["hello"]))


@pytest.fixture(scope="module")
def segmenter(make):
    return make("hedge_segmenter").get_pipe("hedge_segmenter").perceptron


@settings(max_examples=150)
@given(st.data())
def test_streamed_segments_equal_those_of_the_whole_document(segmenter, data):
    names = segmenter.templates.columns
    rows = data.draw(st.lists(st.integers(0, 30), max_size=40))
    values = np.repeat(np.array(rows, dtype=np.uint64).reshape(-1, 1), len(names), axis=1)
    constraint = st.sampled_from([0, 0, 0, 1, -1])
    constraints = np.array(data.draw(st.lists(constraint, min_size=len(rows), max_size=len(rows))), dtype=np.int8)
    stream, begin, found = segmenter.stream(), 0, []
    while begin < len(rows):
        end = begin + data.draw(st.integers(1, 8))
        stream.feed(values[begin:end], constraints[begin:end])
        found += stream.run().tolist()
        begin = end
    stream.end()
    found += stream.run().tolist()
    assert found == segmenter.predict(Columns(names, values, constraints)).tolist()


# Learning


@pytest.mark.parametrize("templates", ["s0.label\nb0.word\nb0.tag\n", "s0.label\nb0.word\n"])
def test_the_category_of_a_word_is_its_tag_if_the_templates_read_tags(
    nlp, small_model, read_examples, write_text, templates
):
    path = write_text("templates.txt", templates)
    pipe = spacy.blank("en").add_pipe("hedge_chunker", config={"model": small_model})
    pipe.initialize(lambda: read_examples(nlp, keep=["TAG"]), templates=str(path))
    doc = Doc(nlp.vocab, words=["the", "cat"], tags=["DT", "NN"])
    walk = Walk(pipe.perceptron.system, pipe.get_columns(doc, None)[0])
    walk.advance(0)
    assert walk.slots()["s0.label"] == (doc[0].tag if "tag" in templates else 0)
    again = spacy.blank("en").add_pipe("hedge_chunker", config={"model": small_model})
    again.from_bytes(pipe.to_bytes())
    assert again.perceptron.fingerprint() == pipe.perceptron.fingerprint()


def test_references_of_other_tokens_are_learnt_where_edges_agree(nlp):
    reference = Doc(nlp.vocab, words=["can", "not", "see", "it"], tags=["MD", "RB", "VB", "PRP"])
    set_constituents(reference, [("VP", 0, 4), ("NP", 3, 4)])
    predicted = Doc(nlp.vocab, words=["can", "no", "t", "see", "it"], spaces=[True, False, True, True, False])
    pipe = nlp.get_pipe("hedge_chunker")
    # One step per token, four that join five tokens, one for the noun phrase of one token, and the end.
    assert pipe.make_instances(Example(predicted, reference))[0].n_actions == 5 + 4 + 1 + 1
    set_constituents(reference, [("VP", 0, 2)])
    coarse = Doc(nlp.vocab, words=["can", "notsee", "it"])
    assert pipe.make_instances(Example(coarse, reference))[0].n_actions == 3 + 1


# A guide


@pytest.mark.parametrize("columns", [{}, {"guide_head": {"edges": [-1.0, 0.0, 1.0]}}, {"guide_label": {}}])
def test_templates_of_a_guide_are_those_of_the_columns_in_the_settings(columns, initialize):
    chunker = initialize("hedge_chunker", keep=("TAG", "SENT_START"), columns=columns).get_pipe("hedge_chunker")
    assert {name for name in chunker.perceptron.templates.columns if name.startswith("guide_")} == set(columns)
