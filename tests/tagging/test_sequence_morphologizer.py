"""The morphologizer as a component: parts of speech and features, learnt from words, tags and trees."""

import pytest
import spacy
from spacy.tokens import Doc
from spacy.util import fix_random_seed

from spacy_joint.corpora.examples import make_example

NUMBERS = {"dog": "Sing", "cat": "Sing", "boy": "Sing", "dogs": "Plur", "cats": "Plur", "boys": "Plur"}
VERBS = ("slept", "ran", "sang", "left")
FINITE = "Mood=Ind|Number={}|Person=3|Tense=Past|VerbForm=Fin"
NOUN = "Number={}"
THE = ("the", "DT", "DET", "Definite=Def|PronType=Art", "det")


def make_reference(vocab, subject, verb, other=None):
    """`the SUBJECT VERB`, or `the SUBJECT near the OTHER VERB`: the number of the verb is that of its subject."""
    number, heads = NUMBERS[subject], [1, 2, 2]
    rows = [THE, (subject, "NN", "NOUN", NOUN.format(number), "nsubj")]
    if other:
        heads = [1, 5, 4, 4, 1, 5]
        rows += [("near", "IN", "ADP", "", "case"), THE, (other, "NN", "NOUN", NOUN.format(NUMBERS[other]), "nmod")]
    rows.append((verb, "VBD", "VERB", FINITE.format(number), "ROOT"))
    words, tags, pos, morphs, deps = (list(column) for column in zip(*rows, strict=True))
    return Doc(vocab, words=words, tags=tags, pos=pos, morphs=morphs, heads=heads, deps=deps)


def keep_trees(reference):
    """An example whose predicted side has the tags and trees of the reference."""
    return make_example(reference, ["TAG", "HEAD", "DEP"])


def make_examples(vocab):
    pairs = [(subject, None) for subject in NUMBERS]
    pairs += [(subject, other) for subject in NUMBERS for other in NUMBERS if NUMBERS[subject] != NUMBERS[other]]
    pairs.remove(("dogs", "cat"))
    return [keep_trees(make_reference(vocab, subject, verb, other)) for subject, other in pairs for verb in VERBS]


@pytest.fixture(scope="module")
def make(small_model, train):
    """Create a pipeline with a morphologizer trained on examples."""

    def make(make_examples, **model):
        nlp = spacy.blank("en")
        model = {**small_model, "min_changes": 1, **model}
        nlp.add_pipe("sequence_morphologizer", config={"model": model})
        examples = make_examples(nlp.vocab)
        fix_random_seed(0)
        nlp.initialize(lambda: examples)
        return train(nlp, examples)

    return make


@pytest.fixture(scope="module")
def nlp(make):
    """The trained pipeline. Shared: do not change it."""
    return make(make_examples)


def parse(vocab):
    """`the dogs near the cat slept`, with tags and a tree: the noun beside the verb is not its subject."""
    return keep_trees(make_reference(vocab, "dogs", "slept", "cat")).predicted


def describe(doc):
    return [(token.text, token.pos_, str(token.morph)) for token in doc]


def test_verbs_agree_with_their_subjects(nlp):
    doc = nlp(parse(nlp.vocab))
    assert [token.pos_ for token in doc] == ["DET", "NOUN", "ADP", "DET", "NOUN", "VERB"]
    assert doc[1].morph.get("Number") == ["Plur"]
    assert doc[4].morph.get("Number") == ["Sing"]
    assert str(doc[5].morph) == FINITE.format("Plur")


def test_tags_and_trees_stay_as_they_are(nlp):
    before, after = parse(nlp.vocab), nlp(parse(nlp.vocab))
    for token, kept in zip(before, after, strict=True):
        assert (token.tag_, token.dep_, token.head.i) == (kept.tag_, kept.dep_, kept.head.i)
        assert not kept.lemma_


def test_whitespace_is_space_without_features(nlp):
    words = ["\n", "the", "dogs", "  ", "slept", "\n\n"]
    deps = ["dep", "det", "nsubj", "dep", "ROOT", "dep"]
    tags = ["_SP", "DT", "NN", "_SP", "VBD", "_SP"]
    doc = nlp(Doc(nlp.vocab, words=words, tags=tags, heads=[1, 2, 4, 2, 4, 4], deps=deps))
    assert [token.pos_ for token in doc] == ["SPACE", "DET", "NOUN", "SPACE", "VERB", "SPACE"]
    assert [str(token.morph) for token in doc if token.is_space] == ["", "", ""]
    assert all(token.has_morph() for token in doc)
    assert str(doc[4].morph) == FINITE.format("Plur")


def test_other_weights_can_be_loaded_after_it_has_been_used(nlp, make):
    other = make(lambda vocab: make_examples(vocab)[:4])
    other(parse(other.vocab))
    other.from_bytes(nlp.to_bytes())
    assert describe(other(parse(other.vocab))) == describe(nlp(parse(nlp.vocab)))


def test_features_outlive_the_memory_zone_of_a_document_that_brought_them(make, tmp_path):
    make(make_examples).to_disk(tmp_path, exclude=["vocab"])
    nlp = spacy.load(tmp_path, exclude=["vocab"])
    expected = describe(nlp(parse(nlp.vocab)))
    nlp = spacy.load(tmp_path, exclude=["vocab"])
    for brought in ([features for *_, features in expected], []):
        with nlp.memory_zone():
            for features in brought:
                nlp.vocab.strings.add(features)
            assert describe(nlp(parse(nlp.vocab))) == expected


def test_tokens_without_annotation_are_skipped_and_the_others_learnt(make):
    def make_partial(vocab):
        examples = make_examples(vocab)
        for number, example in enumerate(examples):
            token = example.reference[number % 3]
            token.pos_ = ""
            token.set_morph(None)
        return examples

    nlp = make(make_partial)
    pipe = nlp.get_pipe("sequence_morphologizer")
    example = make_partial(nlp.vocab)[0]
    assert pipe.make_instances(example)[0].n_actions == 2
    assert "" not in pipe.labels
    assert str(nlp(parse(nlp.vocab))[5].morph) == FINITE.format("Plur")


def test_labels_of_whitespace_are_not_learnt(make):
    def make_spaced(vocab):
        reference = Doc(
            vocab,
            words=["dogs", "\n"],
            tags=["NN", "_SP"],
            heads=[0, 0],
            deps=["ROOT", "dep"],
            pos=["NOUN", "SPACE"],
            morphs=[NOUN.format("Plur"), ""],
        )
        return [keep_trees(reference)]

    assert make(make_spaced).get_pipe("sequence_morphologizer").labels == ("Number=Plur|POS=NOUN",)


def test_parts_of_speech_can_be_learnt_without_features_and_features_without_parts_of_speech(make):
    def make_either(vocab):
        with_part = Doc(vocab, words=["dogs"], pos=["NOUN"], heads=[0], deps=["ROOT"])
        with_features = Doc(vocab, words=["slept"], morphs=["Tense=Past"], heads=[0], deps=["ROOT"])
        return [keep_trees(with_part), keep_trees(with_features)]

    nlp = make(make_either)
    assert nlp.get_pipe("sequence_morphologizer").labels == ("POS=NOUN", "Tense=Past")
    assert describe(nlp(Doc(nlp.vocab, words=["dogs"]))) == [("dogs", "NOUN", "")]
    assert describe(nlp(Doc(nlp.vocab, words=["slept"]))) == [("slept", "", "Tense=Past")]
