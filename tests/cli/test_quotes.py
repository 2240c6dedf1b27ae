"""`quotes` finds quotations in text; also the commands that convert and evaluate them."""

import csv
import io
import json
import re

import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example

from .jackknifing import read_docs

TEXT = "“We are late,” said Ann Lee. “We know.”\n\nIt rained.\n"


@pytest.fixture
def text_file(write_text):
    return write_text("text.txt", TEXT)


def test_quotations_are_a_table_a_list_of_json_or_json_lines(run, text_file, save_pipeline, tmp_path):
    printed = run("quotes", text_file).stdout
    assert "Ann Lee" in printed and "“We are late,” … “We know.”" in printed and "direct" in printed
    run("quotes", text_file, "--format", "json", "--output", tmp_path / "quotes.json")
    (document,) = json.loads((tmp_path / "quotes.json").read_text(encoding="utf8"))
    assert document["text"] == TEXT
    lines = run("quotes", text_file, "--format", "jsonl", "--lines").stdout.splitlines()
    assert [len(json.loads(line)["quotations"]) for line in lines] == [1, 0, 0]
    # Spans may have other keys.
    nlp = save_pipeline("quotation_spans", spans_key="a", cues_key="b", speakers_key="c")
    assert "“We are late,” … “We know.”" in run("quotes", text_file, "--model", nlp).stdout


@pytest.mark.parametrize(("option", "n"), [("--no-single-quotes", 0), ("--single-quotes", 1), ("", 1)])
def test_a_disabled_component_runs_with_the_given_option(run, tmp_path, option, n):
    nlp = spacy.blank("en")
    nlp.add_pipe("quotation_spans")
    nlp.disable_pipe("quotation_spans")
    nlp.to_disk(tmp_path / "pipeline")
    text = "‘We are late,’ said Ann Lee."
    printed = run("quotes", "-f", "jsonl", "--model", tmp_path / "pipeline", *option.split(), text=text).stdout
    assert [quotation["type"] for quotation in json.loads(printed)["quotations"]] == ["direct"] * n


def test_annotated_quotations_are_converted_and_rules_are_measured(run, assets, save_pipeline, tmp_path):
    corpus, metrics = tmp_path / "dev.spacy", tmp_path / "metrics.json"
    run("convert-quotes", assets / "tiny_quotes" / "dev", corpus)
    docs = read_docs(corpus)
    assert len(docs) == 2 and all(doc.has_annotation("DEP") and len(doc.spans["quotations"]) for doc in docs)
    rules = save_pipeline("quotation_spans")
    run("evaluate-quotes", rules, corpus, "--output", metrics)
    assert json.loads(metrics.read_text())["quotation_per_type"]["DIRECT"]["f"] > 0.8


def test_columns_of_the_pipeline_are_kept(run, assets, tmp_path):
    nlp = spacy.blank("en")
    guide = nlp.add_pipe("span_guide", config={"spans_keys": ["quotations"]})
    doc = Doc(nlp.vocab, words=["a"])
    doc.spans["quotations"] = [doc[:1]]
    guide.initialize(lambda: [Example(doc.copy(), doc)])
    nlp.to_disk(tmp_path / "guide")
    run("convert-quotes", assets / "tiny_quotes" / "dev", tmp_path / "dev.spacy", "--model", tmp_path / "guide")
    for doc in read_docs(tmp_path / "dev.spacy"):
        assert len(doc._.token_columns["quotations_end"]) == len(doc)


def test_quotations_of_the_pipeline_do_not_replace_annotated_ones(run, tmp_path):
    nlp = spacy.blank("en")
    nlp.add_pipe("quotation_spans", name="quotes")
    nlp.to_disk(tmp_path / "rules")
    (tmp_path / "a.txt").write_text("“We are late,” said Ann. Bob hopes she is wrong.", encoding="utf8")
    (tmp_path / "a.ann").write_text("T1\tContent 35 47\tshe is wrong\nE1\tAttribution:T1 Content:T1\n", encoding="utf8")
    run("convert-quotes", tmp_path / "a.ann", tmp_path / "a.spacy", "--model", tmp_path / "rules")
    (doc,) = read_docs(tmp_path / "a.spacy")
    assert list(map(str, doc.spans["quotations"])) == ["she is wrong"]
    # Not a file of annotation.
    refused = run("convert-quotes", tmp_path / "a.txt", tmp_path / "b.spacy", "--model", tmp_path / "rules", fails=True)
    assert "[J413]" in refused.stderr


def test_csv_has_a_row_for_each_quotation_of_all_files(run, text_file, write_text):
    other = write_text("other.txt", "“Why?” asked Bob <b>.\n")
    printed = run("quotes", text_file, other, "-f", "csv").stdout
    rows = list(csv.DictReader(io.StringIO(printed)))
    assert [(row["file"], row["character"], row["inferred"]) for row in rows] == [
        (str(text_file), "Ann Lee", "false"),
        (str(other), "Bob", "false"),
    ]
    assert TEXT[int(rows[0]["start"]) : int(rows[0]["end"])] == "“We are late,” said Ann Lee. “We know.”"
    assert rows[0]["paragraph"] == "1"


def test_html_colours_characters_and_escapes_the_text(run):
    page = run("quotes", "-f", "html", text="“Why?” asked Bob.\n\nA <b> is no tag.\n").stdout
    assert re.search(r'<mark class="direct" style="background: hsl\([^"]+" title="Bob">“Why\?”</mark>', page)
    assert "A &lt;b&gt; is no tag." in page
