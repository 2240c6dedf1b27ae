"""CoNLL-U corpora: whole documents with gold tokens, boundaries and trees, read from `.conllu` files.

Like spaCy's converter, this turns `root` into `ROOT` and falls back to UPOS for TAG, but it keeps the text, the
documents and the non-projective trees of the file, and does not run the tokenizer. The tokens are words of the
treebank, except for multiword tokens that their words do not spell: each is one token, and `Token._.ud_words` has its
words. `conllu_sentences` reads and validates the lines, `conllu_writing` writes them.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..annotation.extensions import register
from ..annotation.multiword_tokens import Word, join, set_words
from ..errors import Errors, JointValueError
from ..files.reading import list_files
from .conllu_sentences import Sentence, quote, read_sentences
from .examples import Augmenter, Corpus, create_corpus

SUFFIX = ".conllu"
LINES = "conllu_lines"
PARAGRAPH = "\n\n"
# The lines of each sentence as one string, for values that spaCy has no attributes for.
register(Doc, LINES, default=[])


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

    path (str | Path): A file, or a directory whose `.conllu` files are read in the order of their names.
    documents (int | str): How documents are delimited. "newdoc": a `# newdoc` comment starts a document. "sent_id":
        the sentences of a document have the same sent_id up to the number at its end and any `-` and `_` before it, so
        `a-b_12`, `a-b__12` and `a-b-12` all belong to `a-b`; `# newdoc` is ignored. A number, also as a string: the
        sentences per document; a `# newdoc` or the end of the file ends one earlier. Documents never span files.
    leave_out (str | None): A regular expression: leaves out documents whose first sent_id matches it at the start. In
        treebanks with several genres, the sent_id identifies the genre and so the licence.
    paragraphs (bool): Whether to insert a whitespace token with a blank line before a sentence with a `# newpar`
        comment, so that the text of the document is the raw text of the treebank.
    subtypes (bool): Whether relations keep their subtypes; otherwise, `nsubj:pass` becomes `nsubj`.
    keep_lines (bool): Whether to keep the lines in `Doc._.conllu_lines`, so that `write_conllu` can write comments,
        empty nodes, enhanced dependencies and MISC. This takes about as much memory as the size of the file.
    RAISES FileNotFoundError: If there is nothing to read (J101, J102).
    RAISES ValueError: For an invalid setting (J030); while iterating, for invalid content (J103-J115), crossing arcs at
        which spaCy would split the sentence (J117), and, with paragraphs, tokens that do not spell their text (J153).
    """
    _check_division(documents)
    try:
        left_out = re.compile(leave_out or r"\Z.")
    except re.error as error:
        allowed = f"a regular expression ({error})"
        raise JointValueError(Errors.J030, name="leave_out", value=leave_out, allowed=allowed) from error
    files = list_files(Path(path), SUFFIX)
    return (
        _make_document(_add_blank_lines(sentences, file) if paragraphs else sentences, vocab, file, keep_lines)
        for file in files
        for sentences in _divide(read_sentences(file, subtypes=subtypes), file, documents)
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
    """Make a corpus of `.conllu` files (`spacy_joint.ConlluCorpus.v1`): see `read_conllu` and `create_corpus`."""
    _check_division(documents)
    read = partial(read_conllu, documents=documents, subtypes=subtypes, keep_lines=False)
    return create_corpus(read, path, SUFFIX, keep, augmenter, shuffle, seed, limit)


def _check_division(documents: int | str) -> None:
    if documents not in ("newdoc", "sent_id") and not (str(documents).isdecimal() and int(documents) > 0):
        allowed = "'newdoc' (at `# newdoc`), 'sent_id' (its last number differs), or a number of sentences above 0"
        raise JointValueError(Errors.J030, name="documents", value=documents, allowed=allowed)


def _begins_document(sentence: Sentence, before: list[Sentence], documents: int | str, file: Path) -> bool:
    """Decide whether a sentence starts a document, given the sentences of the current one."""
    if documents == "sent_id":
        return _get_prefix(sentence, file) != _get_prefix(before[0], file)
    return sentence.opens_document or (documents != "newdoc" and len(before) == int(documents))


def _get_prefix(sentence: Sentence, file: Path) -> str:
    match = re.fullmatch(r"(.+?)[-_]+[0-9]+", sentence.sent_id)
    if match is None:
        raise JointValueError(Errors.J115, file=file, line=sentence.line, found=sentence.sent_id)
    return match[1]


def _divide(found: Iterable[Sentence], file: Path, documents: int | str) -> Iterator[list[Sentence]]:
    sentences: list[Sentence] = []
    for sentence in found:
        if sentences and _begins_document(sentence, sentences, documents, file):
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
            sentence.spaces[-1:] = [False, False]
            head, dep = (len(sentence.tokens), "dep") if sentence.has_tree else (0, "")
            sentence.tokens.append(Word(PARAGRAPH, PARAGRAPH, "SPACE", "_SP", "", head, dep))
    return sentences


def _make_document(sentences: list[Sentence], vocab: Vocab, file: Path, keep_lines: bool) -> Doc:
    starts: list[bool | int | None] = []
    heads: list[int] = []
    has_tree = sentences[0].has_tree
    for sentence in sentences:
        if sentence.has_tree != has_tree:
            found, before = ("has a tree", "have none") if sentence.has_tree else ("has no tree", "have one")
            raise JointValueError(Errors.J110, file=file, line=sentence.line, found=found, before=before)
        first = len(starts)
        heads += [first + (token.head - 1 if token.head else i) for i, token in enumerate(sentence.tokens)]
        starts += [i == 0 for i in range(len(sentence.tokens))]
    tokens = [token for sentence in sentences for token in sentence.tokens]
    words, lemmas, pos, tags, morphs, _, deps = map(list, zip(*tokens, strict=True))
    doc = Doc(
        vocab,
        words=words,
        spaces=[space for sentence in sentences for space in sentence.spaces],
        tags=tags,
        pos=pos,
        morphs=morphs,
        lemmas=lemmas,
        heads=heads if has_tree else None,
        deps=deps if has_tree else None,
        sent_starts=starts,
    )
    # Given trees, Doc sets the starts to the left edges of the roots, which it finds in a bounded number of passes.
    wrong = np.flatnonzero((doc.to_array("SENT_START") == 1) != np.array(starts))
    if len(wrong):
        culprit = [sentence for sentence in sentences for _ in sentence.tokens][wrong[0]]
        raise JointValueError(Errors.J117, file=file, line=culprit.line, words=quote(culprit.words))
    start = 0
    for sentence in sentences:
        for position, words in sentence.multiword.items():
            set_words(doc[start + position], words)
        for position in np.flatnonzero(sentence.joined).tolist():
            join(doc[start + position])
        start += len(sentence.tokens)
    if keep_lines:
        doc._.set(LINES, ["\n".join(sentence.lines) for sentence in sentences])
    return doc
