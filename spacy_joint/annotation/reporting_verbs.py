"""Verbs that report speech, from `reporting_verbs.txt`."""

from functools import cache
from pathlib import Path

from spacy.tokens import Token

from ..files.reading import read_word_lists

ENGLISH = "en"


@cache
def read_verbs(language: str, beside_marks: bool = False) -> frozenset[str]:
    """Read the forms of the reporting verbs of a language, or of English if there is no list for that language.
    `beside_marks` selects verbs that only report beside quotation marks, such as "began"."""
    lists = read_word_lists(Path(__file__).parent / "reporting_verbs.txt")
    known = language if language in lists else ENGLISH
    return lists.get(f"{known} beside marks" if beside_marks else known, frozenset())


def drop_pronoun(word: str) -> str:
    """Return a verb without the pronouns that a hyphen attaches to it, as in Portuguese "disse-lhe"."""
    return word.partition("-")[0] or word


def is_reporting(token: Token, beside_marks: bool = False) -> bool:
    """Return whether a token is a form of a reporting verb; not "the report" and "a claim", if it has a tag. Other
    languages than English do not need the tag right after a mark: their taggers have seen little speech."""
    if drop_pronoun(token.lower_) not in read_verbs(token.lang_, beside_marks):
        return False
    is_after_mark = token.lang_ != ENGLISH and token.i > 0 and not token.nbor(-1).text[-1].isalnum()
    return not token.tag_ or token.tag_.startswith("V") or token.pos_ == "VERB" or is_after_mark
