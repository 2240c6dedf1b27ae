"""`Doc.noun_chunks` of English Universal Dependencies trees; spaCy's own iterator needs trees with other labels.

A chunk is a base noun phrase: a noun or pronoun, its premodifiers, and the rest of a name. As in spaCy, a possessor
belongs to the chunk of the possessed, while conjuncts and pronouns that introduce clauses are separate chunks: [The
mayor 's old dog], [who] chased [Ann] and [two cats] from [the park]. Unlike in spaCy, a pair of common nouns is one
chunk if the second has no dependents, as in treebanks: [the terms and conditions], [cats and dogs].
"""

from collections.abc import Iterator

from spacy.tokens import Doc, Span, Token

from ..annotation.dependency_trees import cut_subtype
from ..annotation.noun_chunks import chunk_constituents

# The labels of ClearNLP, on which spaCy's English pipelines are trained, that are not in Universal Dependencies.
CLEAR_LABELS = frozenset(
    (
        *("acomp", "agent", "attr", "auxpass", "csubjpass", "dative", "dobj", "intj", "meta", "neg", "npadvmod"),
        *("nsubjpass", "oprd", "pcomp", "pobj", "poss", "preconj", "predet", "prep", "prt", "quantmod", "relcl"),
    )
)
# Tags of the Penn Treebank, and parts of speech for documents without tags. Nouns head phrases in any relation.
NOUNS = frozenset(("NN", "NNS", "NNP", "NNPS", "PRP", "WP", "EX", "NOUN", "PROPN", "PRON"))
COMMON_NOUNS = frozenset(("NN", "NNS", "NOUN"))
# These head phrases in the relations below; adjectives only after a determiner or possessor: "the poor".
NUMBERS = frozenset(("CD", "DT", "WDT", "NUM", "DET"))
ADJECTIVES = frozenset(("JJ", "JJR", "JJS", "VBG", "PRP$", "$", "ADJ"))
ARGUMENTS = frozenset(("nsubj", "obj", "iobj", "obl", "nmod", "appos", "dislocated", "list"))
# The relations of words that are parts of phrases, rather than their heads.
PARTS = frozenset(
    (
        *("advmod", "amod", "case", "cc", "compound", "dep", "det", "discourse", "fixed", "flat", "goeswith", "mark"),
        *("nmod:desc", "nmod:poss", "nummod", "punct"),
    )
)
# The dependents with which a phrase begins, and those that end it to the left, since they belong to the preposition or
# the clause. Other dependents belong to the phrase if it continues before them.
PREMODIFIERS = frozenset(("acl", "amod", "compound", "det", "flat", "nmod", "nummod"))
OUTSIDE = frozenset(("advcl", "aux", "case", "cc", "conj", "cop", "csubj", "expl", "mark", "nsubj", "obj", "obl"))
# The dependents that directly follow a head in its phrase, and words that do so in any relation.
SUFFIXES = frozenset(("fixed", "flat", "goeswith", "nmod:desc", "nummod"))
SUFFIX_WORDS = frozenset(("else", "ad", "bc", "bce", "ce"))


def noun_chunks(doclike: Doc | Span) -> Iterator[tuple[int, int, int]]:
    """Finds base noun phrases (start, end, NP): in documents with labels of ClearNLP as spaCy does, in documents
    without trees from constituents. RAISES ValueError: If there are neither trees nor constituents."""
    doc = doclike.doc
    if not doc.has_annotation("DEP") or not CLEAR_LABELS.isdisjoint(token.dep_ for token in doc):
        yield from chunk_constituents(doclike)
        return
    chunks: list[tuple[int, int]] = []
    for token in doclike:
        if _is_head(token):
            start, end = _find_start(token), _find_end(token)
            # The parts of names and dates may be heads, too.
            while chunks and chunks[-1][0] >= start:
                chunks.pop()
            if not chunks or chunks[-1][1] <= start:
                chunks.append((start, end))
    np = doclike.vocab.strings.add("NP")
    yield from ((start, end, np) for start, end in chunks)


def _is_head(token: Token) -> bool:
    tag = token.tag_ or token.pos_
    first = token
    while first.dep_ == "conj" and first.head.i < first.i:
        first = first.head
    relation = cut_subtype(first.dep_)
    if {token.dep_, cut_subtype(token.dep_), relation} & PARTS:
        return False
    if tag in NOUNS:
        return True
    if tag in NUMBERS:
        return relation in ARGUMENTS or relation == "ROOT"
    return (
        tag in ADJECTIVES
        and relation in ARGUMENTS
        and any(cut_subtype(child.dep_) == "det" or child.dep_ == "nmod:poss" for child in token.lefts)
    )


def _find_start(head: Token) -> int:
    start = head.i
    for child in reversed(list(head.lefts)):
        relation = cut_subtype(child.dep_)
        is_phrase = relation == "nmod" and child.dep_ != "nmod:poss"
        if relation in OUTSIDE or (is_phrase and any(cut_subtype(below.dep_) == "case" for below in child.lefts)):
            break
        if relation in PREMODIFIERS:
            start = child.left_edge.i
    return start


def _find_end(head: Token) -> int:
    end = head.i + 1
    for child in head.rights:
        if _is_second_of_pair(child, end):
            return child.i + 1
        is_year = child.dep_ == "nmod:unmarked" and (child.tag_ or child.pos_) in NUMBERS
        # Without a comma: "his brother Pierre".
        is_name = child.dep_ == "appos" and child.i == end
        if not (child.dep_ in SUFFIXES or child.lower_ in SUFFIX_WORDS or is_year or is_name):
            break
        first = child.left_edge
        # The comma of a date: September 17, 1859.
        begin = first.i + (is_year and first.text == "," and first.i + 1 == child.i)
        if first.i != end or child.i > begin:
            break
        end = _find_end(child)
    return end


def _is_second_of_pair(conjunct: Token, end: int) -> bool:
    """Returns whether a conjunct, with "and" at `end`, is the only one and a single word, and both are common nouns."""
    head = conjunct.head
    return (
        conjunct.dep_ == "conj"
        and COMMON_NOUNS.issuperset((head.tag_ or head.pos_, conjunct.tag_ or conjunct.pos_))
        and [(child.i, child.dep_) for child in conjunct.children] == [(end, "cc")]
        and sum(child.dep_ == "conj" for child in head.rights) == 1
    )
