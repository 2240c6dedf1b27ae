"""What a corpus is read from and written to, and that each record is annotated once or fails once."""

import bz2
import gzip
import io
from pathlib import Path

import duckdb
import fsspec
import pandas
import pyarrow
import pytest
import spacy
import zstandard
from pyarrow import parquet
from spacy.tokens import DocBin
from spacy.vocab import Vocab

from spacy_joint.corpora.conllu import read_conllu
from spacy_joint.errors import JointError, JointWarning
from spacy_joint.scale.annotating import annotator as annotators
from spacy_joint.scale.annotating import shards
from spacy_joint.scale.annotating.annotator import Annotation, Annotator
from spacy_joint.scale.annotating.corpus import list_corpus
from spacy_joint.scale.annotating.partitions import MIN_GROUP, group_files
from spacy_joint.scale.annotating.ray_runner import RayCorpusRunner
from spacy_joint.scale.annotating.records import Reading, read_records
from spacy_joint.scale.annotating.storage import Directory, StoredFile, find_files

from .corpora import read_lines, read_rows, read_tree, write_records

WET = (
    "WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 6\r\n\r\nabout\n\r\n\r\n"
    "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: http://a.example/\r\nContent-Length: 12\r\n\r\n"
    "Hé. We left\r\n\r\n"
)

LINE = b'{"text": "One."}\n'
GZIP_AND_ZSTANDARD = pytest.mark.parametrize(
    ("suffix", "compress"), [(".gz", gzip.compress), (".zst", zstandard.compress)]
)


def compress_with_long_window(content):
    parameters = zstandard.ZstdCompressionParameters(window_log=28)
    # Without a size, the window is not reduced to the content.
    writer = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    return writer.compress(content) + writer.flush()


def read_failures(output):
    lines = read_lines(output / "errors.jsonl")
    return [(Path(found["source"]).name, found["record"], found["reason"]) for found in lines]


def write_parquet(table, path):
    written = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_pylist(table), written)
    path.write_bytes(written.getvalue())


# Input


def test_each_format_has_its_records(annotate, tmp_path):
    texts = tmp_path / "texts"
    (texts / "below").mkdir(parents=True)
    (texts / "a.txt").write_text("\ufeffOne. Two.", encoding="utf8")
    (texts / "below/b.txt").write_text("ANNA: Hi there.\nBEN: Hello.\nANNA: Bye.\n", encoding="utf8")
    (texts / "c.jsonl").write_text('{"text": "Three.", "meta": {"n": 1}, "id": 7}\n\n', encoding="utf8")
    write_parquet([{"text": "Four.", "year": 1920}], texts / "d.parquet")
    (texts / "e.warc.wet").write_bytes(WET.encode("utf8"))
    (texts / "f.vtt").write_text("WEBVTT\n\n00:01.000 --> 00:02.000\n<v Eve>Five.\n", encoding="utf8")
    (texts / ".hidden.txt").write_text("Never.", encoding="utf8")
    totals = annotate(tmp_path / "output", texts)
    rows = {Path(row["source"]).name: row for row in read_rows(tmp_path / "output")}
    assert totals["records"] == totals["documents"] == len(rows) == 6 and not totals["failures"]
    assert [sentence["speaker"] for sentence in rows["b.txt"]["sentences"]] == ["ANNA", "BEN", "ANNA"]
    assert rows["a.txt"]["text"] == "One. Two." and len(rows["a.txt"]["sentences"]) == 2
    assert (rows["c.jsonl"]["text"], rows["c.jsonl"]["meta"]) == ("Three.", {"id": 7, "n": 1})
    assert rows["d.parquet"]["meta"] == {"year": 1920}
    assert (rows["e.warc.wet"]["text"], rows["e.warc.wet"]["record"]) == ("Hé. We left", 2)
    assert rows["e.warc.wet"]["meta"] == {"url": "http://a.example/"}
    assert rows["f.vtt"]["sentences"][0]["speaker"] == "Eve"


@GZIP_AND_ZSTANDARD
def test_files_may_be_compressed_in_several_parts(suffix, compress, tmp_path):
    path = tmp_path / f"a.jsonl{suffix}"
    path.write_bytes(compress(LINE) + compress(b'{"text": "Two."}\n'))
    found = list(read_records(StoredFile(str(path), path.stat().st_size), Reading()))
    assert [each.text for each in found] == ["One.", "Two."]
    assert sum(each.n_read for each in found) == path.stat().st_size


