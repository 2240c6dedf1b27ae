"""Who speaks in novels: how often the character of a quotation is the one of LitBank, by its names.

The quotations are given, their speakers and characters are found. A character counts as right if one of its names is
that of the gold character, or one has all words of the other, without titles; titles must not differ in gender. LitBank
has one name for each character, so that "the man" is wrong for "convict", and "I" for a narrator whose name is not
said; the second column of figures counts only quotations of characters with proper names. LitBank has also lost its
paragraphs; here, one starts with each quotation that follows another one, or more than a sentence of narration.

`--learn` learns the weights of the ranker (maximum likelihood by stochastic gradient) on the first 80 novels, and, to
see paragraphs, on whole novels without annotation (`--novels`): there, names beside quotations are hidden, or replaced
with a pronoun, and to be guessed. LitBank's next 10 novels are for development, the last 10 for `--final` figures.
"""

from measure import format_table, replace_section, write_results

# isort: split
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from itertools import pairwise
from math import exp
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer
from spacy.language import Language
from spacy.tokens import Doc

import spacy_joint
from spacy_joint.annotation.quotations import DIRECT, QUOTATIONS
from spacy_joint.corpora.litbank import read_litbank
from spacy_joint.quotation.attribution import find_cues, find_report, find_speaker
from spacy_joint.quotation.characters import Cast, Character
from spacy_joint.quotation.conversation import Run, Turn, attribute, describe, find_turns, is_open, is_pronoun
from spacy_joint.quotation.layout import find_paragraph_starts, unwrap
from spacy_joint.quotation.marks import MarkStyle
from spacy_joint.quotation.names import Name, read_names
from spacy_joint.quotation.rules import find_rule_cues

TRAIN, DEV, TEST = slice(0, 80), slice(80, 90), slice(90, 100)
MAX_NARRATION = 12
EPOCHS, RATE, DECAY = 12, 0.1, 0.002
# How often whole novels are read, and how much they change.
PLAIN_EPOCHS, PLAIN_SHARE = 4, 0.2
N_HELD_OUT = 2
HEADER = "# Learnt from LitBank (CC BY 4.0) and novels in the public domain: see benchmarks/speakers.py.\n"
NUMBER = re.compile(r"-\d+$")
DETERMINERS = frozenset(["the", "a", "an", "this", "that", "his", "her", "my", "our", "their", "of", "s", "'s"])
UNNAMED = re.compile(r"(the|an?|my|our|his|her|i|one|narrator|you|another)(_|-|$)", re.IGNORECASE)


class Novel(NamedTuple):
    """A novel with the gold characters of its quotations."""

    speakers: list[str]
    mentions: list[Run | None]
    cast: Cast
    turns: list[Turn]


def main(
    corpus: Annotated[Path, typer.Argument(help="Directory of LitBank's quotations.")],
    model: Annotated[str | None, typer.Option(help="Pipeline that tags and parses. Default: the shipped.")] = None,
    learn: Annotated[Path | None, typer.Option(help="File of weights to learn and write.")] = None,
    novels: Annotated[Path | None, typer.Option(help="Directory of whole novels (.txt) to learn from, too.")] = None,
    final: Annotated[bool, typer.Option(help="Measure the last 10 novels, too.")] = False,
    output: Annotated[Path | None, typer.Option(help="JSON file to write.")] = None,
    document: Annotated[Path | None, typer.Option(help="Page in which to replace section `speakers`.")] = None,
) -> None:
    """Measure the identity of speakers, by kind of quotation."""
    nlp = spacy_joint.load(model)
    docs = list(read_litbank(corpus, nlp.vocab))[: None if final else DEV.stop]
    annotated = [read_novel(doc, nlp) for doc in docs]
    weights = None
    if learn is not None:
        plain = [read_plain(path, nlp) for path in sorted(novels.glob("*.txt"))] if novels is not None else []
        weights = learn_weights(annotated[TRAIN], plain)
        lines = [f"{feature} {weight:.2f}\n" for feature, weight in sorted(weights.items())]
        learn.write_text("".join([HEADER, *lines]), encoding="utf8")
        if plain:
            # How often a hidden name is guessed in a novel that the weights have not seen.
            known = learn_weights(annotated[TRAIN], plain[N_HELD_OUT:])
            shares = [guess_hidden(plain[:N_HELD_OUT], known, with_gender=with_gender) for with_gender in (False, True)]
            print(f"Hidden names in {N_HELD_OUT} novels: {shares[0]:.1f}, replaced with pronouns: {shares[1]:.1f}")
    results: dict[str, Any] = {}
    rows = []
    for name, part in (("train", TRAIN), ("dev", DEV), ("test", TEST))[: 3 if final else 2]:
        counts = score(annotated[part], weights)
        results[name] = {
            f"{kind}{', named' if named else ''}": dict(zip(("right", "all"), found, strict=True))
            for (kind, named), found in sorted(counts.items())
        }
        for kind in ("explicit", "anaphoric", "implicit", "all"):
            cells = [f"{100 * right / n:.1f} ({n:,})" for right, n in (counts[kind, named] for named in (False, True))]
            rows.append([name, kind, *cells])
    table = format_table(["novels", "quotations", "identity", "of characters with names"], rows) + "\n"
    print(table)
    write_results(results, output)
    replace_section(document, "speakers", table)


