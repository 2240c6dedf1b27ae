"""CoNLL-U corpora: whole documents with gold tokens, boundaries and trees, read from and written to `.conllu` files.

This follows spaCy's own converter (syntactic words are the tokens, `root` becomes `ROOT`, TAG falls back to UPOS), but
keeps the documents and the non-projective trees of the file, and does not run the tokenizer. `conllu_sentences` reads
and validates the lines.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TextIO

import numpy as np
from spacy.tokens import Doc, Token
from spacy.vocab import Vocab

from ..annotation.dependency_trees import prune
from ..annotation.speech import describe_speech
from ..errors import Errors, JointValueError
from ..files.reading import list_files, require_path
from .conllu_sentences import Sentence, read_sentences
from .examples import Augmenter, Corpus, create_corpus

SUFFIX = ".conllu"
LINE_BREAKING = re.compile(r"[\t\r\n]+")
"""Column and line separators, which values cannot contain."""


PARAGRAPH = "\n\n"
"""The separator of paragraphs."""


def read_conllu(
    path: str | Path,
    vocab: Vocab,
    *,
    documents: int | str = "newdoc",
    leave_out: str | None = None,
    paragraphs: bool = False,
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
    Raises ValueError for an unknown value of documents (J116) and an invalid expression (J128), FileNotFoundError if
    there is nothing to read (J101, J102); while iterating, ValueError with file and line for invalid content
    (J103-J115), for a sentence with so many crossing arcs that spaCy would split it (J117), and, with paragraphs, for
    words that do not spell their text (J153).
    """
    begins_document = _choose_division(documents)
    try:
        left_out = re.compile(leave_out or r"\Z.")
    except re.error as error:
        raise JointValueError(Errors.J128, found=leave_out, reason=error) from error
    files = list_files(Path(path), SUFFIX)
    return (
        _make_document(_add_blank_lines(sentences, file) if paragraphs else sentences, vocab, file)
        for file in files
        for sentences in _divide(file, begins_document)
        if not left_out.match(sentences[0].sent_id)
    )


def create_conllu_corpus(
    path: Path | None,
    *,
    documents: int | str = "newdoc",
    keep: Sequence[str] = (),
    augmenter: Augmenter | None = None,
    shuffle: bool = False,
    seed: int = 0,
    limit: int = 0,
) -> Corpus:
    """Make a corpus of `.conllu` files, registered as the reader `spacy_joint.ConlluCorpus.v1`.

    path, documents: See `read_conllu`.
    keep, augmenter, shuffle, seed, limit: See `create_corpus`.
    Raises ValueError (J100, J116, J121) if the path is None, documents is unknown or an attribute cannot be kept.
    """
    _choose_division(documents)
    return create_corpus(
        partial(read_conllu, documents=documents),
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


def _divide(file: Path, begins_document: _BeginsDocument) -> Iterator[list[Sentence]]:
    sentences: list[Sentence] = []
    for sentence in read_sentences(file):
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


def _make_document(sentences: list[Sentence], vocab: Vocab, file: Path) -> Doc:
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
        raise JointValueError(Errors.J117, file=file, line=culprit.line, words=_quote(culprit.words))
    return doc


def _concatenate(columns: Iterable[list]) -> list:
    return [value for column in columns for value in column]


def _quote(words: Sequence[str]) -> str:
    return repr(" ".join(words[:8]) + (" ..." if len(words) > 8 else ""))


def write_conllu(docs: Iterable[Doc], file: TextIO, *, are_parts: bool = False) -> None:
    """Write documents with sentence boundaries as CoNLL-U.

    The ids of documents are 1, 2, 3 and so on, those of sentences `1-1`, `1-2` and so on. Whitespace tokens are left
    out: their dependents are attached to their nearest ancestor. Missing values, including trees, become `_`. Speakers
    and times of transcripts become comments.

    file: A text file open for writing, in UTF-8.
    are_parts: Whether the documents are consecutive parts of a single one, as those of a stream.
    Raises ValueError for a document without boundaries (J118), and for a sentence whose heads are not a tree (J119).
    """
    number = index = 0
    for doc in docs:
        if not len(doc):
            continue
        if not (are_parts and number):
            number, index = number + 1, 0
        if not doc.has_annotation("SENT_START"):
            raise JointValueError(Errors.J118, document=number)
        if not index:
            file.write(f"# newdoc id = {number}\n")
        for index, (words, tree) in enumerate(_list_sentences(doc), start=index + 1):  # noqa: B020
            found = _find_fault(tree)
            if found:
                quoted = _quote([word.text for word in words])
                raise JointValueError(Errors.J119, sentence=index, document=number, words=quoted, found=found)
            file.write(f"# sent_id = {number}-{index}\n")
            for name, value in describe_speech(words).items():
                file.write(f"# {name} = {LINE_BREAKING.sub(' ', str(value))}\n")
            _write_sentence(words, tree, file)


_Tree = list[tuple[int, str]] | None
"""The head (a position in the sentence) and the label of each word."""


def _list_sentences(doc: Doc) -> Iterator[tuple[list[Token], _Tree]]:
    """Yield the words of each non-empty sentence, and their tree if the document has trees."""
    kept = np.array([not token.text.isspace() for token in doc])
    heads = np.arange(len(doc)) + doc.to_array("HEAD").astype(np.int64)
    pruned = prune(heads, kept)
    labelled = doc.has_annotation("DEP")
    start = 0
    for sentence in doc.sents:
        words = [token for token in sentence if not token.text.isspace()]
        if not words:
            continue
        span = slice(start, start + len(words))
        arcs: _Tree = None
        if labelled:
            labels = [token.dep_ for token in words]
            for offset in range(len(words)):
                if pruned.promoted[start + offset]:
                    labels[offset] = "ROOT"
                elif pruned.adopted[start + offset]:
                    labels[offset] = "parataxis"
            arcs = list(zip((pruned.heads[span] - start).tolist(), labels, strict=True))
        start = span.stop
        yield words, arcs


def _find_fault(tree: _Tree) -> str:
    if tree is None:
        return ""
    if any(not 0 <= head < len(tree) for head, _ in tree):
        return "a head is outside the sentence"
    roots = sum(head == word for word, (head, _) in enumerate(tree))
    return "" if roots == 1 else f"it has {roots} roots"


def _write_sentence(words: list[Token], tree: _Tree, file: TextIO) -> None:
    forms = [LINE_BREAKING.sub(" ", word.text) for word in words]
    spaces = [_is_followed_by_space(word) for word in words]
    text = "".join(form + " " * space for form, space in zip(forms, spaces, strict=True))
    file.write(f"# text = {text.rstrip()}\n")
    for index, word in enumerate(words):
        head, deprel = "_", "_"
        if tree is not None:
            position, label = tree[index]
            head = "0" if position == index else str(position + 1)
            deprel = "root" if label == "ROOT" else label
        columns = [
            str(index + 1),
            forms[index],
            word.lemma_,
            word.pos_,
            word.tag_,
            str(word.morph),
            head,
            deprel,
            "_",
            "_" if spaces[index] else "SpaceAfter=No",
        ]
        file.write("\t".join(LINE_BREAKING.sub(" ", column) or "_" for column in columns) + "\n")
    file.write("\n")


def _is_followed_by_space(token: Token) -> bool:
    following = token.i + 1
    return bool(token.whitespace_) or (following < len(token.doc) and token.doc[following].text.isspace())
