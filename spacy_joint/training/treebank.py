"""Training on a treebank: from CoNLL-U to an installable package. Finished steps are not repeated.

The steps correspond to the commands `convert`, `tokenizer-exceptions`, `word-classes`, `jackknife`, `spacy train` for
each component, `finish`, `calibrate`, `evaluate` and `spacy package`, with the configs of the package.
"""

import math
import shutil
import subprocess
import sys
import warnings
from collections.abc import Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import spacy
import srsly
from spacy.cli.package import package
from spacy.language import Language
from spacy.schemas import validate_init_settings
from spacy.tokenizer import Tokenizer
from spacy.tokens import Doc, DocBin
from spacy.training.initialize import init_nlp
from spacy.training.loop import train
from spacy.util import fix_random_seed, get_lang_class, load_config, load_model_from_config, registry
from spacy.vocab import create_vocab
from wasabi import msg

from .. import __version__, load
from ..annotation.custom_columns import FINE_TAG
from ..corpora.docbin import read_docbin
from ..corpora.examples import make_example
from ..corpora.treebank import read_splits
from ..errors import Errors, JointValueError, JointWarning, Warnings, check_choice
from ..files.atomic import atomic_write_directory, check_directory, write_json
from ..files.steps import Steps, digest, digest_mentioned
from ..guiding.onnx_transformer import convert_transformers
from ..parsing.layout import find_layout
from ..pipes.abbreviations import read_abbreviations
from ..pipes.tokenizer_check import check_word_scores, score_words
from ..scoring.pipelines import read_raw_texts, score_pipeline, score_pipeline_on_raw_text
from ..tokenization.exceptions import add_exceptions, learn_exceptions
from .boundary_choice import choose_biases
from .calibrating import read_samples
from .feature_choice import choose_features
from .finishing import finish_pipeline
from .jackknifing import jackknife_corpus

TAGGER, GUIDE, PARSER = "sequence_tagger", "parser_guide", "joint_sbd_parser"
MORPHOLOGIZER, LEMMATIZER = "sequence_morphologizer", "sequence_lemmatizer"
COMPONENTS = (TAGGER, GUIDE, PARSER, MORPHOLOGIZER, LEMMATIZER)
EXPANDER = "multiword_expander"
FEATURES = f"components.{TAGGER}.features"
# The paths of earlier components in the configs that build on them.
SOURCES = {GUIDE: "tagger", PARSER: "tagger", MORPHOLOGIZER: "parser", LEMMATIZER: "morphologizer"}
# A file that shows that a directory is a package.
PACKAGE = "*/meta.json"
# The configs of a guide and of the guided parser.
GUIDE_CONFIG, GUIDED_CONFIG = "parser_guide_trf", "guided_parser"
# The parser predicts with a wider beam than in training: slower and more accurate.
BEAM_WIDTH = 16
# Small corpora need small tables: 2^5 weights per word suffice, and large ones take long to set up, average and save.
MIN_TABLE_BITS, BITS_PER_WORD = 16, 5
# Tables of weights, evaluations, and epochs of taggers for jackknifing: more would gain little.
MAX_TABLES, N_EVALUATIONS, JACKKNIFE_EPOCHS = 3, 2, 4
# A guide's epochs, minimum and maximum updates, and folds for jackknifing: few, since each update takes seconds.
GUIDE_EPOCHS, GUIDE_STEPS, GUIDE_FOLDS = 10, (400, 750), 2
# Changes to the configs, which are for English: other languages have more features, and rarer words.
TRAINING: Mapping[str, Mapping[str, Any]] = {
    PARSER: {"max_epochs": 10},
    MORPHOLOGIZER: {"dropout": 0.6, "max_epochs": 8},
}
# Parsers let sentences begin in lower case after a semicolon and the like if they do at this share of such places.
MIN_LOWER_CASE_STARTS = 0.05
# More tags than this contain features. A tagger rarely finds all of them, and then the parser lacks the part of speech.
MAX_TAGS = 100
# The rules of a tokenizer by language; spaCy's own rules for other languages.
RULES = {"en": "spacy_joint.UdEnglishTokenizer.v1"}
NO_TOKENIZER = {"@tokenizers": "spacy_joint.NoTokenizer.v1"}
SPACY_RULES = "spacy.Tokenizer.v1"
CHARACTERS = "spacy_joint.CharacterTokenizer.v1"
# No tokenizer is learnt if rules reach this F1 of words on the development set.
GOOD_WORDS = 0.995


