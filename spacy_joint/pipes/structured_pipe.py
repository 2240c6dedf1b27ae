"""The base class of components with a perceptron: it implements spaCy's interface for prediction and training. A
subclass defines its labels (`collect_labels`), the system for these labels (`make_system`), how to convert examples to
instances (`make_instances`), how to predict (`predict_doc`), and how to write annotation (`annotate`)."""

import re
import warnings
from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from spacy import util
from spacy.language import Language
from spacy.pipeline.trainable_pipe import TrainablePipe
from spacy.tokens import Doc
from spacy.training import Example, validate_examples
from thinc.api import Optimizer

from ..annotation.custom_columns import FINE_TAG, GUIDE_COLUMNS
from ..annotation.sentences import list_sentences
from ..engine.columns import Columns
from ..engine.learner import Instance
from ..engine.threads import open_pool
from ..errors import Errors, JointValueError, JointWarning, Warnings, report_damage
from ..files.grouping import group_by_size
from ..files.reading import read_text
from .component_files import uses_parts
from .examples import read_examples
from .gold_fallback import fall_back_to_gold
from .guide_columns import read_guide_templates
from .no_tokenizer import NoTokenizer
from .perceptron_pipe import CHARACTERS, PerceptronPipe
from .spelling import find_known_characters
from .token_columns import find_whitespace
from .tokenizer_check import check_word_scores, score_words
from .word_classes import WordClasses

# The prediction of a component for a document.
Prediction = TypeVar("Prediction")

# The corpus is checked after this number of examples, of which this share may be unusable.
FIRST_EXAMPLES, TOLERATED_SHARE = 20, 0.1
# A batch of `pipe` ends after this number of words. With threads, `pipe` reads this number of documents ahead per
# thread.
BATCH_WORDS, READ_AHEAD = 4096, 16
# Tags in templates.
TAG_ATOM = re.compile(r"\.tag\b")


