"""`span_guide`: what it learns. What guides have in common is tested with `parser_guide` and the contract."""

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc, Span
from spacy.training import Example

from spacy_joint.annotation.custom_columns import name_span_columns
from spacy_joint.corpora.examples import make_example
from spacy_joint.errors import JointValueError
from spacy_joint.guiding import vectors
from spacy_joint.pipes.guide_columns import find_span_places
from spacy_joint.scoring.guides import score_span_guides

from . import learning
from .test_parser_guide import SMALL

KEYS = ["quotation_cues", "quotations"]
COLUMNS = [name for key in KEYS for name in name_span_columns(key)]
MODEL = {"@architectures": "spacy_joint.SpanGuide.v1", "tok2vec": SMALL["tok2vec"]}
# A language that can be learnt without errors: after "said", all words up to "." are quoted.
WORDS = ["rain", "wind", "snow", "came", "went"]


def say(vocab, seed, n_sentences=8):
    """A document of the toy language."""
    draw = np.random.default_rng(seed)
    words, cues, quotations = [], [], []
    for _ in range(n_sentences):
        words += draw.choice(WORDS, draw.integers(1, 4)).tolist()
        if draw.random() < 0.5:
            words.append("said")
            cues.append((len(words) - 1, len(words)))
            start = len(words)
            words += draw.choice(WORDS, draw.integers(2, 5)).tolist()
            quotations.append((start, len(words)))
        words.append(".")
    doc = Doc(vocab, words=words)
    doc.spans["quotation_cues"] = [Span(doc, start, end, label="CUE") for start, end in cues]
    doc.spans["quotations"] = [Span(doc, start, end, label="INDIRECT") for start, end in quotations]
    return doc


def make_examples(nlp, seeds, **options):
    return [make_example(say(nlp.vocab, seed, **options)) for seed in seeds]


def train_guide(model=MODEL, epochs=40, spans_keys=KEYS, **options):
    nlp = spacy.blank("en")
    nlp.add_pipe("span_guide", config={"model": model, "spans_keys": spans_keys})
    learning.learn(nlp, "span_guide", make_examples(nlp, range(24), **options), epochs)
    return nlp


@pytest.fixture(scope="module")
def nlp():
    """A trained pipeline. Shared: do not change it."""
    return train_guide()


def test_a_language_without_exceptions_is_learnt(nlp):
    scores = nlp.evaluate(make_examples(nlp, range(100, 110)))
    assert min(scores[f"span_guide_{measure}"] for measure in "prf") > 0.98
    assert set(scores["span_guide_per_type"]) == set(COLUMNS)
    assert all(of_column["f"] > 0.98 for of_column in scores["span_guide_per_type"].values())


def test_the_columns_say_what_the_reference_says(nlp):
    (example,) = make_examples(nlp, [200])
    doc = nlp.get_pipe("span_guide")(example.predicted)
    for key in KEYS:
        found = np.stack([doc._.token_columns[name] for name in name_span_columns(key)], axis=1)
        assert found.dtype == np.float32
        np.testing.assert_array_equal(found > 0, find_span_places(example, key) > 0)
    assert not doc.spans


def test_groups_of_spans_are_settings():
    nlp = train_guide(epochs=1, spans_keys=["quotations"])
    doc = nlp("rain said wind came .")
    assert set(doc._.token_columns) == set(name_span_columns("quotations"))
    assert nlp.get_pipe("span_guide").labels == ("quotations",) == nlp.get_pipe("span_guide").label_data


@pytest.mark.parametrize("spans_keys", [[], [""], ["quotations", "quotations"]])
def test_groups_that_make_no_sense_are_refused(spans_keys):
    with pytest.raises(JointValueError, match=r"J030.*span_guide"):
        spacy.blank("en").add_pipe("span_guide", config={"model": MODEL, "spans_keys": spans_keys})


def test_groups_of_other_settings_are_refused(nlp, tmp_path):
    nlp.to_disk(tmp_path)
    with pytest.raises(JointValueError, match=r"J061.*\('quotation_cues', 'quotations'\), not \('quotations',\)"):
        spacy.load(tmp_path, config={"components.span_guide.spans_keys": ["quotations"]})
    blank = spacy.blank("en")
    guide = blank.add_pipe("span_guide", config={"model": MODEL, "spans_keys": KEYS})
    with pytest.raises(JointValueError, match="J062"):
        guide.initialize(lambda: make_examples(blank, [0]), labels=KEYS[::-1])
    assert guide.label_data == tuple(KEYS)


