"""Finds quotations without a trained model: by pairs of marks, dialogue, reporting verbs, and their dependents.

Direct quotations need only marks or dashes. Others need a tree: they are the clause that a reporting verb governs, or
the clause that contains "according to". Marks around a name, a title or a scare-quoted word are not a quotation; marks
in the middle of a sentence, after a word that is not a cue, are one only if they contain a sentence. The lists of verbs
were made for this package.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence, Set

import numpy as np
from spacy.tokens import Doc, Token

from ..annotation.dependency_trees import cut_subtype
from ..annotation.quotations import DIRECT, TRAILING, Run, find_type
from ..annotation.reporting_verbs import BESIDE_MARKS, FINDINGS, OF_FINDINGS, drop_pronoun, is_reporting, read_verbs
from .attribution import (
    ACCORDING,
    COLONS,
    DASHES,
    FINITE,
    NOMINAL,
    PREPOSITIONS,
    SUBJECTS,
    find_signature,
    is_according,
    is_opening,
    mark_tokens,
    says_nothing,
)
from .dialogue import find_dialogue, find_spoken, find_word, trim
from .marks import ALL_MARKS, AMERICAN, COMMAS, ENDS, STOPS, Marking, Texts
from .names import are_capitalised, is_person_noun
from .plays import find_lines
from .words import WORDS

# The labels of reported clauses, in UD and other trees.
CLAUSES = frozenset(("ccomp", "parataxis"))
# Other labels, with the word that must introduce the clause: infinitives, and adverbials in "said Monday that".
INTRODUCED = {"xcomp": "to", "advcl": "that"}
# The maximum number of words on each side of the verb in ", he said Monday,". A time or a place may follow, or, after
# some verbs, the person addressed.
MAX_INSERTION = 20
# The maximum length of the place before a report, in tokens.
MAX_PLACE = 8
TIME_WORDS = WORDS["days"] | {"in", "on"}
TELLING = frozenset(("told", "tell", "tells"))
# The relations of two objects of verbs such as "call".
OBJECTS = frozenset(("obj", "xcomp"))
ADDRESSEES = frozenset(("obj", "iobj"))
# After a verb, these words begin what somebody does, even if parsers take it for a reported clause.
NARRATING = ("and", "as", "but")
MIN_WORDS = 4
# Of the words of a sentence, at least one has one of these tags, unlike in titles; without tags, any word may.
VERBAL = FINITE | {"VB", "VBP", "MD", "VERB", "AUX", ""}
# The maximum distance of marks from a verb that reports only beside marks, and from the next part of a quotation.
BESIDE, MAX_NARRATION = 5, 50
# Before marks, these verbs introduce a name: they call it “the house.”
NAMING = frozenset(("call", "calls", "called", "calling"))
# Verbs that report together with the next word, before punctuation: as Ann put it, she was like, “...”
PHRASES = {"put": "it", "puts": "it", **dict.fromkeys(("is", "was", "were", "’s", "'s"), "like")}
SOFT_STOPS = frozenset((".", ",", ""))
WITHOUT_SPACES = re.compile(r"[\u3001-\u9fff]")
# The particles after a Japanese quotation, but not というX, "an X called".
QUOTATIVE = re.compile(r"(と|って)(?!いう)")
TRIMMED = frozenset((*TRAILING, ";", "-", "–", "—"))


def find_rule_cues(doc: Doc, marking: Marking) -> list[int]:
    """Finds tokens that can signal a quotation: reporting verbs, "according to", and colons and dashes at marks."""
    opening, closing = {a for a, _ in marking.pairs}, {b for _, b in marking.pairs}
    cues = {line.cue for line in find_lines(doc, marking.starts)}
    kinds = ("", BESIDE_MARKS, OF_FINDINGS)
    known = COLONS.union(DASHES, PREPOSITIONS, {ACCORDING, *PHRASES}, *(read_verbs(doc.lang_, kind) for kind in kinds))
    for i in np.flatnonzero(Texts(doc).find(lambda text: drop_pronoun(text.lower()) in known)).tolist():
        token = doc[i]
        if (
            (is_reporting(token) and not says_nothing(token))
            or (is_reporting(token, OF_FINDINGS) and _has_finding(token))
            or (is_reporting(token, BESIDE_MARKS) and _is_beside(doc, i, opening, closing))
            or is_according(token)
            or (PHRASES.get(token.lower_) == doc[i + 1 : i + 2].text and not doc[i + 2 : i + 3].text.isalnum())
            or (token.text in COLONS and find_word(doc, i, 1) in opening)
            or (token.text in DASHES and find_word(doc, i, -1) in closing and find_signature(doc, i))
        ):
            cues.add(i)
    return sorted(cues)


def _has_finding(token: Token) -> bool:
    """Returns whether the subject of a verb is a poll, a study or the like."""
    subjects = (child.lower_ for child in token.lefts if cut_subtype(child.dep_) in SUBJECTS)
    return not read_verbs(token.lang_, FINDINGS).isdisjoint(subjects)


def _is_beside(doc: Doc, i: int, opening: Set[int], closing: Set[int]) -> bool:
    """Returns whether a token is right before a pair of marks, or soon after one, in the same clause."""
    for k in range(i - 1, max(i - 1 - BESIDE, -1), -1):
        if k in closing:
            return True
        if doc[k].text in STOPS or "\n" in doc[k].text:
            break
    return any(k in opening for k in (i + 1, i + 2))


def find_rule_quotations(doc: Doc, marking: Marking, cues: Sequence[int]) -> dict[Run, str]:
    """Finds quotations (first token, end) with their types: direct ones, and, with trees, others."""
    known = frozenset(cues)
    direct = {line.speech for line in find_lines(doc, marking.starts)}
    direct.update(find_dialogue(doc, marking.starts, known, marking.style.dashes))
    taken, quoted = mark_tokens(doc, direct), mark_tokens(doc, ((first, last + 1) for first, last in marking.pairs))
    previous = -MAX_NARRATION
    for first, last in marking.pairs:
        may_continue = first - previous < MAX_NARRATION
        if not taken[first : last + 1].any() and _is_speech(doc, first, last, known, may_continue):
            parts = _find_parts(doc, first, last, known)
            direct.update(parts)
            for begin, end in parts:
                taken[begin:end] = True
            previous = last
    others: list[Run] = []
    # Said that it was late, adding that ...; and ..., according to Ann.
    after_commas = (token for token in doc[1:] if doc[token.i - 1].text in COMMAS)
    reports = [t.i for t in after_commas if t.lower_ == ACCORDING or (t.tag_ == "VBG" and is_reporting(t))]
    # Sentences with "according to" first: they contain other clauses.
    for cue in sorted(cues, key=lambda i: not is_according(doc[i])) if doc.has_annotation("DEP") else ():
        clauses = [] if taken[cue] or quoted[cue] else _find_reported(doc, cue, marking.pairs, reports)
        for clause in clauses:
            run, parts = _include_marks(doc, clause, marking.pairs)
            begin, end = run
            n_within = sum(last - first for first, last in parts if taken[first])
            # One word must be part of a longer quotation: Engineers, he said, had known it.
            is_word = end - begin == 1 and (len(clauses) == 1 or doc[begin].tag_ == "CC")
            # As in “We go” she said “But you stay.”
            are_several = len(parts) > 1 and begin == parts[0][0] and end == parts[-1][1]
            if begin < end and not (is_word or are_several) and taken[begin:end].sum() == n_within:
                direct.difference_update(parts)
                taken[begin:end] = True
                others.append(run)
    return dict.fromkeys(direct, DIRECT) | {run: find_type(doc, *run, marking.style.marks) for run in others}


def _find_parts(doc: Doc, opening: int, closing: int, cues: Set[int]) -> list[Run]:
    """Finds the spoken parts between marks, which may contain narration in French: « Partons, dit Anna, il pleut. »"""
    is_told = any(i in cues for i in _find_words_after(doc, closing))
    if doc.lang_ != "fr" or is_told:
        return [(opening, closing + 1)]
    return find_spoken(doc, opening, closing, cues, has_end=True)


def _is_speech(doc: Doc, opening: int, closing: int, cues: Set[int], may_continue: bool) -> bool:
    """Returns whether a pair of marks is a quotation: it contains a finished sentence, as in “We go.”, or several
    words, which may need a cue beside it. `may_continue` says whether it can continue a quotation."""
    inner = [token for token in doc[opening : closing + 1] if not token.text.isspace() and token.text not in ALL_MARKS]
    words = [token for token in inner if token.text[0].isalnum()]
    if not words:
        return False
    is_capitalised = are_capitalised(token.text for token in words)
    # The novel “War And Peace”
    is_title = is_capitalised and len(words) > 1
    before, after = (opening - 2, opening - 1), (closing + 1, closing + 2, *_find_words_after(doc, closing))
    has_cue_before, has_cue_after = (not cues.isdisjoint(near) for near in (before, after))
    is_reported = _is_reported(doc, opening, closing, cues)
    last = inner[-1].text.rstrip("".join(ALL_MARKS))[-1:]
    is_finished = last in ENDS or is_reported
    is_long = len(words) >= MIN_WORDS and not WITHOUT_SPACES.match(words[0].text)
    is_announced = opening - 1 in cues and doc[opening - 1].lower_ not in NAMING
    if opening > 0 and doc[opening - 1].text[-1].isalnum() and not is_announced:
        # Within a sentence, a quotation must be a sentence, too: She told them “We are here to stay.”
        may_start = not words[0].text[0].islower()
        is_sentence = doc.lang_ not in AMERICAN or any(token.tag_ in VERBAL for token in words)
        return is_finished and may_start and not is_title and (is_sentence or has_cue_after)
    has_comma = doc[closing + 1 : closing + 2].text in COMMAS
    is_likely = is_long or (len(words) > 1 and (has_cue_before or has_cue_after or has_comma))
    # Words between commas, as in: It was, in a way, “tall,” and green.
    is_part = (words[0].text[0].islower() and last in SOFT_STOPS) or (is_capitalised and last in COMMAS)
    has_cue = may_continue or has_cue_after or has_cue_before
    is_within = opening > 0 and doc[opening - 1].text in COMMAS
    return (has_cue or not is_part or not is_within) and (is_finished or (is_likely and not is_title))


def _is_reported(doc: Doc, opening: int, closing: int, cues: Set[int]) -> bool:
    """Returns whether a verb or a particle next to the marks reports their content. It need not end in a stop: all
    languages but American English set commas after the mark."""
    if QUOTATIVE.match(doc[closing + 1 : closing + 4].text):
        return True
    words = _find_words_after(doc, closing)
    # As in « Oui », a dit Ana.
    is_after = any(i in cues and (i == words[0] or doc[words[0]].tag_ == "AUX") for i in words)
    # As in Ana disse: «...», where the colon is a cue, too.
    is_before = cues >= {opening - 2, opening - 1}
    # As in Ana said: «...».
    is_sentence = doc[opening - 1].text in COLONS and doc[closing : closing + 2].text[-1] in STOPS
    return doc.lang_ not in AMERICAN and (is_after or is_before or (opening > 0 and is_sentence))


def _find_words_after(doc: Doc, i: int) -> list[int]:
    """Returns the next two words after a token and at most two marks, as in “...”, — he said."""
    first = next((k for k in range(i + 1, min(i + 4, len(doc))) if doc[k].text[0].isalnum()), None)
    return [] if first is None else [first, first + 1]


def _find_relative(cue: Token) -> list[Token]:
    """Finds the clause in "said in an email that" and "told reporters that", which parsers take for a relative one."""
    nouns = (
        noun
        for noun in cue.rights
        if noun.dep_ == "obl" or (noun.dep_ in ADDRESSEES and is_person_noun(noun.lower_.removesuffix("s")))
    )
    below = (child for noun in nouns for child in noun.rights)
    clauses = (child for child in below if child.dep_ in ("acl", "acl:relcl") and child.left_edge.lower_ == "that")
    return [clause for clause in clauses if any(c.dep_.startswith(SUBJECTS) for c in list(clause.lefts)[1:])]


def _find_reported(doc: Doc, cue: int, pairs: Sequence[Run], others: Sequence[int]) -> list[Run]:
    """Finds what a cue reports, without marks at its ends: clauses, the words around ", he said,", or an object with
    marks: "called it “a loss”". It ends before `others`, the tokens that begin another report."""
    token = doc[cue]
    if is_according(token):
        # The parts of the sentence before "according to X", and after it if the main verb is there.
        source = token.head if token.dep_ == "case" else token
        begin, end = min(source.left_edge.i, cue), max(source.right_edge.i, cue) + 1
        found = [(token.sent.start, begin)]
        if token.sent.root.i >= end:
            found.append((end, token.sent.end))
    else:
        clauses = [child for child in token.children if _is_reported_clause(child)] or _find_relative(token)
        found = [(child.left_edge.i, child.right_edge.i + 1) for child in clauses]
        insertion = _find_insertion(token)
        if insertion:
            found = [(token.sent.start, insertion[0]), (insertion[1], token.sent.end)]
        # ..., but that ...
        more = [child for child in token.rights if child.dep_ == "conj" and _is_introduced_by(child, "that")]
        if found and more:
            found[-1] = (found[-1][0], max(found[-1][1], more[-1].right_edge.i + 1))
        objects = [child for child in token.rights if child.dep_ in OBJECTS]
        if not found and objects:
            begin, end = objects[0].left_edge.i, objects[-1].right_edge.i + 1
            at = bisect_left(pairs, (begin, 0))
            found = [(begin, end)] if at < len(pairs) and begin < pairs[at][0] < end else []
    runs = []
    for begin, end in found:
        # Excludes the side of the cue, and marks at the ends.
        if begin <= cue < end:
            begin, end = (begin, cue) if doc[begin:end].root.i < cue else (cue + 1, end)
        dash = next((i for i in range(begin, min(begin + MAX_PLACE, end)) if doc[i].text in DASHES), begin)
        if len(doc[begin]) > 1 and doc[begin].text.isupper():
            # LONDON (AP) — It rained, Ann said.
            begin = dash
        is_day = begin == cue + 1 < end - 1 and doc[begin].lower_ in WORDS["days"]
        if is_day and not doc[begin + 1].tag_.startswith(("V", "MD", "POS")):
            # Said Monday the bridge was closed.
            begin += 1
        if cue < begin and is_opening(token):
            end = next((i for i in range(begin, end) if doc[i].text in COMMAS), end)
        at = bisect_left(others, begin + 2)
        end = min([end, *others[at : at + 1]])
        runs.append(trim(doc, begin, end, TRIMMED, TRIMMED))
    return runs


def _find_insertion(cue: Token) -> Run | None:
    """Finds a cue with its subject between commas, or between a comma and the end of a sentence: "It rains, he said."
    Parsers attach such words in many ways, so this looks at tags alone. In speech after a dash, they are narration."""
    doc, sentence = cue.doc, cue.sent
    first, last = max(sentence.start, cue.i - MAX_INSERTION), min(cue.i + MAX_INSERTION, sentence.end)
    commas = [i for i in range(first, cue.i) if doc[i].text in COMMAS]
    # The subject may have an apposition: Ann, the mayor, said.
    n_commas = 3 if cue.i - 1 in commas else 1
    begin = commas[-n_commas] + 1 if len(commas) >= n_commas else cue.i
    end = next((i for i in range(cue.i + 1, last) if doc[i].text in STOPS), last)
    # Mr. Obama often says.
    before = [token for token in doc[begin : cue.i] if token.tag_ != "RB"]
    after = doc[cue.i + 1 : end]
    is_subject = all(token.tag_ in NOMINAL or token.lower_ == "of" or token.text in COMMAS for token in before)
    is_told = cue.lower_ in TELLING and not any(token.tag_ in (*FINITE, "MD") for token in after)
    is_alone = len(after) == 0 or after[0].lower_ in TIME_WORDS or is_told
    beside = doc[max(begin - 2, 0) : min(end + 2, sentence.end)]
    is_speech = sentence[0].text in DASHES or any(token.text in ALL_MARKS for token in beside)
    is_cue = len(before) > 0 and before[0].lower_ != "you" and is_subject and is_alone and not is_speech
    return (begin, end) if is_cue else None


def _is_reported_clause(clause: Token) -> bool:
    """Returns whether the verb before or after a clause can report it."""
    relation, is_after = cut_subtype(clause.dep_), clause.i > clause.head.i
    if is_after and relation in INTRODUCED:
        return _is_introduced_by(clause, INTRODUCED[relation])
    if relation not in CLAUSES or (is_after and relation == "parataxis"):
        return False
    # Only after a verb, since a subtree costs the depth of each token.
    if is_after and next((t.lower_ for t in clause.subtree if t.text[0].isalnum()), "") in NARRATING:
        return False
    head = clause.head
    if is_after and head.text.islower() and head.i > 0 and head.nbor(-1).text in ALL_MARKS:
        # After "“...,” said", parsers may take the speaker for a clause.
        return _is_introduced_by(clause, "that")
    # Excludes "turning round" in "...," she said, turning round; and "said when asked".
    is_participle = clause.tag_ == "VBG" or (clause.tag_ == "VBN" and clause.left_edge.tag_ == "WRB")
    return not (is_after and is_participle) or any(child.dep_.startswith(SUBJECTS) for child in clause.lefts)


def _is_introduced_by(clause: Token, word: str) -> bool:
    return any(child.lower_ == word for child in clause.lefts)


def _include_marks(doc: Doc, clause: Run, pairs: Sequence[Run]) -> tuple[Run, list[Run]]:
    """Extends a clause over quoted words that it contains or runs into, as in "that it was “a loss for all,”"; returns
    it, and the runs of these words with their marks."""
    begin, end = clause
    parts = []
    for at in range(max(bisect_right(pairs, (begin, 0)) - 1, 0), len(pairs)):
        first, last = pairs[at]
        if first > end:
            break
        continues_into = begin < first and doc[first - 1].text[-1:].isalnum()
        continues_after = last + 1 < end and doc[last + 1].text[:1].isalnum() and doc[last - 1].text[-1:].isalnum()
        if last >= begin and (continues_into or continues_after):
            begin, end = min(begin, first), max(end, last + 1)
            parts.append((first, last + 1))
    return (begin, end), parts
