"""Scores from raw text, where tokens are predicted, too: tokens, words, sentences, tags, features, lemmas and trees.

The measures are those of the CoNLL 2018 shared task (https://universaldependencies.org/conll18/evaluation.html), as its
script `conll18_ud_eval.py` computes them on the output of `write_conllu`. Each score is an F1 over all words (or
tokens, or sentences): a missed word counts as wrong in every score.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from spacy.scorer import PRFScore
from spacy.tokens import Doc

from ..annotation.dependency_trees import cut_subtype
from ..corpora.conllu_writing import format_sentences
from ..errors import Errors, JointValueError
from .counts import count

Span = tuple[int, int]
"""The start and the end, in non-whitespace characters."""

# The features that the shared task compares; it ignores language-specific ones, and layers such as Number[psor].
UNIVERSAL_FEATURES = frozenset(
    (
        *("PronType", "NumType", "Poss", "Reflex", "Foreign", "Abbr", "Gender", "Animacy", "Number", "Case"),
        *("Definite", "Degree", "VerbForm", "Mood", "Tense", "Aspect", "Voice", "Evident", "Polarity", "Person"),
        "Polite",
    )
)


# The relations of words that CLAS, MLAS and BLEX compare, and of function words that MLAS compares with their heads.
CONTENT_RELATIONS = frozenset(
    (
        *("nsubj", "obj", "iobj", "csubj", "ccomp", "xcomp", "obl", "vocative", "expl", "dislocated", "advcl"),
        *("advmod", "discourse", "nmod", "appos", "nummod", "acl", "amod", "conj", "fixed", "flat", "compound"),
        *("list", "parataxis", "orphan", "goeswith", "reparandum", "root", "dep"),
    )
)
FUNCTION_RELATIONS = frozenset(("aux", "cop", "mark", "det", "clf", "case", "cc"))


@dataclass(eq=False)
class _Word:
    """A word of the syntax; words are equal only if they are the same object."""

    span: Span  # of its token
    is_multiword: bool
    form: str
    lemma: str
    pos: str
    tag: str
    morph: str
    relation: str
    head: _Word | None = None  # None: a root
    function_words: list[_Word] = field(default_factory=list)  # its dependents with FUNCTION_RELATIONS

    @property
    def has_content(self) -> bool:
        """Whether CLAS, MLAS and BLEX compare it."""
        return self.relation in CONTENT_RELATIONS


class _Analysis(NamedTuple):
    tokens: list[Span]
    sentences: list[Span]
    words: list[_Word]


def score_raw_text(predicted: Iterable[Doc], references: Iterable[Doc]) -> dict[str, float]:
    """Score documents made from the texts of the references. Scores are between 0 and 1, pooled over all documents.

    - `raw_tokens_p`, `raw_tokens_r`, `raw_tokens_f`: tokens, correct if both ends are. A multiword token is one token.
    - `raw_sents_p`, `raw_sents_r`, `raw_sents_f`: sentences, correct if both ends are.
    - `raw_words_p`, `raw_words_r`, `raw_words_f`: words of the syntax, correct if both ends are. Words of multiword
      tokens are aligned by their forms in lower case.
    - `raw_tag_f`, `raw_pos_f`: words with the correct TAG and POS (XPOS and UPOS).
    - `raw_morph_f`: words whose morphological features are all correct (UFeats). Only the 21 UNIVERSAL_FEATURES are
      compared.
    - `raw_alltags_f`: words with the correct TAG, POS and features (AllTags).
    - `raw_lemma_f`: words with the correct lemma, capitals included. Any lemma is correct where the reference has none.
    - `raw_uas_f`, `raw_las_f`: words with the correct head, and with the correct relation, too. Subtypes are ignored.
    - `raw_clas_f`: LAS of words with CONTENT_RELATIONS only.
    - `raw_mlas_f`: CLAS, but the POS and features of a word and of its function words must be correct, too.
    - `raw_blex_f`: CLAS, but the lemma must be correct, too.

    predicted, references (Iterable[Doc]): Equally many documents with sentences and trees, whose texts differ only in
        whitespace.
    RAISES ValueError: If two texts differ (J152).
    """
    scores = {name: PRFScore() for name in ("tokens", "sents", "words", *COMPARED)}
    for found, reference in zip(predicted, references, strict=True):
        if _remove_whitespace(found.text) != _remove_whitespace(reference.text):
            raise JointValueError(Errors.J152, found=found.text[:50], expected=reference.text[:50])
        actual, expected = _analyse(found), _analyse(reference)
        scores["tokens"].score_set(set(actual.tokens), set(expected.tokens))
        scores["sents"].score_set(set(actual.sentences), set(expected.sentences))
        pairs = list(_align(expected.words, actual.words))
        aligned: _Aligned = {word: gold for gold, word in pairs}
        count(scores["words"], len(pairs), len(actual.words), len(expected.words))
        everything: Any = pairs, actual.words, expected.words
        content = [pair for pair in pairs if pair[0].has_content]
        of_content = content, *([word for word in words if word.has_content] for words in everything[1:])
        for name, get in COMPARED.items():
            chosen, *words = of_content if name in CONTENT_MEASURES else everything
            correct = sum(get(gold, aligned) == get(word, aligned) for gold, word in chosen)
            count(scores[name], correct, *map(len, words))
    summary: dict[str, float] = {}
    for name, score in scores.items():
        if name not in COMPARED:
            summary |= {f"raw_{name}_p": score.precision, f"raw_{name}_r": score.recall}
        summary[f"raw_{name}_f"] = score.fscore
    return summary


_Aligned = dict[_Word | None, _Word]
"""The words of the reference by the words that are aligned with them. Other words stand for themselves."""


def _get_arc(word: _Word, aligned: _Aligned) -> tuple[_Word | None, str]:
    return aligned.get(word.head, word.head), word.relation


def _get_lemma(word: _Word, aligned: _Aligned) -> str:
    return "_" if aligned.get(word, word).lemma == "_" else word.lemma


def _get_morphology(word: _Word, aligned: _Aligned) -> object:
    """Get the part of speech and features of a word, and those and the relations of its function words."""
    functions = [(aligned.get(each, each), each.relation, each.pos, each.morph) for each in word.function_words]
    return word.pos, word.morph, functions


COMPARED: dict[str, Callable[[_Word, _Aligned], object]] = {
    "tag": lambda word, aligned: word.tag,
    "pos": lambda word, aligned: word.pos,
    "morph": lambda word, aligned: word.morph,
    "alltags": lambda word, aligned: (word.tag, word.pos, word.morph),
    "lemma": _get_lemma,
    "uas": lambda word, aligned: aligned.get(word.head, word.head),
    "las": _get_arc,
    "clas": _get_arc,
    "mlas": lambda *given: (_get_arc(*given), _get_morphology(*given)),
    "blex": lambda *given: (_get_arc(*given), _get_lemma(*given)),
}
"""The annotation that must be the same in two aligned words."""
CONTENT_MEASURES = frozenset(("clas", "mlas", "blex"))


def _analyse(doc: Doc) -> _Analysis:
    analysis, begin = _Analysis([], [], []), 0
    for lines in format_sentences(doc) if len(doc) else ():
        sentence_begin, last_of_token = begin, 0
        words: list[_Word] = []
        heads: list[str] = []
        for line in lines:
            # Comments and empty nodes.
            if line.startswith("#") or "." in line.partition("\t")[0]:
                continue
            id_, form, lemma, pos, tag, morph, head, relation, *_ = line.split("\t")
            if len(words) >= last_of_token or "-" in id_:
                span = (begin, begin + len(_remove_whitespace(form)))
                analysis.tokens.append(span)
                begin = span[1]
            if "-" in id_:
                last_of_token = int(id_.partition("-")[2])
                continue
            morph = _keep_universal(morph)
            words.append(_Word(span, len(words) < last_of_token, form, lemma, pos, tag, morph, cut_subtype(relation)))
            heads.append(head)
        for word, head in zip(words, heads, strict=True):
            word.head = words[int(head) - 1] if head not in ("0", "_") else None
            if word.head is not None and word.relation in FUNCTION_RELATIONS:
                word.head.function_words.append(word)
        analysis.words.extend(words)
        analysis.sentences.append((sentence_begin, begin))
    return analysis


def _align(gold: list[_Word], system: list[_Word]) -> Iterator[tuple[_Word, _Word]]:
    """Yield pairs of words: those with the same span, or, around multiword tokens, those with the same form."""
    g = s = 0
    while g < len(gold) and s < len(system):
        if gold[g].is_multiword or system[s].is_multiword:
            first_g, first_s, g, s = _find_multiword_span(gold, system, g, s)
            yield from _align_forms(gold[first_g:g], system[first_s:s])
        elif gold[g].span == system[s].span:
            yield gold[g], system[s]
            g, s = g + 1, s + 1
        elif gold[g].span[0] <= system[s].span[0]:
            g += 1
        else:
            s += 1


def _find_multiword_span(gold: list[_Word], system: list[_Word], g: int, s: int) -> tuple[int, int, int, int]:
    """Find the shortest stretch of whole tokens from a multiword one: its first words on both sides, and the first
    words after it."""
    if gold[g].is_multiword:
        end = gold[g].span[1]
        if not system[s].is_multiword and system[s].span[0] < gold[g].span[0]:
            s += 1
    else:
        end = system[s].span[1]
        if gold[g].span[0] < system[s].span[0]:
            g += 1
    first_g, first_s = g, s
    while _is_before(gold, g, end) or _is_before(system, s, end):
        if g < len(gold) and (s >= len(system) or gold[g].span[0] <= system[s].span[0]):
            word, g = gold[g], g + 1
        else:
            word, s = system[s], s + 1
        if word.is_multiword:
            end = max(end, word.span[1])
    return first_g, first_s, g, s


def _is_before(words: list[_Word], position: int, end: int) -> bool:
    """Return whether the word at a position is in the stretch up to `end`; a multiword token is if it begins there."""
    word = words[position] if position < len(words) else None
    return word is not None and (word.span[0] < end if word.is_multiword else word.span[1] <= end)


def _align_forms(gold: list[_Word], system: list[_Word]) -> Iterator[tuple[_Word, _Word]]:
    """Yield the pairs of a longest common subsequence of lower-cased forms."""
    forms, others = ([word.form.lower() for word in words] for words in (gold, system))
    longest = [[0] * (len(others) + 1) for _ in range(len(forms) + 1)]
    for g in reversed(range(len(forms))):
        for s in reversed(range(len(others))):
            extended = 1 + longest[g + 1][s + 1] if forms[g] == others[s] else 0
            longest[g][s] = max(extended, longest[g + 1][s], longest[g][s + 1])
    g = s = 0
    while g < len(forms) and s < len(others):
        if forms[g] == others[s]:
            yield gold[g], system[s]
            g, s = g + 1, s + 1
        elif longest[g][s] == longest[g + 1][s]:
            g += 1
        else:
            s += 1


@lru_cache(maxsize=1 << 12)
def _keep_universal(features: str) -> str:
    """Keep the features, `Name=Value|Name=Value`, that are compared."""
    return "|".join(sorted(each for each in features.split("|") if each.partition("=")[0] in UNIVERSAL_FEATURES))


def _remove_whitespace(text: str) -> str:
    return "".join(text.split())
