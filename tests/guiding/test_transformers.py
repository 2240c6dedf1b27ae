"""A transformer as the encoder of a guide, and as ONNX, with a tiny one of random weights."""

import subprocess
import sys
import warnings
from importlib.util import find_spec

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example
from thinc.api import Adam
from typer.testing import CliRunner

from spacy_joint.annotation.custom_columns import GUIDE_COLUMNS
from spacy_joint.cli import app
from spacy_joint.errors import JointValueError
from spacy_joint.guiding.onnx_transformer import OnnxTransformer, convert_transformers
from spacy_joint.training.finishing import finish_pipeline

from .learning import learn
from .test_parser_guide import NOUNS, VERBS, make_examples, say
from .test_streams import check_same as check_same_columns

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

WINDOW, STRIDE = 24, 16
WIDTH = 32
WORDS = ["the", *NOUNS, *VERBS, *"abc", "##a", "##b"]


@pytest.fixture(scope="module")
def directory(tmp_path_factory, write_transformer):
    return write_transformer(tmp_path_factory.mktemp("transformer"), WORDS)


def make_tok2vec(directory, **settings):
    name = directory and str(directory)
    windows = {"window": WINDOW, "stride": STRIDE}
    return {"@architectures": "spacy_joint.Transformer.v1", "name": name, **windows, **settings}


def make_pipeline(directory, **settings):
    nlp = spacy.blank("en")
    model = {"arc_width": 16, "label_width": 16, "window": WINDOW, "stride": STRIDE}
    nlp.add_pipe("parser_guide", config={"model": {**model, "tok2vec": make_tok2vec(directory, **settings)}})
    return nlp


def train(directory, epochs=1, n_documents=8, **settings):
    nlp = make_pipeline(directory, **settings)
    learn(nlp, "parser_guide", make_examples(nlp, range(n_documents)), epochs)
    return nlp


@pytest.fixture(scope="module")
def nlp(directory):
    """A pipeline that has learnt something. Shared: do not change it."""
    return train(directory, epochs=3)


def find_vectors(nlp, *docs):
    return nlp.get_pipe("parser_guide").model.get_ref("tok2vec").predict(list(docs))


def make_doc(nlp, *words):
    return Doc(nlp.vocab, words=list(words))


def read_columns(nlp, doc):
    doc = nlp.get_pipe("parser_guide")(doc)
    return {name: np.asarray(doc._.token_columns[name]) for name in GUIDE_COLUMNS}


def check_same(nlp, other):
    (expected,), (found,) = (find_vectors(pipeline, say(pipeline.vocab, 99)) for pipeline in (nlp, other))
    np.testing.assert_array_equal(found, expected)


def test_it_learns_a_language(directory):
    nlp = train(directory, epochs=100, n_documents=24, learn_rate_scale=0.3)
    scores = nlp.evaluate(make_examples(nlp, range(100, 110)))
    for name in ("guide_boundary_f", "guide_uas", "guide_las"):
        assert scores[name] > 0.9


def test_the_transformer_learns_with_the_heads(directory):
    before, after = (train(directory, epochs=epochs) for epochs in (0, 1))
    weights = [
        pipeline.get_pipe("parser_guide").model.get_ref("tok2vec").get_ref("encoder").shims[0]._model.state_dict()
        for pipeline in (before, after)
    ]
    changed = {name for name, values in weights[0].items() if not torch.equal(values, weights[1][name])}
    assert {"embeddings.word_embeddings.weight", "encoder.layer.0.output.dense.weight"} <= changed


def test_it_learns_at_a_rate_of_its_own(directory):
    frozen = train(directory, epochs=1, learn_rate_scale=0.0)
    check_same(train(directory, epochs=0), frozen)


def test_the_same_seed_gives_the_same_bytes(directory):
    assert train(directory).to_bytes() == train(directory).to_bytes()


