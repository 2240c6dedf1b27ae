"""The server: a web page, the JSON API behind it, and interactive documentation of the API. It never stores text. Pages
only load resources from this server, so Swagger UI comes from a package instead of FastAPI's usual host."""

from collections.abc import Sequence
from math import ceil
from pathlib import Path
from time import perf_counter
from typing import Any

import anyio
import fastapi
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from fastapi.staticfiles import StaticFiles
from fastapi_offline import FastAPIOffline
from starlette.exceptions import HTTPException
from starlette.middleware.base import RequestResponseEndpoint
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..about import __version__
from ..errors import Errors
from . import ANNOTATE, DRAW_TREE, LOOPBACK, WRITE, schema
from .metrics import OTHER, Metrics
from .worker import Broken, Busy, TookTooLong, WorkerFailure, Workers

PAGE = Path(__file__).parent / "page"
STATUS = {Busy: 503, TookTooLong: 504, Broken: 500}
# Requests that Starlette or FastAPI refuses.
REFUSALS = {400: Errors.J448, 404: Errors.J446, 405: Errors.J447}
FAILURES: dict[int | str, Any] = {code: {"model": schema.Failure} for code in (400, 408, 413, 422, *STATUS.values())}
# Browsers load nothing from other hosts.
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
BYTES_PER_CHARACTER, EXTRA_BYTES = 12, 1000
# The maximum time for sending a request: slow clients must not hold connections.
SECONDS_TO_SEND = 10.0


def create_app(workers: Workers, allowed_hosts: Sequence[str] = LOOPBACK, metrics: Metrics | None = None) -> FastAPI:
    """Makes the ASGI application of pipelines, with the limits of their workers. Requests may only use allowed host
    names ("*": any), against DNS rebinding. Without `metrics`, it counts in this process, and serves /metrics."""
    max_characters = workers.first.max_characters
    too_long = str(Errors.J431.format(most=max_characters))
    # FastAPI's own pages contain scripts, which our headers forbid.
    app = FastAPIOffline(
        docs_url=None,
        redoc_url=None,
        static_url="/swagger",
        title="spacy_joint",
        description="Sentences, dependencies, constituents, quotations, orders of modifiers and hedges of a text.",
        version=__version__,
    )
    if metrics is None:
        metrics = Metrics()
        app.get("/metrics", include_in_schema=False)(metrics.show)
    # The middleware added last is the outermost.
    app.add_middleware(_LimitBody, max_bytes=max_characters * BYTES_PER_CHARACTER + EXTRA_BYTES, detail=too_long)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(allowed_hosts), www_redirect=False)

    @app.middleware("http")
    async def measure(request: fastapi.Request, call_next: RequestResponseEndpoint) -> Response:
        # Without a response, the server sends 500.
        status, start = 500, perf_counter()
        try:
            # TrustedHostMiddleware sees only the first of several hosts, and refuses it in plain text.
            has_one_host = len(request.headers.getlist("host")) < 2
            response = await call_next(request) if has_one_host else PlainTextResponse("", 400)
            if response.status_code == 400 and response.headers["content-type"].startswith("text/plain"):
                response = JSONResponse({"detail": str(Errors.J450)}, 400)
            response.headers.update(HEADERS)
            status = response.status_code
            return response
        finally:
            metrics.add_request(getattr(request.scope.get("route"), "path", OTHER), status, perf_counter() - start)

    @app.get("/api/pipeline")
    def get_pipeline() -> schema.Server:
        """Returns the first pipeline, the names of all pipelines, and the limits for texts."""
        first = workers.first
        return schema.Server(
            **first.description, pipelines=workers.names, max_characters=max_characters, timeout=first.timeout
        )

    @app.post("/api/annotate", responses=FAILURES)
    def annotate(request: schema.AnnotateRequest) -> schema.Annotations:
        """Annotates a text as one document, regardless of its lines and paragraphs."""
        found = ask(ANNOTATE, request, request.phrases)
        metrics.add_text(len(request.text), sum(len(sentence["tokens"]) for sentence in found["sentences"] or ()))
        return schema.Annotations(pipeline=schema.Pipeline(**workers.get(request.pipeline).description), **found)

    @app.post("/api/tree", responses=FAILURES)
    def draw_tree(request: schema.TreeRequest) -> schema.Tree:
        """Draws the dependencies or the constituents of a sentence."""
        return schema.Tree(**ask(DRAW_TREE, request, request.sentence, request.kind))

    @app.post("/api/write", responses=FAILURES)
    def write(request: schema.WriteRequest) -> schema.Written:
        """Writes a transcript as readable text, captions, a table or CoNLL-U."""
        return schema.Written(**ask(WRITE, request, request.to))

    def ask(task: str, request: schema.Request, *arguments: object) -> dict[str, Any]:
        """Returns the answer of a worker, or raises an error if the text has no result, such as a damaged one."""
        if len(request.text) > max_characters:
            raise HTTPException(413, too_long)
        try:
            worker = workers.get(request.pipeline)
        except KeyError as error:
            raise HTTPException(422, str(Errors.J453.format(pipelines=", ".join(workers.names)))) from error
        found = worker.answer(task, request.text, request.format, *arguments)
        if "failure" in found:
            raise HTTPException(422, found["failure"])
        return found

    @app.get("/healthz", responses=FAILURES)
    def check_health() -> schema.Health:
        """Checks that the first pipeline can annotate texts. Replaces its process if it has died."""
        workers.first.check()
        return schema.Health(status="ok")

    def add_page(path: str, name: str) -> None:
        app.api_route(path, methods=["GET", "HEAD"], include_in_schema=False)(lambda: FileResponse(PAGE / name))

    add_page("/", "index.html")
    add_page("/docs", "docs.html")
    app.mount("/page", StaticFiles(directory=PAGE))
    _add_error_handlers(app, retry_after=ceil(workers.first.timeout))
    return app


