"""Predictions as JSON-serialisable data, made in the worker process; `schema.py` defines the data."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from html import escape
from operator import itemgetter
from typing import Any

from spacy.displacy import DependencyRenderer
from spacy.glossary import GLOSSARY
from spacy.language import Language
from spacy.tokens import Doc, Span

from .. import load
from ..annotation.sentences import list_sentences
from ..corpora.export import describe_sentences
from ..errors import JointValueError, JointWarning
from ..files.xml import NO_XML
from ..length import lift_max_length
from ..ordering.prenominal_orderer import reorder
from ..pipes.components import enable_components, list_components
from ..quotation.quotations import get_quotations
from ..quotation.writing import describe_quotation
from ..rendering.tree_drawing import render_tree
from ..transcripts.documents import make_doc_of_text, restore_marks
from ..transcripts.reading import TEXT
from ..transcripts.writing import write_string
from .schema import TreeKind

QUOTATIONS, ORDERER = "quotation_spans", "prenominal_orderer"
HEDGES, CONSTITUENTS = "hedge_chunker", "constituency_parser"
BACKGROUND = "transparent"
# Options of displaCy; lengths are in pixels.
TREE = {"distance": 115, "word_spacing": 28, "arrow_stroke": 1, "arrow_spacing": 12, "arrow_width": 8, "bg": BACKGROUND}


def load_with_demonstrated(pipeline: str | None) -> Language:
    """Loads a pipeline, enables its orderer and chunker, and adds rules for quotations if it has none."""
    nlp = lift_max_length(load(pipeline))
    enable_components(nlp, ORDERER, HEDGES)
    if not list_components(nlp, QUOTATIONS):
        nlp.add_pipe(QUOTATIONS)
    return nlp


def describe_pipeline(nlp: Language) -> dict[str, Any]:
    """The name and components of a pipeline, and whether it finds hedges, constituents and orders of modifiers."""
    # Not those that are disabled.
    factories = {name: nlp.pipe_factories[name] for name in nlp.pipe_names}
    return {
        "name": f"{nlp.lang}_{nlp.meta['name']}",
        "version": nlp.meta["version"],
        "components": factories,
        "finds_hedges": HEDGES in factories.values(),
        "finds_constituents": bool(list_components(nlp, CONSTITUENTS)),
        "finds_modifiers": ORDERER in factories.values(),
    }


def describe_texts(nlp: Language, texts: Sequence[tuple[str, str | None]]) -> list[dict[str, Any]]:
    """Annotates texts, with their formats (None: guessed), as one batch; None stands for annotation that no component
    of the pipeline makes. Of texts that are damaged, there is only the `failure`."""
    # Without a memory zone, the vocabulary would keep every word ever sent.
    with nlp.memory_zone():
        made = [_make_doc(nlp, text, format) for text, format in texts]
        docs = nlp.pipe([doc for doc in made if isinstance(doc, Doc)])
        return [_describe(nlp, next(docs)) if isinstance(doc, Doc) else doc for doc in made]


def describe_written(nlp: Language, text: str, to: str, format: str | None = TEXT) -> dict[str, Any]:
    """Writes a text in another format, as `written`."""
    with nlp.memory_zone(), warnings.catch_warnings():
        # Of estimated times.
        warnings.simplefilter("ignore", JointWarning)
        doc = _make_doc(nlp, text, format)
        if not isinstance(doc, Doc):
            return doc
        try:
            return {"written": write_string(restore_marks(nlp, nlp(doc)), to)}
        except JointValueError as error:
            return {"failure": str(error)}


def _make_doc(nlp: Language, text: str, format: str | None) -> Doc | dict[str, Any]:
    try:
        return make_doc_of_text(nlp, text, format)
    except JointValueError as error:
        return {"failure": str(error)}


def _describe(nlp: Language, doc: Doc) -> dict[str, Any]:
    quotation_keys = [
        _find_settings(nlp, QUOTATIONS)[key] for key in ("spans_key", "cues_key", "speakers_key", "characters_key")
    ]
    sentences = None
    if doc.has_annotation("SENT_START"):
        sentences = [{"text": doc.text[each["start"] : each["end"]], **each} for each in describe_sentences(doc)]
    hedges = _describe_spans(nlp, doc, HEDGES, lambda span: {"structure": span._.parse_string})
    terms = {term for token in doc for term in (token.tag_, token.pos_, token.dep_)}
    terms.update(hedge["label"] for hedge in hedges or ())

    def describe_order(span: Span) -> dict[str, Any]:
        return {"best": reorder(span), "score": span._.order_score, "margin": span._.order_margin}

    return {
        "text": doc.text,
        "sentences": sentences,
        "quotations": [describe_quotation(quotation) for quotation in get_quotations(doc, *quotation_keys)],
        "modifiers": _describe_spans(nlp, doc, ORDERER, describe_order),
        "hedges": hedges,
        # `spacy.explain` looks here, and warns about every term that is missing.
        "explanations": {term: GLOSSARY[term] for term in sorted(terms & GLOSSARY.keys())},
    }


def _describe_spans(
    nlp: Language, doc: Doc, factory: str, describe: Callable[[Span], dict[str, Any]]
) -> list[dict[str, Any]] | None:
    """The spans of a component; None if there is no such component."""
    settings = _find_settings(nlp, factory)
    return settings and [
        {"text": span.text, "start": span.start_char, "end": span.end_char, "label": span.label_, **describe(span)}
        for span in doc.spans[settings["spans_key"]]
    ]


def _find_settings(nlp: Language, factory: str) -> Any:
    """The settings of the first component from a factory, if there is one."""
    names = list_components(nlp, factory)
    return nlp.get_pipe(names[0]).cfg if names else None  # type: ignore[attr-defined]  # of this package


def describe_tree(
    nlp: Language, text: str, sentence: int, kind: TreeKind = "dependencies", format: str | None = TEXT
) -> dict[str, Any]:
    """Draws the tree of a sentence, by its index in the text, as SVG; None if there is no such sentence or parser."""
    with nlp.memory_zone():
        made = _make_doc(nlp, text, format)
        if not isinstance(made, Doc):
            return made
        doc = nlp(made)
        if kind == "constituents":
            return {"tree": _draw_constituents(nlp, doc, sentence)}
        sentences = describe_sentences(doc) if doc.has_annotation("DEP") else []
        return {"tree": draw_tree(sentences[sentence]["tokens"], doc) if sentence < len(sentences) else None}


def _draw_constituents(nlp: Language, doc: Doc, number: int) -> str | None:
    parsers = list_components(nlp, CONSTITUENTS)
    if not parsers or not doc.has_annotation("SENT_START"):
        return None
    # Only drawings need it.
    if parsers[0] in nlp.disabled:
        doc = nlp.get_pipe(parsers[0])(doc)
    sentences = [words for words in list_sentences(doc) if not words.text.isspace()]
    drawn = sentences[number : number + 1]
    return render_tree(drawn[0], options={"bg": BACKGROUND}, jupyter=False) if drawn else None


def draw_tree(tokens: Sequence[Mapping[str, Any]], doc: Doc) -> str:
    """Draws a sentence as displaCy's SVG, which is well-formed whatever the tokens contain."""
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
