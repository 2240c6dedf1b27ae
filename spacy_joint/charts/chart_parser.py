"""`chart_parser`: the most probable phrase structure by a grammar that is estimated from trees, as a spaCy component.

`initialize` estimates the grammar in one pass; there are no updates. Documents need sentence boundaries. The result is
in `doc.spans["constituents"]`, with the attributes of `annotation/constituents.py`; `doc._.parse_stats` has one dict of
plain numbers per sentence about the search, which are saved with the document.
"""

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from spacy.language import Language
from spacy.pipeline import Pipe
from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.vocab import Vocab

from ..annotation.constituents import CONSTITUENTS, Phrase, get_trees, register_extensions, set_phrases
from ..annotation.extensions import register
from ..annotation.noun_chunks import chunk_constituents, use_noun_chunks, use_noun_chunks_in
from ..annotation.sentences import list_sentences
from ..errors import Errors, JointValueError, Warnings, check_choice, check_range, check_value, report_damage
from ..files.reading import read_text
from ..pipes.component_files import ComponentFiles, Parts
from ..pipes.examples import read_examples
from ..trees.constituency_trees import Tree, nest
from .boundaries import BoundaryModel
from .chart import MAX_WORDS
from .closing import KINDS, Closing
from .decoding import DECODINGS
from .grammar import Grammar, is_factored, strip_annotation
from .sentence_parser import Parse, SentenceParser
from .splitting import MAX_CYCLES
from .training import BOUNDARY, SEARCH, make_parser

GRAMMAR, BOUNDARIES = "grammar.txt", "boundaries"
TAGS = OWN, GIVEN = "own", "given"
MERITS = BOUNDARY, "inside"
NONE = "none"
# The lowest and the highest value of settings.
RANGES: dict[str, tuple[int, int | None]] = {
    "horizontal": (0, None),
    "split_cycles": (0, MAX_CYCLES),
    "width": (0, None),
    "max_span": (0, None),
    "max_words": (1, MAX_WORDS),
}
PARSE_STATS = "parse_stats"


class ChartParses(NamedTuple):
    """The words of a document, as tokens, and the parse and statistics of each sentence."""

    tokens: list[int]
    parses: list[Parse]
    stats: list[dict[str, Any]]


