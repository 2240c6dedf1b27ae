"""Scoring a pipeline on annotated documents with all measures, and its speed."""

import time
from collections.abc import Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.pipeline.lemmatizer import lemmatizer_score
from spacy.pipeline.morphologizer import morphologizer_score
from spacy.tokens import Doc
from spacy.training import Example

from ..corpora.conllu import read_conllu
from ..corpora.examples import make_example
from ..errors import Errors, JointValueError
from ..pipes.components import get_components
from .boundaries_and_trees import score_boundaries_and_trees
from .constituents import score_constituents
from .hedges import score_hedges
from .quotations import score_quotations
from .raw_text import score_raw_text
from .tags import score_tags

CONSTITUENCY_PARSERS = ("constituency_parser", "chart_parser")
QUOTATION_COMPONENTS = ("span_guide", "quotation_cues", "quotation_spans")
# The beginnings of the names of scores of attributes that some pipelines do not predict.
OPTIONAL = {"tag": "TAG", "pos": "POS", "morph": "MORPH", "lemma": "LEMMA", "dep": "DEP"}
OPTIONAL |= dict.fromkeys(("boundary", "sents"), "SENT_START")
# Other scores of raw text that compare these attributes.
DEPENDING = {"tag": ("alltags",), "pos": ("alltags", "mlas"), "morph": ("alltags", "mlas"), "lemma": ("blex",)}
DEPENDING["dep"] = ("uas", "las", "clas", "mlas", "blex")


def read_raw_texts(corpora: Sequence[Path], nlp: Language, documents: str = "newdoc") -> list[Doc]:
    """Read the documents of CoNLL-U files with their paragraphs."""
    return [doc for corpus in corpora for doc in read_conllu(corpus, nlp.vocab, documents=documents, paragraphs=True)]


def score_pipeline_on_raw_text(nlp: Language, references: Sequence[Doc], text: str | None = None) -> dict[str, float]:
    """Score a pipeline, between 0 and 1, on the raw text of documents, or on a text that differs from it only in
    whitespace (J152)."""
    texts = [reference.text for reference in references] if text is None else _cut_text(text, references)
    docs = list(nlp.pipe(texts))
    missing = _find_missing(docs)
    unknown = {f"raw_{name}_f" for lacking in missing for name in (lacking, *DEPENDING.get(lacking, ()))}
    return {name: score for name, score in score_raw_text(docs, references).items() if name not in unknown}


def _cut_text(text: str, references: Sequence[Doc]) -> list[str]:
    """Cut a text into parts with the words of each document; the rest belongs to the last document."""
    ends = [index for index, character in enumerate(text, start=1) if not character.isspace()]
    sizes = accumulate(sum(not character.isspace() for character in reference.text) for reference in references)
    cuts = [0, *(ends[size - 1] if 0 < size <= len(ends) else len(text) for size in sizes)]
    cuts[-1] = len(text)
    return [text[start:end].lstrip() for start, end in pairwise(cuts)]


def _find_missing(docs: Sequence[Doc]) -> list[str]:
    """Find the OPTIONAL attributes that no document has."""
    return [name for name, attribute in OPTIONAL.items() if not any(doc.has_annotation(attribute) for doc in docs)]


def score_pipeline(nlp: Language, references: Sequence[Doc], *, gold_sentences: bool = False) -> dict[str, Any]:
    """Compute all scores of a pipeline, between 0 and 1, and its `speed` in words per second. `morph_acc` is the share
    of words whose features are all correct, including language-specific features."""
    examples = [make_example(reference, ["SENT_START"] if gold_sentences else []) for reference in references]
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
    missing = _find_missing(docs)
    scores = {name: score for name, score in scores.items() if name.partition("_")[0] not in missing}
    spans = [max_span for _, pipe in nlp.pipeline if (max_span := getattr(pipe, "cfg", {}).get("max_span"))]
    for max_span in spans:
        scores |= score_hedges(examples, max_span=max_span)
    if not spans:
        # With the parser's parameters, if there is a parser.
        parsers = get_components(nlp, *CONSTITUENCY_PARSERS)
        scores |= parsers[-1].score(examples) if parsers else score_constituents(examples)
    words = sum(map(len, docs))
    return {**scores, "documents": len(docs), "words": words, "speed": words / seconds}


def score_quotation_components(nlp: Language, examples: Sequence[Example]) -> dict[str, Any]:
    """Compute all scores of a pipeline's quotation components (J129), and their `speed` (with a guide) in words per
    second."""
    components: list[Any] = [
        component for name, component in nlp.pipeline if nlp.get_pipe_meta(name).factory in QUOTATION_COMPONENTS
    ]
    if not components:
        raise JointValueError(Errors.J129, name="quotation_spans", pipeline=", ".join(nlp.pipe_names))
    start = time.process_time()
    for example in examples:
        for component in components:
            component(example.predicted)
    seconds = time.process_time() - start
    words = sum(len(example.predicted) for example in examples)
    keys = {name: key for component in components for name, key in component.cfg.items()}
    return {**score_quotations(examples, **keys), "documents": len(examples), "words": words, "speed": words / seconds}
