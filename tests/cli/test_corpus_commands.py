"""Commands for corpora and trained pipelines: convert, check, word-classes, evaluate, finish."""

import shutil

import pytest
import spacy
import srsly
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_joint.corpora.conllu import create_conllu_corpus, read_conllu
from spacy_joint.tokenization.exceptions import create_exceptions_adder

from .jackknifing import read_docs


@pytest.fixture
def converted(run, assets, tmp_path):
    path = tmp_path / "train.spacy"
    run("convert", assets / "tiny_train.conllu", path)
    return path


def test_converted_documents_are_those_of_the_files_that_are_not_left_out(run, assets, converted, tmp_path):
    corpora = assets / "tiny_train.conllu", assets / "tiny_dev.conllu"
    expected = [doc.to_json() for doc in read_conllu(corpora[0], Vocab())]
    assert [doc.to_json() for doc in read_docs(converted)] == expected
    run("convert", *corpora, tmp_path / "some.spacy", "--leave-out", "chat-")
    assert 0 < len(DocBin().from_disk(tmp_path / "some.spacy")) < len(expected) + 4


@pytest.mark.parametrize(
    ("suffix", "options", "sizes"),
    [("conllu", ["--documents", 2], {1, 2}), ("ptb", [], {1}), ("ptb", ["--documents", 10], {10, 9})],
)
def test_documents_can_be_a_number_of_sentences(run, assets, tmp_path, suffix, options, sizes):
    run("convert", assets / f"tiny_train.{suffix}", tmp_path / "a.spacy", *options)
    docs = read_docs(tmp_path / "a.spacy")
    lengths = [len(list(doc.sents)) for doc in docs]
    assert sum(lengths) == 119 and set(lengths) == sizes
    assert suffix == "conllu" or sum(len(doc.spans["constituents"]) for doc in docs) > 500


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


def test_word_classes_are_learnt_from_all_formats_alike(run, assets, converted, tmp_path):
    run("word-classes", assets / "tiny_train.conllu", "--output", tmp_path / "a.msgpack")
    run("word-classes", converted, "--output", tmp_path / "b.msgpack")
    classes = srsly.read_msgpack(tmp_path / "a.msgpack")
    assert classes == srsly.read_msgpack(tmp_path / "b.msgpack")
    assert {len(row) for row in classes.values()} == {4}
    assert {row[3] for row in classes.values()} <= set(range(7))


def test_evaluation_agrees_with_spacy_where_both_measure(run, assets, saved_pipeline, read_examples, tmp_path):
    corpus, output = assets / "tiny_dev.conllu", tmp_path / "scores.json"
    assert "Raw text: sentences, F1" in run("evaluate", saved_pipeline, corpus, "--raw-text", "-o", output).stdout
    scores = srsly.read_json(output)
    nlp = spacy.load(saved_pipeline)
    expected = nlp.evaluate(read_examples(nlp, "dev"))
    for name in ("tag_acc", "boundary_f", "sents_f", "dep_las", "dep_las_punct"):
        assert scores[name] == pytest.approx(expected[name])
    assert not {f"{raw}{name}" for raw in ("", "raw_") for name in UNTRAINED}.intersection(scores)
    assert scores["words"] == 256 and scores["documents"] == 4 and scores["speed"] > 0
    assert 0.9 < scores["raw_words_f"] <= 1
    assert scores["raw_words_f"] > scores["raw_uas_f"] > scores["raw_las_f"] > 0
    nlp.remove_pipe("joint_sbd_parser")
    nlp.to_disk(tmp_path / "tagger")
    printed = run("evaluate", tmp_path / "tagger", corpus).stdout
    assert "Tag accuracy" in printed and not any(name in printed for name in ("Boundaries", "sentences", "UAS", "LAS"))


def test_evaluation_can_take_unpunctuated_text_and_store_its_scores_in_the_pipeline(
    run, assets, saved_pipeline, tmp_path
):
    nlp, output = shutil.copytree(saved_pipeline, tmp_path / "pipeline"), tmp_path / "scores.json"
    options = ("--update-meta", "--output", output, "--unpunctuated", "--beam-width", 2)
    assert "unpunctuated" in run("evaluate", nlp, assets / "tiny_dev.conllu", *options).stdout
    scores = srsly.read_json(output)
    assert scores["words"] < 256
    assert spacy.load(nlp).meta["performance"]["boundary_f"] == pytest.approx(scores["boundary_f"])


