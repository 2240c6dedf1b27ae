"""Marks and capitals: where they are, what is kept, and what is learnt from."""

import numpy as np
import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.training import Example

from spacy_joint.annotation.restored import FINAL, list_marked, read_restored, write_restored
from spacy_joint.restoring.restoring_columns import RestoringColumns

# Texts of two sentences each.
EDITED = [
    "We left, but Anna stayed. Did you see her?",
    "Did they leave? We saw Anna, Bob and the US.",
    "Yes, we did. You saw the iPhone!",
    "Well, did Anna see us? We stayed.",
]
FORMS = ["iPhone"]
WORDS = ["did", "you", "see", "anna", "we", "left", "IPhone", "US", *"',.?!:—()", "--", "\n\n"]
QUICK = settings(max_examples=60)


def make_doc(nlp, text):
    """A document whose sentences end with marks."""
    doc = nlp.make_doc(text)
    for token in doc[1:]:
        token.is_sent_start = doc[token.i - 1].text in FINAL
    return doc


def make_plain(nlp, words, starts=()):
    """A document of words in lower case, with sentences that begin at these."""
    return Doc(nlp.vocab, words=words, sent_starts=[i == 0 or i in starts for i in range(len(words))])


@pytest.fixture(scope="module")
def nlp(small_model):
    """Trained on EDITED, without trees."""
    nlp = spacy.blank("en")
    restorer = nlp.add_pipe("punctuation_restorer", config={"model": small_model})
    examples = [Example(make_doc(nlp, text), make_doc(nlp, text)) for text in EDITED]
    restorer.add_label("iPhone")
    np.random.seed(0)
    with pytest.warns(UserWarning, match="JW02"):
        nlp.initialize(lambda: examples)
        for _ in range(20):
            nlp.update(examples)
    return nlp


@pytest.fixture
def overwriting(nlp, monkeypatch):
    """The same, which also restores what the text has."""
    monkeypatch.setitem(nlp.get_pipe("punctuation_restorer").cfg, "overwrite", True)
    return nlp


def restore(nlp, words, starts=()):
    return nlp(make_plain(nlp, words.split() if isinstance(words, str) else words, starts))._.restored_text.rstrip()


def restore_text(nlp, text):
    doc = nlp.make_doc(text)
    for token in doc[1:]:
        token.is_sent_start = not token.is_space and (token.nbor(-1).is_space or token.nbor(-1).text in FINAL)
    return nlp(doc)._.restored_text


def test_marks_and_capitals_are_restored(nlp):
    assert restore(nlp, "we left but anna stayed did you see her", [5]) == "We left, but Anna stayed. Did you see her?"
    assert restore(nlp, "yes we did you saw the iphone", [3]) == "Yes, we did. You saw the iPhone!"


def test_text_and_offsets_stay(nlp):
    doc = nlp(make_plain(nlp, ["did", "they", "leave"]))
    assert doc.text == "did they leave "
    assert [(token.idx, token._.restored) for token in doc] == [(0, "Did"), (4, "they"), (9, "leave?")]
    assert doc[1:]._.restored_text == "they leave?"


def test_without_the_component_the_restored_text_is_the_text():
    doc = spacy.blank("en")("did they leave")
    assert doc._.restored_text == doc.text and doc[1:]._.restored_text == "they leave"
    assert [token._.restored for token in doc] == [None] * 3


def test_merged_tokens_have_what_was_restored_of_their_parts_and_parts_of_tokens_have_nothing():
    words, spaces = ["nora", "li", ",", "gonna", "go"], [True, False, True, True, False]
    doc = Doc(spacy.blank("en").vocab, words=words, spaces=spaces)
    write_restored(doc, ["Nora", "Li", ",", "Gonna", "go."])
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[:3])
        retokenizer.split(doc[3], ["gon", "na"], heads=[doc[4], doc[4]])
    assert [token._.restored for token in doc] == ["Nora Li,", None, None, "go."]
    assert doc._.restored_text == "Nora Li, gonna go."


