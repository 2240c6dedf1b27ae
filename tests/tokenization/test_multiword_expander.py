"""The component that finds multiword tokens, with a lexicon of the training data."""

import pickle

import pytest
import spacy
import srsly
from spacy.tokens import Doc, DocBin
from spacy.training import Example

from spacy_joint.annotation.multiword_tokens import get_words, join

IN_DEM = [["in", "in", "ADP", "APPR", "", 0, "case"], ["dem", "der", "DET", "ART", "Case=Dat", 0, "det"]]
DE_LES = [["de", "de", "ADP", "ADP", "", 0, "case"], ["les", "le", "DET", "DET", "", 0, "det"]]


def make_doc(nlp, *tokens, joined=()):
    """A document of (text, tag, words); a text that ends in `_` has no space after it."""
    texts, tags, words = zip(*tokens, strict=True)
    spaces = [not text.endswith("_") for text in texts]
    doc = Doc(nlp.vocab, [text.rstrip("_") for text in texts], spaces, tags=list(tags))
    for token, its_words in zip(doc, words, strict=True):
        token._.ud_words = its_words
    for position in joined:
        join(doc[position])
    return doc


@pytest.fixture
def nlp():
    nlp = spacy.blank("xx")
    nlp.add_pipe("multiword_expander")
    docs = [
        make_doc(nlp, ("im", "APPR", IN_DEM), ("Haus", "NN", None)),
        make_doc(
            nlp, ("Im", "APPR", [["In", *IN_DEM[0][1:]], IN_DEM[1]]), ("des", "DET", None), ("des", "ADP", DE_LES)
        ),
        make_doc(nlp, ("des", "ADP", DE_LES), ("des", "DET", None), ("des", "DET", None), ("zudem", "ADV", None)),
        make_doc(nlp, ("do_", "X", None), ("n't", "X", None), ("my_", "X", None), ("'s", "X", None), joined=[1, 3]),
        make_doc(nlp, ("her_", "X", None), ("'s", "X", None), ("it_", "X", None), ("'s", "X", None), joined=[1]),
    ]
    nlp.initialize(lambda: [Example(doc, doc) for doc in docs])
    return nlp


def expand(nlp, text, tag="APPR"):
    (token,) = nlp(make_doc(nlp, (text, tag, None)))
    return [word.form for word in get_words(token)]


def test_tokens_get_the_words_of_the_training_data(nlp):
    (token,) = nlp(make_doc(nlp, ("im", "APPR", None)))
    assert token._.ud_words == IN_DEM


def test_words_have_the_case_of_the_token(nlp):
    assert expand(nlp, "Im") == ["In", "dem"]
    assert expand(nlp, "IM") == ["IN", "DEM"]


def test_other_tokens_have_none(nlp):
    for text in ("Haus", "zudem", "zum"):
        assert expand(nlp, text) == []


def test_the_tag_decides_where_a_token_may_be_a_single_word(nlp):
    assert expand(nlp, "des", "ADP") == ["de", "les"]
    assert expand(nlp, "des", "DET") == []


def test_other_tags_have_the_most_frequent_analysis(nlp):
    assert expand(nlp, "des", "NOUN") == []
    assert expand(nlp, "im", "NOUN") == ["in", "dem"]


def test_documents_without_tags_are_warned_of(nlp):
    with pytest.warns(UserWarning, match=r"\[JW02\] 'multiword_expander' reads token\.tag"):
        nlp("des")


def test_tokens_that_have_words_keep_them(nlp):
    (token,) = nlp(make_doc(nlp, ("im", "APPR", DE_LES)))
    assert token._.ud_words == DE_LES


def find_joined(nlp, *texts):
    return [token.text for token in nlp(make_doc(nlp, *((text, "", None) for text in texts))) if token._.ud_joined]


def test_tokens_are_joined_to_the_one_before(nlp):
    assert find_joined(nlp, "Are_", "N'T", "me_", "n't", ".") == ["N'T", "n't"]


def test_tokens_after_a_space_are_not_joined(nlp):
    assert find_joined(nlp, "do", "n't") == []


def test_pairs_of_tokens_that_are_not_joined_are_known(nlp):
    assert find_joined(nlp, "it_", "'s", "your_", "'s") == ["'s"]


