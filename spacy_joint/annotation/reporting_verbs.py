"""The verbs that report speech, of `reporting_verbs.txt`."""

import re
from functools import cache
from pathlib import Path

from spacy.tokens import Token

ENGLISH = "en"


@cache
def read_verbs(language: str) -> frozenset[str]:
    """The forms of the reporting verbs of a language, or of English if there is no list for that language."""
    text = (Path(__file__).parent / "reporting_verbs.txt").read_text(encoding="utf8")
    sections: dict[str, str] = dict(re.findall(r"^\[(\w+)\]\n([^[]*)", text, re.MULTILINE))
    return frozenset(sections.get(language, sections[ENGLISH]).split())


def is_reporting(token: Token) -> bool:
    """Whether a token is a form of a reporting verb; not "the report" and "a claim", if it has a tag."""
    is_form = token.lower_ in read_verbs(token.lang_)
    return is_form and (not token.tag_ or token.tag_.startswith("V") or token.pos_ == "VERB")
