"""Turning annotated documents into training examples, independently of the corpus format.

The predicted side of an example has the tokens of the reference, so that gold boundaries and trees remain attainable:
unlike `spacy.Corpus.v1`, this does not run the tokenizer.
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
from ..errors import Errors, JointValueError, check_choice, check_range

Augmenter = Callable[[Language, Example], Iterator[Example]]
Corpus = Callable[[Language], Iterator[Example]]

# Annotation of earlier components that a component may see.
TOKEN_ANNOTATIONS = ("TAG", "POS", "MORPH", "LEMMA", "SENT_START", "HEAD", "DEP")


def create_corpus(
    read: Callable[[Path, Vocab], Iterable[Doc]],
    path: Path | None,
    suffix: str,
    keep: Sequence[str],
    augmenter: Augmenter | None,
    shuffle: bool,
    seed: int,
    limit: int,
    make: Callable[[Doc], Example] | None = None,
) -> Corpus:
    """Make a corpus for `spacy train` from a reader of documents.

    read (Callable): Yields the annotated documents under a path. Documents without tokens are skipped.
    path (Path | None): The file, or the directory of files with the suffix.
    keep (Sequence[str]): Which of TOKEN_ANNOTATIONS are copied from the reference to the predicted side (J040); the
        corpus raises ValueError (J336) if a document lacks one.
    augmenter (Callable | None): Yields the examples to use in place of one example.
    shuffle (bool): Whether to reshuffle the documents at each pass.
    seed (int): The seed of the order of the documents only.
    limit (int): The maximum number of documents to read, before augmentation. 0 reads all.
    make (Callable): Makes the example of a reference. By default, `make_example`.
    RAISES ValueError: If the path is None (J100), as in configs until it is set on the command line.
    """
    if path is None:
        raise JointValueError(Errors.J100, suffix=suffix)
    for attribute in keep:
        check_choice("annotation in keep", attribute, TOKEN_ANNOTATIONS)
    check_range("limit", limit, 0)
    order = random.Random(seed)

    def corpus(nlp: Language) -> Iterator[Example]:
        references = (reference for reference in read(Path(path), nlp.vocab) if len(reference))
        numbered: Iterable[tuple[int, Doc]] = enumerate(islice(references, limit or None), start=1)
        if shuffle:
            numbered = list(numbered)
            order.shuffle(numbered)
        for number, reference in numbered:
            for attribute in keep:
                if not reference.has_annotation(attribute):
                    raise JointValueError(Errors.J336, source=f"Document {number} of {path}", what=attribute)
            example = make_example(reference, keep) if make is None else make(reference)
            yield from [example] if augmenter is None else augmenter(nlp, example)

    return corpus


def make_example(reference: Doc, keep: Sequence[str] = ()) -> Example:
    """Pair a reference with a document of the same tokens and custom columns, and the TOKEN_ANNOTATIONS to keep."""
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
