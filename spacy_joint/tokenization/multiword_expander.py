"""A component that finds multiword tokens: German `zum` is `zu` and `dem`, English `don't` is `do` and `n't`.

It looks tokens up in lexicons of the training data. One has the words of the multiword tokens whose words are not their
letters (see `annotation.multiword_tokens`). Where a token is sometimes one word and sometimes several, as French `des`,
its tag decides. The other has the tokens that are joined to the token before them if there is no space.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

import srsly
from spacy import util
from spacy.language import Language
from spacy.pipeline import Pipe
from spacy.tokens import Doc, Token
from spacy.training import Example, validate_get_examples
from spacy.vocab import Vocab

from ..annotation.multiword_tokens import Word, are_joined, get_words, join, set_words
from ..errors import Errors, JointValueError
from ..files.replacing import write_bytes

Analysis = tuple[Word, ...]
Lexicon = dict[str, dict[str, Analysis]]
"""The words of a token by its form in lower case and its tag, "" for other tags; no words if it is a single word."""
Joints = dict[str, dict[str, bool]]
"""Whether a token is joined to the one before it, by their forms in lower case: its own, and the other, "" for any."""

Value = TypeVar("Value", bound=Hashable)
ANY = ""
FILE = "lexicon.json"


class MultiwordExpander(Pipe):
    """Sets `Token._.ud_words` and `Token._.ud_joined` of multiword tokens. Tokens that have words are left alone."""

    def __init__(self, vocab: Vocab, name: str = "multiword_expander") -> None:
        self.vocab, self.name = vocab, name
        self.lexicon: Lexicon = {}
        self.joints: Joints = {}

    def initialize(self, get_examples: Callable[[], Iterable[Example]], *, nlp: Language | None = None) -> None:
        """Learns the lexicons from the references of examples: the most frequent analysis of each form, by tag."""
        validate_get_examples(get_examples, "MultiwordExpander.initialize")
        self.lexicon = learn_lexicon(example.reference for example in get_examples())
        self.joints = learn_joints(example.reference for example in get_examples())

    def __call__(self, doc: Doc) -> Doc:
        """Sets the words of the multiword tokens of a document."""
        for token in doc:
            analyses = self.lexicon.get(token.lower_)
            if analyses and not get_words(token) and (words := analyses.get(token.tag_, analyses[ANY])):
                set_words(token, copy_case(token.text, words))
        for before, token in list_adjacent(doc):
            joints = self.joints.get(token.lower_)
            if joints and joints.get(before.lower_, joints[ANY]):
                join(token)
        return doc

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Serialises the lexicons."""
        return srsly.json_dumps({"words": self.lexicon, "joints": self.joints}).encode("utf8")

    def from_bytes(self, bytes_data: bytes, *, exclude: Iterable[str] = ()) -> MultiwordExpander:
        """Loads the lexicons (J480)."""
        try:
            content = srsly.json_loads(bytes_data)
            lexicon = {
                form: {tag: tuple(Word(*word) for word in words) for tag, words in by_tag.items()}
                for form, by_tag in content["words"].items()
            }
            joints = {form: dict(others) for form, others in content["joints"].items()}
            if not all(ANY in entry for entry in (*lexicon.values(), *joints.values())):
                raise ValueError("an entry has no default")
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise JointValueError(Errors.J480, name=self.name, reason=error) from error
        self.lexicon, self.joints = lexicon, joints
        return self

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Saves the lexicons in a directory."""
        write_bytes(util.ensure_path(path) / FILE, self.to_bytes())

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> MultiwordExpander:
        """Loads the lexicons from a directory (J073, J480)."""
        file = util.ensure_path(path) / FILE
        if not file.is_file():
            raise JointValueError(Errors.J073, path=path, name=FILE)
        return self.from_bytes(file.read_bytes())


def list_adjacent(doc: Doc) -> Iterator[tuple[Token, Token]]:
    """The pairs of tokens without a space between them."""
    return ((before, token) for before, token in pairwise(doc) if not before.whitespace_ and not before.is_space)


def learn_joints(docs: Iterable[Doc]) -> Joints:
    """Whether tokens are joined to the one before in most cases, for the forms that sometimes are."""
    described = ((doc, are_joined(list(doc))) for doc in docs)
    joints = {}
    for form, by_other in _count(
        (token.lower_, before.lower_, joined[token.i])
        for doc, joined in described
        for before, token in list_adjacent(doc)
    ):
        if by_other[ANY][True]:
            decided = {other: counter[True] > counter[False] for other, counter in by_other.items()}
            joints[form] = {other: it for other, it in decided.items() if other == ANY or it != decided[ANY]}
    return joints


def learn_lexicon(docs: Iterable[Doc]) -> Lexicon:
    """The most frequent analysis of each form that is a multiword token somewhere, by tag."""
    tokens = (token for doc in docs for token in doc)
    analysed = ((token, tuple(word._replace(form=word.form.lower()) for word in get_words(token))) for token in tokens)
    counts = _count((token.lower_, token.tag_, words) for token, words in analysed)
    return {
        form: {tag: _choose(counter) for tag, counter in by_tag.items()} for form, by_tag in counts if any(by_tag[ANY])
    }


def _count(found: Iterable[tuple[str, str, Value]]) -> list[tuple[str, dict[str, Counter[Value]]]]:
    """How often each form (first) has each value (last), by what may decide it and for ANY; sorted."""
    counts: dict[str, dict[str, Counter[Value]]] = {}
    for form, given, value in found:
        for key in {given, ANY}:
            counts.setdefault(form, {}).setdefault(key, Counter())[value] += 1
    return [(form, dict(sorted(by_key.items()))) for form, by_key in sorted(counts.items())]


def _choose(counter: Counter[Analysis]) -> Analysis:
    """The most frequent analysis; the number of words is decided first."""
    sizes = Counter(map(len, counter.elements()))
    size = min(sizes, key=lambda size: (-sizes[size], size))
    return min((words for words in counter if len(words) == size), key=lambda words: (-counter[words], words))


def copy_case(text: str, words: Iterable[Word]) -> list[Word]:
    """The words of a token that is written as `text`: `Zum` is `Zu` and `dem`, `ZUM` is `ZU` and `DEM`."""
    if text.isupper() and len(text) > 1:
        return [word._replace(form=word.form.upper()) for word in words]
    first, *others = words
    if text[:1].isupper():
        first = first._replace(form=first.form[:1].upper() + first.form[1:])
    return [first, *others]
