"""`check`: describe a corpus and warn of problems; `spacy debug data` only knows spaCy's own components."""

import warnings
from typing import Annotated

import spacy
import typer
from spacy.vocab import Vocab
from wasabi import msg

from ...errors import Errors, JointValueError
from ..options import DOCUMENTS, CorpusArgument, DocumentsOption, read_documents


def check(
    corpus: CorpusArgument,
    documents: DocumentsOption = DOCUMENTS,
    language: Annotated[str | None, typer.Option(help="Language whose tokenizer to check.")] = None,
    tokenizer: Annotated[str | None, typer.Option(help="Registered tokenizer instead of the language's own.")] = None,
    model: Annotated[
        str | None, typer.Option("--model", "-m", help="Path or package of a pipeline whose tokenizer to check.")
    ] = None,
) -> None:
    """Describe a corpus, and warn of problems.

    Prints sizes, lengths, labels, non-projective and discontinuous trees, and how well a tokenizer finds its words.
    """
    from ... import load
    from ...pipes.tokenizer_check import check_word_scores, score_words
    from ...training.checking import Contents

    docs = [doc for doc in read_documents(corpus, Vocab(), documents) if len(doc)]
    if not docs:
        raise JointValueError(Errors.J413, source=corpus, what="documents with words")
    contents = Contents(docs)
    msg.info(str(corpus))
    msg.table(contents.describe())
    counted = {("Label", "Words"): contents.labels, ("Category", "Constituents"): contents.categories}
    for header, counts in counted.items():
        if counts:
            rows = [(label, f"{n:,}") for label, n in counts.most_common()]
            msg.table(rows, header=header, aligns=("l", "r"))
    for problem in contents.find_problems():
        msg.warn(problem)
    if not (language or tokenizer or model):
        return
    if model is not None:
        nlp = load(model)
    else:
        config = {"nlp": {"tokenizer": {"@tokenizers": tokenizer}}} if tokenizer else {}
        nlp = spacy.blank(language or "xx", config=config)
    score = score_words(nlp.tokenizer, docs, max_words=None)
    measures = {"precision": score.precision, "recall": score.recall, "F1": score.fscore}
    rows = [(f"Words, {name}", f"{100 * value:.2f}") for name, value in measures.items()]
    msg.info(model or tokenizer or f"Tokenizer of {language}")
    msg.table(rows, aligns=("l", "r"))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_word_scores(score, nlp.tokenizer)
    for each in caught:
        msg.warn(str(each.message))
