"""`tokenizer-exceptions`: learn tokenizer exceptions from treebanks, and write them to a file for configs."""

from pathlib import Path
from typing import Annotated

import spacy
import typer
from spacy.tokenizer import Tokenizer
from wasabi import msg

from ...files.atomic import write_json
from ...files.reading import require_file


def tokenizer_exceptions(
    corpora: Annotated[list[Path], typer.Argument(help=".conllu files.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Output JSON file.", dir_okay=False)],
    tokenizer: Annotated[str, typer.Option(help="Registered tokenizer.")] = "spacy_joint.UdEnglishTokenizer.v1",
    language: Annotated[str, typer.Option(help="Language of the pipeline.")] = "en",
    min_count: Annotated[int, typer.Option(min=1, help="Minimum chunks that an exception corrects.")] = 2,
) -> None:
    """Learn exceptions to a tokenizer from a treebank.

    Exceptions are strings that the treebank splits consistently, but differently from the rules. Only the words and
    spaces of the treebank are used. For tokenizers that take no exceptions, such as those of Chinese, Japanese and
    Thai, the file is empty.
    """
    from ...corpora.conllu_sentences import read_sentences
    from ...tokenization.exceptions import learn_exceptions

    for path in corpora:
        require_file(path)
    nlp = spacy.blank(language, config={"nlp": {"tokenizer": {"@tokenizers": tokenizer}}})
    sentences = [(sentence.words, sentence.spaces) for path in corpora for sentence in read_sentences(path)]
    exceptions = {}
    if isinstance(nlp.tokenizer, Tokenizer):
        exceptions = learn_exceptions(nlp.tokenizer, sentences, min_count=min_count)
    else:
        msg.warn(f"{tokenizer} takes no exceptions: only spaCy's own Tokenizer does. The file will be empty.")
    write_json(output, exceptions, indent=1)
    words = sum(len(words) for words, _ in sentences)
    msg.good(f"{output}: {len(exceptions):,} exceptions to {tokenizer}, from {words:,} words")
