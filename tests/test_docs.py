"""The documentation: its examples run and print what the pages show, and the pages are complete.

    python -m pytest tests/test_docs.py --update-examples

updates the output of the examples in the pages, for instance after the shipped pipeline was trained again.
"""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pytest_examples import CodeExample, EvalExample, find_examples

DOCS = Path(__file__).parent.parent / "docs"
# Pages whose blocks run in sequence, and need only the package.
RUNNING = ("tutorial.md", "design.md")

pytestmark = pytest.mark.skipif(not DOCS.is_dir(), reason="the docs are not part of what is installed")
# Each block starts with the globals of the previous block of its page.
_globals: dict[str, dict[str, Any]] = {}


def list_examples() -> list[Any]:
    """All Python blocks in the pages that run, in order."""
    if not DOCS.is_dir():
        return []
    examples = find_examples(*(DOCS / name for name in RUNNING))
    return [pytest.param(example, id=f"{example.path.name}:{example.start_line}") for example in examples]


@pytest.mark.parametrize("example", list_examples())
def test_examples_print_the_output_in_the_page(example: CodeExample, eval_example: EvalExample):
    known = _globals.setdefault(example.path.name, {})
    run = eval_example.run_print_update if eval_example.update_examples else eval_example.run_print_check
    eval_example.set_config(line_length=120)
    known.update(run(example, module_globals=dict(known)))


@pytest.mark.parametrize("page", [pytest.param(page, id=page.name) for page in sorted(DOCS.rglob("*.md"))])
def test_links_of_a_page_resolve(page):
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf8"))
    missing = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert not missing


@pytest.mark.parametrize(
    "name", ["joint_sbd_parser", "sequence_tagger", "quotation_spans", "prenominal_orderer", "hedge_chunker"]
)
def test_each_component_has_a_page_with_a_figure(name):
    assert re.search(r"!\[[^\]]+\]\([^)]+\.svg\)", (DOCS / f"{name}.md").read_text(encoding="utf8"))


def test_the_site_builds_without_warnings_and_loads_nothing_from_other_hosts(tmp_path):
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    subprocess.run([*command, "--config-file", str(DOCS.parent / "mkdocs.yml")], check=True)
    pages = [page.read_text(encoding="utf8") for page in tmp_path.rglob("*.html")]
    assert any("joint_sbd_parser" in page for page in pages)
    loaded = (
        r"<(?:script|img|iframe)[^>]*\bsrc=[\"']?(?:https?:)?//|<link(?=[^>]*stylesheet)[^>]*href=[\"']?(?:https?:)?//"
    )
    assert not any(re.search(loaded, page) for page in pages)
