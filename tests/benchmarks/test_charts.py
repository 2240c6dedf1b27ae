"""The tables of charts: their commands run on a tiny treebank."""

from pathlib import Path

import pytest
from charts import app
from typer.testing import CliRunner

ASSETS = Path(__file__).parents[2] / "assets"
TRAIN, DEV = (str(ASSETS / f"tiny_{part}.ptb") for part in ("train", "dev"))


@pytest.mark.parametrize(
    "command",
    [
        ["closings", TRAIN, DEV, DEV, "--repeats", "1"],
        ["decodings", TRAIN, DEV],
        ["grammars", TRAIN, DEV],
    ],
    ids=lambda command: command[0],
)
def test_it_prints_a_table(command):
    result = CliRunner().invoke(app, command, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert "| --- |" in result.output
