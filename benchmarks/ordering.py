"""Compares systems that order modifiers on four corpora: trained on all training parts, cross-validated, and trained on
the other corpora only. Also measures how much additional automatically tagged text helps.
"""

import re
from collections.abc import Callable, Sequence
from math import sqrt
from pathlib import Path
from statistics import mean, stdev
from typing import Annotated, Any

import srsly
import typer
from measure import Output, draw, format_table, percent, write_results
from order_models.alignment import AlignmentByLikelihood, AlignmentByPerceptron
from order_models.base import Orderer
from order_models.beam import BeamOrderer
from order_models.class_hmm import ClassHmm
from order_models.direct_evidence import DirectEvidence
from order_models.measures import Answer, answer_all, compare, cross_validate, score_answers
from order_models.ngrams import NGrams
from order_models.pair_perceptron import PairPerceptron
from order_models.ranks import OneClass, TagRank

from spacy_joint.ordering.corpus import BROWN, read_corpus
from spacy_joint.ordering.phrases import Phrase, has_repeats, read_phrases

PARTS = ("train", "dev", "test")
Corpora = dict[str, dict[str, list[Phrase]]]


def main(
    brown: Annotated[Path | None, typer.Option(help="Directory of the tagged Brown corpus from NLTK.")] = None,
    wsj: Annotated[Path | None, typer.Option(help="Directory with train, dev and test of the Treebank sample.")] = None,
    gum: Annotated[Path | None, typer.Option(help="Directory with train.ptb, dev.ptb and test.ptb.")] = None,
    ewt: Annotated[str | None, typer.Option(help="Prefix of EWT's paths, before `train.conllu`.")] = None,
    text: Annotated[Path | None, typer.Option(help=".jsonl of phrases from `learn-order --phrases`.")] = None,
    word_classes: Annotated[Path | None, typer.Option(help="File written by `word-classes`.")] = None,
    split: Annotated[str, typer.Option(help="dev or test.")] = "dev",
    folds: Annotated[int, typer.Option(help="Folds of the cross-validation.")] = 10,
    seed: int = 0,
    output: Output = None,
    figure: Annotated[Path | None, typer.Option(help="Learning curve over automatically tagged text.")] = None,
) -> None:
    """Measure all systems on the given corpora."""
    files = {
        "Brown": brown and divide_brown(brown),
        "WSJ": wsj and {part: sorted((wsj / part).glob("*.mrg")) for part in PARTS},
        "GUM": gum and {part: [gum / f"{part}.ptb"] for part in PARTS},
        "EWT": ewt and {part: [Path(f"{ewt}{part}.conllu")] for part in PARTS},
    }
    corpora = {name: read_files(parts) for name, parts in files.items() if parts}
    more = [phrase for phrase in read_phrases(text) if not has_repeats(phrase)] if text else []
    systems = list_systems(srsly.msgpack_loads(word_classes.read_bytes()) if word_classes else None, seed)
    evaluation = {name: parts[split] for name, parts in corpora.items()}
    if split == "test" and "WSJ" in corpora:
        # The sample is small, and nothing was tuned on its development part.
        evaluation["WSJ"] = corpora["WSJ"]["dev"] + corpora["WSJ"]["test"]
    sizes: dict[str, Any] = {name: {p: len(phrases) for p, phrases in parts.items()} for name, parts in corpora.items()}
    results: dict[str, Any] = {"split": split, "seed": seed, "sizes": {**sizes, "text": len(more)}}
    print(f"split {split}, seed {seed}")
    train = [phrase for parts in corpora.values() for phrase in parts["train"]]

    print("\nTrained on all corpora: whole phrases (standard error) / pairs\n")
    answers = measure(systems, train, evaluation)
    if more:
        answers["beam + text"] = measure({"": systems["beam"]}, train + more, evaluation)[""]
    results["all"] = report(answers, evaluation)
    results["p_beam_no_better"] = report_significance(answers, evaluation)

    print("\nWithout tags\n")
    untagged = {name: [phrase.without_tags() for phrase in phrases] for name, phrases in evaluation.items()}
    bare = [phrase.without_tags() for phrase in train]
    without = measure({n: make for n, make in systems.items() if n != "tag rank"}, bare, untagged)
    results["untagged"] = report(without, untagged)
    results["untagged_p_beam_no_better"] = report_significance(without, untagged)

    if len(corpora) > 1:
        print("\nTrained on the other corpora only\n")
        across: dict[str, dict[str, list[Answer]]] = {name: {} for name in systems}
        for left_out, phrases in evaluation.items():
            others = [p for name, parts in corpora.items() if name != left_out for p in parts["train"]]
            for name, given in measure(systems, others, {left_out: phrases}).items():
                across[name].update(given)
        results["across"] = report(across, evaluation)
        results["across_p_beam_no_better"] = report_significance(across, evaluation)

    if more:
        print("\nThe beam with additional phrases from automatically tagged text: whole phrases\n")
        results["curve"] = measure_curve(systems["beam"], corpora, more, evaluation, seed)
        if figure:
            draw_curve(results["curve"], figure)

    print(f"\n{folds}-fold cross-validation on all training parts: mean of folds (standard error)\n")
    results["cross_validation"] = validate(systems, train, folds, seed)
    write_results(results, output)