def test_each_group_must_be_annotated_somewhere():
    nlp = spacy.blank("en")
    nlp.add_pipe("span_guide", config={"model": MODEL, "spans_keys": ["quotations", "titles"]})
    with pytest.raises(JointValueError, match=r"J330.*titles"):
        nlp.initialize(lambda: make_examples(nlp, [0]))


def test_whitespace_has_missing_values(nlp):
    doc = nlp("rain said\n\nwind came")
    for name in COLUMNS:
        assert np.isnan(doc._.token_columns[name]).tolist() == [False, False, True, False, False]


def test_a_long_document_that_is_encoded_in_parts_has_the_same_columns():
    nlp = train_guide(epochs=2)
    guide = nlp.get_pipe("span_guide")
    doc = say(nlp.vocab, 1, n_sentences=2000)
    assert len(doc) > vectors.WINDOWS * 254
    in_parts = guide.predict([doc, doc[:3].as_doc()])
    whole = guide.model.get_ref("heads").predict(guide.model.get_ref("tok2vec").predict([doc]))
    np.testing.assert_allclose(in_parts[0], whole[0], atol=1e-4)
    assert [len(odds) for odds in in_parts] == [len(doc), 3]


def test_a_document_without_annotation_teaches_nothing():
    nlp = train_guide(epochs=0)
    guide = nlp.get_pipe("span_guide")
    bare = [Example(Doc(nlp.vocab, words=["rain", "came"]), Doc(nlp.vocab, words=["rain", "came"]))]
    assert guide.update(bare)["span_guide"] == 0.0
    assert guide.update([])["span_guide"] == 0.0
    # It has no quotations, which is something to learn.
    for key in KEYS:
        bare[0].reference.spans[key] = []
    assert guide.update(bare)["span_guide"] > 0


# The reference


def place(words, spans, predicted=None):
    vocab = spacy.blank("en").vocab
    reference = Doc(vocab, words=words)
    reference.spans["quotations"] = [Span(reference, start, end) for start, end in spans]
    return Example(Doc(vocab, words=predicted or words), reference)


def test_places_of_spans():
    example = place(list("abcdef"), [(1, 4), (4, 5)])
    assert find_span_places(example, "quotations").T.tolist() == [
        [0, 1, 0, 0, 1, 0],
        [0, 0, 0, 1, 1, 0],
        [0, 1, 1, 1, 1, 0],
    ]
    assert np.isnan(find_span_places(example, "titles")).all()


def test_places_are_aligned_and_not_whitespace():
    example = place(["ab", "\n", "cd", "ef"], [(0, 3)], ["a", "b", "\n", "cd", "ef"])
    nan = np.nan
    np.testing.assert_array_equal(
        find_span_places(example, "quotations").T, [[1, 0, nan, 0, 0], [0, 0, nan, 1, 0], [1, 1, nan, 1, 0]]
    )


def test_scores_count_tokens_whose_odds_are_above_0():
    example = place(list("abcd"), [(0, 2), (2, 4)])
    values = {"begin": [1.0, 1.0, -1.0, 0.0], "end": [-1.0, 2.0, -1.0, 0.5], "inside": [1.0, 1.0, 1.0, -1.0]}
    example.predicted._.token_columns = {f"quotations_{name}": column for name, column in values.items()}
    scores = score_span_guides([example], labels=["quotations"])
    assert scores["span_guide_p"] == scores["span_guide_r"] == 0.75
    per_type = scores["span_guide_per_type"]
    assert per_type["quotations_begin"] == {"p": 0.5, "r": 0.5, "f": 0.5}
    assert per_type["quotations_inside"] == {"p": 1.0, "r": 0.75, "f": pytest.approx(6 / 7)}


def test_without_columns_or_spans_there_are_no_scores():
    assert score_span_guides([place(["a"], [])], labels=["quotations"])["span_guide_f"] is None
