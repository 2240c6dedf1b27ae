"""One pipeline, several threads: the engine searches without the GIL, and every thread gets the results of one.

test_contract.py tests several processes.
"""

import copy
import re
import sys
from collections.abc import Callable, Iterator
from functools import partial
from threading import Event, active_count
from typing import Any

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc

import spacy_joint

from .engine.sharing import call_at_once

N_THREADS = 3
SENTENCES = [
    "“We will rebuild the old stone bridge,” the mayor told reporters.",
    "he said that the big red ball was lost i don't know where it went",
    "Nobody was hurt.\n\nThe two young engineers left early, she added.",
]
# Words that are new to all threads, and documents of many lengths.
TEXTS = [" ".join(SENTENCES[i % 3] + f" w{i * j} " for j in range(i % 5 + 1)) for i in range(12)]


@pytest.fixture(autouse=True)
def switch_often() -> Iterator[None]:
    """Make threads switch far more often than usual."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)
    yield
    sys.setswitchinterval(usual)


def make_pipeline() -> Language:
    """The shipped components, and rule-based quotation_spans."""
    nlp = spacy_joint.load(beam_width=4)
    nlp.add_pipe("quotation_spans")
    nlp.enable_pipe("prenominal_orderer")
    return nlp


def run_at_once(work: Callable[[int], Any]) -> list[Any]:
    """The results of `work` in each thread, all started together."""
    return call_at_once(*(partial(work, number) for number in range(N_THREADS)))


def test_threads_that_share_a_pipeline_get_the_results_of_one():
    shared = make_pipeline()

    def annotate(number: int) -> list[bytes]:
        # Each thread starts at another document.
        docs = [doc.to_bytes() for doc in shared.pipe(TEXTS[number:] + TEXTS[:number])]
        return docs[len(TEXTS) - number :] + docs[: len(TEXTS) - number]

    expected = [doc.to_bytes() for doc in make_pipeline().pipe(TEXTS)]
    assert run_at_once(annotate) == [expected] * N_THREADS


@pytest.mark.parametrize("factory", ["joint_sbd_parser", "prenominal_orderer"])
def test_threads_may_predict_right_after_learning(factory, read_examples, small_model, train):
    order = factory == "prenominal_orderer"
    model = {"@architectures": "spacy_joint.OrderPerceptron.v1", "table_bits": 16} if order else small_model
    nlp = spacy.blank("en")
    pipe = nlp.add_pipe(factory, config={"model": model})
    examples = read_examples(nlp, keep=["TAG"], corpus="modifiers" if order else "tiny")
    nlp.initialize(lambda: examples)

    def predict(pipe: Any) -> list[str]:
        # Without the addresses of objects.
        return [re.sub(" at 0x\\w+", "", str(pipe.predict([example.predicted]))) for example in examples]

    for _ in range(3):
        train(nlp, examples, epochs=1)
        alone = copy.deepcopy(pipe)
        # The first prediction averages the weights.
        assert run_at_once(lambda _: predict(pipe)) == [predict(alone)] * N_THREADS


def test_a_component_is_not_loaded_while_another_thread_uses_it(monkeypatch):
    nlp = make_pipeline()
    tagger = nlp.get_pipe("sequence_tagger")
    saved, search, found = tagger.to_bytes(), tagger.perceptron.predict, []

    def load_and_search(columns: Any) -> Any:
        found.extend(call_at_once(lambda: tagger.from_bytes(saved)))
        return search(columns)

    monkeypatch.setattr(tagger.perceptron, "predict", load_and_search)
    assert nlp(SENTENCES[0])[2].tag_ == "MD" and found == ["J007"]


def test_a_component_is_not_used_while_another_thread_loads_it(monkeypatch):
    tagger, found = make_pipeline().get_pipe("sequence_tagger"), []
    saved, load_parts = tagger.to_bytes(), tagger.load_parts

    def load_and_use(parts: Any) -> None:
        found.extend(call_at_once(lambda: tagger.predict([]), lambda: tagger.update([])))
        load_parts(parts)

    monkeypatch.setattr(tagger, "load_parts", load_and_use)
    assert tagger.from_bytes(saved).predict([]) == [] and found == ["J007", "J007"]


# Several documents at once


def count_words(doc: Doc) -> int:
    return sum(not token.is_space for token in doc)


@pytest.fixture(scope="module")
def threaded() -> Language:
    nlp = spacy_joint.load(beam_width=4, threads=2)
    nlp.add_pipe("quotation_spans")
    return nlp


def test_load_sets_the_threads_of_components_that_have_some(threaded):
    assert [nlp_pipe.threads for _, nlp_pipe in threaded.pipeline] == [2, 2, 2, 2, 2]


def test_pipe_on_several_threads_gives_the_bytes_of_one_in_order(threaded):
    alone = spacy_joint.load(beam_width=4)
    alone.add_pipe("quotation_spans")
    for texts in (TEXTS, [*TEXTS, "", " ", *TEXTS], []):
        assert [doc.to_bytes() for doc in threaded.pipe(texts)] == [doc.to_bytes() for doc in alone.pipe(texts)]


def test_a_call_on_a_batch_uses_the_threads_too(threaded):
    docs = [threaded.make_doc(text) for text in TEXTS]
    tagger = threaded.get_pipe("sequence_tagger")
    together = tagger.predict(docs)
    for doc, prediction in zip(docs, together, strict=True):
        [alone] = tagger.predict([doc])
        assert prediction.labels == alone.labels


def test_documents_that_fail_on_a_thread_go_to_the_error_handler_and_the_rest_go_on(threaded, monkeypatch):
    parser = threaded.get_pipe("joint_sbd_parser")
    search = parser.perceptron.predict
    docs = [threaded.make_doc(text) for text in TEXTS]
    wrong = {count_words(docs[1]), count_words(docs[4])}

    def fail(columns: Any) -> Any:
        if len(columns) in wrong:
            raise ValueError("wrong on purpose")
        return search(columns)

    monkeypatch.setattr(parser.perceptron, "predict", fail)
    failed: list[Any] = []
    parser.set_error_handler(lambda name, pipe, batch, error: failed.extend(batch))
    annotated = list(parser.pipe(docs))
    assert failed == [doc for doc in docs if count_words(doc) in wrong] and len(failed) >= 2
    assert annotated == [doc for doc in docs if count_words(doc) not in wrong]


def test_one_slow_document_does_not_stop_the_others(threaded, monkeypatch):
    parser = threaded.get_pipe("joint_sbd_parser")
    search = parser.perceptron.predict
    docs = [threaded.make_doc(text) for text in TEXTS]
    others_are_done, n_done = Event(), []

    def wait_for_others(columns: Any) -> Any:
        if len(columns) == count_words(slow) and not n_done:
            assert others_are_done.wait(timeout=60)
        n_done.append(len(columns))
        if len(n_done) == 5:
            others_are_done.set()
        return search(columns)

    slow = threaded.make_doc("one of a length that no other has " * 9)
    docs.insert(0, slow)
    monkeypatch.setattr(parser.perceptron, "predict", wait_for_others)
    assert list(parser.pipe(docs)) == docs


def test_a_stream_that_is_left_early_leaves_no_thread_behind(threaded):
    before = active_count()
    documents = threaded.pipe(TEXTS * 4)
    next(documents)
    documents.close()
    assert active_count() == before


@pytest.mark.parametrize("leave", ["pipe", "predict"])
def test_searches_that_nobody_waits_for_end_soon(threaded, leave, monkeypatch):
    parser = threaded.get_pipe("joint_sbd_parser")
    short, *long = [Doc(threaded.vocab, words=["he", "left"] * n) for n in (1, 100_000, 100_000)]
    search, searched = parser.perceptron.predict, []

    def record(columns: Any) -> Any:
        found = search(columns)
        searched.append(len(columns))
        return found

    monkeypatch.setattr(parser.perceptron, "predict", record)
    if leave == "pipe":
        annotated = parser.pipe([short, *long])
        assert next(annotated) is short
        annotated.close()
    else:
        # As an interrupt would: the first document, which needs no thread long, is wrong.
        monkeypatch.setattr(parser, "build", lambda tokens, actions: 1 // (len(tokens) - 2))
        with pytest.raises(ZeroDivisionError):
            parser.predict([short, *long])
    assert searched == [2]


@pytest.mark.parametrize("threads", [0, -1])
def test_fewer_threads_than_one_are_refused(threads, threaded):
    with pytest.raises(ValueError, match="J030"):
        threaded.get_pipe("sequence_tagger").perceptron.threads = threads
