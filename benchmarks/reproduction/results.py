"""Reads results from the stored runs: scores at the end, or after some epochs or time, and their significance."""

from functools import cache
from typing import Any

from scipy.stats import wilcoxon

from .runs import Reparsing, Run, Store

# The significance level of the paper.
ALPHA = 0.01

Scores = dict[str, Any]


class Results:
    """The results of runs; None for missing runs."""

    def __init__(self, store: Store) -> None:
        self.find = cache(store.find)

    def measure(self, run: Run | Reparsing, split: str = "dev") -> Scores | None:
        """The scores of the finished system, if the corpus has this split."""
        found = self.find(run)
        return found["splits"].get(split) if found else None

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
