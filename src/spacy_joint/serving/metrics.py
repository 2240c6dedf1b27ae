"""What a server counts: requests and their time, and how much was annotated. Prometheus reads it at /metrics."""

from __future__ import annotations

from time import perf_counter
from typing import Protocol

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram, generate_latest
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

REQUESTS = ("spacy_joint_requests_total", "Requests, by path and status.")
SECONDS = ("spacy_joint_request_seconds", "Seconds from a request to the end of its answer, by path.")
CHARACTERS = ("spacy_joint_annotated_characters_total", "Characters of the texts that were annotated.")
WORDS = ("spacy_joint_annotated_words_total", "Words of the texts that were annotated.")
# Upper bounds, in seconds: a short text takes milliseconds, and timeouts are seconds.
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
# Addresses where there is nothing, or a file, so that whoever makes up addresses does not make up metrics.
OTHER = "other"


class Metrics(Protocol):
    """What a server tells of its requests."""

    def add_request(self, path: str, status: int, seconds: float) -> None:
        """Counts a request.

        path (str): The path of the API, or "other".
        status (int): The status of the response.
        seconds (float): The time from the request to the end of its response.
        """

    def add_text(self, n_characters: int, n_words: int) -> None:
        """Counts a text that was annotated."""


class PrometheusMetrics(Metrics):
    """The metrics of one server in this process."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(*REQUESTS, ["path", "status"], registry=self.registry)
        self.seconds = Histogram(*SECONDS, ["path"], buckets=BUCKETS, registry=self.registry)
        self.characters = Counter(*CHARACTERS, registry=self.registry)
        self.words = Counter(*WORDS, registry=self.registry)

    def add_request(self, path: str, status: int, seconds: float) -> None:
        """Counts a request."""
        self.requests.labels(path, str(status)).inc()
        self.seconds.labels(path).observe(seconds)

    def add_text(self, n_characters: int, n_words: int) -> None:
        """Counts a text that was annotated."""
        self.characters.inc(n_characters)
        self.words.inc(n_words)

    def show(self) -> Response:
        """The response with all metrics, in Prometheus's text format."""
        return Response(generate_latest(self.registry), media_type=CONTENT_TYPE_LATEST)


class Measure:
    """Counts each request when its response ends.

    metrics (Metrics): What counts them.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app, self.metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The ASGI interface."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        # Without a response, the server sends this.
        status = 500
        start = perf_counter()

        async def send_and_note(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, send_and_note)
        finally:
            self.metrics.add_request(name_path(scope), status, perf_counter() - start)


def name_path(scope: Scope) -> str:
    """The path of the API that answered a request, with names of parameters in place of their values."""
    route = scope.get("route")
    return getattr(route, "path", OTHER)
