"""The sequence tagger as a component: tags, and optional sentence boundaries."""

from functools import cache

import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.training import Example

from spacy_joint.corpora.examples import make_example
from spacy_joint.errors import JointWarning

WORDS = ["hello", "how", "are", "you", "i", "saw", "the", "thanks", ".", "\n", "  "]


@pytest.fixture(scope="module")
def make_tagger(initialize, read_examples, train):
    """Create a pipeline with a trained tagger, once for each setting. Shared: do not change it."""

    @cache
    def make(**config):
        nlp = initialize("sequence_tagger", keep=(), **config)
        return train(nlp, read_examples(nlp))

    return make


@pytest.fixture(scope="module")
def segmenter(make_tagger):
    """A tagger that also predicts sentence starts."""
    return make_tagger(sentence_starts=True)


@pytest.mark.parametrize(
    ("attribute", "score", "order"), [("TAG", "tag_acc", 0), ("TAG", "tag_acc", 2), ("POS", "pos_acc", 1)]
)
def test_it_predicts_tags_or_parts_of_speech_with_any_order(make_tagger, read_examples, attribute, score, order):
    nlp = make_tagger(attribute=attribute, order=order)
    scores = nlp.evaluate(read_examples(nlp))
    assert scores[score] > 0.8
    assert scores.keys() & {"tag_acc", "pos_acc"} == {score}
    assert nlp.config["training"]["score_weights"][score]
    doc = nlp("hello there")
    assert doc.has_annotation(attribute)
    assert not doc.has_annotation("POS" if attribute == "TAG" else "TAG")
    assert all(token.is_sent_start is None for token in doc[1:])


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"order": -1}, r"J030.*-1"), ({"order": 3}, r"J030.*3"), ({"attribute": "LEMMA"}, r"J040.*'LEMMA'.*TAG, POS")],
)
def test_other_orders_and_attributes_are_refused(initialize, settings, message):
    with pytest.raises(ValueError, match=message):
        initialize("sequence_tagger", **settings)


def test_labels_that_are_no_parts_of_speech_are_refused():
    nlp = spacy.blank("en")
    tagger = nlp.add_pipe("sequence_tagger", config={"attribute": "POS"})
    example = Example(nlp.make_doc("a"), nlp.make_doc("a"))
    for use in (lambda: tagger.add_label("NN"), lambda: tagger.initialize(lambda: [example], labels=["NN", "VERB"])):
        with pytest.raises(ValueError, match=r"\[J040\].*'NN'.*NOUN"):
            use()


def test_too_many_labels_are_refused_at_once():
    nlp = spacy.blank("en")
    tagger = nlp.add_pipe("sequence_tagger")
    example = Example(nlp.make_doc("a"), nlp.make_doc("a"))
    with pytest.raises(ValueError, match=r"\[J031\].*4097"):
        tagger.initialize(lambda: [example], labels=[f"tag{number}" for number in range(4097)])


@pytest.mark.parametrize(("attribute", "expected"), [("tag_", "_SP"), ("pos_", "SPACE")])
def test_whitespace_has_tags_of_its_own(make_tagger, attribute, expected):
    nlp = make_tagger(attribute=attribute.upper().strip("_"))
    doc = nlp("\nhello  there\n\n")
    assert [token.i for token in doc if getattr(token, attribute) == expected] == [0, 2, 4]
    assert expected not in nlp.get_pipe("sequence_tagger").labels


def test_tags_of_whitespace_are_not_learnt(small_model):
    nlp = spacy.blank("en")
    tagger = nlp.add_pipe("sequence_tagger", config={"model": small_model})
    words = ["a", "\n", "b"]
    example = Example(Doc(nlp.vocab, words=words), Doc(nlp.vocab, words=words, tags=["A", "_SP", "B"]))
    nlp.initialize(lambda: [example])
    assert tagger.labels == ("A", "B")
    for _ in range(2):
        nlp.update([example])
    assert [token.tag_ for token in nlp("a \n b")] == ["A", "_SP", "B"]


