"""`serve`: a page on this machine that shows what a pipeline finds in a text, with a JSON API."""

from __future__ import annotations

import socket
from contextlib import closing, suppress
from typing import Annotated

import typer

from ..errors import Errors, JointOSError

LOOPBACK = ("127.0.0.1", "localhost", "::1")
# More than these at once are turned away: each holds a thread while it waits.
MOST_CONNECTIONS = 32


def serve(
    pipeline: Annotated[
        str | None, typer.Argument(help="Path or package of a pipeline; else the one of this package.")
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen at; by default, of this machine alone.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen at; 0 for any that is free.")] = 8000,
    max_characters: Annotated[int, typer.Option(min=1, help="The longest text that is taken.")] = 10_000,
    timeout: Annotated[float, typer.Option(min=0.001, help="Seconds that annotating a text may take.")] = 10.0,
) -> None:
    """Show sentences, trees, quotations, hedges and orders of modifiers of texts on a page.

    Needs the extra `serve`: pip install 'spacy-joint[serve]'.
    """
    try:
        import uvicorn

        from ..serving.app import create_app
    except ModuleNotFoundError as error:
        raise JointOSError(Errors.J430, package=error.name) from error
    from ..serving.worker import Worker

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # First of all, so that a port that is taken is told before anything is loaded.
    with (
        socket.create_server((host, port), family=family) as listening,
        closing(Worker(pipeline, timeout=timeout, max_characters=max_characters)) as worker,
    ):
        app = create_app(worker, LOOPBACK if host in LOOPBACK else ("*",))
        settings = uvicorn.Config(
            app, log_level="warning", server_header=False, proxy_headers=False, limit_concurrency=MOST_CONNECTIONS
        )
        shown = f"[{host}]" if ":" in host else host
        typer.echo(f"http://{shown}:{listening.getsockname()[1]} (Ctrl-C ends it)")
        with suppress(KeyboardInterrupt):
            uvicorn.Server(settings).run(sockets=[listening])