@GZIP_AND_ZSTANDARD
def test_the_rest_of_a_damaged_file_is_one_failure(annotate, suffix, compress, tmp_path):
    whole = write_records(tmp_path / "whole", 2000).read_bytes()
    (tmp_path / f"a.jsonl{suffix}").write_bytes((compress(whole) + compress(whole))[:-5])
    totals = annotate(tmp_path / "output", tmp_path / f"a.jsonl{suffix}", shard_bytes=100_000)
    assert 1000 < totals["documents"] <= 4000 and totals["failures"] == 1
    ((name, record, reason),) = read_failures(tmp_path / "output")
    assert (name, record) == (f"a.jsonl{suffix}", totals["documents"] + 1) and "ended before the end" in reason


def test_a_row_of_csv_is_a_record(annotate, tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b'\xef\xbb\xbfid,text\r\n1,"One,\ntwo"\r\n\r\n2,One,two\r\n3,\xff\r\n4,' + b"a" * 200_000)
    annotate(tmp_path / "output", path)
    rows = read_rows(tmp_path / "output")
    assert [row["text"] for row in rows] == ["One,\ntwo", "a" * 200_000]
    assert [(row["record"], row["meta"]) for row in rows] == [(1, {"id": "1"}), (4, {"id": "4"})]
    (_, second, fields), (_, third, reason) = read_failures(tmp_path / "output")
    assert (second, third) == (2, 3) and "has 3 fields" in fields and "[J403]" in reason


def test_a_quotation_mark_that_is_missing_in_csv_is_a_failure(annotate, write_text, tmp_path):
    totals = annotate(tmp_path / "output", write_text("a.csv", 'text\nOne.\n"Two.\nThree.\n'))
    assert (totals["documents"], totals["failures"]) == (1, 1)


@pytest.mark.parametrize("kept", [["year"], []])
def test_metadata_may_be_left_out(annotate, kept, tmp_path):
    write_parquet([{"text": "One.", "year": 1920, "page": "<p>"}], tmp_path / "a.parquet")
    (tmp_path / "b.jsonl").write_text('{"text": "One.", "meta": {"year": 1920}, "id": 1}', encoding="utf8")
    annotate(tmp_path / "output", tmp_path, meta=kept)
    assert [row["meta"] for row in read_rows(tmp_path / "output")] == [dict.fromkeys(kept, 1920)] * 2


@pytest.mark.parametrize("name", ["a.parquet", "a.csv"])
def test_a_column_that_is_missing_is_one_failure_that_lists_the_columns(annotate, name, tmp_path):
    frame = pandas.DataFrame({"text": ["One."] * 9})
    (frame.to_parquet if name == "a.parquet" else frame.to_csv)(tmp_path / name)
    annotate(tmp_path / "output", tmp_path / name, text_column="typo")
    ((_, record, reason),) = read_failures(tmp_path / "output")
    assert record == 1 and f"column of {tmp_path / name} 'typo'. Choose one of: " in reason and reason.endswith("text.")


@pytest.mark.parametrize(
    "damage",
    [
        lambda wet: wet[:-7],
        lambda wet: wet[: wet.rindex("Content-Length")],
        lambda wet: wet.replace("Content-Length: 12", "Content-Length: 5"),
        lambda wet: wet.replace("Content-Length: 12", "Content-Length: 500"),
        lambda wet: wet.replace("Content-Length: 12", "Content-Length: many"),
    ],
)
def test_a_damaged_web_archive_is_a_failure(damage, tmp_path):
    (tmp_path / "a.wet").write_bytes(damage(WET + WET).encode("utf8"))
    found = list(read_records(StoredFile(str(tmp_path / "a.wet"), 1), Reading()))
    assert found[-1].format == "failure" and all("Hé. We left".startswith(record.text) for record in found[:-1])


@pytest.mark.parametrize("value", ["NaN", "-Infinity", "1e999", str(2**64), "9" * 5000, r'"\ud800"'])
@pytest.mark.parametrize("format", ["json", "parquet", "spacy"])
def test_no_text_of_json_is_lost_for_its_metadata(annotate, value, format, write_text, tmp_path):
    path = write_text("a.jsonl", f'{{"text": "One.", "id": {value}}}\n')
    totals = annotate(tmp_path / "output", path, format=format)
    assert totals["documents"] == 1 and not totals["failures"]
    if format == "json":
        ((meta),) = [row["meta"] for row in read_rows(tmp_path / "output")]
        assert meta == {"id": "?" if "ud800" in value else value}


