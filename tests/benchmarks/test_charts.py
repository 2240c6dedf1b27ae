"""The tables of charts: their commands run on a tiny treebank."""

from pathlib import Path

import pytest
from charts import app

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
def test_it_prints_a_table(run, command):
    assert "| --- |" in run(*command, app=app).output
