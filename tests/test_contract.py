"""The contract of all components, whatever they predict. Add a new component to COMPONENTS."""

import copy
import multiprocessing
import os
import pickle
import shutil
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from itertools import count
from threading import Event
from typing import Any, NamedTuple
from unittest.mock import Mock

import pytest
import spacy
import srsly
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.language import Language
from spacy.tokens import Doc, DocBin, Token
from spacy.training import Example
from spacy.util import fix_random_seed, registry
from spacy.vocab import Vocab

from spacy_joint.annotation.custom_columns import GUIDE_COLUMNS, GUIDE_HEAD, GUIDE_LABEL, name_span_columns
from spacy_joint.annotation.quotations import CUES, QUOTATIONS, SPEAKERS
from spacy_joint.errors import JointValueError
from spacy_joint.pipes.component_files import CHECKSUMS

from .guiding.learning import make_tok2vec
from .quotation.conftest import SMALL as QUOTATION_MODEL

# The tokenizer of no language suits the corpora badly, but hardly any test uses it.
pytestmark = pytest.mark.filterwarnings(r"ignore:\[JW20\]")


@dataclass(frozen=True)
class Component:
    """A component under test.

    factory: The name of its factory, and of the component.
    read: Reads its annotation of a token.
    score: One of its scores, and the value to exceed on its training data.
    config: Settings other than the model. The columns that they name have the values of `guess`.
    keep: Annotation that it needs on the predicted side.
    slot: A token that its templates can name.
    corpus: Its training corpus: see `read_examples`.
    model: Settings of its model, instead of `small_model`; empty if it has none.
    requires: Attributes of other components that it requires, by its registration.
    language: The language of its pipeline; by default none, since an English tokenizer takes most of the time to load.
    lacks: What it cannot do, of CAPABILITIES: tests that need it are skipped.
    fails: Tests that it fails for a good reason. When it passes one, that test fails.
    """

    factory: str
    read: Callable[[Token], Any]
    score: tuple[str, float]
    config: dict[str, Any] = field(default_factory=dict)
    keep: tuple[str, ...] = ()
    slot: str = "b0"
    corpus: str = "tiny"
    model: dict[str, Any] | None = None
    requires: tuple[str, ...] = ()
    language: str = "xx"
    lacks: frozenset[str] = frozenset()
    fails: dict[str, str] = field(default_factory=dict)


def spans_around(token: Token, key: str) -> tuple[tuple[str, int, int], ...]:
    """The spans of a group that a token is in."""
    spans = token.doc.spans.get(key, ())
    return tuple((span.label_, span.start, span.end) for span in spans if span.start <= token.i < span.end)


def read_quotations(token: Token) -> tuple[Any, ...]:
    return tuple(around for key in (QUOTATIONS, CUES, SPEAKERS) for around in spans_around(token, key))


def read_guidance(token: Token) -> tuple[Any, ...]:
    columns = token.doc._.token_columns
    return tuple(None if token.is_space else columns[name][token.i] for name in (GUIDE_HEAD, GUIDE_LABEL))


def read_span_guidance(token: Token) -> tuple[Any, ...]:
    columns = token.doc._.token_columns
    return tuple(
        None if token.is_space else round(float(columns[name][token.i]), 3)
        for key in (CUES, QUOTATIONS)
        for name in name_span_columns(key)
    )


def shift(annotation: Any, offset: int) -> Any:
    """Annotation of a token, with all places of tokens moved."""
    if isinstance(annotation, tuple):
        return tuple(shift(part, offset) for part in annotation)
    return annotation + offset if type(annotation) is int else annotation


def guess(name: str, doc: Doc) -> list[Any]:
    """What a bad guide thinks of any document: a column of strings, or of whole numbers."""
    if name == GUIDE_LABEL:
        return [token.shape_ for token in doc]
    return [len(token) % 3 - 1 for token in doc]


GUIDE_MODEL = {
    "@architectures": "spacy_joint.ParserGuide.v1",
    "tok2vec": make_tok2vec(32, 500, width=32, depth=1),
    "arc_width": 32,
    "label_width": 16,
}
CAPABILITIES = {
    "code": "no other component of the list is the same but for its language, its columns or what it tags",
    "learning": "it learns from documents",
    "updates": "it learns by `update`",
    "resuming": "its files have the state of its training",
    "perceptron": "it holds a perceptron and templates",
    "strategies": "its perceptron learns by a strategy and a rule that can be set, in threads",
    "labels": "it has labels that can be given",
    "other labels": "its labels depend on the corpus",
    "forks": "it does without OpenBLAS, whose threads may wait for each other for ever if another thread forks",
    "processes": "its annotation depends on the text alone",
}
# tests/guiding has tests of its own for what is different.
GUIDE = frozenset(("perceptron", "strategies", "resuming", "forks"))
# `initialize` learns everything; tests/charts/test_chart_parser.py has tests of its own for what is different.
CHART = frozenset(("updates", "perceptron", "strategies", "labels", "other labels"))
SAME_LABELS = frozenset(("other labels",))
SLOW_LEARNER = "six epochs at the default learning rate do not suffice"
FIXED_PARTS = {"test_labels_can_be_added_before_initialization": "its parts of speech are those of spaCy"}
NOT_JOINED = {"test_joined_documents_keep_their_annotation": "spaCy leaves its columns out"}
OTHER_ARCS = {"test_labels_unseen_at_initialization_are_skipped": "it learns the other arcs"}
NORMS = {"test_documents_of_a_vocabulary_without_language_are_annotated_alike": "it reads norms, which languages have"}


def needs(*capabilities: str) -> pytest.MarkDecorator:
    """Skips a test for components that lack one of the capabilities."""
    assert set(capabilities) <= CAPABILITIES.keys()
    return pytest.mark.needs(*capabilities)


