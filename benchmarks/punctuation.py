"""Measures how well pipelines and recognisers restore the marks and capitals that people write.

    python benchmarks/punctuation.py en_joint_english --calls earnings21 --treebank gum_dev.conllu

Pipelines with a `punctuation_restorer` get words in lower case, without marks, paragraphs, speakers and sentences;
recognised words also have times. Calls are aligned as by recognisers.py; capitals of a recognised word count only if
the word is right. A capital is right if all letters of its word are. The last word of a document does not count.
"""

from measure import Document, Output, format_table, read_references, report
from recognisers import REFERENCE, Word, align, annotate, read_calls

# isort: split
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import spacy
import typer
from spacy.language import Language
from spacy.scorer import PRFScore
from spacy.tokens import Doc

from spacy_joint.annotation.restored import FINAL, list_marked, read_restored
from spacy_joint.corpora.examples import make_example
from spacy_joint.pipes.components import enable_components
from spacy_joint.scoring.counts import count
from spacy_joint.scoring.restoration import count_case, count_marks
from spacy_joint.training.unpunctuated import remove_punctuation

RESTORER = "punctuation_restorer"
# Any end of a sentence; capitals at the beginning of sentences and elsewhere, and all; what tables show.
ENDS, BEGINS, ELSEWHERE, CASE = ". ? !", "first letters", "other capitals", "capitals"
SHOWN = (",", ".", "?", ENDS, CASE, BEGINS, ELSEWHERE)
NOT_ALPHANUMERIC = re.compile(r"[\W_]")


class Heard(NamedTuple):
    """A word in its case, only with its letters and digits; the mark after it; and whether the case counts."""

    text: str
    mark: str
    has_case: bool = True


class Counts:
    """The numbers behind precision, recall and F1, by mark and for capitals."""

    def __init__(self) -> None:
        self.scores: dict[str, PRFScore] = defaultdict(PRFScore)

    def add(self, found: Sequence[Heard], expected: Sequence[Heard]) -> None:
        """Add a document."""
        begins = True
        for ours, theirs in list(zip(found, expected, strict=True))[:-1]:
            count_marks(self.scores, ours.mark, theirs.mark)
            is_found, is_expected = ours.mark in FINAL, theirs.mark in FINAL
            count(self.scores[ENDS], is_found and is_expected, is_found, is_expected)
            for name in (CASE, BEGINS if begins else ELSEWHERE) if theirs.has_case else ():
                count_case(self.scores[name], ours.text, theirs.text)
            begins = is_expected

    def to_dict(self) -> dict[str, dict[str, float]]:
        """By what is scored, precision, recall and F1 in percent."""
        scores = {name: score.to_dict() for name, score in sorted(self.scores.items()) if len(score)}
        return {name: {key: 100 * value for key, value in each.items()} for name, each in scores.items()}


def read_mark(marks: str) -> str:
    """The mark of a word of a call: the first that ends a sentence, or else the first."""
    return next((mark for mark in marks if mark in FINAL), marks[:1])


def hear(words: Sequence[Word]) -> list[Heard]:
    """What people or recognisers wrote."""
    return [Heard(NOT_ALPHANUMERIC.sub("", word.text), read_mark(word.marks)) for word in words]


def carry(reference: Sequence[Word], words: Sequence[Word]) -> list[Heard]:
    """The marks and cases of the reference for the words of a recogniser."""
    places, are_same, _ = align(reference, words)
    carried = [Heard("", "", False) for _ in words]
    for heard, place, is_same in zip(hear(reference), places.tolist(), are_same.tolist(), strict=True):
        if place >= 0:
            before = carried[place]
            mark = before.mark if before.mark in FINAL or not heard.mark else heard.mark
            carried[place] = Heard(heard.text if is_same else before.text, mark, is_same or before.has_case)
    return carried


def restore(nlp: Language, words: Sequence[Word], with_times: bool) -> list[Heard]:
    """What a pipeline restores of the words of a call."""
    doc, begins = annotate(nlp, words, with_times)
    texts, marks = [""] * len(words), [""] * len(words)
    place = 0
    for word in list_marked(doc, read_restored(list(doc))):
        while place + 1 < len(words) and begins[place + 1] <= doc[word.token].idx:
            place += 1
        texts[place] += word.text
        marks[place] = word.mark
    return [Heard(NOT_ALPHANUMERIC.sub("", text), mark) for text, mark in zip(texts, marks, strict=True)]


def list_heard(doc: Doc) -> list[Heard]:
    """The words and marks of the restored text of a document."""
    return [Heard(word.text, word.mark) for word in list_marked(doc, read_restored(list(doc)))]


def score_documents(nlp: Language, docs: Iterable[Doc]) -> dict[str, dict[str, float]]:
    """Score what a pipeline restores of edited documents."""
    counts = Counts()
    for doc in docs:
        # Only tokens are read.
        variant = remove_punctuation(make_example(doc).predicted, keep_marks=True)
        if variant is not None:
            blank = Doc(nlp.vocab, words=[token.text for token in variant])
            counts.add(list_heard(nlp(blank)), list_heard(variant))
    return counts.to_dict()


def score_calls(directory: Path, pipelines: dict[str, Language]) -> dict[str, dict[str, dict[str, float]]]:
    """Score recognisers and pipelines on calls, by whose words and marks they are."""
    results: dict[str, Counts] = defaultdict(Counts)
    read = read_calls(directory)
    for name, calls in read.items():
        has_marks = any(word.marks for words in calls.values() for word in words)
        has_times = name != REFERENCE and any(word.times for words in calls.values() for word in words)
        for call, words in calls.items():
            expected = carry(read[REFERENCE][call], words)
            if name != REFERENCE and has_marks:
                results[f"{name} | itself"].add(hear(words), expected)
            for pipeline, nlp in pipelines.items():
                results[f"{name} | {pipeline}"].add(restore(nlp, words, has_times), expected)
    return {name: counts.to_dict() for name, counts in results.items()}


def main(
    pipelines: Annotated[list[str], typer.Argument(help="Our pipelines: packages or directories.")],
    calls: Annotated[Path | None, typer.Option(help="Directory of calls: a reference and recognisers.")] = None,
    treebank: Annotated[list[Path] | None, typer.Option(help="Documents in CoNLL-U.")] = None,
    output: Output = None,
    document: Document = None,
) -> None:
    """Score marks and capitals of recognisers and pipelines."""
    loaded = {name: spacy.load(name) for name in pipelines}
    for nlp in loaded.values():
        enable_components(nlp, RESTORER)
    results = score_calls(calls, loaded) if calls else {}
    for name, nlp in loaded.items():
        for path in treebank or ():
            results[f"{path.stem} | {name}"] = score_documents(nlp, read_references(path, nlp.vocab))
    rows = [
        [*name.split(" | "), *(f"{scores[of]['f']:.1f}" if of in scores else "" for of in SHOWN)]
        for name, scores in results.items()
    ]
    text = f"F1 of marks and capitals:\n\n{format_table(['words', 'by', *SHOWN], rows)}"
    report(text, {"scores": results}, output, document, "punctuation")


if __name__ == "__main__":
    typer.run(main)
