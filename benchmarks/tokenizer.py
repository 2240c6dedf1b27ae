"""Measures words (F1) and speed of tokenizers on raw text: spaCy's, the English rules of this package, with exceptions,
and the tokenizer learnt from a treebank.

    python benchmarks/tokenizer.py assets/ewt_dev.conllu --train assets/ewt_train.conllu \
        --exceptions assets/en_tokenizer_exceptions.json
    python benchmarks/tokenizer.py gsdsimp_test.conllu --train gsdsimp_dev.conllu --language zh

`--spaceless` measures, and learns from, copies of the treebanks without spaces. Speed is the best of three passes over
the text in one thread, each starting with an empty cache.
"""

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated

import spacy
import typer
from spacy.scorer import PRFScore
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed

from spacy_joint.corpora.conllu import read_conllu
from spacy_joint.pipes.tokenizer_check import score_words
from spacy_joint.tokenization.exceptions import add_exceptions

Tokenizer = Callable[[str], Doc]
RULES = "spacy_joint.UdEnglishTokenizer.v1"
LEARNT = "spacy_joint.CharacterTokenizer.v1"


def make_tokenizer(
    language: str, name: str | None = None, exceptions: Mapping[str, list[str]] | None = None
) -> Tokenizer:
    config = {"nlp": {"tokenizer": {"@tokenizers": name}}} if name else {}
    tokenizer = spacy.blank(language, config=config).tokenizer
    return add_exceptions(tokenizer, exceptions) if exceptions else tokenizer


def learn_tokenizer(language: str, references: list[Doc]) -> bytes:
    """Learn a tokenizer and save it to bytes."""
    tokenizer = make_tokenizer(language, LEARNT)
    fix_random_seed(0)
    start = time.perf_counter()
    tokenizer.initialize(lambda: [Example(reference, reference) for reference in references])
    content = tokenizer.to_bytes()
    print(f"learnt in {time.perf_counter() - start:.0f} s, {len(content) / 1e6:.1f} MB")
    return content


def read(path: Path, *, paragraphs: bool, spaceless: bool) -> list[Doc]:
    references = list(read_conllu(path, spacy.blank("xx").vocab, paragraphs=paragraphs))
    return list(map(remove_spaces, references)) if spaceless else references


def remove_spaces(doc: Doc) -> Doc:
    words = ["".join(token.text.split()) for token in doc if not token.text.isspace()]
    return Doc(doc.vocab, words=words, spaces=[False] * len(words))


def measure(make: Callable[[], Tokenizer], references: list[Doc]) -> tuple[PRFScore, float]:
    """Return the scores of words, and words per second."""
    texts = [reference.text for reference in references]
    seconds = []
    for _ in range(3):
        tokenizer = make()
        start = time.process_time()
        for text in texts:
            tokenizer(text)
        seconds.append(time.process_time() - start)
    score = score_words(make(), references, max_words=None)
    return score, (score.tp + score.fn) / min(seconds)


def main(
    corpus: Annotated[Path, typer.Argument(help="Treebank.")],
    train: Annotated[Path | None, typer.Option(help="Treebank to learn a tokenizer from.")] = None,
    exceptions: Annotated[Path | None, typer.Option(help="Exceptions to the English rules.")] = None,
    language: Annotated[str, typer.Option()] = "en",
    spaceless: Annotated[bool, typer.Option("--spaceless", help="Remove all spaces from the treebanks.")] = False,
) -> None:
    """Print scores and speed of each tokenizer."""
    references = read(corpus, paragraphs=not spaceless, spaceless=spaceless)
    systems: dict[str, Callable[[], Tokenizer]] = {"spaCy": lambda: make_tokenizer(language)}
    if language == "en":
        systems["rules"] = lambda: make_tokenizer(language, RULES)
    if exceptions:
        words = json.loads(exceptions.read_text(encoding="utf8"))
        systems["rules and exceptions"] = lambda: make_tokenizer(language, RULES, words)
    if train:
        learnt = learn_tokenizer(language, read(train, paragraphs=False, spaceless=spaceless))
        systems["learnt"] = lambda: make_tokenizer(language, LEARNT).from_bytes(learnt)
    for name, make in systems.items():
        score, speed = measure(make, references)
        measures = {"precision": score.precision, "recall": score.recall, "F1": score.fscore}
        listed = "".join(f"{what} {100 * value:.2f}, " for what, value in measures.items())
        print(f"{name}: {listed}{speed:,.0f} words per second")


if __name__ == "__main__":
    typer.run(main)
