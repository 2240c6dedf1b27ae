"""`joint_sbd_parser`: sentence boundaries and dependency trees of a whole document, jointly, as a spaCy component.

Preset boundaries are kept: `Token.is_sent_start` True forces one, False forbids one, None leaves it open, unless layout
decides it (`layout.py`). A sentence is always exactly the subtree of its single root, even after `to_bytes`, where
spaCy derives boundaries from trees. Whitespace is attached to the preceding token (at the start of a document, to the
next one) and never forms a sentence.
"""

from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from spacy.attrs import DEP, HEAD, SENT_START
from spacy.tokens import Doc, Span, Token
from spacy.training import Example
from spacy.vocab import Vocab
from thinc.api import Model

from ..annotation import multiword_tokens  # noqa: F401  # registers Token._.ud_words for all parsed documents
from ..annotation.custom_columns import GUIDE_BOUNDARY, GUIDE_HEAD, PAUSE
from ..annotation.extensions import register
from ..annotation.glossary import extend_glossary
from ..annotation.noun_chunks import use_noun_chunks, use_noun_chunks_in
from ..annotation.sentences import MARGIN, PROBABILITY
from ..engine.beam import MAX_WIDTH
from ..engine.columns import Columns
from ..engine.learner import Instance
from ..errors import Warnings, check_range, report_damage
from ..pipes.component_files import uses_parts
from ..pipes.custom_columns import read_numbers
from ..pipes.guide_columns import find_guide_info
from ..pipes.marks import CLOSED, COMMA, N_VALUES, UNMARKED, WORD
from ..pipes.streaming import MAX_DELAY, PIECE, OpenDocument, SentenceStreamingPipe, cut_into_pieces
from ..pipes.structured_pipe import StructuredPipe
from ..pipes.token_columns import (
    BEFORE,
    PUNCTUATED,
    STYLE,
    UNPUNCTUATED,
    drop_wrong_starts,
    find_line_starts,
    read_starts,
)
from .calibration import KINDS, Calibration, Decisions, fit_calibration
from .layout import count_open_words, find_layouts
from .margins import boundary_margins
from .noun_chunks import noun_chunks
from .oracle import oracle_actions
from .partial_trees import complete, read_partial_trees
from .reference_trees import NO_LABEL, ReferenceTrees, read_reference
from .system import GUIDE_SLOTS, SB_ACTION, JointSystem

# The label for roots, in `add_label`.
ROOT = "ROOT"
# Settings: the biases of all boundaries, of unmarked ones in text with and without punctuation, and of marked ones.
BIASES = ("boundary_bias", "punctuated_bias", "unpunctuated_bias")
MARKED_BIAS = "marked_bias"
# Biases of unmarked boundaries in text without punctuation by a column of numbers, and the number that changes nothing:
# seconds, log-odds.
COLUMN_BIASES = {"pause_bias": (PAUSE, 0.25), "guide_bias": (GUIDE_BOUNDARY, 0.0)}
# The key of a calibration in the cfg.
CALIBRATION = "calibration"

extend_glossary()
for attribute in (MARGIN, PROBABILITY):
    register(Token, attribute, default=None)

# Shares of the analyses in a beam, by token and head, and by token and label.
HeadScores = defaultdict[tuple[int, int], float]
LabelScores = defaultdict[tuple[int, str], float]


class Analysis(NamedTuple):
    """An analysis of a document and its score. Scores are comparable for the same document only."""

    doc: Doc
    score: float


class DependencyTrees(NamedTuple):
    """The trees of a document, with one item for each token that is not whitespace."""

    tokens: np.ndarray
    heads: np.ndarray  # positions among these tokens; a root is its own head
    labels: list[str]
    starts: np.ndarray
    # If requested: see margins.pyx and calibration.py.
    margins: np.ndarray | None = None
    probabilities: np.ndarray | None = None
    # The columns searched, for `scored_parses`; None for streamed documents.
    columns: Columns | None = None