@QUICK
@given(st.lists(st.sampled_from(WORDS), max_size=20), st.data())
def test_sentences_and_only_these_end_with_final_marks(nlp, words, data):
    if not words:
        return
    starts = data.draw(st.sets(st.integers(0, len(words) - 1)))
    doc = nlp(make_plain(nlp, words, starts))
    own = list_marked(doc, words)
    restored = list_marked(doc, read_restored(list(doc)))
    ends = [place for place, word in enumerate(own) if place + 1 == len(own) or has_start(doc, word, own[place + 1])]
    for place, (word, given_) in enumerate(zip(restored, own, strict=True)):
        # Marks of the text are kept wherever they are, and lines may be headings.
        is_heading = "\n\n" in words and not word.mark
        assert given_.mark or (word.mark in FINAL) == (place in ends) or is_heading
        assert not given_.mark or word.mark == given_.mark


def has_start(doc, word, following):
    return any(doc[token].is_sent_start for token in range(word.token + 1, following.token + 1))


def test_given_marks_and_cases_are_kept(nlp):
    doc = nlp(make_doc(nlp, "Did you see ANNA; yes! we left"))
    assert doc._.restored_text == "Did you see ANNA; yes! We left."


def test_marks_are_added_within_sentences_only_in_long_stretches_without_marks(nlp):
    sentence = ["we", "left", "but", "anna", "stayed"]
    short, long = [*sentence, ",", *sentence], [*sentence, ",", *sentence * 20]
    assert restore(nlp, short) == "We left but Anna stayed , we left but Anna stayed."
    assert ", but Anna" in restore(nlp, long)


@pytest.mark.parametrize("space", ["\n", "\n\n"])
def test_headings_of_edited_text_get_no_marks(nlp, space):
    for text in ("Did Anna leave", "We saw Bob. Yes, we left.", "Anna stayed"), ("We left.", "Bob stayed"):
        assert restore_text(nlp, space.join(text)) == space.join(text)
    # Neither text in lower case nor a sentence within a line has headings.
    assert restore_text(nlp, f"we left{space}yes, we did")[-1] in FINAL
    assert restore_text(nlp, f"We left. Bob stayed{space}We left.") == f"We left. Bob stayed.{space}We left."


@pytest.mark.parametrize("text", ["WE SAW ANNA", "we saw anna"])
def test_text_in_one_case_gets_capitals(nlp, text):
    assert restore(nlp, text).startswith("We saw Anna")


@pytest.mark.parametrize("text", ["WE SAW PROF . LOW", "we saw prof . low"])
def test_titles_and_the_names_after_them_get_capitals(nlp, text):
    assert restore(nlp, text).startswith("We saw Prof . Low")


def test_words_between_titles_get_no_capitals(nlp):
    assert restore(nlp, "we saw mr . and mrs . low").startswith("We saw Mr . and Mrs . Low")


def test_long_sentences_of_edited_text_keep_their_case(nlp):
    words = ["We", *["anna"] * 40, "US", "."]
    assert nlp(make_plain(nlp, words))._.restored_text.split() == words


def test_numbers_are_not_capitals(nlp):
    assert restore_text(nlp, "We left BOB 1 2 3 4 5 6 7 8.") == "We left BOB 1 2 3 4 5 6 7 8."


def test_symbols_get_no_marks_after_a_mark_or_alone(nlp):
    for text in ("Did Anna leave ? |", "Anna stayed . *", "We left. =="):
        assert restore(nlp, text, [2] if "=" in text else []) == text


def test_markers_of_items_keep_their_case(nlp):
    for marker in ("a)", "iv."):
        assert restore_text(nlp, f"We saw Bob.\n{marker} Anna left.") == f"We saw Bob.\n{marker} Anna left."


def test_sentences_after_marks_within_a_sentence_get_no_capital(nlp):
    assert restore(nlp, "We left ; but Anna stayed .", [3]) == "We left ; but Anna stayed ."


def test_all_can_be_restored(overwriting):
    doc = overwriting(make_doc(overwriting, 'Did: You See Her. "WE LEFT but ANNA stayed!"'))
    assert doc._.restored_text == 'Did you see her? "We left, but Anna stayed."'


def test_marks_are_after_brackets_and_not_between_parts_of_a_word(nlp):
    nlp_doc = Doc(nlp.vocab, words=["(", "we", "left", ")"], spaces=[False, True, False, False])
    assert nlp(nlp_doc)._.restored_text.startswith("(We left)")
    parts = Doc(nlp.vocab, words=["yes", "-", "we", "left"], spaces=[False, False, True, False])
    assert nlp(parts)._.restored_text.startswith("Yes-we left")


def test_sounds_stay(nlp):
    doc = make_plain(nlp, ["we", "left", "[", "music", "]", "we", "left"], starts=(2, 5))
    assert "[ music ] We left" in nlp(doc)._.restored_text


