"""Search and learning over systems of candidates, against plain Python: scores by definition, all paths of tiny ones.

Orders of modifiers are such a system; its own search (`Ranker`) finds the best order in another way.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_joint.engine.beam import Search
from spacy_joint.engine.columns import Columns
from spacy_joint.engine.learner import STRATEGIES, Instance, Learner
from spacy_joint.engine.system import Walk
from spacy_joint.engine.templates import Templates
from spacy_joint.engine.updater import RULES
from spacy_joint.engine.weights import Weights
from spacy_joint.ordering.system import Ranker

from .toys import (
    COLUMNS,
    JOINT,
    ORDERING,
    TEMPLATES,
    NaiveCandidateScores,
    all_paths,
    ordering_problem,
    random_columns,
    random_values,
    random_weights,
    replay,
    templates_for,
    zero_weights,
)

QUICK = settings(deadline=None, max_examples=40)
# Templates of all parts, of some, and of one in several blocks.
TEXTS = st.sampled_from(
    [
        TEMPLATES[type(ORDERING)],
        "a.word b.word",
        "left.word right.word\n\nlast.tag",
        "it.word place\n\nit.tag from.left\n\nit-1.word\nit+1.word",
        "a.word b.word\n\nb.word a.tag\n\na.tag",
        "last.word",
    ]
)
seeds = st.integers(0, 2**32 - 1)
widths = st.sampled_from([1, 2, 7, 40])


def compile_text(text):
    """Templates that read all columns, whatever the text says."""
    return Templates(text + "\n\na.word a.tag", COLUMNS, ORDERING)


class Problem:
    """A phrase of n modifiers, templates and weights, for the search and for its definition."""

    def __init__(self, text, n, seed):
        self.templates, self.weights = compile_text(text), random_weights(ORDERING, seed)
        self.columns = random_columns(n + 1, seed)
        self.scores = NaiveCandidateScores(ORDERING, random_values(n + 1, seed), self.weights, self.templates.text)

    def search(self, width):
        return Search(ORDERING, self.templates, width)

    def predict(self, width):
        return self.search(width).predict(self.weights, self.columns).tolist()

    def score(self, path):
        walk, total = Walk(ORDERING, self.columns), 0.0
        for candidate in path:
            total += self.scores(walk)[candidate]
            walk.advance(candidate)
        return total


# Searching


@QUICK
@given(TEXTS, st.integers(0, 7), seeds)
def test_beam_width_one_takes_the_best_candidate_of_each_state(text, n, seed):
    problem = Problem(text, n, seed)
    walk, path = Walk(ORDERING, problem.columns), []
    while not walk.is_final:
        scores = problem.scores(walk)
        # The first of equals, like max.
        path.append(max(walk.legal(), key=scores.__getitem__))
        walk.advance(path[-1])
    assert problem.predict(1) == path


@QUICK
@given(TEXTS, st.integers(0, 4), seeds)
def test_a_beam_that_holds_all_paths_finds_the_best(text, n, seed):
    problem = Problem(text, n, seed)
    paths = all_paths(lambda path: replay(ORDERING, problem.columns, path))
    assert problem.score(problem.predict(100)) == max(map(problem.score, paths))


@QUICK
@given(TEXTS, st.integers(0, 8), seeds, widths)
def test_each_path_found_has_the_sum_of_its_candidates_scores(text, n, seed, width):
    problem = Problem(text, n, seed)
    for path, score in problem.search(width).predict_all(problem.weights, problem.columns, recombine=False):
        assert problem.score(path.tolist()) == score


@QUICK
@given(TEXTS, st.integers(0, 12), seeds, widths)
def test_a_prediction_is_a_legal_path_to_a_final_state(text, n, seed, width):
    problem = Problem(text, n, seed)
    assert replay(ORDERING, problem.columns, problem.predict(width)).is_final


@pytest.mark.parametrize("width", [1, 3, 64])
def test_ties_go_to_the_first_candidate(width):
    # Words that differ, so that each order is legal.
    values = np.arange(1, 13, dtype=np.uint64).reshape(6, 2)
    actions = Search(ORDERING, templates_for(ORDERING), width).predict(zero_weights(ORDERING), Columns(COLUMNS, values))
    assert actions.tolist() == [0, 1, 2, 3, 4]


@settings(deadline=None, max_examples=25)
@given(TEXTS, st.integers(0, 9), seeds)
def test_a_wide_beam_finds_what_the_search_of_orders_over_subsets_finds(text, n, seed):
    problem = Problem(text, n, seed)
    ranked = Ranker(ORDERING, problem.templates, 1).rank(problem.weights, problem.columns, 2, exact=True)
    # It holds all states: a state is the set that is placed and its last member.
    path, score = problem.search(1024).predict_all(problem.weights, problem.columns)[0]
    assert score == ranked[0][1]
    if len(ranked) == 1 or ranked[1][1] < score:
        assert tuple(path.tolist()) == ranked[0][0]


def test_the_longest_phrase_can_be_searched():
    columns = random_columns(65)
    actions = Search(ORDERING, templates_for(ORDERING), 5).predict(random_weights(ORDERING), columns)
    assert replay(ORDERING, columns, actions).is_final


def test_a_phrase_that_is_too_long_is_refused():
    with pytest.raises(ValueError, match="J355"):
        Search(ORDERING, templates_for(ORDERING), 5).predict(random_weights(ORDERING), random_columns(66))


@pytest.mark.parametrize("width", [1, 8, 200])
@pytest.mark.parametrize("scale", [float("nan"), float("inf")])
def test_scores_that_are_not_numbers_are_refused(width, scale):
    search = Search(ORDERING, templates_for(ORDERING), width)
    with pytest.raises(ValueError, match="J009"):
        search.predict(random_weights(ORDERING, scale=scale), random_columns(5))


def test_a_search_goes_from_long_phrases_to_short_ones_and_back():
    search, weights = Search(ORDERING, templates_for(ORDERING), 6), random_weights(ORDERING)
    for n in (40, 2, 1, 65, 3):
        columns = random_columns(n, n)
        fresh = Search(ORDERING, templates_for(ORDERING), 6)
        assert search.predict(weights, columns).tolist() == fresh.predict(weights, columns).tolist()


def test_a_trace_says_which_candidates_were_taken():
    columns = random_columns(6)
    actions, (parents, taken, _) = Search(ORDERING, templates_for(ORDERING), 4).trace(random_weights(ORDERING), columns)
    item, path = 0, []
    for step in range(len(taken) - 1, -1, -1):
        path.append(taken[step, item])
        item = parents[step, item]
    assert path[::-1] == actions.tolist()


# Walking


def test_states_continued_by_candidates_have_no_slots_of_their_own():
    with pytest.raises(ValueError, match="J008"):
        Walk(ORDERING, random_columns(4)).slots()


@pytest.mark.parametrize("candidate", [-1, 3, 4096])
def test_only_candidates_that_may_be_taken_have_rows(candidate):
    with pytest.raises(ValueError, match="J005"):
        Walk(ORDERING, random_columns(4)).rows(candidate)


def test_actions_have_no_rows():
    with pytest.raises(ValueError, match="J005"):
        Walk(JOINT, random_columns(4)).rows(0)


# Learning


def learn(problem, n_epochs=1, batch_size=1, width=4, dropout=0.0, **settings):
    weights = Weights(14, 1)
    weights.learn()
    learner = Learner(weights, ORDERING, templates_for(ORDERING), width, **settings)
    instances = [Instance(*document) for document in problem]
    reports = [
        learner.update(instances[at : at + batch_size], dropout)
        for _ in range(n_epochs)
        for at in range(0, len(instances), batch_size)
    ]
    return weights, reports


def random_orders(n_documents=8):
    """Phrases and random orders of them, which cannot be learnt."""
    random = np.random.default_rng(3)
    problem = []
    for seed in range(n_documents):
        columns = random_columns(int(random.integers(1, 9)), seed)
        walk, path = Walk(ORDERING, columns), []
        while not walk.is_final:
            path.append(int(random.choice(walk.legal())))
            walk.advance(path[-1])
        problem.append((columns, np.array(path, dtype=np.uint16)))
    return problem


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("rule", RULES)
def test_every_strategy_learns_orders_with_every_rule(strategy, rule):
    problem = ordering_problem()
    weights, reports = learn(problem, 30, strategy=strategy, rule=rule)
    assert [report["stretches"] for report in reports[-len(problem) :]] == [0] * len(problem)
    search = Search(ORDERING, templates_for(ORDERING), 1 if strategy == "greedy" else 4)
    for columns, actions in problem:
        assert search.predict(weights, columns, exact=True).tolist() == actions.tolist()


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("dropout", [0.0, 0.4])
def test_any_number_of_threads_learns_identical_weights(strategy, dropout):
    learnt = [
        learn(random_orders(), 2, batch_size=4, strategy=strategy, threads=threads, dropout=dropout)
        for threads in (1, 2)
    ]
    assert learnt[0][0].raw.any()
    assert learnt[0][0].raw.tobytes() == learnt[1][0].raw.tobytes()
    assert learnt[0][0].total.tobytes() == learnt[1][0].total.tobytes()
    assert learnt[0][1] == learnt[1][1]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_violations_are_never_negative(strategy):
    _, reports = learn(random_orders(), 3, strategy=strategy)
    assert min(report["violation"] for report in reports) >= -1e-4


def test_an_update_moves_the_scores_apart_by_the_loss():
    columns, gold = max(random_orders(), key=lambda document: len(document[1]))
    weights, (report,) = learn([(columns, gold)], strategy="early", aggressiveness=1e6)
    assert report["stretches"] == 1
    # Zero weights: violation 0 and loss 1, so the difference d is scored 1 now: tau * |d|^2 = 1, |tau * d|^2 = tau.
    smallest = np.abs(weights.raw[weights.raw != 0]).min()
    assert (weights.raw.astype(np.float64) ** 2).sum() == pytest.approx(smallest, rel=1e-5)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("path", [[], [0, 0, 0], [0, 1], [3, 0, 1], [0, 1, 65535], [0, 1, 4096]])
def test_paths_that_are_no_orders_are_refused(strategy, path):
    columns = Columns(COLUMNS, np.arange(1, 9, dtype=np.uint64).reshape(4, 2))
    with pytest.raises(ValueError, match="J043"):
        learn([(columns, path)], strategy=strategy, width=40)


@pytest.mark.parametrize("strategy", ["greedy", "max_violation", "dlaso", "laso"])
def test_candidates_after_the_end_are_refused(strategy):
    columns = Columns(COLUMNS, np.arange(1, 9, dtype=np.uint64).reshape(4, 2))
    with pytest.raises(ValueError, match="J043"):
        learn([(columns, [0, 1, 2, 0])], strategy=strategy, width=40)


@QUICK
@given(
    st.sampled_from(STRATEGIES), st.integers(0, 4), st.lists(st.integers(0, 5), max_size=6), st.sampled_from([1, 40])
)
def test_exactly_the_legal_paths_are_accepted(strategy, n, path, width):
    columns = random_columns(n + 1)
    try:
        legal = replay(ORDERING, columns, path).is_final
    except ValueError:
        legal = False
    try:
        learn([(columns, path)], strategy=strategy, width=width)
        accepted = True
    except ValueError:
        accepted = False
    # Early update never sees the rest of the document.
    assert accepted == legal or (accepted and strategy == "early")
