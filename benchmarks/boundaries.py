"""Measures sentence boundaries of text without punctuation: probabilities, and the gain from known ones.

Documents are lower-cased and without punctuation (for probabilities, also as they are), tokens are gold, everything
else is predicted. Known boundaries are those that a transcript shows anyway: where the speaker changes (`# speaker` or
`# speaker_id` in the corpus), and where a paragraph begins (`# newpar`).
"""

from measure import PARSER, Output, format_table, percent, read_references, report

# isort: split
import re
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path
from typing import Annotated

import numpy as np
import spacy
import typer
from spacy.language import Language
from spacy.scorer import PRFScore
from spacy.symbols import PUNCT
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_joint.corpora.conllu import read_conllu
from spacy_joint.corpora.examples import make_example
from spacy_joint.scoring.calibration import expected_calibration_error, precision_of_surest
from spacy_joint.training.unpunctuated import unpunctuate

app = typer.Typer(add_completion=False)


def read_marks(path: Path) -> Iterator[tuple[bool, bool]]:
    """For each sentence of a file: whether it begins a new speaker's turn, or a paragraph."""
    speaker, before = "", ""
    paragraph = False
    for line in path.read_text(encoding="utf8").splitlines():
        if re.match(r"# newpar\b", line):
            paragraph = True
        elif found := re.match(r"# speaker(?:_id)? = (.*)", line):
            speaker = found[1]
        elif line.startswith("1\t"):
            yield speaker != before, paragraph
            before, paragraph = speaker, False


def read_starred(path: Path, vocab: Vocab) -> Iterator[tuple[Doc, np.ndarray, np.ndarray]]:
    """Documents without punctuation, and which of their tokens begin a turn, or a paragraph (one bool per token)."""
    marks = read_marks(path)
    for doc in read_conllu(path, vocab):
        kept = np.array([token.pos != PUNCT for token in doc])
        turns, paragraphs = np.zeros(len(doc) + 1, dtype=bool), np.zeros(len(doc) + 1, dtype=bool)
        for sentence in doc.sents:
            turn, paragraph = next(marks)
            # The sentence begins with its first remaining word.
            first = sentence.start + int(np.argmax(kept[sentence.start : sentence.end]))
            if kept[first]:
                turns[first], paragraphs[first] = turn, paragraph
        starred = unpunctuate(doc)
        if starred is not None:
            yield starred, turns[:-1][kept], paragraphs[:-1][kept]


def precision_recall_f(gold: np.ndarray, predicted: np.ndarray) -> list[float]:
    """Scores of tokens that start a sentence."""
    score = PRFScore()
    score.score_set(set(np.flatnonzero(predicted)), set(np.flatnonzero(gold)))
    return [score.precision, score.recall, score.fscore]


@app.command()
def given(
    model: Annotated[str, typer.Argument(help="Pipeline with a joint_sbd_parser.")],
    corpus: Annotated[Path, typer.Argument(help="CoNLL-U file with speakers or paragraphs.")],
    output: Output = None,
) -> None:
    """Compare boundaries with nothing given, with turns, with paragraphs, and with both.

    The last columns count only tokens that neither gives: the gain beyond the given boundaries.
    """
    nlp = spacy.load(model)
    documents = list(read_starred(corpus, nlp.vocab))
    gold = np.concatenate([[bool(token.is_sent_start) for token in doc] for doc, _, _ in documents])
    other = ~np.concatenate([turns | paragraphs for _, turns, paragraphs in documents])
    results = {}
    rows = []
    for name, use_turns, use_paragraphs in (
        ("nothing", False, False), ("turns", True, False), ("paragraphs", False, True), ("both", True, True)
    ):  # fmt: skip
        predicted = []
        n_given = 0
        for reference, turns, paragraphs in documents:
            doc = Doc(nlp.vocab, words=[token.text for token in reference])
            marked = (turns & use_turns) | (paragraphs & use_paragraphs)
            n_given += int(marked.sum())
            for token in np.flatnonzero(marked).tolist():
                doc[token].is_sent_start = True
            predicted.extend(bool(token.is_sent_start) for token in nlp(doc))
        starts = np.array(predicted)
        of_all, of_other = precision_recall_f(gold, starts), precision_recall_f(gold & other, starts & other)
        results[name] = {"given": n_given, "all": of_all, "other": of_other}
        rows.append([name, n_given, *map(percent, (*of_all, *of_other))])
    table = format_table(["given", "boundaries", "P", "R", "F1", "other P", "other R", "other F1"], rows)
    report(table, {"corpus": corpus.name, **results}, output)


@app.command()
def probabilities(
    model: Annotated[str, typer.Argument(help="Pipeline with a joint_sbd_parser, calibrated on other documents.")],
    corpora: Annotated[list[Path], typer.Argument(help="CoNLL-U files.")],
    output: Output = None,
) -> None:
    """Show whether boundary probabilities are right, on documents as they are and starred.

    The first words of documents do not count. The calibration error of all words includes those that start no sentence.
    """
    nlp = spacy.load(model, config={"components": {PARSER: {"boundary_probabilities": True}}})
    results, rows = {}, []
    for corpus, starred in product(corpora, (False, True)):
        text = corpus.stem + "*" * starred
        probability, gold, predicted = _predict(nlp, read_references(corpus, nlp.vocab, starred=starred))
        of_boundaries = probability[predicted], gold[predicted]
        scores = {
            "precision": gold[predicted].mean(),
            "surest_20": precision_of_surest(*of_boundaries),
            "calibration_error": expected_calibration_error(*of_boundaries),
            "calibration_error_all": expected_calibration_error(probability, gold),
        }
        results[text] = {**scores, "boundaries": int(predicted.sum())}
        rows.append([text, int(predicted.sum()), *map(percent, scores.values())])
    header = ["text", "boundaries", "precision", "of the surest 20 %", "calibration error", "of all words"]
    report(format_table(header, rows), results, output)


def _predict(nlp: Language, references: Iterable[Doc]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The probability of each word, whether it does start a sentence, and whether it does so in the prediction."""
    rows = [
        (token._.boundary_probability, right.is_sent_start, token.is_sent_start)
        for reference in references
        for token, right in zip(nlp(make_example(reference).predicted), reference, strict=True)
        if token._.boundary_probability is not None
    ]
    if not rows:
        raise typer.BadParameter(f"The pipeline is not calibrated, or has no {PARSER}.")
    probability, gold, predicted = map(np.array, zip(*rows, strict=True))
    return probability, gold.astype(bool), predicted.astype(bool)


if __name__ == "__main__":
    app()
