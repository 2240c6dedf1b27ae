"""Trains small guides from a large one, on a GPU in minutes, or on a CPU in days.

    python distill_on_gpu.py packed --output trained --minutes 3 6 1 6 1

It reads what `pack_for_gpu.py` has packed, so that it needs only torch, numpy and typer. The teacher learns from
treebanks. The student then learns the probabilities that the teacher gives on raw text (Hinton et al. 2015), as written
and lower-cased without punctuation. For the latter, half of the weight is on the boundaries and heads that the teacher
finds with punctuation. Then the student is tuned on treebanks, too. From the tuned student, a recurrent guide learns in
the same two steps. Guides that the output has are not trained again. `pack_for_gpu.py unpack` makes a pipeline of one.
"""

import io
import lzma
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeVar

import numpy as np
import torch
import torch.nn.functional as F
import typer
from torch import nn

# As in spacy_joint/guiding/heads.py, parser_guide.py and word_pieces.py: distances, the weight of boundaries, and the
# pieces of a window without special ones.
AFTER = (*range(1, 12), 13, 16, 21, 31, 51, 101)
DISTANCES = (*(1 - distance for distance in reversed(AFTER)), *AFTER)
BOUNDARY_WEIGHT = 2.0
WINDOW = 254
# Of the teacher's layers over vectors; the student has the default ones.
TEACHER_WIDTHS = {"arc_width": 384, "label_width": 192}
# Rates of learning: of encoders and of new layers.
RATES = {
    "teacher": (6e-5, 8e-4),
    "student": (4e-4, 1e-3),
    "tuned": (1e-4, 2e-4),
    "recurrent": (3e-3, 3e-3),
    "recurrent_tuned": (2e-3, 2e-3),
}
WARMUP = 0.06
# Batches between lines of the log, and seconds between checkpoints.
LOG_EVERY, SAVE_EVERY = 50, 240
# A file of the output is at most this large.
PART = 16_000_000
# Bytes per chunk; chunks are compressed in parallel.
CHUNK = 4_000_000
# Small enough for a logit in 16 bits.
IMPOSSIBLE = -1e4
# In packed treebanks: an unknown start, and an unknown head.
UNKNOWN, NO_HEAD = 255, np.iinfo(np.int16).min

Arrays = dict[str, np.ndarray]
Tensor = torch.Tensor
# The rows of a batch, of one text or of two.
Rows = TypeVar("Rows")


def read_packed(directories: list[Path]) -> dict[str, Arrays]:
    """Read packed arrays by file; files `NAME.000`, `NAME.001` are parts of one."""
    parts: dict[str, list[Path]] = {}
    for path in sorted((path for each in directories for path in each.iterdir()), key=lambda path: path.name):
        parts.setdefault(path.name.partition(".")[0], []).append(path)
    return {name: unpack_arrays(b"".join(map(Path.read_bytes, paths))) for name, paths in parts.items()}


def pack_arrays(arrays: Arrays) -> bytes:
    """Pack arrays; matrices of weights in 8 bits, with a scale per row."""
    packed = {}
    for name, array in arrays.items():
        if array.ndim == 2 and array.dtype == np.float32:
            scale = np.maximum(np.abs(array).max(axis=1, keepdims=True), 1e-8) / 127
            packed[f"{name}:scale"], packed[name] = scale, np.rint(array / scale).astype(np.int8)
        else:
            packed[name] = array
    buffer = io.BytesIO()
    np.savez(buffer, **packed)
    content = buffer.getvalue()
    chunks = (content[start : start + CHUNK] for start in range(0, len(content), CHUNK))
    with ThreadPoolExecutor() as pool:
        return b"".join(pool.map(partial(lzma.compress, preset=1), chunks))


def unpack_arrays(content: bytes) -> Arrays:
    """Unpack what `pack_arrays` has packed."""
    arrays = dict(np.load(io.BytesIO(lzma.decompress(content))))
    scales = {name: arrays.pop(f"{name}:scale") for name in list(arrays) if f"{name}:scale" in arrays}
    return {name: array * scales[name] if name in scales else array for name, array in arrays.items()}


def write_parts(path: Path, content: bytes, size: int = PART) -> None:
    """Write content as `path.000`, `path.001` and so on."""
    for number, start in enumerate(range(0, len(content), size)):
        path.with_name(f"{path.name}.{number:03}").write_bytes(content[start : start + size])


