"""`joint_sbd_parser`: sentence boundaries and dependency trees of a whole document, jointly, as a spaCy component.

Boundaries that are there before it runs are kept: `Token.is_sent_start` True forces one, False forbids one, None leaves
it open, unless a blank line before the token forces it. What it writes always agrees with itself: a sentence is exactly
the subtree of its one root, also after `to_bytes`, where spaCy derives boundaries from trees anew. Whitespace attaches
to the token before it (at the start of a document, to the one after) and never makes a sentence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from spacy.attrs import DEP, HEAD, SENT_START
from spacy.tokens import Doc, Span, Token
from spacy.training import Example
from spacy.vocab import Vocab
from thinc.api import Model

from ..engine.beam import MAX_BIAS, MAX_WIDTH
from ..engine.learner import Instance
from ..errors import Errors, JointValueError
from ..pipes.streaming import MAX_DELAY, PIECE, OpenDocument, SentenceStreamingPipe, cut_into_pieces
from ..pipes.token_columns import find_after_blank_lines, keep_right_starts, read_starts
from .margins import boundary_margins
from .oracle import oracle_actions
from .reference_trees import read_reference
from .system import SB_ACTION, JointSystem

# What spaCy's own parser puts where it puts no label.
NO_LABEL = "dep"
# The attribute of `Token._` that says how far the best analysis in the beam with the token's boundary decision was
# ahead of the best one against it: a difference of scores; infinite where the beam held none against it; None for
# whitespace, and where no parser with `boundary_margins` has been.
MARGIN = "boundary_margin"


class Analysis(NamedTuple):
    """One analysis of a document, and its score. Scores of one document compare; those of two do not."""

    doc: Doc
    score: float


class Parsed(NamedTuple):
    """The trees of a document; one each of the tokens that are no whitespace.

    tokens (np.ndarray): These tokens.
    heads (np.ndarray): Their heads, as places among them; a root heads itself.
    labels (list[str]): Labels of arcs and roots.
    starts (np.ndarray): Which of them start a sentence.
    margins (np.ndarray | None): How sure the search was of that, see margins.pyx; None where it is not asked for.
    """

    tokens: np.ndarray
    heads: np.ndarray
    labels: list[str]
    starts: np.ndarray
    margins: np.ndarray | None = None


class JointSbdParser(SentenceStreamingPipe[Parsed]):
    """Splits documents into sentences and parses them, in one search."""

    default_templates = Path(__file__).parent / "templates.txt"

    def __init__(self, vocab: Vocab, model: Model, name: str, **settings: Any) -> None:
        super().__init__(vocab, model, name, **settings)
        if not abs(self.cfg["boundary_bias"]) <= MAX_BIAS:
            raise JointValueError(Errors.J308, value=self.cfg["boundary_bias"], most=MAX_BIAS)
        self.perceptron.biases = {SB_ACTION: self.cfg["boundary_bias"]}
        if self.cfg["boundary_margins"] and not Token.has_extension(MARGIN):
            Token.set_extension(MARGIN, default=None)

    def collect_labels(self, examples: Iterable[Example]) -> dict[str, list[str]]:
        """The labels of arcs to the left, to the right, and of roots, under "left", "right" and "root"."""
        left: set[str] = set()
        right: set[str] = set()
        root: set[str] = set()
        for example in examples:
            trees = read_reference(example)
            if trees is not None:
                for token, (head, label) in enumerate(zip(trees.heads.tolist(), trees.labels, strict=True)):
                    (root if head == token else left if head > token else right).add(label)
        # A treebank of one-word sentences has no arcs, but text may.
        if root and not (left or right):
            right.add(NO_LABEL)
        return {"left": sorted(left), "right": sorted(right), "root": sorted(root)}

    def flatten_labels(self, labels: dict[str, list[str]]) -> tuple[str, ...]:
        """All labels of arcs and roots, sorted."""
        return tuple(sorted({*labels["left"], *labels["right"], *labels["root"]}))

    def make_system(self, labels: dict[str, list[str]]) -> JointSystem:
        """The joint system over these labels."""
        return JointSystem(labels["left"], labels["right"], labels["root"], self.cfg["sb_position"])

    def make_instance(self, example: Example) -> Instance | None:
        """The oracle's actions for the reference; None where it has no trees, or labels that are not known."""
        trees = read_reference(example)
        if trees is None or not len(trees.heads):
            return None
        actions = oracle_actions(self.perceptron.system, trees.heads, trees.labels, trees.starts)
        if actions is None:
            return None
        starts = np.zeros(len(example.predicted), dtype=bool)
        starts[trees.tokens[trees.starts]] = True
        constraints = keep_right_starts(self.get_constraints(example.predicted), starts)
        return Instance(self.get_columns(example.predicted, constraints)[0], actions)

    def get_constraints(self, doc: Doc) -> np.ndarray:
        """Boundaries preset or shown by blank lines (int8 a token): 1 must, -1 must not, 0 may start a sentence."""
        constraints = read_starts(doc)
        if self.cfg["blank_lines"]:
            constraints[find_after_blank_lines(doc)[:-1] & (constraints == 0)] = 1
        return constraints

    def read(self, tokens: np.ndarray, actions: np.ndarray) -> Parsed:
        """The trees that actions make."""
        return Parsed(tokens, *self.perceptron.system.build(actions, len(tokens)))

    def predict_doc(self, doc: Doc) -> Parsed:
        """The trees of a document, with margins where these are wanted."""
        if not self.cfg["boundary_margins"]:
            return super().predict_doc(doc)
        columns, tokens = self.get_columns(doc, self.get_constraints(doc))
        actions, (parents, taken, gaps) = self.perceptron.trace(columns)
        return self.read(tokens, actions)._replace(margins=boundary_margins(parents, taken, gaps, len(tokens)))

    def _annotate_margins(self, doc: Doc, tokens: np.ndarray, margins: np.ndarray) -> None:
        """Writes how far ahead the decision that was taken about each token was."""
        starts = doc.to_array([SENT_START]).reshape(-1)[tokens] == 1
        ahead = np.nan_to_num(np.where(starts, margins, -margins), nan=np.inf)
        for token, margin in zip(tokens.tolist(), ahead.tolist(), strict=True):
            doc[token]._.set(MARGIN, margin)

    def beam_parse(self, doc: Doc, n_best: int = 1) -> list[Analysis]:
        """The best analyses of a document, as far as a beam finds them.

        doc (Doc): The document, with what comes before the parser (tags, preset boundaries). It stays as it is.
        n_best (int): How many. The beam is widened, up to 1024 items, until it holds so many.
        RETURNS (list[Analysis]): Annotated copies of the document and their scores, best first. No two have the same
            boundaries, heads and labels. Fewer than `n_best` where there are no more.
        RAISES ValueError: If `n_best` is not positive, or the component was neither trained nor loaded.
        """
        if n_best < 1:
            raise JointValueError(Errors.J307, value=n_best)
        self.require_trained()
        columns, tokens = self.get_columns(doc, self.get_constraints(doc))
        width = max(self.perceptron.beam_width, min(n_best, MAX_WIDTH))
        while True:
            # Several paths may make the same trees: the best of them counts.
            best: dict[bytes, tuple[Parsed, float]] = {}
            for actions, score in self.perceptron.predict_all(columns, width):
                parsed = self.read(tokens, actions)
                best.setdefault(parsed.heads.tobytes() + "\n".join(parsed.labels).encode("utf8"), (parsed, score))
            if len(best) >= n_best or width >= MAX_WIDTH:
                break
            width = min(2 * width, MAX_WIDTH)
        analyses = []
        for parsed, score in list(best.values())[:n_best]:
            copy = doc.copy()
            self.annotate(copy, parsed)
            analyses.append(Analysis(copy, score))
        return analyses

    def annotate(self, doc: Doc, prediction: Parsed) -> None:
        """Writes heads and labels; spaCy derives from them the sentence starts, which are those of the actions."""
        if not len(doc):
            return
        tokens, heads, names, starts, margins = prediction
        ids = self.get_label_ids(doc, names)
        labels = np.array([ids[name] for name in names], dtype=np.uint64)
        first = starts
        if len(tokens) < len(doc):
            heads, labels, first = self._add_whitespace(doc, tokens, heads, labels, starts)
        _set_trees(doc, heads, labels)
        # spaCy finds the edges of subtrees in a bounded number of passes. A sentence too far from projective for that
        # would be cut, so it becomes flat.
        wrong = np.flatnonzero((doc.to_array([SENT_START]) == 1) != first)
        if len(wrong):
            sentences = np.cumsum(first)
            roots = np.flatnonzero(heads == np.arange(len(doc)))
            flat = np.isin(sentences, sentences[np.concatenate([wrong, wrong - 1])])
            heads = heads.copy()
            heads[flat] = roots[sentences[flat] - 1]
            _set_trees(doc, heads, labels)
        if margins is not None:
            self._annotate_margins(doc, tokens, margins)

    def _add_whitespace(
        self, doc: Doc, tokens: np.ndarray, heads: np.ndarray, labels: np.ndarray, starts: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Heads, labels and starts of all tokens from those of the ones that are no whitespace."""
        strings = doc.vocab.strings
        all_heads = np.zeros(len(doc), dtype=np.int64)
        all_labels = np.full(len(doc), strings.add(NO_LABEL), dtype=np.uint64)
        first = np.zeros(len(doc), dtype=bool)
        first[[0, *tokens[1:][starts[1:]]]] = True
        if len(tokens):
            # Whitespace hangs on the token before it; without any token, on the first.
            all_heads = tokens[np.maximum(np.searchsorted(tokens, np.arange(len(doc)), side="right") - 1, 0)]
            all_heads[tokens] = tokens[heads]
            all_labels[tokens] = labels
        else:
            all_labels[0] = strings.add(self.cfg["labels"]["root"][0])
        return all_heads, all_labels, first

    def stream(self, tokens: Iterable[Doc | Token], *, max_delay: int | None = MAX_DELAY) -> Iterator[Span]:
        """Splits a document that is still coming into sentences and parses them, in memory that does not grow with it.

        A sentence comes as soon as all items of the beam agree on it: whatever follows cannot change it. Tags are those
        of the tokens: `sequence_tagger.stream` gives them.

        tokens (Iterable[Doc | Token]): The document in pieces, or token by token.
        max_delay (int | None): Words that may wait. When there are more, the best analysis is taken for the only one,
            and where it sees no end of the sentence, the next piece starts another. None: as many as it takes.
        YIELDS (Span): One sentence each; without forced decisions, those of a call on the whole document.
        RAISES ValueError: If `max_delay` is not positive.
        """
        document = OpenDocument(self, max_delay)
        system = self.perceptron.system
        # Final actions of the sentence in work.
        rest = np.zeros(0, dtype=np.uint16)
        must_start = False
        for piece in cut_into_pieces(tokens, self.vocab, min(PIECE, max_delay or PIECE)):
            n_words, done, rest = system.split(np.concatenate([rest, document.feed(piece, must_start)]))
            must_start = False
            yield from self._take_done(document, n_words, done)
            while document.n_late:
                _, best, _ = system.split(np.concatenate([rest, document.stream.best()]), most=1)
                if not len(best):
                    must_start = True
                    break
                decided = np.concatenate([rest, document.stream.decide(len(best) - len(rest))])
                n_words, done, rest = system.split(decided)
                yield from self._take_done(document, n_words, done)
        n_words, done, _ = system.split(np.concatenate([rest, document.end()]))
        yield from self._take_done(document, n_words, done)
        if len(document.rows):
            yield document.take(0)[0][:]

    def _take_done(self, document: OpenDocument, n_words: int, actions: np.ndarray) -> Iterator[Span]:
        if n_words:
            doc, words = document.take(n_words)
            self.annotate(doc, self.read(words, actions))
            yield from doc.sents


def _set_trees(doc: Doc, heads: np.ndarray, labels: np.ndarray) -> None:
    # The transpose of what spaCy wants, because it turns it round again.
    columns = np.empty((2, len(doc)), dtype=np.uint64)
    columns[0] = heads - np.arange(len(doc))
    columns[1] = labels
    doc.from_array([HEAD, DEP], columns.T)  # type: ignore[arg-type]  # wrong in its stub