TREES = ("token.tag", "token.dep", "token.head")
QUOTED = Component(
    "quotation_spans",
    read=read_quotations,
    score=("quotation_f", 0.9),
    slot="w",
    corpus="tiny_quotes",
    language="en",
    requires=TREES,
    model=QUOTATION_MODEL,
    lacks=SAME_LABELS,
)
COMPONENTS = {
    "joint_sbd_parser": Component(
        "joint_sbd_parser",
        read=lambda token: (token.head.i, token.dep_, token.is_sent_start),
        score=("dep_las_punct", 0.9),
        keep=("TAG",),
        requires=("token.tag",),
        fails=OTHER_ARCS,
    ),
    "sequence_tagger": Component("sequence_tagger", read=lambda token: token.tag_, score=("tag_acc", 0.9), slot="w"),
    "sequence_tagger, starts": Component(
        "sequence_tagger",
        read=lambda token: (token.pos_, token.is_sent_start),
        score=("pos_acc", 0.9),
        config={"attribute": "POS", "order": 1, "sentence_starts": True},
        slot="w",
        lacks=frozenset(("code",)),
    ),
    "sequence_morphologizer": Component(
        "sequence_morphologizer",
        read=lambda token: (token.pos_, str(token.morph)),
        score=("morph_acc", 0.9),
        keep=("TAG", "HEAD", "DEP"),
        slot="w",
        fails=FIXED_PARTS,
        requires=TREES,
    ),
    "sequence_lemmatizer": Component(
        "sequence_lemmatizer",
        read=lambda token: token.lemma_,
        score=("lemma_acc", 0.9),
        keep=("TAG", "POS"),
        slot="w",
        requires=("token.tag", "token.pos"),
    ),
    # The tiny treebank has text without marks.
    "punctuation_restorer": Component(
        "punctuation_restorer",
        read=lambda token: token._.restored,
        score=("restored_mark_f", 0.9),
        config={"overwrite": True},
        slot="w",
        corpus="tiny_quotes",
        language="en",
        requires=(*TREES, "doc.sents"),
    ),
    "hedge_chunker": Component(
        "hedge_chunker",
        read=lambda token: (*spans_around(token, "hedges"), *spans_around(token, "constituents")),
        score=("hedge_f", 0.9),
        keep=("TAG",),
        requires=("token.tag",),
    ),
    "constituency_parser": Component(
        "constituency_parser",
        read=lambda token: spans_around(token, "constituents"),
        score=("constituents_f", 0.9),
        keep=("TAG", "SENT_START"),
        slot="d0",
        requires=("token.tag", "doc.sents"),
    ),
    "chart_parser": Component(
        "chart_parser",
        read=lambda token: (token.tag_, *spans_around(token, "constituents")),
        score=("constituents_f", 0.85),
        keep=("SENT_START",),
        model={},
        requires=("doc.sents",),
        lacks=CHART,
    ),
    "hedge_segmenter": Component(
        "hedge_segmenter",
        read=lambda token: (token._.hedge_b, *spans_around(token, "hedge_segments")),
        score=("hedge_seg_f", 0.8),
        keep=("TAG",),
        slot="w",
        requires=("token.tag",),
        fails={"test_labels_can_be_added_before_initialization": "its types are fixed"},
    ),
    # Texts without tags have no phrases for it; tests of serialisation and of several processes are in
    # ordering/test_prenominal_orderer.py.
    "prenominal_orderer": Component(
        "prenominal_orderer",
        read=lambda token: spans_around(token, "prenominal"),
        score=("order_full", 0.9),
        keep=("TAG",),
        slot="a",
        corpus="modifiers",
        model={"@architectures": "spacy_joint.OrderPerceptron.v1", "table_bits": 16, "n_tables": 2},
        requires=("token.tag",),
        lacks=frozenset(("strategies", "other labels")),
    ),
    "quotation_cues": replace(QUOTED, factory="quotation_cues", score=("quotation_cue_f", 0.9)),
    "quotation_spans": replace(QUOTED, config={"method": "semimarkov"}),
    "parser_guide": Component(
        "parser_guide",
        read=read_guidance,
        score=("guide_uas", 0.5),
        model=GUIDE_MODEL,
        lacks=GUIDE,
        fails={**OTHER_ARCS, **NOT_JOINED, **NORMS, "test_the_loss_decreases": SLOW_LEARNER},
    ),
    "span_guide": Component(
        "span_guide",
        read=read_span_guidance,
        score=("span_guide_f", 0.5),
        corpus="tiny_quotes",
        language="en",
        model={"@architectures": "spacy_joint.SpanGuide.v1", "tok2vec": GUIDE_MODEL["tok2vec"]},
        lacks=GUIDE | SAME_LABELS,
        fails={
            **OTHER_ARCS,
            **NOT_JOINED,
            **NORMS,
            "test_it_learns_its_training_data": SLOW_LEARNER,
            "test_it_generalises_to_other_documents": SLOW_LEARNER,
        },
    ),
    "quotation_spans, rules": replace(
        QUOTED, score=("quotation_f", 0.0), model=None, lacks=frozenset(("learning", "other labels"))
    ),
}
DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "emptied": lambda content: b"",
    "cut": lambda content: content[: len(content) // 2],
    "other data": lambda content: b"[1]",
    "other values": lambda content: b'{"labels": 3, "templates": "x", "cfg": 0, "grammar.txt": 0}',
}
EDGES = {"edges": [0.0, 1.0]}
# Components that read the columns of a guide. tests/pipes/test_custom_columns.py has the others.
COMPONENTS |= {
    f"{name}, guided": replace(
        COMPONENTS[name],
        config={**COMPONENTS[name].config, "columns": columns},
        lacks=COMPONENTS[name].lacks | {"code", "processes"},
    )
    for name, columns in {
        "joint_sbd_parser": {**dict.fromkeys(GUIDE_COLUMNS, EDGES), GUIDE_LABEL: {}},
        "quotation_spans": dict.fromkeys(name_span_columns(QUOTATIONS), EDGES),
    }.items()
}
# A pipeline of another language, in whose spelling taggers and morphologizers are like lemmatizers.
COMPONENTS |= {
    f"{name}, German": replace(COMPONENTS[name], language="de", corpus="tiny_german", lacks=SAME_LABELS | {"code"})
    for name in ("joint_sbd_parser", "sequence_lemmatizer")
}

