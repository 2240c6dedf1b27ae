"""Converts this project's docstrings, which follow spaCy's style, to the style that griffe reads, for mkdocstrings.

`name (type): ...` becomes an entry of `Args:`, `RETURNS (type): ...` one of `Returns:`, `RAISES Error: ...` one of
`Raises:`.
"""

import re
from typing import Any

import griffe

PARAMETER = re.compile(r"([a-z_][a-z_0-9]*(?:, [a-z_][a-z_0-9]*)*) \(((?:[^()]|\([^()]*\))+)\): (.*)")
RESULT = re.compile(r"(RETURNS|YIELDS) \(((?:[^()]|\([^()]*\))+)\): (.*)")
ERROR = re.compile(r"RAISES ([A-Za-z, ]+?): (.*)")
# The signature that Cython puts first.
SIGNATURE = re.compile(r"\A[\w.]+\(.*\)\s*\n")
TITLES = {"RETURNS": "Returns", "YIELDS": "Yields"}


def rewrite(text: str) -> str:
    """Move runs of entries into sections; leave everything else unchanged."""
    written: list[str] = []
    section = ""
    for line in SIGNATURE.sub("", text).splitlines():
        if section and line.startswith("    "):
            written.append("    " + line)
            continue
        title, entry = read_entry(line)
        if title != section and (section or title):
            written.append("")
        if title and title != section:
            written.append(f"{title}:")
        written.append(entry)
        section = title
    return "\n".join(written)


def read_entry(line: str) -> tuple[str, str]:
    """The section of a line that is an entry ("" for other lines), and the converted line."""
    if found := PARAMETER.fullmatch(line):
        names, kind, meaning = found.groups()
        return "Args", "\n".join(f"    {name} ({kind}): {meaning}" for name in names.split(", "))
    if found := RESULT.fullmatch(line):
        which, kind, meaning = found.groups()
        return TITLES[which], f"    {kind}: {meaning}"
    if found := ERROR.fullmatch(line):
        kinds, meaning = found.groups()
        return "Raises", "\n".join(f"    {kind}: {meaning}" for kind in kinds.split(", "))
    return "", line


class SpacyDocstrings(griffe.Extension):
    """Rewrites docstrings before they are parsed."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Rewrite the docstring of an object."""
        if obj.docstring is not None:
            obj.docstring.value = rewrite(obj.docstring.value)
