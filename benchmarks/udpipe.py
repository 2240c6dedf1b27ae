"""Trains UDPipe 1 as a peer, and annotates documents with given tokens, or raw text.

https://ufal.mff.cuni.cz/udpipe/1/users-manual
"""

import re
from pathlib import Path

from spacy.tokens import Doc
from ufal.udpipe import Evaluator, InputFormat, Model, ProcessingError, Sentence, Sentences, Trainer

# For the tokenizer, the tagger and the parser. UDPipe's own models use more iterations and train for a day.
SETTINGS = (
    "dimension=24;epochs=30;learning_rate=0.005;segment_size=50;batch_size=50",
    "models=1;iterations=4",
    "iterations=6;transition_system=projective;transition_oracle=dynamic;structured_interval=0;single_root=1",
)
# The text before each figure in the output of `Evaluator`, by the names of `score_raw_text`.
PRINTED = {
    "raw_words_f": r"Tokenizer words.*f1: ",
    "raw_sents_f": r"Tokenizer sentences.*f1: ",
    "raw_uas_f": r"Parsing from plain text with computed tags.*UAS: ",
    "raw_las_f": r"Parsing from plain text with computed tags.*LAS: ",
}


def train_udpipe(train: Path, heldout: Path, output: Path) -> None:
    """Train all parts from CoNLL-U, one after another."""
    error = ProcessingError()
    model = b""
    for part, settings in enumerate(SETTINGS):
        options = [Trainer.NONE] * len(SETTINGS)
        options[part] = settings
        # Reuse the parts trained so far.
        output.with_suffix(".part").write_bytes(model)
        for done in range(part):
            options[done] = f"from_model=file:{output.with_suffix('.part')}"
        model = Trainer.train("morphodita_parsito", read(train), read(heldout), *options, error)
        raise_if_any(error)
    output.with_suffix(".part").unlink()
    output.write_bytes(model)


def read(path: Path) -> Sentences:
    """Read the sentences of a file."""
    source = InputFormat.newConlluInputFormat()
    source.setText(path.read_text(encoding="utf8"))
    error = ProcessingError()
    sentences, sentence = Sentences(), Sentence()
    while source.nextSentence(sentence, error):
        sentences.append(sentence)
        sentence = Sentence()
    raise_if_any(error)
    return sentences


def raise_if_any(error: ProcessingError) -> None:
    """Raise an exception, because UDPipe itself does not."""
    if error.occurred():
        raise RuntimeError(error.message)


class UdPipe:
    """A trained model."""

    def __init__(self, path: Path) -> None:
        self.model = Model.load(str(path))

    def find_sentences(self, text: str) -> list[int]:
        """Where sentences begin, in characters."""
        tokenizer = self.model.newTokenizer("ranges")
        tokenizer.setText(text)
        error = ProcessingError()
        starts, sentence = [], Sentence()
        while tokenizer.nextSentence(sentence, error):
            # Words within a multiword token have no offsets.
            tokens = [token for token in sentence.multiwordTokens if token.idFirst == 1] or [sentence.words[1]]
            starts.append(tokens[0].getTokenRangeStart())
        raise_if_any(error)
        return starts

    def parse(self, doc: Doc) -> Doc:
        """Parse a document between its boundaries; return a copy with trees."""
        heads, labels = [], []
        error = ProcessingError()
        for span in doc.sents:
            sentence = Sentence()
            for token in span:
                word = sentence.addWord(token.text)
                word.setSpaceAfter(bool(token.whitespace_))
            self.model.tag(sentence, Model.DEFAULT, error)
            self.model.parse(sentence, Model.DEFAULT, error)
            raise_if_any(error)
            # The first word is the artificial root.
            for token, word in zip(span, list(sentence.words)[1:], strict=True):
                heads.append(span.start + word.head - 1 if word.head else token.i)
                labels.append(word.deprel)
        words, spaces = [token.text for token in doc], [bool(token.whitespace_) for token in doc]
        return Doc(doc.vocab, words=words, spaces=spaces, heads=heads, deps=labels)

    def score_raw_text(self, path: Path) -> dict[str, float]:
        """The measures of `spacy_joint.scoring.raw_text`, computed by UDPipe itself for a CoNLL-U file."""
        evaluator = Evaluator(self.model, Model.DEFAULT, Model.DEFAULT, Model.DEFAULT)
        error = ProcessingError()
        printed = evaluator.evaluate(path.read_text(encoding="utf8"), error)
        raise_if_any(error)
        found = {name: re.search(pattern + r"([\d.]+)%", printed) for name, pattern in PRINTED.items()}
        return {name: float(match[1]) / 100 for name, match in found.items() if match}
