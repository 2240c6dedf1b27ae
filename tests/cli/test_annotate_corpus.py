"""`annotate-corpus`: its options, and what it prints."""

import pytest

from spacy_joint.errors import JointWarning


def test_a_corpus_is_annotated_by_processes(run, save_pipeline, tmp_path):
    records, output = tmp_path / "a.jsonl", tmp_path / "output"
    records.write_text('{"text": "The old man left."}\n' * 40, encoding="utf8")
    options = ("--workers", 1, "--model", save_pipeline("sentencizer"), "--output", output)
    printed = run("annotate-corpus", records, *options).output
    assert "40 documents, 200 words, 1 shards" in " ".join(printed.split())
    assert "J713" in run("annotate-corpus", records, *options, "--format", "jsonl", fails=True).stderr


def test_records_that_fail_are_counted_and_matter_if_strict_or_if_all_fail(run, save_pipeline, tmp_path):
    (tmp_path / "a.jsonl").write_text('{"text": "He left."}\n{"text": 3}\n', encoding="utf8")
    options = ("--model", save_pipeline("sentencizer"), "--output", tmp_path / "output")
    command = ("annotate-corpus", tmp_path / "a.jsonl", *options)
    with pytest.warns(JointWarning, match=r"^\[JW44\] 1 of 2 records failed, first record 2 of .*a\.jsonl \(\[J650\]"):
        run(*command)
    with pytest.warns(JointWarning, match=r"^\[JW44\]"):
        run(*command, "--strict", fails=True)
    with pytest.warns(JointWarning, match=r"^\[JW44\] 2 of 2 records failed"):
        run(*command[:-1], tmp_path / "none", "--text-column", "typo", fails=True)
