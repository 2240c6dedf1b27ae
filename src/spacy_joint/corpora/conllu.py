"""CoNLL-U corpora: whole documents with gold tokens, boundaries and trees, read from `.conllu` files.

This follows spaCy's own converter (`root` becomes `ROOT`, TAG falls back to UPOS), but keeps the text, the documents
and the non-projective trees of the file, and does not run the tokenizer. The tokens are words of the treebank, except
for multiword tokens whose words are not their letters: these are one token each, and `Token._.ud_words` has the words.
`conllu_sentences` reads and validates the lines, `conllu_writing` writes them.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..annotation.multiword_tokens import join, set_words
from ..errors import Errors, JointValueError
from ..files.reading import list_files, require_path
from .conllu_lines import set_lines
from .conllu_sentences import Sentence, quote, read_sentences
from .examples import Augmenter, Corpus, create_corpus

SUFFIX = ".conllu"

PARAGRAPH = "\n\n"
"""The separator of paragraphs."""


def read_conllu(
    path: str | Path,
    vocab: Vocab,
    *,
    documents: int | str = "newdoc",
    leave_out: str | None = None,
    paragraphs: bool = False,
    subtypes: bool = True,
    keep_lines: bool = True,
) -> Iterator[Doc]:
    """Read documents with gold TAG, POS, MORPH, LEMMA, HEAD, DEP and SENT_START (True or False on every token).

    path: A file, or a directory whose `.conllu` files are read in the order of their names.
    documents: How documents are delimited. "newdoc": a `# newdoc` comment starts a document. "sent_id": the sentences
        of a document share the sent_id up to the number at its end and any `-` and `_` before it, so `a-b_12`,
        `a-b__12` and `a-b-12` all belong to `a-b`; `# newdoc` is ignored. An int: that many sentences, fewer before a
        `# newdoc` or the end. Documents never span files; without any `# newdoc`, the file is one document.
    leave_out: A regular expression: documents whose first sent_id matches it at the start are left out. In treebanks
        with several genres, the sent_id identifies the genre and so the licence.
    paragraphs: Whether to insert a whitespace token with a blank line before a sentence with a `# newpar` comment, so
        that the text of the document is the raw text of the treebank.
    subtypes: Whether relations keep their subtypes: if not, `nsubj:pass` is `nsubj`.
    keep_lines: Whether to keep the lines in `Doc._.conllu_lines`, so that `write_conllu` can write comments, empty
        nodes, enhanced dependencies and MISC. This takes about as much memory as the file is large.
    Raises ValueError for an unknown value of documents (J116) and an invalid expression (J128), FileNotFoundError if
    there is nothing to read (J101, J102); while iterating, ValueError with file and line for invalid content
    (J103-J115), for a sentence with so many crossing arcs that spaCy would split it (J117), and, with paragraphs, for
    tokens that do not spell their text (J153).
    """
    begins_document = _choose_division(documents)
    try:
        left_out = re.compile(leave_out or r"\Z.")
    except re.error as error:
        raise JointValueError(Errors.J128, found=leave_out, reason=error) from error
    files = list_files(Path(path), SUFFIX)
    return (
        _make_document(_add_blank_lines(sentences, file) if paragraphs else sentences, vocab, file, keep_lines)
        for file in files
        for sentences in _divide(read_sentences(file, subtypes=subtypes), file, begins_document)
        if not left_out.match(sentences[0].sent_id)
    )


def create_conllu_corpus(
    path: Path | None,
    *,
    documents: int | str = "newdoc",
    subtypes: bool = True,
    keep: Sequence[str] = (),
    augmenter: Augmenter | None = None,
    shuffle: bool = False,
    seed: int = 0,
    limit: int = 0,
) -> Corpus:
    """Make a corpus of `.conllu` files, registered as the reader `spacy_joint.ConlluCorpus.v1`.

    path, documents, subtypes: See `read_conllu`.
    keep, augmenter, shuffle, seed, limit: See `create_corpus`.
    Raises ValueError (J100, J116, J121) if the path is None, documents is unknown or an attribute cannot be kept.
    """
    _choose_division(documents)
    return create_corpus(
        partial(read_conllu, documents=documents, subtypes=subtypes, keep_lines=False),
        require_path(path, SUFFIX),
        keep=keep,
        augmenter=augmenter,
        shuffle=shuffle,
        seed=seed,
        limit=limit,
    )


_BeginsDocument = Callable[[Sentence, list[Sentence], Path], bool]


def _choose_division(documents: int | str) -> _BeginsDocument:
    """Return the function that decides whether a sentence starts a document, given the (non-empty) previous one."""
    if documents == "newdoc":
        return lambda sentence, before, file: sentence.opens_document
    if documents == "sent_id":
        return lambda sentence, before, file: _get_prefix(sentence, file) != _get_prefix(before[0], file)
    if isinstance(documents, int) and documents >= 1:
        return lambda sentence, before, file: sentence.opens_document or len(before) == documents
    raise JointValueError(Errors.J116, found=documents)


def _get_prefix(sentence: Sentence, file: Path) -> str:
    match = re.fullmatch(r"(.+?)[-_]+[0-9]+", sentence.sent_id)
    if match is None:
        raise JointValueError(Errors.J115, file=file, line=sentence.line, found=sentence.sent_id)
    return match[1]


def _divide(found: Iterable[Sentence], file: Path, begins_document: _BeginsDocument) -> Iterator[list[Sentence]]:
    sentences: list[Sentence] = []
    for sentence in found:
        if sentences and begins_document(sentence, sentences, file):
            yield sentences
            sentences = []
        sentences.append(sentence)
    yield sentences


def _add_blank_lines(sentences: list[Sentence], file: Path) -> list[Sentence]:
    """Append a whitespace token to the last sentence of each paragraph, as spaCy's tokenizers would."""
    for sentence in sentences:
        if sentence.text and "".join("".join(sentence.words).split()) != "".join(sentence.text.split()):
            raise JointValueError(Errors.J153, file=file, line=sentence.line, text=sentence.text)
    for sentence, following in pairwise(sentences):
        if following.opens_paragraph:
            sentence.spaces[-1] = False
            sentence.words.append(PARAGRAPH)
            sentence.spaces.append(False)
            sentence.lemmas.append(PARAGRAPH)
            sentence.pos.append("SPACE")
            sentence.tags.append("_SP")
            sentence.morphs.append("")
            if sentence.heads:
                sentence.heads.append(len(sentence.heads) - 1)
                sentence.deps.append("dep")
    return sentences


