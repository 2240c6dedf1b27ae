"""Shared fixtures of component tests: the tiny treebank, and pipelines trained on it once per session.

Fixtures import spaCy, so that tests of the engine start without it.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib.metadata import EntryPoint, distributions
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import catalogue
import pytest
from hypothesis import settings

if TYPE_CHECKING:
    import typer
    from spacy.language import Language
    from spacy.tokens import Doc
    from spacy.training import Example
    from typer.testing import Result

# A slow example is not an error: the machine may be busy.
settings.register_profile("patient", deadline=None)
settings.register_profile("long", deadline=None, max_examples=50_000)
settings.load_profile("patient")

ASSETS = Path(__file__).parent.parent / "assets"

QUOTATIONS = "tiny_quotes"

# Folders and files all of whose tests are slow, because they train pipelines or start processes or servers.
SLOW = {
    *("benchmarks", "cli", "dropin", "fuzz", "guiding", "scale", "serving", "training"),
    *("test_analyses.py", "test_character_tokenizer.py", "test_chart_parser.py", "test_configs.py", "test_contract.py"),
    *("test_docs.py", "test_gold_fallback.py", "test_languages.py", "test_memory.py", "test_pretrained.py"),
    *("test_project.py", "test_reproduction.py", "test_structured_pipe.py", "test_threads.py", "test_user_needs.py"),
}
# Folders and files whose tests need complete tokenizers.
COMPLETE = {"dropin", "tokenization", "test_docs.py", "test_guide.py", "test_tokenizer_check.py"}
LONG = {"test_project.py", "test_reproduction.py", "test_train_treebank.py", "test_contract.py"}
# Tests that ask for these fixtures train pipelines.
TRAINING = {"full_pipeline", "pipeline", "read_quotes", "saved_pipeline", "train"}

ReadExamples = Callable[..., "list[Example]"]
Run = Callable[..., "Result"]
Train = Callable[..., "Language"]


def pytest_configure() -> None:
    # spaCy's registry would search all entry points of the environment in thousands of calls.
    groups: dict[str, list[EntryPoint]] = {}
    for point in (point for distribution in distributions() for point in distribution.entry_points):
        groups.setdefault(point.group, []).append(point)
    catalogue.AVAILABLE_ENTRY_POINTS = groups


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # Files that take minutes begin first, so that workers end at about the same time.
    items.sort(key=lambda item: item.path.name not in LONG)
    for item in items:
        if SLOW.intersection(item.path.parts) or TRAINING.intersection(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.slow)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """New English tokenizers lack the exceptions of spaCy, which would take most of the time to load small pipelines.
    Hooks come before fixtures of any scope."""
    if "spacy" in sys.modules:
        from spacy.lang.en import TOKENIZER_EXCEPTIONS, English

        is_complete = COMPLETE.intersection(item.path.parts)
        English.Defaults.tokenizer_exceptions = TOKENIZER_EXCEPTIONS if is_complete else {}


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """The tests of a file share a worker, and so their slow fixtures; in the contract, those of a component do."""
    from xdist.scheduler import LoadScopeScheduling

    class Scheduling(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file, _, test = nodeid.partition("::")
            component = test.partition("[")[2].rstrip("]").partition("-")[0]
            return f"{file}[{component}]" if file.endswith("test_contract.py") else file

    return Scheduling(config, log)


@pytest.fixture(scope="session")
def assets() -> Path:
    return ASSETS


@pytest.fixture
def write_text(tmp_path: Path) -> Callable[[str, str], Path]:
    """Write a file into the temporary directory of the test, and return its path."""

    def write_text(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf8")
        return path

    return write_text


@pytest.fixture(scope="session")
def run() -> Run:
    """Run a command as a user does, but in this process: one of `spacy joint`, or of another application."""
    from typer.testing import CliRunner

    import spacy_joint.cli

    def run(
        *arguments: object,
        fails: int = False,
        text: str | bytes | None = None,
        app: typer.Typer = spacy_joint.cli.app,
    ) -> Result:
        result = CliRunner().invoke(app, [str(argument) for argument in arguments], input=text)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == int(fails), result.output
        return result

    return run


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], AbstractContextManager[None]]:
    """Make writing fail after this number of bytes of a file."""
    import resource

    # Python would keep the first bytes of the compiled modules that are imported meanwhile.
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    @contextmanager
    def full_disk(most: int) -> Iterator[None]:
        usual = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, usual[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, usual)

    return full_disk


@pytest.fixture(scope="session")
def small_model() -> dict[str, Any]:
    """A model that is fast to train and copy."""
    architecture = "spacy_joint.BeamPerceptron.v1"
    return {
        "@architectures": architecture,
        "table_bits": 18,
        "beam_width": 4,
        "min_changes": 2,
        "n_tables": 1,
        "threads": 1,
    }


@pytest.fixture(scope="session")
def read_quotes() -> ReadExamples:
    """Read the tiny corpus of quotations, tagged and parsed, for a pipeline. Its gold cues serve as predicted ones."""
    from spacy.tokens import Doc

    import spacy_joint
    from spacy_joint.annotation.quotations import CUES
    from spacy_joint.corpora.brat import read_brat
    from spacy_joint.corpora.quotations import JACKKNIFED, make_quotation_example
    from spacy_joint.quotation.layout import find_paragraph_starts

    annotate = spacy_joint.load()
    parts: dict[str, list[Doc]] = {}

    def read(nlp: Language, part: str = "train", limit: int = 0) -> list[Example]:
        if part not in parts:
            docs = list(read_brat(ASSETS / QUOTATIONS / part, annotate.make_doc))
            for doc in docs:
                for start in find_paragraph_starts(doc):
                    doc[start].is_sent_start = True
            parts[part] = list(annotate.pipe(docs))
            for doc in docs:
                doc.spans[JACKKNIFED] = list(doc.spans[CUES])
        docs = [Doc(nlp.vocab).from_bytes(doc.to_bytes()) for doc in parts[part][: limit or None]]
        return [make_quotation_example(doc, JACKKNIFED) for doc in docs]

    return read


@pytest.fixture(scope="session")
def read_examples(read_quotes: ReadExamples) -> ReadExamples:
    """Read `tiny_train` or `tiny_dev` for a pipeline; `keep` lists the annotation of the predicted side.

    References have dependency trees, and constituents if the corpus has them. Those of `tiny_quotes` have quotations;
    there, both sides have predicted tags and trees.
    """
    from spacy.tokens import Doc
    from spacy.training import Example

    from spacy_joint.annotation.constituents import set_trees
    from spacy_joint.corpora.conllu import create_conllu_corpus
    from spacy_joint.trees.constituency_trees import read_trees

    read_before: dict[tuple[str, ...], list[list[bytes]]] = {}

    def read_files(nlp: Language, corpus: str, part: str, keep: Iterable[str]) -> list[Example]:
        examples = list(create_conllu_corpus(ASSETS / f"{corpus}_{part}.conllu", keep=list(keep))(nlp))
        brackets = ASSETS / f"{corpus}_{part}.ptb"
        if not brackets.exists():
            return examples
        trees = read_trees(brackets)
        for example in examples:
            set_trees(example.reference, islice(trees, len(list(example.reference.sents))))
        return examples

    def read(
        nlp: Language, part: str = "train", keep: Iterable[str] = (), limit: int = 0, corpus: str = "tiny"
    ) -> list[Example]:
        if corpus == QUOTATIONS:
            return read_quotes(nlp, part, limit)
        # Reading files takes longer than anything that most tests do with examples.
        key = (nlp.lang, corpus, part, *keep)
        if key not in read_before:
            examples = read_files(nlp, corpus, part, keep)
            read_before[key] = [[eg.predicted.to_bytes(), eg.reference.to_bytes()] for eg in examples]
        sides = ([Doc(nlp.vocab).from_bytes(side) for side in pair] for pair in read_before[key][: limit or None])
        return [Example(*pair) for pair in sides]

    return read


@pytest.fixture(scope="session")
def initialize(small_model: dict[str, Any], read_examples: ReadExamples) -> Callable[..., Language]:
    """Create an English pipeline of one component, initialized with examples of the tiny treebank but not trained.

    `keep` and `limit` are those of `read_examples`, the others are settings of the component.
    """
    import spacy
    from spacy.util import fix_random_seed

    def initialize(factory: str, keep: Iterable[str] = ("TAG",), limit: int = 0, **config: Any) -> Language:
        nlp = spacy.blank("en")
        nlp.add_pipe(factory, config={"model": small_model, **config})
        fix_random_seed(0)
        nlp.initialize(lambda: read_examples(nlp, keep=keep, limit=limit))
        return nlp

    return initialize


@pytest.fixture(scope="session")
def train() -> Train:
    """Train a pipeline as `spacy train` does: the order of batches depends only on the seed. `watch` ends epochs."""
    from spacy.training import Example

    def train(
        nlp: Language,
        examples: list[Example],
        *,
        epochs: int = 6,
        batch: int = 1,
        seed: int = 0,
        watch: Callable[[], None] = lambda: None,
        **update: Any,
    ) -> Language:
        shuffled = list(examples)
        order = random.Random(seed)
        for _ in range(epochs):
            order.shuffle(shuffled)
            for i in range(0, len(shuffled), batch):
                fresh = [Example(eg.predicted.copy(), eg.reference) for eg in shuffled[i : i + batch]]
                nlp.update(fresh, **update)
            watch()
        return nlp

    return train


@pytest.fixture(scope="session")
def tagger_settings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Settings of a small training of a tagger on the tiny treebank, with dropout, two tables, and augmented copies."""
    from spacy_joint.cli.corpora.convert import convert

    directory = tmp_path_factory.mktemp("corpus")
    for part in ("train", "dev"):
        convert([ASSETS / f"tiny_{part}.conllu"], directory / f"{part}.spacy")
    model = {"table_bits": 12, "n_tables": 2, "min_changes": 1, "threads": 1}
    paths = {f"paths.{part}": str(directory / f"{part}.spacy") for part in ("train", "dev")}
    return {**{f"components.sequence_tagger.model.{name}": value for name, value in model.items()}, **paths}


