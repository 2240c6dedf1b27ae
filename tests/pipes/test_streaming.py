"""Streaming: the same results as for the whole document, as early as possible, in bounded memory."""

from itertools import islice, pairwise, repeat
from pathlib import Path

import numpy as np
import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab

import spacy_joint
from spacy_joint.corpora.examples import make_example
from spacy_joint.errors import JointValueError
from spacy_joint.parsing import joint_sbd_parser
from spacy_joint.pipes.streaming import PIECE, end_probability, stream_sentences
from spacy_joint.pipes.token_columns import CONTEXT

from .streams import cut_at, describe, describe_all

NLP = spacy_joint.load()
TRANSCRIPT = (Path(__file__).parents[2] / "assets" / "transcript.txt").read_text(encoding="utf8")
EDITED = "Hello there!  It rained (a lot), didn't it?\n\nWe left at 5 p.m. and  went home. " * 8
LINES = [
    *(
        "- Buy milk",
        "1. Stir it well. 2. Let it rest 3. Eat",
        "• a • 2. B",
        "From: Anna Lee",
        "Dear Sam,",
        "| a | b c |",
    ),
    *("> yes", "=====", "A: No.", "```", "", "The ship that had left the harbour before dawn came back", "1. The"),
    "see http://a.b?c!D e (f)!",
]
FEW = settings(max_examples=15)


def tag(text):
    return NLP.get_pipe("sequence_tagger")(NLP.make_doc(text))


def parse(doc):
    return NLP.get_pipe("joint_sbd_parser")(doc.copy())


def stream(tokens, **options):
    return list(NLP.get_pipe("joint_sbd_parser").stream(tokens, **options))


def cut_every(text, size):
    return [text[start : start + size] for start in range(0, len(text), size)]


def watch(items, come):
    """Yields items, and appends each to `come` when it is requested."""
    for item in items:
        come.append(item)
        yield item


KINDS = [TRANSCRIPT, EDITED, TRANSCRIPT + "\n" + EDITED, EDITED + TRANSCRIPT.upper() + EDITED, TRANSCRIPT.title()]


@FEW
@given(st.sampled_from(KINDS), st.lists(st.integers(1, 600), max_size=40))
def test_text_in_pieces_gives_the_same_result_as_the_whole_text(text, cuts):
    sentences = stream_sentences(cut_at(text, cuts), NLP)
    assert describe_all(sentences) == describe(NLP(text))


