"""Searches of the chart parser: what is left out of the chart, how fast that is, and what it costs in accuracy.

`table` trains a grammar on a treebank and parses another part of it, each search in turn: seconds per sentence, words
per second, F1 as EVALB has it, search errors (sentences whose tree is less probable than the best one), sentences for
which wider searches or fragments were needed, and the share of closed cells. Times are of one thread and CPU time, from
words to trees: they have the tags of words, figures of merit, and repeated searches. `closings` does so for what tells
beforehand which cells are closed or narrow; times have this, too, and are of the fastest of several runs for each
sentence. `decodings` compares the most probable trees with those of the most probable
constituents. `long` parses sentences of growing length, made of others. `nltk` compares scores and speed with NLTK's
ViterbiParser on short sentences.
"""

from measure import format_table, write_results

# isort: split
import math
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer

from spacy_joint.annotation.constituency_trees import Tree
from spacy_joint.constituency.chart.boundaries import BoundaryModel, estimate_boundaries
from spacy_joint.constituency.chart.chart import MAX_WORDS
from spacy_joint.constituency.chart.closing import (
    CLOSED,
    DEFAULT,
    Closing,
    choose_biases,
    find_frequent_tags,
    learn_closing,
)
from spacy_joint.constituency.chart.cyk import ChartParser
from spacy_joint.constituency.chart.decoding import DECODINGS, MAX_CONSTITUENTS, VITERBI
from spacy_joint.constituency.chart.estimation import estimate_grammar, prepare
from spacy_joint.constituency.chart.fallback import GLUED, OPEN, WIDER
from spacy_joint.constituency.chart.grammar import Grammar
from spacy_joint.constituency.chart.sentence_parser import SentenceParser
from spacy_joint.constituency.chart.training import learn_constraints, make_parser, mark_examples
from spacy_joint.corpora.constituency_treebanks import read_treebank
from spacy_joint.scoring.brackets import BracketScores, count_brackets, load_parameters

app = typer.Typer(add_completion=False, help=__doc__)
Output = Annotated[Path | None, typer.Option(help="Write figures here, as JSON.")]
SETTINGS: dict[str, Any] = {"branching": "right", "horizontal": 1, "parents": True, "tag_parents": True}


@app.command()
def table(
    train: Path,
    test: Path,
    inside_widths: Annotated[list[int], typer.Option("--inside")] = [15, 30, 60],  # noqa: B006
    boundary_widths: Annotated[list[int], typer.Option("--boundary")] = [3, 5, 8, 15, 30],  # noqa: B006
    sentences: int = 0,
    output: Output = None,
) -> None:
    """Print the table of searches. The ranks of the best trees, as widths, are what classifiers of cells can reach."""
    treebank = list(read_treebank(train))
    trees = list(read_treebank(test))[: sentences or None]
    grammar, boundaries, _ = estimate(treebank)
    searches = {"exhaustive": make(grammar)}
    for name, model, widths in (("inside", None, inside_widths), ("boundary", boundaries, boundary_widths)):
        for width in widths:
            searches[f"{name}, {width}"] = make(grammar, model, width=width)
        ranks, closed = Given({}), Given({})
        exhaustive = make(grammar, model)
        for tree in trees:
            words = tree.leaves()
            found = exhaustive.rank_edges(words)
            if found is None:
                found = np.full((len(words), len(words) + 1), DEFAULT)
            ranks.widths[tuple(words)] = found
            closed.widths[tuple(words)] = np.minimum(found, np.where(found > 0, DEFAULT, CLOSED))
        searches[f"{name}, {widths[-1]}, oracle closing"] = make(grammar, model, [closed], width=widths[-1])
        searches[f"{name}, oracle widths"] = make(grammar, model, [ranks], width=widths[-1])
    write_table(searches, trees, output)


