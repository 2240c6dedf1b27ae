"""A tokenizer for pipelines that only get tokens, such as intermediate steps of building another pipeline."""

from collections.abc import Callable

from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import DummyTokenizer
from spacy.vocab import Vocab


class NoTokenizer(DummyTokenizer):
    """Makes every text a single token, since `Language.evaluate` also tokenizes texts to measure speed."""

    def __init__(self, vocab: Vocab) -> None:
        self.vocab = vocab

    def __call__(self, text: str) -> Doc:
        """Makes a document of one token."""
        return Doc(self.vocab, words=[text] if text else [], spaces=[False] if text else [])


def create_no_tokenizer() -> Callable[[Language], Callable[[str], Doc]]:
    """Makes the factory of tokenizers, registered as `spacy_joint.NoTokenizer.v1`."""
    return lambda nlp: NoTokenizer(nlp.vocab)
