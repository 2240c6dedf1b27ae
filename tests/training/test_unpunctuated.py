import pickle
import random

import pytest
from hypothesis import given
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_joint.corpora.examples import make_example
from spacy_joint.training.unpunctuated import create_unpunctuated_augmenter, remove_punctuation, unpunctuate

from ..corpora.strategies import documents


def make_doc(*rows, **columns):
    """A document from rows of word, POS, head and label."""
    words, pos, heads, deps = (list(column) for column in zip(*rows, strict=True))
    return Doc(Vocab(), words=words, pos=pos, heads=heads, deps=deps, **columns)


def get_rows(doc):
    return [(token.text, token.head.i, token.dep_) for token in doc]


GREETING = [
    ("Well", "INTJ", 2, "discourse"),
    (",", "PUNCT", 0, "punct"),
    ("Go", "VERB", 2, "ROOT"),
    ("!", "PUNCT", 2, "punct"),
    ("?!", "PUNCT", 4, "ROOT"),
    ("Now", "ADV", 5, "ROOT"),
    (".", "PUNCT", 5, "punct"),
]
HEADED_BY_PUNCTUATION = [
    ("(", "PUNCT", 0, "ROOT"),
    ("One", "NUM", 0, "nummod"),
    ("big", "ADJ", 3, "amod"),
    ("Two", "NUM", 0, "conj"),
]


IN_PUNCTUATION = [
    ("Go", "VERB", 0, "ROOT"),
    ("-", "PUNCT", 0, "punct"),
    ("(", "PUNCT", 1, "punct"),
    ("on", "ADV", 2, "x"),
]
VARIANTS = {
    "sentences of punctuation go, trees of words stay": (
        GREETING,
        [("well", 1, "discourse"), ("go", 1, "ROOT"), ("now", 2, "ROOT")],
    ),
    "dependents go to the nearest word above": (IN_PUNCTUATION, [("go", 0, "ROOT"), ("on", 0, "x")]),
    "the first orphan is the root, others its parataxis": (
        HEADED_BY_PUNCTUATION,
        [("one", 0, "ROOT"), ("big", 2, "amod"), ("two", 0, "parataxis")],
    ),
    "whitespace goes": ([("Go", "VERB", 0, "ROOT"), ("\n", "SPACE", 0, "dep")], [("go", 0, "ROOT")]),
}


@pytest.mark.parametrize(("rows", "expected"), VARIANTS.values(), ids=VARIANTS)
def test_punctuation_is_removed_and_words_lower_cased(rows, expected):
    assert get_rows(unpunctuate(make_doc(*rows))) == expected


def test_punctuation_is_also_removed_from_text_without_annotation():
    doc = Doc(Vocab(), words=["So", ",", "5", "%", "\n", '"', "We", "left"], sent_starts=[1, 0, 0, 0, 0, 1, 0, 0])
    variant = remove_punctuation(doc)
    assert [token.text for token in variant] == ["so", "5", "%", "we", "left"]
    assert [token.is_sent_start for token in variant] == [True, None, None, True, None]
    assert remove_punctuation(doc[1:2].as_doc()) is remove_punctuation(Doc(Vocab())) is None


def test_a_document_of_punctuation_becomes_empty_and_its_example_disappears(nlp):
    doc = make_doc(("?", "PUNCT", 0, "ROOT"))
    assert unpunctuate(doc) is None and augment(nlp, make_example(doc)) == []


def test_token_annotation_is_kept():
    doc = make_doc(("Dogs", "NOUN", 0, "ROOT"), tags=["NNS"], lemmas=["dog"], morphs=["Number=Plur"])
    (token,) = unpunctuate(doc)
    assert (token.tag_, token.pos_, token.lemma_, str(token.morph)) == ("NNS", "NOUN", "dog", "Number=Plur")


def test_every_token_is_followed_by_a_space():
    assert unpunctuate(make_doc(*GREETING, spaces=[False] * 7)).text == "well go now "


def test_boundaries_move_to_the_first_kept_token_without_trees():
    words, pos = ["(", "One", ")", "Two"], ["PUNCT", "NUM", "PUNCT", "NUM"]
    doc = Doc(Vocab(), words=words, pos=pos, sent_starts=[True, False, True, False])
    assert [token.is_sent_start for token in unpunctuate(doc)] == [True, True]


