"""The registered encoder: a pretrained transformer of the library transformers, as a `tok2vec`.

It is trained together with the layers that read its vectors. A saved pipeline contains the weights and the tokenizer,
and needs neither the hub nor the transformer's directory."""

import ctypes
import os
from collections.abc import Callable
from functools import partial
from typing import Any

import srsly
from thinc.api import Optimizer, PyTorchShim, get_torch_default_device, torch2xp
from thinc.compat import has_torch, torch
from thinc.types import ArgsKwargs

from ..errors import Errors, JointValueError, check_value, require_packages
from .windows import Tok2Vec
from .word_pieces import N_CAPITALS, set_word_pieces, with_word_pieces

# On a CPU, larger batches of windows take more memory and more time.
BATCH_SIZE = 8
# The number of updates between calls that return freed memory to the system. Otherwise, glibc keeps it: each update
# would add a gradient of all word pieces, and long training gigabytes.
TRIM_EVERY = 8
# The name of the vectors of capitals.
CAPITALS = "capitals.weight"
_trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if os.name == "posix" else None

if has_torch and hasattr(os, "register_at_fork"):
    # Forked processes of `nlp.pipe` lack the threads that torch would wait for.
    os.register_at_fork(after_in_child=partial(torch.set_num_threads, 1))


def Transformer(
    *,
    name: str | None,
    window: int = 254,
    stride: int = 192,
    learn_rate_scale: float = 0.1,
    mixed_precision: bool = False,
    capitals: bool = False,
) -> Tok2Vec:
    """Makes a pretrained transformer, registered as `spacy_joint.Transformer.v1`.

    name (str | None): Its name on the Hugging Face hub, or a directory. It is read when training begins; a saved
        pipeline contains the weights and needs no name.
    window, stride (int): See `cut_windows`, in word pieces.
    learn_rate_scale (float): The learning rate of the transformer, relative to the other layers.
    mixed_precision (bool): Whether most is computed in 16 bits: bfloat16 on a CPU, which should support it, and float16
        on a GPU.
    capitals (bool): Whether it also learns vectors for the capitals of words, because its pieces are lower-cased.
    RAISES ValueError: If the windows are invalid (J030), or a package is missing (J710).
    """
    require_packages("transformer", "torch", "transformers")
    shim, init = _Shim(learn_rate_scale, mixed_precision), partial(_init, name=name, window=window, capitals=capitals)
    return with_word_pieces("transformer", shim, init, window, stride, BATCH_SIZE, capitals=capitals)


class _Shim(PyTorchShim):
    """A transformer, created by `initialize` or `from_bytes`."""

    def __init__(self, learn_rate_scale: float, mixed_precision: bool) -> None:
        super().__init__(
            None,
            # thinc's mixed precision is for GPUs only.
            mixed_precision=mixed_precision and get_torch_default_device().type != "cpu",
            serialize_model=_serialize,
            deserialize_model=_deserialize,
        )
        self._learn_rate_scale = learn_rate_scale
        self._n_updates = 0
        self.mixed_precision = mixed_precision

    def encode(self, inputs: dict[str, Any], is_train: bool, ops: Any) -> tuple[Any, Callable[[Any], None]]:
        """Encodes pieces: see `with_word_pieces`."""
        tensors = {name: torch.from_numpy(array).to(self.device) for name, array in inputs.items()}
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=self.mixed_precision):
            outputs, backprop_shim = self(ArgsKwargs(args=(), kwargs=tensors), is_train)
        vectors = outputs.last_hidden_state.float()

        def backprop(gradient: Any) -> None:
            grad_tensors = (torch.as_tensor(gradient, device=self.device),)
            backprop_shim(ArgsKwargs(args=((vectors,),), kwargs={"grad_tensors": grad_tensors}))

        return torch2xp(vectors, ops=ops), backprop

    @property
    def param_names(self) -> list[str]:
        """The names by which an optimizer knows the weights."""
        return [name for name, _ in self._model.named_parameters()]

    def finish_update(self, optimizer: Optimizer) -> None:
        super().finish_update(partial(optimizer, lr_scale=self._learn_rate_scale))  # type: ignore[arg-type]
        self._n_updates += 1
        if _trim is not None and self._n_updates % TRIM_EVERY == 0:
            _trim(0)


def _serialize(transformer: Any) -> bytes:
    from safetensors.torch import save

    if transformer is None:
        return b""
    return srsly.msgpack_dumps({"config": transformer.config.to_dict(), "weights": save(transformer.state_dict())})


def _deserialize(_: Any, data: bytes, device: Any) -> Any:
    from safetensors.torch import load
    from transformers import AutoConfig, AutoModel

    if not data:
        return None
    parts = srsly.msgpack_loads(data)
    transformer, weights = AutoModel.from_config(AutoConfig.for_model(**parts["config"])), load(parts["weights"])
    if CAPITALS in weights:
        _add_capitals(transformer)
    transformer.load_state_dict(weights)
    return transformer.to(device)


def _add_capitals(transformer: Any) -> None:
    """Adds vectors for capitals to a transformer, which are zeros at first."""
    transformer.capitals = torch.nn.Embedding(N_CAPITALS, transformer.config.hidden_size)
    torch.nn.init.zeros_(transformer.capitals.weight)
    transformer.register_forward_pre_hook(_embed, with_kwargs=True)


def _embed(transformer: Any, args: Any, kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Replaces the ids of pieces and their capitals by vectors."""
    pieces, capitals = kwargs.pop("input_ids"), kwargs.pop("capitals")
    vectors = transformer.get_input_embeddings()(pieces) + transformer.capitals(capitals)
    return args, {**kwargs, "inputs_embeds": vectors}


def _init(model: Tok2Vec, X: Any = None, Y: Any = None, *, name: str | None, window: int, capitals: bool) -> None:
    from transformers import AutoModel, AutoTokenizer

    if name is None:
        raise JointValueError(Errors.J641, name=name, reason="it has no name")
    try:
        tokenizer = AutoTokenizer.from_pretrained(name, add_prefix_space=True)
        transformer = AutoModel.from_pretrained(name, dtype=torch.float32)
    except (OSError, ValueError) as error:
        raise JointValueError(Errors.J641, name=name, reason=error) from error
    if not tokenizer.is_fast:
        raise JointValueError(Errors.J641, name=name, reason="its tokenizer is not one of the library tokenizers")
    set_word_pieces(model, tokenizer.backend_tokenizer.to_str(), transformer.config.hidden_size)
    encoder = model.get_ref("encoder")
    longest = tokenizer.model_max_length
    limit = min(longest, getattr(transformer.config, "max_position_embeddings", longest))
    limit -= len(encoder.attrs["before"]) + len(encoder.attrs["after"])
    allowed = f"at most {limit}, the word pieces that the transformer '{name}' reads"
    check_value("window", window, window <= limit, allowed)
    if capitals:
        _add_capitals(transformer)
    encoder.shims[0]._model = transformer.to(get_torch_default_device())
