"""The state of an interrupted training of a guide: the moments of the optimizer, how many steps it has made, and the
states of random numbers. Checkpoints have it as a file, `learning`, twice as large as the weights."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import srsly
from thinc.api import Model, Optimizer
from thinc.compat import has_torch, torch

MOMENTS = ("mom1", "mom2")


def pack_learning_state(model: Model, optimizer: Optimizer, counts: Mapping[str, int]) -> bytes:
    """The state of the training of a model after a step."""
    moments = {}
    for name, key in _list_parameters(model):
        if key in optimizer.mom1:
            found = (model.ops.to_numpy(getattr(optimizer, moment)[key]) for moment in MOMENTS)
            moments[name] = [optimizer.nr_update[key], *found]
    # numpy's: the name of the generator, its numbers, and three that are not arrays.
    random = {"numpy": list(np.random.get_state()), "torch": torch.get_rng_state().numpy() if has_torch else None}
    return srsly.msgpack_dumps({**counts, "moments": moments, "random": random})


def restore_optimizer(model: Model, optimizer: Optimizer, state: Mapping[str, Any]) -> None:
    """Gives the moments of parameters to the optimizer of a resumed training, and lets its rates go on."""
    # Another guide may have done it.
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
    """The parameters of a model, by the places of their layers, and the keys by which an optimizer knows them."""
    for place, node in enumerate(model.walk()):
        for name in node.param_names:
            yield f"{place}/{name}", (node.id, name)
        for shim in node.shims:
            for name in getattr(shim, "param_names", ()):
                yield f"{place}/{name}", (shim.id, name)
