"""What a guide brings to the joint parser: the guide alone, the guided parser by beam width, and ablations.

    python benchmarks/guides.py compare PIPELINE EWT GUM --corpus GUIDED.spacy --sparse PIPELINE --peer PEER

PIPELINE has a `sequence_tagger`, a `parser_guide` and a `joint_sbd_parser`; GUIDED.spacy is the corpus with jackknifed
columns from which the parser has learnt. The ablations are parsers that learn here from the same corpus by the same
config, once, and are kept: without each of the guide's columns, with columns of the guide itself instead of
jackknifed ones, and on trivial trees (NOSYNTAX, see reproduce.py); and spaCy's own parser on an encoder like that of
the guide, by the guide's config.

Tokens are gold, everything else is predicted. Attachment scores count all tokens. A star marks lower-cased text without
punctuation. p values are of the difference to the guide alone, by approximate randomisation over documents. Speed is in
words per second in one thread, from tokens.
"""

from measure import (
    PARSER,
    count_words,
    format_table,
    get_peak_memory,
    load_with_beam,
    measure_in_fresh_process,
    read_references,
    replace_section,
    time_annotation,
    write_results,
)

# isort: split
import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import numpy as np
import spacy
import typer
from accuracy import find_split
from reproduction.runs import flatten
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training.initialize import init_nlp
from spacy.training.loop import train
from spacy.util import load_config
from thinc.api import Config

import spacy_joint
from spacy_joint.annotation.custom_columns import (
    GUIDE_BOUNDARY,
    GUIDE_HEAD,
    GUIDE_LABEL,
    GUIDE_MARGIN,
    copy_columns,
    read_column,
)
from spacy_joint.corpora.examples import make_example
from spacy_joint.scoring.quotations import Counts
from spacy_joint.scoring.significance import randomise

CONFIG = Path(spacy_joint.__file__).parent / "configs" / "guided_parser.cfg"
GUIDE = "parser_guide"
BEAMS = (1, 4, 8, 16, 32)
BEAM = 16
# What an ablation takes away: columns of the guide.
WITHOUT = {
    "without boundaries": (GUIDE_BOUNDARY,),
    "without heads": (GUIDE_HEAD, GUIDE_MARGIN),
    "without labels": (GUIDE_LABEL,),
}
NOT_JACKKNIFED, NOSYNTAX = "not jackknifed", "NOSYNTAX"
PEER = "spaCy parser, same encoder"
ALONE = "guide alone"
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


def sum_up(counts: Iterable[Counts]) -> float:
    """The F1 score of summed counts, in percent."""
    total = Counts()
    for of_doc in counts:
        total.add(of_doc)
    return 100 * total.f_score


def learn(config: Config, name: str, docs: list[Doc], work: Path) -> Path:
    """Train the parser of a config on documents, unless it is there already."""
    path = work / name.replace(",", "").replace(" ", "_")
    if not path.exists():
        with TemporaryDirectory() as directory:
            corpus = Path(directory) / "train.spacy"
            DocBin(docs=docs, store_user_data=True).to_disk(corpus)
            config = config.copy()
            config["paths"] |= {"train": str(corpus), "dev": str(corpus)}
            config["training"] |= {"patience": 0, "eval_frequency": 10**9}
            nlp = init_nlp(config.interpolate())
            train(nlp, None, stdout=sys.stderr, stderr=sys.stderr)
            nlp.to_disk(path)
    return path


def learn_ablations(guided: Path, corpus: Path, work: Path, overrides: dict[str, Any]) -> dict[str, Path]:
    """Train the parsers of all ablations."""
    config = load_config(CONFIG, overrides={"paths.guide": str(guided), **overrides})
    nlp = spacy.load(guided)
    docs = list(DocBin().from_disk(corpus).get_docs(nlp.vocab))
    found = {}
    for name, columns in WITHOUT.items():
        changed = config.copy()
        kept = changed["components"][PARSER]["columns"]
        changed["components"][PARSER]["columns"] = {column: kept[column] for column in kept if column not in columns}
        found[name] = learn(changed, name, docs, work)
    flat = [flatten(doc) for doc in docs]
    for doc, of_trivial_trees in zip(docs, flat, strict=True):
        copy_columns(doc, of_trivial_trees)
    found[NOSYNTAX] = learn(config, NOSYNTAX, flat, work)
    guide = nlp.get_pipe(GUIDE)
    for doc in docs:
        copy_columns(guide(make_example(doc, ["TAG"]).predicted), doc)
    found[NOT_JACKKNIFED] = learn(config, NOT_JACKKNIFED, docs, work)
    return found


