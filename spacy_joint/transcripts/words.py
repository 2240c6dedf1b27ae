"""The words of a document for writers of transcripts: with restored marks and capitals, speakers, times, and the cost
of ending a line before them.

A line end cuts the arcs of the tree between the words on both sides. It costs the sum of their weights, so lines end
between clauses and phrases rather than within them, and a sentence end costs nothing.
"""

import re
import warnings
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from spacy.tokens import Doc, Token

from ..annotation.extensions import read_values
from ..annotation.restored import read_restored
from ..annotation.speech import ATTRIBUTES, CUE, LINE_START, TIME_IS_ESTIMATED, TURN_START, register_extensions
from ..errors import JointWarning, Warnings
from .transcript import DECIMALS, SPEED, Cue, is_sound, spread

register_extensions()

# A mark at the end of a sentence, and the maximum of words per such mark in punctuated text.
FINAL_MARK = re.compile(r"[\w)\]][.?!…]+[\"'”’)\]]*(?=\s|$)")
MAX_WORDS = 100
# Words with these signs, words of marks alone, and columns are frequent in code, tables, addresses and lists: the
# maximum share of such words in prose, and the minimum length, in characters, of the longest of several lines.
SYMBOL = re.compile(r"[\\/|_=<>{}()\[\]@#^~*+\"“”`;]|^-|^[^\w%&]+$|:$")
GAP = re.compile(r"\s{3}|\t")
MAX_SYMBOLS, LONG_LINE = 0.1, 23
# The cost of line ends that only a limit can force: after a determiner or preposition, and within a name.
FORBIDDEN = 1000
# The cost of cutting an arc, by its label, with or without its subtype. Dependents before their heads:
BEFORE = {
    **dict.fromkeys(("det", "case", "goeswith"), FORBIDDEN),
    **{"nmod:poss": 400, "compound": 300, "nummod": 300, "amod": 100, "aux": 150, "cop": 100, "mark": 80, "cc": 80},
    **{"advmod": 40, "nsubj": 30, "expl": 100, "discourse": 5, "vocative": 5, "punct": 0},
}
# Dependents after their heads:
AFTER = {
    **dict.fromkeys(("flat", "fixed", "goeswith"), FORBIDDEN),
    **{"compound": 300, "nummod": 200, "obj": 30, "iobj": 60, "xcomp": 50, "ccomp": 15, "nmod": 25, "obl": 20},
    **{"advmod": 40, "acl": 12, "advcl": 8, "conj": 10, "appos": 10, "parataxis": 4, "discourse": 5, "punct": 0},
}
OTHER = 30
# Pronouns stay with their verbs.
PRONOUNS = {"nsubj": 150, "obj": 150, "expl": 150}


class Word(NamedTuple):
    """A word with the marks that are attached to it."""

    text: str  # restored if it has been
    start: int  # its first token
    end: int  # the token after it
    speaker: str | None  # in one line
    start_time: float | None  # in seconds, as the end
    end_time: float | None
    is_estimated: bool  # the start time is estimated by the number of characters
    begins_turn: bool
    begins_sentence: bool
    begins_paragraph: bool
    is_sound: bool  # its sentence is not speech, such as `[APPLAUSE]`
    cost: int  # of ending a line before it
    cue: Cue | None  # the cue of captions that begins with it
    begins_line: bool  # of the text, or of a cue other than the first
    space: str  # the white space before it, in its line: at the beginning of one, its indentation


def list_words(doc: Doc) -> list[Word]:
    """Lists the words of a document: the tokens between white space, joined."""
    tokens = list(doc)
    texts = read_restored(tokens)
    costs = find_costs(doc)
    attributes = (*ATTRIBUTES, TIME_IS_ESTIMATED, TURN_START, CUE, LINE_START)
    speakers, starts, ends, estimated, turns, cues, lines = (read_values(tokens, name) for name in attributes)
    speakers = [speaker and " ".join(speaker.split()) for speaker in speakers]
    sounds = find_sounds(doc)
    is_divided = doc.has_annotation("SENT_START")
    words: list[Word] = []
    whole, first, end = doc.text, 0, 0
    begins_turn, begins_sentence, begins_paragraph, begins_line = True, True, True, False
    cue: list[object] | None = None
    for token in tokens:
        index = token.i
        begins_turn |= bool(turns[index])
        begins_sentence |= is_divided and bool(token.is_sent_start)
        begins_line |= bool(lines[index])
        cue = cues[index] or cue
        if token.is_space:
            begins_line |= "\n" in token.text
            begins_paragraph |= token.text.count("\n") > 1
            first = index + 1
            continue
        if not (token.whitespace_ or index + 1 == len(tokens) or tokens[index + 1].is_space):
            continue
        text = "".join(texts[first : index + 1])
        if text:
            known = range(first, index + 1)
            _, line_end, space = whole[end : tokens[first].idx].rpartition("\n")
            end = token.idx + len(token)
            words.append(
                Word(
                    text,
                    first,
                    index + 1,
                    speakers[first],
                    min((starts[i] for i in known if starts[i] is not None), default=None),
                    max((ends[i] for i in known if ends[i] is not None), default=None),
                    bool(estimated[first]),
                    begins_turn or speakers[first] != words[-1].speaker,
                    begins_sentence,
                    begins_paragraph,
                    bool(sounds[first]),
                    int(costs[first]),
                    None if cue is None else Cue(*cue),
                    begins_line,
                    "" if begins_line and not line_end else space,
                )
            )
            begins_turn = begins_sentence = begins_paragraph = begins_line = False
            cue = None
        first = index + 1
    return words


