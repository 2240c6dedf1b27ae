"""Tokenizer exceptions learnt from a treebank: strings that the tokenizer's rules split differently from the treebank.

A chunk is a string between spaces. Each chunk that the rules get wrong suggests an exception: the chunk without the
marks at its ends on which rules and treebank agree. A suggestion is kept if it corrects more chunks of the treebank
than it breaks. Strings whose tokens depend on the context, such as `its` for `it's`, are left unchanged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate

from spacy.language import Language
from spacy.symbols import ORTH
from spacy.tokenizer import Tokenizer

from ..errors import Errors, JointValueError

Pieces = tuple[str, ...]
# The exceptions of spaCy's tokenizer: strings and the attributes of their pieces.
Rules = dict[str, list[dict[int, str]]]


def create_exceptions_adder(exceptions: Mapping[str, Sequence[str]] | None) -> Callable[[Language], Language]:
    """Make the callback for `[initialize] before_init`, registered as `spacy_joint.add_tokenizer_exceptions.v1`.

    exceptions: Strings and the pieces that they are split into, as written by `spacy joint tokenizer-exceptions`. None,
        or none of them, for any tokenizer that takes no exceptions.
    """

    def add_tokenizer_exceptions(nlp: Language) -> Language:
        if exceptions:
            nlp.tokenizer = add_exceptions(nlp.tokenizer, exceptions)
        return nlp

    return add_tokenizer_exceptions


def add_exceptions(tokenizer: Tokenizer, exceptions: Mapping[str, Sequence[str]]) -> Tokenizer:
    """Make a copy of a tokenizer with more exceptions, also capitalised and in capitals.

    Raises ValueError if it is not a spaCy `Tokenizer` (J150), or if pieces do not add up to their string (J151).
    """
    if not isinstance(tokenizer, Tokenizer):
        raise JointValueError(Errors.J150, found=type(tokenizer).__name__)
    rules: Rules = {}
    for string, pieces in exceptions.items():
        if "".join(pieces) != string or not all(pieces):
            raise JointValueError(Errors.J151, string=string, pieces=list(pieces))
        rules[string] = [{ORTH: piece} for piece in pieces]
    # Exceptions as they are written replace others, but variants do not.
    rules = {**vary_case(rules), **tokenizer.rules, **rules}
    return Tokenizer(
        tokenizer.vocab,
        rules=rules,
        prefix_search=tokenizer.prefix_search,
        suffix_search=tokenizer.suffix_search,
        infix_finditer=tokenizer.infix_finditer,
        token_match=tokenizer.token_match,
        url_match=tokenizer.url_match,
        faster_heuristics=tokenizer.faster_heuristics,
    )


def vary_case(rules: Rules) -> Rules:
    """Add the capitalised and upper-case variants of lower-case exceptions, unless there are exceptions for them."""
    varied = {}
    for string, pieces in rules.items():
        for variant in (string.capitalize(), string.upper()) if string.islower() else ():
            # Not for letters that become two in upper case.
            if len(variant) == len(string):
                ends = accumulate(len(piece[ORTH]) for piece in pieces)
                varied[variant] = [
                    {**piece, ORTH: variant[end - len(piece[ORTH]) : end]}
                    for piece, end in zip(pieces, ends, strict=True)
                ]
    return {**varied, **rules}


def learn_exceptions(
    tokenizer: Tokenizer, sentences: Iterable[tuple[Sequence[str], Sequence[bool]]], *, min_count: int = 2
) -> dict[str, list[str]]:
    """Learn exceptions to the rules of a tokenizer, from the original and the lower-cased text.

    tokenizer: The tokenizer to correct; it is not modified.
    sentences: The words of each sentence, and whether a space follows each.
    min_count: The minimum number of chunks that an exception must correct.
    Returns strings and the pieces that they are split into, sorted.
    Raises ValueError (J150) if it is not a spaCy `Tokenizer`.
    """
    chunks = Counter(chunk for words, spaces in sentences for chunk in _list_chunks(words, spaces))
    for chunk, count in list(chunks.items()):
        lowered = tuple(piece.lower() for piece in chunk)
        chunks[lowered] += count * (lowered != chunk)
    before = {chunk: _divide(tokenizer, chunk) for chunk in chunks}
    suggestions: dict[str, Counter[Pieces]] = {}
    for chunk, count in chunks.items():
        if before[chunk] != chunk:
            core = _strip_marks(chunk, before[chunk])
            suggestions.setdefault("".join(core), Counter())[core] += count
    exceptions = {string: ways.most_common(1)[0][0] for string, ways in suggestions.items()}
    while True:
        kept = _select(exceptions, add_exceptions(tokenizer, exceptions), chunks, before, min_count)
        # Removing an exception can affect the others.
        if len(kept) == len(exceptions):
            return {string: list(pieces) for string, pieces in sorted(kept.items())}
        exceptions = kept


def _select(
    exceptions: dict[str, Pieces],
    tokenizer: Tokenizer,
    chunks: Counter[Pieces],
    before: dict[Pieces, Pieces],
    min_count: int,
) -> dict[str, Pieces]:
    """Select the useful exceptions: `tokenizer` has all of them; `before` has the pieces of each chunk without them."""
    gains: Counter[str] = Counter()
    losses: Counter[str] = Counter()
    for chunk, count in chunks.items():
        found = exceptions.keys() & set(_list_cores("".join(chunk)))
        if found and (after := _divide(tokenizer, chunk)) != before[chunk]:
            for string in found:
                gains[string] += count * (after == chunk)
                losses[string] += count * (before[chunk] == chunk)
    return {
        string: pieces
        for string, pieces in exceptions.items()
        if gains[string] >= min_count and gains[string] > losses[string]
    }


def _divide(tokenizer: Tokenizer, chunk: Pieces) -> Pieces:
    return tuple(token.text for token in tokenizer("".join(chunk)))


def _list_chunks(words: Sequence[str], spaces: Sequence[bool]) -> Iterator[Pieces]:
    start = 0
    for end, space in enumerate(spaces, start=1):
        if space or end == len(words):
            yield tuple(words[start:end])
            start = end


def _is_mark(piece: str) -> bool:
    return not any(map(str.isalnum, piece))


def _strip_marks(chunk: Pieces, found: Pieces) -> Pieces:
    """Strip the marks at the ends of a chunk that were found, too. Since the pieces differ, the result is not empty."""
    first = 0
    while chunk[first] == found[first] and _is_mark(chunk[first]):
        first += 1
    last = -1
    while chunk[last] == found[last] and _is_mark(chunk[last]):
        last -= 1
    return chunk[first : len(chunk) + last + 1]


def _list_cores(chunk: str) -> Iterator[str]:
    """List all substrings that result from removing any number of non-alphanumeric characters from the ends."""
    n_first = next((i for i, character in enumerate(chunk) if character.isalnum()), len(chunk) - 1)
    n_last = next((i for i, character in enumerate(reversed(chunk)) if character.isalnum()), len(chunk) - 1)
    for start in range(n_first + 1):
        for end in range(max(start + 1, len(chunk) - n_last), len(chunk) + 1):
            yield chunk[start:end]
