"""A mixture of corpora: shares, order, and memory."""

from itertools import islice

import pytest
from spacy.tokens import Doc

from spacy_joint.corpora.examples import make_example
from spacy_joint.corpora.mixed import create_mixed_corpus


@pytest.fixture
def corpus_of(vocab):
    """A corpus of documents of the same word and length, which counts how many have been read."""

    def make(word, n_docs, n_words=1):
        def corpus(nlp):
            for number in range(n_docs):
                corpus.read += 1
                yield make_example(Doc(vocab, words=[f"{word}{number}"] * n_words))

        corpus.read = 0
        return corpus

    return make


def read(corpus, nlp):
    return [example.reference[0].text for example in corpus(nlp)]


def test_the_shorter_corpus_is_repeated_as_its_share_demands(corpus_of, nlp):
    corpora = {"gold": corpus_of("g", 3), "silver": corpus_of("s", 20)}
    found = read(create_mixed_corpus(corpora, {"gold": 1, "silver": 2}), nlp)
    assert sorted(word for word in found if word[0] == "s") == sorted(f"s{number}" for number in range(20))
    assert sum(word[0] == "g" for word in found) == pytest.approx(10, abs=1)


def test_shares_count_words(corpus_of, nlp):
    corpora = {"gold": corpus_of("g", 4, n_words=5), "silver": corpus_of("s", 40, n_words=20)}
    found = list(create_mixed_corpus(corpora, {"gold": 0.5, "silver": 0.5})(nlp))
    words = [sum(len(example.reference) for example in found if len(example.reference) == size) for size in (5, 20)]
    assert words[0] == pytest.approx(words[1], abs=20)


def test_a_corpus_is_read_in_full_even_if_its_share_is_small(corpus_of, nlp):
    corpora = {"gold": corpus_of("g", 10), "silver": corpus_of("s", 10)}
    found = read(create_mixed_corpus(corpora, {"gold": 1, "silver": 3}), nlp)
    assert {word for word in found if word[0] == "g"} == {f"g{number}" for number in range(10)}


def test_kinds_are_interleaved_without_a_buffer(corpus_of, nlp):
    corpora = {"gold": corpus_of("g", 3), "silver": corpus_of("s", 3)}
    found = read(create_mixed_corpus(corpora, {"gold": 1, "silver": 1}, buffer_size=1), nlp)
    assert found[:6] == ["g0", "s0", "g1", "s1", "g2", "s2"]


def test_the_seed_decides_the_order_of_every_pass(corpus_of, nlp):
    corpora = {"gold": corpus_of("g", 5), "silver": corpus_of("s", 50)}
    shares = {"gold": 1, "silver": 1}
    first, other = (create_mixed_corpus(corpora, shares, buffer_size=16, seed=seed) for seed in (0, 1))
    assert read(first, nlp) == read(first, nlp) != read(other, nlp)
    assert sorted(read(first, nlp)) == sorted(read(other, nlp))


def test_no_more_is_read_ahead_than_the_buffer_holds(corpus_of, nlp):
    silver = corpus_of("s", 1000)
    corpus = create_mixed_corpus({"silver": silver}, {"silver": 1.0}, buffer_size=10)
    assert len(list(islice(corpus(nlp), 5))) == 5
    assert silver.read <= 15


@pytest.mark.parametrize("shares", [{}, {"gold": 1.0}, {"gold": 1, "silver": 0}, {"gold": 1, "bronze": 1}])
def test_each_corpus_needs_a_share(corpus_of, shares):
    with pytest.raises(ValueError, match=r"\[J030\]"):
        create_mixed_corpus({"gold": corpus_of("g", 1), "silver": corpus_of("s", 1)}, shares)


def test_a_mixture_needs_corpora_and_a_buffer(corpus_of):
    with pytest.raises(ValueError, match=r"\[J030\]"):
        create_mixed_corpus({}, {})
    with pytest.raises(ValueError, match=r"\[J030\] buffer_size is 0"):
        create_mixed_corpus({"gold": corpus_of("g", 1)}, {"gold": 1}, buffer_size=0)


def test_an_empty_corpus_cannot_be_repeated(corpus_of, nlp):
    corpus = create_mixed_corpus({"gold": corpus_of("g", 0), "silver": corpus_of("s", 9)}, {"gold": 1, "silver": 1})
    with pytest.raises(ValueError, match=r"\[J413\] The corpus gold"):
        list(corpus(nlp))
