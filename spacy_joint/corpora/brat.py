"""Attributions in brat's standoff format: `NAME.ann` next to `NAME.txt`, or, as PolNeAR is published,
`attributions/NAME_ANNOTATOR.ann` and `text/NAME.txt`.

Sources, cues and contents become spans of a `Doc`; the spans of an attribution share an `id_` with its number. Contents
are runs of at least two tokens, without a final `, . : ?`, as in Scheible, Klinger & Pado (ACL 2016). Nested
attributions are not supported. The pipeline tokenises the text.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from spacy.tokens import Doc, Span

from ..annotation.quotations import CUE, CUES, QUOTATIONS, SPEAKER, SPEAKERS, TRAILING, make_span
from ..errors import Errors, JointFileNotFoundError, JointValueError
from ..files.reading import list_files, read_text
from ..trees.constituency_trees import find_blocks

SUFFIX = ".ann"
ENTITY = re.compile(r"T(?P<number>\d+)\t(?P<type>\S+) (?P<bounds>\d+ \d+(?:;\d+ \d+)*)\t")
EVENT = re.compile(r"E\d+\t(?P<roles>.*)")
# Repeated roles are numbered: Content, Content2, ...
ROLE = re.compile(r"(?P<role>[A-Za-z-]+?)\d*:T(?P<number>\d+)$")
Bounds = tuple[int, int]
# The offsets (begin, end) of the characters of each of the roles "Source", "Cue" and "Content"; any may be missing.
Attribution = dict[str, list[Bounds]]


def read_brat(path: Path, tokenize: Callable[[str], Doc]) -> Iterator[Doc]:
    """Read annotated documents with their spans from an `.ann` file, or those of a directory (J101, J102, J140, J141,
    J403). `tokenize` makes a document of a text, as `nlp.make_doc` does."""
    seen: set[Path] = set()
    for file in list_files(path, SUFFIX):
        beside = file.with_suffix(".txt")
        apart = file.parent.parent / "text" / f"{file.stem.rpartition('_')[0]}.txt"
        text_file = next(filter(Path.is_file, (beside, apart)), None)
        if text_file is None:
            raise JointFileNotFoundError(Errors.J140, file=file, text=beside)
        # If there are several annotators, the first one is used.
        if text_file in seen:
            continue
        seen.add(text_file)
        # Offsets count the characters of the original file, with its newlines and byte order mark.
        doc = tokenize(text := read_text(text_file, "utf-8"))
        _add_attributions(doc, _parse_standoff(file, len(text)))
        yield doc


def _parse_standoff(file: Path, n_characters: int) -> list[Attribution]:
    """Return the attributions of an `.ann` file; lines that are neither entities nor events are skipped."""
    entities: dict[str, list[Bounds]] = {}
    events: list[tuple[int, str]] = []
    # Notes may contain any text, and the text of an entity may span several lines.
    for line_number, line in enumerate(read_text(file).split("\n"), start=1):
        if entity := ENTITY.match(line):
            pieces = (map(int, piece.split()) for piece in entity["bounds"].split(";"))
            bounds = sorted((begin, end) for begin, end in pieces)
            if any(not begin < end <= n_characters for begin, end in bounds):
                raise JointValueError(Errors.J141, file=file, line=line_number, found=entity["bounds"])
            entities[entity["number"]] = bounds
        elif event := EVENT.match(line):
            events.append((line_number, event["roles"]))
    attributions = []
    # An event may precede the entities that it refers to.
    for line_number, roles in events:
        fillers: Attribution = {"Source": [], "Cue": [], "Content": []}
        for filler in filter(None, map(ROLE.match, roles.split())):
            if filler["role"] in fillers:
                if filler["number"] not in entities:
                    raise JointValueError(Errors.J141, file=file, line=line_number, found=f"T{filler['number']}")
                fillers[filler["role"]] += entities[filler["number"]]
        attributions.append(fillers)
    return attributions


def _add_attributions(doc: Doc, attributions: list[Attribution]) -> None:
    """Set quotations, cues and speakers. Each token belongs to at most one quotation: the first that starts."""
    spans: dict[str, list[Span]] = {QUOTATIONS: [], CUES: [], SPEAKERS: []}
    taken = [False] * len(doc)
    ordered = sorted(attributions, key=lambda attribution: sorted(attribution["Content"]))
    for number, attribution in enumerate(ordered, start=1):
        span_id = f"Q{number}"
        # Runs that touch or overlap are one.
        tokens = {token for run in _find_tokens(doc, attribution["Content"]) for token in range(*run)}
        for begin, end in find_blocks(sum(1 << token for token in tokens)):
            # As in evaluation, without whitespace at the ends and without a final mark.
            words = [token.i for token in doc[begin:end] if not token.text.isspace()]
            if words and doc[words[-1]].text in TRAILING:
                words.pop()
            if len(words) > 1 and not any(taken[words[0] : words[-1] + 1]):
                begin, end = words[0], words[-1] + 1
                spans[QUOTATIONS].append(make_span(doc, begin, end, span_id))
                taken[begin:end] = [True] * (end - begin)
        for key, label, role in ((CUES, CUE, "Cue"), (SPEAKERS, SPEAKER, "Source")):
            runs = _find_tokens(doc, attribution[role])
            spans[key] += [Span(doc, begin, end, label=label, span_id=span_id) for begin, end in runs]
    for key, found in spans.items():
        doc.spans[key] = sorted(found, key=lambda span: (span.start, span.end))


def _find_tokens(doc: Doc, bounds: list[Bounds]) -> list[Bounds]:
    """Find the runs of tokens that overlap with the given characters."""
    spans = (doc.char_span(begin, end, alignment_mode="expand") for begin, end in bounds)
    return sorted((span.start, span.end) for span in spans if span is not None)
