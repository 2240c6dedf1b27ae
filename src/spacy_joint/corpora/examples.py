"""Turning annotated documents into training examples, independently of the corpus format.

The predicted side of an example has the tokens of the reference. Nothing is retokenised, so gold boundaries and trees
remain attainable (spaCy's own `spacy.Corpus.v1` runs the tokenizer over the reference text).
"""

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from ..annotation.custom_columns import copy_columns
from ..errors import Errors, JointValueError

Augmenter = Callable[[Language, Example], Iterator[Example]]
Corpus = Callable[[Language], Iterator[Example]]

TOKEN_ANNOTATIONS = ("TAG", "POS", "MORPH", "LEMMA", "SENT_START", "HEAD", "DEP")
"""Annotation by earlier components that a component may see."""


def create_corpus(
    read: Callable[[Path, Vocab], Iterable[Doc]],
    path: Path,
    *,
    keep: Sequence[str],
    augmenter: Augmenter | None,
    shuffle: bool,
    seed: int,
    limit: int,
) -> Corpus:
    """Make a corpus for `spacy train` from a reader of documents.

    read: Yields the annotated documents under a path. Documents without tokens are skipped.
    path: The file or directory.
    keep: Which of TOKEN_ANNOTATIONS are copied from the reference to the predicted side.
    augmenter: Yields the examples to use in place of one example. None leaves examples unchanged.
    shuffle: Whether to reshuffle the documents at each pass.
    seed: The seed of the order of the documents; nothing else depends on it.
    limit: The maximum number of documents to read, before augmentation. 0 reads all.
    Raises ValueError (J121) if an attribute cannot be kept; the corpus raises ValueError (J122) if it is not annotated.
    """
    unknown = [attribute for attribute in keep if attribute not in TOKEN_ANNOTATIONS]
    if unknown:
        raise JointValueError(Errors.J121, found=unknown[0], allowed=", ".join(TOKEN_ANNOTATIONS))
    order = random.Random(seed)

    def corpus(nlp: Language) -> Iterator[Example]:
        references = (reference for reference in read(path, nlp.vocab) if len(reference))
        numbered: Iterable[tuple[int, Doc]] = enumerate(islice(references, limit or None), start=1)
        if shuffle:
            numbered = list(numbered)
            order.shuffle(numbered)
        for number, reference in numbered:
            for attribute in keep:
                if not reference.has_annotation(attribute):
                    raise JointValueError(Errors.J122, attribute=attribute, document=number, path=path)
            example = make_example(reference, keep)
            if augmenter is None:
                yield example
            else:
                yield from augmenter(nlp, example)

    return corpus


def make_example(reference: Doc, keep: Sequence[str] = ()) -> Example:
    """Pair a reference with an unannotated document that has the same tokens and custom columns.

    keep: Which of TOKEN_ANNOTATIONS to copy to the predicted side.
    """
    predicted = Doc(
        reference.vocab,
        words=[token.text for token in reference],
        spaces=[bool(token.whitespace_) for token in reference],
    )
    copy_columns(reference, predicted)
    if keep:
        attributes: list[str | int] = list(keep)
        predicted.from_array(attributes, reference.to_array(attributes))  # type: ignore[arg-type]  # wrong in its stub
    return Example(predicted, reference)
