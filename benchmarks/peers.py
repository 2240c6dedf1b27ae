"""Compares the joint parser with its peers: boundaries, trees, words per second, memory, loading time, size.

    python benchmarks/peers.py TREEBANKS WORK --peer PIPELINE --starred-peer PIPELINE --document docs/results.md

The peers are spaCy's `parser`, the same weights in its `beam_parser`, and its `senter`; UDPipe 1; pySBD; NLTK's Punkt.
The two spaCy pipelines are given. The other trainable peers are trained here on the same treebank, once, and kept in
WORK (UDPipe takes an hour for each kind of text). A star marks lower-cased text without punctuation; on such text, the
peers are trained on such text. `--without "UDPipe 1"` leaves a system out.

Tokens are gold, everything else is predicted. Systems that split text are scored by the tokens at which their sentences
begin; UDPipe then tags and parses between its own boundaries. From raw text, words are predicted, too. Components that
the peers lack are left out.
"""

from measure import (
    Document,
    Output,
    count_words,
    find_pipeline,
    format_table,
    get_peak_memory,
    interleave,
    measure_in_fresh_process,
    percent,
    read_references,
    report,
    score_all,
    time_annotation,
)

# isort: split
import time
from bisect import bisect_left
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import pysbd
import spacy
import typer
from nltk.tokenize.punkt import PunktSentenceTokenizer
from spacy.cli.init_config import init_config
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training.initialize import init_nlp
from spacy.training.loop import train
from spacy.util import get_installed_models, load_model
from spacy.vocab import Vocab
from udpipe import UdPipe, train_udpipe

from spacy_joint.corpora.conllu import read_conllu
from spacy_joint.corpora.conllu_writing import write_conllu
from spacy_joint.corpora.examples import make_example
from spacy_joint.scoring.raw_text import score_raw_text

# The training corpus of the peers, and the evaluation corpora of all systems.
LEARNT_FROM = "ewt"
CORPORA = ("ewt", "gum")
# Components that the peers lack.
NOT_COMPARED = ("sequence_morphologizer", "sequence_lemmatizer")
MEASURES = {"boundary F1": "boundary_f", "UAS": "dep_uas_punct", "LAS": "dep_las_punct"}
RAW_MEASURES = {"Words": "raw_words_f", "Sentences": "raw_sents_f", "UAS": "raw_uas_f", "LAS": "raw_las_f"}
SENTER_STEPS = 2000
# The density is the default of `beam_parser`.
BEAM = {"beam_width": 8, "beam_density": 0.0001}
TIMED = "timed.spacy"
SHIPPED = "en_joint_english"
UDPIPE = "UDPipe 1"
Annotate = Callable[[Iterable[Doc]], list[Doc]]


class System(NamedTuple):
    """A system to compare.

    load: Returns a function that annotates documents with only tokens, of the given vocabulary. Word vectors belong to
        a vocabulary, so two systems cannot share one.
    path: Its files on disk.
    parses: Whether it predicts trees.
    """

    load: Callable[[Vocab], Annotate]
    path: Path | None = None
    parses: bool = True


class Setup(NamedTuple):
    """Paths and settings of a comparison.

    peers: Two spaCy pipelines, for edited and for starred text.
    own: One of our pipelines, trained on LEARNT_FROM alone.
    without: The names of systems to leave out.
    """

    treebanks: Path
    work: Path
    split: str
    peers: tuple[Path, Path]
    own: Path | None
    without: list[str]
    vocab: Vocab

    def find(self, corpus: str, split: str | None = None) -> Path:
        """The path of a treebank file."""
        return self.treebanks / f"{corpus}_{split or self.split}.conllu"

    def read(self, corpus: str, *, starred: bool, split: str | None = None) -> list[Doc]:
        """The documents of a treebank."""
        return read_references(self.find(corpus, split), self.vocab, starred=starred)

    def find_learnt(self, split: str, *, starred: bool) -> Path:
        """The CoNLL-U file that peers are trained on; a starred one is written first."""
        if not starred:
            return self.find(LEARNT_FROM, split)
        path = self.work / f"{split}_starred.conllu"
        with path.open("w", encoding="utf8") as file:
            write_conllu(self.read(LEARNT_FROM, starred=True, split=split), file)
        return path

    def place(self, system: str, starred: bool) -> Path:
        """Where a system trained here is kept."""
        return self.work / (f"{system}_starred" if starred else system)

    def list_own(self) -> dict[str, Path]:
        """Our pipelines, which handle both kinds of text: those that are installed, and `own`."""
        installed = sorted(name for name in get_installed_models() if name.startswith(SHIPPED))
        paths = {name: load_model(name).path for name in installed}
        return paths if self.own is None else {**paths, "joint, trained on EWT": self.own}

    def list_systems(self, starred: bool = False) -> dict[str, System]:
        """All systems for one kind of text by name, ours first."""
        peer, senter, udpipe = self.peers[starred], self.place("senter", starred), self.place("udpipe", starred)
        systems = {
            **{name: System(partial(self.load, path), path) for name, path in self.list_own().items()},
            "spaCy parser": System(partial(self.load, peer), peer),
            "spaCy beam_parser": System(partial(self.load, peer, **BEAM), peer),
            "spaCy senter": System(partial(self.load, senter), senter, parses=False),
            UDPIPE: System(partial(load_udpipe, udpipe), udpipe),
            "pySBD": System(load_pysbd, parses=False),
            "NLTK Punkt": System(partial(self.load_punkt, starred), parses=False),
        }
        return {name: system for name, system in systems.items() if name not in self.without}

    def load(self, path: Path, vocab: Vocab, **parser: float) -> Annotate:
        """Load a pipeline; `parser` has settings of its parser."""
        nlp = spacy.load(path, vocab=vocab, exclude=NOT_COMPARED)
        if parser:
            nlp.get_pipe("parser").cfg.update(parser)
        return lambda docs: list(nlp.pipe(docs))

    def load_punkt(self, starred: bool, _: Vocab) -> Annotate:
        """Train Punkt, which takes a moment and needs only text."""
        docs = self.read(LEARNT_FROM, starred=starred, split="train")
        tokenizer = PunktSentenceTokenizer("\n\n".join(doc.text for doc in docs))
        return partial(split_documents, lambda text: [start for start, _ in tokenizer.span_tokenize(text)])


