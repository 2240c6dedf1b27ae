"""Measures streaming: the speed and memory of a long stream, and the delay of its sentences.

The stream repeats the documents of a corpus as one document, up to a number of words. Batch speed is that of the parser
on each of these documents as a whole, in a separate process. Memory is the peak of the streaming process. The delay of
a sentence is the number of words that arrive after its last one before it is yielded, if words arrive one by one. Where
decisions are forced to shorten it, the stream is not as accurate as the whole document.
"""

from measure import (
    PARSER,
    Output,
    count_words,
    format_table,
    get_peak_memory,
    load_with_beam,
    measure_in_fresh_process,
    percent,
    read_references,
    read_tagged,
    report,
    time_annotation,
    write_results,
)

# isort: split
import time
from collections.abc import Iterable, Iterator
from itertools import chain, cycle
from pathlib import Path
from statistics import median
from typing import Annotated, Any

import numpy as np
import typer
from spacy.language import Language
from spacy.tokens import Doc, Span, Token
from spacy.training import Example

from spacy_joint.corpora.examples import make_example
from spacy_joint.scoring.boundaries_and_trees import score_boundaries_and_trees

# Memory at the end is compared with memory after this share of the stream.
EARLY = 0.1
WARM_UP = 20_000
# Words per round, stream and batch in turn.
COMPARED = 500_000
GUIDE = "parser_guide"
QUANTILES = (0.5, 0.75, 0.9, 0.95, 0.99, 1.0)

app = typer.Typer(add_completion=False)


def repeat(docs: list[Doc], n_words: int) -> Iterator[Doc]:
    """Repeat the documents until they have this many words."""
    for doc in cycle(docs):
        yield doc
        n_words -= len(doc)
        if n_words <= 0:
            return


def open_stream(nlp: Language, tokens: Iterable[Doc | Token], max_delay: int | None = None) -> Iterator[Span]:
    """The sentences of tagged tokens."""
    guided = nlp.get_pipe(GUIDE).stream(tokens) if GUIDE in nlp.pipe_names else tokens
    return nlp.get_pipe(PARSER).stream(guided, max_delay=max_delay)


def annotate(nlp: Language, doc: Doc) -> Doc:
    """Parse a tagged document."""
    return nlp.get_pipe(PARSER)(nlp.get_pipe(GUIDE)(doc) if GUIDE in nlp.pipe_names else doc)


def run_stream(model: str, corpus: Path, n_words: int, beam_width: int, kind: str) -> dict[str, Any]:
    """Stream this many words in this process, as "documents" or "tokens"."""
    nlp = load_with_beam(model, beam_width)
    docs = read_tagged(corpus, nlp.vocab)
    for _ in open_stream(nlp, repeat(docs, WARM_UP)):
        pass
    whole = repeat(docs, n_words)
    done = 0
    peaks: list[float] = []
    start = time.process_time()
    for sentence in open_stream(nlp, chain.from_iterable(whole) if kind == "tokens" else whole):
        done += len(sentence)
        if not peaks and done >= EARLY * n_words:
            peaks.append(get_peak_memory() / 1e6)
    seconds = time.process_time() - start
    return {"words": done, "words_per_second": done / seconds, "peaks_mb": [*peaks, get_peak_memory() / 1e6]}


