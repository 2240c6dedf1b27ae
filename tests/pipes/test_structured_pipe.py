"""Tagger and parser together, as `spacy train` and users run them."""

from importlib.metadata import entry_points

import numpy as np
import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

import spacy_joint
from spacy_joint.errors import JointValueError, JointWarning

FACTORIES = sorted(point.name for point in entry_points(group="spacy_factories") if "spacy_joint" in point.value)


@pytest.mark.parametrize("factory", FACTORIES)
def test_factories_declare_what_they_assign_and_score(factory):
    spacy.blank("en").add_pipe(factory)
    meta = Language.get_factory_meta(factory)
    assert meta.assigns
    # It has no search, and is scored with the words of the pipeline.
    if factory == "multiword_expander":
        return
    assert meta.scores
    # A tagger reports one of tag_acc and pos_acc.
    alternative = "pos_acc" if factory == "sequence_tagger" else None
    weights = (weight or 0 for name, weight in meta.default_score_weights.items() if name != alternative)
    assert sum(weights) == pytest.approx(1)


# Together


def test_analysis_knows_that_the_parser_makes_sentences(pipeline):
    analysis = pipeline.analyze_pipes()
    assert analysis["attrs"]["doc.sents"]["assigns"] == ["joint_sbd_parser"]
    assert not any(analysis["problems"].values())


def test_documents_from_which_one_learns_nothing_count_as_seen_by_both(saved_pipeline):
    nlp = spacy.load(saved_pipeline)
    tagger, parser = (nlp.get_pipe(name).perceptron for name in ("sequence_tagger", "joint_sbd_parser"))
    reference = Doc(nlp.vocab, words=["hello", "there"], tags=nlp.get_pipe("sequence_tagger").labels[:2])
    seen = tagger.n_seen
    assert seen == parser.n_seen
    nlp.update([Example(nlp.make_doc("hello there"), reference)])
    assert tagger.n_seen == parser.n_seen == seen + 1


def test_components_may_have_other_names_and_occur_twice(saved_pipeline):
    source = spacy.load(saved_pipeline)
    nlp = spacy.blank("en")
    nlp.add_pipe("joint_sbd_parser", name="first", source=source)
    nlp.add_pipe("joint_sbd_parser", name="second", source=source)
    doc = nlp("hello there how are you")
    assert doc.has_annotation("DEP")


@pytest.mark.parametrize(
    ("factory", "setting", "trained", "other"),
    [
        ("joint_sbd_parser", "sb_position", "late", "early"),
        ("sequence_tagger", "attribute", "POS", "TAG"),
        ("sequence_tagger", "order", 1, 2),
        ("sequence_tagger", "sentence_starts", True, False),
        ("sequence_tagger", "features", ["Number"], []),
        ("hedge_chunker", "max_span", 5, 7),
        ("hedge_segmenter", "typed", False, True),
        ("constituency_parser", "system", "swap", "gap"),
    ],
)
def test_settings_that_do_not_fit_the_model_are_refused(initialize, factory, setting, trained, other):
    saved = initialize(factory, keep=["TAG", "SENT_START"], **{setting: trained}).to_bytes()
    nlp = spacy.blank("en")
    nlp.add_pipe(factory, config={setting: other})
    with pytest.raises(JointValueError, match=rf"\[J066\].* was trained with {setting} = "):
        nlp.from_bytes(saved)


@pytest.mark.parametrize(
    ("factory", "name", "value"),
    [
        ("punctuation_restorer", "mark_bias", 1e300),
        ("quotation_cues", "cue_bias", -1e300),
        ("quotation_spans", "seed", -1),
        ("parser_guide", "model.arc_width", 0),
    ],
)
def test_numbers_out_of_range_are_refused_by_name(factory, name, value):
    config = {"model": {"arc_width": value}} if name.startswith("model") else {name: value}
    with pytest.raises(ValueError, match=rf"\[J030\] {name.rpartition('.')[2]} is"):
        spacy.blank("en").add_pipe(factory, config=config)


@pytest.mark.parametrize(
    ("factory", "missing"),
    [
        ("joint_sbd_parser", "labels of roots"),
        ("sequence_tagger", "tags"),
        ("sequence_lemmatizer", "lemmas"),
        ("sequence_morphologizer", "parts of speech"),
    ],
)
def test_missing_annotation_is_reported_even_without_examples(factory, missing):
    nlp = spacy.blank("en")
    nlp.add_pipe(factory)
    with pytest.raises(ValueError, match=rf"\[J330\] The data has no {missing}"):
        nlp.initialize()


