"""Measures who speaks in novels: how often the character of a quotation is the right one, by name.

Quotations are given; speakers and characters are predicted. In LitBank, the model of the package is measured, on the
first 80 novels, from which it has learnt, the next 10 for development, and the last 10 for `--final` figures. LitBank
has one name per character, so "the man" is wrong for "convict", and "I" for a narrator whose name is never said; the
second percentage is that of quotations of characters with proper names. In whole novels (`--novels`, `--labels`),
quotations are measured by models that have learnt from LitBank and the other novels, in five folds.
"""

from measure import Document, Output, format_table, report

# isort: split
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

import spacy_joint
from spacy_joint.corpora.litbank import read_litbank
from spacy_joint.engine.choice_model import ChoiceModel
from spacy_joint.files.reading import read_text
from spacy_joint.length import lift_max_length
from spacy_joint.quotation.conversation import attribute, load_model
from spacy_joint.scoring.speakers import Gold, are_same
from spacy_joint.training.speakers import Novel, learn_speakers, read_annotated, read_labelled, read_labels

TRAIN, DEV, TEST = slice(0, 80), slice(80, 90), slice(90, 100)
FOLDS = 5
UNNAMED = re.compile(r"(the|an?|my|our|his|her|i|one|narrator|you|another)(_|-| |$)", re.IGNORECASE)
KINDS = ("explicit", "anaphoric", "implicit", "all")
# The right quotations and all, by kind, and of named characters.
Counts = Counter[tuple[str, bool, bool]]


def main(
    corpus: Annotated[Path, typer.Argument(help="Directory of LitBank's quotations.")],
    model: Annotated[str | None, typer.Option(help="Pipeline that tags and parses. Default: en_joint_english.")] = None,
    novels: Annotated[Path | None, typer.Option(help="Directory of whole novels (.txt).")] = None,
    labels: Annotated[Path | None, typer.Option(help="Their speakers (.json).")] = None,
    final: Annotated[bool, typer.Option(help="Measure the last 10 novels, too.")] = False,
    output: Output = None,
    document: Document = None,
) -> None:
    """Measure the identity of speakers, by kind of quotation."""
    nlp = lift_max_length(spacy_joint.load(model))
    docs = list(read_litbank(corpus, nlp.vocab))[: None if final else DEV.stop]
    annotated = [read_annotated(doc, nlp) for doc in docs]
    found: dict[str, Counts] = {}
    for name, part in (("train", TRAIN), ("dev", DEV), ("test", TEST))[: 3 if final else 2]:
        found[f"LitBank, {name}"] = score(annotated[part], load_model())
    if novels is not None and labels is not None:
        finder: Any = nlp.create_pipe("quotation_spans")
        known = read_labels(labels)
        whole = [read_labelled(nlp(read_text(novels / f"{name}.txt")), known[name], finder, name) for name in known]
        found["whole novels"] = sum((score_fold(annotated[TRAIN], whole, fold) for fold in range(FOLDS)), Counter())
    results = {
        name: {
            f"{kind}{', named' if named else ''}": {
                "right": counts[kind, named, True],
                "all": count(counts, kind, named),
            }
            for kind in KINDS
            for named in (False, True)
        }
        for name, counts in found.items()
    }
    rows = [[name, *(format_cell(counts, kind) for kind in KINDS)] for name, counts in found.items()]
    report(format_table(["novels", *KINDS], rows), results, output, document, "speakers")


def score(novels: Iterable[Novel], model: ChoiceModel) -> Counts:
    """Count right and wrong characters."""
    counts: Counts = Counter()
    for speakers, mentions, cast, turns in novels:
        attribute(cast, turns, model)
        for turn in turns:
            for run in filter(lambda run: speakers[run], turn.runs):
                mention = mentions[run]
                kind = "implicit" if mention is None else "anaphoric" if cast.find_gender(mention) else "explicit"
                is_right = are_same(speakers[run], turn.character)
                for named in (False, True)[: 1 + is_named(speakers[run])]:
                    counts.update(((kind, named, is_right), ("all", named, is_right)))
    return counts


def score_fold(annotated: list[Novel], novels: list[Novel], fold: int) -> Counts:
    """Count right and wrong characters in every fifth novel by a model that has learnt from the others."""
    others = [novel for number, novel in enumerate(novels) if number % FOLDS != fold]
    return score(novels[fold::FOLDS], learn_speakers([*annotated, *others]))


def count(counts: Counts, kind: str, named: bool) -> int:
    """Return the number of quotations."""
    return counts[kind, named, True] + counts[kind, named, False]


def format_cell(counts: Counts, kind: str) -> str:
    """Format the percentages of right characters, of all quotations and of those by characters with names."""
    shares = (100 * counts[kind, named, True] / max(count(counts, kind, named), 1) for named in (False, True))
    return f"{' / '.join(f'{share:.1f}' for share in shares)} ({count(counts, kind, False):,})"


def is_named(gold: Gold) -> bool:
    """Whether a gold character has a proper name."""
    return not all(map(UNNAMED.match, gold if isinstance(gold, frozenset) else (gold,)))


if __name__ == "__main__":
    typer.run(main)
