"""The description of an annotated text."""

from time import process_time
from xml.etree import ElementTree

import pytest
import spacy
from spacy.tokens import Doc

from spacy_joint.serving.description import answer, describe_pipeline, draw_tree, load_to_serve
from spacy_joint.serving.schema import Annotations


@pytest.fixture(scope="module")
def nlp():
    return load_to_serve(None)


def describe_text(nlp, text):
    (described,) = answer(nlp, "annotate", [(text, "text", True)])
    return described


def describe_tree(nlp, text, sentence, kind="dependencies"):
    (described,) = answer(nlp, "draw_tree", [(text, "text", sentence, kind)])
    return described


def validate(nlp, described):
    return Annotations(pipeline=describe_pipeline(nlp), **described)


@pytest.mark.parametrize(
    "text", ["", " ", "\n\n", "a", "<script>alert(1)</script> & 'so' \"on\"", "a\x00b \ufffe 😀 \x0c"]
)
def test_any_text_is_described_and_its_trees_are_well_formed(nlp, text):
    found = validate(nlp, describe_text(nlp, text))
    for number, sentence in enumerate(found.sentences):
        assert text[sentence.start : sentence.end] == sentence.text
        for kind in ("dependencies", "constituents"):
            tree = ElementTree.fromstring(describe_tree(nlp, text, number, kind)["tree"])
            assert {element.tag.rpartition("}")[2] for element in tree.iter()} <= {
                "svg", "g", "path", "text", "textPath", "tspan", "title", "desc", "rect"
            }  # fmt: skip


def test_texts_of_a_batch_are_described_as_one_by_one(nlp):
    texts = ["“We are late,” said Ann Lee.", "", "She threw a red big ball.", "It rained."]
    described = answer(nlp, "annotate", [(text, "text", True) for text in texts])
    assert described == [describe_text(nlp, text) for text in texts]


def test_a_tree_has_each_word_and_an_arc_to_each_but_the_root(nlp):
    text = "It rained. She saw old cats."
    tree = ElementTree.fromstring(describe_tree(nlp, text, 1)["tree"])
    classes = [element.get("class") for element in tree.iter()]
    assert classes.count("displacy-word") == len(describe_text(nlp, text)["sentences"][1]["tokens"]) == 5
    assert classes.count("displacy-arrow") == 4


@pytest.mark.parametrize("kind", ["dependencies", "constituents"])
def test_without_a_parser_there_are_no_trees(kind):
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    assert describe_tree(nlp, "It rained.", 0, kind)["failure"].startswith("[J449]")
    assert not describe_pipeline(nlp)["finds_constituents"]


def test_constituents_are_drawn_by_a_parser_that_is_disabled(nlp):
    assert "constituency_parser" in nlp.disabled and describe_pipeline(nlp)["finds_constituents"]
    text = " \n\nIt rained. We left the old town."
    drawn = ElementTree.fromstring(describe_tree(nlp, text, 1, "constituents")["tree"])
    (description,) = drawn.iter("{http://www.w3.org/2000/svg}desc")
    assert description.text == "(S (NP (PRP We)) (VP (VBD left) (NP (DT the) (JJ old) (NN town))) (. .))"


def test_tags_and_labels_are_explained_where_spacy_knows_them(nlp):
    found = describe_text(nlp, "She saw old cats.")
    terms = {token[key] for token in found["sentences"][0]["tokens"] for key in ("tag", "pos", "dep")}
    explanations = found["explanations"]
    assert explanations["NNS"] == "noun, plural" and explanations["nsubj"] == "nominal subject"
    terms |= {hedge["label"] for hedge in found["hedges"]}
    assert explanations.keys() <= terms and all(explanations.values())


def test_parts_of_speech_lemmas_and_morphology_are_described_if_a_component_finds_them(tmp_path):
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    attributes = {"POS": "NOUN", "LEMMA": "cat", "MORPH": "Number=Plur"}
    nlp.add_pipe("attribute_ruler").add([[{"LOWER": "cats"}]], attributes)
    nlp.to_disk(tmp_path)
    found = validate(nlp, describe_text(load_to_serve(str(tmp_path)), "Cats slept."))
    cats, slept, _ = found.sentences[0].tokens
    assert (cats.pos, cats.lemma, cats.morph) == ("NOUN", "cat", "Number=Plur")
    assert (slept.pos, slept.lemma, slept.morph) == ("", "", "")
    assert found.explanations["NOUN"] == "noun"


