"""Measures searches of the chart parser: their speed, and what pruning the chart costs in accuracy.

- `closings` compares classifiers that close or narrow cells in advance. Times include the classifiers, and are of the
  fastest of several runs for each sentence.
- `decodings` compares the most probable trees with those of the most probable constituents.
- `grammars` compares symbols annotated by hand with split ones, with both decodings.
- `long` parses sentences of growing length, made by joining others.
- `nltk` compares scores and speed with NLTK's ViterbiParser on short sentences.
- `figure` draws the speed and accuracy of searches from the results of `closings`.

Figures of searches are seconds per sentence, words per second, F1 as in EVALB, search errors (sentences whose tree is
less probable than the best one), sentences that needed wider searches or fragments, and the share of closed cells.
Times are CPU seconds in one thread from words to trees: they include tagging, figures of merit and repeated searches.
"""

from measure import Output, draw, format_table, write_results

# isort: split
import json
import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer

from spacy_joint.charts.boundaries import BoundaryModel, estimate_boundaries
from spacy_joint.charts.chart import MAX_WORDS
from spacy_joint.charts.closing import Closing, choose_biases, find_frequent_tags, learn_closing
from spacy_joint.charts.cyk import ChartParser
from spacy_joint.charts.decoding import DECODINGS, MAX_CONSTITUENTS, VITERBI
from spacy_joint.charts.estimation import estimate_grammar, prepare
from spacy_joint.charts.grammar import Grammar
from spacy_joint.charts.sentence_parser import GLUED, OPEN, WIDER, SentenceParser
from spacy_joint.charts.training import BOUNDARY, make_parser, mark_examples
from spacy_joint.corpora.constituency_treebanks import read_treebank
from spacy_joint.scoring.brackets import count_brackets, load_parameters
from spacy_joint.trees.constituency_trees import Tree

app = typer.Typer(add_completion=False, help=__doc__)
BY_HAND, SPLIT = "by_hand", "split"
# How trees are annotated for a grammar; and how often symbols are split.
ANNOTATION: dict[str, dict[str, Any]] = {
    BY_HAND: {"horizontal": 1, "parents": True, "tag_parents": True},
    SPLIT: {"horizontal": 0, "parents": False, "tag_parents": False},
}
SPLIT_CYCLES = {BY_HAND: 0, SPLIT: 3}
Kind = Annotated[str, typer.Option("--grammar", help="Whether symbols are annotated (by_hand) or split.")]
# The share of the needed cells that stay open.
KEEP_OPEN = 0.99
# Samples of the bootstrap, and the percentiles that bound a 95 % interval.
DRAWS = 2000
INTERVAL = (2.5, 97.5)
# How searches are drawn: a colour for what their names begin with, and a marker for what closes cells.
COLOURS = {"exhaustive": "tab:gray", "inside": "tab:orange", "boundary": "tab:blue"}
MARKERS = {"": "o", "constituents": "s", "complete": "^", "widths": "v", "complete + widths": "D"}


@app.command()
def closings(
    train: Path,
    dev: Path,
    test: Path,
    inside: int = 30,
    boundary: int = 15,
    sentences: int = 0,
    repeats: int = 3,
    kind: Kind = BY_HAND,
    output: Output = None,
) -> None:
    """Print the table of closings and widths, learnt from TRAIN and tuned on DEV."""
    treebank = list(read_treebank(train))
    trees = list(read_treebank(test))[: sentences or None]
    prepared, held = ([prepare(tree, **ANNOTATION[kind]) for tree in part] for part in (treebank, read_treebank(dev)))
    grammar = estimate_grammar(treebank, **ANNOTATION[kind], split_cycles=SPLIT_CYCLES[kind])
    boundaries = estimate_boundaries(prepared, grammar)
    tags = find_frequent_tags(treebank)

    def learn(kind: str, parser: SentenceParser, share: float) -> Closing:
        """Learn a classifier that leaves this share of the needed cells open."""
        closing = learn_closing(mark_examples(parser, prepared, kind), kind, tags)
        choose_biases(closing, mark_examples(parser, held, kind), share)
        return closing

    searches = {"exhaustive": make(grammar)}
    constituents, complete = (learn(kind, searches["exhaustive"], 0.98) for kind in ("constituents", "complete"))
    for name, closing in (("constituents", constituents), ("complete", complete)):
        searches[f"exhaustive + {name}"] = make(grammar, closings=[closing])
    for name, model, width in (("inside", None, inside), ("boundary", boundaries, boundary)):
        widths = learn("widths", make(grammar, model, width=width), 0.99)
        combined = {
            "": [],
            " + constituents": [constituents],
            " + complete": [complete],
            " + widths": [widths],
            " + complete + widths": [complete, widths],
        }
        for more, used in combined.items():
            searches[f"{name}, {width}{more}"] = make(grammar, model, used, width=width)
    claims = {}
    for search in ("exhaustive", f"inside, {inside}", f"boundary, {boundary}"):
        claims[f"{search}: complete, not constituents"] = (f"{search} + constituents", f"{search} + complete")
        if search != "exhaustive":
            claims[f"{search}: widths, too"] = (f"{search} + complete", f"{search} + complete + widths")
            claims[f"{search}: complete and widths"] = (search, f"{search} + complete + widths")
    write_table(searches, trees, output, repeats, claims)


