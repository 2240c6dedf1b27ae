"""Measures what a guide brings to the joint parser: alone, guiding it by beam width, in ablations, and beside a rival.

    python benchmarks/guides.py compare PIPELINE EWT GUM --sparse PIPELINE
    python benchmarks/guides.py alone EWT GUM --guide PIPELINE --guide PIPELINE
    python benchmarks/guides.py ablate PIPELINE GUIDED.spacy EWT GUM
    python benchmarks/guides.py rival PIPELINE TAGGED.spacy CONFIG EWT GUM

PIPELINE has a `sequence_tagger`, a `parser_guide` and a `joint_sbd_parser`; for `alone`, a `parser_guide`.

`alone` compares guides, such as those with different encoders, without a parser.

`ablate` trains parsers on GUIDED.spacy, a corpus with jackknifed columns of the guide of PIPELINE, and keeps them: with
all columns, without each of the guide's columns, with columns of the guide itself instead of jackknifed ones, without a
guide, and on trivial trees (NOSYNTAX, see reproduce.py) with and without a guide. To take minutes, they have one table
of weights and learn without dropout.

`rival` trains spaCy's own parser on the encoder of a guide, by the guide's config, from documents with jackknifed tags,
and scores it greedily and with spaCy's beam: dense features within the search.

Tokens are gold, everything else is predicted. Attachment scores count all tokens. A star marks lower-cased text without
punctuation. p values are of the difference to the first row, by approximate randomisation over documents. Speed is in
words per second in one thread, from tokens.
"""

from measure import (
    PARSER,
    Document,
    Output,
    count_words,
    find_pipeline,
    find_split,
    format_table,
    get_peak_memory,
    load_with_beam,
    measure_in_fresh_process,
    percent,
    read_references,
    report,
    time_annotation,
)

# isort: split
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, NamedTuple

import numpy as np
import spacy
import typer
from reproduction.runs import flatten
from significance import randomise
from spacy.cli._util import parse_config_overrides
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training.initialize import init_nlp
from spacy.training.loop import train
from spacy.util import load_config
from thinc.api import Config

from spacy_joint.annotation.custom_columns import (
    GUIDE_BOUNDARY,
    GUIDE_COLUMNS,
    GUIDE_HEAD,
    GUIDE_LABEL,
    GUIDE_MARGIN,
    copy_columns,
    read_column,
)
from spacy_joint.cli.training.configs import CONFIGS
from spacy_joint.corpora.examples import make_example
from spacy_joint.scoring.quotations import Counts

CONFIG = CONFIGS / "guided_parser.cfg"
GUIDE = "parser_guide"
BEAMS = (1, 4, 8, 16, 32)
BEAM = 16
# The columns of the guide that an ablation leaves out.
WITHOUT = {
    "without boundaries": (GUIDE_BOUNDARY,),
    "without heads": (GUIDE_HEAD, GUIDE_MARGIN),
    "without labels": (GUIDE_LABEL,),
}
GUIDED, NO_GUIDE, NOT_JACKKNIFED, ALONE = "guided", "no guide", "not jackknifed", "guide alone"
# Learnt from trivial trees, so that only boundaries are scored.
NOSYNTAX, NOSYNTAX_NO_GUIDE = "guided, NOSYNTAX", "no guide, NOSYNTAX"
SMALL = {"n_tables": 1, "min_changes": 1, "threads": 1}
SPACY_PARSER = "parser"
SPACY_BEAM = 8
MEASURES = ("F1", "UAS", "LAS")
# Starts of sentences, heads, labels of the tokens of a document.
Decisions = tuple[np.ndarray, np.ndarray, np.ndarray]


def read_tree(doc: Doc) -> Decisions:
    """The boundaries and trees of a document."""
    starts = np.array([bool(token.is_sent_start) for token in doc])
    heads = np.array([token.head.i for token in doc])
    return starts, heads, np.array([token.dep_.lower() for token in doc])


def read_guide(doc: Doc) -> Decisions:
    """What the guide decides, each token by itself. The first token starts a sentence."""
    starts = np.asarray(read_column(doc, GUIDE_BOUNDARY)) > 0
    starts[:1] = True
    heads = np.arange(len(doc)) + np.asarray(read_column(doc, GUIDE_HEAD), dtype=int)
    return starts, heads, np.array([label.lower() for label in read_column(doc, GUIDE_LABEL) or ()])


