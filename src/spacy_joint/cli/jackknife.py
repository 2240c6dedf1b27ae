"""`jackknife`: annotate the training corpus with jackknifed tags, columns of guides, or cues of quotations.

A parser trained on gold tags relies on tags too much; so do a parser with a guide that has seen its sentences, and a
quotation model trained on gold cues. The documents are therefore split into folds, and each fold is annotated by a
component trained on all others, so that the annotation is like that at prediction time. Other annotation and the order
of the documents do not change.
"""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from itertools import starmap
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer
from wasabi import msg

from ..about import __version__
from ..errors import Errors, JointValueError
from ..files.replacing import replace_when_written
from ..files.steps import digest_mentioned
from .options import AddressOption, EngineName

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc
    from spacy.training import Example
    from thinc.api import Config

DOCBIN_READER = "spacy_joint.DocBinCorpus.v1"
QUOTATION_READER = "spacy_joint.QuotationCorpus.v1"
READERS = ("spacy_joint.ConlluCorpus.v1", DOCBIN_READER, QUOTATION_READER)
TAGGER = "sequence_tagger"
GUIDE = "parser_guide"
SPAN_GUIDE = "span_guide"
CUES = "quotation_cues"
TRAINED = (TAGGER, GUIDE, SPAN_GUIDE, CUES)
# A key of `Doc.user_data`: the document is a copy, made by an augmenter, of an earlier one.
COPY = "is_copy"


def jackknife(
    ctx: typer.Context,
    config: Annotated[
        Path, typer.Argument(help="Config to train the tagger, guide, or model of cues.", exists=True, dir_okay=False)
    ],
    output: Annotated[Path, typer.Argument(help="Output .spacy file.")],
    folds: Annotated[int, typer.Option(help="Number of folds, and of trainings.")] = 10,
    seed: Annotated[int | None, typer.Option(help="Seed of each training. Default: [training.seed].")] = None,
    engine: Annotated[
        EngineName, typer.Option(help="local: one fold after the other, in this process. ray: with Ray.")
    ] = EngineName.local,
    workers: Annotated[int, typer.Option(help="For ray: number of folds at the same time.")] = 1,
    address: AddressOption = None,
) -> None:
    """Annotate the training corpus of a config with taggers, guides, or models of cues, trained on other parts of it.

    The config can be overridden as for `spacy train`, e.g. with --paths.train CORPUS. Its training
    corpus is split into folds of documents. If the corpus has an augmenter, the copies that it makes are annotated like
    the originals and written after them. They stay in the folds of their originals if the output is annotated again,
    as by a guide after a tagger. Finished folds are kept next to the output until all are done, so that the command
    can be interrupted. The engine and the number of workers do not affect the result.
    """
    from spacy.cli._util import parse_config_overrides

    from ..scale.cluster import connect

    if workers < 1:
        raise JointValueError(Errors.J736, n=workers, what="workers")
    for option, is_given in (("workers", workers > 1), ("address", address is not None)):
        if is_given and engine is not EngineName.ray:
            raise JointValueError(Errors.J716, option=option, engine="ray")
    overrides = parse_config_overrides(ctx.args)
    if seed is not None:
        overrides["training.seed"] = seed
    with connect(address, log_to_driver=False, num_cpus=workers) if engine is EngineName.ray else nullcontext() as ray:
        jackknife_corpus(config, output, folds, overrides, ray, workers)


def jackknife_corpus(
    config: Path, output: Path, folds: int, overrides: Mapping[str, Any], ray: Any = None, workers: int = 1
) -> None:
    """Does the same from Python.

    overrides (Mapping): Dotted names and values, for the config.
    ray (module | None): Ray, connected to a cluster. None: folds are trained in this process.
    RAISES ValueError: If the config cannot be used (J408, J410, J411), or the number of folds (J409).
    """
    from spacy.cli._util import show_validation_error

    with show_validation_error(config):
        filled = _fill(config, overrides)
        _Jackknife(filled, str(config), folds).run(output, ray, workers)


