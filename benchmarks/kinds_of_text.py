"""Measures a pipeline on kinds of text: with and without punctuation and capitals, mixed, edited and spoken.

All kinds are made from the documents of a treebank; tokens, trees and boundaries are gold. `biases` shows what a
boundary bias does to text without punctuation. `turns` checks the bias on transcripts without trees, with a turn per
line, whose punctuation marks the sentences.
"""

from measure import PARSER, Output, format_table, percent, read_references, report, score_all, score_documents

# isort: split
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated

import numpy as np
import spacy
import typer
from boundaries import precision_recall_f
from spacy.scorer import PRFScore
from spacy.symbols import PUNCT
from spacy.tokens import Doc, Token

from spacy_joint.annotation.sentences import list_words
from spacy_joint.training.noise import CHANGES, corrupt
from spacy_joint.training.rewriting import copy_words, rewrite
from spacy_joint.training.unpunctuated import is_punctuation

BIASES = (-60, -30, 0, 30, 60, 100, 150, 200)
# The number of documents, of alternating kinds, in a mixed document.
MIXED = 6
# The number of recordings of each file, and of turns from the middle of each.
RECORDINGS, TURNS = 10, 25

app = typer.Typer(add_completion=False, help=__doc__)


def capitalise(word: str) -> str:
    """Title case, as in "Don't": clitics are capitalised, too, as separate words are."""
    return word[:1].upper() + word[1:].lower()


# How a word in 20 is written.
MARKUP = {"unchanged": "{}", "bold": "**{}**", "italics": "*{}*", "HTML": "<b>{}</b>"}
MARKED = 0.05
CASES = {"unchanged": str, "lower case": str.lower, "capitals": str.upper, "title case": capitalise}
# The marks that are kept.
MARKS = {"all marks": None, "`,` `.` `?`": ",.?", "`.`": ".", "no marks": ""}


def make_kind(references: Sequence[Doc], marks: str, case: str) -> list[Doc]:
    """The documents of a kind of text, except for those of which nothing is left."""
    kept, change = MARKS[marks], CASES[case]
    documents = []
    for doc in references:
        words = copy_words(doc)
        if kept is not None:
            spoken = [word for word, token in zip(words, doc, strict=True) if token.text in kept or is_spoken(token)]
            words = [word._replace(space=True) for word in spoken]
        if words:
            documents.append(rewrite(doc, [word._replace(text=change(word.text)) for word in words]))
    return documents


def is_spoken(token: Token) -> bool:
    """Whether a token is neither punctuation nor white space."""
    return token.pos != PUNCT and not token.is_space


def mix(one: Sequence[Doc], other: Sequence[Doc]) -> list[Doc]:
    """Documents of two kinds, in turn within each document."""
    alternating = [(one, other)[place % 2][place] for place in range(len(one))]
    return [
        Doc.from_docs(alternating[start : start + MIXED], ensure_whitespace=True)
        for start in range(0, len(alternating), MIXED)
    ]


@app.command()
def accuracy(
    model: Annotated[str, typer.Argument(help="Pipeline with a joint_sbd_parser.")],
    corpus: Annotated[Path, typer.Argument(help="CoNLL-U file.")],
    output: Output = None,
) -> None:
    """Measure tags, boundaries and trees for each kind of text, and in documents of two kinds."""
    nlp = spacy.load(model)
    # Documents of punctuation only have no counterpart without it.
    references = [doc for doc in read_references(corpus, nlp.vocab) if any(token.pos != PUNCT for token in doc)]
    kinds = {f"{marks}, {case}": make_kind(references, marks, case) for marks in MARKS for case in CASES}
    for kind in ("all marks, capitals", "all marks, title case", "no marks, lower case"):
        kinds[f"mixed: unchanged / {kind}"] = mix(references, kinds[kind])
    report_scores(corpus, {kind: score_documents(nlp, documents) for kind, documents in kinds.items()}, output)


@app.command()
def noise(
    model: Annotated[str, typer.Argument(help="Pipeline with a joint_sbd_parser.")],
    corpus: Annotated[Path, typer.Argument(help="CoNLL-U file.")],
    seed: Annotated[int, typer.Option(help="Seed of the noise.")] = 0,
    output: Output = None,
) -> None:
    """Measure tags, boundaries and trees for each kind of noise that `spacy_joint.noise.v1` makes, in all documents."""
    nlp = spacy.load(model)
    references = [doc for doc in read_references(corpus, nlp.vocab) if any(token.pos != PUNCT for token in doc)]
    results = {"unchanged": score_documents(nlp, references)}
    for change in (change for changes in CHANGES.values() for change in changes):
        # Where there is nothing to change, documents stay as they are.
        documents = [corrupt(doc, change, seed) or doc for doc in references]
        results[change.__name__.replace("_", " ")] = score_documents(nlp, documents)
    report_scores(corpus, results, output)


def report_scores(corpus: Path, results: Mapping[str, Mapping[str, float]], output: Path | None) -> None:
    """Print a table with a row per kind of text, and write it as JSON."""
    rows = [[kind, *map(percent, scores.values())] for kind, scores in results.items()]
    table = format_table([corpus.stem, *next(iter(results.values()))], rows)
    report(table, {"corpus": corpus.name, **results}, output)


