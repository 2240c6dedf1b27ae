"""Compares where recognisers end sentences with where our pipelines do, on the words of the same recognisers.

    python benchmarks/recognisers.py earnings21 en_joint_english en_joint_english_md

The directory has tab-separated words as in Rev's speech-datasets (https://github.com/revdotcom/speech-datasets), a file
per call: human transcripts in `reference`, those of each recogniser in a directory of its name. A sentence ends at `.`,
`?` or `!` of the reference. Its words, lower-cased and alphanumeric, are aligned with those of the recogniser by edit
distance. An end goes to the word aligned with the last word of the sentence, or else to the last aligned one before. F1
is of the ends within calls, over all calls. Our pipelines get the words of a call in lower case, without marks and
speakers: without and with times.
"""

from measure import PARSER, Document, Output, format_table, report

# isort: split
import csv
import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import spacy
import typer
from rapidfuzz.distance import Levenshtein
from spacy.language import Language
from spacy.scorer import PRFScore
from spacy.tokens import Doc

from spacy_joint.transcripts import make_doc
from spacy_joint.transcripts.transcript import Segment, join

REFERENCE = "reference"
FINAL = re.compile("[.?!]")
NOTE = re.compile(r"<.*>")
NOT_ALPHANUMERIC = re.compile("[^a-z0-9]")


class Word(NamedTuple):
    """A word, the key that it is aligned by, its times in seconds, and the marks after it."""

    text: str
    key: str
    times: tuple[float, float] | None
    marks: str

    @property
    def ends(self) -> bool:
        """Whether it ends a sentence."""
        return FINAL.search(self.marks) is not None


FindEnds = Callable[[Sequence[Word]], np.ndarray]


def read_words(path: Path) -> list[Word]:
    """The words of a call, without notes such as `<inaudible>`."""
    words: list[Word] = []
    with path.open(encoding="utf8", newline="") as source:
        for row in csv.DictReader(source, delimiter="\t", quoting=csv.QUOTE_NONE):
            text = row["token"]
            key = "" if NOTE.fullmatch(text) else NOT_ALPHANUMERIC.sub("", text.lower())
            if key:
                times = (float(row["start"]), float(row["end"])) if row["start"] and row["end"] else None
                words.append(Word(text, key, times, ""))
            if words:
                words[-1] = words[-1]._replace(marks=words[-1].marks + row["punctuation"])
    return words


def read_calls(directory: Path) -> dict[str, dict[str, list[Word]]]:
    """The words of each call by whose they are: the reference's, or a recogniser's."""
    calls = [path.name for path in sorted((directory / REFERENCE).glob("*.tsv"))]
    names = sorted(path.name for path in directory.iterdir() if path.is_dir())
    return {name: {call: read_words(directory / name / call) for call in calls} for name in names}


def align(reference: Sequence[Word], words: Sequence[Word]) -> tuple[np.ndarray, np.ndarray, int]:
    """The place of the word that is aligned with each word of the reference, or else of the last one before it (-1 for
    none); whether their keys are the same (bool); and the edit distance."""
    edits = Levenshtein.opcodes([word.key for word in reference], [word.key for word in words])
    places, are_same = np.zeros(len(reference), dtype=np.int64), np.zeros(len(reference), dtype=bool)
    distance = 0
    for edit in edits:
        distance += 0 if edit.tag == "equal" else max(edit.src_end - edit.src_start, edit.dest_end - edit.dest_start)
        there = np.arange(edit.src_end - edit.src_start) + edit.dest_start
        places[edit.src_start : edit.src_end] = np.minimum(there, edit.dest_end - 1)
        are_same[edit.src_start : edit.src_end] = edit.tag == "equal"
    return places, are_same, distance


def carry_ends(reference: Sequence[Word], places: np.ndarray, n_words: int) -> np.ndarray:
    """With which of the words aligned with them the sentences of the reference end (bool)."""
    ends = np.zeros(n_words, dtype=bool)
    carried = places[get_ends(reference)]
    ends[carried[carried >= 0]] = True
    return ends


