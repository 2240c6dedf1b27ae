"""Finishing trained pipelines for release: removes data that only further training needs."""

import shutil
from collections.abc import Iterable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import srsly
from spacy import blank, load
from spacy.strings import get_string_id
from spacy.util import load_config
from spacy.vectors import Vectors
from wasabi import msg

from .. import is_own_model
from ..engine import model_file
from ..files.atomic import atomic_write_directory
from ..pipes.component_files import replace_file

DISTRIBUTION = "spacy-joint"
# The callback that lifts the limit on the length of texts.
LIFTER = "spacy_joint.lift_max_length.v1"
PLAIN_TOKENIZER = {"@tokenizers": "spacy.Tokenizer.v1"}
# The bits of a weight in prediction.
WEIGHT_BITS = 8


def finish_pipeline(
    model: Path, output: Path, overrides: Mapping[str, Any], meta: Mapping[str, Any], weight_bits: int = WEIGHT_BITS
) -> None:
    """Copies a pipeline (E053) without data that only further training needs: see `spacy joint finish`. Overrides its
    config by dotted names, adds fields to its meta.json, and rounds weights to 2 to 8 bits, to compress better."""
    config = load_config(model / "config.cfg", dict(overrides), interpolate=False)

    def ignore(directory: str, names: Iterable[str]) -> set[str]:
        inside = Path(directory)
        return {"learning"} if inside.parent == model and inside.name in config["components"] else set()

    for name, component in config["components"].items():
        settings = component.get("model")
        if is_own_model(settings) and "threads" in settings and f"components.{name}.model.threads" not in overrides:
            settings["threads"] = 1
    config["paths"] = dict.fromkeys(config.get("paths", {}))
    own = {entry.name for entry in metadata.distribution(DISTRIBUTION).entry_points.select(group="spacy_factories")}
    are_own = {component.get("factory") for component in config["components"].values()} <= own
    if are_own and config["nlp"].get("after_pipeline_creation") is None:
        config["nlp"]["after_pipeline_creation"] = {"@callbacks": LIFTER}
    with atomic_write_directory(output) as path:
        shutil.copytree(model, path, ignore=ignore)
        config.to_disk(path / "config.cfg")
        if weight_bits < WEIGHT_BITS:
            for name, component in config["components"].items():
                is_perceptron = is_own_model(component.get("model")) and "table_bits" in component["model"]
                # Some components work without training.
                if is_perceptron and (trained := path / name / "model").is_file():
                    _round_weights(trained, weight_bits)
        if are_own:
            # The language's tokenizer may need libraries, and adds no strings.
            nlp = blank(config["nlp"]["lang"], config={"nlp": {"tokenizer": PLAIN_TOKENIZER}})
            strings = set(nlp.vocab.strings).union(_list_words_with_vectors(path / "vocab"))
            srsly.write_json(path / "vocab" / "strings.json", sorted(strings))
            # Refuses overrides that do not fit. Other pipelines may need code that is not known here.
            load(path)
        if meta:
            srsly.write_json(path / "meta.json", {**srsly.read_json(path / "meta.json"), **meta})
    size = sum(file.stat().st_size for file in output.rglob("*") if file.is_file())
    msg.good(f"{output}: {size / 1e6:.1f} MB")


def _round_weights(path: Path, bits: int) -> None:
    """Rounds the weights of a model file to multiples of a power of two."""
    described, arrays = model_file.unpack(path.read_bytes(), str(path))
    step = 1 << WEIGHT_BITS - bits
    weights = arrays["averaged"].astype(np.int16)
    # Rounding must not exceed the largest weight, so that sums stay in range.
    limit = int(np.abs(weights).max(initial=0)) // step * step
    rounded = np.clip(np.rint(weights / step) * step, -limit, limit).astype(np.int8)
    replace_file(path, model_file.pack(described, {**arrays, "averaged": rounded}))


def _list_words_with_vectors(vocab: Path) -> list[str]:
    """Lists the words of a saved vocabulary that have vectors: `Vectors.most_similar` returns only their hashes."""
    if not (vocab / "vectors").is_file():
        return []
    vectors = Vectors().from_disk(vocab)
    # The mode "floret" makes vectors from the letters of any word.
    words = [] if vectors.mode == "floret" else srsly.read_json(vocab / "strings.json")
    return [word for word in words if get_string_id(word) in vectors]
