"""Measures who speaks in novels: how often the character of a quotation is LitBank's, by name.

Quotations are given; speakers and characters are predicted. LitBank has one name per character, so "the man" is wrong
for "convict", and "I" for a narrator whose name is never said; the second column counts only quotations of characters
with proper names. training/speakers.py describes LitBank's paragraphs and `--novels`: in whole novels, of which the
first two are not trained on, names beside quotations are hidden and must be guessed. LitBank's first 80 novels are for
training, the next 10 for development, the last 10 for `--final` figures.
"""

from measure import format_table, replace_section, write_results

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
from spacy_joint.quotation.speaker_columns import is_pronoun
from spacy_joint.scoring.speakers import are_same
from spacy_joint.training.speakers import Novel, learn_speakers, list_hidden, read_annotated, read_plain

TRAIN, DEV, TEST = slice(0, 80), slice(80, 90), slice(90, 100)
N_HELD_OUT = 2
UNNAMED = re.compile(r"(the|an?|my|our|his|her|i|one|narrator|you|another)(_|-|$)", re.IGNORECASE)


def main(
    corpus: Annotated[Path, typer.Argument(help="Directory of LitBank's quotations.")],
    model: Annotated[str | None, typer.Option(help="Pipeline that tags and parses. Default: en_joint_english.")] = None,
    novels: Annotated[Path | None, typer.Option(help="Directory of whole novels (.txt) with names to hide.")] = None,
    final: Annotated[bool, typer.Option(help="Measure the last 10 novels, too.")] = False,
    output: Annotated[Path | None, typer.Option(help="JSON file to write.")] = None,
    document: Annotated[Path | None, typer.Option(help="Page in which to replace section `speakers`.")] = None,
) -> None:
    """Measure the identity of speakers, by kind of quotation."""
    nlp = lift_max_length(spacy_joint.load(model))
    docs = list(read_litbank(corpus, nlp.vocab))[: None if final else DEV.stop]
    annotated = [read_annotated(doc, nlp) for doc in docs]
    results: dict[str, Any] = {}
    rows = []
    for name, part in (("train", TRAIN), ("dev", DEV), ("test", TEST))[: 3 if final else 2]:
        counts = score(annotated[part], load_model())
        results[name] = {
            f"{kind}{', named' if named else ''}": dict(zip(("right", "all"), found, strict=True))
            for (kind, named), found in sorted(counts.items())
        }
        for kind in ("explicit", "anaphoric", "implicit", "all"):
            cells = [f"{100 * right / n:.1f} ({n:,})" for right, n in (counts[kind, named] for named in (False, True))]
            rows.append([name, kind, *cells])
    table = format_table(["novels", "quotations", "identity", "of characters with names"], rows) + "\n"
    print(table)
    if novels is not None:
        finder: Any = nlp.create_pipe("quotation_spans")
        plain = [read_plain(nlp(read_text(path)), finder) for path in sorted(novels.glob("*.txt"))]
        known = learn_speakers(annotated[TRAIN], plain[N_HELD_OUT:])
        shares = [guess_hidden(plain[:N_HELD_OUT], known, with_gender=with_gender) for with_gender in (False, True)]
        print(f"Hidden names in {N_HELD_OUT} novels: {shares[0]:.1f}, replaced with pronouns: {shares[1]:.1f}")
        results["hidden"] = dict(zip(("names", "pronouns"), shares, strict=True))
    write_results(results, output)
    replace_section(document, "speakers", table)


def score(novels: Iterable[Novel], model: ChoiceModel) -> dict[tuple[str, bool], tuple[int, int]]:
    """The right quotations and all, by kind, and of named characters."""
    right: Counter[tuple[str, bool]] = Counter()
    total: Counter[tuple[str, bool]] = Counter()
    for speakers, mentions, cast, turns in novels:
        attribute(cast, turns, model)
        for turn in turns:
            for run in turn.runs:
                mention = mentions[run]
                kind = "implicit" if mention is None else "anaphoric" if is_pronoun(cast, mention) else "explicit"
                named = (False,) if UNNAMED.match(speakers[run]) else (False, True)
                for key in ((name, is_named) for name in (kind, "all") for is_named in named):
                    right[key] += are_same(speakers[run], turn.character)
                    total[key] += 1
    return {key: (right[key], n) for key, n in total.items()}


def guess_hidden(novels: list[Novel], model: ChoiceModel, *, with_gender: bool) -> float:
    """The percentage of names beside quotations that are guessed if they are hidden, or only their genders are known,
    of those that are among the candidates or not. The other turns are decided as usual."""
    right = total = 0
    for novel in novels:
        attribute(novel.cast, novel.turns, model)
        genders = [turn.character.gender for turn in novel.turns if turn.is_named and turn.character is not None]
        total += sum(gender is not None for gender in genders) if with_gender else len(genders)
        for columns, hidden in list_hidden(novel, model.templates.columns, with_gender=with_gender):
            right += model.predict(columns)[0] in hidden
    return 100 * right / max(total, 1)


if __name__ == "__main__":
    typer.run(main)
