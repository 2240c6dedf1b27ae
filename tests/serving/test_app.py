"""The server: its responses, its refusals, and that it loads nothing from other hosts."""

import json
import re
from importlib.resources import files

import pytest

from spacy_joint.serving.worker import Busy, TookTooLong

PAGES = ("/", "/page.js", "/page.css", "/openapi.json", "/api/pipeline")
REMOTE = re.compile(r"(?:src|href|url|import|@import)\s*[=(:]?\s*[\"']?(?:https?:)?//", re.IGNORECASE)


def annotate(client, text):
    return client.post("/api/annotate", json={"text": text})


def test_a_text_is_annotated(client):
    answer = annotate(client, "you said you have four cats i have four cats how old are they")
    assert answer.status_code == 200
    sentences = answer.json()["sentences"]
    assert len(sentences) > 1 and all(sentence["tree"].startswith("<svg") for sentence in sentences)


def test_the_api_returns_the_pipeline_and_the_limits(client):
    pipeline = client.get("/api/pipeline").json()
    assert pipeline["name"] == "en_joint_english" and pipeline["max_characters"] == 500
    assert pipeline["finds_modifiers"] and not pipeline["finds_hedges"]


def test_the_api_is_described_by_openapi(client):
    described = client.get("/openapi.json").json()
    assert described["openapi"].startswith("3.")
    operation = described["paths"]["/api/annotate"]["post"]
    assert set(operation["responses"]) == {"200", "413", "422", "500", "503", "504"}
    assert set(described["components"]["schemas"]["Annotations"]["properties"]) == {
        "sentences", "quotations", "modifiers", "hedges"
    }  # fmt: skip


def test_the_longest_text_is_accepted_and_one_more_character_is_refused(client):
    # Independent of the number of bytes per character.
    for character in ("a", "😀"):
        assert annotate(client, character * 500).status_code == 200
        answer = annotate(client, character * 501)
        assert answer.status_code == 413 and "[J431]" in answer.json()["detail"]


def test_a_body_that_is_far_too_long_is_not_read_completely(client):
    read = []

    def send():
        for part in [b'{"text": "', *[b"a" * 10_000] * 1000]:
            read.append(len(part))
            yield part

    answer = client.post("/api/annotate", content=send(), headers={"Content-Type": "application/json"})
    assert answer.status_code == 413 and "[J431]" in answer.json()["detail"]


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"[]", b"null", b'"text"', b"{}", b'{"text": null}', b'{"text": 1}', b'{"text": ["a"]}', b"\xff\xfe",
        b'{"text": "a", "file": "/etc/passwd"}', b'{"text": "\\ud800"}', b'{"text": "a", "\\ud800": 1}',
    ],
)  # fmt: skip
def test_bodies_without_text_are_refused_with_a_code_and_not_echoed(client, body):
    answer = client.post("/api/annotate", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith("[J432]") and "passwd" not in answer.text


def test_a_deeply_nested_body_is_handled(client):
    answer = client.post("/api/annotate", content=b"[" * 6000, headers={"Content-Type": "application/json"})
    assert answer.status_code in (400, 422)


def test_forms_that_other_sites_could_send_are_refused(client):
    body = json.dumps({"text": "a"})
    for kind in ("text/plain", "application/x-www-form-urlencoded"):
        assert client.post("/api/annotate", content=body, headers={"Content-Type": kind}).status_code == 422
    assert client.post("/api/annotate", content=body).status_code == 422


@pytest.mark.parametrize(("failure", "status"), [(Busy, 503), (TookTooLong, 504)])
def test_timeouts_have_their_own_status(client, worker, monkeypatch, failure, status):
    def fail(text):
        raise failure("[J4] why")

    monkeypatch.setattr(worker, "annotate", fail)
    answer = annotate(client, "a")
    assert (answer.status_code, answer.json()) == (status, {"detail": "[J4] why"})


@pytest.mark.parametrize(
    "path",
    [
        "/app.py", "/../app.py", "/%2e%2e/app.py", "/..%2fapp.py", "/page/../../app.py", "//etc/passwd", "/etc/passwd",
        "/%2fetc%2fpasswd", "/..\\app.py", "/static", "/docs", "/redoc",
    ],
)  # fmt: skip
def test_only_files_of_the_page_are_served(client, path):
    answer = client.get(path)
    assert answer.status_code == 404 and "import" not in answer.text


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
    html, script = ((page / name).read_text(encoding="utf8") for name in ("index.html", "page.js"))
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=", html)
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function", script)


def test_other_host_names_are_refused(client):
    assert client.get("/", headers={"Host": "elsewhere.example"}).status_code == 400
    assert client.get("/", headers={"Host": "127.0.0.1:8000"}).status_code == 200
