"""A run trains one system on a corpus, scores it, and stores the results as one JSON file, so it is never repeated.

`Run` trains; `Reparsing` uses the sentence-based parser of one run to parse between the boundaries of another. Scores
of each document are stored, too, for significance tests.
"""

import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import spacy
from spacy.tokens import Doc
from spacy.training import Example

from spacy_joint.corpora.examples import make_example
from spacy_joint.files.atomic import atomic_write
from spacy_joint.pipes.structured_pipe import StructuredPipe
from spacy_joint.scoring.boundaries_and_trees import score_boundaries_and_trees

from .corpora import CORPORA, Corpus, Library
from .learning import WORD_CLASSES, make_pipe, train

PARSER = "joint_sbd_parser"
MEASURES = {"boundary_f": "boundary_f", "las": "dep_las_punct"}

# The settings of all strategies but where they say otherwise: one weight table, and the update rule of the paper.
MODEL = {"rule": "passive_aggressive", "min_changes": 2, "n_tables": 1, "threads": 1}
# The strategies of the paper. The last one is that of the shipped pipelines, except that these average several weight
# tables.
STRATEGIES: dict[str, dict[str, Any]] = {
    **{name: {} for name in ("greedy", "early", "max_violation", "dlaso")},
    "laso": {"rule": "perceptron", "min_changes": 12},
}
DROPOUT = {name: 0.4 if name == "laso" else 0.2 for name in STRATEGIES}


@dataclass(frozen=True)
class Run:
    """A system, its training settings and its corpus.

    system: MARMOT, NOSYNTAX, JOINT or GOLD.
    strategy: One of STRATEGIES.
    epochs, passes: Training stops after this many epochs, or once the epochs together have used the actions of all
        documents this many times. Epochs with early updates are short, so comparing equal numbers tells little.
    sentences: Whether instances are sentences, with only trees to learn, instead of documents.
    final: Whether it is in the final table; only these systems are evaluated on the test split.
    """

    corpus: str
    system: str
    strategy: str
    beam_width: int
    epochs: int
    passes: int
    seed: int
    table_bits: int
    sentences: bool = False
    final: bool = False

    @property
    def name(self) -> str:
        """The name of its file."""
        level = "sentences" if self.sentences else "documents"
        parts = [CORPORA[self.corpus].slug, self.system, level, self.strategy, f"beam{self.beam_width}"]
        return "_".join([*parts, f"epochs{self.epochs}", f"seed{self.seed}"])

    @property
    def settings(self) -> dict[str, Any]:
        """All settings that determine the result."""
        learning = {"strategy": self.strategy, **STRATEGIES[self.strategy], "dropout": DROPOUT[self.strategy]}
        learning["word_classes"] = WORD_CLASSES.name
        return {**asdict(self), "learning": learning}

    def perform(self, library: Library, store: "Store") -> dict[str, Any]:
        """Train and score."""
        corpus = CORPORA[self.corpus]
        start = time.process_time()
        pipe, examples = self.prepare(corpus, library)
        dev = library.read_tagged(corpus, "dev")
        epochs = []
        passes = 0.0
        dropout = DROPOUT[self.strategy]
        for epoch in train(pipe, examples, epochs=self.epochs, seed=self.seed, dropout=dropout):
            passes += epoch.used
            is_last = epoch.number == self.epochs or passes >= self.passes
            measured = not self.sentences and (is_last or is_measured(epoch.number))
            scores = score(make_pairs(dev, map(partial(self.predict, pipe), dev))) if measured else {}
            epochs.append({**epoch._asdict(), **scores})
            if is_last:
                break
        results = {}
        for split in library.list_splits(corpus) if self.final else ["dev"]:
            references = library.read_tagged(corpus, split)
            results[split] = measure(references, map(partial(self.predict, pipe), references))
        if self.system == "GOLD":
            model = store.model_of(self)
            model.parent.mkdir(parents=True, exist_ok=True)
            # Without the parts that only learning needs, which are nine tenths of it.
            pipe.to_disk(model, exclude=["vocab", "learning"])
        return {"epochs": epochs, "splits": results, "seconds": time.process_time() - start}

    def prepare(self, corpus: Corpus, library: Library) -> tuple[StructuredPipe, list[Example]]:
        """A component that is ready to learn, and its examples."""
        sizes = {"table_bits": self.table_bits, "beam_width": self.beam_width}
        model = {**MODEL, **sizes, "update_strategy": self.strategy, **STRATEGIES[self.strategy]}
        settings: dict[str, Any] = {"model": model}
        if self.system == "MARMOT":
            examples = [make_example(reference) for reference in library.read_gold(corpus, "train")]
            factory, settings["sentence_starts"] = "sequence_tagger", True
        else:
            factory, references = PARSER, library.read_tagged(corpus, "train")
            if self.system == "NOSYNTAX":
                references = [flatten(reference) for reference in references]
            if self.sentences:
                references = [sentence.as_doc() for reference in references for sentence in reference.sents]
            # Each document is one sentence, marked as such.
            keep = ["TAG", "SENT_START"] if self.sentences else ["TAG"]
            examples = [make_example(reference, keep) for reference in references]
        return make_pipe(factory, examples, library.vocab, self.seed, **settings), examples

    def predict(self, pipe: StructuredPipe, reference: Doc) -> Doc:
        """Annotate the tokens of a reference, within its sentences if the system is sentence-based."""
        if self.sentences:
            return parse_sentences(pipe, reference, find_starts(reference))
        return pipe(make_example(reference, ["TAG"]).predicted)


