"""Documents whose sentence boundaries are known, and nothing else, as a `.spacy` file: a teacher adds trees to them
(`spacy joint distill`). Boundaries are those of the people who wrote the text.

Of transcribed calls (tab-separated words of speech-datasets, https://github.com/revdotcom/speech-datasets), a sentence
ends at `.`, `?` or `!` and where the speaker changes; words with times have pauses. Of raw text, it ends with each
paragraph, and where nupunkt says, unless that is certainly wrong.
"""

import csv
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import nupunkt
import spacy
import typer
from spacy.language import Language
from spacy.tokens import Doc, DocBin, Token

from spacy_joint.annotation.custom_columns import PAUSE, write_column
from spacy_joint.corpora.raw_text import divide_evenly, is_prose, read_paragraphs
from spacy_joint.files.resources import read_tokenizer_exceptions
from spacy_joint.parsing.mark_constraints import names_speaker
from spacy_joint.pipes.marks import DOTTED, ELLIPSIS, IN_QUOTES, INITIAL, SYMBOL, TERMINAL, WORD
from spacy_joint.pipes.token_columns import WordColumns
from spacy_joint.pipes.word_classes import NO_CLASSES
from spacy_joint.tokenization.exceptions import add_exceptions
from spacy_joint.tokenization.ud_english import create_ud_english_tokenizer
from spacy_joint.training.distillation import take_evenly

EXCEPTIONS = Path(__file__).parents[2] / "assets" / "en_tokenizer_exceptions.json"
FINAL = re.compile("[.?!]")
# Not words: `<inaudible>`. What recognisers leave out.
NOTE = re.compile(r"<.*>")
FILLERS = frozenset(("uh", "um", "eh", "ah", "er", "hmm", "mm"))
# Alignment fails in whole stretches. So times count among this number of words with times, on either side.
ALIGNED = 6
# What nupunkt finds has to follow a mark.
COLUMNS = WordColumns(["before"], NO_CLASSES)
ENDS = frozenset((TERMINAL, ELLIPSIS, DOTTED, INITIAL, SYMBOL))


class Word(NamedTuple):
    """A word of a call, with its punctuation, the pause before it (seconds; NaN if unknown), and whether it begins a
    sentence."""

    text: str
    pause: float
    is_start: bool


def read_words(path: Path) -> list[Word]:
    """The words of a call."""
    with path.open(encoding="utf8", newline="") as source:
        rows = list(csv.DictReader(source, delimiter="\t", quoting=csv.QUOTE_NONE))
    starts, ends = (np.array([float(row[name] or "nan") for row in rows]) for name in ("start", "end"))
    n_timed = np.convolve(~np.isnan(starts + ends), np.ones(2 * ALIGNED + 1))[ALIGNED : ALIGNED + len(rows)]
    pauses = np.append(np.nan, np.maximum(starts[1:] - ends[:-1], 0).round(3))
    pauses[n_timed <= 2 * ALIGNED] = np.nan
    words: list[Word] = []
    speaker, is_start = None, True
    for row, pause in zip(rows, pauses.tolist(), strict=True):
        is_start |= row["speaker"] != speaker
        speaker = row["speaker"]
        if not NOTE.fullmatch(row["token"]):
            words.append(Word(row["token"] + row["punctuation"], pause, is_start))
            is_start = False
        is_start |= FINAL.search(row["punctuation"]) is not None
    return words


def leave_out_fillers(words: Sequence[Word]) -> list[Word]:
    """The words of a call as recognisers write them. The mark after a filler goes to the word before it, unless that
    has one, and the pause before a filler is added to that after it."""
    kept: list[Word] = []
    left_out: Word | None = None
    for word in words:
        text = word.text.rstrip(",.?!;:…-")
        if left_out is not None:
            word = word._replace(pause=left_out.pause + word.pause, is_start=left_out.is_start or word.is_start)
        left_out = word if text.lower() in FILLERS else None
        if left_out is None:
            kept.append(word)
        elif kept and not word.is_start and kept[-1].text[-1:].isalnum():
            kept[-1] = kept[-1]._replace(text=kept[-1].text + word.text[len(text) :])
    return kept


def divide_words(words: Sequence[Word], n: int) -> Iterator[Sequence[Word]]:
    """Divides a call into passages of at least n words that begin with sentences."""
    first = 0
    for place, word in enumerate(words):
        if word.is_start and place - first >= n:
            yield words[first:place]
            first = place
    yield words[first:]


