"""The server: its responses, its refusals, and that it loads nothing from other hosts."""

import json
import re
from contextlib import closing
from importlib.resources import files
from unittest.mock import ANY, Mock

import pytest
import spacy
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient

from spacy_joint.serving.app import create_app
from spacy_joint.serving.worker import Broken, Busy, TookTooLong, Workers

PAGES = (
    "/",
    "/page/page.js",
    "/page/elements.js",
    "/page/sentences.js",
    "/page/trees.js",
    "/page/page.css",
    "/docs",
    "/page/docs.js",
    "/page/docs.css",
    "/openapi.json",
    "/api/pipeline",
)
JSON = {"Content-Type": "application/json"}
REMOTE = re.compile(r"(?:src|href|url|import|@import)\s*[=(:]?\s*[\"']?(?:https?:)?//", re.IGNORECASE)


def annotate(client, text):
    return client.post("/api/annotate", json={"text": text})


VTT = "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Anna>It rained.\n"


def test_transcripts_have_speakers_and_times(client):
    for format in ("vtt", None):
        answer = client.post("/api/annotate", json={"text": VTT, "format": format}).json()
        assert answer["text"] == "It rained."
        assert [(each["speaker"], each["start_time"], each["end_time"]) for each in answer["sentences"]] == [
            ("Anna", 1.0, 2.0)
        ]
    assert annotate(client, VTT).json()["text"] == VTT


@pytest.mark.parametrize(
    ("to", "written"),
    [
        ("text", "[00:00:01] Anna: It rained.\n"),
        ("srt", "1\n00:00:01,000 --> 00:00:02,000\n>> Anna: It rained.\n"),
        ("vtt", VTT),
        ("csv", "start,end,speaker,text\n1.000,2.000,Anna,It rained.\n"),
    ],
)
def test_transcripts_are_written(client, to, written):
    assert client.post("/api/write", json={"text": VTT, "format": None, "to": to}).json() == {"written": written}


def test_conllu_is_written(client):
    written = client.post("/api/write", json={"text": "It rained.", "to": "conllu"}).json()["written"]
    assert written.startswith("# newdoc id = 1\n") and "\n2\trained\train\tVERB\tVBD\t" in written


def test_readable_text_comes_with_the_annotation(client):
    text = "did you see anna in london well i did not but she called"
    found = annotate(client, text).json()
    assert found["text"] == text
    assert found["readable"] == "Did you see Anna in London? Well, I did not, but she called.\n"
    first, second = found["sentences"]
    assert first["probability"] is None and 0 <= second["probability"] <= 1


def test_modifiers_and_hedges_are_left_out_on_request(client):
    text = "She threw a red big ball."
    found = client.post("/api/annotate", json={"text": text, "phrases": False}).json()
    assert found["modifiers"] is None and found["hedges"] is None
    assert annotate(client, text).json() == {**found, **{key: ANY for key in ("modifiers", "hedges", "explanations")}}


def test_another_pipeline_can_be_chosen_by_its_name_only(worker, tmp_path):
    nlp = spacy.blank("de")
    nlp.add_pipe("sentencizer")
    nlp.to_disk(tmp_path)
    workers = Workers(worker, [str(tmp_path), "en_joint_english"])
    assert workers.get("en_joint_english") is worker
    with closing(workers.get(str(tmp_path))), TestClient(create_app(workers), base_url="http://localhost") as client:
        assert client.get("/api/pipeline").json()["pipelines"] == ["en_joint_english", str(tmp_path)]
        body = {"text": "Es regnet. Wir gehen."}
        found = client.post("/api/annotate", json={**body, "pipeline": str(tmp_path)}).json()
        assert found["pipeline"]["name"] == "de_pipeline" and len(found["sentences"]) == 2
        for path in ("/api/annotate", "/api/tree", "/api/write"):
            number = {"sentence": 0} if path == "/api/tree" else {}
            answer = client.post(path, json={**body, **number, "pipeline": "/etc"})
            assert answer.status_code == 422 and answer.json()["detail"].startswith("[J453]")
            assert "/etc" not in answer.text


