"""Finds verbs that report speech: candidates for `annotation/reporting_verbs.txt`, by how often they follow quotations.

The rules find direct quotations in raw text, such as novels. A candidate is a verb in the past or present that comes
next ("..." said he), or after a pronoun or a name ("..." he said). Its share is that of all its occurrences as a verb:
high for verbs that report anywhere, low for those that do so only beside marks.
"""

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from measure import format_table
from spacy.tokens import Doc, Token

import spacy_joint
from spacy_joint.annotation.quotations import DIRECT, QUOTATIONS
from spacy_joint.annotation.reporting_verbs import BESIDE_MARKS, read_verbs
from spacy_joint.length import lift_max_length

FINITE = frozenset(("VBD", "VBZ", "VBP"))
SUBJECTS = frozenset(("PRP", "NNP"))
# How often a candidate follows marks, at least.
LEAST = 3


def find_candidates(doc: Doc) -> list[Token]:
    """The verbs after the direct quotations of a document."""
    found = []
    for span in doc.spans[QUOTATIONS]:
        following = [token for token in doc[span.end : span.end + 4] if not token.is_space]
        if span.label_ == DIRECT and following and following[0].tag_ in SUBJECTS:
            following = following[1:]
        if span.label_ == DIRECT and following and following[0].tag_ in FINITE:
            found.append(following[0])
    return found


def main(
    texts: Annotated[list[Path], typer.Argument(help="Plain texts (UTF-8).")],
    model: Annotated[str | None, typer.Option(help="Pipeline that tags and parses. Default: en_joint_english.")] = None,
) -> None:
    """Print verbs that follow quotations, and whether they are in the list."""
    nlp = lift_max_length(spacy_joint.load(model))
    nlp.add_pipe("quotation_spans")
    beside, all_verbs = Counter[str](), Counter[str]()
    for doc in nlp.pipe(path.read_text(encoding="utf8") for path in texts):
        beside.update(token.lower_ for token in find_candidates(doc))
        all_verbs.update(token.lower_ for token in doc if token.tag_ in FINITE)
    known = {verb: "yes" for verb in read_verbs("en")} | {verb: "beside" for verb in read_verbs("en", BESIDE_MARKS)}
    rows = [
        [verb, str(count), f"{100 * count / all_verbs[verb]:.0f} %", known.get(verb, "")]
        for verb, count in beside.most_common()
        if count >= LEAST
    ]
    print(format_table(["verb", "after quotations", "share", "listed"], rows))


if __name__ == "__main__":
    typer.run(main)