@FEW
@given(st.lists(st.sampled_from(LINES), max_size=60), st.lists(st.integers(1, 40), min_size=1, max_size=9))
def test_layout_in_pieces_says_the_same_as_in_the_whole_text(lines, sizes):
    doc = tag("\n".join(lines))
    bounds = [0, *np.cumsum(sizes * (len(doc) // sum(sizes) + 1)).tolist()]
    pieces = [doc[begin:end].as_doc() for begin, end in pairwise(bounds) if begin < len(doc)]
    assert describe_all(stream(pieces)) == describe(parse(doc))
    assert describe_all(stream(iter(doc))) == describe(parse(doc))


def list_offsets(sentences):
    return [(s._.stream_start, s._.stream_end, [token._.stream_start for token in s]) for s in sentences]


@FEW
@given(
    st.sampled_from([EDITED, "  " + TRANSCRIPT + "\n\n" + EDITED + "\n "]), st.lists(st.integers(1, 600), max_size=40)
)
def test_sentences_and_tokens_have_offsets_in_the_whole_text(text, cuts):
    sentences = list(stream_sentences(cut_at(text, cuts), NLP))
    expected = [(s.start_char, s.end_char, [token.idx for token in s]) for s in NLP(text).sents]
    assert list_offsets(sentences) == expected
    assert all(text[s._.stream_start : s._.stream_end] == s.text for s in sentences)


def test_each_component_counts_from_the_beginning_of_its_stream():
    doc = tag(TRANSCRIPT)
    assert list_offsets(stream(iter(doc))) == list_offsets(stream([doc]))
    pieces = NLP.get_pipe("sequence_tagger").stream(iter(NLP.make_doc(TRANSCRIPT)))
    assert [token._.stream_start for piece in pieces for token in piece] == [token.idx for token in doc]


def test_what_is_not_streamed_has_no_offsets_in_a_stream():
    doc = NLP("it rained")
    assert (doc[0]._.stream_start, doc[:]._.stream_start, doc[:]._.stream_end) == (None, None, None)


@pytest.mark.parametrize("text", ["", " ", "yes", "yes\n"])
def test_short_texts_can_be_streamed(text):
    sentences = stream_sentences([text], NLP)
    assert describe_all(sentences) == describe(NLP(text))


def test_long_whitespace_alone_is_one_sentence():
    (sentence,) = stream_sentences([" \n" * 6000] * 3, NLP)
    assert len(sentence) == 3 and sentence.root.i == 0


@pytest.mark.parametrize("text", KINDS)
def test_tokens_may_come_one_by_one(text):
    doc = tag(text)
    sentences = stream(iter(doc))
    assert describe_all(sentences) == describe(parse(doc))


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
    for parts in (docs, [sentence.as_doc() for sentence in sentences], list(dict.fromkeys(s.doc for s in sentences))):
        joined = Doc.from_docs(parts, ensure_whitespace=False)
        assert joined.text == EDITED
        assert len(parts) == 1 or {token._.stream_start for token in joined} == {None}


def test_parts_keep_their_place_in_the_stream_when_they_are_saved():
    sentences = list(stream_sentences([EDITED] * 20, NLP))
    doc = sentences[-1].doc
    for again in (doc.copy(), Doc(doc.vocab).from_bytes(doc.to_bytes())):
        assert list_offsets(again.sents) == list_offsets(doc.sents)


@pytest.mark.parametrize("max_delay", [1, 40])
def test_sentences_without_end_are_cut(max_delay, monkeypatch):
    monkeypatch.setattr(joint_sbd_parser, "MAX_DELAY", 40)
    text = " ".join(["and so on"] * 200)
    doc = tag(text)
    sentences = stream(iter(doc), max_delay=max_delay)
    assert "".join(sentence.text_with_ws for sentence in sentences) == text
    assert max(len(sentence) for sentence in sentences) <= 40 + 64


def stream_words(text, **options):
    """Each sentence, and how many words have come after it."""
    come, n_done = [], 0
    for sentence in stream_sentences(watch([f"{word} " for word in text.split()], come), NLP, **options):
        n_done += len(sentence.text.split())
        yield sentence, len(come) - n_done


@pytest.mark.parametrize("text", [TRANSCRIPT, EDITED])
def test_sentences_come_before_many_words_have_followed(text):
    delays = {n: [delay for _, delay in stream_words(text, max_delay=n)] for n in (16, 10_000)}
    # The last word waits for its end. A later word may move an end back.
    assert np.quantile(delays[16], 0.75) <= 16 + 2 and sum(delays[16]) < sum(delays[10_000])


def test_a_short_delay_does_not_cut_sentences():
    sentences = [sentence.text for sentence, _ in stream_words(EDITED, max_delay=1)]
    assert {"It rained (a lot), didn't it?", "We left at 5 p.m. and went home."} <= set(sentences)


@pytest.mark.parametrize("text", [TRANSCRIPT, EDITED])
def test_pending_words_are_shown_with_their_present_annotation(text):
    come, shown, n_done = [], [], 0

    def show(doc):
        shown.append(doc)
        assert doc._.is_partial and doc.has_annotation("DEP")
        so_far = "".join(come)
        assert "".join(so_far[n_done:].split()) == "".join(doc.text.split())
        for token in doc:
            assert so_far[token._.stream_start :].startswith(token.text)

    sentences = []
    for sentence in stream_sentences(watch(cut_every(text, 30), come), NLP, show_pending=show):
        n_done = sentence._.stream_end
        sentences.append(sentence)
    assert len(shown) == len(text) // 30 + 1
    assert describe_all(sentences) == describe(NLP(text))
    assert not any(sentence.doc._.is_partial for sentence in sentences)


def test_components_after_the_parser_see_pending_words(make_pipeline):
    seen, shown = [], []
    nlp = make_pipeline(lambda doc: seen.append(doc.text) or doc)
    list(stream_sentences([EDITED, "Now it is", " over. ", "  \n"], nlp, show_pending=shown.append))
    assert shown[-1].text.endswith("Now it is over.   \n") and {doc.text for doc in shown} <= set(seen)


def test_a_complete_sentence_is_more_likely_to_end():
    complete, open_ = (
        end_probability(NLP, "where did you put it i looked everywhere"),
        end_probability(NLP, "i put it in the"),
    )
    assert 0 <= open_ < complete <= 1
    assert end_probability(NLP, "Where is it? I looked everywhere.") > 0.9
    assert end_probability(NLP, "we met Mr.") < 0.5
    # Whitespace says nothing, nor does what is far away.
    assert end_probability(NLP, "word " * 200 + "i put it in the\n") == end_probability(
        NLP, "word " * 100 + "i put it in the"
    )


@pytest.mark.parametrize("text", ["", " ", "\n"])
def test_nothing_has_an_end_probability_too(text):
    assert end_probability(NLP, text) is not None


def test_without_a_calibration_there_is_no_end_probability(saved_pipeline):
    assert end_probability(spacy.load(saved_pipeline), "we left") is None


def test_pending_words_have_an_end_probability():
    shown = []
    list(stream_sentences(["we left ", "them there "], NLP, show_pending=shown.append))
    expected = [end_probability(NLP, "we left"), end_probability(NLP, "we left them there")]
    assert [doc._.end_probability for doc in shown] == expected


# Lines


@pytest.fixture(scope="module")
def chat():
    return spacy_joint.load(config={"components.joint_sbd_parser.line_breaks": True})


CHAT = "hey\nare you there i sent you\n\n \nthe mail\nok. thanks\nit is on the\ntable\nbye"
CHAT_STARTS = {CHAT.index(line.strip()) for line in CHAT.splitlines() if line.strip()}


def test_line_breaks_end_sentences_by_request(chat):
    assert {sentence.start_char for sentence in chat(CHAT).sents} >= CHAT_STARTS
    assert not {sentence.start_char for sentence in NLP(CHAT).sents} >= CHAT_STARTS


def test_preset_boundaries_overrule_line_breaks(chat):
    doc = chat.make_doc("we left\nearly")
    doc[3].is_sent_start = False
    assert [sentence.text for sentence in chat(doc).sents] == ["we left\nearly"]


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_lines_are_yielded_when_they_end(chat, size):
    come, found = [], []
    for sentence in stream_sentences(watch(cut_every(CHAT, size), come), chat):
        found.append(sentence)
        # Nothing of the next line has come.
        rest = "".join(come)[sentence._.stream_end :]
        assert size > 1 or not rest.strip() or sentence.doc[-1]._.stream_start + 1 == len(come)
        assert CHAT[sentence._.stream_start : sentence._.stream_end] == sentence.text
    assert "".join("".join(sentence.text.split()) for sentence in found) == "".join(CHAT.split())
    assert {sentence._.stream_start for sentence in found} >= CHAT_STARTS


def test_a_line_without_end_is_cut(chat):
    found = [*islice(stream_sentences(repeat("and so on "), chat), 1)]
    assert len(found[0].doc.text) <= 10_020


@pytest.mark.parametrize("pieces", [[], [""], ["\n", " \n"]])
def test_lines_without_words_have_no_sentences(chat, pieces):
    assert not [*stream_sentences(pieces, chat, show_pending=pytest.fail)]


@pytest.mark.parametrize("max_delay", [1, 40])
def test_decisions_on_tags_can_be_forced(max_delay):
    doc = NLP.make_doc(TRANSCRIPT)
    come, n_done, delays = [], 0, []
    for part in NLP.get_pipe("sequence_tagger").stream(watch(doc, come), max_delay=max_delay):
        n_done += len(part)
        delays.append(len(come) - n_done)
    assert n_done == len(doc) and max(delays) <= max_delay + 64


def test_text_waits_only_until_its_kind_is_clear():
    # A mark shows it at once, its absence after some words.
    for text, most in ((EDITED, 3 * PIECE), (TRANSCRIPT, CONTEXT + 3 * PIECE)):
        come = []
        tagged = NLP.get_pipe("sequence_tagger").stream(watch(NLP.make_doc(text), come))
        next(NLP.get_pipe("joint_sbd_parser").stream(tagged))
        assert len(come) <= most


@pytest.mark.parametrize("max_delay", [0, -1])
def test_a_delay_has_to_be_positive(max_delay):
    with pytest.raises(JointValueError, match=r"\[J030\] max_delay"):
        stream_sentences(["we left"], NLP, max_delay=max_delay)
    for name in ("sequence_tagger", "joint_sbd_parser"):
        with pytest.raises(JointValueError, match="J030"):
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
    assert not len(search.run())


# Components after the parser


@pytest.fixture
def make_pipeline(saved_pipeline):
    """Make a pipeline with a tagger, a parser, and a function after them."""

    def make(function):
        nlp = spacy.load(saved_pipeline)
        name = f"after_{id(function)}"
        Language.component(name, func=function)
        nlp.add_pipe(name)
        return nlp

    return make


def test_components_after_the_parser_see_each_piece_of_whole_sentences_once(make_pipeline):
    seen = []

    def look(doc):
        assert doc.has_annotation("DEP") and len(doc)
        seen.append(doc)
        return doc

    nlp = make_pipeline(look)
    sentences = list(stream_sentences([TRANSCRIPT] * 5, nlp))
    assert [sentence for doc in seen for sentence in doc.sents] == sentences
    assert len(seen) > 1
    text = "".join(doc.text for doc in seen)
    assert text == TRANSCRIPT * 5


def test_components_after_the_parser_do_not_delay_sentences(make_pipeline):
    def count_until_first(nlp):
        pieces = iter([TRANSCRIPT] * 50)
        next(stream_sentences(pieces, nlp))
        return len(list(pieces))

    nlp = make_pipeline(lambda doc: doc)
    left = count_until_first(nlp)
    nlp.remove_pipe(nlp.pipe_names[-1])
    assert left == count_until_first(nlp) > 0


def test_components_after_the_parser_may_merge_tokens(make_pipeline):
    def merge(doc):
        with doc.retokenize() as retokenizer:
            for sentence in list(doc.sents):
                retokenizer.merge(sentence)
        return doc

    sentences = list(stream_sentences([TRANSCRIPT] * 3, make_pipeline(merge)))
    assert all(len(sentence) == 1 for sentence in sentences)
    assert "".join(sentence.text_with_ws for sentence in sentences) == TRANSCRIPT * 3


def test_morphologizer_and_lemmatizer_annotate_streams(full_pipeline):
    nlp = spacy.load(full_pipeline)
    sentences = list(stream_sentences(cut_every(TRANSCRIPT, 50), nlp))
    assert all(token.pos and token.has_morph() and token.lemma for sentence in sentences for token in sentence)
    for doc in dict.fromkeys(sentence.doc for sentence in sentences):
        again = make_example(doc, ["TAG", "HEAD", "DEP"]).predicted
        for name in ("sequence_morphologizer", "sequence_lemmatizer"):
            nlp.get_pipe(name)(again)
        assert [(t.pos_, str(t.morph), t.lemma_) for t in again] == [(t.pos_, str(t.morph), t.lemma_) for t in doc]


@pytest.mark.parametrize("pieces", [[], [""], [" "], ["\n\n", " \t", "\n"]])
def test_streams_without_words_pass_components_after_the_parser(full_pipeline, pieces):
    sentences = stream_sentences(pieces, spacy.load(full_pipeline))
    assert "".join(sentence.text_with_ws for sentence in sentences) == "".join(pieces)


def test_sourced_components_stream_words_that_their_own_vocabulary_lacks(saved_pipeline):
    text = "the zqxjs wombated the vlorp. " * 20
    for name in ("sequence_tagger", "joint_sbd_parser"):
        nlp, source = spacy.load(saved_pipeline), spacy.load(saved_pipeline)
        nlp.remove_pipe(name)
        nlp.add_pipe(name, source=source, first=True if name == "sequence_tagger" else None)
        assert nlp.get_pipe(name).vocab is not nlp.vocab
        sentences = list(stream_sentences([text], nlp))
        assert describe_all(sentences) == describe(nlp(text))


def test_pipelines_that_cannot_stream_are_refused():
    nlp = spacy.blank("en")
    with pytest.raises(ValueError, match="J129"):
        stream_sentences(["a"], nlp)
    nlp.add_pipe("sentencizer")
    with pytest.raises(ValueError, match="J037"):
        stream_sentences(["a"], nlp)
