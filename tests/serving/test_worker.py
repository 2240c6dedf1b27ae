"""The process that annotates: whatever happens to it, this text and the next one get an answer."""

import os
import signal
from threading import BoundedSemaphore, Thread
from time import sleep

import pytest
import spacy

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


def test_a_text_that_waits_too_long_for_others_is_refused(worker, patience, monkeypatch):
    patience(0.05)
    monkeypatch.setattr(worker, "is_busy", True)
    with pytest.raises(Busy, match="J433"):
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


def annotate_together(worker, texts):
    """What is found for each text, or the error, if all wait while the process is busy."""
    found = {}

    def annotate(text):
        try:
            found[text] = texts_of_sentences(worker.annotate(text))
        except Broken as error:
            found[text] = error

    threads = [Thread(target=annotate, args=(text,)) for text in texts]
    with worker.changed:
        worker.is_busy = True
    for thread in threads:
        thread.start()
    while len(worker.waiting) < len(texts):
        sleep(0.001)
    with worker.changed:
        worker.is_busy = False
        worker.changed.notify_all()
    for thread in threads:
        thread.join()
    return found


@pytest.fixture
def batches(worker, monkeypatch):
    """The sizes of the batches that the process gets."""
    sizes, exchange = [], worker._exchange

    def note(task, texts):
        sizes.append(len(texts))
        return exchange(task, texts)

    monkeypatch.setattr(worker, "_exchange", note)
    return sizes


def test_texts_that_wait_are_annotated_as_a_batch(worker, batches):
    texts = [f"We saw {n} cats." for n in range(8)]
    assert annotate_together(worker, texts) == {text: [text] for text in texts}
    assert batches == [8]


def test_a_batch_is_no_longer_than_the_longest_text(worker, batches):
    texts = [f"{n} {'a' * 150}" for n in range(4)]
    assert set(annotate_together(worker, texts)) == set(texts)
    assert len("".join(texts[:3])) <= worker.max_characters < len("".join(texts))
    assert batches == [3, 1]


def test_a_text_that_fails_does_not_take_its_batch_along(worker, batches):
    before = worker.process_id
    found = annotate_together(worker, ["He slept.", "\ud800", "We left."])
    assert isinstance(found.pop("\ud800"), Broken)
    assert found == {"He slept.": ["He slept."], "We left.": ["We left."]}
    assert batches == [3, 1, 1, 1] and worker.process_id == before


def test_a_text_that_kills_the_process_does_not_take_its_batch_along(worker, batches, monkeypatch):
    exchange = worker._exchange

    def kill(task, texts):
        if "Kill it." in texts:
            worker._process.kill()
            worker._process.join()
        return exchange(task, texts)

    monkeypatch.setattr(worker, "_exchange", kill)
    found = annotate_together(worker, ["He slept.", "Kill it."])
    assert isinstance(found["Kill it."], Broken) and found["He slept."] == ["He slept."]


def wait_until_ready(worker):
    for _ in range(600):
        try:
            return worker.check()
        except Busy as error:
            assert error.code == "J741"
            sleep(0.1)
    raise AssertionError


def test_a_worker_that_waits_for_texts_and_one_that_annotates_are_well(worker, monkeypatch):
    wait_until_ready(worker)
    monkeypatch.setattr(worker, "is_busy", True)
    worker.check()


def test_checking_replaces_a_process_that_died(worker):
    wait_until_ready(worker)
    before = worker.process_id
    worker._process.kill()
    worker._process.join()
    with pytest.raises(Busy, match="J741"):
        worker.check()
    wait_until_ready(worker)
    assert worker.process_id != before
    assert texts_of_sentences(worker.annotate("He slept.")) == ["He slept."]


def test_checking_tells_that_the_pipeline_is_gone(tmp_path):
    spacy.blank("en").to_disk(tmp_path / "pipeline")
    worker = Worker(str(tmp_path / "pipeline"), timeout=60, max_characters=100)
    (tmp_path / "pipeline" / "config.cfg").unlink()
    worker._process.kill()
    worker._process.join()
    with pytest.raises(Broken, match="J742"):
        wait_until_ready(worker)
    worker.close()


def test_a_missing_pipeline_is_reported_at_once(tmp_path):
    with pytest.raises(OSError, match="E05"):
        Worker(str(tmp_path / "none"), timeout=1, max_characters=100)
