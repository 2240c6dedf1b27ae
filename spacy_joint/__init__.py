"""Structured prediction over whole documents for spaCy.

Importing the package is cheap: components are found by spaCy through entry points, and the pretrained pipeline is only
read by `load`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .about import __version__

if TYPE_CHECKING:
    from spacy.language import Language

__all__ = ["__version__", "load"]

PRETRAINED = Path(__file__).parent / "pretrained" / "en_joint_english"
# Only a prenominal_orderer, to be put behind what tags.
PRENOMINAL = PRETRAINED.parent / "en_prenominal"
BEAM_PERCEPTRON = "spacy_joint.BeamPerceptron.v1"
# The architectures that have a setting of `load`.
ARCHITECTURES = {"beam_width": (BEAM_PERCEPTRON, "spacy_joint.OrderPerceptron.v1"), "threads": (BEAM_PERCEPTRON,)}


def load(
    pipeline: str | Path | None = None,
    *,
    beam_width: int | None = None,
    threads: int | None = None,
    config: Mapping[str, Any] = {},
    **options: Any,
) -> Language:
    """Loads the pipeline that the package ships, English from text to sentences and trees, or another one.

    pipeline (str | Path): The name of an installed pipeline, or the path of a saved one; None: the one shipped.
    beam_width (int): Items of the beam of all components of this package. None: as trained. Fewer are faster.
    threads (int): Documents that each component of `nlp.pipe` searches at the same time, on as many cores. None: as
        trained, which is one unless the config says otherwise. Results are the same.
    config (Mapping): Other changes of the config, as `spacy.load` takes them.
    options (Any): Other arguments of `spacy.load`, such as `exclude`.
    RETURNS (Language): The pipeline.
    RAISES OSError: If there is no such pipeline.
    """
    import spacy

    from .errors import Errors, JointOSError, JointValueError

    if pipeline is None:
        if not (PRETRAINED / "config.cfg").is_file():
            raise JointOSError(Errors.J400, path=PRETRAINED)
        pipeline = PRETRAINED
    for setting, value in (("beam_width", beam_width), ("threads", threads)):
        if value is None:
            continue
        components = spacy.util.load_config(_find_config(pipeline))["components"]
        models = {name: component.get("model") for name, component in components.items()}
        settings = {
            f"components.{name}.model.{setting}": value
            for name, model in models.items()
            # Components of others may call anything a model.
            if isinstance(model, dict) and model.get("@architectures") in ARCHITECTURES[setting]
        }
        if not settings:
            raise JointValueError(Errors.J401, setting=setting, pipeline=pipeline, components=", ".join(components))
        config = {**config, **settings}
    return spacy.load(pipeline, config=dict(config), **options)


def _find_config(pipeline: str | Path) -> Path:
    """The config of a pipeline, found as `spacy.load` finds pipelines; a path that is none if there is no pipeline."""
    from spacy import util

    directory = Path(pipeline)
    if isinstance(pipeline, str) and util.is_package(pipeline):
        package = util.get_package_path(pipeline)
        meta = util.get_model_meta(package)
        directory = package / f"{meta['lang']}_{meta['name']}-{meta['version']}"
    return directory / "config.cfg"
