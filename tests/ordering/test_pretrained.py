"""The orderer that the package ships."""

import pytest
import spacy

import spacy_joint

pytestmark = pytest.mark.skipif(
    not (spacy_joint.PRENOMINAL / "config.cfg").is_file(), reason="this checkout has no pretrained orderer"
)


@pytest.fixture(scope="module")
def nlp():
    nlp = spacy_joint.load()
    nlp.add_pipe("prenominal_orderer", source=spacy.load(spacy_joint.PRENOMINAL, vocab=nlp.vocab))
    return nlp


@pytest.mark.parametrize(
    "words, head",
    [
        (["big", "red"], "ball"),
        (["little", "old"], "lady"),
        (["beautiful", "young"], "woman"),
        (["large", "wooden"], "table"),
        (["new", "American"], "president"),
        (["many", "different"], "ideas"),
        (["local", "police"], "station"),
    ],
)
def test_it_orders_common_modifiers(nlp, words, head):
    assert list(nlp.get_pipe("prenominal_orderer").order(words[::-1], head=head).words) == words


def test_it_marks_what_is_odd_in_text(nlp):
    doc = nlp("The wooden large table stood in the large old kitchen.")
    labels = {span.text: span.label_ for span in doc.spans["prenominal"]}
    assert labels["large old kitchen"] == "OK"
    assert nlp.get_pipe("prenominal_orderer").cfg["threshold"] == 2.0


def test_it_is_small():
    assert sum(path.stat().st_size for path in (spacy_joint.PRENOMINAL / "prenominal_orderer").iterdir()) < 3e6
