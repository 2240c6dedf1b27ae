"""Hedges against what else there is: a conditional random field, an exhaustive chart parser, and spaCy's noun chunks.

Corpora are `.spacy` files that `python -m spacy joint convert` made of trees in brackets, each tree a document; MODEL
is a pipeline with a `sequence_tagger` and a `hedge_chunker`. Sentence boundaries are known, tags are predicted.
"""

from measure import format_table, write_results

# isort: split
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import spacy
import typer
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_joint.constituency.annotation import SEGMENTS, get_constituents, get_tree, iterate_phrases, set_constituents
from spacy_joint.constituency.transform import binarise, find_segments, hedge
from spacy_joint.constituency.trees import Tree
from spacy_joint.corpora.docbin import read_docbin
from spacy_joint.corpora.examples import make_example
from spacy_joint.scoring.hedges import score_hedges

app = typer.Typer(help=__doc__, pretty_exceptions_enable=False)
Output = Annotated[Path | None, typer.Option(help="JSON file to write.")]


def annotate(nlp: Language, references: Iterable[Doc]) -> list[Example]:
    """Annotate documents whose sentences are known."""
    examples = [make_example(reference, ["SENT_START"]) for reference in references]
    return [Example(nlp(example.predicted), example.reference) for example in examples]


@app.command()
def accuracy(corpus: Path, models: list[Path], output: Output = None) -> None:
    """Hedge and segment scores of pipelines, each at the maximum span that it was made for."""
    rows: list[list[Any]] = []
    results = {}
    for path in models:
        nlp = spacy.load(path)
        max_span = nlp.get_pipe(nlp.pipe_names[-1]).cfg["max_span"]
        scores = score_hedges(annotate(nlp, read_docbin(corpus, nlp.vocab)), max_span=max_span)
        names = ("hedge_p", "hedge_r", "hedge_f", "hedge_seg_f", "hedge_exact")
        values = ["-" if scores[name] is None else f"{100 * scores[name]:.2f}" for name in names]
        by_label = scores["hedge_per_type"] or {}
        print(path, {label: round(100 * score["f"], 1) for label, score in by_label.items()})
        rows.append([str(path), str(max_span), *values])
        results[str(path)] = scores
    print(format_table(["pipeline", "max_span", "P", "R", "F1", "segments F1", "exact"], rows))
    write_results(results, output)


def describe(words: list[str], tags: list[str]) -> list[list[str]]:
    """Features of a first-order conditional random field: windows of words and tags, affixes, shape."""
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
    tagger: Annotated[Path, typer.Argument(help="Pipeline that tags the test corpus.")],
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
                "B" if place == start else "I"
                for _, start, end in segment(doc, max_span)
                for place in range(start, end)
            ]
            if typed:
                kinds = [kind for kind, start, end in segment(doc, max_span) for _ in range(start, end)]
                labels = [f"{label}-{kind}" for label, kind in zip(labels, kinds, strict=True)]
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
    """The segments of a reference of one sentence."""
    kept = [constituent for constituent in get_constituents(doc) or [] if constituent[2] - constituent[1] <= max_span]
    return find_segments(kept, len(doc))


@app.command()
def charts(
    train: Path,
    test: Path,
    model: Path,
    max_span: int = 7,
    most_words: int = 8,
    sentences: int = 20,
    output: Output = None,
) -> None:
    """Words a second of NLTK's Viterbi chart parser with the grammar of the hedged treebank, on short sentences."""
    import nltk

    counts: Counter[Any] = Counter()
    for doc in read_docbin(train, Vocab()):
        for node in binarise_to_the_right(hedge(get_tree(doc), max_span)).nodes():
            if node.children:
                counts[node.label, tuple(child.label for child in node.children)] += 1
    totals: Counter[str] = Counter()
    for (label, _), count in counts.items():
        totals[label] += count
    tags = {child for _, children in counts for child in children} - set(totals)
    rules = [
        nltk.ProbabilisticProduction(
            nltk.Nonterminal(label), [nltk.Nonterminal(child) for child in children], prob=count / totals[label]
        )
        for (label, children), count in counts.items()
    ]
    rules += [nltk.ProbabilisticProduction(nltk.Nonterminal(tag), [tag], prob=1.0) for tag in sorted(tags)]
    parser = nltk.ViterbiParser(nltk.PCFG(nltk.Nonterminal("ROOT"), rules), max_time=None)
    nlp = spacy.load(model)
    chosen = [doc for doc in read_docbin(test, nlp.vocab) if 4 <= len(doc) <= most_words][:sentences]
    chosen = [doc for doc in chosen if all(token.tag_ in tags for token in doc)]
    start = time.process_time()
    parsed = sum(1 for doc in chosen for _ in parser.parse([token.tag_ for token in doc]))
    chart = time.process_time() - start
    words = sum(map(len, chosen))
    ours = measure_speed(nlp, chosen * 50)
    results = {"rules": len(rules), "sentences": len(chosen), "parsed": parsed, "words": words}
    results |= {"chart": words / chart, "hedge_chunker": ours, "ratio": ours * chart / words}
    print({name: round(value, 1) for name, value in results.items()})
    write_results(results, output)


