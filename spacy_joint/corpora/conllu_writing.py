"""Writing annotated documents as CoNLL-U.

A sentence that was read from CoNLL-U is written with its original lines, except for values that have changed since (see
`_update_lines`). Any other sentence is written from its `Doc` alone.
"""

import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import TextIO

import numpy as np
from spacy.tokens import Doc, MorphAnalysis, Token

from ..annotation.dependency_trees import cut_subtype, prune
from ..annotation.multiword_tokens import Word, are_joined, expand, read_words
from ..annotation.sentences import list_words
from ..annotation.speech import describe_speech
from ..errors import Errors, JointValueError, JointWarning, Warnings
from .conllu import LINES
from .conllu_sentences import DEPREL, DEPS, FORM, HEAD, ID, UPOS, Sentence, SentenceReader, quote

# Separators of columns and lines, which values cannot contain.
LINE_BREAKING = re.compile(r"[\t\r\n]+")
# Comments that divide the text.
DIVISION = re.compile(r"#\s*new(doc|par)(?![a-z])")


def write_conllu(docs: Iterable[Doc], file: TextIO, *, are_parts: bool = False, is_strict: bool = True) -> None:
    """Write documents with sentence boundaries as CoNLL-U.

    The words of multiword tokens (`Token._.ud_words`) are written with the range of their ids. Whitespace tokens are
    left out, and their dependents are attached to their nearest ancestor. Missing values, including trees, become `_`.
    So does XPOS in a document whose tags are parts of speech: `read_conllu` makes such tags for treebanks without XPOS.

    If `read_conllu` kept the lines of a sentence, and its tokens are the same, its lines are written, with the columns
    of changed annotation replaced. If the tree has changed, apart from subtypes of relations, enhanced dependencies and
    empty nodes are left out.

    Other sentences have the comments `# sent_id`, with the numbers of document and sentence (`1-1`, `1-2`, ...),
    `# text`, and speakers and times of transcripts. Documents get `# newdoc id` with their number.

    file (TextIO): A text file open for writing, in UTF-8.
    are_parts (bool): Whether the documents are consecutive parts of a single one, as in a stream.
    is_strict (bool): Whether heads that are not a tree are an error. If not, the sentence is written without them
        (JW47).
    RAISES ValueError: For a document without boundaries (J336), or a sentence whose heads are not a tree (J119).
    """
    number = index = 0
    for doc in docs:
        if not len(doc):
            continue
        if not (are_parts and number):
            number, index = number + 1, 0
        for lines in format_sentences(doc, number, index, is_strict):
            file.write("\n".join(lines) + "\n\n")
            index += 1


def format_sentences(doc: Doc, number: int | str = 1, index: int = 0, is_strict: bool = True) -> Iterator[list[str]]:
    """Yield the lines of each sentence of a document, preceded by `index` sentences in other parts: see
    `write_conllu`."""
    if not doc.has_annotation("SENT_START"):
        raise JointValueError(Errors.J336, source=f"Document {number}", what="sentence boundaries")
    kept = _read_kept_sentences(doc)
    has_tags = any(token.tag_ not in UPOS for token in doc if token.tag and not token.text.isspace())
    n_characters = 0
    for tokens, heads, labels in _list_sentences(doc):
        words = [token.text for token in tokens]
        if found := _find_fault(heads):
            described = {"sentence": index + 1, "document": number, "words": quote(words), "found": found}
            if is_strict:
                raise JointValueError(Errors.J119, **described)
            warnings.warn(JointWarning(Warnings.JW47, **described), stacklevel=2)
            heads, labels = [], [""] * len(words)
        before, sentence = kept.get(n_characters), _make_sentence(tokens, heads, labels)
        if before is not None and before.words == words:
            yield _update_lines(before, sentence, has_tags)
        else:
            division = [] if index else [f"# newdoc id = {number}"]
            if before is not None:
                division = [line for line in before.lines if DIVISION.match(line)]
            comments = [*division, f"# sent_id = {number}-{index + 1}", *sentence.lines]
            yield [*comments, *_format_words(sentence, has_tags)]
        index += 1
        n_characters += _count_characters(words)


def _read_kept_sentences(doc: Doc) -> dict[int, Sentence]:
    """Parse kept lines, with features as in spaCy. The key of a sentence is the number of non-whitespace characters
    before it."""
    reader = SentenceReader(f"Doc._.{LINES}")
    kept = {}
    start = 0
    for text in doc._.get(LINES):
        kept[start] = sentence = reader.read(list(enumerate(text.split("\n"), start=1)))
        sentence.tokens = [
            token._replace(morph=str(MorphAnalysis(doc.vocab, token.morph))) if token.morph else token
            for token in sentence.tokens
        ]
        start += _count_characters(sentence.words)
    return kept


def _count_characters(words: Iterable[str]) -> int:
    return len("".join("".join(words).split()))