@pytest.mark.parametrize("sentence_starts", [False, True])
def test_untagged_tokens_are_skipped_and_the_others_learnt(small_model, sentence_starts):
    nlp = spacy.blank("en")
    model = {**small_model, "min_changes": 1}
    tagger = nlp.add_pipe("sequence_tagger", config={"model": model, "sentence_starts": sentence_starts})
    words = ["the", "cat", "saw", "the", "dog"]
    examples = [
        Example(Doc(nlp.vocab, words=words), Doc(nlp.vocab, words=words, tags=tags, sent_starts=[True, *[False] * 4]))
        for tags in (["DT", "NN", "", "DT", "NN"], ["", "NN", "VBD", "DT", ""], ["DT", "", "VBD", "", "NN"])
    ]
    nlp.initialize(lambda: examples)
    assert tagger.make_instances(examples[0])[0].n_actions == 4
    for _ in range(4):
        nlp.update(examples)
    assert [token.tag_ for token in nlp(Doc(nlp.vocab, words=words))] == ["DT", "NN", "VBD", "DT", "NN"]


def test_tokens_with_a_counterpart_are_learnt(small_model):
    nlp = spacy.blank("en")
    nlp.add_pipe("sequence_tagger", config={"model": {**small_model, "rule": "passive_aggressive"}})
    tags = ["PRP", "MD", "RB", "VB", "DT", "NN"]
    reference = Doc(nlp.vocab, words=["we", "can", "not", "see", "the", "cat"], tags=tags)
    words = ["we", "cannot", "see", "the", "cat"]
    example = Example(Doc(nlp.vocab, words=words), reference)
    nlp.initialize(lambda: [Example(reference.copy(), reference)])
    for _ in range(8):
        nlp.update([example])
    doc = nlp(Doc(nlp.vocab, words=words))
    assert [token.tag_ for token in doc if token.text != "cannot"] == ["PRP", "VB", "DT", "NN"]


def test_tags_unseen_at_initialization_are_skipped(make_tagger):
    nlp = make_tagger()
    words = ["hello", "there"]
    tagger = nlp.get_pipe("sequence_tagger")
    reference = Doc(nlp.vocab, words=words, tags=["UH", "NEW"])
    with pytest.warns(JointWarning, match=r"\[JW03\].*'NEW'"):
        assert tagger.make_instances(Example(Doc(nlp.vocab, words=words), reference))[0].n_actions == 1
    reference = Doc(nlp.vocab, words=words, tags=["", "NEW"])
    assert tagger.make_instances(Example(Doc(nlp.vocab, words=words), reference)) == []


def test_predictions_ignore_existing_tags(make_tagger):
    nlp = make_tagger()
    words = ["hello", "there", "how", "are", "you"]
    wrong = Doc(nlp.vocab, words=words, tags=["NN"] * 5, pos=["X"] * 5)
    expected = [token.tag_ for token in nlp(Doc(nlp.vocab, words=words))]
    assert [token.tag_ for token in nlp(wrong)] == expected


# Sentence boundaries


def test_boundaries_are_learnt_too(segmenter, read_examples):
    scores = segmenter.evaluate(read_examples(segmenter))
    assert scores["tag_acc"] > 0.9
    assert scores["boundary_f"] > 0.9


def test_boundaries_are_not_scored_where_they_are_not_predicted(pipeline, read_examples):
    with pipeline.select_pipes(enable=["sequence_tagger"]):
        scores = pipeline.evaluate(read_examples(pipeline))
    assert scores["tag_acc"] > 0.9
    assert scores.get("boundary_f") is None


