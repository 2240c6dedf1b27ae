"""The documentation: its examples run and print what the pages show, its commands exist, and its tables are complete.

    python -m pytest tests/test_docs.py --update-examples

updates the output of the examples in the pages, for instance after the shipped pipeline was trained again.
"""

import inspect
import json
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import pytest
import spacy
import typer
from pytest_examples import CodeExample, EvalExample, find_examples
from spacy.util import fix_random_seed, registry

from spacy_joint.cli import app
from spacy_joint.cli.overrides import split_overrides
from spacy_joint.tokenization.character_tokenizer import CharacterTokenizer, create_character_tokenizer

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
# The pages of the API have no examples of their own.
PAGES = [ROOT / "README.md", *(page for page in sorted(DOCS.rglob("*.md")) if "api" not in page.parts)]
FACTORIES = [entry.name for entry in distribution("spacy-joint").entry_points if entry.group == "spacy_factories"]

pytestmark = pytest.mark.skipif(not DOCS.is_dir(), reason="the docs are not part of what is installed")


def list_pages() -> list[Any]:
    """All pages that users read."""
    return [pytest.param(page, id=page.name) for page in PAGES if page.is_file()]


# Examples


def list_examples() -> list[Any]:
    """All Python blocks, in the order of their pages."""
    examples = find_examples(*(page for page in PAGES if page.is_file()))
    return [pytest.param(example, id=f"{example.path.name}:{example.start_line}") for example in examples]


@pytest.fixture(scope="module")
def directories(tmp_path_factory, read_examples, train):
    """Where the examples of each page run: with the assets of the repository, and a chunker trained on the tiny one."""
    made: dict[str, Path] = {}

    def make(page: Path) -> Path:
        if page.name not in made:
            made[page.name] = directory = tmp_path_factory.mktemp(page.stem)
            shutil.copytree(ROOT / "assets", directory / "assets")
            if page.stem == "hedge_chunker":
                save_chunker(directory / "projects/constituents/training/tiny/chunker/model-last")
        return made[page.name]

    def save_chunker(path: Path) -> None:
        nlp = spacy.blank("en")
        for factory in ("sequence_tagger", "hedge_chunker"):
            nlp.add_pipe(factory, config={"model": {"table_bits": 18}})
        examples = read_examples(nlp, keep=("TAG", "SENT_START"))
        fix_random_seed(0)
        nlp.initialize(lambda: examples)
        path.parent.mkdir(parents=True)
        train(nlp, examples).to_disk(path)

    return make


@pytest.fixture(scope="module")
def known():
    """The names that the blocks of each page have defined so far: they run in sequence."""
    return {}


@pytest.mark.parametrize("example", list_examples())
def test_examples_print_the_output_in_the_page(
    example: CodeExample, eval_example: EvalExample, known, directories, monkeypatch
):
    if "from ray import" in example.source:
        # Ray need not be installed.
        compile(example.source, str(example.path), "exec")
        return
    monkeypatch.chdir(directories(example.path))
    names = known.setdefault(example.path, {})
    run = eval_example.run_print_update if eval_example.update_examples else eval_example.run_print_check
    eval_example.set_config(line_length=120)
    names.update(run(example, module_globals=dict(names)))


# Commands


