"""Searches of the chart parser: what is left out of the chart, how fast that is, and what it costs in accuracy.

`table` trains a grammar on a treebank and parses another part of it, each search in turn: seconds per sentence, words
per second, F1 as EVALB has it, search errors (sentences whose tree is less probable than the best one), sentences for
which wider searches or fragments were needed, and the share of closed cells. Times are of one thread and CPU time, from
words to nodes: they have the tags of words, figures of merit, and repeated searches. `closings` does so for what tells
beforehand which cells are closed or narrow; times have this, too, and are of the fastest of several runs for each
sentence. `long` parses sentences of growing length, made of others. `nltk` compares scores and speed with NLTK's
ViterbiParser on short sentences.
"""

from measure import format_table, write_results

# isort: split
import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer

from spacy_joint.annotation.constituency_trees import Tree
from spacy_joint.constituency.binary_trees import to_phrases
from spacy_joint.constituency.chart.boundaries import estimate_boundaries
from spacy_joint.constituency.chart.closing import (
    Closing,
    choose_biases,
    combine,
    find_frequent_tags,
    learn_closing,
    list_nodes,
    mark_cells,
    mark_ranks,
)
from spacy_joint.constituency.chart.constraints import ChartConstraints, mark_boundaries
from spacy_joint.constituency.chart.cyk import ChartParser
from spacy_joint.constituency.chart.decoding import decode_posteriors
from spacy_joint.constituency.chart.estimation import estimate_grammar, prepare
from spacy_joint.constituency.chart.fallback import Outcome, parse_surely
from spacy_joint.constituency.chart.grammar import Grammar, strip_annotation
from spacy_joint.corpora.constituency_treebanks import read_treebank
from spacy_joint.scoring.brackets import BracketScores, count_brackets, load_parameters

app = typer.Typer(add_completion=False, help=__doc__)
Output = Annotated[Path | None, typer.Option(help="Write figures here, as JSON.")]
SETTINGS: dict[str, Any] = {"branching": "right", "horizontal": 1, "parents": True, "tag_parents": True}

Words = list[list[tuple[str, float]]]


class Search(NamedTuple):
    """A row of the table.

    run: Gives the outcome of the sentence with a number and the possible tags of its words.
    """

    name: str
    parser: ChartParser
    run: Callable[[int, Words], Outcome]


@app.command()
def table(
    train: Path,
    test: Path,
    inside_widths: Annotated[list[int], typer.Option("--inside")] = [15, 30, 60],  # noqa: B006
    boundary_widths: Annotated[list[int], typer.Option("--boundary")] = [3, 5, 8, 15, 30],  # noqa: B006
    sentences: int = 0,
    posteriors: bool = False,
    output: Output = None,
) -> None:
    """Print the table of searches. The ranks of the best trees, as widths, are what classifiers of cells can reach."""
    treebank = list(read_treebank(train))
    trees = list(read_treebank(test))[: sentences or None]
    grammar = estimate_grammar(treebank, **SETTINGS)
    boundaries = estimate_boundaries((prepare(tree, **SETTINGS) for tree in treebank), grammar)
    plain, informed = ChartParser(grammar), ChartParser(grammar, boundaries)
    ranks: dict[str, list[np.ndarray]] = {"inside": [], "boundary": []}
    for tree in trees:
        words = find_tags(grammar, tree.leaves())
        _, nodes = plain.parse(words)
        ranks["inside"].append(plain.rank_edges(words, nodes))
        ranks["boundary"].append(informed.rank_edges(words, nodes))
    searches = [Search("exhaustive", plain, lambda _, words: Outcome(*plain.parse(words, glue=True), "first"))]
    for name, parser, widths in (("inside", plain, inside_widths), ("boundary", informed, boundary_widths)):
        for width in widths:
            searches.append(Search(f"{name}, {width}", parser, beam(parser, width)))
        # Sentences without a derivation have no ranks, which would close all cells.
        of_cells = [array if array.any() else array - 1 for array in ranks[name]]
        closed = [np.minimum(array, -(array > 0).astype(int)) for array in of_cells]
        searches.append(Search(f"{name}, {widths[-1]}, oracle closing", parser, beam(parser, widths[-1], closed)))
        searches.append(Search(f"{name}, oracle widths", parser, beam(parser, widths[-1], of_cells)))
    if posteriors:
        for width in (0, boundary_widths[-1]):
            for threshold in (0.3, 0.5):
                run = decode(informed if width else plain, width, threshold, grammar.root)
                searches.append(Search(f"posteriors, {width}, {threshold}", plain, run))
    write_table(searches, grammar, trees, output)


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
    treebank, tuned = (list(read_treebank(path)) for path in (train, dev))
    trees = list(read_treebank(test))[: sentences or None]
    grammar = estimate_grammar(treebank, **SETTINGS)
    prepared, held = ([prepare(tree, **SETTINGS) for tree in part] for part in (treebank, tuned))
    informed = ChartParser(grammar, estimate_boundaries(prepared, grammar))
    plain = ChartParser(grammar)
    tags = find_frequent_tags(treebank)
    learnt: dict[str, Closing | ChartConstraints] = {}
    for kind in ("constituents", "complete"):
        examples, examples_held = (
            [(tree.leaves(), mark_cells(list_nodes(tree), len(tree.leaves()), kind)) for tree in part]
            for part in (prepared, held)
        )
        learnt[kind] = closing = learn_closing(examples, kind, tags)
        choose_biases(closing, examples_held, keep)
    constraints = ChartConstraints(tags, amount=threshold)
    constraints.learn([(tree.leaves(), mark_boundaries(list_nodes(tree), len(tree.leaves()))) for tree in prepared])
    learnt["constraints"] = constraints
    for name, parser, width in (("inside", plain, inside), ("boundary", informed, boundary)):
        examples, examples_held = (
            rank_all(parser, grammar, part[: parsed or None], width) for part in (treebank, tuned)
        )
        learnt[f"widths, {name}"] = closing = learn_closing(examples, "widths", tags)
        choose_biases(closing, examples_held, keep_widths)
    searches = [
        Search("exhaustive", plain, lambda _, words: Outcome(*plain.parse(words, glue=True), "first")),
        *(close(f"exhaustive + {name}", plain, 0, trees, [learnt[name]]) for name in ("constituents", "complete")),
    ]
    for name, parser, width in (("inside", plain, inside), ("boundary", informed, boundary)):
        widths = learnt[f"widths, {name}"]
        combined = {
            "": [],
            " + constraints": [constraints],
            " + constituents": [learnt["constituents"]],
            " + complete": [learnt["complete"]],
            " + widths": [widths],
            " + complete + constraints": [learnt["complete"], constraints],
            " + complete + widths": [learnt["complete"], widths],
            " + complete + widths + constraints": [learnt["complete"], widths, constraints],
        }
        searches += [close(f"{name}, {width}{more}", parser, width, trees, used) for more, used in combined.items()]
    write_table(searches, grammar, trees, output, repeats)


