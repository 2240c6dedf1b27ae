"""The process that annotates: whatever happens to it, this text and the next one get an answer."""

import os
import signal
from threading import BoundedSemaphore, Thread

import pytest

from spacy_joint.serving.worker import Broken, Busy, TookTooLong, Worker

LONG = "i said that you have four red cats " * 3000


@pytest.fixture
def patience(worker):
    """Set the timeout for a test."""
    before = worker.timeout

    def set_timeout(seconds):
        worker.timeout = seconds

    yield set_timeout
    worker.timeout = before


def texts_of_sentences(found):
    return [sentence["text"] for sentence in found["sentences"]]


def test_it_annotates_one_text_after_another(worker):
    assert texts_of_sentences(worker.annotate("It rained. We left.")) == ["It rained.", "We left."]
    assert texts_of_sentences(worker.annotate("He slept.")) == ["He slept."]


def test_the_pipeline_gets_rules_for_quotations_and_what_is_to_be_enabled(worker):
    assert worker.description["components"] == {
        "sequence_tagger": "sequence_tagger",
        "joint_sbd_parser": "joint_sbd_parser",
        "sequence_morphologizer": "sequence_morphologizer",
        "sequence_lemmatizer": "sequence_lemmatizer",
        "prenominal_orderer": "prenominal_orderer",
        "hedge_chunker": "hedge_chunker",
        "quotation_spans": "quotation_spans",
    }


def test_a_text_that_takes_too_long_is_abandoned_and_the_next_one_is_annotated(worker, patience):
    patience(0.01)
    with pytest.raises(TookTooLong, match="J434"):
        worker.annotate(LONG)
    patience(60)
    assert texts_of_sentences(worker.annotate("He slept.")) == ["He slept."]


def test_a_process_that_is_killed_is_replaced(worker):
    os.kill(worker.process_id, signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
    with pytest.raises(Broken, match="J435"):
        worker.annotate("He slept.")
    assert texts_of_sentences(worker.annotate("He slept.")) == ["He slept."]


def test_an_error_fails_one_text_and_no_process(worker):
    before = worker.process_id
    with pytest.raises(Broken, match="J435"):
        worker.annotate("\ud800")
    assert worker.process_id == before


def test_a_text_that_waits_too_long_for_others_is_refused(worker, patience):
    patience(0.05)
    with worker.lock, pytest.raises(Busy, match="J433"):
        worker.annotate("He slept.")


def test_a_text_is_refused_at_once_if_too_many_others_wait(worker, monkeypatch):
    monkeypatch.setattr(worker, "places", BoundedSemaphore(1))
    with worker.places, pytest.raises(Busy, match="J445"):
        worker.annotate("He slept.")
    assert texts_of_sentences(worker.annotate("He slept.")) == ["He slept."]


def test_an_error_gives_the_place_back(worker, monkeypatch):
    monkeypatch.setattr(worker, "places", BoundedSemaphore(1))
    with pytest.raises(Broken):
        worker.annotate("\ud800")
    assert texts_of_sentences(worker.annotate("He slept.")) == ["He slept."]


def test_threads_wait_for_each_other_and_get_their_own_answers(worker):
    texts = [f"We saw {n} cats." for n in range(8)]
    answers = {}
    threads = [Thread(target=lambda text=text: answers.update({text: worker.annotate(text)})) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {text: texts_of_sentences(answers[text]) for text in texts} == {text: [text] for text in texts}


def test_a_missing_pipeline_is_reported_at_once(tmp_path):
    with pytest.raises(OSError, match="E05"):
        Worker(str(tmp_path / "none"), timeout=1, max_characters=100)
