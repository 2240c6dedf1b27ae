"""Shared fixtures of server tests: a process with the shipped pipeline, and a client of its server."""

import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import Thread

import pytest
from fastapi import FastAPI
from selenium.webdriver import Chrome, ChromeOptions, ChromeService
from starlette.testclient import TestClient

from spacy_joint.serving.app import create_app
from spacy_joint.serving.server import make_server
from spacy_joint.serving.worker import Worker, Workers

from .browsing import CHROMIUM, DRIVER, TEXT, Prompter, open_with_text

# Seconds: longer than any text of the tests takes.
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


@pytest.fixture(scope="module")
def address():
    """The address of a server started by the command."""
    options = ["--port", "0", "--timeout", "60", "--max-characters", "300"]
    command = [sys.executable, "-m", "spacy", "joint", "serve", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        yield re.match(r"http://127\.0\.0\.1:\d+", server.stdout.readline())[0]
        server.terminate()


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    options = ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
        "--window-size=1180,900",
        f"--user-data-dir={tmp_path_factory.mktemp('chromium')}",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = Chrome(options=options, service=ChromeService(DRIVER))
    yield browser
    browser.quit()


@pytest.fixture
def prompter():
    return Prompter()


@pytest.fixture
def prompted(browser, prompter, running):
    """The page of the prompter, with an annotated text."""
    with running(create_app(Workers(prompter))) as address:
        yield open_with_text(browser, address, prompter.text)


@pytest.fixture
def page(browser, address):
    """The page once it has annotated the text."""
    return open_with_text(browser, address, TEXT)