@app.command()
def long(
    train: Path,
    test: Path,
    amount: int = 20,
    width: int = 15,
    lengths: Annotated[list[int], typer.Option("--length")] = [50, 100, 200, 400],  # noqa: B006
    sentences: int = 3,
    output: Output = None,
) -> None:
    """Print seconds a sentence by its length, with the linear mode of constraints and without."""
    treebank = list(read_treebank(train))
    stream = [word for tree in read_treebank(test) for word in tree.leaves()]
    grammar = estimate_grammar(treebank, **SETTINGS)
    prepared = [prepare(tree, **SETTINGS) for tree in treebank]
    parser = ChartParser(grammar, estimate_boundaries(prepared, grammar))
    constraints = ChartConstraints(find_frequent_tags(treebank), mode="linear", amount=amount)
    constraints.learn([(tree.leaves(), mark_boundaries(list_nodes(tree), len(tree.leaves()))) for tree in prepared])
    results = {}
    for length in lengths:
        seconds = dict.fromkeys(("beam", "linear"), 0.0)
        edges = dict.fromkeys(seconds, 0)
        for number in range(sentences):
            words = stream[number * length : (number + 1) * length]
            for name in seconds:
                start = time.process_time()
                widths = constraints.predict(words) if name == "linear" else None
                parser.parse(find_tags(grammar, words), width=width, widths=widths, glue=True)
                seconds[name] += time.process_time() - start
                edges[name] += parser.stats["edges"]
        results[length] = {
            name: {"s/sentence": seconds[name] / sentences, "edges": edges[name] / sentences} for name in seconds
        }
        print(length, results[length], flush=True)
    write_results(results, output)


def rank_all(
    parser: ChartParser, grammar: Grammar, trees: Sequence[Tree], width: int
) -> list[tuple[list[str], np.ndarray]]:
    """What widths are learnt from: the words of sentences, and the classes of cells by the trees that are found."""
    examples = []
    for tree in trees:
        words = find_tags(grammar, tree.leaves())
        _, nodes = parser.parse(words, width=width)
        if nodes:
            examples.append((tree.leaves(), mark_ranks(parser.rank_edges(words, nodes, width=width))))
    return examples


def close(
    name: str, parser: ChartParser, width: int, trees: Sequence[Tree], used: Sequence[Closing | ChartConstraints]
) -> Search:
    """A search in the cells that all of these leave open."""

    def run(number: int, words: Words) -> Outcome:
        told = [closing.predict(trees[number].leaves()) for closing in used]
        return parse_surely(parser, words, width=width, widths=combine(*told) if told else None)

    return Search(name, parser, run)


def write_table(
    searches: Sequence[Search], grammar: Grammar, trees: Sequence[Tree], output: Path | None, repeats: int = 1
) -> None:
    """Measure searches, the first of which is exhaustive, and print the figures."""
    rows = []
    best: list[float] = []
    for search in searches:
        figures, scores = measure(search, grammar, trees, repeats)
        best = best or scores
        figures["search errors %"] = 100 * float(np.mean([a < b - 1e-6 for a, b in zip(scores, best, strict=True)]))
        rows.append({"search": search.name, **figures})
        print(rows[-1], flush=True)
    header = list(rows[0])
    print(
        format_table(
            header, [[f"{row[name]:.4g}" if name != "search" else row[name] for name in header] for row in rows]
        )
    )
    write_results({row["search"]: row for row in rows}, output)