class ChartParserPipe(ComponentFiles, Pipe):
    """Parses sentences into constituents by a grammar. For the settings, see `make_chart_parser`. RAISES ValueError: If
    one is not allowed (J030, J040)."""

    # Closings are files with the names of their kinds.
    file_names = (GRAMMAR, BOUNDARIES, *KINDS)

    def __init__(
        self, vocab: Vocab, name: str = "chart_parser", *, scorer: Callable[..., dict[str, Any]] | None, **settings: Any
    ) -> None:
        closure = settings["closure"]
        kinds, allowed_kinds = ([closure], (*KINDS, NONE)) if isinstance(closure, str) else (closure, tuple(KINDS))
        check_choice("tags", settings["tags"], TAGS)
        check_choice("figure_of_merit", settings["figure_of_merit"], MERITS)
        check_choice("decoding", settings["decoding"], DECODINGS)
        for setting, limits in RANGES.items():
            check_range(setting, settings[setting], *limits)
        for kind in kinds:
            check_choice("closure", kind, allowed_kinds)
        keep = settings["keep_open"]
        check_value("keep_open", keep, 0 < keep <= 1, "above 0 and at most 1")
        # In one order, so that the same models have the same bytes.
        self.settings = {**settings, "closure": [kind for kind in KINDS if kind in kinds]}
        use_noun_chunks_in(vocab, chunk_constituents)
        self.vocab, self.name, self.scorer = vocab, name, scorer
        self._parser: SentenceParser | None = None

    @property
    def parser(self) -> SentenceParser:
        """The parser of sentences. RAISES ValueError: If there is no grammar yet (J071)."""
        if self._parser is None:
            raise JointValueError(Errors.J071, name=self.name)
        return self._parser

    @property
    def grammar(self) -> Grammar:
        """The grammar. RAISES ValueError: If there is none yet (J071)."""
        return self.parser.grammar

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of constituents, sorted."""
        if self._parser is None:
            return ()
        symbols = {rule.parent for rule in self.grammar.rules} - {self.grammar.root}
        return tuple(sorted({strip_annotation(symbol) for symbol in symbols if not is_factored(symbol)}))

    def initialize(
        self, get_examples: Callable[[], Iterable[Example]], *, nlp: Language | None = None, grammar: str | None = None
    ) -> None:
        """Estimates the grammar from the trees of all examples, or reads it.

        grammar (str | None): A text file with a grammar (see charts/grammar.py), instead of the examples.
        RAISES ValueError: If there are no trees (J330), or one cannot be learnt from (J672, J702, J703), or the file is
            not a grammar (J030, J666 to J674).
        """
        trees = [tree for example in read_examples(get_examples, self) for tree in _list_trees(example.reference)]
        given = None if grammar is None else Grammar.from_text(read_text(grammar), grammar)
        # spaCy has seeded numpy with the seed of the config.
        self._set_parser(make_parser(trees, self.settings, grammar=given, seed=int(np.random.randint(2**24))))

    def _set_parser(self, parser: SentenceParser | None) -> None:
        self._parser = parser
        for label in self.labels:
            self.vocab.strings.add(label)

    def __call__(self, doc: Doc) -> Doc:
        """Parses a document."""
        self.set_annotations([doc], self.predict([doc]))
        return doc

    def predict(self, docs: Iterable[Doc]) -> list[ChartParses]:
        """Parses documents, without modifying them.

        RAISES ValueError: If the component has no grammar (J071), or a sentence is too long (J700).
        """
        return [self._parse(doc) for doc in docs]

    def _parse(self, doc: Doc) -> ChartParses:
        parser = self.parser
        if len(doc) and not doc.has_annotation("SENT_START"):
            self.warn_once(Warnings.JW04)
        if len(doc) and self.settings["tags"] != OWN and not doc.has_annotation("TAG"):
            self.warn_once(Warnings.JW42)
        parsed = ChartParses([], [], [])
        for tokens in filter(None, map(_list_words, list_sentences(doc))):
            parse, stats = parser.parse(*self._read(doc, tokens))
            parsed.tokens.extend(tokens)
            parsed.parses.append(parse)
            parsed.stats.append({"start": tokens[0], "end": tokens[-1] + 1, **stats})
        return parsed

    def set_annotations(self, docs: Iterable[Doc], predictions: Iterable[ChartParses]) -> None:
        """Writes the predictions of `predict`."""
        for doc, (tokens, found, stats) in zip(docs, predictions, strict=True):
            # A component that was sourced from another pipeline gets documents with another vocabulary.
            use_noun_chunks(doc, chunk_constituents)
            phrases = [
                (len(parse.tags), [Phrase(label, [(start, end)]) for label, start, end in parse.constituents])
                for parse in found
            ]
            set_phrases(doc, phrases, tokens)
            doc._.set(PARSE_STATS, stats)
            if self.settings["tags"] == OWN:
                for token, tag in zip(tokens, chain.from_iterable(parse.tags for parse in found), strict=True):
                    doc[token].tag_ = tag

    def list_parses(self, span: Span, k: int) -> list[tuple[float, Tree]]:
        """Lists the trees of a sentence with the most probable derivations, best first, each with the natural logarithm
        of the probability of its best derivation. A tree has more than one if the grammar splits symbols (see
        splitting.py).

        span (Span): The sentence, which is parsed again.
        k (int): The number of trees. There are fewer if the chart, which `width` bounds, has no more.
        RAISES ValueError: If `k` is not from 1 to 1,000,000 (J030), or the sentence is too long (J700).
        """
        forms, tags = self._read(span.doc, _list_words(span))
        if not forms:
            return []
        listed: list[tuple[float, Tree]] = []
        for parse in self.parser.list_best(forms, k, tags):
            below = [(Tree(label), [(start, end)]) for label, start, end in parse.constituents]
            preterminals = [Tree(tag, word=form) for tag, form in zip(parse.tags, forms, strict=True)]
            assert parse.log_probability is not None
            listed.append((parse.log_probability, nest(Tree(self.grammar.root), below, preterminals)))
        return listed

    def _read(self, doc: Doc, tokens: Sequence[int]) -> tuple[list[str], list[str] | None]:
        words = [doc[token].text for token in tokens]
        return words, None if self.settings["tags"] == OWN else [doc[token].tag_ for token in tokens]

    # Files: the grammar as text, empty if there is none, and any models.

    def list_savers(self, exclude: Collection[str]) -> dict[str, Callable[[], bytes]]:
        """Lists functions that make the content of each file."""
        if self._parser is None:
            return {GRAMMAR: bytes}
        savers: dict[str, Callable[[], bytes]] = {GRAMMAR: self._parser.grammar.to_text().encode}
        if self._parser.boundaries is not None:
            savers[BOUNDARIES] = self._parser.boundaries.to_bytes
        for closing in self._parser.closings:
            savers[closing.kind] = closing.to_bytes
        return savers

    def load_parts(self, parts: Parts) -> None:
        """Loads the models that the settings need; settings can be overridden at loading.

        RAISES ValueError: If one of them is damaged (J001, J030, J050 to J052, J061, J666 to J682) or missing (J704).
        """
        if (grammar_part := parts.get(GRAMMAR)) is None:
            return
        with report_damage(parts.source, GRAMMAR):
            text = grammar_part.content.decode("utf8")
        if not text:
            self._set_parser(None)
            return

        def require(name: str) -> bytes:
            if (part := parts.get(name, required=False)) is None:
                raise JointValueError(Errors.J704, source=parts.source, part=name, name=self.name)
            return part.content

        has_boundaries = self.settings["figure_of_merit"] == BOUNDARY
        boundaries = BoundaryModel.from_bytes(require(BOUNDARIES)) if has_boundaries else None
        closings: list[Closing] = []
        for kind in self.settings["closure"]:
            closing = Closing.from_bytes(require(kind))
            if closing.kind != kind:
                raise JointValueError(Errors.J704, source=parts.source, part=kind, name=self.name)
            closings.append(closing)
        grammar = Grammar.from_text(text, f"{GRAMMAR} of {parts.source}")
        search = {setting: self.settings[setting] for setting in SEARCH}
        self._set_parser(SentenceParser(grammar, boundaries, closings, **search))


def _list_words(sentence: Span) -> list[int]:
    return [token.i for token in sentence if not token.text.isspace()]


def _list_trees(doc: Doc) -> list[Tree]:
    """Lists the trees of a reference; none if it has no constituents.

    RAISES ValueError: If one has words without tags (J702), or discontinuous constituents (J703).
    """
    if CONSTITUENTS not in doc.spans:
        return []
    trees = get_trees(doc)
    for tree in trees:
        for word in tree.preterminals():
            if not word.label:
                raise JointValueError(Errors.J702, word=word.word, words=" ".join(tree.leaves())[:80])
        if not tree.is_continuous:
            raise JointValueError(Errors.J703, words=" ".join(tree.leaves())[:80])
    return trees


def get_probability(span: Span) -> float | None:
    """Returns the natural logarithm of the probability of a sentence and its tree; None if a chart_parser has not
    parsed it as a sentence, or its grammar derives no tree for it."""
    words, stats = _list_words(span), span.doc._.get(PARSE_STATS) or []
    index = bisect_left(stats, words[0], key=lambda entry: int(entry["start"])) if words else len(stats)
    if index < len(stats) and (stats[index]["start"], stats[index]["end"]) == (words[0], words[-1] + 1):
        probability: float | None = stats[index]["log_probability"]
        return probability
    return None


register_extensions()
register(Doc, PARSE_STATS, default=None)
register(Span, "parse_probability", getter=get_probability)