@settings(max_examples=150)
@given(pairs=st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from([True, False, None])), max_size=20))
def test_preset_boundaries_are_kept_and_whitespace_is_not_a_sentence(segmenter, pairs):
    doc = Doc(segmenter.vocab, words=[word for word, _ in pairs], sent_starts=[start for _, start in pairs] or None)
    doc = segmenter(doc)
    assert sum(len(sentence) for sentence in doc.sents) == len(doc)
    assert doc.text.isspace() or not any(sentence.text.isspace() for sentence in doc.sents)
    first_word = next((token.i for token in doc if not token.text.isspace()), 0)
    forced = False
    for token, (word, start) in zip(doc, pairs, strict=True):
        if word.isspace():
            forced = forced or start is True
            continue
        if token.i > first_word:
            if forced or start is True:
                assert token.is_sent_start is True
            elif start is False:
                assert token.is_sent_start is False
        forced = False


def test_boundaries_of_trees_are_kept(segmenter):
    words = ["hello", "\n", "there", "how"]
    doc = Doc(segmenter.vocab, words=words, heads=[0, 2, 2, 2], deps=["ROOT", "dep", "ROOT", "x"])
    expected = [token.is_sent_start for token in doc]
    assert [token.is_sent_start for token in segmenter(doc)] == expected
    assert doc.has_annotation("TAG")


def test_a_reference_without_boundaries_is_skipped_where_they_are_learnt(segmenter):
    words = ["hello", "there"]
    reference = Doc(segmenter.vocab, words=words, tags=["UH", "RB"])
    tagger = segmenter.get_pipe("sequence_tagger")
    assert tagger.make_instances(Example(Doc(segmenter.vocab, words=words), reference)) == []


def test_a_sentence_start_without_counterpart_does_not_stop_training(segmenter):
    vocab = segmenter.vocab
    reference = Doc(
        vocab, words=["a", "b", "\n", "cc", "d"], tags=["DT", "NN", "_SP", "DT", "NN"], sent_starts=[1, 0, 1, 0, 0]
    )
    predicted = Doc(vocab, words=["a", "b", "c", "c", "d"], spaces=[True, True, False, True, False])
    (instance,) = segmenter.get_pipe("sequence_tagger").make_instances(Example(predicted, reference))
    assert instance.n_actions == len(predicted)


def test_a_parser_after_it_keeps_its_boundaries(segmenter, saved_pipeline):
    nlp = spacy.blank("en")
    nlp.add_pipe("sequence_tagger", source=segmenter)
    nlp.add_pipe("joint_sbd_parser", source=spacy.load(saved_pipeline))
    text = "hey are you up yeah just got back nice"
    assert [token.is_sent_start for token in nlp(text)] == [token.is_sent_start for token in segmenter(text)]


def make_noun(vocab, case):
    morphs = ["", f"Case={case}|Number=Sing", ""]
    words = ["see", {"Nom": "haus", "Acc": "hausa"}[case], "\n"]
    return Doc(vocab, words=words, tags=["V", "N", "_SP"], morphs=morphs)


def test_features_are_predicted_with_tags_and_written_to_a_column(small_model, train):
    nlp = spacy.blank("en")
    nlp.add_pipe("sequence_tagger", config={"model": small_model, "features": ["Case", "Kase"]})
    examples = [make_example(make_noun(nlp.vocab, case)) for case in ("Nom", "Acc")]
    with pytest.raises(ValueError, match=r"\[J030\].*such as 'NOUN Case=Acc'"):
        nlp.get_pipe("sequence_tagger").initialize(lambda: examples, labels=["N", "V"])
    with pytest.warns(JointWarning, match=r"\[JW51\] The setting 'features' of 'sequence_tagger' has 'Kase'"):
        nlp.initialize(lambda: examples)
    assert nlp.get_pipe("sequence_tagger").labels == ("N Case=Acc", "N Case=Nom", "V _")
    train(nlp, examples, epochs=20)
    doc = nlp(Doc(nlp.vocab, words=["see", "hausa", "\n"]))
    assert [token.tag_ for token in doc] == ["V", "N", "_SP"]
    assert doc._.token_columns["fine_tag"] == ["V _", "N Case=Acc", None]
    assert not doc.has_annotation("MORPH")