@pytest.mark.parametrize("factory", ["joint_sbd_parser", "sequence_tagger", "hedge_chunker", "quotation_cues"])
def test_a_corpus_with_little_to_learn_from_causes_one_warning_per_training(factory, small_model, read_examples):
    nlp = spacy.blank("en")
    pipe = nlp.add_pipe(factory, config={"model": small_model})
    corpus = "tiny_quotes" if factory == "quotation_cues" else "tiny"
    examples = read_examples(nlp, keep=["TAG"], limit=1, corpus=corpus)
    bare = Example(nlp.make_doc("hello there"), nlp.make_doc("hello there"))
    empty = Example(nlp.make_doc(""), nlp.make_doc(""))
    for _ in range(2):
        pipe.initialize(lambda: examples)
        pipe.update([*examples * 17, empty])
        with pytest.warns(JointWarning, match=rf"\[JW01\] '{factory}' .* from 3 of the first 20 documents"):
            pipe.update([bare] * 3)
        pipe.update([bare] * 30)
    pipe.initialize(lambda: examples)
    pipe.update([*examples * 18, bare, bare, bare][:20])


def test_a_corpus_of_single_sentences_causes_a_warning(small_model, read_examples):
    nlp = spacy.blank("en")
    parser = nlp.add_pipe("joint_sbd_parser", config={"model": small_model})
    references = [sentence.as_doc() for example in read_examples(nlp) for sentence in example.reference.sents]
    singles = [Example(nlp.make_doc(doc.text), doc) for doc in references[:20]]
    parser.initialize(lambda: singles)
    with pytest.warns(JointWarning, match=r"\[JW06\] 'joint_sbd_parser' .* first 20 documents"):
        parser.update(singles)
    parser.update(singles)


# What a component needs


@pytest.mark.filterwarnings("error")
def test_documents_without_tags_cause_one_warning(saved_pipeline):
    nlp = spacy.load(saved_pipeline, exclude=["sequence_tagger"])
    with pytest.warns(JointWarning, match=r"\[JW02\] .*'joint_sbd_parser' reads token\.tag"):
        nlp("hello there")
    nlp("hello there")


def test_each_missing_attribute_causes_a_warning(initialize):
    nlp = initialize("sequence_morphologizer", keep=())
    with pytest.warns(JointWarning) as given:
        nlp("hello")
        nlp("hello")
    assert sorted(warning.message.code for warning in given) == ["JW02", "JW02"]
    for name, setter in (("tag", "sequence_tagger"), ("dep", "joint_sbd_parser")):
        (text,) = (text for warning in given if f"reads token.{name}," in (text := str(warning.message)))
        assert f"such as a {setter}," in text


def test_training_documents_without_tags_anywhere_cause_one_warning(saved_pipeline, read_examples):
    nlp = spacy.load(saved_pipeline)
    examples = read_examples(nlp, limit=2)
    for example in examples:
        example.reference.from_array(["TAG"], np.zeros(len(example.reference), dtype=np.uint64))
    with pytest.warns(JointWarning, match=r"\[JW02\]") as given:
        for _ in range(2):
            nlp.update(examples, exclude=["sequence_tagger"])
    assert len(given) == 1


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("text", ["", " ", "\n\n"])
def test_documents_without_words_cause_none(saved_pipeline, text):
    nlp = spacy.load(saved_pipeline, exclude=["sequence_tagger"])
    nlp(text)


@pytest.mark.filterwarnings("error")
def test_templates_that_read_no_tags_cause_none(small_model, read_examples, write_text):
    templates = write_text("templates.txt", "s0.word b0.word\n")
    nlp = spacy.blank("en")
    nlp.add_pipe("joint_sbd_parser", config={"model": small_model})
    examples = read_examples(nlp)
    nlp.get_pipe("joint_sbd_parser").initialize(lambda: examples, templates=str(templates))
    nlp.update(examples)
    nlp("hello there")


def test_an_untrained_component_names_the_pretrained_ones():
    nlp = spacy.blank("en")
    nlp.add_pipe("joint_sbd_parser")
    with pytest.raises(ValueError, match=r"\[J071\]") as raised:
        nlp("hello")
    pretrained = spacy_joint.load()
    assert f"{pretrained.lang}_{pretrained.meta['name']}" in str(raised.value)
    assert all(name in str(raised.value) for name in [*pretrained.component_names, "hedge_chunker", "quotation_cues"])
