"""Restored marks and capitals, kept beside the text of a `Doc`: for each token, its text in restored case with the mark
after it. Also the reverse: the words of edited text, and the marks after them."""

import unicodedata
from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple

from spacy.attrs import ORTH
from spacy.tokens import Doc, Span, Token

from .extensions import register

RESTORED, RESTORED_TEXT = "restored", "restored_text"
# Marks at the ends of sentences, and within them. DASH is any dash that does not join the parts of a word.
FINAL = frozenset(".?!。？！।॥؟")
DASH = "—"
INSIDE = frozenset(f",;:、，；：،؛{DASH}")  # noqa: RUF001
MARKS = FINAL | INSIDE
# Marks an unfinished sentence or an omission; not one of MARKS.
ELLIPSIS = "…"
# Punctuation according to Unicode, but read as words, such as "%".
SYMBOLS = frozenset("%&#@*/\\§")


class MarkedWord(NamedTuple):
    """A word: the index of its token, its text, and the mark that follows (from MARKS, ELLIPSIS, or "" for none)."""

    token: int
    text: str
    mark: str


def read_restored(tokens: Sequence[Token]) -> list[str]:
    """Reads the restored text of each token; its own text where nothing is restored."""
    if not tokens or not tokens[0].doc.user_data:
        return [token.text for token in tokens]
    return [token.text if (value := _get(token)) is None else value for token in tokens]


def write_restored(doc: Doc, restored: Sequence[str | None]) -> None:
    """Sets the restored text of tokens, except where it is None."""
    for token, text in zip(doc, restored, strict=True):
        if text is not None:
            _set(token, text)


def _get(token: Token) -> str | None:
    """Joins the restored words of a token, which may have been merged; None if it is a part of a word."""
    stored: dict[Any, Any] = token.doc.user_data
    text, restored, at = token.text, "", 0
    while at < len(text):
        length, piece = stored.get(("._.", RESTORED, token.idx + at, None), (0, ""))
        end = at + length
        if not at < end <= len(text):
            return None
        at = len(text) - len(text[end:].lstrip())
        restored += piece + text[end:at]
    return restored


def _set(token: Token, text: str | None) -> None:
    # With the length of the word, since tokens may be merged or divided later.
    data: dict[Any, Any] = token.doc.user_data
    data["._.", RESTORED, token.idx, None] = [0 if text is None else len(token), text]


def list_texts(doc: Doc) -> list[str]:
    """Lists the texts of all tokens, faster than by `token.text`."""
    words = doc.to_array(ORTH).tolist()
    texts = {word: doc.vocab.strings[word] for word in set(words)}
    return [texts[word] for word in words]


def attach_mark(text: str, mark: str) -> str:
    """Attaches a mark to a word, with a space before a dash. A mark that the word already ends in is not doubled."""
    return f"{text} {mark}" if mark == DASH else text + mark[text.endswith(mark) :]


def _join(owner: Doc | Span, is_span: bool = False) -> str:
    tokens = list(owner)
    texts = read_restored(tokens)
    parts = [text + token.whitespace_ for token, text in zip(tokens, texts, strict=True)]
    if is_span and parts:
        parts[-1] = texts[-1]
    return "".join(parts)


@lru_cache(maxsize=1 << 14)
def is_punctuation(text: str) -> bool:
    """Returns whether a token is punctuation rather than a word, by its characters."""
    return bool(text) and all(unicodedata.category(each)[0] == "P" and each not in SYMBOLS for each in text)


def find_mark(text: str) -> str:
    """Finds the mark (of MARKS, or ELLIPSIS) of a punctuation token, by its first character ("?!" is "?"); "" for
    none."""
    if text[0] == ELLIPSIS or text[:2] == "..":
        return ELLIPSIS
    if text[0] in MARKS:
        return text[0]
    return DASH if text[:2] == "--" or text in ("–", "―") else ""


def list_marked(doc: Doc, texts: Sequence[str]) -> list[MarkedWord]:
    """Lists the words of a document and the marks after them, by texts of all tokens (see `read_restored`). Hyphens,
    quotation marks and brackets are neither. Of several marks, the first counts, or the first that ends sentences."""
    written: list[MarkedWord] = []
    for token, (own, text) in enumerate(zip(list_texts(doc), texts, strict=True)):
        is_word = not is_punctuation(own)
        if own.isspace():
            continue
        if is_word and text == own:
            written.append(MarkedWord(token, own, ""))
            continue
        # A mark that was added to a word, or to a closing bracket.
        added = text[len(own) :].strip() if text[: len(own)].lower() == own.lower() else ""
        mark = find_mark(added) if added and is_punctuation(added) else ""
        if is_word:
            written.append(MarkedWord(token, text[: len(own)] if mark else text, mark))
        elif written and text:
            is_dash = own == "-" and doc[token].whitespace_ and doc[token - 1].whitespace_
            mark = mark or find_mark(text) or (DASH if is_dash else "")
            last = written[-1]
            if mark and (not last.mark or (mark in FINAL and last.mark not in FINAL)):
                written[-1] = last._replace(mark=mark)
    return written


register(Token, RESTORED, getter=_get, setter=_set)
register(Doc, RESTORED_TEXT, getter=_join)
register(Span, RESTORED_TEXT, getter=partial(_join, is_span=True))
