"""Whether the tokenizer of a pipeline makes the words of the corpus that it is trained on."""

from types import SimpleNamespace

import pytest
import spacy
from spacy.scorer import PRFScore
from spacy.tokens import Doc
from spacy.training import Example

from spacy_joint.corpora.conllu import read_conllu
from spacy_joint.pipes.tokenizer_check import check_word_scores, score_words

TOKENIZER = spacy.blank("en").tokenizer


def make_doc(*words, spaces=None):
    return Doc(TOKENIZER.vocab, words=list(words), spaces=spaces, tags=["X"] * len(words))


def count_words(*docs, **settings):
    """How many words are right, are none, and are missed."""
    score = score_words(TOKENIZER, docs, **settings)
    return score.tp, score.fp, score.fn


def initialize(*docs):
    nlp = spacy.blank("en")
    nlp.add_pipe(
        "sequence_tagger", config={"model": {"@architectures": "spacy_joint.BeamPerceptron.v1", "table_bits": 8}}
    )
    nlp.initialize(lambda: [Example(Doc(nlp.vocab, words=[token.text for token in doc]), doc) for doc in docs])


def test_words_are_compared_by_both_ends():
    assert count_words(make_doc("do", "n't", "stop", spaces=[False, True, False])) == (3, 0, 0)
    assert count_words(make_doc("don't", "stop", spaces=[True, False])) == (1, 2, 1)


def test_whitespace_does_not_count():
    doc = make_doc("a", "\n\n", "b", spaces=[False, False, False])
    assert count_words(doc) == (2, 0, 0)
    assert count_words(make_doc("\n")) == (0, 0, 0)
    check_word_scores(PRFScore(), TOKENIZER)


def test_a_sample_is_enough():
    docs = [make_doc("a", "b")] * 3
    assert count_words(*docs, max_words=3) == (4, 0, 0)
    assert count_words(*docs, max_words=None) == (6, 0, 0)


def test_words_that_the_tokenizer_makes_are_trained_on_silently():
    initialize(make_doc(*["a", "tokenizer", "makes", "these", "words"]))


def test_some_words_that_the_tokenizer_does_not_make_give_a_warning():
    words = ["word"] * 20
    with pytest.warns(UserWarning, match=r"JW20.* first 22 words, it finds 9\d\.\d % .*CharacterTokenizer"):
        initialize(make_doc(*words, "don't", "stop"))


def test_training_on_words_that_the_tokenizer_cannot_make_is_refused(assets):
    docs = list(read_conllu(assets / "tiny_chinese_train.conllu", TOKENIZER.vocab))
    with pytest.raises(ValueError, match=r"J505.*CharacterTokenizer"):
        initialize(*docs)


def test_a_learnt_tokenizer_is_not_advised_again():
    with pytest.warns(UserWarning, match=r"JW20.*F1 90\.0.*learn from more text"):
        check_word_scores(PRFScore(tp=9, fp=1, fn=1), SimpleNamespace(initialize=None))
