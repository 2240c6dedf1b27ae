"""Quotations without a trained model: pairs of marks, dialogue, reporting verbs, and their dependents.

Direct quotations only need marks, or dashes. Others need a tree: the clause governed by a reporting verb, or, for
"according to", the clause that contains it. Marks around a name, a title or a scare-quoted word are not a quotation;
marks in the middle of a sentence, after a word that is not a cue, only are if they contain a sentence. The lists of
verbs are our own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from functools import cache
from pathlib import Path

import numpy as np
from spacy.tokens import Doc, Token

from ..annotation.dependency_trees import cut_subtype
from ..annotation.quotations import TRAILING
from .attribution import ACCORDING, DASHES, MAX_SIGNATURE
from .dialogue import find_dialogue
from .layout import find_paragraph_starts
from .marks import AMERICAN, STOPS, MarkStyle, pair_marks

Run = tuple[int, int]
# The labels of reported clauses, in UD and other trees.
CLAUSES = frozenset(("ccomp", "parataxis"))
MIN_WORDS = 4
COLONS = frozenset((":", "："))
# The particles after a Japanese quotation, but not というX, "an X called".
QUOTATIVE = re.compile(r"(と|って)(?!いう)")
ENGLISH = "en"
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


@cache
def read_verbs(language: str) -> frozenset[str]:
    """The forms of the verbs that report speech in a language; of English ones, if there is no list of it."""
    text = (Path(__file__).parent / "reporting_verbs.txt").read_text(encoding="utf8")
    sections = dict(re.findall(r"^\[(\w+)\]\n([^[]*)", text, re.MULTILINE))
    if language not in sections:
        language = ENGLISH
    verbs = [line.split() for line in sections[language].splitlines() if line]
    inflected = (_inflect(verb[0]) if len(verb) == 1 and language == ENGLISH else verb for verb in verbs)
    return frozenset(form for forms in inflected for form in forms)


def find_rule_cues(doc: Doc, style: MarkStyle) -> list[int]:
    """The tokens that may signal a quotation: reporting verbs, "according to", and colons and dashes next to marks."""
    pairs = pair_marks(doc, style, find_paragraph_starts(doc))
    opening, closing = {a for a, _ in pairs}, {b for _, b in pairs}
    verbs = read_verbs(doc.lang_)
    cues = []
    for token in doc:
        if token.lower_ in verbs:
            if _is_verb(token):
                cues.append(token.i)
        elif (
            token.lower_ == ACCORDING
            or (token.text in COLONS and _next_word(doc, token.i) in opening)
            or (token.text in DASHES and token.i - 1 in closing and _ends_paragraph(doc, token.i))
        ):
            cues.append(token.i)
    return cues


def _is_verb(token: Token) -> bool:
    """Whether a word is tagged as a verb, unlike "the report" and "a claim"; without tags, all words are."""
    return not token.tag_ or token.tag_.startswith("V") or token.pos_ == "VERB"


def find_rule_quotations(doc: Doc, style: MarkStyle, cues: Sequence[int]) -> tuple[list[Run], list[Run]]:
    """The quotations (first token, end), in order: direct ones, by marks, dashes and cues, and, if the document has
    trees, others."""
    paragraph_starts = find_paragraph_starts(doc)
    known = frozenset(cues)
    direct = find_dialogue(doc, paragraph_starts, known)
    taken = np.zeros(len(doc) + 1, dtype=bool)
    for begin, end in direct:
        taken[begin:end] = True
    for first, last in pair_marks(doc, style, paragraph_starts):
        if not taken[first : last + 1].any() and _is_speech(doc, first, last, known):
            direct.append((first, last + 1))
            taken[first : last + 1] = True
    others = []
    if doc.has_annotation("DEP"):
        for cue in cues:
            if not taken[cue]:
                others += _find_indirect(doc, cue, taken)
    return sorted(direct), sorted(others)


def _is_speech(doc: Doc, opening: int, closing: int, cues: Set[int]) -> bool:
    inner = [token for token in doc[opening + 1 : closing] if not token.text.isspace()]
    words = [token for token in inner if token.text[0].isalnum()]
    if not words:
        return False
    is_title = len(words) > 1 and all(token.text[0].isupper() for token in words)
    before, after = (opening - 2, opening - 1), (closing + 1, closing + 2, *_find_words_after(doc, closing))
    has_cue_before = any(_is_announcement(doc, i, cues) for i in before)
    has_cue_after = any(_is_announcement(doc, i, cues) for i in after)
    is_reported = _is_reported(doc, opening, closing, cues)
    is_finished = inner[-1].text[-1] in STOPS or is_reported
    is_long = len(words) >= MIN_WORDS and not _is_caseless(words[0])
    if opening > 0 and doc[opening - 1].text[0].isalnum() and opening - 1 not in cues:
        # In the middle of a sentence, it must be a sentence itself.
        may_start = words[0].text[0].isupper() or _is_caseless(words[0])
        return is_finished and may_start and not is_title and (is_long or has_cue_after or is_reported)
    has_comma = doc.lang_ not in AMERICAN and doc[closing + 1 : closing + 2].text == ","
    is_likely = is_long or (len(words) > 1 and (has_cue_before or has_cue_after or has_comma))
    return is_finished or (is_likely and not is_title)


def _is_reported(doc: Doc, opening: int, closing: int, cues: Set[int]) -> bool:
    """Whether a verb or a particle next to the marks reports what is between them, where no stop shows that it is a
    sentence: all languages but American English set commas after the mark."""
    if QUOTATIVE.match(doc[closing + 1 : closing + 4].text):
        return True
    if doc.lang_ in AMERICAN:
        return False
    words = _find_words_after(doc, closing)[:1]
    return any(i in cues for i in words) or (opening - 2 in cues and _is_announcement(doc, opening - 1, cues))


def _find_words_after(doc: Doc, i: int) -> list[int]:
    """The next two words after a token and at most two marks, as in “...”, — he said."""
    first = next((k for k in range(i + 1, min(i + 4, len(doc))) if doc[k].text[0].isalnum()), None)
    return [] if first is None else [first, first + 1]


def _is_caseless(token: Token) -> bool:
    """Whether a word is Chinese, Japanese or Korean, or in another script without capitals."""
    return token.text[0].isalpha() and token.text[0].upper() == token.text[0].lower()


def _is_announcement(doc: Doc, i: int, cues: Set[int]) -> bool:
    return 0 <= i < len(doc) and (i in cues or doc[i].text in COLONS)


def _find_indirect(doc: Doc, cue: int, taken: np.ndarray) -> list[Run]:
    token = doc[cue]
    if token.lower_ == ACCORDING:
        return _find_according(doc, cue, taken)
    runs = []
    for child in token.children:
        if cut_subtype(child.dep_) in CLAUSES and (child.dep_ != "parataxis" or child.i < cue):
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
