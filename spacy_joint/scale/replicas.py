"""`serve` with Ray Serve: the application of `serving.app` in several replicas, on this machine or on a cluster.

A replica has the application and a `Worker`, so limits, answers and errors are those of the server without Ray. Ray
exports the metrics of each node to Prometheus: an address of the application would reach just one replica.
"""

# No `from __future__ import annotations`: Ray inspects the annotation of the argument of `build_application`.

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, PositiveFloat, PositiveInt

from ..errors import Errors, JointOSError
from ..serving import MAX_CHARACTERS, TIMEOUT
from ..serving.metrics import BUCKETS, CHARACTERS, REQUESTS, SECONDS, WORDS, Metrics
from ..serving.worker import MAX_TEXTS, Workers
from .cluster import LOCAL, connect

if TYPE_CHECKING:
    from fastapi import FastAPI
    from ray.serve import Application

APPLICATION = "spacy_joint"
# Memory that Ray on a single machine reserves for large objects, in bytes. Texts and answers are small.
OBJECT_STORE = 100_000_000
LOGGING = {"log_level": "WARNING", "enable_access_log": False}


class Settings(BaseModel):
    """The options of `serve`, or `args` in a config of Ray Serve: see `Worker`. A replica takes one CPU."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    pipelines: tuple[str, ...] = ()
    replicas: PositiveInt = 1
    timeout: PositiveFloat = TIMEOUT
    max_characters: PositiveInt = MAX_CHARACTERS
    allowed_hosts: tuple[str, ...] = ("*",)


class _RayMetrics(Metrics):
    """The metrics of a replica. Ray adds the name of the replica, and exports them with the prefix `ray_`."""

    def __init__(self) -> None:
        from ray.serve.metrics import Counter, Histogram

        self.requests = Counter(*REQUESTS, tag_keys=("path", "status"))
        self.seconds = Histogram(*SECONDS, boundaries=list(BUCKETS), tag_keys=("path",))
        self.characters = Counter(*CHARACTERS)
        self.words = Counter(*WORDS)

    def add_request(self, path: str, status: int, seconds: float) -> None:
        self.requests.inc(tags={"path": path, "status": str(status)})
        self.seconds.observe(seconds, tags={"path": path})

    def add_text(self, n_characters: int, n_words: int) -> None:
        for counter, n in ((self.characters, n_characters), (self.words, n_words)):
            # Ray refuses to add 0.
            if n:
                counter.inc(n)


def build_application(settings: Settings) -> "Application":
    """Makes the application for Ray Serve: `import_path: spacy_joint.scale.replicas:build_application`."""
    from ray import serve

    def make_app() -> "FastAPI":
        from ..serving.app import create_app

        return create_app(start_workers(settings), settings.allowed_hosts, _RayMetrics())

    @serve.deployment(
        name="Annotator",
        num_replicas=settings.replicas,
        ray_actor_options={"num_cpus": 1},
        # Further requests wait in Ray for the first free replica.
        max_ongoing_requests=MAX_TEXTS,
        max_queued_requests=MAX_TEXTS * settings.replicas,
        # A text may wait, and then be annotated, each for at most `timeout`.
        graceful_shutdown_timeout_s=2 * settings.timeout + 5,
        graceful_shutdown_wait_loop_s=0.2,
    )
    @serve.ingress(make_app)
    class Annotator:
        def check_health(self) -> None:
            start_workers(settings).first.check()

    return Annotator.bind()  # type: ignore[attr-defined]  # a deployment


@cache
def start_workers(settings: Settings) -> Workers:
    """Starts the workers of a replica. Their processes end with the replica."""
    return Workers.start(settings.pipelines, timeout=settings.timeout, max_characters=settings.max_characters)


@contextmanager
def run_replicas(settings: Settings, *, host: str, port: int, address: str = LOCAL) -> Iterator[None]:
    """Serves at a host and port of each node of a cluster (see `connect`); at the end, answers pending requests. Raises
    J710 without Ray, J740 if Ray or the replicas do not start."""
    with ExitStack() as stack:
        stack.enter_context(connect(address, num_cpus=settings.replicas, object_store_memory=OBJECT_STORE))
        from ray import serve
        from ray.exceptions import RayError
        from ray.serve.exceptions import RayServeException

        try:
            serve.start(proxy_location="EveryNode", http_options={"host": host, "port": port}, logging_config=LOGGING)
            if address == LOCAL:
                stack.callback(serve.shutdown)
            # Waits for pending answers.
            stack.callback(serve.delete, APPLICATION)
            serve.run(build_application(settings), name=APPLICATION, logging_config=LOGGING)
        except (OSError, RuntimeError, ValueError, RayError, RayServeException) as error:
            raise JointOSError(Errors.J740, reason=error) from error
        yield
