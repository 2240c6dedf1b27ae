"""A text as columns of the engine, for the tokenizer learnt from a treebank: one row per character.

A run of whitespace is a single row, so indents and blank lines do not matter. numpy processes all characters at once.
Strings are identified by their hashes. The hash of any substring is the difference of two sums over the text, so every
substring can be looked up in a lexicon.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..errors import Errors, JointValueError

N_CHARACTERS = 0x110000
# The types of letters, digits, marks etc., by Unicode categories.
TYPES = {"Lu": 1, "Lt": 1, "Ll": 2, "Lm": 3, "Lo": 3, "M": 4, "N": 5, "P": 6, "S": 7, "C": 8, "Z": 9}
IN_WORDS = (1, 2, 3, 4, 5)
SPACE = 9
# Stands for all whitespace.
BLANK = ord(" ")
# The maximum length of words in the lexicon; a column has a bit for each length.
MAX_WORD = 16
# Positions in longer strings are capped.
MAX_OFFSET = 24
# The lengths of the beginnings and endings of chunks.
AFFIX = 4
MAX_FREQUENCY = 7

COLUMNS = (
    # The character, the character in lower case, its Unicode category and script, and its type.
    *("form", "char", "class", "type"),
    # The run of letters and digits, or of the same mark, with the offset of the character; the runs on either side.
    *("place", "left", "right"),
    # The chunk, the string between spaces; offsets from its start and its end, the sequence of its types, its first
    # and last characters; the chunks on either side.
    *("chunk", "offset", "rest", "shape", "head", "tail", "previous", "next"),
    # The lengths of the longest words of the lexicon that start at, end at or surround this character; the lengths of
    # all words that start or end at it, as bits; the frequencies of the longest.
    *("longest_from", "longest_to", "longest_around", "all_from", "all_to", "frequency_from", "frequency_to"),
)


# The properties of characters, by code point, filled on first use. Threads may fill them at the same time.
_is_known = np.zeros(N_CHARACTERS, dtype=bool)
_lower = np.zeros(N_CHARACTERS, dtype=np.uint32)
_types = np.zeros(N_CHARACTERS, dtype=np.uint8)
_classes = np.zeros(N_CHARACTERS, dtype=np.uint64)


def _look_up(codes: np.ndarray) -> None:
    for code in np.unique(codes[~_is_known[codes]]).tolist():
        character = chr(code)
        lowered = character.lower()
        category = "Zs" if character.isspace() else unicodedata.category(character)
        # "LATIN SMALL LETTER A"
        script = unicodedata.name(character, "").split(" ")[0] if category[0] == "L" else ""
        _lower[code] = ord(lowered) if len(lowered) == 1 else code
        _types[code] = TYPES.get(category) or TYPES[category[0]]
        _classes[code] = int.from_bytes(f"{category}{script}".encode()[:8], "little")
        _is_known[code] = True


def encode(text: str) -> np.ndarray:
    """Returns the code points of a text (uint32)."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def decode(codes: np.ndarray) -> str:
    """Returns the text of code points."""
    return codes.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")


@dataclass(frozen=True)
class Rows:
    """The characters of a text, one for each run of whitespace."""

    codes: np.ndarray  # code points (uint32)
    lower: np.ndarray  # code points in lower case; BLANK for whitespace
    positions: np.ndarray  # in the text
    is_space: np.ndarray  # whether each is whitespace
    is_single: np.ndarray  # whether each is whitespace of one character, or one line break, inside the text

    @classmethod
    def make(cls, codes: np.ndarray, lower_case: Mapping[int, int] | None = None) -> Rows:
        """Makes the rows of a text, given its code points and unusual lower cases of letters (code points, too)."""
        _look_up(codes)
        is_space = _types[codes] == SPACE
        kept = np.ones(len(codes), dtype=bool)
        kept[1:] = ~(is_space[1:] & is_space[:-1])
        positions = np.flatnonzero(kept)
        is_space = is_space[positions]
        lengths = np.diff(positions, append=len(codes))
        is_break = (lengths == 2) & (codes[positions] == ord("\r")) & (codes[positions + lengths - 1] == ord("\n"))
        is_single = is_space & ((lengths == 1) | is_break)
        is_single[:1] = is_single[-1:] = False
        codes = codes[positions]
        lower = np.where(is_space, BLANK, _lower[codes])
        for capital, letter in (lower_case or {}).items():
            lower[codes == capital] = letter
        return cls(codes, lower, positions, is_space, is_single)


