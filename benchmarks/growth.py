"""Measures how time and memory of a parser grow with document size: words per second and peak memory, beam 20.

Large documents repeat the same text, and small documents are cut from all of it, so that every size parses the same
words. For `constituency_parser`, each document is a single sentence. Each figure comes from a separate process, because
peak memory never decreases. Memory is that of the whole process, including the document.
"""

from measure import (
    PARSER,
    Document,
    Output,
    format_table,
    get_peak_memory,
    load_with_beam,
    measure_in_fresh_process,
    read_tagged,
    report,
    time_annotation,
)

# isort: split
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from typing import Annotated

import typer
from spacy.tokens import Doc
from spacy.vocab import Vocab

SIZES = {PARSER: (1_000, 10_000, 100_000), "constituency_parser": (20, 100, 1_000, 5_000)}
MILLION = 1_000_000
TEXT = 20_000


def make_documents(corpus: Path, vocab: Vocab, size: int, component: str) -> list[Doc]:
    """Documents of `size` words each, which divide or repeat the first TEXT words of the corpus."""
    starts = None if component == PARSER else [place == 0 for place in range(size)]
    tokens = ((token.text, token.tag_) for doc in read_tagged(corpus, vocab) for token in doc)
    text = list(islice(tokens, TEXT))
    words = cycle(text)
    chunks = [list(islice(words, size)) for _ in range(max(1, TEXT // size))]
    return [Doc(vocab, words=[w for w, _ in chunk], tags=[t for _, t in chunk], sent_starts=starts) for chunk in chunks]


def measure_size(model: str, corpus: Path, component: str, size: int, beam_width: int) -> dict[str, float]:
    """Parse documents of one size in this process."""
    nlp = load_with_beam(model, beam_width, component)
    parser = nlp.get_pipe(component)
    for doc in make_documents(corpus, nlp.vocab, SIZES[component][0], component):
        parser(doc)
    docs = make_documents(corpus, nlp.vocab, size, component)
    # Short measurements are repeated.
    rounds = 3 if size <= TEXT else 1
    seconds = median(time_annotation(lambda copies: [parser(doc) for doc in copies], docs) for _ in range(rounds))
    return {"words_per_second": size * len(docs) / seconds, "peak_kb": get_peak_memory() / 1000}


def main(
    model: Annotated[str, typer.Argument(help="Pipeline with the parser.")],
    corpus: Annotated[Path, typer.Argument(help="CoNLL-U file with the documents.")],
    component: Annotated[str, typer.Option(help=" or ".join(SIZES) + ".")] = PARSER,
    beam_width: Annotated[int, typer.Option(min=1)] = 20,
    rounds: Annotated[int, typer.Option(min=1, help="Processes per size.")] = 3,
    million: Annotated[bool, typer.Option(help="Also parse a document of a million words.")] = False,
    output: Output = None,
    document: Document = None,
) -> None:
    """Measure documents of increasing size."""
    sizes = (*SIZES[component], MILLION) if million else SIZES[component]
    runs: dict[int, list[dict[str, float]]] = {words: [] for words in sizes}
    for _ in range(rounds):
        for words in sizes:
            runs[words].append(measure_in_fresh_process(measure_size, model, corpus, component, words, beam_width))
    results = {
        words: {key: median(run[key] for run in runs[words]) for key in ("words_per_second", "peak_kb")}
        for words in sizes
    }
    least = results[sizes[0]]
    rows = []
    for words, result in results.items():
        result["relative_speed"] = result["words_per_second"] / least["words_per_second"]
        grown = (result["peak_kb"] - least["peak_kb"]) / (words - sizes[0]) if words > sizes[0] else 0.0
        result["kb_per_word"] = grown
        rows.append(
            [
                f"{words:,}",
                f"{result['words_per_second']:,.0f}",
                f"{result['relative_speed']:.2f}",
                f"{result['peak_kb'] / 1000:.0f}",
                f"{grown:.2f}",
            ]
        )
    table = format_table(["words", "words/s", "relative", "peak MB", "kB per word"], rows)
    report(table, {"beam_width": beam_width, "sizes": results}, output, document, "growth")


if __name__ == "__main__":
    typer.run(main)
