"""Measures `noun_chunks` against gold phrases, and compares the chunker's noun phrases with spaCy's own chunks.

`universal` measures the noun chunks of Universal Dependencies trees. Where there are gold constituents, their base noun
phrases are the reference: each NP or WHNP that contains no other, except for possessors, which belong to the phrase.
Otherwise, the chunks of gold trees are.

`compare` needs trees with the labels that spaCy's iterator expects, and `translate` makes them. English `noun_chunks`
was made for ClearNLP trees: prepositions and copulas are heads, and so is the last word of a name. Universal
Dependencies trees are translated sentence by sentence, in this order (NOUN, PROPN and PRON are nominals):

1. The last word of a `flat` nominal becomes its head, the others its `compound`.
2. A copula becomes the head of its predicate (`attr`, or `acomp` if no nominal) and of the rest of the clause.
3. `cc`, `punct` and asides at the beginning of a nominal or conjunct are attached to its head.
4. A `case` before its word becomes its head (`prep`, with `pobj` below; of several, each is below the previous one).
5. Labels: obj `dobj`, iobj `dative`, nsubj:pass `nsubjpass`, expl `nsubj`, nominal xcomp `attr`, obl without `case`
   `pobj`, and so nmod after its head; nominal vocative, dislocated, list, orphan and parataxis `appos`; the rest by the
   names in RENAMED or without subtype.

Doubtful cases get a label that `noun_chunks` knows. The translation has no other purpose.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Annotated

import spacy
import typer
from hedges import annotate
from measure import Output, find_pipeline, format_table, read_references, write_results
from spacy.language import Language
from spacy.scorer import PRFScore
from spacy.symbols import PUNCT
from spacy.tokens import Doc, DocBin, Span

from spacy_joint.annotation.constituents import iterate_phrases
from spacy_joint.annotation.noun_chunks import find_base_phrases
from spacy_joint.corpora.conllu import read_conllu
from spacy_joint.corpora.constituency_treebanks import read_tree_documents
from spacy_joint.corpora.docbin import read_docbin
from spacy_joint.corpora.examples import make_example
from spacy_joint.parsing.noun_chunks import noun_chunks
from spacy_joint.pipes.components import enable_components
from spacy_joint.scoring.brackets import load_parameters

app = typer.Typer(help=__doc__, pretty_exceptions_enable=False)

Extents = set[tuple[int, int]]

CONSTITUENCY_PARSER = "constituency_parser"
NOMINALS = ("NOUN", "PROPN", "PRON")
CLAUSE_RELATIONS = (
    *("nsubj", "csubj", "expl", "aux", "mark", "advmod", "obl", "advcl", "ccomp", "punct"),
    *("discourse", "vocative", "dislocated", "parataxis"),
)
ASIDES = ("cc", "punct", "discourse", "reparandum", "vocative", "parataxis")
RENAMED = {
    "root": "ROOT",
    "nsubj:pass": "nsubjpass",
    "obj": "dobj",
    "iobj": "dative",
    "expl": "nsubj",
    "nmod:poss": "poss",
    "aux:pass": "auxpass",
    "acl:relcl": "relcl",
    "compound:prt": "prt",
    "cc:preconj": "preconj",
    "det:predet": "predet",
}
APPOSITIONS = ("vocative", "dislocated", "list", "orphan", "parataxis")


class Translation:
    """A tree during translation: heads (the root is its own head) and labels."""

    def __init__(self, doc: Doc) -> None:
        self.doc = doc
        self.heads = [token.head.i for token in doc]
        self.labels = ["root" if token.head is token else token.dep_ for token in doc]
        self.is_nominal = [token.pos_ in NOMINALS for token in doc]

    def children(self, head: int) -> list[int]:
        """The dependents of a word, from left to right."""
        return [child for child, its in enumerate(self.heads) if its == head and child != head]

    def children_labelled(self, head: int, *labels: str) -> list[int]:
        """The dependents with these labels, with any subtype."""
        return [child for child in self.children(head) if self.labels[child].split(":")[0] in labels]

    def exchange(self, old: int, new: int, label: str) -> None:
        """Swap a dependent with its head, which becomes its dependent."""
        self.heads[new] = new if self.heads[old] == old else self.heads[old]
        self.labels[new] = self.labels[old]
        self.heads[old], self.labels[old] = new, label

    def depth(self, place: int) -> int:
        """The number of heads above a word."""
        depth = 0
        while self.heads[place] != place:
            place = self.heads[place]
            depth += 1
        return depth

    def turn_names(self) -> None:
        """Step 1."""
        for first in range(len(self.doc)):
            parts = self.children_labelled(first, "flat")
            if parts and self.is_nominal[first]:
                last = parts[-1]
                others = [child for child in self.children(first) if child != last]
                self.exchange(first, last, "compound")
                for child in others:
                    self.heads[child] = last
                    if child in parts:
                        self.labels[child] = "compound"

    def raise_copulas(self) -> None:
        """Step 2."""
        for predicate in range(len(self.doc)):
            copulas = self.children_labelled(predicate, "cop")
            if copulas:
                moved = self.children_labelled(predicate, *CLAUSE_RELATIONS) + copulas[1:]
                for conjunct in self.children_labelled(predicate, "conj"):
                    if self.children_labelled(conjunct, "nsubj", "csubj", "cop"):
                        moved.append(conjunct)
                self.exchange(predicate, copulas[0], "attr" if self.is_nominal[predicate] else "acomp")
                for child in moved:
                    self.heads[child] = copulas[0]

    def raise_asides(self) -> None:
        """Step 3, bottom-up, so that words rise as far as they can."""
        for head in sorted(range(len(self.doc)), key=self.depth, reverse=True):
            above = self.heads[head]
            if above != head and (self.is_nominal[head] or self.labels[head] == "conj"):
                for child in self.children(head):
                    if child > head or self.labels[child].split(":")[0] not in ASIDES:
                        break
                    self.heads[child] = above

    def raise_prepositions(self) -> None:
        """Step 4."""
        for noun in range(len(self.doc)):
            cases = [case for case in self.children_labelled(noun, "case") if case < noun]
            if cases:
                before = [child for child in self.children(noun) if child < cases[0]]
                self.exchange(noun, cases[0], "pobj")
                if self.labels[cases[0]].split(":")[0] in ("obl", "nmod", "attr", "acomp"):
                    self.labels[cases[0]] = "prep"
                for child in before:
                    self.heads[child] = cases[0]
                for upper, lower in pairwise(cases):
                    self.heads[lower], self.labels[lower] = upper, "prep"
                self.heads[noun] = cases[-1]

    def rename(self) -> None:
        """Step 5."""
        for place, label in enumerate(self.labels):
            kind = label.split(":")[0]
            if kind == "obl" or (kind == "nmod" and label != "nmod:poss" and place > self.heads[place]):
                self.labels[place] = "pobj"
            elif self.is_nominal[place] and kind == "xcomp":
                self.labels[place] = "attr"
            elif self.is_nominal[place] and kind in APPOSITIONS:
                self.labels[place] = "appos"
            else:
                self.labels[place] = RENAMED.get(label, RENAMED.get(kind, kind))


def translate_tree(doc: Doc) -> Doc:
    """Translate the gold Universal Dependencies tree of one sentence."""
    translation = Translation(doc)
    translation.turn_names()
    translation.raise_copulas()
    translation.raise_asides()
    translation.raise_prepositions()
    translation.rename()
    return Doc(
        doc.vocab,
        words=[token.text for token in doc],
        spaces=[bool(token.whitespace_) for token in doc],
        pos=[token.pos_ for token in doc],
        tags=[token.tag_ for token in doc],
        heads=translation.heads,
        deps=translation.labels,
    )


@app.command()
def translate(
    corpus: Annotated[Path, typer.Argument(help="CoNLL-U file, English.")],
    output: Annotated[Path, typer.Argument(help=".spacy file to write, one document per sentence.")],
) -> None:
    """Translate a treebank, for `spacy train` and as the upper limit of noun chunks."""
    DocBin(docs=map(translate_tree, read_conllu(corpus, spacy.blank("en").vocab, documents=1))).to_disk(output)


@app.command()
def compare(
    corpus: Annotated[Path, typer.Argument(help="Trees in brackets, as .spacy, one document per tree.")],
    model: Annotated[Path, typer.Argument(parser=find_pipeline, help="Pipeline with a hedge_chunker.")],
    peers: Annotated[list[str], typer.Argument(help="Pipelines with parsers, or .spacy files of translated trees.")],
    max_span: int = 7,
    output: Output = None,
) -> None:
    """Precision, recall and F1 of noun phrases: innermost ones, and all up to the limit.

    Punctuation at the edges of phrases does not count, for any of the systems, nor do phrases above the limit.
    """
    nlp = spacy.load(model)
    references = list(read_docbin(corpus, nlp.vocab))
    predicted = {"hedge_chunker": [example.predicted for example in annotate(nlp, references)]}
    for peer in peers:
        if peer.endswith(".spacy"):
            predicted[peer] = list(read_docbin(Path(peer), nlp.vocab))
        else:
            other = spacy.load(peer)
            # Each document is one sentence, for the chunker as for the parser.
            predicted[peer] = [
                other(Doc(other.vocab, words=words, sent_starts=[place == 0 for place in range(len(words))]))
                for words in ([token.text for token in doc] for doc in references)
            ]
    results: dict[str, dict[str, float]] = {}
    for innermost in (True, False):
        for name, docs in predicted.items():
            score = PRFScore()
            for reference, doc in zip(references, docs, strict=True):
                # The other treebank may have other tokens.
                if [token.text for token in doc] == [token.text for token in reference]:
                    found = list(iterate_phrases(doc, "NP")) if name == "hedge_chunker" else list(doc.noun_chunks)
                    wanted = find_extents(list(iterate_phrases(reference, "NP")), reference, max_span, innermost)
                    score.score_set(find_extents(found, reference, max_span, innermost), wanted)
            results[f"{name}, {'innermost' if innermost else 'all'}"] = score.to_dict()
    rows = [[name, *(f"{100 * score[key]:.1f}" for key in ("p", "r", "f"))] for name, score in results.items()]
    print(format_table(["noun phrases", "P", "R", "F1"], rows))
    write_results(results, output)


def read_base_phrases(path: Path, references: Sequence[Doc]) -> Iterator[Extents]:
    """The base noun phrases of documents, from a file with the trees of their sentences."""
    sentences = read_tree_documents(path, references[0].vocab)
    for reference in references:
        extents: Extents = set()
        start = 0
        while start < len(reference):
            sentence = next(sentences)
            extents |= {(start + first, start + end) for first, end in find_base_phrases(sentence)}
            start += len(sentence)
        yield extents


def list_chunks(doc: Doc) -> Extents:
    """The extents of noun chunks."""
    return {(start, end) for start, end, _ in noun_chunks(doc)}


def renumber(phrases: Extents, references: Doc) -> Extents:
    """The extents of phrases in the document without its punctuation."""
    places = [0, *accumulate(token.pos != PUNCT for token in references)]
    return {(places[start], places[end]) for start, end in phrases if places[start] < places[end]}


@app.command()
def universal(
    model: Annotated[str, typer.Argument(help="Pipeline with a joint_sbd_parser.")],
    corpus: Annotated[Path, typer.Argument(help="CoNLL-U file, English.")],
    brackets: Annotated[Path | None, typer.Option(help="Constituents of the same sentences, as .ptb.")] = None,
    output: Output = None,
) -> None:
    """Precision, recall and F1 of the noun chunks of Universal Dependencies trees; punctuation does not count.

    If the pipeline has a constituency_parser, also of its base noun phrases.
    """
    nlp = spacy.load(model)
    enable_components(nlp, CONSTITUENCY_PARSER)
    # Documents of punctuation only have no starred variant.
    edited = [doc for doc in read_references(corpus, nlp.vocab) if any(token.pos != PUNCT for token in doc)]
    starred = read_references(corpus, nlp.vocab, starred=True)
    wanted = map(list_chunks, edited) if brackets is None else read_base_phrases(brackets, edited)
    gold = [renumber(extents, doc) for extents, doc in zip(wanted, edited, strict=True)]
    predicted, predicted_starred = list(predict(nlp, edited)), list(predict(nlp, starred))
    found = {
        "gold trees": [renumber(list_chunks(doc), doc) for doc in edited],
        "predicted trees": [
            renumber(list_chunks(doc), reference) for doc, reference in zip(predicted, edited, strict=True)
        ],
        "gold trees, *": list(map(list_chunks, starred)),
        "predicted trees, *": list(map(list_chunks, predicted_starred)),
    }
    if CONSTITUENCY_PARSER in nlp.pipe_factories.values():
        found["predicted constituents"] = [
            renumber(set(find_base_phrases(doc)), reference) for doc, reference in zip(predicted, edited, strict=True)
        ]
        found["predicted constituents, *"] = [set(find_base_phrases(doc)) for doc in predicted_starred]
    results = {}
    for name, documents in found.items():
        score = PRFScore()
        for chunks, right in zip(documents, gold, strict=True):
            score.score_set(chunks, right)
        results[name] = score.to_dict()
    rows = [[name, *(f"{100 * score[key]:.1f}" for key in ("p", "r", "f"))] for name, score in results.items()]
    print(format_table([corpus.stem, "P", "R", "F1"], rows))
    write_results(results, output)


def predict(nlp: Language, references: Sequence[Doc]) -> Iterator[Doc]:
    """Annotate the tokens of documents."""
    return nlp.pipe(make_example(reference).predicted for reference in references)


def find_extents(phrases: list[Span], reference: Doc, max_span: int, innermost: bool) -> set[tuple[int, int]]:
    """The extents of phrases, or of those without another inside, without punctuation by the tags of the reference."""
    parameters = load_parameters("evalb")
    extents = set()
    for phrase in phrases:
        words = [token.i for token in reference[phrase.start : phrase.end] if parameters.keeps(token.tag_, token.text)]
        if words and words[-1] + 1 - words[0] <= max_span:
            extents.add((words[0], words[-1] + 1))
    if not innermost:
        return extents
    return {
        one
        for one in extents
        if not any(other != one and one[0] <= other[0] <= other[1] <= one[1] for other in extents)
    }


if __name__ == "__main__":
    app()
