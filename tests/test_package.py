"""The installed package: what it registers, which files it has, and how little it imports."""

import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections import defaultdict
from importlib import import_module, metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

import spacy_joint
from spacy_joint import about

FOLDER = Path(spacy_joint.__file__).parent
ROOT = Path(__file__).parent.parent
UNIVERSE = ROOT / "docs" / "universe.json"
PIPELINES = sorted((ROOT / "pipelines").glob("*/meta.json"))
in_a_checkout = pytest.mark.skipif(not (ROOT / "spacy_joint/about.py").is_file(), reason="there are no sources")
# Released names are permanent: add to this list, but never change it.
REGISTERED = {
    "spacy_architectures": (
        "BeamPerceptron BiLSTMEncoder OnnxTransformer OrderPerceptron ParserGuide SpanGuide Transformer"
    ),
    "spacy_augmenters": "noise unpunctuated",
    "spacy_batchers": "skip_documents",
    "spacy_callbacks": "add_tokenizer_exceptions checkpoint lift_max_length",
    "spacy_loggers": "console_logger",
    "spacy_readers": (
        "ConstituencyCorpus ConlluCorpus DocBinCorpus MixedCorpus QuotationCorpus "
        "read_labels read_tokenizer_exceptions read_word_classes"
    ),
    "spacy_scorers": (
        "boundary_and_tree_scorer constituent_scorer guide_scorer hedge_scorer order_scorer quotation_scorer "
        "restoration_scorer span_guide_scorer tag_scorer"
    ),
    "spacy_tokenizers": "CharacterTokenizer NoTokenizer UdEnglishTokenizer",
}
COMPONENTS = (
    "chart_parser constituency_parser hedge_chunker hedge_segmenter joint_sbd_parser multiword_expander parser_guide "
    "prenominal_orderer punctuation_restorer quotation_cues quotation_spans sequence_lemmatizer "
    "sequence_morphologizer sequence_tagger span_guide"
)
EXTENSIONS = sorted(FOLDER.rglob("*.pyx"))


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(FOLDER.parent).with_suffix("").parts)


def imported_by(code: str, cwd: Path) -> set[str]:
    """The modules in a fresh interpreter after running the code, with warnings as errors."""
    code = f"{code}\nimport sys\nprint(*sys.modules)"
    finished = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], cwd=cwd, check=True, capture_output=True, text=True
    )
    return set(finished.stdout.split())


def test_the_version_matches_the_distribution():
    assert spacy_joint.__version__ == metadata.version("spacy-joint")


def test_the_metadata_are_complete_and_their_links_are_absolute():
    found = metadata.metadata("spacy-joint")
    assert found["License-Expression"] == "MIT" and found["Author"]
    assert not re.search(r"\]\((?!https?:|#)", found.get_payload() or found["Description"])
    addresses = dict(line.split(", ") for line in found.get_all("Project-URL", []))
    assert addresses.get("Repository", "") == about.__repository__
    assert addresses.get("Documentation", "") == about.__site__


@in_a_checkout
def test_metadata_and_links_have_the_addresses_that_are_set(tmp_path):
    pytest.importorskip("Cython")
    (tmp_path / "spacy_joint").mkdir()
    (tmp_path / "configs").mkdir()
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE", "spacy_joint/about.py"):
        shutil.copy(ROOT / name, tmp_path / name)
    with (tmp_path / "spacy_joint" / "about.py").open("a", encoding="utf8") as file:
        file.write('__repository__, __site__ = "https://github.com/a/b", "https://a.b/"\n')
    subprocess.run([sys.executable, "setup.py", "-q", "egg_info"], cwd=tmp_path, check=True, capture_output=True)
    found = (tmp_path / "spacy_joint.egg-info" / "PKG-INFO").read_text(encoding="utf8")
    assert "Project-URL: Documentation, https://a.b/\nProject-URL: Repository, https://github.com/a/b\n" in found
    assert f"](https://github.com/a/b/blob/v{about.__version__}/docs/results.md)" in found


def test_only_an_extra_needs_scipy():
    required = [line for line in metadata.requires("spacy-joint") if line.startswith("scipy")]
    assert required and all("extra ==" in line for line in required)


@in_a_checkout
def test_the_source_distribution_has_what_is_under_its_licence(tmp_path):
    pytest.importorskip("Cython")
    command = [sys.executable, "setup.py", "-q", "egg_info", "--egg-base", tmp_path]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    files = set((tmp_path / "spacy_joint.egg-info" / "SOURCES.txt").read_text(encoding="utf8").splitlines())
    assert files >= {"LICENSE", "README.md", "CHANGELOG.md", "configs/sequence_tagger.cfg", "assets/tiny_dev.conllu"}
    assert files >= {path.relative_to(ROOT).as_posix() for path in (ROOT / "spacy_joint").rglob("*.p[xy][dxi]")}
    assert not [
        file for file in files if file.startswith(("pipelines/", "assets/en_")) or file.endswith((".so", ".cpp"))
    ]
    assert sum((ROOT / file).stat().st_size for file in files if (ROOT / file).is_file()) < 10e6


@in_a_checkout
@pytest.mark.skipif(sys.platform == "win32", reason="Visual Studio is not found by a variable")
def test_a_build_without_a_compiler_says_what_to_install(tmp_path):
    pytest.importorskip("Cython")
    command = [sys.executable, "setup.py", "build_ext", "--build-lib", tmp_path, "--build-temp", tmp_path]
    missing = {"CC": "no-compiler", "CXX": "no-compiler"}
    finished = subprocess.run(command, cwd=ROOT, env={**os.environ, **missing}, capture_output=True, text=True)
    assert finished.returncode and "needs a C++ compiler" in finished.stderr and "no-compiler" in finished.stderr