def test_a_pipeline_that_cannot_be_loaded_is_an_error_of_its_texts(worker, tmp_path):
    missing = str(tmp_path / "missing")
    workers = Workers(worker, [missing])
    with closing(workers.get(missing)), TestClient(create_app(workers), base_url="http://localhost") as client:
        answer = client.post("/api/annotate", json={"text": "It rained.", "pipeline": missing})
        assert answer.status_code == 500 and answer.json()["detail"].startswith("[J742]")
        assert annotate(client, "It rained.").status_code == 200


@pytest.mark.parametrize(
    ("path", "request_", "code"),
    [
        ("write", {"text": "It rained.", "to": "srt"}, "J470"),
        *((path, {"text": "WEBVTT\n\n00:01.000 -->\nHi.\n", "format": None}, "J461") for path in ("write", "annotate")),
        ("write", {"text": "It rained.", "to": "docx"}, "J432"),
        ("write", {"text": "It rained.", "format": "docx"}, "J432"),
        ("tree", {"text": "It rained.", "sentence": 0, "kind": "phrases"}, "J432"),
        *(("tree", {"text": "It rained.", "sentence": wrong}, "J432") for wrong in (-1, "0", None, 0.5)),
    ],
)
def test_what_cannot_be_read_written_or_drawn_is_refused(client, path, request_, code):
    answer = client.post(f"/api/{path}", json=request_)
    assert answer.status_code == 422 and f"[{code}]" in answer.json()["detail"]


@pytest.mark.parametrize(("text", "sentence", "word"), [("It rained. We left.", 1, "left"), (VTT, 0, "rained")])
def test_the_tree_of_a_sentence_is_drawn(client, text, sentence, word):
    answer = client.post("/api/tree", json={"text": text, "format": None, "sentence": sentence})
    assert answer.status_code == 200
    assert answer.json()["tree"].startswith("<svg") and word in answer.json()["tree"]


@pytest.mark.parametrize("kind", ["dependencies", "constituents"])
@pytest.mark.parametrize(("text", "sentence"), [("It rained. We left.", 2), ("", 0), (" ", 0), ("It rained.", 10**30)])
def test_a_sentence_that_the_text_does_not_have_has_no_tree(client, text, sentence, kind):
    answer = client.post("/api/tree", json={"text": text, "sentence": sentence, "kind": kind})
    assert answer.status_code == 422 and answer.json()["detail"].startswith(
        f"[J449] The text has no sentence {sentence} "
    )


def test_the_api_returns_the_pipeline_and_the_limits(client):
    pipeline = client.get("/api/pipeline").json()
    assert pipeline["name"] == "en_joint_english" and pipeline["max_characters"] == 500
    assert pipeline["pipelines"] == ["en_joint_english"] and pipeline["finds_constituents"]


def test_the_api_is_described_by_openapi(client):
    described = client.get("/openapi.json").json()
    assert described["openapi"].startswith("3.")
    for path in ("/api/annotate", "/api/tree", "/api/write"):
        responses = described["paths"][path]["post"]["responses"]
        assert set(responses) == {"200", "400", "408", "413", "422", "500", "503", "504"}
    assert set(described["components"]["schemas"]["Annotations"]["properties"]) == {
        "pipeline", "text", "readable", "warnings", "sentences", "quotations", "modifiers", "hedges", "explanations"
    }  # fmt: skip


def test_the_longest_text_is_accepted_and_one_more_character_is_refused(client):
    # Independent of the number of bytes per character.
    for character in ("a", "😀"):
        assert annotate(client, character * 500).status_code == 200
        for answer in (
            annotate(client, character * 501),
            client.post("/api/tree", json={"text": character * 501, "sentence": 0}),
        ):
            assert answer.status_code == 413 and "[J431]" in answer.json()["detail"]


