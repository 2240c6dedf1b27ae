"""`evaluate`: score a pipeline with all measures of the package; `spacy evaluate` only reports those it knows."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from wasabi import msg

from ..errors import Errors, JointValueError
from ..files.replacing import replace_when_written
from .documents import DOCUMENTS, DocumentsOption, read_documents

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

MEASURES = {
    "tag_acc": "Tag accuracy",
    "pos_acc": "Part-of-speech accuracy",
    "morph_acc": "Morphological features",
    "lemma_acc": "Lemmas",
    "boundary_p": "Boundaries, precision",
    "boundary_r": "Boundaries, recall",
    "boundary_f": "Boundaries, F1",
    "sents_f": "Whole sentences, F1",
    "dep_uas_punct": "UAS, all words",
    "dep_las_punct": "LAS, all words",
    "dep_uas": "UAS, without punctuation",
    "dep_las": "LAS, without punctuation",
    "raw_tokens_f": "Raw text: tokens, F1",
    "raw_words_p": "Raw text: words, precision",
    "raw_words_r": "Raw text: words, recall",
    "raw_words_f": "Raw text: words, F1",
    "raw_sents_f": "Raw text: sentences, F1",
    "raw_tag_f": "Raw text: tags, F1",
    "raw_pos_f": "Raw text: parts of speech, F1",
    "raw_morph_f": "Raw text: morphological features, F1",
    "raw_alltags_f": "Raw text: tags, parts of speech and features, F1",
    "raw_lemma_f": "Raw text: lemmas, F1",
    "raw_uas_f": "Raw text: UAS, F1",
    "raw_las_f": "Raw text: LAS without subtypes, F1",
    "hedge_p": "Hedges, precision",
    "hedge_r": "Hedges, recall",
    "hedge_f": "Hedges, F1",
    "hedge_exact": "Sentences with all hedges correct",
    "hedge_seg_f": "Segments, F1",
    "constituents_p": "Constituents, precision",
    "constituents_r": "Constituents, recall",
    "constituents_f": "Constituents, F1",
    "constituents_exact": "Sentences with all constituents correct",
    "constituents_disc_p": "Discontinuous constituents, precision",
    "constituents_disc_r": "Discontinuous constituents, recall",
    "constituents_disc_f": "Discontinuous constituents, F1",
}
CONSTITUENCY_PARSERS = ("constituency_parser", "chart_parser")
# Scores of attributes that not every pipeline predicts.
OPTIONAL = {"pos": "POS", "morph": "MORPH", "lemma": "LEMMA"}


def evaluate(
    model: Annotated[str, typer.Argument(help="Path or package of a pipeline.")],
    corpus: Annotated[
        Path,
        typer.Argument(
            help="Annotated documents: file, or directory of files, .conllu, .spacy, or constituency treebank."
        ),
    ],
    unpunctuated: Annotated[
        bool, typer.Option("--unpunctuated", help="Evaluate on the documents without punctuation and capitals.")
    ] = False,
    gold_tags: Annotated[
        bool, typer.Option("--gold-tags", help="Use the tags of the corpus and disable components that tag.")
    ] = False,
    gold_sentences: Annotated[
        bool, typer.Option("--gold-sentences", help="Use the sentence boundaries of the corpus.")
    ] = False,
    raw_text: Annotated[
        bool, typer.Option("--raw-text", help="Also score from raw text, as in CoNLL 2018 (.conllu only).")
    ] = False,
    beam_width: Annotated[int | None, typer.Option(help="Beam width. Default: as in training.")] = None,
    documents: DocumentsOption = DOCUMENTS,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Output JSON file.")] = None,
) -> None:
    """Evaluate the tags, features, lemmas, sentence boundaries, trees and speed of a pipeline, on gold tokens and from
    raw text."""
    from .. import load
    from ..training.unpunctuated import unpunctuate

    if raw_text:
        _require_raw_text(
            corpus, {"unpunctuated": unpunctuated, "gold-tags": gold_tags, "gold-sentences": gold_sentences}
        )
    nlp = load(model, beam_width=beam_width)
    references = [reference for reference in read_documents(corpus, nlp.vocab, documents) if len(reference)]
    if unpunctuated:
        references = [variant for variant in map(unpunctuate, references) if variant is not None]
    if not references:
        raise JointValueError(Errors.J413, path=corpus)
    scores = measure(nlp, references, gold_tags=gold_tags, gold_sentences=gold_sentences)
    if raw_text:
        scores |= measure_raw_text(nlp, read_raw_texts([corpus], nlp, documents))
    rows = [(title, f"{100 * scores[name]:.2f}") for name, title in MEASURES.items() if scores.get(name) is not None]
    rows.append(("Words per second", f"{scores['speed']:,.0f}"))
    msg.table(rows, title=f"{corpus.name}{', unpunctuated' if unpunctuated else ''}", aligns=("l", "r"))
    if output is not None:
        with replace_when_written(output) as path:
            path.write_text(json.dumps(scores, indent=2) + "\n", encoding="utf8")
        msg.good(f"Saved to {output}")


def _require_raw_text(corpus: Path, options: Mapping[str, bool]) -> None:
    for option, chosen in options.items():
        if chosen:
            raise JointValueError(Errors.J155, option=option)
    if corpus.suffix != ".conllu" and not (corpus.is_dir() and any(corpus.glob("*.conllu"))):
        raise JointValueError(Errors.J154, path=corpus)


def read_raw_texts(corpora: Sequence[Path], nlp: Language, documents: str = DOCUMENTS) -> list[Doc]:
    """The documents of CoNLL-U files with their paragraphs."""
    from ..corpora.conllu import read_conllu

    kind = int(documents) if documents.isdecimal() else documents
    return [doc for corpus in corpora for doc in read_conllu(corpus, nlp.vocab, documents=kind, paragraphs=True)]


def measure_raw_text(nlp: Language, references: Sequence[Doc]) -> dict[str, float]:
    """The scores, between 0 and 1, of a pipeline on the raw text of documents."""
    from ..scoring.raw_text import score_raw_text

    docs = list(nlp.pipe(reference.text for reference in references))
    scores = score_raw_text(docs, references)
    missing = _find_missing(docs)
    for name in missing:
        del scores[f"raw_{name}_f"]
    if {"pos", "morph"} & set(missing):
        del scores["raw_alltags_f"]
    return scores


def _find_missing(docs: Sequence[Doc]) -> list[str]:
    """The OPTIONAL attributes that no document has."""
    return [name for name, attribute in OPTIONAL.items() if not any(doc.has_annotation(attribute) for doc in docs)]


def measure(
    nlp: Language, references: Sequence[Doc], *, gold_tags: bool = False, gold_sentences: bool = False
) -> dict[str, Any]:
    """All scores of a pipeline, between 0 and 1, and `speed` in words per second.

    `morph_acc` is the share of words whose features are all correct, also those of single languages.
    """
    from spacy.pipeline.lemmatizer import lemmatizer_score
    from spacy.pipeline.morphologizer import morphologizer_score
    from spacy.training import Example

    from ..corpora.examples import make_example
    from ..pipes.components import list_components
    from ..scoring.boundaries_and_trees import score_boundaries_and_trees
    from ..scoring.constituents import score_constituents
    from ..scoring.hedges import score_hedges
    from ..scoring.tags import score_tags

    taggers = [name for name in nlp.pipe_names if "token.tag" in nlp.get_pipe_meta(name).assigns] if gold_tags else []
    keep = [*(["TAG"] if gold_tags else []), *(["SENT_START"] if gold_sentences else [])]
    examples = [make_example(reference, keep) for reference in references]
    with nlp.select_pipes(disable=taggers):
        start = time.perf_counter()
        docs = list(nlp.pipe([example.predicted for example in examples]))
        seconds = time.perf_counter() - start
    examples = [Example(doc, reference) for doc, reference in zip(docs, references, strict=True)]
    scores = {
        **score_tags(examples),
        "morph_acc": morphologizer_score(examples)["morph_acc"],
        **lemmatizer_score(examples),
        **score_boundaries_and_trees(examples),
    }
    for name in _find_missing(docs):
        del scores[f"{name}_acc"]
    spans = [max_span for _, pipe in nlp.pipeline if (max_span := getattr(pipe, "cfg", {}).get("max_span"))]
    for max_span in spans:
        scores |= score_hedges(examples, max_span=max_span)
    if not spans:
        # With the parameters of the parser, if there is one.
        parsers: list[Any] = [nlp.get_pipe(name) for name in list_components(nlp, *CONSTITUENCY_PARSERS)]
        scores |= parsers[-1].score(examples) if parsers else score_constituents(examples)
    words = sum(map(len, docs))
    return {**scores, "documents": len(docs), "words": words, "speed": words / seconds}
