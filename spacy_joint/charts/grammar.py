"""Probabilistic context-free grammars in binary form, and a text format for them.

Symbols are labels with annotation: `NP^S` is an NP below an S, `@NP|JJ` is made by binarisation of the children of an
NP from a JJ on, and `NP-0` and `NP-1` are subsymbols of NP (see splitting.py). Probabilities are those of rules given
the symbol on their left, and of words given their tag.

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

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from typing_extensions import Self

from ..errors import Errors, JointValueError, check_value
from ..trees.transform import INTERMEDIATE
from .lexicon import Lexicon, WordClass

VERSION = "1"
# Sums of probabilities may exceed 1 by rounding.
TOLERANCE = 1e-6
# The maximum number of digits of a number of lines or words.
DIGITS = 9
_Parsed = TypeVar("_Parsed")
ANNOTATION = re.compile(r"(?<=.)(?:[|^].*|-[0-9]+\Z)", re.DOTALL)
SUBSYMBOL = re.compile(r"(?<=.)-[0-9]+\Z", re.DOTALL)


class Rule(NamedTuple):
    """A rule, with one or two children, and its probability given the parent, above 0 and at most 1."""

    parent: str
    children: tuple[str, ...]
    probability: float


def is_factored(symbol: str) -> bool:
    """Return whether binarisation made the symbol, so that it is not a constituent."""
    return symbol.startswith(INTERMEDIATE)


def strip_annotation(symbol: str) -> str:
    """Strip a symbol to its label: `NP^S` and `NP-0` to NP, and `@NP|JJ` to @NP."""
    return ANNOTATION.sub("", symbol)


def join_subsymbols(symbol: str) -> str:
    """Return the symbol of a subsymbol: `NP^S` of `NP^S-0`; otherwise the symbol itself."""
    return SUBSYMBOL.sub("", symbol)


class Grammar:
    """A constant grammar with binary and unary rules; unary ones may be cyclic.

    RAISES ValueError: If a rule does not have one or two children and a probability in (0, 1] (J030), or is given twice
        (J670), a symbol (J669) or the root (J671) lacks rules, or probabilities of a symbol exceed 1 (J674).
    """

    def __init__(self, root: str, rules: Sequence[Rule], lexicon: Lexicon) -> None:
        self.root, self.lexicon = root, lexicon
        self.rules = tuple(sorted(rules))
        totals = dict(lexicon.totals())
        seen: set[tuple[str, tuple[str, ...]]] = set()
        for rule in self.rules:
            named = _name_rule(rule)
            n, probability = len(rule.children), rule.probability
            check_value(f"The number of children of {named}", n, 1 <= n <= 2, "1 or 2")
            check_value(f"The probability of {named}", probability, 0 < probability <= 1, "above 0 and at most 1")
            if rule[:2] in seen:
                raise JointValueError(Errors.J670, rule=named)
            seen.add(rule[:2])
            totals[rule.parent] = totals.get(rule.parent, 0.0) + rule.probability
        for rule in self.rules:
            for child in rule.children:
                if child not in totals:
                    raise JointValueError(Errors.J669, symbol=child, rule=_name_rule(rule))
        if root not in {rule.parent for rule in self.rules}:
            raise JointValueError(Errors.J671, root=root)
        for symbol, total in totals.items():
            if total > 1 + TOLERANCE:
                raise JointValueError(Errors.J674, symbol=symbol, total=total)
        self.symbols = tuple(sorted(totals))

    def to_text(self) -> str:
        """Write the grammar as text, from which `from_text` makes the same grammar."""
        sections = {
            "binary": [f"{_name_rule(rule)} {rule.probability!r}" for rule in self.rules if len(rule.children) == 2],
            "unary": [f"{_name_rule(rule)} {rule.probability!r}" for rule in self.rules if len(rule.children) == 1],
            "words": [f"{word} {_format_tags(tags)}" for word, tags in sorted(self.lexicon.words.items())],
            "rare": sorted(self.lexicon.rare),
            "classes": [f"{name} {n} {_format_tags(tags)}" for name, (n, tags) in sorted(self.lexicon.classes.items())],
        }
        lines = [f"pcfg {VERSION}", f"root {self.root}"]
        for name, section in sections.items():
            lines += [f"{name} {len(section)}", *section]
        return "\n".join([*lines, "end", ""])

    @classmethod
    def from_text(cls, text: str, source: str = "the text") -> Self:
        """Read a grammar; errors call the text `source`. RAISES ValueError: As above, or at a line (J666, J668)."""
        reader = _Reader(text, source)
        reader.expect("pcfg", VERSION)
        root = reader.expect("root", None)
        rules = reader.read_section("binary", lambda fields: _parse_rule(fields, 2), is_unique=False)
        rules += reader.read_section("unary", lambda fields: _parse_rule(fields, 1), is_unique=False)
        words = dict(reader.read_section("words", lambda fields: (fields[0], _parse_tags(fields[1:]))))
        rare = frozenset(reader.read_section("rare", _parse_single))
        classes = dict(reader.read_section("classes", _parse_class))
        reader.expect("end")
        return cls(root, rules, Lexicon(words, rare, classes))


def _name_rule(rule: Rule) -> str:
    return f"{rule.parent} -> {' '.join(rule.children)}"


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

    def read(self, section: str, parse: Callable[[list[str]], _Parsed]) -> _Parsed:
        number, line = next(self.lines, (0, ""))
        fields = line.split()
        if not fields:
            raise JointValueError(Errors.J668, source=self.source, section=section, found="nothing")
        try:
            return parse(fields)
        except (ValueError, IndexError) as error:
            found = " ".join(fields)[:80]
            raise JointValueError(Errors.J666, source=self.source, line=number, found=found) from error

    def expect(self, *expected: str | None) -> str:
        """Read a line with exactly these fields, where None is any, and return the last one."""

        def parse(fields: list[str]) -> str:
            if any(field not in (None, found) for field, found in zip(expected, fields, strict=True)):
                raise ValueError
            return fields[-1]

        return self.read(expected[0] or "", parse)

    def read_section(self, name: str, parse: Callable[[list[str]], _Parsed], is_unique: bool = True) -> list[_Parsed]:
        """Read the lines of a section, no two with the same first field if `is_unique`."""
        size = self.expect(name, None)
        if not _is_count(size):
            raise JointValueError(Errors.J668, source=self.source, section=name, found=size)
        seen: set[str] = set()

        def parse_next(fields: list[str]) -> _Parsed:
            if is_unique and fields[0] in seen:
                raise ValueError
            seen.add(fields[0])
            return parse(fields)

        return [self.read(name, parse_next) for _ in range(int(size))]
