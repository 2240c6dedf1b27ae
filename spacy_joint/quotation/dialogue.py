"""Dialogue with dashes, as in French, Spanish or Russian print: a paragraph that starts with a dash is a turn. In
French print, a dialogue may open with « before its first turn, and close with » in its last one.

Narration in a turn stands between dashes (—Vamos —dijo Ana—. Es tarde.), or follows a comma, a question or an
exclamation and starts with a reporting verb (— Partons, dit Anna.) or a name before one (—Is he? Haines asked.).
Without dashes, it ends at the next comma, unless narration continues there (— Oui, dit Anna, qui sortait.), or at the
end of its sentence if English or a sentence with "I" or "you" follows; otherwise it lasts until the next dash.
"""

import re
from collections.abc import Sequence, Set
from itertools import pairwise, takewhile

from spacy.tokens import Doc

from ..annotation.quotations import Run
from .mark_roles import SENTENCE_ENDS
from .marks import AMERICAN, AUTO, COMMAS, STOPS
from .words import WORDS

DASHES = frozenset(("–", "—", "―", "--"))
GUILLEMETS = frozenset("«»")
NARRATION = frozenset(".,;:")
PRONOUNS = frozenset(("he", "she", "they", "hän"))
# The maximum number of words in a speaker's name before a reporting verb.
MAX_NAME = 4
# Participles continue narration after a comma.
PARTICIPLE = re.compile(r"\w{2,}(ing|ant)")
# The minimum share of turns with narration in English dialogue.
MIN_NARRATED = 0.1
MIN_TURNS = 2


def find_dialogue(doc: Doc, paragraph_starts: Sequence[int], cues: Set[int], dashes: bool | str) -> list[Run]:
    """Finds the spoken parts of turns (first token, end), in order, without dashes and final commas, given possible
    cues. `dashes` says whether dashes start speech; with "auto", the language or the document decides."""
    if not dashes or not any(doc[start].text in DASHES for start in paragraph_starts):
        return []
    turns = []
    for begin, end in pairwise([*paragraph_starts, len(doc)]):
        guillemets = [i for i in range(begin, end) if doc[i].text in GUILLEMETS]
        is_dashed, continues = (doc[i : i + 1].text in DASHES for i in (begin, end))
        is_closed = is_dashed and bool(guillemets) and doc[guillemets[0]].text == "»"
        if is_closed:
            end = guillemets[0]
        elif continues and not is_dashed and guillemets and doc[guillemets[-1]].text == "«":
            begin = guillemets[-1]
        elif not is_dashed:
            continue
        begin, end = trim(doc, begin, end)
        # A turn is a sentence; an item of a list often is not.
        if is_closed or _ends_turn(doc, end - 1):
            turns.append((begin, end))
    if dashes == AUTO and doc.lang_ not in WORDS["dialogue languages"]:
        n_narrated = sum(any(_opens_narration(doc, i, cues) for i in range(begin + 2, end)) for begin, end in turns)
        if len(turns) < MIN_TURNS or n_narrated < max(1, MIN_NARRATED * len(turns)):
            return []
    return [run for begin, end in turns for run in find_spoken(doc, begin, end, cues)]


def _ends_turn(doc: Doc, i: int) -> bool:
    last = doc[i].text[-1]
    return last in STOPS and (last != ";" or doc.lang_ == "el")


def find_spoken(doc: Doc, begin: int, end: int, cues: Set[int], has_end: bool = False) -> list[Run]:
    """Finds the spoken parts of what follows a mark at `begin`, without final commas. `has_end` says whether a mark at
    `end` closes it: then speech follows a sentence of narration, and speech without narration includes both marks."""
    runs = []
    first: int | None = begin + 1
    is_dashed = False
    for i in range(begin + 1, end):
        if first is None:
            if doc[i].text in DASHES or (not is_dashed and _ends_narration(doc, i, end, has_end)):
                first = i + 1
        elif i > begin + 1 and _opens_narration(doc, i, cues):
            runs.append((first, i))
            first, is_dashed = None, doc[i].text in DASHES
    if has_end and first == begin + 1:
        return [(begin, end + 1)]
    if first is not None:
        runs.append((first, end))
    # Removes punctuation of narration before the first word, and commas at the end.
    trimmed = (trim(doc, *run, NARRATION, COMMAS) for run in runs)
    return [run for run in trimmed if any(token.text[0].isalnum() for token in doc[run[0] : run[1]])]


def _opens_narration(doc: Doc, i: int, cues: Set[int]) -> bool:
    """Returns whether narration begins with a token within speech."""
    before, following = find_word(doc, i, -1), find_word(doc, i, 1)
    after_stop = _ends_turn(doc, before)
    if doc[i].text in DASHES:
        attached = bool(doc[i - 1].whitespace_) and not doc[i].whitespace_
        # French print has no dash before narration: — Si ! — je viens, dit Anna.
        return attached or (after_stop and doc.lang_ != "fr") or following in cues
    if not after_stop:
        return False
    if doc[i].text.islower() and (i in cues or (doc[i].text in WORDS["clitics"] and following in cues)):
        return True
    # A name, a pronoun or "the doctor" before its verb.
    if doc[before].text[-1] == ".":
        return False
    if doc[i].lower_ in PRONOUNS:
        return following in cues
    verb = next((k for k in range(i + 1, min(i + MAX_NAME + 1, len(doc))) if k in cues), i)
    is_noun = doc[i].lower_ == "the" and doc[verb].tag_ in ("", "VBD")
    return verb > i and (is_noun or all(token.text[0].isupper() for token in doc[i:verb]))


def _ends_narration(doc: Doc, i: int, end: int, has_end: bool) -> bool:
    """Returns whether speech continues after a token of narration without dashes, up to `end` at most."""
    if doc[i].text in SENTENCE_ENDS:
        sentence = takewhile(lambda token: token.text not in SENTENCE_ENDS, doc[i + 1 : end])
        return has_end or doc.lang_ in AMERICAN or any(token.lower_ in WORDS["addressing"] for token in sentence)
    following = doc[find_word(doc, i, 1)]
    # Between marks, speech is more likely to continue after "et" than narration.
    is_narration = following.lower_ in WORDS["narration"] and not (has_end and following.lower_ == "et")
    continues = is_narration or PARTICIPLE.fullmatch(following.lower_)
    return doc[i].text in COMMAS and not continues


def find_word(doc: Doc, i: int, step: int) -> int:
    """Finds the nearest non-whitespace token before (-1) or after (1) a token; the token itself if there is none."""
    at = i + step
    while 0 <= at < len(doc) and doc[at].text.isspace():
        at += step
    return at if 0 <= at < len(doc) else i


def trim(doc: Doc, begin: int, end: int, before: Set[str] = frozenset(), after: Set[str] = frozenset()) -> Run:
    """Trims whitespace and these texts, before the first word and after the last one, from a run (first token, end)."""
    while begin < end and (doc[begin].text in before or doc[begin].text.isspace()):
        begin += 1
    while begin < end and (doc[end - 1].text in after or doc[end - 1].text.isspace()):
        end -= 1
    return begin, end
