"""Tokenizer exceptions learnt from a treebank: strings that the tokenizer's rules split differently from the treebank.

A chunk is a string between spaces. Each chunk that the rules split wrongly suggests an exception: the chunk without
the marks at its ends that rules and treebank split alike. A suggestion is kept if it corrects more chunks of the
treebank than it breaks. So strings whose tokens depend on the context, such as `its` for `it's`, do not become
exceptions.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from spacy.language import Language
from spacy.symbols import ORTH
from spacy.tokenizer import Tokenizer

from ..errors import Errors, JointValueError

Pieces = tuple[str, ...]
# The exceptions of spaCy's tokenizer: strings and the attributes of their pieces.
Rules = dict[str, list[dict[int, str]]]
COPIED = ("prefix_search", "suffix_search", "infix_finditer", "token_match", "url_match", "faster_heuristics")


def create_exceptions_adder(exceptions: Mapping[str, Sequence[str]] | None) -> Callable[[Language], Language]:
    """Makes the callback for `[initialize] before_init`, registered as `spacy_joint.add_tokenizer_exceptions.v1`.

    exceptions (Mapping | None): Strings and the pieces that they are split into, as written by `spacy joint
        tokenizer-exceptions`. If there are none, the tokenizer may be of any kind.
    """

    def add_tokenizer_exceptions(nlp: Language) -> Language:
        if exceptions:
            nlp.tokenizer = add_exceptions(nlp.tokenizer, exceptions)
        return nlp

    return add_tokenizer_exceptions


def add_exceptions(tokenizer: Tokenizer, exceptions: Mapping[str, Sequence[str]]) -> Tokenizer:
    """Makes a copy of a spaCy tokenizer (J150) with more exceptions (J151), and their capitalised and upper-case
    variants."""
    if not isinstance(tokenizer, Tokenizer):
        raise JointValueError(Errors.J150, found=type(tokenizer).__name__)
    rules: Rules = {}
    for string, pieces in exceptions.items():
        if isinstance(pieces, str) or "".join(pieces) != string or not all(pieces):
            raise JointValueError(Errors.J151, string=string, pieces=pieces)
        rules[string] = [{ORTH: piece} for piece in pieces]
    # The given exceptions replace existing ones; their variants do not.
    rules = {**vary_case(rules), **tokenizer.rules, **rules}
    return Tokenizer(tokenizer.vocab, rules=rules, **{name: getattr(tokenizer, name) for name in COPIED})


def vary_case(rules: Rules) -> Rules:
    """Adds the capitalised and upper-case variants of lower-case exceptions, unless there are exceptions for them."""
    varied = {}
    for string, pieces in rules.items():
        for variant in (string.capitalize(), string.upper()) if string.islower() else ():
            # Not for letters that become two in upper case.
            if len(variant) == len(string):
                letters = iter(variant)
                varied[variant] = [{**piece, ORTH: "".join(islice(letters, len(piece[ORTH])))} for piece in pieces]
    return {**varied, **rules}


def learn_exceptions(
    tokenizer: Tokenizer, sentences: Iterable[tuple[Sequence[str], Sequence[bool]]], *, min_count: int = 2
) -> dict[str, list[str]]:
    """Learns exceptions to the rules of spaCy's tokenizer (J150) from the words of sentences, and whether a space
    follows each. Lower-cased copies of the words count, too. Returns strings and their pieces; each exception corrects
    at least `min_count` chunks."""
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
        corrected = add_exceptions(tokenizer, exceptions)
        gains: Counter[str] = Counter()
        losses: Counter[str] = Counter()
        for chunk, count in chunks.items():
            found = exceptions.keys() & _list_cores("".join(chunk))
            if found and (after := _divide(corrected, chunk)) != before[chunk]:
                gains.update(dict.fromkeys(found, count * (after == chunk)))
                losses.update(dict.fromkeys(found, count * (before[chunk] == chunk)))
        useful = {string for string, gain in gains.items() if gain >= min_count and gain > losses[string]}
        # Removing an exception can affect other exceptions.
        if len(useful) == len(exceptions):
            return {string: list(pieces) for string, pieces in sorted(exceptions.items())}
        exceptions = {string: pieces for string, pieces in exceptions.items() if string in useful}


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
    """Strips a chunk of the marks at its ends that were found, too. Since the pieces differ, the rest is not empty."""
    first, last = 0, -1
    while chunk[first] == found[first] and _is_mark(chunk[first]):
        first += 1
    while chunk[last] == found[last] and _is_mark(chunk[last]):
        last -= 1
    return chunk[first : len(chunk) + last + 1]


def _list_cores(chunk: str) -> set[str]:
    """Lists the substrings that result from removing any number of non-alphanumeric characters from the ends."""
    indices = [i for i, character in enumerate(chunk) if character.isalnum()]
    first, last = (indices[0], indices[-1] + 1) if indices else (len(chunk) - 1, 1)
    starts = range(first + 1)
    return {chunk[start:end] for start in starts for end in range(max(start + 1, last), len(chunk) + 1)}
