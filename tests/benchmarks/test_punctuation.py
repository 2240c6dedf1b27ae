"""The benchmark of marks and capitals: what counts, for whom."""

import pytest
import spacy
from spacy.language import Language

pytest.importorskip("rapidfuzz")

from punctuation import Counts, Heard, carry, hear, score_calls, score_documents
from recognisers import Word

from spacy_joint.annotation.restored import write_restored


@Language.component("shout_after_we")
def shout_after_we(doc):
    """Restores commas after `we`, and capitals of `nora` and of what is glued to it."""
    write_restored(doc, [{"we": "we,", "nora": "Nora"}.get(token.text, token.text) for token in doc])
    return doc


@pytest.fixture(scope="module")
def nlp():
    nlp = spacy.blank("en")
    nlp.add_pipe("shout_after_we")
    return nlp


def make_words(text):
    """Words with their marks."""
    pairs = [(word.rstrip(",.?"), word[len(word.rstrip(",.?")) :]) for word in text.split()]
    return [Word(word, word.lower().replace("'", ""), None, marks) for word, marks in pairs]


def test_marks_and_capitals_are_counted_without_the_last_word():
    counts = Counts()
    counts.add(hear(make_words("We left, Nora. She stayed.")), hear(make_words("We left Nora. she stayed?")))
    scores = {name: (score["p"], score["r"]) for name, score in counts.to_dict().items()}
    assert scores == {
        ",": (0, 0),
        ".": (100, 100),
        ". ? !": (100, 100),
        "capitals": (pytest.approx(200 / 3), 100),
        "first letters": (50, 100),
        "other capitals": (100, 100),
    }


def test_marks_are_carried_to_recognised_words_and_cases_only_to_right_ones():
    carried = carry(make_words("So, we GREW. It's fine, Nora."), make_words("so grow its fine nora"))
    assert carried == [
        Heard("So", ",", True),
        Heard("", ".", False),
        Heard("Its", "", True),
        Heard("fine", ",", True),
        Heard("Nora", ".", True),
    ]


def test_calls_and_documents_are_scored(nlp, tmp_path):
    for name in ("reference", "silent"):
        (tmp_path / name).mkdir()
        rows = [
            f"{word}\t\t\t0\t{mark * (name == 'reference')}\t" for word, mark in (("we", ","), ("Nora", ""), ("x", "."))
        ]
        (tmp_path / name / "call.tsv").write_text(
            "\n".join(["token\tstart\tend\tspeaker\tpunctuation\tcase", *rows]), "utf8"
        )
    results = score_calls(tmp_path, {"ours": nlp})
    assert set(results) == {"reference | ours", "silent | ours"}
    assert results["silent | ours"][","]["f"] == results["silent | ours"]["capitals"]["f"] == 100
    scores = score_documents(nlp, [nlp.make_doc("Then we, Nora, left. Ha.")])
    assert (scores[","]["p"], scores[","]["r"]) == (100, 50)
