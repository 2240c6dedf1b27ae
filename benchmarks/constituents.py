"""Compares transition systems, features, updates and beams of the constituency parser.

Trains each parser on gold tags, one sentence at a time, and writes Markdown tables. Runs are stored in WORK by
their settings and not repeated. p values compare with the first row of a table, by approximate randomisation over
sentences; 95 % intervals are by the bootstrap over sentences. Speed is in sentences per CPU second in one thread, from
a tagged `Doc` to its annotation (shipped pipeline: from tokens).
"""

from measure import Document, format_table, replace_section, time_annotation, write_results

# isort: split
import json
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Annotated, Any

import numpy as np
import spacy
import typer
from significance import randomise
from spacy.training import Example
from spacy.util import fix_random_seed

import spacy_joint
from spacy_joint.corpora.constituency_treebanks import make_doc, read_tree_documents, read_treebank
from spacy_joint.corpora.examples import make_example
from spacy_joint.engine.columns import Columns
from spacy_joint.phrases.constituency_parser import SYSTEMS
from spacy_joint.scoring.brackets import Bracket, load_parameters
from spacy_joint.scoring.constituents import compare_sentences
from spacy_joint.scoring.quotations import Counts
from spacy_joint.trees.constituency_trees import Tree
from spacy_joint.trees.discontinuity import attach_root_children

SEPARATORS = Path(__file__).parent / "separator_templates.txt"

app = typer.Typer(help=__doc__, pretty_exceptions_enable=False)

HEADER = ("", "F1", "exact", "p", "disc. F1", "disc. P", "disc. R", "p", "sentences/s")
FINAL_HEADER = ("", "sentences", "F1", "interval", "exact", "disc. F1", "interval", "disc. brackets", "sentences/s")
SAMPLES = 2000
# Sentences per document, if boundaries are predicted.
SENTENCES = 50
# What the atoms of swaps are called in the system with gaps, where the newest constituent is not on the stack.
GAP_ATOMS = {"s0": "d0", "s1": "s0", "s2": "s1", "s3": "s2", "q0": "b0", "q1": "b0+1", "q2": "b0+2", "q3": "b0+3"}


@dataclass(frozen=True)
class Run:
    """The settings of a parser.

    features: Sections of swap_templates.txt and separator_templates.txt, or "default" for all templates of the system.
    normalised: Whether the final items of the beam are compared by their scores per transition.
    """

    corpus: str = "alpino"
    system: str = "swap"
    features: tuple[str, ...] = ("baseline",)
    beam: int = 4
    strategy: str = "laso"
    update_weight: float = 1.0
    min_changes: int = 1
    epochs: int = 9
    dropout: float = 0.3
    table_bits: int = 21
    head_rules: str = "alpino"
    test_beam: int | None = None
    normalised: bool = False
    parameters: str = "proper"
    split: str = "dev"
    seed: int = 0

    def name(self) -> str:
        """The name of the file with its results."""
        return sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:16]


def read_features(run: Run) -> str:
    """The templates of a run."""
    text = "\n".join(path.read_text(encoding="utf8") for path in (SYSTEMS["swap"].templates, SEPARATORS))
    sections = {
        section.split(".")[0].split(":")[0].lower(): section.partition("\n")[2]
        for section in re.split(r"^# (?=[A-Z]\w+[.:])", text, flags=re.MULTILINE)[1:]
    }
    if run.system in ("gap", "shift_reduce"):
        for name, section in sections.items():
            sections[name] = re.sub(r"\b[sq][0-3]\b", lambda match: GAP_ATOMS[match[0]], section)
    sections["default"] = SYSTEMS[run.system].templates.read_text(encoding="utf8")
    return "\n".join(sections[name] for name in run.features)


def make_examples(trees: Iterable[Tree], vocab: Any) -> list[Example]:
    """Examples of one sentence each, with gold tags."""
    return [make_example(make_doc(vocab, [tree]), ["TAG", "SENT_START"]) for tree in trees]


