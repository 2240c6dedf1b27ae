"""Measures how long raw text takes to annotate: shards, for cluster_simulation.py, and their time by component.

A shard is a stretch of whole lines of a given file, drawn at random. Times are CPU time, which a busy machine affects
less than wall-clock time, and exclude reading and writing files.
"""

from measure import PARSER, Document, count_words, format_table, replace_section, write_results

# isort: split
import gzip
import io
import random
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer
from spacy.language import Language
from spacy.tokens import Doc, DocBin

import spacy_joint
from spacy_joint.corpora.conllu_writing import write_conllu
from spacy_joint.corpora.export import write_sentences

SEED = 0
# The size of a shard, and of what is annotated of each file.
KILOBYTES = 250
BEAMS = (4, 1)
app = typer.Typer()


def cut(path: Path) -> Iterator[str]:
    """Cut a file at ends of lines into shards of at least KILOBYTES, without the rest."""
    lines, n_bytes = [], 0
    for line in path.read_text(encoding="utf8").splitlines(keepends=True):
        lines.append(line)
        n_bytes += len(line.encode())
        if n_bytes >= 1000 * KILOBYTES:
            yield "".join(lines)
            lines, n_bytes = [], 0


def annotate(nlp: Language, shard: str) -> dict[str, float]:
    """Annotate a shard, whose paragraphs are documents."""
    start = time.process_time()
    # As when a corpus is annotated in batches, so that the vocabulary stays small.
    with nlp.memory_zone():
        docs = list(nlp.pipe(filter(str.strip, shard.split("\n\n"))))
        written = write_as_conllu(docs)
        seconds = time.process_time() - start
        return {
            "bytes": len(shard.encode()),
            "words": count_words(docs),
            "written_bytes": len(written),
            "seconds": round(seconds, 4),
        }


@app.command("shards")
def measure_shards(
    output: Annotated[Path, typer.Argument(help="JSON file to write.")],
    files: Annotated[list[Path], typer.Argument(help="Raw text, the same number of shards from each file.")],
    pipeline: Annotated[str, typer.Option()] = spacy_joint.PRETRAINED,
    shards: Annotated[int, typer.Option(min=1, help="Shards per file.")] = 15,
) -> None:
    """Measure the shards in random order."""
    draw = random.Random(SEED)
    cuts = (list(cut(path)) for path in files)
    drawn = [shard for found in cuts for shard in draw.sample(found, min(shards, len(found)))]
    draw.shuffle(drawn)
    start = time.process_time()
    nlp = spacy_joint.load(pipeline)
    load_seconds = time.process_time() - start
    annotate(nlp, drawn[0])
    measured = [annotate(nlp, shard) for shard in drawn]
    words, seconds = (sum(shard[key] for shard in measured) for key in ("words", "seconds"))
    print(f"{len(measured)} shards, {words:,} words, {words / seconds:,.0f} words per CPU second")
    write_results({"pipeline": pipeline, "load_seconds": round(load_seconds, 2), "shards": measured}, output)


@app.command("parts")
def measure_parts(
    files: Annotated[list[Path], typer.Argument(help="Raw text; the beginning of each file is annotated.")],
    pipeline: Annotated[str, typer.Option()] = spacy_joint.PRETRAINED,
    document: Document = None,
) -> None:
    """Measure the tokenizer, each component, narrower beams of the parser, and formats."""
    texts = [text for path in files for text in next(cut(path)).split("\n\n") if text.strip()]
    nlp = spacy_joint.load(pipeline)
    narrow = {beam_width: spacy_joint.load(pipeline, beam_width=beam_width) for beam_width in BEAMS}
    seconds: dict[str, float] = {}
    n_bytes: dict[str, int] = {}
    # Whatever is needed only once is done.
    annotate(nlp, texts[0])
    seconds["tokenizer"], docs = time_once(list, map(nlp.make_doc, texts))
    for name, component in nlp.pipeline:
        if name == PARSER:
            for beam_width, other in narrow.items():
                tagged = [doc.copy() for doc in docs]
                parsed = other.get_pipe(PARSER).pipe(tagged)
                seconds[f"{name}, beam width {beam_width}"], _ = time_once(list, parsed)
        seconds[name], docs = time_once(list, component.pipe(docs))
    writers = {"CoNLL-U": write_as_conllu, "JSON lines": write_as_json_lines, "DocBin": write_as_docbin}
    for name, write in writers.items():
        seconds[name], written = time_once(write, docs)
        n_bytes[name] = len(written)
        if name == "CoNLL-U":
            seconds["gzip of CoNLL-U"], packed = time_once(gzip.compress, written)
            n_bytes["gzip of CoNLL-U"] = len(packed)
    n_words = count_words(docs)
    rows = [
        [
            name,
            f"{1e6 * spent / n_words:.1f}",
            f"{spent / n_words * 1e9 / 3600:.2f}",
            f"{n_bytes[name] / n_words:.0f}" if name in n_bytes else "",
        ]
        for name, spent in seconds.items()
    ]
    header = ["part", "microseconds per word", "core hours per billion words", "bytes per word"]
    table = format_table(header, rows) + "\n"
    print(f"{n_words:,} words\n\n{table}")
    replace_section(document, "parts", table)


def time_once(work: Callable[[Any], Any], argument: Any) -> tuple[float, Any]:
    """The CPU seconds that something takes, and its result."""
    start = time.process_time()
    found = work(argument)
    return time.process_time() - start, found


def write_text(write: Callable[[Sequence[Doc], TextIO], None], docs: Sequence[Doc]) -> bytes:
    """The bytes of a text file."""
    written = io.StringIO()
    write(docs, written)
    return written.getvalue().encode()


write_as_conllu, write_as_json_lines = partial(write_text, write_conllu), partial(write_text, write_sentences)


def write_as_docbin(docs: Sequence[Doc]) -> bytes:
    """The bytes of a .spacy file, which is compressed."""
    return DocBin(docs=docs, store_user_data=True).to_bytes()


if __name__ == "__main__":
    app()