FENCED = re.compile(r"^( *)```(\w*)[^\n]*\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)


def list_commands(page: Path) -> list[str]:
    """The arguments of `spacy joint` in the blocks and spans of code of a page."""
    text = page.read_text(encoding="utf8")
    lines = [
        line
        for _, language, block in FENCED.findall(text)
        if language not in ("py", "python")
        for line in block.replace("\\\n", " ").splitlines()
    ]
    spans = [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", FENCED.sub("", text))]
    return [part for line in (*lines, *spans) for part in re.findall(r"\bspacy joint\b *([^|&;>]*)", line)]


# Typer may have a click of its own.
UsageError = typer.BadParameter.__base__
JOINT: Any = typer.main.get_command(app)


def parse_command(arguments: str) -> None:
    """Parse the arguments of `spacy joint`; RAISES UsageError for an unknown command or option."""
    words, _ = split_overrides(shlex.split(arguments, comments=True))
    command = JOINT
    if words and not words[0].startswith("-"):
        group = command.context_class(command)
        _, command, words = command.resolve_command(group, words)
    command.make_parser(command.context_class(command)).parse_args(words)


@pytest.mark.parametrize("page", list_pages())
def test_commands_and_their_options_exist(page):
    for command in list_commands(page):
        parse_command(command)


@pytest.mark.parametrize("command", ["anotate FILE", "annotate FILE --formt json", "--halp"])
def test_unknown_commands_and_options_are_noticed(command):
    with pytest.raises(UsageError):
        parse_command(command)


# Configs


@pytest.mark.parametrize("page", list_pages())
def test_configs_name_what_exists(page):
    blocks = FENCED.findall(page.read_text(encoding="utf8"))
    text = "\n".join(block for _, language, block in blocks if language == "ini")
    for group, name in re.findall(r'^ *@(\w+) = "([^"]+)"$', text, re.MULTILINE):
        assert registry.has(group, name), f"{page.name}: [{group}] {name}"
    for name in re.findall(r'^ *factory = "([^"]+)"$', text, re.MULTILINE):
        assert spacy.blank("en").has_factory(name), f"{page.name}: {name}"


# Figures


def test_the_figure_of_a_tree_is_what_is_drawn():
    script = runpy.run_path(str(DOCS / "draw_tree.py"))
    assert script["FIGURE"].read_text(encoding="utf8") == script["draw"]()


# Tables of settings


def read_settings() -> dict[str, dict[str, str]]:
    """The default of each setting, as shown, by component: `| setting of `NAME` | default |`, on the page NAME without
    its name."""
    found: dict[str, dict[str, str]] = {}
    for page in PAGES:
        table = r"^\| setting(?: of `(\w+)`)? \| ([^\n]*)\n\|[-| ]*\n((?:\|[^\n]*\n)+)"
        for name, header, rows in re.findall(table, page.read_text(encoding="utf8"), re.MULTILINE):
            assert header.startswith("default |"), f"{page.name} has a table of settings without defaults"
            settings = found.setdefault(name or page.stem, {})
            for row in rows.splitlines():
                names, defaults = (re.findall(r"`([^`]+)`", cell) for cell in row.split(" | ")[:2])
                settings.update(zip(names, defaults, strict=True))
    return found


def find_defaults(factory: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The settings of the default config of a factory without its scorer, and those that its model adds, flat."""
    # Factories are known once there is a pipeline.
    config = dict(spacy.blank("en").get_factory_meta(factory).default_config)
    config.pop("scorer", None)
    if "model" not in config:
        return config, {}
    model = dict(config.pop("model"))
    name = model.pop("@architectures")
    parameters = inspect.signature(registry.get("architectures", name)).parameters.values()
    added = {f"model.{parameter.name}": parameter.default for parameter in parameters}
    return {**config, "model": name, **{f"model.{key}": value for key, value in model.items()}}, added


@pytest.mark.parametrize("factory", FACTORIES)
def test_tables_show_all_settings_of_a_component_with_their_defaults(factory):
    own, added = find_defaults(factory)
    shown = {name: json.loads(default) for name, default in read_settings().get(factory, {}).items()}
    expected = {**added, **own}
    assert shown == {name: expected.get(name) for name in {**dict.fromkeys(shown), **own}}


def test_tables_show_all_settings_of_the_learnt_tokenizer_with_their_defaults():
    given = inspect.signature(create_character_tokenizer).parameters.values()
    learning = inspect.signature(CharacterTokenizer.initialize).parameters.values()
    defaults = {each.name: each.default for each in (*given, *learning) if each.default is not inspect.Parameter.empty}
    for name in ("nlp", "pkuseg_model", "pkuseg_user_dict"):
        del defaults[name]
    assert {name: json.loads(default) for name, default in read_settings()["tokenizer"].items()} == defaults


# Pages


@pytest.mark.parametrize("page", [*list_pages(), *sorted((DOCS / "api").glob("*.md"))])
def test_links_of_a_page_resolve(page):
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf8"))
    missing = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert not missing


@pytest.mark.parametrize("page", list_pages())
def test_pages_have_at_most_120_lines(page):
    is_long = "experiments" in page.parts or page.name in ("design.md", "results.md")
    assert is_long or len(page.read_text(encoding="utf8").splitlines()) <= 120


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
