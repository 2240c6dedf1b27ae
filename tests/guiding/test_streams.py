"""Guides of streams: what they think of the whole document, after a delay that is known."""

import gc
import weakref
from itertools import count, pairwise, zip_longest

import numpy as np
import pytest
import spacy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.util import fix_random_seed
from spacy.vocab import Vocab

from spacy_joint.annotation.custom_columns import (
    GUIDE_BOUNDARY,
    GUIDE_COLUMNS,
    GUIDE_HEAD,
    GUIDE_INFO,
    GUIDE_LABEL,
    read_column,
    write_column,
)
from spacy_joint.errors import JointValueError
from spacy_joint.guiding import architecture, guidance, vectors
from spacy_joint.guiding.windows import WindowStream, cut_windows
from spacy_joint.guiding.wrapped_lines import WrappedLines
from spacy_joint.pipes.guide_columns import find_guide_info
from spacy_joint.pipes.streaming import FORGET_AFTER, stream_sentences

from ..pipes.streams import cut_at, describe, describe_all
from .test_parser_guide import CNN, NOUNS, SMALL, VERBS, make_examples, make_listener, read_columns, say, train_guide

WINDOW, STRIDE = 24, 16
WINDOWS = {"window": WINDOW, "stride": STRIDE}
ENCODE = {**SMALL["tok2vec"]["encode"], **WINDOWS}
MODEL = {**SMALL, **WINDOWS, "tok2vec": {**SMALL["tok2vec"], "encode": ENCODE}}
PARSER_COLUMNS = {
    "guide_boundary": {"edges": [-2.0, 0.0, 2.0]},
    "guide_head": {"edges": [-2.0, -1.0, 0.0, 1.0, 2.0, 3.0]},
    "guide_margin": {"edges": [1.0]},
    "guide_label": {},
}
FEW = settings(max_examples=20)


@pytest.fixture(scope="module")
def nlp():
    """A guide with short windows. Shared: do not change it."""
    return train_guide(MODEL, epochs=5)


@pytest.fixture(scope="module")
def guided(small_model):
    """A pipeline that has learnt little, so that its parser has to decide. Shared: do not change it."""
    nlp = train_guide(MODEL, epochs=2)
    # The tagger comes first, because the parser reads its tags.
    tagger = nlp.add_pipe("sequence_tagger", first=True, config={"model": small_model})
    parser = nlp.add_pipe("joint_sbd_parser", config={"model": small_model, "columns": PARSER_COLUMNS})
    examples = make_examples(nlp, range(12))
    fix_random_seed(0)
    for pipe in (tagger, parser):
        pipe.initialize(lambda: examples, nlp=nlp)
        for _ in range(2):
            pipe.update(examples)
        for example in examples:
            example.predicted = nlp.get_pipe("parser_guide")(tagger(example.predicted))
    return nlp


def babble(n, seed=0, spaces=(" ", " ", " ", "\n\n")):
    """Words in no order, with whitespace among them."""
    draw = np.random.default_rng(seed)
    return "".join(str(draw.choice(["the", "the", *NOUNS, *VERBS])) + str(draw.choice(spaces)) for _ in range(n))


def cut(doc, sizes):
    """A document in parts of sizes that are repeated."""
    bounds = [0]
    while bounds[-1] < len(doc):
        bounds.append(min(bounds[-1] + sizes[len(bounds) % len(sizes)], len(doc)))
    return [doc[start:end].as_doc() for start, end in pairwise(bounds)]


def stream(nlp, parts):
    return list(nlp.get_pipe("parser_guide").stream(parts))


def check_same(parts, doc):
    """Whether the columns of parts are those of a document; numbers may differ in their last bits."""
    found, expected = [read_columns(part) for part in parts], read_columns(doc)
    for name in GUIDE_COLUMNS:
        joined = [value for columns in found for value in columns[name]]
        if name == GUIDE_LABEL:
            assert joined == expected[name]
        else:
            np.testing.assert_allclose(joined, expected[name], atol=1e-4)


# Windows


@given(st.integers(1, 12).flatmap(lambda size: st.tuples(st.just(size), st.integers(1, size))), st.data())
def test_windows_of_a_stream_are_those_of_the_sequence(shape, data):
    parts = data.draw(st.lists(st.integers(0, 30), max_size=6))
    windows, found, n = WindowStream(*shape), [], 0
    for length in parts:
        found += windows.feed(np.arange(n, n + length)[:, None])
        n += length
        assert all(window.end < n for window, _ in found)
    found += windows.end()
    assert [window for window, _ in found] == (cut_windows(n, *shape) if n else [])
    assert all(rows[:, 0].tolist() == list(range(window.start, window.end)) for window, rows in found)


# The guide


