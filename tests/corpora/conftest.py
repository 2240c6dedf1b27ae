import io
from pathlib import Path

import pytest
import spacy
from spacy.tokens import Doc

from spacy_joint.corpora.conllu_writing import write_conllu

DOGS = """
# newdoc id = first
# sent_id = first-1
# text = Dogs bark.
1 Dogs dog NOUN NNS Number=Plur 2 nsubj _ _
2 bark bark VERB VBP Mood=Ind|Tense=Pres 0 root _ SpaceAfter=No
3 . . PUNCT . _ 2 punct _ _

# sent_id = first-2
1 Why why ADV WRB _ 0 root _ SpaceAfter=No
2 ? ? PUNCT . _ 1 punct _ _

# newdoc id = second
# sent_id = second-1
1 Cats cat NOUN _ Number=Plur 2 nsubj _ _
2 sleep sleep VERB _ _ 0 root _ _
"""


def as_conllu(layout: str) -> str:
    """Replace spaces between columns by tabs, so that tests can use spaces."""
    lines = layout.strip("\n").split("\n")
    return "".join((line if line.startswith("#") else "\t".join(line.split(" "))) + "\n" for line in lines)


@pytest.fixture(scope="session")
def nlp():
    return spacy.blank("en")


@pytest.fixture
def vocab(nlp):
    return nlp.vocab


@pytest.fixture
def conllu(write_text):
    """Write a CoNLL-U file, given with spaces between columns, and return its path."""

    def write(layout: str, name: str = "corpus.conllu") -> Path:
        return write_text(name, as_conllu(layout))

    return write


@pytest.fixture
def dogs(conllu):
    """Two documents, of two sentences and one."""
    return conllu(DOGS)


def write(*docs: Doc) -> str:
    """The documents in CoNLL-U."""
    file = io.StringIO()
    write_conllu(docs, file)
    return file.getvalue()
