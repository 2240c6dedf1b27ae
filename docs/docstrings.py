"""For mkdocstrings: the docstrings of this project, which are written as spaCy's are, in the style that griffe reads.

`name (type): ...` becomes an entry of `Args:`, `RETURNS (type): ...` one of `Returns:`, `RAISES Error: ...` one of
`Raises:`.
"""

import re
from typing import Any

import griffe

PARAMETER = re.compile(r"([a-z_][a-z_0-9]*(?:, [a-z_][a-z_0-9]*)*) \(((?:[^()]|\([^()]*\))+)\): (.*)")
RESULT = re.compile(r"(RETURNS|YIELDS) \(((?:[^()]|\([^()]*\))+)\): (.*)")
ERROR = re.compile(r"RAISES ([A-Za-z, ]+?): (.*)")
# What Cython puts in front.
SIGNATURE = re.compile(r"\A[\w.]+\(.*\)\s*\n")
TITLES = {"RETURNS": "Returns", "YIELDS": "Yields"}


def rewrite(text: str) -> str:
    """Puts runs of entries into sections; everything else stays as it is."""
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
    """The section that a line is an entry of ("" for none), and the line as it stands there."""
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
    """Rewrites each docstring before it is parsed."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Of any object."""
        if obj.docstring is not None:
            obj.docstring.value = rewrite(obj.docstring.value)