TEXTS = [
    "",
    "a",
    " ",
    "\n\n",
    " \t\n ",
    "  hello",
    "hello\n\nhow are you\n",
    "\nhello there how   are you \n\n i am fine thanks\n\n",
    "I think so. Do you, too?",
    "zqxj \U0001f600 ñandú 你好 \u200b x\u0301",
]


@pytest.fixture(scope="module", params=list(COMPONENTS))
def component(request):
    component = COMPONENTS[request.param]
    columns = component.config.get("columns", ())
    for name in columns:
        Doc.set_extension(name, getter=partial(guess, name))
    yield component
    for name in columns:
        Doc.remove_extension(name)


@pytest.fixture(autouse=True)
def skip_what_it_lacks(component, request):
    marker = request.node.get_closest_marker("needs")
    for capability in component.lacks.intersection(marker.args if marker else ()):
        pytest.skip(f"not true: {CAPABILITIES[capability]}")
    if reason := component.fails.get(request.node.originalname):
        request.applymarker(pytest.mark.xfail(reason=reason, strict=True))


@pytest.fixture(scope="module")
def make(component, small_model, read_examples):
    """Create a pipeline with only the component, initialized."""

    def make(initialize=True, **model):
        nlp = spacy.blank(component.language)
        settings = {**(small_model if component.model is None else component.model), **model}
        config = {"model": settings} if settings else {}
        nlp.add_pipe(component.factory, config={**config, **component.config})
        if initialize:
            # spaCy and the component iterate over them several times.
            examples = read_examples(nlp, corpus=component.corpus)
            fix_random_seed(0)
            nlp.initialize(lambda: examples)
        return nlp

    return make


@pytest.fixture(scope="module")
def examples_of(component, read_examples):
    def examples_of(nlp, part="train", **options):
        return read_examples(nlp, part, keep=component.keep, corpus=component.corpus, **options)

    return examples_of


class Training(NamedTuple):
    """A trained pipeline, the losses of its epochs, and its model after the first."""

    nlp: Language
    losses: list[dict[str, float]]
    model: str


@pytest.fixture(scope="module")
def training(make, examples_of, train, model_of):
    nlp = make()
    models: list[str] = []
    epochs: list[dict[str, float]] = []
    losses: dict[str, float] = {}

    def watch():
        models.append("" if models else model_of(nlp))
        epochs.append(dict(losses))
        losses.clear()

    return Training(train(nlp, examples_of(nlp), watch=watch, losses=losses), epochs, models[0])


@pytest.fixture(scope="module")
def nlp(training):
    """The trained pipeline. Shared: do not change it."""
    return training.nlp


@pytest.fixture(scope="module")
def saved(nlp, tmp_path_factory):
    """The directory of the saved pipeline. Shared: do not change it."""
    path = tmp_path_factory.mktemp("saved") / "pipeline"
    nlp.to_disk(path)
    return path


@pytest.fixture(scope="module")
def annotate(component):
    def annotate(nlp, texts=TEXTS):
        return [[component.read(token) for token in nlp(text)] for text in texts]

    return annotate


@pytest.fixture(scope="module")
def pipe(component, nlp):
    """The trained component itself."""
    return nlp.get_pipe(component.factory)


@pytest.fixture(scope="module")
def model_of(component):
    """A digest of all learnt weights: pytest would compare megabytes for minutes to show how they differ."""
    return lambda nlp: sha256(nlp.get_pipe(component.factory).to_bytes(exclude=["vocab"])).hexdigest()


@pytest.fixture(scope="module")
def parts(pipe):
    """All learnt weights, as named bytes."""
    return srsly.msgpack_loads(pipe.to_bytes(exclude=["vocab"]))


@pytest.fixture(scope="module")
def pipe_to_break(component, make):
    """A component like the trained one; loading into it must fail."""
    return make(initialize=False).get_pipe(component.factory)


# Training


@needs("learning")
def test_it_learns_its_training_data(component, nlp, examples_of):
    scores = nlp.evaluate(examples_of(nlp))
    name, least = component.score
    assert scores[name] > least


@needs("learning", "updates")
def test_it_generalises_to_other_documents(component, make, nlp, examples_of):
    name, _ = component.score
    untrained = make()
    before = untrained.evaluate(examples_of(untrained, "dev"))[name]
    assert nlp.evaluate(examples_of(nlp, "dev"))[name] > before


@needs("code", "learning", "updates")
def test_the_loss_decreases(component, training):
    first, *_, last = (losses[component.factory] for losses in training.losses)
    assert 0 <= last < first / 2


@needs("code", "learning", "updates")
def test_losses_are_added_up_and_returned(component, make, examples_of):
    nlp = make()
    losses = {component.factory: 1000.0}
    pipe, examples = nlp.get_pipe(component.factory), examples_of(nlp, limit=4)
    assert pipe.update(examples, losses=losses) is losses
    assert losses[component.factory] > 1000
    assert component.factory in pipe.update(examples)
    assert pipe.update([]) == {component.factory: 0.0}


def test_the_same_seed_makes_the_same_model(model_of, make, examples_of, train, training):
    again = make()
    train(again, examples_of(again), epochs=1)
    assert model_of(again) == training.model


@needs("code", "learning", "updates")
def test_dropout_is_repeatable_and_changes_the_model(model_of, make, examples_of, train, training):
    models = []
    for _ in range(2):
        nlp = make()
        train(nlp, examples_of(nlp), epochs=1, drop=0.3)
        models.append(model_of(nlp))
    assert models[0] == models[1] != training.model


