"""Compares trained pipelines, rules, a linear-chain CRF and textacy on the same tagged and parsed articles.

Reports strict scores by type with approximate randomisation against the first pipeline, and words per second without
tagging and parsing. A pipeline with exact decoding is also measured with sampling. The CRF (python-crfsuite) has the
features of `chain` and serves only as a baseline. textacy finds only direct quotations, so it is compared on those.
"""

from measure import Output, find_pipeline, format_table, report

# isort: split
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import numpy as np
import spacy
import typer
from significance import randomise
from spacy.tokens import Doc
from spacy.training import Example

from spacy_joint.annotation.quotations import DIRECT, INDIRECT, MIXED, QUOTATIONS, find_heads, make_span
from spacy_joint.corpora.quotations import JACKKNIFED, create_quotation_corpus
from spacy_joint.pipes.word_classes import WordClasses
from spacy_joint.quotation.decoders import read_labels, write_labels
from spacy_joint.quotation.features import ALL_COLUMNS, QuotationColumns
from spacy_joint.scoring.quotations import ALL, Counts, count_runs, get_runs, score_quotations

KINDS = (ALL, DIRECT, INDIRECT, MIXED)
GUIDE, CUES, SPANS = COMPONENTS = ("span_guide", "quotation_cues", "quotation_spans")
FOLDER = Path(spacy.util.get_package_path("spacy_joint")) / "quotation"
TEMPLATES = [FOLDER / "token_templates.txt", FOLDER / "label_templates.txt"]


def annotate(predict: Callable[[Doc], object], references: Sequence[Example]) -> tuple[list[Example], float]:
    """Annotate copies of the documents; return the examples and the words per CPU second."""
    examples = [Example(example.predicted.copy(), example.reference) for example in references]
    start = time.process_time()
    for example in examples:
        predict(example.predicted)
    seconds = time.process_time() - start
    return examples, sum(len(example.predicted) for example in examples) / seconds


def count(examples: Sequence[Example], kind: str) -> list[Counts]:
    """The strict counts of each document."""
    return [count_runs(*get_runs(example, QUOTATIONS), kind) for example in examples]


def load(path: Path, **settings: Any) -> Callable[[Doc], object]:
    """Load the quotation components of a pipeline as one function; settings are those of `quotation_spans`."""
    nlp = spacy.load(path, config={"components": {SPANS: settings}} if settings else {})
    components = [pipe for name, pipe in nlp.pipeline if nlp.get_pipe_meta(name).factory in COMPONENTS]

    def annotate(doc: Doc) -> None:
        for component in components:
            doc = component(doc)

    return annotate


def describe(examples: Sequence[Example], speed: float, first: Sequence[Example]) -> dict[str, Any]:
    """Compute all measures of a system."""
    return {**score_quotations(examples), "speed": speed, "p_value": randomise(count(examples, ALL), count(first, ALL))}


class Crf:
    """A linear-chain CRF over the features of `chain`."""

    def __init__(self, examples: Sequence[Example], word_classes: WordClasses, model: Path) -> None:
        import pycrfsuite

        lines = [line for path in TEMPLATES for line in path.read_text(encoding="utf8").splitlines()]
        templates = [line.split() for line in lines if line.strip() and not line.startswith("#") and "tag-" not in line]
        self.templates = [[_parse_atom(atom) for atom in template] for template in templates]
        names = {name for template in self.templates for _, name in template}
        self.columns = QuotationColumns([name for name in ALL_COLUMNS if name in names], word_classes)
        trainer = pycrfsuite.Trainer(verbose=False)
        trainer.set_params({"max_iterations": 60, "feature.minfreq": 3, "c2": 0.1})
        for example in examples:
            features, tokens = self.find_features(example.predicted)
            numbers = {token: number for number, token in enumerate(tokens.tolist())}
            runs = [(numbers[span.start], numbers[span.end - 1]) for span in example.reference.spans[QUOTATIONS]]
            trainer.append(features, write_labels(runs, len(tokens), with_inside=True))
        trainer.train(str(model))
        self.tagger = pycrfsuite.Tagger()
        self.tagger.open(str(model))

    def find_features(self, doc: Doc) -> tuple[list[list[str]], np.ndarray]:
        """The features of each word as strings, and the indices of the tokens that are words."""
        columns, tokens = self.columns.make_columns(doc, find_heads(doc, "quotation_cues"))
        names, values = columns.__reduce__()[1][:2]
        padded = np.pad(values, ((8, 8), (0, 0)))
        shown: dict[tuple[int, str], list[int]] = {}
        for offset, name in {atom for template in self.templates for atom in template}:
            shown[offset, name] = padded[8 + offset : 8 + offset + len(tokens), names.index(name)].tolist()
        by_template = [
            [f"{number}={'|'.join(map(str, of))}" for of in zip(*(shown[atom] for atom in template), strict=True)]
            for number, template in enumerate(self.templates)
        ]
        return [list(features) for features in zip(*by_template, strict=True)], tokens

    def __call__(self, doc: Doc) -> None:
        """Annotate a document."""
        features, tokens = self.find_features(doc)
        runs = read_labels(self.tagger.tag(features)) if features else []
        doc.spans[QUOTATIONS] = [make_span(doc, int(tokens[a]), int(tokens[b]) + 1, "") for a, b in runs]