def learn_peer(guided: Path, corpus: Path, config_path: Path, work: Path, overrides: dict[str, Any]) -> Path:
    """Train spaCy's parser on the encoder of a guide, by the guide's config."""
    config = load_config(config_path, overrides={"paths.tagger": str(guided), **overrides})
    tok2vec = config["components"].pop(GUIDE)["model"]["tok2vec"]
    config["components"]["parser"] = {
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
    config["nlp"]["pipeline"] = ["sequence_tagger", "parser"]
    docs = list(DocBin().from_disk(corpus).get_docs(spacy.blank(config["nlp"]["lang"]).vocab))
    return learn(config, PEER, docs, work)


def load(path: Path, beam_width: int | None) -> tuple[Language, Callable[[Doc], Decisions]]:
    """Load a pipeline with a beam (None: that of its config; 0: only its guide), and say where it writes."""
    if beam_width is None:
        return spacy.load(path), read_tree
    if beam_width:
        return load_with_beam(path, beam_width), read_tree
    return spacy.load(path, exclude=[PARSER]), read_guide


app = typer.Typer(help=__doc__, pretty_exceptions_enable=False)


@app.command()
def cost(path: Path, corpus: Path, beam_width: Annotated[int | None, typer.Option()] = None) -> None:
    """Print words per second of one pipeline and the peak memory of this process, in bytes, as JSON (for `compare`)."""
    nlp, _ = load(path, beam_width)
    docs = [make_example(reference).predicted for reference in read_references(corpus, nlp.vocab)]
    times = [time_annotation(lambda copies: list(nlp.pipe(copies)), docs) for _ in range(3)]
    print(json.dumps({"speed": count_words(docs) / min(times), "memory": get_peak_memory()}))


@app.command()
def compare(
    guided: Annotated[Path, typer.Argument(help="Pipeline with a tagger, a guide and a joint parser.")],
    treebanks: Annotated[list[Path], typer.Argument(help="Directories with *-dev.conllu and *-test.conllu.")],
    corpus: Annotated[Path | None, typer.Option(help="Jackknifed corpus of the parser, for ablations.")] = None,
    work: Annotated[Path, typer.Option(help="Directory that keeps the parsers of ablations.")] = Path(
        "training/guides"
    ),
    guide_config: Annotated[Path | None, typer.Option(help="Config of the guide, for spaCy's parser.")] = None,
    settings: Annotated[list[str] | None, typer.Option(help="Overrides of this config: NAME=VALUE.")] = None,
    word_classes: Annotated[Path | None, typer.Option(help="Word classes of the ablations.")] = None,
    epochs: Annotated[int, typer.Option(help="Epochs of the ablations.")] = 12,
    sparse: Annotated[Path | None, typer.Option(help="Pipeline with a joint parser that has no guide.")] = None,
    peer: Annotated[list[Path] | None, typer.Option(help="Other pipelines that predict trees.")] = None,
    split: Annotated[str, typer.Option(help="dev or test.")] = "dev",
    output: Annotated[Path | None, typer.Option(help="JSON file to write.")] = None,
    document: Annotated[Path | None, typer.Option(help="Markdown page with a section to replace.")] = None,
    section: Annotated[str, typer.Option(help="Name of this section.")] = "md",
) -> None:
    """Score a guided pipeline, its guide, its ablations and its peers."""
    systems: dict[str, tuple[Path, int | None]] = {ALONE: (guided, 0)}
    if sparse is not None:
        systems["no guide"] = (sparse, BEAM)
    systems |= {f"guided, beam {beam}": (guided, beam) for beam in BEAMS}
    if corpus is not None:
        overrides = {
            "training.max_epochs": epochs,
            "initialize.components.joint_sbd_parser.word_classes.path": None
            if word_classes is None
            else str(word_classes),
        }
        found = learn_ablations(guided, corpus, work, overrides)
        systems |= {name: (path, BEAM) for name, path in found.items()}
        if guide_config is not None:
            of_guide = dict(setting.split("=", 1) for setting in settings or [])
            systems[PEER] = (learn_peer(guided, corpus, guide_config, work, of_guide), None)
    systems |= {path.name: (path, None) for path in peer or []}
    files = [find_split(treebank, split) for treebank in treebanks]
    texts = [(file, starred) for file in files for starred in (False, True)]
    results: dict[str, Any] = {}
    rows = []
    first: dict[tuple[Path, bool], dict[str, list[Counts]]] = {}
    for name, (path, beam_width) in systems.items():
        nlp, read = load(path, beam_width)
        beam = () if beam_width is None else ("--beam-width", beam_width)
        row = [name]
        results[name] = measure_in_fresh_process(Path(__file__).name, "cost", path, files[0], *beam)
        for text in texts:
            counts = score(nlp, text[0], read, starred=text[1])
            cells = []
            for measure in MEASURES if name != NOSYNTAX else MEASURES[:1]:
                value = sum_up(counts[measure])
                p_value = randomise(first.setdefault(text, counts)[measure], counts[measure], rounds=1000)
                results[name][f"{text[0].stem}{'*' * text[1]} {measure}"] = {"score": value, "p_value": p_value}
                cells.append(f"{value:.1f}" + (f" ({p_value:.3f})" if name != ALONE else ""))
            row.append(" / ".join(cells))
        row += [f"{results[name]['speed']:,.0f}", f"{results[name]['memory'] / 2**20:,.0f}"]
        rows.append(row)
        print(" | ".join(row), flush=True)
    # en_ewt-ud-dev: EWT.
    names = [f"{file.stem.partition('-')[0].partition('_')[2].upper()}{'*' * starred}" for file, starred in texts]
    table = format_table(["", *names, "words/s", "MB"], rows)
    print(table)
    replace_section(document, section, table + "\n")
    write_results(results, output)


if __name__ == "__main__":
    app()