# tests/engine/test_learner.py has the other strategies.
@needs("code", "strategies")
def test_the_number_of_threads_does_not_change_the_model(model_of, make, examples_of, train):
    models = []
    for threads in (1, 2):
        nlp = make(threads=threads)
        train(nlp, examples_of(nlp, limit=6), epochs=1, batch=5, drop=0.1)
        models.append(model_of(nlp))
    assert models[0] == models[1]


@needs("code", "updates", "resuming")
def test_training_resumes_exactly_where_it_was_saved(model_of, make, examples_of, train, tmp_path):
    uninterrupted = make()
    train(uninterrupted, examples_of(uninterrupted, limit=4), epochs=1)
    uninterrupted.to_disk(tmp_path)
    resumed = [
        spacy.load(tmp_path),
        make(initialize=False).from_bytes(uninterrupted.to_bytes()),
        pickle.loads(pickle.dumps(uninterrupted)),
    ]
    for nlp in (uninterrupted, *resumed):
        # Evaluation in between, as in `spacy train`, must not change the result.
        nlp.evaluate(examples_of(nlp, "dev", limit=1))
        train(nlp, examples_of(nlp, limit=4), epochs=1, seed=1, drop=0.1)
    assert [model_of(nlp) for nlp in resumed] == 3 * [model_of(uninterrupted)]


@needs("code", "learning", "updates", "resuming")
def test_without_learning_training_can_start_from_the_finished_weights(component, saved, examples_of, train):
    nlp = spacy.load(saved)
    pipe = nlp.get_pipe(component.factory)
    pipe.from_bytes(pipe.to_bytes(exclude=["learning"]))
    train(nlp, examples_of(nlp), epochs=1)
    name, least = component.score
    assert nlp.evaluate(examples_of(nlp))[name] > least


@needs("code")
def test_initialize_again_starts_from_scratch(model_of, make, examples_of, saved):
    nlp = spacy.load(saved)
    examples = examples_of(nlp)
    fix_random_seed(0)
    nlp.initialize(lambda: examples)
    assert model_of(nlp) == model_of(make())


@needs("labels")
def test_labels_of_label_data_make_the_same_component(component, make, pipe):
    nlp = make(initialize=False)
    labels = srsly.json_loads(srsly.json_dumps(pipe.label_data))
    nlp.get_pipe(component.factory).initialize(lambda: [Example.from_dict(nlp.make_doc("a"), {})], labels=labels)
    assert nlp.get_pipe(component.factory).labels == pipe.labels


@needs("labels", "learning")
def test_labels_of_another_component_are_refused(component, make):
    nlp = make(initialize=False)
    # The first ones are those of spaCy's parser.
    for labels in ({"0": {"": 1}}, [["a"]], "NN", 1, []):
        # Some know what an empty list lacks.
        with pytest.raises(JointValueError, match="J062" if labels else "J062|J330|J030"):
            nlp.get_pipe(component.factory).initialize(
                lambda: [Example.from_dict(nlp.make_doc("a"), {})], labels=labels
            )


@needs("code", "updates")
def test_invalid_examples_are_refused(pipe, nlp):
    with pytest.raises(TypeError, match="E978"):
        pipe.update([nlp.make_doc("a")])


@needs("learning")
def test_initialize_without_annotation_reports_what_is_missing(make):
    nlp = make(initialize=False)
    doc = nlp.make_doc("hello there")
    with pytest.raises(ValueError, match=r"\[J330\]"):
        nlp.initialize(lambda: [Example(doc, doc.copy())])


@needs("code", "learning", "perceptron")
def test_templates_can_be_replaced(component, make, examples_of, write_text):
    templates = f"{component.slot}.word\n{component.slot}.suffix2\n"
    path = write_text("templates.txt", templates)
    nlp = make(initialize=False)
    nlp.config["initialize"]["components"] = {component.factory: {"templates": str(path)}}
    nlp.initialize(lambda: examples_of(nlp))
    path.unlink()
    again = make(initialize=False).from_bytes(nlp.to_bytes())
    assert again.get_pipe(component.factory).cfg["templates"] == templates
    doc, other = (each(examples_of(nlp)[0].predicted.copy()) for each in (nlp, again))
    assert [component.read(token) for token in doc] == [component.read(token) for token in other]


@needs("code", "learning", "perceptron")
def test_missing_templates_are_named(component, make, examples_of, write_text, tmp_path):
    nlp = make(initialize=False)
    pipe = nlp.get_pipe(component.factory)
    with pytest.raises(FileNotFoundError, match=r"\[J402\].*nowhere"):
        pipe.initialize(lambda: examples_of(nlp), templates=str(tmp_path / "nowhere.txt"))
    path = write_text("bad.txt", "b0.spelling\n")
    with pytest.raises(ValueError, match=r"\[J010\].*spelling"):
        pipe.initialize(lambda: examples_of(nlp), templates=str(path))


# Examples with little or no training data


@needs("updates")
def test_examples_without_annotation_change_nothing(component, model_of, nlp, pipe):
    before = model_of(nlp)
    docs = [nlp.make_doc(text) for text in ["hello there", "", " "]]
    losses = pipe.update([Example(doc, doc.copy()) for doc in docs], losses={})
    assert losses == {component.factory: 0.0}
    if hasattr(pipe, "perceptron"):
        # They only count as seen.
        pipe.perceptron.n_seen -= len(docs)
    assert model_of(nlp) == before


@pytest.mark.filterwarnings(r"ignore:\[JW03\]")
def test_labels_unseen_at_initialization_are_skipped(component, model_of, make):
    nlp = make()
    before = model_of(nlp)
    words = ["well", "hello"]
    # The treebank does not use the part of speech X.
    reference = Doc(nlp.vocab, words=words, tags=["NEVER", "EVER"], pos=["X", "X"], heads=[1, 1], deps=["odd", "ROOT"])
    nlp.update([Example(Doc(nlp.vocab, words=words), reference)])
    assert model_of(nlp) == before
    assert not {"odd", "NEVER", "X"} & set(nlp.get_pipe(component.factory).labels)


