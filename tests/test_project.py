"""The projects: their commands are valid, and train on tiny data, in a copy of the repository's files."""

import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import warnings
from collections.abc import Container
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import spacy
import srsly
import typer
from spacy.cli._util import app, parse_config_overrides
from spacy.util import load_config, working_dir
from spacy.vocab import Vocab
from weasel.util import load_project_config

from spacy_joint.annotation.custom_columns import name_span_columns
from spacy_joint.cli.overrides import split_overrides
from spacy_joint.cli.training.configs import CONFIGS
from spacy_joint.corpora.conllu import read_conllu

ROOT = Path(__file__).parent.parent
PROJECTS = [Path(), *(path.relative_to(ROOT) for path in sorted((ROOT / "projects").glob("*/")))]
PROJECT = pytest.mark.parametrize("name", PROJECTS, ids=str)
# Commands to run once, by hand.
RARE = {"vectors", "resources", "quick"}
# Making it from the functions of its commands takes longer than many commands do.
SPACY: Any = typer.main.get_command(app)
pytestmark = pytest.mark.skipif(not (ROOT / "project.yml").is_file(), reason="there is only the installed package")


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    """A copy of the projects, with configs of small models."""
    directory = tmp_path_factory.mktemp("repository")
    shutil.copy(ROOT / "project.yml", directory)
    for name in ("projects", "benchmarks"):
        shutil.copytree(ROOT / name, directory / name)
    for path in [*(ROOT / "pipelines").glob("*.*"), *(ROOT / "assets").glob("*_*")]:
        copy = shutil.copytree if path.is_dir() else shutil.copy
        (directory / path.parent.name).mkdir(exist_ok=True)
        copy(path, directory / path.parent.name / path.name)
    (directory / "configs").mkdir()
    # The tests check that everything fits together; small tables and few epochs are enough for that.
    small = "\ntable_bits = 18\nn_tables = 1\nmin_changes = 1\n"
    for path in CONFIGS.glob("*.cfg"):
        text = path.read_text(encoding="utf8")
        for pattern, changed in (
            (r"(?<=BeamPerceptron.v1\")\n", small),
            (r"max_epochs = \d+", "max_epochs = 3"),
            (r"max_steps = \d{3,}", "max_steps = 4"),
            (r"width = 256\ndepth = 2", "width = 64\ndepth = 1"),
        ):
            text = re.sub(pattern, changed, text)
        (directory / "configs" / path.name).write_text(text, encoding="utf8")
    return directory


def run_spacy(*words: str) -> None:
    """Run a command of spaCy without a process that imports everything again."""
    SPACY(list(words), standalone_mode=False)


def run_project(directory: Path, name: str, *arguments: str, without: Container[str] = (), changes: str = "") -> None:
    """Run a workflow or command as `spacy project run` does, but in this process, with changes of its configs."""
    config = load_project_config(directory, overrides=parse_config_overrides(list(arguments)))
    scripts = {command["name"]: command["script"] for command in config["commands"]}
    commands = [command for command in config["workflows"].get(name, [name]) if command not in without]
    with working_dir(directory), warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("ignore")
        patch.setenv("SPACY_CONFIG_OVERRIDES", changes)
        for line in (line for command in commands for line in scripts[command]):
            _, module, *words = shlex.split(line)
            if (module, words[0]) == ("-m", "spacy"):
                run_spacy(*words[1:])
            else:
                subprocess.run([sys.executable, module, *words], check=True)


def read_metrics(project: Path, name: str) -> dict[str, Any]:
    return json.loads((project / "metrics" / f"{name}.json").read_text(encoding="utf8"))


# Validity


@PROJECT
def test_commands_of_workflows_come_after_those_that_they_need(name, repository):
    directory = repository / name
    config = load_project_config(directory)
    commands = {command["name"]: command for command in config["commands"]}
    assert set(commands) - RARE <= {name for workflow in config["workflows"].values() for name in workflow}
    assets = [os.path.normpath(asset["dest"]) for asset in config["assets"]]
    makers = {path: name for name, command in commands.items() for path in command.get("outputs", [])}
    for workflow in config["workflows"].values():
        for place, command in enumerate(workflow):
            for needed in map(Path, commands[command].get("deps", [])):
                found = [maker for made, maker in makers.items() if needed.is_relative_to(made)]
                is_asset = any(needed.is_relative_to(asset) or Path(asset).is_relative_to(needed) for asset in assets)
                assert found or (directory / needed).exists() or is_asset, needed
                assert not set(found) & set(workflow[place:]), needed


