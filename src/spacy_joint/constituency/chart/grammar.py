"""Probabilistic context-free grammars in binary form, and a text format for them.

Symbols are labels with annotation: `NP^S` is an NP below an S, `@NP|JJ` is what binarisation makes of the children of
an NP from a JJ on, and `NP-0` and `NP-1` are subsymbols of NP (see splitting.py). Probabilities are those of rules
given the symbol on their left, and of words given their tag.

The text has sections, each with the number of its lines, which are in any order within a section:

    pcfg 1
    root ROOT
    binary 1
    S -> NP VP 0.5
    unary 1
    ROOT -> S 1.0
    words 2
    she NP 0.25
    sleeps VP 0.5
    rare 1
    sleeps
    classes 1
    lower:s 3 VP 0.5 NP 0.125
    end

A rare word is also emitted by its class (see lexicon.py), whose line has the number of words that share it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, NoReturn, TypeVar

from ...errors import Errors, JointValueError
from ..transform import TEMPORARY
from .lexicon import Lexicon, WordClass

VERSION = "1"
# Sums of probabilities may exceed 1 by rounding.
TOLERANCE = 1e-6
# The most digits of a number of lines or words.
DIGITS = 9
_Parsed = TypeVar("_Parsed")
ANNOTATION = re.compile(r"(?<=.)(?:[|^].*|-[0-9]+\Z)", re.DOTALL)
SUBSYMBOL = re.compile(r"(?<=.)-[0-9]+\Z", re.DOTALL)


class Rule(NamedTuple):
    """A rule, with one or two children.

    probability: Given the parent, above 0 and at most 1.
    """

    parent: str
    children: tuple[str, ...]
    probability: float


def is_factored(symbol: str) -> bool:
    """Whether binarisation made the symbol, so that it is no constituent."""
    return symbol.startswith(TEMPORARY)


def strip_annotation(symbol: str) -> str:
    """The label of a symbol: NP of `NP^S` and `NP-0`, and @NP of `@NP|JJ`."""
    return ANNOTATION.sub("", symbol)


def name_subsymbol(symbol: str, number: int) -> str:
    """The name of a subsymbol."""
    return f"{symbol}-{number}"


def join_subsymbols(symbol: str) -> str:
    """The symbol that was split, if this is a subsymbol: `NP^S` of `NP^S-0`; otherwise the symbol itself."""
    return SUBSYMBOL.sub("", symbol)


class Grammar:
    """A grammar. Constant.

    root (str): The symbol of whole trees.
    rules (Sequence[Rule]): Binary and unary rules. Unary rules may be cyclic.
    lexicon (Lexicon): The words of tags.
    RAISES ValueError: If a probability is not in (0, 1] (J667), a rule is given twice (J670), a symbol has neither
        rules nor words (J669), there is no rule for the root (J671), or the probabilities of a symbol exceed 1 (J674).
    """

    def __init__(self, root: str, rules: Sequence[Rule], lexicon: Lexicon) -> None:
        self.root, self.lexicon = root, lexicon
        self.rules = tuple(sorted(rules))
        totals: dict[str, float] = dict(lexicon.totals())
        seen: set[tuple[str, tuple[str, ...]]] = set()
        parents = set()
        for rule in self.rules:
            named = f"{rule.parent} -> {' '.join(rule.children)}"
            if not 0 < rule.probability <= 1:
                raise JointValueError(Errors.J667, rule=named, found=rule.probability)
            if rule[:2] in seen:
                raise JointValueError(Errors.J670, rule=named)
            seen.add(rule[:2])
            parents.add(rule.parent)
            totals[rule.parent] = totals.get(rule.parent, 0.0) + rule.probability
        for rule in self.rules:
            for child in rule.children:
                if child not in totals:
                    raise JointValueError(Errors.J669, symbol=child, rule=f"{rule.parent} -> {' '.join(rule.children)}")
        if root not in parents:
            raise JointValueError(Errors.J671, root=root)
        for symbol, total in totals.items():
            if total > 1 + TOLERANCE:
                raise JointValueError(Errors.J674, symbol=symbol, total=total)
        self.symbols = tuple(sorted(totals))

    def to_text(self) -> str:
        """The grammar as text, from which `from_text` makes the same grammar."""
        lexicon = self.lexicon
        sections = {
            "binary": [_format_rule(rule) for rule in self.rules if len(rule.children) == 2],
            "unary": [_format_rule(rule) for rule in self.rules if len(rule.children) == 1],
            "words": [f"{word} {_format_tags(tags)}" for word, tags in sorted(lexicon.words.items())],
            "rare": sorted(lexicon.rare),
            "classes": [
                f"{name} {known.n_words} {_format_tags(known.tags)}" for name, known in sorted(lexicon.classes.items())
            ],
        }
        lines = [f"pcfg {VERSION}", f"root {self.root}"]
        for name, section in sections.items():
            lines += [f"{name} {len(section)}", *section]
        return "\n".join([*lines, "end", ""])

    @classmethod
    def from_text(cls, text: str, source: str = "the text") -> Grammar:
        """Read a grammar.

        source: What to call the text in errors.
        RAISES ValueError: If a line is wrong (J666) or missing (J668), or the rules are no grammar, as above.
        """
        reader = _Reader(text, source)
        reader.expect("pcfg", VERSION)
        (root,) = reader.read_named("root")
        rules = reader.read_section("binary", lambda fields: _parse_rule(fields, 2))
        rules += reader.read_section("unary", lambda fields: _parse_rule(fields, 1))
        words = dict(reader.read_section("words", lambda fields: (fields[0], _parse_tags(fields[1:]))))
        rare = frozenset(reader.read_section("rare", _parse_single))
        classes = dict(reader.read_section("classes", _parse_class))
        reader.expect("end")
        return cls(root, rules, Lexicon(words, rare, classes))


def _format_rule(rule: Rule) -> str:
    return f"{rule.parent} -> {' '.join(rule.children)} {rule.probability!r}"


def _format_tags(tags: Sequence[tuple[str, float]]) -> str:
    return " ".join(f"{tag} {probability!r}" for tag, probability in tags)


def _parse_rule(fields: list[str], n_children: int) -> Rule:
    parent, arrow, *children, probability = fields
    if arrow != "->" or len(children) != n_children:
        raise ValueError
    return Rule(parent, tuple(children), float(probability))


def _parse_tags(fields: list[str]) -> tuple[tuple[str, float], ...]:
    if not fields:
        raise ValueError
    return tuple((tag, float(number)) for tag, number in zip(fields[::2], fields[1::2], strict=True))


def _parse_single(fields: list[str]) -> str:
    (word,) = fields
    return word


def _parse_class(fields: list[str]) -> tuple[str, WordClass]:
    name, n_words, *tags = fields
    if not _is_count(n_words) or not int(n_words):
        raise ValueError
    return name, WordClass(int(n_words), _parse_tags(tags))


def _is_count(text: str) -> bool:
    return text.isdecimal() and len(text) <= DIGITS


class _Reader:
    """Reads the sections of a text, line by line."""

    def __init__(self, text: str, source: str) -> None:
        self.lines: Iterator[tuple[int, str]] = enumerate(text.split("\n"), start=1)
        self.source = source

    def expect(self, *fields: str) -> None:
        """Read a line with exactly these fields."""
        number, found = self._read(fields[0])
        if found != list(fields):
            self._refuse(number, found)

    def read_named(self, name: str) -> list[str]:
        """Read a line with a name and one value."""
        number, fields = self._read(name)
        if len(fields) != 2 or fields[0] != name:
            self._refuse(number, fields)
        return fields[1:]

    def read_section(self, name: str, parse: Callable[[list[str]], _Parsed]) -> list[_Parsed]:
        """Read the lines of a section, of which no two may be for the same word or class."""
        (size,) = self.read_named(name)
        if not _is_count(size):
            raise JointValueError(Errors.J668, source=self.source, section=name, found=size)
        made: list[_Parsed] = []
        firsts: set[str] = set()
        for _ in range(int(size)):
            number, fields = self._read(name)
            try:
                made.append(parse(fields))
            except (ValueError, IndexError):
                self._refuse(number, fields)
            if name not in ("binary", "unary") and fields[0] in firsts:
                self._refuse(number, fields)
            firsts.add(fields[0])
        return made

    def _read(self, section: str) -> tuple[int, list[str]]:
        number, line = next(self.lines, (0, ""))
        fields = line.split()
        if not fields:
            raise JointValueError(Errors.J668, source=self.source, section=section, found="nothing")
        return number, fields

    def _refuse(self, number: int, fields: list[str]) -> NoReturn:
        raise JointValueError(Errors.J666, source=self.source, line=number, found=" ".join(fields)[:80])
