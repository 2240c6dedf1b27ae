"""A component that finds multiword tokens: German `zum` is `zu` and `dem`, English `don't` is `do` and `n't`.

It looks tokens up in a lexicon of the training data, which has the multiword tokens that are not spelt by their words
(see `annotation.multiword_tokens`). If a token is sometimes one word and sometimes several, such as French `des`, its
tag decides. `multiword_rules` has rules for tokens that are not in the lexicon. Another lexicon has tokens that are
joined to the previous token if there is no space.
"""

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
from itertools import pairwise
from typing import TypeVar

import srsly
from spacy.language import Language
from spacy.pipeline import Pipe
from spacy.tokens import Doc, Token
from spacy.training import Example
from spacy.vocab import Vocab

from ..annotation.multiword_tokens import Word, are_joined, get_words, join, set_words
from ..errors import Warnings, report_damage
from ..pipes.component_files import ComponentFiles, Parts, uses_parts
from ..pipes.examples import read_examples
from ..pipes.spelling import Spelling, find_known_characters
from .multiword_rules import ANY, Analysis, MultiwordRules, Rule, Typed

Lexicon = dict[str, dict[str, Analysis]]
"""The words of a token by its form in lower case and its tag ("" for other tags); empty if it is a single word."""
Joints = dict[str, dict[str, bool]]
"""Whether a token is joined to the previous one, by the lower-cased forms of both (for the previous one, "" is any
other). The form "" stands for all unlisted tokens of letters."""

Value = TypeVar("Value", bound=Hashable)
FILE = "lexicon.json"


class MultiwordExpander(ComponentFiles, Pipe):
    """Sets `Token._.ud_words` and `Token._.ud_joined` of multiword tokens. Existing words are kept."""

    file_names = (FILE,)

    def __init__(self, vocab: Vocab, name: str = "multiword_expander") -> None:
        self.vocab, self.name = vocab, name
        self.lexicon: Lexicon = {}
        self.joints: Joints = {}
        self.rules = MultiwordRules()
        self.spelling = Spelling(language=vocab.lang)

    def initialize(self, get_examples: Callable[[], Iterable[Example]], *, nlp: Language | None = None) -> None:
        """Learns the lexicons from the references of examples: the most frequent analysis of each form, by tag."""
        examples = read_examples(get_examples, self)
        docs = [example.reference for example in examples]
        self.spelling = Spelling(find_known_characters(examples), self.vocab.lang)
        tokens = _list_analysed(docs, self.spelling)
        self.lexicon, self.joints = learn_lexicon(tokens), learn_joints(docs, self.spelling)
        self.rules = MultiwordRules.learn(tokens)

    @uses_parts
    def __call__(self, doc: Doc) -> Doc:
        """Sets the words of the multiword tokens of a document."""
        if self.lexicon:
            if len(doc) and not doc.has_annotation("TAG"):
                self.warn_once(Warnings.JW02, attribute="token.tag", setter="sequence_tagger")
            for token in doc:
                form = self.spelling.fold(token.text)
                if (words := self._find(form, token.tag_)) and not get_words(token):
                    set_words(token, copy_case(token.text, words))
        for before, token in list_adjacent(doc) if self.joints else ():
            own, other = (self.spelling.fold(each.text) for each in (token, before))
            joints = self.joints.get(own) or (self.joints.get(ANY) if is_lettered(own, other) else None)
            if joints and joints.get(other, joints[ANY]):
                join(token)
        return doc

    def _find(self, form: str, tag: str) -> Analysis:
        analyses = self.lexicon.get(form)
        return self.rules.find(form, tag) if analyses is None else analyses.get(tag, analyses[ANY])

    def list_savers(self, exclude: Collection[str]) -> dict[str, Callable[[], bytes]]:
        """Lists the function that makes the file: lexicons, rules, and the characters of the training data."""
        content = {
            "words": self.lexicon,
            "joints": self.joints,
            "rules": list(self.rules.decisions.items()),
            "known": sorted(self.rules.known),
            "characters": self.spelling.known,
        }
        return {FILE: srsly.json_dumps(content).encode}

    def load_parts(self, parts: Parts) -> None:
        """Loads the lexicons and rules. RAISES ValueError: If they are missing (J073, J050) or damaged (J052)."""
        if (part := parts.get(FILE)) is None:
            return
        with report_damage(part.source, "the content"):
            content = srsly.json_loads(part.content)
            self.lexicon = {
                form: {tag: tuple(Word(*word) for word in words) for tag, words in dict(by_tag).items()}
                for form, by_tag in dict(content["words"]).items()
            }
            self.joints = {form: dict(others) for form, others in dict(content["joints"]).items()}
            rules = {
                Rule(start, end, kept, tuple(Word(*word) for word in words)): {
                    tag: (bool(unknown), bool(known)) for tag, (unknown, known) in dict(by_tag).items()
                }
                for (start, end, kept, words), by_tag in content["rules"]
            }
            entries: list[Collection[str]] = [*self.lexicon.values(), *self.joints.values(), *rules.values()]
            # Entries have a default, and rules a stem.
            if not all(ANY in entry for entry in entries) or not all(
                0 <= rule.kept < len(rule.words) for rule in rules
            ):
                raise ValueError
            self.rules = MultiwordRules(rules, content["known"])
            self.spelling = Spelling(content["characters"], self.vocab.lang)


