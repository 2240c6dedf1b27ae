"""From annotated documents to training examples, the same for every corpus format.

The predicted side of an example has the tokens of the reference: nothing is tokenised again, so that gold boundaries
and trees stay attainable (spaCy's own `spacy.Corpus.v1` runs the tokenizer over the reference text). Formats are not
known here.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from ..errors import Errors, JointValueError

Augmenter = Callable[[Language, Example], Iterator[Example]]
Corpus = Callable[[Language], Iterator[Example]]

TOKEN_ANNOTATIONS = ("TAG", "POS", "MORPH", "LEMMA", "SENT_START")
"""What earlier components may have put on the tokens that a boundary and tree component sees."""


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
    """Make a corpus, as `spacy train` wants it, from a reader of documents.

    read: Yields the annotated documents under a path. Documents without tokens are passed over.
    path: The file or directory.
    keep: Which of TOKEN_ANNOTATIONS are copied from the reference to the predicted side.
    augmenter: Yields the examples to use in place of one example. None leaves them as they are.
    shuffle: Whether to shuffle the documents, anew at each pass.
    seed: Of the order of the documents; no other random numbers depend on it.
    limit: The number of documents to read, before augmentation. 0 reads all.
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
    """Pair a reference with an unannotated document of the same tokens.

    keep: Which of TOKEN_ANNOTATIONS to copy to the predicted side.
    """
    predicted = Doc(
        reference.vocab,
        words=[token.text for token in reference],
        spaces=[bool(token.whitespace_) for token in reference],
    )
    if keep:
        attributes: list[str | int] = list(keep)
        predicted.from_array(attributes, reference.to_array(attributes))  # type: ignore[arg-type]  # wrong in its stub
    return Example(predicted, reference)
