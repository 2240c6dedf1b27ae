"""Exports a transformer as ONNX, for prediction: a window at a time, with weights and inputs of 8 bits."""

from collections.abc import Iterable
from copy import deepcopy
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from onnxruntime.quantization import quantize_dynamic
from torch.nn.modules.module import register_module_forward_pre_hook

# An input of a linear layer is an outlier if its largest value is more than OUTLIER times the median input's. Windows
# of random pieces show the outliers, which hardly depend on the text.
OUTLIER, N_WINDOWS = 6.0, 8


class LastLayer(torch.nn.Module):
    """A transformer whose inputs are positional and which returns the vectors of its last layer alone."""

    def __init__(self, transformer: Any, names: list[str]) -> None:
        super().__init__()
        self.transformer, self.names = transformer, names

    def forward(self, *inputs: Any) -> Any:
        """Encodes pieces."""
        return self.transformer(**dict(zip(self.names, inputs, strict=True))).last_hidden_state


class ScaledLinear(torch.nn.Module):
    """A linear layer that scales its inputs; its weights compensate."""

    def __init__(self, linear: torch.nn.Linear, scales: Any) -> None:
        super().__init__()
        self.linear, self.scales = linear, torch.nn.Parameter(scales)
        linear.weight.data /= scales

    def forward(self, inputs: Any) -> Any:
        """Applies the layer to the scaled inputs."""
        return self.linear(inputs * self.scales)


def export(transformer: Any, window: int) -> bytes:
    """Exports a transformer of torch for single windows. Outliers are looked for in windows of `window` pieces."""
    pieces = torch.randint(
        transformer.get_input_embeddings().num_embeddings,
        (N_WINDOWS, window),
        generator=torch.Generator().manual_seed(0),
    )
    examples = {"input_ids": pieces}
    if hasattr(transformer, "capitals"):
        examples["capitals"] = torch.zeros_like(pieces)
    model = LastLayer(deepcopy(transformer).cpu(), [*examples]).eval()
    # Other implementations of attention are exported with a check for windows that consist of padding.
    model.transformer.set_attn_implementation("eager")
    scale_outliers(model, examples.values())
    exported = torch.onnx.export(
        model,
        tuple(rows[:1] for rows in examples.values()),
        input_names=[*examples],
        output_names=["vectors"],
        dynamic_shapes=(({1: torch.export.Dim("pieces")},) * len(examples),),
        dynamo=True,
        verbose=False,
    ).model_proto
    # The metadata of a node names the source files and lines that it comes from.
    for part in (exported.graph, *exported.graph.node, *exported.graph.value_info, *exported.graph.initializer):
        part.ClearField("metadata_props")
    with TemporaryDirectory() as directory:
        path = Path(directory) / "quantized.onnx"
        # Weights use only 7 bits, so that no sum overflows on CPUs without `avx512_vnni`.
        quantize_dynamic(exported, path, per_channel=True, reduce_range=True)
        return path.read_bytes()


def scale_outliers(model: Any, inputs: Iterable[Any]) -> None:
    """Makes the linear layers of a model scale down outliers, which would take up most of the range of 8 bits (Xiao et
    al. 2023, SmoothQuant)."""
    largest: dict[Any, Any] = {}

    def record(layer: Any, inputs: Any) -> None:
        if isinstance(layer, torch.nn.Linear):
            largest[layer] = inputs[0].abs().flatten(0, -2).amax(0)

    with register_module_forward_pre_hook(record), torch.no_grad():
        model(*inputs)
    for name, layer in list(model.named_modules()):
        if layer in largest:
            scales = (OUTLIER * largest[layer].median() / largest[layer]).clamp(max=1.0)
            if 0 < scales.min() < 1:
                model.set_submodule(name, ScaledLinear(layer, scales))