def train(run: Run, trees: Sequence[Tree]) -> spacy.Language:
    """Train a parser."""
    nlp = spacy.blank("xx")
    settings = {
        "system": run.system,
        "head_rules": run.head_rules,
        "update_weight": run.update_weight,
        "model": {
            "table_bits": run.table_bits,
            "beam_width": run.beam,
            "update_strategy": run.strategy,
            "min_changes": run.min_changes,
        },
    }
    parser: Any = nlp.add_pipe("constituency_parser", config=settings)
    examples = make_examples(trees, nlp.vocab)
    fix_random_seed(run.seed)
    with NamedTemporaryFile("w", suffix=".txt", encoding="utf8") as file:
        file.write(read_features(run))
        file.flush()
        parser.initialize(lambda: examples, nlp=nlp, templates=file.name)
    instances = [instance for example in examples for instance in parser.make_instances(example)]
    print(f"{run}: seed {run.seed}, {len(instances)} of {len(examples)} sentences", flush=True)
    shuffled = random.Random(run.seed)
    for _ in range(run.epochs):
        shuffled.shuffle(instances)
        for instance in instances:
            parser.perceptron.update([instance], run.dropout)
    parser.perceptron.finish()
    return nlp


def evaluate(nlp: spacy.Language, examples: Sequence[Example], parameters: str) -> dict[str, Any]:
    """Parse documents: the counts of each sentence, and sentences per CPU second."""
    parsed = [Example(nlp(example.predicted.copy()), example.reference) for example in examples]
    docs = [example.predicted for example in examples]
    seconds = min(time_annotation(lambda copies: [nlp(doc) for doc in copies], docs) for _ in range(3))
    counts: dict[str, list[list[int]]] = {"all": [], "discontinuous": []}
    exact = []
    for example in parsed:
        for found, expected in compare_sentences(example, load_parameters(parameters)):
            exact.append(found == expected)
            counts["all"].append(_count(found, expected))
            counts["discontinuous"].append(_count(_select(found), _select(expected)))
    return {**counts, "exact": sum(exact) / len(exact), "speed": len(exact) / seconds}


def _count(found: Counter[Bracket], expected: Counter[Bracket]) -> list[int]:
    right = (found & expected).total()
    return [right, found.total(), right, expected.total()]


def _select(brackets: Counter[Bracket]) -> Counter[Bracket]:
    return Counter({bracket: count for bracket, count in brackets.items() if len(bracket[1]) > 1})


def search_normalised(parser: Any, sentence: Columns) -> np.ndarray:
    """The actions with the best score per action among those in the beam at the end."""
    paths = parser.perceptron.predict_all(sentence, parser.perceptron.beam_width)
    return max(paths, key=lambda path: path[1] / max(len(path[0]), 1))[0]


class Laboratory:
    """Runs experiments and keeps their results.

    work: The directory of results.
    treebanks: Reads the trees of a corpus: those of the training, development and test parts.
    """

    def __init__(self, work: Path, treebanks: dict[str, Callable[[], dict[str, list[Tree]]]]) -> None:
        self.work = work
        self.read_treebank = cache(lambda corpus: treebanks[corpus]())
        self.trained: tuple[Run, spacy.Language] | None = None

    def measure(self, run: Run) -> dict[str, Any]:
        """The results of a run, as `evaluate` returns them."""
        stored = self.work / f"{run.name()}.json"
        if not stored.is_file():
            trees = self.read_treebank(run.corpus)
            # A parser is evaluated with several beams and on several parts.
            same = replace(run, test_beam=None, normalised=False, split="")
            if self.trained is None or self.trained[0] != same:
                start = time.process_time()
                self.trained = same, train(run, trees["train"])
                print(f"trained in {time.process_time() - start:.0f} s", flush=True)
            nlp = self.trained[1]
            parser: Any = nlp.get_pipe("constituency_parser")
            parser.perceptron.beam_width = run.test_beam or run.beam
            vars(parser.perceptron).pop("predict", None)
            if run.normalised:
                parser.perceptron.predict = partial(search_normalised, parser)
            results = evaluate(nlp, make_examples(trees[run.split], nlp.vocab), run.parameters)
            write_results({"run": asdict(run), **results}, stored)
        return json.loads(stored.read_text(encoding="utf8"))

    def compare(self, title: str, runs: dict[str, Run]) -> str:
        """A table of runs."""
        results = {name: self.measure(run) for name, run in runs.items()}
        first = next(iter(results.values()))
        table = format_table(HEADER, [[name, *_describe(result, first)] for name, result in results.items()])
        text = f"{title}\n\n{table}\n"
        print(text, flush=True)
        return text


