"""Compares the speed of two versions of the package in one run, and whether they predict the same.

Each version is installed in a separate environment. Both annotate the same documents with the pipeline that they
ship, in turn and in one thread: from tokens to trees, and the parser alone with tags given.
"""

from measure import count_words, format_table, interleave, read_references, write_results

# isort: split
import json
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import spacy
import typer
from spacy.tokens import DocBin

from spacy_joint.corpora.examples import make_example

JOBS = {"pipeline": "tokens to trees", "8": "parser, beam width 8", "1": "parser, beam width 1"}


class Version:
    """The version that is installed for a Python, at work beside this process."""

    def __init__(self, python: Path, docs: Path) -> None:
        command = [str(python), str(Path(__file__).parent / "version_worker.py"), str(docs)]
        self.worker = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.digests: dict[str, str] = {}
        self._read()

    def _read(self) -> str:
        assert self.worker.stdout is not None
        line = self.worker.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.worker.args} ended with {self.worker.wait()}.")
        return line

    def run(self, job: str) -> float:
        """Do a job once; the CPU seconds that it took."""
        assert self.worker.stdin is not None
        self.worker.stdin.write(f"{job}\n")
        self.worker.stdin.flush()
        answer = json.loads(self._read())
        self.digests[job] = answer["digest"]
        return answer["seconds"]


def main(
    corpus: Annotated[Path, typer.Argument(help="CoNLL-U file with the documents.")],
    old: Annotated[Path, typer.Argument(help="Python with the version to compare with.")],
    new: Annotated[Path, typer.Argument(help="Python with the version to measure.")],
    rounds: Annotated[int, typer.Option(min=1, help="Measurements per version, after a warm-up.")] = 9,
    output: Annotated[Path | None, typer.Option(help="JSON file to write.")] = None,
) -> None:
    """Print words per second of both versions, and the speed-up."""
    vocab = spacy.blank("en").vocab
    docs = [make_example(reference).predicted for reference in read_references(corpus, vocab)]
    n_words = count_words(docs)
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "documents.spacy"
        DocBin(docs=docs).to_disk(path)
        versions = {"old": Version(old, path), "new": Version(new, path)}
        systems: dict[str, Callable[[], float]] = {}
        for job in JOBS:
            for name, version in versions.items():
                systems[f"{job} {name}"] = lambda version=version, job=job: version.run(job)
        seconds = interleave(systems, rounds)
    rows, results = [], {}
    for job, what in JOBS.items():
        speeds = [n_words / seconds[f"{job} {name}"] for name in versions]
        same = versions["old"].digests[job] == versions["new"].digests[job]
        results[what] = {"old": speeds[0], "new": speeds[1], "same": same}
        rows.append(
            [what, *(f"{speed:,.0f}" for speed in speeds), f"{speeds[1] / speeds[0]:.2f}", "yes" if same else "NO"]
        )
    print(format_table(["words per second", "old", "new", "ratio", "same output"], rows))
    write_results({"words": n_words, "rounds": rounds, "results": results}, output)


if __name__ == "__main__":
    typer.run(main)
