"""Reads results from the stored runs: means over seeds with 95 % intervals, and significance over documents.

Intervals come from the standard deviation over seeds, pooled over the systems on a corpus: three seeds of one system
say little about its variation, and some systems run with one seed only.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from math import inf, isfinite, sqrt
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import t, wilcoxon

from .plan import Plan, at_seed
from .runs import MEASURES, Reparsing, Run, Store

# The significance level of the paper.
ALPHA = 0.01

Scores = dict[str, Any]


class Estimate(NamedTuple):
    """A mean over seeds, and half of its 95 % interval: infinite if no system has several seeds."""

    mean: float
    margin: float

    def exceeds(self, bound: float) -> bool | None:
        """Whether the interval is above a bound (or below it); None if it contains the bound."""
        return self.mean > bound if abs(self.mean - bound) > self.margin else None

    def is_below(self, bound: float) -> bool | None:
        """Whether the interval is below a bound (or above it); None if it contains the bound."""
        return Estimate(-self.mean, self.margin).exceeds(-bound)

    def show(self, sign: str = "") -> str:
        """In percent, or points; sign: "+" for differences."""
        return f"{100 * self.mean:{sign}.1f}" + (f" ± {100 * self.margin:.1f}" if 0 < self.margin < inf else "")


class Results:
    """The results of the runs of a plan; scores are means over the seeds performed so far."""

    def __init__(self, plan: Plan, store: Store) -> None:
        self.plan = plan
        self.find = cache(store.find)

    def find_all(self, run: Run | Reparsing) -> Iterator[Scores]:
        """The results of a run with each seed."""
        return filter(None, (self.find(at_seed(run, seed)) for seed in self.plan.seeds))

    def measure_each(self, run: Run | Reparsing, split: str = "dev") -> list[Scores]:
        """The scores of the finished system with each seed, if the corpus has this split."""
        return [found["splits"][split] for found in self.find_all(run) if split in found["splits"]]

    def measure(self, run: Run | Reparsing, split: str = "dev") -> Scores | None:
        """The scores of the finished system, and of its documents."""
        each = self.measure_each(run, split)
        if not each:
            return None
        documents = {name: np.mean([one["documents"][name] for one in each], axis=0) for name in MEASURES}
        return {**_average([{name: one[name] for name in MEASURES} for one in each]), "documents": documents}

    def epochs(self, run: Run) -> list[Scores]:
        """The records of all epochs."""
        return [_average(each) for each in zip(*(found["epochs"] for found in self.find_all(run)), strict=True)]

    def points(self, run: Run) -> list[Scores]:
        """The records of the epochs after which the system was scored."""
        return [epoch for epoch in self.epochs(run) if "las" in epoch]

    def within(self, run: Run, *, epochs: float = inf, seconds: float = inf, best: bool = False) -> Scores | None:
        """The last point within some epochs and seconds of training, or the one with the best F1."""
        points = [one for one in self.points(run) if one["number"] <= epochs and one["seconds"] <= seconds]
        key = "boundary_f" if best else "number"
        return max(points, key=lambda point: point[key], default=None)

    def used(self, run: Run, number: int) -> Estimate | None:
        """The share of the gold sequence that was used in an epoch. One seed has no interval, of width 0."""
        shares = [one["used"] for found in self.find_all(run) for one in found["epochs"] if one["number"] == number]
        if not shares:
            return None
        margin = pool([shares]) / sqrt(len(shares))
        return Estimate(fmean(shares), margin if isfinite(margin) else 0.0)

    def margin(self, corpus: str, name: str, split: str = "dev") -> float:
        """Half of the interval of a score of one run on a corpus."""
        runs = dict.fromkeys(at_seed(run, self.plan.seeds[0]) for run in self.plan.list_runs() if run.corpus == corpus)
        return pool([one[name] for one in self.measure_each(run, split)] for run in runs if _is_scored(run, name))

    def lead(self, corpus: str, mine: Scores, yours: Scores, name: str, split: str = "dev") -> Estimate:
        """The difference of two scores on a corpus."""
        margin = self.margin(corpus, name, split) * sqrt(1 / mine["seeds"] + 1 / yours["seeds"])
        return Estimate(mine[name] - yours[name], margin)

    def probability(
        self, first: Run | Reparsing, second: Run | Reparsing, name: str, split: str = "dev"
    ) -> float | None:
        """The p-value of the difference between two systems over documents: Wilcoxon's signed-rank test."""
        one, other = self.measure(first, split), self.measure(second, split)
        if one is None or other is None:
            return None
        mine, yours = one["documents"][name], other["documents"][name]
        # The test is undefined if no document differs.
        return 1.0 if np.array_equal(mine, yours) else float(wilcoxon(mine, yours).pvalue)

    def is_better(self, first: Run | Reparsing, second: Run | Reparsing, name: str, split: str = "dev") -> bool | None:
        """Whether the first of two systems is significantly better (or worse), over seeds and over documents."""
        one, other = self.measure(first, split), self.measure(second, split)
        probability = self.probability(first, second, name, split)
        if one is None or other is None or probability is None or probability >= ALPHA:
            return None
        return self.lead(first.corpus, one, other, name, split).exceeds(0)


def pool(groups: Iterable[list[float]]) -> float:
    """Half of the 95 % interval of a single value, if groups vary alike around their means."""
    each = [group for group in groups if group]
    freedom = sum(len(group) - 1 for group in each)
    if not freedom:
        return inf
    squares = sum((value - fmean(group)) ** 2 for group in each for value in group)
    return float(t.ppf(0.975, freedom)) * sqrt(squares / freedom)


def _average(records: Iterable[Scores]) -> Scores:
    """The means of records, and their number."""
    each = list(records)
    return {**{name: fmean(one[name] for one in each) for name in each[0]}, "seeds": len(each)}


def _is_scored(run: Run | Reparsing, name: str) -> bool:
    """Whether a run varies in a measure: some systems have no trees, others no boundaries, of their own."""
    if isinstance(run, Reparsing):
        return name == "las"
    return run.system == "JOINT" or (run.system == "GOLD") == (name == "las")
