"""Commands for corpora and trained pipelines: convert, check, word-classes, evaluate, finish."""

import json
import os
import shutil
from pathlib import Path

import pytest
import spacy
import srsly
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_joint.corpora.conllu import create_conllu_corpus, read_conllu
from spacy_joint.tokenization.exceptions import create_exceptions_adder


@pytest.fixture
def converted(run, assets, tmp_path):
    path = tmp_path / "train.spacy"
    run("convert", assets / "tiny_train.conllu", path)
    return path


def test_converted_documents_are_those_of_the_file(converted, assets):
    expected = list(read_conllu(assets / "tiny_train.conllu", Vocab()))
    docs = list(DocBin().from_disk(converted).get_docs(Vocab()))
    assert [doc.text for doc in docs] == [doc.text for doc in expected]
    assert [doc.to_json() for doc in docs] == [doc.to_json() for doc in expected]


def test_documents_can_be_a_number_of_sentences(run, assets, tmp_path):
    run("convert", assets / "tiny_train.conllu", tmp_path / "pairs.spacy", "--documents", 2)
    docs = list(DocBin().from_disk(tmp_path / "pairs.spacy").get_docs(Vocab()))
    assert {len(list(doc.sents)) for doc in docs} == {1, 2}


def test_trees_in_brackets_are_converted(run, assets, tmp_path):
    run("convert", assets / "tiny_train.ptb", tmp_path / "trees.spacy")
    assert len(DocBin().from_disk(tmp_path / "trees.spacy")) == 119
    run("convert", assets / "tiny_train.ptb", tmp_path / "ten.spacy", "--documents", 10)
    docs = list(DocBin().from_disk(tmp_path / "ten.spacy").get_docs(Vocab()))
    assert [len(list(doc.sents)) for doc in docs] == [10] * 11 + [9]
    assert sum(len(doc.spans["constituents"]) for doc in docs) > 500


def test_an_unknown_corpus_is_refused(run, tmp_path):
    path = tmp_path / "corpus.pdf"
    path.touch()
    for command in (["convert", path, tmp_path / "x.spacy"], ["check", path], ["word-classes", path, "-o", "x"]):
        assert "[J040]" in run(*command, fails=True).stderr
    assert "[J101]" in run("check", tmp_path / "missing", fails=True).stderr
    assert "has no .conllu or .spacy or .ptb" in run("check", tmp_path, fails=True).stderr


@pytest.mark.parametrize("output", ["x.spacy", "x.conllu", "x.discbracket"])
def test_a_treebank_without_trees_is_refused(run, write_text, tmp_path, output):
    assert "[J413]" in run("convert", write_text("empty.ptb", ""), tmp_path / output, fails=True).stderr
    assert not (tmp_path / output).exists()


def test_nothing_is_written_to_a_file_of_an_unknown_type(run, assets, tmp_path):
    for command in (["convert", assets / "tiny_train.conllu"], ["convert-quotes", tmp_path]):
        assert "[J040]" in run(*command, tmp_path / "corpus.txt", fails=True).stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "command", [("check",), ("tokenizer-exceptions", "--output", "x"), ("word-classes", "-o", "x")]
)
def test_an_unknown_language_is_refused(run, assets, command):
    assert "[E048]" in run(*command, assets / "tiny_train.conllu", "--language", "zz", fails=True).stderr


def test_check_describes_a_corpus(run, assets, converted):
    described = run("check", assets / "tiny_train.conllu").stdout
    for row in ("Documents 12", "Sentences 119", "Words 937", "Non-projective trees 5 (4.2 %)", "ROOT 119"):
        assert row in " ".join(described.split())
    # Below the names of the files.
    assert described.partition("Documents")[2] == run("check", converted).stdout.partition("Documents")[2]


def test_check_warns_of_unusable_training_data(run, tmp_path):
    docs = [Doc(Vocab(), words=["hi", "there"])] * 2
    DocBin(docs=docs).to_disk(tmp_path / "bare.spacy")
    warned = run("check", tmp_path / "bare.spacy").stdout
    for what in ("no sentence boundaries", "no trees", "no tags", "no parts of speech"):
        assert what in warned
    docs = [Doc(Vocab(), words=["hi", "there"], sent_starts=[True, False])] * 2
    DocBin(docs=docs).to_disk(tmp_path / "cut.spacy")
    assert "All documents have one sentence" in run("check", tmp_path / "cut.spacy").stdout


def test_a_corpus_without_words_is_refused(run, saved_pipeline, tmp_path):
    DocBin(docs=[Doc(Vocab())]).to_disk(tmp_path / "empty.spacy")
    assert "[J413]" in run("check", tmp_path / "empty.spacy", fails=True).stderr
    assert "[J413]" in run("evaluate", saved_pipeline, tmp_path / "empty.spacy", fails=True).stderr
    assert "[J330]" in run("word-classes", tmp_path / "empty.spacy", "-o", tmp_path / "x", fails=True).stderr