def test_a_finished_pipeline_is_smaller_and_predicts_the_same(run, saved_pipeline, write_text, tmp_path):
    (output := tmp_path / "outputs").mkdir()
    meta = write_text("meta.json", '{"license": "CC0"}')
    for _ in range(2):
        run("finish", saved_pipeline, output / "finished", "--meta", meta)
        assert [path.name for path in output.iterdir()] == ["finished"]
    assert list(saved_pipeline.rglob("learning")) and not list(output.rglob("learning"))
    text = "hi nora it's me i'm late call me"
    nlp = spacy.load(output / "finished")
    assert spacy.load(saved_pipeline)(text).to_json() == nlp(text).to_json()
    assert nlp.meta["license"] == "CC0"


@pytest.mark.parametrize(("options", "threads"), [((), 1), (("--components.joint_sbd_parser.model.threads", "2"), 2)])
def test_a_finished_pipeline_predicts_in_one_thread_unless_told_otherwise(
    run, saved_pipeline, tmp_path, options, threads
):
    nlp = spacy.load(saved_pipeline, config={"components.joint_sbd_parser.model.threads": 3})
    nlp.to_disk(tmp_path / "trained")
    run("finish", tmp_path / "trained", tmp_path / "finished", *options)
    assert spacy.load(tmp_path / "finished").get_pipe("joint_sbd_parser").perceptron.threads == threads


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


UNTRAINED = ("pos_acc", "morph_acc", "lemma_acc", "pos_f", "morph_f", "lemma_f")

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


def test_tokenizer_exceptions_are_learnt_from_treebanks(run, assets, zudem, tmp_path):
    output = tmp_path / "exceptions.json"

    def learn(treebank, *options):
        printed = run("tokenizer-exceptions", treebank, "--output", output, "--min-count", 1, *options).stdout
        return printed, srsly.read_json(output)

    _, learnt = learn(assets / "tiny_train.conllu")
    assert all("".join(pieces) == string for string, pieces in learnt.items())
    # Some words only look like multiword tokens, and some tokenizers take no exceptions.
    assert learn(zudem, "--tokenizer", "spacy.Tokenizer.v1", "--language", "de")[1] == {}
    chinese = ("--language", "zh", "--tokenizer", "spacy.zh.ChineseTokenizer")
    printed, learnt = learn(assets / "tiny_chinese_train.conllu", *chinese)
    assert "takes no exceptions" in printed and learnt == {}
    nlp = spacy.blank("zh")
    tokenizer = nlp.tokenizer
    assert create_exceptions_adder({})(nlp).tokenizer is create_exceptions_adder(None)(nlp).tokenizer is tokenizer


@pytest.mark.parametrize("options", [[], ["--keep-lines"]])
def test_conllu_is_converted_and_back(run, zudem, tmp_path, options):
    run("convert", zudem, tmp_path / "zudem.spacy", *options)
    run("convert", tmp_path / "zudem.spacy", tmp_path / "back.conllu")
    back = (tmp_path / "back.conllu").read_text(encoding="utf8")
    assert back.count("1-2\tzum\t") == 3
    assert (back == zudem.read_text(encoding="utf8")) == bool(options)


def test_subtypes_are_cut_and_paragraphs_kept_on_request(run, assets, write_text, tmp_path):
    text = (assets / "tiny_train.conllu").read_text(encoding="utf8").replace("# sent_id", "# newpar\n# sent_id")
    for options in (["--no-subtypes"], ["--subtypes", "--paragraphs"]):
        run("convert", write_text("train.conllu", text), tmp_path / "x.spacy", *options)
        docs = read_docs(tmp_path / "x.spacy")
        assert any(":" in token.dep_ for doc in docs for token in doc) == (len(options) == 2)
        assert any("\n\n" in doc.text for doc in docs) == (len(options) == 2)


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


def test_words_of_a_chinese_pipeline_are_scored_from_raw_text(run, assets, tmp_path):
    path, scores = assets / "tiny_chinese_train.conllu", tmp_path / "scores.json"
    tokenizer = {"@tokenizers": "spacy_joint.CharacterTokenizer.v1", "table_bits": 14}
    nlp = spacy.blank("zh", config={"nlp": {"tokenizer": tokenizer}})
    nlp.add_pipe("sentencizer")
    nlp.initialize(lambda: create_conllu_corpus(path)(nlp))
    nlp.to_disk(tmp_path / "pipeline")
    printed = run("evaluate", tmp_path / "pipeline", path, "--raw-text", "-o", scores).stdout
    assert "words, precision" in printed and "words, recall" in printed
    found = srsly.read_json(scores)
    assert found["raw_words_p"] == found["raw_words_r"] == found["raw_words_f"] == 1
