"""Measures a shipped pipeline on treebanks of its language, dev and test, for its model card.

    python benchmarks/languages.py pt UD_Portuguese-Bosque/r2.16 --document docs/models/pt_joint_portuguese.md

From raw text, everything is predicted, and measured as in CoNLL 2018. With gold tokens, also without punctuation and
capitals (`*`); "LAS of words" leaves punctuation out, as spaCy does.
"""

from measure import MEASURES, Output, find_split, format_table, read_references, replace_section, report, score_all

# isort: split
import io
import tarfile
from pathlib import Path
from typing import Annotated, Any

import typer
from shipped_models import list_sources
from spacy.language import Language
from treebanks import COLUMNS

import spacy_joint
from spacy_joint.scoring.pipelines import read_raw_texts, score_pipeline_on_raw_text

RAW = {name: key for key, name in COLUMNS.items()}
GOLD = {name: key for name, key in MEASURES.items() if key != "tag_acc"}
GOLD |= {"sentences": "sents_f", "LAS of words": "dep_las"}


def name_treebank(treebank: Path) -> str:
    """`Bosque` of `UD_Portuguese-Bosque/r2.16`."""
    return next((part.partition("-")[2] for part in treebank.parts[::-1] if part.startswith("UD_")), treebank.name)


def measure(nlp: Language, path: Path) -> dict[str, dict[str, Any]]:
    """The scores of a file: of its raw text, and with gold tokens, as they are and starred."""
    references = {starred: read_references(path, nlp.vocab, starred=starred) for starred in (False, True)}
    return {
        "raw": score_pipeline_on_raw_text(nlp, read_raw_texts([path], nlp)),
        "gold": score_all(nlp.pipe, references[False]),
        "starred": score_all(nlp.pipe, references[True]),
    }


def make_row(name: str, scores: dict[str, Any], columns: dict[str, str]) -> list[str]:
    """A row of percentages."""
    return [name, *(f"{100 * scores[key]:.1f}" if scores.get(key) is not None else "" for key in columns.values())]


def format_figures(results: dict[str, dict[str, Any]], path: Path) -> str:
    """The tables, and the size of the pipeline in `path`."""
    raw = [make_row(name, scores["raw"], RAW) for name, scores in results.items()]
    gold = [
        make_row(" ".join([treebank + star, split]), scores[key], GOLD)
        for name, scores in results.items()
        for treebank, split in [name.split()]
        for star, key in (("", "gold"), ("*", "starred"))
    ]
    size = sum(file.stat().st_size for file in path.rglob("*") if file.is_file()) / 1e6
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        archive.add(path, arcname=path.name)
    tables = (format_table(["", *columns], rows) for columns, rows in ((RAW, raw), (GOLD, gold)))
    return "From raw text:\n\n{}\n\nGold tokens:\n\n{}\n\nSize: {:.1f} MB as an archive, {:.1f} MB on disk.".format(
        *tables, len(packed.getvalue()) / 1e6, size
    )


def main(
    language: Annotated[str, typer.Argument(help="Code of the language, as for `spacy_joint.load`.")],
    treebanks: Annotated[list[Path], typer.Argument(help="Directories with *-dev.conllu and *-test.conllu.")],
    document: Annotated[Path | None, typer.Option(help="Card with the sections `sources` and `figures`.")] = None,
    output: Output = None,
) -> None:
    """Measure a shipped pipeline of a language."""
    nlp = spacy_joint.load(language)
    results = {
        f"{name_treebank(treebank)} {split}": measure(nlp, find_split(treebank, split))
        for treebank in treebanks
        for split in ("dev", "test")
    }
    report(format_figures(results, nlp.path), results, output, document, "figures")
    replace_section(document, "sources", f"{list_sources(language)}\n")


if __name__ == "__main__":
    typer.run(main)
