"""`serve`: run a local web page and a JSON API that show the predictions of a pipeline for a text."""

import signal
import socket
from contextlib import closing, suppress
from threading import Event
from typing import Annotated, Any

import typer

from ...extras import require_packages
from ..options import RayOption

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def serve(
    pipeline: Annotated[str | None, typer.Argument(help="Path or package of a pipeline. Default: the shipped.")] = None,
    host: Annotated[str, typer.Option(help="Address to listen on. The default is local.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 picks a free one.")] = 8000,
    max_characters: Annotated[int, typer.Option(min=1, help="Maximum length of a text.")] = 10_000,
    timeout: Annotated[float, typer.Option(min=0.001, help="Maximum seconds for annotating a text.")] = 10.0,
    replicas: Annotated[int | None, typer.Option(min=1, help="Number of replicas with Ray, each on one core.")] = None,
    ray: RayOption = None,
) -> None:
    """Show the sentences, trees, quotations, hedges and orders of modifiers of texts on a web page.

    Needs the extra `serve`: pip install 'spacy-joint[serve]'. With --replicas or --ray, also the extra `ray`.
    """
    require_packages("serve", "fastapi", "fastapi_offline", "prometheus_client", "uvicorn")
    from ...serving.app import create_app
    from ...serving.server import make_server
    from ...serving.worker import Worker

    allowed_hosts = LOOPBACK if host in LOOPBACK else ("*",)
    limits: dict[str, Any] = {"timeout": timeout, "max_characters": max_characters}
    if replicas is not None or ray is not None:
        from ...scale.cluster import LOCAL
        from ...scale.replicas import Settings, run_replicas

        settings = Settings(pipeline=pipeline, replicas=replicas or 1, allowed_hosts=allowed_hosts, **limits)
        if ray is None or ray == LOCAL:
            with _listen(host, port) as listening:
                port = listening.getsockname()[1]
        with suppress(KeyboardInterrupt), run_replicas(settings, host=host, port=port, address=ray or LOCAL):
            # Containers and services are stopped by SIGTERM. This replaces Ray's handler.
            signal.signal(signal.SIGTERM, signal.default_int_handler)
            _show_address(host, port)
            Event().wait()
        return
    # Open the socket first, so that a port in use is reported before anything is loaded.
    with _listen(host, port) as listening, closing(Worker(pipeline, **limits)) as worker:
        server = make_server(create_app(worker, allowed_hosts))
        _show_address(host, listening.getsockname()[1])
        with suppress(KeyboardInterrupt):
            server.run(sockets=[listening])


def _listen(host: str, port: int) -> socket.socket:
    return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)


def _show_address(host: str, port: int) -> None:
    shown = f"[{host}]" if ":" in host else host
    typer.echo(f"http://{shown}:{port} (Ctrl-C to stop)")
