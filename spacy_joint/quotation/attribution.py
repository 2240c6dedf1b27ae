"""Attribution: finds the cue of each quotation and the speaker of each cue.

The rules follow annotation guidelines and user requests; nothing is learnt.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from spacy.attrs import SENT_START
from spacy.tokens import Doc, Span, Token

from ..annotation.dependency_trees import cut_subtype
from ..annotation.quotations import Run
from ..annotation.reporting_verbs import is_reporting
from .dialogue import find_word
from .mark_roles import can_report
from .marks import ALL_MARKS, AMERICAN
from .names import read_names
from .plays import BRACKETS, LETTERS
from .words import WORDS

SUBJECTS = ("nsubj", "csubj")
AGENTS = ("agent", "obl:agent")
# "according to X", where X is the speaker, in UD and other trees.
ACCORDING = "according"
PREPOSITIONS, OF = WORDS["according to"], WORDS["of"]
# The tags of a simple noun phrase, of Penn's treebank and of Universal Dependencies.
NOMINAL = frozenset(("DT", "PRP$", "CD", "JJ", "NN", "NNS", "NNP", "NNPS", "PRP", "POS"))
NOMINAL |= {"DET", "ADJ", "NOUN", "PROPN", "PRON", "NUM"}
NOUNS = ("N", "PR")
FINITE = frozenset(("VBD", "VBZ"))
RELATIVE = frozenset(("WDT", "WP"))
RELATIVE_CLAUSES = frozenset(("acl:relcl", "relcl"))
# The relations of verbs that may have the subject of the verb above them, with wrong labels of participles.
SHARING = frozenset(("conj", "xcomp", "aux", "advcl", "ccomp"))
# A sentence may continue after a quotation with this end.
OPEN = frozenset(",?!-—")
DASHES = frozenset(("-", "--", "–", "—", "―"))
COLONS = frozenset((":", "："))
INTRODUCING = COLONS | {","}
# The maximum number of closing marks at the end of a quotation, including those of nested ones.
MAX_CLOSING = 3
# The maximum lengths, in tokens, of the name in a signature and of its line.
MAX_SIGNATURE, MAX_LINE = 8, 24
# The maximum number of words between marks and the verb in "said the minister X" and in “Look!” Ann Lee said.
MAX_GAP = 4
# The maximum distance between a quotation and a cue that does not govern it, in tokens.
MAX_CUE_DISTANCE = 12


class Mentions(NamedTuple):
    """The cues of quotations and the speakers that they have."""

    cues: list[int]  # including those of no quotation
    governing: list[int | None]  # the cue of each quotation
    speakers: dict[int, Run]  # of cues

    def list_speakers(self) -> list[Run | None]:
        """Returns the mention of the speaker of each quotation; None if it has none."""
        return [None if cue is None else self.speakers.get(cue) for cue in self.governing]


def mark_tokens(doc: Doc, runs: Iterable[Run]) -> np.ndarray:
    """Returns which tokens are in runs (bool)."""
    inside = np.zeros(len(doc), dtype=bool)
    for begin, end in runs:
        inside[begin:end] = True
    return inside


def find_mentions(
    doc: Doc,
    starts: Sequence[int],
    runs: Sequence[Run],
    direct: Iterable[Run],
    cues: Iterable[int],
    *,
    is_fixed: bool = False,
) -> Mentions:
    """Finds the cues and speakers of quotations (first token, end), given the first words of paragraphs. In English,
    any verb beside a `direct` quotation can report it, unless the cues are fixed."""
    inside = mark_tokens(doc, runs)
    is_english = doc.lang_ in AMERICAN
    reports = {run: _find_report(doc, *run, inside) if is_english else None for run in direct}
    spans = dict(report for report in reports.values() if report is not None)
    usable = {*cues} if is_fixed else {*cues, *spans}
    known = {run: report[0] if report and report[0] in usable else None for run, report in reports.items()}
    # Cues inside quotations belong to nested quotations.
    governing = _find_cues(doc, starts, runs, [cue for cue in sorted(usable) if not inside[cue]], known)
    found = {cue: _find_speaker(doc, cue, inside) or spans.get(cue) for cue in governing if cue is not None}
    speakers = {cue: run for cue, span in found.items() if span is not None and (run := _find_owner(span))}
    return Mentions(sorted(usable), governing, speakers)


def _find_cues(
    doc: Doc, starts: Sequence[int], runs: Sequence[Run], cues: Sequence[int], known: Mapping[Run, int | None]
) -> list[int | None]:
    """Finds the cue of each run (first token, end): the `known` one, else one that governs it, else the nearest in its
    sentence, else the nearest close by in its paragraph. The cue of a direct run, which are those with a known cue or
    None, is in its sentence, or is the cue of the run before."""
    sentences = np.cumsum(doc.to_array([SENT_START]) == 1)
    paragraphs = np.searchsorted(starts, np.arange(len(doc)), side="right")
    governors: list[int | None] = [None] * len(runs)
    if doc.has_annotation("DEP"):
        usable = set(cues)
        governors = [next((token.i for token in _list_above(doc, *run) if token.i in usable), None) for run in runs]

    def rank(cue: int, begin: int, end: int) -> tuple[bool, bool, int] | None:
        """Ranks a cue, the best first; None if it is too far from the run."""
        # A clause that ends in a colon or comma introduces what follows, even in the next paragraph, after a dash.
        before = find_word(doc, begin, -1)
        before = find_word(doc, before, -1) if doc[before].text in DASHES else before
        opening = before if doc[before].text in INTRODUCING else begin
        first, last = (cue, opening) if cue < begin else (end - 1, cue)
        distance = last - first
        if doc[cue].text in DASHES and cue >= end:
            # A signature, perhaps in the next line.
            return (False, True, 0) if find_word(doc, cue, -1) == end - 1 else None
        is_mark, is_elsewhere = not doc[cue].text.isalnum(), bool(sentences[first] != sentences[last])
        crosses_paragraphs = paragraphs[first] != paragraphs[last]
        if is_elsewhere or crosses_paragraphs:
            if is_opening(doc[cue]):
                return None
            if cue in found[-1:] and not crosses_paragraphs and sentences[begin] - sentences[cue] == 1:
                distance = 0
            if crosses_paragraphs or distance > MAX_CUE_DISTANCE:
                return None
        # Prefers the same sentence, then words to marks.
        return is_elsewhere, is_mark, distance

    found: list[int | None] = []
    for governor, run in zip(governors, runs, strict=True):
        at = bisect_left(cues, run[0])
        near = [(place, cue) for cue in cues[max(at - 2, 0) : at + 1] if (place := rank(cue, *run))]
        choices = [governor] if governor is not None else [cue for _, cue in sorted(near)]
        if run in known:
            # A comma precedes its own cue.
            last = found[-1:] if find_last(doc, *run) != "," else ()
            choices = [cue for cue in choices if cue in last or _is_beside(doc, cue, *run)]
        found.append(known.get(run) or next(iter(choices), None))
    return found


def _list_above(doc: Doc, begin: int, end: int) -> Iterator[Token]:
    """Returns the words that govern a quotation, without the marks at its ends, whose heads may be anywhere."""
    words = [i for i in range(begin, end) if doc[i].text[0].isalnum()] or [begin]
    return doc[words[0] : words[-1] + 1].root.ancestors


def _is_beside(doc: Doc, cue: int, begin: int, end: int) -> bool:
    """Returns whether a cue can be in the sentence of a direct quotation, by punctuation and capitals."""
    if cue < begin:
        return not doc[cue].text.isalnum() or doc[begin - 1].text[-1] not in ".?!"
    word, last = doc[end], find_last(doc, begin, end)
    is_name = word.tag_.startswith("NNP") or word.text == "I"
    return not word.text[0].isupper() or last == "," or (last in OPEN and is_name and cue - end <= MAX_GAP)


def find_last(doc: Doc, begin: int, end: int) -> str:
    """Returns the last character of a quotation before its mark."""
    words = (doc[i].text for i in range(end - 1, max(begin, end - 1 - MAX_CLOSING), -1))
    return next((word[-1] for word in words if word not in ALL_MARKS), ".")


def _find_speaker(doc: Doc, cue: int, inside: np.ndarray) -> Span | None:
    """Finds the mention of the speaker: in the tree, the subject or agent of the cue, or the object of "according to";
    otherwise the signature after a dash, or a name at a colon or verb. `inside` says what is quoted (bool)."""
    token = doc[cue]
    is_dash = token.text in DASHES
    if is_dash and inside[find_word(doc, cue, -1)]:
        return find_signature(doc, cue)
    if is_dash or token.text[-1] in ":.":
        return _find_announced(doc, cue, inside) or _find_introduction(doc, cue, inside) or _find_name(doc, cue, inside)
    # `has_annotation` would read the whole document.
    if not token.dep:
        return _find_inverted(doc, cue, inside)
    mention = _find_head(token, inside)
    if mention is None or inside[mention.i]:
        # Then ..., the mayor, Ann Lee, said.
        apposed = _find_name(doc, cue - 1, inside) if cue > 0 and doc[cue - 1].text == "," else None
        return apposed or _find_inverted(doc, cue, inside)
    return _find_mention(doc, mention, cue, inside)


def _find_head(token: Token, inside: np.ndarray) -> Token | None:
    """Finds the head of the mention of a speaker in the tree of a cue; in a wrong tree, it may be quoted itself."""
    doc, cue = token.doc, token.i
    mention = _find_source(token, inside)
    if mention is None:
        # “...,” said X: parsers analyse the quotation as the subject, and X as the object. « ... », a-t-il dit.
        nouns = (child for child in token.children if not inside[child.i])
        nouns = (noun for noun in nouns if noun.tag_.startswith(NOUNS) or (noun.dep_ == "obj" and noun.tag_ in NOMINAL))
        # Not the voice in "replied the other in a low voice".
        nouns = (noun for noun in nouns if all(child.dep_ != "case" for child in noun.lefts))
        nouns = (noun for noun in nouns if noun.lower_ not in WORDS["days"])
        verb = cue - (cue > 0 and doc[cue - 1].tag_ == "AUX")
        is_inverted = inside[max(verb - 2, 0) : verb].any()
        mention = next((child for child in nouns if child.text[0] == "-" or (is_inverted and child.i > cue)), None)
    if mention is None:
        # In coordinations and chains of verbs, the first verb has the subject.
        above = token
        while mention is None and (cut_subtype(above.dep_) in SHARING or inside[above.i]) and above.head.i != above.i:
            # "He heard her say".
            heard = above.head.rights if above.head.lower_ in WORDS["perceiving"] else ()
            above = above.head
            mention = next((word for word in heard if word.dep_ == "obj"), None) or _find_source(above, inside)
    if mention is None and token.dep_.startswith("acl"):
        # "Ann, saying".
        mention = token.head
    if mention is not None and mention.tag_ in RELATIVE:
        # "Ann, who said": the noun that the clause belongs to.
        mention = next((verb.head for verb in (token, *token.ancestors) if verb.dep_ in RELATIVE_CLAUSES), None)
    if mention is not None and mention.text.isupper():
        # In "PARIS - Ann Lee said", parsers take the place for the subject.
        dash = next((word.i for word in doc[mention.i + 1 : cue] if word.text in DASHES), cue)
        mention = next((word for word in doc[dash:cue] if word.dep_ == "appos" and word.nbor(-1).text != "("), mention)
    return mention


def find_signature(doc: Doc, dash: int) -> Span | None:
    """Finds X in "— X" or "— X, editor of the Post" from the dash after a quotation, or below it, to the end of its
    paragraph or line."""
    end = next((token.i for token in doc[dash + 1 : dash + 2 + MAX_LINE] if "\n" in token.text), len(doc))
    line = doc[dash + 1 : min(end, dash + 2 + MAX_LINE)]
    is_sentence = any(token.tag_ in (*FINITE, "VBP", "MD") or is_reporting(token) for token in line)
    if len(line) > MAX_LINE or is_sentence:
        return None
    begin = find_word(doc, dash, 1)
    stop = next((i for i in range(begin, end) if doc[i].text in (",", "(", ";")), end)
    stop = next((i for i in range(stop, begin, -1) if doc[i - 1].text[0].isalnum()), begin)
    is_below = "\n" in doc[dash - 1].text
    is_name = doc[begin].text[0].isupper() and (not is_below or stop - begin > 1)
    return doc[begin:stop] if is_name and begin < stop <= begin + MAX_SIGNATURE else None


def _find_report(doc: Doc, begin: int, end: int, inside: np.ndarray) -> tuple[int, Span] | None:
    """Finds any verb and the speaker right after a direct quotation, by their tags: “...,” laughed the keeper; “...,”
    she laughed. After a full stop, the verb must come first: “We go.” She laughed is another sentence. So is “Look!”
    Ann ran home, unless the verb is known to report."""
    n = len(doc)
    if end >= n or not doc[end].tag_ or inside[end] or not doc[end].text[0].isalpha():
        return None
    is_inverted = doc[end].tag_ in FINITE and doc[end].text.islower()
    first = end + is_inverted
    while first < n and doc[first].tag_ in ("RB", "RP"):
        first += 1
    last = first
    while last < min(n, first + MAX_SIGNATURE) and doc[last].tag_ in NOMINAL:
        last += 1
        if doc[last - 1].tag_ == "PRP":
            break
    if first == last or doc[last - 1].tag_ not in ("NN", "NNS", "NNP", "PRP"):
        return None
    if is_inverted:
        return end, doc[first:last]
    mention = doc[first:last]
    last = next((i for i in range(last, n) if inside[i] or doc[i].tag_ != "RB"), n)
    mark = find_last(doc, begin, end)
    is_verb = last < n and doc[last].tag_ in FINITE and not inside[last] and doc[last].lower_ not in WORDS["perceiving"]
    if mark not in OPEN or not is_verb or says_nothing(doc[last]):
        return None
    after = next((token.text for token in doc[last + 1 :] if token.tag_ not in ("RB", "RP")), ".")
    is_known = mark == "," or can_report(doc[last]) or not after[0].isalnum()
    return (last, mention) if doc[first].text.islower() or (doc[first].tag_ == "NNP" and is_known) else None


def _find_owner(span: Span) -> Run | None:
    """Returns the person in a mention of speech ("Tom" in "Tom's reply"), None if there is none ("the answer");
    otherwise the whole mention."""
    nouns = span.doc.lang_ in AMERICAN and {token.text for token in span} & read_names().speech
    if not nouns:
        return span.start, span.end
    end = max((token.i for token in span if token.tag_ == "POS"), default=span.start + (span[0].tag_ == "PRP$"))
    return (span.start, end) if end > span.start else (span.start, span.end) if "voice" in nouns else None


def says_nothing(verb: Token) -> bool:
    """Returns whether a verb reports silence, as in "she said nothing"."""
    return any(child.lower_ == "nothing" and child.dep_ == "obj" for child in verb.rights)


def is_according(token: Token) -> bool:
    """Returns whether a token is "according", or a preposition that means "according to"."""
    return token.lower_ == ACCORDING or (token.lower_ in PREPOSITIONS and token.dep_ == "case")


def is_opening(token: Token) -> bool:
    """Returns whether a token is the participle in "Asked whether she would run, Hart laughed." """
    return bool(token.is_sent_start) and token.tag_ in ("VBD", "VBN")


def _find_source(token: Token, inside: np.ndarray) -> Token | None:
    if is_according(token):
        if token.dep_ == "case":
            return token.head
        objects = (below for below in token.subtree if below.dep_ in ("pobj", "obl", "nmod") and below.i > token.i)
        return next(objects, None)
    children = [child for child in token.children if not inside[child.i]]
    for child in children:
        if child.dep_ in AGENTS:
            return next((below for below in child.children if below.dep_ == "pobj"), child)
    if any(child.dep_ in ("nsubjpass", "nsubj:pass") for child in children):
        return None
    # Not "it" in "It is, she added, late".
    subjects = (child for child in children if cut_subtype(child.dep_) in SUBJECTS and child.dep_ != "nsubj:outer")
    return next(subjects, None)


def find_phrase(doc: Doc, head: Token, cue: int, inside: np.ndarray) -> Span:
    """Returns the words around the head of a mention with all modifiers, without the cue, quoted words, anything before
    a dash, such as the place of news, and punctuation at its ends. `inside` says what is quoted (bool)."""
    begin, end = head.i, head.i + 1
    while begin > head.left_edge.i and begin - 1 != cue and not inside[begin - 1]:
        if doc[begin - 1].text in DASHES and doc[begin - 2].whitespace_:
            break
        begin -= 1
    while end <= head.right_edge.i and end != cue and not inside[end]:
        end += 1
    while begin < head.i and (not doc[begin].text[0].isalnum() or doc[begin].dep_ in ("case", "fixed")):
        begin += 1
    while end > head.i + 1 and not doc[end - 1].text[-1].isalnum():
        end -= 1
    return doc[begin:end]


def _find_inverted(doc: Doc, cue: int, inside: np.ndarray) -> Span | None:
    """Finds X in "said X" and "le ministre X" in "a déclaré le ministre X", without a tree."""
    begin, last = cue + 1, min(cue + 1 + MAX_SIGNATURE, len(doc))
    last = next((i for i in range(begin, last) if inside[i] or not doc[i].text[0].isalpha()), last)
    end = next((i for i in range(last, begin, -1) if doc[i - 1].text[0].isupper()), begin)
    is_noun = begin < end and (doc[begin].text[0].isupper() or doc[begin].lower_ in WORDS["articles"])
    is_beside = inside[max(cue - MAX_GAP, 0) : cue].any()
    return doc[begin:end] if is_noun and is_beside else None


def _find_mention(doc: Doc, head: Token, cue: int, inside: np.ndarray) -> Span:
    """Returns the words around the head of a mention that identify the speaker: no adverbs, appositions, clauses, or
    prepositions other than "of"."""
    phrase = find_phrase(doc, head, cue, inside)
    begin, end = phrase.start, phrase.end
    while begin < head.i and doc[begin].tag_.startswith(("RB", "CC", "IN", "UH")):
        begin += 1
    last = head.i + 1
    while last < end:
        precedes_noun = last + 1 < end and doc[last + 1].tag_ in NOMINAL
        if doc[last].tag_ in ("NNP", "NNPS", "PROPN", "CD") or doc[last].dep_ in ("flat", "compound"):
            last += 1
        elif doc[last].tag_ == "HYPH" and precedes_noun:
            last += 2
        elif doc[last].tag_ == "POS" or doc[last].lower_ in OF or (doc[last].lower_ == "and" and precedes_noun):
            last += 1
            while last < end and doc[last].tag_ in NOMINAL:
                last += 1
        else:
            break
    return doc[begin : last - (doc[last - 1].lower_ in OF)]


def _find_introduction(doc: Doc, colon: int, inside: np.ndarray) -> Span | None:
    """Finds X in "X leaned in and boomed:", by the verb right before a colon, but not in "X was:" and "X heard:"."""
    near = doc[max(colon - MAX_GAP, 0) : colon]
    verb = next((token for token in reversed(near) if token.tag_ in FINITE), None)
    if verb is None or inside[verb.i] or verb.dep_ == "cop" or verb.lower_ in WORDS["perceiving"]:
        return None
    return _find_speaker(doc, verb.i, inside)


def _find_name(doc: Doc, colon: int, inside: np.ndarray) -> Span | None:
    """Finds the name right before a colon or comma: "no surprise for the mayor, Ann Lee:"; but not "a sign in Main
    Street:"."""
    names = (i for i in range(colon, 0, -1) if inside[i - 1] or not doc[i - 1].tag_.startswith("NNP"))
    begin = next(names, 0)
    return doc[begin:colon] if begin < colon and doc[max(begin - 1, 0)].tag_ not in ("IN", "TO", "DT") else None


def _find_announced(doc: Doc, colon: int, inside: np.ndarray) -> Span | None:
    """Finds X in "From the desk of X:", "And from X:" and "X:" at the start of a paragraph, and "Q."."""
    if doc[colon].text in LETTERS:
        return doc[colon : colon + 1]
    begin = colon
    while begin > 0 and "\n" not in doc[begin - 1].text and colon - begin <= MAX_SIGNATURE:
        begin -= 1
    if inside[begin:colon].any() or colon - begin > MAX_SIGNATURE:
        return None
    for i in range(colon - 1, begin - 1, -1):
        if doc[i].lower_ in ("from", "of", "by"):
            begin = i + 1
            break
    # Excludes a stage direction.
    end = next((i for i in range(begin, colon) if doc[i].text in BRACKETS), colon)
    words, particles = [token.text for token in doc[begin:end]], read_names().particles
    names = all(word[0].isupper() or not word[0].isalpha() or word in particles for word in words)
    return doc[begin:end] if begin < end and names else None
