"""Figures of the model cards: the pipelines that the package ships, measured on a split of UD English EWT.

What was measured is kept in docs/models/figures.json, from which the tables of the cards and the figures of the
components' pages are made; a split that is measured again replaces what was there. Tokens are gold, everything else is
predicted. Speed is not measured here, see speed.py.
"""

from measure import format_table, read_references

# isort: split
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import matplotlib.pyplot as plt
import spacy
import typer
from accuracy import MEASURES, find_split, score_documents
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

import spacy_joint
from spacy_joint.scoring.orders import score_orders

DOCS = Path(__file__).parent.parent / "docs"
FIGURES = DOCS / "models" / "figures.json"
PARSER, TAGGER, ORDERER = "joint_sbd_parser", "sequence_tagger", "prenominal_orderer"
BEAMS = {PARSER: (1, 2, 4, 8, 16, 32), TAGGER: (1, 2, 5, 10)}
TEXTS = {"edited": "EWT", "starred": "EWT*"}
# Documents as they are, and starred, of one vocabulary.
References = dict[str, list[Doc]]
BEGIN, END = "<!-- figures: begin -->\n", "<!-- figures: end -->\n"


def measure_parser(references: References, **options: Any) -> dict[str, dict[str, float]]:
    """Accuracy of en_joint_ewt; `options` are those of `spacy_joint.load`."""
    nlp = spacy_joint.load(vocab=references["edited"][0].vocab, **options)
    return {text: score_documents(nlp, documents) for text, documents in references.items()}


def measure_beams(references: References, component: str) -> dict[str, Any]:
    """Accuracy of en_joint_ewt by the width of the beam of a component, that of the other as it is shipped."""
    exclude = [PARSER] if component == TAGGER else []
    measured: dict[str, Any] = {text: {} for text in TEXTS}
    for width in BEAMS[component]:
        config = {"components": {component: {"model": {"beam_width": width}}}}
        for text, scores in measure_parser(references, config=config, exclude=exclude).items():
            measured[text][width] = scores
    return measured


def measure_orderer(references: References) -> dict[str, Any]:
    """Accuracy of en_prenominal on phrases that gold tags show, and on those that predicted tags and trees show."""
    nlp = spacy_joint.load(vocab=references["edited"][0].vocab)
    orderer = spacy.load(spacy_joint.PRENOMINAL, vocab=nlp.vocab).get_pipe(ORDERER)
    return {
        kind: score_phrases([orderer(doc) for doc in make_documents(references["edited"], made_by)])
        for kind, made_by in (("gold", None), ("predicted", nlp))
    }


def make_documents(references: list[Doc], nlp: Language | None) -> Iterator[Doc]:
    """The documents with gold tags, or with what a pipeline finds."""
    for reference in references:
        words, spaces = [token.text for token in reference], [bool(token.whitespace_) for token in reference]
        if nlp is None:
            yield Doc(reference.vocab, words, spaces, tags=[token.tag_ for token in reference])
        else:
            yield nlp(Doc(reference.vocab, words, spaces))


def score_phrases(docs: list[Doc]) -> dict[str, Any]:
    """Shares of phrases, and their number."""
    scores = score_orders((Example(doc, doc) for doc in docs), spans_key="prenominal")
    return {"phrases": sum(len(doc.spans["prenominal"]) for doc in docs), **scores}


def write_card(name: str, table: str) -> None:
    """Replaces the table of a model card."""
    path = DOCS / "models" / f"{name}.md"
    before, _, rest = path.read_text(encoding="utf8").partition(BEGIN)
    path.write_text(before + BEGIN + table + END + rest.partition(END)[2], encoding="utf8", newline="\n")


def make_table(header: list[str], rows: list[list[str]]) -> str:
    """Cells as Markdown."""
    return "".join(f"| {' | '.join(row)} |\n" for row in (header, ["---"] * len(header), *rows))


def list_accuracy(figures: dict[str, Any]) -> list[list[str]]:
    """Rows of en_joint_ewt."""
    return [
        [f"{shown} {split}", *(f"{100 * value:.1f}" for value in measured["parser"][text].values())]
        for text, shown in TEXTS.items()
        for split, measured in figures.items()
    ]


def list_orders(figures: dict[str, Any]) -> list[list[str]]:
    """Rows of en_prenominal."""
    return [
        [
            f"EWT {split}, {shown}",
            str(measured["orderer"][kind]["phrases"]),
            *(f"{100 * measured['orderer'][kind][key]:.1f}" for key in ("order_full", "order_pair", "order_odd")),
        ]
        for split, measured in figures.items()
        for kind, shown in (("gold", "gold tags"), ("predicted", "tags and trees of en_joint_ewt"))
    ]


def draw_beams(measured: dict[str, Any], names: tuple[str, ...], path: Path) -> None:
    """Draws measures by the width of the beam."""
    # The same bytes each time: no date, no random names.
    plt.rcParams["svg.hashsalt"] = path.stem
    figure, all_axes = plt.subplots(1, len(names), figsize=(3.5 * len(names), 3), layout="constrained", squeeze=False)
    for axes, name in zip(all_axes[0], names, strict=True):
        for text, shown in TEXTS.items():
            widths = list(measured[text])
            axes.plot(widths, [100 * measured[text][width][name] for width in widths], "o-", label=shown)
        axes.set(xlabel="beam", ylabel=f"{name} (%)", xticks=range(len(widths)), xticklabels=widths)
        axes.spines[["top", "right"]].set_visible(False)
    all_axes[0][0].legend(frameon=False)
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def main(
    treebank: Annotated[Path, typer.Argument(help="Directory with *-dev.conllu and *-test.conllu.")],
    split: Annotated[str, typer.Option(help="dev or test; beams are compared on dev only.")] = "dev",
) -> None:
    """Measure the pipelines that are shipped, and write tables and figures of the docs."""
    path = find_split(treebank, split)
    figures = json.loads(FIGURES.read_text(encoding="utf8")) if FIGURES.exists() else {}
    vocab = spacy_joint.load().vocab
    references = {text: read_references(path, vocab, starred=text == "starred") for text in TEXTS}
    figures[split] = {"parser": measure_parser(references), "orderer": measure_orderer(references)}
    if split == "dev":
        figures[split]["beams"] = {component: measure_beams(references, component) for component in BEAMS}
    # As they will be read the next time: with strings for keys.
    figures = json.loads(json.dumps(figures))
    FIGURES.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf8", newline="\n")
    for name, header, rows in (
        ("en_joint_ewt", ["", *MEASURES], list_accuracy(figures)),
        ("en_prenominal", ["", "phrases", "all in order", "pairs in order", "called odd"], list_orders(figures)),
    ):
        print(format_table(header, rows))
        write_card(name, make_table(header, rows))
    beams = figures["dev"]["beams"] if "dev" in figures else {}
    if beams:
        draw_beams(beams[PARSER], ("boundary F1", "LAS"), DOCS / "joint_sbd_parser_beam.svg")
        draw_beams(beams[TAGGER], ("tag acc.",), DOCS / "sequence_tagger_beam.svg")


if __name__ == "__main__":
    typer.run(main)