def _fill(path: Path, overrides: Mapping[str, Any]) -> Config:
    """The config with defaults filled in and variables resolved. Components of other pipelines stay as they are."""
    from spacy.util import load_config, load_model_from_config

    config = load_config(path, overrides=dict(overrides))
    filled = load_model_from_config(config, auto_fill=True).config.interpolate()
    sourced = {name: found for name, found in config.interpolate()["components"].items() if "source" in found}
    filled["components"] |= sourced
    return filled


class _Jackknife:
    """The folds of a corpus, and the trainings on them."""

    def __init__(self, config: Config, name: str, folds: int) -> None:
        import numpy as np
        import spacy
        from spacy.tokens import DocBin
        from spacy.util import dot_to_object, registry
        from spacy.vocab import Vocab

        self.config = config
        training = config["training"]
        if training["max_epochs"] < 1 and training["max_steps"] < 1:
            raise JointValueError(
                Errors.J410, config=name, max_epochs=training["max_epochs"], max_steps=training["max_steps"]
            )
        self.reader = dot_to_object(config, training["train_corpus"])
        if self.reader["@readers"] not in READERS:
            allowed = " or ".join(READERS)
            raise JointValueError(Errors.J408, config=name, found=self.reader["@readers"], allowed=allowed)
        components = {found: config["components"][found] for found in config["nlp"]["pipeline"]}
        self.trained = [found for found, component in components.items() if component.get("factory") in TRAINED]
        if not self.trained:
            raise JointValueError(Errors.J411, config=name, attribute="TAG")
        settings = {components[found]["factory"]: components[found] for found in self.trained}
        self.has_quotations = self.reader["@readers"] == QUOTATION_READER
        self.cues = settings.get(CUES)
        self.attribute = settings.get(TAGGER, {}).get("attribute")
        self.guided_keys = settings.get(SPAN_GUIDE, {}).get("spans_keys")
        # Quotation readers have no augmenters.
        without = {"shuffle": False, **({"augmenter": None} if self.reader.get("augmenter") else {})}
        plain = registry.resolve({"reader": {**self.reader, **without}})["reader"]
        # A reader only uses the vocabulary of the pipeline.
        tokenizer = {"nlp": {"tokenizer": config["nlp"]["tokenizer"]}}
        nlp = spacy.blank(config["nlp"]["lang"], vocab=Vocab(), config=tokenizer)
        self.docs = [example.reference for example in plain(nlp)]
        numbers = np.cumsum([not doc.user_data.get(COPY) for doc in self.docs])
        if not 2 <= folds <= len(set(numbers.tolist())):
            raise JointValueError(Errors.J409, folds=folds, documents=len(set(numbers.tolist())))
        self.folds = folds
        # The fold of each document.
        self.fold_of: list[int] = ((numbers - numbers[0]) % folds).tolist()
        self.digest = hashlib.sha256(
            config.to_str().encode("utf8")
            + DocBin(docs=self.docs, store_user_data=True).to_bytes()
            + "".join(digest_mentioned(config["initialize"])).encode("utf8")
        )

    def __getstate__(self) -> dict[str, Any]:
        # Workers are given the documents of their folds.
        return {name: value for name, value in vars(self).items() if name not in ("docs", "fold_of", "digest")}

    def run(self, output: Path, ray: Any = None, workers: int = 1) -> None:
        """Annotates all folds and writes the corpus."""
        from spacy.tokens import DocBin

        from ..scale.tasks import call_on_ray

        msg.info(f"{len(self.docs)} documents in {self.folds} folds, seed {self.config['training']['seed']}")
        parts = output.with_name(f"{output.name}.parts")
        right = words = 0
        tagged: list[Iterator[bytes]] = []
        missing = [fold for fold in range(self.folds) if self.take_part(parts, fold) is None]
        calls = ((self, *self.split(fold)) for fold in missing)
        made = call_on_ray(ray, workers, _Jackknife.train, calls) if ray else starmap(_Jackknife.train, calls)
        for fold in range(self.folds):
            start = time.perf_counter()
            part = self.take_part(parts, fold) or self.keep_part(parts, fold, next(made))
            seconds = time.perf_counter() - start
            accuracy = 100 * part["right"] / max(part["words"], 1)
            msg.text(f"Fold {fold + 1} of {self.folds}: accuracy {accuracy:.2f}, {seconds:.0f} s")
            right, words = right + part["right"], words + part["words"]
            tagged.append(iter(part["documents"]))
        corpus = DocBin(store_user_data=True)
        for fold in self.fold_of:
            corpus.merge(DocBin(store_user_data=True).from_bytes(next(tagged[fold])))
        with replace_when_written(output) as path:
            corpus.to_disk(path)
        shutil.rmtree(parts)
        msg.good(f"{output}: {len(corpus)} documents, {words:,} words, accuracy {100 * right / max(words, 1):.2f}")

    def fingerprint(self, fold: int) -> str:
        """A digest of everything that a part depends on."""
        digest = self.digest.copy()
        digest.update(json.dumps([self.folds, fold, __version__]).encode("utf8"))
        return digest.hexdigest()

    def take_part(self, parts: Path, fold: int) -> dict[str, Any] | None:
        """A part finished by an earlier run with the same settings; None if there is none."""
        import srsly

        path = parts / f"{fold}.msgpack"
        if not path.is_file():
            return None
        part = srsly.read_msgpack(path)
        return part if part["fingerprint"] == self.fingerprint(fold) else None

    def keep_part(self, parts: Path, fold: int, annotated: dict[str, Any]) -> dict[str, Any]:
        """Keeps a part for a later run, and returns it."""
        import srsly

        part = {"fingerprint": self.fingerprint(fold), **annotated}
        with replace_when_written(parts / f"{fold}.msgpack") as path:
            srsly.write_msgpack(path, part)
        return part

    def split(self, fold: int) -> list[bytes]:
        """The documents of all other folds, and those of this one."""
        from spacy.tokens import DocBin

        return [
            DocBin(
                docs=[
                    doc for doc, of_doc in zip(self.docs, self.fold_of, strict=True) if (of_doc == fold) is is_unseen
                ],
                store_user_data=True,
            ).to_bytes()
            for is_unseen in (False, True)
        ]

    def train(self, seen: bytes, unseen: bytes) -> dict[str, Any]:
        """Trains on some documents and annotates others."""
        from spacy.tokens import DocBin
        from spacy.training.initialize import init_nlp
        from spacy.training.loop import train

        with TemporaryDirectory() as directory:
            files = {"train": Path(directory) / "train.spacy", "dev": Path(directory) / "dev.spacy"}
            files["train"].write_bytes(seen)
            files["dev"].write_bytes(unseen)
            nlp = init_nlp(self.configure(files))
            # Without an output path, the final model in memory is used.
            train(nlp, None, stdout=io.StringIO(), stderr=io.StringIO())
        annotate = self.find_cues if self.cues else self.annotate
        return annotate(nlp, DocBin(store_user_data=True).from_bytes(unseen))

    def configure(self, files: Mapping[str, Path]) -> Config:
        """The config of a fold. The held-out documents must not affect early stopping, so only one is scored, once."""
        config = self.config.copy()
        shuffling = {"shuffle": self.reader.get("shuffle", False), "seed": self.reader.get("seed", 0)}
        if self.has_quotations:
            plain: dict[str, Any] = {"@readers": QUOTATION_READER}
            trained = {**plain, **shuffling}
        else:
            plain = {"@readers": DOCBIN_READER, "keep": self.reader.get("keep", []), "augmenter": None}
            trained = {**plain, **shuffling, "augmenter": self.reader.get("augmenter")}
        config["corpora"] = {
            "train": {**trained, "path": str(files["train"])},
            "dev": {**plain, "path": str(files["dev"]), "limit": 1},
        }
        config["training"] |= {"train_corpus": "corpora.train", "dev_corpus": "corpora.dev"}
        config["training"] |= {"patience": 0, "eval_frequency": 10**9}
        return config

    def annotate(self, nlp: Language, held_out: Any) -> dict[str, Any]:
        """The documents with predicted tags, columns, or both, each followed by its augmented copies, and the number of
        correct tags; without a tagger, of tokens with a correct head, or all of whose log-odds have the right sign."""
        from spacy.tokens import DocBin
        from spacy.util import registry
        from thinc.api import fix_random_seed

        from ..annotation.custom_columns import copy_columns
        from ..corpora.examples import make_example
        from ..corpora.quotations import make_quotation_example

        block = self.reader.get("augmenter")
        augmenter = registry.resolve({"augmenter": block})["augmenter"] if block else None
        # The augmenter may draw random numbers.
        fix_random_seed(self.config["training"]["seed"] or 0)
        documents: list[bytes] = []
        right = words = 0
        for document in held_out.get_docs(nlp.vocab):
            if self.has_quotations:
                example = make_quotation_example(document)
            else:
                example = make_example(document, self.reader.get("keep", []))
            annotated: list[Doc] = []
            # All copies are made first, from gold annotation, which tagging the original overwrites.
            for variant in [example] if augmenter is None else list(augmenter(nlp, example)):
                reference, predicted = variant.reference, variant.predicted
                for name in self.trained:
                    predicted = nlp.get_pipe(name)(predicted)
                copy_columns(predicted, reference)
                if self.attribute is None and self.guided_keys:
                    right += _count_right_odds(variant, self.guided_keys)
                elif self.attribute is None:
                    right += _count_right_heads(reference)
                else:
                    gold, tags = (doc.to_array([self.attribute]) for doc in (reference, predicted))
                    right += int((gold == tags).sum())
                    reference.from_array([self.attribute], tags)  # type: ignore[arg-type]  # wrong in its stub
                words += len(reference)
                if annotated:
                    reference.user_data[COPY] = True
                annotated.append(reference)
            documents.append(DocBin(docs=annotated, store_user_data=True).to_bytes())
        return {"documents": documents, "right": right, "words": words}

    def find_cues(self, nlp: Language, held_out: Any) -> dict[str, Any]:
        """The documents with predicted cues under a separate key, and the number of correctly classified tokens."""
        from spacy.tokens import DocBin, Span

        from ..corpora.quotations import JACKKNIFED, make_quotation_example
        from ..quotation.quotation_cues import find_heads

        key = (self.cues or {})["cues_key"]
        documents: list[bytes] = []
        right = words = 0
        for reference in held_out.get_docs(nlp.vocab):
            predicted = make_quotation_example(reference).predicted
            # Not those of other pipelines: a guide that has seen these documents would know too much.
            for name in self.trained:
                predicted = nlp.get_pipe(name)(predicted)
            wrong = set(find_heads(reference, key)) ^ set(find_heads(predicted, key))
            right, words = right + len(reference) - len(wrong), words + len(reference)
            reference.spans[JACKKNIFED] = [
                Span(reference, span.start, span.end, label=span.label) for span in predicted.spans[key]
            ]
            documents.append(DocBin(docs=[reference], store_user_data=True).to_bytes())
        return {"documents": documents, "right": right, "words": words}


def _count_right_heads(doc: Doc) -> int:
    """The number of tokens whose head is that of the column of a guide."""
    from ..annotation.custom_columns import GUIDE_HEAD, read_column

    offsets = read_column(doc, GUIDE_HEAD)
    return sum(
        token.head.i - token.i == offset for token, offset in zip(doc, () if offsets is None else offsets, strict=False)
    )


def _count_right_odds(example: Example, keys: Sequence[str]) -> int:
    """The number of tokens for which all columns of a guide of spans are right; whitespace is."""
    import numpy as np

    from ..annotation.custom_columns import name_span_columns, read_column
    from ..pipes.span_places import find_span_places

    is_right = np.ones(len(example.predicted), dtype=bool)
    for key in keys:
        for name, places in zip(name_span_columns(key), find_span_places(example, key).T, strict=True):
            odds = np.asarray(read_column(example.predicted, name), dtype=np.float32)
            is_right &= np.isnan(places) | ((odds > 0) == (places > 0))
    return int(is_right.sum())
