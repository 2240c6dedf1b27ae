"""Fixtures of training."""

import importlib.util
from pathlib import Path

import pytest
import spacy

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
