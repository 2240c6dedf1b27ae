"""Measures how well short edited texts are split into sentences: by our pipelines, and by rules and statistics.

    python benchmarks/edited_text.py en_joint_english en_joint_english_md --document docs/results.md

Texts are in tests/edited_text: `development`, `held_out` (never looked at during development), and the golden rules of
pragmatic_segmenter; those of other languages in a directory each. Generated texts are English, and have a quotation
before its speaker, or a greeting before a sentence. A text counts if all its boundaries are right; F1 is that of
boundaries within texts.
"""

from measure import Document, Output, format_table, report

# isort: split
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Annotated, NamedTuple

import spacy
import typer
from spacy.language import Language
from spacy.scorer import PRFScore

TEXTS = Path(__file__).parent.parent / "tests" / "edited_text"
QUOTES = ('""', "“”", "‘’")
SAID = [
    *("The bus was late,", "I never saw it,", "Nobody asked us,"),
    *("We close at nine,", "It will rain tomorrow,", "You have been very kind,"),
]
ASKED = [
    *("Who is there?", "Are you sure?", "Stop that!", "How much is it?"),
    *("Is he coming back?", "Look out!", "What happened to your hand?"),
]
AFTER_SAID = ["Mary said to him.", "the mayor told reporters.", "she said.", "said an old man at the bar."]
AFTER_ASKED = [
    *("Mary said.", "she asked.", "the clerk cried.", "his brother wanted to know."),
    *("said Mary.", "asked the clerk.", "cried the boys.", "replied Mr. Stone."),
]
GREETINGS = ["Hi", "Hello", "Hey", "Good morning", "Thanks", "OK", "Sorry", "Welcome"]
NAMES = ["everyone", "Tom", "Maria", "Dr. Lee", "guys", "sir", "Mom", "all"]
RESTS = [
    *("can you hear me?", "it's good to see you.", "I have a question.", "let's get started."),
    "we need to talk about the plan.",
]

FindSentences = Callable[[str], list[int]]


class Text(NamedTuple):
    """A text and the offsets of its sentences."""

    text: str
    starts: list[int]


def read_texts(path: Path) -> Iterator[Text]:
    """The texts of a file, whose first lines say how it is written."""
    for line in path.read_text(encoding="utf8").splitlines()[1:]:
        if line and not line.startswith("== "):
            yield make_text(line)


def make_text(line: str) -> Text:
    """The text of a line."""
    text, starts = "", [0]
    for part in line.replace("\\n", "\n").replace("\n| ", "\n | ").split(" | "):
        if text:
            text += "" if text.endswith("\n") else " "
            starts.append(len(text))
        text += part
    return Text(text, starts)


def generate() -> dict[str, list[Text]]:
    """Texts of one sentence each."""
    said = [f"{left}{words}{right} {who}" for words, (left, right), who in product(SAID, QUOTES, AFTER_SAID)]
    asked = [f"{left}{words}{right} {who}" for words, (left, right), who in product(ASKED, QUOTES[:2], AFTER_ASKED)]
    greetings = ["".join(parts) for parts in product(GREETINGS, (", ", " "), NAMES, (", ",), RESTS)]
    texts = {"said": said, "asked": asked, "greetings": greetings}
    return {name: [Text(text, [0]) for text in each] for name, each in texts.items()}


def split_with(nlp: Language) -> FindSentences:
    """The offsets of the sentences of a pipeline: those of their first words."""

    def split(text: str) -> list[int]:
        words = ([token for token in sentence if not token.is_space] for sentence in nlp(text).sents)
        return [first.idx for first, *_ in filter(None, words)]

    return split


def load_peers(language: str, punkt_text: Path | None) -> dict[str, FindSentences]:
    """Splitters with rules or statistics that know a language."""
    import nupunkt
    import pysbd
    from nltk.tokenize.punkt import PunktSentenceTokenizer
    from pysbd.languages import LANGUAGE_CODES

    peers: dict[str, FindSentences] = {}
    if language in LANGUAGE_CODES:
        segmenter = pysbd.Segmenter(language=language, clean=False, char_span=True)
        peers["pySBD"] = lambda text: [span.start for span in segmenter.segment(text)]
    if language == "en":
        peers["nupunkt"] = lambda text: [start for start, _ in nupunkt.sent_spans(text)]
    if punkt_text is not None:
        punkt = PunktSentenceTokenizer(punkt_text.read_text(encoding="utf8"))
        peers["NLTK Punkt"] = lambda text: [start for start, _ in punkt.span_tokenize(text)]
    rules = spacy.blank(language)
    rules.add_pipe("sentencizer")
    peers["spaCy sentencizer"] = split_with(rules)
    return peers


def score(texts: list[Text], find: FindSentences) -> tuple[int, float]:
    """The number of texts with all boundaries right, and F1 of the boundaries within texts."""
    exact, boundaries = 0, PRFScore()
    for text, (_, *starts) in texts:
        split = {skip_space(text, start) for start in find(text)} - {0, len(text)}
        exact += split == set(starts)
        boundaries.score_set(split, set(starts))
    return exact, boundaries.fscore if len(boundaries) else 1.0


def skip_space(text: str, start: int) -> int:
    """The offset of the first character at or after an offset that is not a space."""
    return len(text) - len(text[start:].lstrip())


def main(
    pipelines: Annotated[list[str], typer.Argument(help="Our pipelines: packages or directories.")],
    language: Annotated[str, typer.Option(help="The language of the texts: en, fr or pt.")] = "en",
    held_out: Annotated[bool, typer.Option("--held-out", help="Also the texts for the last table.")] = False,
    punkt_text: Annotated[
        Path | None, typer.Option(help="Text to train Punkt on; without it, Punkt is left out.")
    ] = None,
    show: Annotated[
        bool, typer.Option("--show", help="Show the mistakes of the first pipeline, not in held-out texts.")
    ] = False,
    output: Output = None,
    document: Document = None,
) -> None:
    """Score all systems."""
    is_english = language == "en"
    directory = TEXTS if is_english else TEXTS / language
    names = [*(["golden_rules"] if is_english else []), "development", *(["held_out"] if held_out else [])]
    texts = {name: list(read_texts(directory / f"{name}.txt")) for name in names} | (generate() if is_english else {})
    systems = {name: split_with(spacy.load(name)) for name in pipelines} | load_peers(language, punkt_text)
    results = {name: {kind: score(each, find) for kind, each in texts.items()} for name, find in systems.items()}
    # Generated texts have no boundaries within.
    header = ["", *(f"{kind.replace('_', ' ')} ({len(each)})" for kind, each in texts.items())]
    rows = [
        [name, *(f"{exact}" + (f" / {100 * f1:.1f}" if kind in names else "") for kind, (exact, f1) in scores.items())]
        for name, scores in results.items()
    ]
    text = f"Texts with all boundaries right / boundary F1:\n\n{format_table(header, rows)}"
    report(text, results, output, document, "edited" if is_english else f"edited_{language}")
    if show:
        for kind in names:
            if kind != "held_out":
                show_mistakes(texts[kind], systems[pipelines[0]])


def show_mistakes(texts: list[Text], find: FindSentences) -> None:
    """Print texts with mistakes: `|` is a boundary that is wrong, `_` one that is missing."""
    for text, starts in texts:
        split = {skip_space(text, start) for start in find(text)} - {len(text)}
        if split != set(starts):
            marks = {at: "|" if at in split else "_" for at in split.symmetric_difference(starts)}
            print("".join(marks.get(at, "") + letter for at, letter in enumerate(text)).replace("\n", "\\n"))


if __name__ == "__main__":
    typer.run(main)