def load_udpipe(path: Path, _: Vocab) -> Annotate:
    """Load UDPipe, which parses between the boundaries that it finds."""
    model = UdPipe(path)
    return lambda docs: [model.parse(doc) for doc in split_documents(model.find_sentences, docs)]


def load_pysbd(_: Vocab) -> Annotate:
    """Load the rules of pySBD."""
    segmenter = pysbd.Segmenter(language="en", clean=False, char_span=True)
    return partial(split_documents, lambda text: [span.start for span in segmenter.segment(text)])


def split_documents(find_sentences: Callable[[str], list[int]], docs: Iterable[Doc]) -> list[Doc]:
    """Start a sentence at the first token at or after each offset."""
    split = []
    for doc in docs:
        begins = [token.idx for token in doc]
        starts = {0, *(bisect_left(begins, start) for start in find_sentences(doc.text))}
        for token in doc:
            token.is_sent_start = token.i in starts
        split.append(doc)
    return split


def train_peers(setup: Setup) -> None:
    """Train the peers that are not trained yet."""
    setup.work.mkdir(parents=True, exist_ok=True)
    for starred in (False, True):
        senter = setup.place("senter", starred)
        if not senter.exists():
            learnt, heldout = (setup.read(LEARNT_FROM, starred=starred, split=split) for split in ("train", "dev"))
            train_senter(learnt, heldout, setup.work).to_disk(senter)
        udpipe = setup.place("udpipe", starred)
        if UDPIPE not in setup.without and not udpipe.exists():
            train_udpipe(*(setup.find_learnt(split, starred=starred) for split in ("train", "dev")), udpipe)


def train_senter(learnt: list[Doc], heldout: list[Doc], work: Path) -> Language:
    """Train spaCy's senter with the quickstart settings."""
    config = init_config(lang="en", pipeline=["senter"], optimize="efficiency", silent=True)
    for name, docs in (("train", learnt), ("dev", heldout)):
        path = work / f"{name}.spacy"
        DocBin(docs=docs).to_disk(path)
        config["paths"][name] = str(path)
    config["training"]["max_steps"] = SENTER_STEPS
    nlp = init_nlp(config)
    return train(nlp)[0]


def score_tokens(system: System, references: list[Doc]) -> dict[str, float]:
    """Scores on gold tokens; of trees only where the system predicts them."""
    scores = score_all(system.load(references[0].vocab), references)
    return {name: scores[key] for name, key in MEASURES.items() if system.parses or name == "boundary F1"}


def score_text(setup: Setup, corpus: str) -> dict[str, dict[str, float]]:
    """Scores from the raw text of a corpus."""
    references = list(read_conllu(setup.find(corpus), setup.vocab, paragraphs=True))
    results = {}
    for name, path in {**setup.list_own(), "spaCy parser": setup.peers[0]}.items():
        nlp = spacy.load(path, vocab=setup.vocab)
        results[name] = score_raw_text(nlp.pipe([doc.text for doc in references]), references)
    if UDPIPE not in setup.without:
        results[UDPIPE] = UdPipe(setup.place("udpipe", False)).score_raw_text(setup.find(corpus))
    return {name: {shown: scores[key] for shown, key in RAW_MEASURES.items()} for name, scores in results.items()}


