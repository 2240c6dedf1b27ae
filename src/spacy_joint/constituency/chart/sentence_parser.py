"""Sentences and their trees by a grammar: words in, tags, constituents and probabilities out.

The tags of a word are those of the grammar's lexicon, or given ones. What binarisation and annotation have added to
labels is removed from the result.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise
from math import isfinite, log
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from ...annotation.constituents import Phrase
from ...errors import Errors, JointValueError
from .boundaries import BoundaryModel
from .chart import MAX_WORDS
from .closing import Closing, combine
from .constraints import BOUNDED, ChartConstraints
from .cyk import ChartParser
from .decoding import DECODINGS, MAX_CONSTITUENTS, VITERBI, decode_posteriors
from .fallback import STAGES, parse_surely
from .grammar import Grammar, is_factored, strip_annotation

Possible = list[tuple[str, float]]
"""The possible tags of a word, as symbols of the grammar, with the log-probability of the word given each."""

# Long sentences are cut after these, which often end clauses.
CLAUSE_MARKS = frozenset(",;:-–—…") | {"--", "..."}


class Parse(NamedTuple):
    """A tree of a sentence.

    log_probability: A natural logarithm: of the probability of the words and the tree, or, if it is the tree of the
        most probable constituents, of the words with any tree. None if the grammar derives no tree of the sentence, so
        that this one is glued from fragments.
    tags: One per word.
    phrases: The constituents below the root, each after those around it.
    """

    log_probability: float | None
    tags: list[str]
    phrases: list[Phrase]


class SentenceParser:
    """Finds the most probable trees of sentences. Threads take turns.

    grammar (Grammar): The grammar.
    boundaries (BoundaryModel | None): For the boundary figure of merit; None: the order is that of inside scores.
    closings (Sequence[Closing | ChartConstraints]): Which cells of the chart are closed, or narrow; the narrowest width
        of each cell counts.
    width (int): How many constituents a cell of the chart may have; 0: any number.
    max_span (int): How many words a constituent may have, see `ChartParser`; 0: any number.
    decoding (str): Which tree is found: "viterbi", the most probable derivation's, or "max_constituents", that of the
        most probable constituents (see decoding.py).
    max_words (int): The most words that are parsed together.
    cut_long (bool): Whether longer sentences are cut at clause marks, and their parts parsed by themselves.
    RAISES ValueError: If a setting is not allowed (J701), the boundary model is of another grammar (J682), or
        probabilities that decoding needs have no finite sum (J684).
    """

    def __init__(
        self,
        grammar: Grammar,
        boundaries: BoundaryModel | None = None,
        closings: Sequence[Closing | ChartConstraints] = (),
        *,
        width: int,
        max_span: int = 0,
        decoding: str,
        max_words: int,
        cut_long: bool,
    ) -> None:
        self.settings: dict[str, Any] = {
            "width": width,
            "max_span": max_span,
            "decoding": decoding,
            "max_words": max_words,
            "cut_long": cut_long,
        }
        check_search(**self.settings)
        self.grammar, self.boundaries, self.closings = grammar, boundaries, tuple(closings)
        # Which closings bound the time of a sentence, and so hold whatever happens.
        self._are_bounds = [isinstance(closing, ChartConstraints) and closing.mode in BOUNDED for closing in closings]
        self._chart = ChartParser(grammar, boundaries, max_span)
        # Of the chart and the closings.
        self._lock = Lock()
        # The symbols of each tag.
        self._symbols: defaultdict[str, list[str]] = defaultdict(list)
        for symbol in grammar.lexicon.totals():
            self._symbols[strip_annotation(symbol)].append(symbol)
        # A word that has none of the tags given is as probable as any other.
        self._unknown = -log(len(grammar.lexicon.words) + 1)
        if decoding == MAX_CONSTITUENTS:
            # Sums that are not finite are an error, before anything is parsed.
            self._chart.sum_derivations([])

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(SentenceParser, **self.settings), (self.grammar, self.boundaries, self.closings)

    def parse(self, words: Sequence[str], tags: Sequence[str] | None = None) -> tuple[Parse, dict[str, Any]]:
        """The most probable tree of a sentence, and what finding it took.

        words (Sequence[str]): The words.
        tags (Sequence[str] | None): The tag of each word, "" if unknown. None: the grammar finds all tags.
        RETURNS (tuple[Parse, dict[str, Any]]): The tree, and these numbers: "words"; "parts", into how many the
            sentence was cut; "log_probability", as that of the tree; "cells" of the chart, and how many of them were
            "closed"; "edges" in cells; the "stage" at which it was parsed (see fallback.py), the
            last one of all parts.
        RAISES ValueError: If the sentence has more than `max_words` words and is not to be cut (J700).
        """
        possible = self._list_tags(words, tags)
        parts = self._cut(words)
        found = [self._parse(words[start:end], possible[start:end]) for start, end in parts]
        parse = found[0][0] if len(found) == 1 else _join([of_part for of_part, *_ in found], parts)
        return parse, {
            "words": len(words),
            "parts": len(parts),
            "log_probability": parse.log_probability,
            **{name: sum(stats[name] for _, stats, _ in found) for name in found[0][1]},
            "stage": max((stage for *_, stage in found), key=STAGES.index),
        }

    def _parse(self, words: Sequence[str], possible: Sequence[Possible]) -> tuple[Parse, dict[str, int], str]:
        """Parses words together."""
        with self._lock:
            told = [closing.predict(words) for closing in self.closings]
            bounds = [widths for widths, is_bound in zip(told, self._are_bounds, strict=True) if is_bound]
            search = self._chart.parse if self.settings["decoding"] == VITERBI else self._decode
            score, nodes, tags, stage = parse_surely(
                search,
                possible,
                width=self.settings["width"],
                widths=combine(*told) if told else None,
                bounds=combine(*bounds) if bounds else None,
            )
            stats = self._chart.stats
        return _read(score, nodes, tags), stats, stage

    def list_best(self, words: Sequence[str], k: int, tags: Sequence[str] | None = None) -> list[Parse]:
        """The most probable trees of a sentence, the best one first. None if the grammar derives none.

        words, tags: As those of `parse`.
        k (int): How many trees to list at most.
        RAISES ValueError: If `k` is not from 1 to 1,000,000 (J685), or the sentence has more than `max_words` words
            (J700).
        """
        if len(words) > self.settings["max_words"]:
            raise JointValueError(Errors.J700, n=len(words), limit=self.settings["max_words"])
        possible, width = self._list_tags(words, tags), self.settings["width"]
        # Closed cells are open here: other trees than the best one may need them.
        with self._lock:
            found = self._chart.list_best(possible, k, width=width)
            found = found or self._chart.list_best(possible, k, width=2 * width)
        return [_read(*derivation) for derivation in found]

    def rank_edges(self, words: Sequence[str]) -> np.ndarray | None:
        """How wide each cell must be for the tree that is found, see `ChartParser.rank_edges`; None if none is."""
        possible, width = self._list_tags(words, None), self.settings["width"]
        with self._lock:
            _, nodes, _ = self._chart.parse(possible, width=width)
            return self._chart.rank_edges(possible, nodes, width=width) if nodes else None

    def _list_tags(self, words: Sequence[str], tags: Sequence[str] | None) -> list[Possible]:
        """The possible tags of each word. There is at least one."""
        listed = []
        for place, word in enumerate(words):
            found = self.grammar.lexicon.find_tags("".join(word.split()), is_first=place == 0)
            tag = tags[place] if tags else ""
            if tag in self._symbols:
                fitting = {symbol: probability for symbol, probability in found.items() if symbol in self._symbols[tag]}
                symbols = self._symbols[tag]
            else:
                fitting = found
                symbols = [symbol for group in self._symbols.values() for symbol in group]
            if fitting:
                listed.append([(symbol, log(probability)) for symbol, probability in fitting.items()])
            else:
                listed.append([(symbol, self._unknown) for symbol in symbols])
        return listed

    def _cut(self, words: Sequence[str]) -> list[tuple[int, int]]:
        """The parts of a sentence that are parsed together."""
        limit = self.settings["max_words"]
        if len(words) <= limit:
            return [(0, len(words))]
        if not self.settings["cut_long"]:
            raise JointValueError(Errors.J700, n=len(words), limit=limit)
        return list(pairwise(_find_cuts(words, limit)))

    def _decode(
        self, possible: Sequence[Possible], *, width: int, widths: np.ndarray | None, glue: bool
    ) -> tuple[float, list[tuple[str, int, int]], list[str]]:
        """As `ChartParser.parse`, but the tree of the most probable constituents, with the probability of the words."""
        total, posteriors, tags = self._chart.sum_derivations(possible, width=width, widths=widths)
        if not isfinite(total):
            return self._chart.parse(possible, width=width, widths=widths, glue=glue)
        nodes = decode_posteriors(posteriors, len(possible), self.grammar.root)
        return total, nodes, [max(of_word, key=of_word.__getitem__) for of_word in tags]


def check_search(*, width: int, max_span: int, decoding: str, max_words: int, cut_long: bool) -> None:
    """RAISES ValueError: If a setting of `SentenceParser` is not allowed (J701)."""
    if decoding not in DECODINGS:
        raise JointValueError(Errors.J701, name="decoding", value=decoding, allowed=", ".join(DECODINGS))
    for name, value in (("width", width), ("max_span", max_span)):
        if value < 0:
            raise JointValueError(Errors.J701, name=name, value=value, allowed="0 and above")
    if not 0 < max_words <= MAX_WORDS:
        raise JointValueError(Errors.J701, name="max_words", value=max_words, allowed=f"1 to {MAX_WORDS}")


def _read(score: float, nodes: Sequence[tuple[str, int, int]], tags: Sequence[str]) -> Parse:
    """Converts a derivation, as of `ChartParser.parse`."""
    n_words = len(tags)
    spans = [(word, word + 1) for word in range(n_words)]
    for _, first, second in nodes:
        spans.append((spans[first][0], spans[first if second < 0 else second][1]))
    phrases = [
        Phrase(strip_annotation(symbol), (span,))
        for (symbol, *_), span in zip(nodes[-2::-1], spans[-2 : n_words - 1 : -1], strict=True)
        if not is_factored(symbol)
    ]
    return Parse(score if isfinite(score) else None, [strip_annotation(tag) for tag in tags], phrases)


def _find_cuts(words: Sequence[str], limit: int) -> Iterator[int]:
    """Where a sentence is cut: after the last clause mark that leaves at most `limit` words, or after so many."""
    place = 0
    yield place
    while len(words) - place > limit:
        ends = (end for end in range(place + limit, place, -1) if words[end - 1] in CLAUSE_MARKS)
        place = next(ends, place + limit)
        yield place
    yield len(words)


def _join(parses: Sequence[Parse], parts: Sequence[tuple[int, int]]) -> Parse:
    """One tree of the trees of parts, with their constituents under one root."""
    scores = [parse.log_probability for parse in parses]
    phrases = [
        Phrase(label, [(first + start, first + end) for start, end in blocks])
        for (first, _), parse in zip(parts, parses, strict=True)
        for label, blocks, _ in parse.phrases
    ]
    total = sum(score for score in scores if score is not None)
    return Parse(None if None in scores else total, [tag for parse in parses for tag in parse.tags], phrases)