def set_starts(doc: Doc, starts: set[int]) -> None:
    """Begin sentences at these tokens, and at no others."""
    for token in doc:
        token.is_sent_start = token.i in starts


def make_call(nlp: Language, words: Sequence[Word]) -> Doc:
    """The document of a passage of a call."""
    lengths = np.array([len(word.text) + 1 for word in words])
    begins = (lengths.cumsum() - lengths).tolist()
    doc = nlp.make_doc(" ".join(word.text for word in words))
    offsets = [token.idx for token in doc]
    set_starts(doc, {bisect_left(offsets, begin) for begin, word in zip(begins, words, strict=True) if word.is_start})
    pauses = np.full(len(doc), np.nan)
    for begin, end, word in zip(begins, [*begins[1:], len(doc.text)], words, strict=True):
        first, last = bisect_left(offsets, begin), bisect_left(offsets, end)
        pauses[first:last] = 0.0 if word.pause == word.pause else np.nan
        pauses[first : first + 1] = word.pause
    if not np.isnan(pauses).all():
        write_column(doc, PAUSE, pauses)
    return doc


def find_sentences(doc: Doc, paragraphs: Sequence[str]) -> Iterator[int]:
    """The tokens that begin the sentences of paragraphs, which the document joins by spaces."""
    values, words = COLUMNS.make_values(doc)
    before = dict(zip(words.tolist(), values[:, 0].tolist(), strict=True))
    offsets = [token.idx for token in doc]
    begin = 0
    for paragraph in paragraphs:
        yield bisect_left(offsets, begin)
        for start, _ in nupunkt.sent_spans(paragraph):
            place = bisect_left(offsets, begin + start)
            if place < len(doc) and is_sound(doc[place], before.get(place, WORD)):
                yield place
        begin += len(paragraph) + 1


def is_sound(token: Token, before: int) -> bool:
    """Whether a sentence may begin with a token: after a mark, with a capital, and not to report what is quoted."""
    if before % IN_QUOTES not in ENDS or token.text[0].islower() or not token.i:
        return False
    doc, place = token.doc, token.i
    if not doc[place - 1].whitespace_ and not token.text[0].isalnum():
        return False
    return not (before & IN_QUOTES and names_speaker(doc, place))


def make_text(nlp: Language, paragraphs: Sequence[str]) -> Doc:
    """The document of a passage of raw text."""
    doc = nlp.make_doc(" ".join(paragraphs))
    set_starts(doc, set(find_sentences(doc, paragraphs)))
    return doc


def main(
    inputs: Annotated[list[Path], typer.Argument(help="Raw text, .txt, and calls, .tsv; or directories of them.")],
    output: Annotated[Path, typer.Argument(help="The .spacy file to write.")],
    lines: Annotated[bool, typer.Option("--lines", help="Each line of raw text is a paragraph.")] = False,
    words: Annotated[int, typer.Option(help="Minimum words per document.")] = 800,
    pattern: Annotated[
        str, typer.Option(help="Take paragraphs of raw text in which it is found: a regular expression.")
    ] = "",
    without_fillers: Annotated[
        bool, typer.Option("--without-fillers", help="Leave out `uh` and the like of calls, as recognisers do.")
    ] = False,
    limit: Annotated[int, typer.Option(help="Maximum passages of raw text, evenly from all; 0 is all.")] = 0,
) -> None:
    """Write documents with the boundaries of people."""
    nlp = spacy.blank("en")
    nlp.tokenizer = add_exceptions(create_ud_english_tokenizer()(nlp), read_tokenizer_exceptions(EXCEPTIONS))
    docs = DocBin(attrs=["ORTH", "SPACY", "SENT_START"], store_user_data=True)
    paths = [path for given in inputs for path in (sorted(given.iterdir()) if given.is_dir() else [given])]
    calls = [path for path in paths if path.suffix == ".tsv"]
    for path in calls:
        spoken = read_words(path)
        for part in divide_words(leave_out_fillers(spoken) if without_fillers else spoken, words):
            docs.add(make_call(nlp, part))

    def read() -> Iterator[list[str]]:
        for path in paths:
            for paragraphs in read_paragraphs(path, lines=lines) if path not in calls else ():
                found = [each for each in paragraphs if is_prose(each) and re.search(pattern, each)]
                yield from divide_evenly(found, words)

    for passage in take_evenly(read, limit) if limit else read():
        docs.add(make_text(nlp, passage))
    docs.to_disk(output)
    print(f"{output}: {len(docs):,} documents, {sum(map(len, docs.tokens)):,} words")


if __name__ == "__main__":
    typer.run(main)
