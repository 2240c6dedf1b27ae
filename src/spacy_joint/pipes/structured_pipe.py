"""The base class of all components: it implements spaCy's interface for training, prediction and serialisation.

A subclass defines its labels (`collect_labels`), the system for these labels (`make_system`), how to convert examples
to instances (`make_instance`), how to interpret actions (`read`), and how to write annotation (`annotate`).
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
import srsly
from spacy import util
from spacy.language import Language
from spacy.pipeline.trainable_pipe import TrainablePipe
from spacy.tokens import Doc
from spacy.training import Example, validate_examples, validate_get_examples
from spacy.vocab import Vocab
from thinc.api import Model, Optimizer

from .. import PRETRAINED
from ..annotation.custom_columns import GUIDE_COLUMNS
from ..engine import model_file
from ..engine.columns import Columns
from ..engine.learner import Instance
from ..engine.mixing import TrainingState
from ..engine.system import System
from ..errors import Errors, JointError, JointValueError, JointWarning, Message, Warnings
from .architectures import get_perceptron
from .custom_columns import CustomColumns
from .guide_templates import read_guide_templates
from .lent_annotation import lend_annotation
from .token_columns import COLUMNS, WordClasses, WordColumns, find_whitespace
from .word_scores import check_tokenizer

# The prediction of a component for a document.
Prediction = TypeVar("Prediction")

# The number of examples after which the corpus is checked, and the tolerated share of unusable ones among them.
FIRST_EXAMPLES = 20
TOLERATED_SHARE = 0.1

# The number of words after which `pipe` takes no more documents together.
BATCH_WORDS = 4096
# The number of documents per thread that `pipe` reads ahead.
READ_AHEAD = 16

# The files of a trained component, besides its cfg.
TRAINED_PARTS = ("word_classes", "model", "learning")


# Exceptions while parsing damaged bytes: invalid values, missing keys, values of other types, too deep nesting, types
# that numpy cannot read.
DAMAGE = (LookupError, OverflowError, RecursionError, SyntaxError, TypeError, ValueError)


@contextmanager
def report_damage(source: str, what: str | None = None) -> Iterator[None]:
    """Raises J052 (J050 without `what`) for exceptions caused by parsing damaged data.

    Only parsing belongs inside this context: bugs would be reported as damage.
    """
    try:
        yield
    except DAMAGE as error:
        if isinstance(error, JointError):
            raise
        message = Errors.J050 if what is None else Errors.J052
        raise JointValueError(message, source=source, what=what) from error


def _make_batches(stream: Iterable[Doc], batch_size: int) -> Iterator[list[Doc]]:
    """Takes short documents together: if each went through all components by itself, every component would find the
    weights of the others in the caches of the processor instead of its own. Long ones gain nothing and cost memory."""
    batch: list[Doc] = []
    n_words = 0
    for doc in stream:
        batch.append(doc)
        n_words += len(doc)
        if len(batch) >= batch_size or n_words >= BATCH_WORDS:
            yield batch
            batch, n_words = [], 0
    if batch:
        yield batch


def _read_templates(path: str | Path) -> str:
    """RAISES ValueError: If there is no such file."""
    if not Path(path).is_file():
        raise JointValueError(Errors.J072, path=path)
    return Path(path).read_text(encoding="utf8")


class StructuredPipe(TrainablePipe, Generic[Prediction]):
    """A component that predicts a structure for a whole document with a structured perceptron."""

    # The default templates of the task, and the columns that templates can read, besides those that users bring.
    default_templates: Path
    # Templates of the columns of a guide, these columns, and the slots that the system fills from its heads.
    guide_templates: Path | None = None
    guide_columns: ClassVar[Collection[str]] = GUIDE_COLUMNS
    guide_slots: ClassVar[Collection[str]] = ()
    columns: ClassVar[tuple[str, ...]] = COLUMNS
    # Those of them that are attributes of tokens which other components set.
    read_attributes: ClassVar[tuple[str, ...]] = ("tag", "pos", "dep")

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str,
        *,
        scorer: Callable[..., dict[str, Any]] | None,
        columns: Mapping[str, Mapping[str, Any]] | None = None,
        **cfg: Any,
    ) -> None:
        self.custom_columns = CustomColumns(columns or {}, taken=self.columns)
        self.vocab = vocab
        self.model = model
        self.name = name
        self.scorer = scorer
        self.settings = cfg
        self.cfg: dict[str, Any] = {"labels": None, "templates": None, **cfg}
        self.word_classes = WordClasses.from_dict({})
        self._word_columns: Any = None
        # Documents since the last update, which are not yet in the perceptron's `n_seen`.
        self._n_pending = 0
        # Non-empty documents examined, up to FIRST_EXAMPLES, and those of them that could not be learnt from.
        self._n_examined = self._n_unusable = 0
        # The codes of warnings given.
        self._warned: set[str] = set()

    @property
    def perceptron(self) -> Any:
        """The perceptron of the model: a `Perceptron`, or another `LinearModel`."""
        return get_perceptron(self.model)

    @property
    def threads(self) -> int:
        """The number of documents that are searched at the same time."""
        return self.perceptron.threads

    @property
    def all_columns(self) -> tuple[str, ...]:
        """The columns that templates can read."""
        return (*self.columns, *self.custom_columns.names)

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that the component can predict; before it is initialized, those added so far."""
        return self.flatten_labels(self.cfg["labels"]) if self.cfg["labels"] else tuple(self._added_labels)

    @property
    def label_data(self) -> Any:
        """The `labels` argument of `initialize`, for `spacy init labels`."""
        return self.cfg["labels"] or self.extend_labels(None, self._added_labels)

    @property
    def _added_labels(self) -> list[str]:
        """The labels of `add_label`. They are only in the cfg if there are any."""
        return self.cfg.get("added_labels", [])

    def add_label(self, label: str) -> int:
        """Adds a label to those with which `initialize` sets up the component.

        label (str): The label.
        RETURNS (int): 1, or 0 if it has the label already.
        RAISES ValueError: If it is not a string, if the labels of the component cannot be chosen, or if it is already
            initialized: weights of a label cannot be added to a table.
        """
        if not isinstance(label, str):
            raise JointValueError(Errors.J075, label=label)
        if label in self.labels:
            return 0
        if self.cfg["labels"]:
            raise JointValueError(Errors.J070, name=self.name, label=label)
        self.extend_labels(None, [label])
        self.cfg["added_labels"] = [*self._added_labels, label]
        self.vocab.strings.add(label)
        return 1

    # The task.

    @abstractmethod
    def collect_labels(self, examples: Iterable[Example]) -> Any:
        """The labels of gold annotation, as JSON-serialisable data in a deterministic order."""

    @abstractmethod
    def flatten_labels(self, labels: Any) -> tuple[str, ...]:
        """All labels in the data of `collect_labels`."""

    def extend_labels(self, labels: Any | None, added: Sequence[str]) -> Any:
        """The data of `collect_labels` with labels added to it. Subclasses whose labels can be chosen override this.

        labels (Any | None): The data; None before labels are collected.
        added (Sequence[str]): The labels.
        RAISES ValueError: If the labels of the component cannot be chosen, and some are added.
        """
        if added:
            raise JointValueError(Errors.J076, name=self.name, label=added[0])
        return labels

    @abstractmethod
    def make_system(self, labels: Any) -> System:
        """The system with these labels."""

    def make_instance(self, example: Example) -> Instance | None:
        """The training instance of an example; None if it lacks the required annotation."""
        raise NotImplementedError

    def make_instances(self, example: Example) -> list[Instance]:
        """The training instances of an example. Subclasses that search parts of documents override this instead of
        `make_instance`."""
        instance = self.make_instance(example)
        return [] if instance is None else [instance]

    def get_constraints(self, doc: Doc) -> np.ndarray | None:
        """The constraints from existing annotation (int8, one per token), see `Columns`; None if there are none."""
        return None

    def make_word_columns(self) -> Any:
        """The object that builds the columns for the templates. It is recreated when the templates change."""
        return WordColumns(self.perceptron.templates.columns, self.word_classes, custom=self.custom_columns)

    def forget_predictions(self) -> None:
        """Drops predictions that are kept for words that recur, because the weights change."""

    def read(self, tokens: np.ndarray, actions: np.ndarray) -> Prediction:
        """Converts the result of a search to a prediction. Needed by `predict_doc`, unless that is overridden.

        tokens (np.ndarray): The tokens that the system sees: all except whitespace.
        actions (np.ndarray): A complete path.
        """
        raise NotImplementedError

    @abstractmethod
    def annotate(self, doc: Doc, prediction: Prediction) -> None:
        """Writes the prediction for a document."""

    # Prediction.

    def get_columns(self, doc: Doc, constraints: np.ndarray | None) -> tuple[Columns, np.ndarray]:
        """The columns for the templates, and the tokens of their rows."""
        return self._get_word_columns().columns_of(doc, constraints)

    def get_values(self, doc: Doc, more_follows: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """The same as a plain array, also for a part of a document: see `WordColumns.values_of`."""
        return self._get_word_columns().values_of(doc, more_follows)

    def _get_word_columns(self) -> Any:
        if self._word_columns is None:
            self._word_columns = self.make_word_columns()
        return self._word_columns

    def get_label_ids(self, doc: Doc, labels: Iterable[str]) -> dict[str, int]:
        """The ids of labels in the vocabulary of a document, to which they are added."""
        strings = doc.vocab.strings
        return {label: strings.add(label) for label in set(labels)}

    def predict(self, docs: Iterable[Doc]) -> list[Prediction]:
        """Predicts the annotation of documents, without modifying them.

        RAISES ValueError: If the component has been neither trained nor loaded.
        """
        self.require_trained()
        docs = list(docs)
        self.warn_of_missing_attributes(docs)
        if len(docs) < 2 or self.threads == 1:
            return [self.predict_doc(doc) for doc in docs]
        with ThreadPoolExecutor(min(self.threads, len(docs))) as pool:
            return list(pool.map(self.predict_doc, docs))

    def predict_doc(self, doc: Doc) -> Prediction:
        """Predicts the annotation of a document."""
        columns, tokens = self.get_columns(doc, self.get_constraints(doc))
        return self.read(tokens, self.search(columns))

    def require_trained(self) -> None:
        """RAISES ValueError: If the component has been neither trained nor loaded."""
        if not self.perceptron.is_set_up:
            raise JointValueError(Errors.J071, name=self.name, pretrained=PRETRAINED)

    def search(self, columns: Columns) -> np.ndarray:
        """The best actions for a document."""
        return self.perceptron.predict(columns)

    def set_annotations(self, docs: Iterable[Doc], scores: Iterable[Prediction]) -> None:
        """Writes the predictions of `predict`."""
        for doc, prediction in zip(docs, scores, strict=True):
            self.annotate(doc, prediction)

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Annotates a stream of documents, in order, with the number of threads of the model.

        If a document fails, only this one is passed to the error handler. With threads, some documents are read ahead.
        """
        # Each document has its own search, and fails by itself.
        if self.threads == 1:
            for docs in _make_batches(stream, batch_size):
                yield from [annotated for doc in docs if (annotated := self(doc)) is not None]
            return
        pool = ThreadPoolExecutor(self.threads)
        waiting: deque[tuple[Doc, Future[list[Prediction]]]] = deque()
        try:
            for doc in stream:
                waiting.append((doc, pool.submit(self.predict, [doc])))
                # A long document holds back later ones, but does not leave the threads idle.
                while waiting and (waiting[0][1].done() or len(waiting) > READ_AHEAD * self.threads):
                    yield from self._finish(*waiting.popleft())
            while waiting:
                yield from self._finish(*waiting.popleft())
        finally:
            pool.shutdown(cancel_futures=True)

    def _finish(self, doc: Doc, predicted: Future[list[Prediction]]) -> Iterator[Doc]:
        """Annotates a document with the prediction of a thread, unless that failed."""
        try:
            self.set_annotations([doc], predicted.result())
        except Exception as error:
            self.get_error_handler()(self.name, self, [doc], error)
        else:
            yield doc

    # Training.

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        labels: Any | None = None,
        templates: str | None = None,
        additional_templates: str | None = None,
        word_classes: dict[str, list[int]] | None = None,
    ) -> None:
        """Prepares the component for training, unless it is not trainable.

        get_examples (Callable): Returns a representative sample of gold examples; all of them are used for labels.
        nlp (Language): The pipeline, whose tokenizer is compared with the examples, see `pipes.word_scores`.
        labels (Any): The labels, as written by `spacy init labels`. None collects them from the examples.
        templates (str): The path of a text file of feature templates. None uses those of the task. The text becomes
            part of the model.
        additional_templates (str): The path of a text file of templates to be added to them.
        word_classes (dict): Classes of lower-cased words, see training/word_classes.py. None means no classes.
        RAISES ValueError: If there are no labels, or the templates have unknown atoms; if the tokenizer of the pipeline
            makes other words than those of the examples (J505).
        """
        if not self.is_trainable:
            return
        validate_get_examples(get_examples, f"{type(self).__name__}.initialize")
        if nlp is not None:
            check_tokenizer(nlp, get_examples())
        if labels is None:
            labels = self.collect_labels(get_examples())
        labels = self.extend_labels(labels, self._added_labels)
        texts = self.read_default_templates() if templates is None else [_read_templates(templates)]
        if additional_templates is not None:
            texts.append(_read_templates(additional_templates))
        self.word_classes = WordClasses.from_dict(word_classes or {})
        # spaCy has seeded numpy with the seed of the config; all randomness in training depends on this number.
        self.perceptron.seed = int(np.random.randint(2**24))
        util.logger.info("%s: seed %d", self.name, self.perceptron.seed)
        # A blank line ends a block.
        self._set_up(labels, "\n\n".join(texts))

    def read_default_templates(self) -> list[str]:
        """The feature templates of the task, and those of the columns of a guide, if it has any."""
        texts = [_read_templates(self.default_templates)]
        names = self.custom_columns.names
        if self.guide_templates is not None and set(self.guide_columns) & set(names):
            texts.append(read_guide_templates(self.guide_templates, names, self.guide_slots, self.guide_columns))
        return texts

    def _set_up(self, labels: Any, templates: str) -> None:
        system = self.make_system(labels)
        self.perceptron.set_up(system, templates, self.all_columns)
        self._word_columns = None
        self.forget_predictions()
        self._n_pending = self._n_examined = self._n_unusable = 0
        self.cfg["labels"], self.cfg["templates"] = labels, templates
        for label in self.labels:
            self.vocab.strings.add(label)
        # As for components of spaCy: the size of the output.
        self.model.set_dim("nO", len(self.labels), force=True)

    def update(
        self,
        examples: Iterable[Example],
        *,
        drop: float = 0.0,
        sgd: Optimizer | None = None,
        losses: dict[str, float] | None = None,
    ) -> dict[str, float]:
        """Learns from a batch of examples, if the component is trainable.

        Where the templates read annotation that a predicted document does not have, it learns with that of the
        reference, if there is any; tags are dropped like features. Predicted annotation, as by `spacy joint jackknife`,
        is better still.

        examples (Iterable[Example]): The batch.
        drop (float): The share of features dropped at random.
        sgd (Optimizer): Not used, since a perceptron has no gradient.
        losses (dict): The mean violation per document (by how much the search preferred a wrong result) is added under
            the component's name.
        RETURNS (dict): The losses.
        """
        losses = {} if losses is None else losses
        losses.setdefault(self.name, 0.0)
        examples = list(examples)
        validate_examples(examples, f"{type(self).__name__}.update")
        if not self.is_trainable:
            return losses
        read = self._list_read_attributes()
        n_seen = self.perceptron.n_seen + self._n_pending
        examples = [
            lend_annotation(example, read, drop, (self.perceptron.seed, number))
            for number, example in enumerate(examples, start=n_seen)
        ]
        self.warn_of_missing_attributes(example.predicted for example in examples)
        made = list(map(self.make_instances, examples))
        instances = [instance for of_example in made for instance in of_example if instance]
        self._count_unusable(
            not of_example for of_example, example in zip(made, examples, strict=True) if len(example.predicted)
        )
        self._n_pending += len(examples)
        self.forget_predictions()
        if instances:
            learnt = self.perceptron.update(instances, drop)
            self.perceptron.n_seen += self._n_pending
            self._n_pending = 0
            losses[self.name] += learnt["violation"] / len(instances)
        return losses

    def copy_states(self) -> list[TrainingState]:
        """Copies of the training states of all tables, for passes elsewhere: see engine/mixing.py."""
        return [replace(state, n_seen=state.n_seen + self._n_pending) for state in self.perceptron.copy_states()]

    def restore_states(self, states: Sequence[TrainingState]) -> None:
        """Goes on from training states: see `LinearModel.restore_states`."""
        self.perceptron.restore_states(states)
        self._n_pending = 0
        self.forget_predictions()

    def warn_of_missing_attributes(self, docs: Iterable[Doc]) -> None:
        """Warns once if the templates read an attribute, or a column, that no token of a document has."""
        if not self.perceptron.is_set_up or {Warnings.JW02.code, Warnings.JW37.code} <= self._warned:
            return
        attributes, columns = self._list_read_attributes(), self.list_custom_columns()
        for doc in docs:
            for column in self.custom_columns.list_missing(doc, columns) if len(doc) else ():
                self.warn_once(Warnings.JW37, column=column)
            for attribute in attributes:
                if not doc.has_annotation(attribute.upper()) and not find_whitespace(doc).all():
                    self.warn_once(Warnings.JW02, attribute=f"token.{attribute}")

    def _list_read_attributes(self) -> list[str]:
        """The attributes of other components that the templates read."""
        return [attribute for attribute in self.read_attributes if attribute in self.perceptron.templates.columns]

    def list_custom_columns(self) -> list[str]:
        """The custom columns that the templates read."""
        return [name for name in self.custom_columns.names if name in self.perceptron.templates.columns]

    def warn_once(self, warning: Message, **values: object) -> None:
        """Gives a warning of the catalogue, unless this component has given it before."""
        if warning.code not in self._warned:
            self._warned.add(warning.code)
            warnings.warn(JointWarning(warning, name=self.name, **values), stacklevel=3)

    def _count_unusable(self, are_unusable: Iterable[bool]) -> None:
        """Warns once per training if too many of the first examples cannot be learnt from."""
        if self._n_examined >= FIRST_EXAMPLES:
            return
        for is_unusable in are_unusable:
            self._n_examined += 1
            self._n_unusable += is_unusable
        if self._n_examined >= FIRST_EXAMPLES and self._n_unusable > TOLERATED_SHARE * self._n_examined:
            warning = JointWarning(Warnings.JW01, name=self.name, n=self._n_unusable, total=self._n_examined)
            warnings.warn(warning, stacklevel=3)

    def finish_update(self, sgd: Optimizer) -> None:
        """Does nothing: weights are updated in `update`."""

    def use_params(self, params: dict[Any, Any]) -> Iterator[None]:
        """Does nothing: predictions already use averages. `Language.use_params` expects a plain generator."""
        yield

    # Serialisation. "model" is for prediction; "learning" is for resuming training, and is optional.

    def to_bytes(self, *, exclude: Sequence[str] = ()) -> bytes:
        """Saves the component to bytes. exclude (Sequence[str]): Any of "cfg", "vocab", "model", "learning"."""
        self._validate_serialization_attrs()
        serializers: dict[str, Callable[[], Any]] = {
            "cfg": lambda: srsly.json_dumps(self.cfg),
            "vocab": lambda: self.vocab.to_bytes(exclude=exclude),
        }
        if self.perceptron.is_set_up:
            serializers["word_classes"] = lambda: model_file.pack({}, self.word_classes.to_arrays())
            serializers["model"] = self.perceptron.to_bytes
            serializers["learning"] = lambda: self.perceptron.learning_to_bytes() or b""
        return util.to_bytes(serializers, exclude)

    def from_bytes(self, bytes_data: bytes, *, exclude: Sequence[str] = ()) -> StructuredPipe[Prediction]:
        """Loads the bytes of `to_bytes`.

        RAISES ValueError: If they are damaged, or were made for different labels or templates.
        """
        self._validate_serialization_attrs()
        with report_damage("the bytes"):
            parts = srsly.msgpack_loads(bytes_data)
            if not isinstance(parts, dict) or "cfg" not in parts:
                raise TypeError
            if not all(isinstance(part, (str, bytes) if name == "cfg" else bytes) for name, part in parts.items()):
                raise TypeError

        def take_vocab(content: bytes) -> None:
            with report_damage("the bytes", "vocab"):
                self.vocab.from_bytes(content, exclude=exclude)

        util.from_bytes(
            bytes_data,
            {
                "cfg": lambda b: self._take_cfg(b, "the bytes"),
                "vocab": take_vocab,
                "word_classes": lambda b: self._take_word_classes(model_file.unpack(b)[1]),
                "model": self.perceptron.from_bytes,
                "learning": lambda b: self.perceptron.learning_from_bytes(b) if b else None,
            },
            exclude,
        )
        return self

    def to_disk(self, path: str | Path, *, exclude: Sequence[str] = ()) -> None:
        """Saves the component to a directory. exclude (Sequence[str]): Any of "cfg", "vocab", "model", "learning"."""
        self._validate_serialization_attrs()
        serializers: dict[str, Callable[[Path], Any]] = {
            "cfg": lambda p: model_file.write(p, srsly.json_dumps(self.cfg, indent=2).encode("utf8")),
            "vocab": lambda p: self.vocab.to_disk(p, exclude=exclude),
        }
        if self.perceptron.is_set_up:
            learning = None if "learning" in exclude else self.perceptron.learning_to_bytes()
            serializers["word_classes"] = lambda p: model_file.write(
                p, model_file.pack({}, self.word_classes.to_arrays())
            )
            serializers["model"] = lambda p: model_file.write(p, self.perceptron.to_bytes())
            if learning is not None:
                serializers["learning"] = lambda p: model_file.write(p, learning)
        util.to_disk(path, serializers, exclude)
        # Remove files of an earlier model that this one does not have.
        for part in TRAINED_PARTS:
            if part not in serializers:
                (Path(path) / part).unlink(missing_ok=True)

    def from_disk(self, path: str | Path, *, exclude: Sequence[str] = ()) -> StructuredPipe[Prediction]:
        """Loads the component from a directory; the weights are memory-mapped.

        RAISES ValueError: If a file is missing or damaged, or was made for different labels or templates.
        """
        self._validate_serialization_attrs()
        path = Path(path)

        def require(name: str) -> Path:
            if not (path / name).is_file():
                raise JointValueError(Errors.J073, path=path, name=name)
            return path / name

        deserializers: dict[str, Callable[[Path], Any]] = {
            "cfg": lambda p: self._take_cfg(require("cfg").read_bytes(), str(p)),
            "vocab": lambda p: self.vocab.from_disk(p, exclude=exclude),
        }
        util.from_disk(path, deserializers, exclude)
        if self.cfg["labels"] is None:
            return self
        deserializers = {
            "word_classes": lambda p: self._take_word_classes(model_file.read(require("word_classes"))[1]),
            "model": lambda p: self.perceptron.from_disk(require("model")),
        }
        if (path / "learning").is_file():
            deserializers["learning"] = lambda p: self.perceptron.learning_from_bytes(p.read_bytes(), str(p))
        util.from_disk(path, deserializers, exclude)
        return self

    def _take_cfg(self, content: bytes, source: str) -> None:
        """Loads labels and templates; settings are those of the config that created this object."""
        with report_damage(source, "cfg"):
            cfg = {**srsly.json_loads(content), **self.settings}
            labels, templates, added = cfg.get("labels"), cfg.get("templates", ""), cfg.get("added_labels", [])
            if not isinstance(added, list) or not all(isinstance(label, str) for label in added):
                raise TypeError
            if labels is not None:
                if not isinstance(templates, str) or not all(isinstance(s, str) for s in self.flatten_labels(labels)):
                    raise TypeError
                # Only the system can check whether these are valid labels.
                self.make_system(labels)
        if labels is not None:
            self._set_up(labels, templates)
        self.cfg.update(cfg)
        for label in added:
            self.vocab.strings.add(label)

    def _take_word_classes(self, arrays: dict[str, np.ndarray]) -> None:
        self.word_classes.from_arrays(arrays)
        self._word_columns = None
