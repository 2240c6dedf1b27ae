"""A component that finds multiword tokens: German `zum` is `zu` and `dem`, English `don't` is `do` and `n't`.

It looks tokens up in lexicons of the training data. One has the words of the multiword tokens whose words are not their
letters (see `annotation.multiword_tokens`). Where a token is sometimes one word and sometimes several, as French `des`,
its tag decides. The other has the tokens that are joined to the token before them if there is no space.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path

import srsly
from spacy import util
from spacy.language import Language
from spacy.pipeline import Pipe
from spacy.tokens import Doc, Token
from spacy.training import Example
from spacy.vocab import Vocab

from ..annotation.multiword_tokens import Word, are_joined, get_words, join, register_extensions, set_words
from ..errors import Errors, JointValueError

Analysis = tuple[Word, ...]
Lexicon = dict[str, dict[str, Analysis]]
"""The words of a token by its form in lower case and its tag, "" for other tags; no words if it is a single word."""
Joints = dict[str, dict[str, bool]]
"""Whether a token is joined to the one before it, by their forms in lower case: its own, and the other, "" for any."""

ANY = ""
FILE = "lexicon.json"


class MultiwordExpander(Pipe):
    """Sets `Token._.ud_words` and `Token._.ud_joined` of multiword tokens. Tokens that have words are left alone.

    vocab (Vocab): The vocabulary.
    name (str): The name of the component.
    """

    def __init__(self, vocab: Vocab, name: str = "multiword_expander") -> None:
        register_extensions()
        self.vocab = vocab
        self.name = name
        self.lexicon: Lexicon = {}
        self.joints: Joints = {}

    def initialize(self, get_examples: Callable[[], Iterable[Example]], *, nlp: Language | None = None) -> None:
        """Learns the lexicons from the references of examples.

        For each form and tag, and for each form with any tag, the most frequent analysis is kept; likewise for pairs.
        """
        self.lexicon = learn_lexicon(example.reference for example in get_examples())
        self.joints = learn_joints(example.reference for example in get_examples())

    def __call__(self, doc: Doc) -> Doc:
        """Sets the words of the multiword tokens of a document."""
        for token in doc:
            analyses = self.lexicon.get(token.lower_)
            if analyses and not get_words(token):
                words = analyses.get(token.tag_, analyses[ANY])
                if words:
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
        """Loads the lexicons.

        Raises ValueError (J480) if they cannot be read.
        """
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
        directory = util.ensure_path(path)
        directory.mkdir(parents=True, exist_ok=True)
        (directory / FILE).write_bytes(self.to_bytes())

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> MultiwordExpander:
        """Loads the lexicons from a directory.

        Raises ValueError (J480) if they cannot be read, FileNotFoundError if there is no file.
        """
        return self.from_bytes((util.ensure_path(path) / FILE).read_bytes())


def list_adjacent(doc: Doc) -> Iterator[tuple[Token, Token]]:
    """The pairs of tokens without a space between them."""
    return ((before, token) for before, token in pairwise(doc) if not before.whitespace_ and not before.is_space)


def learn_joints(docs: Iterable[Doc]) -> Joints:
    """Whether tokens are joined to the one before in most cases, for the forms that sometimes are."""
    counts: dict[str, dict[str, Counter[bool]]] = {}
    for doc in docs:
        joined = are_joined(list(doc))
        for before, token in list_adjacent(doc):
            by_other = counts.setdefault(token.lower_, {})
            for other in (before.lower_, ANY):
                by_other.setdefault(other, Counter())[joined[token.i]] += 1
    joints = {}
    for form, by_other in sorted(counts.items()):
        if by_other[ANY][True]:
            decided = {other: counter[True] > counter[False] for other, counter in sorted(by_other.items())}
            joints[form] = {
                other: choice for other, choice in decided.items() if other == ANY or choice != decided[ANY]
            }
    return joints


def learn_lexicon(docs: Iterable[Doc]) -> Lexicon:
    """The most frequent analysis of each form that is a multiword token somewhere, by tag."""
    counts: dict[str, dict[str, Counter[Analysis]]] = {}
    for doc in docs:
        for token in doc:
            words = _make_lower(get_words(token))
            by_tag = counts.setdefault(token.lower_, {})
            for tag in {token.tag_, ANY}:
                by_tag.setdefault(tag, Counter())[words] += 1
    return {
        form: {tag: _choose(counter) for tag, counter in sorted(by_tag.items())}
        for form, by_tag in sorted(counts.items())
        if any(by_tag[ANY])
    }


def _choose(counter: Counter[Analysis]) -> Analysis:
    """The most frequent analysis; the number of words is decided first."""
    sizes = Counter[int]()
    for words, count in counter.items():
        sizes[len(words)] += count
    size = min(sizes, key=lambda size: (-sizes[size], size))
    return min((words for words in counter if len(words) == size), key=lambda words: (-counter[words], words))


def _make_lower(words: Iterable[Word]) -> Analysis:
    return tuple(word._replace(form=word.form.lower()) for word in words)


def copy_case(text: str, words: Iterable[Word]) -> list[Word]:
    """The words of a token that is written as `text`: `Zum` is `Zu` and `dem`, `ZUM` is `ZU` and `DEM`."""
    first, *others = words
    if text.isupper() and len(text) > 1:
        return [word._replace(form=word.form.upper()) for word in (first, *others)]
    if text[:1].isupper():
        first = first._replace(form=first.form[:1].upper() + first.form[1:])
    return [first, *others]