def run_batch(model: str, corpus: Path, n_words: int, beam_width: int) -> dict[str, Any]:
    """Parse documents with this many words in this process, one by one."""
    nlp = load_with_beam(model, beam_width)
    docs = read_tagged(corpus, nlp.vocab)
    time_annotation(lambda copies: [annotate(nlp, doc) for doc in copies], list(repeat(docs, WARM_UP)))
    rounds = max(1, n_words // count_words(docs))
    seconds = sum(time_annotation(lambda copies: [annotate(nlp, doc) for doc in copies], docs) for _ in range(rounds))
    return {"words_per_second": rounds * count_words(docs) / seconds}


@app.command()
def speed(
    model: Annotated[str, typer.Argument(help="Pipeline with a joint_sbd_parser.")],
    corpus: Annotated[Path, typer.Argument(help="CoNLL-U file with the documents.")],
    words: Annotated[int, typer.Option(min=1, help="Length of the long stream.")] = 5_000_000,
    beam_width: Annotated[int, typer.Option(min=1)] = 8,
    rounds: Annotated[int, typer.Option(min=1)] = 5,
    output: Output = None,
) -> None:
    """Compare a stream with whole documents, and track the memory of a long stream."""
    measured = (model, corpus, COMPARED, beam_width)
    runs: dict[str, list[float]] = {"batch": [], "documents": [], "tokens": []}
    for _ in range(rounds):
        for kind, speeds in runs.items():
            run = (run_batch, *measured) if kind == "batch" else (run_stream, *measured, kind)
            speeds.append(measure_in_fresh_process(*run)["words_per_second"])
    medians = {kind: median(speeds) for kind, speeds in runs.items()}
    rows = [[kind, f"{value:,.0f}", f"{value / medians['batch']:.2f}"] for kind, value in medians.items()]
    print(format_table(["input", "words/s", "relative to batch"], rows))
    long = measure_in_fresh_process(run_stream, model, corpus, words, beam_width, "documents")
    early, late = long["peaks_mb"]
    print(f"\n{long['words']:,} words: {long['words_per_second']:,.0f} words/s, peak {early:.1f} MB after a tenth, ")
    print(f"{late:.1f} MB at the end ({late / early - 1:+.1%})")
    write_results({"beam_width": beam_width, "medians": medians, "runs": runs, "long": long}, output)


@app.command()
def delay(
    model: Annotated[str, typer.Argument(help="Pipeline with a joint_sbd_parser.")],
    corpus: Annotated[Path, typer.Argument(help="CoNLL-U file with the documents.")],
    starred: Annotated[bool, typer.Option("--starred", help="Lower-cased and without punctuation.")] = False,
    beam_width: Annotated[int, typer.Option(min=1)] = 8,
    latency: Annotated[int | None, typer.Option(min=1, help="Latency of the guide.")] = None,
    max_delay: Annotated[int | None, typer.Option(min=1, help="Maximum delay of the parser.")] = None,
    output: Output = None,
) -> None:
    """Show the delay and accuracy of sentences if words arrive one by one; tags are predicted."""
    nlp = load_with_beam(model, beam_width)
    if latency is not None:
        nlp.get_pipe(GUIDE).latency = latency
    delays: list[int] = []
    examples: list[Example] = []
    for reference in read_references(corpus, nlp.vocab, starred=starred):
        tagged = make_example(reference).predicted
        for name, pipe in nlp.pipeline[: nlp.pipe_names.index(PARSER)]:
            if name != GUIDE:
                tagged = pipe(tagged)
        come = 0

        def count(doc: Doc = tagged) -> Iterator[Doc]:
            nonlocal come
            for i in range(len(doc)):
                come += 1
                yield doc[i : i + 1].as_doc(array_head=["TAG", "SPACY"])

        end = 0
        parts: dict[Doc, None] = {}
        for sentence in open_stream(nlp, count(), max_delay):
            parts[sentence.doc] = None
            end += len(sentence)
            # The remaining sentences at the end of a document have no delay.
            if come < len(tagged):
                delays.append(come - end)
        examples.append(Example(Doc.from_docs(list(parts), ensure_whitespace=False), reference))
    quantiles = {f"{q:.0%}": float(np.quantile(delays, q)) for q in QUANTILES}
    found = score_boundaries_and_trees(examples)
    scores = {"boundary F1": found["boundary_f"], "LAS": found["dep_las_punct"]}
    header = ["sentences", "mean", *quantiles, *scores]
    row = [f"{np.mean(delays):.1f}", *(f"{n:.0f}" for n in quantiles.values())]
    table = format_table(header, [[len(delays), *row, *map(percent, scores.values())]])
    report(table, {"beam_width": beam_width, "delays": delays, "quantiles": quantiles, **scores}, output)


if __name__ == "__main__":
    app()
