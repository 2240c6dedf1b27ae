"""What the stored runs say: scores at the end, after some epochs or some time, and whether differences are luck."""

from functools import cache
from typing import Any

from scipy.stats import wilcoxon

from .runs import Reparsing, Run, Store

# Differences with a lower probability under the null hypothesis are significant, as in the paper.
ALPHA = 0.01

Scores = dict[str, Any]


class Results:
    """The results of runs; None for those that were not run."""

    def __init__(self, store: Store) -> None:
        self.find = cache(store.find)

    def measure(self, run: Run | Reparsing, split: str = "dev") -> Scores | None:
        """The scores of the finished system, if the corpus has the split."""
        found = self.find(run)
        return found["splits"].get(split) if found else None

    def epochs(self, run: Run) -> list[Scores]:
        """The epochs."""
        found = self.find(run)
        return found["epochs"] if found else []

    def points(self, run: Run) -> list[Scores]:
        """The epochs after which the system was scored."""
        return [epoch for epoch in self.epochs(run) if "las" in epoch]

    def after_epochs(self, run: Run, number: int) -> Scores | None:
        """The last point of the first so many epochs."""
        return _last(point for point in self.points(run) if point["number"] <= number)

    def after_seconds(self, run: Run, seconds: float) -> Scores | None:
        """The last point within so many seconds of training."""
        return _last(point for point in self.points(run) if point["seconds"] <= seconds)

    def probability(
        self, first: Run | Reparsing, second: Run | Reparsing, name: str, split: str = "dev"
    ) -> float | None:
        """That two systems of the same quality differ as much on the documents: Wilcoxon's signed-rank test."""
        one, other = self.measure(first, split), self.measure(second, split)
        if one is None or other is None:
            return None
        pairs = list(zip(one["documents"][name], other["documents"][name], strict=True))
        # Documents without a difference say nothing, and the test is not defined if that is all.
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
