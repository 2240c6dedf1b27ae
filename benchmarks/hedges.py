"""Measures the accuracy and speed of hedges, by maximum span and sentence boundaries, and compares other systems.

The other systems are a conditional random field for segments, and chart parsers with grammars of hedges and of whole
trees.

Corpora are `.spacy` files that `python -m spacy joint convert` makes from trees in brackets, one document per tree;
MODEL is a pipeline with a `sequence_tagger` and a `hedge_chunker`. Tags are predicted, and sentence boundaries are
given unless stated otherwise.
"""

from measure import Output, count_words, draw, format_table, percent, report, time_annotation, write_results

# isort: split
import json
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import spacy
import typer
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed
from spacy.vocab import Vocab

from spacy_joint.annotation.constituents import SEGMENTS, get_constituents, set_constituents
from spacy_joint.corpora.docbin import read_docbin
from spacy_joint.corpora.examples import make_example
from spacy_joint.scoring.hedges import score_hedges
from spacy_joint.trees.transform import find_segments

app = typer.Typer(help=__doc__, pretty_exceptions_enable=False)


def annotate(nlp: Language, references: Iterable[Doc]) -> list[Example]:
    """Annotate documents whose sentences are known."""
    examples = [make_example(reference, ["SENT_START"]) for reference in references]
    return [Example(nlp(example.predicted), example.reference) for example in examples]


@app.command()
def accuracy(
    corpus: Path,
    models: list[str],
    name: Annotated[str, typer.Option(help="Name of the corpus in tables.")] = "",
    output: Output = None,
) -> None:
    """Print hedge and segment scores of pipelines, each at its own maximum span, and words per second."""
    results: list[dict[str, Any]] = []
    for model in models:
        nlp = spacy.load(model)
        chunker = nlp.get_pipe(nlp.pipe_names[-1])
        references = list(read_docbin(corpus, nlp.vocab))
        max_span = chunker.cfg["max_span"]
        scores = score_hedges(annotate(nlp, references), max_span=max_span)
        by_label = scores.pop("hedge_per_type") or {}
        print(model, {label: round(100 * score["f"], 1) for label, score in by_label.items()})
        words_per_second = None
        if nlp.has_pipe("hedge_chunker") and chunker.cfg["joint"]:
            tagged = [make_example(doc, ["TAG", "SENT_START"]).predicted for doc in references]
            _, words_per_second = measure_pipe(chunker, tagged)
        results.append({"max_span": max_span, **scores, "words_per_second": words_per_second})
    results.sort(key=lambda result: result["max_span"])
    by_corpus = {name or corpus.stem: results}
    report(format_scores(by_corpus), by_corpus, output)


COLUMNS = {
    "hedge_p": "P",
    "hedge_r": "R",
    "hedge_f": "hedge F1",
    "hedge_seg_f": "segment F1",
    "hedge_exact": "complete match",
}


SCORES = ("hedge_p", "hedge_r", "hedge_f")


def format_scores(results: dict[str, list[dict[str, Any]]]) -> str:
    """Format the results of `accuracy` as a table, by corpus and limit."""
    rows = [
        [
            corpus,
            result["max_span"],
            *(percent(result[score]) for score in COLUMNS),
            "-" if result["words_per_second"] is None else f"{result['words_per_second']:,}",
        ]
        for corpus, of_corpus in results.items()
        for result in of_corpus
    ]
    return format_table(["corpus", "L", *COLUMNS.values(), "words/s"], rows)


@app.command()
def curve(
    stored: Annotated[list[Path], typer.Argument(help="JSON files of `accuracy`, or of this command.")],
    figure: Annotated[Path | None, typer.Option(help="Figure to draw, .svg or .png.")] = None,
    output: Output = None,
) -> None:
    """Print a table and draw a figure of accuracy and speed by maximum span."""
    results: dict[str, list[dict[str, Any]]] = {}
    for path in stored:
        results |= json.loads(path.read_text(encoding="utf8"))
    report(format_scores(results), results, output)
    if figure is not None:
        draw_curve(results, figure)


def draw_curve(results: dict[str, list[dict[str, Any]]], path: Path) -> None:
    """Draw hedge F1, segment F1 and speed by maximum span, one line per corpus."""
    shown = {"hedge_f": ("hedge F1 (%)", 100), "hedge_seg_f": ("segment F1 (%)", 100)}
    shown["words_per_second"] = ("1,000 words per second", 1e-3)
    with draw(path, len(shown), 10, 3.4) as panels:
        for axes, (score, (title, factor)) in zip(panels, shown.items(), strict=True):
            for corpus, of_corpus in results.items():
                spans = [result["max_span"] for result in of_corpus]
                axes.plot(spans, [factor * result[score] for result in of_corpus], marker="o", label=corpus)
                axes.set_xticks(spans)
            axes.set(xlabel="L, maximum words per constituent", title=title)
        panels[-1].set_ylim(bottom=0)
        panels[0].legend()