def find_tags(grammar: Grammar, words: Sequence[str]) -> Words:
    """The possible tags of words, as the parser takes them."""
    found = [grammar.lexicon.find_tags(word, is_first=place == 0) for place, word in enumerate(words)]
    return [[(tag, math.log(probability)) for tag, probability in tags.items()] for tags in found]


def beam(
    parser: ChartParser, width: int, widths: Sequence[np.ndarray] | None = None
) -> Callable[[int, Words], Outcome]:
    """A search with these widths."""
    return lambda number, words: parse_surely(
        parser, words, width=width, widths=None if widths is None else widths[number]
    )


def decode(parser: ChartParser, width: int, threshold: float, root: str) -> Callable[[int, Words], Outcome]:
    """A search for what is probable in all derivations."""

    def run(_: int, words: Words) -> Outcome:
        total, posteriors = parser.sum_derivations(words, width=width)
        return Outcome(total, decode_posteriors(posteriors, len(words), root, threshold), "first")

    return run


def measure(
    search: Search, grammar: Grammar, trees: Sequence[Tree], repeats: int
) -> tuple[dict[str, float], list[float]]:
    """The figures of a search, and the score of each sentence."""
    parameters = load_parameters("evalb")
    brackets = BracketScores()
    outcomes, seconds, cells, closed = [], 0.0, 0, 0
    for number, tree in enumerate(trees):
        words = tree.leaves()
        times = []
        for _ in range(repeats):
            start = time.process_time()
            outcome = search.run(number, find_tags(grammar, words))
            times.append(time.process_time() - start)
        outcomes.append(outcome)
        seconds += min(times)
        cells += search.parser.stats["cells"]
        closed += search.parser.stats["closed"]
    for tree, outcome in zip(trees, outcomes, strict=True):
        leaves = tree.preterminals()
        nodes = [(strip_annotation(symbol), first, second) for symbol, first, second in outcome.nodes]
        kept = np.cumsum([0, *(parameters.keeps(leaf.label, leaf.word or "") for leaf in leaves)])
        found = [(phrase.label, phrase.blocks) for phrase in to_phrases(nodes, len(leaves))]
        gold = [(label, [(start, end)]) for label, start, end in tree.spans()[1:]]
        brackets.add(count_brackets(found, kept, parameters), count_brackets(gold, kept, parameters))
    n_words = sum(len(tree.leaves()) for tree in trees)
    figures = {
        "s/sentence": seconds / len(trees),
        "words/s": n_words / seconds,
        "F1": 100 * brackets.to_dict("brackets")["brackets_f"],
        "wider": sum(outcome.stage in ("wider", "open") for outcome in outcomes),
        "glued": sum(not math.isfinite(outcome.score) for outcome in outcomes),
        "closed %": 100 * closed / cells,
    }
    return figures, [outcome.score for outcome in outcomes]


@app.command("nltk")
def compare_nltk(train: Path, test: Path, most_words: int = 8, sentences: int = 20, output: Output = None) -> None:
    """Compare scores and speed with NLTK's ViterbiParser, with the same grammar and tags of words."""
    import nltk

    grammar = estimate_grammar(read_treebank(train), **SETTINGS)
    parser = ChartParser(grammar)
    trees = [tree for tree in read_treebank(test) if 2 <= len(tree.leaves()) <= most_words][:sentences]
    symbols = {symbol: nltk.Nonterminal(symbol) for symbol in grammar.symbols}
    rules = [
        nltk.ProbabilisticProduction(
            symbols[rule.parent], [symbols[child] for child in rule.children], prob=rule.probability
        )
        for rule in grammar.rules
    ]
    times, differences, n_words = {"nltk": 0.0, "ours": 0.0}, [], 0
    for tree in trees:
        words = find_tags(grammar, tree.leaves())
        lexical = [
            nltk.ProbabilisticProduction(symbols[tag], [str(place)], prob=math.exp(score))
            for place, tags in enumerate(words)
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
        theirs = nltk.ViterbiParser(nltk.PCFG(symbols[grammar.root], [*rules, *lexical]))
        start = time.process_time()
        found = list(theirs.parse([str(place) for place in range(len(words))]))
        times["nltk"] += time.process_time() - start
        start = time.process_time()
        for _ in range(100):
            score, _ = parser.parse(words)
        times["ours"] += (time.process_time() - start) / 100
        n_words += len(words)
        differences.append(abs(score - math.log(found[0].prob())) if found else abs(score) * (score > -math.inf))
        print(len(words), score, differences[-1], times, flush=True)
    results = {"sentences": len(trees), "words": n_words, "greatest difference": max(differences)}
    results |= {"words/s": n_words / times["ours"], "words/s of NLTK": n_words / times["nltk"]}
    results["ratio"] = times["nltk"] / times["ours"]
    print(results)
    write_results(results, output)


if __name__ == "__main__":
    app()