def binarise_to_the_right(tree: Tree) -> Tree:
    """Binarise with the first child as the head: then new nodes begin where their parent does."""
    label = tree.label
    children = tuple(child if child.is_preterminal else binarise_to_the_right(child) for child in tree.children)
    return binarise(Tree(label, children, head=0)) if len(children) > 2 else Tree(label, children)


def measure_speed(nlp: Language, docs: list[Doc]) -> float:
    """Words a second of the chunker alone, tags given."""
    chunker = nlp.get_pipe("hedge_chunker")
    tagged = [make_example(doc, ["TAG", "SENT_START"]).predicted for doc in docs]
    chunker(tagged[0].copy())
    start = time.process_time()
    for doc in tagged:
        chunker(doc)
    return sum(map(len, tagged)) / (time.process_time() - start)


@app.command()
def speed(corpus: Path, model: Path, rounds: int = 3, output: Output = None) -> None:
    """Words a second of the chunker alone, by sentences and by documents that grow."""
    nlp = spacy.load(model)
    docs = list(read_docbin(corpus, nlp.vocab))
    results: dict[str, float] = {}
    for width in (1, 4, 8):
        nlp.get_pipe("hedge_chunker").perceptron.beam_width = width
        nlp.get_pipe("hedge_chunker").perceptron._idle_searches = []
        results[f"sentences, beam {width}"] = max(measure_speed(nlp, docs) for _ in range(rounds))
    nlp.get_pipe("hedge_chunker").perceptron.beam_width = 4
    nlp.get_pipe("hedge_chunker").perceptron._idle_searches = []
    for n_sentences in (10, 100, 1000):
        many = Doc.from_docs([docs[place % len(docs)] for place in range(n_sentences)])
        results[f"a document of {len(many)} words, beam 4"] = max(measure_speed(nlp, [many]) for _ in range(rounds))
    print({name: round(value) for name, value in results.items()})
    write_results(results, output)


@app.command()
def noun_chunks(
    corpus: Path,
    model: Path,
    peer: Annotated[str, typer.Argument(help="Pipeline with a parser, or a .conllu file with gold trees.")],
    max_span: int = 7,
    output: Output = None,
) -> None:
    """NP F1 of the chunker and of spaCy's noun chunks, for all noun phrases up to the limit and for innermost ones."""
    nlp = spacy.load(model)
    references = list(read_docbin(corpus, nlp.vocab))
    chunked = annotate(nlp, references)
    if peer.endswith(".conllu"):
        from spacy_joint.corpora.conllu import read_conllu

        parsed = list(read_conllu(Path(peer), spacy.blank("en").vocab, documents=1))
    else:
        other = spacy.load(peer)
        parsed = [other(Doc(other.vocab, words=[token.text for token in doc])) for doc in references]
    results = {}
    for innermost in (False, True):
        totals = {"hedge_chunker": [0, 0, 0], "noun_chunks": [0, 0, 0]}
        for example, peer_doc in zip(chunked, parsed, strict=True):
            gold = find_noun_phrases(example.reference, max_span, innermost)
            if len(peer_doc) != len(example.reference):
                continue
            found = {
                "hedge_chunker": find_noun_phrases(example.predicted, max_span, innermost),
                "noun_chunks": {(chunk.start, chunk.end) for chunk in peer_doc.noun_chunks},
            }
            for name, spans in found.items():
                for place, count in enumerate((len(spans & gold), len(spans), len(gold))):
                    totals[name][place] += count
        for name, (right, found_in_all, wanted) in totals.items():
            results[f"{name}, {'innermost' if innermost else 'all'}"] = 2 * right / (found_in_all + wanted)
    print({name: f"{100 * value:.2f}" for name, value in results.items()})
    write_results(results, output)


def find_noun_phrases(doc: Doc, max_span: int, innermost: bool) -> set[tuple[int, int]]:
    """The extents of noun phrases, or of those without another inside."""
    spans = {(span.start, span.end) for span in iterate_phrases(doc, "NP") if len(span) <= max_span}
    if not innermost:
        return spans
    return {
        span
        for span in spans
        if not any(other != span and span[0] <= other[0] <= other[1] <= span[1] for other in spans)
    }


if __name__ == "__main__":
    app()
