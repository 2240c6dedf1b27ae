"""Quotations without a trained model: pairs of marks, reporting verbs, and their dependents.

Direct quotations only need marks. Others need a tree: the clause governed by a reporting verb, or, for "according to",
the clause that contains it. Marks around a name, a title or a scare-quoted word are not a quotation; marks in the
middle of a sentence, after a word that is not a cue, only are if they contain a sentence. The list of verbs is our own.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from pathlib import Path

import numpy as np
from spacy.tokens import Doc

from ..annotation.quotations import TRAILING
from .attribution import ACCORDING, DASHES, MAX_SIGNATURE
from .marks import MarkStyle, find_paragraph_starts, pair_marks

Run = tuple[int, int]
# The labels of reported clauses, in UD and other trees.
CLAUSES = frozenset(("ccomp", "parataxis"))
MIN_WORDS = 4
CUT = frozenset((*TRAILING, ";", "-", "–", "—"))


def _inflect(verb: str) -> list[str]:
    if verb.endswith("e"):
        return [verb, verb + "s", verb + "d", verb[:-1] + "ing"]
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return [verb, verb[:-1] + "ies", verb[:-1] + "ied", verb + "ing"]
    double = verb in ("admit", "quip", "snap")
    stem = verb + verb[-1] if double else verb
    plural = verb + "es" if verb.endswith(("s", "sh", "ch", "x")) else verb + "s"
    return [verb, plural, stem + "ed", stem + "ing"]


def _read_verbs() -> frozenset[str]:
    lines = (Path(__file__).parent / "reporting_verbs.txt").read_text(encoding="utf8").splitlines()
    verbs = [line.split() for line in lines if not line.startswith("#")]
    return frozenset(form for verb in verbs for form in (_inflect(verb[0]) if len(verb) == 1 else verb))


REPORTING = _read_verbs()


def find_rule_cues(doc: Doc, style: MarkStyle) -> list[int]:
    """The tokens that may signal a quotation: reporting verbs, "according to", and colons and dashes next to marks."""
    pairs = pair_marks(doc, style, find_paragraph_starts(doc))
    opening, closing = {a for a, _ in pairs}, {b for _, b in pairs}
    cues = []
    for token in doc:
        if token.lower_ in REPORTING:
            # This excludes nouns such as "the report" and "a claim" by their tags; without tags, all words count.
            if not token.tag_ or token.tag_.startswith("V"):
                cues.append(token.i)
        elif (
            token.lower_ == ACCORDING
            or (token.text == ":" and _next_word(doc, token.i) in opening)
            or (token.text in DASHES and token.i - 1 in closing and _ends_paragraph(doc, token.i))
        ):
            cues.append(token.i)
    return cues


def find_rule_quotations(doc: Doc, style: MarkStyle, cues: Sequence[int]) -> list[Run]:
    """The quotations (first token, end), in order, by marks, cues and, if available, trees."""
    pairs = pair_marks(doc, style, find_paragraph_starts(doc))
    known = frozenset(cues)
    runs = [(a, b + 1) for a, b in pairs if _is_speech(doc, a, b, known)]
    taken = np.zeros(len(doc) + 1, dtype=bool)
    for begin, end in runs:
        taken[begin:end] = True
    if doc.has_annotation("DEP"):
        for cue in cues:
            if not taken[cue]:
                runs.extend(_find_indirect(doc, cue, taken))
    return sorted(runs)


def _is_speech(doc: Doc, opening: int, closing: int, cues: Set[int]) -> bool:
    inner = [token for token in doc[opening + 1 : closing] if not token.text.isspace()]
    words = [token for token in inner if token.text[0].isalnum()]
    if not words:
        return False
    is_title = len(words) > 1 and all(token.text[0].isupper() for token in words)
    is_finished = inner[-1].text[-1] in ",.?!…"
    has_cue = [_is_announcement(doc, i, cues) for i in (opening - 2, opening - 1, closing + 1, closing + 2)]
    is_long = len(words) >= MIN_WORDS
    if opening > 0 and doc[opening - 1].text[0].isalnum() and opening - 1 not in cues:
        # In the middle of a sentence, it must be a sentence itself.
        return is_finished and words[0].text[0].isupper() and not is_title and (is_long or any(has_cue[2:]))
    return is_finished or (not is_title and (is_long or (any(has_cue) and len(words) > 1)))


def _is_announcement(doc: Doc, i: int, cues: Set[int]) -> bool:
    return 0 <= i < len(doc) and (i in cues or doc[i].text == ":")


def _find_indirect(doc: Doc, cue: int, taken: np.ndarray) -> list[Run]:
    token = doc[cue]
    if token.lower_ == ACCORDING:
        return _find_according(doc, cue, taken)
    runs = []
    for child in token.children:
        if child.dep_.split(":")[0] in CLAUSES and (child.dep_ != "parataxis" or child.i < cue):
            run = _shrink(doc, child.left_edge.i, child.right_edge.i + 1, cue)
            if run is not None and not taken[run[0] : run[1]].any():
                taken[run[0] : run[1]] = True
                runs.append(run)
    return runs


def _find_according(doc: Doc, cue: int, taken: np.ndarray) -> list[Run]:
    """The parts of the sentence before and after "according to X"."""
    source = doc[cue].head if doc[cue].dep_ == "case" else doc[cue]
    begin, end = min(source.left_edge.i, cue), max(source.right_edge.i, cue) + 1
    sentence = doc[cue].sent
    sides = ((sentence.start, begin), (end, sentence.end))
    runs = filter(None, (_shrink(doc, first, last, cue) for first, last in sides))
    return [run for run in runs if not taken[run[0] : run[1]].any()]


def _shrink(doc: Doc, begin: int, end: int, cue: int) -> Run | None:
    """Trim the side of the cue and marks at the ends of a run; None if less than two tokens are left."""
    if begin <= cue < end:
        begin, end = (begin, cue) if doc[begin:end].root.i < cue else (cue + 1, end)
    while begin < end and (doc[begin].text in CUT or doc[begin].text.isspace()):
        begin += 1
    while begin < end and (doc[end - 1].text in CUT or doc[end - 1].text.isspace()):
        end -= 1
    return (begin, end) if end - begin > 1 else None


def _next_word(doc: Doc, i: int) -> int:
    i += 1
    while i < len(doc) and doc[i].text.isspace():
        i += 1
    return i


def _ends_paragraph(doc: Doc, i: int) -> bool:
    """Whether a paragraph ends within a signature's length of a token."""
    for token in doc[i + 1 : i + 2 + MAX_SIGNATURE]:
        if "\n" in token.text:
            return True
    return i + 1 + MAX_SIGNATURE >= len(doc)