def list_systems(classes: Any, seed: int) -> dict[str, Callable[[], Orderer]]:
    return {
        "tag rank": TagRank,
        "direct evidence": lambda: DirectEvidence(transitive=False),
        "+ transitivity": DirectEvidence,
        "+ clusters": lambda: DirectEvidence(n_clusters=50),
        "one-class": OneClass,
        "class HMM": lambda: ClassHmm(seed=seed),
        "ML alignment": lambda: AlignmentByLikelihood(seed=seed),
        "perceptron alignment": lambda: AlignmentByPerceptron(seed=seed),
        "n-gram": NGrams,
        "pair perceptron": lambda: PairPerceptron(seed=seed),
        "beam": lambda: BeamOrderer(word_classes=classes, seed=seed),
    }


def read_files(files: dict[str, list[Path]]) -> dict[str, list[Phrase]]:
    return {
        part: [phrase for path in paths for phrase in read_corpus(path) if not has_repeats(phrase)]
        for part, paths in files.items()
    }


def divide_brown(directory: Path) -> dict[str, list[Path]]:
    """Divide each genre into the first 80 % of its files, the next 10 %, and the rest."""
    parts: dict[str, list[Path]] = {part: [] for part in PARTS}
    files = sorted(path for path in directory.iterdir() if re.fullmatch(BROWN, path.name))
    for genre in sorted({path.name[1] for path in files}):
        of_genre = [path for path in files if path.name[1] == genre]
        for i, path in enumerate(of_genre):
            share = i / len(of_genre)
            parts["train" if share < 0.8 else "dev" if share < 0.9 else "test"].append(path)
    return parts


def measure(
    systems: dict[str, Callable[[], Orderer]], train: Sequence[Phrase], evaluation: dict[str, list[Phrase]]
) -> dict[str, dict[str, list[Answer]]]:
    answers = {}
    for name, make in systems.items():
        system = make()
        system.fit(train)
        answers[name] = {corpus: answer_all(system, phrases) for corpus, phrases in evaluation.items()}
    return answers


def report(answers: dict[str, dict[str, list[Answer]]], evaluation: dict[str, list[Phrase]]) -> dict[str, Any]:
    scores = {
        name: {corpus: score_answers(given) for corpus, given in by_corpus.items()}
        for name, by_corpus in answers.items()
    }
    rows = [
        [name]
        + [
            f"{percent(s['order_full'])} ({percent(s['order_full_se'])}) / {percent(s['order_pair'])}"
            for s in by_corpus.values()
        ]
        for name, by_corpus in scores.items()
    ]
    header = ["system", *(f"{corpus} ({len(phrases)})" for corpus, phrases in evaluation.items())]
    print(format_table(header, rows), flush=True)
    return scores


def report_significance(
    answers: dict[str, dict[str, list[Answer]]], evaluation: dict[str, list[Phrase]]
) -> dict[str, dict[str, float]]:
    found = {
        name: {corpus: compare(answers["beam"][corpus], by_corpus[corpus]) for corpus in evaluation}
        for name, by_corpus in answers.items()
        if not name.startswith("beam")
    }
    rows = [[name, *(f"{p:.4f}" for p in by_corpus.values())] for name, by_corpus in found.items()]
    print()
    print(format_table(["the beam is no better than", *evaluation], rows), flush=True)
    return found


def validate(
    systems: dict[str, Callable[[], Orderer]], phrases: Sequence[Phrase], folds: int, seed: int
) -> dict[str, Any]:
    found = {}
    for name, make in systems.items():
        by_fold = cross_validate(make, phrases, folds=folds, seed=seed)
        full = [mean(given.full for given in fold) for fold in by_fold]
        found[name] = {"order_full": mean(full), "order_full_se": stdev(full) / sqrt(folds), "order_full_folds": full}
        print(f"| {name} | {percent(mean(full))} ({percent(stdev(full) / sqrt(folds))}) |", flush=True)
    return found


def measure_curve(
    make: Callable[[], Orderer],
    corpora: Corpora,
    text: Sequence[Phrase],
    evaluation: dict[str, list[Phrase]],
    seed: int,
) -> dict[str, Any]:
    import numpy as np

    # Shuffled, so that any part is a sample of the whole text.
    mixed = [text[i] for i in np.random.default_rng(seed).permutation(len(text))]
    trains = {"EWT": corpora["EWT"]["train"]} if "EWT" in corpora else {}
    trains["all"] = [phrase for parts in corpora.values() for phrase in parts["train"]]
    curve: dict[str, Any] = {}
    for base, train in trains.items():
        for share in (0, 1 / 8, 1 / 4, 1 / 2, 1):
            n = round(share * len(mixed))
            given = measure({"": make}, train + mixed[:n], evaluation)[""]
            points = {name: mean(a.full for a in answers) for name, answers in given.items()}
            curve.setdefault(base, {})[n] = {**points, "mean": mean(points.values())}
            print(f"| {base} + {n} | " + " | ".join(map(percent, curve[base][n].values())) + " |", flush=True)
    return curve


def draw_curve(curve: dict[str, Any], path: Path) -> None:
    with draw(path, 1, 6, 4) as (axes,):
        for base, points in curve.items():
            shares = [100 * p["mean"] for p in points.values()]
            axes.plot(list(points), shares, marker="o", label=f"{base}, gold, + text")
        axes.set(xlabel="phrases from automatically tagged text", ylabel="whole phrases right, mean of corpora (%)")
        axes.legend()


if __name__ == "__main__":
    typer.run(main)
