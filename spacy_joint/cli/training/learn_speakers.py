"""`learn-speakers`: train the speaker model of `quotation_spans` on novels with annotated speakers."""

from itertools import islice
from pathlib import Path
from typing import Annotated

import typer
from wasabi import msg

from ..options import ModelOption, ReplacedArgument, SeedOption

COMPONENT = "quotation_spans"


def learn_speakers(
    corpus: Annotated[Path, typer.Argument(help="Directory of LitBank's quotations (.ann, .txt).")],
    output: ReplacedArgument,
    novels: Annotated[Path | None, typer.Option(help="Directory of whole novels (.txt), for --labels.")] = None,
    labels: Annotated[Path | None, typer.Option(help="Speakers of these novels (.json): see docs/speakers.md.")] = None,
    first: Annotated[
        int | None, typer.Option(min=1, help="Number of documents of the corpus to learn from. Default: all.")
    ] = None,
    model: ModelOption = None,
    seed: SeedOption = 0,
) -> None:
    """Learn who speaks in conversations.

    Writes a pipeline whose quotation_spans also finds speakers that the text does not name.
    """
    from ... import load
    from ...corpora.litbank import read_litbank
    from ...files.atomic import atomic_write_directory, check_directory
    from ...files.reading import read_text
    from ...length import lift_max_length
    from ...pipes.components import get_components
    from ...quotation.conversation import make_model
    from ...training import speakers

    check_directory(output)
    nlp = lift_max_length(load(model))
    component = (get_components(nlp, COMPONENT) or [nlp.add_pipe(COMPONENT)])[-1]
    # An earlier model must not affect the result.
    component.speaker_model = make_model()
    labelled = {} if labels is None else speakers.read_labels(labels)
    texts = {name: read_text((novels or Path()) / f"{name}.txt") for name in labelled}
    known = [speakers.read_annotated(doc, nlp) for doc in islice(read_litbank(corpus, nlp.vocab), first)]
    known += [speakers.read_labelled(nlp(texts[name]), labelled[name], component, name) for name in labelled]
    component.speaker_model = speakers.learn_speakers(known, seed=seed)
    with atomic_write_directory(output) as path:
        nlp.to_disk(path)
    msg.good(f"{output}: from {len(known):,} documents (seed {seed})")
