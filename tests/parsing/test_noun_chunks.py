"""Noun chunks of Universal Dependencies trees, wherever a document of a pipeline comes from."""

import pickle

import pytest
import spacy
from spacy.lang.en.syntax_iterators import noun_chunks as chunk_clear_trees
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

import spacy_joint
from spacy_joint.annotation.noun_chunks import use_noun_chunks
from spacy_joint.parsing.noun_chunks import noun_chunks

TEXT = "The mayor's old dog likes cats and my sister from the office."
CHUNKS = ["The mayor's old dog", "cats", "my sister", "the office"]


@pytest.fixture(scope="module")
def nlp():
    """The shipped pipeline. Shared: do not change it."""
    return spacy_joint.load()


def read_tree(tree, vocab=None):
    """A document from words with their tags, heads (counted from 1; 0: root) and labels."""
    rows = [item.split("/") for item in tree.split()]
    return Doc(
        vocab or spacy.blank("en").vocab,
        words=[word for word, *_ in rows],
        tags=[tag for _, tag, *_ in rows],
        heads=[int(head) - 1 if int(head) else place for place, (_, _, head, _) in enumerate(rows)],
        deps=["ROOT" if label == "root" else label for *_, label in rows],
    )


def list_chunks(doc):
    return [span.text for span in doc.noun_chunks]


@pytest.mark.parametrize(
    ("tree", "chunks"),
    [
        ("the/DT/3/det old/JJ/3/amod dog/NN/4/nsubj barks/VBZ/0/root", ["the old dog"]),
        # The possessor belongs to the chunk of what is possessed.
        ("see/VB/0/root Ann/NNP/4/nmod:poss 's/POS/2/case dog/NN/1/obj", ["Ann 's dog"]),
        # The preposition and the copula do not.
        ("is/VBZ/4/cop in/IN/4/case the/DT/4/det park/NN/0/root", ["the park"]),
        # Conjuncts are chunks of their own, as in spaCy, except for pairs of nouns with one determiner or none.
        ("cats/NNS/5/nsubj and/CC/4/cc my/PRP$/4/nmod:poss dogs/NNS/1/conj run/VBP/0/root", ["cats", "my dogs"]),
        ("Ann/NNP/4/nsubj and/CC/3/cc Bo/NNP/1/conj run/VBP/0/root", ["Ann", "Bo"]),
        ("the/DT/2/det terms/NNS/0/root and/CC/4/cc conditions/NNS/2/conj", ["the terms and conditions"]),
        ("tea/NN/0/root ,/,/3/punct milk/NN/1/conj and/CC/5/cc jam/NN/1/conj", ["tea", "milk", "jam"]),
        # Names and dates are whole, without what follows.
        ("Mr./NNP/2/nmod:desc Kim/NNP/4/nsubj Lee/NNP/2/flat ran/VBD/0/root", ["Mr. Kim Lee"]),
        (
            "on/IN/2/case May/NNP/6/obl 3/CD/2/nummod ,/,/5/punct 1999/CD/2/nmod:unmarked it/PRP/0/root",
            ["May 3 , 1999", "it"],
        ),
        ("my/PRP$/2/nmod:poss friend/NN/0/root Kim/NNP/2/appos", ["my friend Kim"]),
        ("Kim/NNP/0/root ,/,/4/punct my/PRP$/4/nmod:poss friend/NN/1/appos", ["Kim", "my friend"]),
        ("find/VB/0/root something/NN/1/obj else/RB/2/advmod there/RB/1/advmod", ["something else"]),
        # An adverb between the determiner and the noun belongs to the phrase, one before it does not.
        ("just/RB/4/advmod a/DT/4/det then/RB/4/advmod friend/NN/0/root", ["a then friend"]),
        # Pronouns and numbers, but not within phrases.
        ("this/DT/2/nsubj helps/VBZ/0/root me/PRP/2/obj", ["this", "me"]),
        ("two/CD/2/nummod men/NNS/0/root", ["two men"]),
        ("the/DT/2/det poor/JJ/3/nsubj lost/VBD/0/root at/IN/5/case first/JJ/3/obl", ["the poor"]),
        ("who/WP/3/nsubj I/PRP/3/nsubj saw/VBD/0/root", ["who", "I"]),
    ],
)
def test_base_noun_phrases_are_chunks(tree, chunks):
    doc = read_tree(tree)
    assert [doc[start:end].text for start, end, _ in noun_chunks(doc)] == chunks


