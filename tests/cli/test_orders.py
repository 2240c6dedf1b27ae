"""`spacy joint learn-order` and `check-order`."""

import json
import shutil

import pytest
import spacy

from spacy_joint.ordering.phrases import read_phrases, write_phrases

from ..ordering.phrases import make_corpus


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "phrases.jsonl"
    write_phrases(make_corpus(), path)
    return path


def learn(run, *arguments, **options):
    return run("learn-order", *arguments, "--table-bits", 16, "--tables", 1, "--epochs", 4, **options)


def test_an_order_is_learnt_from_files_of_all_formats(run, corpus, tmp_path):
    (tmp_path / "a.tagged").write_text("the/at big/jj tin/nn box/nn\n", encoding="utf8")
    (tmp_path / "b.mrg").write_text("( (NP (DT the) (JJ small) (JJ silver) (NN box)) )", encoding="utf8")
    learn(run, tmp_path, "--output", tmp_path / "model", "--phrases", tmp_path / "all.jsonl")
    assert len(list(read_phrases(tmp_path / "all.jsonl"))) == len(make_corpus()) + 2
    pipe = spacy.load(tmp_path / "model").get_pipe("prenominal_orderer")
    assert pipe.order(["red", "big"]).words == ("big", "red")
    assert not (tmp_path / "model.parts").exists()


def test_phrases_can_be_found_without_learning(run, corpus, tmp_path):
    learn(run, corpus, "--phrases", tmp_path / "found.jsonl")
    assert list(read_phrases(tmp_path / "found.jsonl")) == make_corpus()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["found.jsonl", "phrases.jsonl"]
    assert "[J716]" in learn(run, corpus, fails=True).output


def test_finished_files_are_not_read_again(run, corpus, tmp_path):
    bad = tmp_path / "z.mrg"
    bad.write_text("(NP (JJ big)", encoding="utf8")
    assert "[J132]" in learn(run, corpus, bad, "--output", tmp_path / "model", fails=True).output
    (part,) = (tmp_path / "model.parts").iterdir()
    before = part.stat().st_mtime_ns
    learn(run, corpus, bad, "--output", tmp_path / "model", fails=True)
    assert part.stat().st_mtime_ns == before
    bad.write_text("(NP (JJ big) (NN cat))", encoding="utf8")
    learn(run, corpus, bad, "--output", tmp_path / "model")
    assert (tmp_path / "model" / "config.cfg").is_file()


def test_text_is_tagged_by_a_pipeline(run, saved_pipeline, corpus, write_text, tmp_path):
    text = write_text("a.txt", "hello there\n\nhow are you\n")
    learn(run, corpus, text, "--output", tmp_path / "model", "--model", saved_pipeline)
    assert (tmp_path / "model" / "config.cfg").is_file()


def test_text_is_tagged_again_by_a_changed_pipeline(run, saved_pipeline, tmp_path):
    shutil.copytree(saved_pipeline, tmp_path / "pipeline")
    (tmp_path / "a.txt").write_text("hello there\n", encoding="utf8")
    bad = tmp_path / "z.mrg"
    bad.write_text("(NP (JJ big)", encoding="utf8")
    arguments = (tmp_path / "a.txt", bad, "--output", tmp_path / "model", "--model", tmp_path / "pipeline")
    for n_parts in (1, 1, 2):
        if n_parts == 2:
            (tmp_path / "pipeline" / "README.md").write_text("changed", encoding="utf8")
        learn(run, *arguments, fails=True)
        assert len(list((tmp_path / "model.parts").iterdir())) == n_parts


@pytest.mark.parametrize("name, code", [("none.txt", "J101"), ("a.pdf", "J040"), ("empty.tagged", "J330")])
def test_files_without_training_data_are_named(run, tmp_path, name, code):
    path = tmp_path / name
    if code != "J101":
        path.write_text("", encoding="utf8")
    assert f"[{code}]" in learn(run, path, "--output", tmp_path / "model", fails=True).output


@pytest.fixture
def orderer(run, corpus, tmp_path):
    learn(run, corpus, "--output", tmp_path / "model")
    return tmp_path / "model"


@pytest.mark.parametrize("form", ["table", "json"])
def test_odd_orders_are_listed(run, orderer, saved_pipeline, write_text, form):
    text = write_text("a.txt", "i have a red big ball")
    arguments = ["--model", saved_pipeline, "--threshold", 0, "--format", form]
    result = run("check-order", text, "--orderer", orderer, *arguments)
    if form == "json":
        assert all(json.loads(line)["label"] == "ODD" for line in result.output.splitlines())
    else:
        assert "suggestion" in result.output


def test_standard_input_is_read_as_a_file_is(run, orderer, saved_pipeline, tmp_path):
    text = "\ufeffi have a red big ball\r\n\nshe has a wooden old box"
    (tmp_path / "a.txt").write_bytes(text.encode())
    arguments = ["--orderer", orderer, "--model", saved_pipeline, "--threshold", 0]
    expected = run("check-order", tmp_path / "a.txt", *arguments).output
    assert run("check-order", "-", *arguments, text=text.encode()).output == expected
    assert run("check-order", *arguments, text=text.encode()).output == expected


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["missing.txt"], "J402"),
        (["a.conllu"], "J718"),
        (["--format", "xml"], "J040"),
        (["--orderer", "PIPELINE"], "J129"),
        (["--threshold", "nan"], "J030"),
    ],
)
def test_what_cannot_be_checked_is_refused(run, saved_pipeline, arguments, code):
    arguments = [saved_pipeline if argument == "PIPELINE" else argument for argument in arguments]
    failed = run("check-order", *arguments, "--model", saved_pipeline, text="a red big ball", fails=True)
    assert f"[{code}]" in failed.output
