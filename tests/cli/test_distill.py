"""Training documents from raw text: what they are, and that a run can be interrupted."""

import numpy as np
import pytest
import spacy
import srsly
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_joint.annotation.custom_columns import read_column, write_column
from spacy_joint.corpora.examples import make_example
from spacy_joint.training.distillation import Distillation

from .jackknifing import read_docs

LETTER = 'A HEADING\n\nWe met Nora. She paid\n5 % more, didn\'t she?\n\n"Well," I said, "no."\n'
EPISODES = "We met Nora.\nShe paid.\n\nIt rained all night.\nWe left early.\nThey stayed.\n"
# Files of one document or two.
SMALL = ("--lines", "--words", 2, "--shard-words", 5)


@pytest.fixture
def letter(write_text):
    return write_text("letter.txt", LETTER)


@pytest.fixture
def episodes(write_text):
    return write_text("episodes.txt", EPISODES)


def read(directory):
    return [doc for path in sorted(directory.glob("*.spacy")) for doc in read_docs(path)]


def read_bytes(directory):
    return {path.name: path.read_bytes() for path in directory.glob("*.spacy")}


def list_sentences(doc):
    return [sentence.text for sentence in doc.sents]


def test_each_document_comes_as_it_is_and_without_punctuation(run, letter, tmp_path):
    run("distill", letter, "--output", tmp_path / "silver")
    original, unpunctuated = read(tmp_path / "silver")
    assert original.text.startswith('We met Nora. She paid 5 % more, didn\'t she? "Well,"')
    assert unpunctuated.text.startswith("we met nora she paid 5 % more did n't she well ")
    for doc in (original, unpunctuated):
        assert all(token.tag_ and token.dep_ for token in doc)
    # Boundaries can be those of the punctuated text.
    run("distill", letter, "--output", tmp_path / "projected", "--projected", "--kind", "unpunctuated")
    (doc,) = read(tmp_path / "projected")
    assert list_sentences(doc)[:2] == ["we met nora", "she paid 5 % more did n't she"]


@pytest.mark.parametrize("option", ["--own", "--projected"])
def test_a_paragraph_begins_a_sentence(run, tmp_path, option):
    (tmp_path / "turns.txt").write_text("I think the.\nOld man left.\n", "utf8")
    run("distill", tmp_path / "turns.txt", "--output", tmp_path / "silver", "--lines", option)
    assert [[sentence.text.lower() for sentence in doc.sents] for doc in read(tmp_path / "silver")] == [
        ["i think the.", "old man left."],
        ["i think the", "old man left"],
    ]


@pytest.mark.parametrize("option", ["--own", "--projected"])
def test_another_pipeline_can_tag_the_documents(run, letter, tmp_path, small_model, option):
    nlp = spacy.blank("en")
    nlp.add_pipe("sequence_tagger", config={"model": small_model})
    nlp.initialize(lambda: [make_example(Doc(nlp.vocab, words=["we"], tags=["X"]))])
    nlp.to_disk(tmp_path / "tagger")
    run("distill", letter, "--output", tmp_path / "silver", "--tagger", tmp_path / "tagger", option)
    for doc in read(tmp_path / "silver"):
        assert {token.tag_ for token in doc} == {"X"}
        assert doc.has_annotation("DEP")


@pytest.mark.parametrize("option", ["--own", "--projected"])
def test_documents_keep_their_boundaries_and_pauses(run, tmp_path, option):
    words = ["So", "we", "left", ".", "They", ",", "uh", ",", "stayed", "."]
    starts = [True, False, True, False, False, False, False, False, True, False]
    spoken = Doc(Vocab(), words=words, sent_starts=starts)
    plain = spoken.copy()
    write_column(spoken, "pause", np.array([np.nan, 0, 1.5, 0, 0, 0, 0.2, 0, 0.4, 0]))
    DocBin(docs=[spoken, plain], store_user_data=True).to_disk(tmp_path / "calls.spacy")
    run("distill", tmp_path / "calls.spacy", "--output", tmp_path / "silver", option)
    docs = read(tmp_path / "silver")
    assert [list_sentences(doc) for doc in docs] == [
        ["So we", "left . They , uh ,", "stayed ."],
        *[["so we", "left they uh", "stayed"]] * 2,
        ["So we", "left . They , uh ,", "stayed ."],
        ["so we", "left they uh", "stayed"],
    ]
    assert all(token.tag_ and token.dep_ for doc in docs for token in doc)
    pauses = [read_column(doc, "pause") for doc in docs]
    assert [column is None for column in pauses] == [False, True, False, True, True]
    np.testing.assert_array_equal(pauses[2], [np.nan, 0, 1.5, 0, 0.2, 0.4])