def annotate(nlp: Language, words: Sequence[Word], with_times: bool) -> tuple[Doc, list[int]]:
    """The annotated document of words in lower case, and the offsets of words."""
    texts = [word.text.lower() for word in words]
    times = [word.times if with_times else None for word in words]
    segments = [
        Segment(f"{text} ", times=each, is_word=each is not None) for text, each in zip(texts, times, strict=True)
    ]
    begins = np.cumsum([0, *(len(text) + 1 for text in texts[:-1])]).tolist()
    return nlp(make_doc(nlp, join(segments))), begins


def find_ends(nlp: Language, words: Sequence[Word], with_times: bool) -> np.ndarray:
    """With which words a pipeline ends sentences (bool)."""
    doc, begins = annotate(nlp, words, with_times)
    ends = np.zeros(len(words), dtype=bool)
    for sentence in doc.sents:
        # A sentence that begins inside a word ends the word before.
        ends[bisect_right(begins, sentence.start_char) - 2] = True
    return ends


def get_ends(words: Sequence[Word]) -> np.ndarray:
    """With which words the recogniser ends sentences (bool)."""
    return np.array([word.ends for word in words], dtype=bool)


def measure(directory: Path, pipelines: dict[str, Language]) -> dict[str, dict[str, float]]:
    """By whose words they are, the word error rate, and F1 of whose boundaries they are."""
    results: dict[str, dict[str, float]] = {}
    read = read_calls(directory)
    references = read[REFERENCE]
    for name, calls in read.items():
        aligned = {call: align(references[call], words) for call, words in calls.items()}
        ends = {call: carry_ends(references[call], aligned[call][0], len(words)) for call, words in calls.items()}
        all_words = [word for words in calls.values() for word in words]
        has_times = any(word.times for word in all_words)
        finders: dict[str, FindEnds] = {}
        if name != REFERENCE and any(word.ends for word in all_words):
            finders["itself"] = get_ends
        for pipeline, nlp in pipelines.items():
            finders[pipeline] = partial(find_ends, nlp, with_times=False)
            if has_times and name != REFERENCE:
                finders[f"{pipeline}, times"] = partial(find_ends, nlp, with_times=True)
        rate = sum(errors for *_, errors in aligned.values()) / sum(map(len, references.values()))
        results[name] = {"WER": 100 * rate}
        for finder, find in finders.items():
            score = PRFScore()
            for call, words in calls.items():
                # Not the end of the call.
                found, gold = (set(np.flatnonzero(each[:-1])) for each in (find(words), ends[call]))
                score.score_set(found, gold)
            results[name][finder] = 100 * score.fscore
    return dict(sorted(results.items(), key=lambda result: result[1]["WER"]))


def main(
    directory: Annotated[Path, typer.Argument(help="Directory of calls: a reference and recognisers.")],
    pipelines: Annotated[list[str], typer.Argument(help="Our pipelines: packages or directories.")],
    pause_bias: Annotated[float | None, typer.Option(help="Another pause_bias for our pipelines.")] = None,
    output: Output = None,
    document: Document = None,
) -> None:
    """Score recognisers and pipelines."""
    config = {} if pause_bias is None else {"components": {PARSER: {"pause_bias": pause_bias}}}
    results = measure(directory, {name: spacy.load(name, config=config) for name in pipelines})
    columns = ["WER", "itself", *(f"{name}{times}" for name in pipelines for times in ("", ", times"))]
    rows = [
        [name, *(f"{scores[column]:.1f}" if column in scores else "" for column in columns)]
        for name, scores in results.items()
    ]
    text = f"Word error rate, and F1 of boundaries:\n\n{format_table(['words', *columns], rows)}"
    report(text, results, output, document, "recognisers")


if __name__ == "__main__":
    typer.run(main)