def _parse_atom(atom: str) -> tuple[int, str]:
    slot, _, name = atom.partition(".")
    return int(slot[1:] or 0), name


class Textacy:
    """Finds direct quotations with textacy and its marks; counts the articles on which it raises an exception."""

    def __init__(self) -> None:
        self.failures = 0

    def __call__(self, doc: Doc) -> None:
        """Annotate a document."""
        from textacy.extract.triples import direct_quotations

        try:
            spans = [found.content for found in direct_quotations(doc)]
        except ValueError:
            self.failures += 1
            spans = []
        doc.spans[QUOTATIONS] = [make_span(doc, span.start, span.end, "") for span in spans]


def main(
    corpus: Annotated[Path, typer.Argument(help=".spacy file written by convert-quotes.")],
    models: Annotated[
        list[Path], typer.Argument(parser=find_pipeline, help="Pipelines; each is tested against the first.")
    ],
    train: Annotated[Path | None, typer.Option(help="Jackknifed corpus to train the CRF on.")] = None,
    combined: Annotated[
        tuple[Path, Path] | None, typer.Option(help="Pipelines of `chain` and `semimarkov` to combine.")
    ] = None,
    peer: Annotated[
        Path | None,
        typer.Option(parser=find_pipeline, help="spaCy pipeline to parse for textacy; default: our parses."),
    ] = None,
    output: Output = None,
) -> None:
    """Compare systems."""
    nlp = spacy.blank("en")
    references = list(create_quotation_corpus(corpus)(nlp))
    results: dict[str, dict[str, Any]] = {}
    first: list[Example] = []
    for path in models:
        # `spacy train` calls all pipelines model-last.
        name = path.parent.name if path.name.startswith("model-") else path.name
        examples, speed = annotate(load(path), references)
        first = first or examples
        results[name] = describe(examples, speed, first)
        if spacy.util.load_config(path / "config.cfg")["components"][SPANS]["decoder"] == "exact":
            results[f"{name}, sampled"] = describe(*annotate(load(path, decoder="sample"), references), first)
    if combined is not None:
        chain = load(combined[0], spans_key="chain_quotations", speakers_key="chain_speakers")
        both = (chain, load(combined[1], method="combined"))
        results["combined"] = describe(*annotate(lambda doc: [find(doc) for find in both], references), first)
    rules = spacy.blank("en").add_pipe(SPANS)
    results["rules"] = describe(*annotate(rules, references), first)
    if train is not None:
        learnt = list(create_quotation_corpus(train, cues=JACKKNIFED)(nlp))
        cues, spans = (spacy.load(models[0]).get_pipe(name) for name in (CUES, SPANS))
        with TemporaryDirectory() as directory:
            crf = Crf(learnt, spans.word_classes, Path(directory) / "crf.model")
        for example in references:
            cues(example.predicted)
        results["CRF"] = describe(*annotate(crf, references), first)
    textacy = Textacy()
    if peer is not None:
        parser = spacy.load(peer)
        if "lemmatizer" not in parser.pipe_names:
            # textacy looks up the lemmas of reporting verbs.
            parser.add_pipe("lemmatizer", config={"mode": "lookup"}).initialize(lambda: [], nlp=parser)
        examples = []
        for example in references:
            words = [token.text for token in example.reference]
            spaces = [bool(token.whitespace_) for token in example.reference]
            doc = parser(Doc(parser.vocab, words=words, spaces=spaces))
            for token in doc:
                # It needs parts of speech, which pipelines trained on tags alone do not predict.
                if token.tag_.startswith("V") and not token.pos_:
                    token.pos_ = "VERB"
            examples.append(Example(doc, example.reference))
        references = examples
    results["textacy"] = describe(*annotate(textacy, references), first)
    results["textacy"]["failures"] = textacy.failures
    rows = []
    for name, result in results.items():
        by_type = [result["quotation_per_type"][kind]["f"] for kind in KINDS[1:]]
        values = [result["quotation_p"], result["quotation_r"], result["quotation_f"], *by_type]
        values += [result["quotation_cue_f"], result["quotation_near_r"], result["quotation_far_r"]]
        rows.append(
            [name, *(f"{100 * value:.1f}" for value in values), f"{result['p_value']:.4f}", f"{result['speed']:,.0f}"]
        )
    header = ["system", "P", "R", "F", *(f"{kind.lower()} F" for kind in KINDS[1:]), "cue F", "near R", "far R"]
    print(f"textacy failed on {textacy.failures} of {len(references)} articles.\n")
    report(format_table([*header, "p", "words/s"], rows), {"corpus": corpus.name, **results}, output)


if __name__ == "__main__":
    typer.run(main)
