"""Learning: every strategy with every rule, and the same weights for any number of threads."""

import numpy as np
import pytest

from spacy_joint.engine.beam import Search
from spacy_joint.engine.learner import STRATEGIES, Instance
from spacy_joint.engine.updater import RULES

from .toys import (
    JOINT,
    PROBLEMS,
    TAGGING,
    make_learner,
    random_columns,
    random_weights,
    templates_for,
    train,
    walk_at_random,
)


def random_problem(system, n_documents=9):
    """Random documents with random legal paths, which cannot be learnt, so that every document causes updates."""
    random = np.random.default_rng(7)
    documents = [random_columns(int(random.integers(0, 25)), seed) for seed in range(n_documents)]
    return [(columns, walk_at_random(system, columns, seed)) for seed, columns in enumerate(documents)]


def longest(problem):
    return [max(problem, key=lambda document: len(document[1]))]


def predict(system, weights, columns, width=4):
    weights.finish()
    return Search(system, templates_for(system), width).predict(weights, columns).tolist()


def bytes_of(weights):
    return weights.raw.tobytes(), weights.total.tobytes(), weights.n_updates


# Results of learning


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
def test_averaged_weights_predict_the_training_data(update_strategy, name):
    system, problem = PROBLEMS[name]
    # Margins of the passive-aggressive rule survive averaging over enough epochs; the perceptron's may be ties.
    weights, _ = train(system, problem, n_epochs=40, update_strategy=update_strategy)
    for columns, actions in problem:
        assert predict(system, weights, columns, 1 if update_strategy == "greedy" else 4) == actions.tolist()


@pytest.mark.parametrize("update_strategy", STRATEGIES)
def test_correct_predictions_cause_no_update(update_strategy):
    system, problem = PROBLEMS["parsing"]
    # Averages equal the last weights once these have not changed for long.
    weights, _ = train(system, problem, n_epochs=40, update_strategy=update_strategy)
    before = weights.raw.tobytes()
    _, reports = train(system, problem, weights=weights, update_strategy=update_strategy)
    assert [report["segments"] for report in reports] == [0] * len(problem)
    assert weights.raw.tobytes() == before


@pytest.mark.parametrize("update_strategy", STRATEGIES)
def test_only_strategies_that_continue_use_the_whole_gold_path(update_strategy):
    problem = random_problem(JOINT)
    _, reports = train(JOINT, problem, update_strategy=update_strategy)
    used, gold = ([report[key] for report in reports] for key in ("used", "gold"))
    assert gold == [len(actions) for _, actions in problem]
    assert used == gold if update_strategy in ("greedy", "dlaso", "laso") else 0 < sum(used) < sum(gold)


@pytest.mark.parametrize("update_strategy", STRATEGIES)
def test_only_strategies_that_continue_update_on_several_stretches_of_a_document(update_strategy):
    _, reports = train(JOINT, random_problem(JOINT), update_strategy=update_strategy)
    most = max(report["segments"] for report in reports)
    assert most == 1 if update_strategy in ("early", "max_violation") else most > 1


@pytest.mark.parametrize("update_strategy", STRATEGIES)
def test_violations_are_never_negative(update_strategy):
    _, reports = train(JOINT, random_problem(JOINT), n_epochs=3, update_strategy=update_strategy)
    assert min(report["violation"] for report in reports) >= -1e-4


def test_a_perceptron_step_is_as_long_as_the_aggressiveness():
    problem = longest(random_problem(TAGGING))
    one, half = (train(TAGGING, problem, rule="perceptron", aggressiveness=step)[0].raw for step in (1.0, 0.5))
    assert one.any()
    np.testing.assert_array_equal(one, 2 * half)


def test_a_passive_aggressive_step_is_never_longer_than_the_aggressiveness():
    problem = longest(random_problem(JOINT))
    short, _ = train(JOINT, problem, aggressiveness=1e-6)
    unit, _ = train(JOINT, problem, rule="perceptron", aggressiveness=1e-6)
    assert unit.raw.any()
    np.testing.assert_array_equal(short.raw, unit.raw)


