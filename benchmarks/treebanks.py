"""Trains a pipeline on each treebank by one command, and measures it from raw text as in CoNLL 2018.

    python benchmarks/treebanks.py UD WORK --document docs/treebanks.md

UD is searched for directories with the files of a treebank, such as `de_gsd-ud-dev.conllu`. Treebanks without a
training part are trained on dev. `WORK` keeps everything, so an interrupted run resumes. Minutes are CPU time, summed
over all steps.
"""

import argparse
import subprocess
import sys
from pathlib import Path

import srsly
from measure import format_table, report

COLUMNS = {
    "raw_words_f": "Words",
    "raw_sents_f": "Sentences",
    "raw_pos_f": "UPOS",
    "raw_morph_f": "UFeats",
    "raw_lemma_f": "Lemmas",
    "raw_uas_f": "UAS",
    "raw_las_f": "LAS",
    "raw_mlas_f": "MLAS",
}


def find_treebanks(directory: Path) -> dict[str, Path]:
    """The directory of each treebank in a directory and below, by its name."""
    parents = sorted({path.parent for path in directory.rglob("*-ud-*.conllu")})
    return {next(part for part in parent.parts[::-1] if "UD_" in part): parent for parent in parents}


def measure(treebank: Path, output: Path, options: list[str]) -> dict[str, float]:
    command = [sys.executable, "-m", "spacy", "joint", "train-treebank", str(treebank)]
    subprocess.run([*command, "--output", str(output), *options], check=True)
    sizes = srsly.read_json(output / "steps" / "corpora" / "treebank.json")
    records = [srsly.read_json(path) for path in (output / "steps").glob("*.json")]
    seconds = [record.get("cpu_seconds", 0) for record in records if isinstance(record, dict)]
    (archive,) = (output / "package").glob("*/dist/*.tar.gz")
    return {
        **srsly.read_json(output / "scores.json"),
        "learnt": sizes["words"],
        "megabytes": archive.stat().st_size / 1e6,
        "minutes": sum(seconds) / 60,
    }


def make_table(results: dict[str, dict[str, float]]) -> str:
    rows = [
        [
            name,
            f"{scores['learnt']:,}",
            *(f"{100 * scores[column]:.1f}" if column in scores else "" for column in COLUMNS),
            f"{scores['megabytes']:.1f}",
            f"{scores['minutes']:.1f}",
        ]
        for name, scores in results.items()
    ]
    return format_table(["Treebank", "Words learnt from", *COLUMNS.values(), "MB", "Minutes"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--only", help="part of the names of the treebanks to measure")
    parser.add_argument("--document", type=Path, help="page with a section `treebanks`")
    parser.add_argument("--output", type=Path)
    arguments, options = parser.parse_known_args()
    results = {
        name: measure(treebank, arguments.work / name, options)
        for name, treebank in sorted(find_treebanks(arguments.directory).items())
        if (arguments.only or "") in name
    }
    report(make_table(results), results, arguments.output, arguments.document, "treebanks")


if __name__ == "__main__":
    main()