def _sum(counts: Sequence[Sequence[int]]) -> Counts:
    return Counts(*np.sum(counts, axis=0))


def _describe(result: dict[str, Any], first: dict[str, Any]) -> Iterator[str]:
    for kind in ("all", "discontinuous"):
        total = _sum(result[kind])
        yield f"{100 * total.f_score:.2f}"
        if kind == "all":
            yield f"{100 * result['exact']:.2f}"
        else:
            yield f"{100 * total.precision:.2f}" if total.values[1] else "-"
            yield f"{100 * total.recall:.2f}"
        reference, counts = ([Counts(*values) for values in one[kind]] for one in (first, result))
        yield "" if result is first else f"{randomise(reference, counts, rounds=1000):.3f}"
    yield f"{result['speed']:,.0f}"


def _describe_finally(result: dict[str, Any]) -> Iterator[str]:
    yield f"{len(result['all']):,}"
    for kind in ("all", "discontinuous"):
        counts = np.array(result[kind])
        if not counts.any():
            yield from "--0"
            continue
        yield f"{100 * _sum(counts).f_score:.2f}"
        generator = np.random.default_rng(0)
        drawn = [generator.integers(0, len(counts), len(counts)) for _ in range(SAMPLES)]
        low, high = np.percentile([100 * _sum(counts[places]).f_score for places in drawn], [2.5, 97.5])
        yield f"{low:.1f}-{high:.1f}"
        yield f"{100 * result['exact']:.2f}" if kind == "all" else f"{counts[:, 3].sum():,}"
    yield f"{result['speed']:,.0f}"


def read_alpino(path: Path) -> dict[str, list[Tree]]:
    """Alpino: the first 80 % of the trees, the next and the last 10 %, punctuation attached where it is least
    discontinuous."""
    trees = [attach_root_children(tree) for tree in read_treebank(path, "alpino")]
    bounds = [0, int(len(trees) * 0.8), int(len(trees) * 0.9), len(trees)]
    return {part: trees[bounds[i] : bounds[i + 1]] for i, part in enumerate(("train", "dev", "test"))}


def list_experiments() -> dict[str, dict[str, Run]]:
    """The tables on Alpino's development part: their titles, and the runs of each by their names."""
    swap = Run()
    extended = replace(swap, features=("baseline", "extended"))
    full = replace(swap, features=("baseline", "extended", "disco"))
    gap = replace(swap, system="gap")
    best = replace(gap, features=("default",), min_changes=4)
    return {
        "Ways to move words, baseline features": {
            "compound swap": swap,
            "single swap": replace(swap, system="single_swap"),
            "skip-shift": replace(swap, system="skip_shift"),
            "gap": gap,
        },
        "Features, compound swap": {
            "baseline": swap,
            "extended": extended,
            "disco": replace(swap, features=("baseline", "disco")),
            "separator": replace(swap, features=("baseline", "separator")),
            "extended, disco": full,
        },
        "Features, gap": {
            "baseline": gap,
            "baseline, disco": replace(gap, features=("baseline", "disco")),
            "all of gap_templates.txt": best,
            "all, disco": replace(best, features=("default", "disco")),
        },
        "Weight of gold swaps and gaps": {
            "compound swap": full,
            "compound swap, update weight 2": replace(full, update_weight=2.0),
            "gap": best,
            "gap, update weight 2": replace(best, update_weight=2.0),
        },
        "Changes that a feature needs, compound swap": {
            str(least): replace(full, min_changes=least) for least in (1, 5, 10)
        },
        "Update strategies, compound swap": {
            strategy: replace(full, strategy=strategy) for strategy in ("laso", "early", "max_violation", "dlaso")
        },
        "Update strategies, gap": {
            strategy: replace(best, strategy=strategy) for strategy in ("laso", "early", "max_violation", "dlaso")
        },
        "Beam in training and parsing, compound swap": {str(beam): replace(full, beam=beam) for beam in (1, 2, 4, 8)},
        "Beam in training and parsing, gap": {str(beam): replace(best, beam=beam) for beam in (1, 2, 4, 8)},
        "Scores of whole derivations, or per transition": {
            "compound swap": full,
            "compound swap, per transition": replace(full, normalised=True),
            "gap": best,
            "gap, per transition": replace(best, normalised=True),
        },
        "Variants of gap": {"gap": best, "continuous shift-reduce": replace(best, system="shift_reduce")},
    }