@pytest.fixture(scope="session")
def pipeline(small_model: dict[str, Any], read_examples: ReadExamples, train: Train) -> Language:
    """A tagger and a parser trained on the tiny treebank. Shared: do not train it further."""
    import spacy
    from spacy.util import fix_random_seed

    nlp = spacy.blank("en")
    nlp.add_pipe("sequence_tagger", config={"model": small_model})
    nlp.add_pipe("joint_sbd_parser", config={"model": small_model})
    examples = read_examples(nlp, keep=["TAG"])
    fix_random_seed(0)
    nlp.initialize(lambda: examples)
    return train(nlp, examples)


@pytest.fixture(scope="session")
def saved_pipeline(pipeline: Language, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of the saved pipeline. Shared: do not change it."""
    path = tmp_path_factory.mktemp("saved") / "pipeline"
    pipeline.to_disk(path)
    return path


@pytest.fixture(scope="session")
def full_pipeline(
    saved_pipeline: Path,
    small_model: dict[str, Any],
    read_examples: ReadExamples,
    train: Train,
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """The directory of the saved pipeline with a morphologizer and a lemmatizer after it. Shared: do not change it."""
    import spacy
    from spacy.util import fix_random_seed

    model = {**small_model, "beam_width": 1, "min_changes": 1}
    labellers = spacy.blank("en")
    for name in ("sequence_morphologizer", "sequence_lemmatizer"):
        labellers.add_pipe(name, config={"model": model})
    examples = read_examples(labellers, keep=["TAG", "POS", "HEAD", "DEP"])
    fix_random_seed(0)
    labellers.initialize(lambda: examples)
    train(labellers, examples)
    nlp = spacy.load(saved_pipeline)
    for name in labellers.pipe_names:
        nlp.add_pipe(name, source=labellers)
    path = tmp_path_factory.mktemp("saved") / "pipeline"
    nlp.to_disk(path)
    return path


@pytest.fixture(scope="session")
def write_transformer() -> Callable[..., Path]:
    def write(directory: Path, words: Iterable[str], positions: int = 40) -> Path:
        """Write a tiny transformer with random weights, these words, and a maximum number of positions."""
        import torch
        import transformers
        from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

        pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *words]
        numbers = {piece: number for number, piece in enumerate(pieces)}
        tokenizer = Tokenizer(models.WordPiece(numbers, unk_token="[UNK]", max_input_chars_per_word=100))
        tokenizer.normalizer = normalizers.BertNormalizer()
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        tokenizer.post_processor = processors.BertProcessing(("[SEP]", numbers["[SEP]"]), ("[CLS]", numbers["[CLS]"]))
        special = {"unk_token": "[UNK]", "pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
        transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special).save_pretrained(directory)
        torch.manual_seed(0)
        config = transformers.BertConfig(
            vocab_size=len(pieces),
            hidden_size=32,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=64,
            max_position_embeddings=positions,
        )
        transformers.BertModel(config).save_pretrained(directory)
        return directory

    return write
