"""`chart_parser`: the most probable phrase structure by a grammar that is estimated from trees, as a spaCy component.

`initialize` estimates the grammar, in one pass; nothing is left for updates. Documents need sentence boundaries. The
result is in `doc.spans["constituents"]`, with the attributes of annotation/constituents.py and annotation/parses.py.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import srsly
from spacy.language import Language
from spacy.pipeline import Pipe
from spacy.tokens import Doc, Span
from spacy.training import Example, validate_get_examples
from spacy.vocab import Vocab

from .. import PRETRAINED
from ..annotation import parses
from ..annotation.constituency_trees import Tree, nest
from ..annotation.constituents import CONSTITUENTS, get_trees, register_extensions, set_phrases
from ..annotation.noun_chunks import chunk_constituents, use_noun_chunks, use_noun_chunks_in
from ..annotation.sentences import list_sentences
from ..errors import Errors, JointValueError, JointWarning, Message, Warnings
from ..files.reading import read_text, require_file
from ..files.replacing import replace_when_written
from ..pipes.structured_pipe import report_damage
from .chart.boundaries import BoundaryModel
from .chart.closing import KINDS, Closing
from .chart.constraints import MODES, ChartConstraints, check_mode
from .chart.estimation import check_settings
from .chart.grammar import Grammar, is_factored, strip_annotation
from .chart.sentence_parser import Parse, SentenceParser, check_search
from .chart.training import make_parser

GRAMMAR = "grammar.txt"
BOUNDARIES = "boundaries"
CONSTRAINTS = "constraints"
# Closings are files with the names of their kinds.
PARTS = (GRAMMAR, BOUNDARIES, *KINDS, CONSTRAINTS)
OWN = "own"
TAGS = (OWN, "given")
BOUNDARY = "boundary"
MERITS = (BOUNDARY, "inside")
NONE = "none"
# The settings of `prepare`; those of `estimate_grammar` have `split_cycles`, too.
ANNOTATION = ("branching", "horizontal", "parents", "tag_parents")
# Those of `SentenceParser`.
SEARCH = ("width", "max_span", "decoding", "max_words", "cut_long")


class Parsed(NamedTuple):
    """The trees of a document.

    tokens: The tokens that are not whitespace.
    parses: One per sentence.
    stats: Likewise, see annotation/parses.py.
    """

    tokens: list[int]
    parses: list[Parse]
    stats: list[dict[str, Any]]


class ChartParserPipe(Pipe):
    """Parses sentences into constituents by a grammar.

    vocab (Vocab): The vocabulary.
    name (str): The name of the component.
    scorer (Callable): The scorer.
    settings (Any): As in the config. `tags`: "own" (the grammar finds tags, which are written) or "given" (they are
        read). `figure_of_merit`: "boundary" or "inside". `closure`: "none", a kind of closing or several; `keep_open`,
        how they are learnt. `constraints`: "none" or a mode of chart constraints; `constraint_amount`, its amount, None
        for that of the mode. Those of `estimate_grammar` and `SentenceParser`.
    RAISES ValueError: If a setting is not allowed (J673, J698, J701).
    """

    def __init__(
        self, vocab: Vocab, name: str = "chart_parser", *, scorer: Callable[..., dict[str, Any]] | None, **settings: Any
    ) -> None:
        closure, mode, amount = (settings[key] for key in ("closure", "constraints", "constraint_amount"))
        kinds, allowed_kinds = ([closure], (*KINDS, NONE)) if isinstance(closure, str) else (closure, tuple(KINDS))
        choices: list[tuple[str, str, Sequence[str]]] = [
            ("tags", settings["tags"], TAGS),
            ("figure_of_merit", settings["figure_of_merit"], MERITS),
            *(("closure", kind, allowed_kinds) for kind in kinds),
            ("constraints", mode, (*MODES, NONE)),
        ]
        for key, value, allowed in choices:
            if value not in allowed:
                raise JointValueError(Errors.J701, name=key, value=value, allowed=", ".join(allowed))
        # What is learnt about cells, in one order, so that the same models have the same bytes.
        self.closures = tuple(kind for kind in KINDS if kind in kinds)
        # The mode of chart constraints and its amount; None: there are none.
        self.constraints: tuple[str, float] | None = None
        if mode != NONE:
            self.constraints = mode, MODES[mode] if amount is None else amount
            check_mode(*self.constraints)
        if not 0 < settings["keep_open"] <= 1:
            allowed_share = "numbers above 0, up to 1"
            raise JointValueError(Errors.J701, name="keep_open", value=settings["keep_open"], allowed=allowed_share)
        self.annotation = {key: settings[key] for key in ANNOTATION}
        self.search = {key: value for key, value in settings.items() if key in SEARCH}
        check_settings(settings["branching"], settings["horizontal"], settings["split_cycles"])
        check_search(**self.search)
        register_extensions()
        parses.register_extensions()
        use_noun_chunks_in(vocab, chunk_constituents)
        self.vocab = vocab
        self.name = name
        self.scorer = scorer
        self.settings = settings
        self._parser: SentenceParser | None = None
        # The codes of warnings given.
        self._warned: set[str] = set()

    @property
    def parser(self) -> SentenceParser:
        """The parser of sentences.

        RAISES ValueError: If there is no grammar yet (J071).
        """
        if self._parser is None:
            raise JointValueError(Errors.J071, name=self.name, pretrained=PRETRAINED)
        return self._parser

    @property
    def grammar(self) -> Grammar:
        """The grammar.

        RAISES ValueError: If there is none yet (J071).
        """
        return self.parser.grammar

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of constituents, sorted."""
        if self._parser is None:
            return ()
        symbols = {rule.parent for rule in self.grammar.rules} - {self.grammar.root}
        return tuple(sorted({strip_annotation(symbol) for symbol in symbols if not is_factored(symbol)}))

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        grammar: str | None = None,
    ) -> None:
        """Estimates the grammar from the trees of all examples, or reads it.

        get_examples (Callable): Returns gold examples.
        nlp (Language): The pipeline; not used.
        grammar (str | None): A text file with a grammar (see chart/grammar.py), instead of the examples.
        RAISES ValueError: If there are no trees (J676), or one cannot be learnt from (J672, J702, J703), or the file is
            no grammar (J666 to J671, J674).
        """
        validate_get_examples(get_examples, f"{type(self).__name__}.initialize")
        trees = [tree for example in get_examples() for tree in _list_trees(example.reference)]
        parser = make_parser(
            trees,
            annotation=self.annotation,
            split_cycles=self.settings["split_cycles"],
            search=self.search,
            has_boundaries=self.settings["figure_of_merit"] == BOUNDARY,
            closures=self.closures,
            keep_open=self.settings["keep_open"],
            constraints=self.constraints,
            grammar=None if grammar is None else Grammar.from_text(read_text(require_file(grammar)), grammar),
            # spaCy has seeded numpy with the seed of the config.
            seed=int(np.random.randint(2**24)),
        )
        self._set_parser(parser)

    def _set_parser(self, parser: SentenceParser | None) -> None:
        self._parser = parser
        for label in self.labels:
            self.vocab.strings.add(label)

    def __call__(self, doc: Doc) -> Doc:
        """Parses a document."""
        self.set_annotations([doc], self.predict([doc]))
        return doc

    def predict(self, docs: Iterable[Doc]) -> list[Parsed]:
        """Parses documents, without modifying them.

        RAISES ValueError: If the component has no grammar (J071), or a sentence is too long (J700).
        """
        return [self._parse(doc) for doc in docs]

    def _parse(self, doc: Doc) -> Parsed:
        parser = self.parser
        self._warn_of_missing(doc)
        parsed = Parsed([], [], [])
        for tokens in _list_words(doc):
            parse, stats = parser.parse(*self._read(doc, tokens))
            parsed.tokens.extend(tokens)
            parsed.parses.append(parse)
            parsed.stats.append({"start": tokens[0], "end": tokens[-1] + 1, **stats})
        return parsed

    def set_annotations(self, docs: Iterable[Doc], predictions: Iterable[Parsed]) -> None:
        """Writes the predictions of `predict`."""
        for doc, (tokens, found, stats) in zip(docs, predictions, strict=True):
            # The vocabulary is another one if the component has been sourced from another pipeline.
            use_noun_chunks(doc, chunk_constituents)
            set_phrases(doc, [(len(parse.tags), parse.phrases) for parse in found], tokens)
            parses.set_stats(doc, stats)
            if self.settings["tags"] == OWN:
                tags = [tag for parse in found for tag in parse.tags]
                for token, tag in zip(tokens, tags, strict=True):
                    doc[token].tag_ = tag

    def list_parses(self, span: Span, k: int) -> list[tuple[float, Tree]]:
        """The most probable trees of a sentence, the best one first, with the natural logarithms of their
        probabilities. The sentence is parsed again.

        span (Span): The sentence.
        k (int): The most trees to list.
        RAISES ValueError: If `k` is not from 1 to 1,000,000 (J685), or the sentence is too long (J700).
        """
        words = [token.i for token in span if not token.text.isspace()]
        if not words:
            return []
        forms, tags = self._read(span.doc, words)
        listed: list[tuple[float, Tree]] = []
        for parse in self.parser.list_best(forms, k, tags):
            below = [(Tree(label), blocks) for label, blocks, _ in parse.phrases]
            preterminals = [Tree(tag, word=form) for tag, form in zip(parse.tags, forms, strict=True)]
            assert parse.log_probability is not None
            listed.append((parse.log_probability, nest(Tree(self.grammar.root), below, preterminals)))
        return listed

    def _read(self, doc: Doc, tokens: Sequence[int]) -> tuple[list[str], list[str] | None]:
        """The words of a sentence, and their tags if they are given."""
        words = [doc[token].text for token in tokens]
        return words, None if self.settings["tags"] == OWN else [doc[token].tag_ for token in tokens]

    def _warn_of_missing(self, doc: Doc) -> None:
        """Warns once of documents without boundaries, and without tags if these are to be given."""
        if len(doc) and not doc.has_annotation("SENT_START"):
            self._warn_once(Warnings.JW04)
        if len(doc) and self.settings["tags"] != OWN and not doc.has_annotation("TAG"):
            self._warn_once(Warnings.JW42)

    def _warn_once(self, warning: Message) -> None:
        if warning.code not in self._warned:
            self._warned.add(warning.code)
            warnings.warn(JointWarning(warning, name=self.name), stacklevel=4)

    # Serialisation: the grammar as text, empty if there is none, and the models that there are.

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Saves the component to bytes."""
        content: bytes = srsly.msgpack_dumps(self._to_parts())
        return content

    def from_bytes(self, bytes_data: bytes, *, exclude: Iterable[str] = ()) -> ChartParserPipe:
        """Loads the bytes of `to_bytes`.

        RAISES ValueError: If they are damaged (J050, J052), or one of their parts is (J050 to J052, J061; J666 to J671,
            J674; J680 to J682; J694 to J696; J698, J699), or a model that the settings need is missing (J704).
        """
        with report_damage("the bytes"):
            parts = srsly.msgpack_loads(bytes_data)
            if not isinstance(parts[GRAMMAR], bytes) or not all(isinstance(part, bytes) for part in parts.values()):
                raise TypeError
        self._from_parts(parts, "the bytes")
        return self

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Saves the component in a directory, the grammar as a text file."""
        path = Path(path)
        parts = self._to_parts()
        for name in PARTS:
            if name in parts:
                with replace_when_written(path / name) as file:
                    file.write_bytes(parts[name])
            else:
                # That of an earlier model.
                (path / name).unlink(missing_ok=True)

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> ChartParserPipe:
        """Loads the component from a directory.

        RAISES ValueError: If there is no grammar (J073), or a file is damaged or missing, as for `from_bytes`.
        """
        path = Path(path)
        parts = {name: (path / name).read_bytes() for name in PARTS if (path / name).is_file()}
        if GRAMMAR not in parts:
            raise JointValueError(Errors.J073, path=path, name=GRAMMAR)
        self._from_parts(parts, str(path))
        return self

    def _to_parts(self) -> dict[str, bytes]:
        if self._parser is None:
            return {GRAMMAR: b""}
        parts = {GRAMMAR: self._parser.grammar.to_text().encode("utf8")}
        if self._parser.boundaries is not None:
            parts[BOUNDARIES] = self._parser.boundaries.to_bytes()
        for closing in self._parser.closings:
            parts[closing.kind if isinstance(closing, Closing) else CONSTRAINTS] = closing.to_bytes()
        return parts

    def _from_parts(self, parts: Mapping[str, bytes], source: str) -> None:
        """Takes the models that the settings need, which can be overridden at loading."""
        with report_damage(source, GRAMMAR):
            text = parts[GRAMMAR].decode("utf8")
        if not text:
            self._set_parser(None)
            return
        has_boundaries = self.settings["figure_of_merit"] == BOUNDARY
        for name in [BOUNDARIES] * has_boundaries + [*self.closures] + [CONSTRAINTS] * (self.constraints is not None):
            if name not in parts:
                raise JointValueError(Errors.J704, source=source, part=name, name=self.name)
        boundaries = BoundaryModel.from_bytes(parts[BOUNDARIES]) if has_boundaries else None
        closings: list[Closing | ChartConstraints] = []
        for kind in self.closures:
            closing = Closing.from_bytes(parts[kind])
            if closing.kind != kind:
                raise JointValueError(Errors.J704, source=source, part=kind, name=self.name)
            closings.append(closing)
        if self.constraints:
            constraints = ChartConstraints.from_bytes(parts[CONSTRAINTS])
            constraints.choose(*self.constraints)
            closings.append(constraints)
        grammar = Grammar.from_text(text, f"{GRAMMAR} of {source}")
        self._set_parser(SentenceParser(grammar, boundaries, closings, **self.search))


def _list_words(doc: Doc) -> Iterator[list[int]]:
    """The tokens of each sentence that are not whitespace."""
    for sentence in list_sentences(doc):
        tokens = [token.i for token in sentence if not token.text.isspace()]
        if tokens:
            yield tokens


def _list_trees(doc: Doc) -> list[Tree]:
    """The trees of a reference; none if it has no constituents.

    RAISES ValueError: If one has words without tags (J702), or discontinuous constituents (J703).
    """
    if CONSTITUENTS not in doc.spans:
        return []
    trees = [tree for tree in get_trees(doc) if tree.children]
    for tree in trees:
        for word in tree.preterminals():
            if not word.label:
                raise JointValueError(Errors.J702, word=word.word, words=" ".join(tree.leaves())[:80])
        if not tree.is_continuous:
            raise JointValueError(Errors.J703, words=" ".join(tree.leaves())[:80])
    return trees