@app.command()
def markup(
    model: Annotated[str, typer.Argument(help="Pipeline with a joint_sbd_parser.")],
    corpora: Annotated[list[Path], typer.Argument(help="CoNLL-U files.")],
    output: Output = None,
) -> None:
    """Measure boundaries in raw text with and without emphasised words."""
    nlp = spacy.load(model)
    scores: dict[str, dict[str, float]] = {}
    for name, template in MARKUP.items():
        for corpus in corpora:
            rng, score = random.Random(0), PRFScore()
            written = [write_markup(doc, template, rng) for doc in read_references(corpus, nlp.vocab)]
            for doc, (_, gold) in zip(nlp.pipe(text for text, _ in written), written, strict=True):
                score.score_set({words[0].idx for words in list_words(doc)}, gold)
            scores.setdefault(name, {})[corpus.stem] = score.fscore
    rows = [[name, *map(percent, by_corpus.values())] for name, by_corpus in scores.items()]
    report(format_table(["boundary F1", *(corpus.stem for corpus in corpora)], rows), scores, output)


def write_markup(doc: Doc, template: str, rng: random.Random) -> tuple[str, set[int]]:
    """The text of a document with emphasised words, and the characters at which sentences begin."""
    text, starts = "", set()
    for token in doc:
        if token.is_sent_start:
            starts.add(len(text))
        is_marked = token.is_alpha and rng.random() < MARKED
        text += (template if is_marked else "{}").format(token.text) + token.whitespace_
    return text, starts


@app.command()
def biases(
    model: Annotated[str, typer.Argument(help="Pipeline with a joint_sbd_parser.")],
    corpora: Annotated[list[Path], typer.Argument(help="CoNLL-U files.")],
    by_genre: Annotated[bool, typer.Option(help="Group documents by genre, as in GUM_genre_name.")] = False,
    setting: Annotated[str, typer.Option(help="The bias, a setting of the parser.")] = "boundary_bias",
    output: Output = None,
) -> None:
    """Show boundary F1 and LAS by bias without marks, lower-cased, and the best bias of all other groups.

    The best bias has the greatest mean of boundary F1 and LAS over groups.
    """
    scores: dict[str, dict[int, tuple[float, float]]] = defaultdict(dict)
    for bias in BIASES:
        nlp = spacy.load(model, config={"components": {PARSER: {setting: float(bias)}}})
        for corpus in corpora:
            for group, documents in group_documents(corpus, read_references(corpus, nlp.vocab), by_genre).items():
                starred = make_kind(documents, "no marks", "lower case")
                found = score_all(nlp.pipe, starred)
                scores[group][bias] = 100 * found["boundary_f"], 100 * found["dep_las_punct"]
    rows = []
    for group, by_bias in scores.items():
        others = [scores[other] for other in scores if other != group] or [by_bias]
        best = max(BIASES, key=lambda bias: sum(sum(other[bias]) for other in others))
        rows.append([group, *(f"{f:.1f} / {las:.1f}" for f, las in by_bias.values()), best])
    report(format_table(["boundary F1 / LAS", *BIASES, "best of the others"], rows), scores, output)


def group_documents(corpus: Path, references: Sequence[Doc], by_genre: bool) -> dict[str, list[Doc]]:
    """The documents of a corpus by genre, or all of them."""
    if not by_genre:
        return {corpus.stem: list(references)}
    genres = re.findall(r"^# newdoc id = [^_\n]+_([^_\n]+)_", corpus.read_text(encoding="utf8"), re.MULTILINE)
    groups: dict[str, list[Doc]] = defaultdict(list)
    for genre, doc in zip(genres, references, strict=True):
        groups[genre].append(doc)
    return groups


def read_turns(path: Path) -> Iterator[list[str]]:
    """The turns of each recording in a file: a turn per line, a blank line between recordings."""
    for recording in path.read_text(encoding="utf8").split("\n\n"):
        lines = [line for line in recording.split("\n") if line.strip()]
        yield lines[len(lines) // 3 :][:TURNS]


@app.command()
def turns(
    model: Annotated[str, typer.Argument(help="Pipeline with a joint_sbd_parser.")],
    texts: Annotated[list[Path], typer.Argument(help="Punctuated transcripts, a turn per line.")],
    output: Output = None,
) -> None:
    """Compare boundaries without punctuation, by bias, with those of the punctuation."""
    rows, results = [], {}
    for bias in BIASES:
        nlp = spacy.load(model, config={"components": {PARSER: {"boundary_bias": float(bias)}}})
        gold: list[bool] = []
        predicted: list[bool] = []
        for path in texts:
            for recording in islice(read_turns(path), RECORDINGS):
                words: list[str] = []
                for turn in recording:
                    is_start = True
                    for token in nlp.make_doc(turn):
                        if not token.is_space and not all(map(is_punctuation, token.text)):
                            words.append(token.text.lower())
                            gold.append(is_start)
                            is_start = False
                        is_start = is_start or token.text[0] in ".?!…"
                predicted.extend(bool(token.is_sent_start) for token in nlp(Doc(nlp.vocab, words=words)))
        scores = precision_recall_f(np.array(gold), np.array(predicted))
        results[bias] = {"words": len(gold), "sentences": scores}
        rows.append([bias, *map(percent, scores)])
    print(f"{results[BIASES[0]]['words']} words\n")
    report(format_table(["bias", "P", "R", "F1"], rows), results, output)


if __name__ == "__main__":
    app()
