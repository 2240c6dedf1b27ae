"""The state of an interrupted training of a guide: the moments of the optimizer, its number of steps, and the states of
random numbers. Checkpoints store it as the file `learning`, which is twice as large as the weights."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import srsly
from thinc.api import Model, Optimizer
from thinc.compat import has_torch, torch

from ..engine import model_file

MOMENTS = ("mom1", "mom2")
# The array of the file.
STATE = "state"


def pack_learning_state(model: Model, optimizer: Optimizer, counts: Mapping[str, int]) -> bytes:
    """Packs the state of the training of a model after a step."""
    moments = {}
    for name, key in _list_parameters(model):
        if key in optimizer.mom1:
            found = (model.ops.to_numpy(getattr(optimizer, moment)[key]) for moment in MOMENTS)
            moments[name] = [optimizer.nr_update[key], *found]
    # numpy's state: the name of the generator, an array, and three scalars.
    random = {"numpy": list(np.random.get_state()), "torch": torch.get_rng_state().numpy() if has_torch else None}
    state = srsly.msgpack_dumps({**counts, "moments": moments, "random": random})
    # With a checksum.
    return model_file.pack({}, {STATE: np.frombuffer(state, np.uint8)})


def unpack_learning_state(content: bytes, source: str) -> dict[str, Any]:
    """Unpacks the state of a training. RAISES ValueError: If it is damaged (J050 to J052)."""
    state: dict[str, Any] = srsly.msgpack_loads(model_file.unpack(content, source)[1][STATE].tobytes())
    return state


def restore_optimizer(model: Model, optimizer: Optimizer, state: Mapping[str, Any]) -> None:
    """Restores the moments of parameters in the optimizer of a resumed training, and advances its schedules."""
    # Another guide may have advanced them.
    if not optimizer.nr_update:
        for _ in range(state["n_steps"]):
            optimizer.step_schedules()
    for name, key in _list_parameters(model):
        if name in state["moments"]:
            moments: list[Any]
            optimizer.nr_update[key], *moments = state["moments"][name]
            for moment, values in zip(MOMENTS, moments, strict=True):
                getattr(optimizer, moment)[key] = model.ops.asarray1f(values.copy())


def restore_random_numbers(random: Mapping[str, Any]) -> None:
    """Continues the random numbers of dropout: numpy's, and torch's on a CPU."""
    np.random.set_state(tuple(random["numpy"]))
    if has_torch and random["torch"] is not None:
        torch.set_rng_state(torch.from_numpy(np.array(random["torch"])))


def _list_parameters(model: Model) -> Iterator[tuple[str, tuple[int, str]]]:
    """Yields the names of the parameters of a model, by the places of their layers, and their keys in an optimizer."""
    for index, node in enumerate(model.walk()):
        for name in node.param_names:
            yield f"{index}/{name}", (node.id, name)
        for shim in node.shims:
            for name in getattr(shim, "param_names", ()):
                yield f"{index}/{name}", (shim.id, name)
