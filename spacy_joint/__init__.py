"""Structured prediction over whole documents for spaCy.

Importing the package is cheap: spaCy finds the components through entry points, and only `load` reads the pretrained
pipeline.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .about import __version__

if TYPE_CHECKING:
    from spacy.language import Language

__all__ = ["__version__", "load"]

# In a checkout, Python prefers the sources to the installed package.
if find_spec(f"{__name__}.engine.columns") is None:
    from .errors import Errors, JointImportError

    raise JointImportError(Errors.J420, directory=Path(__file__).parent)

# The pretrained pipeline: a separate distribution.
PRETRAINED = "en_joint_english"
# Short names of other pipelines: slower, more accurate variants, and other languages.
VARIANTS = {
    "md": "en_joint_english_md",
    "trf": "en_joint_english_trf",
    "en": PRETRAINED,
    "fr": "fr_joint_french",
    "fr_trf": "fr_joint_french_trf",
    "nn": "nn_joint_nynorsk",
    "pcm": "xx_joint_pcm_naija",
    "pt": "pt_joint_portuguese",
    "pt_trf": "pt_joint_portuguese_trf",
}
# Codes of languages; names of packages are longer.
LANGUAGE = re.compile("[a-z]{2,3}")


def load(
    pipeline: str | Path | None = None,
    *,
    beam_width: int | None = None,
    threads: int | None = None,
    config: Mapping[str, Any] = {},
    **options: Any,
) -> Language:
    """Loads a pretrained pipeline, which splits text into sentences and parses them, or another pipeline.

    If all components are from this package, texts may have any length (see `length`).

    pipeline (str | Path): The name of an installed pipeline, or the path of a saved one. None is `en_joint_english`,
        and `md` and `trf` are its variants; `fr`, `nn`, `pcm` and `pt` are other languages, and `fr_trf` and `pt_trf`
        their variants.
    beam_width (int): The beam width of all components of this package; narrower is faster. None keeps the trained one.
    threads (int): The number of documents that each component of `nlp.pipe` searches at the same time, on as many
        cores. None keeps the setting of the config, by default 1. It does not affect results.
    config (Mapping): Other overrides of the config, as for `spacy.load`.
    options (Any): Other arguments of `spacy.load`, such as `exclude`.
    RETURNS (Language): The pipeline.
    RAISES OSError: If the pretrained pipeline is not installed (J400), or if there is none for this language (J406).
    RAISES ValueError: If a file of the pipeline is damaged (J052, J441).
    """
    import spacy
    from thinc.api import ConfigValidationError

    from .errors import SPACY_CODE, Errors, JointError, JointValueError
    from .length import lift_max_length_if_own

    # Refuses packages that are no pipelines.
    pipeline, directory = find_pipeline(pipeline)
    for setting, value in (("beam_width", beam_width), ("threads", threads)):
        if value is None:
            continue
        components = spacy.util.load_config(directory / "config.cfg")["components"]
        settings = {
            f"components.{name}.model.{setting}": value
            for name, component in components.items()
            if is_own_model(component.get("model")) and setting in component["model"]
        }
        if not settings:
            raise JointValueError(Errors.J401, setting=setting, pipeline=pipeline, components=", ".join(components))
        config = {**config, **settings}
    try:
        return lift_max_length_if_own(spacy.load(pipeline, config=dict(config), **options))
    except ValueError as error:
        if isinstance(error, (JointError, ConfigValidationError)) or SPACY_CODE.match(str(error)):
            raise
        # Damage of spaCy's own files, such as the vocabulary.
        raise JointValueError(Errors.J441, path=pipeline, reason=error) from error


def is_own_model(model: Any) -> bool:
    """Returns whether the settings of a component's model, which may be of any type, are for one of this package."""
    return isinstance(model, dict) and str(model.get("@architectures")).startswith(f"{__name__}.")


def find_pipeline(pipeline: str | Path | None) -> tuple[str | Path, Path]:
    """Finds the package or the path of a pipeline by the name that `load` takes, and its directory, which may not
    exist, like `spacy.load` finds pipelines. RAISES OSError: As `load` (J400, J406), or if a package has no meta.json
    (E053)."""
    from spacy import util

    from .errors import Errors, JointOSError

    if pipeline is None or pipeline in VARIANTS:
        variant = "" if pipeline is None else f" {pipeline}"
        pipeline = PRETRAINED if pipeline is None else VARIANTS[str(pipeline)]
        if not util.is_package(pipeline):
            raise JointOSError(Errors.J400, name=pipeline, variant=variant)
    elif isinstance(pipeline, str) and LANGUAGE.fullmatch(pipeline) and not Path(pipeline).exists():
        raise JointOSError(Errors.J406, language=pipeline, known=", ".join(VARIANTS))
    directory = Path(pipeline)
    if isinstance(pipeline, str) and util.is_package(pipeline):
        package = util.get_package_path(pipeline)
        meta = util.get_model_meta(package)
        directory = package / f"{meta['lang']}_{meta['name']}-{meta['version']}"
    return pipeline, directory
