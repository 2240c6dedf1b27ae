"""Streaming: annotates the tokens of a document as they arrive, and yields them when their annotation is final, in
separate documents, since a streamed document may have no end."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import Any

import numpy as np
from spacy.attrs import NORM, ORTH, POS, SENT_START, SPACY, TAG
from spacy.language import Language
from spacy.tokens import Doc, Span, Token
from spacy.util import minibatch
from spacy.vocab import Vocab

from ..annotation.custom_columns import GUIDE_INFO, read_column
from ..annotation.extensions import register
from ..errors import Errors, JointValueError, check_range
from .structured_pipe import StructuredPipe
from .token_columns import CONTEXT, find_whitespace, make_doc

# The size of pieces if tokens arrive one by one.
PIECE = 32
# Finished tokens are forgotten when there are this many, except for the last ones, which are context for templates.
FORGET_AFTER, KEPT_TOKENS = 1024, 8
# The token attributes that are copied from the input to the output.
CARRIED = (ORTH, SPACY, SENT_START, TAG, POS, NORM)
# Keys of `doc.user_data` that survive joining: the preset SENT_START of the first token of a part of a stream, unless
# it is 0; and where the part starts and ends in the stream, in characters.
FIRST_START: Any = ("._.", "stream_first_start", 0, None)
PART: Any = ("._.", "stream_part", 0, None)
# The default maximum number of words that are held back: if no sentence ends, the items of a beam may never agree.
MAX_DELAY = 10_000
# The maximum number of characters held back until the end of a word, or of a line.
MAX_WORD_LENGTH = 10_000
# The number of characters of context with which pending text is annotated.
CONTEXT_LENGTH = 400
# Words that often begin sentences, and the number of characters of context that show whether they do.
OPENERS, END_LENGTH = ("i", "we", "you", "the", "so", "yeah"), 240


def find_offset(doc: Doc) -> int | None:
    """Returns the number of characters before a document in its stream; None if it is not a part of one."""
    start, end = doc.user_data.get(PART, (0, 0))
    # Joined documents are not a part of a stream.
    return start if len(doc) and end - start == doc[-1].idx + len(doc[-1].text_with_ws) else None


def _find_offset(part: Token | Span, attribute: str) -> int | None:
    offset = find_offset(part.doc)
    return None if offset is None else offset + getattr(part, attribute)


# Character offsets in the whole stream; None for documents that are not a part of one.
register(Token, "stream_start", getter=partial(_find_offset, attribute="idx"))
register(Span, "stream_start", getter=partial(_find_offset, attribute="start_char"))
register(Span, "stream_end", getter=partial(_find_offset, attribute="end_char"))
# Whether a document is pending: its words will be streamed again; if so, its `end_probability`.
register(Doc, "is_partial", default=False)
register(Doc, "end_probability", default=None)


class StreamingPipe:
    """A component that annotates streamed documents."""

    @abstractmethod
    def stream(self, tokens: Iterable[Doc | Token], *, max_delay: int | None = MAX_DELAY) -> Iterator[Doc]:
        """Annotates the tokens of a document as they arrive, and yields them in pieces of any length. The document is
        given in pieces, or token by token. At most `max_delay` words are held back; None: any number."""


class SentenceStreamingPipe:
    """A component that splits streamed documents into sentences."""

    @property
    def ends_lines(self) -> bool:
        """Whether sentences end where lines do."""
        return False

    def find_start_probability(self, doc: Doc) -> float | None:
        """Returns the probability that the last word of a document starts a sentence; None if it is unknown."""
        return None

    @abstractmethod
    def stream(self, tokens: Iterable[Doc | Token], *, max_delay: int | None = MAX_DELAY) -> Iterator[Span]:
        """Annotates the tokens of a document as they arrive, and yields sentences."""


def cut_into_pieces(tokens: Iterable[Doc | Token], vocab: Vocab, size: int = PIECE) -> Iterator[Doc]:
    """Yields given documents unchanged, and single tokens in documents of `size`."""
    groups: Any = groupby(tokens, key=lambda given: isinstance(given, Token))
    for are_single, group in groups:
        if are_single:
            yield from (_make_piece(singles, vocab) for singles in minibatch(group, size=size))
        else:
            yield from group


def _make_piece(tokens: list[Token], vocab: Vocab) -> Doc:
    """Makes a document of tokens, most of which are consecutive tokens of another document."""
    parts = []
    # Consecutive tokens have the same difference between their places in the document and in the list.
    runs = groupby(enumerate(tokens), key=lambda numbered: (numbered[1].doc, numbered[1].i - numbered[0]))
    for (doc, _), run in runs:
        positions = [token.i for _, token in run]
        part = doc[positions[0] : positions[-1] + 1]
        rows = part.to_array(list(CARRIED)).reshape(-1, len(CARRIED))
        if positions[0] == 0:
            # For spaCy, the first token of every Doc starts a sentence.
            rows[0, CARRIED.index(SENT_START)] = 0
        _add_strings(rows, doc.vocab, vocab)
        parts.append(rows)
    return _make_doc(np.concatenate(parts), vocab)


def _add_strings(rows: np.ndarray, source: Vocab, vocab: Vocab) -> None:
    """Adds the strings of carried attributes to another vocabulary."""
    if source is not vocab:
        for string in np.unique(rows[:, [CARRIED.index(ORTH), CARRIED.index(TAG), CARRIED.index(NORM)]]).tolist():
            vocab.strings.add(source.strings[string])


def _make_doc(rows: np.ndarray, vocab: Vocab) -> Doc:
    """Makes a document from the carried attributes of its tokens, which are the first columns of the rows."""
    doc = make_doc(rows[:, : len(CARRIED)], CARRIED[2:], vocab)
    if len(rows) and rows[0, 2]:
        doc.user_data[FIRST_START] = int(rows[0, 2])
    return doc


class OpenDocument:
    """The search of a component over a streamed document. Tokens wait for at most `max_delay` words until their columns
    are known (None: any number).

    RAISES ValueError: If `max_delay` is not positive, the component has not been trained, or its system cannot stream.
    """

    def __init__(self, pipe: StructuredPipe[Any], max_delay: int | None) -> None:
        if max_delay is not None:
            check_range("max_delay", max_delay, 1)
        self.pipe = pipe
        self.columns = pipe.list_custom_columns()
        self.max_delay = max_delay
        self.stream = pipe.perceptron.stream()
        self.n_info = pipe.perceptron.system.n_info
        # The tokens that have been searched but not taken, and the positions of words among them. Rows have the carried
        # attributes, the values of custom columns, and token info.
        self.rows = np.zeros((0, len(CARRIED) + len(self.columns) + self.n_info), dtype=np.uint64)
        self.words = np.zeros(0, dtype=np.intp)
        # The tokens that wait, because their columns or constraints depend on later ones, and tokens before them, as
        # context.
        self.context = self.waiting = self.rows
        self.must_start = False
        self.n_done = 0  # taken words that the stream still holds
        self.n_characters = 0  # of taken tokens

    def feed(self, piece: Doc, must_start: bool = False) -> np.ndarray:
        """Adds tokens, of which the first word may be forced to start a sentence; returns the actions that have become
        final (uint16).

        RAISES ValueError: If columns are missing that the templates read (J614), or a guided parser gets tokens that
            the guide has not streamed (J659).
        """
        if not len(piece):
            return np.zeros(0, dtype=np.uint16)
        carried = piece.to_array(list(CARRIED)).reshape(len(piece), len(CARRIED))
        _add_strings(carried, piece.vocab, self.pipe.vocab)
        carried[0, CARRIED.index(SENT_START)] = piece.user_data.get(FIRST_START, 0)
        rows = np.hstack([carried, self._read_columns(piece)])
        self.must_start = self.must_start or must_start
        self.waiting = np.concatenate([self.waiting, rows])
        self._search_waiting(more_follows=self.max_delay is None or len(self.waiting) <= self.max_delay)
        return self.stream.run()

    def _read_columns(self, piece: Doc) -> np.ndarray:
        """Reads the values of custom columns and the token info (uint64, tokens x both)."""
        custom = self.pipe.custom_columns
        if missing := custom.list_missing(piece, self.columns):
            raise JointValueError(Errors.J614, name=self.pipe.name, columns=", ".join(missing))
        columns = [custom.read(piece, name) for name in self.columns]
        info = np.zeros((len(piece), self.n_info), dtype=np.int64)
        if self.n_info:
            found = read_column(piece, GUIDE_INFO)
            if found is None or len(found) != len(piece):
                raise JointValueError(Errors.J659, name=self.pipe.name)
            info[:] = found
        return np.column_stack([*columns, info.view(np.uint64)])

    def _search_waiting(self, more_follows: bool) -> None:
        """Passes tokens to the search whose columns and constraints do not depend on later ones."""
        seen = _make_doc(np.concatenate([self.context, self.waiting]), self.pipe.vocab)
        values, tokens = self.pipe.get_values(seen, more_follows)
        n_context = len(self.context)
        # Whitespace goes with the word before it.
        all_words = np.flatnonzero(~find_whitespace(seen))
        if more_follows:
            n_closed = max(len(all_words) - self.pipe.count_open_words(seen), 0)
            values, tokens = values[:n_closed], tokens[:n_closed]
        are_new = tokens >= n_context
        words = tokens[are_new] - n_context
        values, brought = values[are_new], self.waiting[words, len(CARRIED) :]
        for name, column in zip(self.columns, brought.T, strict=False):
            values[:, self.pipe.perceptron.templates.columns.index(name)] = column
        n_searched = np.searchsorted(all_words, n_context) + len(words)
        end = int(all_words[n_searched]) - n_context if n_searched < len(all_words) else len(self.waiting)
        constraints = self.pipe.get_constraints(seen)
        if constraints is not None:
            constraints = constraints[n_context:][words]
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
        """The number of words that have been searched and that `max_delay` words or more have followed (int)."""
        if self.max_delay is None:
            return 0
        return min(max(len(self.words) + len(self.waiting) - self.max_delay, 0), len(self.words))

    def end(self) -> np.ndarray:
        """Ends the document; returns the remaining actions (uint16)."""
        self._search_waiting(more_follows=False)
        self.stream.end()
        return self.stream.run()

    def pop_words(self, n: int) -> tuple[Doc, np.ndarray]:
        """Takes the next n words, which are final, with whitespace. Returns a document, and the positions of its
        words."""
        end = int(self.words[n]) if n < len(self.words) else len(self.rows)
        doc, words = _make_doc(self.rows[:end], self.pipe.vocab), self.words[:n]
        start, self.n_characters = self.n_characters, self.n_characters + len(doc.text)
        doc.user_data[PART] = (start, self.n_characters)
        self.rows, self.words = self.rows[end:], self.words[n:] - end
        self.n_done += n
        if self.n_done > FORGET_AFTER:
            self.stream.forget(self.n_done - KEPT_TOKENS)
            self.n_done = KEPT_TOKENS
        return doc, words


class PendingText:
    """The end of a streamed text that has no final annotation yet."""

    def __init__(self, nlp: Language, n_pipes: int) -> None:
        self.nlp = nlp
        # Components after the parser see each piece of the stream separately.
        self.pipes = [pipe for _, pipe in nlp.pipeline[:n_pipes]]
        self.following = [pipe for _, pipe in nlp.pipeline[n_pipes:]]
        self.context = self.text = ""
        self.start = 0  # of the text, in characters

    def pop_text(self, n: int) -> str:
        """Removes the first `n` characters, which become context of the rest, and returns them."""
        taken, self.text = self.text[:n], self.text[n:]
        self.context = (self.context + taken)[-CONTEXT_LENGTH - 1 :]
        self.start += n
        return taken

    def annotate(self, n: int | None = None) -> Doc:
        """Annotates the text, or its first `n` characters, as if the document ended there, without leading whitespace.
        It starts a sentence."""
        text = self.text[:n]
        context = _cut_words(self.context, CONTEXT_LENGTH)
        begin = len(context) + len(text) - len(text.lstrip())
        doc = self.nlp.make_doc(context + text)
        first = next((token for token in doc if token.idx >= begin), doc[-1])
        first.is_sent_start = True
        start = self.start + first.idx - len(context)
        for pipe in self.pipes:
            doc = pipe(doc)
        doc = doc[first.i :].as_doc()
        doc.user_data[PART] = (start, start + len(doc.text))
        for pipe in self.following:
            doc = pipe(doc)
        return doc


def stream_sentences(
    texts: Iterable[str],
    nlp: Language | None = None,
    *,
    max_delay: int | None = MAX_DELAY,
    show_pending: Callable[[Doc], object] | None = None,
) -> Iterator[Span]:
    """Splits a streamed text into sentences and annotates them, in bounded memory.

    If the parser has the setting `line_breaks`, the sentences of a line are yielded as soon as it ends.

    texts (Iterable[str]): The text in pieces, divided anywhere.
    nlp (Language): A pipeline whose components up to the `joint_sbd_parser` are from this package. None: the shipped
        pipeline. Components after the parser see each piece of the stream, one or several sentences, separately.
    max_delay (int | None): The maximum number of words between the end of a sentence and the word after which it is
        yielded. None: no limit. Each component before the parser may use a quarter of it.
    show_pending (Callable): Called after each piece of text with the words that are not yet in a sentence, as a `Doc`
        with preliminary annotation (`doc._.is_partial` is true). The next call, or later sentences, replace it.
    YIELDS (Span): The sentences. Those of a piece of the stream share a `Doc`; `sentence._.stream_start`,
        `sentence._.stream_end` and `token._.stream_start` are character offsets in the whole text.
    RAISES ValueError: If there is no parser, a component before it cannot stream, or `max_delay` is not positive.
    """
    from .. import load

    if max_delay is not None:
        check_range("max_delay", max_delay, 1)
    nlp = load() if nlp is None else nlp
    n_pipes, parser = _find_parser(nlp)
    pending = PendingText(nlp, n_pipes)
    if show_pending is not None or parser.ends_lines:
        texts = _watch(texts, pending, show_pending)
    if parser.ends_lines:
        return _annotate_lines(texts, pending)
    docs: Iterable[Doc] = map(nlp.tokenizer, join_words(texts))
    share = None if max_delay is None else max(max_delay // 4, 1)
    left = max_delay
    for pipe in pending.pipes[:-1]:
        assert isinstance(pipe, StreamingPipe)
        docs = pipe.stream(docs, max_delay=share)
        left = None if left is None or share is None else max(left - share, 1)
    return _annotate_sentences(parser.stream(docs, max_delay=left), pending)


def _find_parser(nlp: Language) -> tuple[int, SentenceStreamingPipe]:
    """Finds the number of components up to the parser, and the parser (J037, J129)."""
    for n_pipes, (name, pipe) in enumerate(nlp.pipeline, start=1):
        if isinstance(pipe, SentenceStreamingPipe):
            return n_pipes, pipe
        if not isinstance(pipe, StreamingPipe):
            raise JointValueError(Errors.J037, name=name)
    raise JointValueError(Errors.J129, name="joint_sbd_parser", pipeline=", ".join(nlp.pipe_names))


def _watch(texts: Iterable[str], pending: PendingText, show: Callable[[Doc], object] | None) -> Iterator[str]:
    """Adds pieces of text to the pending text, and shows it before it takes the next piece."""
    for text in texts:
        pending.text += text
        yield text
        if show is not None and pending.text.strip():
            doc = pending.annotate()
            doc._.is_partial = True
            doc._.end_probability = end_probability(pending.nlp, pending.context + pending.text)
            show(doc)


def _cut_words(text: str, n: int) -> str:
    """Cuts a text to its last `n` characters, without half a word."""
    return text if len(text) <= n else text[-n - 1 :].partition(" ")[2]


def end_probability(nlp: Language, text: str) -> float | None:
    """Estimates the probability that a sentence ends with the last word of an unfinished text, from its last 240
    characters: the mean probability that one of several common first words would begin a sentence after it.

    nlp (Language): A pipeline with a calibrated `joint_sbd_parser`, which `stream_sentences` accepts.
    RETURNS (float | None): The probability; None if the parser is not calibrated for this kind of text.
    RAISES ValueError: If there is no parser, or if a component before it cannot stream.
    """
    n_pipes, parser = _find_parser(nlp)
    before = _cut_words(text.rstrip(), END_LENGTH)
    found = []
    for word in OPENERS:
        doc = nlp.make_doc(f"{before} {word}")
        for _, pipe in nlp.pipeline[: n_pipes - 1]:
            doc = pipe(doc)
        found.append(parser.find_start_probability(doc))
    known = [probability for probability in found if probability is not None]
    return sum(known) / len(known) if known else None


def _annotate_lines(texts: Iterable[str], pending: PendingText) -> Iterator[Span]:
    """Annotates lines when they end."""
    for _ in texts:
        n = pending.text.rfind("\n") + 1
        if not n and len(pending.text) > MAX_WORD_LENGTH:
            n = pending.text.rfind(" ") + 1 or len(pending.text)
        if pending.text[:n].strip():
            doc = pending.annotate(n)
            pending.pop_text(n)
            yield from doc.sents
    if pending.text.strip():
        yield from pending.annotate().sents


def _annotate_sentences(sentences: Iterable[Span], pending: PendingText) -> Iterator[Span]:
    """Calls components on the documents of sentences. Sentences of a document arrive together, so none is delayed."""
    for doc, _ in groupby(sentences, key=attrgetter("doc")):
        pending.pop_text(doc.user_data[PART][1] - pending.start)
        for pipe in pending.following:
            doc = pipe(doc)
        yield from doc.sents


def can_stream(nlp: Language) -> bool:
    """Returns whether `stream_sentences` accepts a pipeline: its first component that does not stream is the parser."""
    try:
        return bool(_find_parser(nlp))
    except JointValueError:
        return False


def join_words(texts: Iterable[str]) -> Iterator[str]:
    """Yields the text in pieces that begin with words, so that neither words nor whitespace between them is split."""
    rest = ""
    for text in texts:
        # `rest` contains no further start of a word, so only the new text is searched.
        seen = max(len(rest), 1)
        rest += text
        words = (at for at in range(len(rest) - 1, seen - 1, -1) if rest[at - 1].isspace() and not rest[at].isspace())
        begin = next(words, 0)
        if not begin and len(rest) > MAX_WORD_LENGTH:
            begin = len(rest)
        if begin:
            yield rest[:begin]
            rest = rest[begin:]
    if rest:
        yield rest