def read_novel(gold: Doc, nlp: Language) -> Novel:
    """Tag and parse a novel, and find its turns."""
    spans = [span for span in sorted(gold.spans[QUOTATIONS]) if span.kb_id_]
    cuts = set()
    for last, span in pairwise(spans):
        between = gold[last.end : span.start]
        n_words = sum(token.text[0].isalnum() for token in between)
        n_sentences = sum(bool(token.is_sent_start) for token in between)
        if not n_words or (gold[span.start].is_sent_start and (n_words > MAX_NARRATION or n_sentences > 1)):
            cuts.add(span.start)
    words: list[str] = []
    places = []
    for token in gold:
        words += ["\n\n"] * (token.i in cuts)
        places.append(len(words))
        words.append(token.text)
    doc = nlp(Doc(nlp.vocab, words=words))
    runs = [(places[span.start], places[span.end - 1] + 1) for span in spans]
    inside = np.zeros(len(doc), dtype=bool)
    for begin, end in runs:
        inside[begin:end] = True
    mentions: list[Run | None] = []
    for cue, run in zip(find_cues(doc, runs, find_rule_cues(doc, MarkStyle(True)), inside), runs, strict=True):
        speaker = None if cue is None else find_speaker(doc, cue, inside)
        if speaker is None and (report := find_report(doc, *run, inside)) is not None:
            speaker = report[1]
        mentions.append(None if speaker is None else (speaker.start, speaker.end))
    starts = find_paragraph_starts(doc)
    speakers = [doc[begin:end] for begin, end in sorted({mention for mention in mentions if mention is not None})]
    cast = Cast(doc, inside, speakers, starts)
    return Novel([span.kb_id_ for span in spans], mentions, cast, find_turns(cast, runs, mentions, starts))


def read_plain(path: Path, nlp: Language) -> Novel:
    """Tag and parse a novel without annotation, and find its quotations and turns."""
    doc, _ = unwrap(nlp(path.read_text(encoding="utf8")), ())
    found = nlp.create_pipe("quotation_spans").predict_doc(doc)  # type: ignore[attr-defined]
    direct = [k for k, label in enumerate(found.labels) if label == DIRECT]
    runs = [found.runs[k] for k in direct]
    mentions = [found.speakers.get(found.governing[k]) for k in direct]
    inside = np.zeros(len(doc), dtype=bool)
    for begin, end in found.runs:
        inside[begin:end] = True
    starts = find_paragraph_starts(doc)
    speakers = [doc[begin:end] for begin, end in sorted(set(found.speakers.values()))]
    cast = Cast(doc, inside, speakers, starts)
    return Novel([], mentions, cast, find_turns(cast, runs, mentions, starts))


def score(novels: Iterable[Novel], weights: Mapping[str, float] | None) -> dict[tuple[str, bool], tuple[int, int]]:
    """The right quotations and all, by kind, and of named characters."""
    right: Counter[tuple[str, bool]] = Counter()
    total: Counter[tuple[str, bool]] = Counter()
    for speakers, mentions, cast, turns in novels:
        attribute(cast, turns, weights)
        for turn in turns:
            for run in turn.runs:
                mention = mentions[run]
                kind = "implicit" if mention is None else "anaphoric" if is_pronoun(cast, mention) else "explicit"
                named = (False,) if UNNAMED.match(speakers[run]) else (False, True)
                for key in ((name, is_named) for name in (kind, "all") for is_named in named):
                    right[key] += is_one(speakers[run], turn.character)
                    total[key] += 1
    return {key: (right[key], n) for key, n in total.items()}


