"""Ctrl-C while the engine works: it stops soon, and everything can be used again."""

import sys
from _thread import start_new_thread
from functools import partial
from threading import Event
from time import sleep

import pytest

from spacy_joint.engine import threads

from .processes import INTERRUPT, TOYS, run_alone

unix = pytest.mark.skipif(sys.platform == "win32", reason="there are no timers")
# Seconds from a signal to its exception; a call without interruption would take several times as long.
SOON = 1.5

run_interrupted = partial(run_alone, INTERRUPT + TOYS)


@unix
@pytest.mark.parametrize("call", ["search.predict(weights, columns)", "search.predict_all(weights, columns)", "run()"])
def test_a_long_search_is_interrupted_soon(call):
    run_interrupted(f"""
        n = 600_000
        columns, weights = random_columns(n), random_weights(TAGGING)
        search = Search(TAGGING, templates_for(TAGGING), 32)
        expected = search.predict(weights, random_columns(20)).tolist()

        def run():
            stream = Stream(TAGGING, templates_for(TAGGING), 32, weights)
            stream.feed(random_values(n))
            stream.run()

        took = interrupt(lambda: {call}, 0.2)
        assert took is not None and took < {SOON}, took
        assert search.predict(weights, random_columns(20)).tolist() == expected
    """)


@unix
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kind", ["long", "many"])
def test_a_long_update_is_interrupted_soon_and_changes_nothing(threads, kind):
    run_interrupted(f"""
        table = fresh_weights(TAGGING)
        learner = Learner(table, TAGGING, templates_for(TAGGING), 32, threads={threads})
        n = 400_000 if "{kind}" == "long" else 400
        batch = [Instance(random_columns(n), np.zeros(n))] * (2 if n > 400 else 2000)
        took = interrupt(lambda: learner.update(batch), 0.2)
        assert took is not None and took < {SOON}, took
        assert not table.raw.any() and table.n_updates == 0
        assert learner.update(batch[:1] if n == 400 else [Instance(*tagging_problem()[0])])["gold"]
    """)


CELLS = """
    from spacy_joint.charts.cells import CellClassifier
    classifier = CellClassifier(16, {})
    classifier.set_biases([1] * 15)
"""
ORDERS = """
    from spacy_joint.ordering.system import Ranker
    templates = Templates("a.word b.tag\\n\\nleft.word\\n\\nit.word\\n\\nlast.word", COLUMNS, ORDERING)
    ranker, weights = Ranker(ORDERING, templates, 1), random_weights(ORDERING)
"""
SPANS = """
    from spacy_joint.quotation.candidates import SpanScorer
    from spacy_joint.quotation.system import TOKEN_INFO, QuotationSystem
    n, system = 20_000, QuotationSystem(neighbours=False)
    columns = Columns(COLUMNS, random_values(n), None, np.zeros((n, len(TOKEN_INFO)), dtype=np.int32))
    templates = Templates("w.word w.tag\\n\\nplace\\nlength\\n\\nwhole\\nsentences", COLUMNS, system)
    scorer = SpanScorer(system, templates, random_weights(system), columns)
"""


@unix
@pytest.mark.parametrize(
    ("setup", "call", "size"),
    [
        (CELLS, "classifier.predict(['a'] * size)", 5000),
        (CELLS, "classifier.learn(['a'] * size, np.zeros((size, size + 1)), 1)", 5000),
        (ORDERS, "ranker.rank(weights, random_columns(size + 1), 32, exact=True)", 16),
        (SPANS, "scorer.find(1e9, size)", 5000),
    ],
)
def test_a_long_call_beside_the_search_is_interrupted_soon(setup, call, size):
    run_interrupted(f"""{setup}
    def run(size):
        {call}

    took = interrupt(lambda: run({size}), 0.2)
    assert took is not None and took < {SOON}, took
    run(2)
    """)


@unix
@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("update_strategy", ["dlaso", "max_violation", "laso"])
def test_learning_goes_on_after_any_number_of_interrupts(threads, update_strategy):
    run_interrupted(f"""
        table = fresh_weights(JOINT)
        learner = Learner(table, JOINT, templates_for(JOINT), 4, threads={threads}, update_strategy="{update_strategy}")
        search, columns = Search(JOINT, templates_for(JOINT), 4), random_columns(40)
        batch = [Instance(*document) for document in parsing_problem()] * 40
        n_interrupted = 0
        random = np.random.default_rng({threads})
        for i in range(60):
            before = table.raw.tobytes(), table.n_updates
            # Once, or as somebody who loses patience.
            took = interrupt(lambda: learner.update(batch), random.uniform(1e-4, 4e-3), 1e-3 if i % 3 == 0 else 0.0)
            n_interrupted += took is not None
            if "{update_strategy}" != "laso":
                assert table.n_updates - before[1] in (0, len(batch)), table.n_updates
                assert table.n_updates > before[1] or table.raw.tobytes() == before[0]
            if i % 10 == 0:
                sums = learner.update(batch)
                assert sums["gold"] == sum(instance.n_actions for instance in batch)
                table.finish()
                assert replay(JOINT, columns, search.predict(table, columns)).is_final
        assert n_interrupted > 3, n_interrupted
    """)


@pytest.mark.parametrize("n_tasks", [1, 2])
def test_no_task_outlives_an_interrupt_while_tasks_are_started(n_tasks, monkeypatch):
    stopped, ended, started = Event(), [], []

    def task():
        stopped.wait(10)
        ended.append(True)

    def start(*arguments):
        """Somebody presses Ctrl-C after the first task has begun."""
        started.append(start_new_thread(*arguments))
        sleep(0.05)
        raise KeyboardInterrupt

    monkeypatch.setattr(threads, "start_new_thread", start)
    with pytest.raises(KeyboardInterrupt):
        threads.run_all([task] * n_tasks, stopped.set)
    assert len(ended) == len(started) == 1


def test_tasks_that_succeed_are_not_asked_to_stop_and_the_first_failure_is_raised_when_all_have_ended():
    asked = []
    threads.run_all([lambda: None] * 5, lambda: asked.append(True))
    assert not asked
    ended = []

    def fail(number):
        ended.append(number)
        raise ValueError(number)

    with pytest.raises(ValueError, match="0"):
        threads.run_all([lambda number=number: fail(number) for number in range(3)], lambda: None)
    assert sorted(ended) == [0, 1, 2]


@pytest.mark.parametrize("dies", [lambda number: True, lambda number: number == 1])
def test_a_thread_that_dies_without_running_is_reported(monkeypatch, dies):
    # As if there were no memory for its first frame.
    def start(run, arguments):
        return None if dies(arguments[0]) else start_new_thread(run, arguments)

    monkeypatch.setattr(threads, "start_new_thread", start)
    done = []
    with pytest.raises(MemoryError, match="died"):
        threads.run_all([partial(done.append, number) for number in range(3)], lambda: None)
    assert sorted(done) == [number for number in range(3) if not dies(number)]


def test_closing_a_generator_does_not_wait_for_its_threads():
    """The garbage collector may close it where waiting for a thread would last for ever."""
    begun, may_end, ended = Event(), Event(), Event()

    def work():
        begun.set()
        may_end.wait(10)
        ended.set()

    def stream():
        with threads.open_pool(1) as pool:
            pool.submit(work)
            begun.wait()
            yield

    results = stream()
    next(results)
    results.close()
    assert not ended.is_set()
    may_end.set()
    assert ended.wait(10)