def test_a_body_that_is_far_too_long_is_not_read_completely(client):
    read = []

    def send():
        for part in [b'{"text": "', *[b"a" * 10_000] * 1000]:
            read.append(len(part))
            yield part

    answer = client.post("/api/annotate", content=send(), headers=JSON)
    assert answer.status_code == 413 and "[J431]" in answer.json()["detail"]


NOT_JSON = (b"{", b"passwd", b"\xff\xfe", b'{"text": "\xe9"}', b"[" * 6000)
WITHOUT_TEXT = (
    *(b"", b"[]", b"null", b'"text"', b"{}", b'{"text": null}', b'{"text": 1}', b'{"text": ["a"]}'),
    *(b'{"text": "a", "file": "/etc/passwd"}', b'{"text": "\\ud800"}', b'{"text": "a", "\\ud800": 1}'),
)


def test_missing_fields_are_named(client):
    assert "sentence: Field required" in client.post("/api/tree", json={"text": "It rained."}).json()["detail"]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [*((body, 400, "J448") for body in NOT_JSON), *((body, 422, "J432") for body in WITHOUT_TEXT)],
    ids=repr,
)
def test_other_bodies_are_refused_with_a_code_and_not_echoed(client, body, status, code):
    answer = client.post("/api/annotate", content=body, headers=JSON)
    assert answer.status_code == status
    assert answer.json()["detail"].startswith(f"[{code}]") and "passwd" not in answer.text


@pytest.mark.parametrize(("method", "path", "allowed"), [
    ("GET", "/api/annotate", "POST"), ("PUT", "/api/tree", "POST"), ("POST", "/api/pipeline", "GET"),
    ("DELETE", "/", "GET, HEAD"),
])  # fmt: skip
def test_a_wrong_method_is_refused_with_a_code_and_the_right_one(client, method, path, allowed):
    answer = client.request(method, path)
    assert answer.status_code == 405 and set(answer.headers["allow"].split(", ")) == set(allowed.split(", "))
    assert answer.json()["detail"].startswith(f"[J447] This address does not accept {method}.")


def test_forms_that_other_sites_could_send_are_refused(client):
    body = json.dumps({"text": "a"})
    for headers in ({"Content-Type": "text/plain"}, {"Content-Type": "application/x-www-form-urlencoded"}, None):
        answer = client.post("/api/annotate", content=body, headers=headers)
        assert answer.status_code == 422 and "Content-Type is not application/json" in answer.json()["detail"]


@pytest.mark.parametrize(("failure", "status"), [(Busy, 503), (TookTooLong, 504), (Broken, 500)])
@pytest.mark.parametrize("method", ["answer", "check"])
def test_failures_have_their_own_status_and_say_why(client, worker, monkeypatch, method, failure, status):
    monkeypatch.setattr(worker, method, Mock(side_effect=failure("[J4] why")))
    answer = annotate(client, "a") if method == "answer" else client.get("/healthz")
    assert (answer.status_code, answer.json()) == (status, {"detail": "[J4] why"})
    assert answer.headers.get("retry-after") == ("60" if failure is Busy else None)


@pytest.mark.parametrize(
    "path",
    [
        "/app.py", "/../app.py", "/%2e%2e/app.py", "/..%2fapp.py", "/page/../../app.py", "//etc/passwd", "/etc/passwd",
        "/%2fetc%2fpasswd", "/..\\app.py", "/static", "/redoc", "/page", "/page/../app.py", "/page/%2e%2e/app.py",
        "/page/..%2fapp.py", "/page//etc/passwd", "/swagger/..%2fcore.py", "/swagger/%2e%2e/core.py",
    ],
)  # fmt: skip
def test_only_files_of_the_page_are_served(client, path):
    answer = client.get(path)
    assert answer.status_code == 404 and answer.json()["detail"].startswith("[J446]")


def test_parameters_name_no_files(client):
    described = client.get("/openapi.json").json()
    operations = [operation for path in described["paths"].values() for operation in path.values()]
    assert not any(operation.get("parameters") for operation in operations)


