"""Shared fixtures of server tests: a process with the shipped pipeline, and a client of its server."""

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from spacy_joint.serving.app import create_app
from spacy_joint.serving.worker import Worker

# Longer than the texts of the tests take on any machine.
PATIENCE = 60.0


@pytest.fixture(scope="session")
def worker() -> Iterator[Worker]:
    worker = Worker(None, timeout=PATIENCE, max_characters=500)
    yield worker
    worker.close()


@pytest.fixture
def client(worker: Worker) -> Iterator[TestClient]:
    with TestClient(create_app(worker), base_url="http://localhost") as client:
        yield client
