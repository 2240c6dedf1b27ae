"""`serve` with Ray Serve: the application of `serving.app` in several replicas, on this machine or on a cluster.

A replica is what the server without Ray is: the application and a `Worker`, so limits, answers and errors are the same.
Ray shares requests out among replicas, starts another one for each that dies, and before it stops one, waits for the
answers that are due. Requests are counted by Ray's own metrics, which each node exports to Prometheus, because an
address of the application would be answered by any one replica.
"""

# Not `annotations` from the future: Ray looks at the annotation of the argument of `build_application`.

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, PositiveFloat, PositiveInt

from ..errors import Errors, JointOSError
from ..serving.metrics import BUCKETS, CHARACTERS, REQUESTS, SECONDS, WORDS, Metrics
from ..serving.worker import MAX_TEXTS, Worker
from .cluster import connect

if TYPE_CHECKING:
    from fastapi import FastAPI
    from ray.serve import Application

APPLICATION = "spacy_joint"
# What Ray on a single machine sets aside for large objects, in bytes. Texts and answers are small.
OBJECT_STORE = 100_000_000
LOGGING = {"log_level": "WARNING", "enable_access_log": False}


class Settings(BaseModel):
    """What a replica serves, and how many there are: the options of `serve`, or `args` in a config file of Ray Serve.

    pipeline (str | None): The name or path of a pipeline, which all nodes have. None is the shipped pipeline.
    replicas (int): The number of replicas. Each takes one CPU.
    timeout (float): The maximum number of seconds for waiting, and again for annotating.
    max_characters (int): The maximum length of texts.
    allowed_hosts (tuple[str, ...]): The host names that requests may use; "*" allows any.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    pipeline: str | None = None
    replicas: PositiveInt = 1
    timeout: PositiveFloat = 10.0
    max_characters: PositiveInt = 10_000
    allowed_hosts: tuple[str, ...] = ("*",)


class RayMetrics(Metrics):
    """The metrics of a replica. Ray adds which replica it is, and exports them with the prefix `ray_`."""

    def __init__(self) -> None:
        from ray.serve.metrics import Counter, Histogram

        self.requests = Counter(*REQUESTS, tag_keys=("path", "status"))
        self.seconds = Histogram(*SECONDS, boundaries=list(BUCKETS), tag_keys=("path",))
        self.characters = Counter(*CHARACTERS)
        self.words = Counter(*WORDS)

    def add_request(self, path: str, status: int, seconds: float) -> None:
        """Counts a request."""
        self.requests.inc(tags={"path": path, "status": str(status)})
        self.seconds.observe(seconds, tags={"path": path})

    def add_text(self, n_characters: int, n_words: int) -> None:
        """Counts a text that was annotated."""
        # Ray refuses to add nothing.
        if n_characters:
            self.characters.inc(n_characters)
        if n_words:
            self.words.inc(n_words)


def build_application(settings: Settings) -> "Application":
    """Makes the application for Ray Serve: `import_path: spacy_joint.scale.serving:build_application`.

    settings (Settings): What to serve.
    RETURNS (Application): What `serve.run` takes.
    """
    from ray import serve

    def make_app() -> "FastAPI":
        from ..serving.app import create_app

        return create_app(start_worker(settings), settings.allowed_hosts, RayMetrics())

    @serve.deployment(
        name="Annotator",
        num_replicas=settings.replicas,
        ray_actor_options={"num_cpus": 1},
        # Others wait with Ray for the replica that is free first.
        max_ongoing_requests=MAX_TEXTS,
        max_queued_requests=MAX_TEXTS * settings.replicas,
        # A text may wait, and is then annotated.
        graceful_shutdown_timeout_s=2 * settings.timeout + 5,
        graceful_shutdown_wait_loop_s=0.2,
    )
    @serve.ingress(make_app)
    class Annotator:
        def check_health(self) -> None:
            start_worker(settings).check()

    return Annotator.bind()  # type: ignore[attr-defined]  # a deployment


@cache
def start_worker(settings: Settings) -> Worker:
    """The worker of a replica, which has a process of its own. It ends with the replica."""
    return Worker(settings.pipeline, timeout=settings.timeout, max_characters=settings.max_characters)


@contextmanager
def run_replicas(settings: Settings, *, host: str, port: int, address: str | None = None) -> Iterator[None]:
    """Serves with Ray. At the end, requests that have come are answered.

    settings (Settings): What to serve.
    host (str): The address to listen on, on each node.
    port (int): The port to listen on.
    address (str | None): The address of a Ray cluster; "auto" is that of this machine. None starts Ray on this
        machine, and stops it at the end.
    RAISES ValueError: If Ray is not installed (J710).
    RAISES OSError: If Ray does not start, or cannot start the replicas (J740).
    """
    with ExitStack() as stack:
        stack.enter_context(connect(address, num_cpus=settings.replicas, object_store_memory=OBJECT_STORE))
        from ray import serve
        from ray.exceptions import RayError
        from ray.serve.exceptions import RayServeException

        try:
            serve.start(proxy_location="EveryNode", http_options={"host": host, "port": port}, logging_config=LOGGING)
            if address is None:
                stack.callback(serve.shutdown)
            # Waits for the answers.
            stack.callback(serve.delete, APPLICATION)
            serve.run(build_application(settings), name=APPLICATION, logging_config=LOGGING)
        except (OSError, RuntimeError, ValueError, RayError, RayServeException) as error:
            raise JointOSError(Errors.J740, reason=error) from error
        yield
