"""Jackknifing: annotating a training corpus with predicted tags, columns of guides, or cues of quotations.

Components trained on gold tags or cues, or on columns of a guide that has seen their sentences, trust them too much.
Jackknifing splits the documents into folds, and annotates each fold with components trained on all other folds, so that
the annotation is as at prediction time. Other annotation and the order of the documents do not change.
"""

import hashlib
import io
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import starmap
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import spacy
import srsly
from spacy.language import Language
from spacy.schemas import ConfigSchemaTraining
from spacy.tokens import Doc, DocBin, Span
from spacy.training import Example
from spacy.training.initialize import init_nlp
from spacy.training.loop import train
from spacy.util import dot_to_object, load_config, load_model_from_config, registry
from spacy.vocab import Vocab
from thinc.api import Config, fix_random_seed
from wasabi import msg

from ..about import __version__
from ..annotation.custom_columns import GUIDE_HEAD, copy_columns, name_span_columns, read_column
from ..annotation.quotations import find_heads
from ..corpora.examples import make_example
from ..corpora.quotations import JACKKNIFED, make_quotation_example
from ..errors import Errors, JointOSError, JointValueError, check_choice, check_range
from ..files.atomic import atomic_write
from ..files.steps import digest_mentioned
from ..pipes.guide_columns import find_span_places

DOCBIN_READER = "spacy_joint.DocBinCorpus.v1"
QUOTATION_READER = "spacy_joint.QuotationCorpus.v1"
READERS = ("spacy_joint.ConlluCorpus.v1", DOCBIN_READER, QUOTATION_READER)
# Of a mixture, this corpus is annotated. All folds learn from the others, too.
MIXED_READER, GOLD = "spacy_joint.MixedCorpus.v1", "gold"
TAGGER, GUIDE, SPAN_GUIDE, CUES = "sequence_tagger", "parser_guide", "span_guide", "quotation_cues"
TRAINED = (TAGGER, GUIDE, SPAN_GUIDE, CUES)
# A key of `Doc.user_data`: an augmenter made the document as a copy of an earlier one.
COPY = "is_copy"


def jackknife_corpus(
    config: Path,
    output: Path,
    folds: int,
    overrides: Mapping[str, Any],
    call: Callable[..., Iterator[Any]] = starmap,
) -> None:
    """Annotates the training corpus of a config (J040, J410, J411) with components trained on other folds of it (J030).
    `call` is like `starmap`. Finished folds are kept beside the output, a `.spacy` file, until all are done. The config
    must not read the output (J440)."""
    settings = load_config(config, overrides=dict(overrides))
    for path in settings.interpolate().get("paths", {}).values():
        if path and Path(path).resolve() == output.resolve():
            raise JointOSError(Errors.J440, path=output, reason=f"the command reads {path}")
    filled = load_model_from_config(settings, auto_fill=True).config.interpolate()
    filled["components"] |= {
        name: component for name, component in settings.interpolate()["components"].items() if "source" in component
    }
    Jackknife(filled, str(config), folds).run(output, call)


