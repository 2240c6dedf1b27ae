"""Learning: every strategy with every rule, and the same weights for any number of threads."""

import numpy as np
import pytest

from spacy_joint.engine.learner import STRATEGIES, Instance
from spacy_joint.engine.updater import RULES

from . import toys
from .toys import JOINT, PROBLEMS, TAGGING, make_learner, make_search, predict, random_columns, random_weights, train


def random_problem(system, n_documents=9):
    """Random documents with random legal paths, which cannot be learnt, so that every document causes updates."""
    random = np.random.default_rng(7)
    documents = [random_columns(int(random.integers(0, 25)), seed) for seed in range(n_documents)]
    return [(columns, toys.walk_at_random(system, columns, seed)) for seed, columns in enumerate(documents)]


def longest(problem):
    return [max(problem, key=lambda document: len(document[1]))]


def bytes_of(weights):
    return weights.raw.tobytes(), weights.total.tobytes(), weights.n_updates


@pytest.mark.parametrize("update_strategy", STRATEGIES)
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", PROBLEMS)
def test_every_strategy_learns_a_separable_problem_with_every_rule(update_strategy, rule, name):
    system, problem = PROBLEMS[name]
    _, reports = train(system, problem, n_epochs=12, update_strategy=update_strategy, rule=rule)
    # The search of the last epoch prefers the gold path everywhere.
    assert [report["segments"] for report in reports[-len(problem) :]] == [0] * len(problem)


@pytest.mark.parametrize("update_strategy", STRATEGIES)
@pytest.mark.parametrize("name", PROBLEMS)
def test_averaged_weights_predict_the_training_data_and_then_cause_no_update(update_strategy, name):
    system, problem = PROBLEMS[name]
    # Margins of the passive-aggressive rule survive averaging over enough epochs; the perceptron's may be ties.
    weights, _ = train(system, problem, n_epochs=40, update_strategy=update_strategy)
    weights.finish()
    for columns, actions in problem:
        assert predict(system, weights, columns, 1 if update_strategy == "greedy" else 4) == actions.tolist()
    before = weights.raw.tobytes()
    _, reports = train(system, problem, weights=weights, update_strategy=update_strategy)
    assert [report["segments"] for report in reports] == [0] * len(problem)
    assert weights.raw.tobytes() == before


@pytest.mark.parametrize("update_strategy", STRATEGIES)
def test_only_strategies_that_continue_use_the_whole_gold_path_and_update_on_several_stretches(update_strategy):
    problem = random_problem(JOINT)
    weights, reports = train(JOINT, problem, update_strategy=update_strategy)
    used, gold, segments = ([report[key] for report in reports] for key in ("used", "gold", "segments"))
    assert gold == [len(actions) for _, actions in problem]
    assert used == gold if update_strategy in ("greedy", "dlaso", "laso") else 0 < sum(used) < sum(gold)
    assert max(segments) == 1 if update_strategy in ("early", "max_violation") else max(segments) > 1
    _, more = train(JOINT, problem, n_epochs=2, weights=weights, update_strategy=update_strategy)
    assert min(report["violation"] for report in [*reports, *more]) >= -1e-4


def test_a_perceptron_step_is_as_long_as_the_aggressiveness_and_a_passive_aggressive_one_never_longer():
    problem = longest(random_problem(TAGGING))
    one, half = (train(TAGGING, problem, rule="perceptron", aggressiveness=step)[0].raw for step in (1.0, 0.5))
    assert one.any()
    np.testing.assert_array_equal(one, 2 * half)
    problem = longest(random_problem(JOINT))
    short, _ = train(JOINT, problem, aggressiveness=1e-6)
    unit, _ = train(JOINT, problem, rule="perceptron", aggressiveness=1e-6)
    assert unit.raw.any()
    np.testing.assert_array_equal(short.raw, unit.raw)


def test_a_passive_aggressive_step_fixes_the_violation_of_one_stretch_exactly_and_is_computed_anew():
    document = longest(random_problem(TAGGING))
    once, (first,) = train(TAGGING, document, update_strategy="early")
    assert first["segments"] == 1
    # Zero weights: violation 0 and loss 1, so the difference is scored 1 now: tau * |d|^2 = 1, |tau * d|^2 = tau.
    smallest = np.abs(once.raw[once.raw != 0]).min()
    assert (once.raw.astype(np.float64) ** 2).sum() == pytest.approx(smallest, rel=1e-5)
    # For the same document twice, the first step fixes what the second would.
    twice, _ = train(TAGGING, document * 2, update_strategy="early", batch_size=2)
    np.testing.assert_allclose(once.raw, twice.raw, atol=1e-6)


