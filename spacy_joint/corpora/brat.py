"""Attributions in brat's standoff format, as PolNeAR has them: `NAME.ann` beside `NAME.txt`, or, as it is published,
`attributions/NAME_ANNOTATOR.ann` and `text/NAME.txt`.

Sources, cues and contents become spans of a `Doc`; all that belong to one attribution have its number as their `id_`.
Contents are what the literature evaluates: a run of tokens each, without a last `, . : ?`, and of two tokens or more
(Scheible, Klinger & Pado, ACL 2016). Attributions inside others are not expected. Text is tokenised by the pipeline.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from spacy.tokens import Doc, Span

from ..annotation.quotations import CUE, CUES, QUOTATIONS, SPEAKER, SPEAKERS, TRAILING, make_span
from ..errors import Errors, JointFileNotFoundError, JointValueError
from ..files.reading import list_files, read_text

SUFFIX = ".ann"
ENTITY = re.compile(r"T(?P<number>\d+)\t(?P<type>\S+) (?P<bounds>\d+ \d+(?:;\d+ \d+)*)\t")
EVENT = re.compile(r"E\d+\t(?P<roles>.*)")
# Roles that are filled more than once are numbered: Content, Content2, ...
ROLE = re.compile(r"(?P<role>[A-Za-z-]+?)\d*:T(?P<number>\d+)$")
Bounds = tuple[int, int]


@dataclass
class Attribution:
    """Who said what, as characters of the text (begin, end); any of them may be missing."""

    sources: list[Bounds]
    cues: list[Bounds]
    contents: list[Bounds]


def read_brat(path: Path, tokenize: Callable[[str], Doc]) -> Iterator[Doc]:
    """Read annotated documents with their spans.

    path: An `.ann` file, or a directory whose `.ann` files are read in the order of their names.
    tokenize: Makes a document of a text, such as `nlp.make_doc`.
    Raises FileNotFoundError (J101, J102, J140) if there is none or a text is missing, ValueError if annotation and
    text do not fit (J141), or one is not UTF-8 (J403).
    """
    seen: set[Path] = set()
    for file in list_files(path, SUFFIX):
        text_file = _find_text(file)
        # Of several annotators of a text, the first.
        if text_file in seen:
            continue
        seen.add(text_file)
        # Offsets count characters of the file as it is, so newlines must not be translated.
        # A byte order mark counts where annotation counts characters.
        text = read_text(text_file, "utf-8")
        doc = tokenize(text)
        add_attributions(doc, parse_standoff(file, len(text)))
        yield doc


def _find_text(file: Path) -> Path:
    beside = file.with_suffix(".txt")
    apart = file.parent.parent / "text" / f"{file.stem.rpartition('_')[0]}.txt"
    for text_file in (beside, apart):
        if text_file.is_file():
            return text_file
    raise JointFileNotFoundError(Errors.J140, file=file, text=beside)


def parse_standoff(file: Path, n_characters: int) -> list[Attribution]:
    """Parse the attributions of an `.ann` file; lines that are neither entities nor events are passed over.

    n_characters: The length of the text, which annotation must not exceed.
    Raises ValueError (J141) if it does, or if an event names an entity that is not there.
    """
    entities: dict[str, list[Bounds]] = {}
    events: list[tuple[int, str]] = []
    # Notes may contain any text, and a content that runs over lines continues on lines of its own.
    for line_number, line in enumerate(read_text(file).split("\n"), start=1):
        if entity := ENTITY.match(line):
            bounds = sorted(_parse_bounds(piece) for piece in entity["bounds"].split(";"))
            if any(not begin < end <= n_characters for begin, end in bounds):
                raise JointValueError(Errors.J141, file=file, line=line_number, found=entity["bounds"])
            entities[entity["number"]] = bounds
        elif event := EVENT.match(line):
            events.append((line_number, event["roles"]))
    attributions = []
    # An event may stand before what it names.
    for line_number, roles in events:
        fillers: dict[str, list[Bounds]] = {"Source": [], "Cue": [], "Content": []}
        for filler in filter(None, map(ROLE.match, roles.split())):
            if filler["role"] in fillers:
                if filler["number"] not in entities:
                    raise JointValueError(Errors.J141, file=file, line=line_number, found=f"T{filler['number']}")
                fillers[filler["role"]] += entities[filler["number"]]
        attributions.append(Attribution(*fillers.values()))
    return attributions


def add_attributions(doc: Doc, attributions: list[Attribution]) -> None:
    """Set the spans of a document: quotations, their cues and their speakers. Tokens belong to one quotation at most:
    the one that begins first."""
    contents: list[Span] = []
    cues: list[Span] = []
    speakers: list[Span] = []
    taken = [False] * len(doc)
    ordered = sorted(attributions, key=lambda attribution: sorted(attribution.contents))
    for number, attribution in enumerate(ordered, start=1):
        span_id = f"Q{number}"
        for begin, end in _merge(_find_tokens(doc, attribution.contents)):
            begin, end = trim(doc, begin, end)
            if count_words(doc, begin, end) > 1 and not any(taken[begin:end]):
                contents.append(make_span(doc, begin, end, span_id))
                taken[begin:end] = [True] * (end - begin)
        for spans, label, bounds in ((cues, CUE, attribution.cues), (speakers, SPEAKER, attribution.sources)):
            for begin, end in _find_tokens(doc, bounds):
                spans.append(Span(doc, begin, end, label=label, span_id=span_id))
    for key, spans in ((QUOTATIONS, contents), (CUES, cues), (SPEAKERS, speakers)):
        doc.spans[key] = sorted(spans, key=lambda span: (span.start, span.end))


def trim(doc: Doc, begin: int, end: int) -> Bounds:
    """A run of tokens as it is evaluated: without whitespace at its ends, and without a last `, . : ?`."""
    begin, end = _strip(doc, begin, end)
    if begin < end and doc[end - 1].text in TRAILING:
        begin, end = _strip(doc, begin, end - 1)
    return begin, end


def count_words(doc: Doc, begin: int, end: int) -> int:
    """The number of tokens that are not whitespace."""
    return sum(not token.text.isspace() for token in doc[begin:end])


def _strip(doc: Doc, begin: int, end: int) -> Bounds:
    while begin < end and doc[begin].text.isspace():
        begin += 1
    while begin < end and doc[end - 1].text.isspace():
        end -= 1
    return begin, end


def _parse_bounds(piece: str) -> Bounds:
    begin, end = piece.split()
    return int(begin), int(end)


def _find_tokens(doc: Doc, bounds: list[Bounds]) -> list[Bounds]:
    """The tokens that characters touch."""
    spans = (doc.char_span(begin, end, alignment_mode="expand") for begin, end in bounds)
    return sorted((span.start, span.end) for span in spans if span is not None)


def _merge(runs: list[Bounds]) -> list[Bounds]:
    """Runs that touch or overlap, as one."""
    merged: list[Bounds] = []
    for begin, end in runs:
        if merged and begin <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((begin, end))
    return merged
