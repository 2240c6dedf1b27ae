"""Fixtures of training."""

import importlib.util
from pathlib import Path

import pytest
import spacy

from spacy_joint.cli.corpora.convert import convert

PROJECT = Path(__file__).parents[2] / "projects" / "english"


@pytest.fixture(scope="module")
def script(request):
    """The script of the English project that a test module is about (`SCRIPT`), as a module."""
    path = PROJECT / request.module.SCRIPT
    if not path.exists():
        pytest.skip("there is only the installed package")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def nlp():
    return spacy.blank("en")


@pytest.fixture(scope="package")
def tagger_settings(assets, tmp_path_factory):
    """Settings of a small training of a tagger on the tiny treebank, with dropout, two tables, and augmented copies."""
    directory = tmp_path_factory.mktemp("corpus")
    for part in ("train", "dev"):
        convert([assets / f"tiny_{part}.conllu"], directory / f"{part}.spacy")
    model = {"table_bits": 12, "n_tables": 2, "min_changes": 1, "threads": 1}
    paths = {f"paths.{part}": str(directory / f"{part}.spacy") for part in ("train", "dev")}
    return {**{f"components.sequence_tagger.model.{name}": value for name, value in model.items()}, **paths}