@given(documents())
def test_each_sentence_that_keeps_words_stays_one_tree(doc):
    expected = [
        [token.text.lower() for token in sentence if token.pos_ != "PUNCT" and not token.is_space]
        for sentence in doc.sents
    ]
    variant = unpunctuate(doc)
    found = [] if variant is None else list(variant.sents)
    assert [[token.text for token in sentence] for sentence in found] == [words for words in expected if words]
    for sentence in found:
        assert sum(token.head == token for token in sentence) == 1
        assert all(token.head in sentence for token in sentence)


@given(documents())
def test_words_with_kept_heads_keep_heads_and_labels(doc):
    kept = [token for token in doc if token.pos_ != "PUNCT"]
    for token, new in zip(kept, unpunctuate(doc) or [], strict=True):
        if token.head in kept:
            assert kept[new.head.i] == token.head
            assert new.dep == token.dep


def test_the_original_is_not_changed():
    doc = make_doc(*GREETING)
    before = doc.to_bytes()
    unpunctuate(doc)
    assert doc.to_bytes() == before


@pytest.mark.parametrize(
    ("columns", "missing"), [({"sent_starts": [True, False]}, "POS"), ({"pos": ["VERB", "ADV"]}, "SENT_START")]
)
def test_missing_annotation_is_named(columns, missing):
    with pytest.raises(ValueError, match=rf"\[J126\] .*has no {missing},"):
        unpunctuate(Doc(Vocab(), words=["Go", "on"], **columns))


def test_trees_across_sentences_are_an_error():
    doc = make_doc(("Go", "VERB", 0, "ROOT"), ("on", "ADV", 0, "advmod"))
    doc.from_array(["SENT_START"], Doc(doc.vocab, ["Go", "on"], sent_starts=[True, True]).to_array(["SENT_START"]))
    with pytest.raises(ValueError, match=r"\[J124\] .*'Go on"):
        unpunctuate(doc)


def augment(nlp, example, **options):
    return list(create_unpunctuated_augmenter(**options)(nlp, example))


def test_the_augmenter_replaces_the_example_by_its_variant_and_leaks_no_gold_annotation(nlp):
    (variant,) = augment(nlp, make_example(make_doc(*GREETING)))
    assert [token.text for token in variant.predicted] == ["well", "go", "now"]
    assert get_rows(variant.reference) == get_rows(unpunctuate(make_doc(*GREETING)))
    assert not any(variant.predicted.has_annotation(name) for name in ("TAG", "POS", "DEP", "SENT_START"))


def test_the_augmenter_can_keep_the_original_before_the_variant(nlp):
    example = make_example(make_doc(*GREETING))
    original, variant = augment(nlp, example, keep_original=True)
    assert original is example
    assert len(variant.predicted) == 3


@pytest.mark.parametrize(("share", "least", "most"), [(0, 0, 0), (0.25, 200, 300)])
def test_share_is_the_proportion_of_variants(nlp, share, least, most):
    random.seed(0)
    example = make_example(make_doc(*GREETING))
    changed = sum(augment(nlp, example, share=share)[0] is not example for _ in range(1000))
    assert least <= changed <= most


def test_predicted_tags_are_carried_over(nlp):
    example = make_example(make_doc(*GREETING))
    for token in example.predicted:
        token.tag_ = f"tag{token.i}"
    (variant,) = augment(nlp, example)
    assert [token.tag_ for token in variant.predicted] == ["tag0", "tag2", "tag5"]


def test_preset_predicted_boundaries_move_with_the_sentence(nlp):
    example = make_example(make_doc(*HEADED_BY_PUNCTUATION), keep=["SENT_START"])
    (variant,) = augment(nlp, example)
    assert [token.is_sent_start for token in variant.predicted] == [True, False, False]


def test_different_tokens_on_both_sides_are_an_error(nlp):
    reference = make_doc(*GREETING)
    example = Example(Doc(reference.vocab, words=["Well,", "Go!"]), reference)
    with pytest.raises(ValueError, match=r"\[J125\] .*spacy_joint\.ConlluCorpus\.v1"):
        augment(nlp, example)


@pytest.mark.parametrize("share", [-0.1, 1.1])
def test_a_share_that_is_not_a_probability_is_an_error(share):
    with pytest.raises(ValueError, match=rf"\[J030\] share is {share}"):
        create_unpunctuated_augmenter(share=share)


def test_the_augmenter_can_be_pickled(nlp):
    augmenter = pickle.loads(pickle.dumps(create_unpunctuated_augmenter()))
    assert len(list(augmenter(nlp, make_example(make_doc(*GREETING))))) == 1
