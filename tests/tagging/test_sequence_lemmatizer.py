"""The lemmatizer as a component: lemmas by edit scripts, which are remembered but never change for that."""

import pickle
import re
from concurrent.futures import ThreadPoolExecutor

import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed
from spacy.vocab import Vocab

from spacy_joint.corpora.examples import make_example
from spacy_joint.tagging import sequence_lemmatizer

LEMMAS = {
    ("walked", "VBD"): "walk",
    ("jumped", "VBD"): "jump",
    ("walks", "VBZ"): "walk",
    ("walks", "NNS"): "walk",
    ("dogs", "NNS"): "dog",
    ("cats", "NNS"): "cat",
    ("was", "VBD"): "be",
    ("left", "VBD"): "leave",
    ("left", "JJ"): "left",
    ("Rome", "NNP"): "Rome",
    ("NATO", "NNP"): "NATO",
    ("AIDS", "NNS"): "AIDS",
    ("aids", "NNS"): "aid",
    ("The", "DT"): "the",
    ("the", "DT"): "the",
}


def split(text):
    """The words and tags of `word/TAG word/TAG`."""
    return tuple(zip(*(pair.split("/") for pair in text.split()), strict=True))


CALM = split("The/DT dogs/NNS walked/VBD")


def make_doc(vocab, words, tags):
    return Doc(vocab, words=list(words), tags=list(tags))


def make_examples(vocab, lemmas=LEMMAS):
    examples = []
    for (word, tag), lemma in lemmas.items():
        reference = Doc(vocab, words=["a", word, "x"], tags=["A", tag, "X"], lemmas=["a", lemma, "x"])
        examples.append(make_example(reference, ["TAG"]))
    return examples


@pytest.fixture(scope="module")
def make(small_model, train):
    """Create a pipeline with a lemmatizer trained on examples."""

    def make(examples=make_examples, **model):
        nlp = spacy.blank("en")
        nlp.add_pipe("sequence_lemmatizer", config={"model": {**small_model, "min_changes": 1, **model}})
        made = examples(nlp.vocab)
        fix_random_seed(0)
        nlp.initialize(lambda: made)
        return train(nlp, made, epochs=12)

    return make


@pytest.fixture(scope="module")
def nlp(make):
    """The trained pipeline. Shared: do not train it further."""
    return make()


def lemmatise(nlp, words, tags):
    return [token.lemma_ for token in nlp(make_doc(nlp.vocab, words, tags))]


def test_lemmas_depend_on_words_and_tags(nlp):
    words, tags = zip(*LEMMAS, strict=True)
    assert lemmatise(nlp, words, tags) == list(LEMMAS.values())


def test_words_that_were_not_seen_are_inflected_like_others(nlp):
    assert lemmatise(nlp, ["barked", "pigs"], ["VBD", "NNS"]) == ["bark", "pig"]


def test_whitespace_is_its_own_lemma(nlp):
    words = ["\n", "dogs", "  ", "walked", "\n\n"]
    assert lemmatise(nlp, words, ["_SP", "NNS", "_SP", "VBD", "_SP"]) == ["\n", "dog", "  ", "walk", "\n\n"]


@pytest.fixture
def use_templates(write_text):
    """Initialize a lemmatizer with templates."""

    def use_templates(templates):
        nlp = spacy.blank("en")
        pipe = nlp.add_pipe("sequence_lemmatizer")
        path = write_text("templates.txt", templates)
        pipe.initialize(lambda: make_examples(nlp.vocab), templates=str(path))
        return pipe

    return use_templates


@pytest.mark.parametrize(
    ("template", "code", "read"),
    [
        ("w.word w+1.word", "J360", "w+1.word"),
        ("# all\n\nw-2.tag", "J360", "w-2.tag"),
        ("w.word w.glued", "J010", "w.glued"),
        ("w.word w.style", "J010", "w.style"),
        ("w.word w.before", "J010", "w.before"),
        ("w.word w.pause", "J010", "w.pause"),
    ],
)
def test_templates_that_read_more_than_the_token_are_refused(use_templates, template, code, read):
    with pytest.raises(ValueError, match=rf"\[{code}\].*{re.escape(read)}"):
        use_templates(f"w.word\n{template}\n")


def test_comments_may_name_other_tokens(use_templates):
    assert use_templates("# not w+1.word\nw.word\n").labels


# Remembered lemmas


SHOUTED = split("NATO/NNP LEFT/VBD THE/DT AIDS/NNS THAT/WDT WALKED/VBD AND/CC JUMPED/VBD")
QUIET = split("we/PRP left/VBD because/IN NATO/NNP and/CC the/DT AIDS/NNS walked/VBD")