@app.command()
def decodings(
    train: Path,
    test: Path,
    width: int = 10,
    sentences: int = 0,
    kind: Kind = BY_HAND,
    output: Output = None,
) -> None:
    """Print the table of decodings, with and without complete closure and a limit on width."""
    trees = list(read_treebank(test))[: sentences or None]
    made = make_parser(list(read_treebank(train)), settle(kind, width, VITERBI))
    searches = {}
    for limit in (0, width):
        for closed, closings in (("", ()), (" + complete", made.closings)):
            for decoding in DECODINGS:
                name = f"{f'boundary, {limit}' if limit else 'exhaustive'}{closed}, {decoding}"
                model = made.boundaries if limit else None
                searches[name] = make(made.grammar, model, closings, width=limit, decoding=decoding)
    write_table(searches, trees, output)


@app.command("grammars")
def compare_grammars(
    train: Path,
    test: Path,
    width: int = 10,
    seed: int = 0,
    sentences: int = 0,
    output: Output = None,
) -> None:
    """Print the table of grammars: annotated by hand and with split symbols, by decoding, with complete closure."""
    treebank, trees = list(read_treebank(train)), list(read_treebank(test))[: sentences or None]
    made = make_parser(treebank, settle(BY_HAND, width, VITERBI), seed=seed)
    grammars = {BY_HAND: (made.grammar, made.boundaries)}
    prepared = [prepare(tree, **ANNOTATION[SPLIT]) for tree in treebank]
    for number in range(4):
        start = time.process_time()
        grammar = estimate_grammar(treebank, **ANNOTATION[SPLIT], split_cycles=number, seed=seed)
        seconds = time.process_time() - start
        print(f"{number} cycles: {len(grammar.symbols)} symbols, {len(grammar.rules)} rules, {seconds} s")
        grammars[f"split, {number}"] = (grammar, estimate_boundaries(prepared, grammar))
    searches = {}
    for name, (grammar, boundaries) in grammars.items():
        for decoding in DECODINGS:
            searches[f"{name}, {decoding}"] = make(grammar, boundaries, made.closings, width=width, decoding=decoding)
    write_table(searches, trees, output)


@app.command()
def long(
    train: Path,
    test: Path,
    width: int = 10,
    sentences: int = 3,
    decoding: str = MAX_CONSTITUENTS,
    output: Output = None,
) -> None:
    """Print seconds per sentence by length, with and without complete closure."""
    stream = [word for tree in read_treebank(test) for word in tree.leaves()]
    closed = make_parser(list(read_treebank(train)), settle(BY_HAND, width, decoding))
    parsers = {"complete": closed, "beam": make(closed.grammar, closed.boundaries, width=width, decoding=decoding)}
    results = {}
    for length in (50, 100, 200, 400):
        figures = {name: {"s/sentence": 0.0, "edges": 0.0} for name in parsers}
        for number in range(sentences):
            words = stream[number * length : (number + 1) * length]
            for name, parser in parsers.items():
                start = time.process_time()
                _, stats = parser.parse(words)
                figures[name]["s/sentence"] += (time.process_time() - start) / sentences
                figures[name]["edges"] += stats["edges"] / sentences
        results[length] = figures
        print(length, figures, flush=True)
    write_results(results, output)


def settle(kind: str, width: int, decoding: str) -> dict[str, Any]:
    """The settings of a parser of sentences of any length, with complete closure."""
    learnt = {**ANNOTATION[kind], "split_cycles": SPLIT_CYCLES[kind], "closure": ["complete"], "keep_open": KEEP_OPEN}
    search = {"width": width, "max_span": 0, "decoding": decoding, "max_words": MAX_WORDS, "cut_long": False}
    return {**learnt, **search, "figure_of_merit": BOUNDARY}


