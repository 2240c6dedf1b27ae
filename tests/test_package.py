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
    "spacy_architectures": {
        "spacy_joint.BeamPerceptron.v1": "spacy_joint.pipes.architectures:BeamPerceptron",
        "spacy_joint.BiLSTMEncoder.v1": "spacy_joint.guiding.encoder:BiLSTMEncoder",
        "spacy_joint.OnnxTransformer.v1": "spacy_joint.guiding.onnx_transformer:OnnxTransformer",
        "spacy_joint.OrderPerceptron.v1": "spacy_joint.ordering.order_perceptron:make_order_perceptron",
        "spacy_joint.ParserGuide.v1": "spacy_joint.guiding.architecture:ParserGuide",
        "spacy_joint.SpanGuide.v1": "spacy_joint.guiding.architecture:SpanGuide",
        "spacy_joint.Transformer.v1": "spacy_joint.guiding.transformer:Transformer",
    },
    "spacy_augmenters": {
        "spacy_joint.noise.v1": "spacy_joint.training.noise:create_noise_augmenter",
        "spacy_joint.unpunctuated.v1": "spacy_joint.training.unpunctuated:create_unpunctuated_augmenter",
    },
    "spacy_batchers": {"spacy_joint.skip_documents.v1": "spacy_joint.training.resuming:create_skip_documents"},
    "spacy_callbacks": {
        "spacy_joint.add_tokenizer_exceptions.v1": "spacy_joint.tokenization.exceptions:create_exceptions_adder",
        "spacy_joint.checkpoint.v1": "spacy_joint.training.resuming:create_checkpoint",
        "spacy_joint.lift_max_length.v1": "spacy_joint.length:create_max_length_lifter",
    },
    "spacy_cli": {"joint": "spacy_joint.cli:app"},
    "spacy_factories": {
        "chart_parser": "spacy_joint.factories:make_chart_parser",
        "constituency_parser": "spacy_joint.factories:make_constituency_parser",
        "hedge_chunker": "spacy_joint.factories:make_hedge_chunker",
        "hedge_segmenter": "spacy_joint.factories:make_hedge_segmenter",
        "joint_sbd_parser": "spacy_joint.factories:make_joint_sbd_parser",
        "multiword_expander": "spacy_joint.factories:make_multiword_expander",
        "parser_guide": "spacy_joint.factories:make_parser_guide",
        "prenominal_orderer": "spacy_joint.factories:make_prenominal_orderer",
        "punctuation_restorer": "spacy_joint.factories:make_punctuation_restorer",
        "quotation_cues": "spacy_joint.factories:make_quotation_cues",
        "quotation_spans": "spacy_joint.factories:make_quotation_spans",
        "sequence_lemmatizer": "spacy_joint.factories:make_sequence_lemmatizer",
        "sequence_morphologizer": "spacy_joint.factories:make_sequence_morphologizer",
        "sequence_tagger": "spacy_joint.factories:make_sequence_tagger",
        "span_guide": "spacy_joint.factories:make_span_guide",
    },
    "spacy_loggers": {"spacy_joint.console_logger.v1": "spacy_joint.training.loggers:console_logger"},
    "spacy_readers": {
        "spacy_joint.ConstituencyCorpus.v1": "spacy_joint.corpora.constituency_treebanks:create_constituency_corpus",
        "spacy_joint.ConlluCorpus.v1": "spacy_joint.corpora.conllu:create_conllu_corpus",
        "spacy_joint.DocBinCorpus.v1": "spacy_joint.corpora.docbin:create_docbin_corpus",
        "spacy_joint.MixedCorpus.v1": "spacy_joint.corpora.mixed:create_mixed_corpus",
        "spacy_joint.QuotationCorpus.v1": "spacy_joint.corpora.quotations:create_quotation_corpus",
        "spacy_joint.read_labels.v1": "spacy_joint.files.resources:read_labels",
        "spacy_joint.read_tokenizer_exceptions.v1": "spacy_joint.files.resources:read_tokenizer_exceptions",
        "spacy_joint.read_word_classes.v1": "spacy_joint.files.resources:read_word_classes",
    },
    "spacy_scorers": {
        "spacy_joint.boundary_and_tree_scorer.v1": (
            "spacy_joint.scoring.boundaries_and_trees:make_boundary_and_tree_scorer"
        ),
        "spacy_joint.constituent_scorer.v1": "spacy_joint.scoring.constituents:make_constituent_scorer",
        "spacy_joint.guide_scorer.v1": "spacy_joint.scoring.guides:make_guide_scorer",
        "spacy_joint.hedge_scorer.v1": "spacy_joint.scoring.hedges:make_hedge_scorer",
        "spacy_joint.order_scorer.v1": "spacy_joint.scoring.orders:make_order_scorer",
        "spacy_joint.quotation_scorer.v1": "spacy_joint.scoring.quotations:make_quotation_scorer",
        "spacy_joint.restoration_scorer.v1": "spacy_joint.scoring.restoration:make_restoration_scorer",
        "spacy_joint.span_guide_scorer.v1": "spacy_joint.scoring.guides:make_span_guide_scorer",
        "spacy_joint.tag_scorer.v1": "spacy_joint.scoring.tags:make_tag_scorer",
    },
    "spacy_tokenizers": {
        "spacy_joint.CharacterTokenizer.v1": (
            "spacy_joint.tokenization.character_tokenizer:create_character_tokenizer"
        ),
        "spacy_joint.NoTokenizer.v1": "spacy_joint.pipes.no_tokenizer:create_no_tokenizer",
        "spacy_joint.UdEnglishTokenizer.v1": "spacy_joint.tokenization.ud_english:create_ud_english_tokenizer",
    },
}
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
    found = defaultdict(dict)
    for entry_point in metadata.distribution("spacy-joint").entry_points:
        found[entry_point.group][entry_point.name] = entry_point.value
    assert found == REGISTERED


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


@pytest.mark.parametrize(
    "path",
    [
        "hedges/templates.txt",
        "ordering/templates.txt",
        "parsing/guide_templates.txt",
        "parsing/templates.txt",
        "tagging/templates.txt",
        "tokenization/character_templates.txt",
        "quotation/cue_guide_templates.txt",
        "quotation/cue_templates.txt",
        "quotation/label_templates.txt",
        "quotation/span_guide_templates.txt",
        "quotation/span_templates.txt",
        "quotation/speaker_model.bin",
        "quotation/speaker_templates.txt",
        "quotation/token_templates.txt",
        "trees/head_rules_english.txt",
        "phrases/gap_templates.txt",
        "hedges/guide_templates.txt",
        "hedges/segment_templates.txt",
        "phrases/swap_templates.txt",
    ],
)
def test_templates_and_rules_are_installed(path):
    assert (FOLDER / path).is_file()


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
