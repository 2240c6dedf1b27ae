"""Objects that one call uses while another one wants to use or change them, and streams that cannot go on."""

from functools import partial
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import spacy_joint
from spacy_joint.charts.posteriors import InsideOutside
from spacy_joint.engine.beam import Search
from spacy_joint.engine.columns import Columns
from spacy_joint.engine.learner import Instance, Learner
from spacy_joint.engine.stream import Stream
from spacy_joint.engine.system import Walk
from spacy_joint.engine.templates import Templates
from spacy_joint.engine.weights import Weights
from spacy_joint.ordering.system import OrderingSystem, OrderLearner, Ranker
from spacy_joint.quotation.candidates import SpanScorer
from spacy_joint.quotation.system import TOKEN_INFO, QuotationSystem
from spacy_joint.tagging.system import TaggingSystem

from . import toys
from .sharing import Busy, call_at_once
from .toys import JOINT, TAGGING, fresh_weights, random_columns, random_values, random_weights, templates_for

PACKAGE = Path(spacy_joint.__file__).parent

N_THREADS = 3
LONG = 20_000


def long_instance():
    return Instance(random_columns(LONG), np.zeros(LONG, dtype=np.uint16))


@pytest.mark.parametrize("ask", ["predict", "predict_all", "trace"])
def test_a_search_that_is_in_use_is_refused_and_not_freed_and_the_other_call_is_right(ask):
    search, weights, columns = toys.make_search(TAGGING, 8), random_weights(TAGGING), random_columns(LONG)
    expected = search.predict(weights, columns).tolist()
    calls = [lambda: search.predict(weights, columns).tolist()] * (N_THREADS - 1)
    found = call_at_once(*calls, lambda: bool(getattr(search, ask)(weights, columns) is None))
    assert set(map(str, found)) <= {str(expected), "J007", "False"} and "J007" in found
    assert search.predict(weights, columns).tolist() == expected
    with Busy(lambda: search.predict(weights, columns)) as busy:
        # Were the search free after the first refusal, one of these would succeed while it is busy, and disturb it.
        assert busy.refused(lambda: search.predict(weights, random_columns(3))) == {"J007"}


def test_a_search_that_comes_back_after_the_beam_width_was_changed_is_not_used_again():
    perceptron = toys.make_perceptron()
    with perceptron._borrow_search() as search:
        # What another thread does meanwhile.
        perceptron.beam_width = 8
    with perceptron._borrow_search() as another:
        assert (search.width, another.width) == (4, 8)


def test_weights_and_a_learner_are_used_by_one_call_at_a_time():
    weights = fresh_weights(TAGGING)
    learners = [Learner(weights, TAGGING, templates_for(TAGGING), 8) for _ in range(N_THREADS)]
    found = call_at_once(*[lambda learner=learner: learner.update([long_instance()])["gold"] for learner in learners])
    assert set(found) == {LONG, "J007"}
    # As if the others had never been.
    assert weights.n_updates == found.count(LONG)
    assert learners[0].update([long_instance()])["gold"] == LONG
    learner = Learner(fresh_weights(TAGGING), TAGGING, templates_for(TAGGING), 8, threads=2)
    found = call_at_once(*[lambda: learner.update([long_instance()] * 2)["gold"]] * N_THREADS)
    assert set(found) == {2 * LONG, "J007"}
    assert learner.update([long_instance()])["gold"] == LONG


def test_weights_are_not_restored_while_they_are_learnt():
    weights = fresh_weights(TAGGING)
    learner = Learner(weights, TAGGING, templates_for(TAGGING), 8)
    arrays = [np.zeros_like(array) for array in (weights.raw, weights.total, weights.n_changes)]
    with Busy(lambda: learner.update([long_instance()])) as busy:
        assert busy.refused(lambda: weights.restore(*arrays, 0)) == {"J007"}
    weights.restore(*arrays, 0)
    assert learner.update([long_instance()])["gold"] == LONG


