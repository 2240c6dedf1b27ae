"""Parses sentences by a grammar: words in; tags, constituents and probabilities out.

The tags of a word are those of the grammar's lexicon, or given ones. The result has neither symbols of binarisation nor
annotation of labels.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from math import isfinite, log
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ..engine.threads import make_fork_lock
from ..errors import Errors, JointValueError
from ..trees.constituency_trees import Constituent
from .boundaries import BoundaryModel
from .closing import Closing, combine
from .cyk import ChartParser
from .decoding import MAX_CONSTITUENTS, decode_posteriors
from .grammar import Grammar, is_factored, strip_annotation

Possible: TypeAlias = list[tuple[str, float]]
"""The possible tags of a word, as symbols of the grammar, with the log-probability of the word given each."""

# The attempts to parse a sentence, in order: see `parse_with_fallbacks`.
STAGES = FIRST, WIDER, OPEN, GLUED = "first", "wider", "open", "glued"

# Long sentences are cut after these marks, which often end clauses.
CLAUSE_MARKS = frozenset(",;:-–—…") | {"--", "..."}
# Guards charts and closings.
_lock = make_fork_lock()


class Parse(NamedTuple):
    """A tree of a sentence."""

    # Of the words and the tree, or, with "max_constituents", of the words (natural logarithm). None if it is glued.
    log_probability: float | None
    tags: list[str]
    constituents: list[Constituent]  # below the root, each after those around it


class SentenceParser:
    """Finds the most probable trees of sentences. Threads take turns. For the settings, see `make_chart_parser`. RAISES
    ValueError: If the boundary model is of another grammar (J682), or sums are not finite (J684)."""

    def __init__(
        self,
        grammar: Grammar,
        boundaries: BoundaryModel | None = None,
        closings: Sequence[Closing] = (),
        **settings: Any,
    ) -> None:
        self.settings = settings
        self.grammar, self.boundaries, self.closings = grammar, boundaries, tuple(closings)
        self._chart = ChartParser(grammar, boundaries, settings.get("max_span", 0))
        # The symbols of each tag, and of all tags, as ordered sets.
        self._symbols: defaultdict[str, dict[str, None]] = defaultdict(dict)
        for symbol in grammar.lexicon.totals():
            self._symbols[strip_annotation(symbol)][symbol] = None
        self._all_symbols = {symbol: None for group in self._symbols.values() for symbol in group}
        # The score of a word that has none of the given tags: all words are equally probable.
        self._unknown = -log(len(grammar.lexicon.words) + 1)
        if settings["decoding"] == MAX_CONSTITUENTS:
            # Raises J684 before anything is parsed.
            self._chart.sum_derivations([])

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(SentenceParser, **self.settings), (self.grammar, self.boundaries, self.closings)

    def parse(self, words: Sequence[str], tags: Sequence[str] | None = None) -> tuple[Parse, dict[str, Any]]:
        """Finds the most probable tree of a sentence, and statistics of the search: see `parse_stats` in
        docs/chart_parser.md. Tags are "" if unknown; None: the grammar finds all. RAISES ValueError: If the sentence is
        too long and not to be cut (J700)."""
        possible = self._list_tags(words, tags)
        limit = self.settings["max_words"]
        if len(words) > limit and not self.settings["cut_long"]:
            raise JointValueError(Errors.J700, n=len(words), limit=limit)
        parts = list(pairwise(_find_cuts(words, limit)))
        found = [self._parse(words[start:end], possible[start:end]) for start, end in parts]
        parse = found[0][0] if len(found) == 1 else _join([part for part, *_ in found], parts)
        return parse, {
            "words": len(words),
            "parts": len(parts),
            "log_probability": parse.log_probability,
            **{name: sum(stats[name] for _, stats, _ in found) for name in found[0][1]},
            "stage": max((stage for *_, stage in found), key=STAGES.index),
        }

    def _parse(self, words: Sequence[str], possible: Sequence[Possible]) -> tuple[Parse, dict[str, int], str]:
        with _lock:
            predicted = [closing.predict(words) for closing in self.closings]
            widths = combine(*predicted) if predicted else None
            parse, stage = parse_with_fallbacks(self._search, possible, width=self.settings["width"], widths=widths)
            stats = self._chart.stats
        return parse._replace(log_probability=None) if stage == GLUED else parse, stats, stage

    def list_best(self, words: Sequence[str], k: int, tags: Sequence[str] | None = None) -> list[Parse]:
        """Lists the most probable trees of a sentence, at most k, the best one first. RAISES ValueError: If `k` is not
        from 1 to 1,000,000 (J030), or there are more than `max_words` words (J700)."""
        if len(words) > self.settings["max_words"]:
            raise JointValueError(Errors.J700, n=len(words), limit=self.settings["max_words"])
        possible, width = self._list_tags(words, tags), self.settings["width"]
        # Closed cells are open here: other trees than the best one may need them.
        with _lock:
            found = self._chart.list_best(possible, k, width=width)
            found = found or self._chart.list_best(possible, k, width=2 * width)
        return [_read(*derivation) for derivation in found]

    def rank_edges(self, words: Sequence[str]) -> np.ndarray | None:
        """Finds the width that each cell needs for the best tree, see `ChartParser.rank_edges`; None if there is no
        tree."""
        possible, width = self._list_tags(words, None), self.settings["width"]
        with _lock:
            _, nodes, _ = self._chart.parse(possible, width=width)
            return self._chart.rank_edges(possible, nodes, width=width) if nodes else None

    def _list_tags(self, words: Sequence[str], tags: Sequence[str] | None) -> list[Possible]:
        """Lists the possible tags of each word, at least one."""
        listed = []
        for index, word in enumerate(words):
            found = self.grammar.lexicon.find_tags("".join(word.split()), is_first=index == 0)
            symbols = self._symbols.get(tags[index] if tags else "", self._all_symbols)
            fitting = [(symbol, log(probability)) for symbol, probability in found.items() if symbol in symbols]
            listed.append(fitting or [(symbol, self._unknown) for symbol in symbols])
        return listed

    def _search(self, possible: Sequence[Possible], *, width: int, widths: np.ndarray | None, glue: bool) -> Parse:
        """Parses like `ChartParser.parse`; or, with "max_constituents", finds the tree of the most probable
        constituents, with the probability of the words."""
        if self.settings["decoding"] == MAX_CONSTITUENTS:
            total, posteriors, shares = self._chart.sum_derivations(possible, width=width, widths=widths)
            if isfinite(total):
                tags = [max(by_tag, key=by_tag.__getitem__) for by_tag in shares]
                return Parse(total, tags, decode_posteriors(posteriors, len(possible), self.grammar.root))
        return _read(*self._chart.parse(possible, width=width, widths=widths, glue=glue))


def parse_with_fallbacks(
    search: Callable[..., Any], words: Sequence[Possible], *, width: int, widths: np.ndarray | None = None
) -> tuple[Any, str]:
    """Finds a tree for any widths: if there is none, first widens and opens cells, and then glues fragments. Returns
    what the search finds, beginning with the log-probability, minus infinity if it was glued; and the stage."""
    attempts = [(FIRST, width, widths)]
    if widths is not None:
        attempts += [(WIDER, 2 * width, np.where(widths > 0, 2 * widths, widths)), (OPEN, 2 * width, None)]
    elif width:
        attempts.append((WIDER, 2 * width, None))
    for stage, wide, cell_widths in attempts:
        found = search(words, width=wide, widths=cell_widths, glue=stage == attempts[-1][0])
        if isfinite(found[0]):
            return found, stage
    return found, GLUED


def _read(score: float, nodes: Sequence[Constituent], tags: Sequence[str]) -> Parse:
    """Converts a derivation, as returned by `ChartParser.parse`."""
    below = [(strip_annotation(each), start, end) for each, start, end in nodes[-2::-1] if not is_factored(each)]
    return Parse(score, [strip_annotation(tag) for tag in tags], below)


def _find_cuts(words: Sequence[str], limit: int) -> Iterator[int]:
    """Yields the places where a sentence is cut: after the last clause mark within `limit` words, or after `limit`
    words."""
    index = 0
    yield index
    while len(words) - index > limit:
        ends = (end for end in range(index + limit, index, -1) if words[end - 1] in CLAUSE_MARKS)
        index = next(ends, index + limit)
        yield index
    yield len(words)


def _join(parses: Sequence[Parse], parts: Sequence[tuple[int, int]]) -> Parse:
    """Joins the trees of parts, with their constituents under one root."""
    scores = [parse.log_probability for parse in parses]
    constituents = [
        (label, first + start, first + end)
        for (first, _), parse in zip(parts, parses, strict=True)
        for label, start, end in parse.constituents
    ]
    total = sum(score for score in scores if score is not None)
    return Parse(None if None in scores else total, [tag for parse in parses for tag in parse.tags], constituents)
