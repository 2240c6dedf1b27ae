"""The server: a page, the JSON API behind it, and the OpenAPI document of that.

Text comes in the body of a request and goes nowhere else: nothing that is sent names a file, and nothing is stored. The
page may load what this server has and nothing else; FastAPI's own pages of documentation, which load scripts from
elsewhere, are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import fastapi
from fastapi import FastAPI, HTTPException
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.staticfiles import StaticFiles
from starlette.datastructures import MutableHeaders
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..about import __version__
from ..errors import Errors
from .schema import Annotations, Failure, Pipeline, Request
from .worker import Broken, Busy, TookTooLong, Worker, WorkerFailure

PAGE = Path(__file__).parent / "page"
STATUS = {Busy: 503, TookTooLong: 504, Broken: 500}
HEADERS = {
    # Trees are images, which run no scripts, in the addresses of the images themselves.
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
# JSON may escape a character as \ud83d\ude00; and there is what stands around the text.
BYTES_A_CHARACTER = 12
BYTES_AROUND = 1000


def create_app(worker: Worker, allowed_hosts: Sequence[str] = ("127.0.0.1", "localhost", "::1")) -> FastAPI:
    """Makes the server of a pipeline.

    worker (Worker): What annotates; its limits are those of the server.
    allowed_hosts (Sequence[str]): The names that requests may know the server by, so that no page from elsewhere can
        ask it by a name of its own (DNS rebinding); "*": any.
    RETURNS (FastAPI): An ASGI application.
    """
    most = worker.max_characters
    too_long = str(Errors.J431.format(most=most))
    app = FastAPI(
        title="spacy_joint",
        description="Sentence boundaries, dependency trees, quotations, orders of modifiers and hedges of a text.",
        version=__version__,
        docs_url=None,
        redoc_url=None,
    )
    # The last is the outermost.
    app.add_middleware(LimitBody, most=most * BYTES_A_CHARACTER + BYTES_AROUND, detail=too_long)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(allowed_hosts), www_redirect=False)
    app.add_middleware(AddHeaders)

    @app.get("/api/pipeline")
    def get_pipeline() -> Pipeline:
        """What annotates, and what is asked of texts."""
        return Pipeline(**worker.description, max_characters=most, timeout=worker.timeout)

    @app.post("/api/annotate", responses={code: {"model": Failure} for code in (413, 422, *STATUS.values())})
    def annotate(request: Request) -> Annotations:
        """Annotates a text as one document, however it is divided into lines and paragraphs."""
        if len(request.text) > most:
            raise HTTPException(413, too_long)
        return Annotations(**worker.annotate(request.text))

    @app.exception_handler(RequestValidationError)
    def explain(request: fastapi.Request, error: RequestValidationError) -> JSONResponse:
        # Without what was sent, keys included: it may not be fit to be sent back.
        reason = "; ".join(found["msg"] for found in error.errors())
        return JSONResponse({"detail": str(Errors.J432.format(reason=reason))}, 422)

    @app.exception_handler(WorkerFailure)
    def report(request: fastapi.Request, error: WorkerFailure) -> JSONResponse:
        return JSONResponse({"detail": str(error)}, STATUS[type(error)])

    app.mount("/", StaticFiles(directory=PAGE, html=True), name="page")
    return app


class LimitBody:
    """Refuses the rest of a body that is too long, without reading it.

    most (int): Bytes that a body may have.
    detail (str): What to answer, with status 413.
    """

    def __init__(self, app: ASGIApp, most: int, detail: str) -> None:
        self.app, self.most, self.detail = app, most, detail

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI has it."""
        n_bytes = 0

        async def receive_limited() -> Message:
            nonlocal n_bytes
            message = await receive()
            n_bytes += len(message.get("body", b""))
            if n_bytes > self.most:
                raise HTTPException(413, self.detail)
            return message

        await self.app(scope, receive_limited, send)


class AddHeaders:
    """Adds to every answer what keeps browsers from loading anything from elsewhere."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI has it."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        await self.app(scope, receive, send_with_headers)
