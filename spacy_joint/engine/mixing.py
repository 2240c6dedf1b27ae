"""Mixes weights learnt from parts of a corpus, after iterative parameter mixing (McDonald, Hall & Mann 2010).

Each epoch makes one pass over every shard of the documents, all from the same training state; the final states of the
passes are mixed, and the next epoch starts from the mixture. McDonald et al. take the mean of all passes, which dilutes
the weights of rare features that only one shard has. Here, each weight is the mean over the passes that changed it.

Let a table start from weights w, sums u, counts of changes k and c instances (see weights.pxd), and its pass i, over
m_i instances, end with w_i, u_i and k_i; let M be the sum of all m_i, and r the number of passes that changed a weight,
or 1. Then the mixture has

- w' = w + 1/r sum_i (w_i - w);
- c' = c + M: all instances have been seen;
- u' such that w' - u'/c', from which predictions are made, is the mean over all instances so far of the weights after
  them, where those of the passes are mixed as above. All passes take the same time, so an instance of a short one
  stands for M / m_i: c' w' - u' = c w - u + M w + 1/r sum_i M / m_i ((c + m_i) (w_i - w) - (u_i - u));
- k' = k + sum_i (k_i - k), up to 255: `min_changes` counts the changes of all shards.

The mixture of a single pass is its final state, bit for bit.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

MAX_CHANGES = 255
# The number of cells mixed at a time: few enough for the cache of the processor.
BLOCK = 1 << 14


@dataclass(frozen=True)
class TrainingState:
    """The training state of one table: the arguments of `Weights.restore`, and the fingerprint, `n_seen` and `seed` of
    its `LinearModel`."""

    fingerprint: str
    raw: np.ndarray
    total: np.ndarray
    n_changes: np.ndarray
    n_updates: int
    n_seen: int
    seed: int


def mix(start: TrainingState, ends: Sequence[TrainingState]) -> TrainingState:
    """Mixes the final states of passes of one table over the shards of a corpus, in the order of the shards, as defined
    above. All passes began at `start`, whose seed the mixture has."""
    if len(ends) == 1:
        return replace(ends[0], seed=start.seed)
    raw, total = np.empty_like(start.raw), np.empty_like(start.total)
    for first in range(0, raw.size, BLOCK):
        cells = slice(first, first + BLOCK)
        raw[cells], total[cells] = _mix_cells(start, ends, cells)
    n_changes = sum((end.n_changes for end in ends), start.n_changes.astype(np.int32) * (1 - len(ends)))
    return TrainingState(
        fingerprint=start.fingerprint,
        raw=raw,
        total=total,
        n_changes=np.minimum(n_changes, MAX_CHANGES).astype(np.uint8),
        n_updates=start.n_updates + sum(end.n_updates - start.n_updates for end in ends),
        n_seen=start.n_seen + sum(end.n_seen - start.n_seen for end in ends),
        seed=start.seed,
    )


def _mix_cells(start: TrainingState, ends: Sequence[TrainingState], cells: slice) -> tuple[np.ndarray, np.ndarray]:
    # In 64 bits, and in the order of the shards, so that the result does not depend on where the passes ran.
    raw, total = start.raw[cells].astype(np.float64), start.total[cells].astype(np.float64)
    change, change_over_time = np.zeros_like(raw), np.zeros_like(raw)
    n_changing = np.zeros_like(raw)
    n_new = sum(end.n_updates - start.n_updates for end in ends)
    for end in ends:
        if end.n_updates > start.n_updates:
            weight_changes, sum_changes = end.raw[cells] - raw, end.total[cells] - total
            change += weight_changes
            share = n_new / (end.n_updates - start.n_updates)
            change_over_time += share * (end.n_updates * weight_changes - sum_changes)
            # Weights may have changed and changed back.
            n_changing += (weight_changes != 0) | (sum_changes != 0)
    np.maximum(n_changing, 1, out=n_changing)
    change /= n_changing
    return raw + change, total + (start.n_updates + n_new) * change - change_over_time / n_changing