def count(found: Decisions, right: Decisions) -> dict[str, Counts]:
    """The counts of a document by measure."""
    hits, n = int((found[0] & right[0]).sum()), len(right[0])
    heads = found[1] == right[1]
    labelled = int((heads & (found[2] == right[2])).sum())
    return {
        "F1": Counts(hits, int(found[0].sum()), hits, int(right[0].sum())),
        "UAS": Counts(int(heads.sum()), n, int(heads.sum()), n),
        "LAS": Counts(labelled, n, labelled, n),
    }


def score(nlp: Language, path: Path, read: Callable[[Doc], Decisions], *, starred: bool) -> dict[str, list[Counts]]:
    """The counts of all documents of a file, by measure."""
    references = read_references(path, nlp.vocab, starred=starred)
    predicted = nlp.pipe(make_example(reference).predicted for reference in references)
    counts = [count(read(doc), read_tree(gold)) for doc, gold in zip(predicted, references, strict=True)]
    return {name: [of_doc[name] for of_doc in counts] for name in MEASURES}


class System(NamedTuple):
    """A pipeline with a beam width; 0: only its guide."""

    path: Path
    beam_width: int


class Comparison:
    """A table of systems, of which the first one is what the others are compared with.

    treebanks: Directories with *-dev.conllu and *-test.conllu.
    costs: Whether to measure speed and memory, too.
    """

    def __init__(self, treebanks: list[Path], split: str, *, costs: bool = True) -> None:
        self.texts = [(find_split(path, split), starred) for path in treebanks for starred in (False, True)]
        self.costs = costs
        self.counts: dict[str, list[dict[str, list[Counts]]]] = {}
        self.results: dict[str, dict[str, Any]] = {}
        self.rows: list[list[str]] = []

    @property
    def header(self) -> list[str]:
        """EWT for en_ewt-ud-dev, with a star for EWT*."""
        return [
            f"{file.stem.partition('-')[0].partition('_')[2].upper()}{'*' * starred}" for file, starred in self.texts
        ]

    def add(self, name: str, system: System, measures: Iterable[str] = MEASURES) -> None:
        """Score a system, and print its row."""
        nlp, read = load(system)
        self.counts[name] = [score(nlp, file, read, starred=starred) for file, starred in self.texts]
        first = next(iter(self.counts))
        result, row = {}, [name]
        for text, counts, of_first in zip(self.header, self.counts[name], self.counts[first], strict=True):
            cells = []
            for measure in measures:
                value = 100 * sum(counts[measure], Counts()).f_score
                p_value = randomise(of_first[measure], counts[measure], rounds=1000)
                result[f"{text} {measure}"] = {"score": value, "p_value": p_value}
                cells.append(f"{value:.1f}" + (f" ({p_value:.3f})" if name != first else ""))
            row.append(" / ".join(cells))
        if self.costs:
            cost = measure_in_fresh_process(measure_cost, system, self.texts[0][0])
            result |= cost
            row += [f"{cost['speed']:,.0f}", f"{cost['memory'] / 2**20:,.0f}"]
        self.results[name] = result
        self.rows.append(row)
        print(" | ".join(row), flush=True)

    def contrast(self, title: str, first: str, second: str) -> list[str]:
        """A row with F1 scores of two systems and p values of their difference."""
        row = [title]
        for of_first, of_second in zip(self.counts[first], self.counts[second], strict=True):
            p_value = randomise(of_first["F1"], of_second["F1"], rounds=1000)
            scores = (percent(sum(of_each["F1"], Counts()).f_score) for of_each in (of_first, of_second))
            row.append(f"{' / '.join(scores)} ({p_value:.3f})")
        return row

    def write(self, output: Path | None, document: Path | None, section: str, *more: str) -> None:
        """Print the table and more of them, and write results and tables where asked to."""
        header = ["", *self.header, *(("words/s", "MB") if self.costs else ())]
        text = "\n\n".join([format_table(header, self.rows), *more])
        report(text, self.results, output, document, section)


