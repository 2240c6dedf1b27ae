"""The container file: what it copies exists, and what it runs are commands of this package. Nothing is built here."""

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCKERFILE = ROOT / "containers" / "Dockerfile"
HADOLINT = shutil.which("hadolint")

# Python 3.10 does not have it.
tomllib = pytest.importorskip("tomllib")

pytestmark = pytest.mark.skipif(not DOCKERFILE.is_file(), reason="containers are not part of what is installed")


@pytest.fixture(scope="module")
def instructions():
    """The instructions, as pairs of keyword and arguments."""
    lines = [line for line in DOCKERFILE.read_text(encoding="utf8").splitlines() if not line.startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ")
    return [tuple(line.split(maxsplit=1)) for line in joined.splitlines() if line]


def find(instructions, keyword):
    return [arguments for found, arguments in instructions if found == keyword]


def list_copied(instructions):
    """The paths that are copied from the checkout."""
    copied = [shlex.split(arguments) for arguments in find(instructions, "COPY")]
    return [path for words in copied if not words[0].startswith("--from") for path in words[:-1]]


def test_what_is_copied_exists_and_is_not_ignored(instructions):
    ignoring = DOCKERFILE.with_name("Dockerfile.dockerignore").read_text(encoding="utf8").splitlines()
    kept = [line[1:] for line in ignoring if line.startswith("!")]
    assert ignoring[1] == "*" and sorted(list_copied(instructions)) == sorted(kept)
    for path in kept:
        assert (ROOT / path).exists()


@pytest.mark.skipif(not HADOLINT, reason="hadolint is not installed")
def test_it_has_no_known_faults():
    found = subprocess.run([HADOLINT, DOCKERFILE], capture_output=True, text=True, encoding="utf8")
    assert (found.returncode, found.stdout) == (0, "")


def test_all_that_building_the_package_reads_is_copied(instructions):
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))
    read = {"pyproject.toml", "setup.py", "README.md", *settings["project"]["license-files"]}
    copied = set(list_copied(instructions))
    assert {*read, "spacy_joint", "configs"} <= copied


def test_extras_and_pipelines_that_are_installed_exist(instructions):
    (installed,) = [command for command in find(instructions, "RUN") if "pip install" in command]
    (extras,) = re.findall(r"\.\[([\w,]+)\]", installed)
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))
    assert set(extras.split(",")) <= settings["project"]["optional-dependencies"].keys()
    (pipeline,) = re.findall(r"\./(\S+)", installed)
    assert pipeline in list_copied(instructions)


def test_it_runs_a_command_of_this_package_as_a_user_without_rights(instructions, parse_command):
    (entrypoint,), (command,) = find(instructions, "ENTRYPOINT"), find(instructions, "CMD")
    assert json.loads(entrypoint) == ["python", "-m", "spacy", "joint"]
    parse_command(json.loads(command))
    stages = [i for i, (keyword, _) in enumerate(instructions) if keyword == "FROM"]
    assert int(find(instructions[stages[-1] :], "USER")[0]) > 0


def test_its_health_is_an_address_of_the_server(instructions):
    (check,) = find(instructions, "HEALTHCHECK")
    (port,) = find(instructions, "EXPOSE")
    command = json.loads(check[check.index("[") :])
    assert command[-1] == f"http://127.0.0.1:{port}/healthz"
