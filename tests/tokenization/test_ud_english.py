"""The English tokenizer: it makes the words of Universal Dependencies and keeps every character of any input."""

import pickle
import subprocess
import sys

import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokenizer import Tokenizer

from spacy_joint.tokenization.exceptions import add_exceptions

CONFIG = {"nlp": {"tokenizer": {"@tokenizers": "spacy_joint.UdEnglishTokenizer.v1"}}}
NLP = spacy.blank("en", config=CONFIG)


def divide(text, nlp=NLP):
    return " ".join(token.text for token in nlp(text))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a well-known writer's U.S.-led co-op", "a well - known writer 's U.S. - led co-op"),
        ("mid-1980s e-mail, pre-war non-fiction", "mid-1980s e-mail , pre-war non-fiction"),
        ("he/she and/or they", "he / she and / or they"),
        ("Ann's dogs' bones don't; I'll, we're", "Ann 's dogs ' bones do n't ; I 'll , we 're"),
        ("it’s the teacher’s, isn’t it?", "it ’s the teacher ’s , is n’t it ?"),
        ("dont say im gonna, thats cannot", "do nt say i m gon na , that s can not"),
        ("WE DON'T", "WE DO N'T"),
        ("I.B.M.'s plan, the U.S.", "I.B.M. 's plan , the U.S."),
        ("at 180°C. In C#.", "at 180°C . In C # ."),
        ("Dr. Lee met Mr. J. Doe.", "Dr. Lee met Mr. J. Doe ."),
        ("at 7:30pm, 9am-12pm or 14:05.", "at 7:30 pm , 9 am - 12 pm or 14:05 ."),
        ("on 3/15, 12/24/2003 or 2003-12-24", "on 3/15 , 12/24/2003 or 2003-12-24"),
        ("10-12kg, $3.50-$4, 1,000.5 and 8%", "10 - 12 kg , $ 3.50 - $ 4 , 1,000.5 and 8 %"),
        ("call 555-123-4567 or 555-1234.", "call 555-123-4567 or 555-1234 ."),
        ("ann.lee@example.com, notes.doc!", "ann.lee@example.com , notes.doc !"),
        (
            "(System.Collections.List), os.path.join. It ended.Then",
            "( System.Collections.List ) , os.path.join . It ended . Then",
        ),
        ("(see http://www.example.com/a_b?c=d#e).", "( see http://www.example.com/a_b?c=d#e ) ."),
        ("<https://example.com/> or example.org", "< https://example.com/ > or example.org"),
        ("wait...what?!? no!!!", "wait ... what ?!? no !!!"),
        ("======= and *** and ---->here--so", "======= and *** and ----> here -- so"),
        ("(see [1], “quoted” and 'quoted')", "( see [ 1 ] , “ quoted ” and ' quoted ' )"),
        ('said:"Hi"... and left;he', 'said : " Hi " ... and left ; he'),
        ("fine :) or not :-(", "fine :) or not :-("),
        ("#1 is 5'10 tall", "# 1 is 5 ' 10 tall"),
        ("the end.He left", "the end . He left"),
    ],
)
def test_words_are_those_of_the_treebank(text, words):
    assert divide(text) == words


@given(st.text(st.characters(codec="utf-8") | st.sampled_from("  \n.,-'’\"/:$#@()!?aAs1tn"), max_size=40))
@settings(max_examples=300)
def test_no_character_is_lost(text):
    assert NLP.make_doc(text).text == text


# Each would take minutes or longer if a rule backtracked or marks were removed one by one.
@pytest.mark.parametrize(
    "part", ["-", ".", ".!", "([", "a-", "a.", "1/", "http://", "www.", "a@b.", "'s", "<=-", "=a", "_", "a", "1,111"]
)
@pytest.mark.parametrize("length", [990, 100_000])
def test_input_that_is_not_text_is_tokenized_too(part, length):
    text = f"{part * (length // len(part))} " * (100_000 // length)
    assert NLP.make_doc(text).text == text


def test_it_is_a_tokenizer_of_spacy():
    assert type(NLP.tokenizer) is Tokenizer
    assert divide("well-known", pickle.loads(pickle.dumps(NLP))) == "well - known"


def test_it_is_saved_with_the_pipeline(tmp_path):
    nlp = spacy.blank("en", config=CONFIG)
    nlp.tokenizer = add_exceptions(nlp.tokenizer, {"i-joined": ["i-joined"]})
    nlp.to_disk(tmp_path)
    text = "a well-known i-joined word"
    code = f"import spacy; print(*[token.text for token in spacy.load({str(tmp_path)!r})({text!r})])"
    printed = subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, capture_output=True, text=True)
    assert printed.stdout.strip() == "a well - known i-joined word"
    assert divide(text, spacy.blank("en", config=CONFIG).from_bytes(nlp.to_bytes())) == printed.stdout.strip()
    assert (tmp_path / "tokenizer").stat().st_size < 150_000


@pytest.mark.parametrize(
    "text",
    [
        "i can't, don't and won't",
        "gonna see mr. and dr. day",
        "http://example.com/a www.example.com/b a@b.org",
        "cannot",
    ],
)
def test_text_in_capitals_is_divided_like_text_in_lower_case(text):
    assert divide(text.upper()) == divide(text).upper()


def test_spacy_can_explain_its_tokens():
    text = "Ann's well-known, (e-mail) $5..."
    assert [piece for _, piece in NLP.tokenizer.explain(text)] == divide(text).split()
