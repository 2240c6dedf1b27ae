"""Measures a shipped pipeline on UD English EWT, dev and test, for its model card.

Tokens are gold, everything else is predicted. For speed, see peers.py.
"""

from measure import MEASURES, PARSER, draw, find_split, format_table, read_references, replace_section, score_documents

# isort: split
from pathlib import Path
from typing import Annotated, Any

import typer
from order_models.measures import Answer, score_answers
from spacy.tokens import Doc

import spacy_joint
from spacy_joint.ordering.corpus import read_corpus
from spacy_joint.ordering.phrases import Phrase, has_repeats

DOCS = Path(__file__).parent.parent / "docs"
TAGGER, ORDERER = "sequence_tagger", "prenominal_orderer"
BEAMS = {PARSER: (1, 2, 4, 8, 16, 32), TAGGER: (1, 2, 5, 10)}
DRAWN = {PARSER: ("boundary F1", "LAS"), TAGGER: ("tag acc.",)}
TEXTS = {"edited": "EWT", "starred": "EWT*"}
# Edited and starred documents that share one vocabulary.
References = dict[str, list[Doc]]


def measure_parser(references: References, variant: str | None = None, **options: Any) -> dict[str, dict[str, float]]:
    """Accuracy of a pipeline; `options` are those of `spacy_joint.load`."""
    nlp = spacy_joint.load(variant, vocab=references["edited"][0].vocab, **options)
    return {text: score_documents(nlp, documents) for text, documents in references.items()}


def measure_beams(references: References, component: str) -> dict[str, Any]:
    """Accuracy of en_joint_english by the beam width of a component; the other has the shipped width."""
    exclude = [PARSER] if component == TAGGER else []
    measured: dict[str, Any] = {text: {} for text in TEXTS}
    for width in BEAMS[component]:
        config = {"components": {component: {"model": {"beam_width": width}}}}
        for text, scores in measure_parser(references, config=config, exclude=exclude).items():
            measured[text][width] = {name: scores[name] for name in DRAWN[component]}
    return measured


def measure_orderer(path: Path) -> dict[str, dict[str, Any]]:
    """Accuracy of the prenominal_orderer on the phrases found by gold tags, with and without these tags as input."""
    orderer: Any = spacy_joint.load().get_pipe(ORDERER)
    phrases = [phrase for phrase in read_corpus(path) if not has_repeats(phrase)]
    return {
        "gold tags": score_orders(orderer, phrases),
        "no tags": score_orders(orderer, [phrase.without_tags() for phrase in phrases]),
    }


def score_orders(orderer: Any, phrases: list[Phrase]) -> dict[str, Any]:
    """Shares of phrases and of pairs in the order of the text, and of phrases that would be called odd."""
    best = [orderer.order_phrase(phrase).orders[0] for phrase in phrases]
    answers = [Answer([order.indices]) for order in best]
    below = [order.score - orderer.score_order(phrase) for order, phrase in zip(best, phrases, strict=True)]
    n_odd = sum(margin > orderer.cfg["threshold"] for margin in below)
    return {**score_answers(answers), "order_odd": n_odd / len(phrases)}


def list_sources(name: str) -> str:
    """The table of the data that a pipeline learnt from."""
    sources = spacy_joint.load(name).meta["sources"]
    rows = [
        [f"[{source['name']}]({source['url']})" if source["url"] else source["name"], source["license"]]
        for source in sources
    ]
    return format_table(["trained on", "licence"], rows)


def list_accuracy(accuracy: dict[str, Any]) -> list[list[str]]:
    """The rows of tagger and parser."""
    return [
        [f"{shown} {split}", *(f"{100 * value:.1f}" for value in measured[text].values())]
        for text, shown in TEXTS.items()
        for split, measured in accuracy.items()
    ]


def list_orders(orders: dict[str, Any]) -> list[list[str]]:
    """The rows of the prenominal_orderer."""
    return [
        [
            f"EWT {split}, {seen}",
            str(scores["n"]),
            f"{100 * scores['order_full']:.1f} ({100 * scores['order_full_se']:.1f})",
            *(f"{100 * scores[key]:.1f}" for key in ("order_pair", "order_odd")),
        ]
        for split, measured in orders.items()
        for seen, scores in measured.items()
    ]


def draw_beams(measured: dict[str, Any], names: tuple[str, ...], path: Path) -> None:
    """Draw measures by beam width."""
    with draw(path, len(names), 3.5 * len(names), 3) as panels:
        for axes, name in zip(panels, names, strict=True):
            for text, shown in TEXTS.items():
                widths = list(measured[text])
                axes.plot(widths, [100 * measured[text][width][name] for width in widths], "o-", label=shown)
            axes.set(xlabel="beam width", ylabel=f"{name} (%)", xticks=range(len(widths)), xticklabels=widths)
        panels[0].legend(frameon=False)


def main(
    treebank: Annotated[Path, typer.Argument(help="Directory with *-dev.conllu and *-test.conllu.")],
    variant: Annotated[str | None, typer.Option(help="md or trf. Default: en_joint_english itself.")] = None,
) -> None:
    """Measure a shipped pipeline, and write the tables of its card and the figures of beam widths."""
    name = spacy_joint.PRETRAINED if variant is None else f"{spacy_joint.PRETRAINED}_{variant}"
    vocab = spacy_joint.load(variant).vocab
    paths = {split: find_split(treebank, split) for split in ("dev", "test")}
    documents = {
        split: {text: read_references(path, vocab, starred=text == "starred") for text in TEXTS}
        for split, path in paths.items()
    }
    accuracy = {split: measure_parser(references, variant) for split, references in documents.items()}
    tables = {"figures": format_table(["", *MEASURES], list_accuracy(accuracy))}
    if variant is None:
        orders = {split: measure_orderer(path) for split, path in paths.items()}
        header = ["", "phrases", "all in order", "pairs in order", "called odd"]
        tables["orders"] = format_table(header, list_orders(orders))
        for component, measures in DRAWN.items():
            draw_beams(measure_beams(documents["dev"], component), measures, DOCS / f"{component}_beam.svg")
    print(*tables.values(), sep="\n\n")
    tables["sources"] = list_sources(name)
    for section, table in tables.items():
        replace_section(DOCS / "models" / f"{name}.md", section, f"{table}\n")


if __name__ == "__main__":
    typer.run(main)