def make(
    grammar: Grammar,
    boundaries: BoundaryModel | None = None,
    closings: Sequence[Any] = (),
    *,
    width: int = 0,
    decoding: str = VITERBI,
) -> SentenceParser:
    """A parser of sentences of any length."""
    return SentenceParser(
        grammar, boundaries, closings, width=width, decoding=decoding, max_words=MAX_WORDS, cut_long=False
    )


def write_table(
    searches: dict[str, SentenceParser],
    trees: Sequence[Tree],
    output: Path | None,
    repeats: int = 1,
    claims: dict[str, tuple[str, str]] | None = None,
) -> None:
    """Measure searches, the first of which is exhaustive, and print the figures.

    claims: By name, two searches to compare.
    """
    measured: dict[str, Measured] = {}
    results: dict[str, dict[str, Any]] = {"searches": {}, "claims": {}}
    for name, parser in searches.items():
        measured[name] = measure(parser, trees, repeats)
        results["searches"][name] = figures = summarise(measured[name], next(iter(measured.values())))
        print(name, figures, flush=True)
        # Some take hours, so results are kept after each.
        write_results(results, output)
    for claim, (first, second) in (claims or {}).items():
        results["claims"][claim] = compare(measured[first], measured[second])
    for rows in filter(None, results.values()):
        header = list(next(iter(rows.values())))
        print(
            format_table(["", *header], [[name, *(_format(row[key]) for key in header)] for name, row in rows.items()])
        )
    write_results(results, output)


def _format(figure: float | list[float]) -> str:
    return f"{figure:.4g}" if isinstance(figure, float | int) else " to ".join(map(_format, figure))


class Measured(NamedTuple):
    """What a search took and found, by sentence.

    brackets: Those that match, are found, and are expected.
    log_probability: Minus infinity if the tree has none.
    """

    seconds: np.ndarray
    words: np.ndarray
    edges: np.ndarray
    cells: np.ndarray
    closed: np.ndarray
    brackets: np.ndarray
    log_probability: np.ndarray
    stages: np.ndarray


def measure(parser: SentenceParser, trees: Sequence[Tree], repeats: int) -> Measured:
    """Parse sentences, each several times, of which the fastest counts."""
    parameters = load_parameters("evalb")
    rows = []
    for tree in trees:
        leaves, words = tree.preterminals(), tree.leaves()
        times = []
        for _ in range(repeats):
            start = time.process_time()
            parse, stats = parser.parse(words)
            times.append(time.process_time() - start)
        kept = np.cumsum([0, *(parameters.keeps(leaf.label, leaf.word or "") for leaf in leaves)])
        found, gold = (
            count_brackets(((label, [(start, end)]) for label, start, end in spans), kept, parameters)
            for spans in (parse.constituents, tree.spans()[1:])
        )
        brackets = ((found & gold).total(), found.total(), gold.total())
        score = -math.inf if parse.log_probability is None else parse.log_probability
        of_chart = (stats[name] for name in ("words", "edges", "cells", "closed"))
        rows.append((min(times), *of_chart, brackets, score, stats["stage"]))
    return Measured(*map(np.array, zip(*rows, strict=True)))


def summarise(measured: Measured, exhaustive: Measured) -> dict[str, float]:
    """The figures of a search."""
    n, seconds, stages = len(measured.words), float(measured.seconds.sum()), measured.stages
    return {
        "s/sentence": seconds / n,
        "words/s": float(measured.words.sum() / seconds),
        "edges/word": float(measured.edges.sum() / measured.words.sum()),
        "F1": float(find_f1(measured.brackets.sum(axis=0))),
        "wider": int(np.isin(stages, (WIDER, OPEN)).sum()),
        "glued": int((stages == GLUED).sum()),
        "closed %": float(100 * measured.closed.sum() / measured.cells.sum()),
        "search errors %": float(100 * np.mean(measured.log_probability < exhaustive.log_probability - 1e-6)),
    }


def find_f1(brackets: np.ndarray) -> np.ndarray:
    """F1 in percent, of brackets that match, are found, and are expected, along the last axis."""
    return 200 * brackets[..., 0] / (brackets[..., 1] + brackets[..., 2])


def compare(first: Measured, second: Measured) -> dict[str, float | list[float]]:
    """What the second search saves of the first one's time and edges, and what F1 gains, with intervals."""
    weights = np.random.default_rng(0).multinomial(len(first.words), [1 / len(first.words)] * len(first.words), DRAWS)
    compared: dict[str, float | list[float]] = {}
    for name, of_first, of_second in (("time", first.seconds, second.seconds), ("edges", first.edges, second.edges)):
        compared[f"{name} saved %"] = float(100 - 100 * of_second.sum() / of_first.sum())
        drawn = 100 - 100 * (weights @ of_second) / (weights @ of_first)
        compared[f"{name}, interval"] = np.percentile(drawn, INTERVAL).tolist()
    compared["F1 gained"] = float(find_f1(second.brackets.sum(axis=0)) - find_f1(first.brackets.sum(axis=0)))
    drawn = find_f1(weights @ second.brackets) - find_f1(weights @ first.brackets)
    compared["F1, interval"] = np.percentile(drawn, INTERVAL).tolist()
    return compared