def _list_sentences(doc: Doc) -> Iterator[tuple[list[Token], list[int], list[str]]]:
    """Yield the tokens of each sentence that are not whitespace, their heads, as positions among them (a root is its
    own head; none without trees), and their labels."""
    kept = np.array([not token.text.isspace() for token in doc])
    pruned = prune(np.arange(len(doc)) + doc.to_array("HEAD").astype(np.int64), kept)
    labelled = doc.has_annotation("DEP")
    start = 0
    for tokens in list_words(doc):
        span = slice(start, start + len(tokens))
        heads, labels = [], [""] * len(tokens)
        if labelled:
            heads = (pruned.heads[span] - start).tolist()
            changed = zip(tokens, pruned.promoted[span], pruned.adopted[span], strict=True)
            labels = ["ROOT" if first else "parataxis" if adopted else token.dep_ for token, first, adopted in changed]
        yield tokens, heads, labels
        start = span.stop


def _find_fault(heads: Sequence[int]) -> str:
    """Return why heads are not a tree with one root; "" if they are, or if there are none."""
    if any(not 0 <= head < len(heads) for head in heads):
        return "a head is outside the sentence"
    roots = sum(head == token for token, head in enumerate(heads))
    return "" if roots == 1 or not heads else f"it has {roots} roots"


def _make_sentence(tokens: Sequence[Token], heads: Sequence[int], labels: Sequence[str]) -> Sentence:
    """Make a sentence, with comments that do not identify it."""
    numbers = [0 if head == i else head + 1 for i, head in enumerate(heads)] or [0] * len(tokens)
    words = [
        Word(token.text, token.lemma_, token.pos_, token.tag_, str(token.morph), number, label)
        for token, number, label in zip(tokens, numbers, labels, strict=True)
    ]
    spaces = [bool(token.whitespace_) or token.doc[token.i + 1 : token.i + 2].text.isspace() for token in tokens]
    text = "".join(token.text + " " * space for token, space in zip(tokens, spaces, strict=True))
    comments = {**describe_speech(tokens), "text": text.rstrip()}
    return Sentence(
        line=0,
        lines=[f"# {name} = {LINE_BREAKING.sub(' ', str(value))}" for name, value in comments.items()],
        tokens=words,
        has_tree=bool(heads),
        spaces=spaces,
        joined=are_joined(tokens),
        multiword=read_words(tokens),
    )


def _update_lines(kept: Sentence, sentence: Sentence, has_tags: bool) -> list[str]:
    """Return the kept lines of a sentence, with changed values replaced."""
    before, now = (expand(each.tokens, each.multiword) for each in (kept, sentence))
    if list(map(len, before)) != list(map(len, now)):
        return [*(line for line in kept.lines if line.startswith("#")), *_format_words(sentence, has_tags)]
    pairs = list(zip(chain.from_iterable(before), chain.from_iterable(now), strict=True))
    same_tree = all((old.head, cut_subtype(old.dep)) == (new.head, cut_subtype(new.dep)) for old, new in pairs)
    lines = []
    for line in kept.lines:
        columns = line.split("\t")
        if line.startswith("#") or "-" in columns[ID] or ("." in columns[ID] and same_tree):
            lines.append(line)
        elif "." not in columns[ID]:
            old, new = pairs[int(columns[ID]) - 1]
            formatted = _format_word(new, sentence.has_tree, has_tags)
            for column in range(FORM, HEAD):
                if old[column - FORM] != new[column - FORM]:
                    columns[column] = formatted[column - FORM]
            if (old.head, old.dep) != (new.head, new.dep):
                columns[HEAD], columns[DEPREL] = formatted[-2:]
            if not same_tree:
                columns[DEPS] = "_"
            lines.append("\t".join(columns))
    return lines


def _format_words(sentence: Sentence, has_tags: bool) -> list[str]:
    expanded = expand(sentence.tokens, sentence.multiword)
    lines = []
    id_ = 1
    # The positions of the tokens of each token of the text.
    groups: list[list[int]] = []
    for position, joined in enumerate(sentence.joined):
        if position and joined and not sentence.spaces[position - 1]:
            groups[-1].append(position)
        else:
            groups.append([position])
    for group in groups:
        words = [word for position in group for word in expanded[position]]
        misc = "_" if sentence.spaces[group[-1]] else "SpaceAfter=No"
        if len(group) > 1 or group[0] in sentence.multiword:
            form = _clean("".join(sentence.tokens[position].form for position in group))
            lines.append("\t".join([f"{id_}-{id_ + len(words) - 1}", form, *["_"] * 7, misc]))
            misc = "_"
        for word in words:
            lines.append("\t".join([str(id_), *_format_word(word, sentence.has_tree, has_tags), "_", misc]))
            id_ += 1
    return lines


def _format_word(word: Word, has_tree: bool, has_tags: bool) -> list[str]:
    """Return the columns from FORM to DEPREL. Tags that are just parts of speech are left out (`has_tags`)."""
    word = word._replace(dep="root" if word.dep == "ROOT" else word.dep, tag=word.tag if has_tags else "")
    return [_clean(value) or "_" for value in (*word[:5], str(word.head) if has_tree else "_", word.dep)]


@lru_cache(maxsize=1 << 16)
def _clean(value: str) -> str:
    # Most values occur many times.
    return LINE_BREAKING.sub(" ", value)