def _add_error_handlers(app: FastAPI, retry_after: int) -> None:
    """Turns every error into a `Failure`. `retry_after`: seconds after which to try again if the server is busy."""

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
        # Sending back parts of the request, even keys, is unsafe. FastAPI does not parse bodies of other types.
        keys = ([] if problem["type"] == "extra_forbidden" else problem["loc"][1:] for problem in found)
        reason = "; ".join(": ".join([*key, problem["msg"]]) for key, problem in zip(keys, found, strict=True))
        if isinstance(error.body, bytes):
            reason = "its Content-Type is not application/json"
        return JSONResponse({"detail": str(Errors.J432.format(reason=reason))}, 422)

    @app.exception_handler(Exception)
    def fail(request: fastapi.Request, error: Exception) -> JSONResponse:
        return JSONResponse({"detail": str(Errors.J435)}, 500, HEADERS)

    @app.exception_handler(WorkerFailure)
    def report(request: fastapi.Request, error: WorkerFailure) -> JSONResponse:
        code = STATUS[type(error)]
        return JSONResponse({"detail": str(error)}, code, {"Retry-After": str(retry_after)} if code == 503 else None)


class _LimitBody:
    """Refuses bodies that are too long (413), without reading the rest, and bodies that take too long (408)."""

    def __init__(self, app: ASGIApp, max_bytes: int, detail: str) -> None:
        self.app, self.max_bytes, self.detail = app, max_bytes, detail

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        n_bytes, is_complete = 0, False
        end = anyio.current_time() + SECONDS_TO_SEND

        async def receive_limited() -> Message:
            nonlocal n_bytes, is_complete
            try:
                # After the body, the next message is the client's disconnection, which may take long.
                with anyio.fail_after(None if is_complete else max(end - anyio.current_time(), 0)):
                    message = await receive()
            except TimeoutError as error:
                detail = str(Errors.J451.format(seconds=SECONDS_TO_SEND))
                raise HTTPException(408, detail, {"Connection": "close"}) from error
            n_bytes += len(message.get("body", b""))
            if n_bytes > self.max_bytes:
                raise HTTPException(413, self.detail)
            is_complete = not message.get("more_body", False)
            return message

        await self.app(scope, receive_limited, send)
