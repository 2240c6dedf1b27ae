"""A linear classifier of the cells of a chart, which predicts the cells that need no work.

The cell (i, j) covers the words i to j - 1. Features (Bodenstab, Dunlop, Hall & Roark 2011) are the words, signatures
and tags around both ends, and the length, absolute and relative to the sentence. Nearly all depend on one end, so their
weights are added up once per boundary, for cells that begin there and for cells that end there.

Classes are ordered. Output k of C - 1 tells classes above k from the others; the class of a cell is the least k whose
output is not above 0. The row of a feature has a weight per output, and then, of features of one end, one per output of
cells that end there. Features are hashed; colliding ones share a row. A classifier is for one thread at a time.
"""

import numpy as np
from spacy.strings import get_string_id

from ..engine import model_file
from ..errors import Errors, JointValueError, check_range, report_damage
from .chart import MAX_WORDS
from .lexicon import list_classes

from libc.stdint cimport int32_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from ..engine.beam cimport check_signals
from ..engine.claim cimport Claim
from ..engine.vectors cimport refill


# Features of a boundary: the word (w), its signature (s) and its tag (t), for the words -2, -1, 0 and 1 from it.
TEMPLATES = (
    *("t-2", "t-1", "t0", "t1", "w-1", "w0", "s-1", "s0", "t-1 t0", "w-1 w0", "s-1 s0", "w-1 t-1", "w0 t0", "t-1 w0"),
    *("w-1 t0", "t-2 t-1", "t0 t1", "t-2 t-1 t0", "t-1 t0 t1", "t-2 t-1 t0 t1"),
)
# Features of both boundaries: a tag of each, and whether the length of the cell, up to 8, is added.
PAIRS = ((0, -1, False), (-1, 0, False), (-1, -1, False), (0, 0, False), (0, -1, True))

ATOMS = [f"{kind}{place}" for place in (-2, -1, 0, 1) for kind in "wst"]
# A bit for each atom.
cdef vector[uint32_t] TEMPLATE_ATOMS = [sum(1 << ATOMS.index(atom) for atom in line.split()) for line in TEMPLATES]
cdef vector[int] LEFT_TAGS = [ATOMS.index(f"t{left}") for left, _, _ in PAIRS]
cdef vector[int] RIGHT_TAGS = [ATOMS.index(f"t{right}") for _, right, _ in PAIRS]
cdef vector[int] WITH_LENGTH = [with_length for _, _, with_length in PAIRS]

cdef enum:
    N_ATOMS = 3             # of a word
    N_LENGTHS = 14          # features: 2 to 5, at least 10 to 50, and at least 1 to 5 fifths of the sentence
    MAX_LENGTH = 8
    ROWS_PER_CHECK = 64     # of signals
    MAX_CLASSES = 16
    MAX_BITS = 24
    # The cache of words is cleared at this size, so that memory is bounded.
    MAX_KNOWN = 1 << 17

MAX_COST = 1_000_000


cdef inline uint64_t mix(uint64_t hashed, uint64_t value) noexcept nogil:
    """Appends a value to a hash."""
    hashed = (hashed ^ value) * <uint64_t>0x9E3779B97F4A7C15
    return hashed ^ hashed >> 32


cdef inline bint has_length(int feature, int32_t length, int32_t n) noexcept nogil:
    if feature < 4:
        return length == feature + 2
    if feature < 9:
        return length >= 10 * (feature - 3)
    return 5 * length >= n * (feature - 8)


cdef tuple describe_word(word, tags):
    """Returns the hashes of a word, of its signature and of its tag: see `CellClassifier`."""
    names = list_classes(word)
    keys = (word, *(f" {name}" for name in names))
    tag = next((tags[key] for key in keys if key in tags), "")
    return get_string_id(word), get_string_id(names[0]), get_string_id(tag)