@app.command()
def documents(
    corpus: Annotated[Path, typer.Argument(help="Corpus of whole documents (`convert --documents 100000`).")],
    model: str,
    splitter: Annotated[str, typer.Argument(help="Pipeline that finds sentences.")],
    output: Output = None,
) -> None:
    """Scores on whole documents with sentences known, found by a parser, unknown, and unknown in a stream of words."""
    nlp = spacy.load(model)
    max_span = nlp.get_pipe("hedge_chunker").cfg["max_span"]
    references = list(read_docbin(corpus, nlp.vocab))
    other = spacy.load(splitter)
    found: dict[str, list[Doc]] = {"known": [], "found": [], "unknown": [], "unknown, stream": []}
    for reference in references:
        words = [token.text for token in reference]
        starts = [token.is_sent_start for token in other(Doc(other.vocab, words=words))]
        found["known"].append(nlp(make_example(reference, ["SENT_START"]).predicted))
        found["found"].append(nlp(Doc(nlp.vocab, words=words, sent_starts=starts)))
        found["unknown"].append(nlp(Doc(nlp.vocab, words=words)))
        pieces = list(nlp.get_pipe("hedge_chunker").stream(nlp, words))
        found["unknown, stream"].append(Doc.from_docs(pieces, ensure_whitespace=False))
    results: dict[str, Any] = {}
    for name, docs in found.items():
        examples = [Example(doc, reference) for doc, reference in zip(docs, references, strict=True)]
        scores = score_hedges(examples, max_span=max_span)
        results[name] = {score: scores[score] for score in COLUMNS}
    rows = [[name, *map(percent, results[name].values())] for name in found]
    report(format_table(["sentences", *COLUMNS.values()], rows), results, output)


def describe(words: list[str], tags: list[str]) -> list[list[str]]:
    """Features for a first-order conditional random field: windows of words and tags, affixes, shape."""
    described = []
    for place in range(len(words)):
        features = [f"suffix={words[place][-3:]}", f"title={words[place].istitle()}", f"digit={words[place].isdigit()}"]
        for name, values in (("w", [word.lower() for word in words]), ("t", tags)):
            around = {
                offset: values[place + offset] if 0 <= place + offset < len(words) else "-" for offset in range(-2, 3)
            }
            features += [f"{name}{offset}={value}" for offset, value in around.items()]
            features += [f"{name}{one}|{one + 1}={around[one]}|{around[one + 1]}" for one in range(-2, 2)]
            features += [f"{name}{one}..={around[one]}|{around[one + 1]}|{around[one + 2]}" for one in range(-2, 1)]
        described.append(features)
    return described


@app.command()
def crf(
    train: Annotated[Path, typer.Argument(help="Corpus with jackknifed tags.")],
    test: Path,
    tagger: Annotated[str, typer.Argument(help="Pipeline that tags the test corpus.")],
    max_span: int = 7,
    output: Output = None,
) -> None:
    """Segment F1 of a first-order conditional random field (python-crfsuite), without and with types."""
    import pycrfsuite

    nlp = spacy.load(tagger)
    results = {}
    for typed in (False, True):
        trainer = pycrfsuite.Trainer(verbose=False)
        trainer.set_params({"c1": 0.0, "c2": 1.0, "max_iterations": 100})
        for doc in read_docbin(train, nlp.vocab):
            labels = [
                ("B" if place == start else "I") + (f"-{kind}" if typed else "")
                for kind, start, end in segment(doc, max_span)
                for place in range(start, end)
            ]
            trainer.append(describe([token.text for token in doc], [token.tag_ for token in doc]), labels)
        model = pycrfsuite.Tagger()
        with TemporaryDirectory() as directory:
            trainer.train(f"{directory}/segments.crfsuite")
            model.open(f"{directory}/segments.crfsuite")
        examples = []
        for reference in read_docbin(test, nlp.vocab):
            predicted = nlp.get_pipe("sequence_tagger")(make_example(reference, ["SENT_START"]).predicted)
            labels = model.tag(describe([token.text for token in predicted], [token.tag_ for token in predicted]))
            starts = [place for place, label in enumerate(labels) if place == 0 or label.startswith("B")]
            ends = [*starts[1:], len(predicted)]
            set_constituents(predicted, [("", *edges) for edges in zip(starts, ends, strict=True)], SEGMENTS)
            examples.append(Example(predicted, reference))
        results["typed" if typed else "untyped"] = score_hedges(examples, max_span=max_span)["hedge_seg_f"]
    print({name: f"{100 * value:.2f}" for name, value in results.items()})
    write_results(results, output)