@PROJECT
def test_commands_and_their_options_exist(name, repository):
    directory = repository / name
    for command in load_project_config(directory)["commands"]:
        for line in command["script"]:
            _, *words = shlex.split(line)
            if words[:2] == ["-m", "spacy"]:
                words, overrides = split_overrides(words[2:])
                values = parse_command(words)
                config = values.get("config_path") or values.get("config") or ""
                if str(config).endswith(".cfg"):
                    load_config(directory / config, overrides=parse_config_overrides(overrides), interpolate=False)
            elif words[0] != "-m":
                assert (directory / words[0]).is_file()


def parse_command(words: list[str]) -> dict[str, Any]:
    """The options and arguments of a command of spaCy; RAISES UsageError for an unknown option."""
    command = SPACY
    while hasattr(command, "resolve_command"):
        _, command, words = command.resolve_command(command.context_class(command), words)
    values, unknown, _ = command.make_parser(command.context_class(command)).parse_args(words)
    assert not unknown
    return values


# Training


def test_a_pipeline_is_trained_from_files_of_the_repository(repository, capsys):
    # It reads the configs of the package.
    run_project(repository, "train", "--vars.folds", "2", "--vars.seed", "5", changes="--training.max_epochs 3")
    printed = capsys.readouterr().out
    assert "seed 5" in printed and "BOUNDARY_F" in printed and "DEP_LAS_PUNCT" in printed
    nlp = spacy.load(repository / "training" / "tiny" / "pipeline")
    trained = ["sequence_tagger", "joint_sbd_parser", "sequence_morphologizer", "sequence_lemmatizer"]
    assert nlp.pipe_names == [*trained, "multiword_expander"]
    assert [token.text for token in nlp.make_doc("a pre-war and/or")] == ["a", "pre-war", "and", "/", "or"]
    edited, unpunctuated = (read_metrics(repository, name) for name in ("tiny_dev", "tiny_dev_unpunctuated"))
    assert edited["boundary_f"] > 0.52 and edited["dep_las_punct"] > 0.35
    assert unpunctuated["boundary_f"] > 0.25 and unpunctuated["dep_las_punct"] > 0.34


def test_assets_come_from_a_local_copy_too(repository, tmp_path):
    treebank = tmp_path / "ud" / "UD_English-EWT" / "r2.16"
    treebank.mkdir(parents=True)
    for part in ("train", "dev", "test"):
        (treebank / f"en_ewt-ud-{part}.conllu").write_text(part, encoding="utf8")
    run_spacy("project", "assets", str(repository), "--vars.ud", str(tmp_path / "ud"))
    assert (repository / "assets" / "ewt_dev.conllu").read_text(encoding="utf8") == "dev"


def test_quotation_spans_is_trained_on_the_tiny_corpus(repository):
    tiny = ("--vars.corpus", "tiny", "--vars.quotes", "../../assets/tiny_quotes", "--vars.annotations", "")
    project = repository / "projects" / "quotations"
    run_project(project, "all", *tiny)
    nlp = spacy.load(project / "training" / "tiny" / "semimarkov_beam" / "model-last")
    assert nlp.pipe_names == ["quotation_cues", "quotation_spans"]
    assert read_metrics(project, "tiny_semimarkov_beam_dev")["quotation_f"] > 0.64


def test_quotation_spans_is_guided_by_a_transformer(repository, write_transformer):
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    transformer = write_transformer(repository / "transformer", ["said", "that", "the", "he", "she"], positions=256)
    tiny = ("--vars.corpus", "tiny", "--vars.quotes", "../../assets/tiny_quotes", "--vars.annotations", "")
    project = repository / "projects" / "quotations"
    run_project(project, "guided", *tiny, "--vars.transformer", str(transformer))
    nlp = spacy.load(project / "training" / "tiny" / "guided_semimarkov_beam" / "model-last")
    assert nlp.pipe_names == ["span_guide", "quotation_cues", "quotation_spans"]
    for name in nlp.pipe_names[1:]:
        assert set(nlp.get_pipe(name).perceptron.templates.columns) >= set(name_span_columns("quotations"))
    assert read_metrics(project, "tiny_guided_semimarkov_beam_dev")["quotation_f"] > 0.3


