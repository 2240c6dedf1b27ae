"""`evaluate-quotes`: score the quotations of a pipeline with all measures, on documents that are already parsed."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from wasabi import msg

from ..errors import Errors, JointValueError
from ..files.replacing import replace_when_written

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.training import Example

COMPONENTS = ("span_guide", "quotation_cues", "quotation_spans")


def evaluate_quotes(
    model: Annotated[str, typer.Argument(help="Path or package of a pipeline.")],
    corpus: Annotated[Path, typer.Argument(help=".spacy file written by convert-quotes.")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Output JSON file.")] = None,
) -> None:
    """Evaluate the quotations and cues of a pipeline, and its speed without tagging and parsing."""
    from .. import load
    from ..corpora.quotations import create_quotation_corpus

    nlp = load(model)
    examples = list(create_quotation_corpus(corpus)(nlp))
    if not examples:
        raise JointValueError(Errors.J413, path=corpus)
    scores = measure(nlp, examples)
    rows = [
        (name.removeprefix("quotation_"), f"{100 * value:.2f}")
        for name, value in scores.items()
        if isinstance(value, float) and name != "speed"
    ]
    for kind, of_kind in scores["quotation_per_type"].items():
        rows += [(f"{kind.lower()} {measure}", f"{100 * value:.2f}") for measure, value in of_kind.items()]
    rows.append(("words per second", f"{scores['speed']:,.0f}"))
    msg.table(rows, title=corpus.name, aligns=("l", "r"))
    if output is not None:
        with replace_when_written(output) as path:
            path.write_text(json.dumps(scores, indent=2) + "\n", encoding="utf8")
        msg.good(f"Saved to {output}")


def measure(nlp: Language, examples: Sequence[Example]) -> dict[str, Any]:
    """All scores of a pipeline's quotation components, and their `speed` in words per second, with that of a guide."""
    from ..scoring.quotations import score_quotations

    components: list[Any] = [
        component for name, component in nlp.pipeline if nlp.get_pipe_meta(name).factory in COMPONENTS
    ]
    start = time.process_time()
    for example in examples:
        for component in components:
            component(example.predicted)
    seconds = time.process_time() - start
    words = sum(len(example.predicted) for example in examples)
    keys = {name: key for component in components for name, key in component.cfg.items()}
    return {**score_quotations(examples, **keys), "documents": len(examples), "words": words, "speed": words / seconds}