@needs("code")
@pytest.mark.parametrize("split", ["finer", "coarser", "shifted", "with whitespace"])
def test_other_tokenisation_of_the_predicted_side_is_handled(component, make, read_examples, split):
    nlp = make(initialize=False)
    examples = []
    for example in read_examples(nlp, corpus=component.corpus, limit=4):
        words = [token.text for token in example.reference]
        if split == "finer":
            words = [part for word in words for part in (word[:1], word[1:]) if part]
        elif split == "coarser":
            words = [
                part for i in range(0, len(words), 3) for part in ("".join(words[i : i + 2]), *words[i + 2 : i + 3])
            ]
        elif split == "shifted":
            text = "".join(words)
            words = [text[i : i + 3] for i in range(0, len(text), 3)]
        else:
            words = ["\n", *(part for word in words for part in (word, " \n"))]
        examples.append(Example(Doc(nlp.vocab, words=words, spaces=[False] * len(words)), example.reference))
    nlp.initialize(lambda: examples)
    nlp.update(examples)
    nlp.evaluate(examples)


# Prediction


def test_predict_changes_no_document(pipe, nlp):
    docs = [nlp.make_doc(text) for text in TEXTS]
    before = [doc.to_bytes() for doc in docs]
    pipe.predict(docs)
    assert [doc.to_bytes() for doc in docs] == before


@pytest.mark.parametrize("text", TEXTS)
def test_any_text_gets_annotation_that_survives_serialisation(component, nlp, text):
    doc = nlp(text)
    expected = [component.read(token) for token in doc]
    assert [component.read(token) for token in Doc(nlp.vocab).from_bytes(doc.to_bytes())] == expected
    packed = DocBin(store_user_data=True, docs=[doc]).to_bytes()
    (unpacked,) = DocBin().from_bytes(packed).get_docs(nlp.vocab)
    if len(doc) > 1:
        assert [component.read(token) for token in unpacked] == expected


def test_pipe_agrees_with_single_calls(nlp, annotate, component):
    piped = [[component.read(token) for token in doc] for doc in nlp.pipe(TEXTS, batch_size=3)]
    assert piped == annotate(nlp)


def test_annotating_again_changes_nothing(component, nlp, pipe):
    # Twice, since a narrow beam may find other trees once boundaries are set.
    doc = pipe(nlp("hello there how are you\n i am fine  thanks \n"))
    before = [component.read(token) for token in doc]
    assert [component.read(token) for token in pipe(doc)] == before


@needs("processes")
def test_documents_of_a_vocabulary_without_language_are_annotated_alike(component, nlp, pipe):
    words = ["hello", "there", "\n", "how", "are", "you"]
    own, foreign = (pipe(Doc(vocab, words=words)) for vocab in (nlp.vocab, Vocab()))
    assert [component.read(token) for token in foreign] == [component.read(token) for token in own]


def test_documents_of_another_vocabulary_change_nothing(component, saved, nlp, annotate):
    fresh = spacy.load(saved)
    words = [token.text for text in TEXTS for token in nlp.make_doc(text)]
    for given_words in ([], words):
        fresh.get_pipe(component.factory)(Doc(Vocab(), words=given_words))
    assert annotate(fresh) == annotate(nlp)


@needs("processes")
@pytest.mark.filterwarnings(r"ignore:\[W101\]:UserWarning")
def test_joined_documents_keep_their_annotation(component, nlp):
    docs = [nlp(text) for text in TEXTS if text.strip()]
    joined = Doc.from_docs(docs, ensure_whitespace=False)
    starts = [sum(map(len, docs[:number])) for number in range(len(docs))]
    for doc, start in zip(docs, starts, strict=True):
        for token in doc:
            assert shift(component.read(joined[start + token.i]), -start) == component.read(token)


@needs("code")
def test_another_pipeline_changes_nothing(component, nlp, saved):
    docs = [nlp(text) for text in TEXTS]
    expected = [[component.read(token) for token in doc] for doc in docs]
    other = spacy.load(saved)
    for text in TEXTS:
        other(text)
    assert [[component.read(token) for token in doc] for doc in docs] == expected
    assert [[component.read(token) for token in nlp(text)] for text in TEXTS] == expected


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@needs("code", "forks")
def test_a_process_forked_while_a_thread_predicts(saved):
    nlp, done = spacy.load(saved), Event()

    def predict():
        for number in count():
            if done.is_set():
                return
            nlp(" ".join(f"new{number}x{word}" for word in range(200)))

    with ThreadPoolExecutor(1) as pool:
        predicting = pool.submit(predict)
        try:
            for _ in range(10):
                child = os.fork()
                if not child:
                    try:
                        signal.alarm(20)  # ends a child that hangs
                        nlp("hello there")
                        os._exit(0)
                    finally:
                        os._exit(1)
                assert os.waitpid(child, 0)[1] == 0
        finally:
            done.set()
        predicting.result()


@needs("code")
def test_only_a_failing_document_goes_to_the_error_handler(component, saved, monkeypatch):
    nlp = spacy.load(saved)
    pipe = nlp.get_pipe(component.factory)
    annotate_sound = pipe.set_annotations

    def annotate(docs, *args):
        if any(doc.text == "bad" for doc in docs):
            raise OSError("no luck")
        annotate_sound(docs, *args)

    monkeypatch.setattr(pipe, "set_annotations", annotate)
    failed = []
    nlp.set_error_handler(lambda name, proc, docs, error: failed.append((name, [doc.text for doc in docs], str(error))))
    assert [doc.text for doc in nlp.pipe(["good", "bad", "better", "best"])] == ["good", "better", "best"]
    assert failed == [(component.factory, ["bad"], "no luck")]


