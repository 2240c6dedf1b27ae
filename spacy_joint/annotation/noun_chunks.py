"""`Doc.noun_chunks` of English constituents, for documents without dependency trees.

A chunk is a base noun phrase: an NP or WHNP that contains no other except possessors: [The mayor 's old dog], [who],
[the park]. Dependency trees are preferred where a document has them: see parsing/noun_chunks.py.
"""

from collections.abc import Callable, Iterator

from spacy.lang.en.syntax_iterators import noun_chunks as chunk_clear_trees
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from .constituents import CONSTITUENTS
from .spans import read_spans

NounChunks = Callable[[Doc | Span], Iterator[tuple[int, int, int]]]

NOUN_PHRASES = frozenset(("NP", "WHNP"))
# The tags with which possessors end.
POSSESSIVES = frozenset(("POS", "PRP$", "WP$"))


def use_noun_chunks(doc: Doc, noun_chunks: NounChunks) -> None:
    """Make a document and its vocabulary use an iterator instead of those of REPLACED. The vocabulary passes it on to
    documents that are read or unpickled later."""
    use_noun_chunks_in(doc.vocab, noun_chunks)
    if doc.noun_chunks_iterator in REPLACED:  # type: ignore[attr-defined]  # not in its stub
        doc.noun_chunks_iterator = noun_chunks  # type: ignore[attr-defined]


def use_noun_chunks_in(vocab: Vocab, noun_chunks: NounChunks) -> None:
    """Make future documents of a vocabulary use an iterator: see `use_noun_chunks`."""
    if vocab.get_noun_chunks in REPLACED:
        vocab.get_noun_chunks = noun_chunks  # type: ignore[assignment]  # wrong in its stub


def chunk_constituents(doclike: Doc | Span) -> Iterator[tuple[int, int, int]]:
    """Find base noun phrases in any dependency trees, as spaCy does, or else in constituents of the Penn Treebank: the
    first token of each, the token after its last, and the label NP. Raises spaCy's E029 if there is neither."""
    doc = doclike.doc
    if doc.has_annotation("DEP") or CONSTITUENTS not in doc.spans:
        yield from chunk_clear_trees(doclike)
        return
    np = doc.vocab.strings.add("NP")
    yield from ((start, end, np) for start, end in find_base_phrases(doclike))


def find_base_phrases(doclike: Doc | Span) -> list[tuple[int, int]]:
    """Find the extents of the base noun phrases among the constituents, in text order."""
    first, last = (doclike.start, doclike.end) if isinstance(doclike, Span) else (0, len(doclike))
    doc = doclike.doc
    phrases = {
        (span.start, span.end)
        for span in read_spans(doc, CONSTITUENTS)
        if span.label_ in NOUN_PHRASES and first <= span.start and span.end <= last
    }
    chunks: list[tuple[int, int]] = []
    # The outermost phrases so far, from the right, and whether they contain only possessors.
    outer: list[tuple[int, int, bool]] = []
    for start, end in sorted(phrases, key=lambda phrase: (-phrase[0], phrase[1])):
        is_base = True
        while outer and outer[-1][0] < end:
            _, inner_end, is_inner_base = outer.pop()
            is_base &= is_inner_base and inner_end < end and doc[inner_end - 1].tag_ in POSSESSIVES
        outer.append((start, end, is_base))
        if is_base:
            while chunks and chunks[-1][0] < end:
                chunks.pop()
            chunks.append((start, end))
    return chunks[::-1]


# The iterators that `use_noun_chunks` replaces: those of spaCy and of this module.
REPLACED = (chunk_clear_trees, chunk_constituents)
