"""Packs data for `distill_on_gpu.py`, and makes a pipeline of what it returns: see docs/transformers.md."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import spacy
import typer
from distill_on_gpu import NO_HEAD, UNKNOWN, pack_arrays, read_packed, write_parts
from safetensors.numpy import load_file
from spacy.cli._util import parse_config_overrides
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training.initialize import init_nlp
from spacy.util import load_config
from thinc.api import Model
from tokenizers import Tokenizer

from spacy_joint.annotation.restored import is_punctuation
from spacy_joint.corpora.examples import make_example
from spacy_joint.corpora.raw_text import is_prose, read_paragraphs
from spacy_joint.files.atomic import atomic_write_directory
from spacy_joint.guiding.parser_guide import read_gold
from spacy_joint.guiding.word_pieces import find_capitals
from spacy_joint.pipes.spelling import Spelling
from spacy_joint.training.distillation import make_doc
from spacy_joint.training.unpunctuated import unpunctuate

# The positions that an encoder needs, and more than the teacher's pieces of a row.
N_POSITIONS = 384
# Longer words, such as addresses, keep their first pieces.
MAX_PIECES = 16
# The weights of a layer: our names, and those of BERT and MPNet.
LAYER = {
    "out": ("attention.output.dense", "attention.attn.o"),
    "norm1": ("attention.output.LayerNorm", "attention.LayerNorm"),
    "up": ("intermediate.dense", "intermediate.dense"),
    "down": ("output.dense", "output.dense"),
    "norm2": ("output.LayerNorm", "output.LayerNorm"),
}
ATTENTION = (
    [f"attention.self.{name}" for name in ("query", "key", "value")],
    [f"attention.attn.{name}" for name in ("q", "k", "v")],
)
KINDS = ("weight", "bias")
# What a recurrent guide may read: words are packed without their contexts.
LEXICAL = {"LOWER", "NORM", "ORTH", "PREFIX", "SHAPE", "SUFFIX"}

Arrays = dict[str, np.ndarray]
app = typer.Typer(add_completion=False, help=__doc__)


class Words:
    """Numbers for words, in the order of their first use."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def number(self, words: Iterable[str]) -> np.ndarray:
        """Number words."""
        return np.array([self.numbers.setdefault(word, len(self.numbers)) for word in words], dtype=np.int32)


def read_treebank(path: Path, labels: list[str], tags: list[str], words: Words) -> Arrays:
    """Read a treebank, each document as written and without punctuation."""
    found: dict[str, list[np.ndarray]] = {}
    for doc in DocBin().from_disk(path).get_docs(spacy.blank("en").vocab):
        for kind, form in enumerate((doc, unpunctuate(doc))):
            if form is None:
                continue
            gold = read_gold(make_example(form), labels, tags)
            heads = np.where(gold.heads < 0, NO_HEAD, gold.heads - np.arange(len(form)))
            arrays = {
                "types": words.number(token.text for token in form),
                "starts_sentence": np.where(np.isnan(gold.starts), UNKNOWN, gold.starts).astype(np.uint8),
                "heads": heads.astype(np.int16),
                "labels": gold.labels.astype(np.int16),
                "tags": gold.tags.astype(np.int16),
                "lengths": np.array([len(form)]),
                "kinds": np.array([kind]),
            }
            for name, array in arrays.items():
                found.setdefault(name, []).append(array)
    return {name: np.concatenate(arrays) for name, arrays in found.items()}


def read_documents(nlp: Language, paths: list[Path], lines: bool) -> Iterator[Doc]:
    """Read documents of which some starts of sentences are known: those of paragraphs, or what `.spacy` files say."""
    for path in paths:
        if path.suffix == ".spacy":
            yield from DocBin().from_disk(path).get_docs(nlp.vocab)
        else:
            for paragraphs in read_paragraphs(path, lines=lines):
                yield make_doc(nlp, [*filter(is_prose, paragraphs)])


