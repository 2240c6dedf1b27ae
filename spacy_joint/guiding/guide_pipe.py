"""The base class of guides: components that predict columns for each token from the vectors of an encoder.

The encoder is any `tok2vec`, also that of another component (`spacy.Tok2VecListener.v1`). A guide only writes columns
(annotation/custom_columns.py). The templates of later components read them, and their search makes consistent
decisions (stacking: Nivre & McDonald 2008, Martins et al. 2008).
"""

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain
from math import isfinite
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
import srsly
from spacy.language import Language
from spacy.pipeline.trainable_pipe import TrainablePipe
from spacy.tokens import Doc
from spacy.training import Example, validate_examples
from spacy.util import minibatch
from spacy.vocab import Vocab
from thinc.api import Model, Optimizer, set_dropout_rate
from threadpoolctl import ThreadpoolController

from ..errors import Errors, JointValueError, check_value, report_damage
from ..pipes.component_files import ComponentFiles, Parts, uses_parts
from ..pipes.examples import read_examples
from .learning_state import pack_learning_state, restore_optimizer, restore_random_numbers, unpack_learning_state
from .vectors import encode_documents

# Called once: inspecting the loaded libraries takes milliseconds.
_find_blas = cache(ThreadpoolController)

# The number of documents used to initialize the encoder.
SAMPLE = 10
# The counters that a checkpoint saves.
COUNTS = ("n_seen", "n_steps", "n_steps_here")
# The prediction for a document.
Predicted = TypeVar("Predicted")