@pytest.mark.parametrize("path", PAGES)
def test_nothing_is_loaded_from_other_hosts(client, path):
    answer = client.get(path)
    assert answer.status_code == 200
    assert not REMOTE.search(answer.text)
    assert "https://" not in answer.text and "http://" not in answer.text.replace("http://www.w3.org/", "")


@pytest.mark.parametrize("path", [*PAGES, "/missing", "/api/annotate"])
def test_every_response_forbids_content_from_other_hosts(client, path):
    headers = client.get(path).headers
    assert headers["content-security-policy"].startswith("default-src 'self';")
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff" and headers["x-frame-options"] == "DENY"
    assert "access-control-allow-origin" not in headers


def test_the_page_has_no_scripts_or_styles_of_its_own_and_sets_no_html():
    page = files("spacy_joint.serving") / "page"
    for name in ("index.html", "docs.html"):
        html = (page / name).read_text(encoding="utf8")
        assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=", html)
    scripts = [path for path in page.iterdir() if path.suffix == ".js"]
    assert len(scripts) == 5
    for path in scripts:
        script = path.read_text(encoding="utf8")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function", script)


def read_metrics(client):
    """The values of counters, and of the number of observations, by name and labels."""
    answer = client.get("/metrics")
    assert answer.status_code == 200 and answer.headers["content-type"].startswith("text/plain")
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
        if sample.name.endswith(("_total", "_count"))
    }


def test_requests_and_what_was_annotated_are_counted(client):
    annotate(client, "It rained. We left.")
    annotate(client, "😀" * 501)
    for path in ("/missing/1", "/missing/2", "/page/page.js"):
        client.get(path)
    counted = read_metrics(client)
    assert counted["spacy_joint_requests_total", "/api/annotate", "200"] == 1
    assert counted["spacy_joint_requests_total", "/api/annotate", "413"] == 1
    assert counted["spacy_joint_request_seconds_count", "/api/annotate"] == 2
    assert counted["spacy_joint_annotated_characters_total",] == 19
    assert counted["spacy_joint_annotated_words_total",] == 6
    # Whatever the address, so that requests do not make up metrics.
    assert counted["spacy_joint_requests_total", "other", "404"] == 2
    assert counted["spacy_joint_requests_total", "other", "200"] == 1


def test_each_server_counts_for_itself(client, worker):
    annotate(client, "It rained.")
    with TestClient(create_app(Workers(worker)), base_url="http://localhost") as other:
        assert not any(name == "spacy_joint_requests_total" for name, *_ in read_metrics(other))


def test_requests_that_are_refused_or_fail_are_counted(client, worker, monkeypatch):
    monkeypatch.setattr(worker, "answer", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        annotate(client, "a")
    client.get("/", headers={"Host": "elsewhere.example"})
    counted = read_metrics(client)
    assert counted["spacy_joint_requests_total", "/api/annotate", "500"] == 1
    assert counted["spacy_joint_requests_total", "other", "400"] == 1


def test_an_unforeseen_error_has_a_code(worker, monkeypatch):
    monkeypatch.setattr(worker, "answer", lambda *_: 1 / 0)
    with TestClient(create_app(Workers(worker)), base_url="http://localhost", raise_server_exceptions=False) as client:
        answer = annotate(client, "a")
    assert answer.status_code == 500 and answer.json()["detail"].startswith("[J435]")
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("hosts", [["elsewhere.example"], ["localhost", "elsewhere.example"], ["localhost"] * 2])
def test_other_and_several_host_names_are_refused(client, hosts):
    answer = client.get("/", headers=[("Host", host) for host in hosts])
    assert answer.status_code == 400 and answer.json()["detail"].startswith("[J450]")


def test_the_address_of_the_server_is_accepted(client):
    assert client.get("/", headers={"Host": "127.0.0.1:8000"}).status_code == 200
