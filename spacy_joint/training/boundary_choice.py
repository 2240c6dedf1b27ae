"""Choosing a parser's biases for boundaries on the raw text of the development set."""

from collections.abc import Callable, Mapping, Sequence

from spacy.tokens import Doc

from ..scoring.raw_text import score_raw_text

# The settings, in the order in which they are chosen, with the number of steps that are tried in each direction, on the
# scale of margins. Smaller steps or gains, or more steps of a setting that refines another one, would fit noise in a
# small development set.
REACH = {"punctuated_bias": 3, "marked_bias": 1, "unpunctuated_bias": 3}
STEP, PATIENCE, MIN_GAIN = 50.0, 2, 0.003


def choose_biases(parse: Callable[[Mapping[str, float]], Sequence[Doc]], references: Sequence[Doc]) -> dict[str, float]:
    """Chooses the biases with the best sentences and trees (the sum of both F1); `parse` parses with such biases."""

    def score(biases: Mapping[str, float]) -> float:
        scores = score_raw_text(parse(biases), references)
        return scores["raw_sents_f"] + scores["raw_las_f"]

    chosen = dict.fromkeys(REACH, 0.0)
    best = score(chosen)
    for setting, reach in REACH.items():
        before = chosen
        for step in (-STEP, STEP):
            n_worse = 0
            for n in range(1, reach + 1):
                tried = {**before, setting: n * step}
                found = score(tried)
                n_worse += 1
                if found > best + MIN_GAIN:
                    best, chosen, n_worse = found, tried, 0
                elif n_worse == PATIENCE:
                    # A single worse value may be chance.
                    break
            if chosen != before:
                break
    return chosen
