"""Scores of restored marks and capitals (`punctuation_restorer`), by words: compares the restored text of the predicted
document with that of the reference, which is its own text where nothing is restored."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from spacy.scorer import PRFScore
from spacy.tokens import Doc
from spacy.training import Example

from ..annotation.restored import MARKS, MarkedWord, list_marked, read_restored
from ..annotation.sentences import list_places
from .counts import count, make_factory, report


def score_restoration(examples: Iterable[Example], *, overwrite: bool = True, **kwargs: Any) -> dict[str, Any]:
    """Score marks and capitals. Scores are between 0 and 1, or None if there is nothing to score.

    - `restored_mark_p`, `restored_mark_r`, `restored_mark_f`: marks after words.
    - `restored_case_p`, `restored_case_r`, `restored_case_f`: words with capitals, all at the right letters.
    - `restored_per_type`: the same by mark.

    Words that are not a token of both documents do not count.

    overwrite (bool): Whether marks and capitals of the text were replaced. If not, documents whose text already has all
        of them are skipped.
    """
    marks: dict[str, PRFScore] = defaultdict(PRFScore)
    cases = PRFScore()
    for example in examples:
        if not overwrite and example.predicted.text == example.reference._.restored_text:
            continue
        found, expected = (_index_words(doc) for doc in (example.predicted, example.reference))
        for key in sorted(found.keys() & expected.keys()):
            count_marks(marks, found[key].mark, expected[key].mark)
            count_case(cases, found[key].text, expected[key].text)
    return {
        **report("restored_mark", sum(marks.values(), PRFScore())),
        **report("restored_case", cases),
        "restored_per_type": {mark: score.to_dict() for mark, score in sorted(marks.items())} or None,
    }


def _index_words(doc: Doc) -> dict[tuple[int, int], MarkedWord]:
    """Index the words of a document by the numbers of non-whitespace characters before their start and end."""
    ends = list_places(doc)
    return {(ends[word.token], ends[word.token + 1]): word for word in list_marked(doc, read_restored(list(doc)))}


def count_marks(scores: Mapping[str, PRFScore], found: str, expected: str) -> None:
    """Add a word with these marks after it. Marks outside MARKS do not count."""
    for mark in {found, expected} & MARKS:
        count(scores[mark], found == expected, found == mark, expected == mark)


def count_case(score: PRFScore, found: str, expected: str) -> None:
    """Add a word in these cases."""
    is_found, is_expected = found != found.lower(), expected != expected.lower()
    count(score, is_found and found == expected, is_found, is_expected)


# Registered as `spacy_joint.restoration_scorer.v1`.
make_restoration_scorer = make_factory(score_restoration)
