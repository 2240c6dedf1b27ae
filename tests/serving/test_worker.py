"""The process that annotates: whatever happens to it, this text and the next one get an answer."""

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Thread
from time import sleep

import pytest
import spacy

from spacy_joint.serving.worker import MAX_TEXTS, Broken, Busy, TookTooLong, Worker

LONG = "i said that you have four red cats " * 3000
# Long enough to send others meanwhile.
A_WHILE = LONG[:20_000]


@pytest.fixture
def patience(worker):
    """Set the timeout for a test."""
    before = worker.timeout

    def set_timeout(seconds):
        worker.timeout = seconds

    yield set_timeout
    worker.timeout = before


def annotate(worker, text):
    return worker.answer("annotate", text, "text", True)


def texts_of_sentences(found):
    return [sentence["text"] for sentence in found["sentences"]]


def test_the_pipeline_gets_rules_for_quotations(worker):
    assert worker.description["components"] == {
        "sequence_tagger": "sequence_tagger",
        "joint_sbd_parser": "joint_sbd_parser",
        "sequence_morphologizer": "sequence_morphologizer",
        "sequence_lemmatizer": "sequence_lemmatizer",
        "quotation_spans": "quotation_spans",
    }


def test_a_text_that_takes_too_long_is_abandoned_and_the_next_one_is_annotated(worker, patience):
    patience(0.01)
    with pytest.raises(TookTooLong, match="J434"):
        annotate(worker, LONG)
    patience(60)
    assert texts_of_sentences(annotate(worker, "He slept.")) == ["He slept."]


def test_a_process_that_is_killed_is_replaced(worker):
    os.kill(worker.process_id, signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
    with pytest.raises(Broken, match="J435"):
        annotate(worker, "He slept.")
    assert texts_of_sentences(annotate(worker, "He slept.")) == ["He slept."]


@contextmanager
def occupy(worker):
    """Keep the process busy with a long text, until it is done."""
    # The process may have to load the pipeline first.
    annotate(worker, "He slept.")
    thread = Thread(target=annotate, args=(worker, A_WHILE))
    thread.start()
    wait_for(lambda: worker._using_process.locked())
    yield
    thread.join()


def wait_for(is_so):
    for _ in range(60_000):
        if is_so():
            return
        sleep(0.001)
    raise AssertionError


def test_a_text_that_waits_too_long_for_others_is_refused(worker, patience):
    with occupy(worker):
        sleep(0.1)
        patience(0.01)
        with pytest.raises(Busy, match="J433"):
            annotate(worker, "He slept.")
        assert not worker.waiting
        patience(60)


def test_a_text_is_refused_at_once_if_too_many_others_wait(worker):
    with occupy(worker), ThreadPoolExecutor(MAX_TEXTS) as threads:
        waiting = [threads.submit(annotate, worker, "He slept.") for _ in range(MAX_TEXTS - 1)]
        wait_for(lambda: len(worker.waiting) == MAX_TEXTS - 1)
        with pytest.raises(Busy, match="J445"):
            annotate(worker, "He slept.")
        assert all(texts_of_sentences(each.result()) == ["He slept."] for each in waiting)


def test_an_error_fails_one_text_and_gives_its_place_back(worker):
    before = worker.process_id
    for _ in range(MAX_TEXTS + 1):
        with pytest.raises(Broken, match="J435"):
            annotate(worker, "\ud800")
    assert worker.process_id == before
    assert texts_of_sentences(annotate(worker, "He slept.")) == ["He slept."]


def annotate_together(worker, texts):
    """What is found for each text, or the error, if all wait while the process is busy, and the number of batches."""
    found = {}

    def annotate_text(text):
        try:
            found[text] = texts_of_sentences(annotate(worker, text))
        except Broken as error:
            found[text] = error

    threads = [Thread(target=annotate_text, args=(text,)) for text in texts]
    with occupy(worker):
        for thread in threads:
            thread.start()
        wait_for(lambda: len(worker.waiting) == len(texts))
        before = worker.n_batches
    for thread in threads:
        thread.join()
    return found, worker.n_batches - before


def test_texts_that_wait_are_annotated_as_a_batch(worker):
    texts = [f"We saw {n} cats." for n in range(8)]
    assert annotate_together(worker, texts) == ({text: [text] for text in texts}, 1)


def test_a_batch_is_no_longer_than_the_longest_text(worker):
    texts = [f"{n} {'a' * 150}" for n in range(4)]
    found, n_batches = annotate_together(worker, texts)
    assert set(found) == set(texts) and n_batches == 2
    assert len("".join(texts[:3])) <= worker.max_characters < len("".join(texts))


def test_a_text_that_fails_does_not_take_its_batch_along(worker):
    before = worker.process_id
    found, n_batches = annotate_together(worker, ["He slept.", "\ud800", "We left."])
    assert isinstance(found.pop("\ud800"), Broken)
    assert found == {"He slept.": ["He slept."], "We left.": ["We left."]}
    assert n_batches == 4 and worker.process_id == before


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="processes are stopped by signals")
def test_a_process_that_dies_does_not_take_its_batch_along(worker):
    texts = ["He slept.", "We left."]
    with ThreadPoolExecutor() as threads:
        with occupy(worker):
            found = [threads.submit(annotate, worker, text) for text in texts]
            wait_for(lambda: len(worker.waiting) == len(texts))
        stopped = worker.process_id
        os.kill(stopped, signal.SIGSTOP)
        wait_for(lambda: not worker.waiting)
        kill_process(worker)
        assert [texts_of_sentences(each.result()) for each in found] == [[text] for text in texts]


def wait_until_ready(worker):
    def is_ready():
        try:
            worker.check()
        except Busy as error:
            assert error.code == "J741"
            return False
        return True

    wait_for(is_ready)


def kill_process(worker):
    """Kill the process, and wait until the worker has noticed."""
    killed = worker.process_id
    os.kill(killed, signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
    wait_for(lambda: worker.process_id != killed or not is_well(worker))


def is_well(worker):
    try:
        worker.check()
    except (Broken, Busy):
        return False
    return True


def test_a_worker_that_waits_for_texts_and_one_that_annotates_are_well(worker):
    wait_until_ready(worker)
    with occupy(worker):
        worker.check()


def test_checking_replaces_a_process_that_died(worker):
    wait_until_ready(worker)
    before = worker.process_id
    kill_process(worker)
    with pytest.raises(Busy, match="J741"):
        worker.check()
    wait_until_ready(worker)
    assert worker.process_id != before
    assert texts_of_sentences(annotate(worker, "He slept.")) == ["He slept."]


def test_a_worker_is_not_well_while_texts_wait_for_another_process(worker):
    wait_until_ready(worker)
    kill_process(worker)
    with ThreadPoolExecutor() as threads:
        found = threads.submit(annotate, worker, "He slept.")
        wait_for(worker._using_process.locked)
        with pytest.raises(Busy, match="J741"):
            worker.check()
        assert texts_of_sentences(found.result()) == ["He slept."]


def test_checking_tells_that_the_pipeline_is_gone(tmp_path):
    spacy.blank("en").to_disk(tmp_path / "pipeline")
    worker = Worker(str(tmp_path / "pipeline"), timeout=60, max_characters=100)
    (tmp_path / "pipeline" / "config.cfg").unlink()
    kill_process(worker)
    with pytest.raises(Broken, match="J742"):
        wait_until_ready(worker)
    worker.close()
