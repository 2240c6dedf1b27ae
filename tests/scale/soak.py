"""Kill processes of runs over a corpus at random, for a while, and compare each output with that of a quiet run.

    python -m tests.scale.soak --runner local --seconds 600 --seed 0

It needs Linux.
"""

import random
import shutil
import tempfile
import time
from collections import Counter
from pathlib import Path

import typer

from .corpora import N_SHARDS, count_done, kill, list_children, read_tree, save_splitter, start, write_records

# How the runner is chosen.
RAY = {"local": (), "ray": ("--ray", "local")}
# The names of processes in their command lines.
WORKERS = {"local": ("popen_loky",), "ray": ("MapWorker", "_read")}


def main(runner: str = "local", seconds: float = 600, seed: int = 0) -> None:
    """Print how many processes of each kind were killed, and how many runs were compared; fail if one differs."""
    rng = random.Random(seed)
    work = Path(tempfile.mkdtemp())
    try:
        corpus = write_records(work / "a.jsonl", 18 * N_SHARDS)
        common = (corpus, "--format", "jsonl", "--shard-bytes", 1000, "--model", save_splitter(work / "splitter"))
        assert start(*common, "--workers", 1, "--output", work / "quiet").wait() == 0
        expected = read_tree(work / "quiet")
        killed: Counter[str] = Counter()
        n_runs = 0
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            shutil.rmtree(work / "output", ignore_errors=True)
            _disturb((*common, *RAY[runner], "--workers", 2, "--output", work / "output"), runner, rng, killed)
            assert read_tree(work / "output") == expected
            n_runs += 1
            print(f"{n_runs} runs have the same bytes; killed: {dict(killed)}", flush=True)
    finally:
        shutil.rmtree(work)


def _disturb(arguments: tuple[object, ...], runner: str, rng: random.Random, killed: Counter[str]) -> None:
    """Start a run until it is complete, and kill something of it each time a few shards more are done."""
    output = Path(str(arguments[-1]))
    while True:
        run = start(*arguments)
        following = count_done(output) + rng.randint(1, 60)
        while run.poll() is None:
            if count_done(output) >= following:
                name = rng.choice(("driver", *WORKERS[runner]))
                found = [run.pid] if name == "driver" else _find(run.pid, name)
                if found:
                    kill(rng.choice(found))
                    killed[name] += 1
                following = count_done(output) + rng.randint(1, 60)
            time.sleep(0.002)
        assert run.returncode in (0, -9), run.returncode
        if run.returncode == 0:
            return


def _find(pid: int, name: str) -> list[int]:
    """The processes of a run that Ray or Python calls so."""
    return [
        *list_children(pid, name),
        *(child for raylet in list_children(pid, "raylet/raylet") for child in list_children(raylet, name)),
    ]


if __name__ == "__main__":
    typer.run(main)