def learn_once(update_strategy, update_weight):
    """The weights after an update with one document."""
    ((columns, actions),) = longest(random_problem(TAGGING))
    learner = make_learner(TAGGING, update_strategy=update_strategy, rule="perceptron")
    learner.update([Instance(columns, actions, update_weight(len(actions)))])
    return learner.weights.raw.copy()


@pytest.mark.parametrize("update_strategy", [name for name in STRATEGIES if name != "laso"])
def test_importance_is_a_factor_of_the_update(update_strategy):
    plain = learn_once(update_strategy, lambda n: None)
    assert plain.any()
    assert np.array_equal(learn_once(update_strategy, lambda n: np.full(n, 2.0)), 2 * plain)
    if update_strategy == "greedy":
        # Each step is compared by itself, so the even ones change the weights as ever.
        odd = learn_once(update_strategy, lambda n: [3.0 if i % 2 else 1.0 for i in range(n)])
        assert 0 < np.count_nonzero(odd - plain) < np.count_nonzero(plain)


@pytest.mark.parametrize("update_strategy", STRATEGIES)
@pytest.mark.parametrize("system", [JOINT, TAGGING])
def test_an_empty_document_causes_no_update_but_counts(update_strategy, system):
    weights, (report,) = train(system, [(random_columns(0), [])], update_strategy=update_strategy)
    assert not weights.raw.any()
    assert weights.n_updates == 1
    assert report == {"violation": 0.0, "segments": 0, "used": 0, "gold": 0}


def test_instances_may_come_from_a_generator_and_a_batch_may_be_empty():
    listed, generated = make_learner(JOINT), make_learner(JOINT)
    instances = [Instance(*document) for document in random_problem(JOINT)]
    assert listed.update(instances) == generated.update(instance for instance in instances)
    assert bytes_of(listed.weights) == bytes_of(generated.weights)
    assert listed.update([])["gold"] == 0


def test_long_documents_survive_collections_of_the_arenas():
    columns = random_columns(4000)
    weights = random_weights(JOINT, 5)
    actions = make_search(JOINT, 1).predict(weights, columns)
    _, (report,) = train(JOINT, [(columns, actions)])
    assert report["used"] == len(actions)


@pytest.mark.parametrize("update_strategy", STRATEGIES)
@pytest.mark.parametrize(("system", "dropout"), [(JOINT, 0.3), (TAGGING, 0.0)])
def test_any_number_of_threads_learns_and_reports_the_same(update_strategy, system, dropout):
    problem, found = random_problem(system), []
    for threads in (1, 2, 3):
        settings = {"update_strategy": update_strategy, "threads": threads, "dropout": dropout}
        weights, reports = train(system, problem, 2, batch_size=4, **settings)
        found.append((bytes_of(weights), reports))
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_a_refused_batch_changes_nothing_and_the_next_one_is_learnt(threads):
    problem = random_problem(JOINT)
    instances = [Instance(*document) for document in problem]
    long = random_columns(2000)
    slow = Instance(long, make_search(JOINT, 1).predict(random_weights(JOINT, 5), long))
    learner, undisturbed = make_learner(JOINT, threads=threads), make_learner(JOINT)
    for _ in range(3):
        before = bytes_of(learner.weights)
        with pytest.raises(ValueError, match="J043"):
            learner.update([Instance(random_columns(2), [5]), slow, slow])
        assert bytes_of(learner.weights) == before
        learner.update(instances)
        undisturbed.update(instances)
    assert bytes_of(learner.weights) == bytes_of(undisturbed.weights)


def test_dropout_changes_fewer_weights():
    problem = longest(random_problem(TAGGING))
    changed = [np.count_nonzero(train(TAGGING, problem, dropout=share)[0].raw) for share in (0.0, 0.5, 0.9, 1.0)]
    assert changed[0] > changed[1] > changed[2] > changed[3] == 0


@pytest.mark.parametrize("update_strategy", STRATEGIES)
def test_averages_are_the_mean_of_the_weights_after_each_instance_and_do_not_disturb_learning(update_strategy):
    learner, finished = (make_learner(JOINT, update_strategy=update_strategy) for _ in range(2))
    snapshots = []
    for document in random_problem(JOINT) * 2:
        for each in (learner, finished):
            each.update([Instance(*document)])
        finished.weights.finish()
        snapshots.append(learner.weights.raw.copy())
    np.testing.assert_allclose(learner.weights.averages(), np.mean(snapshots, axis=0), atol=1e-5)
    assert bytes_of(learner.weights) == bytes_of(finished.weights)