def is_one(gold: str, character: Character | None) -> bool:
    """Whether a character is a gold one, such as "Mrs_Bennet-7"."""
    expected = parse(NUMBER.sub("", gold).replace("_", " "))
    if character is None or expected is None:
        return False
    for name in filter(None, map(parse, character.names)):
        genders = {Name(each.titles, ("",)).gender for each in (expected, name) if each.titles}
        words = set(expected.words), set(name.words)
        if len(genders - {None}) < 2 and (words[0] <= words[1] or words[1] <= words[0]):
            return True
    return False


def parse(text: str) -> Name | None:
    """A name without determiners."""
    words = [word.lower().strip(".") for word in text.split()]
    words = [word for word in words if word and word not in DETERMINERS]
    titles = tuple(word for word in words[:-1] if word in read_names().title_genders)
    rest = tuple(word for word in words if word not in titles)
    return Name(titles, rest) if rest else None


def learn_weights(novels: list[Novel], plain: list[Novel]) -> dict[str, float]:
    """Learn weights of features. No candidate at all has the score 0."""
    weights: dict[str, float] = defaultdict(float)
    for epoch in range(EPOCHS):
        rate = RATE / (1 + epoch / 3)
        if epoch < PLAIN_EPOCHS:
            for _, _, cast, turns in plain:
                attribute(cast, turns, weights)
                for k, turn in enumerate(turns):
                    if not turn.is_named or turn.mention is None:
                        continue
                    for gender in ("", turn.character.gender if turn.character is not None else None):
                        if gender is not None:
                            candidates = list(describe(cast, turns, k, (turn.mention, gender)))
                            right = [character is turn.character for character, _ in candidates]
                            if any(right):
                                move(weights, candidates, right, PLAIN_SHARE * rate)
        for number in random.Random(epoch).sample(range(len(novels)), len(novels)):
            speakers, _, cast, turns = novels[number]
            attribute(cast, turns, {})
            for k, turn in enumerate(turns):
                if not is_open(cast, turn):
                    continue
                candidates = list(describe(cast, turns, k))
                right = [is_one(speakers[turn.runs[0]], character) for character, _ in candidates]
                scores = move(weights, candidates, right, rate)
                # What comes after is decided by the true speaker, if a candidate is.
                best = right.index(True) if any(right) else scores.index(max(scores)) if scores else None
                turn.character = candidates[best][0] if best is not None else None
    return dict(weights)


def guess_hidden(novels: list[Novel], weights: Mapping[str, float], *, with_gender: bool) -> float:
    """The percentage of names beside quotations that are guessed if they are hidden, or only their genders are known.
    The other turns are decided as usual."""
    right = total = 0
    for _, _, cast, turns in novels:
        attribute(cast, turns, weights)
        for k, turn in enumerate(turns):
            gender = turn.character.gender if with_gender and turn.character is not None else ""
            if not turn.is_named or turn.mention is None or gender is None:
                continue
            candidates = list(describe(cast, turns, k, (turn.mention, gender)))
            scores = [sum(weights.get(feature, 0.0) for feature in features) for _, features in candidates]
            total += 1
            right += bool(scores) and candidates[scores.index(max(scores))][0] is turn.character
    return 100 * right / max(total, 1)


def move(
    weights: dict[str, float], candidates: list[tuple[Character, list[str]]], right: list[bool], rate: float
) -> list[float]:
    """Move weights towards the right candidates, or away from all if none is right; return the scores before."""
    scores = [sum(weights[feature] for feature in features) for _, features in candidates]
    masses = [*map(exp, scores), 1.0]
    right_mass = sum(mass for mass, true in zip(masses, [*right, not any(right)], strict=True) if true)
    for (_, features), mass, true in zip(candidates, masses, right, strict=False):
        step = (mass / right_mass if true else 0.0) - mass / sum(masses)
        for feature in features:
            weights[feature] += rate * (step - DECAY * weights[feature])
    return scores


if __name__ == "__main__":
    typer.run(main)