def has_marks(words: Sequence[Word]) -> bool:
    """Returns whether marks end sentences: at least one per hundred words."""
    ends = [word for word, after in pairwise(words) if after.begins_sentence] + list(words[-1:])
    return MAX_WORDS * sum(FINAL_MARK.search(word.text) is not None for word in ends) >= len(words)


def find_prose(paragraphs: Sequence[Sequence[Word]], are_marked: bool) -> list[bool]:
    """Finds which paragraphs are prose or speech, rather than code, tables, addresses or lists. In text without marks
    that is not prose as a whole, none are."""
    is_any = are_marked or _is_prose([word for paragraph in paragraphs for word in paragraph])
    return [is_any and _is_prose(paragraph) for paragraph in paragraphs]


def _is_prose(words: Sequence[Word]) -> bool:
    lines = split_words(words, [word.begins_line for word in words])
    is_short = len(lines) > 2 and all(line_length(line) < LONG_LINE for line in lines)
    # Most sentences of speech begin within lines, however short, and items with them.
    with_lines = [word.begins_line for word in words[1:] if word.begins_sentence]
    is_list = is_short and 2 * sum(with_lines) >= len(with_lines)
    n_symbols = sum(
        bool(SYMBOL.search(word.text) or (GAP.search(word.space) and not word.begins_line)) for word in words
    )
    return not is_list and (n_symbols < 2 or n_symbols <= MAX_SYMBOLS * len(words))


def line_length(line: Sequence[Word]) -> int:
    """Returns the length of a line in characters, with a space after each word."""
    return sum(len(word.text) + 1 for word in line)


def split_words(words: Sequence[Word], begins: Sequence[bool]) -> list[list[Word]]:
    """Divides words into parts, given which of them begin one."""
    parts: list[list[Word]] = []
    for word, is_first in zip(words, begins, strict=True):
        if is_first or not parts:
            parts.append([])
        parts[-1].append(word)
    return parts


def find_costs(doc: Doc) -> np.ndarray:
    """Finds the cost of ending a line before each token (int): the sum of the weights of the arcs that it cuts."""
    changes = np.zeros(len(doc) + 1, dtype=np.int64)
    for token in doc:
        head, label = token.head, token.dep_
        if head.i != token.i and label:
            weight = _weigh(token, head, label)
            changes[min(token.i, head.i) + 1] += weight
            changes[max(token.i, head.i) + 1] -= weight
    for entity in doc.ents:
        changes[entity.start + 1] += FORBIDDEN
        changes[entity.end] -= FORBIDDEN
    return np.cumsum(changes[:-1])


def _weigh(token: Token, head: Token, label: str) -> int:
    is_before = token.i < head.i
    base = label.partition(":")[0]
    if base in PRONOUNS and token.tag_.startswith(("PRP", "EX")):
        return PRONOUNS[base]
    if base == "compound" and is_name(token) and is_name(head):
        return FORBIDDEN
    weights = BEFORE if is_before else AFTER
    return weights.get(label, weights.get(base, OTHER))


def is_name(token: Token) -> bool:
    """Returns whether a token is a proper noun."""
    return token.pos_ == "PROPN" or token.tag_.startswith("NNP")


def find_sounds(doc: Doc) -> np.ndarray:
    """Finds whether the sentence of each token is not speech (bool)."""
    sounds = np.zeros(len(doc), dtype=bool)
    for sentence in doc.sents if doc.has_annotation("SENT_START") else ():
        sounds[sentence.start : sentence.end] = is_sound(sentence.text)
    return sounds


def fill_times(words: Sequence[Word]) -> list[Word]:
    """Estimates the times of words without any from their neighbours', by their numbers of characters. At least one
    word has times."""
    filled = list(words)
    timed = [index for index, word in enumerate(words) if word.start_time is not None and word.end_time is not None]
    for before, after in pairwise([-1, *timed, len(words)]):
        texts = [word.text for word in words[before + 1 : after]]
        begin = (words[timed[0]].start_time if before < 0 else words[before].end_time) or 0.0
        last = begin + sum(map(len, texts)) / SPEED if after == len(words) else words[after].start_time or 0.0
        for index, times in enumerate(spread(texts, begin, max(begin, last)), start=before + 1):
            start, end = (round(time, DECIMALS) for time in times)
            filled[index] = words[index]._replace(start_time=start, end_time=end, is_estimated=True)
    return filled


def warn_of_estimates(estimated: Sequence[bool], what: str) -> None:
    """Warns of the parts of the output whose times are estimated, if there are any (JW49)."""
    if any(estimated):
        warnings.warn(JointWarning(Warnings.JW49, n=sum(estimated), total=len(estimated), what=what), stacklevel=4)
