"""Predictions as JSON-serialisable data, made in the worker process; `schema.py` defines the data."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from html import escape
from io import StringIO
from operator import itemgetter
from typing import Any

from spacy.displacy import DependencyRenderer
from spacy.glossary import GLOSSARY
from spacy.language import Language
from spacy.tokens import Doc, Span, Token

from .. import load
from ..annotation.extensions import read_values, register
from ..annotation.sentences import PROBABILITY, list_sentences, list_words
from ..corpora.conllu_writing import write_conllu
from ..corpora.export import describe_sentences
from ..errors import Errors, JointValueError, JointWarning
from ..files.xml import NO_XML
from ..length import lift_max_length
from ..ordering.prenominal_orderer import reorder
from ..pipes.components import enable_components, get_components, list_components, run_disabled
from ..pipes.foreign_text import find_language_warning
from ..quotation.writing import describe_quotation
from ..rendering.tree_drawing import render_tree
from ..transcripts.documents import make_doc_of_text, restore_marks
from ..transcripts.writing import write_string
from . import ANNOTATE, DRAW_TREE, WRITE

PARSER, QUOTATIONS, ORDERER = "joint_sbd_parser", "quotation_spans", "prenominal_orderer"
HEDGES, CONSTITUENTS = "hedge_chunker", "constituency_parser"
# Decimals of probabilities.
DIGITS = 3
BACKGROUND = "transparent"
# Options of displaCy; lengths are in pixels.
TREE = {"distance": 115, "word_spacing": 28, "arrow_stroke": 1, "arrow_spacing": 12, "arrow_width": 8, "bg": BACKGROUND}

register(Token, PROBABILITY, default=None)


def load_to_serve(pipeline: str | None) -> Language:
    """Loads a pipeline, with probabilities of boundaries, and with rules for quotations if it finds none."""
    nlp = lift_max_length(load(pipeline))
    for parser in get_components(nlp, PARSER):
        parser.cfg["boundary_probabilities"] = True
    if not list_components(nlp, QUOTATIONS):
        nlp.add_pipe(QUOTATIONS)
    enable_components(nlp, QUOTATIONS)
    return nlp


def describe_pipeline(nlp: Language) -> dict[str, Any]:
    """Describes a pipeline: its name, its enabled components, and whether it can find constituents."""
    return {
        "name": f"{nlp.lang}_{nlp.meta['name']}",
        "version": nlp.meta["version"],
        "components": {name: nlp.pipe_factories[name] for name in nlp.pipe_names},
        "finds_constituents": bool(list_components(nlp, CONSTITUENTS)),
    }


def answer(nlp: Language, task: str, texts: Sequence[tuple[Any, ...]]) -> list[dict[str, Any]]:
    """Annotates texts as one batch and does one of TASKS for each. A text comes with its format (None: guessed) and
    further arguments of the task. The answer for a damaged text, or one without a result, is only the `failure`."""
    # Without a memory zone, the vocabulary would keep every word.
    with nlp.memory_zone():
        made = [_try(make_doc_of_text, nlp, text, format) for text, format, *_ in texts]
        docs = nlp.pipe([doc for doc in made if isinstance(doc, Doc)])
        return [
            _try(TASKS[task], nlp, next(docs), *arguments) if isinstance(doc, Doc) else doc
            for doc, (_, _, *arguments) in zip(made, texts, strict=True)
        ]


def _try(function: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return function(*arguments)
    except JointValueError as error:
        return {"failure": str(error)}


def _write(nlp: Language, doc: Doc, to: str) -> dict[str, Any]:
    """Writes a document in a format, as `written`."""
    with warnings.catch_warnings():
        # Warnings of estimated times, and of sentences without trees.
        warnings.simplefilter("ignore", JointWarning)
        if to != "conllu":
            return {"written": write_string(restore_marks(nlp, doc), to)}
        file = StringIO()
        write_conllu([doc], file, is_strict=False)
        return {"written": file.getvalue()}


def _describe(nlp: Language, doc: Doc, phrases: bool) -> dict[str, Any]:
    """Describes the annotation of a document, with or without modifiers and hedges. None stands for annotation that no
    component makes."""
    sentences: list[dict[str, Any]] | None = None
    if doc.has_annotation("SENT_START"):
        sentences = describe_sentences(doc, has_text=True)
        known = read_values([words[0] for words in list_words(doc)], PROBABILITY)
        for sentence, probability in zip(sentences, known, strict=True):
            sentence["probability"] = None if probability is None else round(probability, DIGITS)
    quotations = list(map(describe_quotation, get_components(nlp, QUOTATIONS)[0].get_quotations(doc)))
    readable = _write(nlp, doc, "text")["written"]
    modifiers = hedges = None
    if phrases:
        doc = run_disabled(nlp, doc, ORDERER, HEDGES)
        modifiers = _describe_spans(nlp, doc, ORDERER, _describe_order)
        hedges = _describe_spans(nlp, doc, HEDGES, lambda span: {"structure": span._.parse_string})
    warning = find_language_warning(nlp, doc)
    terms = {term for token in doc for term in (token.tag_, token.pos_, token.dep_)}
    terms.update(hedge["label"] for hedge in hedges or ())
    return {
        "text": doc.text,
        "readable": readable,
        "warnings": [str(warning)] if warning else [],
        "sentences": sentences,
        "quotations": quotations,
        "modifiers": modifiers,
        "hedges": hedges,
        # The table of `spacy.explain`, which would warn of every missing term.
        "explanations": {term: GLOSSARY[term] for term in sorted(terms & GLOSSARY.keys())},
    }


def _describe_order(span: Span) -> dict[str, Any]:
    return {"best": reorder(span), "score": span._.order_score, "margin": span._.order_margin}


def _describe_spans(
    nlp: Language, doc: Doc, factory: str, describe: Callable[[Span], dict[str, Any]]
) -> list[dict[str, Any]] | None:
    """Describes the spans of a component; None if there is no such component."""
    components = get_components(nlp, factory)
    if not components:
        return None
    return [
        {"text": span.text, "start": span.start_char, "end": span.end_char, "label": span.label_, **describe(span)}
        for span in doc.spans[components[0].cfg["spans_key"]]
    ]


def _draw(nlp: Language, doc: Doc, number: int, kind: str) -> dict[str, Any]:
    """Draws the tree of a sentence, by its index in the text, as SVG. RAISES ValueError: If it has none (J449)."""
    drawn: list[str | None] = []
    if kind == "dependencies" and doc.has_annotation("DEP"):
        drawn = [draw_tree(sentence["tokens"], doc) for sentence in describe_sentences(doc)[number : number + 1]]
    elif kind == "constituents" and list_components(nlp, CONSTITUENTS) and doc.has_annotation("SENT_START"):
        # The component is disabled because only drawings need it.
        doc = run_disabled(nlp, doc, CONSTITUENTS)
        sentences = [words for words in list_sentences(doc) if not words.text.isspace()][number : number + 1]
        drawn = [render_tree(words, options={"bg": BACKGROUND}, jupyter=False) for words in sentences]
    if not drawn:
        raise JointValueError(Errors.J449, sentence=number)
    return {"tree": drawn[0]}


def draw_tree(tokens: Sequence[Mapping[str, Any]], doc: Doc) -> str:
    """Draws a sentence as displaCy's SVG, which is well-formed for all tokens."""
    renderer = DependencyRenderer(TREE)
    renderer.direction = doc.vocab.writing_system.get("direction", "ltr")
    renderer.lang = doc.lang_
    # displaCy escapes words, but not tags and labels.
    words = [{"text": NO_XML.sub("\ufffd", token["text"]), "tag": escape(token["tag"])} for token in tokens]
    arcs = []
    for token in filter(itemgetter("head"), tokens):
        start, end = sorted((token["id"] - 1, token["head"] - 1))
        direction = "left" if token["id"] < token["head"] else "right"
        arcs.append({"start": start, "end": end, "label": escape(token["dep"]), "dir": direction})
    return renderer.render_svg("tree", words, arcs).strip()


TASKS: dict[str, Callable[..., dict[str, Any]]] = {ANNOTATE: _describe, DRAW_TREE: _draw, WRITE: _write}