@needs("code")
def test_without_an_error_handler_errors_are_raised(component, saved, monkeypatch):
    nlp = spacy.load(saved)
    fail = Mock(side_effect=OSError("no luck"))
    monkeypatch.setattr(nlp.get_pipe(component.factory), "set_annotations", fail)
    with pytest.raises(OSError, match="no luck"):
        list(nlp.pipe(["good", "bad"]))


@needs("code", "learning", "updates")
def test_an_untrained_component_raises_a_coded_error(component, make):
    nlp = make(initialize=False)
    example = Example.from_dict(nlp.make_doc("hello"), {})
    for use in (lambda: nlp("hello"), lambda: list(nlp.pipe(["hello"])), lambda: nlp.update([example])):
        with pytest.raises(ValueError, match=rf"\[J(?:060|071)\].*'{component.factory}'"):
            use()


@needs("code")
def test_a_component_that_needs_no_training_annotates_at_once(make, annotate):
    annotate(make())


def test_memory_zones(component, nlp, annotate):
    expected = annotate(nlp)
    n_strings = len(nlp.vocab.strings)
    with nlp.memory_zone():
        inside = [[component.read(token) for token in doc] for doc in nlp.pipe([*TEXTS, "xqzzy blorp\n flimmed"])]
        assert inside[:-1] == expected
    assert len(nlp.vocab.strings) == n_strings
    assert annotate(nlp) == expected


# In a pipeline


@needs("code", "labels", "other labels")
def test_labels_can_be_added_before_initialization(component, make, read_examples):
    expected = make().get_pipe(component.factory).labels
    nlp = make(initialize=False)
    pipe = nlp.get_pipe(component.factory)
    assert [pipe.add_label(label) for label in ("new", "new", "newer")] == [1, 0, 1]
    assert pipe.labels == ("new", "newer")
    assert "newer" in nlp.vocab.strings
    saved = pickle.loads(pickle.dumps(nlp))
    for again in (nlp, saved):
        again.initialize(lambda nlp=again: read_examples(nlp, corpus=component.corpus))
        assert set(again.get_pipe(component.factory).labels) == {*expected, "new", "newer"}


@needs("code", "labels")
def test_labels_cannot_be_added_later(pipe):
    with pytest.raises(ValueError, match=r"\[J070\].*'new'"):
        pipe.add_label("new")


@needs("code", "labels")
def test_labels_are_strings(component, make):
    with pytest.raises(ValueError, match=r"\[J030\]"):
        make(initialize=False).get_pipe(component.factory).add_label(7)


@needs("learning")
def test_labels_are_in_the_meta(component, nlp, pipe):
    assert pipe.labels
    assert nlp.meta["labels"][component.factory] == list(pipe.labels)


def test_analysis_of_pipes_finds_no_problem(component, nlp):
    analysis = nlp.analyze_pipes()
    assert analysis["problems"] == {component.factory: list(component.requires)}
    assert analysis["summary"][component.factory]["assigns"]
    assert analysis["summary"][component.factory]["scores"]


def test_the_config_round_trips(component, nlp):
    config = nlp.config
    again = (
        Language.from_config(config)
        if config["nlp"]["lang"] is None
        else spacy.blank(component.language).from_config(config)
    )
    assert again.config.to_str() == config.to_str()
    assert again.get_pipe_config(component.factory) == nlp.get_pipe_config(component.factory)
    if hasattr(nlp.get_pipe(component.factory), "settings"):
        assert again.get_pipe(component.factory).settings == nlp.get_pipe(component.factory).settings


@needs("code")
def test_the_default_config_is_complete(component):
    nlp = spacy.blank(component.language)
    nlp.add_pipe(component.factory)
    assert spacy.blank(component.language).from_config(nlp.config, auto_fill=False).config == nlp.config
    model = nlp.get_pipe_config(component.factory).get("model")
    assert model is None or registry.resolve({"model": model})["model"].name


@needs("code")
def test_a_string_is_neither_a_list_of_strings_nor_a_number(component):
    nlp = spacy.blank(component.language)
    defaults = nlp.get_factory_meta(component.factory).default_config
    for setting, value in defaults.items():
        if value is None or type(value) in (list, int, float):
            allowed = "list" if isinstance(value, list) else "number"
            with pytest.raises(JointValueError, match=rf"\[J030\] {setting} of .* is '1'\. It must be a {allowed}\."):
                nlp.add_pipe(component.factory, config={setting: "1"})


@needs("code", "perceptron")
def test_settings_can_be_overridden_at_loading(component, saved):
    nlp = spacy.load(saved, config={f"components.{component.factory}.model.beam_width": 2})
    assert nlp.get_pipe(component.factory).perceptron.beam_width == 2
    assert len(nlp("hello there")) == 2


@needs("code", "updates")
def test_use_params_and_resume_training_do_not_change_predictions(component, saved, annotate):
    # Not the shared pipeline, to whose gradients other tests have added.
    nlp = spacy.load(saved)
    pipe = nlp.get_pipe(component.factory)
    expected = annotate(nlp)
    with nlp.use_params({(1, "W"): None}):
        assert annotate(nlp) == expected
    assert list(pipe.use_params({})) == [None]
    pipe.finish_update(nlp.resume_training())
    assert annotate(nlp) == expected


@needs("code")
def test_a_sourced_component_predicts_the_same_and_stays_as_it_is(
    component, model_of, saved, examples_of, annotate, nlp
):
    source = spacy.load(saved)
    target = spacy.blank(component.language)
    target.add_pipe(component.factory, source=source)
    assert target.config["components"][component.factory] == source.config["components"][component.factory]
    assert annotate(target) == annotate(nlp)
    tagger = target.add_pipe("tagger", first=True)
    with target.select_pipes(disable=[component.factory]):
        target.initialize(lambda: examples_of(target))
    assert tagger.labels
    before = model_of(target)
    target.update(examples_of(target), exclude=[component.factory], annotates=[component.factory])
    assert model_of(target) == before


