"""`train-treebank`: from a treebank in CoNLL-U to an installable package, in one command.

The steps are those of the other commands, with the configs of the package: corpora (`convert`), tokenizer
(`tokenizer-exceptions`), word classes (`word-classes`), jackknifed tags (`jackknife`), a training for each component
(`spacy train`), and then `finish`, `evaluate` and `spacy package`.
"""

from __future__ import annotations

import math
import subprocess
import sys
import warnings
from collections.abc import Mapping, Sequence
from enum import Enum
from functools import partial
from importlib.util import find_spec
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from wasabi import msg

from ..errors import Errors, JointValueError, JointWarning, Warnings
from ..files.reading import require_file
from ..files.replacing import replace_directory_when_written, replace_when_written
from ..files.steps import Steps, digest
from .configs import CONFIGS
from .finish import finish_pipeline
from .options import Kind

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

TAGGER, PARSER = "sequence_tagger", "joint_sbd_parser"
MORPHOLOGIZER, LEMMATIZER = "sequence_morphologizer", "sequence_lemmatizer"
EXPANDER = "multiword_expander"
# What earlier components are called in the configs that build on them.
SOURCES = {PARSER: "tagger", MORPHOLOGIZER: "parser", LEMMATIZER: "morphologizer"}
FOLDS = 5
# The parser predicts with a wider beam than in training: slower and more accurate.
BEAM_WIDTH = 16
# Small corpora need small tables: 2^5 weights per word suffice, and large ones take long to set up, average and save.
MIN_TABLE_BITS, BITS_PER_WORD = 16, 5
# The rules of a tokenizer by language; spaCy's own rules for other languages.
RULES = {"en": "spacy_joint.UdEnglishTokenizer.v1"}
SPACY_RULES = "spacy.Tokenizer.v1"
CHARACTERS = "spacy_joint.CharacterTokenizer.v1"
# If rules find so many words of the development set (F1, in percent), no tokenizer is learnt.
GOOD_WORDS = 99.5


class Tags(str, Enum):
    """Which tags are learnt."""

    both = "both"
    upos = "upos"
    xpos = "xpos"