@pytest.mark.parametrize("first", [SHOUTED, QUIET, CALM])
@pytest.mark.parametrize("second", [SHOUTED, QUIET, CALM])
def test_lemmas_do_not_depend_on_what_was_seen_before(nlp, first, second):
    fresh = pickle.loads(pickle.dumps(nlp))
    fresh.get_pipe("sequence_lemmatizer").forget_predictions()
    lemmatise(fresh, *first)
    seen = lemmatise(fresh, *second)
    fresh.get_pipe("sequence_lemmatizer").forget_predictions()
    assert lemmatise(fresh, *second) == seen


def test_remembered_lemmas_are_forgotten_when_it_learns(make, train):
    nlp = make()
    assert lemmatise(nlp, *CALM) == ["the", "dog", "walk"]
    train(nlp, make_examples(nlp.vocab, {("dogs", "NNS"): "dogs"}), epochs=2000)
    assert lemmatise(nlp, *CALM) == ["the", "dogs", "walk"]


@pytest.mark.parametrize("way", ["bytes", "disk", "initialize"])
def test_remembered_lemmas_are_forgotten_when_other_weights_are_loaded(nlp, make, tmp_path, way):
    other = make(lambda vocab: make_examples(vocab, {("dogs", "NNS"): "DOG", ("walked", "VBD"): "WALKED"}))
    assert lemmatise(other, *CALM)[1] == "DOG"
    if way == "bytes":
        other.from_bytes(nlp.to_bytes())
    elif way == "disk":
        nlp.to_disk(tmp_path)
        other.from_disk(tmp_path)
    else:
        examples = make_examples(other.vocab)
        other.initialize(lambda: examples)
        for _ in range(12):
            other.update(examples)
    assert lemmatise(other, *CALM) == ["the", "dog", "walk"]


def test_the_number_of_remembered_lemmas_is_bounded(nlp, monkeypatch):
    monkeypatch.setattr(sequence_lemmatizer, "MAX_REMEMBERED", 10)
    pipe = nlp.get_pipe("sequence_lemmatizer")
    for number in range(50):
        assert lemmatise(nlp, [f"number{number}s", "dogs"], ["NNS", "NNS"]) == [f"number{number}", "dog"]
        assert len(pipe._lemmas) <= 12


def test_it_can_be_called_by_several_threads(nlp, monkeypatch):
    monkeypatch.setattr(sequence_lemmatizer, "MAX_REMEMBERED", 5)
    texts = [CALM, SHOUTED, QUIET] * 40
    expected = [lemmatise(nlp, *text) for text in texts]
    docs = [make_doc(nlp.vocab, *text) for text in texts]
    with ThreadPoolExecutor(2) as pool:
        predictions = list(pool.map(nlp.get_pipe("sequence_lemmatizer").predict_doc, docs))
    assert [prediction.labels for prediction in predictions] == expected


# What spaCy does with components


def test_lemmas_outlive_the_memory_zone_in_which_they_were_first_seen(make):
    nlp = make()
    for _ in range(3):
        with nlp.memory_zone():
            assert lemmatise(nlp, ["dogs", "barked"], ["NNS", "VBD"]) == ["dog", "bark"]
    assert lemmatise(nlp, ["dogs", "barked"], ["NNS", "VBD"]) == ["dog", "bark"]


def test_rare_scripts_that_are_not_plain_are_not_learnt():
    rare = {("24", "CD"): "20", ("Sept.", "NNP"): "September", ("went", "VBD"): "go", ("IDs", "NNS"): "ID"}
    pipe = spacy.blank("en").add_pipe("sequence_lemmatizer")
    examples = make_examples(Vocab(), {**rare, ("don", "X"): "Mac-x"})
    assert pipe.collect_labels(examples) == [";0>|0>", ";=go", "AA;0>|1>"]
    assert ";0>|1>0" in pipe.collect_labels(examples * sequence_lemmatizer.RARE)


def test_tokens_without_a_lemma_are_skipped(nlp):
    words, tags = CALM
    reference = Doc(nlp.vocab, words=list(words), tags=list(tags), lemmas=["", "dog", ""])
    pipe = nlp.get_pipe("sequence_lemmatizer")
    assert pipe.make_instances(Example(make_doc(nlp.vocab, *CALM), reference))[0].n_actions == 1
    assert pipe.make_instances(Example(make_doc(nlp.vocab, *CALM), make_doc(nlp.vocab, *CALM))) == []