def measure_speed(setup: Setup, rounds: int) -> dict[str, float]:
    """Words per second of whole systems, measured in turn."""
    docs = [make_example(doc).predicted for doc in setup.read(LEARNT_FROM, starred=False)]
    # For systems measured in their own process: reading a treebank takes more memory than they do.
    DocBin(docs=docs).to_disk(setup.work / TIMED)
    measures = {}
    for name, system in setup.list_systems().items():
        vocab = spacy.blank("en").vocab
        own = list(DocBin().from_disk(setup.work / TIMED).get_docs(vocab))
        measures[name] = partial(time_annotation, system.load(vocab), own)
    return {name: count_words(docs) / seconds for name, seconds in interleave(measures, rounds).items()}


def measure_alone(setup: Setup, name: str) -> dict[str, float]:
    """The loading time and memory of one system in this process, beyond its libraries and the documents."""
    docs = list(DocBin().from_disk(setup.work / TIMED).get_docs(setup.vocab))
    system = setup.list_systems()[name]
    before = get_peak_memory()
    start = time.perf_counter()
    annotate = system.load(setup.vocab)
    seconds = time.perf_counter() - start
    annotate(docs)
    return {"seconds_to_load": seconds, "peak_mb": (get_peak_memory() - before) / 1e6}


def get_megabytes(path: Path | None) -> float | None:
    """The size of a system on disk."""
    if path is None:
        return None
    files = path.rglob("*") if path.is_dir() else [path]
    # Without what only learning needs.
    return sum(file.stat().st_size for file in files if file.is_file() and file.name != "learning") / 1e6


def make_report(results: dict[str, Any]) -> str:
    """Format all tables."""
    split = results["split"]
    parts = []
    tokens = results["tokens"]
    rows = [
        [name, *(" / ".join(map(percent, scores[name].values())) for scores in tokens.values())]
        for name in next(iter(tokens.values()))
    ]
    parts += [f"{split.capitalize()}, gold tokens, {' / '.join(MEASURES)}:\n", format_table(["", *tokens], rows), ""]
    for corpus, scores in results["text"].items():
        rows = [[name, *map(percent, found.values())] for name, found in scores.items()]
        parts += [f"{corpus}, {split}, raw text:\n", format_table(["", *RAW_MEASURES], rows), ""]
    costs = results["costs"]
    ours = next(iter(costs.values()))["words_per_second"]
    rows = [
        [
            name,
            f"{cost['words_per_second']:,.0f}",
            f"{cost['words_per_second'] / ours:.2f}",
            f"{cost['peak_mb']:.0f}",
            f"{cost['seconds_to_load']:.2f}",
            "-" if cost["megabytes"] is None else f"{cost['megabytes']:.1f}",
        ]
        for name, cost in costs.items()
    ]
    header = ["", "words/s", "relative", "memory (MB)", "load (s)", "disk (MB)"]
    parts += [f"{LEARNT_FROM.upper()}, {split}, one thread, gold tokens:\n", format_table(header, rows)]
    return "\n".join(parts)


def main(
    treebanks: Annotated[Path, typer.Argument(help="Directory with ewt_train.conllu, ewt_dev.conllu, gum_test ...")],
    work: Annotated[Path, typer.Argument(help="Directory for systems trained here.")],
    peer: Annotated[Path, typer.Option(parser=find_pipeline, help="Pipeline with spaCy's parser, trained on EWT.")],
    starred_peer: Annotated[Path, typer.Option(parser=find_pipeline, help="The same, trained on EWT*.")],
    own: Annotated[
        Path | None, typer.Option(parser=find_pipeline, help="Pipeline with a joint_sbd_parser, trained on EWT.")
    ] = None,
    without: Annotated[list[str] | None, typer.Option(help="System to leave out.")] = None,
    split: Annotated[str, typer.Option(help="dev or test.")] = "dev",
    rounds: Annotated[int, typer.Option(min=1, help="Measurements per system, after a warm-up.")] = 5,
    output: Output = None,
    document: Document = None,
) -> None:
    """Compare the joint parser with its peers."""
    setup = Setup(treebanks, work, split, (peer, starred_peer), own, without or [], spacy.blank("en").vocab)
    train_peers(setup)
    results: dict[str, Any] = {"split": split, "rounds": rounds, "tokens": {}}
    for corpus in CORPORA:
        for starred in (False, True):
            results["tokens"][corpus.upper() + "*" * starred] = {
                name: score_tokens(system, setup.read(corpus, starred=starred))
                for name, system in setup.list_systems(starred).items()
            }
    results["text"] = {corpus.upper(): score_text(setup, corpus) for corpus in CORPORA}
    speeds = measure_speed(setup, rounds)
    # Without the words of the treebanks.
    fresh = setup._replace(vocab=spacy.blank("en").vocab)
    results["costs"] = {
        name: {
            "words_per_second": speeds[name],
            "megabytes": get_megabytes(system.path),
            **measure_in_fresh_process(measure_alone, fresh, name),
        }
        for name, system in setup.list_systems().items()
    }
    report(make_report(results), results, output, document, "peers")


if __name__ == "__main__":
    typer.run(main)