class GuidePipe(ComponentFiles, TrainablePipe, Generic[Predicted]):
    """A component whose model has an encoder, `tok2vec`, and layers over its vectors, `heads`."""

    # The name of the model.
    model_name: ClassVar[str]
    # Only checkpoints have "learning".
    file_names = ("cfg", "model", "learning")
    # Documents seen and steps made by the optimizer, in all, and steps since training was started or resumed.
    n_seen = n_steps = n_steps_here = 0
    # The optimizer, once training has begun in this process, and the state of an interrupted training to resume.
    _optimizer: Optimizer | None = None
    _interrupted: dict[str, Any] | None = None

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str,
        *,
        scorer: Callable[..., dict[str, Any]] | None,
        labels: Sequence[str] = (),
    ) -> None:
        check_value(f"model of '{name}'", model.name, model.name == self.model_name, self.model_name)
        self.vocab = vocab
        self.model = model
        self.name = name
        self.scorer = scorer
        # Lists of labels of each kind.
        self.cfg: dict[str, list[str]] = {"labels": list(labels)}
        # Labels that are settings; others are learnt.
        self._fixed_labels = self.labels

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that the component can predict."""
        return tuple(self.cfg["labels"])

    @property
    def label_data(self) -> Any:
        """The `labels` argument of `initialize`, for `spacy init labels`."""
        return self.cfg if len(self.cfg) > 1 else self.labels

    @property
    def is_initialized(self) -> bool:
        """Whether the model has weights."""
        heads = self.model.get_ref("heads")
        return any(node.has_param(name) for node in heads.walk() for name in node.param_names)

    def add_label(self, label: str) -> int:
        """Adds a label for `initialize`; returns 1, or 0 if the component already has it.

        RAISES ValueError: If it is not a string (J030), or the component is already initialized, or labels are settings
            (J070).
        """
        check_value("label", label, isinstance(label, str), "a string")
        if label in self.labels:
            return 0
        if self.is_initialized or self._fixed_labels:
            raise JointValueError(Errors.J070, name=self.name, label=label)
        self.cfg["labels"] = [*self.labels, label]
        self.vocab.strings.add(label)
        return 1

    def _check_is_initialized(self) -> None:
        if not self.is_initialized:
            raise JointValueError(Errors.J060, name=f"'{self.name}'")

    # Prediction.

    @uses_parts
    def predict(self, docs: Iterable[Doc]) -> list[Predicted]:
        """Predicts for documents, without modifying them.

        RAISES ValueError: If the component has been neither trained nor loaded (J060), or the vocabulary of a document
            lacks the word vectors that the encoder reads (J030).
        """
        self._check_is_initialized()
        docs = list(docs)
        for node in self.model.walk():
            if node.name == "static_vectors":
                allowed = f"{node.get_dim('nM')}: make documents with the pipeline of '{self.name}'"
                for length in {doc.vocab.vectors_length for doc in docs}:
                    name = "The length of the word vectors in the vocabulary of a document"
                    check_value(name, length, length == node.get_dim("nM"), allowed)
        # The matrices are small: more threads would mostly wait for each other, especially on busy cores.
        with _find_blas().limit(limits=1, user_api="blas"):
            return self.model.predict(docs)

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Annotates documents in batches. The error handler gets only documents that also fail outside their batch."""
        for batch in minibatch(stream, size=batch_size):
            docs = list(batch)
            try:
                self.set_annotations(docs, self.predict(docs))
            except Exception:
                # None: the error handler has taken the document.
                yield from (doc for doc in map(self, docs) if doc is not None)
            else:
                yield from docs

    @abstractmethod
    def set_annotations(self, docs: Iterable[Doc], scores: Iterable[Predicted]) -> None:
        """Writes the predictions of `predict` as columns, with missing values for whitespace."""

    # Training.

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        labels: list[str] | dict[str, list[str]] | None = None,
        pretrained: str | None = None,
    ) -> None:
        """Prepares the component for training.

        labels (list[str] | dict[str, list[str]]): The labels, or those of each kind, as written by `spacy init labels`.
            None collects them from the examples.
        pretrained (str): The directory of a saved component with the same architecture, such as
            `PIPELINE/parser_guide`. Training begins with its labels and weights. None: random weights.
        RAISES ValueError: If there is nothing to learn (J330), labels belong to another kind of component (J062), it
            already has weights for others (J063), or the pretrained component lacks labels (J665), has other settings
            (J066) or cannot be read (J073, J050).
        """
        examples = read_examples(get_examples, self)
        if labels is None:
            labels = self.collect_labels(examples)
        kinds = labels if isinstance(labels, dict) else {"labels": labels}
        are_lists = all(found and _is_label_list(found) for found in kinds.values())
        if kinds.keys() != self.cfg.keys() or not are_lists or self._fixed_labels not in ((), tuple(kinds["labels"])):
            raise JointValueError(Errors.J062, source=self.name)
        if pretrained is not None:
            self.from_disk(pretrained, exclude=["vocab", "learning"])
            if missing := {label for kind, found in kinds.items() for label in set(found).difference(self.cfg[kind])}:
                raise JointValueError(Errors.J665, path=pretrained, labels=", ".join(sorted(missing)))
            return
        if not self.is_initialized:
            self.cfg = {kind: list(found) for kind, found in kinds.items()}
        elif any(sorted(kinds[kind]) != sorted(known) for kind, known in self.cfg.items()):
            raise JointValueError(Errors.J063, name=self.name)
        self._add_strings()
        sample = [example.x for example in examples[:SAMPLE]]
        self._set_sizes()
        self.model.initialize(X=sample)

    def _set_sizes(self) -> None:
        self.model.set_dim("nO", len(self.labels), force=True)

    @abstractmethod
    def collect_labels(self, examples: Iterable[Example]) -> list[str] | dict[str, list[str]]:
        """Collects the labels to learn from examples, or those of each kind."""

    @uses_parts
    def update(
        self,
        examples: Iterable[Example],
        *,
        drop: float = 0.0,
        sgd: Optimizer | None = None,
        losses: dict[str, float] | None = None,
    ) -> dict[str, float]:
        """Updates the component and its encoder from a batch of examples.

        sgd (Optimizer): The optimizer; None accumulates gradients.
        losses (dict): The mean cross-entropy per token is added under the component's name.
        RAISES ValueError: If the component has not been initialized (J060), or the loss is infinite or NaN (J661).
        """
        losses = {} if losses is None else losses
        losses.setdefault(self.name, 0.0)
        examples = list(examples)
        validate_examples(examples, f"{type(self).__name__}.update")
        self._check_is_initialized()
        self.n_seen += len(examples)
        if not any(len(example.predicted) for example in examples):
            return losses
        if self._interrupted is not None and "random" in self._interrupted:
            restore_random_numbers(self._interrupted.pop("random"))
        set_dropout_rate(self.model, drop)
        vectors, backprop_vectors = encode_documents(
            self.model.get_ref("tok2vec"), [eg.predicted for eg in examples], is_train=True
        )
        loss, d_vectors = self.learn(vectors, examples)
        if not isfinite(loss):
            raise JointValueError(Errors.J661, name=self.name, step=self.n_steps + 1, loss=loss)
        losses[self.name] += loss
        backprop_vectors(d_vectors)
        if sgd is not None:
            self.finish_update(sgd)
        return losses

    def finish_update(self, sgd: Optimizer) -> None:
        """Makes a step of the optimizer. The first one of a resumed training restores its state from the checkpoint."""
        if self._interrupted is not None:
            restore_optimizer(self.model, sgd, self._interrupted)
            self._interrupted, self.n_steps_here = None, 0
        self._optimizer = sgd
        self.n_steps += 1
        self.n_steps_here += 1
        super().finish_update(sgd)

    @abstractmethod
    def learn(self, vectors: list[Any], examples: list[Example]) -> tuple[float, list[Any]]:
        """Adds to the gradients of `heads`; returns the mean cross-entropy per token and gradients of the vectors."""

    # Serialisation.

    def list_savers(self, exclude: Collection[str]) -> dict[str, Callable[[], bytes]]:
        """Lists functions that make the content of each file."""
        return {"cfg": srsly.json_dumps(self.cfg).encode, "model": self.model.to_bytes}

    def learning_to_bytes(self) -> bytes | None:
        """Returns the state of the training, for a checkpoint; None if this process has not trained the component."""
        if self._optimizer is None:
            return None
        counts = {name: getattr(self, name) for name in COUNTS}
        return pack_learning_state(self.model, self._optimizer, counts)

    def __reduce__(self) -> tuple[Any, ...]:
        # Schedules cannot be pickled. Not `__getstate__`, which classes of Cython do not call.
        make, arguments, state = super().__reduce__()
        return make, arguments, tuple({**part, "_optimizer": None} if part is vars(self) else part for part in state)

    def load_parts(self, parts: Parts) -> None:
        """Loads all files, and adds the labels to the vocabulary.

        RAISES ValueError: If one is missing or damaged, or the labels are not those of the weights (J050) or of the
            settings (J061), or the sizes of the weights are not (J066).
        """
        with report_damage(parts.source):
            if (cfg := parts.get("cfg")) is not None:
                self.cfg = {**srsly.json_loads(cfg.content)}
            if (model := parts.get("model")) is not None:
                own, saved = map(_list_sizes, (self.model.to_dict(), srsly.msgpack_loads(model.content)))
                for name in {**own, **saved}:
                    got, wanted = saved.get(name, "missing"), own.get(name, "missing")
                    # thinc would add unknown names to the model, and ignore missing ones.
                    if got != wanted and None not in (got, wanted):
                        parts.check()
                        raise JointValueError(Errors.J066, source=model.source, name=name, got=got, wanted=wanted)
                try:
                    self.model.from_bytes(model.content)
                except AttributeError as error:
                    # thinc raises it for other bytes.
                    raise TypeError from error
            self._check()
            if (learning := parts.get("learning", required=False)) is not None:
                state = unpack_learning_state(*learning)
                for name in COUNTS:
                    setattr(self, name, int(state[name]))
                self._interrupted = state

    def _check(self) -> None:
        """Adds loaded labels to the vocabulary; raises TypeError if weights do not fit them, or are missing."""
        if not (isinstance(self.cfg, dict) and all(map(_is_label_list, self.cfg.values()))):
            raise TypeError
        has_all = all(node.has_param(name) for node in self.model.walk() for name in node.param_names)
        if self.is_initialized and not (has_all and self.model.get_dim("nO") == len(self.labels)):
            raise TypeError
        if self._fixed_labels not in ((), self.labels):
            raise JointValueError(Errors.J061, source=self.name, got=self.labels, wanted=self._fixed_labels)
        self._add_strings()

    def _add_strings(self) -> None:
        for label in chain.from_iterable(self.cfg.values()):
            self.vocab.strings.add(label)


def cross_entropy_of_odds(ops: Any, odds: Any, targets: np.ndarray) -> tuple[float, Any]:
    """Returns the cross-entropy of log-odds, summed over those with a right answer (not NaN), and its gradient."""
    known = ops.asarray(~np.isnan(targets))
    truth = ops.asarray1f(np.nan_to_num(targets))
    # log(1 + exp(x)) without overflow.
    losses = ops.xp.logaddexp(0.0, ops.xp.where(truth > 0, -odds, odds))
    return float((losses * known).sum()), (ops.sigmoid(odds) - truth) * known


def _is_label_list(labels: Any) -> bool:
    return isinstance(labels, list | tuple) and all(isinstance(label, str) for label in labels)


def _list_sizes(model: dict[str, Any]) -> dict[str, int | str | None]:
    """Lists the sizes of dimensions (None: not known yet) of each node, given `Model.to_dict`, and which attributes and
    parameters there are; not references, which `nlp.replace_listeners` drops."""
    nodes = enumerate(zip(model["nodes"], model["attrs"], model["params"], strict=True))
    return {
        f"{name} of layer {number}": size
        for number, (node, attrs, params) in nodes
        for name, size in {**dict.fromkeys((*attrs, *params), "set"), **node["dims"]}.items()
    }
