"""Verbs that report speech, from `reporting_verbs.txt`."""

from functools import cache
from pathlib import Path

from spacy.tokens import Token

from ..files.reading import read_word_lists

ENGLISH = "en"
# Verbs that report only beside quotation marks, such as "began", or only with certain subjects, the "findings".
BESIDE_MARKS, OF_FINDINGS, FINDINGS = "beside marks", "of findings", "findings"


@cache
def read_verbs(language: str, kind: str = "") -> frozenset[str]:
    """Read the reporting verbs of a language in all their forms, of one of the kinds above; English ones if there is no
    list for that language."""
    lists = read_word_lists(Path(__file__).parent / "reporting_verbs.txt")
    known = language if language in lists else ENGLISH
    return lists.get(f"{known} {kind}".rstrip(), frozenset())


def drop_pronoun(word: str) -> str:
    """Return a verb without the pronouns that a hyphen attaches to it, as in Portuguese "disse-lhe"."""
    return word.partition("-")[0] or word


def is_reporting(token: Token, kind: str = "") -> bool:
    """Return whether a token is a form of a reporting verb; not "the report" and "a claim", if it has a tag. In
    languages other than English, it needs no tag right after a mark: their taggers have seen little speech."""
    if drop_pronoun(token.lower_) not in read_verbs(token.lang_, kind):
        return False
    is_after_mark = token.lang_ != ENGLISH and token.i > 0 and not token.nbor(-1).text[-1].isalnum()
    return not token.tag_ or token.tag_.startswith("V") or token.pos_ == "VERB" or is_after_mark
