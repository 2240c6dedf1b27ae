"""The scripts that train a guide on a GPU: packing, training and unpacking, with tiny encoders on a CPU."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc, DocBin
from spacy.util import load_config
from typer.testing import CliRunner

from spacy_joint.annotation.custom_columns import GUIDE_BOUNDARY, read_column

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
tokenizers = pytest.importorskip("tokenizers")

ROOT = Path(__file__).parents[2]
RECURRENT = ROOT / "configs/parser_guide_md.cfg"
WORDS = ["the", "dogs", "cats", "birds", "bark", "sleep", ".", "Dogs", "##s"]
LABELS = {"labels": ["ROOT", "nsubj", "punct"], "tags": ["NN", "VB", "."]}
SENTENCES = [["Dogs", "bark", "."], ["The", "cats", "sleep", "."], ["birds", "bark", "."]]


@pytest.fixture(scope="module")
def packing():
    sys.path.insert(0, str(ROOT / "projects/english"))
    try:
        import pack_for_gpu
    except ImportError:
        pytest.skip("there is only the installed package")
    finally:
        sys.path.pop(0)
    return pack_for_gpu


@pytest.fixture(scope="module")
def training(packing):
    return sys.modules["distill_on_gpu"]


def write_treebank(path):
    docs = DocBin()
    for _ in range(3):
        words = [word for sentence in SENTENCES for word in sentence]
        heads, deps, tags, starts = [], [], [], []
        for sentence in SENTENCES:
            verb = len(heads) + len(sentence) - 2
            starts += [True] + [False] * (len(sentence) - 1)
            heads += [verb] * len(sentence)
            deps += ["nsubj"] * (len(sentence) - 2) + ["ROOT", "punct"]
            tags += ["NN"] * (len(sentence) - 2) + ["VB", "."]
        pos = ["PUNCT" if word == "." else "X" for word in words]
        docs.add(Doc(spacy.blank("en").vocab, words, heads=heads, deps=deps, tags=tags, pos=pos, sent_starts=starts))
    docs.to_disk(path)
    return path


def write_mpnet(directory):
    torch.manual_seed(1)
    config = transformers.MPNetConfig(
        vocab_size=20, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64
    )
    transformers.MPNetModel(config).save_pretrained(directory)


@pytest.fixture(scope="module")
def files(tmp_path_factory, packing, write_transformer):
    """A treebank, raw text and two encoders, packed, in the directory `packed`."""
    directory = tmp_path_factory.mktemp("files")
    write_transformer(directory / "student", WORDS, positions=300)
    write_transformer(directory / "teacher", WORDS, positions=300)
    write_mpnet(directory / "teacher")
    (directory / "raw.txt").write_text("Dogs bark. The birds sleep.\nCats sleep.\n\nBirds bark.\n" * 30, "utf8")
    (directory / "labels.json").write_text(json.dumps(LABELS), "utf8")
    write_treebank(directory / "train.spacy")
    run(
        packing.app,
        *("pack", directory / "train.spacy", directory / "raw.txt", "--lines", "--output", directory / "packed"),
        *("--teacher", directory / "teacher", "--student", directory / "student"),
        *("--labels", directory / "labels.json", "--dev", directory / "train.spacy", "--part", 2000),
    )
    run(packing.app, "pack-recurrent", RECURRENT, directory / "packed", *list_settings(directory))
    return directory


def list_settings(directory):
    """Settings of a small recurrent guide."""
    embed = "--components.parser_guide.model.tok2vec.embed"
    return (
        *("--paths.train", directory / "train.spacy", "--paths.dev", directory / "train.spacy"),
        *("--paths.labels", directory / "labels.json", "--components.parser_guide.model.tags", "true"),
        *("--paths.vectors", "null", f"{embed}.include_static_vectors", "false"),
        *(f"{embed}.attrs", '["LOWER","SHAPE"]', f"{embed}.rows", "[100,50]", f"{embed}.width", 16),
        *("--components.parser_guide.model.tok2vec.encode.width", 32),
    )


def run(app, *arguments):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output


def distill(training, files, output, **settings):
    arguments = {"steps": (4, 3, 2, 3, 2), "minutes": (0,) * 5, "size": (200,) * 3, "checkpoints": None, "seed": 0}
    training.main([files / "packed"], output, **{**arguments, **settings})


@pytest.mark.parametrize("name", ["student", "teacher"])
def test_encoders_compute_what_transformers_does(training, packing, files, name):
    packed = training.read_packed([files / "packed"])
    words = packing.Words()
    tokenizer = tokenizers.Tokenizer.from_file(str(files / name / "tokenizer.json"))
    types = torch.from_numpy(words.number(["the", "birds", "cats", "bark", "."])).long()[None]
    pieces, kept = packing.split_words(words, tokenizer, name)
    facts = {**pieces, "capitals": np.zeros(len(words.numbers), np.uint8)}
    encoder = training.Encoder(
        packing.read_encoder(files / name, kept), training.Pieces(facts, name, torch.device("cpu"))
    ).eval()
    assert len(packed[name]["words.weight"]) < len(WORDS) + 4
    found = encoder(types)[0]
    encoded = tokenizer.encode([*words.numbers], is_pretokenized=True)
    model = transformers.AutoModel.from_pretrained(files / name).eval()
    wanted = model(input_ids=torch.tensor([encoded.ids])).last_hidden_state[0]
    firsts = [encoded.word_ids.index(word) for word in range(len(words.numbers))]
    torch.testing.assert_close(found, wanted[firsts], atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize(("guide", "name"), [("student", "student"), ("tuned", "student"), ("teacher", "teacher")])
def test_the_pipeline_predicts_what_the_guide_does(training, packing, files, tmp_path, guide, name):
    distill(training, files, tmp_path / "trained")
    config, output = tmp_path / "guide.cfg", tmp_path / "pipeline"
    settings = load_config(ROOT / "configs/parser_guide_trf.cfg")
    del settings["components"]["sequence_tagger"]
    settings["nlp"]["pipeline"], settings["training"]["frozen_components"] = ["parser_guide"], []
    if name == "teacher":
        settings["components"]["parser_guide"]["model"].update(training.TEACHER_WIDTHS)
        settings["components"]["parser_guide"]["model"]["tok2vec"]["capitals"] = True
    settings.to_disk(config)
    run(
        packing.app,
        *("unpack", config, tmp_path / "trained", files / "packed", output, "--guide", guide),
        *("--paths.train", files / "train.spacy", "--paths.dev", files / "train.spacy"),
        *("--paths.transformer", files / name, "--paths.labels", files / "labels.json"),
        *("--components.parser_guide.model.tags", "true", "--training.train_corpus", "corpora.both"),
    )
    packed = training.read_packed([files / "packed"])
    encoder = training.Encoder(packed[name], training.Pieces(packed["words"], name, "cpu"))
    widths = training.TEACHER_WIDTHS if name == "teacher" else {}
    check_predictions(training, packing, files, output, tmp_path / "trained", guide, encoder, widths)


@pytest.mark.parametrize("guide", ["recurrent", "recurrent_tuned"])
def test_the_pipeline_predicts_what_the_recurrent_guide_does(training, packing, files, tmp_path, guide):
    distill(training, files, tmp_path / "trained")
    output = tmp_path / "pipeline"
    arguments = (tmp_path / "trained", files / "packed", output, "--guide", guide, *list_settings(files))
    run(packing.app, "unpack", RECURRENT, *arguments)
    encoder = training.RecurrentEncoder(training.read_packed([files / "packed"])["recurrent"], "cpu")
    check_predictions(training, packing, files, output, tmp_path / "trained", guide, encoder, {})


def test_a_recurrent_guide_that_reads_more_than_words_is_refused(packing, files):
    arguments = ["pack-recurrent", RECURRENT, files / "packed", *list_settings(files)]
    arguments[arguments.index('["LOWER","SHAPE"]')] = '["LOWER","TAG"]'
    result = CliRunner().invoke(packing.app, [str(argument) for argument in arguments])
    assert result.exit_code == 2 and "words alone" in result.output


def check_predictions(training, packing, files, output, trained, guide, encoder, widths):
    nlp = spacy.load(output)
    words = ["the", "dogs", "bark", ".", "Dogs", "sleep"]
    doc = nlp.get_pipe("parser_guide")(Doc(nlp.vocab, words))
    model = training.Guide(encoder, 3, 3, **widths)
    weights = training.read_packed([trained])[guide]
    model.load_state_dict({key: torch.from_numpy(array) for key, array in weights.items()})
    numbers = {word: number for number, word in enumerate(read_words(packing, files))}
    found = model.eval()(torch.tensor([[numbers[word] for word in words]]))
    assert [token.tag_ for token in doc] == [LABELS["tags"][tag] for tag in found.tags[0].argmax(1)]
    np.testing.assert_allclose(read_column(doc, GUIDE_BOUNDARY), found.starts[0].detach().numpy(), atol=0.05)


def read_words(packing, files):
    words = packing.Words()
    packing.read_raw([files / "raw.txt"], True, words)
    packing.read_treebank(files / "train.spacy", LABELS["labels"], LABELS["tags"], words)
    packing.describe_words(words)
    return words.numbers


def test_known_starts_of_sentences_are_packed(packing, files):
    words = packing.Words()
    raw = packing.read_raw([files / "raw.txt", files / "train.spacy"], True, words)
    starts = np.unpackbits(raw["starts"], count=raw["lengths"].sum())
    n_treebank = 3 * sum(map(len, SENTENCES))
    assert starts[:13].tolist() == [1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0]
    assert starts[-n_treebank:].tolist() == 3 * [1, 0, 0, 1, 0, 0, 0, 1, 0, 0]


def test_finished_guides_are_not_trained_again(training, files, tmp_path, monkeypatch):
    distill(training, files, tmp_path / "trained")
    contents = {path.name: path.read_bytes() for path in (tmp_path / "trained").iterdir()}
    monkeypatch.delattr(training, "Stage")
    distill(training, files, tmp_path / "trained")
    assert {path.name: path.read_bytes() for path in (tmp_path / "trained").iterdir()} == contents
    # The teacher is needed only by a student that is not tuned yet.
    for path in (tmp_path / "trained").glob("teacher.*"):
        path.unlink()
    distill(training, files, tmp_path / "trained")


def test_an_interrupted_training_goes_on(training, files, tmp_path, monkeypatch):
    distill(training, files, tmp_path / "whole")
    monkeypatch.setattr(training, "SAVE_EVERY", 0)
    # Interrupt the teacher, then students, which make two steps per batch, and then their tuning, which makes three.
    for allowed in (2, 6, 6, 6, 6):
        calls = iter(range(allowed))
        step = torch.optim.AdamW.step
        monkeypatch.setattr(torch.optim.AdamW, "step", lambda *a, calls=calls, step=step: (next(calls), step(*a)))
        with pytest.raises(StopIteration):
            distill(training, files, tmp_path / "parts", checkpoints=tmp_path / "checkpoints")
        monkeypatch.setattr(torch.optim.AdamW, "step", step)
    distill(training, files, tmp_path / "parts", checkpoints=tmp_path / "checkpoints")
    whole, parts = (training.read_packed([tmp_path / name]) for name in ("whole", "parts"))
    for guide, arrays in whole.items():
        for name, array in arrays.items():
            np.testing.assert_array_equal(parts[guide][name], array)


def test_without_text_only_the_teacher_is_trained(training, files, tmp_path):
    (tmp_path / "packed").mkdir()
    for path in (files / "packed").iterdir():
        if not path.name.startswith(("text", "student", "recurrent")):
            (tmp_path / "packed" / path.name).write_bytes(path.read_bytes())
    distill(training, tmp_path, tmp_path / "trained")
    assert {path.name.partition(".")[0] for path in (tmp_path / "trained").iterdir()} == {"teacher"}


def test_words_without_marks_keep_boundaries_and_heads(training):
    starts = torch.tensor([[1.0, 0.0, 0.75, 0.0]])
    arcs = torch.tensor([[[0.0, 0, 1, 0, 0], [1, 0, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0.25, 0.75, 0]]])
    found, heads, is_known = training.keep_words(starts, arcs, torch.tensor([[0, 1, 3]]))
    # The third word is removed. The last one depends on it mostly, so its head is unknown.
    torch.testing.assert_close(found, torch.tensor([[1.0, 0.0, 0.75]]), atol=1e-5, rtol=0)
    assert heads[0, 0].tolist() == [0, 0, 1, 0]
    assert is_known.tolist() == [[True, True, False]]
