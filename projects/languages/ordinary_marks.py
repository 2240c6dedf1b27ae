"""A copy of a transcribed treebank with the marks and capitals of ordinary text: `how you dey ?//` as `How you dey?`.

    python ordinary_marks.py pcm_nsc-ud-train.conllu ordinary-train.conllu pcm/marks.json --documents sent_id

The JSON file has the ordinary mark of each mark of the transcription. Those that it lacks, such as signs of pauses and
repairs, are left out; so is a mark before another. Trees agree, see `rewrite`.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_joint.corpora.conllu import read_conllu
from spacy_joint.corpora.conllu_writing import write_conllu
from spacy_joint.files.atomic import open_atomic
from spacy_joint.training.rewriting import Word, copy_words, rewrite


def replace_marks(doc: Doc, marks: Mapping[str, str]) -> Doc | None:
    """The copy of a document; None if nothing is left."""
    words: list[Word] = []
    is_first = after_mark = True
    for word in copy_words(doc):
        token = doc[word.source]
        is_first |= bool(token.is_sent_start)
        if token.pos_ != "PUNCT":
            text = f"{word.text[:1].upper()}{word.text[1:]}" if is_first else word.text
            words.append(word._replace(text=text))
            is_first = after_mark = False
        elif (mark := marks.get(word.text)) and not is_first:
            if after_mark:
                words.pop()
            words[-1] = words[-1]._replace(space=False)
            words.append(Word(mark, True, word.source, {"LEMMA": mark}))
            after_mark = True
    return rewrite(doc, words) if words else None


def main(
    treebank: Annotated[Path, typer.Argument(help="CoNLL-U file.")],
    output: Annotated[Path, typer.Argument(help="CoNLL-U file to write.")],
    marks: Annotated[Path, typer.Argument(help="JSON file with ordinary marks by those of the treebank.")],
    documents: Annotated[str, typer.Option(help="newdoc, sent_id or a number of sentences.")] = "newdoc",
) -> None:
    """Write a copy with ordinary marks and capitals."""
    ordinary = json.loads(marks.read_text(encoding="utf8"))
    docs = read_conllu(treebank, Vocab(), documents=documents, keep_lines=False)
    with open_atomic(output) as file:
        write_conllu(filter(None, (replace_marks(doc, ordinary) for doc in docs)), file)


if __name__ == "__main__":
    typer.run(main)
