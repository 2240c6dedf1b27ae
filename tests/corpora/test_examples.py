"""Behaviour shared by the corpora of both formats."""

import pytest
from spacy.tokens import Doc, DocBin

from spacy_joint.corpora.conllu import create_conllu_corpus, read_conllu
from spacy_joint.corpora.docbin import create_docbin_corpus

from .conftest import as_conllu


@pytest.fixture(params=["conllu", "docbin"])
def corpus_of(request, write_text, tmp_path, vocab):
    """Create a corpus in each format, from CoNLL-U with spaces and the corpus's options."""

    def make(layout, **options):
        path = write_text("corpus.conllu", as_conllu(layout))
        if request.param == "conllu":
            return create_conllu_corpus(path, **options)
        binary = tmp_path / "corpus.spacy"
        DocBin(docs=read_conllu(path, vocab)).to_disk(binary)
        return create_docbin_corpus(binary, **options)

    return make


MANY = "\n\n".join(f"# newdoc\n1 {number} _ NUM CD _ 0 root _ _" for number in range(30))
CANNOT = """
1 can can AUX MD _ 0 root _ SpaceAfter=No
2 not not PART RB _ 1 advmod _ _

1 I.D. id NOUN NN _ 2 dep _ _
2 out out ADV RB _ 0 root _ _
"""


def get_texts(examples):
    return [example.predicted.text.strip() for example in examples]


def test_predicted_side_has_the_gold_tokens_and_spaces_and_no_annotation_by_default(corpus_of, nlp):
    (example,) = corpus_of(CANNOT)(nlp)
    assert [token.text for token in example.predicted] == ["can", "not", "I.D.", "out"]
    assert example.predicted.text == example.reference.text
    assert not any(example.predicted.has_annotation(name) for name in ("TAG", "POS", "SENT_START", "DEP", "LEMMA"))


def test_kept_annotation_is_on_the_predicted_side(corpus_of, nlp):
    (example,) = corpus_of(CANNOT, keep=["TAG", "SENT_START"])(nlp)
    assert [token.tag_ for token in example.predicted] == ["MD", "RB", "NN", "RB"]
    assert [token.is_sent_start for token in example.predicted] == [True, False, True, False]
    assert not example.predicted.has_annotation("POS")


def test_kept_trees_are_on_the_predicted_side(corpus_of, nlp):
    (example,) = corpus_of(CANNOT, keep=["HEAD", "DEP"])(nlp)
    described = [[(token.head.i, token.dep_) for token in doc] for doc in (example.predicted, example.reference)]
    assert described[0] == described[1] and "ROOT" in {dep for _, dep in described[0]}


def test_what_cannot_be_kept_is_named(corpus_of):
    with pytest.raises(ValueError, match=r"\[J040\] .*'ENT_TYPE'.*TAG, POS"):
        corpus_of(CANNOT, keep=["TAG", "ENT_TYPE"])


def test_keeping_annotation_that_is_missing_is_an_error(corpus_of, nlp):
    corpus = corpus_of("1 Go _ _ _ _ 0 root _ _", keep=["TAG"])
    with pytest.raises(ValueError, match=r"\[J336\] Document 1 of .*corpus.* has no TAG"):
        list(corpus(nlp))


def test_limit_takes_the_first_documents_before_augmentation(corpus_of, nlp):
    def double(nlp, example):
        yield example
        yield example

    assert get_texts(corpus_of(MANY, limit=2, augmenter=double)(nlp)) == ["0", "0", "1", "1"]
    for limit in (-1, "2"):
        with pytest.raises(ValueError, match=r"\[J030\] limit"):
            corpus_of(MANY, limit=limit)


def test_shuffling_loses_no_document(corpus_of, nlp):
    texts = get_texts(corpus_of(MANY, shuffle=True)(nlp))
    assert texts != sorted(texts, key=int)
    assert sorted(texts, key=int) == [str(number) for number in range(30)]


def test_each_pass_is_shuffled_anew_but_alike_for_the_same_seed(corpus_of, nlp):
    one, other = corpus_of(MANY, shuffle=True, seed=1), corpus_of(MANY, shuffle=True, seed=1)
    first, second = (get_texts(one(nlp)) for _ in range(2))
    assert [first, second] == [get_texts(other(nlp)) for _ in range(2)]
    assert first != second


@pytest.mark.parametrize("create", [create_conllu_corpus, create_docbin_corpus])
def test_no_path_is_an_error_at_once(create):
    with pytest.raises(ValueError, match=r"\[J100\] .*--paths"):
        create(None)


def test_an_unknown_division_is_an_error_at_once(dogs):
    with pytest.raises(ValueError, match=r"\[J030\]"):
        create_conllu_corpus(dogs, documents="paragraph")


def test_a_number_of_sentences_defines_the_documents(dogs, nlp):
    assert get_texts(create_conllu_corpus(dogs, documents=1)(nlp)) == ["Dogs bark.", "Why?", "Cats sleep"]


def test_empty_documents_are_skipped(tmp_path, nlp):
    path = tmp_path / "corpus.spacy"
    DocBin(docs=[Doc(nlp.vocab), Doc(nlp.vocab, words=["Go"])]).to_disk(path)
    assert get_texts(create_docbin_corpus(path)(nlp)) == ["Go"]


@pytest.mark.parametrize("content", [b"", b"not a DocBin", b"x\x9c\x03\x00\x00\x00\x00\x01"])
def test_an_unreadable_docbin_is_named(tmp_path, nlp, content):
    path = tmp_path / "broken.spacy"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"\[J120\] .*broken\.spacy"):
        list(create_docbin_corpus(path)(nlp))
