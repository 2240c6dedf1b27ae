"""Extracting phrases from constituency trees (`.mrg`, `.ptb`, `.parsed`), documents (`.conllu`, `.spacy`; by their
tags), tagged text (`.tagged`, and the files of the Brown corpus, which have no suffix), phrases (`.jsonl`), and plain
text (`.txt`), which a pipeline tags.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..corpora.conllu import read_conllu
from ..corpora.docbin import read_docbin
from ..corpora.raw_text import read_prose
from ..corpora.tagged import read_tagged
from ..errors import Errors, JointValueError
from ..files.reading import list_files
from ..trees.constituency_trees import read_trees
from .extract import find_in_doc, find_in_tags, find_in_tree
from .phrases import SUFFIX, Phrase, read_phrases

TREES = (".mrg", ".ptb", ".parsed")
TAGGED = (".tagged", "")
DOCUMENTS = {".conllu": read_conllu, ".spacy": read_docbin}
TEXT = ".txt"
ALL = (*TREES, ".tagged", *DOCUMENTS, SUFFIX, TEXT)
BROWN = r"c[a-r]\d\d"


def list_corpus(path: Path) -> list[Path]:
    """List the files of a corpus, sorted by name (J101, J102): see `list_files`."""
    return list_files(path, *ALL, other_names=BROWN)


def read_corpus(path: Path, nlp: Language | None = None) -> Iterator[Phrase]:
    """Read the phrases of a file (J040). Plain text needs a pipeline (J716) that tags it and finds its sentences."""
    if path.suffix == SUFFIX:
        return read_phrases(path)
    if path.suffix in TREES:
        return (phrase for tree in read_trees(path) for phrase in find_in_tree(tree))
    if path.suffix in TAGGED:
        return (phrase for words, tags in read_tagged(path) for _, phrase in find_in_tags(words, tags))
    if path.suffix in DOCUMENTS:
        return _find_in_docs(DOCUMENTS[path.suffix](path, Vocab()))
    if path.suffix != TEXT:
        raise JointValueError(Errors.J040, name="file type", value=str(path), allowed=", ".join(ALL))
    if nlp is None:
        raise JointValueError(Errors.J716, option=f"Plain text ({path})", needed="a pipeline that tags it")
    return _find_in_docs(nlp.pipe(read_prose(path)))


def _find_in_docs(docs: Iterable[Doc]) -> Iterator[Phrase]:
    # By tags even if there are trees, so that treebanks and tagged text are treated alike.
    return (phrase for doc in docs for _, phrase in find_in_doc(doc, "tags"))
