"""`serve`: run a local web page and a JSON API that show the predictions of pipelines for a text."""

import signal
import socket
from contextlib import closing, suppress
from threading import Event
from typing import Annotated, Any

import typer

from ...errors import Errors, JointOSError, require_packages
from ...serving import LOOPBACK, MAX_CHARACTERS, TIMEOUT
from ..options import RayOption


def serve(
    pipelines: Annotated[
        list[str] | None,
        typer.Argument(help="Paths or packages of pipelines to offer. Default: the shipped and all installed ones."),
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen on. Default: this machine only.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 picks a free one.")] = 8000,
    max_characters: Annotated[int, typer.Option(min=1, help="Maximum length of a text.")] = MAX_CHARACTERS,
    timeout: Annotated[float, typer.Option(min=0.001, max=1e6, help="Maximum seconds to annotate a text.")] = TIMEOUT,
    replicas: Annotated[int | None, typer.Option(min=1, help="Number of replicas with Ray, each on one core.")] = None,
    ray: RayOption = None,
) -> None:
    """Serve a web page and a JSON API that annotate texts.

    The page shows punctuation, sentences, trees and quotations. Needs the extra `serve`: pip install
    'spacy-joint[serve]'. With --replicas or --ray, also the extra `ray`.
    """
    require_packages("serve", "fastapi", "fastapi_offline", "prometheus_client", "uvicorn")
    from ...serving.app import create_app
    from ...serving.server import make_server
    from ...serving.worker import Workers

    allowed_hosts = LOOPBACK if host in LOOPBACK else ("*",)
    limits: dict[str, Any] = {"timeout": timeout, "max_characters": max_characters}
    if replicas is not None or ray is not None:
        from ...scale.cluster import LOCAL
        from ...scale.replicas import Settings, run_replicas

        settings = Settings(
            pipelines=tuple(pipelines or ()), replicas=replicas or 1, allowed_hosts=allowed_hosts, **limits
        )
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
    with _listen(host, port) as listening, closing(Workers.start(pipelines or (), **limits)) as workers:
        server = make_server(create_app(workers, allowed_hosts))
        _show_address(host, listening.getsockname()[1])
        with suppress(KeyboardInterrupt):
            server.run(sockets=[listening])


def _listen(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        # Python adds the address in parentheses.
        reason = str(error.strerror).partition(" (")[0].lower()
        raise JointOSError(Errors.J743, host=host, port=port, reason=reason) from error


def _show_address(host: str, port: int) -> None:
    shown = f"[{host}]" if ":" in host else host
    typer.echo(f"http://{shown}:{port} (Ctrl-C to stop)")
