"""`finish`: a trained pipeline as it is to be released, without what only further training needs."""

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import srsly
import typer
from wasabi import msg

from ..errors import Errors

OWN_FACTORIES = {
    "hedge_chunker",
    "hedge_segmenter",
    "joint_sbd_parser",
    "prenominal_orderer",
    "quotation_cues",
    "quotation_spans",
    "sequence_tagger",
}


def finish(
    ctx: typer.Context,
    model: Annotated[Path, typer.Argument(help="Directory of a trained pipeline.")],
    output: Annotated[Path, typer.Argument(help="Directory to write; replaced if it is there.")],
    meta: Annotated[Path | None, typer.Option(help="JSON file with fields of its meta.json.", exists=True)] = None,
) -> None:
    """Copy a trained pipeline without what only further training needs: a fraction of the size, same predictions.

    Its config can be overridden as for `spacy train`, e.g. by
    --components.joint_sbd_parser.model.beam_width 16: a wider beam than in training is slower and more
    accurate. The paths of the corpora that it was trained on are removed from its config, and, where all components
    are of this package, which need none, the words of these corpora from its vocabulary.
    """
    from spacy import blank
    from spacy.cli._util import parse_config_overrides
    from spacy.util import load_config

    if not (model / "config.cfg").is_file():
        raise FileNotFoundError(Errors.J414.format(path=model))
    config = load_config(model / "config.cfg", parse_config_overrides(ctx.args), interpolate=False)

    def ignore(directory: str, names: Iterable[str]) -> set[str]:
        inside = Path(directory)
        return {"learning"} if inside.parent == model and inside.name in config["components"] else set()

    beside = output.with_name(f".{output.name}")
    shutil.rmtree(beside, ignore_errors=True)
    shutil.copytree(model, beside, ignore=ignore)
    config["paths"] = dict.fromkeys(config.get("paths", {}))
    config.to_disk(beside / "config.cfg")
    factories = {component.get("factory") for component in config["components"].values()}
    if factories <= OWN_FACTORIES:
        srsly.write_json(beside / "vocab" / "strings.json", sorted(blank(config["nlp"]["lang"]).vocab.strings))
    if meta is not None:
        srsly.write_json(beside / "meta.json", {**srsly.read_json(beside / "meta.json"), **srsly.read_json(meta)})
    if output.exists():
        shutil.rmtree(output)
    beside.rename(output)
    size = sum(file.stat().st_size for file in output.rglob("*") if file.is_file())
    msg.good(f"{output}: {size / 1e6:.1f} MB")
