"""Rules for multiword tokens that the training data lacks: French `auxquelles` is made like `auxquels`, and a Hebrew
noun with prefixes like other nouns with these prefixes.

A rule cuts a token into a beginning, a stem of at least two letters and an end; the stem, perhaps with other letters
around it, is one of the words. A rule applies if it is right for most token types of the training data; this is decided
for each tag, and separately for stem words that are known from other tokens.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from difflib import SequenceMatcher
from typing import NamedTuple

from ..annotation.multiword_tokens import Word

Analysis = tuple[Word, ...]
Typed = tuple[str, str, Analysis]
"""A token in lower case, its tag, and its words in lower case (empty if it is a single word)."""
Decisions = dict[str, tuple[bool, bool]]
"""Whether a rule applies, by the tag of the token ("" for other tags): to unknown stem words, and to known ones."""

# The numbers of wrong and right results, for unknown and for known stem words.
Outcomes = tuple[list[int], list[int]]

ANY, STEM = "", "\0"
# The minimum letters of a stem, and the minimum token types that decide whether a rule applies.
MIN_STEM, MIN_TYPES = 2, 2


class Rule(NamedTuple):
    """How a token becomes words. The word at `kept` has the stem: its form is the text around it, with STEM inside."""

    start: str
    end: str
    kept: int
    words: Analysis

    def apply(self, stem: str) -> Analysis:
        """Makes the words of a token with this stem."""
        words = list(self.words)
        form = words[self.kept].form.replace(STEM, stem)
        # The annotation of the main word is that of the token.
        words[self.kept] = words[self.kept]._replace(form=form, lemma=form if words[self.kept].head else "")
        return tuple(words)

    @property
    def forms(self) -> tuple[str, str, int, tuple[str, ...]]:
        """The rule without the annotation of the words."""
        return self.start, self.end, self.kept, tuple(word.form for word in self.words)


def make_rule(form: str, words: Analysis) -> Rule | None:
    """Makes the rule that splits a token into these words; returns None without a stem."""
    matches = [SequenceMatcher(None, form, word.form, autojunk=False).find_longest_match() for word in words]
    kept = max(range(len(words)), key=lambda index: matches[index].size)
    match, word = matches[kept], words[kept]
    if match.size < MIN_STEM:
        return None
    around = word.form[: match.b] + STEM + word.form[match.b + match.size :]
    stemmed = word._replace(form=around, lemma="", morph="") if word.head else Word(around, "", "", "", "", 0, "")
    return Rule(form[: match.a], form[match.a + match.size :], kept, (*words[:kept], stemmed, *words[kept + 1 :]))


class MultiwordRules:
    """Rules with their decisions, and the tokens and words of the training data, in lower case."""

    def __init__(self, rules: Mapping[Rule, Decisions] | None = None, known: Iterable[str] = ()) -> None:
        self.decisions, self.known = dict(rules or {}), frozenset(known)
        self._by_affixes: dict[tuple[str, str], list[Rule]] = {}
        for rule in self.decisions:
            self._by_affixes.setdefault((rule.start, rule.end), []).append(rule)

    @classmethod
    def learn(cls, tokens: Iterable[Typed]) -> MultiwordRules:
        """Learns the rules that apply to some tag."""
        counts: dict[tuple[str, str], Counter[Analysis]] = {}
        for form, tag, words in tokens:
            counts.setdefault((form, tag), Counter())[words] += 1
        types = [(*key, min(found, key=lambda words: (-found[words], words))) for key, found in sorted(counts.items())]
        # The token types that each word is made of.
        makers: dict[str, set[str]] = {}
        made: dict[object, Counter[Rule]] = {}
        for form, _, words in types:
            for word in (word.form for word in words) if words else (form,):
                makers.setdefault(word, set()).add(form)
            if words and (rule := make_rule(form, words)):
                made.setdefault(rule.forms, Counter())[rule] += 1
        rules = cls({min(found, key=lambda rule: (-found[rule], rule)): {} for found in made.values()})
        # How often each rule is wrong and right, by tag, and by whether other tokens have the stem word.
        results: dict[Rule, dict[str, Outcomes]] = {}
        for form, tag, words in types:
            expected = [word.form for word in words]
            for rule, found in rules._match(form):
                is_known = bool(makers.get(found[rule.kept].form, set()) - {form})
                is_right = [word.form for word in found] == expected
                for key in {tag, ANY}:
                    results.setdefault(rule, {}).setdefault(key, ([0, 0], [0, 0]))[is_known][is_right] += 1
        decisions: dict[Rule, Decisions] = {}
        for rule, by_tag in sorted(results.items()):
            general = _decide(by_tag[ANY], (False, False))
            decided = {tag: _decide(outcomes, general) for tag, outcomes in sorted(by_tag.items())}
            # Tags with the general decision need no entry.
            kept = {tag: decision for tag, decision in decided.items() if tag == ANY or decision != general}
            if any(map(any, kept.values())):
                decisions[rule] = kept
        return cls(decisions, {*makers, *(form for form, *_ in types)} if decisions else ())

    def _match(self, form: str) -> Iterator[tuple[Rule, Analysis]]:
        """Yields the rules that match a token, and the words that they make."""
        for (start, end), rules in self._by_affixes.items():
            stop = len(form) - len(end)
            if stop - len(start) >= MIN_STEM and form.startswith(start) and form.endswith(end):
                yield from ((rule, rule.apply(form[len(start) : stop])) for rule in rules)

    def find(self, form: str, tag: str) -> Analysis:
        """Finds the words of a lower-case token that is not in the training data; empty if no rule applies. Rules that
        make a known stem word come first, then rules with a longer beginning and end."""
        if not self.decisions or form in self.known:
            return ()
        found: list[tuple[bool, int, Analysis]] = []
        for rule, words in self._match(form):
            by_tag = self.decisions[rule]
            is_known = words[rule.kept].form in self.known
            if by_tag.get(tag, by_tag[ANY])[is_known]:
                found.append((is_known, len(rule.start) + len(rule.end), words))
        return max(found, key=lambda each: each[:2])[2] if found else ()


def _decide(outcomes: Outcomes, general: tuple[bool, bool]) -> tuple[bool, bool]:
    """Decides whether a rule applies, for unknown and for known stem words; in rare cases, as in general."""
    unknown, known = (
        right > wrong if wrong + right >= MIN_TYPES else default
        for (wrong, right), default in zip(outcomes, general, strict=True)
    )
    return unknown, known
