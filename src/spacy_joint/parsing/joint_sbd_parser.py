"""`joint_sbd_parser`: sentence boundaries and dependency trees of a whole document, jointly, as a spaCy component.

Preset boundaries are kept: `Token.is_sent_start` True forces one, False forbids one, None leaves it open, unless a
blank line before the token forces it. The output is always consistent: a sentence is exactly the subtree of its single
root, and this round-trips through `to_bytes`, where spaCy derives boundaries from trees. Whitespace is attached to the
preceding token (at the start of a document, to the next one) and never forms a sentence.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from spacy.attrs import DEP, HEAD, SENT_START
from spacy.tokens import Doc, Span, Token
from spacy.training import Example
from spacy.vocab import Vocab
from thinc.api import Model

from ..annotation.custom_columns import GUIDE_BOUNDARY, GUIDE_HEAD
from ..annotation.glossary import extend_glossary
from ..annotation.noun_chunks import use_noun_chunks, use_noun_chunks_in
from ..annotation.sentences import MARGIN, PROBABILITY
from ..engine.beam import MAX_BIAS, MAX_WIDTH
from ..engine.columns import Columns
from ..engine.learner import Instance
from ..errors import Errors, JointValueError, Warnings
from ..pipes.custom_columns import read_numbers
from ..pipes.guide_facts import find_guide_facts
from ..pipes.streaming import MAX_DELAY, PIECE, OpenDocument, SentenceStreamingPipe, cut_into_pieces
from ..pipes.structured_pipe import StructuredPipe, report_damage
from ..pipes.token_columns import (
    PUNCTUATED,
    STYLE,
    UNPUNCTUATED,
    find_after_blank_lines,
    keep_right_starts,
    read_starts,
)
from .calibration import KINDS, Calibration, Decisions, fit_calibration
from .margins import boundary_margins
from .noun_chunks import noun_chunks
from .oracle import oracle_actions
from .partial_trees import complete, read_partial_trees
from .reference_trees import ReferenceTrees, read_reference
from .system import GUIDE_SLOTS, SB_ACTION, JointSystem

# The label that spaCy's own parser uses for unlabelled arcs.
NO_LABEL = "dep"
# The settings with a bias of all boundaries, and with those of text with and without punctuation.
BIASES = ("boundary_bias", "punctuated_bias", "unpunctuated_bias")
# The key of a calibration in the cfg.
CALIBRATION = "calibration"
# Its label for roots.
ROOT = "ROOT"

extend_glossary()


# Shares of the analyses in a beam, by token and head, and by token and label.
HeadScores = defaultdict[tuple[int, int], float]
LabelScores = defaultdict[tuple[int, str], float]


class Analysis(NamedTuple):
    """An analysis of a document and its score. Scores are comparable for the same document only."""

    doc: Doc
    score: float


class Parsed(NamedTuple):
    """The trees of a document, with one item for each token that is not whitespace.

    tokens (np.ndarray): These tokens.
    heads (np.ndarray): Their heads, as positions among them; a root is its own head.
    labels (list[str]): The labels of arcs and roots.
    starts (np.ndarray): Which of them start a sentence.
    margins (np.ndarray | None): The boundary margins, see margins.pyx; None if not requested.
    probabilities (np.ndarray | None): The probabilities of sentence starts, see calibration.py; None if not requested.
    columns (Columns | None): The document as it was searched, for `scored_parses`; None if it was streamed.
    """

    tokens: np.ndarray
    heads: np.ndarray
    labels: list[str]
    starts: np.ndarray
    margins: np.ndarray | None = None
    probabilities: np.ndarray | None = None
    columns: Columns | None = None


class JointSbdParser(StructuredPipe[Parsed], SentenceStreamingPipe):
    """Splits documents into sentences and parses them in a single search."""

    default_templates = Path(__file__).parent / "templates.txt"
    guide_templates = Path(__file__).parent / "guide_templates.txt"
    guide_slots = tuple(GUIDE_SLOTS)

    def __init__(self, vocab: Vocab, model: Model, name: str, **settings: Any) -> None:
        super().__init__(vocab, model, name, **settings)
        for setting in BIASES:
            value = self.cfg[setting]
            if value is not None and not abs(value) <= MAX_BIAS:
                raise JointValueError(Errors.J308, setting=setting, value=value, most=MAX_BIAS)
        use_noun_chunks_in(vocab, noun_chunks)
        if self.cfg["boundary_margins"]:
            self.store_margins()
        if self.cfg["boundary_probabilities"] and not Token.has_extension(PROBABILITY):
            Token.set_extension(PROBABILITY, default=None)

    def store_margins(self) -> None:
        """Turns on the setting `boundary_margins`."""
        self.cfg["boundary_margins"] = True
        if not Token.has_extension(MARGIN):
            Token.set_extension(MARGIN, default=None)

    def collect_labels(self, examples: Iterable[Example]) -> dict[str, list[str]]:
        """The labels of left arcs, right arcs and roots, under "left", "right" and "root"."""
        left: set[str] = set()
        right: set[str] = set()
        root: set[str] = set()
        for example in examples:
            trees = read_reference(example) or read_partial_trees(example)
            if trees is not None:
                for token, (head, label) in enumerate(zip(trees.heads.tolist(), trees.labels, strict=True)):
                    if head >= 0 and label is not None:
                        (root if head == token else left if head > token else right).add(label)
        # A treebank with only one-word sentences has no arcs, but other text does.
        if root and not (left or right):
            right.add(NO_LABEL)
        return {"left": sorted(left), "right": sorted(right), "root": sorted(root)}

    def flatten_labels(self, labels: dict[str, list[str]]) -> tuple[str, ...]:
        """All labels of arcs and roots, sorted."""
        return tuple(sorted({*labels["left"], *labels["right"], *labels["root"]}))

    def extend_labels(self, labels: dict[str, list[str]] | None, added: Sequence[str]) -> dict[str, list[str]]:
        """Added labels are for arcs in both directions; "ROOT" is for roots, and they need it if they have no label."""
        labels = labels or {"left": [], "right": [], "root": []}
        if not added:
            return labels
        arcs = {label for label in added if label.upper() != ROOT}
        roots = {*labels["root"], *(set(added) - arcs)} or {ROOT}
        return {
            "left": sorted(arcs.union(labels["left"])),
            "right": sorted(arcs.union(labels["right"])),
            "root": sorted(roots),
        }

    def make_system(self, labels: dict[str, list[str]]) -> JointSystem:
        """The joint system with these labels."""
        return JointSystem(labels["left"], labels["right"], labels["root"], self.cfg["sb_position"], self.has_guide)

    @property
    def has_guide(self) -> bool:
        """Whether a column with the heads of a guide is among those of the settings."""
        return GUIDE_HEAD in self.custom_columns.names

    def get_columns(self, doc: Doc, constraints: np.ndarray | None) -> tuple[Columns, np.ndarray]:
        """The columns for the templates, and the tokens of their rows."""
        if not self.has_guide:
            return super().get_columns(doc, constraints)
        values, tokens = self.get_values(doc)
        of_rows = None if constraints is None else constraints[tokens]
        facts = find_guide_facts(read_numbers(doc, GUIDE_HEAD), tokens)
        return Columns(self.perceptron.templates.columns, values, of_rows, facts), tokens

    def _set_up(self, labels: dict[str, list[str]], templates: str) -> None:
        super()._set_up(labels, templates)
        overall, *by_style = (self.cfg[setting] for setting in BIASES)
        # Templates that do not read the style cannot tell kinds of text apart.
        if overall is None and STYLE in self.perceptron.templates.columns:
            biases = dict(zip((PUNCTUATED, UNPUNCTUATED), by_style, strict=True))
            self.perceptron.biases = {SB_ACTION: (f"b0.{STYLE}", biases)}
        else:
            self.perceptron.biases = {SB_ACTION: overall or 0.0}

    def make_instance(self, example: Example) -> Instance | None:
        """The oracle's actions for the reference; None if it has no annotation.

        Trees that are known in part only are completed by those that the parser predicts now, so that nothing else is
        learnt.
        """
        system = self.perceptron.system
        trees = read_reference(example)
        actions = None if trees is None else oracle_actions(system, trees.heads, trees.labels, trees.starts)
        if actions is None:
            trees = self._complete(example)
            if trees is None:
                return None
            actions = oracle_actions(system, trees.heads, trees.labels, trees.starts)
        if trees is None or actions is None or not len(actions):
            return None
        starts = np.zeros(len(example.predicted), dtype=bool)
        starts[trees.tokens[trees.starts]] = True
        constraints = keep_right_starts(self.get_constraints(example.predicted), starts)
        return Instance(self.get_columns(example.predicted, constraints)[0], actions)

    def _complete(self, example: Example) -> ReferenceTrees | None:
        """Known parts of trees, completed by what the parser predicts now; None if nothing is known."""
        known = read_partial_trees(example)
        if known is None:
            return None
        system = self.perceptron.system
        lacking = [i for i, arc in enumerate(known.name_arcs()) if arc is not None and arc not in system.actions]
        if lacking:
            self.warn_once(Warnings.JW03, label=known.labels[lacking[0]])
            known = known.forget(lacking)
        constraints = self.get_constraints(example.predicted)
        constraints[known.tokens[known.starts != 0]] = known.starts[known.starts != 0]
        columns, tokens = self.get_columns(example.predicted, constraints)
        actions = self.perceptron.predict_while_learning(columns)
        heads, labels, starts = system.build(actions, len(tokens))
        return complete(known, heads, labels, starts, system.actions)

    def get_constraints(self, doc: Doc) -> np.ndarray:
        """Preset boundaries and blank lines (int8, one per token): 1 must, -1 must not, 0 may start a sentence."""
        constraints = read_starts(doc)
        if self.cfg["blank_lines"]:
            constraints[find_after_blank_lines(doc)[:-1] & (constraints == 0)] = 1
        return constraints

    def read(self, tokens: np.ndarray, actions: np.ndarray) -> Parsed:
        """The trees that actions build."""
        return Parsed(tokens, *self.perceptron.system.build(actions, len(tokens)))

    def predict_doc(self, doc: Doc) -> Parsed:
        """The trees of a document, with margins and probabilities if requested."""
        calibration = self.calibration if self.cfg["boundary_probabilities"] else None
        if calibration is None and not self.cfg["boundary_margins"]:
            columns, tokens = self.get_columns(doc, self.get_constraints(doc))
            return self.read(tokens, self.search(columns))._replace(columns=columns)
        parsed, decisions = self.decide(doc)
        if self.cfg["boundary_margins"]:
            parsed = parsed._replace(margins=decisions.margins)
        if calibration is not None:
            if calibration.search != self._describe_search():
                self.warn_once(Warnings.JW41, settings=calibration.search)
            parsed = parsed._replace(probabilities=calibration.predict(decisions))
        return parsed

    def decide(self, doc: Doc) -> tuple[Parsed, Decisions]:
        """The trees of a document, and what decided about its boundaries."""
        constraints = self.get_constraints(doc)
        columns, tokens = self.get_columns(doc, constraints)
        actions, (parents, taken, gaps) = self.perceptron.trace(columns)
        parsed = self.read(tokens, actions)._replace(columns=columns)
        is_open = constraints[tokens] == 0
        # The first word starts a sentence anyway.
        is_open[:1] = False
        kinds = np.full(len(tokens), KINDS["any"])
        if STYLE in self.perceptron.templates.columns:
            kinds = self.get_values(doc)[0][:, self.perceptron.templates.columns.index(STYLE)]
        guide = read_numbers(doc, GUIDE_BOUNDARY)[tokens] if self._reads_odds else None
        margins = boundary_margins(parents, taken, gaps, len(tokens))
        return parsed, Decisions(parsed.starts, margins, is_open, kinds, guide)

    @property
    def _reads_odds(self) -> bool:
        return GUIDE_BOUNDARY in self.custom_columns.names

    @property
    def calibration(self) -> Calibration | None:
        """What turns margins into probabilities; None if the parser has not been calibrated since it last learnt."""
        stored = self.cfg.get(CALIBRATION)
        return None if stored is None else Calibration.from_dict(stored, guided=self._reads_odds)

    def calibrate(self, documents: Sequence[Decisions], gold: Sequence[np.ndarray]) -> None:
        """Calibrates the parser on documents that it was not trained on, see `fit_calibration`."""
        self.cfg[CALIBRATION] = fit_calibration(documents, gold, self._describe_search()).to_dict()

    def _describe_search(self) -> dict[str, Any]:
        """The settings that margins depend on."""
        return {"beam_width": self.perceptron.beam_width, **{setting: self.cfg[setting] for setting in BIASES}}

    def forget_predictions(self) -> None:
        """Drops the calibration, because the weights change."""
        super().forget_predictions()
        self.cfg.pop(CALIBRATION, None)

    def _take_cfg(self, content: bytes, source: str) -> None:
        super()._take_cfg(content, source)
        # It is read for each document, and checked here.
        with report_damage(source, "cfg"):
            _ = self.calibration

    def _annotate_margins(self, doc: Doc, tokens: np.ndarray, starts: np.ndarray, margins: np.ndarray) -> None:
        """Writes the margin of the decision about each token."""
        ahead = np.nan_to_num(np.where(starts, margins, -margins), nan=np.inf)
        for token, margin in zip(tokens.tolist(), ahead.tolist(), strict=True):
            doc[token]._.set(MARGIN, margin)

    def _annotate_probabilities(self, doc: Doc, tokens: np.ndarray, probabilities: np.ndarray) -> None:
        """Writes the probability that each token starts a sentence."""
        for token, probability in zip(tokens.tolist(), probabilities.tolist(), strict=True):
            doc[token]._.set(PROBABILITY, None if np.isnan(probability) else probability)

    def beam_parse(self, doc: Doc, n_best: int = 1) -> list[Analysis]:
        """The best analyses of a document that the beam finds.

        doc (Doc): The document, with the annotation that the parser needs (tags, preset boundaries). It is not
            modified.
        n_best (int): The number of analyses. The beam is widened, up to 1024 items, until it holds as many.
        RETURNS (list[Analysis]): Annotated copies of the document and their scores, best first. No two have the same
            boundaries, heads and labels. There may be fewer than `n_best`.
        RAISES ValueError: If `n_best` is not positive, or the component has been neither trained nor loaded.
        """
        if n_best < 1:
            raise JointValueError(Errors.J307, value=n_best)
        self.require_trained()
        columns, tokens = self.get_columns(doc, self.get_constraints(doc))
        width = max(self.perceptron.beam_width, min(n_best, MAX_WIDTH))
        best = self._find_all(columns, tokens, width)
        while len(best) < n_best and width < MAX_WIDTH:
            width = min(2 * width, MAX_WIDTH)
            best = self._find_all(columns, tokens, width)
        analyses = []
        for parsed, score in best[:n_best]:
            copy = doc.copy()
            self.annotate(copy, parsed)
            analyses.append(Analysis(copy, score))
        return analyses

    def _find_all(self, columns: Columns, tokens: np.ndarray, width: int) -> list[tuple[Parsed, float]]:
        """The different analyses that a beam holds, and their scores, best first."""
        # Several paths may build the same trees: the best one counts.
        best: dict[bytes, tuple[Parsed, float]] = {}
        for actions, score in self.perceptron.predict_all(columns, width):
            parsed = self.read(tokens, actions)
            best.setdefault(parsed.heads.tobytes() + "\n".join(parsed.labels).encode("utf8"), (parsed, score))
        return list(best.values())

    def scored_parses(self, parses: Iterable[Parsed]) -> tuple[list[HeadScores], list[LabelScores]]:
        """How much of the beam agrees on each head and label, as with spaCy's `beam_parser`.

        parses (Iterable[Parsed]): The result of `predict`.
        RETURNS (tuple[list[HeadScores], list[LabelScores]]): For each document, a share from 0 to 1 for each (token,
            head) and each (token, label); 0 for any other. Analyses in the beam are weighted by the exponential of
            their score, so the shares are not calibrated: they rank better than they estimate.
        """
        all_heads, all_labels = [], []
        for parsed in parses:
            heads, labels = HeadScores(float), LabelScores(float)
            tokens = parsed.tokens.tolist()
            for analysis, share in self._share(parsed):
                for token, head, label in zip(tokens, analysis.heads.tolist(), analysis.labels, strict=True):
                    heads[token, tokens[head]] += share
                    labels[token, label] += share
            all_heads.append(heads)
            all_labels.append(labels)
        return all_heads, all_labels

    def _share(self, parsed: Parsed) -> Iterator[tuple[Parsed, float]]:
        """The analyses that the beam holds, and their shares."""
        if parsed.columns is None:
            yield parsed, 1.0
            return
        analyses = self._find_all(parsed.columns, parsed.tokens, self.perceptron.beam_width)
        shares = np.exp([score - analyses[0][1] for _, score in analyses])
        yield from zip((analysis for analysis, _ in analyses), (shares / shares.sum()).tolist(), strict=True)

    def annotate(self, doc: Doc, prediction: Parsed) -> None:
        """Writes heads and labels; the sentence starts that spaCy derives from them are those of the actions."""
        # The vocabulary is another one if the parser has been sourced from another pipeline.
        use_noun_chunks(doc, noun_chunks)
        if not len(doc):
            return
        tokens, heads, names, starts, margins, probabilities, _ = prediction
        ids = self.get_label_ids(doc, names)
        labels = np.array([ids[name] for name in names], dtype=np.uint64)
        first = starts
        if len(tokens) < len(doc):
            heads, labels, first = self._add_whitespace(doc, tokens, heads, labels, starts)
        _set_trees(doc, heads, labels)
        # spaCy finds the edges of subtrees in a bounded number of passes. It would split sentences with too many
        # crossing arcs, so these are flattened.
        wrong = np.flatnonzero((doc.to_array([SENT_START]) == 1) != first)
        if len(wrong):
            sentences = np.cumsum(first)
            roots = np.flatnonzero(heads == np.arange(len(doc)))
            flat = np.isin(sentences, sentences[np.concatenate([wrong, wrong - 1])])
            heads = heads.copy()
            heads[flat] = roots[sentences[flat] - 1]
            _set_trees(doc, heads, labels)
        if margins is not None:
            self._annotate_margins(doc, tokens, starts, margins)
        if probabilities is not None:
            self._annotate_probabilities(doc, tokens, probabilities)

    def _add_whitespace(
        self, doc: Doc, tokens: np.ndarray, heads: np.ndarray, labels: np.ndarray, starts: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Extends heads, labels and starts to whitespace tokens."""
        strings = doc.vocab.strings
        all_heads = np.zeros(len(doc), dtype=np.int64)
        all_labels = np.full(len(doc), strings.add(NO_LABEL), dtype=np.uint64)
        first = np.zeros(len(doc), dtype=bool)
        first[[0, *tokens[1:][starts[1:]]]] = True
        if len(tokens):
            # Whitespace is attached to the preceding token, or, if there is none, to the first.
            all_heads = tokens[np.maximum(np.searchsorted(tokens, np.arange(len(doc)), side="right") - 1, 0)]
            all_heads[tokens] = tokens[heads]
            all_labels[tokens] = labels
        else:
            all_labels[0] = strings.add(self.cfg["labels"]["root"][0])
        return all_heads, all_labels, first

    def stream(self, tokens: Iterable[Doc | Token], *, max_delay: int | None = MAX_DELAY) -> Iterator[Span]:
        """Splits a streamed document into sentences and parses them, in bounded memory.

        A sentence is yielded as soon as all items of the beam agree on it, so that nothing that follows can change it.
        The tokens must have tags, as yielded by `sequence_tagger.stream`. Tokens for a parser with columns come in
        documents that have these; those of a guide are yielded by `parser_guide.stream`.

        tokens (Iterable[Doc | Token]): The document in pieces, or token by token.
        max_delay (int | None): The maximum number of words that are held back. Beyond it, only the best analysis is
            kept, and if this does not end the sentence, the next piece starts another one. None means no limit.
        YIELDS (Span): The sentences; without forced decisions, they are those of a call on the whole document.
        RAISES ValueError: If `max_delay` is not positive (J309), or columns are missing (J614, J659).
        """
        document = OpenDocument(self, max_delay)
        system = self.perceptron.system
        # The final actions of the current sentence.
        rest = np.zeros(0, dtype=np.uint16)
        must_start = False
        for piece in cut_into_pieces(tokens, self.vocab, min(PIECE, max_delay or PIECE)):
            n_words, done, rest = system.split(np.concatenate([rest, document.feed(piece, must_start)]))
            must_start = False
            if n_words:
                yield from self._take(document, n_words, done)
            while document.n_late:
                _, best, _ = system.split(np.concatenate([rest, document.stream.best()]), max_sentences=1)
                if not len(best):
                    must_start = True
                    break
                decided = np.concatenate([rest, document.stream.decide(len(best) - len(rest))])
                n_words, done, rest = system.split(decided)
                if n_words:
                    yield from self._take(document, n_words, done)
        n_words, done, _ = system.split(np.concatenate([rest, document.end()]))
        # Without words, there may be whitespace.
        if len(document.rows):
            yield from self._take(document, n_words, done)

    def _take(self, document: OpenDocument, n_words: int, actions: np.ndarray) -> Iterator[Span]:
        doc, words = document.take(n_words)
        self.annotate(doc, self.read(words, actions))
        # At once: whoever takes them may merge tokens.
        yield from list(doc.sents)


def _set_trees(doc: Doc, heads: np.ndarray, labels: np.ndarray) -> None:
    # Transposed, because spaCy transposes it again.
    columns = np.empty((2, len(doc)), dtype=np.uint64)
    columns[0] = heads - np.arange(len(doc))
    columns[1] = labels
    doc.from_array([HEAD, DEP], columns.T)  # type: ignore[arg-type]  # wrong in its stub