def read_raw(paths: list[Path], lines: bool, words: Words) -> Arrays:
    """Read raw text: the numbers of its words, which are known to start sentences, and the lengths of documents."""
    types, starts, lengths = [], [], []
    for doc in read_documents(spacy.load("en_joint_english"), paths, lines):
        tokens = [token for token in doc if not token.is_space]
        types.append(words.number(token.text for token in tokens))
        starts.append(np.array([bool(token.is_sent_start) for token in tokens], dtype=bool))
        lengths.append(len(tokens))
    joined = np.concatenate(types)
    # In two arrays, numbers compress better by a tenth.
    return {
        "low": (joined & 0xFFFF).astype(np.uint16),
        "high": (joined >> 16).astype(np.uint8),
        "starts": np.packbits(np.concatenate(starts)),
        "lengths": np.array([length for length in lengths if length], dtype=np.int32),
    }


def describe_words(words: Words) -> Arrays:
    """Find facts about words: lower-cased ones, marks, and capitals. Adds the former to the words."""
    spelling, written = Spelling(language="en"), list(words.numbers)
    lower = words.number(map(spelling.lower, written))
    added = list(words.numbers)[len(written) :]
    return {
        "lower": np.concatenate([lower, words.number(added)]),
        "text": np.frombuffer("\0".join(words.numbers).encode(), dtype=np.uint8),
        "is_mark": np.array([word.isspace() or is_punctuation(word) for word in words.numbers]),
        "capitals": np.array([*map(find_capitals, words.numbers)], dtype=np.uint8),
    }


def split_words(words: Words, tokenizer: Tokenizer, name: str) -> tuple[Arrays, np.ndarray]:
    """Split words into the pieces of an encoder; returns them, renumbered, and the numbers of those that occur."""
    tokenizer.no_padding()
    tokenizer.no_truncation()
    inputs = [[word] for word in words.numbers]
    encoded = tokenizer.encode_batch(inputs, is_pretokenized=True, add_special_tokens=False)
    pieces = [each.ids[:MAX_PIECES] for each in encoded]
    special = tokenizer.encode("a").ids
    joined = np.array([piece for each in pieces for piece in each] + [special[0], special[-1]], dtype=np.int32)
    kept, joined = np.unique(joined, return_inverse=True)
    found = {
        f"{name}_pieces": joined[:-2].astype(np.uint16),
        f"{name}_n": np.array([*map(len, pieces)], dtype=np.uint8),
        f"{name}_special": joined[-2:],
    }
    return found, kept


def read_encoder(directory: Path, kept: np.ndarray) -> Arrays:
    """Read a BERT or an MPNet, with the given pieces."""
    config = json.loads((directory / "config.json").read_text("utf8"))
    weights = {name: array.astype(np.float32) for name, array in load_file(directory / "model.safetensors").items()}
    is_mpnet = config["model_type"] == "mpnet"
    positions = weights["embeddings.position_embeddings.weight"]
    # The first two of MPNet are unused. BERT adds vectors of types, of which there is one here.
    positions = positions[2:] if is_mpnet else positions + weights["embeddings.token_type_embeddings.weight"][0]
    found = {
        "words.weight": weights["embeddings.word_embeddings.weight"][kept],
        "positions.weight": positions[:N_POSITIONS],
        "n_heads": np.array(config["num_attention_heads"]),
        "epsilon": np.array(config["layer_norm_eps"]),
    }
    if is_mpnet:
        found["relative.weight"] = weights["encoder.relative_attention_bias.weight"]
    for kind in KINDS:
        found[f"norm.{kind}"] = weights[f"embeddings.LayerNorm.{kind}"]
        for number in range(config["num_hidden_layers"]):
            prefix, ours = f"encoder.layer.{number}", f"layers.{number}"
            parts = [weights[f"{prefix}.{name}.{kind}"] for name in ATTENTION[is_mpnet]]
            found[f"{ours}.qkv.{kind}"] = np.concatenate(parts)
            for name, names in LAYER.items():
                found[f"{ours}.{name}.{kind}"] = weights[f"{prefix}.{names[is_mpnet]}.{kind}"]
    return found