@app.command()
def closings(
    train: Path,
    dev: Path,
    test: Path,
    inside: int = 30,
    boundary: int = 15,
    keep: Annotated[float, typer.Option(help="The share of cells that closings leave open where they should.")] = 0.98,
    keep_widths: Annotated[float, typer.Option(help="The same, of the classifier of widths.")] = 0.99,
    threshold: Annotated[float, typer.Option(help="The score from which constraints close a word.")] = 50.0,
    parsed: Annotated[int, typer.Option(help="From how many sentences widths are learnt; 0: all.")] = 0,
    sentences: int = 0,
    repeats: int = 3,
    output: Output = None,
) -> None:
    """Print the table of what is told beforehand: closings, widths and constraints, learnt from TRAIN, tuned on DEV."""
    treebank = list(read_treebank(train))
    trees = list(read_treebank(test))[: sentences or None]
    grammar, boundaries, prepared = estimate(treebank)
    held = [prepare(tree, **SETTINGS) for tree in read_treebank(dev)]
    tags = find_frequent_tags(treebank)

    def learn(kind: str, parser: SentenceParser, share: float, most: int = 0) -> Closing:
        closing = learn_closing(mark_examples(parser, prepared[: most or None], kind), kind, tags)
        choose_biases(closing, mark_examples(parser, held[: most or None], kind), share)
        return closing

    searches = {"exhaustive": make(grammar)}
    constituents, complete = (learn(kind, searches["exhaustive"], keep) for kind in ("constituents", "complete"))
    constraints = learn_constraints(prepared, tags, mode="absolute", amount=threshold)
    for name, closing in (("constituents", constituents), ("complete", complete)):
        searches[f"exhaustive + {name}"] = make(grammar, closings=[closing])
    for name, model, width in (("inside", None, inside), ("boundary", boundaries, boundary)):
        widths = learn("widths", make(grammar, model, width=width), keep_widths, parsed)
        combined = {
            "": [],
            " + constraints": [constraints],
            " + constituents": [constituents],
            " + complete": [complete],
            " + widths": [widths],
            " + complete + constraints": [complete, constraints],
            " + complete + widths": [complete, widths],
            " + complete + widths + constraints": [complete, widths, constraints],
        }
        for more, used in combined.items():
            searches[f"{name}, {width}{more}"] = make(grammar, model, used, width=width)
    write_table(searches, trees, output, repeats)


@app.command()
def decodings(
    train: Path,
    test: Path,
    width: int = 10,
    keep: Annotated[float, typer.Option(help="The share of cells that stay open where they should.")] = 0.99,
    sentences: int = 0,
    output: Output = None,
) -> None:
    """Print the table of decodings, with and without complete closure and a limit of width."""
    trees = list(read_treebank(test))[: sentences or None]
    search = {"width": width, "decoding": VITERBI, "max_words": MAX_WORDS, "cut_long": False}
    made = make_parser(
        list(read_treebank(train)),
        annotation=SETTINGS,
        search=search,
        has_boundaries=True,
        closures=["complete"],
        keep_open=keep,
    )
    searches = {}
    for limit in (0, width):
        for closed, closings in (("", ()), (" + complete", made.closings)):
            for decoding in DECODINGS:
                name = f"{f'boundary, {limit}' if limit else 'exhaustive'}{closed}, {decoding}"
                model = made.boundaries if limit else None
                searches[name] = make(made.grammar, model, closings, width=limit, decoding=decoding)
    write_table(searches, trees, output)


@app.command()
def long(
    train: Path,
    test: Path,
    amount: int = 20,
    width: int = 10,
    lengths: Annotated[list[int], typer.Option("--length")] = [50, 100, 200, 400],  # noqa: B006
    sentences: int = 3,
    decoding: str = MAX_CONSTITUENTS,
    output: Output = None,
) -> None:
    """Print seconds per sentence by its length, with the linear mode of constraints and without."""
    treebank = list(read_treebank(train))
    stream = [word for tree in read_treebank(test) for word in tree.leaves()]
    grammar, boundaries, prepared = estimate(treebank)
    constraints = learn_constraints(prepared, find_frequent_tags(treebank), mode="linear", amount=amount)
    parsers = {
        "beam": make(grammar, boundaries, width=width, decoding=decoding),
        "linear": make(grammar, boundaries, [constraints], width=width, decoding=decoding),
    }
    results = {}
    for length in lengths:
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


class Given(NamedTuple):
    """A closing that is told the widths of sentences."""

    widths: dict[tuple[str, ...], np.ndarray]

    def predict(self, words: Sequence[str]) -> np.ndarray:
        """These widths."""
        return self.widths[tuple(words)]


