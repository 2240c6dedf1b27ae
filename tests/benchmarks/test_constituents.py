"""The runs of the experiments with constituents."""

import pytest
from constituents import Run, list_experiments, list_final_runs, read_features

from spacy_joint.engine.templates import Templates
from spacy_joint.phrases.constituency_parser import SYSTEMS
from spacy_joint.pipes.token_columns import COLUMNS
from spacy_joint.trees.constituency_trees import ROOT

RUNS = {run for runs in list_experiments().values() for run in runs.values()} | set(list_final_runs().values())


@pytest.mark.parametrize("run", sorted({(run.system, run.features) for run in RUNS}))
def test_the_features_of_all_runs_are_known_to_their_systems(run):
    system, features = run
    text = read_features(Run(system=system, features=features))
    made = SYSTEMS[system].make(unary=["A"], binary=[("A", "L")], root=ROOT)
    assert Templates(text, COLUMNS, made).n_templates > 20


def test_the_same_features_are_as_many_for_swaps_and_gaps():
    texts = [read_features(Run(system=system)) for system in ("swap", "gap")]
    assert len(texts[0].split()) == len(texts[1].split())
    assert "q0" in texts[0] and "q0" not in texts[1] and "b0" in texts[1]


def test_runs_with_other_settings_have_other_names():
    assert len({run.name() for run in RUNS}) == len(RUNS)
