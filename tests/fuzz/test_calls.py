"""Random calls in random order, which must not change results.

Whatever has been done to a pipeline, it must annotate a document like a process that has done nothing else (see
pipelines.py), or like a twin that has been spared the rest. Errors need codes. Hypothesis shortens failures.
"""

import sys
import warnings
from functools import partial
from random import Random

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from .lives import Life
from .pipelines import N_PIPELINES, Oracle
from .steps import STEPS

# Each takes seconds; the profile `long` has a thousand. Hypothesis begins with the simplest, which only calls.
N_LIVES = settings.default.max_examples // 50


class Calls(RuleBasedStateMachine):
    def __init__(self, oracle):
        super().__init__()
        self.oracle = oracle

    @initialize(pipeline=st.integers(0, N_PIPELINES - 1), threads=st.sampled_from((1, 1, 1, 2)))
    def begin(self, pipeline, threads):
        self.life = Life(self.oracle, pipeline, threads)

    @rule(step=st.sampled_from(STEPS), seed=st.integers(0, 1 << 32))
    def go_on(self, step, seed):
        step(self.life, Random(seed))


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_random_calls_do_not_change_results(tmp_path):
    limits = settings(max_examples=N_LIVES, stateful_step_count=60, suppress_health_check=list(HealthCheck))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run_state_machine_as_test(partial(Calls, Oracle(tmp_path)), settings=limits)
