"""`finish`: prepare a trained pipeline for release, without the data that only further training needs."""

import shutil
from collections.abc import Iterable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Annotated, Any

import srsly
import typer
from wasabi import msg

from ..errors import Errors, JointFileNotFoundError
from ..files.replacing import replace_directory_when_written

DISTRIBUTION = "spacy-joint"
# The callback that lifts the limit on the length of texts.
LIFTER = "spacy_joint.lift_max_length.v1"
PLAIN_TOKENIZER = {"@tokenizers": "spacy.Tokenizer.v1"}
# Of each weight that a component predicts with.
WEIGHT_BITS = 8


def find_own_factories() -> set[str]:
    """The factories that this package registers."""
    registered = metadata.distribution(DISTRIBUTION).entry_points.select(group="spacy_factories")
    return {entry_point.name for entry_point in registered}


def finish(
    ctx: typer.Context,
    model: Annotated[Path, typer.Argument(help="Directory of a trained pipeline.")],
    output: Annotated[Path, typer.Argument(help="Output directory; an existing one is replaced.")],
    meta: Annotated[Path | None, typer.Option(help="JSON file with fields for its meta.json.", exists=True)] = None,
    weight_bits: Annotated[
        int,
        typer.Option(help="Precision of each weight. Fewer bits make a smaller package.", min=2, max=WEIGHT_BITS),
    ] = WEIGHT_BITS,
) -> None:
    """Copy a trained pipeline without the data that only further training needs: much smaller, same predictions.

    Its config can be overridden as for `spacy train`, e.g. with
    --components.joint_sbd_parser.model.beam_width 16: a wider beam than in training is slower and more
    accurate. The paths of the training corpora are removed from its config, and its components predict in one thread.
    If all components are from this package, which do not need them, the words of the corpora are removed from the
    vocabulary, unless they have vectors, and so is the limit on the length of texts.
    """
    from spacy.cli._util import parse_config_overrides

    finish_pipeline(model, output, parse_config_overrides(ctx.args), srsly.read_json(meta) if meta else {}, weight_bits)


def finish_pipeline(
    model: Path, output: Path, overrides: Mapping[str, Any], meta: Mapping[str, Any], weight_bits: int = WEIGHT_BITS
) -> None:
    """Does the same from Python.

    overrides (Mapping): Dotted names and values, for its config.
    meta (Mapping): Fields for its meta.json.
    weight_bits (int): How precise each weight is, 2 to 8 bits. Files keep their size, but compress better.
    RAISES FileNotFoundError: If there is no pipeline (J414).
    """
    from spacy import blank
    from spacy.util import load_config

    if not (model / "config.cfg").is_file():
        raise JointFileNotFoundError(Errors.J414, path=model)
    config = load_config(model / "config.cfg", dict(overrides), interpolate=False)

    def ignore(directory: str, names: Iterable[str]) -> set[str]:
        inside = Path(directory)
        return {"learning"} if inside.parent == model and inside.name in config["components"] else set()

    for name, component in config["components"].items():
        settings = component.get("model")
        if isinstance(settings, dict) and "threads" in settings and f"components.{name}.model.threads" not in overrides:
            settings["threads"] = 1
    config["paths"] = dict.fromkeys(config.get("paths", {}))
    factories = {component.get("factory") for component in config["components"].values()}
    are_own = factories <= find_own_factories()
    if are_own and config["nlp"].get("after_pipeline_creation") is None:
        config["nlp"]["after_pipeline_creation"] = {"@callbacks": LIFTER}
    with replace_directory_when_written(output) as path:
        shutil.copytree(model, path, ignore=ignore)
        config.to_disk(path / "config.cfg")
        if weight_bits < WEIGHT_BITS:
            for name, component in config["components"].items():
                # Other models have no table of weights.
                if "table_bits" in (component.get("model") or {}):
                    _round_weights(path / name / "model", weight_bits)
        if are_own:
            # The tokenizers of some languages need libraries; they have no strings of their own.
            nlp = blank(config["nlp"]["lang"], config={"nlp": {"tokenizer": PLAIN_TOKENIZER}})
            strings = set(nlp.vocab.strings).union(_list_words_with_vectors(path / "vocab"))
            srsly.write_json(path / "vocab" / "strings.json", sorted(strings))
        if meta:
            srsly.write_json(path / "meta.json", {**srsly.read_json(path / "meta.json"), **meta})
    size = sum(file.stat().st_size for file in output.rglob("*") if file.is_file())
    msg.good(f"{output}: {size / 1e6:.1f} MB")


def _round_weights(path: Path, bits: int) -> None:
    """Rounds the weights of a model file to multiples of a power of two."""
    import numpy as np

    from ..engine import model_file

    described, arrays = model_file.read(path)
    step = 1 << WEIGHT_BITS - bits
    weights = arrays["averaged"].astype(np.int16)
    # Not above the largest weight, which keeps sums in range.
    most = int(np.abs(weights).max(initial=0)) // step * step
    rounded = np.clip(np.rint(weights / step) * step, -most, most).astype(np.int8)
    model_file.write(path, model_file.pack(described, {**arrays, "averaged": rounded}))


def _list_words_with_vectors(vocab: Path) -> list[str]:
    """The words of a saved vocabulary that have vectors: `Vectors.most_similar` gives only their hashes."""
    from spacy.strings import get_string_id
    from spacy.vectors import Vectors

    if not (vocab / "vectors").is_file():
        return []
    vectors = Vectors().from_disk(vocab)
    if vectors.mode == "floret":
        # They are made from the letters of any word.
        return []
    return [word for word in srsly.read_json(vocab / "strings.json") if get_string_id(word) in vectors]
