"""`annotate-corpus`: its options, and what it prints."""

import pytest

from spacy_joint.errors import JointWarning

from ..scale.corpora import save_splitter


@pytest.fixture
def splitter(tmp_path):
    return save_splitter(tmp_path / "splitter")


def test_a_corpus_is_annotated_by_processes(run, splitter, tmp_path):
    records, output = tmp_path / "a.jsonl", tmp_path / "output"
    records.write_text('{"text": "The old man left."}\n' * 40, encoding="utf8")
    options = ("--workers", 1, "--model", splitter, "--output", output)
    printed = run("annotate-corpus", records, *options).output
    assert "40 documents, 200 words, 1 shards" in " ".join(printed.split())
    assert "J713" in run("annotate-corpus", records, *options, "--format", "jsonl", fails=True).stderr


def test_records_that_fail_are_counted_and_matter_if_strict_or_if_all_fail(run, splitter, tmp_path):
    (tmp_path / "a.jsonl").write_text('{"text": "He left."}\n{"text": 3}\n', encoding="utf8")
    command = ("annotate-corpus", tmp_path / "a.jsonl", "--model", splitter, "--output", tmp_path / "output")
    with pytest.warns(JointWarning, match=r"^\[JW44\] 1 of 2 records failed, first record 2 of .*a\.jsonl \(\[J650\]"):
        run(*command)
    with pytest.warns(JointWarning, match=r"^\[JW44\]"):
        run(*command, "--strict", fails=True)
    with pytest.warns(JointWarning, match=r"^\[JW44\] 2 of 2 records failed"):
        run(*command[:-1], tmp_path / "none", "--text-column", "typo", fails=True)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["annotate", "."], "J718"),
        (["annotate-corpus", "", "--output", "output"], "J712"),
        (["annotate-corpus", "a.txt", "--format", "table", "--output", "output"], "J040"),
        (["annotate-corpus", "a.txt", "--format-in", "pdf", "--output", "output"], "J040"),
    ],
)
def test_options_that_do_not_fit_are_refused(run, arguments, code):
    assert f"[{code}]" in run(*arguments, fails=True).stderr
