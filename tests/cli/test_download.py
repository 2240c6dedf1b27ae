"""`spacy joint download`: pip installs the pipeline that was released with this version, or nothing."""

import subprocess
import sys
from zipfile import ZipFile

import pytest

import spacy_joint
from spacy_joint import about

pytest.importorskip("pip")


def write_wheel(directory, name, requirement):
    """Writes a wheel that contains only metadata."""
    version = about.__pipelines_version__
    info = f"{name}-{version}.dist-info"
    with ZipFile(directory / f"{name}-{version}-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{requirement}")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")


@pytest.fixture(autouse=True)
def pip_installs_nothing(monkeypatch):
    for name, value in {"DRY_RUN": "1", "NO_INDEX": "1", "RETRIES": "0", "TIMEOUT": "5"}.items():
        monkeypatch.setenv(f"PIP_{name}", value)


def test_a_pipeline_is_installed_only_if_it_fits_this_version(run, tmp_path):
    name = f"{spacy_joint.PRETRAINED}_trf"
    write_wheel(tmp_path, name, f"Requires-Dist: spacy-joint=={about.__version__}\n")
    assert f"spacy.load('{name}')" in run("download", "trf", "--from", tmp_path).output
    write_wheel(tmp_path, spacy_joint.PRETRAINED, "Requires-Dist: spacy-joint>=99\n")
    assert "[J405]" in run("download", "--from", tmp_path, fails=True).output


def test_without_network_it_says_what_to_do(run):
    told = run("download", "md", "--from", "http://127.0.0.1:9/wheels", fails=True).output
    assert "[J405]" in told and "--from" in told and "http://127.0.0.1:9/wheels/en_joint_english_md" in told


def test_the_release_of_this_version_is_the_default_and_languages_have_pipelines(run, monkeypatch, tmp_path):
    called = []
    monkeypatch.setattr("spacy_joint.cli.pipelines.download.__repository__", "https://github.com/a/b")
    monkeypatch.setattr(subprocess, "run", lambda command: called.append(command) or subprocess.CompletedProcess([], 0))
    run("download", "md")
    address = f"https://github.com/a/b/releases/download/v{about.__version__}"
    wheel = f"en_joint_english_md-{about.__pipelines_version__}-py3-none-any.whl"
    pip = [sys.executable, "-m", "pip", "install"]
    assert called == [[*pip, f"{address}/{wheel}", f"spacy-joint=={about.__version__}"]]
    write_wheel(tmp_path, "xx_joint_pcm_naija", "")
    assert "spacy.load('xx_joint_pcm_naija')" in run("download", "pcm", "--from", tmp_path).output
    assert any("xx_joint_pcm_naija" in word for word in called[-1])
