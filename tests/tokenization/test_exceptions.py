"""Exceptions learnt from a treebank: strings that it splits differently from the rules, often and consistently."""

import pytest
import spacy
from spacy.tokens import Doc

from spacy_joint.tokenization.exceptions import add_exceptions, create_exceptions_adder, learn_exceptions

TOKENIZER = spacy.blank("en").tokenizer


def as_sentences(*texts):
    """Words; `_` marks the end of a word without a space after it: `e_ -mail`."""
    for text in texts:
        words = text.split(" ")
        yield [word.rstrip("_") for word in words], [not word.endswith("_") for word in words]


def learn(*texts, **options):
    return learn_exceptions(TOKENIZER, as_sentences(*texts), **options)


def test_words_that_the_rules_split_differently_are_learnt():
    assert learn("and_ /_ or", "and_ /_ or") == {"and/or": ["and", "/", "or"]}
    assert learn("approx. five", "approx. six") == {"approx.": ["approx."]}


def test_marks_around_it_are_not_part_of_it():
    assert learn("(_ and_ /_ or_ )", "so_ ,", "and_ /_ or_ .") == {"and/or": ["and", "/", "or"]}


def test_rare_exceptions_are_not_learnt():
    assert learn("approx. five") == {}
    assert learn("approx. five", min_count=1) == {"approx.": ["approx."]}


def test_exceptions_that_break_more_than_they_correct_are_not_learnt():
    assert learn("it_ s late", "it_ s late", *["its tail"] * 3) == {}


def test_lower_cased_text_counts_too():
    assert learn("Approx. five", "Approx. six") == {"Approx.": ["Approx."], "approx.": ["approx."]}


def test_exceptions_correct_the_tokenizer_and_leave_the_old_one_as_it_is():
    corrected = add_exceptions(TOKENIZER, learn("approx. five", "approx. six"))
    assert [token.text for token in corrected("(approx. 5)")] == ["(", "approx.", "5", ")"]
    assert [token.text for token in TOKENIZER("approx. 5")] == ["approx", ".", "5"]


def test_exceptions_hold_in_any_case():
    corrected = add_exceptions(TOKENIZER, {"gonnado": ["gon", "na", "do"], "GonnaDo": ["GonnaDo"]})
    pieces = [token.text for token in corrected("gonnado Gonnado GONNADO GonnaDo gONNADO")]
    assert pieces == ["gon", "na", "do", "Gon", "na", "do", "GON", "NA", "DO", "GonnaDo", "gONNADO"]


def test_variants_of_exceptions_replace_no_other_exceptions():
    corrected = add_exceptions(add_exceptions(TOKENIZER, {"GONNADO": ["GONNADO"]}), {"gonnado": ["gonna", "do"]})
    assert [token.text for token in corrected("gonnado GONNADO")] == ["gonna", "do", "GONNADO"]


@pytest.mark.parametrize("pieces", [["going", "to"], "gonna"])
def test_pieces_are_a_list_and_make_up_their_string(pieces):
    with pytest.raises(ValueError, match="J151"):
        add_exceptions(TOKENIZER, {"gonna": pieces})


def test_only_tokenizers_of_spacy_have_exceptions():
    nlp = spacy.blank("en")
    nlp.tokenizer = lambda text: Doc(nlp.vocab, words=text.split())
    with pytest.raises(ValueError, match="J150"):
        create_exceptions_adder({"and/or": ["and", "/", "or"]})(nlp)
    assert create_exceptions_adder({})(nlp) is nlp


def test_a_config_adds_them_when_a_pipeline_is_created():
    callback = {"@callbacks": "spacy_joint.add_tokenizer_exceptions.v1", "exceptions": {"and/or": ["and", "/", "or"]}}
    nlp = spacy.blank("en", config={"initialize": {"before_init": callback}})
    nlp.initialize()
    assert [token.text for token in nlp("and/or")] == ["and", "/", "or"]