def test_weights_can_be_finished_and_used_while_they_are_learnt():
    weights = fresh_weights(TAGGING)
    learner, search = Learner(weights, TAGGING, templates_for(TAGGING), 8), toys.make_search(TAGGING, 2)

    def use():
        weights.finish()
        assert len(search.predict(weights, random_columns(9))) == 9

    with Busy(lambda: learner.update([long_instance()] * 3)) as busy:
        assert busy.refused(use) == set()


def open_stream(system=TAGGING, n_tokens=0, scale=1.0):
    stream = Stream(system, templates_for(system), 8, random_weights(system, scale=scale))
    stream.feed(random_values(n_tokens))
    return stream


METHODS = {"feed": [random_values(1)], "run": [], "best": [], "decide": [1], "forget": [1], "end": []}


@pytest.mark.parametrize("method", METHODS)
def test_a_stream_that_is_in_use_or_failed_is_refused(method):
    stream = open_stream(n_tokens=LONG)
    with Busy(stream.run) as busy:
        busy.wait_until_refused(stream.best)
        assert busy.refused(lambda: getattr(stream, method)(*METHODS[method])) == {"J007"}
    stream = open_stream(n_tokens=9, scale=float("nan"))
    with pytest.raises(ValueError, match="J009"):
        stream.run()
    with pytest.raises(ValueError, match="J039"):
        getattr(stream, method)(*METHODS[method])


def test_a_stream_forgets_no_more_tokens_than_its_window_has_and_may_forget_none():
    stream = open_stream(n_tokens=9)
    for n in (10, 11, 2**31 - 1):
        with pytest.raises(ValueError, match=f"J030.*{n}"):
            stream.forget(n)
    for n in (0, -1, -(2**31)):
        stream.forget(n)
    assert stream.n_tokens == 9


@pytest.mark.parametrize("system", [JOINT, TAGGING])
@pytest.mark.parametrize("n_tokens", [2, 40, 3000])
def test_a_stream_that_was_made_to_forget_what_it_needs_does_not_read_elsewhere(system, n_tokens):
    stream = open_stream(system, n_tokens)
    stream.run()
    for _ in range(5):
        stream.forget(stream.n_tokens)
        stream.feed(random_values(n_tokens))
        stream.run()
    # And what it has not even looked at.
    for _ in range(3):
        stream.feed(random_values(n_tokens))
        stream.forget(stream.n_tokens)
    stream.feed(random_values(n_tokens))
    stream.end()
    stream.run()


QUOTATIONS = QuotationSystem()


@pytest.mark.parametrize("n_info", [0, 1, len(TOKEN_INFO) - 1, len(TOKEN_INFO) + 1])
@pytest.mark.parametrize("user", ["walk", "search", "learner", "spans"])
def test_columns_must_have_the_token_info_that_a_system_reads(n_info, user):
    columns = Columns(["word"], np.ones((5, 1), dtype=np.uint64), token_info=np.zeros((5, n_info), dtype=np.int32))
    templates = Templates("w.word", ["word"], QUOTATIONS)
    weights = random_weights(QUOTATIONS)
    weights.start_training()
    users = {
        "walk": lambda: Walk(QUOTATIONS, columns),
        "search": lambda: Search(QUOTATIONS, templates, 4).predict(weights, columns),
        "learner": lambda: Learner(weights, QUOTATIONS, templates, 4).update([Instance(columns, [0] * 5)]),
        "spans": lambda: SpanScorer(QUOTATIONS, templates, weights, columns),
    }
    with pytest.raises(ValueError, match=f"J046.*{len(TOKEN_INFO)}"):
        users[user]()


def test_systems_that_read_no_token_info_take_any():
    values, weights = random_values(5), random_weights(TAGGING)
    columns = Columns(("word", "tag"), values, token_info=np.zeros((5, 3), dtype=np.int32))
    expected = toys.make_search(TAGGING).predict(weights, columns)
    stream = Stream(TAGGING, templates_for(TAGGING), 4, weights)
    stream.feed(values, None, np.zeros((5, 7)))
    stream.end()
    assert stream.run().tolist() == expected.tolist()