def test_parsers_of_constituents_are_trained_from_trees_in_brackets(repository):
    project = repository / "projects" / "constituents"
    run_project(project, "train", "--vars.trees", "../../assets/tiny_", "--vars.corpus", "tiny", "--vars.folds", "2")
    models = {
        "finished": ["sequence_tagger", "constituency_parser"],
        "chunker/model-last": ["sequence_tagger", "hedge_chunker"],
        "charts/model-last": ["chart_parser"],
    }
    pipelines = {name: spacy.load(project / "training" / "tiny" / name) for name in models}
    assert {name: nlp.pipe_names for name, nlp in pipelines.items()} == models
    assert pipelines["finished"].get_pipe("constituency_parser").perceptron.beam_width == 8
    for name, measure, least in (
        ("parser", "constituents", 0.47),
        ("chunker", "hedge", 0.42),
        ("charts", "constituents", 0.48),
    ):
        assert read_metrics(project, f"tiny_{name}_dev")[f"{measure}_f"] > least, name


def test_a_pipeline_of_another_language_is_trained_by_one_command(repository, tmp_path):
    project = repository / "projects" / "languages"
    for asset in load_project_config(project)["assets"]:
        part = Path(asset["dest"]).stem.rpartition("-")[2]
        copy = tmp_path / "ud" / asset["url"].split("UniversalDependencies/")[-1]
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "assets" / f"tiny_german_{'train' if part == 'train' else 'dev'}.conllu", copy)
    run_spacy("project", "assets", str(project), "--vars.ud", str(tmp_path / "ud"))
    run_project(project, "pcm", changes="--training.max_epochs 1")
    (package,) = (project / "training" / "pcm" / "package").iterdir()
    assert package.name == "xx_joint_pcm_naija-0.1.0"
    assert (package / "LICENSE").is_file() and "library_name: spacy" in (package / "README.md").read_text("utf8")
    meta = json.loads((package / "meta.json").read_text(encoding="utf8"))
    assert meta["license"] == "CC BY-SA 4.0" and meta["performance"]["raw_las_f"] > 0.05
    # The copy with other marks is learnt from, too.
    learnt = [repository / "assets" / "tiny_german_train.conllu", project / "corpus" / "pcm_nsc-train.conllu"]
    n_words = sum(len(doc) for path in learnt for doc in read_conllu(path, Vocab()))
    described = json.loads((project / "training" / "pcm" / "steps" / "corpora" / "treebank.json").read_text("utf8"))
    assert described["words"] == n_words


RECURRENT, SETTINGS = "${vars.configs}/parser_guide_md.cfg", "${vars.guide} ${vars.recurrent}"
GUIDES = f"""\
      - "python -m spacy init labels {RECURRENT} corpus/labels {SETTINGS}"
      - "python -m spacy train {RECURRENT} --output training/md {SETTINGS} --training.max_steps 60"
"""


