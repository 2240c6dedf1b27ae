"""Reads results from the stored runs: scores at the end, or after some epochs or time, and their significance."""

from collections.abc import Sequence
from functools import cache
from itertools import chain
from statistics import fmean
from typing import Any

import numpy as np
from scipy.stats import wilcoxon

from .plan import at_seed
from .runs import MEASURES, Reparsing, Run, Store

# The significance level of the paper.
ALPHA = 0.01

Scores = dict[str, Any]


class Results:
    """The results of runs with some seeds; scores are means over those that have been performed."""

    def __init__(self, store: Store, seeds: Sequence[int]) -> None:
        self.find = cache(store.find)
        self.seeds = seeds

    def measure_each(self, run: Run | Reparsing, split: str = "dev") -> dict[int, Scores]:
        """The scores of the finished system by seed, if the corpus has this split."""
        found = {seed: self.find(at_seed(run, seed)) for seed in self.seeds}
        return {seed: result["splits"][split] for seed, result in found.items() if result and split in result["splits"]}

    def measure(self, run: Run | Reparsing, split: str = "dev") -> Scores | None:
        """The scores of the finished system, if the corpus has this split."""
        each = list(self.measure_each(run, split).values())
        if not each:
            return None
        documents = {name: np.mean([one["documents"][name] for one in each], axis=0) for name in MEASURES}
        return {**{name: fmean(one[name] for one in each) for name in MEASURES}, "documents": documents}

    def used_each(self, run: Run, number: int) -> list[float]:
        """The share of the gold sequence that was used with each seed in an epoch."""
        records = chain.from_iterable(self.epochs(at_seed(run, seed)) for seed in self.seeds)
        return [epoch["used"] for epoch in records if epoch["number"] == number]

    def epochs(self, run: Run) -> list[Scores]:
        """The records of all epochs."""
        found = self.find(run)
        return found["epochs"] if found else []

    def points(self, run: Run) -> list[Scores]:
        """The records of the epochs after which the system was scored."""
        return [epoch for epoch in self.epochs(run) if "las" in epoch]

    def after_epochs(self, run: Run, number: int) -> Scores | None:
        """The last point within this number of epochs."""
        return _last(point for point in self.points(run) if point["number"] <= number)

    def after_seconds(self, run: Run, seconds: float) -> Scores | None:
        """The last point within this many seconds of training."""
        return _last(point for point in self.points(run) if point["seconds"] <= seconds)

    def probability(
        self, first: Run | Reparsing, second: Run | Reparsing, name: str, split: str = "dev"
    ) -> float | None:
        """The p-value of the difference between two systems over documents: Wilcoxon's signed-rank test."""
        one, other = self.measure(first, split), self.measure(second, split)
        if one is None or other is None:
            return None
        pairs = list(zip(one["documents"][name], other["documents"][name], strict=True))
        # The test is undefined if no document differs.
        if all(mine == yours for mine, yours in pairs):
            return 1.0
        return float(wilcoxon(*zip(*pairs, strict=True)).pvalue)

    def is_better(self, first: Run | Reparsing, second: Run | Reparsing, name: str, split: str = "dev") -> bool:
        """Whether the first of two systems is significantly better."""
        one, other = self.measure(first, split), self.measure(second, split)
        probability = self.probability(first, second, name, split)
        if one is None or other is None or probability is None:
            return False
        return one[name] > other[name] and probability < ALPHA


def _last(points: Any) -> Scores | None:
    found = list(points)
    return found[-1] if found else None
