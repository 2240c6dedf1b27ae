"""Tagged text in the notation of the Brown corpus, `the/at jury/nn said/vbd`: one sentence or paragraph per line.

Brown tags (Francis and Kucera 1979) are mapped to Penn Treebank tags where both make the same distinctions; other tags
are kept, in upper case. Nothing is retokenised or corrected.
"""

from collections.abc import Iterator
from pathlib import Path

from ..errors import Errors, JointValueError
from ..files.reading import list_files

SUFFIX = ".tagged"
# Suffixes that Brown adds to the tags of titles, headlines and cited words.
MARKS = ("-TL", "-HL", "-NC")
PENN = {"JJT": "JJS", "NP": "NNP", "NPS": "NNPS", "AT": "DT", "DTI": "DT", "DTS": "DT", "PP$": "PRP$"}


def read_tagged(path: Path) -> Iterator[tuple[list[str], list[str]]]:
    """Read the words and the tags of each sentence (J142) of a file in UTF-8 or Latin-1, or of the `.tagged` files of a
    directory (J101, J102)."""
    for file in list_files(path, SUFFIX):
        content = file.read_bytes()
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = content.decode("latin-1")
        for number, line in enumerate(text.split("\n"), start=1):
            words, tags = [], []
            for token in line.split():
                word, _, tag = token.rpartition("/")
                if not word or not tag:
                    raise JointValueError(Errors.J142, file=file, line=number, found=token, expected="`word/tag`")
                words.append(word)
                tags.append(to_penn(tag))
            if words:
                yield words, tags


def to_penn(tag: str) -> str:
    """Map a tag to the Penn Treebank's: drop suffixes, and map other possessives to POS, since they, too, open a noun
    phrase."""
    tag = tag.upper()
    while tag.endswith(MARKS):
        tag = tag[:-3]
    return PENN.get(tag, "POS" if tag.endswith("$") and tag not in ("PRP$", "WP$") else tag)
