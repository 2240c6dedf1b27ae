"""Measures accuracy and words per second by beam width, on a treebank and on its starred variant.

Accuracy is that of whole pipelines on gold tokens; speed is that of the parser alone, with tags given, in one thread.
"""

from measure import (
    PARSER,
    Output,
    count_words,
    draw,
    find_split,
    format_table,
    interleave,
    load_with_beam,
    read_references,
    read_tagged,
    report,
    score_documents,
    time_annotation,
)

# isort: split
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

import spacy_joint

BEAMS = (1, 2, 4, 8, 16, 32, 64)
DRAWN = ("boundary F1", "LAS")


def make_joint_parser(model: str, corpus: Path, beam_width: int) -> tuple[Callable[[], float], int]:
    """Return a function that times the joint parser at a beam width, and the number of words."""
    nlp = load_with_beam(model, beam_width)
    parser = nlp.get_pipe(PARSER)
    docs = read_tagged(corpus, nlp.vocab)
    return lambda: time_annotation(lambda copies: [parser(doc) for doc in copies], docs), count_words(docs)


def draw_beams(results: dict[int, dict[str, float]], path: Path) -> None:
    """Draw accuracy by speed, one point per beam width."""
    style = {"textcoords": "offset points", "xytext": (0, 5), "ha": "center", "fontsize": 7}
    with draw(path, len(DRAWN), 4 * len(DRAWN), 3.2) as panels:
        for axes, name in zip(panels, DRAWN, strict=True):
            for text in ("EWT", "EWT*"):
                points = [(result["words_per_second"], 100 * result[f"{name}, {text}"]) for result in results.values()]
                axes.plot(*zip(*points, strict=True), "o-", label=text)
                for beam_width, point in zip(results, points, strict=True):
                    axes.annotate(str(beam_width), point, **style)
            axes.set(xscale="log", xlabel="words per second", ylabel=f"{name} (%)")
        panels[0].legend(frameon=False)


def main(
    treebank: Annotated[Path, typer.Argument(help="Directory with *-dev.conllu.")],
    model: Annotated[str, typer.Argument(help="Pipeline with a joint_sbd_parser.")] = spacy_joint.PRETRAINED,
    rounds: Annotated[int, typer.Option(min=1, help="Measurements per beam width, after a warm-up.")] = 5,
    output: Output = None,
    document: Annotated[
        Path | None, typer.Option(help="Page in which to replace section `beams`, with a figure beside it.")
    ] = None,
) -> None:
    """Measure all beam widths."""
    path = find_split(treebank, "dev")
    parsers = {beam_width: make_joint_parser(model, path, beam_width) for beam_width in BEAMS}
    times = interleave({str(beam_width): measure for beam_width, (measure, _) in parsers.items()}, rounds)
    results = {}
    for beam_width, (_, n_words) in parsers.items():
        results[beam_width] = {"words_per_second": n_words / times[str(beam_width)]}
        nlp = load_with_beam(model, beam_width)
        for text in ("EWT", "EWT*"):
            scores = score_documents(nlp, read_references(path, nlp.vocab, starred=text.endswith("*")))
            results[beam_width] |= {f"{name}, {text}": scores[name] for name in DRAWN}
    rows = [
        [beam_width, f"{words_per_second:,.0f}", *(f"{100 * value:.1f}" for value in shares)]
        for beam_width, (words_per_second, *shares) in ((width, found.values()) for width, found in results.items())
    ]
    table = format_table(["beam width", "words/s", *list(results[1])[1:]], rows)
    report(table, {"rounds": rounds, "beams": results}, output, document, "beams")
    if document is not None:
        draw_beams(results, document.with_name(f"{document.stem}_beams.svg"))


if __name__ == "__main__":
    typer.run(main)