class JointSbdParser(StructuredPipe[DependencyTrees], SentenceStreamingPipe):
    """Splits documents into sentences and parses them in a single search."""

    default_templates = Path(__file__).parent / "templates.txt"
    trained_settings = ("sb_position",)
    coarse_templates = Path(__file__).parent / "coarse_templates.txt"
    guide_templates = Path(__file__).parent / "guide_templates.txt"
    guide_slots = GUIDE_SLOTS
    learns_boundaries = True

    def __init__(self, vocab: Vocab, model: Model, name: str, **settings: Any) -> None:
        super().__init__(vocab, model, name, **settings)
        use_noun_chunks_in(vocab, noun_chunks)

    def collect_labels(self, examples: Iterable[Example]) -> dict[str, list[str]]:
        """Collects the labels of left arcs, right arcs and roots, under "left", "right" and "root"."""
        labels: dict[str, set[str]] = {"left": set(), "right": set(), "root": set()}
        for example in examples:
            trees = read_reference(example) or read_partial_trees(example)
            for kind, label in () if trees is None else filter(None, trees.name_arcs()):
                labels[kind.lower()].add(label)
        # A treebank with only one-word sentences has no arcs, but other text does.
        if labels["root"] and not (labels["left"] or labels["right"]):
            labels["right"].add(NO_LABEL)
        return {kind: sorted(kind_labels) for kind, kind_labels in labels.items()}

    def flatten_labels(self, labels: dict[str, list[str]]) -> tuple[str, ...]:
        """Lists all labels of arcs and roots, sorted."""
        return tuple(sorted({*labels["left"], *labels["right"], *labels["root"]}))

    def extend_labels(self, labels: dict[str, list[str]] | None, added: Sequence[str]) -> dict[str, list[str]]:
        """Adds labels for arcs in both directions; "ROOT" is for roots, and is added if they have no label."""
        labels = labels or {"left": [], "right": [], "root": []}
        if not added:
            return labels
        arcs = {label for label in added if label.upper() != ROOT}
        roots = {*labels["root"], *(set(added) - arcs)} or {ROOT}
        return {**{kind: sorted(arcs.union(labels[kind])) for kind in ("left", "right")}, "root": sorted(roots)}

    def make_system(self, labels: dict[str, list[str]]) -> JointSystem:
        """Makes the joint system with these labels."""
        return JointSystem(labels["left"], labels["right"], labels["root"], self.cfg["sb_position"], self.has_guide)

    @property
    def has_guide(self) -> bool:
        """Whether the settings have the column with the heads of a guide."""
        return GUIDE_HEAD in self.custom_columns.names

    def find_token_info(self, doc: Doc, tokens: np.ndarray) -> np.ndarray | None:
        """Finds the heads that a guide predicts."""
        return find_guide_info(read_numbers(doc, GUIDE_HEAD), tokens) if self.has_guide else None

    def _set_up(self, labels: dict[str, list[str]], templates: str) -> None:
        super()._set_up(labels, templates)
        self.set_biases({})

    def set_biases(self, changed: Mapping[str, float]) -> None:
        """Changes settings with biases."""
        self.cfg.update(changed)
        atoms, table = self._make_biases()
        self.perceptron.biases = {SB_ACTION: ([f"b0.{column}" for column in atoms], table)}
        self.perceptron.forget_searches()

    def _make_biases(self) -> tuple[list[str], np.ndarray]:
        """Makes the biases of boundaries: the columns of the word after them, and a table with a dimension for each."""
        overall, *by_style = (self.cfg[setting] for setting in BIASES)
        columns = self.perceptron.templates.columns
        # Templates that read neither cannot tell kinds of text apart.
        if overall is not None or not {BEFORE, STYLE}.intersection(columns):
            return [], np.full((), overall or 0.0)
        if BEFORE not in columns:
            table = np.zeros(max(PUNCTUATED, UNPUNCTUATED) + 1)
            table[[PUNCTUATED, UNPUNCTUATED]] = by_style
            return [STYLE], table
        table, atoms = np.full(N_VALUES, float(self.cfg[MARKED_BIAS])), [BEFORE]
        for marks, bias in zip(((WORD, COMMA), (UNMARKED,)), by_style, strict=True):
            table[np.add.outer(marks, CLOSED)] = bias
        for setting, (column, neutral) in COLUMN_BIASES.items():
            edges = self.custom_columns.edges.get(column)
            if self.cfg[setting] and column in columns and edges is not None:
                atoms.append(column)
                table = _add_bins(table, edges, neutral, self.cfg[setting])
        return atoms, table

    def make_instances(self, example: Example) -> list[Instance]:
        """Makes an instance of the oracle's actions for the reference, with predictions for its unknown parts; none if
        it has no annotation."""
        for read in (read_reference, self._complete):
            trees = read(example)
            actions = trees and oracle_actions(self.perceptron.system, trees.heads, trees.labels, trees.starts)
            if actions is not None:
                break
        if trees is None or actions is None or not len(actions):
            return []
        starts = np.zeros(len(example.predicted), dtype=bool)
        starts[trees.tokens[trees.starts]] = True
        constraints = drop_wrong_starts(self.get_constraints(example.predicted), starts)
        return [Instance(self.get_columns(example.predicted, constraints)[0], actions)]

    def _complete(self, example: Example) -> ReferenceTrees | None:
        """Completes known parts of trees by the current prediction; None if nothing is known."""
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
        heads, labels, starts = system.build(self.perceptron.predict_while_learning(columns), len(tokens))
        return complete(known, heads, labels, starts, system.actions)

    def get_constraints(self, doc: Doc) -> np.ndarray:
        """Returns preset boundaries and layout (int8, one per token): 1 must, -1 must not, 0 may start a sentence."""
        return self.list_constraints([doc])[0]

    def list_constraints(self, docs: Sequence[Doc]) -> list[np.ndarray]:
        """Returns the constraints of documents with one vocabulary: see `get_constraints`."""
        found = list(map(read_starts, docs))
        if self.cfg["line_breaks"]:
            for doc, constraints in zip(docs, found, strict=True):
                constraints[(constraints == 0) & find_line_starts(doc)] = 1
        if not self.cfg["layout"]:
            return found
        settings = {name: self.cfg[name] for name in ("blank_lines", "lower_case_starts")}
        # Guides know titles better than this rule, which also joins lines whose breaks a corpus has lost.
        settings["joins_titles"] = GUIDE_BOUNDARY not in self.custom_columns.names
        layouts = find_layouts(docs, **settings)
        return [np.where(preset, preset, layout) for preset, layout in zip(found, layouts, strict=True)]

    @property
    def ends_lines(self) -> bool:
        """Whether sentences end where lines do, by the setting `line_breaks`."""
        return bool(self.cfg["line_breaks"])

    def count_open_words(self, doc: Doc) -> int:
        """Counts the words at the end of a document whose constraints can depend on later words."""
        return count_open_words(doc) if self.cfg["layout"] else 0

    def build(self, tokens: np.ndarray, actions: np.ndarray) -> DependencyTrees:
        """Builds trees from actions."""
        return DependencyTrees(tokens, *self.perceptron.system.build(actions, len(tokens)))

    def predict_all(self, docs: Sequence[Doc]) -> list[DependencyTrees]:
        """Predicts the trees of documents, with margins and probabilities if requested."""
        calibration = self.calibration if self.cfg["boundary_probabilities"] else None
        if calibration is not None or self.cfg["boundary_margins"]:
            return [self._predict_decisions(doc, calibration) for doc in docs]
        found = self.search_all(docs)
        return [self.build(tokens, actions)._replace(columns=columns) for tokens, actions, columns in found]

    def _predict_decisions(self, doc: Doc, calibration: Calibration | None) -> DependencyTrees:
        """Predicts the trees of a document, with margins and probabilities as requested."""
        parsed, decisions = self.decide(doc)
        if self.cfg["boundary_margins"]:
            parsed = parsed._replace(margins=decisions.margins)
        if calibration is not None:
            if calibration.search != self._describe_search():
                self.warn_once(Warnings.JW41, settings=calibration.search)
            parsed = parsed._replace(probabilities=calibration.predict(decisions))
        return parsed

    @uses_parts
    def find_start_probability(self, doc: Doc) -> float | None:
        """Returns the probability that the last word of a document starts a sentence; None if the parser is not
        calibrated for this kind of text. The document is not modified."""
        if self.calibration is None:
            return None
        _, decisions = self.decide(doc)
        if not decisions.is_open[-1:].any():
            return float(decisions.starts[-1]) if len(decisions.starts) else None
        probability = float(self.calibration.predict(decisions)[-1])
        return None if np.isnan(probability) else probability

    def decide(self, doc: Doc) -> tuple[DependencyTrees, Decisions]:
        """Predicts the trees of a document, and returns the decisions about its boundaries, too."""
        constraints = self.get_constraints(doc)
        values, tokens = self.get_values(doc)
        columns = self.make_columns(doc, values, tokens, constraints)
        actions, (parents, taken, gaps) = self.perceptron.trace(columns)
        parsed = self.build(tokens, actions)._replace(columns=columns)
        is_open = constraints[tokens] == 0
        # The first word always starts a sentence.
        is_open[:1] = False
        names = self.perceptron.templates.columns
        kinds = values[:, names.index(STYLE)] if STYLE in names else np.full(len(tokens), KINDS["any"])
        guide = read_numbers(doc, GUIDE_BOUNDARY)[tokens] if GUIDE_BOUNDARY in self.custom_columns.names else None
        margins = boundary_margins(parents, taken, gaps, len(tokens))
        return parsed, Decisions(parsed.starts, margins, is_open, kinds, guide)

    @property
    def calibration(self) -> Calibration | None:
        """The calibration, which turns margins into probabilities; None if the parser was not calibrated since it last
        learnt."""
        stored = self.cfg.get(CALIBRATION)
        is_guided = GUIDE_BOUNDARY in self.custom_columns.names
        return None if stored is None else Calibration.from_dict(stored, guided=is_guided)

    def calibrate(self, documents: Sequence[tuple[Decisions, np.ndarray]]) -> None:
        """Calibrates the parser on documents that it was not trained on, see `fit_calibration`."""
        self.cfg[CALIBRATION] = fit_calibration(documents, self._describe_search()).to_dict()

    def _describe_search(self) -> dict[str, Any]:
        """Returns the settings that margins depend on."""
        # Calibrations of earlier versions lack the last ones.
        others = {setting: self.cfg[setting] for setting in (MARKED_BIAS, *COLUMN_BIASES) if self.cfg[setting]}
        biases = {setting: self.cfg[setting] for setting in BIASES}
        return {"beam_width": self.perceptron.beam_width, **biases, **others}

    def forget_predictions(self) -> None:
        """Drops the calibration, because the weights change."""
        super().forget_predictions()
        self.cfg.pop(CALIBRATION, None)

    def _take_cfg(self, content: Any, source: str) -> Any:
        digest = super()._take_cfg(content, source)
        # The calibration is read for each document, and checked here.
        with report_damage(source, "cfg"):
            _ = self.calibration
        return digest

    @uses_parts
    def beam_parse(self, doc: Doc, n_best: int = 1, *, other_boundaries: bool = False) -> list[Analysis]:
        """Returns the best analyses of a document that the beam finds.

        doc (Doc): The document, with tags and any preset boundaries. It is not modified.
        n_best (int): The number of analyses. The beam is widened, up to 1024 items, until it holds as many.
        other_boundaries (bool): Whether all analyses must differ in boundaries. Each one after the best has the
            opposite decision at one of the boundaries with the smallest margins, at the cost of a search each.
        RETURNS (list[Analysis]): Annotated copies of the document and their scores, best first; no two have the same
            boundaries, heads and labels, and there may be fewer.
        RAISES ValueError: If `n_best` is not positive, or the component has been neither trained nor loaded.
        """
        check_range("n_best", n_best, 1)
        self.require_trained()
        if other_boundaries:
            best = self._vary_boundaries(doc, n_best)
        else:
            columns, tokens = self.get_columns(doc, self.get_constraints(doc))
            width = max(self.perceptron.beam_width, min(n_best, MAX_WIDTH))
            while len(best := self._find_all(columns, tokens, width)) < n_best and width < MAX_WIDTH:
                width = min(2 * width, MAX_WIDTH)
        analyses = [Analysis(doc.copy(), score) for _, score in best[:n_best]]
        for analysis, (parsed, _) in zip(analyses, best, strict=False):
            self.annotate(analysis.doc, parsed)
        return analyses

    def _vary_boundaries(self, doc: Doc, n_best: int) -> list[tuple[DependencyTrees, float]]:
        """Finds the best analysis and those with the opposite decision at one boundary, with their scores, best
        first."""
        constraints = self.get_constraints(doc)
        values, tokens = self.get_values(doc)
        parsed, decisions = self.decide(doc)
        margins = np.where(decisions.is_open, np.nan_to_num(decisions.margins, nan=np.inf), np.inf)
        closest = np.argsort(margins, kind="stable")[: n_best - 1]
        found = []
        for index in (None, *closest[np.isfinite(margins[closest])].tolist()):
            varied = constraints.copy()
            if index is not None:
                varied[tokens[index]] = -1 if parsed.starts[index] else 1
            columns = self.make_columns(doc, values, tokens, varied)
            found += self._find_all(columns, tokens, self.perceptron.beam_width)[:1]
        distinct = {analysis.starts.tobytes(): (analysis, score) for analysis, score in reversed(found)}
        return sorted(distinct.values(), key=lambda pair: -pair[1])

    def _find_all(self, columns: Columns, tokens: np.ndarray, width: int) -> list[tuple[DependencyTrees, float]]:
        """Finds the different analyses that a beam holds, and their scores, best first."""
        # Several derivations may build the same trees: the best one counts.
        best: dict[bytes, tuple[DependencyTrees, float]] = {}
        for actions, score in self.perceptron.predict_all(columns, width):
            parsed = self.build(tokens, actions)
            best.setdefault(parsed.heads.tobytes() + "\n".join(parsed.labels).encode("utf8"), (parsed, score))
        return list(best.values())

    def scored_parses(self, parses: Iterable[DependencyTrees]) -> tuple[list[HeadScores], list[LabelScores]]:
        """Measures how much of the beam agrees on each head and label, as with spaCy's `beam_parser`.

        parses (Iterable[DependencyTrees]): The result of `predict`.
        RETURNS (tuple[list[HeadScores], list[LabelScores]]): For each document, a share from 0 to 1 for each (token,
            head) and each (token, label). Analyses are weighted by the exponential of their score, so the shares are
            not calibrated: they rank better than they estimate.
        """
        all_heads, all_labels = [], []
        for parsed in parses:
            columns, width = parsed.columns, self.perceptron.beam_width
            analyses = [(parsed, 0.0)] if columns is None else self._find_all(columns, parsed.tokens, width)
            shares = np.exp([score - analyses[0][1] for _, score in analyses])
            heads, labels = HeadScores(float), LabelScores(float)
            tokens = parsed.tokens.tolist()
            for (analysis, _), share in zip(analyses, (shares / shares.sum()).tolist(), strict=True):
                for token, head, label in zip(tokens, analysis.heads.tolist(), analysis.labels, strict=True):
                    heads[token, tokens[head]] += share
                    labels[token, label] += share
            all_heads.append(heads)
            all_labels.append(labels)
        return all_heads, all_labels

    def annotate(self, doc: Doc, prediction: DependencyTrees) -> None:
        """Writes heads and labels, from which spaCy derives the sentence starts of the actions."""
        # A parser that was sourced from another pipeline gets documents with another vocabulary.
        use_noun_chunks(doc, noun_chunks)
        if not len(doc):
            return
        tokens, heads, names, starts, margins, probabilities, _ = prediction
        ids = self.get_label_ids(doc, names)
        labels = np.array([ids[name] for name in names], dtype=np.uint64)
        heads, labels, first = self._add_whitespace(doc, tokens, heads, labels, starts)
        _set_trees(doc, heads, labels)
        # spaCy would split sentences with too many crossing arcs, so these are flattened.
        wrong = np.flatnonzero((doc.to_array([SENT_START]) == 1) != first)
        if len(wrong):
            sentences = np.cumsum(first)
            roots = np.flatnonzero(heads == np.arange(len(doc)))
            flat = np.isin(sentences, sentences[np.concatenate([wrong, np.maximum(wrong - 1, 0)])])
            heads = heads.copy()
            heads[flat] = roots[sentences[flat] - 1]
            _set_trees(doc, heads, labels)
        if margins is not None:
            _write(doc, tokens, MARGIN, np.nan_to_num(np.where(starts, margins, -margins), nan=np.inf).tolist())
        if probabilities is not None:
            known = [None if np.isnan(probability) else probability for probability in probabilities.tolist()]
            _write(doc, tokens, PROBABILITY, known)

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
        """Splits a streamed document into sentences and parses them, in bounded memory. Yields a sentence as soon as
        all items of the beam agree on it, so that later tokens cannot change it.

        tokens (Iterable[Doc | Token]): The document in pieces, or token by token, with tags, as yielded by
            `sequence_tagger.stream`. A parser with custom columns needs documents that have these;
            `parser_guide.stream` yields those of a guide.
        max_delay (int | None): The number of words after a sentence of the best analysis at which it is yielded and all
            other analyses are dropped. A sentence of more than 10,000 words (or `max_delay`, if that is more) ends
            where the next piece begins. None: no limit.
        YIELDS (Span): The sentences; without forced decisions, they are those of a call on the whole document.
        RAISES ValueError: If `max_delay` is not positive (J030), or columns are missing (J614, J659).
        """
        document = OpenDocument(self, max_delay)
        system = self.perceptron.system
        # The final actions of the current sentence.
        rest = np.zeros(0, dtype=np.uint16)
        must_start = False
        for piece in cut_into_pieces(tokens, self.vocab, min(PIECE, max_delay or PIECE)):
            rest = yield from self._yield_sentences(document, np.concatenate([rest, document.feed(piece, must_start)]))
            must_start = False
            while document.n_late:
                n_words, best, _ = system.split(np.concatenate([rest, document.stream.best()]), max_sentences=1)
                is_full = len(document.words) > max(max_delay or 0, MAX_DELAY)
                if not (is_full or 0 < n_words <= document.n_late):
                    break
                if not n_words:
                    must_start = True
                    break
                decided = document.stream.decide(len(best) - len(rest))
                rest = yield from self._yield_sentences(document, np.concatenate([rest, decided]))
        yield from self._yield_sentences(document, np.concatenate([rest, document.end()]))

    def _yield_sentences(self, document: OpenDocument, actions: np.ndarray) -> Generator[Span, None, np.ndarray]:
        """Yields the finished sentences of a derivation, and returns the remaining actions."""
        n_words, done, rest = self.perceptron.system.split(actions)
        # At the end there may be whitespace without words.
        if n_words or (document.stream.ended and len(document.rows)):
            doc, words = document.pop_words(n_words)
            self.annotate(doc, self.build(words, done))
            # All are made before the first is yielded, since callers may merge its tokens.
            yield from list(doc.sents)
        return rest


def _write(doc: Doc, tokens: np.ndarray, attribute: str, values: Sequence[float | None]) -> None:
    for token, value in zip(tokens.tolist(), values, strict=True):
        doc[token]._.set(attribute, value)


def _set_trees(doc: Doc, heads: np.ndarray, labels: np.ndarray) -> None:
    # Transposed, because spaCy transposes it again.
    columns = np.stack([(heads - np.arange(len(doc))).astype(np.uint64), labels])
    doc.from_array([HEAD, DEP], columns.T)  # type: ignore[arg-type]  # wrong in its stub


def _add_bins(table: np.ndarray, edges: np.ndarray, neutral: float, bias: float) -> np.ndarray:
    """Adds a dimension to a table of biases by `before`: the bins of a column (0: unknown). The first bin above that of
    `neutral` gets `bias`."""
    biases = np.repeat(table[..., np.newaxis], len(edges) + 2, axis=-1)
    n_above = np.arange(len(edges) + 1) - np.searchsorted(edges, neutral, side="right")
    biases[np.add(UNMARKED, CLOSED), ..., 1:] += bias * n_above
    return biases
