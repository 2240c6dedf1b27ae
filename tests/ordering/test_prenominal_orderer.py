"""`prenominal_orderer` as a spaCy component, and as a service."""

import json

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed

from spacy_joint.errors import JointWarning

from .phrases import make_corpus

MODEL = {"table_bits": 16, "n_tables": 2}
SETTINGS = {"threshold": 0.5, "exempt": ["Red Big", ""]}


def make_doc(vocab, phrase):
    """`see the big red ball .`"""
    words = ["see", "the", *(word.text for word in phrase.modifiers), phrase.head.text, "."]
    tags = ["VB", "DT", *(word.tag for word in phrase.modifiers), "NN", "."]
    return Doc(vocab, words=words, tags=tags)


def make_examples(vocab):
    docs = [make_doc(vocab, phrase) for phrase in make_corpus()]
    return [Example(doc.copy(), doc) for doc in docs]


def make_pipeline(**config):
    nlp = spacy.blank("en")
    nlp.add_pipe("prenominal_orderer", config={"model": MODEL, **config})
    return nlp


def train(nlp, epochs=4):
    for _ in range(epochs):
        nlp.update(make_examples(nlp.vocab), drop=0.1)


def tagged(nlp, text):
    words, tags = zip(*(token.split("/") for token in text.split()), strict=True)
    return nlp.get_pipe("prenominal_orderer")(Doc(nlp.vocab, words=words, tags=tags))


def read_phrases(doc):
    """All annotation of the component."""
    return [
        (span.text, span.label_, span._.best_order, span._.order_score, span._.order_margin)
        for span in doc.spans["prenominal"]
    ]


@pytest.fixture(scope="module")
def nlp():
    nlp = make_pipeline(**SETTINGS)
    fix_random_seed(0)
    nlp.initialize(lambda: make_examples(nlp.vocab))
    train(nlp)
    return nlp


def test_a_replaced_model_is_used(nlp):
    other = make_pipeline()
    pipe = other.get_pipe("prenominal_orderer")
    pipe.initialize(lambda: make_examples(other.vocab))
    modifiers = ["old", "red"]
    assert pipe.order(modifiers).orders[0].score == 0
    pipe.model = nlp.get_pipe("prenominal_orderer").model
    assert pipe.order(modifiers) == nlp.get_pipe("prenominal_orderer").order(modifiers)
    assert pipe.order(modifiers).orders[0].score != 0


@pytest.fixture(scope="module")
def pipe(nlp):
    return nlp.get_pipe("prenominal_orderer")


def test_it_orders_words_without_a_document(pipe):
    ordered = pipe.order(["red", "big"], head="ball")
    assert ordered.words == ("big", "red")
    assert ordered.orders[0].indices == (1, 0) and ordered.margin > 0
    assert pipe.order(["wooden", "big", "red", "old"]).words == ("big", "old", "red", "wooden")


def test_n_best_orders_are_distinct_as_text(pipe):
    ordered = pipe.order(["red", "big", "red"], n_best=10)
    readings = {tuple(["red", "big", "red"][i] for i in order.indices) for order in ordered.orders}
    assert len(ordered.orders) == len(readings) == 3


@pytest.mark.parametrize("n", [0, 1, 50])
def test_any_number_of_modifiers(pipe, n):
    assert sorted(pipe.order([f"w{i}" for i in range(n)]).words) == sorted(f"w{i}" for i in range(n))


@pytest.mark.parametrize(
    ("modifiers", "options", "message"),
    [
        (["big"] * 65, {}, r"\[J002\]"),
        (["big", "red"], {"tags": ["JJ"]}, r"\[J143\].*1 tags, but 2"),
        ("big red", {"head": "dog"}, r"\[J030\].*'big red'"),
        (["big", "red"], {"n_best": 0}, r"\[J030\] n_best is 0"),
    ],
)
def test_what_cannot_be_ordered_is_refused(pipe, modifiers, options, message):
    with pytest.raises(ValueError, match=message):
        pipe.order(modifiers, **options)


def test_phrases_are_spans_with_their_best_order(nlp):
    doc = tagged(nlp, "a/DT wooden/JJ big/JJ ball/NN rolls/VBZ")
    (span,) = doc.spans["prenominal"]
    assert (span.text, span.label_) == ("wooden big ball", "ODD")
    assert span._.best_order == (1, 0) and span._.order_margin < -0.5
    doc = tagged(nlp, "a/DT big/JJ wooden/JJ ball/NN rolls/VBZ")
    (span,) = doc.spans["prenominal"]
    assert (span.label_, span._.best_order) == ("OK", (0, 1)) and span._.order_margin > 0