def test_chunks_of_a_span_are_those_inside(nlp):
    doc = nlp(TEXT)
    assert list_chunks(doc[5:10]) == CHUNKS[1:3]
    assert [doc[start:end].text for start, end, _ in noun_chunks(doc[6:10])] == CHUNKS[1:3]


def test_parts_of_speech_serve_where_there_are_no_tags():
    doc = read_tree("the/DT/2/det dog/NN/3/nsubj barks/VBZ/0/root")
    for token, pos in zip(doc, ("DET", "NOUN", "VERB"), strict=True):
        token.tag_, token.pos_ = "", pos
    use_noun_chunks(doc, noun_chunks)
    assert list_chunks(doc) == ["the dog"]


def test_documents_with_labels_of_clearnlp_are_chunked_as_spacy_does():
    doc = read_tree("Ann/NNP/2/nsubj gave/VBD/0/root him/PRP/2/dative a/DT/5/det dog/NN/2/dobj")
    for token, pos in zip(doc, ("PROPN", "VERB", "PRON", "DET", "NOUN"), strict=True):
        token.pos_ = pos
    use_noun_chunks(doc, noun_chunks)
    assert doc.noun_chunks_iterator is noun_chunks
    assert list_chunks(doc) == ["Ann", "him", "a dog"]
    assert list(noun_chunks(doc)) == list(chunk_clear_trees(doc))


def test_a_document_without_trees_is_refused_as_by_spacy(nlp):
    with pytest.raises(ValueError, match="E029"):
        list(nlp.make_doc(TEXT).noun_chunks)


def test_other_languages_and_chunks_of_the_user_stay():
    doc = Doc(Vocab(), words=["a"], deps=["ROOT"])
    use_noun_chunks(doc, noun_chunks)
    assert doc.noun_chunks_iterator is doc.vocab.get_noun_chunks is None


# Wherever a document comes from


def test_documents_of_saved_and_loaded_pipelines_have_them(nlp, tmp_path):
    data = DocBin(docs=[nlp(TEXT)]).to_bytes()
    nlp.to_disk(tmp_path)
    # No document has been annotated yet.
    vocab = spacy.load(tmp_path).vocab
    assert [list_chunks(doc) for doc in DocBin().from_bytes(data).get_docs(vocab)] == [CHUNKS]


@pytest.mark.parametrize(
    "copy",
    [
        lambda doc: doc,
        Doc.copy,
        lambda doc: doc[:].as_doc(),
        lambda doc: pickle.loads(pickle.dumps(doc)),
        lambda doc: Doc(doc.vocab).from_bytes(doc.to_bytes()),
    ],
    ids=["no copy", "copy", "as_doc", "pickle", "bytes"],
)
def test_documents_of_the_pipeline_and_their_copies_have_chunks(nlp, copy):
    assert list_chunks(copy(nlp(TEXT))) == CHUNKS


def test_documents_of_other_processes_have_them(nlp):
    assert [list_chunks(doc) for doc in nlp.pipe([TEXT, TEXT], n_process=2)] == [CHUNKS, CHUNKS]


def test_a_pipeline_with_the_parser_of_another_has_them(nlp):
    # A plain vocabulary: that of the pipeline has more features.
    other = spacy.blank("en")
    other.tokenizer = spacy_joint.load(vocab=other.vocab).tokenizer
    other.vocab.get_noun_chunks = chunk_clear_trees
    for name in ("sequence_tagger", "joint_sbd_parser"):
        other.add_pipe(name, source=nlp)
    assert list_chunks(other(TEXT)) == CHUNKS
    assert other.vocab.get_noun_chunks is noun_chunks


def test_noun_chunks_can_be_merged():
    nlp = spacy_joint.load()
    nlp.add_pipe("merge_noun_chunks")
    doc = nlp(TEXT)
    assert [token.text for token in doc if " " in token.text] == [chunk for chunk in CHUNKS if " " in chunk]
    assert [(token.text, token.dep_) for token in doc[:2]] == [("The mayor's old dog", "nsubj"), ("likes", "ROOT")]
