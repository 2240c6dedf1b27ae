"""`evaluate`: score a pipeline with all measures of the package; `spacy evaluate` only reports spaCy's.
`evaluate-quotes` scores quotations on documents that are already parsed.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import srsly
import typer
from wasabi import msg

from ...errors import Errors, JointValueError
from ...files.reading import read_text
from ...files.atomic import write_json
from ..options import DOCUMENTS, BeamWidthOption, CorpusArgument, DocumentsOption, ScoresOption, read_documents


def _name_scores(prefix: str, title: str) -> dict[str, str]:
    names = {"p": "precision", "r": "recall", "f": "F1"}
    return {f"{prefix}_{measure}": f"{title}, {name}" for measure, name in names.items()}


MEASURES = {
    "tag_acc": "Tag accuracy",
    "pos_acc": "Part-of-speech accuracy",
    "morph_acc": "Morphological features",
    "lemma_acc": "Lemmas",
    **_name_scores("boundary", "Boundaries"),
    "sents_f": "Whole sentences, F1",
    "dep_uas_punct": "UAS, all words",
    "dep_las_punct": "LAS, all words",
    "dep_uas": "UAS, without punctuation",
    "dep_las": "LAS, without punctuation",
    "raw_tokens_f": "Raw text: tokens, F1",
    **_name_scores("raw_words", "Raw text: words"),
    "raw_sents_f": "Raw text: sentences, F1",
    "raw_tag_f": "Raw text: tags, F1",
    "raw_pos_f": "Raw text: parts of speech, F1",
    "raw_morph_f": "Raw text: morphological features, F1",
    "raw_alltags_f": "Raw text: tags, parts of speech and features, F1",
    "raw_lemma_f": "Raw text: lemmas, F1",
    "raw_uas_f": "Raw text: UAS, F1",
    "raw_las_f": "Raw text: LAS without subtypes, F1",
    "raw_clas_f": "Raw text: CLAS, F1",
    "raw_mlas_f": "Raw text: MLAS, F1",
    "raw_blex_f": "Raw text: BLEX, F1",
    **_name_scores("hedge", "Hedges"),
    "hedge_exact": "Sentences with all hedges correct",
    "hedge_seg_f": "Segments, F1",
    **_name_scores("constituents", "Constituents"),
    "constituents_exact": "Sentences with all constituents correct",
    **_name_scores("constituents_disc", "Discontinuous constituents"),
}


def evaluate(
    model: Annotated[str, typer.Argument(help="Path or package of a pipeline.")],
    corpus: CorpusArgument,
    unpunctuated: Annotated[bool, typer.Option("--unpunctuated", help="Remove punctuation and capitals.")] = False,
    gold_sentences: Annotated[bool, typer.Option("--gold-sentences", help="Use the corpus's boundaries.")] = False,
    raw_text: Annotated[
        bool, typer.Option("--raw-text", help="Also score from raw text, as in CoNLL 2018 (.conllu only).")
    ] = False,
    text: Annotated[
        Path | None, typer.Option(help="File with the same raw text in other lines, e.g. wrapped; implies --raw-text.")
    ] = None,
    beam_width: BeamWidthOption = None,
    documents: DocumentsOption = DOCUMENTS,
    update_meta: Annotated[
        bool, typer.Option("--update-meta", help="Store the scores as `performance` in the pipeline's meta.json.")
    ] = False,
    output: ScoresOption = None,
) -> None:
    """Evaluate a pipeline on gold tokens and raw text.

    Scores its tags, features, lemmas, sentence boundaries, trees and speed.
    """
    from ... import load
    from ...scoring.pipelines import read_raw_texts, score_pipeline, score_pipeline_on_raw_text
    from ...training.unpunctuated import unpunctuate

    if raw_text or text:
        raw_text = True
        options = {"--unpunctuated": unpunctuated, "--gold-sentences": gold_sentences}
        if other := next((option for option, is_chosen in options.items() if is_chosen), None):
            raise JointValueError(Errors.J155, option="--raw-text", other=other)
        if corpus.suffix != ".conllu" and not (corpus.is_dir() and any(corpus.glob("*.conllu"))):
            raise JointValueError(Errors.J716, option="--raw-text", needed="CoNLL-U (.conllu), which marks paragraphs")
    laid_out = None if text is None else read_text(text)
    nlp = load(model, beam_width=beam_width)
    references = [reference for reference in read_documents(corpus, nlp.vocab, documents) if len(reference)]
    if unpunctuated:
        references = [variant for variant in map(unpunctuate, references) if variant is not None]
    if not references:
        raise JointValueError(Errors.J413, source=corpus, what="documents with words")
    scores = score_pipeline(nlp, references, gold_sentences=gold_sentences)
    if raw_text:
        scores |= score_pipeline_on_raw_text(nlp, read_raw_texts([corpus], nlp, documents), laid_out)
    found = {title: scores[name] for name, title in MEASURES.items() if scores.get(name) is not None}
    _show(f"{corpus.name}{', unpunctuated' if unpunctuated else ''}", found, scores, output)
    if update_meta:
        performance = {name: score for name, score in scores.items() if name != "speed"}
        write_json(nlp.path / "meta.json", {**srsly.read_json(nlp.path / "meta.json"), "performance": performance})


def evaluate_quotes(
    model: Annotated[str, typer.Argument(help="Path or package of a pipeline.")],
    corpus: Annotated[Path, typer.Argument(help=".spacy file written by convert-quotes.")],
    output: ScoresOption = None,
) -> None:
    """Evaluate the quotations and cues of a pipeline.

    Speed excludes tagging and parsing.
    """
    from ... import load
    from ...corpora.quotations import create_quotation_corpus
    from ...scoring.pipelines import score_quotation_components

    nlp = load(model)
    examples = list(create_quotation_corpus(corpus)(nlp))
    if not examples:
        raise JointValueError(Errors.J413, source=corpus, what="documents with words")
    scores = score_quotation_components(nlp, examples)
    if scores["quotation_per_type"] is None:
        raise JointValueError(Errors.J413, source=corpus, what="annotated quotations")
    measures = {name: value for name, value in scores.items() if isinstance(value, float) and name != "speed"}
    found = {name.removeprefix("quotation_"): value for name, value in measures.items()}
    for kind, kind_scores in scores["quotation_per_type"].items():
        found |= {f"{kind.lower()} {measure}": value for measure, value in kind_scores.items()}
    _show(corpus.name, found, scores, output)


def _show(title: str, found: Mapping[str, float], scores: Mapping[str, Any], output: Path | None) -> None:
    if output is not None:
        write_json(output, scores)
    rows = [(measure, f"{100 * score:.2f}") for measure, score in found.items()]
    rows.append(("Words per second", f"{scores['speed']:,.0f}"))
    # Not as the title of the table, which is bold even where colours are off.
    msg.info(title)
    msg.table(rows, aligns=("l", "r"))
    if output is not None:
        msg.good(f"Saved to {output}")