@needs("code")
def test_a_sourced_component_can_continue_learning(component, model_of, saved, examples_of, train):
    target = spacy.blank(component.language)
    target.add_pipe(component.factory, source=spacy.load(saved))
    original = spacy.load(saved)
    for nlp in (target, original):
        train(nlp, examples_of(nlp, limit=4), epochs=1)
    assert model_of(target) == model_of(original)


@needs("code")
def test_it_annotates_for_others_while_it_learns(component, saved, examples_of, monkeypatch):
    nlp = spacy.load(saved)
    tagger = nlp.add_pipe("tagger")
    seen = []
    monkeypatch.setattr(tagger, "update", lambda examples, **_: seen.extend(example.predicted for example in examples))
    nlp.update(examples_of(nlp), annotates=[component.factory])
    assert len(seen) == len(examples_of(nlp))
    assert all(any(component.read(token) != component.read(other) for token in doc for other in doc) for doc in seen)


ANOTHER_PROCESS = """
import multiprocessing, os, pickle, spacy.tokens
from spacy.tokens.underscore import Underscore

nlp, texts = pickle.loads(given.read_bytes())
for attribute in nlp.get_pipe_meta(nlp.pipe_names[0]).assigns:
    owner, _, extension = attribute.partition("._.")
    assert not extension or getattr(spacy.tokens, owner.title()).has_extension(extension), attribute
# What processes that are started afresh get besides. Starting them would take long.
pickle.loads(pickle.dumps(Underscore.get_state()))
multiprocessing.set_start_method("fork" if hasattr(os, "fork") else "spawn", force=True)
found = [map(nlp, texts), nlp.pipe(texts, n_process=2, batch_size=2)]
answer.write_bytes(pickle.dumps([[doc.to_bytes() for doc in docs] for docs in found]))
"""


@pytest.fixture(scope="session")
def fresh():
    """Starts processes that have imported spaCy, which takes long, but nothing of this package."""
    fresh = multiprocessing.get_context("forkserver" if hasattr(os, "fork") else "spawn")
    if hasattr(os, "fork"):
        fresh.set_forkserver_preload(["spacy"])
    return fresh


@needs("code", "processes")
def test_a_pickled_pipeline_annotates_in_a_fresh_process_and_in_its_children(component, saved, nlp, tmp_path, fresh):
    files = {name: tmp_path / name for name in ("given", "answer")}
    files["given"].write_bytes(pickle.dumps((spacy.load(saved), TEXTS)))
    process = fresh.Process(target=exec, args=(ANOTHER_PROCESS, files))
    process.start()
    process.join(240)
    assert process.exitcode == 0

    def describe(doc):
        return doc.to_json(), [component.read(token) for token in doc]

    expected = [describe(nlp(text)) for text in TEXTS]
    for contents in pickle.loads(files["answer"].read_bytes()):
        assert [describe(Doc(nlp.vocab).from_bytes(content)) for content in contents] == expected


# Serialisation


def test_what_is_loaded_is_what_was_saved(component, model_of, nlp, saved, make, annotate):
    for again in (spacy.load(saved), make(initialize=False).from_bytes(nlp.to_bytes())):
        assert annotate(again) == annotate(nlp)
        assert again.get_pipe(component.factory).labels == nlp.get_pipe(component.factory).labels
        assert model_of(again) == model_of(nlp)


@needs("code")
def test_a_model_can_be_saved_over_the_one_that_it_was_loaded_from(saved, tmp_path, annotate):
    path = shutil.copytree(saved, tmp_path / "copy")
    nlp = spacy.load(path)
    expected = annotate(nlp)
    nlp.to_disk(path)
    assert annotate(nlp) == expected
    assert annotate(spacy.load(path)) == expected


@needs("code", "learning", "updates", "resuming")
def test_a_model_without_learning_state_predicts_like_any_other(component, nlp, parts, pipe, make, annotate, tmp_path):
    predicting = make(initialize=False)
    pipe.to_disk(tmp_path / "pipe", exclude=["learning"])
    assert not (tmp_path / "pipe" / "learning").exists()
    predicting.get_pipe(component.factory).from_disk(tmp_path / "pipe")
    assert annotate(predicting) == annotate(nlp)
    predicting.to_disk(tmp_path / "pipeline")
    assert annotate(spacy.load(tmp_path / "pipeline")) == annotate(nlp)
    assert annotate(pickle.loads(pickle.dumps(predicting))) == annotate(nlp)
    content = srsly.msgpack_loads(predicting.get_pipe(component.factory).to_bytes(exclude=["vocab"]))
    assert [part for part in content if content[part] != parts[part]] == [CHECKSUMS]
    assert "learning" not in content and len(parts["learning"]) > 4 * len(parts["model"])


@needs("code", "learning", "updates", "resuming")
def test_saving_without_learning_leaves_no_older_learning_behind(pipe, tmp_path):
    pipe.to_disk(tmp_path / "pipe")
    assert (tmp_path / "pipe" / "learning").exists()
    pipe.to_disk(tmp_path / "pipe", exclude=["learning"])
    assert not (tmp_path / "pipe" / "learning").exists()


@needs("perceptron")
def test_labels_are_strings_of_the_vocabulary_that_it_is_loaded_into(component, pipe, tmp_path):
    columns = component.config.get("columns")
    pipe.to_disk(tmp_path / "pipe", exclude=["vocab"])
    for load in (
        lambda fresh: fresh.from_disk(tmp_path / "pipe", exclude=["vocab"]),
        lambda fresh: fresh.from_bytes(pipe.to_bytes(exclude=["vocab"]), exclude=["vocab"]),
    ):
        vocab = Vocab()
        load(type(pipe)(vocab, copy.deepcopy(pipe.model), pipe.name, scorer=None, columns=columns, **pipe.settings))
        assert all(label in vocab.strings for label in pipe.labels)