def test_fixed_expressions_are_exempt(nlp):
    doc = tagged(nlp, "a/DT Red/JJ big/JJ ball/NN rolls/VBZ")
    (span,) = doc.spans["prenominal"]
    assert span.label_ == "OK" and span._.order_margin < -0.5


def test_spacy_can_find_a_threshold(nlp):
    again = make_pipeline().from_bytes(nlp.to_bytes())
    again.get_pipe("prenominal_orderer").cfg["threshold"] = np.float64(0.5)
    doc = tagged(again, "a/DT big/JJ wooden/JJ ball/NN rolls/VBZ")
    assert [span.label_ for span in doc.spans["prenominal"]] == ["OK"]


def test_suggestions_leave_commas_and_line_breaks_in_place(nlp, pipe):
    words, tags = ["a", "wooden", ",", "\n", "big", "chair"], ["DT", "JJ", ",", "_SP", "JJ", "NN"]
    heads, deps = [5, 5, 1, 2, 5, 5], ["det", "amod", "punct", "dep", "amod", "ROOT"]
    spaces = [True, False, False, False, True, False]
    doc = pipe(Doc(nlp.vocab, words=words, spaces=spaces, tags=tags, heads=heads, deps=deps))
    (suggestion,) = pipe.suggest(doc)
    assert (suggestion["text"], suggestion["suggestion"]) == ("wooden,\nbig chair", "big,\nwooden chair")


def test_suggestions_are_matches_and_json(nlp, pipe):
    doc = tagged(nlp, "old/JJ hats/NNS are/VBP on/IN a/DT wooden/JJ big/JJ chair/NN")
    (suggestion,) = pipe.suggest(doc)
    assert json.loads(json.dumps(suggestion)) == suggestion
    assert (suggestion["text"], suggestion["suggestion"]) == ("wooden big chair", "big wooden chair")
    ((label, start, end),) = pipe.match(doc)
    assert (doc.vocab.strings[label], doc[start:end].text) == ("ODD", "wooden big chair")


def test_hyphens_stay_in_their_words(nlp, pipe):
    words = ["a", "wooden", "big", "-", "ish", "ball"]
    doc = Doc(nlp.vocab, words=words, spaces=[1, 1, 0, 0, 1, 0], tags=["DT", "JJ", "JJ", "HYPH", "JJ", "NN"])
    (span,) = pipe(doc).spans["prenominal"]
    assert span._.best_order in ((0, 1, 2, 3), (1, 2, 3, 0))


def test_its_labels_cannot_be_changed():
    nlp = make_pipeline()
    for labels in (["OK"], ["good", "bad"], []):
        with pytest.raises(ValueError, match=r"\[J030\].*OK, ODD"):
            nlp.get_pipe("prenominal_orderer").initialize(lambda: make_examples(nlp.vocab), nlp=nlp, labels=labels)


def test_the_same_phrases_and_seed_make_the_same_model():
    models = []
    for seed in (1, 1, 2):
        pipe = make_pipeline().get_pipe("prenominal_orderer")
        assert list(pipe.fit(make_corpus(), epochs=2, seed=seed))[-1] == 1.0
        models.append(pipe.to_bytes(exclude=["vocab"]))
    assert models[0] == models[1] != models[2]


def test_phrases_that_are_too_long_are_skipped(nlp):
    doc = Doc(nlp.vocab, words=["big"] * 70 + ["ball"], tags=["JJ"] * 70 + ["NN"])
    assert len(nlp.get_pipe("prenominal_orderer")(doc).spans["prenominal"]) == 0


def test_marks_tagged_as_words_are_skipped(nlp):
    assert not tagged(nlp, "a/DT red/JJ #/NN big/JJ ball/NN").spans["prenominal"]


def test_phrases_cannot_be_ordered_or_learnt_from_without_a_model_or_phrases():
    pipe = make_pipeline().get_pipe("prenominal_orderer")
    with pytest.raises(ValueError, match=r"\[J071\]"):
        pipe.order(["red", "big"])
    with pytest.raises(ValueError, match=r"\[J330\]"):
        pipe.fit([])


def test_wrong_settings_are_refused():
    with pytest.raises(ValueError, match=r"\[J040\].*'guess'"):
        make_pipeline(source="guess")
    with pytest.raises(ValueError, match=r"\[J030\] untagged_share is 1.5"):
        make_pipeline(untagged_share=1.5)


@pytest.mark.parametrize(("source", "attributes"), [("auto", ["tag"]), ("dependencies", ["tag", "dep"])])
def test_documents_without_tags_or_trees_are_warned_of(nlp, source, attributes):
    again = make_pipeline(source=source).from_bytes(nlp.to_bytes())
    with pytest.warns(JointWarning, match=r"\[JW02\]") as given:
        again("the red big ball")
    assert [str(warning.message).split(" reads token.")[1].split(",")[0] for warning in given] == attributes