def test_no_text_of_parquet_is_lost_for_its_metadata(annotate, tmp_path):
    day = 24 * 3600 * 10**6
    columns = {
        "text": pyarrow.array([b"One.", b"Two.", b"\xff"]).cast(pyarrow.large_binary()),
        "score": [float("nan"), float("inf"), 0.5],
        "id": pyarrow.array([2**64 - 1, 0, 0], pyarrow.uint64()),
        "time": pyarrow.array([4_000_000 * day, 1, 1], pyarrow.timestamp("us")),
        "name": pyarrow.array([b"\xff", b"", b""]).view(pyarrow.string()),
        "list": [[float("nan")], [], []],
    }
    parquet.write_table(pyarrow.table(columns), tmp_path / "a.parquet")
    totals = annotate(tmp_path / "output", tmp_path / "a.parquet")
    first, second = read_rows(tmp_path / "output")
    assert (first["text"], second["text"]) == ("One.", "Two.")
    assert {key: first["meta"][key] for key in ("score", "id", "list")} == {
        "score": "NaN",
        "id": 2**64 - 1,
        "list": ["NaN"],
    }
    assert first["meta"]["time"].startswith("12921-") and second["meta"]["score"] == "Infinity"
    assert totals["failures"] == 1 and read_failures(tmp_path / "output")[0][1] == 3


@pytest.mark.parametrize(
    ("name", "content", "n"),
    [
        ("a.jsonl", b"\xef\xbb\xbf" + LINE, 1),
        ("a.jsonl.gz", gzip.compress(LINE) + bytes(1000) + gzip.compress(LINE) + bytes(24), 2),
        ("a.jsonl.zst", compress_with_long_window(LINE), 1),
    ],
    ids=["byte order mark", "gzip padded with zeros", "long window"],
)
def test_unusual_files_are_read(annotate, name, content, n, tmp_path):
    (tmp_path / name).write_bytes(content)
    totals = annotate(tmp_path / "output", tmp_path / name)
    assert totals["documents"] == n and not totals["failures"]