def test_unpunctuated_documents_can_keep_their_marks_and_find_their_own_boundaries(run, tmp_path):
    known = Doc(Vocab(), words=["We", "met", "Nora", ",", "she", "paid", "."], sent_starts=[1, 1, 0, 0, 1, 0, 0])
    DocBin(docs=[known]).to_disk(tmp_path / "calls.spacy")
    run("distill", tmp_path / "calls.spacy", "--output", tmp_path / "marked", "--kind", "unpunctuated", "--marks")
    (doc,) = read(tmp_path / "marked")
    assert doc.text == "we met nora she paid "
    assert doc._.restored_text == "We met Nora, she paid. "
    assert [token._.restored for token in doc] == ["We", None, "Nora,", None, "paid."]
    assert list_sentences(doc) == ["we met nora", "she paid"]


def test_lines_may_be_paragraphs_and_a_directory_stands_for_its_files(run, episodes, tmp_path):
    (tmp_path / "texts").mkdir()
    episodes.rename(tmp_path / "texts" / "episodes.txt")
    run("distill", tmp_path / "texts", "--output", tmp_path / "silver", "--lines", "--kind", "original")
    assert [list_sentences(doc) for doc in read(tmp_path / "silver")] == [
        ["We met Nora.", "She paid."],
        ["It rained all night.", "We left early.", "They stayed."],
    ]


def test_documents_are_limited_evenly(run, episodes, tmp_path):
    options = ("--lines", "--kind", "original", "--words", 2)
    run("distill", episodes, "--output", tmp_path / "all", *options)
    run("distill", episodes, "--output", tmp_path / "some", *options, "--limit", 2)
    everything, some = ([doc.text for doc in read(tmp_path / name)] for name in ("all", "some"))
    assert len(everything) > len(some) == 2
    assert some == [everything[2], everything[4]]


def test_files_are_of_bounded_size_and_listed(run, episodes, tmp_path):
    printed = run("distill", episodes, "-o", tmp_path / "silver", *SMALL).stdout
    docs = read(tmp_path / "silver")
    manifest = srsly.read_json(tmp_path / "silver" / "manifest.json")
    assert sorted(manifest["shards"]) == sorted(read_bytes(tmp_path / "silver"))
    assert len(manifest["shards"]) > 1
    assert sum(size["documents"] for size in manifest["shards"].values()) == len(docs)
    assert sum(size["words"] for size in manifest["shards"].values()) == sum(map(len, docs))
    assert manifest["teacher"]["name"] == "joint_english"
    assert f"{len(docs)} documents" in " ".join(printed.split())


def test_an_interrupted_run_continues_and_any_number_of_processes_gives_the_same_bytes(
    run, episodes, tmp_path, monkeypatch
):
    arguments = ("distill", episodes, *SMALL, "--output")
    run(*arguments, tmp_path / "whole")
    run(*arguments, tmp_path / "two", "--workers", 2)
    assert read_bytes(tmp_path / "two") == read_bytes(tmp_path / "whole")
    write_shard = Distillation._write_shard

    def interrupt(self, shard, passages):
        if shard.stem == "00001":
            raise InterruptedError
        write_shard(self, shard, passages)

    with monkeypatch.context() as patch:
        patch.setattr(Distillation, "_write_shard", interrupt)
        run(*arguments, tmp_path / "silver", fails=True)
    assert list(read_bytes(tmp_path / "silver")) == ["00000.spacy"]
    assert "00000: unchanged" in run(*arguments, tmp_path / "silver").stdout
    assert read_bytes(tmp_path / "silver") == read_bytes(tmp_path / "whole")


def test_files_of_an_earlier_run_with_more_text_are_removed(run, episodes, tmp_path):
    for limit in (0, 1):
        arguments = ("--lines", "--words", 2, "--shard-words", 2, "--limit", limit)
        run("distill", episodes, "--output", tmp_path / "silver", *arguments)
        # Files of the user.
        for name in ("thesis.spacy", "steps/thesis.json"):
            (tmp_path / "silver" / name).touch()
    assert sorted(read_bytes(tmp_path / "silver")) == ["00000.spacy", "thesis.spacy"]
    assert (tmp_path / "silver/steps/thesis.json").exists()