def train_treebank(
    treebank: Annotated[
        list[str] | None, typer.Argument(help=".conllu files with train, dev or test in their names, or directories.")
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="Output directory.")] = Path("training"),
    language: Annotated[
        str | None, typer.Option("--language", "-l", help="Language code. Default: from the file names.")
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="Name of the package, without the language. Default: joint_TREEBANK.")
    ] = None,
    version: Annotated[str, typer.Option(help="Version of the package.")] = "0.1.0",
    train: Annotated[list[Path] | None, typer.Option(help="Training set, whatever its name.")] = None,
    dev: Annotated[list[Path] | None, typer.Option(help="Development set, whatever its name.")] = None,
    test: Annotated[list[Path] | None, typer.Option(help="Test set, whatever its name.")] = None,
    documents: Annotated[
        str | None,
        typer.Option(
            help="How documents are delimited: newdoc, sent_id, or a number of sentences. Default: newdoc, or ten "
            "sentences without such comments."
        ),
    ] = None,
    kind: Annotated[Kind, typer.Option(help="Text to train on.")] = Kind.both,
    tags: Annotated[
        Tags,
        typer.Option(help="TAG is XPOS, POS is UPOS (both); both are UPOS (upos); or no POS, features, lemmas (xpos)."),
    ] = Tags.both,
    subtypes: Annotated[
        bool, typer.Option("--subtypes/--no-subtypes", help="Whether relations keep their subtypes, as in nsubj:pass.")
    ] = True,
    tokenizer: Annotated[
        str,
        typer.Option(
            help="rules: those of the language, with learnt exceptions; characters: learnt altogether; auto: the "
            "better one; or a registered tokenizer."
        ),
    ] = "auto",
    texts: Annotated[
        list[Path] | None, typer.Option(help=".txt files to learn word classes from, besides the treebank.")
    ] = None,
    word_classes: Annotated[
        Path | None, typer.Option(help="Word classes, as written by `word-classes`, instead of learning them.")
    ] = None,
    meta: Annotated[Path | None, typer.Option(help="JSON file with fields for meta.json, such as the licence.")] = None,
    folds: Annotated[int, typer.Option(min=2, help="Number of folds of jackknifed tags.")] = FOLDS,
    make_package: Annotated[bool, typer.Option("--package/--no-package", help="Whether to make a package.")] = True,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 0,
) -> None:
    """Train a pipeline on a treebank, evaluate it from raw text, and make a package of it.

    It has a tagger, a parser, and, if the treebank has such annotation, a morphologizer, a lemmatizer and a
    multiword_expander. The output directory has the finished `pipeline`, its `scores.json`, and the `package`; `steps`
    has what is in between, so that a run that was interrupted can be started again. The configs can be overridden as
    for `spacy train`, e.g. with --training.max_epochs 5; a setting of a component, such as
    --components.joint_sbd_parser.model.beam_width 4, is for its own training.
    """
    import spacy
    import srsly
    from spacy.cli._util import parse_config_overrides

    from ..corpora.treebank import SPLITS, find_splits, name_treebank

    # Unknown options, which override configs, and their values end up among the files.
    files = list(takewhile(lambda argument: not argument.startswith("--"), treebank or []))
    overrides = parse_config_overrides((treebank or [])[len(files) :])
    named = dict(zip(SPLITS, (train, dev, test), strict=True))
    splits = {split: list(named[split] or files) for split, files in find_splits(map(Path, files)).items()}
    for file in [*(file for files in splits.values() for file in files), *(texts or [])]:
        require_file(file)
    found = name_treebank(splits)
    language = language or found.language
    if language is None:
        raise JointValueError(Errors.J525)
    try:
        spacy.util.get_lang_class(language)
    except ImportError as error:
        raise JointValueError(Errors.J524, language=language) from error
    name = name or f"joint_{found.name or 'treebank'}"
    if not name.isidentifier() or name.strip("_") != name:
        raise JointValueError(Errors.J526, name=name)
    msg.info(f"Language {language}, seed {seed}")
    run = _Training(output, language, splits, overrides, seed)
    run.read_corpora(documents, tags, subtypes)
    run.make_tokenizer(tokenizer)
    run.make_word_classes(texts or [], word_classes)
    run.jackknife(kind, folds)
    trained = run.train_components(kind)
    fields = {
        "name": name,
        "version": version,
        "description": f"Trained on {', '.join(file.name for file in splits['train'] or splits['dev'])}.",
        **(srsly.read_json(require_file(meta)) if meta else {}),
    }
    run.finish(trained, fields)
    run.evaluate()
    if make_package:
        run.make_package(name, version)