def _make_document(sentences: list[Sentence], vocab: Vocab, file: Path, keep_lines: bool) -> Doc:
    starts: list[bool | int | None] = []
    heads: list[int] = []
    for sentence in sentences:
        if bool(sentence.heads) != bool(sentences[0].heads):
            found, before = ("has a tree", "have none") if sentence.heads else ("has no tree", "have one")
            raise JointValueError(Errors.J110, file=file, line=sentence.line, found=found, before=before)
        heads.extend(len(starts) + head for head in sentence.heads)
        starts.append(True)
        starts.extend([False] * (len(sentence.words) - 1))
    doc = Doc(
        vocab,
        words=_concatenate(sentence.words for sentence in sentences),
        spaces=_concatenate(sentence.spaces for sentence in sentences),
        tags=_concatenate(sentence.tags for sentence in sentences),
        pos=_concatenate(sentence.pos for sentence in sentences),
        morphs=_concatenate(sentence.morphs for sentence in sentences),
        lemmas=_concatenate(sentence.lemmas for sentence in sentences),
        heads=heads or None,
        deps=_concatenate(sentence.deps for sentence in sentences) or None,
        sent_starts=starts,
    )
    # Given trees, Doc sets the starts to the left edges of the roots, which it finds in a bounded number of passes.
    wrong = np.flatnonzero((doc.to_array("SENT_START") == 1) != np.array(starts))
    if len(wrong):
        first = np.searchsorted(np.cumsum([len(sentence.words) for sentence in sentences]), wrong[0], side="right")
        culprit = sentences[first]
        raise JointValueError(Errors.J117, file=file, line=culprit.line, words=quote(culprit.words))
    start = 0
    for sentence in sentences:
        for position, words in sentence.multiword.items():
            set_words(doc[start + position], words)
        for position in np.flatnonzero(sentence.joined).tolist():
            join(doc[start + position])
        start += len(sentence.words)
    if keep_lines:
        set_lines(doc, [sentence.lines for sentence in sentences])
    return doc


def _concatenate(columns: Iterable[list]) -> list:
    return [value for column in columns for value in column]