class Jackknife:
    """The folds of a corpus, and the trainings on them."""

    def __init__(self, config: Config, name: str, folds: int) -> None:
        self.config = config
        training = registry.resolve(config["training"], schema=ConfigSchemaTraining)
        limits = {limit: training[limit] for limit in ("max_epochs", "max_steps")}
        if max(limits.values()) < 1:
            raise JointValueError(Errors.J410, config=name, **limits)
        self.reader = dot_to_object(config, training["train_corpus"])
        self.mixture = self.reader if self.reader["@readers"] == MIXED_READER else {}
        self.reader = self.mixture.get("corpora", {}).get(GOLD, self.reader)
        check_choice(f"reader of the training corpus of {name}", self.reader["@readers"], READERS)
        components = {found: config["components"][found] for found in config["nlp"]["pipeline"]}
        self.trained = [found for found, component in components.items() if component.get("factory") in TRAINED]
        if not self.trained:
            raise JointValueError(Errors.J411, config=name, attribute="TAG")
        settings = {components[found]["factory"]: components[found] for found in self.trained}
        self.has_quotations, self.keep = self.reader["@readers"] == QUOTATION_READER, self.reader.get("keep", [])
        self.cues = settings.get(CUES)
        has_tags = settings.get(GUIDE, {}).get("model", {}).get("tags")
        self.attribute = "TAG" if has_tags else settings.get(TAGGER, {}).get("attribute")
        self.guided_keys = settings.get(SPAN_GUIDE, {}).get("spans_keys")
        # Readers of quotations have no augmenters.
        without = {"shuffle": False, **({"augmenter": None} if self.reader.get("augmenter") else {})}
        plain = registry.resolve({"reader": {**self.reader, **without}})["reader"]
        # Readers only use the vocabulary of the pipeline.
        tokenizer = {"nlp": {"tokenizer": config["nlp"]["tokenizer"]}}
        nlp = spacy.blank(config["nlp"]["lang"], vocab=Vocab(), config=tokenizer)
        self.docs = [example.reference for example in plain(nlp)]
        numbers = np.cumsum([not doc.user_data.get(COPY) for doc in self.docs])
        check_range("folds (up to the number of documents)", folds, 2, len(set(numbers.tolist())))
        self.folds = folds
        # The fold of each document.
        self.fold_of: list[int] = ((numbers - numbers[0]) % folds).tolist()
        mentioned = digest_mentioned({**config["initialize"], "mixture": self.mixture})
        texts = [config.to_str(), *mentioned, __version__]
        content = DocBin(docs=self.docs, store_user_data=True).to_bytes() + "".join(texts).encode("utf8")
        self.digest = hashlib.sha256(content).hexdigest()

    def __getstate__(self) -> dict[str, Any]:
        # Workers get the documents of their folds.
        return {name: value for name, value in vars(self).items() if name not in ("docs", "fold_of", "digest")}

    def run(self, output: Path, call: Callable[..., Iterator[Any]]) -> None:
        """Annotates all folds and writes the corpus."""
        msg.info(f"{len(self.docs)} documents in {self.folds} folds, seed {self.config['training']['seed']}")
        directory = output.with_name(f"{output.name}.parts")
        # Their names have a digest of everything that they depend on.
        parts = [directory / f"{self.digest}.{fold}_of_{self.folds}.msgpack" for fold in range(self.folds)]
        missing = [fold for fold, part in enumerate(parts) if not part.is_file()]
        made = call(Jackknife._train, ((self, *self._split(fold)) for fold in missing))
        right = words = 0
        tagged: list[Iterator[bytes]] = []
        for fold, path in enumerate(parts):
            start = time.perf_counter()
            if fold in missing:
                with atomic_write(path) as temporary:
                    srsly.write_msgpack(temporary, next(made))
            part = srsly.read_msgpack(path)
            seconds = time.perf_counter() - start
            accuracy = 100 * part["right"] / max(part["words"], 1)
            msg.text(f"Fold {fold + 1} of {self.folds}: accuracy {accuracy:.2f}, {seconds:.0f} s")
            right, words = right + part["right"], words + part["words"]
            tagged.append(iter(part["documents"]))
        corpus = DocBin(store_user_data=True)
        for fold in self.fold_of:
            corpus.merge(DocBin(store_user_data=True).from_bytes(next(tagged[fold])))
        with atomic_write(output) as path:
            corpus.to_disk(path)
        shutil.rmtree(directory)
        msg.good(f"{output}: {len(corpus)} documents, {words:,} words, accuracy {100 * right / max(words, 1):.2f}")

    def _split(self, fold: int) -> list[bytes]:
        """Returns the documents of all other folds, and those of this one."""
        parts: tuple[list[Doc], list[Doc]] = ([], [])
        for doc, fold_of_doc in zip(self.docs, self.fold_of, strict=True):
            parts[fold_of_doc == fold].append(doc)
        return [DocBin(docs=docs, store_user_data=True).to_bytes() for docs in parts]

    def _train(self, seen: bytes, unseen: bytes) -> dict[str, Any]:
        """Trains on some documents and annotates others."""
        with TemporaryDirectory() as directory:
            files = {"train": Path(directory) / "train.spacy", "dev": Path(directory) / "dev.spacy"}
            files["train"].write_bytes(seen)
            files["dev"].write_bytes(unseen)
            nlp = init_nlp(self._configure(files))
            # Without an output path, the final model in memory is used.
            train(nlp, None, stdout=io.StringIO(), stderr=io.StringIO())
        return self._annotate(nlp, DocBin(store_user_data=True).from_bytes(unseen))

    def _configure(self, files: Mapping[str, Path]) -> Config:
        """Makes the config of a fold. Held-out documents must not affect early stopping: only one is scored, once."""
        config = self.config.copy()
        trained = {"shuffle": self.reader.get("shuffle", False), "seed": self.reader.get("seed", 0)}
        if self.has_quotations:
            plain: dict[str, Any] = {"@readers": QUOTATION_READER}
        else:
            plain = {"@readers": DOCBIN_READER, "keep": self.keep, "augmenter": None}
            trained["augmenter"] = self.reader.get("augmenter")
        train = {**plain, **trained, "path": str(files["train"])}
        if self.mixture:
            train = {**self.mixture, "corpora": {**self.mixture["corpora"], GOLD: train}}
        config["corpora"] = {"train": train, "dev": {**plain, "path": str(files["dev"]), "limit": 1}}
        config["training"] |= {"train_corpus": "corpora.train", "dev_corpus": "corpora.dev"}
        config["training"] |= {"patience": 0, "eval_frequency": 10**9}
        return config

    def _annotate(self, nlp: Language, held_out: Any) -> dict[str, Any]:
        """Annotates held-out documents, each followed by its augmented copies, and counts the right tokens."""
        block = self.reader.get("augmenter")
        augmenter = registry.resolve({"augmenter": block})["augmenter"] if block else None
        # The augmenter may draw random numbers.
        fix_random_seed(self.config["training"]["seed"] or 0)
        documents: list[bytes] = []
        right = words = 0
        for document in held_out.get_docs(nlp.vocab):
            example = make_quotation_example(document) if self.has_quotations else make_example(document, self.keep)
            annotated: list[Doc] = []
            # All copies are made first: they need gold annotation, which tagging the original overwrites.
            for variant in [example] if augmenter is None else list(augmenter(nlp, example)):
                predicted = variant.predicted
                # Only the trained components: a sourced guide may have seen these documents.
                for name in self.trained:
                    predicted = nlp.get_pipe(name)(predicted)
                right += self._transfer(predicted, variant)
                words += len(variant.reference)
                if annotated:
                    variant.reference.user_data[COPY] = True
                annotated.append(variant.reference)
            documents.append(DocBin(docs=annotated, store_user_data=True).to_bytes())
        return {"documents": documents, "right": right, "words": words}

    def _transfer(self, predicted: Doc, example: Example) -> int:
        """Copies predicted tags, columns or cues (as JACKKNIFED) to the reference; returns how many are right."""
        reference = example.reference
        if self.cues:
            key = self.cues["cues_key"]
            wrong = set(find_heads(reference, key)).symmetric_difference(find_heads(predicted, key))
            cues = [Span(reference, span.start, span.end, label=span.label) for span in predicted.spans[key]]
            reference.spans[JACKKNIFED] = cues
            return len(reference) - len(wrong)
        copy_columns(predicted, reference)
        if self.attribute is not None:
            gold, tags = (doc.to_array([self.attribute]) for doc in (reference, predicted))
            reference.from_array([self.attribute], tags)  # type: ignore[arg-type]  # wrong in its stub
            return int((gold == tags).sum())
        return _count_right_odds(example, self.guided_keys) if self.guided_keys else _count_right_heads(reference)


def _count_right_heads(doc: Doc) -> int:
    """Counts the tokens whose head is that in a guide's column."""
    offsets = read_column(doc, GUIDE_HEAD)
    return 0 if offsets is None else sum(token.head.i - token.i == offsets[token.i] for token in doc)


def _count_right_odds(example: Example, keys: Sequence[str]) -> int:
    """Counts the tokens for which all columns of a span guide are right. Whitespace counts as right."""
    is_right = np.ones(len(example.predicted), dtype=bool)
    for key in keys:
        for name, places in zip(name_span_columns(key), find_span_places(example, key).T, strict=True):
            odds = np.asarray(read_column(example.predicted, name), dtype=np.float32)
            is_right &= np.isnan(places) | ((odds > 0) == (places > 0))
    return int(is_right.sum())