@dataclass(frozen=True)
class Reparsing:
    """Trees from the sentence-based parser of one run between the boundaries of another."""

    boundaries: Run
    parser: Run

    @property
    def corpus(self) -> str:
        """The corpus of both runs."""
        return self.parser.corpus

    @property
    def name(self) -> str:
        """The name of its file."""
        return f"{self.boundaries.name}_reparsed"

    @property
    def settings(self) -> dict[str, Any]:
        """All settings that determine the result."""
        return {"boundaries": self.boundaries.settings, "parser": self.parser.settings}

    def perform(self, library: Library, store: "Store") -> dict[str, Any]:
        """Parse and score."""
        corpus = CORPORA[self.corpus]
        start = time.process_time()
        nlp = spacy.blank("en", vocab=library.vocab)
        nlp.add_pipe(PARSER, config={"model": {"beam_width": self.parser.beam_width}})
        pipe = nlp.get_pipe(PARSER).from_disk(store.model_of(self.parser), exclude=["vocab"])
        found = store.find(self.boundaries)
        if found is None:
            raise LookupError(f"{self.boundaries.name} was not run yet.")
        results = {}
        for split in library.list_splits(corpus):
            references = library.read_tagged(corpus, split)
            predicted = map(partial(parse_sentences, pipe), references, found["splits"][split]["starts"])
            results[split] = measure(references, predicted)
        return {"splits": results, "seconds": time.process_time() - start}


class Store:
    """A directory with the files of runs, and the models that other runs need."""

    def __init__(self, work: Path) -> None:
        self.work = work

    def find(self, run: Run | Reparsing) -> dict[str, Any] | None:
        """The result of a run; None if it was not performed with these settings."""
        path = self.work / "runs" / f"{run.name}.json"
        stored = json.loads(path.read_text(encoding="utf8")) if path.is_file() else {}
        return stored if stored.get("settings") == run.settings else None

    def model_of(self, run: Run) -> Path:
        """The path of the model of a run."""
        return self.work / "models" / run.name

    def write(self, run: Run | Reparsing, result: dict[str, Any]) -> None:
        """Store the result of a run atomically."""
        with atomic_write(self.work / "runs" / f"{run.name}.json") as path:
            path.write_text(json.dumps({"settings": run.settings, **result}) + "\n", encoding="utf8")


def is_measured(epoch: int) -> bool:
    """Whether to score the system after an epoch: 1, 2, 3, 4, 6, 8, 12, 16, 24 and so on."""
    power = epoch // 3 if epoch % 3 == 0 else epoch
    return not power & (power - 1)


def flatten(reference: Doc) -> Doc:
    """The same sentences with trivial trees: the head of every token is the next one."""
    starts = [bool(token.is_sent_start) for token in reference]
    last = [*starts[1:], True]
    return Doc(
        reference.vocab,
        words=[token.text for token in reference],
        spaces=[bool(token.whitespace_) for token in reference],
        tags=[token.tag_ for token in reference],
        heads=[token if is_last else token + 1 for token, is_last in enumerate(last)],
        deps=["ROOT" if is_last else "dep" for is_last in last],
    )


def find_starts(doc: Doc) -> list[int]:
    """The indices of tokens that start a sentence."""
    return [token.i for token in doc if token.is_sent_start]


def parse_sentences(pipe: StructuredPipe, reference: Doc, starts: Sequence[int]) -> Doc:
    """Parse the tokens of a reference sentence by sentence. starts: The first token of each sentence."""
    tokens = make_example(reference, ["TAG"]).predicted
    parsed = []
    for start, end in pairwise([*starts, len(tokens)]):
        sentence = tokens[start:end].as_doc()
        for token in sentence:
            token.is_sent_start = token.i == 0
        parsed.append(pipe(sentence))
    return Doc.from_docs(parsed, ensure_whitespace=False)


def make_pairs(references: Iterable[Doc], predicted: Iterable[Doc]) -> list[Example]:
    """Pair predictions with their references as examples."""
    return [Example(doc, reference) for doc, reference in zip(predicted, references, strict=True)]


def score(examples: Iterable[Example]) -> dict[str, float]:
    """Boundary F1 and LAS over all tokens."""
    scores = score_boundaries_and_trees(examples)
    return {name: scores[key] for name, key in MEASURES.items()}


def measure(references: Sequence[Doc], predicted: Iterable[Doc]) -> dict[str, Any]:
    """Scores of all documents and of each one, and the predicted boundaries."""
    examples = make_pairs(references, predicted)
    each = [score([example]) for example in examples]
    return {
        **score(examples),
        "documents": {name: [scores[name] for scores in each] for name in MEASURES},
        "starts": [find_starts(example.predicted) for example in examples],
    }