def test_tags_and_labels_are_escaped():
    doc = Doc(spacy.blank("en").vocab, words=["a", "b"])
    tokens = [
        {"id": 1, "text": "a", "tag": "<script>", "head": 0, "dep": "ROOT"},
        {"id": 2, "text": "b", "tag": "&", "head": 1, "dep": "<b>"},
    ]
    assert "script" not in {element.tag for element in ElementTree.fromstring(draw_tree(tokens, doc)).iter()}


def test_quotations_and_orders_of_modifiers_are_found(nlp):
    found = describe_text(nlp, "“We are late,” said Ann Lee. She threw a red big ball.")
    (quotation,) = found["quotations"]
    assert quotation["speaker"]["text"] == "Ann Lee"
    (phrase,) = found["modifiers"]
    assert (phrase["text"], phrase["best"], phrase["label"]) == ("red big ball", "big red ball", "ODD")


@pytest.mark.parametrize(
    ("text", "warns"),
    [
        ("Der Hund schläft heute lange, und die Katze schläft auch schon wieder.", True),
        ("этот текст написан на другом языке и поэтому непонятен", True),
        ("The dog is asleep today, and the cat is asleep again, too.", False),
        ("Der Hund schläft.", False),
        ("这是一个完全不同的语言所以这个模型不认识这里面的任何一个词语我们应该看到一个警告", True),
        ("12 345 67 89 12 345 67 89 12 345 67 89", False),
        ("See https://example.com/a/very/long/address/that/no/table/of/words/has for it.", False),
    ],
)
def test_a_text_of_unknown_words_has_a_warning_if_it_is_long_enough(nlp, text, warns):
    found = describe_text(nlp, text)["warnings"]
    assert [warning.startswith("[JW50]") for warning in found] == [True] * warns


def test_a_long_text_takes_time_in_proportion_to_its_length(nlp):
    """Repeating `Doc.text` for each sentence took half a minute here."""
    text = "we were late so we left and they stayed " * 2500
    start = process_time()
    found = answer(nlp, "annotate", [(text, "text", False)])[0]
    # A second on an idle core.
    assert len(found["sentences"]) > 1000 and process_time() - start < 10


def test_with_a_chunker_there_are_hedges(small_model, read_examples, train, tmp_path):
    nlp = spacy.blank("en")
    nlp.add_pipe("hedge_chunker", config={"model": small_model, "spans_key": "other"})
    examples = read_examples(nlp, keep=["TAG"])
    nlp.initialize(lambda: examples)
    train(nlp, examples, epochs=2).to_disk(tmp_path)
    loaded = load_to_serve(str(tmp_path))
    found = validate(loaded, describe_text(loaded, examples[0].reference.text))
    assert found.hedges and all(hedge.structure.startswith("(") for hedge in found.hedges)


def test_quotations_are_found_even_by_a_disabled_component(tmp_path):
    nlp = spacy.blank("en")
    nlp.add_pipe("quotation_spans")
    nlp.disable_pipe("quotation_spans")
    nlp.to_disk(tmp_path)
    assert describe_text(load_to_serve(str(tmp_path)), "“We left,” she said.")["quotations"]


def test_without_a_parser_no_sentences_are_invented(tmp_path):
    spacy.blank("de").to_disk(tmp_path)
    text = "Es regnet heute sehr lange. Wir gehen deshalb auch schon wieder nach Hause."
    found = describe_text(load_to_serve(str(tmp_path)), text)
    # The shipped orderer is for English, and words are not known to be unknown.
    nothing = {"sentences": None, "quotations": [], "modifiers": None, "hedges": None, "explanations": {}}
    assert found == {"text": text, "readable": f"{text}\n", "warnings": [], **nothing}


def test_requests_do_not_grow_the_vocabulary(nlp):
    describe_text(nlp, "We left.")
    before = len(nlp.vocab.strings)
    describe_text(nlp, "We left Zwoxlheim and Grabbelquist.")
    assert len(nlp.vocab.strings) == before
