"""Shared by the tests of what runs commands elsewhere."""

from typing import Any

import pytest
import typer

from spacy_joint.cli import app


@pytest.fixture
def parse_command():
    """Parses the arguments of `spacy joint`, and returns the options; RAISES UsageError for what does not exist."""

    def parse(arguments: list[str]) -> dict[str, Any]:
        group: Any = typer.main.get_command(app)
        name, *words = arguments
        command = group.get_command(None, name)
        return command.make_context(name, words, resilient_parsing=False).params

    return parse
