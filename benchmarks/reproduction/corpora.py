"""The corpora and their documents with predicted tags, which are computed once and stored.

A star after a name marks lower-cased text without punctuation. Training documents are tagged by taggers that have not
seen them (jackknifing), the others by a tagger trained on all training documents.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_joint.corpora.conllu import read_conllu
from spacy_joint.corpora.docbin import read_docbin
from spacy_joint.corpora.examples import make_example
from spacy_joint.files.atomic import atomic_write
from spacy_joint.pipes.structured_pipe import StructuredPipe
from spacy_joint.training.unpunctuated import unpunctuate

from .learning import WORD_CLASSES, make_pipe, train


@dataclass(frozen=True)
class Corpus:
    """A treebank, or its starred variant.

    name: Its name in the report.
    file: The prefix of its files.
    documents: The unit of a document, see `read_conllu`.
    universal: Whether the tags are UPOS.
    """

    name: str
    file: str
    documents: str = "newdoc"
    universal: bool = False

    @property
    def starred(self) -> bool:
        """Whether it is lower-cased and without punctuation."""
        return self.name.endswith("*")

    @property
    def slug(self) -> str:
        """The name for use in file names."""
        return self.name.replace("*", "-star")


CORPORA = {
    corpus.name: corpus
    for corpus in (
        Corpus("EWT*", "ewt"),
        Corpus("GUM*", "gum"),
        # Many words have no XPOS. The public files do not mark documents, but sentences are named after recordings.
        Corpus("NSC*", "nsc", documents="sent_id", universal=True),
        Corpus("EWT", "ewt"),
        Corpus("GUM", "gum"),
        Corpus("TINY*", "tiny"),
        Corpus("TINY", "tiny"),
    )
}


@dataclass(frozen=True)
class Tagging:
    """Training settings of taggers: those of sequence_tagger.cfg, but with one weight table."""

    # Part of the settings, so that another file causes new tags.
    word_classes: str = WORD_CLASSES.name
    folds: int = 5
    epochs: int = 8
    dropout: float = 0.3
    table_bits: int = 21
    min_changes: int = 4

    def train(self, references: list[Doc], seed: int) -> StructuredPipe:
        """Train a tagger."""
        model = {"table_bits": self.table_bits, "min_changes": self.min_changes, "n_tables": 1, "threads": 1}
        examples = [make_example(reference) for reference in references]
        tagger = make_pipe("sequence_tagger", examples, references[0].vocab, seed, model=model)
        for _ in train(tagger, examples, epochs=self.epochs, seed=seed, dropout=self.dropout):
            pass
        return tagger


class Library:
    """The documents of all corpora, with a directory of treebanks and one for derived files."""

    def __init__(self, treebanks: Path, work: Path, tagging: Tagging, seed: int, vocab: Vocab) -> None:
        self.treebanks, self.work, self.tagging, self.seed, self.vocab = treebanks, work, tagging, seed, vocab

    def list_splits(self, corpus: Corpus) -> list[str]:
        """The available evaluation splits: dev, and test if there is one."""
        return [split for split in ("dev", "test") if self._find(corpus, split).is_file()]

    def _find(self, corpus: Corpus, split: str) -> Path:
        return self.treebanks / f"{corpus.file}_{split}.conllu"

    def read_gold(self, corpus: Corpus, split: str) -> list[Doc]:
        """Read documents with the tags of the treebank."""
        references = list(read_conllu(self._find(corpus, split), self.vocab, documents=corpus.documents))
        if corpus.starred:
            references = [variant for variant in map(unpunctuate, references) if variant is not None]
        if corpus.universal:
            for reference in references:
                reference.from_array(["TAG"], reference.to_array(["POS"]))  # type: ignore[arg-type]
        return references

    def read_tagged(self, corpus: Corpus, split: str) -> list[Doc]:
        """Read documents with predicted tags; everything else is gold."""
        return list(read_docbin(self._directory(corpus) / f"{split}.spacy", self.vocab))

    def read_accuracy(self, corpus: Corpus) -> dict[str, float] | None:
        """Tag accuracy by split; None if the corpus was not tagged yet, or with other settings."""
        path = self._directory(corpus) / "accuracy.json"
        stored = json.loads(path.read_text(encoding="utf8")) if path.is_file() else {}
        return stored["accuracy"] if stored.get("settings") == asdict(self.tagging) else None

    def _directory(self, corpus: Corpus) -> Path:
        return self.work / "corpora" / f"{corpus.slug}_seed{self.seed}"

    def tag(self, corpus: Corpus) -> None:
        """Tag all splits, unless they are tagged already."""
        if self.read_accuracy(corpus) is not None:
            return
        seen = self.read_gold(corpus, "train")
        folds = self.tagging.folds
        right = 0
        for fold in range(folds):
            others = [reference for number, reference in enumerate(seen) if number % folds != fold]
            right += _overwrite_tags(self.tagging.train(others, self.seed), seen[fold::folds])
        # Tags are overwritten, so read them again to train the tagger for the other splits.
        accuracy = {"train": right / sum(map(len, seen))}
        self._write(seen, corpus, "train")
        tagger = self.tagging.train(self.read_gold(corpus, "train"), self.seed)
        for split in self.list_splits(corpus):
            references = self.read_gold(corpus, split)
            accuracy[split] = _overwrite_tags(tagger, references) / sum(map(len, references))
            self._write(references, corpus, split)
        # Written last: if this file exists, all others do.
        with atomic_write(self._directory(corpus) / "accuracy.json") as path:
            stored = {"settings": asdict(self.tagging), "accuracy": accuracy}
            path.write_text(json.dumps(stored, indent=2) + "\n", encoding="utf8")

    def _write(self, references: list[Doc], corpus: Corpus, split: str) -> None:
        with atomic_write(self._directory(corpus) / f"{split}.spacy") as path:
            DocBin(docs=references).to_disk(path)


def _overwrite_tags(tagger: StructuredPipe, references: list[Doc]) -> int:
    """Replace the tags of documents by predicted ones; return the number of correct tags."""
    right = 0
    for reference in references:
        predicted = tagger(make_example(reference).predicted).to_array(["TAG"])
        right += int(np.sum(predicted == reference.to_array(["TAG"])))
        reference.from_array(["TAG"], predicted)  # type: ignore[arg-type]  # wrong in its stub
    return right
