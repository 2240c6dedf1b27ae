"""Clients that are slow, stalled or too many: the server gets rid of them and answers others."""

import json
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from urllib.parse import urlsplit

import httpx2 as httpx
import pytest

from spacy_joint.serving import app, server
from spacy_joint.serving.worker import Workers

PATIENCE = 60.0
JSON = {"Content-Type": "application/json"}
BODY = json.dumps({"text": "It rained."}).encode()
HEAD = (
    f"POST /api/annotate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    f"Content-Length: {len(BODY)}\r\n\r\n"
).encode()


@pytest.fixture
def patience(monkeypatch):
    """Set the time to send a request."""

    def set_time(seconds):
        for module in (app, server):
            monkeypatch.setattr(module, "SECONDS_TO_SEND", seconds)

    return set_time


def connect(stack, address):
    parts = urlsplit(address)
    return stack.enter_context(socket.create_connection((parts.hostname, parts.port), timeout=PATIENCE))


def read_to_end(connection):
    """What the server sends until it closes the connection."""
    return b"".join(iter(lambda: connection.recv(4096), b""))


@pytest.mark.parametrize("sent", [b"", b"{", BODY[:-1]])
def test_a_body_that_does_not_come_is_refused_and_the_connection_closed(worker, running, patience, sent):
    patience(0.2)
    with running(app.create_app(Workers(worker))) as address, ExitStack() as stack:
        connection = connect(stack, address)
        connection.sendall(HEAD + sent)
        answer = read_to_end(connection)
    assert answer.startswith(b"HTTP/1.1 408 ") and b"[J451]" in answer


def test_the_connection_of_a_trickling_body_is_closed(worker, running, patience):
    patience(0.3)
    with running(app.create_app(Workers(worker))) as address, ExitStack() as stack:
        connection = connect(stack, address)
        connection.sendall(HEAD)
        with pytest.raises(OSError):
            for byte in BODY[:-1]:
                connection.sendall(bytes([byte]))
                time.sleep(0.1)


@pytest.mark.parametrize("sent", [b"", b"GET / HT", HEAD[:-2], HEAD + BODY + b"GET / HT"])
def test_a_connection_without_the_headers_of_a_request_is_closed(worker, running, patience, sent):
    patience(0.2)
    with running(app.create_app(Workers(worker))) as address, ExitStack() as stack:
        connection = connect(stack, address)
        connection.sendall(sent)
        read_to_end(connection)


def test_an_answer_may_take_longer_than_sending(worker, running, patience, monkeypatch):
    patience(0.2)
    answer = worker.answer
    monkeypatch.setattr(worker, "answer", lambda *arguments: time.sleep(0.5) or answer(*arguments))
    with running(app.create_app(Workers(worker))) as address:
        assert httpx.post(f"{address}/api/annotate", content=BODY, headers=JSON).status_code == 200


def test_fifty_slow_clients_get_their_answers(worker, running):
    def send_slowly(address):
        def send():
            for start in range(0, len(BODY), 4):
                yield BODY[start : start + 4]
                time.sleep(0.05)

        return httpx.post(f"{address}/api/annotate", content=send(), headers=JSON, timeout=PATIENCE)

    with running(app.create_app(Workers(worker))) as address, ThreadPoolExecutor(50) as threads:
        answers = list(threads.map(send_slowly, [address] * 50))
    # More than wait at a time are told to come again.
    assert {answer.status_code for answer in answers} <= {200, 503}
    assert sum(answer.status_code == 200 for answer in answers) >= 32


def test_more_stalled_clients_than_connections_leave_the_server_usable(worker, running, patience, monkeypatch):
    patience(3)
    monkeypatch.setattr(server, "MAX_CONNECTIONS", 20)
    with running(app.create_app(Workers(worker))) as address, ExitStack() as stack:
        answers = set()
        stalled = [connect(stack, address) for _ in range(30)]
        for connection in stalled:
            connection.sendall(HEAD)
        for connection in stalled:
            answers.add(read_to_end(connection)[:13])
        assert b"HTTP/1.1 503 " in answers <= {b"HTTP/1.1 503 ", b"HTTP/1.1 408 "}
        assert httpx.get(f"{address}/healthz").json() == {"status": "ok"}


def test_connections_beyond_twice_the_limit_are_closed_at_once(worker, running, patience, monkeypatch):
    patience(2 * PATIENCE)
    monkeypatch.setattr(server, "MAX_CONNECTIONS", 5)
    with running(app.create_app(Workers(worker))) as address, ExitStack() as stack:
        assert read_to_end([connect(stack, address) for _ in range(11)][-1]) == b""
