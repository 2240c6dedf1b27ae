"""Compares where captions end lines: by trees, greedily, and by `textwrap`, all within the same limits.

    python benchmarks/captions.py en_joint_english CALLS/*.tsv

A file has the words of a call with their times, tab-separated as in Rev's speech-datasets
(https://github.com/revdotcom/speech-datasets). Words without times share the gap between their neighbours; calls in
which more than 5 % of the words lack times are skipped. Text files, with a turn per line, and treebanks (.conllu) have
no times, so typical durations are assumed.

The text is cut as written or, with `--unpunctuated`, in lower case without punctuation, by the trees that the pipeline
predicts. The greedy cut fills lines of 42 characters, two per caption; turns, a second of silence, or seven seconds end
a caption. `textwrap` fills the lines of a whole turn. A line is bad if it ends between a determiner and its noun, a
preposition and its object, or within a name: between a word and the head to its right (`det`, `case`), within `flat`,
or between proper nouns that form a compound. The gold trees of treebanks judge, predicted ones elsewhere. A caption
stays as long as the next one allows.
"""

from measure import Output, format_table, read_references, report

# isort: split
import csv
import re
import textwrap
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Annotated

import typer
from spacy.language import Language
from spacy.tokens import Doc

import spacy_joint
from spacy_joint.corpora.examples import make_example
from spacy_joint.transcripts import make_doc
from spacy_joint.transcripts.caption_writing import make_units
from spacy_joint.transcripts.captioning import Caption, Limits, Unit, cut_captions, make_caption
from spacy_joint.transcripts.transcript import SPEED, Segment, join
from spacy_joint.transcripts.words import Word, fill_times, is_name, list_words

MARK = re.compile(r"[^\w\s'’$%&-]")
NOTE = re.compile(r"<.*>")
KINDS = ("determiner", "preposition", "name")
# The share of words that have times.
MIN_TIMED = 0.95
# Seconds of silence that end a caption that is filled greedily.
SILENCE = 1.0


def read_call(path: Path, *, unpunctuated: bool) -> list[Segment]:
    """The words of a call."""
    segments: list[Segment] = []
    with path.open(encoding="utf8", newline="") as source:
        for row in csv.DictReader(source, delimiter="\t", quoting=csv.QUOTE_NONE):
            text = row["token"] if unpunctuated else row["token"] + row["punctuation"]
            text = MARK.sub("", text.lower()) if unpunctuated else text
            if text and not NOTE.fullmatch(row["token"]):
                times = (float(row["start"]), float(row["end"])) if row["start"] and row["end"] else None
                segments.append(Segment(f"{text} ", row["speaker"] or None, times, is_word=times is not None))
    return segments


def read_turns(path: Path, n: int, *, unpunctuated: bool) -> list[Segment]:
    """The words of the first turns of a text file with one per line."""
    segments: list[Segment] = []
    for line in path.read_text(encoding="utf8").splitlines()[:n]:
        text = " ".join(MARK.sub("", word.lower()) if unpunctuated else word for word in line.split())
        segments.append(Segment(f"{text} ", begins_turn=True))
    return segments


def read_docs(nlp: Language, path: Path, n: int, *, unpunctuated: bool) -> Iterator[tuple[Doc, Doc]]:
    """Annotated documents, each with one whose trees say where no line should end."""
    if path.suffix == ".conllu":
        for reference in read_references(path, nlp.vocab, starred=unpunctuated):
            yield nlp(make_example(reference).predicted), reference
        return
    is_text = path.suffix == ".txt"
    read = read_turns(path, n, unpunctuated=unpunctuated) if is_text else read_call(path, unpunctuated=unpunctuated)
    if is_text or sum(segment.is_word for segment in read) >= MIN_TIMED * len(read):
        doc = nlp(make_doc(nlp, join(read)))
        yield doc, doc


def time_words(words: Sequence[Word]) -> list[Word]:
    """Words with their times, or, if there are none, at a constant rate."""
    if not any(word.start_time is not None for word in words):
        words = [words[0]._replace(start_time=0.0, end_time=len(words[0].text) / SPEED), *words[1:]]
    return fill_times(words)


def find_bad_ends(doc: Doc) -> dict[str, set[int]]:
    """Before which tokens no line should end."""
    bad: dict[str, set[int]] = {kind: set() for kind in KINDS}
    for token in doc:
        head, label = token.head, token.dep_.partition(":")[0]
        between = range(min(token.i, head.i) + 1, max(token.i, head.i) + 1)
        if label == "det" and token.i < head.i:
            bad["determiner"].update(between)
        elif label == "case" and token.i < head.i:
            bad["preposition"].update(between)
        elif label == "flat" or (label == "compound" and is_name(token) and is_name(head)):
            bad["name"].update(between)
    return bad