@pytest.mark.parametrize(
    ("suffix", "compress"), [(".gz", gzip.compress), (".zst", zstandard.compress), (".bz2", bz2.compress)]
)
def test_a_damaged_part_is_not_the_end_of_a_file(suffix, compress, tmp_path):
    first, second = compress(LINE), bytearray(compress(LINE))
    second[len(second) // 2] ^= 255
    path = tmp_path / f"a.jsonl{suffix}"
    path.write_bytes(first + second)
    found = list(read_records(StoredFile(str(path), path.stat().st_size), Reading()))
    assert [record.format for record in found][-1] == "failure"


def test_files_are_found_by_patterns_and_in_storages(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a.txt", "b.txt", "c.pdf"):
        Path(name).write_text("One.", encoding="utf8")
    files = fsspec.filesystem("memory")
    files.pipe("/texts/a.txt", b"One.")
    output = Directory("memory://output")
    assert [file.address for file in list_corpus(["*.txt", "a.txt"], output, Reading())] == [
        str(tmp_path / "a.txt"),
        str(tmp_path / "b.txt"),
    ]
    assert list_corpus(["memory://texts"], output, Reading()) == [StoredFile("memory:///texts/a.txt", 4)]
    with pytest.warns(JointWarning, match=r"\[JW43\] 1 files of \..*c\.pdf"):
        assert len(list_corpus(["."], output, Reading())) == 2
    assert len(list_corpus(["."], output, Reading(format="text"))) == 3
    Path("d.conllu.gz").touch()
    with pytest.raises(JointError, match="J718"):
        list_corpus(["d.conllu.gz"], output, Reading())
    with pytest.raises(JointError, match="J711"):
        find_files("none/*.txt")
    with pytest.raises(JointError, match="J712"):
        find_files("nowhere://texts")


def test_the_output_is_no_input(annotate, tmp_path):
    write_records(tmp_path / "a.jsonl", 10)
    for _ in range(2):
        assert annotate(tmp_path / "output", tmp_path)["records"] == 10
    with pytest.raises(JointError, match=r"J713.*contains the input .*a\.jsonl"):
        annotate(tmp_path, tmp_path / "a.jsonl")


# Partitions


def test_files_are_grouped_until_they_are_large():
    files = [StoredFile(f"{n}.txt", size) for n, size in enumerate([10, 10, 2000, 10, 10 * MIN_GROUP, 10, 10])]
    groups = list(group_files(files, 10))
    assert [[file.address[0] for file in group.files] for group in groups] == [["0", "1", "2"], ["3", "4"], ["5", "6"]]


def test_new_records_at_the_end_leave_earlier_shards_as_they_are(annotate, tmp_path):
    path = write_records(tmp_path / "a.jsonl", 100)
    annotate(tmp_path / "output", path)
    before = read_tree(tmp_path / "output/shards")
    write_records(path, 150)
    assert annotate(tmp_path / "output", path)["records"] == 150
    after = read_tree(tmp_path / "output/shards")
    # The last one had less than a full shard, and is gone.
    assert len(set(before) - set(after)) == 1 and len(read_rows(tmp_path / "output")) == 150


# Failures


def test_a_record_that_fails_is_reported_and_the_others_go_on(annotate, tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"text": "One."}\n{"text": 3}\n{bad\n\xff\n{"text": "Two."}\n')
    totals = annotate(tmp_path / "output", path)
    assert [row["text"] for row in read_rows(tmp_path / "output")] == ["One.", "Two."]
    failures = read_failures(tmp_path / "output")
    assert [failure[:2] for failure in failures] == [("a.jsonl", 2), ("a.jsonl", 3), ("a.jsonl", 4)]
    assert all("[J650]" in reason for _, _, reason in failures) and totals["failures"] == 3


def test_a_document_at_which_a_component_fails_is_a_failure_alone(annotate, write_text, tmp_path, monkeypatch):
    path = write_text("a.txt", "One.\nbroken\nTwo.\n")

    class Fragile(spacy.pipeline.Sentencizer):
        def predict(self, docs):
            if any("broken" in doc.text for doc in docs):
                raise RuntimeError("it broke")
            return super().predict(docs)

    load = annotators.load

    def load_fragile(*arguments, **options):
        nlp = load(*arguments, **options)
        nlp._components = [(name, Fragile()) for name, _ in nlp._components]
        return nlp

    monkeypatch.setattr(annotators, "load", load_fragile)
    annotate(tmp_path / "output", path, lines=True)
    assert [row["text"] for row in read_rows(tmp_path / "output")] == ["One.", "Two."]
    assert read_failures(tmp_path / "output") == [("a.txt", 2, "RuntimeError: it broke")]


def test_pieces_that_are_done_are_not_annotated_again(annotate, tmp_path):
    path = write_records(tmp_path / "a.jsonl", 100)
    annotate(tmp_path / "whole", path)
    annotate(tmp_path / "output", path, limit=3)
    times = {file.name: file.stat().st_mtime_ns for file in (tmp_path / "output/shards").iterdir()}
    next(iter(sorted((tmp_path / "output/done").iterdir()))).unlink()
    annotate(tmp_path / "output", path)
    assert sum((tmp_path / "output/shards" / name).stat().st_mtime_ns == time for name, time in times.items()) == 2
    assert read_tree(tmp_path / "output") == read_tree(tmp_path / "whole")


def test_output_of_other_settings_is_refused(annotate, tmp_path):
    path = write_records(tmp_path / "a.jsonl", 10)
    annotate(tmp_path / "output", path)
    with pytest.raises(JointError, match=r"J713.*shard_bytes: 1000"):
        annotate(tmp_path / "output", path, shard_bytes=10)


def test_another_pipeline_is_refused(splitter, tmp_path):
    annotation = Annotation(str(splitter), {"name": "other"}, None, "json", Reading(), 1000, (), str(tmp_path))
    with pytest.raises(JointError, match="J717"):
        Annotator(annotation)


def test_a_missing_package_is_named_with_its_extra(monkeypatch):
    monkeypatch.setattr("spacy_joint.errors.find_spec", lambda name: None if name == "ray" else name)
    with pytest.raises(JointError, match=r"J710.*pip install \"spacy-joint\[ray\]\""):
        RayCorpusRunner()


# Output


def test_docbins_know_where_documents_are_from(annotate, tmp_path):
    path = write_records(tmp_path / "a.jsonl", 30)
    annotate(tmp_path / "output", path, format="spacy")
    docs = [
        doc
        for each in read_lines(tmp_path / "output/manifest.jsonl")
        for doc in DocBin().from_disk(tmp_path / "output" / each["shard"]).get_docs(Vocab())
    ]
    assert [(doc.user_data["source"], doc.user_data["record"]) for doc in docs] == [
        (str(path), n + 1) for n in range(30)
    ]
    assert all(len(list(doc.sents)) == 3 for doc in docs)


def test_conllu_can_be_read_back(annotate, tmp_path):
    path = write_records(tmp_path / "a.jsonl", 5)
    annotate(tmp_path / "output", path, format="conllu")
    (shard,) = (tmp_path / "output/shards").iterdir()
    assert f"# newdoc id = {path}:5\n" in shard.read_text("utf8")
    assert len(list(read_conllu(shard, Vocab()))) == 5


def test_sentences_are_lines_with_places_in_their_record(annotate, tmp_path):
    path = write_records(tmp_path / "a.jsonl", 2)
    annotate(tmp_path / "output", path, format="jsonl")
    rows = read_rows(tmp_path / "output")
    assert [(row["record"], row["start"], row["text"]) for row in rows[2:4]] == [
        (1, 33, "They stayed."),
        (2, 0, "Record 000001."),
    ]


def test_parquet_opens_in_duckdb_and_pandas(annotate, tmp_path):
    path = write_records(tmp_path / "a.jsonl", 30)
    annotate(tmp_path / "output", path, format="parquet")
    found = duckdb.sql(
        f"SELECT count(*), min(token.text) FROM '{tmp_path}/output/shards/*.parquet', unnest(tokens) AS t(token)"
    )
    assert found.fetchall() == [(30 * 11, ".")]
    frame = pandas.read_parquet(tmp_path / "output/shards").sort_values("record")
    assert frame["text"].tolist() == [f"Record {n:06}. The old man left. They stayed." for n in range(30)]
    assert [sentence["start"] for sentence in frame["sentences"][0]] == [0, 15, 33]


LONG = "the old man left early they stayed all night " * 300


@pytest.fixture
def long_text(monkeypatch, write_text):
    """The file of a text that is annotated in parts."""
    monkeypatch.setattr(annotators, "LONG_TEXT", 1000)
    monkeypatch.setattr(annotators, "PART", 2000)
    return write_text("a.txt", LONG)


def test_a_very_long_text_is_cut_between_sentences_where_the_search_is_certain(
    annotate, saved_pipeline, long_text, tmp_path
):
    whole = [sentence.text.strip() for sentence in spacy.load(saved_pipeline)(LONG).sents]
    annotate(tmp_path / "output", long_text, model=saved_pipeline)
    parts = read_rows(tmp_path / "output")
    assert len(parts) > 3 and "".join(part["text"] for part in parts) == LONG
    assert all(LONG[part["offset"] :].startswith(part["text"]) for part in parts)
    cut = [part["text"][each["start"] : each["end"]] for part in parts for each in part["sentences"]]
    assert cut == whole
    annotate(tmp_path / "sentences", long_text, model=saved_pipeline, format="jsonl")
    rows = read_rows(tmp_path / "sentences")
    assert [LONG[row["start"] : row["end"]] for row in rows] == [row["text"] for row in rows] == whole


@pytest.mark.parametrize("name", ["conllu", "json", "jsonl", "parquet"])
def test_a_very_long_text_is_written_while_it_is_annotated(
    name, annotate, saved_pipeline, long_text, tmp_path, monkeypatch
):
    monkeypatch.setattr(shards, "GROUP_BYTES", 1)
    events = []
    format_, replace = shards.FORMATS[name], Directory.replace

    def encode(doc, record, offset):
        events.append("encoded")
        return format_.encode(doc, record, offset)

    def watch(parts):
        for part in parts:
            events.append("written")
            yield part

    monkeypatch.setattr(Directory, "replace", lambda self, name, parts: replace(self, name, watch(parts)))
    monkeypatch.setitem(shards.FORMATS, name, format_._replace(encode=encode))
    annotate(tmp_path / "output", long_text, model=saved_pipeline, format=name)
    assert events.count("encoded") > 3 and events[events.index("encoded") + 1] == "written"


def test_a_failure_says_how_much_of_a_very_long_text_is_annotated(
    annotate, saved_pipeline, long_text, tmp_path, monkeypatch
):
    def encode(doc, record, offset):
        if offset > 4000:
            raise RuntimeError("it broke")
        return json_format.encode(doc, record, offset)

    json_format = shards.FORMATS["json"]
    monkeypatch.setitem(shards.FORMATS, "json", json_format._replace(encode=encode))
    totals = annotate(tmp_path / "output", long_text, model=saved_pipeline)
    (failure,) = read_lines(tmp_path / "output/errors.jsonl")
    annotated = "".join(row["text"] for row in read_rows(tmp_path / "output"))
    assert totals["failures"] == 1 and failure["offset"] > 4000
    assert annotated == LONG[: failure["offset"]]


def test_annotation_is_added_to_a_table(splitter):
    table = pyarrow.table({"year": [1920, 1921], "text": ["One. Two.", "Three."]})
    nlp = spacy.load(splitter)
    annotated = shards.add_annotation(table, nlp.pipe(table["text"].to_pylist()))
    assert annotated.column_names == ["year", "text", "sentences", "tokens", "spans"]
    assert [len(sentences) for sentences in annotated["sentences"].to_pylist()] == [2, 1]
    assert annotated.schema.field("tokens").equals(shards.make_schema().field("tokens"))
    with pytest.raises(ValueError):
        shards.add_annotation(table, nlp.pipe(["One."]))
