"""Attributions in brat's standoff format, as in PolNeAR: `NAME.ann` next to `NAME.txt`, or, as PolNeAR is published,
`attributions/NAME_ANNOTATOR.ann` and `text/NAME.txt`.

Sources, cues and contents become spans of a `Doc`; the spans of an attribution have the same `id_`, made of its number.
Contents are as in the literature: runs of at least two tokens, without a final `, . : ?` (Scheible, Klinger & Pado, ACL
2016). Nested attributions are not supported. The pipeline tokenises the text.
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
# Repeated roles are numbered: Content, Content2, ...
ROLE = re.compile(r"(?P<role>[A-Za-z-]+?)\d*:T(?P<number>\d+)$")
Bounds = tuple[int, int]


@dataclass
class Attribution:
    """Who said what, as character offsets (begin, end); any of them may be missing."""

    sources: list[Bounds]
    cues: list[Bounds]
    contents: list[Bounds]


def read_brat(path: Path, tokenize: Callable[[str], Doc]) -> Iterator[Doc]:
    """Read annotated documents with their spans.

    path: An `.ann` file, or a directory whose `.ann` files are read in the order of their names.
    tokenize: Makes a document from a text, such as `nlp.make_doc`.
    Raises FileNotFoundError (J101, J102, J140) if there is nothing to read or a text is missing, ValueError if the
    annotation does not match the text (J141) or a file is not UTF-8 (J403).
    """
    seen: set[Path] = set()
    for file in list_files(path, SUFFIX):
        text_file = _find_text(file)
        # If there are several annotators, the first one is used.
        if text_file in seen:
            continue
        seen.add(text_file)
        # Offsets count the characters of the original file, so newlines must not be translated and a byte order mark
        # must be kept.
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
    """Parse the attributions of an `.ann` file; lines that are neither entities nor events are skipped.

    n_characters: The length of the text.
    Raises ValueError (J141) if an entity is outside the text, or if an event refers to an unknown entity.
    """
    entities: dict[str, list[Bounds]] = {}
    events: list[tuple[int, str]] = []
    # Notes may contain any text, and the text of an entity may span several lines.
    for line_number, line in enumerate(read_text(file).split("\n"), start=1):
        if entity := ENTITY.match(line):
            bounds = sorted(_parse_bounds(piece) for piece in entity["bounds"].split(";"))
            if any(not begin < end <= n_characters for begin, end in bounds):
                raise JointValueError(Errors.J141, file=file, line=line_number, found=entity["bounds"])
            entities[entity["number"]] = bounds
        elif event := EVENT.match(line):
            events.append((line_number, event["roles"]))
    attributions = []
    # An event may precede the entities that it refers to.
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
    """Set the spans of a document: quotations, their cues and their speakers. Each token belongs to at most one
    quotation: the first that starts."""
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
    """Trim a run of tokens as for evaluation: remove whitespace at its ends and a final `, . : ?`."""
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
    """The runs of tokens that overlap with the given characters."""
    spans = (doc.char_span(begin, end, alignment_mode="expand") for begin, end in bounds)
    return sorted((span.start, span.end) for span in spans if span is not None)


def _merge(runs: list[Bounds]) -> list[Bounds]:
    """Merge runs that touch or overlap."""
    merged: list[Bounds] = []
    for begin, end in runs:
        if merged and begin <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((begin, end))
    return merged