def learn(config: Config, name: str, docs: list[Doc], work: Path) -> Path:
    """Train the parser of a config on documents, unless it is there already."""
    path = work / name.replace(",", "").replace(" ", "_")
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory() as directory:
            corpus = Path(directory) / "train.spacy"
            DocBin(docs=docs, store_user_data=True).to_disk(corpus)
            config = config.copy()
            config["paths"] |= {"train": str(corpus), "dev": str(corpus)}
            # Scored afterwards, on other documents.
            config["corpora"]["dev_original"]["limit"] = 1
            config["training"] |= {"dev_corpus": "corpora.dev_original", "patience": 0, "eval_frequency": 10**9}
            nlp = init_nlp(config.interpolate())
            train(nlp, None, stdout=sys.stderr, stderr=sys.stderr)
            nlp.to_disk(path)
    return path


def learn_ablations(guided: Path, corpus: Path, work: Path, overrides: dict[str, Any]) -> Iterator[tuple[str, Path]]:
    """Train the guided parser and its ablations."""
    config = load_config(CONFIG, overrides={"paths.guide": str(guided), **overrides})
    nlp = spacy.load(guided)
    docs = list(DocBin().from_disk(corpus).get_docs(nlp.vocab))
    flat = [flatten(doc) for doc in docs]
    for doc, of_trivial_trees in zip(docs, flat, strict=True):
        copy_columns(doc, of_trivial_trees)

    def without(columns: Iterable[str]) -> Config:
        changed = config.copy()
        kept = changed["components"][PARSER]["columns"]
        changed["components"][PARSER]["columns"] = {name: kept[name] for name in kept if name not in columns}
        return changed

    yield GUIDED, learn(config, GUIDED, docs, work)
    yield NO_GUIDE, learn(without(GUIDE_COLUMNS), NO_GUIDE, docs, work)
    yield NOSYNTAX, learn(config, NOSYNTAX, flat, work)
    yield NOSYNTAX_NO_GUIDE, learn(without(GUIDE_COLUMNS), NOSYNTAX_NO_GUIDE, flat, work)
    for name, columns in WITHOUT.items():
        yield name, learn(without(columns), name, docs, work)
    annotated = nlp.get_pipe(GUIDE).pipe(make_example(doc, ["TAG"]).predicted for doc in docs)
    for doc, of_guide in zip(docs, annotated, strict=True):
        copy_columns(of_guide, doc)
    yield NOT_JACKKNIFED, learn(config, NOT_JACKKNIFED, docs, work)


def learn_rival(guided: Path, corpus: Path, config_path: Path, work: Path, overrides: dict[str, Any]) -> Path:
    """Train spaCy's parser on the encoder of a guide, by the guide's config."""
    config = load_config(config_path)
    tok2vec = config["components"].pop(GUIDE)["model"]["tok2vec"]
    config["initialize"]["components"].pop(GUIDE)
    config["components"][SPACY_PARSER] = {
        "factory": "parser",
        "model": {
            "@architectures": "spacy.TransitionBasedParser.v2",
            "state_type": "parser",
            "extra_state_tokens": False,
            "hidden_width": 64,
            "maxout_pieces": 2,
            "use_upper": True,
            "nO": None,
            "tok2vec": tok2vec,
        },
    }
    config["nlp"]["pipeline"] = ["sequence_tagger", SPACY_PARSER]
    overrides = {"paths.tagger": str(guided), **overrides}
    config = Config().from_str(config.to_str(), interpolate=False, overrides=overrides)
    docs = list(DocBin().from_disk(corpus).get_docs(spacy.blank(config["nlp"]["lang"]).vocab))
    return learn(config, f"spacy {config_path.stem}", docs, work)


def load(system: System) -> tuple[Language, Callable[[Doc], Decisions]]:
    """Load a pipeline with its beam, and say where it writes."""
    path, beam_width = system
    if beam_width == 0:
        return spacy.load(path, exclude=[PARSER]), read_guide
    if PARSER in load_config(path / "config.cfg")["components"]:
        return load_with_beam(path, beam_width), read_tree
    nlp = spacy.load(path)
    # What `beam_parser` sets; `parser` reads it, too.
    nlp.get_pipe(SPACY_PARSER).cfg["beam_width"] = beam_width
    return nlp, read_tree


def measure_cost(system: System, corpus: Path) -> dict[str, float]:
    """Words per second of a system, and the peak memory of this process, in bytes."""
    nlp, _ = load(system)
    docs = [make_example(reference).predicted for reference in read_references(corpus, nlp.vocab)]
    times = [time_annotation(lambda copies: list(nlp.pipe(copies)), docs) for _ in range(3)]
    return {"speed": count_words(docs) / min(times), "memory": get_peak_memory()}


app = typer.Typer(help=__doc__, pretty_exceptions_enable=False)