class TreebankTraining:
    """The steps of a training (J440, J713). Each method runs its step, or reads its earlier output."""

    def __init__(
        self,
        output: Path,
        configs: Path,  # the directory of the configs of components
        language: str,
        splits: Mapping[str, Sequence[Path]],  # the files of "train", "dev" and "test"
        overrides: Mapping[str, Any],  # for the configs, by dotted names
        seed: int,
        transformer: str | None = None,  # the name or directory of a transformer that guides the parser
    ) -> None:
        self.configs, self.language = configs, language
        self.splits, self.overrides, self.seed, self.transformer = splits, overrides, seed, transformer
        self.work, self.pipeline, self.scores = output / "steps", output / "pipeline", output / "scores.json"
        self.package = output / "package"
        keys = (setting.removeprefix("initialize.").split(".") for setting in overrides)
        for component in sorted({key[1] for key in keys if key[0] == "components"}):
            check_choice("component", component, COMPONENTS)
            # A guide would load its transformer.
            if component != GUIDE:
                self._check_overrides(component)
        check_directory(self.pipeline)
        check_directory(self.package, PACKAGE)
        self.steps = Steps(self.work, msg.info)
        self.corpora, self.tokenizer = self.work / "corpora", self.work / "tokenizer"
        self.sources = {**SOURCES, PARSER: "guide"} if transformer else SOURCES
        self.features, self.biases = self.work / "features_seen.json", self.work / "biases_chosen.json"
        self.finished = self.work / "finished"
        self.word_classes, self.jackknifed = self.work / "word_classes.msgpack", self.work / "jackknifed.spacy"
        # The parser's training documents: the jackknifed ones, also with the columns of a guide if there is one.
        self.guided = self.work / "guided.spacy" if transformer else self.jackknifed

    # Corpora, tokenizer and word classes.

    def read_corpora(self, documents: str | None, tags: str, subtypes: bool) -> None:
        """Converts and describes the treebank. `tags`: "both", "upos" (TAG is UPOS), "xpos" (there is no POS), or
        "auto" ("upos" if there are many XPOS, else "both")."""

        def make() -> None:
            # The rules of layout depend on the language.
            vocab = create_vocab(self.language, get_lang_class(self.language).Defaults)
            read = read_splits(self.splits, vocab, documents=documents, subtypes=subtypes)
            n_tags = len({token.tag for doc in read["train"] for token in doc})
            has_many = tags == "auto" and n_tags > MAX_TAGS
            if has_many:
                msg.info(f"The treebank has {n_tags} XPOS, so tags are UPOS")
            if tags == "upos" or has_many:
                for token in (token for docs in read.values() for doc in docs for token in doc):
                    token.tag_ = token.pos_
            learnt = read["train"]
            has = {name: any(doc.has_annotation(name) for doc in learnt) for name in ("MORPH", "LEMMA", "POS")}
            has["POS"] = has["POS"] and tags != "xpos"
            n_sentences = sum(len(list(doc.sents)) for doc in learnt)
            sizes = {"documents": len(learnt), "words": sum(map(len, learnt)), "sentences": n_sentences}
            is_start = np.concatenate([_find_lower_case_starts(doc) for doc in learnt])
            has["lower_case_starts"] = bool(is_start.any() and is_start.mean() >= MIN_LOWER_CASE_STARTS)
            with atomic_write_directory(self.corpora, "treebank.json") as path:
                path.mkdir()
                for split, docs in read.items():
                    if docs:
                        DocBin(docs=docs, store_user_data=True).to_disk(path / f"{split}.spacy")
                srsly.write_json(path / "treebank.json", {**has, **sizes})

        files = {split: list(map(digest, files)) for split, files in self.splits.items()}
        settings = {"files": files, "documents": documents, "tags": tags, "subtypes": subtypes}
        self.steps.run("corpora", self.corpora, make, settings=settings)
        self.described = srsly.read_json(self.corpora / "treebank.json")
        for attribute, what in (("MORPH", "features"), ("LEMMA", "lemmas")):
            if not self.described[attribute]:
                msg.info(f"The treebank has no {what}, so the pipeline will not predict any")

    def choose_features(self) -> None:
        """Chooses the features that the tagger predicts for the parser, unless they are given."""
        given = self.overrides.get(FEATURES)

        def make() -> None:
            nlp = spacy.blank("xx")
            train, dev = (self._read_docs(split, nlp) for split in ("train", "dev"))
            write_json(self.features, choose_features(train, dev) if given is None else given)

        self.steps.run("features", self.features, make, after=[self.corpora], settings={"given": given})
        self.seen = srsly.read_json(self.features)
        msg.info(f"Features that the parser sees with tags: {', '.join(self.seen) or 'none'}")

    def _read_docs(self, split: str, nlp: Language) -> list[Doc]:
        """Reads the documents of a split; none if the treebank lacks it."""
        path = self.corpora / f"{split}.spacy"
        return list(read_docbin(path, nlp.vocab)) if path.is_file() else []

    def make_tokenizer(self, tokenizer: str) -> None:
        """Makes a pipeline with only a tokenizer: the best one on the development set."""
        rules = RULES.get(self.language, SPACY_RULES)
        names = {"auto": [rules, CHARACTERS], "rules": [rules], "characters": [CHARACTERS]}.get(tokenizer, [tokenizer])

        def make() -> None:
            tried = []
            for name in names:
                nlp = self._learn_tokenizer(name)
                score = score_words(nlp.tokenizer, self._read_docs("dev", nlp), max_words=None)
                msg.info(f"{name}: {100 * score.fscore:.2f} % of the words of the development set (F1)")
                tried.append((score, nlp))
                if score.fscore >= GOOD_WORDS:
                    break
            score, nlp = max(tried, key=lambda each: each[0].fscore)
            check_word_scores(score, nlp.tokenizer)
            _save(nlp, self.tokenizer)

        settings = {"tokenizer": tokenizer, "language": self.language, "seed": self.seed}
        self.steps.run("tokenizer", self.tokenizer, make, after=[self.corpora], settings=settings)

    def _learn_tokenizer(self, name: str) -> Language:
        """Makes a pipeline with a tokenizer, which learns from the training set if it can."""
        nlp = spacy.blank(self.language, config={"nlp": {"tokenizer": {"@tokenizers": name}}})
        docs = self._read_docs("train", nlp)
        if isinstance(nlp.tokenizer, Tokenizer):
            nlp.tokenizer = add_exceptions(nlp.tokenizer, {word: [word] for word in read_abbreviations(self.language)})
            spans = (span for doc in docs for span in doc.sents)
            sentences = [([word.text for word in span], [bool(word.whitespace_) for word in span]) for span in spans]
            nlp.tokenizer = add_exceptions(nlp.tokenizer, learn_exceptions(nlp.tokenizer, sentences))
        elif hasattr(nlp.tokenizer, "initialize"):
            fix_random_seed(self.seed)
            examples = list(map(make_example, docs))
            nlp.tokenizer.initialize(lambda: examples, nlp=nlp)
        return nlp

    def make_word_classes(self, texts: Sequence[Path], given: Path | None) -> None:
        """Learns word classes from the training set and from texts, unless they are given."""
        if given:
            self.word_classes = given
            self.steps.digests[given] = digest(given)
            return

        def make() -> None:
            corpora = [self.corpora / "train.spacy", *texts]
            # Needs scipy, which is an extra.
            from .word_classes import learn_classes

            learn_classes(corpora, self.word_classes, spacy.load(self.tokenizer), seed=self.seed)

        settings = {"texts": list(map(digest, texts)), "seed": self.seed}
        before = [self.corpora, self.tokenizer]
        self.steps.run("word-classes", self.word_classes, make, after=before, settings=settings)

    # Components.

    def _find_config(self, component: str) -> Path:
        """Finds the config of a component; with a transformer, that of its guide and of a guided parser."""
        guided = {GUIDE: GUIDE_CONFIG, PARSER: GUIDED_CONFIG} if self.transformer else {}
        return self.configs / f"{guided.get(component, component)}.cfg"

    def _configure(self, component: str, kind: str, source: Path | None = None) -> dict[str, Any]:
        """Makes the overrides of a component's config, for text of a kind: "original", "unpunctuated" or "both"."""
        copies = 2 if kind == "both" else 1
        settings = {
            "system.seed": self.seed,
            "nlp.lang": self.language,
            "nlp.tokenizer": NO_TOKENIZER,
            "paths.train": str(self.guided if source else self.corpora / "train.spacy"),
            "paths.dev": str(self.corpora / "dev.spacy"),
        }
        if source:
            dev = "original" if kind == "both" else kind
            settings |= {f"paths.{self.sources[component]}": str(source), "training.dev_corpus": f"corpora.dev_{dev}"}
        else:
            settings |= {"training.train_corpus": f"corpora.{kind}", FEATURES: self.seen}
        config = load_config(self._find_config(component))
        if component == GUIDE:
            settings |= self._configure_guide(config["training"], copies)
        else:
            settings |= self._configure_perceptron(component, config, copies)
        return settings | self._select_overrides(component)

    def _select_overrides(self, component: str) -> dict[str, Any]:
        """Selects the overrides of a component's config."""
        own = tuple(f"{section}components.{component}." for section in ("", "initialize."))
        others = ("components.", "initialize.components.")
        return {
            setting: value
            for setting, value in self.overrides.items()
            if setting.startswith(own) or not setting.startswith(others)
        }

    def _check_overrides(self, component: str) -> None:
        """Makes a component without training it, since its turn comes late. RAISES ConfigValidationError: If it does
        not have a setting."""
        config = load_config(self._find_config(component), self._select_overrides(component))
        config["nlp"] |= {"lang": self.language, "tokenizer": NO_TOKENIZER, "pipeline": [component]}
        config["components"] = {component: config["components"][component]}
        nlp = load_model_from_config(config, auto_fill=True)
        pipe: Any = nlp.get_pipe(component)
        settings = registry.resolve(nlp.config.interpolate()["initialize"]["components"])
        validate_init_settings(pipe.initialize, settings.get(component, {}), section="components", name=component)

    def _configure_guide(self, training: Mapping[str, Any], copies: int) -> dict[str, Any]:
        batches = GUIDE_EPOCHS * copies * self.described["words"] / training["batcher"]["size"]
        steps = int(np.clip(batches, *GUIDE_STEPS))
        return {
            "paths.train": str(self.jackknifed),
            "paths.transformer": self.transformer,
            "training.max_steps": steps,
            "training.eval_frequency": steps // N_EVALUATIONS,
        }

    def _configure_perceptron(self, component: str, config: Mapping[str, Any], copies: int) -> dict[str, Any]:
        own = TRAINING.get(component, {})
        training = {**config["training"], **own}
        # The language's own tokenizer may need another package.
        pipe: Any = spacy.blank(self.language, config={"nlp": {"tokenizer": NO_TOKENIZER}}).create_pipe(component)
        batches = math.ceil(copies * self.described["documents"] / training["batcher"]["size"])
        bits = math.ceil(math.log2(copies * self.described["words"])) + BITS_PER_WORD
        settings = {
            "paths.word_classes": str(self.word_classes),
            # All epochs count, since weights are averaged over all updates.
            "training.eval_frequency": math.ceil(batches * training["max_epochs"] / N_EVALUATIONS),
            "training.patience": 0,
            f"components.{component}.model.table_bits": min(pipe.perceptron.table_bits, max(bits, MIN_TABLE_BITS)),
            f"components.{component}.model.n_tables": min(pipe.perceptron.n_tables, MAX_TABLES),
        }
        settings |= {f"training.{setting}": value for setting, value in own.items()}
        if component == PARSER:
            settings[f"components.{PARSER}.lower_case_starts"] = self.described["lower_case_starts"]
            if self.transformer:
                settings["paths.vectors"] = None
        if self.seen and component in (PARSER, MORPHOLOGIZER):
            columns = config["components"][component].get("columns", {})
            settings[f"components.{component}.columns"] = {**columns, FINE_TAG: {}}
        return settings

    def jackknife(self, kind: str, folds: int) -> None:
        """Tags the training documents with taggers that have not seen them."""
        faster = {f"components.{TAGGER}.model.n_tables": 1, "training.max_epochs": JACKKNIFE_EPOCHS}
        settings = self._configure(TAGGER, kind)
        settings |= {setting: self.overrides.get(setting, value) for setting, value in faster.items()}
        folds = min(folds, self.described["documents"])
        make = partial(jackknife_corpus, self.configs / f"{TAGGER}.cfg", self.jackknifed, folds, settings)
        made_from = {"folds": folds, **_without_paths(settings)}
        before = [self.corpora, self.features, self.word_classes]
        self.steps.run("jackknife", self.jackknifed, make, after=before, settings=made_from)

    def train_components(self, kind: str) -> Path:
        """Trains one component after the other, with the components before it, and returns the last pipeline."""
        components = [TAGGER, *([GUIDE] if self.transformer else []), PARSER]
        if self.described["POS"]:
            components.append(MORPHOLOGIZER)
            if self.described["LEMMA"]:
                components.append(LEMMATIZER)
        trained: Path | None = None
        for component in components:
            settings = self._configure(component, kind, trained)
            made_from = _without_paths(settings)
            path, config = self.work / component, self._find_config(component)
            before = [self.jackknifed, self.word_classes, trained] if trained else [self.corpora, self.word_classes]
            if component == GUIDE:
                assert self.transformer
                made_from["transformer"] = digest_mentioned(self.transformer) or self.transformer
                # Each fold leaves half of the documents to learn from.
                halved = {**settings, "training.max_steps": settings["training.max_steps"] // GUIDE_FOLDS}
                jackknife = partial(jackknife_corpus, config, self.guided, GUIDE_FOLDS, halved)
                self.steps.run("guide-columns", self.guided, jackknife, after=before, settings=made_from)
            make = partial(_train, config, settings, path, trained)
            trained = self.steps.run(component, path, make, after=before, settings=made_from)
        assert trained
        return trained

    # The finished pipeline.

    def _assemble(self, trained: Path) -> Language:
        """Joins the trained components and the tokenizer."""
        nlp, source = spacy.load(self.tokenizer), spacy.load(trained)
        for name in source.pipe_names:
            nlp.add_pipe(name, source=source)
        return nlp

    def _read_raw_texts(self, split: str, nlp: Language) -> list[Doc]:
        """Reads the documents of a split; with paragraphs, unless they were taken from the files of another split."""
        are_files = self.splits[split] and self.splits["train"]
        return read_raw_texts(self.splits[split], nlp) if are_files else self._read_docs(split, nlp)

    def choose_biases(self, trained: Path) -> None:
        """Chooses the parser's biases for boundaries, on the raw text of the development set."""

        def make() -> None:
            nlp = self._assemble(trained)
            parser: Any = nlp.get_pipe(PARSER)
            parser.perceptron.beam_width = BEAM_WIDTH
            references = self._read_raw_texts("dev", nlp)
            docs = [nlp.make_doc(reference.text) for reference in references]
            for name in nlp.pipe_names[: nlp.pipe_names.index(PARSER)]:
                pipe: Any = nlp.get_pipe(name)
                docs = list(pipe.pipe(docs))

            def parse(biases: Mapping[str, float]) -> list[Doc]:
                parser.set_biases(biases)
                return list(parser.pipe(doc.copy() for doc in docs))

            write_json(self.biases, choose_biases(parse, references))

        self.steps.run("biases", self.biases, make, after=[self.corpora, self.tokenizer, trained])

    def finish(self, trained: Path, meta: Mapping[str, Any], weight_bits: int) -> None:
        """Adds the multiword_expander and settings, and removes data that only training needs."""
        needed = {"requirements": [f"spacy-joint[onnx]>={__version__}"]} if self.transformer else {}
        fields = {**needed, **meta}

        def make() -> None:
            nlp = self._assemble(trained)
            # The last component, since it looks tokens up by their tags.
            expander: Any = nlp.add_pipe(EXPANDER)
            examples = list(map(make_example, self._read_docs("train", nlp)))
            expander.initialize(lambda: examples, nlp=nlp)
            if not (expander.lexicon or expander.joints):
                nlp.remove_pipe(EXPANDER)
            assembled = self.work / "assembled"
            _save(nlp, assembled)
            settings = {"model.beam_width": BEAM_WIDTH, **srsly.read_json(self.biases)}
            overrides = {f"components.{PARSER}.{setting}": value for setting, value in settings.items()}
            finish_pipeline(assembled, self.finished, overrides, fields, weight_bits)

        before = [self.corpora, self.tokenizer, trained, self.biases]
        settings = {"meta": fields, "weight_bits": weight_bits}
        self.steps.run("finished", self.finished, make, after=before, settings=settings)

    def calibrate(self, kind: str, notices: Sequence[Path]) -> None:
        """Calibrates the finished pipeline on the development set. Adds files for its package, such as LICENSE."""

        def make() -> None:
            nlp = load(self.finished)
            parser: Any = nlp.get_pipe(PARSER)
            try:
                samples = read_samples(nlp, parser, self._read_docs("dev", nlp), kind)
                parser.calibrate([(sample.decisions, sample.gold) for sample in samples])
            except JointValueError as error:
                if error.code != Errors.J646.code:
                    raise
                # The development set is too small, so only probabilities are missing.
                msg.info(f"Not calibrated: {error}")
            with atomic_write_directory(self.pipeline) as path:
                shutil.copytree(self.finished, path)
                parser.to_disk(path / PARSER, exclude=["vocab"])
                for notice in notices:
                    shutil.copy(notice, path)

        settings = {"kind": kind, "notices": {notice.name: digest(notice) for notice in notices}}
        self.steps.run("pipeline", self.pipeline, make, after=[self.corpora, self.finished], settings=settings)

    def evaluate(self) -> None:
        """Scores the pipeline on the test set, or on the development set if there is none."""

        def make() -> None:
            nlp = load(self.pipeline)
            split = "test" if (self.corpora / "test.spacy").is_file() else "dev"
            references = self._read_docs(split, nlp)
            scores = score_pipeline(nlp, references)
            scores |= score_pipeline_on_raw_text(nlp, self._read_raw_texts(split, nlp))
            write_json(self.scores, {"split": split, **scores})

        self.steps.run("scores", self.scores, make, after=[self.corpora, self.pipeline])

    def make_package(self, name: str, version: str) -> None:
        """Makes an installable package, with the scores in its metadata."""

        def make() -> None:
            scores = srsly.read_json(self.scores)
            del scores["split"], scores["speed"]
            meta = self.work / "meta.json"
            write_json(meta, {**srsly.read_json(self.pipeline / "meta.json"), "performance": scores})
            with atomic_write_directory(self.package, PACKAGE) as path:
                path.mkdir()
                package(self.pipeline, path, meta_path=meta, name=name, create_sdist=False)
                (directory,) = path.iterdir()
                make_archive(directory)

        made_from = {"name": name, "version": version}
        self.steps.run("package", self.package, make, after=[self.pipeline, self.scores], settings=made_from)
        # If there is no archive, the directory can be installed.
        (directory,) = self.package.iterdir()
        msg.good(f"pip install {next(directory.glob('dist/*.tar.gz'), directory)}")


def _find_lower_case_starts(doc: Doc) -> np.ndarray:
    """Finds whether a sentence starts (bool) at each place where only `lower_case_starts` allows it."""
    is_place = (find_layout(doc) < 0) & (find_layout(doc, lower_case_starts=True) == 0)
    return np.array([token.is_sent_start for token in doc], dtype=bool)[is_place]


def _train(config: Path, settings: Mapping[str, Any], output: Path, source: Path | None) -> None:
    """Trains a component after those of `source`, with their guide if they have one. A transformer becomes ONNX."""
    loaded = load_config(config, overrides=dict(settings), interpolate=False)
    pipeline = loaded["nlp"]["pipeline"]
    if source and (source / GUIDE).is_dir() and GUIDE not in pipeline:
        pipeline.insert(pipeline.index(PARSER), GUIDE)
        loaded["components"][GUIDE] = {"source": str(source)}
        loaded["training"]["frozen_components"].append(GUIDE)
    nlp = init_nlp(loaded)
    # No checkpoints: an interrupted step starts again.
    train(nlp, None, stdout=sys.stdout, stderr=sys.stderr)
    if settings.get("paths.transformer"):
        convert_transformers(nlp)
    _save(nlp, output)


def make_archive(directory: Path) -> None:
    """Makes `dist/NAME.tar.gz` of a package like `spacy package`, or warns if it cannot (JW34)."""
    found = find_spec("build")
    # A directory `build` in the working directory is found as a module, but has no origin.
    command = ["-m", "build", "--sdist"] if found and found.origin else ["setup.py", "sdist"]
    finished = subprocess.run([sys.executable, *command], cwd=directory, capture_output=True, text=True)
    if finished.returncode:
        reason = (finished.stderr or finished.stdout).strip().rpartition("\n")[2]
        warnings.warn(JointWarning(Warnings.JW34, name=directory.name, reason=reason), stacklevel=2)


def _save(nlp: Language, output: Path) -> None:
    """Saves a pipeline without data that only further training needs."""
    with atomic_write_directory(output) as path:
        nlp.to_disk(path)
        for learning in path.glob("*/learning"):
            learning.unlink()


def _without_paths(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Selects the settings that affect results. Paths do not, but the content of templates does."""
    kept = {setting: value for setting, value in settings.items() if not setting.startswith("paths.")}
    files = digest_mentioned({setting: value for setting, value in kept.items() if setting.startswith("initialize.")})
    return {**kept, "files": files} if files else kept
