"""Packs data for `distill_on_gpu.py`, and makes a pipeline of what it returns: see docs/transformers.md."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

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
from tokenizers import Tokenizer

from spacy_joint.annotation.restored import is_punctuation
from spacy_joint.corpora.examples import make_example
from spacy_joint.corpora.raw_text import is_prose, read_paragraphs
from spacy_joint.guiding.parser_guide import read_gold
from spacy_joint.guiding.word_pieces import find_capitals
from spacy_joint.pipes.spelling import Spelling
from spacy_joint.training.distillation import make_doc
from spacy_joint.training.unpunctuated import unpunctuate

# The positions that an encoder needs, and more than the teacher's pieces of a row.
N_POSITIONS = 384
# Longer words, such as addresses, keep their first pieces.
MOST_PIECES = 16
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
        "is_mark": np.array([word.isspace() or is_punctuation(word) for word in words.numbers]),
        "capitals": np.array([*map(find_capitals, words.numbers)], dtype=np.uint8),
    }


def split_words(words: Words, tokenizer: Tokenizer, name: str) -> tuple[Arrays, np.ndarray]:
    """Split words into the pieces of an encoder; returns them, renumbered, and the numbers of those that occur."""
    tokenizer.no_padding()
    tokenizer.no_truncation()
    inputs = [[word] for word in words.numbers]
    encoded = tokenizer.encode_batch(inputs, is_pretokenized=True, add_special_tokens=False)
    pieces = [each.ids[:MOST_PIECES] for each in encoded]
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


def name_weights(weights: Arrays, is_mpnet: bool) -> Iterator[tuple[str, np.ndarray]]:
    """Name the weights of an encoder as a BERT or an MPNet does, except those of pieces and positions."""
    for name, array in weights.items():
        part, _, rest = name.removeprefix("encoder.").partition(".")
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


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def unpack(
    ctx: typer.Context,
    config: Annotated[Path, typer.Argument(help="The config of the guide; its settings can be overridden.")],
    trained: Annotated[Path, typer.Argument(help="The directory that `distill_on_gpu.py` has written.")],
    packed: Annotated[Path, typer.Argument(help="The directory of packed files.")],
    output: Annotated[Path, typer.Argument(help="The directory of the pipeline.")],
    guide: Annotated[str, typer.Option(help="The student, as distilled or tuned, or the teacher.")] = "tuned",
) -> None:
    """Make a pipeline with the trained student, or teacher, as its parser guide."""
    import torch

    settings = load_config(config, overrides=parse_config_overrides(ctx.args), interpolate=False)
    nlp = init_nlp(settings)
    model = nlp.get_pipe("parser_guide").model
    weights = read_packed([trained])[guide]
    kept = read_packed([packed])["words"]["teacher_kept" if guide == "teacher" else "student_kept"]
    transformer = model.get_ref("tok2vec").get_ref("encoder").shims[0]._model
    state = {name: tensor.numpy().copy() for name, tensor in transformer.state_dict().items()}
    is_mpnet = "encoder.relative.weight" in weights
    encoder = {name: array for name, array in weights.items() if name.startswith("encoder.")}
    state |= dict(name_weights(encoder, is_mpnet))
    state["embeddings.word_embeddings.weight"][kept] = weights["encoder.words.weight"]
    positions = weights["encoder.positions.weight"]
    if is_mpnet:
        state["embeddings.position_embeddings.weight"][2:][: len(positions)] = positions
    else:
        positions = positions - state["embeddings.token_type_embeddings.weight"][0]
        state["embeddings.position_embeddings.weight"][: len(positions)] = positions
    transformer.load_state_dict({name: torch.from_numpy(np.ascontiguousarray(array)) for name, array in state.items()})
    for name, array in weights.items():
        if not name.startswith("encoder."):
            # Such as arcs.heads.weight, boundary.bias, or labels.root.
            *path, kind = name.split(".")
            layer = model.get_ref("heads")
            for part in path:
                layer = layer.get_ref(part)
            layer.set_param({"weight": "W", "bias": "b"}.get(kind, kind), array)
    nlp.to_disk(output)


if __name__ == "__main__":
    app()
