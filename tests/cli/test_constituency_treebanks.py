"""Commands for constituency treebanks: convert, check."""

import pytest
import spacy
from spacy.language import Language

import spacy_joint
from spacy_joint.annotation.constituents import set_constituents
from spacy_joint.cli.options import read_documents
from spacy_joint.scoring.pipelines import score_pipeline

# `Whom did Ada meet , Bo ?`: the comma hangs from the root.
QUESTION = (
    "(ROOT (SQ (VP (WP 0=Whom) (VB 3=meet)) (VBD 1=did) (NP (NP (NNP 2=Ada)) (NP (NNP 5=Bo)))) (, 4=,) (. 6=?))\n"
)
ATTACHED = QUESTION.replace(")))) (, 4=,)", "))) (, 4=,))")


@pytest.fixture
def question(write_text):
    return write_text("question.discbracket", QUESTION)


@pytest.mark.parametrize(
    ("name", "options", "back"),
    [
        *((f"trees.{suffix}", [], []) for suffix in ("export", "xml", "spacy")),
        ("trees.txt", ["--format", "export3"], ["--format-in", "export"]),
    ],
)
def test_trees_survive_conversion_to_other_formats_and_back(run, question, tmp_path, name, options, back):
    printed = run("convert", question, tmp_path / name, *options).stdout
    assert "1 trees" in " ".join(printed.split()) or name == "trees.spacy"
    assert not options or (tmp_path / name).read_text(encoding="utf8").startswith("#FORMAT 3\n")
    run("convert", tmp_path / name, tmp_path / "again.discbracket", *back)
    assert (tmp_path / "again.discbracket").read_text(encoding="utf8") == QUESTION


def test_what_hangs_from_the_root_can_be_attached_elsewhere(run, question, tmp_path):
    for output in ("trees.discbracket", "trees.spacy"):
        run("convert", question, tmp_path / output, "--root-attach")
    run("convert", tmp_path / "trees.spacy", tmp_path / "again.discbracket")
    for output in ("trees.discbracket", "again.discbracket"):
        assert (tmp_path / output).read_text(encoding="utf8") == ATTACHED


def test_trees_can_be_made_continuous(run, question, tmp_path):
    run("convert", question, tmp_path / "trees.ptb", "--root-attach", "--continuous", "english")
    written = (tmp_path / "trees.ptb").read_text(encoding="utf8")
    assert written == ("(ROOT (SQ (WP Whom) (VBD did) (NP (NP (NNP Ada))) (VP (VB meet)) (, ,) (NP (NNP Bo))) (. ?))\n")


def test_traces_can_become_crossing_branches(run, tmp_path):
    (tmp_path / "a.mrg").write_text(
        "( (SQ (WHNP-1 (WP Whom)) (VBD did) (NP (NNP Ada)) (VP (VB meet) (NP (-NONE- *T*-1)))))", encoding="utf8"
    )
    run("convert", tmp_path / "a.mrg", tmp_path / "a.discbracket", "--traces", "cross")
    assert "(VP (WHNP (WP 0=Whom)) (VB 3=meet))" in (tmp_path / "a.discbracket").read_text(encoding="utf8")


def test_check_describes_constituents_and_what_is_odd(run, tmp_path):
    path = tmp_path / "trees.discbracket"
    odd = "(ROOT (NP (NP (NN 0=tea))) (VBD 1=is))\n(ROOT (UH 0=no))\n(ROOT (S (NN 0=a) (VBD 2=b)) (, 1=,))\n"
    path.write_text(QUESTION + odd, encoding="utf8")
    described = " ".join(run("check", path).stdout.split())
    for row in (
        "Constituents 8",
        "Discontinuous constituents 4 (50.00 %)",
        "Discontinuous sentences 2 (50.00 %)",
        "Most gaps of a constituent 1",
        "NP 5",
        "1 sentences have no constituents",
        "1 constituents have a single child of the same category",
        "1 sentences are discontinuous only around what hangs from the root",
    ):
        assert row in described
    assert "There are no trees" not in described


def test_pipelines_that_predict_constituents_are_evaluated(question):
    nlp = spacy.blank("en")
    nlp.add_pipe("one_phrase")
    scores = score_pipeline(nlp, list(read_documents(question, nlp.vocab)))
    # The phrase is that of the reference, without punctuation; VP, NP, NP and NP are missing.
    assert scores["constituents_p"] == 1 and scores["constituents_r"] == 1 / 5
    assert scores["constituents_disc_r"] == 0


def test_a_constituency_parser_is_evaluated_by_its_own_scorer(question, monkeypatch):
    nlp = spacy_joint.load()
    nlp.enable_pipe("constituency_parser")
    references = list(read_documents(question, nlp.vocab))
    monkeypatch.setattr(
        nlp.get_pipe("constituency_parser"), "scorer", lambda examples, **settings: {"constituents_f": 0.5}
    )
    scores = score_pipeline(nlp, references)
    assert scores["constituents_f"] == 0.5 and "constituents_p" not in scores


@Language.component("one_phrase")
def add_phrase(doc):
    set_constituents(doc, [("SQ", 0, len(doc))])
    return doc