def test_half_precision_gives_nearly_the_same_vectors(directory):
    (full,), (half,) = (
        find_vectors(nlp, say(nlp.vocab, 1))
        for nlp in (train(directory, epochs=0, mixed_precision=precision) for precision in (False, True))
    )
    assert full.dtype == half.dtype == np.float32
    np.testing.assert_allclose(half, full, atol=0.1)
    assert not np.array_equal(half, full)


def test_a_trained_pipeline_can_be_loaded_with_another_precision(directory, tmp_path):
    nlp = train(directory, mixed_precision=True)
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path, config={"components.parser_guide.model.tok2vec.mixed_precision": False})
    with pytest.raises(AssertionError):
        check_same(nlp, loaded)


def test_a_copy_has_the_same_weights(nlp):
    tok2vec = nlp.get_pipe("parser_guide").model.get_ref("tok2vec")
    doc = say(nlp.vocab, 1)
    np.testing.assert_array_equal(tok2vec.copy().predict([doc])[0], tok2vec.predict([doc])[0])


def test_a_token_has_the_vector_of_its_first_piece(nlp, directory):
    (vectors,) = find_vectors(nlp, make_doc(nlp, "The", "aba", "dog"))
    transformer = nlp.get_pipe("parser_guide").model.get_ref("tok2vec").get_ref("encoder").shims[0]._model.eval()
    # [CLS] the a ##b ##a dog [SEP]
    tokenizer = transformers.AutoTokenizer.from_pretrained(directory)
    numbers = tokenizer("the aba dog", return_tensors="pt")
    assert numbers["input_ids"].shape == (1, 7)
    with torch.no_grad():
        expected = transformer(**numbers).last_hidden_state[0, [1, 2, 5]].numpy()
    np.testing.assert_allclose(vectors, expected, atol=1e-5)