@FEW
@given(st.sampled_from([0, 1, WINDOW, WINDOW + 1, 100, 400]), st.lists(st.integers(1, 90), min_size=1, max_size=5))
@pytest.mark.parametrize("spaces", [" " * 3 + "\n", " " * 9 + "\n"])
def test_columns_are_those_of_the_whole_document(nlp, spaces, n, sizes):
    doc = nlp.make_doc(babble(n, spaces=list(spaces)))
    parts = stream(nlp, cut(doc, sizes))
    assert "".join(part.text_with_ws for part in parts) == doc.text_with_ws
    check_same(parts, nlp.get_pipe("parser_guide")(doc))


def test_breaks_of_wrapped_lines_are_not_read(nlp):
    line = "the old dog saw the young cat and"
    wrapped, unwrapped = (nlp(f"{line}\n{line}{space}Cats saw it.") for space in "\n ")
    columns = read_columns(wrapped)[GUIDE_BOUNDARY]
    del columns[2 * len(line.split()) + 1]
    assert columns == pytest.approx(read_columns(unwrapped)[GUIDE_BOUNDARY], abs=1e-4, nan_ok=True)
    # Those after short lines, and between lines that begin with a capital, are.
    for text in ("the dog\nsaw the cat\nCats saw it.", f"{line.title()}\n{line.title()}\nCats saw it."):
        assert not WrappedLines().find(nlp.make_doc(text)).any()


@FEW
@given(st.lists(st.integers(1, 90), min_size=1, max_size=5), st.integers(0, 9))
def test_token_info_are_those_of_the_whole_document(nlp, sizes, seed):
    doc = nlp.make_doc(babble(150, seed))
    parts = stream(nlp, cut(doc, sizes))
    offsets = np.asarray(nlp.get_pipe("parser_guide")(doc)._.token_columns["guide_head"])
    words = np.flatnonzero([not token.is_space for token in doc])
    found = np.concatenate([read_column(part, GUIDE_INFO) for part in parts])
    assert found[words].tolist() == find_guide_info(offsets, words).tolist()


def test_tokens_may_come_one_by_one_and_carry_their_norms(nlp):
    doc = nlp.make_doc(babble(60))
    doc[30].norm_ = "dog"
    check_same(stream(nlp, iter(doc)), nlp.get_pipe("parser_guide")(doc))


def measure_delays(guide, doc, **options):
    """How many tokens have come after each one when it is let out."""
    came = 0

    def watch():
        nonlocal came
        for part in cut(doc, [1]):
            came += 1
            yield part

    return [came - n for n, _ in enumerate(guide.stream(watch(), **options), start=1)]


def test_a_token_waits_for_at_most_a_window_and_a_stride(nlp):
    delays = measure_delays(nlp.get_pipe("parser_guide"), nlp.make_doc(babble(300)))
    # The end of the stream releases the others.
    delays = delays[: -(WINDOW + STRIDE)]
    assert (min(delays), max(delays)) == (WINDOW + 1, WINDOW + STRIDE)


@pytest.fixture
def early(nlp):
    """The guide, which other tests share, with a latency."""
    guide = nlp.get_pipe("parser_guide")
    guide.latency = 8
    yield guide
    guide.latency = None


