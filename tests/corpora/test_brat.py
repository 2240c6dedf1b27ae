"""Standoff annotation: spans and errors."""

import pytest
import spacy

from spacy_joint.corpora.brat import read_brat

NLP = spacy.blank("en")


@pytest.fixture
def read(tmp_path):
    def read(text, annotation):
        (tmp_path / "a.txt").write_bytes(text.encode())
        (tmp_path / "a.ann").write_text(annotation, encoding="utf8")
        (doc,) = read_brat(tmp_path, NLP.make_doc)
        return doc

    return read


def attribution(*contents, cue="4 8"):
    bounds = ";".join(contents)
    entities = f"T1\tContent {bounds}\tx\nT2\tCue {cue}\tx\nT3\tSource 0 3\tx\n"
    return entities + "E1\tAttribution:T2 Cue:T2 Content:T1 Source:T3\n"


def test_contents_cues_and_sources_share_an_id(read):
    doc = read("Ann said she knew it.", attribution("9 20"))
    assert [(span.text, span.label_, span.id_) for span in doc.spans["quotations"]] == [
        ("she knew it", "INDIRECT", "Q1")
    ]
    assert [(span.text, span.id_) for span in doc.spans["quotation_cues"]] == [("said", "Q1")]
    assert [(span.text, span.id_) for span in doc.spans["quotation_speakers"]] == [("Ann", "Q1")]


def test_fragments_in_any_order_are_separate_runs(read):
    doc = read("So it, Ann said, is done now.", attribution("17 28", "0 5", cue="11 15"))
    assert [span.text for span in doc.spans["quotations"]] == ["So it", "is done now"]


def test_fragments_that_touch_are_one_run(read):
    assert len(read("Ann said she knew it.", attribution("9 12", "13 20")).spans["quotations"]) == 1


@pytest.mark.parametrize(("end", "text"), [("21", "she knew it"), ("11", None), ("12", None)])
def test_a_final_full_stop_is_removed_and_single_tokens_are_skipped(read, end, text):
    doc = read("Ann said she knew it.", attribution(f"9 {end}"))
    assert [span.text for span in doc.spans["quotations"]] == ([] if text is None else [text])


def test_several_fillers_of_a_role_belong_to_one_attribution(read):
    annotation = (
        "E1\tAttribution:T2 Cue:T2 Content:T1 Content2:T3\nT1\tContent 0 5\tx\nT2\tCue 11 15\tx\nT3\tContent 17 28\tx\n"
    )
    doc = read("So it, Ann said, is done now.", annotation)
    assert [span.id_ for span in doc.spans["quotations"]] == ["Q1", "Q1"]


def test_other_and_incomplete_lines_are_skipped(read):
    doc = read("Ann said she knew it.", attribution("9 20") + "#1\tAnnotatorNotes T1\todd\nrest of a text\n\n")
    assert len(doc.spans["quotations"]) == 1


@pytest.mark.parametrize("wrong", ["T1\tContent 9 99\tx\n", "E1\tCue:T7 Content:T8\n", "T1\tContent 9 9\tx\n"])
def test_annotation_that_does_not_fit_is_refused_with_its_line(read, wrong):
    with pytest.raises(ValueError, match=r"\[J141\].*line 2"):
        read("Ann said she knew it.", f"#\n{wrong}")


def test_a_missing_text_is_named(tmp_path):
    (tmp_path / "a.ann").touch()
    with pytest.raises(FileNotFoundError, match=r"\[J140\].*a\.txt"):
        list(read_brat(tmp_path, NLP.make_doc))


def test_texts_may_lie_apart_and_the_first_annotator_counts(tmp_path):
    for folder in ("text", "attributions"):
        (tmp_path / folder).mkdir()
    (tmp_path / "text" / "a.txt").write_text("Ann said she knew it.", encoding="utf8")
    (tmp_path / "attributions" / "a_01.ann").write_text(attribution("9 20"), encoding="utf8")
    (tmp_path / "attributions" / "a_02.ann").touch()
    (doc,) = read_brat(tmp_path / "attributions", NLP.make_doc)
    assert len(doc.spans["quotations"]) == 1