cdef class CellClassifier:
    """Gives each cell of two words or more one of 2 to 16 classes, by 2 ** `table_bits` rows of weights (8 to 24).
    Unknown words have the tag of the first of their classes (see `list_classes`) among the keys of `tags`, after a
    space. RAISES ValueError: If a number is out of range (J030)."""
    cdef readonly int n_classes
    cdef readonly int table_bits
    cdef readonly dict tags
    cdef readonly object biases         # added to outputs: float32
    cdef readonly object weights        # rows x (2 x outputs), float32: first hashed features, then those of lengths
    cdef object total                   # sum of changes, each times its sentence number; None if not learning
    cdef float[::1] _biases
    cdef float[:, ::1] _weights
    cdef float[:, ::1] _total
    cdef long long n_seen               # sentences learnt from, and the current one
    cdef int n_outputs
    cdef dict known                     # words: their hashed atoms
    cdef int32_t n                      # words of the current sentence
    cdef vector[uint64_t] atoms         # of its words, with two more before and after it
    cdef vector[uint32_t] rows          # of the features of its boundaries
    cdef vector[float] ends             # their sums: boundaries x (2 x outputs)
    cdef vector[float] lengths          # of lengths: (n + 1) x outputs
    cdef Claim claim

    def __cinit__(self, n_classes, tags, table_bits=18):
        check_range("n_classes", n_classes, 2, MAX_CLASSES)
        check_range("table_bits", table_bits, 8, MAX_BITS)
        self.n_classes, self.tags, self.table_bits = n_classes, dict(tags), table_bits
        self.n_outputs = n_classes - 1
        self.biases = np.zeros(self.n_outputs, dtype=np.float32)
        self.weights = np.zeros(((1 << table_bits) + N_LENGTHS, 2 * self.n_outputs), dtype=np.float32)
        self._biases, self._weights = self.biases, self.weights
        self.total, self.known, self.claim = None, {}, Claim("cell classifier")

    def score(self, words):
        """Returns the outputs for all cells of at most 5,000 words (float32, outputs x n x n + 1); infinity for one
        word."""
        cdef int32_t i, j
        cdef int k
        cdef float[:, :, ::1] scores
        with self.claim:
            self.read(list(words))
            made = np.full((self.n_outputs, self.n, self.n + 1), np.inf, dtype=np.float32)
            scores = made
            with nogil:
                for k in range(self.n_outputs):
                    for i in range(self.n):
                        if (i + 1) % ROWS_PER_CHECK == 0:
                            check_signals()
                        for j in range(i + 2, self.n + 1):
                            scores[k, i, j] = self.compute(k, i, j)
        return made

    def predict(self, words):
        """Returns the classes of all cells (int32, n x n + 1). Those of one word and of all words have the last
        class."""
        cdef int32_t i, j
        cdef int k
        cdef int32_t[:, ::1] classes
        with self.claim:
            self.read(list(words))
            made = np.full((self.n, self.n + 1), self.n_outputs, dtype=np.int32)
            classes = made
            with nogil:
                for i in range(self.n):
                    if (i + 1) % ROWS_PER_CHECK == 0:
                        check_signals()
                    for j in range(i + 2, self.n + (i > 0)):
                        k = 0
                        while k < self.n_outputs and self.compute(k, i, j) > 0:
                            k += 1
                        classes[i, j] = k
        return made

    def learn(self, words, classes, float cost):
        """Learns from a sentence, given the class of each cell (n x n + 1; J001), as an averaged perceptron. An output
        that is too low costs `cost`, from 0 to 1,000,000 (J030); one that is too high costs 1."""
        check_range("cost", cost, 0, MAX_COST)
        words = list(words)
        gold = np.ascontiguousarray(classes, dtype=np.int32)
        shape = (len(words), len(words) + 1)
        if gold.shape != shape or gold.size and not 0 <= gold.min() <= gold.max() < self.n_classes:
            allowed = f"{shape}, of numbers from 0 to {self.n_classes - 1}"
            raise JointValueError(Errors.J001, name="classes", value=gold.shape, allowed=allowed)
        with self.claim:
            self.read(words)
            if self.n < 2:
                return
            if self.total is None:
                self.weights, self.total = np.array(self.weights), np.zeros_like(self.weights)
                self._weights, self._total = self.weights, self.total
                self.n_seen = 0
            self.correct(gold, cost)

    cdef int correct(self, const int32_t[:, ::1] wanted, float cost) except -1:
        cdef int32_t i, j, n = self.n, length
        cdef int k, feature, template, n_outputs = self.n_outputs, n_templates = <int>TEMPLATE_ATOMS.size()
        cdef float score, step
        cdef vector[float] ends, lengths
        # An interrupt leaves part of a change, which counts as a sentence.
        self.n_seen += 1
        with nogil:
            ends.resize(<size_t>(n + 1) * 2 * n_outputs, 0)
            lengths.resize(<size_t>(n + 1) * n_outputs, 0)
            for i in range(n):
                if (i + 1) % ROWS_PER_CHECK == 0:
                    check_signals()
                for j in range(i + 2, n + 1):
                    for k in range(n_outputs):
                        score = self.compute(k, i, j)
                        if (score > 0) == (wanted[i, j] > k):
                            continue
                        step = cost if wanted[i, j] > k else -1
                        for feature in range(<int>LEFT_TAGS.size()):
                            self.change(self.find_pair(feature, i, j), k, step)
                        ends[i * 2 * n_outputs + k] += step
                        ends[j * 2 * n_outputs + n_outputs + k] += step
                        lengths[(j - i) * n_outputs + k] += step
            for i in range(n + 1):
                for template in range(n_templates):
                    for k in range(2 * n_outputs):
                        if ends[i * 2 * n_outputs + k] != 0:
                            self.change(self.rows[i * n_templates + template], k, ends[i * 2 * n_outputs + k])
            for length in range(2, n + 1):
                for feature in range(N_LENGTHS):
                    if has_length(feature, length, n):
                        for k in range(n_outputs):
                            self.change((<size_t>1 << self.table_bits) + feature, k, lengths[length * n_outputs + k])
        return 0

    def finish(self):
        """Replaces the weights by their averages over all sentences since the last call."""
        with self.claim:
            if self.total is not None:
                self.weights -= self.total / self.n_seen
                self.total = None

    def set_biases(self, biases):
        """Sets the biases of outputs. RAISES ValueError: If they are not one finite number per output (J001)."""
        made = np.array(biases, dtype=np.float32)
        if made.shape != (self.n_outputs,) or not np.isfinite(made).all():
            allowed = f"{self.n_outputs} finite numbers"
            raise JointValueError(Errors.J001, name="biases", value=made.shape, allowed=allowed)
        with self.claim:
            self.biases = self._biases = made

    def to_bytes(self):
        """Writes the classifier to bytes, without rows that are all 0."""
        self.finish()
        rows = np.flatnonzero(self.weights.any(axis=1))
        meta = {"cells": self.n_classes, "table_bits": self.table_bits, "tags": self.tags}
        arrays = {"rows": rows.astype(np.int32), "weights": self.weights[rows].reshape(-1), "biases": self.biases}
        return model_file.pack(meta, arrays)

    @classmethod
    def from_bytes(cls, data):
        """Reads a classifier. RAISES ValueError: If the bytes are not a classifier (J052), or damaged (J050 to
        J052)."""
        meta, arrays = model_file.unpack(data)
        with report_damage("The classifier of cells", "the content"):
            tags = {str(word): str(tag) for word, tag in dict(meta["tags"]).items()}
            made = cls(int(meta["cells"]), tags, int(meta["table_bits"]))
            made.set_biases(arrays["biases"])
            rows, weights = arrays["rows"], arrays["weights"].reshape(-1, 2 * (made.n_classes - 1))
            are_rows = not len(rows) or (0 <= rows.min() and rows.max() < len(made.weights))
            if len(rows) != len(weights) or not np.isfinite(weights).all() or not are_rows:
                raise ValueError
            made.weights[rows] = weights
        return made

    def __reduce__(self):
        return (CellClassifier.from_bytes, (self.to_bytes(),))

    cdef int read(self, list words) except -1:
        """Reads a sentence, and finds the rows and the sums of its boundaries and lengths."""
        if len(words) > MAX_WORDS:
            raise JointValueError(Errors.J002, name="The sentence", n=len(words), unit="words", most=MAX_WORDS)
        cdef size_t at = 2 * N_ATOMS
        self.n = len(words)
        refill(self.atoms, N_ATOMS * (<size_t>self.n + 4), 0)
        for word in words:
            known = self.known.get(word)
            if known is None:
                if len(self.known) >= MAX_KNOWN:
                    self.known.clear()
                known = self.known[word] = describe_word(word, self.tags)
            self.atoms[at], self.atoms[at + 1], self.atoms[at + 2] = known
            at += N_ATOMS
        with nogil:
            self.add_up()
        return 0

    cdef int add_up(self) except -1 nogil:
        cdef int32_t boundary, length
        cdef int template, atom, k, feature, width = 2 * self.n_outputs
        cdef uint64_t hashed
        cdef uint32_t row, mask = (<uint32_t>1 << self.table_bits) - 1
        cdef const uint64_t* atoms
        cdef float* sums
        self.rows.clear()
        refill(self.ends, (<size_t>self.n + 1) * width, 0)
        refill(self.lengths, (<size_t>self.n + 1) * self.n_outputs, 0)
        for boundary in range(self.n + 1):
            atoms = self.atoms.data() + N_ATOMS * boundary
            sums = self.ends.data() + boundary * width
            for template in range(<int>TEMPLATE_ATOMS.size()):
                hashed = template + 1
                for atom in range(4 * N_ATOMS):
                    if TEMPLATE_ATOMS[template] >> atom & 1:
                        hashed = mix(hashed, atoms[atom])
                row = <uint32_t>hashed & mask
                self.rows.push_back(row)
                for k in range(width):
                    sums[k] += self._weights[row, k]
        for length in range(2, self.n + 1):
            sums = self.lengths.data() + length * self.n_outputs
            for feature in range(N_LENGTHS):
                if has_length(feature, length, self.n):
                    for k in range(self.n_outputs):
                        sums[k] += self._weights[(<size_t>1 << self.table_bits) + feature, k]
        return 0

    cdef uint32_t find_pair(self, int feature, int32_t i, int32_t j) noexcept nogil:
        """Finds the row of a feature of both ends."""
        cdef uint64_t hashed = TEMPLATE_ATOMS.size() + 1 + feature
        if WITH_LENGTH[feature]:
            hashed = mix(hashed, min(j - i, MAX_LENGTH))
        hashed = mix(hashed, self.atoms[N_ATOMS * i + LEFT_TAGS[feature]])
        hashed = mix(hashed, self.atoms[N_ATOMS * j + RIGHT_TAGS[feature]])
        return <uint32_t>hashed & ((<uint32_t>1 << self.table_bits) - 1)

    cdef float compute(self, int output, int32_t i, int32_t j) noexcept nogil:
        cdef int feature
        cdef int n_outputs = self.n_outputs
        cdef float score = (
            self._biases[output]
            + self.ends[i * 2 * n_outputs + output]
            + self.ends[j * 2 * n_outputs + n_outputs + output]
            + self.lengths[(j - i) * n_outputs + output]
        )
        for feature in range(<int>LEFT_TAGS.size()):
            score += self._weights[self.find_pair(feature, i, j), output]
        return score

    cdef void change(self, size_t row, int column, float step) noexcept nogil:
        self._weights[row, column] += step
        self._total[row, column] += step * (self.n_seen - 1)
