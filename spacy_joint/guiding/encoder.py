"""The registered encoder: a bidirectional LSTM without torch, between embeddings and predictions of a `tok2vec`."""

from collections.abc import Callable
from typing import Any

import numpy as np
from thinc.api import Dropout, Model, NumpyOps, chain, glorot_uniform_init, with_ragged
from thinc.types import Ragged
from thinc.util import get_width

from ..errors import check_range, check_value
from .lstm import backprop_lstm, run_lstm
from .windows import Layer, with_windows

DIRECTIONS = ("forward", "backward")
# The input's share of the gates, the share of the last hidden state, and the bias, for each direction.
PARAMETERS = ("input", "recurrent", "bias")
# A step of the LSTM is one product for all windows of a batch.
BATCH_SIZE = 64


def BiLSTMEncoder(*, width: int, depth: int = 2, window: int = 254, stride: int = 192) -> Layer:
    """Makes a bidirectional LSTM over windows of documents, registered as `spacy_joint.BiLSTMEncoder.v1`.

    It replaces `spacy.MaxoutWindowEncoder.v2` in `spacy.Tok2Vec.v2`. Unlike that, it sees the whole window, and takes
    input of any width. Dropout, before each layer and after the last, has the rate of training.

    width (int): The width of the output; each direction has half of it.
    window, stride (int): See `cut_windows`.
    RAISES ValueError: If a setting is out of range (J030).
    """
    check_value("width", width, width >= 2 and width % 2 == 0, "an even number above 0")
    check_range("depth", depth, 1)
    layers: list[Any] = [Dropout(0.0)]
    for number in range(depth):
        layers += [_BiLSTM(width, width if number else None), Dropout(0.0)]
    return use_numpy_products(with_windows(with_ragged(chain(*layers)), width, window, stride, BATCH_SIZE))


def use_numpy_products(model: Model) -> Model:
    """Makes layers multiply matrices by numpy instead of BLIS, which is several times slower on recent processors."""
    for node in model.walk():
        if isinstance(node.ops, NumpyOps) and node.ops.use_blis:
            node.ops = NumpyOps(use_blis=False)
    return model


def _BiLSTM(nO: int, nI: int | None) -> Model[Ragged, Ragged]:
    params: dict[str, Any] = {f"{name}_{direction}": None for direction in DIRECTIONS for name in PARAMETERS}
    return Model("bilstm", _forward, init=_init, dims={"nO": nO, "nI": nI}, params=params)


def _init(model: Model[Ragged, Ragged], X: Ragged | None = None, Y: Ragged | None = None) -> None:
    if X is not None:
        model.set_dim("nI", get_width(X))
    width, nI = model.get_dim("nO") // 2, model.get_dim("nI")
    for direction in DIRECTIONS:
        for name, n_rows in (("input", nI), ("recurrent", width)):
            gates = [glorot_uniform_init(model.ops, (n_rows, width)) for _ in range(4)]
            model.set_param(f"{name}_{direction}", model.ops.xp.hstack(gates))
        bias: Any = model.ops.alloc1f(4 * width)
        # Forget gates start open, so cells keep their content (Gers et al. 2000).
        bias[width : 2 * width] = 1.0
        model.set_param(f"bias_{direction}", bias)


def _forward(model: Model[Ragged, Ragged], X: Ragged, is_train: bool) -> tuple[Ragged, Callable[[Ragged], Ragged]]:
    # The recurrence runs in numpy: arrays on a GPU are copied there and back.
    ops: Any = model.ops
    data, lengths = ops.to_numpy(X.dataXd), ops.to_numpy(X.lengths)
    ends = np.cumsum(lengths)
    Y = np.empty((len(data), model.get_dim("nO")), dtype=np.float32)
    gates: np.ndarray | None = None
    runs: list[tuple[Any, ...]] = []
    for direction, hidden in zip(DIRECTIONS, np.hsplit(Y, 2), strict=True):
        W, U, bias = (ops.to_numpy(model.get_param(f"{name}_{direction}")) for name in PARAMETERS)
        reverse = direction == "backward"
        gates = np.matmul(data, W, out=None if is_train else gates)
        kept = np.empty((2, *hidden.shape), dtype=np.float32) if is_train else None
        run_lstm(gates, U, bias, lengths, hidden, reverse=reverse, kept=kept)
        runs.append((direction, reverse, W, U, hidden, gates, kept))

    def backprop(dY: Ragged) -> Ragged:
        d_data = np.zeros_like(data)
        d_halves = np.hsplit(ops.to_numpy(dY.dataXd), 2)
        for (direction, reverse, W, U, hidden, d_gates, kept), d_hidden in zip(runs, d_halves, strict=True):
            backprop_lstm(d_gates, U, lengths, d_hidden, reverse=reverse, kept=kept)
            # The hidden states of the step before each row; 0 where a sequence starts.
            before = np.roll(hidden, -1 if reverse else 1, axis=0)
            before[ends - 1 if reverse else ends - lengths] = 0.0
            model.inc_grad(f"recurrent_{direction}", ops.asarray(before.T @ d_gates))
            model.inc_grad(f"input_{direction}", ops.asarray(data.T @ d_gates))
            model.inc_grad(f"bias_{direction}", ops.asarray(d_gates.sum(axis=0)))
            d_data += d_gates @ W.T
        return Ragged(ops.asarray(d_data), X.lengths)

    return Ragged(ops.asarray(Y), X.lengths), backprop
