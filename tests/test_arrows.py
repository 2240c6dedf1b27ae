"""Who imports whom: a folder imports itself and what is below it, so that nothing goes round in circles."""

import ast
import re
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import spacy_joint

PACKAGE = Path(spacy_joint.__file__).parent
# From the ground up. What is in one row does not import each other. "" is the package itself.
LAYERS = (
    ("about", "errors", "length"),
    ("", "engine", "files"),
    ("trees",),
    ("annotation",),
    ("pipes",),
    ("corpora", "tagging", "tokenization", "transcripts"),
    ("charts", "guiding", "hedges", "ordering", "parsing", "phrases", "quotation", "restoring"),
    ("scoring",),
    ("training",),
    ("factories", "rendering"),
    ("serving",),
    ("scale",),
    ("cli",),
)
LEVEL = {folder: level for level, folders in enumerate(LAYERS) for folder in folders}
TASKS = ("charts", "guiding", "hedges", "ordering", "parsing", "phrases", "quotation", "restoring", "tagging")
CYTHON_IMPORT = re.compile(r"^\s*from\s+([\w.]+)\s+c?import\s+\(?([^#()]+)", re.MULTILINE)


def list_sources():
    return [path for suffix in ("py", "pyi", "pyx", "pxd") for path in PACKAGE.rglob(f"*.{suffix}")]


def name_module(path):
    """The name below the package: "engine.beam", "engine" for its `__init__`."""
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix("__init__").rstrip(".")


def read_imports(path):
    """The module, as it is written, and the names of each `from ... import ...`, at whatever place."""
    text = path.read_text(encoding="utf8")
    if path.suffix in (".pyx", ".pxd"):
        return [(source, re.split(r"[\s,]+", names.strip())) for source, names in CYTHON_IMPORT.findall(text)]
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom)]
    return [("." * node.level + (node.module or ""), [name.name for name in node.names]) for node in nodes]


def find_imported(path, modules):
    """The modules of this package that a file imports."""
    package = path.relative_to(PACKAGE).parts[:-1]
    for source, names in read_imports(path):
        dots = len(source) - len(source.lstrip("."))
        if dots:
            named = ".".join([*package[: len(package) - dots + 1], *filter(None, [source[dots:]])])
        elif source.split(".")[0] == "spacy_joint":
            named = source.removeprefix("spacy_joint").removeprefix(".")
        else:
            continue
        for name in names:
            below = f"{named}.{name}".removeprefix(".")
            yield below if below in modules else named


@pytest.fixture(scope="module")
def imports():
    modules = {name_module(path) for path in list_sources()}
    found = {module: set() for module in modules}
    for path in list_sources():
        found[name_module(path)].update(find_imported(path, modules))
    return {module: sorted(imported - {module}) for module, imported in found.items()}


def folder_of(module):
    return module.split(".")[0]


def test_imports_are_found(imports):
    assert "engine.columns" in imports["engine.beam"]
    assert "pipes.streaming" in imports["parsing.joint_sbd_parser"]
    assert "load" not in imports["cli.annotating.annotate"] and "" in imports["cli.annotating.annotate"]


def test_each_folder_has_its_place(imports):
    assert {folder_of(module) for module in imports} == set(LEVEL)


def test_imports_go_down(imports):
    upward = [
        f"{module} imports {other}"
        for module, imported in imports.items()
        for other in imported
        if folder_of(other) != folder_of(module) and LEVEL[folder_of(other)] >= LEVEL[folder_of(module)]
    ]
    assert not upward


def test_there_are_no_circular_imports(imports):
    # The package's `__init__` imports nothing but what is below everything.
    assert list(TopologicalSorter(imports).static_order())


def test_the_engine_imports_only_itself_and_errors(imports):
    of_engine = {other for module, imported in imports.items() if folder_of(module) == "engine" for other in imported}
    assert {folder_of(other) for other in of_engine} == {"engine", "errors"}


def test_tasks_share_only_sequence_labelling(imports):
    shared = {
        other
        for module, imported in imports.items()
        for other in imported
        if folder_of(module) in TASKS and folder_of(other) in TASKS and folder_of(other) != folder_of(module)
    }
    assert shared == {"tagging.system"}


def test_scoring_and_training_import_no_component(imports):
    # The factories name classes, such as "parsing.joint_sbd_parser:JointSbdParser", and import them when needed.
    text = (PACKAGE / "factories.py").read_text(encoding="utf8")
    components = set(re.findall(r"^    \"([\w.]+):\w+\"", text, re.MULTILINE)) & imports.keys()
    assert len(components) > 10
    for module, imported in imports.items():
        if folder_of(module) in ("scoring", "training"):
            assert not components & set(imported), module


def test_only_commands_import_what_is_spread_over_processes(imports):
    importing = {folder_of(module) for module, imported in imports.items() if any(map(is_scale, imported))}
    assert importing <= {"cli", "scale"}


def is_scale(module):
    return folder_of(module) == "scale"