Guided = Annotated[
    Path, typer.Argument(parser=find_pipeline, help="Pipeline with a tagger, a guide and a joint parser.")
]
Treebanks = Annotated[list[Path], typer.Argument(help="Directories with *-dev.conllu and *-test.conllu.")]
Work = Annotated[Path, typer.Option(help="Directory to keep trained parsers in.")]
WORK = Path("training/guides")
Split = Annotated[str, typer.Option(help="dev or test.")]
Section = Annotated[str, typer.Option(help="Name of the section.")]


@app.command()
def compare(
    guided: Guided,
    treebanks: Treebanks,
    sparse: Annotated[
        Path | None, typer.Option(parser=find_pipeline, help="Pipeline with a joint parser that has no guide.")
    ] = None,
    split: Split = "dev",
    output: Output = None,
    document: Document = None,
    section: Section = "md",
) -> None:
    """Score a guided pipeline with several beams, its guide alone, and a pipeline without a guide."""
    comparison = Comparison(treebanks, split)
    comparison.add(ALONE, System(guided, 0))
    if sparse is not None:
        comparison.add(NO_GUIDE, System(sparse, BEAM))
    for beam in BEAMS:
        comparison.add(f"guided, beam {beam}", System(guided, beam))
    comparison.write(output, document, section)


@app.command()
def alone(
    treebanks: Treebanks,
    guide: Annotated[list[Path], typer.Option(parser=find_pipeline, help="Pipelines with a guide.")],
    split: Split = "dev",
    output: Output = None,
    document: Document = None,
    section: Section = "alone",
) -> None:
    """Score guides without a parser."""
    comparison = Comparison(treebanks, split)
    for path in guide:
        comparison.add(path.name, System(path, 0))
    comparison.write(output, document, section)


@app.command()
def ablate(
    guided: Guided,
    corpus: Annotated[Path, typer.Argument(help="Corpus with jackknifed columns.")],
    treebanks: Treebanks,
    word_classes: Annotated[Path | None, typer.Option(help="Word classes. None: no classes.")] = None,
    epochs: Annotated[int, typer.Option(min=1)] = 3,
    work: Work = WORK,
    split: Split = "dev",
    output: Output = None,
    document: Document = None,
    section: Section = "ablations",
) -> None:
    """Train and score the guided parser and its ablations."""
    overrides = {
        **{f"components.{PARSER}.model.{name}": value for name, value in SMALL.items()},
        "paths.word_classes": None if word_classes is None else str(word_classes),
        "training.dropout": 0.0,
        "training.max_epochs": epochs,
    }
    comparison = Comparison(treebanks, split, costs=False)
    for name, path in learn_ablations(guided, corpus, work, overrides):
        comparison.add(name, System(path, BEAM), MEASURES[:1] if name in (NOSYNTAX, NOSYNTAX_NO_GUIDE) else MEASURES)
    rows = [
        comparison.contrast("with the guide", GUIDED, NOSYNTAX),
        comparison.contrast("without a guide", NO_GUIDE, NOSYNTAX_NO_GUIDE),
    ]
    comparison.write(output, document, section, format_table(["JOINT / NOSYNTAX", *comparison.header], rows))


@app.command()
def rival(
    guided: Guided,
    corpus: Annotated[Path, typer.Argument(help="Corpus with jackknifed tags that the guide was trained on.")],
    guide_config: Annotated[Path, typer.Argument(help="Config of the guide.")],
    treebanks: Treebanks,
    setting: Annotated[
        list[str] | None, typer.Option(help="Overrides of the config, including its `parser`: NAME=VALUE.")
    ] = None,
    work: Work = WORK,
    split: Split = "dev",
    output: Output = None,
    document: Document = None,
    section: Section = "rival",
) -> None:
    """Train spaCy's parser on the encoder of a guide, and score it beside the guided parser."""
    overrides = parse_config_overrides([f"--{item}" for item in setting or []], env_var=None)
    path = learn_rival(guided, corpus, guide_config, work, overrides)
    comparison = Comparison(treebanks, split)
    comparison.add(f"guided, beam {BEAM}", System(guided, BEAM))
    comparison.add(ALONE, System(guided, 0))
    for beam in (1, SPACY_BEAM):
        comparison.add(f"spaCy's parser, beam {beam}", System(path, beam))
    comparison.write(output, document, section)


if __name__ == "__main__":
    app()