class _Training:
    """The steps, with what all of them need."""

    def __init__(
        self,
        output: Path,
        language: str,
        splits: Mapping[str, Sequence[Path]],
        overrides: Mapping[str, Any],
        seed: int,
    ) -> None:
        self.output = output
        self.work = output / "steps"
        self.language = language
        self.splits = splits
        self.overrides = overrides
        self.seed = seed
        self.steps = Steps(self.work, msg.info)
        self.corpora = self.work / "corpora"
        self.tokenizer = self.work / "tokenizer"
        self.word_classes = self.work / "word_classes.msgpack"
        self.jackknifed = self.work / "jackknifed.spacy"
        self.pipeline = output / "pipeline"
        self.scores = output / "scores.json"

    # Corpora, and what is learnt from words alone.

    def read_corpora(self, documents: str | None, tags: Tags, subtypes: bool) -> None:
        """Converts the treebank, and describes it."""
        import srsly

        contents = {split: digest(files) for split, files in self.splits.items()}
        settings = {"documents": documents, "tags": tags.value, "subtypes": subtypes}
        division = int(documents) if documents and documents.isdecimal() else documents
        make = partial(self._write_corpora, division, tags, subtypes)
        self.steps.run("corpora", self.corpora, make, settings={"files": contents, **settings})
        self.described = srsly.read_json(self.corpora / "treebank.json")
        for attribute, what in (("MORPH", "features"), ("LEMMA", "lemmas")):
            if not self.described[attribute]:
                msg.info(f"The treebank has no {what}, so the pipeline will not predict any")

    def _write_corpora(self, documents: int | str | None, tags: Tags, subtypes: bool) -> None:
        import srsly
        from spacy.tokens import DocBin
        from spacy.vocab import Vocab

        from ..corpora.treebank import read_splits

        read = read_splits(self.splits, Vocab(), documents=documents, subtypes=subtypes)
        if tags is Tags.upos:
            for doc in (doc for docs in read.values() for doc in docs):
                for token in doc:
                    token.tag_ = token.pos_
        learnt = read["train"]
        described = {
            attribute: any(doc.has_annotation(attribute) for doc in learnt) for attribute in ("MORPH", "LEMMA")
        }
        described["POS"] = tags is not Tags.xpos and any(doc.has_annotation("POS") for doc in learnt)
        sizes = {
            "documents": len(learnt),
            "words": sum(map(len, learnt)),
            "sentences": sum(len(list(doc.sents)) for doc in learnt),
        }
        with replace_directory_when_written(self.corpora) as path:
            path.mkdir()
            for split, docs in read.items():
                if docs:
                    DocBin(docs=docs, store_user_data=True).to_disk(path / f"{split}.spacy")
            srsly.write_json(path / "treebank.json", {**described, **sizes})

    def read_docs(self, split: str, nlp: Language) -> list[Doc]:
        """The documents of a split, for a pipeline; none if the treebank does not have it."""
        from ..corpora.docbin import read_docbin

        path = self.corpora / f"{split}.spacy"
        return list(read_docbin(path, nlp.vocab)) if path.is_file() else []

    def make_tokenizer(self, tokenizer: str) -> None:
        """Makes a pipeline of nothing but the tokenizer."""
        self.steps.run(
            "tokenizer",
            self.tokenizer,
            partial(self._write_tokenizer, tokenizer),
            after=[self.corpora],
            settings={"tokenizer": tokenizer, "language": self.language, "seed": self.seed},
        )

    def _write_tokenizer(self, tokenizer: str) -> None:
        from ..pipes.word_scores import report_unfit, score_words

        rules = RULES.get(self.language, SPACY_RULES)
        names = {"auto": [rules, CHARACTERS], "rules": [rules], "characters": [CHARACTERS]}.get(tokenizer, [tokenizer])
        tried = []
        for name in names:
            nlp = self._learn_tokenizer(name)
            scores = score_words(nlp.tokenizer, self.read_docs("dev", nlp), max_words=None)
            msg.info(f"{name}: {scores.f_score:.2f} % of the words of the development set (F1)")
            tried.append((scores, nlp))
            if scores.f_score >= GOOD_WORDS:
                break
        scores, nlp = max(tried, key=lambda each: each[0].f_score)
        report_unfit(scores, nlp.tokenizer)
        _save(nlp, self.tokenizer)

    def _learn_tokenizer(self, name: str) -> Language:
        """A pipeline with a tokenizer that has learnt from the training set, if it can."""
        import spacy
        from spacy.tokenizer import Tokenizer
        from spacy.util import fix_random_seed

        from ..corpora.examples import make_example
        from ..tokenization.exceptions import add_exceptions, learn_exceptions

        nlp = spacy.blank(self.language, config={"nlp": {"tokenizer": {"@tokenizers": name}}})
        docs = self.read_docs("train", nlp)
        if isinstance(nlp.tokenizer, Tokenizer):
            sentences = [
                ([token.text for token in sentence], [bool(token.whitespace_) for token in sentence])
                for doc in docs
                for sentence in doc.sents
            ]
            nlp.tokenizer = add_exceptions(nlp.tokenizer, learn_exceptions(nlp.tokenizer, sentences))
        elif hasattr(nlp.tokenizer, "initialize"):
            fix_random_seed(self.seed)
            examples = list(map(make_example, docs))
            nlp.tokenizer.initialize(lambda: examples, nlp=nlp)
        return nlp

    def make_word_classes(self, texts: Sequence[Path], given: Path | None) -> None:
        """Learns word classes from the training set and from texts, unless they are given."""
        import spacy

        from .word_classes import learn_classes

        if given:
            self.word_classes = require_file(given)
            self.steps.digests[given] = digest([given])[0]
            return

        def make() -> None:
            corpora = [self.corpora / "train.spacy", *texts]
            learn_classes(corpora, self.word_classes, spacy.load(self.tokenizer), seed=self.seed)

        self.steps.run(
            "word-classes",
            self.word_classes,
            make,
            after=[self.corpora, self.tokenizer],
            settings={"texts": digest(texts), "seed": self.seed},
        )

    # Components.

    def configure(self, component: str, kind: Kind, source: Path | None = None) -> dict[str, Any]:
        """The overrides of the config of a component, as dotted names and values."""
        from spacy.util import load_config

        config = load_config(CONFIGS / f"{component}.cfg")
        training, model = config["training"], config["components"][component]["model"]
        copies = 2 if kind is Kind.both else 1
        batches = math.ceil(copies * self.described["documents"] / training["batcher"]["size"])
        bits = math.ceil(math.log2(copies * self.described["words"])) + BITS_PER_WORD
        epochs_of_patience = training["patience"] // training["eval_frequency"]
        settings = {
            "system.seed": self.seed,
            "nlp.lang": self.language,
            "nlp.tokenizer": {"@tokenizers": "spacy_joint.NoTokenizer.v1"},
            "paths.train": str(self.jackknifed if source else self.corpora / "train.spacy"),
            "paths.dev": str(self.corpora / "dev.spacy"),
            "paths.word_classes": str(self.word_classes),
            "training.eval_frequency": batches,
            "training.patience": epochs_of_patience * batches,
            f"components.{component}.model.table_bits": min(model["table_bits"], max(bits, MIN_TABLE_BITS)),
        }
        if source:
            settings |= {f"paths.{SOURCES[component]}": str(source), "training.dev_corpus": f"corpora.dev_{kind.value}"}
        else:
            settings["training.train_corpus"] = f"corpora.{kind.value}"
        own = {
            setting: value
            for setting, value in self.overrides.items()
            if not setting.startswith("components.") or setting.startswith(f"components.{component}.")
        }
        return {**settings, **own}

    def jackknife(self, kind: Kind, folds: int) -> None:
        """Tags the training documents with taggers that have not seen them."""
        from .jackknife import jackknife_corpus

        settings = self.configure(TAGGER, kind)
        folds = min(folds, self.described["documents"])
        self.steps.run(
            "jackknife",
            self.jackknifed,
            partial(jackknife_corpus, CONFIGS / f"{TAGGER}.cfg", self.jackknifed, folds, settings),
            after=[self.corpora, self.word_classes],
            settings={"folds": folds, **_without_paths(settings)},
        )

    def train_components(self, kind: Kind) -> Path:
        """Trains one component after the other, each with all before it, and returns the last pipeline."""
        components = [TAGGER, PARSER]
        if self.described["POS"]:
            components.append(MORPHOLOGIZER)
            if self.described["LEMMA"]:
                components.append(LEMMATIZER)
        trained: Path | None = None
        for component in components:
            settings = self.configure(component, kind, trained)
            path = self.work / component
            corpus = self.jackknifed if trained else self.corpora
            before = [corpus, self.word_classes, *([trained] if trained else [])]
            make = partial(_train, component, settings, path)
            trained = self.steps.run(component, path, make, after=before, settings=_without_paths(settings))
        assert trained
        return trained

    # The finished pipeline.

    def finish(self, trained: Path, meta: Mapping[str, Any]) -> None:
        """Puts the tokenizer and the components together, without what only training needs."""
        make = partial(self._write_pipeline, trained, meta)
        self.steps.run("pipeline", self.pipeline, make, after=[self.corpora, self.tokenizer, trained], settings=meta)

    def _write_pipeline(self, trained: Path, meta: Mapping[str, Any]) -> None:
        import spacy

        from ..corpora.examples import make_example

        nlp, source = spacy.load(self.tokenizer), spacy.load(trained)
        for name in source.pipe_names:
            nlp.add_pipe(name, source=source)
        # Only after the others: it looks tokens up by their tags.
        expander: Any = nlp.add_pipe(EXPANDER)
        examples = list(map(make_example, self.read_docs("train", nlp)))
        expander.initialize(lambda: examples, nlp=nlp)
        if not (expander.lexicon or expander.joints):
            nlp.remove_pipe(EXPANDER)
        assembled = self.work / "assembled"
        _save(nlp, assembled)
        finish_pipeline(assembled, self.pipeline, {f"components.{PARSER}.model.beam_width": BEAM_WIDTH}, meta)

    def evaluate(self) -> None:
        """Scores the pipeline on the test set, or on the development set if there is none."""
        self.steps.run("scores", self.scores, self._write_scores, after=[self.corpora, self.pipeline])

    def _write_scores(self) -> None:
        import srsly

        from .. import load
        from .evaluate import measure, measure_raw_text, read_raw_texts

        nlp = load(self.pipeline)
        split = "test" if (self.corpora / "test.spacy").is_file() else "dev"
        references = self.read_docs(split, nlp)
        files = self.splits[split] if self.splits["train"] else []
        scores = measure(nlp, references) | measure_raw_text(nlp, read_raw_texts(files, nlp) or references)
        with replace_when_written(self.scores) as path:
            srsly.write_json(path, {"split": split, **scores})

    def make_package(self, name: str, version: str) -> None:
        """Makes an installable package, with the scores in its metadata."""
        path = self.output / "package"
        make = partial(self._write_package, name, path)
        self.steps.run(
            "package", path, make, after=[self.pipeline, self.scores], settings={"name": name, "version": version}
        )
        # The archive, or, if it could not be made, the directory, which can be installed, too.
        (directory,) = path.iterdir()
        msg.good(f"pip install {next(directory.glob('dist/*.tar.gz'), directory)}")

    def _write_package(self, name: str, output: Path) -> None:
        import srsly
        from spacy.cli.package import package

        scores = {name: score for name, score in srsly.read_json(self.scores).items() if name not in ("split", "speed")}
        meta = self.work / "meta.json"
        srsly.write_json(meta, {**srsly.read_json(self.pipeline / "meta.json"), "performance": scores})
        with replace_directory_when_written(output) as path:
            path.mkdir()
            package(self.pipeline, path, meta_path=meta, name=name, create_sdist=False)
            (directory,) = path.iterdir()
            _make_archive(directory)


