"""The pretrained pipeline as a separate distribution."""

import pytest
import spacy
from spacy.matcher import Matcher
from spacy.util import get_installed_models

import spacy_joint

NAME = spacy_joint.PRETRAINED


@pytest.fixture(scope="module")
def nlp():
    return spacy.load(NAME)


def test_it_is_loaded_by_its_name(nlp):
    assert nlp.path == spacy_joint.load().path
    assert nlp.pipe_names == ["sequence_tagger", "joint_sbd_parser", "sequence_morphologizer", "sequence_lemmatizer"]
    assert nlp.disabled == ["punctuation_restorer", "prenominal_orderer", "hedge_chunker", "constituency_parser"]


# Two sentences each.
TEXTS = {
    "en": "i called her yesterday she said no",
    "fr": "je l'ai appelée hier elle a dit non",
    "nn": "kva gjer du no eg les ei bok",
    "pt": "onde fica a estação eu não sei",
    # Naija.
    "xx": "how you dey I dey fine",
}


@pytest.mark.parametrize("variant", spacy_joint.VARIANTS)
def test_variants_and_other_languages_are_loaded_by_their_names(variant):
    name = spacy_joint.VARIANTS[variant]
    if name in get_installed_models():
        nlp = spacy_joint.load(variant)
        assert f"{nlp.lang}_{nlp.meta['name']}" == name
        text = TEXTS[nlp.lang]
        assert len(list(nlp(text).sents)) == 2, text
        assert all(token.pos and token.dep and token.lemma for token in nlp(text))
        assert nlp.get_pipe("joint_sbd_parser").calibration
    else:
        with pytest.raises(OSError, match=rf"J400.*download {variant}`.*pipelines/{name}"):
            spacy_joint.load(variant)


def test_a_language_without_a_pipeline_can_be_trained(tmp_path, monkeypatch):
    with pytest.raises(OSError, match=r"J406.*'de'.*md, trf, en, fr, fr_trf, nn, pcm, pt, pt_trf.*train-treebank"):
        spacy_joint.load("de")
    # A directory of this name is a path.
    monkeypatch.chdir(tmp_path)
    spacy.blank("de").to_disk("de")
    assert spacy_joint.load("de").lang == "de"


def test_a_package_that_is_no_pipeline_is_refused():
    with pytest.raises(OSError, match="E053"):
        spacy_joint.load("spacy")


@pytest.mark.parametrize("name", ["meta.json", "tokenizer", "vocab/strings.json"])
def test_a_damaged_file_of_spacy_is_an_error_with_a_code(name, tmp_path):
    spacy.blank("en").to_disk(tmp_path)
    (tmp_path / name).write_bytes(b"")
    with pytest.raises(ValueError, match=r"\[J441\]"):
        spacy_joint.load(tmp_path)


def test_spacy_knows_it():
    assert NAME in get_installed_models()
    info = spacy.info(NAME, silent=True)
    assert (info["name"], info["lang"], info["license"]) == ("joint_english", "en", "CC BY-SA 4.0")


def test_tokens_have_all_that_matchers_want(nlp):
    matcher = Matcher(nlp.vocab)
    matcher.add("GO", [[{"LEMMA": "go", "POS": "VERB", "MORPH": {"IS_SUPERSET": ["Tense=Past"]}}]])
    doc = nlp("They went home and we saw him go.")
    assert [doc[start:end].text for _, start, end in matcher(doc)] == ["went"]
    assert [chunk.text for chunk in doc.noun_chunks] == ["They", "we", "him"]


def test_rare_forms_have_their_lemmas(nlp):
    doc = nlp("He nodded, sank into the simplest of 1,000 chairs, and scribbled two hypotheses.")
    found = {token.text: token.lemma_ for token in doc if token.lemma_ != token.lower_}
    forms = {"nodded": "nod", "sank": "sink", "simplest": "simple", "scribbled": "scribble"}
    assert found == {**forms, "1,000": "1000", "chairs": "chair", "hypotheses": "hypothesis"}


def test_components_that_not_everybody_needs_can_be_enabled():
    nlp = spacy_joint.load()
    for name in nlp.disabled:
        nlp.enable_pipe(name)
    doc = nlp("The wooden large table stood in the kitchen of my old house.")
    assert [span.label_ for span in doc.spans["prenominal"]] == ["ODD"]
    assert "my old house" in {span.text for span in doc.spans["constituents"]}