@pytest.fixture
def english(repository):
    """The project of the shipped pipelines, with tiny stand-ins for what it downloads and for its teacher, and without
    packaging, which builds in an environment of its own and so needs a network.
    """
    assets, project = repository / "assets", repository / "projects" / "english"
    parts = {
        "ewt_train": "train",
        "ewt_dev": "dev",
        "gum_train": "train",
        "gum_dev": "train",
        "gum_test": "dev",
        "childes_train": "dev",
    }
    for name, part in parts.items():
        shutil.copy(assets / f"tiny_{part}.conllu", assets / f"{name}.conllu")
    # All classes and exceptions are read by each command, which would take most of the time.
    classes = srsly.read_msgpack(assets / "en_word_classes.msgpack")
    srsly.write_msgpack(assets / "en_word_classes.msgpack", dict(islice(classes.items(), 500)))
    exceptions = srsly.read_json(assets / "en_tokenizer_exceptions.json")
    srsly.write_json(assets / "en_tokenizer_exceptions.json", dict(islice(exceptions.items(), 50)))
    (assets / "gum_const").mkdir()
    for part in ("train", "dev"):
        trees = iter((assets / f"tiny_{part}.ptb").read_text(encoding="utf8").splitlines(keepends=True))
        for document in (assets / f"tiny_{part}.conllu").read_text(encoding="utf8").split("# newdoc id = ")[1:]:
            own = "".join(islice(trees, document.count("# sent_id")))
            (assets / "gum_const" / f"{document.partition(chr(10))[0]}.ptb").write_text(own, encoding="utf8")
    for name, words in (("exc", {"nodded": ["nod"]}), ("index", ["nod", "dazzle"])):
        tables = {kind: words if kind == "verb" else type(words)() for kind in ("adj", "noun", "verb")}
        (assets / "wordnet").mkdir(exist_ok=True)
        srsly.write_gzip_json(assets / "wordnet" / f"en_lemma_{name}.json.gz", tables)
    (assets / "raw").mkdir()
    news = "".join(path.read_text(encoding="utf8") for path in sorted((assets / "tiny_quotes" / "train").glob("*.txt")))
    sentences = "Hi Anna, we have news for you. The big old red house was sold."
    for name in ("podcasts", "talks", "addresses", "books/news"):
        (assets / "raw" / f"{name}.txt").parent.mkdir(exist_ok=True)
        (assets / "raw" / f"{name}.txt").write_text(f"{news}\n{sentences}\n", encoding="utf8")
    rows = ["token\tstart\tend\tspeaker\tpunctuation\tcase"]
    rows += [f"{word}\t{i}.1\t{i}.6\tA\t{'.' * (i % 7 == 6)}\tLC" for i, word in enumerate(news.split()[:80])]
    (assets / "raw" / "calls").mkdir()
    (assets / "raw" / "calls" / "call.tsv").write_text("\n".join(rows), encoding="utf8")
    # Only with what is learnt from it, since eleven commands load it.
    teacher = spacy.load("en_joint_english")
    for name in set(teacher.component_names) - {"sequence_tagger", "joint_sbd_parser"}:
        teacher.remove_pipe(name)
    teacher.to_disk(project / "teacher")
    commands = (project / "project.yml").read_text(encoding="utf8")
    for pattern, changed in (
        (r"max_steps ([358]|10)000", "max_steps 40"),
        (r"max_steps \d{3,}", "max_steps 4"),
        (r"min_changes 100", "min_changes 1"),
        (r"table_bits 2\d", "table_bits 18"),
        (r"--folds 5", "--folds 2"),
        (r"teacher: training/trf/teacher", "teacher: teacher"),
        (r"not_calibrated: .*", "not_calibrated: none"),
        (r" *- \"python -m spacy package .*\n", ""),
        # Distillation needs torch, so one recurrent guide is trained directly, for a few steps.
        (r"training/md/(student|tuned)", "training/md/model-last"),
        (r"(?s)(- name: guides\n.*?script:\n).*?(?= *deps:)", rf"\1{GUIDES}"),
    ):
        commands = re.sub(pattern, changed, commands)
    (project / "project.yml").write_text(commands, encoding="utf8")
    return project


@pytest.mark.timeout(1800)
@pytest.mark.skipif(importlib.util.find_spec("nupunkt") is None, reason="there is no nupunkt for Python 3.10")
def test_the_shipped_pipelines_without_a_transformer_are_trained_on_tiny_data(english):
    run_project(english, "all", without=("encoder", "trf"))
    sm, md = (spacy.load(english / "training" / path) for path in ("finished", Path("md", "finished")))
    assert sm.component_names == spacy.load("en_joint_english").component_names
    # It need not be installed.
    meta = json.loads((ROOT / "pipelines" / "en_joint_english_md" / "meta.json").read_text(encoding="utf8"))
    assert md.component_names == meta["components"]
    assert sm.get_pipe("joint_sbd_parser").cfg["unpunctuated_bias"] == 30
    # Guides and parsers learn a few steps only. The lemmatizer of md is that of the shipped pipeline.
    for name, tags in (("dev", 0.58), ("dev_unpunctuated", 0.58), ("md_dev", 0.38), ("md_dev_unpunctuated", 0.38)):
        metrics = read_metrics(english, name)
        assert metrics["tag_acc"] > tags and metrics["lemma_acc"] > 0.68, name
        assert metrics["boundary_f"] > 0.3 and metrics["dep_las_punct"] > 0.3, name