def test_a_passive_aggressive_step_fixes_the_violation_of_one_stretch_exactly():
    problem = longest(random_problem(TAGGING))
    weights, (first,) = train(TAGGING, problem, update_strategy="early")
    assert first["segments"] == 1
    # Zero weights: violation 0 and loss 1, so the difference is scored 1 now: tau * |d|^2 = 1, |tau * d|^2 = tau.
    smallest = np.abs(weights.raw[weights.raw != 0]).min()
    assert (weights.raw.astype(np.float64) ** 2).sum() == pytest.approx(smallest, rel=1e-5)


def test_a_passive_aggressive_step_is_computed_anew():
    # For the same document twice, the first step fixes what the second would.
    document = longest(random_problem(TAGGING))
    once, _ = train(TAGGING, document, update_strategy="early")
    twice, _ = train(TAGGING, document * 2, update_strategy="early", batch_size=2)
    assert once.raw.any()
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


def test_steps_count_by_their_own_importance():
    # Each step is compared by itself, so the even ones change the weights as ever.
    plain, odd = (learn_once("greedy", lambda n, of=of: [of if i % 2 else 1.0 for i in range(n)]) for of in (1.0, 3.0))
    assert 0 < np.count_nonzero(odd - plain) < np.count_nonzero(plain)


@pytest.mark.parametrize("update_strategy", STRATEGIES)
@pytest.mark.parametrize("system", [JOINT, TAGGING])
def test_an_empty_document_causes_no_update_but_counts(update_strategy, system):
    weights, (report,) = train(system, [(random_columns(0), [])], update_strategy=update_strategy)
    assert not weights.raw.any()
    assert weights.n_updates == 1
    assert report == {"violation": 0.0, "segments": 0, "used": 0, "gold": 0}


def test_an_empty_batch_is_fine():
    assert make_learner(JOINT).update([])["gold"] == 0


def test_instances_may_come_from_a_generator():
    problem = random_problem(JOINT)
    listed, generated = make_learner(JOINT), make_learner(JOINT)
    instances = [Instance(*document) for document in problem]
    assert listed.update(instances) == generated.update(instance for instance in instances)
    assert bytes_of(listed.weights) == bytes_of(generated.weights)


def test_long_documents_survive_collections_of_the_arenas():
    columns = random_columns(4000)
    weights = random_weights(JOINT, 5)
    actions = Search(JOINT, templates_for(JOINT), 1).predict(weights, columns)
    _, (report,) = train(JOINT, [(columns, actions)])
    assert report["used"] == len(actions)


# Threads


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
    slow = Instance(long, Search(JOINT, templates_for(JOINT), 1).predict(random_weights(JOINT, 5), long))
    learner, undisturbed = make_learner(JOINT, threads=threads), make_learner(JOINT)
    for _ in range(3):
        before = bytes_of(learner.weights)
        with pytest.raises(ValueError, match="J043"):
            learner.update([Instance(random_columns(2), [5]), slow, slow])
        assert bytes_of(learner.weights) == before
        learner.update(instances)
        undisturbed.update(instances)
    assert bytes_of(learner.weights) == bytes_of(undisturbed.weights)


# Dropout


def test_dropout_changes_fewer_weights():
    problem = longest(random_problem(TAGGING))
    changed = [np.count_nonzero(train(TAGGING, problem, dropout=share)[0].raw) for share in (0.0, 0.5, 0.9)]
    assert changed[0] > changed[1] > changed[2]


def test_no_feature_survives_dropout_of_all():
    weights, _ = train(JOINT, random_problem(JOINT), dropout=1.0)
    assert not weights.raw.any()


# Averages


@pytest.mark.parametrize("update_strategy", STRATEGIES)
def test_averages_are_the_mean_of_the_weights_after_each_instance(update_strategy):
    system, problem = JOINT, random_problem(JOINT)
    learner = make_learner(system, update_strategy=update_strategy)
    snapshots = []
    for document in problem * 2:
        learner.update([Instance(*document)])
        snapshots.append(learner.weights.raw.copy())
    np.testing.assert_allclose(learner.weights.averages(), np.mean(snapshots, axis=0), atol=1e-5)


def test_finishing_does_not_disturb_learning():
    problem = random_problem(JOINT)
    plain, finished = make_learner(JOINT), make_learner(JOINT)
    for document in problem:
        plain.update([Instance(*document)])
        finished.update([Instance(*document)])
        finished.weights.finish()
    assert bytes_of(plain.weights) == bytes_of(finished.weights)