def test_capitals_are_read_beside_lower_cased_pieces(directory, nlp, tmp_path):
    reading = train(directory, capitals=True)
    for pipeline, is_same in ((nlp, True), (reading, False)):
        lower, title, upper = find_vectors(pipeline, *(make_doc(pipeline, word) for word in ("the", "The", "THE")))
        assert [np.allclose(lower, other, atol=1e-6) for other in (title, upper)] == [is_same] * 2
    reading.to_disk(tmp_path)
    check_same(reading, spacy.load(tmp_path))
    pytest.importorskip("onnxscript")
    doc = make_doc(reading, "The", "man", "SEES")
    expected = find_vectors(reading, doc)[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        convert_transformers(reading)
    np.testing.assert_allclose(find_vectors(reading, doc)[0], expected, atol=0.3)


def test_tokens_without_pieces_have_vectors_of_zeros(nlp):
    (vectors,) = find_vectors(nlp, make_doc(nlp, "the", "\n\n", "dog", "\u200b"))
    assert np.abs(vectors).sum(axis=1).astype(bool).tolist() == [True, False, True, False]
    (without,) = find_vectors(nlp, make_doc(nlp, "the", "dog"))
    np.testing.assert_allclose(vectors[[0, 2]], without, atol=1e-5)


def test_documents_without_pieces_are_read(nlp):
    docs = [make_doc(nlp), make_doc(nlp, " "), make_doc(nlp, "the", "dog"), make_doc(nlp, "\u200b")]
    assert [len(vectors) for vectors in find_vectors(nlp, *docs)] == [0, 1, 2, 1]
    for doc in docs:
        assert all(len(values) == len(doc) for values in read_columns(nlp, doc).values())


@pytest.mark.parametrize("word", ["a" * 80, "a" * 1_000_000, "\u0301" * 300])
def test_a_token_may_be_longer_than_a_window(nlp, word):
    (vectors,) = find_vectors(nlp, make_doc(nlp, "the", word, "dog"))
    assert vectors.shape == (3, WIDTH) and np.isfinite(vectors).all()


def test_documents_longer_than_a_window_are_learnt_from_and_read(directory):
    nlp = make_pipeline(directory)
    examples = make_examples(nlp, range(2), n_sentences=60)
    nlp.initialize(lambda: examples)
    losses = nlp.update(examples, sgd=Adam(0.01))
    assert np.isfinite(losses["parser_guide"])
    doc = say(nlp.vocab, 5, n_sentences=60)
    assert len(find_vectors(nlp, doc)[0]) == len(doc) > 5 * WINDOW


@pytest.mark.parametrize("size", [1, 7, 60])
def test_columns_of_a_stream_are_those_of_the_whole_document(nlp, size):
    # Words have one piece, several, none, or more than a window.
    draw = np.random.default_rng(0)
    words = [*draw.choice(["the", *NOUNS, *VERBS, "aab", "bab", "\n", " "], 150).tolist(), "a" * 80, "the", "\n"]
    doc = make_doc(nlp, *words)
    parts = [make_doc(nlp, *words[start : start + size]) for start in range(0, len(words), size)]
    guide = nlp.get_pipe("parser_guide")
    check_same_columns(list(guide.stream(parts)), guide(doc))


def test_a_batch_does_not_change_the_vectors_of_a_document(nlp):
    docs = [say(nlp.vocab, seed, n_sentences=seed) for seed in range(1, 12)]
    for doc, vectors in zip(docs, find_vectors(nlp, *docs), strict=True):
        np.testing.assert_allclose(vectors, find_vectors(nlp, doc)[0], atol=1e-5)


def test_a_saved_pipeline_does_not_need_the_directory(tmp_path, write_transformer):
    nlp = train(write_transformer(tmp_path / "transformer", WORDS))
    nlp.to_disk(tmp_path / "nlp")
    (tmp_path / "transformer").rename(tmp_path / "elsewhere")
    check_same(nlp, spacy.load(tmp_path / "nlp"))
    check_same(nlp, make_pipeline(tmp_path / "transformer").from_bytes(nlp.to_bytes()))


def test_a_finished_pipeline_has_no_paths(nlp, directory, tmp_path):
    config = nlp.config.copy()
    nlp.to_disk(tmp_path / "nlp")
    config["paths"]["transformer"] = str(directory)
    config["components"]["parser_guide"]["model"]["tok2vec"]["name"] = "${paths.transformer}"
    config.to_disk(tmp_path / "nlp" / "config.cfg")
    finish_pipeline(tmp_path / "nlp", tmp_path / "finished", {}, {})
    assert str(directory) not in (tmp_path / "finished" / "config.cfg").read_text(encoding="utf8")
    check_same(nlp, spacy.load(tmp_path / "finished"))


def test_documents_are_read_in_several_processes(nlp):
    docs = [say(nlp.vocab, seed) for seed in range(6)]
    expected = [read_columns(nlp, doc.copy())["guide_boundary"] for doc in docs]
    found = [doc._.token_columns["guide_boundary"] for doc in nlp.pipe(docs, n_process=2, batch_size=2)]
    np.testing.assert_allclose(np.concatenate(found), np.concatenate(expected), atol=1e-4)


def test_other_components_can_read_it(directory, tmp_path):
    nlp = spacy.blank("en")
    model = {"@architectures": "spacy.Tagger.v2", "tok2vec": make_tok2vec(directory)}
    nlp.add_pipe("tagger", config={"model": model})
    words = ["the", "dog", "sees", "the", "cat"]
    reference = Doc(nlp.vocab, words=words, tags=["DT", "NN", "VB", "DT", "NN"])
    examples = [Example(Doc(nlp.vocab, words=words), reference)]
    nlp.initialize(lambda: examples)
    optimizer = Adam(0.01)
    for _ in range(20):
        nlp.update(examples, sgd=optimizer)
    nlp.to_disk(tmp_path)
    doc = spacy.load(tmp_path)(examples[0].predicted.copy())
    assert [token.tag_ for token in doc] == [token.tag_ for token in reference]


# Errors


def test_a_missing_package_is_named(directory, monkeypatch):
    monkeypatch.setattr("spacy_joint.errors.find_spec", lambda package: None)
    with pytest.raises(JointValueError, match=r"J710.*torch.*pip install \"spacy-joint\[transformer\]\""):
        make_pipeline(directory)
    with pytest.raises(JointValueError, match=r"J710.*onnxruntime.*pip install \"spacy-joint\[onnx\]\""):
        OnnxTransformer()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"name": "."}, r"(?s)J641.*cannot be read"),
        ({"name": None}, r"J641.*it has no name"),
        ({"window": 39, "stride": 30}, r"J030.*window is 39.*at most 38"),
    ],
    ids=["no transformer there", "not named", "windows too long"],
)
def test_a_transformer_that_cannot_be_used_is_an_error(directory, settings, message):
    nlp = make_pipeline(directory, **settings)
    with pytest.raises(JointValueError, match=message):
        nlp.initialize(lambda: make_examples(nlp, range(2)))