def estimate(treebank: Sequence[Tree]) -> tuple[Grammar, BoundaryModel, list[Tree]]:
    """The grammar of a treebank, its boundary model, and the trees as both are made of them."""
    grammar, prepared = estimate_grammar(treebank, **SETTINGS), [prepare(tree, **SETTINGS) for tree in treebank]
    return grammar, estimate_boundaries(prepared, grammar), prepared


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
    searches: dict[str, SentenceParser], trees: Sequence[Tree], output: Path | None, repeats: int = 1
) -> None:
    """Measure searches, the first of which is exhaustive, and print the figures."""
    rows = []
    best: list[float] = []
    for name, parser in searches.items():
        figures, scores = measure(parser, trees, repeats)
        best = best or scores
        figures["search errors %"] = 100 * float(np.mean([a < b - 1e-6 for a, b in zip(scores, best, strict=True)]))
        rows.append({"search": name, **figures})
        print(rows[-1], flush=True)
    header = list(rows[0])
    print(
        format_table(
            header, [[f"{row[name]:.4g}" if name != "search" else row[name] for name in header] for row in rows]
        )
    )
    write_results({row["search"]: row for row in rows}, output)


def measure(parser: SentenceParser, trees: Sequence[Tree], repeats: int) -> tuple[dict[str, float], list[float]]:
    """The figures of a search, and the log-probability of each tree."""
    parameters = load_parameters("evalb")
    brackets = BracketScores()
    scores, seconds = [], 0.0
    counts: Counter[str] = Counter()
    for tree in trees:
        leaves = tree.preterminals()
        words = tree.leaves()
        times = []
        for _ in range(repeats):
            start = time.process_time()
            parse, stats = parser.parse(words)
            times.append(time.process_time() - start)
        seconds += min(times)
        scores.append(-math.inf if parse.log_probability is None else parse.log_probability)
        counts.update({name: stats[name] for name in ("words", "cells", "closed")}, **{stats["stage"]: 1})
        kept = np.cumsum([0, *(parameters.keeps(leaf.label, leaf.word or "") for leaf in leaves)])
        found = [(phrase.label, phrase.blocks) for phrase in parse.phrases]
        gold = [(label, [(start, end)]) for label, start, end in tree.spans()[1:]]
        brackets.add(count_brackets(found, kept, parameters), count_brackets(gold, kept, parameters))
    figures = {
        "s/sentence": seconds / len(trees),
        "words/s": counts["words"] / seconds,
        "F1": 100 * brackets.to_dict("brackets")["brackets_f"],
        "wider": counts[WIDER] + counts[OPEN],
        "glued": counts[GLUED],
        "closed %": 100 * counts["closed"] / counts["cells"],
    }
    return figures, scores


@app.command("nltk")
def compare_nltk(
    train: Path,
    test: Path,
    fewest_words: int = 3,
    most_words: int = 10,
    sentences: int = 200,
    repeats: Annotated[int, typer.Option(help="How often our parser parses a sentence, as it takes so little.")] = 100,
    output: Output = None,
) -> None:
    """Compare scores and speed with NLTK's ViterbiParser, with the same grammar and tags of words."""
    import nltk

    grammar = estimate_grammar(read_treebank(train), **SETTINGS)
    parser = ChartParser(grammar)
    trees = [tree for tree in read_treebank(test) if fewest_words <= len(tree.leaves()) <= most_words][:sentences]
    symbols = {symbol: nltk.Nonterminal(symbol) for symbol in grammar.symbols}
    rules = [
        nltk.ProbabilisticProduction(
            symbols[rule.parent], [symbols[child] for child in rule.children], prob=rule.probability
        )
        for rule in grammar.rules
    ]
    times, difference, n_words, n_parsed = {"nltk": 0.0, "ours": 0.0}, 0.0, 0, 0
    for number, tree in enumerate(trees, start=1):
        words = find_tags(grammar, tree.leaves())
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
        found = list(theirs.parse(names))
        times["nltk"] += time.process_time() - start
        start = time.process_time()
        for _ in range(repeats):
            score, *_ = parser.parse(words)
        times["ours"] += (time.process_time() - start) / repeats
        n_words += len(words)
        expected = math.log(found[0].prob()) if found else -math.inf
        n_parsed += bool(found)
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
        # NLTK takes its time: what is done is kept.
        write_results(results, output)
    print(results)


def find_tags(grammar: Grammar, words: Sequence[str]) -> list[list[tuple[str, float]]]:
    """The possible tags of words, as the parser takes them."""
    found = [grammar.lexicon.find_tags(word, is_first=place == 0) for place, word in enumerate(words)]
    return [[(tag, math.log(probability)) for tag, probability in tags.items()] for tags in found]


if __name__ == "__main__":
    app()
