"""Adds inflected forms of the words of WordNet to the training corpus of the lemmatizer, as documents of words with
tags and lemmas: treebanks have few of them (nodded, simplest, dazzling).

The tables of exceptions and of lemmas are those of spacy-lookups-data. Forms with other lemmas in the corpus stay out.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Annotated

import spacy
import srsly
import typer
from spacy.tokens import Doc, DocBin

WORD = re.compile("[a-z]{2,}")
CONSONANT_Y, SIBILANT = re.compile("[^aeiou]y$"), re.compile("([sxz]|[cs]h|[^aeiou]o)$")
KEEPS_E = re.compile("([eoy]|ing)e$")
# The letters of adjectives with regular forms, at most.
SHORT = 7
# Auxiliaries, too: their parts of speech depend on the sentence.
AUXILIARIES = frozenset(("be", "have", "do", "get", "can", "may", "will", "shall", "must", "need", "dare"))
# The tags of a form by part of speech and ending, the first that it has.
TAGS = {
    "verb": {"ing": ["VBG"], "s": ["VBZ"], "": ["VBD", "VBN"]},
    "adj": {"er": ["JJR", "RBR"], "est": ["JJS", "RBS"]},
    "noun": {"ing": [], "": ["NNS"]},
}
POS = {"V": "VERB", "J": "ADJ", "R": "ADV", "N": "NOUN"}
# The words of a document, and how many times more irregular forms are shown.
WORDS, MORE = 500, 2


def inflect(lemma: str, kind: str) -> list[str]:
    """Make the regular forms of a word: of short adjectives, and of nouns with a plural in -es."""
    stem = f"{lemma[:-1]}i" if CONSONANT_Y.search(lemma) else lemma
    with_e = stem if stem.endswith("e") else f"{stem}e"
    if kind == "adj":
        return [f"{with_e}r", f"{with_e}st"] if len(lemma) <= SHORT else []
    plural = f"{with_e}s" if stem != lemma or SIBILANT.search(lemma) else f"{lemma}s"
    if kind == "noun":
        return [plural] if plural.endswith("es") else []
    return [plural, f"{with_e}d", f"{lemma if KEEPS_E.search(lemma) else lemma.removesuffix('e')}ing"]


def find_tags(form: str, kind: str) -> list[str]:
    """Find the tags that a form can have."""
    return next((tags for ending, tags in TAGS[kind].items() if form.endswith(ending)), [])


def list_forms(exceptions: dict[str, list[str]], lemmas: list[str], kind: str) -> Iterator[tuple[str, str, str]]:
    """Yield forms with a tag and their lemma. Those that come later are more usual: of two regular ones, that of the
    lemma that goes on with -e (bathe, not bath), and irregular ones."""
    regular = [(form, lemma) for lemma in sorted(lemmas) for form in inflect(lemma, kind)]
    irregular = [(form, words[0]) for form, words in sorted(exceptions.items()) if len(words) == 1]
    for form, lemma in regular + irregular:
        if form != lemma and lemma not in AUXILIARIES and WORD.fullmatch(form) and WORD.fullmatch(lemma):
            yield from ((form, tag, lemma) for tag in find_tags(form, kind))


def main(
    corpus: Annotated[Path, typer.Argument(help="Corpus (.spacy) with tags and lemmas.")],
    tables: Annotated[Path, typer.Argument(help="Directory of en_lemma_exc.json.gz and en_lemma_index.json.gz.")],
    output: Annotated[Path, typer.Argument(help="Corpus of both.")],
) -> None:
    """Write a corpus with the documents of another one, and with inflected forms."""
    nlp = spacy.blank("en")
    merged = DocBin().from_disk(corpus)
    known: dict[tuple[str, str], set[str]] = defaultdict(set)
    for token in chain.from_iterable(merged.get_docs(nlp.vocab)):
        known[token.text.lower(), token.tag_].add(token.lemma_)
    exceptions, index = (srsly.read_gzip_json(tables / f"en_lemma_{name}.json.gz") for name in ("exc", "index"))
    found = {
        (form, tag): lemma for kind in TAGS for form, tag, lemma in list_forms(exceptions[kind], index[kind], kind)
    }
    forms = [(*form, lemma) for form, lemma in sorted(found.items()) if known.get(form, {lemma}) == {lemma}]
    # They have to be learnt one by one.
    irregular = set().union(*(exceptions[kind] for kind in TAGS))
    forms += MORE * [form for form in forms if form[0] in irregular]
    for start in range(0, len(forms), WORDS):
        words, tags, lemmas = map(list, zip(*forms[start : start + WORDS], strict=True))
        merged.add(Doc(nlp.vocab, words=words, tags=tags, pos=[POS[tag[0]] for tag in tags], lemmas=lemmas))
    merged.to_disk(output)
    print(f"{output}: with {len(forms):,} inflected forms")


if __name__ == "__main__":
    typer.run(main)
