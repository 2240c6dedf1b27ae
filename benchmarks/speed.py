"""Compares the speed of the joint parser at several beam widths with spaCy's: words per second in one thread.

Times cover the components' calls on documents with gold tokens and tags: extraction of columns, search and annotation,
or spaCy's `tok2vec` and `parser` (greedy, and with the same weights in its `beam_parser`). Times exclude tagging and
loading.
"""

from measure import (
    PARSER,
    count_words,
    find_pipeline,
    format_table,
    interleave,
    load_with_beam,
    read_tagged,
    time_annotation,
    write_results,
)

# isort: split
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import spacy
import typer
from spacy.tokens import Doc

BEAMS = (1, 8, 20)
PEER_BEAM = 8
# The default of spaCy's `beam_parser`, which is its `parser` with these settings.
PEER_BEAM_DENSITY = 0.0001
TARGETS = {"spaCy parser": 4.0, "spaCy beam_parser": 9.0}


def make_joint_parser(path: Path, corpus: Path, beam_width: int) -> tuple[Callable[[], float], int]:
    """Return a function that times the joint parser at a beam width, and the number of words."""
    nlp = load_with_beam(path, beam_width)
    parser = nlp.get_pipe(PARSER)
    docs = read_tagged(corpus, nlp.vocab)
    return lambda: time_annotation(lambda copies: [parser(doc) for doc in copies], docs), count_words(docs)


def make_peer(path: Path, corpus: Path, beam_width: int) -> Callable[[], float]:
    """Return a function that times spaCy's parser, in batches of the default size, at a beam width (1: greedy)."""
    nlp = spacy.load(path)
    tok2vec, parser = nlp.get_pipe("tok2vec"), nlp.get_pipe("parser")
    parser.cfg["beam_width"], parser.cfg["beam_density"] = beam_width, PEER_BEAM_DENSITY
    docs = read_tagged(corpus, nlp.vocab)

    def annotate(copies: list[Doc]) -> list[Doc]:
        return list(parser.pipe(tok2vec.pipe(copies, batch_size=nlp.batch_size), batch_size=nlp.batch_size))

    return lambda: time_annotation(annotate, docs)


def main(
    model: Annotated[Path, typer.Argument(parser=find_pipeline, help="Pipeline with a joint_sbd_parser.")],
    corpus: Annotated[Path, typer.Argument(help="CoNLL-U file with the documents.")],
    peer: Annotated[
        Path | None, typer.Option(parser=find_pipeline, help="Pipeline with spaCy's tok2vec and parser.")
    ] = None,
    rounds: Annotated[int, typer.Option(min=1, help="Measurements per system, after a warm-up.")] = 5,
    output: Annotated[Path | None, typer.Option(help="JSON file to write.")] = None,
) -> None:
    """Measure words per second."""
    systems: dict[str, Callable[[], float]] = {}
    n_words = 0
    for beam_width in BEAMS:
        systems[f"beam {beam_width}"], n_words = make_joint_parser(model, corpus, beam_width)
    if peer is not None:
        systems["spaCy parser"] = make_peer(peer, corpus, 1)
        systems["spaCy beam_parser"] = make_peer(peer, corpus, PEER_BEAM)
    speeds = {name: n_words / seconds for name, seconds in interleave(systems, rounds).items()}
    ratios = {name: speeds[f"beam {PEER_BEAM}"] / speeds[name] for name in TARGETS if name in speeds}
    print(format_table(["system", "words/s"], [[name, f"{speed:,.0f}"] for name, speed in speeds.items()]))
    for name, ratio in ratios.items():
        print(f"beam {PEER_BEAM} is {ratio:.1f} times as fast as {name} (target: {TARGETS[name]:.0f})")
    write_results({"words": n_words, "rounds": rounds, "words_per_second": speeds, "ratios": ratios}, output)


if __name__ == "__main__":
    typer.run(main)
