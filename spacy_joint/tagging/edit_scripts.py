"""Edit scripts, which turn words into lemmas, similar to those of Straka (2018). Words that are inflected alike share a
script.

A script is `CASE;EDIT`. CASE is the case of the lemma: empty for lower case, `Aa` for a capital first letter, `AA` for
capitals, `=` for that of the word. EDIT is `DELETE>ADD|DELETE>ADD`, which edits the beginning and the end of the word
(*making*, *make*: `;0>|3>e`), `-CHARACTER` if only this is left out (*8,000*, *8000*: `;-,`), or `=LEMMA` if word and
lemma share no letter (*is*, *be*: `;=be`).
"""

import re
from difflib import SequenceMatcher
from functools import lru_cache

CASES = ("", "Aa", "AA", "=")
SCRIPT = re.compile(r"(Aa|AA|=|);(?:=(.+)|-(.)|(\d{1,3})>([^>|]*)\|(\d{1,3})>([^>|]*))", re.DOTALL)


@lru_cache(maxsize=1 << 16)
def make_script(word: str, lemma: str) -> str:
    """Find the most general script that makes a lemma from a word."""
    edit = _find_edit(word.lower(), lemma.lower())
    for case in CASES:
        script = f"{case};{edit if case != '=' else _find_edit(word, lemma)}"
        if apply_script(script, word) == lemma:
            return script
    return f"=;={lemma}"


def apply_script(script: str, word: str) -> str:
    """Make a lemma from a word by a script; return the word itself if it is too short, or the script is invalid."""
    parsed = SCRIPT.fullmatch(script)
    if parsed is None:
        return word
    case, lemma, left_out, first, start, last, end = parsed.groups()
    base = word if case == "=" else word.lower()
    if left_out is not None:
        lemma = base.replace(left_out, "")
    elif lemma is None:
        stop = len(base) - int(last)
        if int(first) > stop:
            return word
        lemma = start + base[int(first) : stop] + end
    if case == "Aa":
        lemma = lemma[:1].upper() + lemma[1:]
    return (lemma.upper() if case == "AA" else lemma) or word


def _find_edit(word: str, lemma: str) -> str:
    match = SequenceMatcher(None, word, lemma, autojunk=False).find_longest_match()
    if match.size < len(lemma):
        for character in word:
            if not character.isalnum() and word.replace(character, "") == lemma:
                return f"-{character}"
    if not match.size:
        return f"={lemma}"
    start, end = lemma[: match.b], lemma[match.b + match.size :]
    return f"{match.a}>{start}|{len(word) - match.a - match.size}>{end}"
