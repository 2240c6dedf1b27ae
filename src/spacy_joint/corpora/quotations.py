"""Annotated quotations in spaCy's binary format, with the predictions of earlier components.

`spacy joint convert-quotes` writes such files: a pipeline predicts the tags, trees and sentences, and the spans are
gold. Models must be trained on predicted cues, because they will not see gold ones: `spacy joint jackknife` adds them
as spans under a separate key.
"""

import random
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Example

from ..annotation.quotations import CUES
from ..errors import Errors, JointValueError
from ..files.reading import require_path
from .docbin import SUFFIX, read_docbin
from .examples import Corpus

JACKKNIFED = "jackknifed_cues"


def create_quotation_corpus(
    path: Path | None,
    *,
    cues: str | None = None,
    shuffle: bool = False,
    seed: int = 0,
    limit: int = 0,
) -> Corpus:
    """Make a corpus of quotations, registered as the reader `spacy_joint.QuotationCorpus.v1`.

    path: A DocBin file, or a directory of `.spacy` files.
    cues: The key in `doc.spans` of the predicted cues to copy to the predicted side. None copies none.
    shuffle: Whether to reshuffle the documents at each pass.
    seed: The seed of the order of the documents.
    limit: The maximum number of documents to read. 0 reads all.
    Raises ValueError (J100) if the path is None; the corpus raises ValueError (J144) if a document lacks the cues.
    """
    checked = require_path(path, SUFFIX)
    order = random.Random(seed)

    def corpus(nlp: Language) -> Iterator[Example]:
        references = list(islice((doc for doc in read_docbin(checked, nlp.vocab) if len(doc)), limit or None))
        if shuffle:
            order.shuffle(references)
        for reference in references:
            yield make_quotation_example(reference, cues)

    return corpus


def make_quotation_example(reference: Doc, cues: str | None = None) -> Example:
    """Pair a reference with a copy that has its tokens, tags and trees, and no spans except predicted cues.

    cues: The key of the predicted cues in `doc.spans`. None gives the copy no cues.
    Raises ValueError (J144) if they are missing.
    """
    predicted = reference.copy()
    predicted.spans.clear()
    if cues is not None:
        if cues not in reference.spans:
            raise JointValueError(Errors.J144, key=cues, words=reference.text[:40])
        predicted.spans[CUES] = [
            Span(predicted, span.start, span.end, label=span.label) for span in reference.spans[cues]
        ]
    return Example(predicted, reference)
