"""Makes the benchmarks importable. Without a checkout, there are none to test."""

import sys
from pathlib import Path

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"

if BENCHMARKS.is_dir():
    sys.path.append(str(BENCHMARKS))
else:
    collect_ignore_glob = ["*"]
