"""`serve`: run a local web page and a JSON API that show the predictions of a pipeline for a text."""

from __future__ import annotations

import signal
import socket
from contextlib import closing, suppress
from threading import Event
from typing import TYPE_CHECKING, Annotated

import typer

from ..extras import require_packages

if TYPE_CHECKING:
    from ..scale.serving import Settings

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def serve(
    pipeline: Annotated[
        str | None, typer.Argument(help="Path or package of a pipeline. Default: the shipped pipeline.")
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen on. The default is local.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 picks a free one.")] = 8000,
    max_characters: Annotated[int, typer.Option(min=1, help="Maximum length of a text.")] = 10_000,
    timeout: Annotated[float, typer.Option(min=0.001, help="Maximum seconds for annotating a text.")] = 10.0,
    replicas: Annotated[
        int | None, typer.Option(min=1, help="Serve with Ray, by this number of replicas, each on one core.")
    ] = None,
    address: Annotated[
        str | None, typer.Option(help="Serve on the Ray cluster at this address; auto: the one of this machine.")
    ] = None,
) -> None:
    """Show the sentences, trees, quotations, hedges and orders of modifiers of texts on a web page.

    This needs the extra `serve`: pip install 'spacy-joint[serve]'. With --replicas or --address, it needs the extra
    `ray`, too.
    """
    require_packages("serve", "fastapi", "fastapi_offline", "prometheus_client", "uvicorn")
    import uvicorn

    from ..serving.app import create_app
    from ..serving.worker import Worker

    allowed_hosts = LOOPBACK if host in LOOPBACK else ("*",)
    if replicas is not None or address is not None:
        from ..scale.serving import Settings

        settings = Settings(
            pipeline=pipeline,
            replicas=replicas or 1,
            timeout=timeout,
            max_characters=max_characters,
            allowed_hosts=allowed_hosts,
        )
        _serve_with_ray(settings, host, port, address)
        return
    # Open the socket first, so that a port in use is reported before anything is loaded.
    with (
        _listen(host, port) as listening,
        closing(Worker(pipeline, timeout=timeout, max_characters=max_characters)) as worker,
    ):
        app = create_app(worker, allowed_hosts)
        config = uvicorn.Config(app, log_level="warning", server_header=False, proxy_headers=False)
        _show_address(host, listening.getsockname()[1])
        with suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[listening])


def _serve_with_ray(settings: Settings, host: str, port: int, address: str | None) -> None:
    from ..scale.serving import run_replicas

    if address is None:
        with _listen(host, port) as listening:
            port = listening.getsockname()[1]
    with suppress(KeyboardInterrupt), run_replicas(settings, host=host, port=port, address=address):
        # What stops containers and services; after Ray has set a handler of its own.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        _show_address(host, port)
        Event().wait()


def _listen(host: str, port: int) -> socket.socket:
    return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)


def _show_address(host: str, port: int) -> None:
    shown = f"[{host}]" if ":" in host else host
    typer.echo(f"http://{shown}:{port} (Ctrl-C to stop)")
