"""`project.yml`: trains a pipeline on the tiny treebank in one command, in a copy of the repository's files."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import spacy
from weasel.util import load_project_config

import spacy_joint
from spacy_joint.annotation.custom_columns import name_span_columns

ROOT = Path(__file__).parent.parent
CONFIGS = Path(spacy_joint.__file__).parent / "configs"
pytestmark = pytest.mark.skipif(not (ROOT / "project.yml").is_file(), reason="there is only the installed package")


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    directory = tmp_path_factory.mktemp("project")
    shutil.copy(ROOT / "project.yml", directory)
    configs = directory / "src" / "spacy_joint" / "configs"
    configs.mkdir(parents=True)
    for path in CONFIGS.glob("*.cfg"):
        # The tests check that everything fits together; small tables are enough for that.
        small = re.sub(r"table_bits = \d+", "table_bits = 18", path.read_text(encoding="utf8"))
        (configs / path.name).write_text(re.sub(r"n_tables = \d+", "n_tables = 1", small), encoding="utf8")
    (directory / "pipelines").mkdir()
    for path in (ROOT / "pipelines").glob("*.*"):
        shutil.copy(path, directory / "pipelines")
    (directory / "assets").mkdir()
    for path in (ROOT / "assets").glob("*_*"):
        copy = shutil.copytree if path.is_dir() else shutil.copy
        copy(path, directory / "assets" / path.name)
    return directory


def run_project(directory: Path, *arguments: str) -> str:
    environment = {**os.environ, "SPACY_CONFIG_OVERRIDES": "--training.max_epochs 3"}
    command = [sys.executable, "-m", "spacy", "project", *arguments]
    finished = subprocess.run(command, cwd=directory, env=environment, capture_output=True, text=True)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout


def test_it_is_valid(project):
    config = load_project_config(project)
    commands = [command["name"] for command in config["commands"]]
    workflows = config["workflows"]
    # Commands to run once, by hand: word classes and tokenizer exceptions for another language, and unpacking
    # downloaded corpora, trees or word vectors.
    rare = ["word-classes", "tokenizer-exceptions", "order-corpora", "gum-trees", "vectors", "clean"]
    done = {*rare}.union(*workflows.values())
    assert sorted(done) == sorted(commands)
    assert {Path(asset["dest"]).name for asset in config["assets"] if not asset.get("extra")} == {
        f"ewt_{part}.conllu" for part in ("train", "dev", "test")
    }


def test_a_pipeline_is_trained_from_files_of_the_repository(project):
    printed = run_project(project, "run", "train", ".", "--vars.folds", "2", "--vars.seed", "5")
    assert "--system.seed 5" in printed and "BOUNDARY_F" in printed and "DEP_LAS_PUNCT" in printed
    nlp = spacy.load(project / "training" / "tiny" / "both" / "parser" / "model-last")
    assert nlp.pipe_names == ["sequence_tagger", "joint_sbd_parser"]
    assert [token.text for token in nlp.make_doc("a pre-war and/or")] == ["a", "pre-war", "and", "/", "or"]
    assert len(list(nlp("hi nora it's me i'm late call me").sents)) > 1
    for name in ("both_dev", "both_dev_unpunctuated"):
        assert json.loads((project / "metrics" / "tiny" / f"{name}.json").read_text())["boundary_f"] > 0.2


def test_quotation_spans_is_trained_from_files_of_the_repository(project):
    run_project(project, "run", "quotes", ".")
    nlp = spacy.load(project / "training" / "tiny_quotes" / "semimarkov_beam" / "model-last")
    assert nlp.pipe_names == ["quotation_cues", "quotation_spans"]
    metrics = json.loads((project / "metrics" / "tiny_quotes" / "semimarkov_beam_dev.json").read_text())
    assert metrics["quotation_f"] > 0.3


def test_quotation_spans_is_guided_by_a_transformer(project, write_transformer):
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    transformer = write_transformer(project / "transformer", ["said", "that", "the", "he", "she"], positions=256)
    run_project(project, "run", "quotes-guided", ".", "--vars.transformer", str(transformer))
    nlp = spacy.load(project / "training" / "tiny_quotes" / "guided_semimarkov_beam" / "model-last")
    assert nlp.pipe_names == ["span_guide", "quotation_cues", "quotation_spans"]
    for name in nlp.pipe_names[1:]:
        assert set(nlp.get_pipe(name).perceptron.templates.columns) >= set(name_span_columns("quotations"))
    metrics = json.loads((project / "metrics" / "tiny_quotes" / "guided_semimarkov_beam_dev.json").read_text())
    assert metrics["quotation_f"] > 0.3


def test_assets_come_from_a_local_copy_too(project, tmp_path):
    treebank = tmp_path / "ud" / "UD_English-EWT" / "r2.16"
    treebank.mkdir(parents=True)
    for part in ("train", "dev", "test"):
        (treebank / f"en_ewt-ud-{part}.conllu").write_text(part, encoding="utf8")
    run_project(project, "assets", ".", "--vars.ud", str(tmp_path / "ud"))
    assert (project / "assets" / "ewt_dev.conllu").read_text(encoding="utf8") == "dev"


def test_a_chunker_is_trained_from_trees_in_brackets(project):
    run_project(project, "run", "hedges", ".", "--vars.folds", "2")
    nlp = spacy.load(project / "training" / "tiny" / "hedges" / "chunker" / "model-last")
    assert nlp.pipe_names == ["sequence_tagger", "hedge_chunker"]
    assert json.loads((project / "metrics" / "tiny" / "hedges_dev.json").read_text())["hedge_f"] > 0.2


def test_a_constituency_parser_is_trained_from_trees_in_brackets(project):
    # Not packaging, which builds in an environment of its own and so needs a network.
    for command in load_project_config(project)["workflows"]["constituents"][:-1]:
        run_project(project, "run", command, ".", "--vars.folds", "2")
    nlp = spacy.load(project / "training" / "tiny" / "constituents" / "finished")
    assert nlp.pipe_names == ["sequence_tagger", "constituency_parser"]
    assert nlp.get_pipe("constituency_parser").perceptron.beam_width == 8
    assert json.loads((project / "metrics" / "tiny" / "constituents_dev.json").read_text())["constituents_f"] > 0.2


def test_a_chart_parser_is_made_from_trees_in_brackets(project):
    run_project(project, "run", "charts")
    nlp = spacy.load(project / "training" / "tiny" / "constituents" / "chart_parser" / "model-last")
    assert nlp.pipe_names == ["chart_parser"]
    assert json.loads((project / "metrics" / "tiny" / "chart_parser_dev.json").read_text())["constituents_f"] > 0.4
