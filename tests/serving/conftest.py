"""Shared fixtures of server tests: a process with the shipped pipeline, and a client of its server."""

import socket
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import Thread

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from spacy_joint.serving.app import create_app
from spacy_joint.serving.server import make_server
from spacy_joint.serving.worker import Worker, Workers

# Longer than the texts of the tests take on any machine.
PATIENCE = 60.0


@pytest.fixture(scope="session")
def worker() -> Iterator[Worker]:
    worker = Worker(None, timeout=PATIENCE, max_characters=500)
    yield worker
    worker.close()


@pytest.fixture
def client(worker: Worker) -> Iterator[TestClient]:
    with TestClient(create_app(Workers(worker)), base_url="http://localhost") as client:
        yield client


@pytest.fixture
def running() -> Callable[[FastAPI], AbstractContextManager[str]]:
    """The address of the server of an application, in a thread, as long as it runs."""

    @contextmanager
    def run(app: FastAPI) -> Iterator[str]:
        with socket.create_server(("127.0.0.1", 0)) as listening:
            server = make_server(app)
            thread = Thread(target=server.run, kwargs={"sockets": [listening]})
            thread.start()
            try:
                yield f"http://127.0.0.1:{listening.getsockname()[1]}"
            finally:
                server.should_exit = True
                thread.join()

    return run