def segment(doc: Doc, max_span: int) -> list[tuple[str, int, int]]:
    """The segments of a one-sentence reference."""
    kept = [constituent for constituent in get_constituents(doc) or [] if constituent[2] - constituent[1] <= max_span]
    return find_segments(kept, len(doc))


@app.command()
def grammars(
    train: Path,
    test: Path,
    models: Annotated[list[str] | None, typer.Argument(help="Pipelines that end in a chunker or segmenter.")] = None,
    max_spans: Annotated[list[int], typer.Option("--max-span")] = [3, 7, 10, 15],  # noqa: B006
    output: Output = None,
) -> None:
    """Hedge scores and words per second of chart parsers, by maximum span, and of pipelines at their own.

    Grammars are of whole trees, whose parses are cut to hedges; of hedges; and of the segments of hedges, which are
    parsed by themselves: gold ones, and those of pipelines that end in a segmenter. They find tags, too. Speed is of
    the chart parser or the chunker alone.
    """
    learnt, references = (list(read_docbin(path, Vocab())) for path in (train, test))
    rows: list[dict[str, Any]] = []

    def parse(system: str, trees: list[Doc], docs: list[Doc], max_span: int) -> None:
        parser = make_chart_parser(trees, max_span=max_span, closure="complete", width=10)
        score(system, *measure_pipe(parser, docs), [max_span] if max_span else max_spans)

    def score(system: str, docs: list[Doc], speed: int, spans: list[int]) -> None:
        examples = [Example(*pair) for pair in zip(docs, references, strict=True)]
        for max_span in spans:
            scores = score_hedges(examples, max_span=max_span)
            rows.append({"max_span": max_span, "system": system, **{name: scores[name] for name in SCORES}})
            rows[-1]["words_per_second"] = speed
            print(rows[-1], flush=True)

    plain = [make_example(reference, ["SENT_START"]).predicted for reference in references]
    parse("whole trees", learnt, plain, 0)
    for max_span in max_spans:
        parse("hedges", learnt, plain, max_span)
        trees, docs = ([cut(doc, segment(doc, max_span), max_span) for doc in part] for part in (learnt, references))
        parse("gold segments", trees, docs, max_span)
    for model in models or []:
        nlp = spacy.load(model)
        *_, (last, pipe) = nlp.pipeline
        max_span = pipe.cfg["max_span"]
        with nlp.select_pipes(disable=last):
            tagged = [example.predicted for example in annotate(nlp, references)]
        if nlp.has_pipe("hedge_chunker"):
            score(last, *measure_pipe(pipe, tagged), [max_span])
        else:
            trees = [cut(doc, segment(doc, max_span), max_span) for doc in learnt]
            found = ([(span.label_, span.start, span.end) for span in pipe(doc).spans[SEGMENTS]] for doc in tagged)
            docs = [cut(*pair, max_span) for pair in zip(tagged, found, strict=True)]
            parse("found segments", trees, docs, max_span)
    rows.sort(key=lambda row: row["max_span"])
    header = ["L", "system", "P", "R", "hedge F1", "words/s"]
    cells = [
        [row["max_span"], row["system"], *(percent(row[name]) for name in SCORES), row["words_per_second"]]
        for row in rows
    ]
    report(format_table(header, cells), {"rows": rows}, output)


def make_chart_parser(docs: list[Doc], **settings: Any) -> Any:
    """A chart parser with the grammar of the trees of documents."""
    fix_random_seed(0)
    nlp = spacy.blank("en")
    parser = nlp.add_pipe("chart_parser", config=settings)
    nlp.initialize(lambda: [Example(doc, doc) for doc in docs])
    return parser


def cut(doc: Doc, segments: list[tuple[str, int, int]], max_span: int) -> Doc:
    """A document with segments for sentences, and with constituents of up to `max_span` words, if there are any."""
    starts = {start for _, start, _ in segments}
    words, tags = [token.text for token in doc], [token.tag_ for token in doc]
    made = Doc(doc.vocab, words=words, tags=tags, sent_starts=[place in starts for place in range(len(doc))])
    kept = [found for found in get_constituents(doc) or [] if found[2] - found[1] <= max_span]
    set_constituents(made, kept)
    return made


def measure_pipe(pipe: Any, docs: list[Doc]) -> tuple[list[Doc], int]:
    """The annotated documents, and words per CPU second of the fastest of three rounds."""
    seconds = min(time_annotation(lambda copies: list(map(pipe, copies)), docs) for _ in range(3))
    return [pipe(doc.copy()) for doc in docs], round(count_words(docs) / seconds)


if __name__ == "__main__":
    app()
