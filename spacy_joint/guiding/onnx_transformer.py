"""The registered encoder: a trained transformer as ONNX, with 8-bit weights, which runs on a CPU without torch. It
is converted from a `Transformer` of a trained pipeline; the layers that read its vectors do not change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from spacy.language import Language
from thinc.api import Optimizer, Shim

from ..errors import Errors, JointValueError, require_packages
from .windows import Tok2Vec
from .word_pieces import with_word_pieces

NAME = "spacy_joint.OnnxTransformer.v1"
# The extras that conversion needs, and their packages.
EXPORT = ("transformer,onnx", "onnx", "onnxscript", "onnxruntime", "tokenizers", "torch", "transformers")
CONVERTED = "spacy_joint.Transformer.v1"
# Inputs are scaled by the largest value of a batch, so windows of one batch would affect each other. Larger batches are
# not faster.
BATCH_SIZE = 1
# Optimizations of onnxruntime that are turned off: fused with an addition, normalization takes five times as long.
SLOW_FUSIONS = ["SkipLayerNormFusion"]


def OnnxTransformer(*, window: int = 254, stride: int = 192, threads: int = 1, capitals: bool = False) -> Tok2Vec:
    """Makes a transformer as ONNX, registered as `spacy_joint.OnnxTransformer.v1`. It does not learn.

    window, stride (int): See `cut_windows`, in word pieces.
    threads (int): The number of threads of onnxruntime.
    RAISES ValueError: If the windows are invalid (J030), or a package is missing (J710).
    """
    require_packages("onnx", "onnxruntime", "tokenizers")
    shim = _Shim(b"", threads)
    return with_word_pieces("onnx_transformer", shim, _init, window, stride, BATCH_SIZE, capitals=capitals)


class _Shim(Shim):
    """The bytes of an ONNX model, and the session that runs it, which the first prediction starts."""

    def __init__(self, model: bytes, threads: int) -> None:
        super().__init__(model)
        self._threads = threads
        self._session: Any = None

    def encode(self, inputs: dict[str, Any], is_train: bool, ops: Any) -> tuple[Any, Callable[..., None]]:
        """Encodes pieces: see `with_word_pieces`."""
        if self._session is None:
            from onnxruntime import InferenceSession, SessionOptions

            options = SessionOptions()
            options.intra_op_num_threads = self._threads
            providers = ["CPUExecutionProvider"]
            self._session = InferenceSession(self._model, options, providers, disabled_optimizers=SLOW_FUSIONS)
        # A batch is a window, without padding.
        (vectors,) = self._session.run(None, {name: rows for name, rows in inputs.items() if name != "attention_mask"})
        return ops.asarray(vectors), lambda _: None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_session": None}

    def finish_update(self, optimizer: Optimizer) -> None:
        """Does nothing: there are no gradients."""

    def to_device(self, device_type: str, device_id: int) -> None:
        """Does nothing: the model runs on the CPU."""

    def to_bytes(self) -> bytes:
        return self._model

    def from_bytes(self, data: bytes) -> _Shim:
        self._model, self._session = data, None
        return self


def _init(model: Tok2Vec, X: Any = None, Y: Any = None) -> None:
    if not model.get_ref("encoder").shims[0].to_bytes():
        raise JointValueError(Errors.J644, name=NAME)


def convert_transformers(nlp: Language, threads: int = 1) -> list[str]:
    """Replaces each transformer that is the `tok2vec` of a component of a trained pipeline by its ONNX version; returns
    the names of the components.

    RAISES ValueError: If a package is missing (J710).
    """
    require_packages(*EXPORT)
    # This imports torch.
    from .onnx_export import export

    converted = []
    for name in nlp.pipe_names:
        settings = nlp.get_pipe_config(name).get("model", {})
        block = settings.get("tok2vec", {})
        if block.get("@architectures") != CONVERTED:
            continue
        kept = {name: block[name] for name in ("window", "stride", "capitals") if name in block} | {"threads": threads}
        component: Any = nlp.get_pipe(name)
        old = component.model.get_ref("tok2vec")
        new = OnnxTransformer(**kept)
        new.attrs["tokenizer"] = old.attrs["tokenizer"]
        for source, target in zip(old.walk(), new.walk(), strict=True):
            if source.has_dim("nO"):
                target.set_dim("nO", source.get_dim("nO"))
        source, target = old.get_ref("encoder"), new.get_ref("encoder")
        target.attrs.update(before=source.attrs["before"], after=source.attrs["after"])
        target.shims[0].from_bytes(export(source.shims[0]._model, new.layers[0].attrs["size"]))
        component.model.replace_node(old, new)
        settings["tok2vec"] = {"@architectures": NAME, **kept}
        converted.append(name)
    return converted
