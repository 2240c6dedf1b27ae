"""A pipeline that test_calls.py calls, what is expected of it, and reading all that can be read of a document."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from random import Random
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc, Span, Token
from spacy.tokens.underscore import Underscore

import spacy_joint.annotation.constituents as constituents

from .pipelines import COMPONENTS, FORMS, Oracle, Result, are_same, attempt, flatten, get_code, load, make_input

WORDS = (
    *("the", "big", "red", "said", "I", "she", "NN", '"', "“", "”", ".", "-", "\n\n", " ", ""),
    *("x" * 300, "é", "\u200b"),
)


class Life:
    """A pipeline under test, and what is known of it."""

    def __init__(self, oracle: Oracle, pipeline: int, threads: int) -> None:
        chance = Random(pipeline)
        chosen = chance.sample(list(COMPONENTS), chance.choice((1, 2, 2, 3, 3, 4)))
        self.names = tuple(name for name in COMPONENTS if name in chosen)
        self.oracle, self.directory = oracle, oracle.directory
        self.load = partial(load, oracle.library, self.names, threads)
        self.nlp, self.twin = self.load(), self.load()
        self.bytes = {name: save(pipe) for name, pipe in self.nlp.pipeline}

    def annotate(self, number: int) -> Result:
        return attempt(lambda: self.nlp(make_input(self.nlp, number)))

    def expect(self, number: int, result: Result) -> None:
        require(result, self.oracle.get(tuple(self.nlp.pipe_names))[number], f"input {number}")

    def enable_all(self) -> list[str]:
        """Returns what was disabled."""
        disabled = list(self.nlp.disabled)
        for name in disabled:
            self.nlp.enable_pipe(name)
            self.twin.enable_pipe(name)
        return disabled

    def restore(self, name: str) -> None:
        if self.bytes[name]:
            pipe = self.nlp.get_pipe(name).from_bytes(self.bytes[name], exclude=["vocab"])
            require(save(pipe) == self.bytes[name], True, f"restored bytes of {name}")

    def choose(self, chance: Random) -> tuple[str, Any]:
        """A component."""
        return chance.choice(self.nlp.pipeline)

    def make_doc(self, chance: Random, nlp: Language) -> Doc:
        """A document that may never have been seen."""
        words = chance.choices(WORDS, k=chance.choice((0, 1, 2, 5, 12)))
        doc = Doc(nlp.vocab, words=words, spaces=[chance.random() < 0.8 for _ in words])
        return chance.choice(FORMS)(doc) if all(words) else doc


def save(pipe: Any) -> bytes:
    return pipe.to_bytes(exclude=["vocab"]) if hasattr(pipe, "to_bytes") else b""


def require(result: Any, expected: Any, what: str = "") -> None:
    if not are_same(result, expected):
        if not isinstance(result, tuple) or not isinstance(expected, tuple):
            raise AssertionError(f"{what}: {result} instead of {expected}")
        differences = [pair for pair in zip(result[0], expected[0], strict=False) if pair[0] != pair[1]][:3]
        raise AssertionError(f"{what}: {differences} of {len(result[0])}, {len(expected[0])}")


def read(value: Callable[[], Any]) -> Result:
    """What an attribute is, or the code of its error."""
    exact: list[Any] = []
    floats: list[float] = []
    try:
        flatten(value(), exact, floats)
    except Exception as error:
        return get_code(error)
    return exact, floats


@contextmanager
def allow_coded() -> Iterator[None]:
    """Ignores errors with codes."""
    try:
        yield
    except Exception as error:
        get_code(error)


def read_all(doc: Doc, chance: Random) -> list[Result]:
    """Every extension attribute of a document, and of some of its tokens and spans."""
    parts: list[Doc | Span | Token] = [doc]
    for _ in range(2 if len(doc) else 0):
        start = chance.randrange(len(doc))
        parts += [doc[start], doc[start : chance.randint(start, len(doc))], *chance.sample(list(doc), 1)]
    for group in doc.spans.values():
        # spaCy refuses groups that do not fit a changed document (E035).
        with suppress(IndexError):
            parts += [group[chance.randrange(len(group))] for _ in range(min(2, len(group)))]
    extensions = {Doc: Underscore.doc_extensions, Span: Underscore.span_extensions, Token: Underscore.token_extensions}
    results = []
    for part in parts:
        for name, (_, method, _, _) in sorted(extensions[type(part)].items()):
            results.append(
                read(
                    lambda name=name, part=part, method=method: getattr(part._, name)() if method else part._.get(name)
                )
            )
    results.append(read(lambda: list(map(str, constituents.get_trees(doc)))))
    results.append(read(lambda: constituents.get_constituents(doc)))
    return results