def test_a_pipeline_survives_saving(nlp, tmp_path):
    nlp.to_disk(tmp_path)
    copies = [spacy.load(tmp_path), spacy.blank("xx"), pickle.loads(pickle.dumps(nlp))]
    copies[1].add_pipe("multiword_expander", source=nlp)
    copies.append(spacy.blank("xx"))
    copies[3].add_pipe("multiword_expander").from_bytes(nlp.get_pipe("multiword_expander").to_bytes())
    for copied in copies:
        assert expand(copied, "Im") == ["In", "dem"]
        assert find_joined(copied, "it_", "'s", "your_", "'s") == ["'s"]
        contents = [each.get_pipe("multiword_expander").to_bytes(exclude=["vocab"]) for each in (copied, nlp)]
        assert contents[0] == contents[1]


def test_other_processes_expand_too(nlp):
    docs = list(nlp.pipe(["im Haus", "Im Haus"] * 2, n_process=2))
    assert [[word.form for word in get_words(doc[0])] for doc in docs] == [["in", "dem"], ["In", "dem"]] * 2
    (saved,) = DocBin(docs=docs[:1], store_user_data=True).get_docs(nlp.vocab)
    assert [word.form for word in get_words(saved[0])] == ["in", "dem"]


def test_an_untrained_component_finds_nothing():
    nlp = spacy.blank("xx")
    nlp.add_pipe("multiword_expander")
    assert not get_words(nlp("im")[0])


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"{}", b'{"words": {"im": {}}, "joints": {}}', b'{"words": {"im": 1}, "joints": {}}']
)
def test_a_broken_lexicon_is_named(nlp, content):
    expander = nlp.get_pipe("multiword_expander")
    before = expander.to_bytes()
    with pytest.raises(ValueError, match=r"\[J052\]"):
        expander.from_bytes(srsly.msgpack_dumps({"lexicon.json": content}))
    assert expander.to_bytes() == before


def test_a_missing_lexicon_is_named(nlp, tmp_path):
    with pytest.raises(ValueError, match=r"\[J073\].*'lexicon.json'"):
        nlp.get_pipe("multiword_expander").from_disk(tmp_path)


def test_it_learns_from_examples_only(nlp):
    with pytest.raises(TypeError, match=r"\[E978\]"):
        nlp.get_pipe("multiword_expander").initialize(lambda: ["im"])
    assert get_words(nlp("im")[0])


def add(form):
    """The words of `auxquelles` and the like."""
    return [["à", "à", "ADP", "ADP", "", 2, "case"], [form, "lequel", "PRON", "PRON", "", 0, "obl"]]


@pytest.fixture
def french():
    nlp = spacy.blank("xx")
    nlp.add_pipe("multiword_expander")
    forms = ["auxquels", "auxquelles"]
    words = [("lesquels", "PRON", None), ("lesquelles", "PRON", None), ("auxiliaire", "NOUN", None)]
    words += [("lesautres", "PRON", None), ("autres", "PRON", None)]
    docs = [make_doc(nlp, *((form, "PRON", add("les" + form[3:])) for form in forms), *words)]
    nlp.initialize(lambda: [Example(doc, doc) for doc in docs])
    return nlp


def test_unknown_tokens_are_made_by_rules_that_are_saved(french):
    assert expand(french, "auxautres", "PRON") == ["à", "lesautres"]
    copied = spacy.blank("xx")
    copied.add_pipe("multiword_expander").from_bytes(french.get_pipe("multiword_expander").to_bytes())
    assert expand(copied, "auxautres", "PRON") == ["à", "lesautres"]
    (token,) = french(make_doc(french, ("Auxautres", "PRON", None)))
    assert [word.form for word in get_words(token)] == ["À", "lesautres"]
    assert get_words(token)[0].tag == "ADP" and get_words(token)[1].tag == ""


def test_rules_are_not_for_tokens_that_are_single_words_or_of_unknown_words(french):
    assert expand(french, "auxiliaire", "PRON") == []
    assert expand(french, "auxanciens", "PRON") == []


def test_letters_are_joined_if_most_letters_are():
    nlp = spacy.blank("xx")
    nlp.add_pipe("multiword_expander")
    docs = [
        make_doc(nlp, *(token for name in names for token in (("ve_", "X", None), (name, "X", None))), joined=[1, 3])
        for names in (["yeled", "sefer"], ["bayit", "ir"])
    ]
    nlp.initialize(lambda: [Example(doc, doc) for doc in docs])
    assert find_joined(nlp, "ve_", "kelev", "ve_", "12") == ["kelev"]


def test_other_spellings_are_expanded():
    nlp = spacy.blank("xx")
    nlp.add_pipe("multiword_expander")
    doc = make_doc(nlp, *(("do_", "X", None), ("n't", "X", None)) * 6, joined=range(1, 12, 2))
    nlp.initialize(lambda: [Example(doc, doc)])
    assert find_joined(nlp, "do_", "n’t") == ["n’t"]