def test_word_classes_need_utf8(run, tmp_path):
    (tmp_path / "text.txt").write_bytes(b"one\ncaf\xe9")
    failed = run("word-classes", tmp_path / "text.txt", "--output", tmp_path / "x", fails=True).stderr
    assert "[J403]" in failed and "line 2" in failed


def test_word_classes_are_learnt_from_all_formats_alike(run, assets, converted, tmp_path):
    run("word-classes", assets / "tiny_train.conllu", "--output", tmp_path / "a.msgpack")
    run("word-classes", converted, "--output", tmp_path / "b.msgpack")
    classes = srsly.read_msgpack(tmp_path / "a.msgpack")
    assert classes == srsly.read_msgpack(tmp_path / "b.msgpack")
    assert {len(row) for row in classes.values()} == {4}
    assert {row[3] for row in classes.values()} <= set(range(7))


def test_evaluation_agrees_with_spacy_where_both_measure(run, assets, saved_pipeline, read_examples, tmp_path):
    run("evaluate", saved_pipeline, assets / "tiny_dev.conllu", "--output", tmp_path / "scores.json")
    scores = json.loads((tmp_path / "scores.json").read_text())
    nlp = spacy.load(saved_pipeline)
    expected = nlp.evaluate(read_examples(nlp, "dev"))
    for name in ("tag_acc", "boundary_f", "sents_f", "dep_las", "dep_las_punct"):
        assert scores[name] == pytest.approx(expected[name])
    assert not {"pos_acc", "morph_acc", "lemma_acc"}.intersection(scores)
    assert scores["words"] == 256 and scores["documents"] == 4 and scores["speed"] > 0
    nlp.remove_pipe("joint_sbd_parser")
    nlp.to_disk(tmp_path / "tagger")
    printed = run("evaluate", tmp_path / "tagger", assets / "tiny_dev.conllu").stdout
    assert "Tag accuracy" in printed and not any(name in printed for name in ("Boundaries", "sentences", "UAS", "LAS"))


def test_scores_of_an_evaluation_can_be_stored_in_the_pipeline(run, assets, saved_pipeline, tmp_path):
    shutil.copytree(saved_pipeline, tmp_path / "pipeline")
    run("evaluate", tmp_path / "pipeline", assets / "tiny_dev.conllu", "--update-meta")
    assert spacy.load(tmp_path / "pipeline").meta["performance"]["boundary_f"] > 0.5


def test_evaluation_can_take_unpunctuated_text(run, assets, saved_pipeline, tmp_path):
    arguments = [saved_pipeline, assets / "tiny_dev.conllu", "--output", tmp_path / "scores.json"]
    assert "unpunctuated" in run("evaluate", *arguments, "--unpunctuated", "--beam-width", 2).stdout
    assert json.loads((tmp_path / "scores.json").read_text())["words"] < 256


def test_a_finished_pipeline_is_smaller_and_predicts_the_same(run, saved_pipeline, tmp_path):
    run("finish", saved_pipeline, tmp_path / "finished")
    assert list(saved_pipeline.rglob("learning")) and not list((tmp_path / "finished").rglob("learning"))
    text = "hi nora it's me i'm late call me"
    docs = [spacy.load(path)(text) for path in (saved_pipeline, tmp_path / "finished")]
    assert docs[0].to_json() == docs[1].to_json()
    run("finish", saved_pipeline, tmp_path / "finished")
    assert [path.name for path in tmp_path.iterdir()] == ["finished"]


def test_a_finished_pipeline_has_the_given_metadata(run, saved_pipeline, write_text, tmp_path):
    run("finish", saved_pipeline, tmp_path / "finished", "--meta", write_text("meta.json", '{"license": "CC0"}'))
    assert spacy.load(tmp_path / "finished").meta["license"] == "CC0"


