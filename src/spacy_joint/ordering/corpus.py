"""Extracting phrases from corpora of all supported formats: treebanks, tagged text, plain text.

These are constituency trees (`.mrg`, `.ptb`, `.parsed`), documents (`.conllu`, `.spacy`; by their tags), tagged text
(`.tagged`, and the files of the Brown corpus, which have no suffix), phrases (`.jsonl`), and plain text (`.txt`), which
a pipeline tags.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..annotation.constituency_trees import read_trees
from ..corpora.conllu import read_conllu
from ..corpora.docbin import read_docbin
from ..corpora.tagged import read_tagged
from ..errors import Errors, JointValueError
from ..files.reading import list_files, read_lines
from .extract import find_in_doc, find_in_tags, find_in_tree
from .phrases import SUFFIX, Phrase, read_phrases

TREES = (".mrg", ".ptb", ".parsed")
TAGGED = (".tagged", "")
DOCUMENTS = {".conllu": read_conllu, ".spacy": read_docbin}
TEXT = ".txt"
ALL = (*TREES, ".tagged", *DOCUMENTS, SUFFIX, TEXT)
BROWN = r"c[a-r]\d\d"


def list_corpus(path: Path) -> list[Path]:
    """List the files of a corpus: one file, or the files of known formats in a directory, sorted by name.

    Raises FileNotFoundError (J101, J102) if there are none.
    """
    return list_files(path, *ALL, other_names=BROWN)


def read_corpus(path: Path, nlp: Language | None = None) -> Iterator[Phrase]:
    """Read the phrases of a file.

    nlp: Tags plain text and splits it into sentences.
    Raises ValueError if the format is unknown (J407), if it is plain text and there is no pipeline (J358), or if the
    reader of the format raises it.
    """
    if path.suffix == SUFFIX:
        return read_phrases(path)
    if path.suffix in TREES:
        return (phrase for tree in read_trees(path) for phrase in find_in_tree(tree))
    if path.suffix in TAGGED:
        return (phrase for words, tags in read_tagged(path) for _, phrase in find_in_tags(words, tags))
    if path.suffix in DOCUMENTS:
        return _find_in_docs(DOCUMENTS[path.suffix](path, Vocab()))
    if path.suffix != TEXT:
        raise JointValueError(Errors.J407, path=path, allowed=" nor ".join(ALL))
    if nlp is None:
        raise JointValueError(Errors.J358, path=path)
    return _find_in_docs(nlp.pipe(_read_paragraphs(path)))


def _find_in_docs(docs: Iterable[Doc]) -> Iterator[Phrase]:
    # By tags even if there are trees, so that treebanks and tagged text are treated alike.
    return (phrase for doc in docs for _, phrase in find_in_doc(doc, "tags"))


def _read_paragraphs(path: Path) -> Iterator[str]:
    """Read paragraphs separated by blank lines. Underscores mark italics, and double hyphens are dashes."""
    lines: list[str] = []
    with path.open("rb") as source:
        for line in read_lines(source, path):
            if line.strip():
                lines.append(" ".join(line.replace("_", " ").replace("--", " -- ").split()))
            elif lines:
                yield " ".join(lines)
                lines = []
    if lines:
        yield " ".join(lines)