@app.command("nltk")
def compare_nltk(
    train: Path,
    test: Path,
    most_words: int = 10,
    sentences: int = 200,
    output: Output = None,
) -> None:
    """Compare scores and speed with NLTK's ViterbiParser, with the same grammar and tags of words."""
    import nltk

    grammar = estimate_grammar(read_treebank(train), **ANNOTATION[BY_HAND])
    parser = ChartParser(grammar)
    trees = [tree for tree in read_treebank(test) if 3 <= len(tree.leaves()) <= most_words][:sentences]
    symbols = {symbol: nltk.Nonterminal(symbol) for symbol in grammar.symbols}
    rules = [
        nltk.ProbabilisticProduction(
            symbols[rule.parent], [symbols[child] for child in rule.children], prob=rule.probability
        )
        for rule in grammar.rules
    ]
    times, difference, n_words, n_parsed = {"nltk": 0.0, "ours": 0.0}, 0.0, 0, 0
    for number, tree in enumerate(trees, start=1):
        found = [grammar.lexicon.find_tags(word, is_first=place == 0) for place, word in enumerate(tree.leaves())]
        words = [[(tag, math.log(probability)) for tag, probability in tags.items()] for tags in found]
        # The same word has the same name, so that it counts once.
        names = [str(words.index(tags)) for tags in words]
        lexical = [
            nltk.ProbabilisticProduction(symbols[tag], [name], prob=math.exp(score))
            for name, tags in dict(zip(names, words, strict=True)).items()
            for tag, score in tags
        ]
        # NLTK wants probabilities that add up to 1: what is not in this sentence is another word.
        rest = dict.fromkeys(grammar.lexicon.totals(), 1.0)
        for rule in [*rules, *lexical]:
            if rule.lhs().symbol() in rest:
                rest[rule.lhs().symbol()] -= rule.prob()
        lexical += [
            nltk.ProbabilisticProduction(symbols[tag], ["other"], prob=probability)
            for tag, probability in rest.items()
            if probability > 0
        ]
        theirs = nltk.ViterbiParser(nltk.PCFG(symbols[grammar.root], [*rules, *lexical]), max_time=None)
        start = time.process_time()
        parses = list(theirs.parse(names))
        times["nltk"] += time.process_time() - start
        start = time.process_time()
        # One run is too short to time.
        for _ in range(100):
            score, *_ = parser.parse(words)
        times["ours"] += (time.process_time() - start) / 100
        n_words += len(words)
        expected = math.log(parses[0].prob()) if parses else -math.inf
        n_parsed += bool(parses)
        difference = max(difference, 0.0 if score == expected else abs(score - expected))
        results = {
            "sentences": number,
            "with a tree": n_parsed,
            "words": n_words,
            "rules": len(grammar.rules),
            "greatest difference": difference,
            "words/s": n_words / times["ours"],
            "words/s of NLTK": n_words / times["nltk"],
            "ratio": times["nltk"] / times["ours"],
        }
        # NLTK is slow, so results are kept after each sentence.
        write_results(results, output)
    print(results)


@app.command()
def figure(
    results: Annotated[Path, typer.Argument(help="JSON file that `closings` wrote.")],
    output: Annotated[Path, typer.Argument(help="SVG file to write.")],
) -> None:
    """Draw speed against accuracy."""
    from matplotlib.lines import Line2D

    shown = [Line2D([], [], color=colour, linewidth=6, label=name) for name, colour in COLOURS.items()]
    shown += [
        Line2D([], [], color="black", linestyle="", marker=marker, label=name or "all cells open")
        for name, marker in MARKERS.items()
    ]
    with draw(output, 1, 8, 4) as (axes,):
        for name, figures in json.loads(results.read_text(encoding="utf8"))["searches"].items():
            merit, _, closed = name.partition(" + ")
            colour = COLOURS[merit.partition(",")[0]]
            axes.plot(figures["words/s"], figures["F1"], MARKERS[closed], color=colour, markersize=8)
        axes.set(xscale="log", xlabel="words per CPU second", ylabel="F1")
        axes.legend(handles=shown, frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))


if __name__ == "__main__":
    app()
