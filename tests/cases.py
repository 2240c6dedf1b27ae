"""Cases of tests as plain text."""

import re
from typing import Any
from unittest.mock import ANY

import pytest


def read_cases(cases: str) -> list[Any]:
    """Cases of a test: texts, arrows and what is expected, such as "A ¶ B, ⏎C → a | - | *".

    A comment names the case after it. ¶ ends a paragraph and ⏎ a line; - is None, and * is anything.
    """
    found, text, name = [], "", None
    for line in cases.strip().splitlines():
        if line.startswith("# "):
            name = line[2:]
            continue
        part, arrow, expected = line.partition("→")
        text = f"{text} {part.strip()}".strip()
        if arrow:
            text, expected = (re.sub(" ?¶ ?", "\n\n", each).replace("⏎", "\n") for each in (text, expected))
            values = [value.strip() for value in expected.split("|")] if expected else []
            found.append(pytest.param(text, [{"-": None, "*": ANY}.get(value, value) for value in values], id=name))
            text, name = "", None
    return found


def cases(text: str) -> pytest.MarkDecorator:
    """Parametrise a test with cases, below a line of the names of its arguments, such as "text → quoted"."""
    names, _, rest = text.strip().partition("\n")
    return pytest.mark.parametrize(names.split(" → "), read_cases(rest))