@in_a_checkout
def test_version_and_addresses_are_the_same_everywhere():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf8")
    assert f"\nversion: {about.__version__}\n" in citation
    assert not about.__repository__ or f'\nrepository-code: "{about.__repository__}"\n' in citation
    assert f"\n## [{about.__version__}] - 2" in (ROOT / "CHANGELOG.md").read_text(encoding="utf8")


def make_archive(directory):
    """The bytes of a directory as an archive, like a source distribution."""
    content = io.BytesIO()
    # Higher levels take long and make it hardly smaller.
    with tarfile.open(fileobj=content, mode="w:gz", compresslevel=3) as archive:
        # Not what installations leave beside it.
        archive.add(directory / directory.name, arcname=directory.name)
    return content.getvalue()


@pytest.mark.parametrize("path", PIPELINES, ids=lambda path: path.parent.name)
def test_the_shipped_pipelines_fit_this_version(path):
    meta = json.loads(path.read_text(encoding="utf8"))
    assert meta["version"] == about.__pipelines_version__
    is_english = meta["lang"] == "en"
    # Other languages are learnt from less, some from speech alone.
    assert meta["performance"]["dep_las"] > (0.8 if is_english else 0.5)
    assert is_english or "parser_guide" in meta["components"] or len(make_archive(path.parent)) <= 6e6
    required = {Requirement(line).name: Requirement(line) for line in meta["requirements"]}
    assert about.__version__ in required["spacy-joint"].specifier
    ours = next(found for line in metadata.requires("spacy-joint") if (found := Requirement(line)).name == "spacy")
    assert ours.specifier == SpecifierSet(meta["spacy_version"])
    (copy,) = path.parent.glob("*/*-*/meta.json")
    assert copy.read_bytes() == path.read_bytes()
    card = (path.parent / "README.md").read_text(encoding="utf8")
    assert card.startswith("---\n") and "library_name: spacy\n" in card.split("---\n")[1]
    assert copy.with_name("README.md").read_text(encoding="utf8") == card


def test_all_registrations_are_known():
    # After adding an entry point, reinstall the package to update its metadata.
    found = defaultdict(set)
    for entry_point in metadata.distribution("spacy-joint").entry_points:
        found[entry_point.group].add(entry_point.name)
    versioned = {group: {f"spacy_joint.{name}.v1" for name in names.split()} for group, names in REGISTERED.items()}
    assert found == {**versioned, "spacy_cli": {"joint"}, "spacy_factories": set(COMPONENTS.split())}


@pytest.mark.parametrize("entry_point", metadata.distribution("spacy-joint").entry_points, ids=lambda found: found.name)
def test_entry_points_can_be_loaded(entry_point):
    assert callable(entry_point.load())


def test_importing_the_package_imports_nothing_heavy(tmp_path):
    modules = imported_by("import spacy_joint", tmp_path)
    assert not modules & {"spacy", "thinc", "numpy", "scipy", "srsly", "typer", "matplotlib", "importlib.metadata"}


def test_sources_without_their_compiled_modules_say_what_to_do(tmp_path):
    ignored = shutil.ignore_patterns("*.so", "*.pyd", "*.cpp")
    shutil.copytree(FOLDER, tmp_path / "spacy_joint", ignore=ignored)
    command = [sys.executable, "-c", "import spacy_joint"]
    finished = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert "ImportError: [J420]" in finished.stderr and "pip install -e ." in finished.stderr


@pytest.mark.parametrize("module", ["factories", "cli"])
def test_modules_that_spacy_always_imports_import_no_component_and_no_engine(module, tmp_path):
    modules = imported_by(f"import spacy_joint.{module}", tmp_path)
    heavy = {module_name(path) for path in EXTENSIONS} | {"spacy_joint.pipes.structured_pipe", "scipy"}
    assert not modules & heavy


def test_each_error_has_a_unique_code():
    codes = re.findall(r"^    (J\d+) = ", (FOLDER / "errors.py").read_text(encoding="utf8"), re.MULTILINE)
    assert len(codes) == len(set(codes)) > 100


def test_the_package_is_marked_as_typed():
    assert (FOLDER / "py.typed").is_file()


@pytest.mark.parametrize("path", EXTENSIONS, ids=module_name)
def test_compiled_modules_come_with_stubs(path):
    import_module(module_name(path))
    assert path.with_suffix(".pyi").is_file()


def test_headers_are_installed_for_packages_that_compile_against_this_one():
    assert (FOLDER / "engine" / "rows.h").is_file()
    declared = {path.stem for path in (FOLDER / "engine").glob("*.pxd")}
    assert declared >= {"beam", "columns", "system", "templates", "weights"}


@pytest.mark.skipif(not UNIVERSE.is_file(), reason="there is only the installed package")
def test_the_entry_of_the_spacy_universe_is_complete_and_its_example_runs(capsys):
    entry = json.loads(UNIVERSE.read_text(encoding="utf8"))
    required = {"id", "title", "slogan", "description", "pip", "code_example", "author", "category", "tags"}
    assert required <= entry.keys()
    assert set(entry["category"]) <= {"pipeline", "standalone", "models", "scientific", "training"}
    exec("\n".join(entry["code_example"]), {})
    assert capsys.readouterr().out.count("you have four cats") == 1
