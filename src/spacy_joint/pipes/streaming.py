"""Streaming: the tokens of a document are annotated as they arrive, and yielded as soon as their annotation is final,
whatever follows.

Tokens are searched in pieces; the division into pieces only affects when results are yielded. Results belong to
separate documents, since a streamed document may have no end.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from spacy.attrs import NORM, ORTH, POS, SENT_START, SPACY, TAG
from spacy.language import Language
from spacy.tokens import Doc, Span, Token
from spacy.vocab import Vocab

from ..errors import Errors, JointValueError
from .structured_pipe import StructuredPipe
from .token_columns import CONTEXT, find_after_blank_lines, find_whitespace

# The size of pieces if tokens arrive one by one.
PIECE = 32
# Finished tokens are forgotten when there are this many, except for the last ones, which are context for templates.
FORGET_AFTER = 1024
KEPT_TOKENS = 8
# The token attributes that are copied from the input to the output.
CARRIED = (ORTH, SPACY, SENT_START, TAG, POS, NORM)
# The preset SENT_START of the first token of each live part of a document, as in `Doc.to_array`. It is needed because
# for spaCy, the first token of every Doc starts a sentence.
FIRST_STARTS: WeakKeyDictionary[Doc, int] = WeakKeyDictionary()
# The facts of the words of each live part of a stream that a guide has seen, see guide_facts.py. They are about other
# parts, too, so only the guide can find them.
GUIDE_FACTS: WeakKeyDictionary[Doc, np.ndarray] = WeakKeyDictionary()
# The number of characters before each live part of a stream.
OFFSETS: WeakKeyDictionary[Doc, int] = WeakKeyDictionary()
# The default maximum number of words that are held back. The items of a beam soon agree where sentences end, but may
# never agree if no sentence ends.
MAX_DELAY = 10_000
# The maximum number of characters held back until the end of a word.
MAX_WORD_LENGTH = 10_000


def register_extensions() -> None:
    """Registers the positions of streamed tokens and spans, as character offsets in the whole stream:
    `token._.stream_start`, `span._.stream_start` and `span._.stream_end`. They are None for what has not been
    streamed."""
    if not Token.has_extension("stream_start"):
        Token.set_extension("stream_start", getter=_find_token)
    if not Span.has_extension("stream_start"):
        Span.set_extension("stream_start", getter=_find_start)
        Span.set_extension("stream_end", getter=_find_end)


# Not lambdas: extensions are pickled for other processes.
def _find_token(token: Token) -> int | None:
    return _find_in_stream(token.doc, token.idx)


def _find_start(span: Span) -> int | None:
    return _find_in_stream(span.doc, span.start_char)


def _find_end(span: Span) -> int | None:
    return _find_in_stream(span.doc, span.end_char)


def _find_in_stream(doc: Doc, offset: int) -> int | None:
    return OFFSETS[doc] + offset if doc in OFFSETS else None


register_extensions()


class StreamingPipe:
    """A component that annotates streamed documents."""

    @abstractmethod
    def stream(self, tokens: Iterable[Doc | Token], *, max_delay: int | None = MAX_DELAY) -> Iterator[Doc]:
        """Annotates the tokens of a document as they arrive, and yields them in pieces of any length."""


class SentenceStreamingPipe:
    """A component that splits streamed documents into sentences."""

    @abstractmethod
    def stream(self, tokens: Iterable[Doc | Token], *, max_delay: int | None = MAX_DELAY) -> Iterator[Span]:
        """Annotates the tokens of a document as they arrive, and yields them in sentences."""


def cut_into_pieces(tokens: Iterable[Doc | Token], vocab: Vocab, size: int = PIECE) -> Iterator[Doc]:
    """Yields given documents, and single tokens in documents of `size`."""
    singles: list[Token] = []
    for given in tokens:
        if isinstance(given, Token):
            singles.append(given)
            if len(singles) < size:
                continue
        if singles:
            yield _make_piece(singles, vocab)
            singles = []
        if not isinstance(given, Token):
            yield given
    if singles:
        yield _make_piece(singles, vocab)


def _make_piece(tokens: list[Token], vocab: Vocab) -> Doc:
    """Makes a document of tokens, most of which are consecutive tokens of another document."""
    parts = []
    first = 0
    for last, token in enumerate(tokens):
        following = tokens[last + 1] if last + 1 < len(tokens) else None
        if following is not None and following.doc is token.doc and following.i == token.i + 1:
            continue
        part = token.doc[tokens[first].i : token.i + 1]
        rows = part.to_array(list(CARRIED)).reshape(-1, len(CARRIED))  # type: ignore[attr-defined]  # not in its stub
        if tokens[first].i == 0:
            # For spaCy, the first token of every Doc starts a sentence.
            rows[0, CARRIED.index(SENT_START)] = 0
        if token.vocab is not vocab:
            for string in np.unique(rows[:, [CARRIED.index(ORTH), CARRIED.index(TAG), CARRIED.index(NORM)]]).tolist():
                vocab.strings.add(token.vocab.strings[string])
        parts.append(rows)
        first = last + 1
    return make_doc(np.concatenate(parts), vocab)


def to_rows(doc: Doc) -> np.ndarray:
    """The carried attributes of the tokens (uint64, tokens x CARRIED)."""
    rows = doc.to_array(list(CARRIED)).reshape(len(doc), len(CARRIED))
    rows[:1, CARRIED.index(SENT_START)] = FIRST_STARTS.get(doc, 0)
    return rows


def make_doc(rows: np.ndarray, vocab: Vocab) -> Doc:
    """Makes a document from the carried attributes of its tokens, which are the first columns of the rows."""
    # Doc also accepts the hashes of words, which is three times as fast.
    words: Any = rows[:, 0].tolist()
    doc = Doc(vocab, words=words, spaces=rows[:, 1].astype(bool).tolist())
    if len(rows):
        doc.from_array(list(CARRIED[2:]), rows[:, 2 : len(CARRIED)])  # type: ignore[arg-type]  # wrong in its stub
        FIRST_STARTS[doc] = rows[0, 2]
    return doc


class OpenDocument:
    """The search of a component over a streamed document.

    pipe (StructuredPipe): The component.
    max_delay (int | None): The maximum number of words that are held back. None means no limit.
    RAISES ValueError: If `max_delay` is not positive, the component has not been trained, or its system cannot stream.
    """

    def __init__(self, pipe: StructuredPipe[Any], max_delay: int | None) -> None:
        if max_delay is not None and max_delay < 1:
            raise JointValueError(Errors.J309, value=max_delay)
        self.pipe = pipe
        self.columns = pipe.list_custom_columns()
        self.max_delay = max_delay
        self.stream = pipe.perceptron.stream()
        self.n_facts = pipe.perceptron.system.n_facts
        # The tokens that have been searched but not taken, and the positions of words among them. Rows have what is
        # carried, the values of custom columns, and facts.
        self.rows = np.zeros((0, len(CARRIED) + len(self.columns) + self.n_facts), dtype=np.uint64)
        self.words = np.zeros(0, dtype=np.intp)
        # The tokens before those that wait, as context; those that wait because their columns depend on what follows;
        # and the constraints of the latter.
        self.context = self.waiting = self.rows
        self.constraints: np.ndarray | None = None
        self.must_start = False
        self.ends_in_blank_line = False
        self.n_done = 0  # taken words that the stream still holds
        self.n_characters = 0  # taken ones

    def feed(self, piece: Doc, must_start: bool = False) -> np.ndarray:
        """Adds the next tokens; returns the actions that have become final (uint16).

        must_start (bool): Whether the next word to be searched is forced to start a sentence.
        RAISES ValueError: If columns are missing that the templates read (J614), or a guide has not seen the tokens of
            a guided parser as those of a stream (J659).
        """
        if not len(piece):
            return np.zeros(0, dtype=np.uint16)
        rows = np.hstack([to_rows(piece), self._read_columns(piece)])
        constraints = self.pipe.get_constraints(piece)
        self.must_start = self.must_start or must_start
        if constraints is not None:
            constraints[:1] = rows[0, CARRIED.index(SENT_START)].astype(np.int8)
            words = np.flatnonzero(~find_whitespace(piece))
            if len(words) and self.ends_in_blank_line and not constraints[words[0]]:
                constraints[words[0]] = 1
            if self.pipe.cfg.get("blank_lines"):
                ends_so = bool(find_after_blank_lines(piece)[-1])
                self.ends_in_blank_line = ends_so or (self.ends_in_blank_line and not len(words))
            before = self.constraints
            self.constraints = constraints if before is None else np.concatenate([before, constraints])
        self.waiting = np.concatenate([self.waiting, rows])
        self._search_waiting(more_follows=self.max_delay is None or len(self.waiting) <= self.max_delay)
        return self.stream.run()

    def _read_columns(self, piece: Doc) -> np.ndarray:
        """The values of custom columns, and the facts (uint64, tokens x both)."""
        custom = self.pipe.custom_columns
        if missing := custom.list_missing(piece, self.columns):
            raise JointValueError(Errors.J614, name=self.pipe.name, columns=", ".join(missing))
        columns = [custom.read(piece, name) for name in self.columns]
        facts = np.zeros((len(piece), self.n_facts), dtype=np.int64)
        if self.n_facts:
            found, words = GUIDE_FACTS.get(piece, ()), np.flatnonzero(~find_whitespace(piece))
            if len(found) != len(words):
                raise JointValueError(Errors.J659, name=self.pipe.name)
            facts[words] = found
        return np.column_stack([*columns, facts.view(np.uint64)])

    def _search_waiting(self, more_follows: bool) -> None:
        """Gives the tokens to the search whose columns do not depend on what follows."""
        seen = make_doc(np.concatenate([self.context, self.waiting]), self.pipe.vocab)
        values, tokens = self.pipe.get_values(seen, more_follows)
        n_context = len(self.context)
        are_new = tokens >= n_context
        words = tokens[are_new] - n_context
        values, brought = values[are_new], self.waiting[words, len(CARRIED) :]
        for name, column in zip(self.columns, brought.T, strict=False):
            values[:, self.pipe.perceptron.templates.columns.index(name)] = column
        # Whitespace goes with the word before it.
        all_words = np.flatnonzero(~find_whitespace(seen)[n_context:])
        end = int(all_words[len(words)]) if len(words) < len(all_words) else len(self.waiting)
        constraints = None
        if self.constraints is not None:
            constraints, self.constraints = self.constraints[words], self.constraints[end:]
            if self.must_start and len(words):
                constraints[0] = 1
                self.must_start = False
        self.words = np.concatenate([self.words, words + len(self.rows)])
        self.rows = np.concatenate([self.rows, self.waiting[:end]])
        first = int(tokens[-CONTEXT]) if len(tokens) > CONTEXT else 0
        self.context = np.concatenate([self.context, self.waiting[:end]])[first:]
        self.waiting = self.waiting[end:]
        self.stream.feed(values, constraints, brought[:, len(self.columns) :].astype(np.int32))

    @property
    def n_late(self) -> int:
        """The number of words held back beyond the maximum (int)."""
        return 0 if self.max_delay is None else max(len(self.words) - self.max_delay, 0)

    def end(self) -> np.ndarray:
        """Ends the document; returns the remaining actions (uint16)."""
        self._search_waiting(more_follows=False)
        self.stream.end()
        return self.stream.run()

    def take(self, n: int) -> tuple[Doc, np.ndarray]:
        """Takes the next n words, which are final, with the whitespace after them: a document, and the positions of the
        words in it."""
        end = int(self.words[n]) if n < len(self.words) else len(self.rows)
        doc, words = make_doc(self.rows[:end], self.pipe.vocab), self.words[:n]
        OFFSETS[doc] = self.n_characters
        self.n_characters += len(doc.text)
        self.rows, self.words = self.rows[end:], self.words[n:] - end
        self.n_done += n
        if self.n_done > FORGET_AFTER:
            self.stream.forget(self.n_done - KEPT_TOKENS)
            self.n_done = KEPT_TOKENS
        return doc, words


def stream_sentences(
    texts: Iterable[str], nlp: Language | None = None, *, max_delay: int | None = MAX_DELAY
) -> Iterator[Span]:
    """Splits a streamed text into sentences and annotates them, in bounded memory.

    texts (Iterable[str]): The text in pieces, divided anywhere.
    nlp (Language): A pipeline whose components up to the `joint_sbd_parser` are from this package. None is the shipped
        pipeline. Components after the parser are called on each piece of the stream, i.e. on one or several whole
        sentences, and see nothing else of the text.
    max_delay (int | None): See `JointSbdParser.stream`.
    YIELDS (Span): The sentences. Those of a piece of the stream share a `Doc`; `sentence._.stream_start`,
        `sentence._.stream_end` and `token._.stream_start` are character offsets in the whole text.
    RAISES ValueError: If there is no parser, or if a component before it cannot stream.
    """
    from .. import load

    nlp = load() if nlp is None else nlp
    docs: Iterable[Doc] = map(nlp.tokenizer, join_words(texts))
    for place, (name, pipe) in enumerate(nlp.pipeline, start=1):
        if isinstance(pipe, SentenceStreamingPipe):
            following = [other for _, other in nlp.pipeline[place:]]
            return _annotate_sentences(pipe.stream(docs, max_delay=max_delay), following)
        if not isinstance(pipe, StreamingPipe):
            raise JointValueError(Errors.J037, name=name)
        docs = pipe.stream(docs, max_delay=max_delay)
    raise JointValueError(Errors.J038, pipeline=", ".join(nlp.pipe_names))


def _annotate_sentences(sentences: Iterable[Span], pipes: Sequence[Callable[[Doc], Doc]]) -> Iterator[Span]:
    """Calls components on the documents of sentences. Those of a document arrive together, so none is held back."""
    for doc, _ in groupby(sentences, key=attrgetter("doc")):
        for pipe in pipes:
            doc = pipe(doc)
        yield from doc.sents


def can_stream(nlp: Language) -> bool:
    """Whether `stream_sentences` accepts a pipeline: its first component that does not stream is the parser."""
    others = (pipe for _, pipe in nlp.pipeline if not isinstance(pipe, StreamingPipe))
    return isinstance(next(others, None), SentenceStreamingPipe)


def join_words(texts: Iterable[str]) -> Iterator[str]:
    """Yields the text in pieces that begin with words, so that neither words nor whitespace between them is split."""
    rest = ""
    for text in texts:
        rest += text
        begin = next((at for at in range(len(rest) - 1, 0, -1) if _begins_word(rest, at)), 0)
        if not begin and len(rest) > MAX_WORD_LENGTH:
            begin = len(rest)
        if begin:
            yield rest[:begin]
            rest = rest[begin:]
    if rest:
        yield rest


def _begins_word(text: str, at: int) -> bool:
    return text[at - 1].isspace() and not text[at].isspace()
