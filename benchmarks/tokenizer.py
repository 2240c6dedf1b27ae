"""Measures word F1 and speed on raw text: spaCy's English tokenizer, the rules of this package, and with exceptions.

    python benchmarks/tokenizer.py assets/ewt_dev.conllu --exceptions assets/en_tokenizer_exceptions.json

Speed is the best of three passes over the text in one thread, each starting with an empty cache.
"""

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path

import spacy
from spacy.scorer import PRFScore
from spacy.tokenizer import Tokenizer
from spacy.tokens import Doc

from spacy_joint.corpora.conllu import read_conllu
from spacy_joint.tokenization.exceptions import add_exceptions


def make_tokenizer(name: str, exceptions: dict[str, list[str]]) -> Tokenizer:
    nlp = spacy.blank("en", config={"nlp": {"tokenizer": {"@tokenizers": name}}})
    return add_exceptions(nlp.tokenizer, exceptions)


def list_words(doc: Doc) -> set[tuple[int, int]]:
    return {(token.idx, len(token)) for token in doc if not token.is_space}


def measure(make: Callable[[], Tokenizer], references: list[Doc]) -> tuple[float, float]:
    """Return the F1 of words, and words per second."""
    score = PRFScore()
    texts = [reference.text for reference in references]
    seconds = []
    for _ in range(3):
        tokenizer = make()
        start = time.process_time()
        docs = [tokenizer(text) for text in texts]
        seconds.append(time.process_time() - start)
    for doc, reference in zip(docs, references, strict=True):
        score.score_set(list_words(doc), list_words(reference))
    return score.fscore, sum(map(len, references)) / min(seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--exceptions", type=Path, required=True)
    arguments = parser.parse_args()
    exceptions = json.loads(arguments.exceptions.read_text(encoding="utf8"))
    references = list(read_conllu(arguments.corpus, spacy.blank("en").vocab, paragraphs=True))
    ours = "spacy_joint.UdEnglishTokenizer.v1"
    systems = {
        "spaCy": lambda: make_tokenizer("spacy.Tokenizer.v1", {}),
        "rules": lambda: make_tokenizer(ours, {}),
        "rules and exceptions": lambda: make_tokenizer(ours, exceptions),
    }
    speeds = []
    for name, make in systems.items():
        fscore, speed = measure(make, references)
        speeds.append(speed)
        print(f"{name}: F1 {100 * fscore:.2f}, {speed:,.0f} words per second, {speeds[0] / speed:.2f} of spaCy's time")


if __name__ == "__main__":
    main()
