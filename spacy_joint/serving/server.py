"""The server of the application: uvicorn, with limits for many or slow clients. Ray Serve has its own server."""

import asyncio

from starlette.types import ASGIApp
from uvicorn import Config, Server
from uvicorn.protocols.http.h11_impl import H11Protocol

from .app import SECONDS_TO_SEND

# More connections are refused with status 503, and above twice as many without an answer: each takes a file descriptor,
# which systems limit.
MAX_CONNECTIONS = 100


class _Connection(H11Protocol):
    """A connection that is closed if there are too many connections, or if headers take too long: uvicorn only limits
    requests, and the time between them."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn does
        super().connection_made(transport)
        if len(self.connections) > 2 * MAX_CONNECTIONS:
            transport.close()
        self._limit_headers()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._limit_headers()

    def _limit_headers(self) -> None:
        # A request has a scope once its headers are complete.
        before = self.scope
        self.loop.call_later(SECONDS_TO_SEND, lambda: self.transport.close() if self.scope is before else None)


def make_server(app: ASGIApp) -> Server:
    """Makes a server, whose `run` takes the sockets to listen on."""
    config = Config(
        app,
        http=_Connection,
        limit_concurrency=MAX_CONNECTIONS,
        # asyncio accepts this many connections before it handles the first.
        backlog=MAX_CONNECTIONS,
        log_level="warning",
        server_header=False,
        proxy_headers=False,
    )
    return Server(config)