def fill_greedily(words: Sequence[Word], units: Sequence[Unit], limits: Limits) -> list[Caption]:
    """Fills one line after the other, and one caption after the other."""
    captions: list[Caption] = []
    starts, width = [0], units[0].width
    for place in range(1, len(units)):
        unit, before = units[place], units[place - 1]
        seconds = unit.end_time - units[starts[0]].start_time
        ends_line = unit.begins_line or width + 1 + unit.width > limits.max_width
        is_full = ends_line and len(starts) == limits.max_lines
        is_over = unit.begins_turn or seconds > limits.max_seconds or unit.start_time < before.start_time
        if is_full or is_over or unit.start_time - before.end_time > SILENCE:
            captions.append(make_caption(units, limits, tuple(starts), place))
            starts, width = [place], unit.width
        elif ends_line:
            starts, width = [*starts, place], unit.width
        else:
            width += 1 + unit.width
    return [*captions, make_caption(units, limits, tuple(starts), len(units))]


def fill_by_textwrap(words: Sequence[Word], units: Sequence[Unit], limits: Limits) -> list[Caption]:
    """Wraps whole turns, and puts lines in twos."""
    starts = [place for place, word in enumerate(words) if word.begins_turn or not place]
    lines: list[list[int]] = []
    for start, end in pairwise([*starts, len(words)]):
        wrapped = textwrap.wrap(
            " ".join(word.text for word in words[start:end]),
            limits.max_width,
            break_long_words=False,
            break_on_hyphens=False,
        )
        own = [start]
        for line in wrapped[:-1]:
            own.append(own[-1] + len(line.split()))
        lines += [own[at : at + limits.max_lines] for at in range(0, len(own), limits.max_lines)]
    ends = [line[0] for line in lines[1:]] + [len(words)]
    return [make_caption(units, limits, tuple(line), end) for line, end in zip(lines, ends, strict=True)]


def cut_by_trees(words: Sequence[Word], units: Sequence[Unit], limits: Limits) -> list[Caption]:
    return cut_captions(units, limits)


CUTS: dict[str, Callable[[Sequence[Word], Sequence[Unit], Limits], list[Caption]]] = {
    "by trees": cut_by_trees,
    "greedily": fill_greedily,
    "textwrap": fill_by_textwrap,
}


def count(
    words: Sequence[Word], units: Sequence[Unit], captions: Sequence[Caption], bad: dict[str, set[int]], limits: Limits
) -> Counter[str]:
    """The numbers of lines and captions, of those over limits, and of bad ends of lines."""
    counts: Counter[str] = Counter(captions=len(captions))
    for caption in captions:
        ends = (*caption.starts[1:], caption.end)
        seconds = round(caption.end_time - caption.start_time, 3)
        width = 0
        for start, end in zip(caption.starts, ends, strict=True):
            counts["lines"] += 1
            own = sum(unit.width for unit in units[start:end]) + end - start - 1
            width += own
            counts["too wide"] += own > limits.max_width
            for kind in KINDS:
                counts[kind] += end < len(words) and words[end].start in bad[kind]
            counts["any"] += end < len(words) and any(words[end].start in places for places in bad.values())
        counts["too many lines"] += len(caption.starts) > limits.max_lines
        said = units[caption.starts[0] : caption.end]
        is_long = max(unit.end_time for unit in said) - said[0].start_time > limits.max_seconds
        counts["too long"] += is_long and len(said) > 1
        counts["too short"] += seconds < limits.min_seconds
        counts["too fast"] += round(width / limits.max_rate, 3) > seconds
    return counts


def measure(nlp: Language, paths: Sequence[Path], n: int, *, unpunctuated: bool) -> dict[str, Counter[str]]:
    """The counts of each way to cut, over all calls."""
    totals: dict[str, Counter[str]] = {name: Counter() for name in CUTS}
    limits = Limits()
    for doc, judge in (pair for path in paths for pair in read_docs(nlp, path, n, unpunctuated=unpunctuated)):
        words = time_words(list_words(doc))
        units = make_units(words)
        bad = find_bad_ends(judge)
        for name, fill in CUTS.items():
            begin = time.process_time()
            captions = fill(words, units, limits)
            seconds = time.process_time() - begin
            totals[name] += count(words, units, captions, bad, limits)
            totals[name]["milliseconds"] += round(1000 * seconds)
            totals[name]["words"] += len(words)
    return totals


def main(
    model: Annotated[str, typer.Argument(help="Pipeline.")],
    calls: Annotated[list[Path], typer.Argument(help="Tab-separated words with times, text, or CoNLL-U.")],
    unpunctuated: Annotated[bool, typer.Option("--unpunctuated", help="Lower-cased, without marks.")] = False,
    turns: Annotated[int, typer.Option(min=1, help="Number of turns of each text file.")] = 300,
    output: Output = None,
) -> None:
    """Print a table of the ways to cut lines."""
    results = measure(spacy_joint.load(model), calls, turns, unpunctuated=unpunctuated)
    breaches = ("too wide", "too many lines", "too long", "too short", "too fast")
    header = ["", "captions", "lines", *(f"{kind}, %" for kind in (*KINDS, "any")), *breaches, "words/s"]
    rows = []
    for name, counts in results.items():
        shares = (f"{100 * counts[kind] / counts['lines']:.2f}" for kind in (*KINDS, "any"))
        speed = f"{1000 * counts['words'] / max(counts['milliseconds'], 1):,.0f}"
        rows.append([name, counts["captions"], counts["lines"], *shares, *(counts[kind] for kind in breaches), speed])
    report(format_table(header, rows), results, output)


if __name__ == "__main__":
    typer.run(main)