def list_adjacent(doc: Doc) -> Iterator[tuple[Token, Token]]:
    """Yields the pairs of tokens without a space between them."""
    return ((before, token) for before, token in pairwise(doc) if not before.whitespace_ and not before.is_space)


def is_lettered(form: str, before: str) -> bool:
    """Returns whether both of two adjacent tokens are letters."""
    return form.isalpha() and before.isalpha()


def learn_joints(docs: Iterable[Doc], spelling: Spelling) -> Joints:
    """Learns whether tokens are usually joined to the previous one, for forms that sometimes are, and for letters."""
    described = ((doc, are_joined(list(doc))) for doc in docs)
    found = [
        (spelling.fold(token.text), spelling.fold(before.text), joined[token.i])
        for doc, joined in described
        for before, token in list_adjacent(doc)
    ]
    lettered = [(ANY, before, value) for form, before, value in found if is_lettered(form, before)]
    never_joined = {form for form, before, _ in found if is_lettered(form, before)}
    joints = {}
    for form, by_other in _count([*found, *lettered]):
        # If letters are joined in general, exceptions are listed, too.
        if by_other[ANY][True] or form in never_joined:
            decided = {other: counter[True] > counter[False] for other, counter in by_other.items()}
            joints[form] = {other: value for other, value in decided.items() if other == ANY or value != decided[ANY]}
    if not any(joints.get(ANY, {}).values()):
        joints = {form: others for form, others in joints.items() if form and any(others.values())}
    return joints


def _list_analysed(docs: Iterable[Doc], spelling: Spelling) -> list[Typed]:
    """Lists the tokens of documents, with their tags and words."""
    return [
        (
            spelling.fold(token.text),
            token.tag_,
            tuple(word._replace(form=spelling.fold(word.form)) for word in get_words(token)),
        )
        for doc in docs
        for token in doc
        if not token.text.isspace()
    ]


def learn_lexicon(tokens: Iterable[Typed]) -> Lexicon:
    """Learns the most frequent analysis of each form that is a multiword token at least once, by tag."""
    return {
        form: {tag: _choose(counter) for tag, counter in by_tag.items()}
        for form, by_tag in _count(tokens)
        if any(by_tag[ANY])
    }


def _count(found: Iterable[tuple[str, str, Value]]) -> list[tuple[str, dict[str, Counter[Value]]]]:
    """Counts how often each form (first) has each value (last), by the deciding string (second) and for ANY; sorted."""
    counts: dict[str, dict[str, Counter[Value]]] = {}
    for form, given, value in found:
        for key in {given, ANY}:
            counts.setdefault(form, {}).setdefault(key, Counter())[value] += 1
    return [(form, dict(sorted(by_key.items()))) for form, by_key in sorted(counts.items())]


def _choose(counter: Counter[Analysis]) -> Analysis:
    """Chooses the most frequent analysis among those with the most frequent number of words."""
    sizes = Counter(map(len, counter.elements()))
    size = min(sizes, key=lambda size: (-sizes[size], size))
    return min((words for words in counter if len(words) == size), key=lambda words: (-counter[words], words))


def copy_case(text: str, words: Iterable[Word]) -> list[Word]:
    """Writes words in the case of their token, `text`: `Zum` is `Zu` and `dem`, `ZUM` is `ZU` and `DEM`."""
    if text.isupper() and len(text) > 1:
        return [word._replace(form=word.form.upper()) for word in words]
    first, *others = words
    if text[:1].isupper():
        first = first._replace(form=first.form[:1].upper() + first.form[1:])
    return [first, *others]