# ONNX


@pytest.fixture(scope="module")
def converted(nlp, tmp_path_factory):
    """The directory of the pipeline as ONNX."""
    pytest.importorskip("onnxruntime")
    pytest.importorskip("onnxscript")
    folder = tmp_path_factory.mktemp("converted")
    nlp.to_disk(folder / "nlp")
    with warnings.catch_warnings():
        # Libraries warn of each other.
        warnings.simplefilter("ignore")
        result = CliRunner().invoke(app, ["export-onnx", str(folder / "nlp"), str(folder / "onnx")])
    assert result.exit_code == 0, result.output
    return folder / "onnx"


def test_vectors_of_the_onnx_version_are_nearly_the_same(nlp, converted):
    loaded = spacy.load(converted)
    docs = [say(nlp.vocab, seed, n_sentences=3 + 10 * seed) for seed in range(5)]
    for expected, found in zip(find_vectors(nlp, *docs), find_vectors(loaded, *docs), strict=True):
        np.testing.assert_allclose(found, expected, atol=0.3)
        assert np.abs(found - expected).mean() < 0.05


@pytest.mark.filterwarnings("ignore")
def test_outliers_do_not_blur_the_vectors_of_the_onnx_version(nlp, monkeypatch):
    onnx_export = pytest.importorskip("spacy_joint.guiding.onnx_export")
    errors = []
    for outlier in (onnx_export.OUTLIER, np.inf):
        monkeypatch.setattr(onnx_export, "OUTLIER", outlier)
        pipeline = make_pipeline(None).from_bytes(nlp.to_bytes())
        tok2vec = pipeline.get_pipe("parser_guide").model.get_ref("tok2vec")
        with torch.no_grad():
            for layer in tok2vec.get_ref("encoder").shims[0]._model.encoder.layer:
                layer.intermediate.dense.weight *= 10
                layer.intermediate.dense.weight[0] *= 100
                layer.output.dense.weight *= 10
                layer.output.dense.weight[:, 0] /= 100
        doc = say(pipeline.vocab, 1)
        (expected,) = find_vectors(pipeline, doc)
        convert_transformers(pipeline)
        errors.append(np.abs(find_vectors(pipeline, doc)[0] - expected).mean())
    assert errors[0] < errors[1] / 2


def test_other_documents_do_not_change_the_vectors_of_the_onnx_version(converted):
    loaded = spacy.load(converted)
    doc, other = make_doc(loaded, "the", "man", "sees"), make_doc(loaded, *["dog", "hears"] * 40)
    np.testing.assert_array_equal(find_vectors(loaded, other, doc)[1], find_vectors(loaded, doc)[0])


def test_the_onnx_version_does_not_say_where_it_was_made(converted):
    assert b"stack_trace" not in spacy.load(converted).get_pipe("parser_guide").model.to_bytes()


