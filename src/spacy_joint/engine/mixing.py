"""Mixing what was learnt from parts of a corpus: iterative parameter mixing (McDonald, Hall & Mann 2010).

The documents are divided into N shards. In each epoch, every shard is passed through once, by itself, from the same
training state; what the passes end with is mixed, and the next epoch starts from the mixture. For a table that starts
from weights w, sums u, counts of changes k and c instances (see weights.pxd), and whose pass over shard i ends with
w_i, u_i, k_i and c_i, the mixture has

- w' = 1/N (w_1 + ... + w_N): uniform mixing of the weights, for which the perceptron's bound on mistakes holds;
- c' = c + (c_1 - c) + ... + (c_N - c): all instances of all shards have been seen;
- u' = u_1 + ... + u_N - (N - 1) u + (c'/N - c_1) (w_1 - w) + ... + (c'/N - c_N) (w_N - w), so that w' - u'/c', from
  which predictions are made, is the mean of the weights after each instance, in whichever shard and epoch: what
  Collins (2002) averages, and not the mean of means, in which instances of short shards would count more;
- k' = k + (k_1 - k) + ... + (k_N - k), up to 255: `min_changes` counts the changes of all shards, since a feature of
  one shard only is as useful as it would be without shards.

A mixture of one pass is the end of this pass, to the bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import Errors, JointValueError

MOST_CHANGES = 255


@dataclass(frozen=True)
class TrainingState:
    """What one table has learnt so far: all that training needs in order to go on in another process.

    fingerprint (str): That of the model: see `LinearModel.fingerprint`.
    raw, total, n_changes (np.ndarray), n_updates (int): See `Weights.restore`.
    n_seen (int), seed (int): Those of the model: see `LinearModel`.
    """

    fingerprint: str
    raw: np.ndarray
    total: np.ndarray
    n_changes: np.ndarray
    n_updates: int
    n_seen: int
    seed: int


def mix(start: TrainingState, ends: Sequence[TrainingState]) -> TrainingState:
    """Mixes the ends of passes of one table over the shards of a corpus, as defined above.

    start (TrainingState): What all passes started from.
    ends (Sequence[TrainingState]): What they ended with, in the order of the shards.
    RETURNS (TrainingState): What the next passes start from, with the seed of the start.
    RAISES ValueError: If there is no pass, or one has other features or a table of another size, or did not start from
        the start (J731).
    """
    if not ends:
        raise JointValueError(Errors.J731, shard=0, what="there is none")
    for shard, end in enumerate(ends):
        _require_continuation(start, end, shard)
    n_updates = start.n_updates + sum(end.n_updates - start.n_updates for end in ends)
    # In 64 bits, and in the order of the shards: the result is the same wherever the passes ran.
    raw = np.zeros(start.raw.shape, dtype=np.float64)
    total = start.total * np.float64(1 - len(ends))
    n_changes = start.n_changes.astype(np.int64) * (1 - len(ends))
    for end in ends:
        raw += end.raw
        total += end.total
        factor = n_updates / len(ends) - end.n_updates
        if factor:
            total += factor * (end.raw - start.raw.astype(np.float64))
        n_changes += end.n_changes
    raw /= len(ends)
    return TrainingState(
        fingerprint=start.fingerprint,
        raw=raw.astype(np.float32),
        total=total.astype(np.float32),
        n_changes=np.minimum(n_changes, MOST_CHANGES).astype(np.uint8),
        n_updates=n_updates,
        n_seen=start.n_seen + sum(end.n_seen - start.n_seen for end in ends),
        seed=start.seed,
    )


def _require_continuation(start: TrainingState, end: TrainingState, shard: int) -> None:
    """RAISES ValueError: If `end` cannot be what learning from `start` ended with (J731)."""
    if end.fingerprint != start.fingerprint:
        what = f"it has other labels or templates ({end.fingerprint} instead of {start.fingerprint})"
    elif (found := [array.shape for array in _arrays(end)]) != (wanted := [array.shape for array in _arrays(start)]):
        what = f"it has arrays of {found} weights, sums and features instead of {wanted}"
    elif end.n_updates < start.n_updates or end.n_seen < start.n_seen or (end.n_changes < start.n_changes).any():
        what = "it has learnt less"
    else:
        return
    raise JointValueError(Errors.J731, shard=shard, what=what)


def _arrays(state: TrainingState) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return state.raw, state.total, state.n_changes
