"""Metrics of a server for Prometheus: requests, their durations, and the amount of annotated text."""

from typing import Any

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram, generate_latest
from starlette.responses import Response

REQUESTS = ("spacy_joint_requests_total", "Requests, by path and status.")
SECONDS = ("spacy_joint_request_seconds", "Seconds from a request to the end of its answer, by path.")
CHARACTERS = ("spacy_joint_annotated_characters_total", "Characters of the texts that were annotated.")
WORDS = ("spacy_joint_annotated_words_total", "Words of the texts that were annotated.")
# Upper bounds, in seconds: a short text takes milliseconds, and timeouts are seconds.
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
# The label of unknown addresses and of files, to bound the number of labels.
OTHER = "other"


class Metrics:
    """The metrics of a server in this process."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests: Any = Counter(*REQUESTS, ["path", "status"], registry=self.registry)
        self.seconds: Any = Histogram(*SECONDS, ["path"], buckets=BUCKETS, registry=self.registry)
        self.characters = Counter(*CHARACTERS, registry=self.registry)
        self.words = Counter(*WORDS, registry=self.registry)

    def add_request(self, path: str, status: int, seconds: float) -> None:
        """Counts a request to a path of the API or to "other", with the seconds to the end of its response."""
        self.requests.labels(path, str(status)).inc()
        self.seconds.labels(path).observe(seconds)

    def add_text(self, n_characters: int, n_words: int) -> None:
        """Counts a text that was annotated."""
        self.characters.inc(n_characters)
        self.words.inc(n_words)

    def show(self) -> Response:
        """Makes a response with all metrics, in Prometheus's text format."""
        return Response(generate_latest(self.registry), media_type=CONTENT_TYPE_LATEST)
