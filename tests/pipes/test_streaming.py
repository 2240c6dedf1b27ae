"""Streaming: the same results as for the whole document, as early as possible, in bounded memory."""

from itertools import islice, pairwise, repeat
from pathlib import Path

import numpy as np
import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.vocab import Vocab

import spacy_joint
from spacy_joint.engine.stream import Stream
from spacy_joint.pipes.streaming import stream_sentences

NLP = spacy_joint.load()
TRANSCRIPT = (Path(__file__).parents[2] / "assets" / "transcript.txt").read_text(encoding="utf8")
EDITED = "Hello there!  It rained (a lot), didn't it?\n\nWe left at 5 p.m. and  went home. " * 8
FEW = settings(deadline=None, max_examples=15)


def describe(tokens):
    return [(t.text, t.whitespace_, t.tag_, t.dep_, t.head.i - t.i, bool(t.is_sent_start)) for t in tokens]


def tag(text):
    return NLP.get_pipe("sequence_tagger")(NLP.make_doc(text))


def parse(doc):
    return NLP.get_pipe("joint_sbd_parser")(doc.copy())


def stream(tokens, **options):
    return list(NLP.get_pipe("joint_sbd_parser").stream(tokens, **options))


@FEW
@given(st.sampled_from([TRANSCRIPT, EDITED, TRANSCRIPT + "\n" + EDITED]), st.lists(st.integers(1, 600), max_size=40))
def test_text_in_pieces_gives_the_same_result_as_the_whole_text(text, cuts):
    bounds = sorted({0, len(text), *(min(cut, len(text)) for cut in np.cumsum(cuts).tolist())})
    sentences = stream_sentences([text[begin:end] for begin, end in pairwise(bounds)], NLP)
    assert describe(token for sentence in sentences for token in sentence) == describe(NLP(text))


@pytest.mark.parametrize("text", ["", " ", "yes", "yes\n"])
def test_short_texts_can_be_streamed(text):
    sentences = stream_sentences([text], NLP)
    assert [token.text for sentence in sentences for token in sentence] == [token.text for token in NLP(text)]


@pytest.mark.parametrize("text", [TRANSCRIPT, EDITED])
def test_tokens_may_come_one_by_one(text):
    doc = tag(text)
    sentences = stream(iter(doc))
    assert describe(token for sentence in sentences for token in sentence) == describe(parse(doc))


def test_tokens_may_be_of_several_documents_and_another_vocabulary():
    docs = [tag(TRANSCRIPT[:300]), tag(TRANSCRIPT[300:])]
    others = [Doc(Vocab()).from_bytes(doc.to_bytes()) for doc in docs]
    given = [token for doc in others for token in doc]
    for sentence, expected in zip(stream(given), stream([token for doc in docs for token in doc]), strict=True):
        assert describe(sentence) == describe(expected)
    # Only adjacent components are combined.
    backwards = stream(given[:20][::-1])
    assert [token.text for sentence in backwards for token in sentence] == [token.text for token in given[:20][::-1]]


@pytest.mark.parametrize("text", [TRANSCRIPT, EDITED])
def test_sentences_are_yielded_before_the_text_ends(text):
    # Repeated text has the same ambiguity each time, which must not accumulate.
    sentences = stream_sentences(repeat(text), NLP)
    assert len(list(islice(sentences, 300))) == 300


def test_preset_boundaries_are_kept():
    words = ["so", "we", "left"] * 50
    free = [None] * len(words)
    starts = [*free[:7], True, *free[8:20], False, *free[21:90], True, *free[91:]]
    doc = Doc(NLP.vocab, words=words, tags=["RB", "PRP", "VBD"] * 50, sent_starts=starts)
    tokens = [token for sentence in stream(iter(doc)) for token in sentence]
    assert tokens[7].is_sent_start and not tokens[20].is_sent_start and tokens[90].is_sent_start


def test_streamed_parts_can_be_joined_again():
    docs = list(NLP.get_pipe("sequence_tagger").stream(iter(NLP.make_doc(EDITED))))
    sentences = stream(docs)
    for parts in (docs, [sentence.as_doc() for sentence in sentences], [sentence.doc for sentence in sentences[:1]]):
        assert not any(part.user_data for part in parts)
    assert Doc.from_docs(docs, ensure_whitespace=False).text == EDITED


@pytest.mark.parametrize("max_delay", [1, 5, 40])
def test_decisions_can_be_forced(max_delay):
    text = " ".join(["and so on"] * 400)
    doc = tag(text)
    sentences = stream(iter(doc), max_delay=max_delay)
    assert "".join(sentence.text_with_ws for sentence in sentences) == text
    # The first piece, of four small ones, shows the style of the document; later sentences are no longer than this.
    ends = np.cumsum([len(sentence) for sentence in sentences]).tolist()
    assert max(end - begin for begin, end in pairwise(ends) if begin >= 4 * 32) <= 2 * max_delay + 64


@pytest.mark.parametrize("max_delay", [1, 40])
def test_decisions_on_tags_can_be_forced(max_delay):
    doc = NLP.make_doc(TRANSCRIPT)
    came = []

    def watch():
        for token in doc:
            came.append(token)
            yield token

    n_done, delays = 0, []
    for part in NLP.get_pipe("sequence_tagger").stream(watch(), max_delay=max_delay):
        n_done += len(part)
        delays.append(len(came) - n_done)
    # The first piece shows the style of the document.
    assert n_done == len(doc) and max(delays[2:]) <= max_delay + 64


@pytest.mark.parametrize("name", ["sequence_tagger", "joint_sbd_parser"])
@pytest.mark.parametrize("max_delay", [0, -1])
def test_a_delay_has_to_be_positive(name, max_delay):
    with pytest.raises(ValueError, match="J309"):
        list(NLP.get_pipe(name).stream([], max_delay=max_delay))


def test_the_window_does_not_grow():
    perceptron = NLP.get_pipe("joint_sbd_parser").perceptron
    search = perceptron.stream()
    values = np.random.default_rng(0).integers(1, 50, (500, len(perceptron.templates.columns)), dtype=np.uint64)
    n_done, sizes = 0, []
    for _ in range(60):
        search.feed(values, np.array([1, *[-1] * 24] * 20, dtype=np.int8))
        n_words, _, _ = perceptron.system.split(search.run())
        n_done += n_words
        search.forget(n_done - 8)
        n_done = min(n_done, 8)
        sizes.append(search.n_tokens)
    assert max(sizes) < 1200


def test_an_ended_stream_takes_no_input():
    perceptron = NLP.get_pipe("joint_sbd_parser").perceptron
    search = perceptron.stream()
    search.end()
    with pytest.raises(ValueError, match="J036"):
        search.feed(np.zeros((1, len(perceptron.templates.columns)), dtype=np.uint64))
    assert isinstance(search, Stream) and not len(search.run())


def test_pipelines_that_cannot_stream_are_refused():
    nlp = spacy.blank("en")
    with pytest.raises(ValueError, match="J038"):
        stream_sentences(["a"], nlp)
    nlp.add_pipe("sentencizer")
    with pytest.raises(ValueError, match="J037"):
        stream_sentences(["a"], nlp)