class Hashes:
    """The hashes of all substrings: numbers are weighted by powers of the base, by position, modulo 2^64."""

    # Odd, so it has an inverse.
    BASE = 0x9E3779B97F4A7C15
    INVERSE = pow(BASE, -1, 1 << 64)

    def __init__(self, numbers: np.ndarray) -> None:
        n = len(numbers)
        self.sums = np.zeros(n + 1, dtype=np.uint64)
        np.cumsum(_mix(numbers.astype(np.uint64)) * _raise(self.BASE, n)[:n], out=self.sums[1:])
        self.inverses = _raise(self.INVERSE, n)

    def get(self, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
        """Returns the hashes (uint64) of the substrings from each start to each end."""
        hashes = (self.sums[ends] - self.sums[starts]) * self.inverses[starts]
        return hashes ^ (hashes >> np.uint64(29))


def _raise(base: int, n: int) -> np.ndarray:
    """Returns the powers 0..n of a number (uint64)."""
    powers = np.full(n + 1, base, dtype=np.uint64)
    powers[0] = 1
    return np.cumprod(powers, dtype=np.uint64)


def _mix(numbers: np.ndarray) -> np.ndarray:
    mixed = (numbers + np.uint64(1)) * np.uint64(0xD6E8FEB86659FD93)
    mixed ^= mixed >> np.uint64(32)
    mixed *= np.uint64(0xD6E8FEB86659FD93)
    return mixed ^ (mixed >> np.uint64(32))


class Lexicon:
    """The words of a treebank, in lower case: their hashes (uint64), ascending, and their frequencies (uint8), on a
    logarithmic scale from 1 to MAX_FREQUENCY. RAISES ValueError: If these are not such arrays."""

    # Most substrings are not words: a table over this many bits of their hashes rules out most of them.
    FILTER_BITS = 18

    def __init__(self, words: np.ndarray, frequencies: np.ndarray) -> None:
        if words.dtype != np.uint64 or frequencies.dtype != np.uint8 or words.shape != frequencies.shape:
            raise JointValueError(Errors.J052, source="the lexicon", what="an array")
        self.words, self.frequencies = words, frequencies
        self._shift = np.uint64(64 - self.FILTER_BITS)
        self._filter = np.zeros(1 << self.FILTER_BITS, dtype=bool)
        self._filter[words >> self._shift] = True

    @classmethod
    def from_counts(cls, counts: Mapping[int, int]) -> Lexicon:
        """Makes the lexicon of counted words, by hash."""
        words = sorted(word for word, n in counts.items() if n > 0)
        frequencies = [min((counts[word].bit_length() + 1) // 2, MAX_FREQUENCY) for word in words]
        return cls(np.array(words, dtype=np.uint64), np.array(frequencies, dtype=np.uint8))

    def find(self, hashes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Finds the hashes that are words; returns their indices, and their frequencies (uint8)."""
        likely = np.flatnonzero(self._filter[hashes >> self._shift])
        # Without words, no hash is found.
        indices = np.minimum(np.searchsorted(self.words, hashes[likely]), len(self.words) - 1)
        are_words = self.words[indices] == hashes[likely]
        return likely[are_words], self.frequencies[indices[are_words]]


def make_values(rows: Rows, lexicon: Lexicon) -> np.ndarray:
    """Makes the values of the columns (uint64, rows x COLUMNS)."""
    n = len(rows.codes)
    values = np.zeros((n, len(COLUMNS)), dtype=np.uint64)
    if n:
        columns = dict(zip(COLUMNS, values.T, strict=True))
        hashes = Hashes(rows.lower)
        # 0 stands for the outside of the text.
        columns["form"][:] = np.where(rows.is_space, BLANK, rows.codes) + 1
        columns["char"][:] = rows.lower + 1
        columns["class"][:], columns["type"][:] = _classes[rows.codes], _types[rows.codes]
        _fill_runs(columns, hashes)
        _fill_chunks(columns, rows, hashes)
        _fill_words(columns, hashes, lexicon)
    return values


def _fill_runs(columns: dict[str, np.ndarray], hashes: Hashes) -> None:
    char = columns["char"]
    in_word = np.isin(columns["type"], IN_WORDS)
    starts, ends = _find_groups((in_word[1:] & in_word[:-1]) | (char[1:] == char[:-1]))
    runs = hashes.get(starts, ends)
    offsets = np.minimum(np.arange(len(char)) - starts, MAX_OFFSET)
    columns["place"][:] = runs + offsets.astype(np.uint64)
    columns["left"][:], columns["right"][:] = _take(runs, starts - 1), _take(runs, ends)


def _fill_chunks(columns: dict[str, np.ndarray], rows: Rows, hashes: Hashes) -> None:
    is_space, types = rows.is_space, columns["type"]
    is_joined = ~(is_space[1:] | is_space[:-1])
    starts, ends = _find_groups(is_joined)
    positions = np.arange(len(types))
    columns["chunk"][:] = chunks = hashes.get(starts, ends)
    columns["offset"][:] = np.minimum(positions - starts + 1, MAX_OFFSET)
    columns["rest"][:] = np.minimum(ends - positions, MAX_OFFSET)
    # Between two chunks, there is whitespace.
    columns["previous"][:], columns["next"][:] = _take(chunks, starts - 2), _take(chunks, ends + 1)
    columns["head"][:] = hashes.get(starts, np.minimum(starts + AFFIX, ends))
    columns["tail"][:] = hashes.get(np.maximum(ends - AFFIX, starts), ends)
    changes = np.ones(len(types), dtype=bool)
    changes[1:] = ~is_joined | (types[1:] != types[:-1])
    ranks = np.cumsum(changes) - 1
    columns["shape"][:] = Hashes(types[changes]).get(ranks[starts], ranks[ends - 1] + 1)


def _fill_words(columns: dict[str, np.ndarray], hashes: Hashes, lexicon: Lexicon) -> None:
    n = len(columns["char"])
    positions = np.arange(n)
    # From short to long, so that longer words replace shorter ones.
    for length in range(1, min(MAX_WORD, n) + 1):
        firsts, frequencies = lexicon.find(hashes.get(positions[: n - length + 1], positions[length - 1 :] + 1))
        lasts = firsts + length - 1
        for side, ends in (("from", firsts), ("to", lasts)):
            columns[f"longest_{side}"][ends] = length
            columns[f"all_{side}"][ends] |= np.uint64(1 << length)
            columns[f"frequency_{side}"][ends] = frequencies
        for inside in range(1, length - 1):
            columns["longest_around"][firsts + inside] = length


def _find_groups(is_joined: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Finds the start and the end of the group of each row, given whether each row but the first joins the previous
    one."""
    begins = np.append(True, ~is_joined)
    starts = np.flatnonzero(begins)
    groups = np.cumsum(begins) - 1
    return starts[groups], np.append(starts[1:], len(begins))[groups]


def _take(values: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """Returns the values at indices up to two places outside the array, where they are 0."""
    return np.pad(values, 2)[indices + 2]
