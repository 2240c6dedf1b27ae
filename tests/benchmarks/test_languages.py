"""Pipelines of languages: what is measured for their cards, and treebanks whose marks are not ordinary ones."""

import importlib.util
from pathlib import Path

import languages
import pytest
import typer
from spacy.tokens import Doc
from spacy.vocab import Vocab

PROJECT = Path(__file__).parents[2] / "projects" / "languages"


def test_a_treebank_is_measured_from_raw_text_and_with_gold_tokens(run, assets, tmp_path):
    treebank = tmp_path / "UD_English-Tiny" / "r1"
    treebank.mkdir(parents=True)
    for split in ("dev", "test"):
        (treebank / f"en_tiny-ud-{split}.conllu").write_bytes((assets / "tiny_dev.conllu").read_bytes())
    app = typer.Typer()
    app.command()(languages.main)
    result = run("en", treebank, app=app)
    rows = [line.split("|")[1].strip() for line in result.output.splitlines() if line.startswith("| Tiny")]
    assert rows == ["Tiny dev", "Tiny test", "Tiny dev", "Tiny* dev", "Tiny test", "Tiny* test"]
    assert "| Words | Sentences | UPOS |" in result.output and " MB on disk." in result.output


@pytest.fixture(scope="module")
def replace_marks():
    spec = importlib.util.spec_from_file_location("ordinary_marks", PROJECT / "ordinary_marks.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.replace_marks


def test_marks_of_a_transcription_become_ordinary(replace_marks):
    words = ["#", "you", "<", "how", "dey", "//", "?//"]
    tags = ["PUNCT", "PRON", "PUNCT", "ADV", "VERB", "PUNCT", "PUNCT"]
    heads = [4, 4, 1, 4, 4, 4, 4]
    deps = ["punct", "nsubj", "punct", "advmod", "ROOT", "punct", "punct"]
    doc = Doc(Vocab(), words, pos=tags, heads=heads, deps=deps, lemmas=words)
    copy = replace_marks(doc, {"//": ".", "?//": "?", "<": ","})
    # Of two marks, the last is kept; pauses are left out.
    assert copy.text.strip() == "You, how dey?"
    assert [token.head.i for token in copy] == [3, 0, 3, 3, 3] and copy[4].lemma_ == "?"


def test_nothing_but_marks_is_left_out(replace_marks):
    doc = Doc(Vocab(), ["#"], pos=["PUNCT"], heads=[0], deps=["ROOT"])
    assert replace_marks(doc, {"#": "."}) is None
