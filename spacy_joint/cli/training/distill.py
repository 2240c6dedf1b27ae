"""`distill`: make training documents from raw text, annotated by a pipeline, the teacher."""

from pathlib import Path
from typing import Annotated

import typer
from wasabi import msg

from ...errors import Errors, JointValueError
from ..options import BeamWidthOption, Kind, RayOption, WorkersOption

TEXTS_HELP = (
    ".txt files (UTF-8), .jsonl files with the key `text`, .spacy files of documents, which keep their tokens, "
    "sentence boundaries and pauses, or directories of them."
)
LINES_HELP = (
    "Each line is a paragraph, and blank lines separate documents. Default: blank lines separate paragraphs, and each "
    "file or line of .jsonl is a document."
)
MARKS_HELP = (
    "For a punctuation_restorer: unpunctuated documents keep their marks and capitals as annotation, and have only the "
    "boundaries that the teacher finds."
)
PROJECTED_HELP = "Whether unpunctuated documents get the boundaries and trees of the punctuated text, or their own."


def distill(
    texts: Annotated[list[Path], typer.Argument(help=TEXTS_HELP)],
    output: Annotated[Path, typer.Option("--output", "-o", help="Output directory.", file_okay=False)],
    teacher: Annotated[
        str | None, typer.Option("--teacher", "-t", help="Path or package of a pipeline. Default: the shipped one.")
    ] = None,
    lines: Annotated[bool, typer.Option("--lines", help=LINES_HELP)] = False,
    kind: Annotated[Kind, typer.Option(help="Documents to make.")] = "both",
    projected: Annotated[bool, typer.Option("--projected/--own", help=PROJECTED_HELP)] = False,
    tagger: Annotated[
        str | None, typer.Option(help="Path or package of a pipeline that tags the documents. Default: the teacher.")
    ] = None,
    marks: Annotated[bool, typer.Option("--marks", help=MARKS_HELP)] = False,
    words: Annotated[
        int, typer.Option(min=1, help="Minimum words per document, in whole paragraphs; at most about twice as many.")
    ] = 800,
    limit: Annotated[int, typer.Option(min=0, help="Maximum passages, evenly from all texts; 0: all.")] = 0,
    shard_words: Annotated[int, typer.Option(min=1, help="Words of raw text per output file.")] = 250_000,
    beam_width: BeamWidthOption = None,
    ray: RayOption = None,
    workers: WorkersOption = 1,
) -> None:
    """Make training documents from raw text.

    A trained pipeline, the teacher, annotates them. Paragraphs that do not end like a sentence, such as headings, are
    skipped. The output directory has `.spacy` files, for spacy_joint.MixedCorpus.v1, and a manifest. After an
    interruption, the same command continues after the last file. --ray and --workers do not affect the result.
    """
    if marks and projected:
        raise JointValueError(Errors.J155, option="--marks", other="--projected")
    from ...corpora.docbin import SUFFIX
    from ...scale.annotating.records import require_text
    from ...scale.training import open_calls
    from ...training.distillation import Distillation

    for text in texts:
        if text.suffix != SUFFIX:
            require_text(str(text))
    # Other machines must have it at the same path.
    teacher, tagger = (
        str(Path(name).resolve()) if name is not None and Path(name).exists() else name for name in (teacher, tagger)
    )
    job = Distillation(output.resolve(), teacher, beam_width, kind, projected, marks, tagger)
    with open_calls(ray, workers) as call:
        sizes = job.run(texts, lines=lines, words=words, limit=limit, shard_words=shard_words, call=call)
    n_docs, n_words = (sum(size[key] for size in sizes.values()) for key in ("documents", "words"))
    msg.good(f"{output}: {n_docs:,} documents, {n_words:,} words, {len(sizes)} files")
