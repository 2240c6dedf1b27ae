"""One pipeline, several threads: the engine searches without the GIL, and every thread gets the results of one.

test_contract.py tests several processes.
"""

import copy
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
import spacy
from spacy.language import Language

import spacy_joint

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
    nlp.add_pipe("prenominal_orderer", source=spacy_joint.load(spacy_joint.PRENOMINAL))
    return nlp


def run_at_once(work: Callable[[int], Any]) -> list[Any]:
    """The results of `work` in each thread, all started together."""
    barrier = Barrier(N_THREADS)

    def begin(number: int) -> Any:
        barrier.wait()
        return work(number)

    with ThreadPoolExecutor(N_THREADS) as threads:
        return list(threads.map(begin, range(N_THREADS)))


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
        return [str(pipe.predict([example.predicted])) for example in examples]

    for _ in range(3):
        train(nlp, examples, epochs=1)
        alone = copy.deepcopy(pipe)
        # The first prediction averages the weights.
        assert run_at_once(lambda _: predict(pipe)) == [predict(alone)] * N_THREADS
