"""spaCy's own tests pass with the parser and the tagger of this package in place of spaCy's: see swapped_factories.py.

They run in processes of their own, without the settings of this package's tests. A failure shows their output.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

# Those whose tests add components; the others of their folders test documents and functions.
MODULES = {
    "parser": ("test_parse", "test_add_label", "test_preset_sbd"),
    "pipeline": ("test_tagger", "test_pipe_methods"),
    "serialize": ("test_serialize_pipeline",),
}


def test_its_tests_pass_with_swapped_components(tmp_path):
    modules = [f"spacy.tests.{folder}.{module}" for folder, names in MODULES.items() for module in names]
    plugins = ["-p", "swapped_factories", "-p", "no:cacheprovider", "-p", "no:xdist"]
    options = ["--rootdir", str(tmp_path), "--tb=short", "-q", "-r", "fEX"]
    paths = [str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "--pyargs", *modules, *plugins, *options],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    output = run.stdout + run.stderr
    assert run.returncode == 0, output
    assert re.search(r"[1-9]\d* components were swapped", output), output
