"""The command `quick` of projects/reproduction: it resumes where it stopped, and writes the complete report."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
import srsly

ROOT = Path(__file__).parent.parent
SCRIPT = ROOT / "benchmarks" / "reproduce.py"
pytestmark = pytest.mark.skipif(not SCRIPT.is_file(), reason="there is only the installed package")

WORK = Path("training", "quick")
REPORT = Path("metrics", "quick", "reproduction.md")


def list_runs(directory: Path) -> dict[str, bytes]:
    """The stored runs, with their contents."""
    return {path.name: path.read_bytes() for path in (directory / WORK / "runs").glob("*.json")}


def run_workflow(directory: Path) -> str:
    command = ["-m", "spacy", "project", "run", "quick", ".", "--vars.processes", "1", "--vars.seeds", "1"]
    finished = subprocess.run([sys.executable, *command], cwd=directory, capture_output=True, text=True)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A copy of the project, with small corpora and few word classes."""
    repository = tmp_path_factory.mktemp("repository")
    directory = repository / "projects" / "reproduction"
    shutil.copytree(ROOT / "projects" / "reproduction", directory)
    shutil.copytree(ROOT / "benchmarks", repository / "benchmarks")
    (repository / "assets").mkdir()
    for path in (ROOT / "assets").glob("tiny_*.conllu"):
        shutil.copy(path, repository / "assets")
    # Reading all classes would take most of the time of each run.
    srsly.write_msgpack(repository / "assets" / "en_word_classes.msgpack", {"the": [1, 2, 3, 4], "a": [1, 2, 3, 5]})
    return directory


@pytest.fixture(scope="module")
def finished(project):
    """The runs stored when the workflow was stopped after its first runs, and the output and runs of the next call."""
    paths = [project.parents[1] / "benchmarks" / "reproduce.py", project.parents[1] / "assets", WORK, REPORT]
    command = [sys.executable, *map(str, paths), "--quick", "--seeds", "1"]
    # In its own process group, so that it is killed as a whole.
    with subprocess.Popen(command, cwd=project, stdout=subprocess.DEVNULL, start_new_session=True) as process:
        while process.poll() is None and len(list_runs(project)) < 3:
            time.sleep(0.01)
        assert process.poll() is None
        os.killpg(process.pid, 9)
    stopped = list_runs(project)
    return stopped, run_workflow(project), list_runs(project)


def test_an_interrupted_workflow_resumes_where_it_stopped(finished):
    stopped, printed, runs = finished
    assert 3 <= len(stopped) < len(runs)
    assert stopped.items() <= runs.items()
    assert f"{len(runs) - len(stopped)} runs done" in printed


def test_a_run_stores_its_settings_and_its_results(project, finished):
    runs = {name: json.loads(content) for name, content in list_runs(project).items()}
    parsers = [run for run in runs.values() if "epochs" in run]
    assert {run["settings"]["system"] for run in parsers} == {"MARMOT", "NOSYNTAX", "JOINT", "GOLD"}
    strategies = {"greedy", "early", "max_violation", "dlaso", "laso"}
    assert {run["settings"]["strategy"] for run in parsers} >= strategies
    for run in parsers:
        assert run["settings"]["seed"] == 0
        assert all(0 < epoch["used"] <= 1 and epoch["seconds"] > 0 for epoch in run["epochs"])
    for run in runs.values():
        dev = run["splits"]["dev"]
        assert 0 < dev["boundary_f"] <= 1
        assert len(dev["documents"]["las"]) == len(dev["documents"]["boundary_f"]) == len(dev["starts"]) == 4


def test_the_report_has_all_claims_tables_and_figures(project, finished):
    report = (project / REPORT).read_text(encoding="utf8")
    assert "spacy project run quick projects/reproduction" in report
    assert re.findall(r"^## (\d)\. ", report, re.MULTILINE) == list("123456")
    assert "missing" not in report
    figures = re.findall(r"\((reproduction_\w+)\.svg\)", report)
    assert len(figures) == 4
    for figure in figures:
        assert "</svg>" in (project / REPORT).with_name(f"{figure}.svg").read_text(encoding="utf8")


def test_gold_boundaries_are_kept(project, finished):
    gold = [json.loads(content) for name, content in list_runs(project).items() if "_GOLD_" in name]
    assert gold and all(run["splits"]["dev"]["boundary_f"] == 1.0 for run in gold)