@needs("code", "learning")
def test_an_untrained_component_is_saved_untrained(make, tmp_path):
    nlp = make(initialize=False)
    nlp.to_disk(tmp_path)
    for again in (
        spacy.load(tmp_path),
        make(initialize=False).from_bytes(nlp.to_bytes()),
        pickle.loads(pickle.dumps(nlp)),
    ):
        with pytest.raises(ValueError, match=r"\[J(?:060|071)\]"):
            again("hello")


@needs("code")
def test_copies_are_independent(saved, examples_of, train, annotate):
    nlp = spacy.load(saved)
    copies = [pickle.loads(pickle.dumps(nlp)), copy.deepcopy(nlp)]
    expected = annotate(nlp)
    train(nlp, examples_of(nlp, limit=4), epochs=1)
    for other in copies:
        assert annotate(other) == expected


@needs("code")
def test_a_component_that_refuses_to_load_stays_as_it_was(component, model_of, saved, parts, annotate, tmp_path):
    nlp = spacy.load(saved)
    pipe = nlp.get_pipe(component.factory)
    before = model_of(nlp)
    path = shutil.copytree(saved / component.factory, tmp_path / "broken")
    for part, right in parts.items():
        for damage in DAMAGES.values():
            with pytest.raises(ValueError, match=r"\[J"):
                pipe.from_bytes(srsly.msgpack_dumps({**parts, part: damage(right)}))
            (path / part).write_bytes(damage(right))
            with pytest.raises(ValueError, match=r"\[J"):
                pipe.from_disk(path)
        (path / part).write_bytes(right)
    assert model_of(nlp) == before
    pipe.from_disk(path)
    assert model_of(nlp) == before
    assert annotate(nlp) == annotate(spacy.load(saved))


@needs("code", "learning")
def test_what_an_untrained_component_saved_makes_it_untrained(component, make, saved, tmp_path):
    untrained = make(initialize=False).get_pipe(component.factory)
    untrained.to_disk(tmp_path / "untrained")
    for load in (
        lambda pipe: pipe.from_bytes(untrained.to_bytes()),
        lambda pipe: pipe.from_disk(tmp_path / "untrained"),
    ):
        nlp = spacy.load(saved)
        load(nlp.get_pipe(component.factory))
        with pytest.raises(ValueError, match=r"\[J(?:060|071)\]"):
            nlp("hello")


@needs("code")
@settings(max_examples=10)
@given(content=st.binary(max_size=200))
def test_any_bytes_are_refused(pipe_to_break, content):
    with pytest.raises(ValueError, match=r"\[J05\d\]"):
        pipe_to_break.from_bytes(content)


@needs("code", "learning", "perceptron")
@pytest.mark.parametrize(("part", "other"), [("model", "learning"), ("learning", "model")])
def test_parts_in_the_wrong_place_are_refused(parts, pipe_to_break, part, other):
    with pytest.raises(ValueError, match=r"\[J0[56]\d\]"):
        pipe_to_break.from_bytes(srsly.msgpack_dumps({**parts, part: parts[other]}))


@needs("code")
@settings(max_examples=15)
@given(data=st.data())
def test_truncated_or_changed_parts_are_refused(parts, pipe_to_break, data):
    part = data.draw(st.sampled_from(sorted(parts.keys() - {CHECKSUMS})))
    place = data.draw(st.integers(0, len(parts[part]) - 1))
    changed = bytearray(parts[part])
    changed[place] ^= data.draw(st.integers(1, 255))
    for wrong in (bytes(changed), parts[part][:place]):
        with pytest.raises(ValueError, match=r"\[J\d+\]"):
            pipe_to_break.from_bytes(srsly.msgpack_dumps({**parts, part: wrong}))


@needs("code", "perceptron")
@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_damaged_files_are_refused_by_name(component, saved, parts, pipe_to_break, damage, tmp_path):
    path = shutil.copytree(saved / component.factory, tmp_path / "broken")
    for part in parts.keys() - {CHECKSUMS}:
        (path / part).write_bytes(damage(parts[part]))
        with pytest.raises(JointValueError, match=rf"\[J05\d\].*{part}"):
            pipe_to_break.from_disk(path)
        (path / part).write_bytes(parts[part])


@needs("code", "learning", "perceptron")
@pytest.mark.parametrize("part", ["cfg", "model"])
def test_missing_files_are_named(component, saved, tmp_path, part):
    path = shutil.copytree(saved, tmp_path / "broken")
    (path / component.factory / part).unlink()
    with pytest.raises(ValueError, match=rf"\[J073\].*'{part}'"):
        spacy.load(path)


@needs("code")
def test_a_path_without_a_component_is_named(pipe_to_break, tmp_path):
    for path in (tmp_path / "nowhere", tmp_path, __file__, str(tmp_path)):
        with pytest.raises(ValueError, match=r"\[J073\]"):
            pipe_to_break.from_disk(path)


@needs("code", "labels", "other labels", "perceptron")
def test_a_model_of_other_labels_is_refused(component, make, saved, examples_of, tmp_path):
    other = make(initialize=False)
    other.initialize(lambda: examples_of(other, limit=1))
    path = shutil.copytree(saved, tmp_path / "mixed")
    other.get_pipe(component.factory).to_disk(tmp_path / "other")
    shutil.copy(tmp_path / "other" / "model", path / component.factory / "model")
    with pytest.raises(ValueError, match=r"\[J061\].*model"):
        spacy.load(path)


@needs("code", "learning", "perceptron")
def test_a_model_of_other_templates_is_refused(component, saved, tmp_path):
    path = shutil.copytree(saved, tmp_path / "mixed")
    cfg = srsly.read_json(path / component.factory / "cfg")
    cfg["templates"] = cfg["templates"].rstrip().rsplit("\n", 1)[0]
    srsly.write_json(path / component.factory / "cfg", cfg)
    with pytest.raises(ValueError, match=r"\[J061\]"):
        spacy.load(path)