class StructuredPipe(PerceptronPipe, TrainablePipe, Generic[Prediction]):
    """A component that predicts a structure for a whole document; for its settings, see `PerceptronPipe`."""

    # The default templates of the task.
    default_templates: Path
    # Templates of the columns of a guide, these columns, and the slots that the system fills from its heads.
    guide_templates: Path | None = None
    guide_columns: ClassVar[Collection[str]] = GUIDE_COLUMNS
    guide_slots: ClassVar[Collection[str]] = ()
    # Templates of plain tags, added if a column has tags with features, which all other templates then read.
    coarse_templates: Path | None = None
    # The columns that are token attributes, and the components that set them.
    read_attributes: ClassVar[Mapping[str, str]] = {
        "tag": "sequence_tagger",
        "pos": "sequence_morphologizer",
        "morph": "sequence_morphologizer",
        "dep": "joint_sbd_parser",
    }
    # Of the first non-empty examples of a training: whether each is unusable, and whether it has several sentences.
    _examined: tuple[tuple[bool, bool], ...] = ()

    # The task.

    @abstractmethod
    def make_instances(self, example: Example) -> list[Instance]:
        """Makes the training instances of an example, one for each part that is searched by itself; none if the
        required annotation is missing."""

    def predict_doc(self, doc: Doc) -> Prediction:
        """Predicts the annotation of a document, without modifying it. Subclasses define this, or `predict_all`."""
        return self.predict_all([doc])[0]

    @abstractmethod
    def annotate(self, doc: Doc, prediction: Prediction) -> None:
        """Writes the prediction for a document."""

    def get_constraints(self, doc: Doc) -> np.ndarray | None:
        """Returns the constraints from existing annotation (int8, one per token), see `Columns`; None if there are
        none."""
        return None

    def list_constraints(self, docs: Sequence[Doc]) -> Sequence[np.ndarray | None]:
        """Returns the constraints of documents with one vocabulary: see `get_constraints`."""
        return list(map(self.get_constraints, docs))

    def count_open_words(self, doc: Doc) -> int:
        """Counts the words at the end of a document whose constraints can depend on later words."""
        return 0

    @property
    def learns_boundaries(self) -> bool:
        """Whether the component learns where sentences begin."""
        return False

    # Prediction.

    def get_columns(self, doc: Doc, constraints: np.ndarray | None) -> tuple[Columns, np.ndarray]:
        """Returns the columns for the templates, and the tokens of their rows."""
        return self.list_columns([doc], [constraints])[0]

    def list_columns(
        self, docs: Sequence[Doc], constraints: Sequence[np.ndarray | None]
    ) -> list[tuple[Columns, np.ndarray]]:
        """Returns the result of `get_columns` for documents with one vocabulary."""
        found = zip(docs, self._get_word_columns().list_values(docs), constraints, strict=True)
        return [(self.make_columns(doc, values, tokens, preset), tokens) for doc, (values, tokens), preset in found]

    def make_columns(self, doc: Doc, values: np.ndarray, tokens: np.ndarray, constraints: np.ndarray | None) -> Columns:
        """Makes the columns for the templates, given the result of `get_values`."""
        row_constraints = None if constraints is None else constraints[tokens]
        return Columns(self.perceptron.templates.columns, values, row_constraints, self.find_token_info(doc, tokens))

    def find_token_info(self, doc: Doc, tokens: np.ndarray) -> np.ndarray | None:
        """Finds what the system reads of tokens besides their columns, if anything: see `Columns`."""
        return None

    def get_values(self, doc: Doc, more_follows: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """Returns the values of the columns, and the tokens of their rows: see `WordColumns.make_values`."""
        return self._get_word_columns().make_values(doc, more_follows)

    def get_label_ids(self, doc: Doc, labels: Iterable[str]) -> dict[str, int]:
        """Returns the ids of labels in the vocabulary of a document, to which they are added."""
        strings = doc.vocab.strings
        return {label: strings.add(label) for label in set(labels)}

    @uses_parts
    def predict(self, docs: Iterable[Doc]) -> list[Prediction]:
        """Predicts the annotation of documents, without modifying them.

        RAISES ValueError: If the component has been neither trained nor loaded.
        """
        self.require_trained()
        docs = list(docs)
        self.warn_of_missing_attributes(docs)
        if len(docs) < 2 or self.threads == 1:
            return self.predict_all(docs)
        with open_pool(min(self.threads, len(docs))) as pool:
            return list(pool.map(self.predict_doc, docs))

    def predict_all(self, docs: Sequence[Doc]) -> list[Prediction]:
        """Predicts the annotation of documents, in one thread. Subclasses can take each step for all of them, so that
        its code and its weights stay in the caches."""
        return [self.predict_doc(doc) for doc in docs]

    def search_all(self, docs: Sequence[Doc]) -> list[tuple[np.ndarray, np.ndarray, Columns]]:
        """Finds the best actions for documents; returns, for each, its tokens, except whitespace, the actions, and the
        columns searched."""
        groups = [list(group) for _, group in groupby(docs, attrgetter("vocab"))]
        made = [pair for group in groups for pair in self.list_columns(group, self.list_constraints(group))]
        return [(tokens, self.perceptron.predict(columns), columns) for columns, tokens in made]

    def require_trained(self) -> None:
        """Checks that the component has been trained or loaded. RAISES ValueError: Otherwise (J071)."""
        if not self.perceptron.is_set_up:
            raise JointValueError(Errors.J071, name=self.name)

    def set_annotations(self, docs: Iterable[Doc], scores: Iterable[Prediction]) -> None:
        """Writes the predictions of `predict`."""
        for doc, prediction in zip(docs, scores, strict=True):
            self.annotate(doc, prediction)

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Annotates a stream of documents, in order, with the number of threads of the model.

        If a document fails, only this one is passed to the error handler. With threads, some documents are read ahead.
        """
        if self.threads == 1:
            # Batches of short documents keep a component's weights in the caches. Long documents only cost memory.
            for docs in group_by_size(stream, len, BATCH_WORDS, batch_size):
                try:
                    predictions = self.predict(docs)
                except Exception:
                    # One by one, to find those that fail.
                    yield from [annotated for doc in docs if (annotated := self(doc)) is not None]
                else:
                    pairs = zip(docs, predictions, strict=True)
                    yield from [done for doc, found in pairs for done in self._finish(doc, partial(list, [found]))]
            return
        waiting: deque[tuple[Doc, Future[list[Prediction]]]] = deque()
        with open_pool(self.threads) as pool:
            for doc in stream:
                waiting.append((doc, pool.submit(self.predict, [doc])))
                # A long document holds back later ones, but does not leave the threads idle.
                while waiting and (waiting[0][1].done() or len(waiting) > READ_AHEAD * self.threads):
                    first, future = waiting.popleft()
                    yield from self._finish(first, future.result)
            for rest, future in waiting:
                yield from self._finish(rest, future.result)

    def _finish(self, doc: Doc, predict: Callable[[], list[Prediction]]) -> Iterator[Doc]:
        """Annotates a document, unless its prediction fails."""
        try:
            self.set_annotations([doc], predict())
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

        nlp (Language): The pipeline, whose tokenizer is compared with the examples, see `pipes.tokenizer_check`.
        labels (Any): The labels, as written by `spacy init labels`. None collects them from the examples.
        templates (str): The path of a text file of feature templates. None uses those of the task. The text becomes
            part of the model.
        additional_templates (str): The path of a text file of templates to add.
        word_classes (dict): Classes of lower-cased words, see training/word_classes.py. None means no classes.
        RAISES FileNotFoundError: If the template file does not exist (J402).
        RAISES ValueError: If there are no labels or those of another kind of component (J062), or the templates have
            unknown atoms; if the tokenizer of the pipeline splits text into other words than the examples (J505).
        """
        if not self.is_trainable:
            return
        examples = read_examples(get_examples, self)
        if nlp is not None and not isinstance(nlp.tokenizer, NoTokenizer):
            references = (example.reference for example in examples)
            check_word_scores(score_words(nlp.tokenizer, references), nlp.tokenizer)
        if labels is None:
            labels = self.collect_labels(examples)
        self.cfg[CHARACTERS] = find_known_characters(examples)
        with report_damage(self.name, message=Errors.J062):
            if self._added_labels:
                labels = self.extend_labels(labels, self._added_labels)
            self.check_labels(labels)
        texts = self._read_default_templates() if templates is None else [read_text(templates)]
        if additional_templates is not None:
            texts.append(read_text(additional_templates))
        self.word_classes = WordClasses.from_dict(word_classes or {})
        # spaCy has seeded numpy with the seed of the config. All randomness in training depends on this number.
        self.perceptron.seed = int(np.random.randint(2**24))
        util.logger.info("%s: seed %d", self.name, self.perceptron.seed)
        # A blank line ends a block.
        self._set_up(labels, "\n\n".join(texts))
        # Components need not read all columns of a guide.
        known = {*self.perceptron.templates.columns, *GUIDE_COLUMNS, *self.guide_columns}
        for column in self.custom_columns.wanted:
            if column not in known:
                self.warn_once(Warnings.JW52, key=column, column=column)

    def _read_default_templates(self) -> list[str]:
        """Reads the templates of the task, for the custom columns of the component."""
        names = self.custom_columns.names
        texts = [read_text(self.default_templates)]
        if self.coarse_templates is not None and FINE_TAG in names:
            texts = [TAG_ATOM.sub(f".{FINE_TAG}", texts[0]), read_text(self.coarse_templates)]
        if self.guide_templates is not None and set(self.guide_columns) & set(names):
            texts.append(read_guide_templates(self.guide_templates, names, self.guide_slots, self.guide_columns))
        return texts

    def _set_up(self, labels: Any, templates: str) -> None:
        super()._set_up(labels, templates)
        self._examined = ()

    @uses_parts
    def update(
        self,
        examples: Iterable[Example],
        *,
        drop: float = 0.0,
        sgd: Optimizer | None = None,
        losses: dict[str, float] | None = None,
    ) -> dict[str, float]:
        """Learns from a batch of examples, if the component is trainable.

        If the templates read annotation that a predicted document lacks, the reference's is used; tags are dropped like
        features. Predicted annotation, as by `spacy joint jackknife`, is better.

        drop (float): The share of features dropped at random.
        sgd (Optimizer): Not used, since a perceptron has no gradient.
        losses (dict): The mean violation per document (by how much the search preferred a wrong result) is added to it.
        """
        losses = {} if losses is None else losses
        losses.setdefault(self.name, 0.0)
        examples = list(examples)
        validate_examples(examples, f"{type(self).__name__}.update")
        if not self.is_trainable:
            return losses
        self.require_trained()
        read = self._list_read_attributes()
        examples = [
            fall_back_to_gold(example, read, drop, (self.perceptron.seed, number))
            for number, example in enumerate(examples, start=self.perceptron.n_seen)
        ]
        self.warn_of_missing_attributes(example.predicted for example in examples)
        made = list(map(self.make_instances, examples))
        instances = [instance for found in made for instance in found if instance]
        self._examine(example for example in zip(examples, made, strict=True) if len(example[0].predicted))
        self.forget_predictions()
        if instances:
            learnt = self.perceptron.update(instances, drop)
            losses[self.name] += learnt["violation"] / len(instances)
        self.perceptron.n_seen += len(examples)
        return losses

    def warn_of_missing_attributes(self, docs: Iterable[Doc]) -> None:
        """Warns once of each attribute or column that the templates read and no token of a document has."""
        if not self.perceptron.is_set_up:
            return
        known = {key for _, key in self._warned}
        attributes = [name for name in self._list_read_attributes() if f"token.{name}" not in known]
        columns = [name for name in self.list_custom_columns() if name not in known]
        for doc in docs if attributes or columns else ():
            for column in self.custom_columns.list_missing(doc, columns) if len(doc) else ():
                self.warn_once(Warnings.JW37, key=column, column=column)
            for name in attributes:
                if not doc.has_annotation(name.upper()) and not find_whitespace(doc).all():
                    attribute, setter = f"token.{name}", self.read_attributes[name]
                    self.warn_once(Warnings.JW02, key=attribute, attribute=attribute, setter=setter)

    def _list_read_attributes(self) -> list[str]:
        """Lists the attributes of other components that the templates read."""
        return [attribute for attribute in self.read_attributes if attribute in self.perceptron.templates.columns]

    def list_custom_columns(self) -> list[str]:
        """Lists the custom columns that the templates read."""
        return [name for name in self.custom_columns.names if name in self.perceptron.templates.columns]

    def _examine(self, examples: Iterable[tuple[Example, list[Instance]]]) -> None:
        """Warns once per training if too many of the first examples are unusable, or none has boundaries to learn
        from."""
        if len(self._examined) >= FIRST_EXAMPLES:
            return
        found = ((not made, len(list_sentences(example.reference)) > 1) for example, made in examples)
        self._examined = (*self._examined, *found)
        if (total := len(self._examined)) < FIRST_EXAMPLES:
            return
        n_unusable, n_divided = map(sum, zip(*self._examined, strict=True))
        if n_unusable > TOLERATED_SHARE * total:
            warnings.warn(JointWarning(Warnings.JW01, name=self.name, n=n_unusable, total=total), stacklevel=3)
        elif self.learns_boundaries and not n_divided:
            warnings.warn(JointWarning(Warnings.JW06, name=self.name, total=total), stacklevel=3)

    def finish_update(self, sgd: Optimizer) -> None:
        """Does nothing: weights are updated in `update`."""

    def use_params(self, params: dict[Any, Any]) -> Iterator[None]:
        """Does nothing: predictions already use averages. `Language.use_params` expects a plain generator."""
        yield
