"""`annotate --engine`: the options of a corpus, and what they print."""

import pytest
import spacy


@pytest.fixture
def splitter(tmp_path):
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.to_disk(tmp_path / "splitter")
    return tmp_path / "splitter"


def test_a_corpus_is_annotated_by_processes(run, splitter, tmp_path):
    records, output = tmp_path / "a.jsonl", tmp_path / "output"
    records.write_text('{"text": "The old man left."}\n' * 40, encoding="utf8")
    options = ("--engine", "local", "--workers", 1, "--model", splitter, "--output", output)
    printed = run("annotate", records, *options).output
    assert "40 documents, 200 words, 1 shards" in " ".join(printed.split())
    assert "J713" in run("annotate", records, *options, "--format", "jsonl", fails=True).stderr


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["."], "J714"),
        (["a.txt", "b.txt"], "J714"),
        (["a.txt", "--engine", "local"], "J715"),
        (["--engine", "local", "--output", "output"], "J715"),
        (["a.txt", "--workers", 2], "J716"),
        (["a.txt", "--engine", "local", "--address", "auto", "--output", "output"], "J716"),
        (["a.txt", "--engine", "local", "--format", "table", "--output", "output"], "J404"),
        (["a.txt", "--engine", "local", "--format-in", "pdf", "--output", "output"], "J404"),
    ],
)
def test_options_that_do_not_fit_are_refused(run, arguments, code):
    assert f"[{code}]" in run("annotate", *arguments, fails=True).stderr