def _train(component: str, settings: Mapping[str, Any], output: Path) -> None:
    """Trains a component by its config, as `spacy train` does."""
    from spacy.training.initialize import init_nlp
    from spacy.training.loop import train
    from spacy.util import load_config

    nlp = init_nlp(load_config(CONFIGS / f"{component}.cfg", overrides=dict(settings), interpolate=False))
    # Without an output path, there are no checkpoints: a step that was interrupted begins again.
    train(nlp, None, stdout=sys.stdout, stderr=sys.stderr)
    _save(nlp, output)


def _make_archive(directory: Path) -> None:
    """Makes `dist/NAME.tar.gz` of a package as `spacy package` does, or warns that it cannot (JW34)."""
    found = find_spec("build")
    # A directory `build` in the working directory would be a package, too, but without an origin.
    command = ["-m", "build", "--sdist"] if found and found.origin else ["setup.py", "sdist"]
    finished = subprocess.run([sys.executable, *command], cwd=directory, capture_output=True, text=True)
    if finished.returncode:
        reason = (finished.stderr or finished.stdout).strip().rpartition("\n")[2]
        warnings.warn(JointWarning(Warnings.JW34, name=directory.name, reason=reason), stacklevel=2)


def _save(nlp: Language, output: Path) -> None:
    """Saves a pipeline, without what only further training needs."""
    with replace_directory_when_written(output) as path:
        nlp.to_disk(path)
        for learning in path.glob("*/learning"):
            learning.unlink()


def _without_paths(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that change results: a moved directory does not."""
    return {setting: value for setting, value in settings.items() if not setting.startswith("paths.")}