@pytest.mark.parametrize("max_delay", [None, 4])
def test_with_a_latency_a_token_waits_for_no_more(nlp, early, max_delay):
    latency = max_delay or 8
    delays = measure_delays(early, nlp.make_doc(babble(300)), max_delay=max_delay)[:-latency]
    assert (min(delays), max(delays)) == (latency // 2, latency - 1)


@settings(FEW, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(n=st.integers(0, 90), sizes=st.lists(st.integers(1, 70), min_size=1, max_size=5))
def test_early_columns_are_complete(nlp, early, n, sizes):
    doc = nlp.make_doc(babble(n))
    parts = list(early.stream(cut(doc, sizes)))
    assert [token.text for part in parts for token in part] == [token.text for token in doc]
    for part in parts:
        heads = np.array(read_column(part, GUIDE_HEAD))
        assert np.isnan(heads).tolist() == [token.is_space for token in part]
        assert len(read_column(part, GUIDE_INFO)) == len(part)


def test_early_columns_of_the_last_tokens_have_seen_all(nlp, early):
    doc = nlp.make_doc(babble(2 * WINDOW))
    (part,) = early.stream([doc])
    expected = nlp.get_pipe("parser_guide")(nlp.make_doc("".join(t.text_with_ws for t in doc[-WINDOW:])))
    for name in ("guide_boundary", "guide_margin"):
        np.testing.assert_allclose(read_column(part, name)[-4:], read_column(expected, name)[-4:], atol=1e-4)


def test_a_guided_pipeline_lets_sentences_out_earlier_by_latency(guided):
    text, delays = babble(400), {}
    for latency in (None, 6):
        guided.get_pipe("parser_guide").latency = latency
        pieces = iter(text.split(" "))
        sentences = stream_sentences((f"{piece} " for piece in pieces), guided)
        delays[latency] = len(text.split(" ")) - sum(len(next(sentences)) for _ in range(3)) - len(list(pieces))
        assert delays[latency] >= 0
    guided.get_pipe("parser_guide").latency = None
    assert delays[6] < delays[None]


@pytest.mark.parametrize("options", [{"latency": 0}, {"latency": -1}])
def test_a_latency_has_to_be_positive(options):
    with pytest.raises(JointValueError, match="J030"):
        spacy.blank("en").add_pipe("parser_guide", config=options)


def test_a_long_stream_holds_little(nlp):
    guide, doc = nlp.get_pipe("parser_guide"), nlp.make_doc(babble(100))
    opened = []

    class Spy(guidance.GuidanceStream):
        def __init__(self, *args):
            super().__init__(*args)
            opened.append(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("spacy_joint.guiding.parser_guide.GuidanceStream", Spy)
        sizes = []
        for _ in guide.stream(part for _ in range(30) for part in cut(doc, [20])):
            sizes.append(len(opened[0].windows._rows) + len(opened[0].vectors.windows._rows))
    assert max(sizes) < 4 * WINDOW + 40


@pytest.mark.parametrize("encode", [ENCODE, CNN], ids=["lstm", "cnn"])
def test_long_documents_are_predicted_in_parts(encode, monkeypatch):
    nlp = train_guide({**MODEL, "tok2vec": {**MODEL["tok2vec"], "encode": encode}}, epochs=2)
    guide = nlp.get_pipe("parser_guide")
    doc, short = say(nlp.vocab, 1, n_sentences=150), say(nlp.vocab, 2)
    doc[70].norm_ = "dog"
    (whole,) = guide.predict([doc])
    lengths = []

    def spy(given, size):
        for part in vectors.cut_document(given, size):
            lengths.append(len(part))
            yield part

    monkeypatch.setattr(guidance, "cut_document", spy)
    monkeypatch.setattr(guidance, "WINDOWS", 4)
    monkeypatch.setattr(architecture, "WINDOWS", 4)
    in_parts, empty, alone = guide.predict([doc, Doc(nlp.vocab), short])
    assert max(lengths) == 4 * STRIDE and len(empty.heads) == 0 and len(alone.heads) == len(short)
    assert in_parts.heads.tolist() == whole.heads.tolist() and in_parts.labels.tolist() == whole.labels.tolist()
    np.testing.assert_allclose(in_parts.boundaries, whole.boundaries, atol=1e-4)


def test_parts_keep_what_encoders_read(nlp):
    doc = say(nlp.vocab, 1, n_sentences=30)
    doc[70].norm_, doc[70].tag_ = "dog", "NN"
    write_column(doc, "pitch", np.arange(len(doc)))
    parts = list(vectors.cut_document(doc, 32))
    assert [token.text for part in parts for token in part] == [token.text for token in doc]
    assert np.concatenate([part._.token_columns["pitch"] for part in parts]).tolist() == list(range(len(doc)))
    assert parts[2][6].norm_ == "dog" and parts[2][6].tag_ == "NN"


def test_an_encoder_that_may_see_the_whole_document_is_refused():
    nlp = make_listener()
    guide = nlp.get_pipe("parser_guide")
    with pytest.raises(JointValueError, match=r"\[J060\]"):
        next(guide.stream([nlp.make_doc("the man")]))
    nlp.initialize(lambda: make_examples(nlp, [1]))
    with pytest.raises(JointValueError, match=r"\[J037\]"):
        next(guide.stream([nlp.make_doc("the man")]))


# The guided parser


@FEW
@given(st.sampled_from([0, 1, 30, 200]), st.integers(0, 9), st.lists(st.integers(1, 300), max_size=20))
def test_text_in_pieces_gives_the_same_trees_as_the_whole_text(guided, n, seed, cuts):
    text = babble(n, seed)
    sentences = stream_sentences(cut_at(text, cuts), guided)
    assert describe_all(sentences) == describe(guided(text))


def test_what_is_forgotten_does_not_change_what_follows(guided):
    text = babble(3 * FORGET_AFTER, 5)
    sentences = stream_sentences((text[at : at + 100] for at in range(0, len(text), 100)), guided)
    assert describe_all(sentences) == describe(guided(text))


def test_documents_that_no_guide_has_seen_in_a_stream_are_refused(guided):
    *before, parser = (pipe for _, pipe in guided.pipeline)
    doc = guided.make_doc("the man sees")
    for pipe in before:
        doc = pipe(doc)
    with pytest.raises(JointValueError, match=r"\[J659\]"):
        next(parser.stream([doc]))
    with pytest.raises(JointValueError, match=r"\[J614\]"):
        next(parser.stream([guided.make_doc("the man sees")]))


# Streams of unusual pieces


def stream_trees(nlp, docs):
    """The sentences of a guided pipeline for a streamed document in pieces."""
    pieces = iter(docs)
    *before, parser = (pipe for _, pipe in nlp.pipeline)
    for pipe in before:
        pieces = pipe.stream(pieces)
    return parser.stream(pieces)


@pytest.mark.parametrize(
    "text", ["the", "\n\n", " \n\n \n", "\n\nthe", "the \n\n", "the\n\n dog", "\u200b", "\x00 the"]
)
def test_short_texts_of_any_kind_are_streamed(guided, text):
    assert describe_all(stream_sentences([text], guided)) == describe(guided(text))
    assert describe_all(stream_sentences(text, guided)) == describe(guided(text))


@FEW
@given(st.lists(st.sampled_from([0, 1, 2, 30]), min_size=1, max_size=4).filter(any), st.integers(0, 3))
def test_pieces_may_be_empty_or_whitespace(guided, sizes, n_blank):
    doc = guided.make_doc(babble(60) + "\n\n" * n_blank + babble(30, 1))
    pieces = [doc[at : at + 1].as_doc() if size else Doc(guided.vocab) for at, size in enumerate([*sizes, 0])]
    pieces += cut(doc[len(sizes) + 1 :].as_doc(), [*sizes, 1])
    expected = guided(Doc.from_docs([piece for piece in pieces if len(piece)], ensure_whitespace=False))
    assert describe_all(stream_trees(guided, pieces)) == describe(expected)


def test_streams_of_one_pipeline_do_not_mix(guided):
    texts = [babble(300, seed) for seed in (1, 2)]
    opened = [stream_sentences(map("".join, zip(text, strict=True)), guided) for text in texts]
    found = [[], []]
    for pair in zip_longest(*opened):
        for sentences, sentence in zip(found, pair, strict=True):
            sentences += [] if sentence is None else [sentence]
    assert [describe_all(sentences) for sentences in found] == [describe(guided(text)) for text in texts]


def test_a_stream_that_is_left_keeps_nothing(guided):
    tagger, guide, parser = (pipe for _, pipe in guided.pipeline)
    pieces = []

    def watch():
        for piece in tagger.stream(guided.make_doc(babble(100, seed)) for seed in count()):
            pieces.append(weakref.ref(piece))
            yield piece

    sentences = parser.stream(guide.stream(watch()))
    next(sentences)
    sentences.close()
    del sentences
    gc.collect()
    assert len(pieces) > 1 and not any(piece() for piece in pieces)


@pytest.mark.parametrize("length", [0, 1, 19, 21])
@pytest.mark.parametrize("name", ["guide_head", "guide_label"])
def test_columns_of_another_length_are_refused_in_streams(guided, length, name):
    tagger, guide, parser = (pipe for _, pipe in guided.pipeline)

    def change(docs):
        for doc in docs:
            write_column(doc, name, [1] * length)
            yield doc

    pieces = cut(guided.make_doc(babble(100)), [20])
    with pytest.raises(JointValueError, match=r"\[J612\]"):
        list(parser.stream(change(guide.stream(tagger.stream(pieces)))))


def test_pieces_whose_tokens_are_merged_are_refused(guided):
    tagger, guide, parser = (pipe for _, pipe in guided.pipeline)

    def merge(docs, add_columns=False):
        for doc in docs:
            with doc.retokenize() as retokenizer:
                retokenizer.merge(doc[:2])
            if add_columns:
                for name in PARSER_COLUMNS:
                    write_column(doc, name, [0] * len(doc))
            yield doc

    def pieces():
        return cut(guided.make_doc(babble(100)), [20])

    for add_columns, code in ((False, "J612"), (True, "J659")):
        with pytest.raises(JointValueError, match=rf"\[{code}\]"):
            list(parser.stream(merge(guide.stream(tagger.stream(pieces())), add_columns)))

    def merge_later():
        """Merges tokens of pieces that the guide holds."""
        held = []
        for piece in tagger.stream(pieces()):
            held.append(piece)
            yield piece
            list(merge(held))

    with pytest.raises(JointValueError, match=r"\[J649\]"):
        list(guide.stream(merge_later()))


def test_pieces_may_be_of_another_vocabulary(guided):
    doc = guided.make_doc(babble(100))
    doc[7].norm_ = "nobody-knows"
    others = [Doc(Vocab()).from_bytes(piece.to_bytes()) for piece in cut(doc, [20])]
    assert describe_all(stream_trees(guided, others)) == describe_all(stream_trees(guided, cut(doc, [20])))
