"""The parts of a component with a perceptron: labels, templates, word classes and weights, and the files of these. It
neither predicts nor trains: see structured_pipe.py. Most components of a pipeline share a large table of word classes:
a file beside them, which their cfgs name by a digest. A component that is saved elsewhere has it among its files."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import srsly
from spacy.training import Example
from spacy.vocab import Vocab
from thinc.api import Model

from ..engine.beam import MAX_BIAS
from ..engine.system import System
from ..errors import Errors, JointValueError, check_range, check_value, report_damage
from .architectures import get_perceptron
from .component_files import ComponentFiles, Parts
from .custom_columns import CustomColumns
from .spelling import Spelling
from .token_columns import COLUMNS, WordColumns
from .word_classes import NO_CLASSES, WordClasses

CFG, WORD_CLASSES, MODEL, LEARNING = "cfg", "word_classes", "model", "learning"
# The key of the settings of the columns that the templates read, in the saved cfg.
COLUMNS_READ = "columns_read"
# The key of the characters that are not replaced by others, in the saved cfg: see `Spelling`.
CHARACTERS = "characters"


class PerceptronPipe(ComponentFiles, ABC):
    """A component whose model is a perceptron. The file "model" is for prediction, "learning" for resuming training.

    model (Model): A model around a perceptron: see architectures.py.
    columns (Mapping): The settings of custom columns: see `CustomColumns`.
    """

    cfg: dict[str, Any]
    # The name of the thinc model.
    model_name: ClassVar[str] = "beam_perceptron"
    file_names: ClassVar[tuple[str, ...]] = (CFG, WORD_CLASSES, MODEL, LEARNING)
    # The settings with which a model must be trained: others can be overridden at loading.
    trained_settings: ClassVar[tuple[str, ...]] = ()
    # The columns that templates can read, besides custom ones, and the class that builds all of them.
    columns: ClassVar[tuple[str, ...]] = COLUMNS
    columns_class: ClassVar[Any] = WordColumns

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
        check_value(f"model of '{name}'", model.name, model.name == self.model_name, self.model_name)
        for setting, value in cfg.items():
            if setting.endswith("_bias") and value is not None:
                check_range(setting, value, -MAX_BIAS, MAX_BIAS)
        self.custom_columns = CustomColumns(columns or {}, taken=self.columns)
        self.vocab = vocab
        self.model = model
        self.name = name
        self.scorer = scorer
        self.settings = cfg
        self.cfg = {"labels": None, "templates": None, **cfg}
        self.word_classes = NO_CLASSES
        self._word_columns: Any = None

    @property
    def perceptron(self) -> Any:
        """The perceptron of the model: a `Perceptron`, or another `LinearModel`."""
        return get_perceptron(self.model)

    @property
    def spelling(self) -> Spelling:
        """How words are spelt for the perceptron, by the characters that its training text had."""
        return Spelling(self.cfg.get(CHARACTERS), self.vocab.lang)

    @property
    def threads(self) -> int:
        """The number of documents that are searched at the same time."""
        return self.perceptron.threads

    @property
    def all_columns(self) -> tuple[str, ...]:
        """The columns that templates can read."""
        return (*self.columns, *self.custom_columns.names)

    # Labels.

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
        """The labels of `add_label`; without any, the cfg lacks the key."""
        return self.cfg.get("added_labels", [])

    def add_label(self, label: str) -> int:
        """Adds a label to those with which `initialize` sets up the component; returns 1, or 0 if it is known already.

        RAISES ValueError: If it is not a string, if the labels of the component cannot be chosen, or if it is already
            initialized: weights of a label cannot be added to a table.
        """
        check_value("label", label, isinstance(label, str), "a string")
        if label in self.labels:
            return 0
        if self.cfg["labels"]:
            raise JointValueError(Errors.J070, name=self.name, label=label)
        self.extend_labels(None, [label])
        self.cfg["added_labels"] = [*self._added_labels, label]
        self.vocab.strings.add(label)
        return 1

    @abstractmethod
    def collect_labels(self, examples: Iterable[Example]) -> Any:
        """Collects the labels of gold annotation, as JSON-serialisable data in a deterministic order."""

    def flatten_labels(self, labels: Any) -> tuple[str, ...]:
        """Lists all labels in the data of `collect_labels`, which is a list of them unless a subclass overrides
        this."""
        if not isinstance(labels, list | tuple):
            raise TypeError
        return tuple(labels)

    def check_labels(self, labels: Any) -> None:
        """Checks the data of `collect_labels`; raises one of the exceptions in `DAMAGE` if it is not valid."""
        if not all(isinstance(label, str) for label in self.flatten_labels(labels)):
            raise TypeError
        # Only the system can check the rest.
        self.make_system(labels)

    def extend_labels(self, labels: Any | None, added: Sequence[str]) -> Any:
        """Adds labels to the data of `collect_labels`, or to None. Subclasses that allow this override it.

        RAISES ValueError: If labels are added that cannot be chosen (J070).
        """
        if added:
            raise JointValueError(Errors.J070, name=self.name, label=added[0])
        return labels

    # Columns and weights.

    @abstractmethod
    def make_system(self, labels: Any) -> System:
        """Makes the system with these labels."""

    def make_word_columns(self) -> Any:
        """Makes the object that builds the columns for the templates. It is recreated when the templates change."""
        names = self.perceptron.templates.columns
        return self.columns_class(names, self.word_classes, custom=self.custom_columns, spelling=self.spelling)

    def _get_word_columns(self) -> Any:
        if self._word_columns is None:
            self._word_columns = self.make_word_columns()
        return self._word_columns

    def _describe_columns(self) -> Any:
        """Describes the custom columns that the templates read, after a round trip through JSON, which has fewer
        digits."""
        read = self.perceptron.templates.columns if self.perceptron.is_set_up else ()
        return srsly.json_loads(srsly.json_dumps(self.custom_columns.describe(read)))

    def forget_predictions(self) -> None:
        """Drops predictions that are cached for recurring words, because the weights change."""

    def _set_up(self, labels: Any, templates: str) -> None:
        """Sets up the perceptron, with all weights zero."""
        self.perceptron.set_up(self.make_system(labels), templates, self.all_columns)
        self._word_columns = None
        self.forget_predictions()
        self.cfg["labels"], self.cfg["templates"] = labels, templates
        for label in self.labels:
            self.vocab.strings.add(label)
        # The size of the output, as in spaCy's components.
        self.model.set_dim("nO", len(self.labels), force=True)

    # Files.

    def list_savers(self, exclude: Collection[str]) -> dict[str, Callable[[], bytes]]:
        """Lists functions that make the content of each file."""
        digest = self.word_classes.digest
        cfg = self.cfg if digest is None else {**self.cfg, WORD_CLASSES: digest}
        if columns := self._describe_columns():
            cfg = {**cfg, COLUMNS_READ: columns}
        savers: dict[str, Callable[[], bytes]] = {CFG: lambda: srsly.json_dumps(cfg, indent=2).encode("utf8")}
        if self.perceptron.is_set_up:
            if digest is not None:
                savers[WORD_CLASSES] = self.word_classes.to_bytes
            savers[MODEL] = self.perceptron.to_bytes
            if LEARNING not in exclude and (learning := self.perceptron.learning_to_bytes()) is not None:
                savers[LEARNING] = lambda: learning
        return savers

    def to_disk(self, path: str | Path, *, exclude: Collection[str] = ()) -> None:
        """Saves the component to a directory. Removes word classes that no component of the pipeline uses."""
        super().to_disk(path, exclude=exclude)
        pipeline = Path(path).absolute().parent
        if _is_pipeline(pipeline):
            cfgs = [cfg.read_bytes() for cfg in pipeline.glob(f"*/{CFG}")]
            for table in pipeline.glob(f"{WORD_CLASSES}-{16 * '[0-9a-f]'}"):
                digest = table.name.removeprefix(f"{WORD_CLASSES}-")
                if digest != self.word_classes.digest and not any(digest.encode() in cfg for cfg in cfgs):
                    table.unlink(missing_ok=True)

    def save_file(self, path: Path, content: bytes) -> None:
        """Writes a file. Word classes go to the directory of the pipeline, if there is one."""
        shared = _locate_classes(path.parent, self.word_classes.digest)
        if path.name == WORD_CLASSES and _is_pipeline(shared.parent):
            path.unlink(missing_ok=True)
            path = shared
            if path.is_file() and path.read_bytes() == content:
                return
        super().save_file(path, content)

    def load_parts(self, parts: Parts) -> None:
        """Loads all files."""
        digest = None
        if (cfg := parts.get(CFG)) is not None:
            digest = self._take_cfg(*cfg)
        if self.cfg["labels"] is None:
            self.perceptron.clear()
            self.word_classes = NO_CLASSES
            return
        classes = parts.get(WORD_CLASSES, required=False)
        if classes is None and digest is not None:
            path = _locate_classes(parts.saved, digest) if isinstance(parts.saved, Path) else WORD_CLASSES
            classes = parts.get(path)
        self.word_classes = NO_CLASSES if classes is None else WordClasses.from_bytes(*classes)
        self._word_columns = None
        if (model := parts.get(MODEL)) is not None:
            self.perceptron.from_bytes(*model)
        if (learning := parts.get(LEARNING, required=False)) is not None:
            self.perceptron.learning_from_bytes(*learning)

    def _take_cfg(self, content: bytes, source: str) -> Any:
        """Loads labels and templates; settings come from the config that created this object."""
        with report_damage(source, CFG):
            saved = srsly.json_loads(content)
            cfg = {**saved, **self.settings}
            labels, templates, added = cfg["labels"], cfg["templates"], cfg.get("added_labels", [])
            digest = cfg.pop(WORD_CLASSES, None)
            columns = cfg.pop(COLUMNS_READ, {})
            if not isinstance(added, list) or not all(isinstance(label, str) for label in added):
                raise TypeError
            if not isinstance(cfg.get(CHARACTERS, ""), str):
                raise TypeError
            if labels is not None:
                if not isinstance(templates, str):
                    raise TypeError
                for setting in self.trained_settings:
                    if (got := saved.get(setting, cfg[setting])) != cfg[setting]:
                        raise JointValueError(Errors.J066, source=source, name=setting, got=got, wanted=cfg[setting])
                self.check_labels(labels)
        if labels is not None:
            self._set_up(labels, templates)
            if columns != (wanted := self._describe_columns()):
                raise JointValueError(Errors.J061, source=source, got=columns, wanted=wanted)
        self.cfg = cfg
        for label in added:
            self.vocab.strings.add(label)
        return digest


def _locate_classes(component: Path, digest: Any) -> Path:
    """Returns the path of the table of word classes that components of a pipeline share."""
    return component.absolute().with_name(f"{WORD_CLASSES}-{digest}")


def _is_pipeline(directory: Path) -> bool:
    # `Language.to_disk` writes the config before the components.
    return (directory / "config.cfg").is_file()