@app.command()
def pack(
    train: Annotated[Path, typer.Argument(help="The training treebank, .spacy.")],
    raw: Annotated[list[Path], typer.Argument(help="Raw text, and documents with known starts of sentences, .spacy.")],
    output: Annotated[Path, typer.Option(help="A directory.")],
    teacher: Annotated[Path, typer.Option(help="The large encoder, a BERT or MPNet: its directory.")],
    student: Annotated[Path, typer.Option(help="The small one, a BERT: its directory.")],
    labels: Annotated[Path, typer.Option(help="Labels and tags, by `spacy init labels`.")],
    dev: Annotated[list[Path], typer.Option(help="Treebanks to evaluate on, .spacy.")] = [],  # noqa: B006
    lines: Annotated[bool, typer.Option("--lines", help="Each line is a paragraph.")] = False,
    part: Annotated[int, typer.Option(help="Maximum bytes of a file.")] = 50_000_000,
) -> None:
    """Pack treebanks, raw text and encoders."""
    names, words = json.loads(labels.read_text("utf8")), Words()
    text = read_raw(raw, lines, words)
    files = {"text": text}
    for name, path in {"train": train, **{path.stem: path for path in dev}}.items():
        files[f"gold_{name}"] = read_treebank(path, names["labels"], names["tags"], words)
    files["words"] = describe_words(words)
    for name, directory in (("teacher", teacher), ("student", student)):
        pieces, kept = split_words(words, Tokenizer.from_file(str(directory / "tokenizer.json")), name)
        files["words"] |= pieces
        files[name] = read_encoder(directory, kept)
        files["words"][f"{name}_kept"] = kept
    files["sizes"] = {kind: np.array(len(names[kind])) for kind in ("labels", "tags")}
    output.mkdir(parents=True, exist_ok=True)
    for name, arrays in files.items():
        write_parts(output / name, pack_arrays(arrays), part)
    print(f"{output}: {len(words.numbers):,} words, {len(text['low']):,} tokens of raw text")


def find_recurrent(encoder: Model) -> dict[str, tuple[Model, str]]:
    """Find the layers of a recurrent encoder and the names of their weights, by their names in `distill_on_gpu.py`."""
    kinds = ("hashembed", "maxout", "layernorm", "bilstm")
    tables, [mix], [norm], lstms = ([node for node in encoder.walk() if node.name == kind] for kind in kinds)
    found = {f"tables.{number}.weight": (table, "E") for number, table in enumerate(tables)}
    found |= {"mix.weight": (mix, "W"), "mix.bias": (mix, "b"), "norm.weight": (norm, "G"), "norm.bias": (norm, "b")}
    names = {"weight_ih": "input", "weight_hh": "recurrent", "bias_ih": "bias"}
    for number, lstm in enumerate(lstms):
        for name, ours in names.items():
            for end, direction in (("", "forward"), ("_reverse", "backward")):
                found[f"layers.{number}.{name}_l0{end}"] = (lstm, f"{ours}_{direction}")
    return found


def swap_gates(array: np.ndarray) -> np.ndarray:
    """Swap the last two gates of an LSTM, which are in another order in torch."""
    first, second, third, fourth = np.split(array, 4)
    return np.concatenate([first, second, fourth, third])


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def pack_recurrent(
    ctx: typer.Context,
    config: Annotated[Path, typer.Argument(help="The config of a guide with an LSTM; its settings can be overridden.")],
    packed: Annotated[Path, typer.Argument(help="The directory of packed files, which this adds to.")],
    part: Annotated[int, typer.Option(help="Maximum bytes of a file.")] = 50_000_000,
) -> None:
    """Pack a recurrent guide, untrained."""
    nlp = init_nlp(load_config(config, overrides=parse_config_overrides(ctx.args), interpolate=False))
    encoder = nlp.get_pipe("parser_guide").model.get_ref("tok2vec")
    weights = {}
    for name, (layer, param) in find_recurrent(encoder).items():
        array = layer.get_param(param)
        if name.startswith("layers."):
            array = swap_gates(array.T)
        # The pieces of maxout are a second dimension.
        weights[name] = array.reshape(-1, *array.shape[2:]) if name.startswith("mix.") else array
    [features] = [node for node in encoder.walk() if node.name == "extract_features"]
    has_vectors = any(node.name == "static_vectors" for node in encoder.walk())
    if has_vectors or not LEXICAL.issuperset(features.attrs["columns"]):
        raise typer.BadParameter(f"embeddings must be of words alone: {', '.join(sorted(LEXICAL))}, no static vectors")
    words = read_packed([packed])["words"]["text"].tobytes().decode().split("\0")
    keys = Doc(nlp.vocab, words).to_array(features.attrs["columns"]).astype(np.uint64)
    tables = [node for node in encoder.walk() if node.name == "hashembed"]
    rows = [
        table.ops.hash(np.ascontiguousarray(keys[:, number]), table.attrs["seed"]) % table.get_dim("nV")
        for number, table in enumerate(tables)
    ]
    weights["rows"] = np.stack(rows, axis=1).astype(np.uint16)
    write_parts(packed / "recurrent", pack_arrays(weights), part)