def test_the_onnx_version_needs_no_torch(converted):
    if find_spec("spacy_curated_transformers"):
        pytest.skip("spaCy imports it, which imports torch")
    code = f"""
import sys

for name in ("torch", "transformers", "safetensors", "onnx", "onnxscript"):
    sys.modules[name] = None
import spacy

doc = spacy.load({str(converted)!r})("the dog sees the cat")
assert len(doc._.token_columns["guide_boundary"]) == 5
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_onnx_version_is_saved_and_copied(converted):
    nlp = spacy.load(converted)
    tok2vec = nlp.get_pipe("parser_guide").model.get_ref("tok2vec")
    doc = say(nlp.vocab, 1)
    np.testing.assert_array_equal(tok2vec.predict([doc])[0], tok2vec.copy().predict([doc])[0])
    check_same(nlp, spacy.load(converted).from_bytes(nlp.to_bytes()))


def test_heads_can_learn_from_the_onnx_version(converted):
    nlp = spacy.load(converted)
    before = find_vectors(nlp, say(nlp.vocab, 1))[0]
    losses = [nlp.update(make_examples(nlp, range(8)), sgd=Adam(0.01))["parser_guide"] for _ in range(2)]
    assert np.isfinite(losses).all()
    np.testing.assert_array_equal(find_vectors(nlp, say(nlp.vocab, 1))[0], before)


def test_the_onnx_version_cannot_be_initialized():
    pytest.importorskip("onnxruntime")
    with pytest.raises(JointValueError, match=r"J644.*export-onnx"):
        OnnxTransformer().initialize()


def test_a_pipeline_without_a_transformer_cannot_be_exported(tmp_path):
    spacy.blank("en").to_disk(tmp_path / "nlp")
    result = CliRunner().invoke(app, ["export-onnx", str(tmp_path / "nlp"), str(tmp_path / "onnx")])
    assert result.exit_code == 1 and "J129" in result.output


def test_exporting_finds_pipelines_by_language():
    result = CliRunner().invoke(app, ["export-onnx", "de", "onnx"])
    assert result.exit_code == 1 and "J406" in result.output


# torch uses deprecated parts of itself.
@pytest.mark.filterwarnings("ignore")
def test_a_treebank_is_learnt_with_a_guide(tmp_path, write_transformer):
    encoder = write_transformer(tmp_path / "transformer", WORDS, positions=300)
    rows = [
        ("the", "DET", 2, "det"),
        ("cat", "NOUN", 3, "nsubj"),
        ("sleeps", "VERB", 0, "root"),
        (".", "PUNCT", 3, "punct"),
    ]
    lines = [
        f"{i}\t{word}\t{word}\t{pos}\t{pos}\t_\t{head}\t{dep}\t_\t_" for i, (word, pos, head, dep) in enumerate(rows, 1)
    ]
    (tmp_path / "treebank.conllu").write_text("\n".join([*lines, "\n"]) * 20, encoding="utf8")
    files = [part for split in ("train", "dev") for part in (f"--{split}", tmp_path / "treebank.conllu")]
    fast = ("--language", "en", "--folds", "2", "--training.max_epochs", "1", "--training.max_steps", "2")
    command = ("train-treebank", *files, "--transformer", encoder, "--output", tmp_path / "out", "--no-package", *fast)
    result = CliRunner().invoke(app, list(map(str, command)))
    assert "guide-columns: " in result.output, result.output
    nlp = spacy.load(tmp_path / "out" / "pipeline")
    assert nlp.pipe_names[:3] == ["sequence_tagger", "parser_guide", "joint_sbd_parser"]
    assert nlp.get_pipe_config("parser_guide")["model"]["tok2vec"]["@architectures"] == "spacy_joint.OnnxTransformer.v1"
    doc = nlp("the cat sleeps . the cat sleeps .")
    assert all(token.dep_ and token.lemma_ for token in doc) and "guide_head" in doc._.token_columns
