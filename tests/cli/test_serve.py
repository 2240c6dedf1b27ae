"""`serve`: how it starts, and its errors if it cannot."""

import json
import re
import signal
import socket
import sys
from urllib.request import Request, urlopen

import pytest


@pytest.mark.parametrize("package", ["fastapi", "fastapi_offline", "prometheus_client", "uvicorn"])
def test_without_the_extra_the_error_says_what_to_install(run, monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    told = run("serve", fails=True).stderr
    assert "[J710]" in told and package in told and "spacy-joint[serve]" in told


def test_a_port_in_use_is_reported(run):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        told = run("serve", "--port", port, fails=True).stderr
    assert f"[J743] Cannot listen on port {port} of 127.0.0.1: address already in use." in told


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no SIGINT to a process")
def test_it_listens_on_localhost_until_it_is_interrupted_and_then_answers_what_has_come(start):
    server = start("serve", "--port", "0", "--timeout", "60", text=True)
    address, port = re.match(r"(http://127\.0\.0\.1:(\d+))", server.stdout.readline()).groups()
    body = json.dumps({"text": "We left."}).encode()
    with urlopen(Request(f"{address}/api/annotate", body, {"Content-Type": "application/json"})) as answer:
        assert json.load(answer)["sentences"][0]["text"] == "We left."
    with socket.create_connection(("127.0.0.1", port)) as connection, connection.makefile("rb") as answer:
        head = (
            f"POST /api/annotate HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\nExpect: 100-continue\r\n\r\n"
        )
        connection.sendall(head.encode())
        assert answer.readline().startswith(b"HTTP/1.1 100 ")
        server.send_signal(signal.SIGINT)
        connection.sendall(body)
        assert answer.readline() == b"\r\n" and answer.readline().startswith(b"HTTP/1.1 200 ")
        assert b"We left." in answer.read()
    assert server.wait(60) == 0
    assert server.stderr.read() == ""
