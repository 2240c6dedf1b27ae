"""The registered encoder: a bidirectional LSTM without torch, between embeddings and predictions of a `tok2vec`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, cast

import numpy as np
from thinc.api import Dropout, Model, NumpyOps, chain, glorot_uniform_init, with_padded
from thinc.types import Floats2d, Padded
from thinc.util import get_width

from ..errors import Errors, JointValueError
from .lstm import run_lstm, run_lstm_back
from .windows import with_windows

DIRECTIONS = ("forward", "backward")


def BiLSTMEncoder(
    *, width: int, depth: int = 2, window: int = 254, stride: int = 192
) -> Model[list[Floats2d], list[Floats2d]]:
    """A bidirectional LSTM over windows of documents, registered as `spacy_joint.BiLSTMEncoder.v1`.

    It goes where `spacy.MaxoutWindowEncoder.v2` goes, in `spacy.Tok2Vec.v2`. Unlike that, it sees the whole window, and
    its input may have any width. The rate of dropout, before each layer and after the last, is that of training.

    width (int): The width of the output, of which each direction has half.
    depth (int): The number of layers.
    window, stride (int): See `cut_windows`.
    RAISES ValueError: If a setting is out of range (J621, J622).
    """
    if width < 2 or width % 2 or depth < 1:
        raise JointValueError(Errors.J622, width=width, depth=depth)
    layers: list[Model[Padded, Padded]] = []
    for number in range(depth):
        layers += [cast(Model[Padded, Padded], Dropout(0.0)), _BiLSTM(width, width if number else None)]
    layers.append(cast(Model[Padded, Padded], Dropout(0.0)))
    return use_numpy_products(with_windows(with_padded(chain(*layers)), width, window, stride))


def use_numpy_products(model: Model) -> Model:
    """Lets layers multiply matrices by numpy instead of BLIS, which is several times slower on recent processors."""
    for node in model.walk():
        if isinstance(node.ops, NumpyOps) and node.ops.use_blis:
            node.ops = NumpyOps(use_blis=False)
    return model


def _BiLSTM(nO: int, nI: int | None) -> Model[Padded, Padded]:
    """A layer of the encoder."""
    params: dict[str, Any] = {
        f"{name}_{direction}": None for direction in DIRECTIONS for name in ("input", "recurrent", "bias")
    }
    return Model("bilstm", _forward, init=_init, dims={"nO": nO, "nI": nI}, params=params)


def _init(model: Model[Padded, Padded], X: Padded | None = None, Y: Padded | None = None) -> None:
    if X is not None:
        model.set_dim("nI", get_width(X))
    width, nI = model.get_dim("nO") // 2, model.get_dim("nI")
    for direction in DIRECTIONS:
        # Of each gate by itself.
        model.set_param(
            f"input_{direction}",
            model.ops.xp.hstack([glorot_uniform_init(model.ops, (nI, width)) for _ in range(4)]),
        )
        model.set_param(
            f"recurrent_{direction}",
            model.ops.xp.hstack([glorot_uniform_init(model.ops, (width, width)) for _ in range(4)]),
        )
        bias: Any = model.ops.alloc1f(4 * width)
        # At first, cells keep what they have (Gers et al. 2000).
        bias[width : 2 * width] = 1.0
        model.set_param(f"bias_{direction}", bias)


def _forward(model: Model[Padded, Padded], X: Padded, is_train: bool) -> tuple[Padded, Callable[[Padded], Padded]]:
    # The recurrence is for numpy: arrays of a GPU make the way there and back.
    ops: Any = model.ops
    data = ops.to_numpy(X.data)
    sizes = ops.to_numpy(X.size_at_t).tolist()
    lengths = ops.to_numpy(X.lengths)
    n_steps, batch, nI = data.shape
    flat = np.ascontiguousarray(data.reshape(n_steps * batch, nI))
    reverse = _find_reverse(lengths, n_steps, batch)
    runs = []
    outputs = []
    for direction, W, U, bias in _list_params(model):
        gates = flat @ W
        gates += bias
        if direction:
            gates = gates[reverse]
        gates = gates.reshape(n_steps, batch, -1)
        hidden, cells, squashed = run_lstm(gates, U, sizes)
        runs.append((gates, hidden, cells, squashed))
        outputs.append(hidden if not direction else hidden.reshape(n_steps * batch, -1)[reverse].reshape(hidden.shape))
    Y = Padded(ops.asarray(np.concatenate(outputs, axis=2)), X.size_at_t, X.lengths, X.indices)

    def backprop(dY: Padded) -> Padded:
        d_outputs = np.split(ops.to_numpy(dY.data), 2, axis=2)
        d_flat = np.zeros_like(flat)
        for (direction, W, U, _), d_hidden, run in zip(_list_params(model), d_outputs, runs, strict=True):
            gates, hidden, cells, squashed = run
            width = hidden.shape[2]
            rows = np.ascontiguousarray(d_hidden, dtype=np.float32).reshape(-1, width)
            d_hidden = (rows[reverse] if direction else rows.copy()).reshape(hidden.shape)
            run_lstm_back(d_hidden, gates, U, sizes, cells, squashed)
            d_gates = gates.reshape(n_steps * batch, -1)
            d_U = hidden[:-1].reshape(-1, width).T @ d_gates[batch:]
            if direction:
                d_gates = d_gates[reverse]
            name = DIRECTIONS[direction]
            model.inc_grad(f"recurrent_{name}", ops.asarray(d_U))
            model.inc_grad(f"input_{name}", ops.asarray(flat.T @ d_gates))
            model.inc_grad(f"bias_{name}", ops.asarray(d_gates.sum(axis=0)))
            d_flat += d_gates @ W.T
        return Padded(ops.asarray(d_flat.reshape(data.shape)), X.size_at_t, X.lengths, X.indices)

    return Y, backprop


def _list_params(model: Model) -> Iterator[tuple[int, np.ndarray, np.ndarray, np.ndarray]]:
    for direction, name in enumerate(DIRECTIONS):
        arrays = (model.ops.to_numpy(model.get_param(f"{what}_{name}")) for what in ("input", "recurrent", "bias"))
        W, U, bias = arrays
        yield direction, W, U, bias


def _find_reverse(lengths: np.ndarray, n_steps: int, batch: int) -> np.ndarray:
    """The rows of steps x sequences with each sequence reversed, and the padding where it is."""
    steps = np.arange(n_steps)[:, None]
    reversed_steps = np.where(steps < lengths[None, :], lengths[None, :] - 1 - steps, steps)
    return (reversed_steps * batch + np.arange(batch)[None, :]).reshape(-1)