EXTENSIONS = [path.relative_to(PACKAGE.parent).with_suffix("") for path in PACKAGE.rglob("*.pyx")]
TYPES = [
    kind
    for module in (import_module(".".join(path.parts)) for path in EXTENSIONS)
    for kind in vars(module).values()
    if isinstance(kind, type) and kind.__module__ == module.__name__
]


@pytest.mark.parametrize("kind", TYPES, ids=lambda kind: kind.__name__)
def test_an_object_in_use_cannot_be_made_again(kind):
    # `__init__` could be called again while a search reads the arrays; `__new__` makes another object.
    assert "__init__" not in vars(kind)


@pytest.mark.parametrize("wrong", [None, "text", 3])
def test_arguments_of_other_types_are_refused(wrong):
    weights, columns, templates = fresh_weights(JOINT), random_columns(3), templates_for(JOINT)
    search = Search(JOINT, templates, 4)
    for call in (
        lambda: Search(wrong, templates, 4),
        lambda: Search(JOINT, wrong, 4),
        lambda: search.predict(wrong, columns),
        lambda: search.predict(random_weights(JOINT), wrong),
        lambda: Learner(wrong, JOINT, templates, 4),
        lambda: Learner(weights, wrong, templates, 4),
        lambda: Learner(weights, JOINT, wrong, 4),
        lambda: Instance(wrong, [0]),
        lambda: Walk(wrong, columns),
        lambda: Walk(JOINT, wrong),
        lambda: Ranker(wrong, templates, 4),
        lambda: Ranker(OrderingSystem(), wrong, 4),
        lambda: OrderLearner(wrong, OrderingSystem(), templates, 4),
    ):
        with pytest.raises(TypeError):
            call()


def test_making_an_object_again_does_not_change_it_and_needs_arguments():
    system, weights, columns = TaggingSystem(["x", "y"]), Weights(14, 2), random_columns(9)
    weights.__init__(8, 4096)
    columns.__init__((), np.zeros((0, 0)))
    system.__init__(["x"] * 4000)
    weights.start_training()
    assert (system.n_actions, len(columns), len(weights.raw)) == (2, 9, weights.n_cells) == (2, 9, 2**14 + 16)
    others = (Instance, Learner, OrderLearner, Ranker, Search, SpanScorer, Stream, Templates, Walk)
    for kind in (Columns, Weights, *others):
        with pytest.raises(TypeError):
            kind.__new__(kind)


def test_what_borrows_the_buffers_of_others_cannot_be_reached():
    reached = {kind.__name__ for kind in TYPES}
    assert not hasattr(open_stream(), "search")
    assert not reached & {"Derivations", "Outcome", "Sentences", "Stop", "Worker"}
    assert not hasattr(InsideOutside, "list_posteriors")


def test_an_update_during_which_somebody_predicts_is_not_lost():
    perceptron = toys.make_perceptron()
    columns, actions = toys.tagging_problem()[0]

    class Interrupting(list):
        """A batch during whose update another thread predicts."""

        def __iter__(self):
            perceptron.predict(columns)
            return super().__iter__()

    perceptron.update(Interrupting([Instance(columns, actions)]))
    assert perceptron.predict(columns).tolist() == actions.tolist()


def test_an_update_during_which_weights_are_averaged_is_not_lost(monkeypatch):
    perceptron = toys.make_perceptron()
    first, second, *_ = (Instance(*document) for document in toys.tagging_problem())
    perceptron.update([first])
    with monkeypatch.context() as patched:
        # Another thread learns right after this one has averaged.
        patched.setattr(perceptron, "forget_searches", partial(perceptron.update, [second]))
        perceptron.finish()
    saved = perceptron.to_bytes()
    perceptron.weights.finish(n_templates=perceptron.templates.n_templates)
    assert perceptron.to_bytes() == saved