class Pieces:
    """The word pieces of word types, for one encoder."""

    def __init__(self, arrays: Arrays, name: str, device: torch.device) -> None:
        self.n = torch.from_numpy(arrays[f"{name}_n"].astype(np.int64)).to(device)
        self.first = self.n.cumsum(0) - self.n
        self.pieces = torch.from_numpy(arrays[f"{name}_pieces"].astype(np.int64)).to(device)
        self.begin, self.end = map(int, arrays[f"{name}_special"])
        self.capitals = torch.from_numpy(arrays["capitals"].astype(np.int64)).to(device)

    def split(self, types: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Split rows of types (-1: padding); returns pieces, the place of the first one of each word (-1: none), which
        pieces are real, and capitals."""
        n_rows, n_words = types.shape
        n = self.n[types.clamp(min=0)] * (types >= 0)
        ends = n.cumsum(1)
        totals = ends[:, -1]
        # Attention is faster on multiples of eight.
        width = -(-(int(totals.max()) + 2) // 8) * 8
        word = torch.repeat_interleave(torch.arange(n_rows * n_words, device=types.device), n.flatten())
        inside = torch.arange(len(word), device=types.device) - (n.flatten().cumsum(0) - n.flatten())[word]
        type_of = types.flatten()[word]
        row, column = word // n_words, (ends - n).flatten()[word] + inside + 1
        pieces = types.new_zeros((n_rows, width))
        capitals = torch.zeros_like(pieces)
        pieces[row, column] = self.pieces[self.first[type_of] + inside]
        capitals[row, column] = self.capitals[type_of] * (inside == 0)
        pieces[:, 0] = self.begin
        pieces[torch.arange(n_rows, device=types.device), totals + 1] = self.end
        is_real = torch.arange(width, device=types.device) < (totals + 2)[:, None]
        return pieces, torch.where(n > 0, ends - n + 1, -1), is_real, capitals


class Layer(nn.Module):
    """A layer of a transformer."""

    def __init__(self, width: int, n_heads: int, inner: int, epsilon: float) -> None:
        super().__init__()
        self.n_heads = n_heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, inner), nn.Linear(inner, width)
        self.norm1, self.norm2 = nn.LayerNorm(width, epsilon), nn.LayerNorm(width, epsilon)

    def forward(self, x: Tensor, mask: Tensor, dropout: float) -> Tensor:
        """Compute the vectors of the next layer (rows x pieces x width)."""
        q, k, v = self.qkv(x).unflatten(2, (3, self.n_heads, -1)).permute(2, 0, 3, 1, 4)
        attended = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        x = self.norm1(x + F.dropout(self.out(attended.transpose(1, 2).flatten(2)), dropout, self.training))
        return self.norm2(x + F.dropout(self.down(F.gelu(self.up(x))), dropout, self.training))


class Encoder(nn.Module):
    """A BERT, or an MPNet, whose attention also depends on distances (Song et al. 2020). If the latter does not know
    capitals, it learns vectors for them."""

    def __init__(self, weights: Arrays, pieces: Pieces) -> None:
        super().__init__()
        self.pieces, self.dropout = pieces, 0.0
        n_pieces, self.width = weights["words.weight"].shape
        n_layers = sum(name.endswith("up.bias") for name in weights)
        n_heads, epsilon = int(weights["n_heads"]), float(weights["epsilon"])
        inner = len(weights["layers.0.up.bias"])
        self.words = nn.Embedding(n_pieces, self.width)
        self.positions = nn.Embedding(*weights["positions.weight"].shape)
        self.norm = nn.LayerNorm(self.width, epsilon)
        self.layers = nn.ModuleList(Layer(self.width, n_heads, inner, epsilon) for _ in range(n_layers))
        self.relative = self.capitals = None
        if "relative.weight" in weights:
            self.relative = nn.Embedding(*weights["relative.weight"].shape).requires_grad_(False)
            self.capitals = nn.Embedding(4, self.width)
            weights = {**weights, "capitals.weight": np.zeros((4, self.width), np.float32)}
        self.load_state_dict({name: torch.from_numpy(weights[name]) for name in self.state_dict()})

    def forward(self, types: Tensor) -> Tensor:
        """Encode rows of types (rows x words x width)."""
        pieces, firsts, is_real, capitals = self.pieces.split(types)
        x = self.words(pieces) + self.positions.weight[: pieces.shape[1]]
        if self.capitals is not None:
            x = x + self.capitals(capitals)
        x = F.dropout(self.norm(x), self.dropout, self.training)
        mask = is_real[:, None, None, :]
        if self.relative is not None:
            bias = self.relative(_find_buckets(pieces.shape[1], types.device)).permute(2, 0, 1)
            # Attention wants the type of its queries.
            mask = bias.to(self.layers[0].qkv(x[:, :0]).dtype).masked_fill(~mask, IMPOSSIBLE).contiguous()
        for layer in self.layers:
            x = layer(x, mask, self.dropout)
        vectors = x.gather(1, firsts.clamp(min=0)[:, :, None].expand(-1, -1, self.width))
        return vectors * (firsts >= 0)[:, :, None]


def _find_buckets(n: int, device: torch.device) -> Tensor:
    """Find the classes of distances of MPNet, which are those of T5: sixteen per direction, from 8 on logarithmic."""
    at = torch.arange(n, device=device)
    distance = at[:, None] - at
    size = distance.abs()
    far = 8 + (torch.log(size.clamp(min=1) / 8) / np.log(128 / 8) * 8).long()
    return (distance < 0) * 16 + torch.where(size < 8, size, far.clamp(max=15))


class RecurrentEncoder(nn.Module):
    """A bidirectional LSTM over sums of hashed vectors, as `spacy_joint.BiLSTMEncoder.v1` after
    `spacy.MultiHashEmbed.v2`."""

    def __init__(self, weights: Arrays, device: torch.device) -> None:
        super().__init__()
        self.dropout = 0.0
        # For each word and table, the rows whose sum is its vector.
        self.rows = torch.from_numpy(weights["rows"].astype(np.int64)).to(device)
        n_tables, n_layers = self.rows.shape[1], sum(name.endswith("weight_ih_l0") for name in weights)
        self.tables = nn.ModuleList(nn.Embedding(*weights[f"tables.{n}.weight"].shape) for n in range(n_tables))
        n_mixed, n_in = weights["mix.weight"].shape
        n_out = len(weights["norm.bias"])
        self.mix, self.norm, self.n_pieces = nn.Linear(n_in, n_mixed), nn.LayerNorm(n_out, 1e-8), n_mixed // n_out
        half = weights["layers.0.weight_hh_l0"].shape[1]
        self.width = 2 * half
        sizes = [n_out, *[self.width] * (n_layers - 1)]
        self.layers = nn.ModuleList(nn.LSTM(size, half, batch_first=True, bidirectional=True) for size in sizes)
        # Each LSTM has two biases, whose sum matters: the second one stays 0.
        second = {name: each for name, each in self.named_parameters() if "bias_hh" in name}
        for bias in second.values():
            bias.requires_grad_(False)
        zeros = {name: np.zeros(bias.shape, np.float32) for name, bias in second.items()}
        self.load_state_dict({name: torch.from_numpy({**zeros, **weights}[name]) for name in self.state_dict()})

    def forward(self, types: Tensor) -> Tensor:
        """Encode rows of types (rows x words x width)."""
        lengths, rows = (types >= 0).sum(1).cpu(), self.rows[types.clamp(min=0)]
        with torch.autocast(types.device.type, enabled=False):
            x = torch.cat([table(rows[:, :, number]).sum(2) for number, table in enumerate(self.tables)], 2)
            x = self.norm(self.mix(x).unflatten(2, (-1, self.n_pieces)).amax(3))
            for lstm in self.layers:
                x = F.dropout(x, self.dropout, self.training)
                packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
                x, _ = nn.utils.rnn.pad_packed_sequence(lstm(packed)[0], batch_first=True)
        return x


AnyEncoder = Encoder | RecurrentEncoder


class Found(NamedTuple):
    """What a guide finds: log-odds of starts, and log-probabilities of heads (0 is the root), of labels, given `heads`,
    and of tags. As targets: probabilities instead."""

    starts: Tensor
    arcs: Tensor
    labels: Tensor
    tags: Tensor
    heads: Tensor


class Guide(nn.Module):
    """A parser guide, as `spacy_joint.ParserGuide.v1` with tags."""

    def __init__(
        self, encoder: AnyEncoder, n_labels: int, n_tags: int, *, arc_width: int = 192, label_width: int = 96
    ) -> None:
        super().__init__()
        self.encoder, width = encoder, encoder.width
        self.boundary, self.tags = nn.Linear(width, 1), nn.Linear(width, n_tags)
        self.arcs, self.labels = nn.Module(), nn.Module()
        for part, size in ((self.arcs, arc_width), (self.labels, label_width)):
            part.dependents, part.heads = nn.Linear(width, size), nn.Linear(width, size)
            part.root = nn.Parameter(torch.randn(size) / size**0.5)
        self.arcs.bilinear = nn.Linear(arc_width, arc_width)
        self.arcs.distances = nn.Linear(arc_width, len(DISTANCES) + 1)
        self.labels.output = nn.Linear(3 * label_width, n_labels)
        self.dropout = 0.0

    def set_dropout(self, encoder: float, vectors: float) -> None:
        """Set the rates for training."""
        self.encoder.dropout, self.dropout = encoder, vectors
        self.train()

    def encode(self, types: Tensor) -> Tensor:
        """Compute the vectors of words, mostly in 16 bits."""
        with torch.autocast(types.device.type, torch.bfloat16):
            vectors = self.encoder(types)
        return F.dropout(vectors.float(), self.dropout, self.training)

    def forward(self, types: Tensor, heads: Tensor | None = None) -> Found:
        """Score rows of types, and labels for `heads` (None: for the best ones)."""
        return self.score(self.encode(types), types >= 0, heads)

    def score(self, vectors: Tensor, is_real: Tensor, heads: Tensor | None = None) -> Found:
        """Score vectors."""
        n_rows, n, _ = vectors.shape
        dependents, candidates = _project(self.arcs, vectors)
        arcs = self.arcs.bilinear(dependents) @ candidates.transpose(1, 2)
        at = torch.arange(n, device=vectors.device)
        bounds = torch.tensor(DISTANCES, device=vectors.device)
        classes = torch.bucketize(at - at[:, None], bounds, right=True).expand(n_rows, n, n)
        arcs = arcs + F.pad(self.arcs.distances(dependents).gather(2, classes), (1, 0))
        arcs = arcs.masked_fill(~F.pad(is_real, (1, 0), value=True)[:, None], IMPOSSIBLE).log_softmax(2)
        if heads is None:
            heads = arcs.argmax(2)
        dependents, candidates = _project(self.labels, vectors)
        seen = candidates.gather(1, heads[:, :, None].expand(-1, -1, candidates.shape[2]))
        labels = self.labels.output(torch.cat([dependents, seen, dependents * seen], 2)).log_softmax(2)
        return Found(self.boundary(vectors)[:, :, 0], arcs, labels, self.tags(vectors).log_softmax(2), heads)


def _project(part: Any, vectors: Tensor) -> tuple[Tensor, Tensor]:
    heads = part.heads(vectors).relu()
    root = part.root.expand(len(vectors), 1, -1)
    return part.dependents(vectors).relu(), torch.cat([root, heads], 1)


def spread(rows: np.ndarray, device: torch.device) -> tuple[Tensor, Tensor]:
    """Number the words of rows, given their starts and ends; returns the numbers, and which are real."""
    starts, ends = torch.from_numpy(rows).to(device).unbind(1)
    numbers = starts[:, None] + torch.arange(int((ends - starts).max()), device=device)
    is_real = numbers < ends[:, None]
    return torch.where(is_real, numbers, 0), is_real


class Text:
    """Documents of word types, which are cut into rows of at most WINDOW pieces."""

    def __init__(self, types: np.ndarray, lengths: np.ndarray, n_pieces: np.ndarray, device: torch.device) -> None:
        self.types = torch.from_numpy(types.astype(np.int64)).to(device)
        self.ends = np.cumsum(lengths.astype(np.int64))
        self.starts = self.ends - lengths
        # The number of pieces before each word.
        self.before = np.concatenate([[0], np.cumsum(n_pieces[types].astype(np.int64))])

    def cut(self, documents: np.ndarray, rng: np.random.Generator | None = None) -> np.ndarray:
        """Cut documents into rows; with `rng`, those of long documents start elsewhere each time, and some are shorter.
        Returns starts and ends."""
        rows = []
        for start, end in zip(self.starts[documents].tolist(), self.ends[documents].tolist(), strict=True):
            while start < end:
                limit = WINDOW
                is_long = self.before[end] - self.before[start] > WINDOW
                if rng is not None and rng.random() < (0.3 if is_long else 0.1):
                    limit = int(rng.integers(16, WINDOW))
                stop = int(np.searchsorted(self.before, self.before[start] + limit, side="right")) - 1
                stop = min(end, max(start + 1, stop))
                rows.append((start, stop))
                start = stop
        return np.array(rows, dtype=np.int64).reshape(-1, 2)

    def batch(self, documents: np.ndarray, size: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
        """Yield rows of similar lengths without end, about `size` pieces with padding, from pass after pass."""
        while True:
            rows = rng.permutation(self.cut(documents, rng))
            batches = []
            for first in range(0, len(rows), 8192):
                n = self.before[rows[first : first + 8192, 1]] - self.before[rows[first : first + 8192, 0]]
                pool = rows[first : first + 8192][np.argsort(n, kind="stable")]
                at = 0
                while at < len(pool):
                    # The last row is the longest one.
                    n_rows = 1
                    while at + n_rows < len(pool) and (n_rows + 1) * self._count(pool[at + n_rows]) <= size:
                        n_rows += 1
                    batches.append(pool[at : at + n_rows])
                    at += n_rows
            yield from (batches[number] for number in rng.permutation(len(batches)))

    def _count(self, row: np.ndarray) -> int:
        return int(self.before[row[1]] - self.before[row[0]]) + 2

    def read(self, rows: np.ndarray) -> tuple[Tensor, Tensor, Tensor]:
        """Read rows: types (-1: padding), their numbers, and which are real."""
        numbers, is_real = spread(rows, self.types.device)
        return torch.where(is_real, self.types[numbers], -1), numbers, is_real


class Gold(NamedTuple):
    """The gold annotation of rows. Heads are numbered as in `Found`. Unknown heads, labels and tags are -1, unknown
    starts UNKNOWN."""

    types: Tensor
    starts: Tensor
    heads: Tensor
    labels: Tensor
    tags: Tensor


class Treebank(Text):
    """Documents with gold annotation, as written (kind 0) and without punctuation (kind 1)."""

    def __init__(self, arrays: Arrays, n_pieces: np.ndarray, device: torch.device) -> None:
        super().__init__(arrays["types"], arrays["lengths"], n_pieces, device)
        self.kinds = arrays["kinds"]
        names = ("starts_sentence", "heads", "labels", "tags")
        self.facts = [torch.from_numpy(arrays[name].astype(np.int64)).to(device) for name in names]

    def read_gold(self, rows: np.ndarray) -> Gold:
        """Read rows; heads outside them are unknown."""
        types, numbers, is_real = self.read(rows)
        starts, heads, labels, tags = (fact[numbers] for fact in self.facts)
        # Packed heads are relative to their dependents, 0 for the root, or NO_HEAD.
        places = torch.arange(types.shape[1], device=types.device) + heads
        inside = (places >= 0) & (places < is_real.sum(1, keepdim=True)) & is_real
        heads = torch.where(inside, torch.where(heads == 0, 0, places + 1), -1)
        return Gold(
            types,
            torch.where(is_real, starts, UNKNOWN),
            heads,
            torch.where(heads >= 0, labels, -1),
            torch.where(is_real, tags, -1),
        )


class RawText(Text):
    """Raw text, in which some words are known to start sentences."""

    def __init__(self, arrays: Arrays, words: Arrays, n_pieces: np.ndarray, device: torch.device) -> None:
        types = arrays["low"].astype(np.int64) + (arrays["high"].astype(np.int64) << 16)
        super().__init__(types, arrays["lengths"], n_pieces, device)
        starts = np.unpackbits(arrays["starts"], count=len(types)).astype(bool)
        self.starts_sentence = torch.from_numpy(starts).to(device)
        self.is_mark = torch.from_numpy(words["is_mark"]).to(device)
        self.lower = torch.from_numpy(words["lower"].astype(np.int64)).to(device)

    def read_both(self, rows: np.ndarray) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Read rows: types, those without punctuation, the places of the latter (-1: padding), and which words are
        known to start sentences."""
        types, numbers, is_real = self.read(rows)
        kept = is_real & ~self.is_mark[types.clamp(min=0)]
        # Rows of punctuation keep their first mark.
        kept[:, 0] |= ~kept.any(1)
        n = kept.sum(1)
        places = torch.argsort((~kept).long(), dim=1, stable=True)[:, : int(n.max())]
        places = torch.where(torch.arange(places.shape[1], device=n.device) < n[:, None], places, -1)
        stripped = torch.where(places >= 0, self.lower[types.gather(1, places.clamp(min=0)).clamp(min=0)], -1)
        return types, stripped, places, self.starts_sentence[numbers] & is_real


def keep_words(starts: Tensor, arcs: Tensor, places: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Keep the probabilities of the words at places; returns those of starts and heads, and which words have known
    heads. A sentence that starts at a removed mark starts at the next word. Heads are renormalised."""
    at = places.clamp(min=0)
    # The logarithm of the probability that no sentence starts up to each word.
    no_start = torch.log1p(-starts.clamp(max=1 - 1e-6)).cumsum(1)
    before = F.pad(no_start.gather(1, at), (1, 0))[:, :-1]
    kept_starts = torch.where(places >= 0, (1 - (no_start.gather(1, at) - before).exp()).clamp(0, 1), 0)
    rows = arcs.gather(1, at[:, :, None].expand(-1, -1, arcs.shape[2]))
    kept = rows.gather(2, F.pad(at + 1, (1, 0))[:, None].expand(-1, at.shape[1], -1))
    kept = kept * F.pad(places >= 0, (1, 0), value=True)[:, None]
    total = kept.sum(2, keepdim=True)
    return kept_starts, kept / total.clamp(min=1e-6), (total[:, :, 0] > 0.5) & (places >= 0)


@torch.no_grad()
def teach(teacher: Guide, text: RawText, rows: np.ndarray) -> list[tuple[Tensor, Found]]:
    """Find the probabilities for rows as written, and without punctuation; returns types and targets."""
    types, stripped, places, known = text.read_both(rows)
    written, own = (
        Found(found.starts.sigmoid(), found.arcs.exp(), found.labels.exp(), found.tags.exp(), found.heads)
        for found in map(teacher, (types, stripped))
    )
    written = written._replace(starts=torch.maximum(written.starts, known.float()))
    starts, arcs, is_known = keep_words(written.starts, written.arcs, places)
    mixed = torch.where(is_known[:, :, None], (arcs + own.arcs) / 2, own.arcs)
    return [(types, written), (stripped, own._replace(starts=(starts + own.starts) / 2, arcs=mixed))]


def find_gold_loss(found: Found, gold: Gold) -> Tensor:
    """Find the cross-entropy per word, as `ParserGuide.learn` does."""
    known, right = gold.starts != UNKNOWN, (gold.starts == 1).float()
    losses = F.binary_cross_entropy_with_logits(found.starts, right, reduction="none") * known
    loss = BOUNDARY_WEIGHT * losses.sum()
    for scores, answers in ((found.arcs, gold.heads), (found.labels, gold.labels), (found.tags, gold.tags)):
        loss = loss + F.nll_loss(scores.flatten(0, 1), answers.flatten(), ignore_index=-1, reduction="sum")
    return loss / (gold.types >= 0).sum()


def find_soft_loss(found: Found, target: Found, is_real: Tensor) -> Tensor:
    """Find the cross-entropy per word against probabilities."""
    losses = BOUNDARY_WEIGHT * F.binary_cross_entropy_with_logits(found.starts, target.starts, reduction="none")
    for scores, wanted in zip(found[1:4], target[1:4], strict=True):
        losses = losses - (wanted * scores).sum(2)
    return (losses * is_real).sum() / is_real.sum()


@torch.no_grad()
def evaluate(name: str, guide: Guide, treebanks: dict[str, Treebank]) -> None:
    """Print boundary F1, LAS and accuracy of tags on treebanks; `*`: without punctuation."""
    guide.eval()
    for corpus, treebank in treebanks.items():
        for kind in (0, 1):
            counts = np.zeros(7, dtype=np.int64)
            rows = treebank.cut(np.flatnonzero(treebank.kinds == kind))
            for first in range(0, len(rows), 64):
                gold = treebank.read_gold(rows[first : first + 64])
                found = guide(gold.types)
                starts, known = (found.starts > 0) & (gold.starts != UNKNOWN), gold.heads >= 0
                right = (found.heads == gold.heads) & (found.labels.argmax(2) == gold.labels) & known
                tags = (found.tags.argmax(2) == gold.tags) & (gold.tags >= 0)
                facts = (starts & (gold.starts == 1), starts, gold.starts == 1, right, known, tags, gold.tags >= 0)
                counts += [int(fact.sum()) for fact in facts]
            both, n_found, n_gold, right, n, tags, n_tags = counts.tolist()
            scores = (200 * both / max(n_found + n_gold, 1), 100 * right / max(n, 1), 100 * tags / max(n_tags, 1))
            print(f"{name} {corpus}{'*' * kind}:", " / ".join(f"{score:.1f}" for score in scores), flush=True)


class Stage:
    """The training of a guide. It ends after `steps` batches, or earlier after `minutes` unless they are 0; by then the
    learning rate has fallen to 0. With a checkpoint's path, a later run goes on, on a CPU with the same result."""

    def __init__(self, guide: Guide, rates: tuple[float, float], steps: int, minutes: float, path: Path | None) -> None:
        self.guide, self.rates, self.path = guide, rates, path
        self.steps, self.seconds = steps, 60 * minutes
        # Layers that no pretrained model has.
        new = [name for name, _ in guide.named_parameters() if not name.startswith("encoder.") or "capitals" in name]
        parts: tuple[list[Tensor], list[Tensor]] = ([], [])
        for name, weights in guide.named_parameters():
            if weights.requires_grad:
                parts[name in new].append(weights)
        groups = [{"params": part, "lr": rate} for part, rate in zip(parts, rates, strict=True)]
        self.optimizer = torch.optim.AdamW(groups, weight_decay=0.01, betas=(0.9, 0.98), fused=True)
        self.n_done = 0
        if path is not None and path.is_file():
            state = torch.load(path, weights_only=True)
            guide.load_state_dict(state["weights"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.n_done = state["n_done"]
            torch.set_rng_state(state["random"])

    def run(self, batches: Iterator[Rows], find_losses: Callable[[Rows], Iterator[Tensor]]) -> None:
        """Train on batches; each loss that is yielded makes a step."""
        begin = saved = time.perf_counter()
        for _ in range(self.n_done):
            next(batches)
        while True:
            share = max(self.n_done / self.steps, (time.perf_counter() - begin) / self.seconds if self.seconds else 0.0)
            if share >= 1:
                break
            for group, rate in zip(self.optimizer.param_groups, self.rates, strict=True):
                group["lr"] = rate * min(1.0, (share + 1 / self.steps) / WARMUP) * (1 - share)
            for loss in find_losses(next(batches)):
                self.optimizer.zero_grad(set_to_none=True)
                loss.backward()
                nn.utils.clip_grad_norm_(self.guide.parameters(), 1.0)
                self.optimizer.step()
            self.n_done += 1
            now = time.perf_counter()
            if self.n_done % LOG_EVERY == 0:
                print(f"{self.n_done:6} batches, loss {loss.item():.3f}, {now - begin:.0f} s", flush=True)
            if self.path is not None and now - saved >= SAVE_EVERY:
                self.save()
                saved = now

    def save(self) -> None:
        """Write the checkpoint."""
        assert self.path is not None
        state = {"weights": self.guide.state_dict(), "optimizer": self.optimizer.state_dict()}
        state |= {"n_done": self.n_done, "random": torch.get_rng_state()}
        temporary = self.path.with_suffix(".new")
        torch.save(state, temporary)
        temporary.replace(self.path)


def main(
    packed: Annotated[
        list[Path], typer.Argument(help="Directories of packed files. Without text, trains only the teacher.")
    ],
    output: Annotated[Path, typer.Option(help="Directory for the weights of all guides. Those in it are kept.")],
    steps: Annotated[
        tuple[int, int, int, int, int],
        typer.Option(help="Maximum batches: of the teacher, a student, its tuning, a recurrent one, its tuning."),
    ] = (600, 2000, 200, 4000, 200),
    minutes: Annotated[
        tuple[float, float, float, float, float], typer.Option(help="Maximum minutes; 0: any number.")
    ] = (0, 0, 0, 0, 0),
    size: Annotated[
        tuple[int, int, int], typer.Option(help="Word pieces per batch: of treebanks; of raw text, for each student.")
    ] = (12000, 24000, 48000),
    checkpoints: Annotated[Path | None, typer.Option(help="A directory, for training that may be interrupted.")] = None,
    seed: Annotated[int, typer.Option(help="The seed. With --minutes, results also depend on the machine.")] = 0,
) -> None:
    """Train the teacher, then its student, then the recurrent student of the latter."""
    print(f"seed {seed}")
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.set_float32_matmul_precision("high")
    files = read_packed(packed)
    words, sizes = files["words"], files["sizes"]
    n_pieces = np.maximum(words["teacher_n"], words["student_n"])
    treebanks = {
        name.removeprefix("gold_"): Treebank(arrays, n_pieces, device)
        for name, arrays in files.items()
        if name.startswith("gold_")
    }
    train = treebanks.pop("train")
    text = RawText(files["text"], words, n_pieces, device) if "text" in files else None
    for directory in (output, *filter(None, [checkpoints])):
        directory.mkdir(parents=True, exist_ok=True)

    def make_guide(encoder: AnyEncoder, **widths: int) -> Guide:
        torch.manual_seed(seed)
        return Guide(encoder, int(sizes["labels"]), int(sizes["tags"]), **widths).to(device)

    def make_transformer(name: str, **widths: int) -> Guide:
        return make_guide(Encoder(files[name], Pieces(words, name, device)), **widths)

    def batch(text: Text, size: int) -> Iterator[np.ndarray]:
        return text.batch(np.arange(len(text.ends)), size, np.random.default_rng(seed))

    def is_trained(name: str) -> bool:
        return (output / f"{name}.000").is_file()

    def load(name: str, guide: Guide) -> None:
        weights = read_packed([output])[name]
        guide.load_state_dict({key: torch.from_numpy(weight) for key, weight in weights.items()})
        evaluate(name, guide, treebanks)

    def run(name: str, guide: Guide, batches: Iterator[Rows], find_losses: Callable[[Rows], Iterator[Tensor]]) -> None:
        if not is_trained(name):
            path = None if checkpoints is None else checkpoints / f"{name}.pt"
            number = [*RATES].index(name)
            # Earlier guides may have been trained in this run, or not.
            torch.manual_seed(seed)
            Stage(guide, RATES[name], steps[number], minutes[number], path).run(batches, find_losses)
            weights = {key: weight.float().cpu().numpy() for key, weight in guide.state_dict().items()}
            write_parts(output / name, pack_arrays(weights))
        # Written weights are rounded, so later guides learn from the same ones in whichever run this one was trained.
        load(name, guide)

    def learn_gold(guide: Guide, rows: np.ndarray) -> Iterator[Tensor]:
        gold = train.read_gold(rows)
        yield find_gold_loss(guide(gold.types, gold.heads.clamp(min=0)), gold)

    def distil(name: str, teacher: Guide, student: Guide, tuned: str, text: RawText, size: tuple[int, int]) -> None:
        def learn(rows: np.ndarray) -> Iterator[Tensor]:
            for types, target in teach(teacher, text, rows):
                yield find_soft_loss(student(types, target.heads), target, types >= 0)

        def learn_both(rows: tuple[np.ndarray, np.ndarray]) -> Iterator[Tensor]:
            yield from learn_gold(student, rows[0])
            yield from learn(rows[1])

        student.set_dropout(0.0, 0.05)
        run(name, student, batch(text, size[1]), learn)
        student.set_dropout(0.1, 0.1)
        run(tuned, student, zip(batch(train, size[0]), batch(text, size[1]), strict=False), learn_both)

    if is_trained("tuned"):
        student = make_transformer("student")
        load("tuned", student)
    else:
        teacher = make_transformer("teacher", **TEACHER_WIDTHS)
        teacher.set_dropout(0.1, 0.2)
        run("teacher", teacher, batch(train, size[0]), partial(learn_gold, teacher))
        if text is None:
            return
        student = make_transformer("student")
        distil("student", teacher, student, "tuned", text, size[:2])
    if "recurrent" in files:
        recurrent = make_guide(RecurrentEncoder(files["recurrent"], device))
        distil("recurrent", student, recurrent, "recurrent_tuned", text, (size[0], size[2]))


if __name__ == "__main__":
    typer.run(main)
