"""Annotated quotations in spaCy's binary format, with the predictions of earlier components.

`spacy joint convert-quotes` writes such files: a pipeline predicts the tags, trees and sentences; the spans are gold.
Train models on predicted cues, because they will not see gold ones: `spacy joint jackknife` adds predicted cues as
spans under a separate key.
"""

from functools import partial
from pathlib import Path

from spacy.tokens import Doc, Span
from spacy.training import Example

from ..annotation.quotations import CUES
from ..errors import Errors, JointValueError
from .docbin import SUFFIX, read_docbin
from .examples import Corpus, create_corpus

JACKKNIFED = "jackknifed_cues"


def create_quotation_corpus(
    path: Path | None,
    *,
    cues: str | None = None,
    shuffle: bool = False,
    seed: int = 0,
    limit: int = 0,
) -> Corpus:
    """Make a corpus of quotations (`spacy_joint.QuotationCorpus.v1`) from `.spacy` files: see `create_corpus`.

    cues (str | None): The key in `doc.spans` of the predicted cues to copy; the corpus raises ValueError (J336) if a
        document lacks them.
    """
    make = partial(make_quotation_example, cues=cues)
    return create_corpus(read_docbin, path, SUFFIX, (), None, shuffle, seed, limit, make)


def make_quotation_example(reference: Doc, cues: str | None = None) -> Example:
    """Pair a reference with a copy that has its tokens, tags and trees, and no spans except the predicted `cues`."""
    predicted = reference.copy()
    predicted.spans.clear()
    if cues is not None:
        if cues not in reference.spans:
            source = f"The document {reference.text[:40]!r}"
            raise JointValueError(Errors.J336, source=source, what=f"doc.spans['{cues}']")
        found = reference.spans[cues]
        predicted.spans[CUES] = [Span(predicted, span.start, span.end, label=span.label) for span in found]
    return Example(predicted, reference)
