"""Writes the tables of README, pages and model cards from docs/figures.json, the single source of figures.

    python benchmarks/figures.py

rewrites all tables. A page has sections between the comments `NAME: begin` and `NAME: end`. Benchmarks replace their
own sections. Other sections are Jinja templates, docs/summaries/NAME.md, which quote figures of the former.
"""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined

ROOT = Path(__file__).parents[1]
SECTION = re.compile(r"(<!-- (\w+): begin -->\n\n)(.*?)(\n<!-- \2: end -->\n)", re.DOTALL)

# A section: paragraphs, and tables as {"header": [...], "rows": [[...], ...]}.
Section = list[str | dict[str, Any]]


class Figures:
    """The figures of a repository, by page and section: `results/peers` is section `peers` of docs/results.md."""

    def __init__(self, root: Path = ROOT) -> None:
        self.root = root
        self.path = root / "docs" / "figures.json"
        self.sections: dict[str, Section] = json.loads(self.path.read_text("utf8")) if self.path.is_file() else {}

    def list_pages(self) -> list[Path]:
        """README and all pages."""
        pages = [self.root / "README.md", *sorted((self.root / "docs").rglob("*.md"))]
        return [page for page in pages if page.is_file() and "summaries" not in page.parts]

    def list_sections(self) -> Iterator[tuple[Path, str, str, str]]:
        """The page, name, text and wanted text of all sections."""
        for page in self.list_pages():
            for _, name, text, _ in SECTION.findall(page.read_text("utf8")):
                yield page, name, text, self.render(page, name)

    def render(self, page: Path, name: str) -> str:
        """The text of a section. Raises ValueError if there are neither figures nor a template."""
        template = self.root / "docs" / "summaries" / f"{name}.md"
        if template.is_file():
            environment = Environment(undefined=StrictUndefined, keep_trailing_newline=True, autoescape=False)
            return environment.from_string(template.read_text("utf8")).render(cell=self.get_cell)
        key = f"{page.stem}/{name}"
        if key not in self.sections:
            raise ValueError(f"{page}: docs/figures.json has no {key}: run the benchmark that measures it")
        return "\n\n".join(format_block(block) for block in self.sections[key]) + "\n"

    def get_cell(self, section: str, row: str, column: str, table: str = "") -> str:
        """The text of a cell. Raises KeyError if there is none.

        row: The first cell of the row. table: The paragraph before the table, if the section has several.
        """
        before = ""
        for block in self.sections.get(section, ()):
            if isinstance(block, str):
                before = block
            elif table in ("", before) and column in block["header"]:
                for cells in block["rows"]:
                    if cells[0] == row:
                        return cells[block["header"].index(column)]
        raise KeyError(f"docs/figures.json, {section}: no table {table!r} with {row!r} and {column!r}")

    def replace(self, page: Path, name: str, text: str) -> None:
        """Take the text of a section from a benchmark, and write it to its page.

        Raises ValueError if the page has no such section, or if rows of its tables would be lost.
        """
        found = {name: old for _, name, old, _ in SECTION.findall(page.read_text("utf8"))}
        if name not in found:
            raise ValueError(f"{page} has no section {name}: add <!-- {name}: begin --> and <!-- {name}: end -->")
        if lost := _list_rows(found[name]) - _list_rows(text):
            raise ValueError(f"{page}: without {', '.join(sorted(lost))}; measure these, too, or delete their rows")
        self.sections[f"{page.stem}/{name}"] = read_blocks(text)

    def write(self) -> None:
        """Write the figures, and all sections of all pages."""
        sections = dict(sorted(self.sections.items()))
        self.path.write_text(json.dumps(sections, indent=1, ensure_ascii=False) + "\n", "utf8", newline="\n")
        for page in self.list_pages():
            old = page.read_text("utf8")
            new = SECTION.sub(lambda found: found[1] + self.render(page, found[2]) + found[4], old)  # noqa: B023
            if new != old:
                page.write_text(new, "utf8", newline="\n")


def replace_section(document: Path | None, name: str, text: str) -> None:
    """Replace a section of a page and its figures, if a page is given: README or one below `docs`."""
    if document is not None:
        page = document.resolve()
        figures = Figures(next((folder.parent for folder in page.parents if folder.name == "docs"), page.parent))
        figures.replace(page, name, text)
        figures.write()


def format_table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Format a Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def format_block(block: str | dict[str, Any]) -> str:
    """A block of a section as Markdown."""
    return block if isinstance(block, str) else format_table(block["header"], block["rows"])


def read_blocks(text: str) -> Section:
    """Read the Markdown of a section."""
    return [_read_table(block) if block.startswith("|") else block for block in text.strip().split("\n\n")]


def _read_table(block: str) -> dict[str, Any]:
    header, _, *rows = [re.split(r" \| ?", line.removeprefix("| "))[:-1] for line in block.splitlines()]
    return {"header": header, "rows": rows}


def _list_rows(text: str) -> set[str]:
    """The first cells of the rows of tables."""
    return set(re.findall(r"^\| (.*?) \|", text, re.MULTILINE))


if __name__ == "__main__":
    Figures().write()
