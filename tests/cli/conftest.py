"""Shared fixtures of command tests: run a command as a user does, but in this process."""

from collections.abc import Callable

import pytest
from typer.testing import CliRunner, Result

from spacy_joint.cli import app

Run = Callable[..., Result]


@pytest.fixture(scope="session")
def run() -> Run:
    def run(*arguments: object, fails: bool = False, text: str | bytes | None = None) -> Result:
        result = CliRunner().invoke(app, [str(argument) for argument in arguments], input=text)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == int(fails), result.output
        return result

    return run
