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


def test_an_order_is_learnt_from_files_of_all_formats_or_phrases_are_only_found(run, corpus, tmp_path):
    learn(run, corpus, "--phrases", tmp_path / "found.jsonl")
    assert list(read_phrases(tmp_path / "found.jsonl")) == make_corpus()
    (tmp_path / "found.jsonl").unlink()
    assert [path.name for path in tmp_path.iterdir()] == ["phrases.jsonl"]
    assert "[J716]" in learn(run, corpus, fails=True).output
    (tmp_path / "a.tagged").write_text("the/at big/jj tin/nn box/nn\n", encoding="utf8")
    (tmp_path / "b.mrg").write_text("( (NP (DT the) (JJ small) (JJ silver) (NN box)) )", encoding="utf8")
    learn(run, tmp_path, "--output", tmp_path / "model", "--phrases", tmp_path / "all.jsonl")
    assert len(list(read_phrases(tmp_path / "all.jsonl"))) == len(make_corpus()) + 2
    pipe = spacy.load(tmp_path / "model").get_pipe("prenominal_orderer")
    assert pipe.order(["red", "big"]).words == ("big", "red")
    assert not (tmp_path / "model.parts").exists()


def test_finished_files_are_not_read_again_and_text_is_tagged_again_by_a_changed_pipeline(
    run, saved_pipeline, corpus, write_text, tmp_path
):
    model, nlp = tmp_path / "model", shutil.copytree(saved_pipeline, tmp_path / "pipeline")
    bad = write_text("z.mrg", "(NP (JJ big)")
    text = write_text("a.txt", "hello there\n\nhow are you\n")
    arguments = (corpus, text, bad, "--output", model, "--model", nlp)
    parts = []
    for is_changed in (False, False, True):
        if is_changed:
            (nlp / "README.md").write_text("changed", encoding="utf8")
        assert "[J132]" in learn(run, *arguments, fails=True).output
        parts.append({path.name: path.stat().st_mtime_ns for path in (tmp_path / "model.parts").iterdir()})
    assert parts[0] == parts[1] and [len(names) for names in parts] == [2, 2, 4]
    bad.write_text("(NP (JJ big) (NN cat))", encoding="utf8")
    learn(run, *arguments)
    assert (model / "config.cfg").is_file()


@pytest.fixture(scope="module")
def orderer(run, tmp_path_factory):
    directory = tmp_path_factory.mktemp("orderer")
    write_phrases(make_corpus(), directory / "phrases.jsonl")
    learn(run, directory / "phrases.jsonl", "--output", directory / "model")
    return directory / "model"


def test_odd_orders_of_files_and_standard_input_are_listed(run, orderer, tmp_path):
    text = "\ufeffi have a red big ball\r\n\nshe has a wooden old box".encode()
    (tmp_path / "a.txt").write_bytes(text)
    arguments = ["--orderer", orderer, "--threshold", 0]
    expected = run("check-order", tmp_path / "a.txt", *arguments).output
    assert "suggestion" in expected
    assert run("check-order", "-", *arguments, text=text).output == expected
    assert run("check-order", *arguments, text=text).output == expected
    rows = run("check-order", *arguments, "--format", "json", text=text).output.splitlines()
    assert {json.loads(row)["label"] for row in rows} == {"ODD"}
