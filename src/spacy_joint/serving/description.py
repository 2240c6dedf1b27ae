"""The predictions of a pipeline as JSON-serialisable data: sentences, quotations, orders of modifiers, hedges, and
drawings of trees. This runs in the worker process; `schema.py` defines the data.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from spacy.displacy import DependencyRenderer
from spacy.glossary import GLOSSARY
from spacy.language import Language
from spacy.tokens import Doc, Span

from .. import load
from ..annotation.sentences import list_sentences
from ..annotation.tree_drawing import render_tree
from ..corpora.export import describe_sentences
from ..files.xml import NO_XML
from ..ordering.prenominal_orderer import reorder
from ..pipes.components import enable_components, list_components
from ..quotation.export import describe_quotation
from ..quotation.quotation_spans import get_quotations
from .schema import TreeKind

QUOTATIONS, ORDERER, HEDGES = "quotation_spans", "prenominal_orderer", "hedge_chunker"
CONSTITUENCY_PARSER = "constituency_parser"
BACKGROUND = "transparent"
# Options of displaCy; lengths are in pixels.
TREE = {
    "distance": 115,
    "word_spacing": 28,
    "arrow_stroke": 1,
    "arrow_spacing": 12,
    "arrow_width": 8,
    "bg": BACKGROUND,
}


def load_with_demonstrated(pipeline: str | None, max_characters: int) -> Language:
    """Loads a pipeline, enables its components for modifiers and hedges, and adds rules for quotations if it has none.

    RAISES OSError, ValueError: If the pipeline cannot be loaded.
    """
    nlp = load(pipeline)
    nlp.max_length = max(nlp.max_length, max_characters)
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
        "finds_constituents": bool(list_components(nlp, CONSTITUENCY_PARSER)),
        "finds_modifiers": ORDERER in factories.values(),
    }


def describe_text(nlp: Language, text: str) -> dict[str, Any]:
    """Annotates a text; None stands for annotation that no component of the pipeline makes."""
    (described,) = describe_texts(nlp, [text])
    return described


def describe_texts(nlp: Language, texts: Sequence[str]) -> list[dict[str, Any]]:
    """Annotates texts as one batch: see `describe_text`."""
    # Without a memory zone, the vocabulary would keep every word ever sent.
    with nlp.memory_zone():
        return [_describe(nlp, doc) for doc in nlp.pipe(texts)]


def _describe(nlp: Language, doc: Doc) -> dict[str, Any]:
    sentences = _describe_sentences(doc) if doc.has_annotation("SENT_START") else None
    hedges = _describe_hedges(doc, _find_settings(nlp, HEDGES))
    return {
        "sentences": sentences,
        "quotations": _describe_quotations(doc, _find_settings(nlp, QUOTATIONS)),
        "modifiers": _describe_modifiers(doc, _find_settings(nlp, ORDERER)),
        "hedges": hedges,
        "explanations": _explain(doc, hedges or ()),
    }


def describe_tree(nlp: Language, text: str, sentence: int, kind: TreeKind = "dependencies") -> dict[str, Any]:
    """Draws the tree of a sentence of a text; None if there is no such sentence or no parser.

    sentence (int): The index of the sentence, as in the result of `describe_text`.
    kind (TreeKind): What to draw. A constituency_parser that is disabled runs here only.
    """
    draw = draw_constituents if kind == "constituents" else draw_dependencies
    with nlp.memory_zone():
        return {"tree": draw(nlp, nlp(text), sentence)}


def draw_dependencies(nlp: Language, doc: Doc, sentence: int) -> str | None:
    """The dependency tree of a sentence as SVG."""
    sentences = describe_sentences(doc) if doc.has_annotation("DEP") else []
    return draw_tree(sentences[sentence]["tokens"], doc) if sentence < len(sentences) else None


def draw_constituents(nlp: Language, doc: Doc, sentence: int) -> str | None:
    """The constituents of a sentence as SVG."""
    parsers = list_components(nlp, CONSTITUENCY_PARSER)
    if not parsers or not doc.has_annotation("SENT_START"):
        return None
    if parsers[0] in nlp.disabled:
        doc = nlp.get_pipe(parsers[0])(doc)
    sentences = [words for words in list_sentences(doc) if not words.text.isspace()]
    return (
        render_tree(sentences[sentence], options={"bg": BACKGROUND}, jupyter=False)
        if sentence < len(sentences)
        else None
    )


def _find_settings(nlp: Language, factory: str) -> Mapping[str, Any]:
    """The settings of the first component from a factory; empty if there is no such component."""
    names = list_components(nlp, factory)
    return nlp.get_pipe(names[0]).cfg if names else {}  # type: ignore[attr-defined]  # of this package


def _describe_sentences(doc: Doc) -> list[dict[str, Any]]:
    return [{"text": doc.text[sentence["start"] : sentence["end"]], **sentence} for sentence in describe_sentences(doc)]


def draw_tree(tokens: Sequence[Mapping[str, Any]], doc: Doc) -> str:
    """A sentence as displaCy's SVG, which is a well-formed document whatever the tokens contain."""
    renderer = DependencyRenderer(TREE)
    renderer.direction = doc.vocab.writing_system.get("direction", "ltr")
    renderer.lang = doc.lang_
    # displaCy escapes words, but not tags and labels.
    words = [{"text": NO_XML.sub("\ufffd", token["text"]), "tag": escape(token["tag"])} for token in tokens]
    arcs = [
        {
            "start": min(token["id"], token["head"]) - 1,
            "end": max(token["id"], token["head"]) - 1,
            "label": escape(token["dep"]),
            "dir": "left" if token["id"] < token["head"] else "right",
        }
        for token in tokens
        if token["head"]
    ]
    return renderer.render_svg("tree", words, arcs).strip()


def _describe_quotations(doc: Doc, settings: Mapping[str, Any]) -> list[dict[str, Any]]:
    keys = (settings[key] for key in ("spans_key", "cues_key", "speakers_key"))
    return [describe_quotation(quotation) for quotation in get_quotations(doc, *keys)]


def _describe_span(span: Span) -> dict[str, Any]:
    return {"text": span.text, "start": span.start_char, "end": span.end_char, "label": span.label_}


def _describe_modifiers(doc: Doc, settings: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    if not settings:
        return None
    return [
        {
            **_describe_span(span),
            "best": reorder(span),
            "score": span._.order_score,
            "margin": span._.order_margin,
        }
        for span in doc.spans[settings["spans_key"]]
    ]


def _describe_hedges(doc: Doc, settings: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    if not settings:
        return None
    return [
        {
            **_describe_span(span),
            "structure": span._.parse_string,
        }
        for span in doc.spans[settings["spans_key"]]
    ]


def _explain(doc: Doc, hedges: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """What the tags and labels in a document mean, where spaCy has an explanation."""
    terms = {term for token in doc for term in (token.tag_, token.pos_, token.dep_)}
    terms.update(hedge["label"] for hedge in hedges)
    # `spacy.explain` looks here, and warns about every term that is missing.
    return {term: GLOSSARY[term] for term in sorted(terms & GLOSSARY.keys())}