@pytest.mark.parametrize(
    ("setting", "mark", "text"),
    [("mark_bias", ",", "well we left but anna stayed"), ("question_bias", "?", "did they leave")],
)
def test_a_bias_adds_and_removes_marks(nlp, small_model, setting, mark, text):
    counts = []
    for bias in (-1000.0, 0.0, 1000.0):
        other = spacy.blank("en", vocab=nlp.vocab)
        other.add_pipe("punctuation_restorer", config={setting: bias, "model": small_model})
        other.from_bytes(nlp.to_bytes())
        counts.append(restore(other, text).count(mark))
    assert counts[0] == 0 < counts[1] <= counts[2]


def test_documents_without_marks_are_learnt_from_by_what_is_restored(nlp):
    reference = make_plain(nlp, ["did", "they", "leave"])
    restorer = nlp.get_pipe("punctuation_restorer")
    assert restorer.make_instances(Example(make_plain(nlp, ["did", "they", "leave"]), reference)) == []
    write_restored(reference, ["Did", None, "leave?"])
    (instance,) = restorer.make_instances(Example(make_plain(nlp, ["did", "they", "leave"]), reference))
    # A capital that begins a sentence says nothing of its word.
    assert instance.n_actions == 5


def test_marks_at_other_boundaries_than_those_of_the_text_are_not_learnt(nlp):
    restorer = nlp.get_pipe("punctuation_restorer")
    text = "We left. Anna stayed."
    reference = make_doc(nlp, text)
    both = restorer.make_instances(Example(make_doc(nlp, text), reference))[0].n_actions
    # Two cases less at the beginnings of sentences.
    assert both == 2 * 4 - 2
    one, wrong = (
        make_plain(nlp, ["We", "left", ".", "Anna", "stayed", "."]),
        make_plain(nlp, ["We", "left", ".", "Anna", "stayed", "."], [1]),
    )
    assert restorer.make_instances(Example(one, reference))[0].n_actions == both - 1
    assert restorer.make_instances(Example(wrong, reference))[0].n_actions == both - 2


def test_labels_are_marks_and_forms(nlp):
    restorer = nlp.get_pipe("punctuation_restorer")
    assert restorer.label_data == {"marks": ["!", ",", ".", "?"], "forms": FORMS}
    other = spacy.blank("en").add_pipe("punctuation_restorer")
    with pytest.raises(ValueError, match=r"\[J070\]"):
        other.add_label("(")


def test_words_and_marks_of_text():
    doc = spacy.blank("en")('"So," he said -- (why?!) 5 % - no…\n\nYes.')
    written = list_marked(doc, [token.text for token in doc])
    assert [doc[word.token].text for word in written] == [word.text for word in written]
    assert " ".join(word.text + word.mark for word in written) == "So, he said— why? 5 %— no… Yes."


def test_columns_show_phrases_and_questions(nlp):
    doc = Doc(
        nlp.vocab,
        words=["what", "did", "you", "and", "she", "see", "there"],
        heads=[5, 5, 5, 4, 2, 5, 5],
        deps=["obj", "aux", "nsubj", "cc", "conj", "ROOT", "advmod"],
        tags=["WP", "VBD", "PRP", "CC", "PRP", "VB", "RB"],
    )
    names = ["word", "opens_dep", "closes_dep", "opens_size", "opens_conjuncts", "closes_conjuncts", "question"]
    restorer = nlp.get_pipe("punctuation_restorer")
    columns = RestoringColumns(names, restorer.word_classes, restorer.custom_columns, restorer.spelling)
    values, tokens = columns.make_values(doc)
    shown = dict(zip(names, values.T, strict=True))
    named = lambda name: [nlp.vocab.strings[value] if value else "" for value in shown[name].tolist()]  # noqa: E731
    assert tokens.tolist() == list(range(7))
    assert named("opens_dep") == ["ROOT", "aux", "nsubj", "conj", "", "", "advmod"]
    assert named("closes_dep") == ["obj", "aux", "", "cc", "nsubj", "", "ROOT"]
    assert shown["opens_size"].tolist() == [5, 1, 3, 2, 0, 0, 1]
    # It is the only conjunct.
    assert shown["opens_conjuncts"].tolist() == [0, 0, 0, 1, 0, 0, 0]
    assert len(set(shown["question"].tolist())) == 1 and shown["question"][0] % 4 == 0
