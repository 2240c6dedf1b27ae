"""The server: a web page, the JSON API behind it, and interactive documentation of the API.

Text is sent in the body of a request and is never stored, and requests cannot refer to files. Pages may only load
resources from this server, so Swagger UI comes from a package, and not from a host of its own as FastAPI would have it.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from pathlib import Path
from typing import Any

import fastapi
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse
from fastapi.staticfiles import StaticFiles
from fastapi_offline import FastAPIOffline
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..about import __version__
from ..errors import Errors
from .metrics import Measure, Metrics, PrometheusMetrics
from .schema import Annotations, Failure, Health, Pipeline, Request, Tree, TreeRequest
from .worker import Broken, Busy, TookTooLong, Worker, WorkerFailure

PAGE = Path(__file__).parent / "page"
STATUS = {Busy: 503, TookTooLong: 504, Broken: 500}
# What Starlette and FastAPI refuse.
REFUSALS = {400: Errors.J448, 404: Errors.J446, 405: Errors.J447}
FAILURES: dict[int | str, dict[str, Any]] = {code: {"model": Failure} for code in (400, 413, 422, *STATUS.values())}
HEADERS = {
    # Trees are images in data URLs, which cannot run scripts.
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        "object-src 'none'"
    ),
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
# JSON may escape a character as \ud83d\ude00, 12 bytes, and surrounds the text with a few more bytes.
MAX_BYTES_PER_CHARACTER = 12
MAX_EXTRA_BYTES = 1000


def create_app(
    worker: Worker,
    allowed_hosts: Sequence[str] = ("127.0.0.1", "localhost", "::1"),
    metrics: Metrics | None = None,
) -> FastAPI:
    """Makes the server of a pipeline.

    worker (Worker): The worker that annotates; its limits are those of the server.
    allowed_hosts (Sequence[str]): The host names that requests may use, which keeps other sites from reaching the
        server under a name of their own (DNS rebinding); "*" allows any.
    metrics (Metrics | None): What counts requests. None counts them in this process, and shows them at /metrics.
    RETURNS (FastAPI): An ASGI application.
    """
    max_characters = worker.max_characters
    too_long = str(Errors.J431.format(most=max_characters))
    # Its own pages contain scripts, which our headers forbid.
    app = FastAPIOffline(
        docs_url=None,
        redoc_url=None,
        static_url="/swagger",
        title="spacy_joint",
        description="Sentences, dependencies, constituents, quotations, orders of modifiers and hedges of a text.",
        version=__version__,
    )
    if metrics is None:
        metrics = PrometheusMetrics()
        app.get("/metrics", include_in_schema=False)(metrics.show)
    add_text = metrics.add_text
    # The middleware added last is the outermost.
    max_bytes = max_characters * MAX_BYTES_PER_CHARACTER + MAX_EXTRA_BYTES
    app.add_middleware(LimitBody, max_bytes=max_bytes, detail=too_long)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(allowed_hosts), www_redirect=False)
    app.add_middleware(AddHeaders)
    app.add_middleware(Measure, metrics=metrics)

    @app.get("/api/pipeline")
    def get_pipeline() -> Pipeline:
        """The pipeline, and the limits for texts."""
        return Pipeline(**worker.description, max_characters=max_characters, timeout=worker.timeout)

    @app.post("/api/annotate", responses=FAILURES)
    def annotate(request: Request) -> Annotations:
        """Annotates a text as one document, regardless of its lines and paragraphs."""
        check_length(request)
        found = Annotations(**worker.annotate(request.text))
        add_text(len(request.text), sum(len(sentence.tokens) for sentence in found.sentences or ()))
        return found

    @app.post("/api/tree", responses=FAILURES)
    def draw_tree(request: TreeRequest) -> Tree:
        """Draws the dependencies or the constituents of a sentence."""
        check_length(request)
        found = worker.draw_tree(request.text, request.sentence, request.kind)
        if found["tree"] is None:
            raise HTTPException(422, str(Errors.J449.format(sentence=request.sentence)))
        return Tree(**found)

    def check_length(request: Request) -> None:
        if len(request.text) > max_characters:
            raise HTTPException(413, too_long)

    @app.get("/healthz", responses=FAILURES)
    def check_health() -> Health:
        """Whether texts can be annotated. A process that has died is replaced."""
        worker.check()
        return Health(status="ok")

    @app.api_route("/", methods=["GET", "HEAD"], include_in_schema=False)
    def get_page() -> FileResponse:
        return FileResponse(PAGE / "index.html")

    @app.api_route("/docs", methods=["GET", "HEAD"], include_in_schema=False)
    def get_docs() -> FileResponse:
        return FileResponse(PAGE / "docs.html")

    app.mount("/page", StaticFiles(directory=PAGE))
    add_error_handlers(app, retry_after=ceil(worker.timeout))
    return app


def add_error_handlers(app: FastAPI, retry_after: int) -> None:
    """Makes every error a `Failure`.

    retry_after (int): The seconds after which to try again if the server is busy.
    """

    @app.exception_handler(HTTPException)
    def refuse(request: fastapi.Request, error: HTTPException) -> JSONResponse:
        message = REFUSALS.get(error.status_code)
        detail = str(message.format(method=request.method)) if message else error.detail
        return JSONResponse({"detail": detail}, error.status_code, error.headers)

    @app.exception_handler(RequestValidationError)
    def explain(request: fastapi.Request, error: RequestValidationError) -> JSONResponse:
        found = error.errors()
        if any(problem["type"] == "json_invalid" for problem in found):
            return JSONResponse({"detail": str(Errors.J448)}, 400)
        # Without any part of the request, keys included, which might not be safe to send back.
        reason = "; ".join(problem["msg"] for problem in found)
        return JSONResponse({"detail": str(Errors.J432.format(reason=reason))}, 422)

    @app.exception_handler(WorkerFailure)
    def report(request: fastapi.Request, error: WorkerFailure) -> JSONResponse:
        status = STATUS[type(error)]
        headers = {"Retry-After": str(retry_after)} if status == 503 else None
        return JSONResponse({"detail": str(error)}, status, headers)


class LimitBody:
    """Refuses bodies that are too long, without reading the rest.

    max_bytes (int): The maximum size of a body.
    detail (str): The detail of the response, which has status 413.
    """

    def __init__(self, app: ASGIApp, max_bytes: int, detail: str) -> None:
        self.app, self.max_bytes, self.detail = app, max_bytes, detail

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The ASGI interface."""
        n_bytes = 0

        async def receive_limited() -> Message:
            nonlocal n_bytes
            message = await receive()
            n_bytes += len(message.get("body", b""))
            if n_bytes > self.max_bytes:
                raise HTTPException(413, self.detail)
            return message

        await self.app(scope, receive_limited, send)


class AddHeaders:
    """Adds headers to every response that keep browsers from loading anything from other hosts."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The ASGI interface."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        await self.app(scope, receive, send_with_headers)