def list_final_runs() -> dict[str, Run]:
    """The runs of the final table, by their names."""
    swap = Run(min_changes=5)
    full = replace(swap, features=("baseline", "extended", "disco"))
    gap = Run(system="gap", features=("default",), min_changes=4)
    runs = {
        "Alpino, compound swap, baseline features": swap,
        "Alpino, compound swap, all features": full,
        "Alpino, skip-shift, all features": replace(full, system="skip_shift"),
        "Alpino, gap": gap,
        "WSJ, compound swap, all features": replace(full, corpus="wsj", head_rules="english"),
        "WSJ, gap": replace(gap, corpus="wsj", head_rules="english"),
    }
    return {f"{name}, beam {beam}": replace(run, beam=beam) for name, run in runs.items() for beam in (4, 8)}


Alpino = Annotated[Path, typer.Option(help="Alpino's XML file.")]
Work = Annotated[Path, typer.Option(help="Directory of results.")]


@app.command()
def develop(alpino: Alpino, work: Work, document: Document = None) -> None:
    """Compare systems, features and learning on the development part of Alpino."""
    laboratory = Laboratory(work, {"alpino": lambda: read_alpino(alpino)})
    tables = [laboratory.compare(title, runs) for title, runs in list_experiments().items()]
    replace_section(document, "develop", "\n".join(tables))


@app.command()
def final(
    alpino: Alpino,
    wsj: Annotated[Path, typer.Option(help="Directory with train, dev and test of the Penn Treebank sample.")],
    gum: Annotated[Path, typer.Option(help="Directory with train.ptb, dev.ptb and test.ptb.")],
    work: Work,
    split: Annotated[str, typer.Option(help="The part to measure, dev or test.")] = "dev",
    document: Document = None,
) -> None:
    """Measure the systems on Alpino, on the Penn Treebank sample with crossing branches, and, with the tags and the
    parser of the shipped pipeline, on GUM."""
    laboratory = Laboratory(
        work,
        {
            "alpino": lambda: read_alpino(alpino),
            "wsj": lambda: {part: list(read_treebank(wsj / part, traces="cross")) for part in ("train", split)},
        },
    )
    rows = []
    for name, run in list_final_runs().items():
        rows.append([name, *_describe_finally(laboratory.measure(replace(run, split=split)))])
        print(format_table(FINAL_HEADER, rows[-1:]), flush=True)
    for name, splitter, length in (
        ("GUM, predicted tags", [], 1),
        ("GUM, predicted tags and boundaries", ["joint_sbd_parser"], SENTENCES),
    ):
        nlp = spacy_joint.load()
        nlp.enable_pipe("constituency_parser")
        nlp.select_pipes(enable=["sequence_tagger", *splitter, "constituency_parser"])
        docs = read_tree_documents(gum / f"{split}.ptb", nlp.vocab, sentences=length)
        examples = [make_example(doc, ["SENT_START"] if length == 1 else []) for doc in docs]
        rows.append([name, *_describe_finally(evaluate(nlp, examples, "evalb"))])
    table = format_table(FINAL_HEADER, rows) + "\n"
    print(table)
    replace_section(document, "final", table)


if __name__ == "__main__":
    app()