@pytest.mark.parametrize(("options", "threads"), [((), 1), (("--components.joint_sbd_parser.model.threads", "2"), 2)])
def test_a_finished_pipeline_predicts_in_one_thread_unless_told_otherwise(
    run, saved_pipeline, tmp_path, options, threads
):
    nlp = spacy.load(saved_pipeline, config={"components.joint_sbd_parser.model.threads": 3})
    nlp.to_disk(tmp_path / "trained")
    run("finish", tmp_path / "trained", tmp_path / "finished", *options)
    assert spacy.load(tmp_path / "finished").get_pipe("joint_sbd_parser").perceptron.threads == threads


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--components.joint_sbd_parser.model.beam_width", 0), "[J030]"),
        (("--components.joint_sbd_parser.line_breaks", 3), "line_breaks"),
        (("--components.chunker.beam_width", 4), "not a section"),
        (("--meta", "list.json"), "[J464] list.json"),
    ],
)
def test_what_does_not_fit_a_pipeline_is_refused(run, saved_pipeline, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    Path("list.json").write_text("[3]", encoding="utf8")
    assert message in run("finish", saved_pipeline, "finished", *arguments, fails=True).output
    assert os.listdir() == ["list.json"]


def test_only_a_pipeline_can_be_finished(run, tmp_path):
    assert "[E053]" in run("finish", tmp_path, tmp_path / "finished", fails=True).stderr


def test_documents_can_be_left_out(run, assets, tmp_path):
    corpora = assets / "tiny_train.conllu", assets / "tiny_dev.conllu"
    run("convert", *corpora, tmp_path / "all.spacy")
    run("convert", *corpora, tmp_path / "some.spacy", "--leave-out", "chat-")
    sizes = [len(DocBin().from_disk(tmp_path / name)) for name in ("all.spacy", "some.spacy")]
    assert sizes[0] > sizes[1] > 0
    for regex, code in (("(", "J030"), (".*", "J413")):
        assert f"[{code}]" in run("convert", *corpora, tmp_path / "x.spacy", "--leave-out", regex, fails=True).stderr


def test_evaluate_also_scores_raw_text(run, saved_pipeline, assets, tmp_path):
    output = tmp_path / "scores.json"
    result = run("evaluate", saved_pipeline, assets / "tiny_dev.conllu", "--raw-text", "--output", output)
    assert "Raw text: sentences, F1" in result.stdout
    scores = srsly.read_json(output)
    assert 0.9 < scores["raw_words_f"] <= 1
    assert scores["raw_words_f"] > scores["raw_uas_f"] > scores["raw_las_f"] > 0
    assert not {"raw_pos_f", "raw_morph_f", "raw_lemma_f"}.intersection(scores)


def test_evaluate_scores_parts_of_speech_features_and_lemmas(run, full_pipeline, assets, tmp_path, read_examples):
    output = tmp_path / "scores.json"
    result = run("evaluate", full_pipeline, assets / "tiny_train.conllu", "--raw-text", "--output", output)
    for title in ("Morphological features", "Lemmas", "Raw text: morphological features, F1", "Raw text: lemmas, F1"):
        assert title in result.stdout
    scores = srsly.read_json(output)
    nlp = spacy.load(full_pipeline)
    expected = nlp.evaluate(read_examples(nlp))
    for name in ("pos_acc", "morph_acc", "lemma_acc"):
        assert scores[name] == pytest.approx(expected[name]) and scores[name] > 0.8
    for name in ("raw_pos_f", "raw_morph_f", "raw_lemma_f"):
        assert 0.8 < scores[name] <= scores["raw_words_f"]


@pytest.mark.parametrize(
    ("options", "code"), [(["--unpunctuated"], "J155"), (["--gold-sentences"], "J155"), ([], "J716")]
)
def test_raw_text_comes_from_conllu_and_has_no_gold_annotation(run, saved_pipeline, assets, converted, options, code):
    corpus = assets / "tiny_dev.conllu" if options else converted
    assert f"[{code}]" in run("evaluate", saved_pipeline, corpus, "--raw-text", *options, fails=True).stderr


def test_tokenizer_exceptions_are_learnt_from_treebanks(run, assets, tmp_path):
    output = tmp_path / "exceptions.json"
    run("tokenizer-exceptions", assets / "tiny_train.conllu", "--output", output, "--min-count", 1)
    assert all("".join(pieces) == string for string, pieces in srsly.read_json(output).items())
    run("tokenizer-exceptions", tmp_path / "none.conllu", "--output", output, fails=True)


ZUDEM = """
1-2 zum _ _ _ _ _ _ _ _
1 zu zu ADP APPR _ 3 case _ _
2 dem der DET ART _ 3 det _ _
3 See See NOUN NN _ 0 root 0:root _
4 zudem zudem ADV ADV _ 3 advmod 3:advmod SpacesAfter=\\n
"""


@pytest.fixture
def zudem(tmp_path):
    path = tmp_path / "zudem.conllu"
    sentence = "\n".join("\t".join(line.split(" ")) for line in ZUDEM.strip().split("\n"))
    path.write_text(f"{sentence}\n\n" * 3, encoding="utf8")
    return path


def test_tokenizer_exceptions_do_not_split_what_only_looks_like_a_multiword_token(run, zudem, tmp_path):
    output = tmp_path / "exceptions.json"
    options = ["--tokenizer", "spacy.Tokenizer.v1", "--language", "de"]
    run("tokenizer-exceptions", zudem, "--output", output, "--min-count", 1, *options)
    assert srsly.read_json(output) == {}


@pytest.mark.parametrize("options", [[], ["--keep-lines"]])
def test_conllu_is_converted_and_back(run, zudem, tmp_path, options):
    run("convert", zudem, tmp_path / "zudem.spacy", *options)
    run("convert", tmp_path / "zudem.spacy", tmp_path / "back.conllu")
    back = (tmp_path / "back.conllu").read_text(encoding="utf8")
    assert back.count("1-2\tzum\t") == 3
    assert (back == zudem.read_text(encoding="utf8")) == bool(options)


def test_subtypes_are_cut_on_request(run, assets, tmp_path):
    for option in ("--subtypes", "--no-subtypes"):
        run("convert", assets / "tiny_train.conllu", tmp_path / "x.spacy", option)
        labels = {token.dep_ for doc in DocBin().from_disk(tmp_path / "x.spacy").get_docs(Vocab()) for token in doc}
        assert any(":" in label for label in labels) == (option == "--subtypes")


def test_paragraphs_are_kept_on_request(run, assets, write_text, tmp_path):
    text = (assets / "tiny_train.conllu").read_text(encoding="utf8").replace("# sent_id", "# newpar\n# sent_id")
    for options in ([], ["--paragraphs"]):
        run("convert", write_text("train.conllu", text), tmp_path / "x.spacy", *options)
        docs = DocBin().from_disk(tmp_path / "x.spacy").get_docs(Vocab())
        assert any("\n\n" in doc.text for doc in docs) == bool(options)


def test_raw_text_is_scored_with_multiword_tokens(run, zudem, tmp_path):
    nlp = spacy.blank("de")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("multiword_expander")
    docs = list(read_conllu(zudem, nlp.vocab))
    nlp.initialize(lambda: [Example(doc, doc) for doc in docs])
    nlp.to_disk(tmp_path / "pipeline")
    run("evaluate", tmp_path / "pipeline", zudem, "--raw-text", "--output", tmp_path / "scores.json")
    scores = srsly.read_json(tmp_path / "scores.json")
    assert scores["raw_tokens_f"] == scores["raw_words_f"] == 1


def test_check_compares_a_tokenizer_with_the_corpus(run, assets, saved_pipeline, tmp_path):
    path = assets / "tiny_train.conllu"
    assert "Words, F1" not in run("check", path).stdout
    checked = run("check", path, "--language", "en").stdout
    assert "Words, precision" in checked and "Words, F1" in checked
    whole = Doc(Vocab(), words=["don't", "stop", *["word"] * 20])
    DocBin(docs=[whole]).to_disk(tmp_path / "whole.spacy")
    named = ("--language", "en", "--tokenizer", "spacy_joint.UdEnglishTokenizer.v1")
    assert "JW20" in run("check", tmp_path / "whole.spacy", *named).stdout
    assert "Words, F1" in run("check", path, "--model", saved_pipeline).stdout
    assert "[J505]" in run("check", assets / "tiny_chinese_train.conllu", "--language", "en", fails=True).stderr


def test_tokenizers_that_take_no_exceptions_can_be_named(run, assets, tmp_path):
    output = tmp_path / "exceptions.json"
    named = ("--language", "zh", "--tokenizer", "spacy.zh.ChineseTokenizer")
    assert (
        "takes no exceptions"
        in run("tokenizer-exceptions", assets / "tiny_chinese_train.conllu", "-o", output, *named).stdout
    )
    assert json.loads(output.read_text(encoding="utf8")) == {}
    nlp = spacy.blank("zh")
    tokenizer = nlp.tokenizer
    assert create_exceptions_adder({})(nlp).tokenizer is create_exceptions_adder(None)(nlp).tokenizer is tokenizer


def test_words_of_a_chinese_pipeline_are_scored_from_raw_text(run, assets, small_model, train, tmp_path):
    path = assets / "tiny_chinese_train.conllu"
    tokenizer = {"@tokenizers": "spacy_joint.CharacterTokenizer.v1", "table_bits": 14}
    nlp = spacy.blank("zh", config={"nlp": {"tokenizer": tokenizer}})
    nlp.add_pipe("joint_sbd_parser", config={"model": small_model})
    examples = list(create_conllu_corpus(path)(nlp))
    nlp.initialize(lambda: examples)
    train(nlp, examples, epochs=1).to_disk(tmp_path / "pipeline")
    scores = tmp_path / "scores.json"
    printed = run("evaluate", tmp_path / "pipeline", path, "--raw-text", "-o", scores).stdout
    assert "words, precision" in printed and "words, recall" in printed
    found = json.loads(scores.read_text(encoding="utf8"))
    assert found["raw_words_p"] == found["raw_words_r"] == found["raw_words_f"] == 1