def name_weights(weights: Arrays, is_mpnet: bool) -> Iterator[tuple[str, np.ndarray]]:
    """Name the weights of an encoder as a BERT or an MPNet does, except those of pieces and positions."""
    for name, array in weights.items():
        part, _, rest = name.partition(".")
        if part == "norm":
            yield f"embeddings.LayerNorm.{rest}", array
        elif part == "capitals":
            yield f"capitals.{rest}", array
        elif part == "layers":
            number, ours, kind = rest.split(".")
            if ours == "qkv":
                for called, third in zip(ATTENTION[is_mpnet], np.split(array, 3), strict=True):
                    yield f"encoder.layer.{number}.{called}.{kind}", third
            else:
                yield f"encoder.layer.{number}.{LAYER[ours][is_mpnet]}.{kind}", array


def set_transformer(transformer: Any, weights: Arrays, kept: np.ndarray) -> None:
    """Set the weights of a BERT or an MPNet, of the kept pieces only."""
    import torch

    state = {name: tensor.numpy().copy() for name, tensor in transformer.state_dict().items()}
    is_mpnet = "relative.weight" in weights
    state |= dict(name_weights(weights, is_mpnet))
    state["embeddings.word_embeddings.weight"][kept] = weights["words.weight"]
    positions = weights["positions.weight"]
    if is_mpnet:
        state["embeddings.position_embeddings.weight"][2:][: len(positions)] = positions
    else:
        positions = positions - state["embeddings.token_type_embeddings.weight"][0]
        state["embeddings.position_embeddings.weight"][: len(positions)] = positions
    transformer.load_state_dict({name: torch.from_numpy(np.ascontiguousarray(array)) for name, array in state.items()})


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def unpack(
    ctx: typer.Context,
    config: Annotated[Path, typer.Argument(help="The config of the guide; its settings can be overridden.")],
    trained: Annotated[Path, typer.Argument(help="The directory that `distill_on_gpu.py` has written.")],
    packed: Annotated[Path, typer.Argument(help="The directory of packed files.")],
    output: Annotated[Path, typer.Argument(help="The directory of the pipeline.")],
    guide: Annotated[str, typer.Option(help="Its name in `distill_on_gpu.py`, such as teacher.")] = "tuned",
) -> None:
    """Make a pipeline of a trained guide."""
    settings = load_config(config, overrides=parse_config_overrides(ctx.args), interpolate=False)
    nlp = init_nlp(settings)
    model = nlp.get_pipe("parser_guide").model
    weights = read_packed([trained])[guide]
    encoder = {name.removeprefix("encoder."): array for name, array in weights.items() if name.startswith("encoder.")}
    if guide.startswith("recurrent"):
        for name, (layer, param) in find_recurrent(model.get_ref("tok2vec")).items():
            array = swap_gates(encoder[name]).T if name.startswith("layers.") else encoder[name]
            layer.set_param(param, np.ascontiguousarray(array.reshape(layer.get_param(param).shape)))
    else:
        kept = read_packed([packed])["words"]["teacher_kept" if guide == "teacher" else "student_kept"]
        set_transformer(model.get_ref("tok2vec").get_ref("encoder").shims[0]._model, encoder, kept)
    for name, array in weights.items():
        if not name.startswith("encoder."):
            # Such as arcs.heads.weight, boundary.bias, or labels.root.
            *parts, kind = name.split(".")
            layer = model.get_ref("heads")
            for part in parts:
                layer = layer.get_ref(part)
            layer.set_param({"weight": "W", "bias": "b"}.get(kind, kind), array)
    with atomic_write_directory(output) as path:
        nlp.to_disk(path)


if __name__ == "__main__":
    app()
