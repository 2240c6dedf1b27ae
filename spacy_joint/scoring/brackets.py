"""Labelled brackets: the compared part of constituents, and the counting of matches.

Definitions follow EVALB (Sekine & Collins 1997) and disco-dop's `eval` (van Cranenburgh, Scha & Bod 2016), which agree
on continuous trees. Words that parameters delete, according to the reference, are removed from both sides, so that only
gaps between other words make a constituent discontinuous. Brackets are multisets: X over X over the same words are two.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from spacy.scorer import PRFScore

from ..errors import Errors, JointValueError
from ..files.reading import read_text
from ..trees.constituency_trees import Block, escape
from .counts import count, divide, report

FILES = {file.stem.removeprefix("parameters_"): file for file in Path(__file__).parent.glob("parameters_*.txt")}
# Settings of EVALB and disco-dop that control printing, or that are fixed here.
IGNORED = ("DEBUG", "MAX_ERROR", "CUTOFF_LEN", "LABELED", "DISC_ONLY", "LA", "TED", "DEP", "DELETE_LABEL_FOR_LENGTH")

Bracket = tuple[str, tuple[Block, ...]]
"""The label, and the blocks, in positions among the words or characters that count."""


class Parameters(NamedTuple):
    """Labels and words that do not count, and labels that are equal.

    delete_labels: Constituents with these labels do not count; words with these tags are removed.
    delete_words: Words that are removed, as in bracket notation: `-LRB-` is not `(`.
    """

    delete_labels: frozenset[str]
    delete_words: frozenset[str]
    equal_labels: dict[str, str]

    def keeps(self, tag: str, word: str) -> bool:
        """Return whether a word counts."""
        return tag not in self.delete_labels and escape(word) not in self.delete_words


@cache
def load_parameters(name: str | Path) -> Parameters:
    """Load the parameters "proper" (for discontinuous trees), "evalb" (for the Penn Treebank), or of a file in EVALB's
    format (J040, J142)."""
    file = FILES.get(str(name), Path(name))
    if not file.is_file():
        allowed = ", ".join((*sorted(FILES), "a file in EVALB's format"))
        raise JointValueError(Errors.J040, name="scoring parameters", value=str(name), allowed=allowed)
    deleted: dict[str, set[str]] = {"DELETE_LABEL": set(), "DELETE_WORD": set()}
    equal: dict[str, str] = {}
    for number, line in enumerate(read_text(file).splitlines(), start=1):
        key, *values = [""] if line.startswith("#") else line.split() or [""]
        if key in deleted and len(values) == 1:
            deleted[key].add(values[0])
        elif key == "EQ_LABEL" and len(values) == 2:
            # The second label, and labels equal to it, get the replacement of the first.
            kept, replaced = (equal.get(value, value) for value in values)
            equal = {label: kept if other == replaced else other for label, other in equal.items()}
            equal |= {values[0]: kept, values[1]: kept}
        elif key and key not in (*IGNORED, "EQ_WORD"):
            expected = "`DELETE_LABEL X`, `DELETE_WORD X` or `EQ_LABEL X Y`"
            raise JointValueError(Errors.J142, file=file, line=number, found=line[:80], expected=expected)
    return Parameters(frozenset(deleted["DELETE_LABEL"]), frozenset(deleted["DELETE_WORD"]), equal)


def count_brackets(
    constituents: Iterable[tuple[str, Sequence[Block]]], kept: np.ndarray | Sequence[int], parameters: Parameters
) -> Counter[Bracket]:
    """Count the brackets of constituents, given the number of positions that count before each one, and in total."""
    counted: Counter[Bracket] = Counter()
    for label, blocks in constituents:
        label = parameters.equal_labels.get(label, label)
        reduced: list[Block] = []
        for start, end in blocks:
            first, last = int(kept[start]), int(kept[end])
            if reduced and first == reduced[-1][1]:
                reduced[-1] = (reduced[-1][0], last)
            elif first < last:
                reduced.append((first, last))
        if reduced and label not in parameters.delete_labels:
            counted[label, tuple(reduced)] += 1
    return counted


class BracketScores:
    """Counts of brackets over sentences."""

    def __init__(self) -> None:
        self.all, self.discontinuous = PRFScore(), PRFScore()
        self.by_label: dict[str, PRFScore] = {}
        self.sentences = self.exact = 0
        self.discontinuous_sentences = self.discontinuous_exact = 0

    def add(self, found: Counter[Bracket], expected: Counter[Bracket]) -> None:
        """Add a sentence."""
        self.sentences += 1
        self.exact += found == expected
        sides = found & expected, found, expected
        _count(self.all, sides)
        for label in {label for label, _ in found | expected}:
            score = self.by_label.setdefault(label, PRFScore())
            _count(score, [{bracket: n for bracket, n in side.items() if bracket[0] == label} for side in sides])
        split = [{bracket: n for bracket, n in side.items() if len(bracket[1]) > 1} for side in sides]
        if any(split):
            self.discontinuous_sentences += 1
            self.discontinuous_exact += split[1] == split[2]
            _count(self.discontinuous, split)

    def to_dict(self, name: str) -> dict[str, Any]:
        """Return all scores, between 0 and 1, with the prefix `name`; None where there is nothing to score."""
        return {
            **report(name, self.all),
            f"{name}_exact": divide(self.exact, self.sentences),
            **report(f"{name}_disc", self.discontinuous),
            f"{name}_disc_exact": divide(self.discontinuous_exact, self.discontinuous_sentences),
            f"{name}_per_type": {label: score.to_dict() for label, score in sorted(self.by_label.items())},
        }


def _count(score: PRFScore, sides: Sequence[Mapping[Bracket, int]]) -> None:
    """Count brackets: those on both sides, those found, and those expected."""
    count(score, *(sum(side.values()) for side in sides))
