"""`word-classes`: learn word classes from text, and write them to a file for configs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from wasabi import msg

from ..errors import Errors, JointValueError
from ..files.learnt import WORD_CLASS_SIZES
from ..files.reading import read_text, require_file
from ..files.replacing import replace_when_written

if TYPE_CHECKING:
    from spacy.language import Language

# The class of words without one from `learn_case_classes`: not seen where a capital is informative.
NO_CASE = 6


def word_classes(
    texts: Annotated[list[Path], typer.Argument(help=".txt (UTF-8), .conllu or .spacy files.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Output msgpack file.")],
    cased: Annotated[bool, typer.Option("--cased/--uncased", help="Whether to add classes of capitalisation.")] = True,
    sizes: Annotated[
        list[int], typer.Option("--size", min=1, help="Number of classes at a granularity; repeat it for others.")
    ] = WORD_CLASS_SIZES,  # type: ignore[assignment]  # typer makes a list of it
    min_count: Annotated[int, typer.Option(min=1, help="Minimum occurrences of a word.")] = 3,
    language: Annotated[str, typer.Option(help="Language of the tokenizer for .txt files.")] = "en",
    seed: Annotated[int, typer.Option(help="Random seed of the decomposition.")] = 0,
) -> None:
    """Learn word classes from plain text and treebanks, as features for taggers and parsers.

    Annotation is ignored. The paragraphs of .txt files are separated by blank lines.
    """
    import spacy

    learn_classes(texts, output, spacy.blank(language), cased=cased, sizes=sizes, min_count=min_count, seed=seed)


def learn_classes(
    texts: Sequence[Path],
    output: Path,
    nlp: Language,
    *,
    cased: bool = True,
    sizes: Sequence[int] = WORD_CLASS_SIZES,
    min_count: int = 3,
    seed: int = 0,
) -> None:
    """Does the same from Python; `nlp` is a pipeline with the tokenizer for .txt files.

    RAISES ValueError: If there are too many sizes (J074), there is no text (J412), or a format is unknown (J407);
        FileNotFoundError: J402.
    """
    import srsly

    from ..pipes.token_columns import MAX_CLASSES
    from ..training.word_classes import learn_case_classes, learn_word_classes

    if len(sizes) + cased > MAX_CLASSES:
        raise JointValueError(Errors.J074, sizes=[len(sizes) + cased], most=MAX_CLASSES)
    sentences = [words for path in texts for words in _read_sentences(path, nlp) if words]
    if not sentences:
        raise JointValueError(Errors.J412, paths=", ".join(map(str, texts)))
    classes = {
        word: list(row)
        for word, row in learn_word_classes(sentences, sizes=sizes, min_count=min_count, seed=seed).items()
    }
    if cased:
        cases = learn_case_classes(sentences)
        classes = {word: [*row, cases.get(word, NO_CASE)] for word, row in classes.items()}
    with replace_when_written(output) as path:
        path.write_bytes(srsly.msgpack_dumps(classes))
    msg.good(f"{output}: {len(classes):,} words, from {sum(map(len, sentences)):,} (seed {seed})")


def _read_sentences(path: Path, nlp: Language) -> Iterator[list[str]]:
    require_file(path)
    if path.suffix == ".txt":
        yield from _read_text(path, nlp)
    elif path.suffix == ".conllu":
        from ..corpora.conllu_sentences import read_sentences

        for sentence in read_sentences(path):
            # Some corpora mask words that they may not distribute.
            if sum(set(word) == {"_"} for word in sentence.words) <= len(sentence.words) / 2:
                yield sentence.words
    elif path.suffix == ".spacy":
        from spacy.vocab import Vocab

        from ..annotation.sentences import list_sentences
        from ..corpora.docbin import read_docbin

        for doc in read_docbin(path, Vocab()):
            for span in list_sentences(doc):
                yield [token.text for token in span if not token.text.isspace()]
    else:
        raise JointValueError(Errors.J407, path=path, allowed=".txt nor .conllu nor .spacy")


def _read_text(path: Path, nlp: Language) -> Iterator[list[str]]:
    from spacy.pipeline import Sentencizer

    text = read_text(path)
    split = Sentencizer()
    # Plain text marks italics with underscores and dashes with hyphens, without spaces around them.
    paragraphs = re.split(r"\n\s*\n", text.replace("\r", "").replace("_", " ").replace("--", " -- "))
    for paragraph in paragraphs:
        for sentence in split(nlp.make_doc(" ".join(paragraph.split()))).sents:
            yield [token.text for token in sentence if not token.is_space]
