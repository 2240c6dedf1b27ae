"""How commands fail: what users can meet is one line and exit code 1, anything else a traceback, to be reported."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import typer
from wasabi import Printer


def report_failures(command: Callable[..., None]) -> Callable[..., None]:
    """Makes a command print errors of files and coded errors instead of raising them."""

    @wraps(command)
    def reporting(*args: Any, **kwargs: Any) -> None:
        try:
            command(*args, **kwargs)
        except BrokenPipeError:
            # Whoever read the output has enough of it (`| head`): click ends quietly.
            raise
        except (OSError, ValueError) as error:
            if isinstance(error, ValueError) and not str(error).startswith(("[J", "[E")):
                raise
            typer.echo(Printer(no_print=True, pretty=False).fail(str(error)), err=True)
            raise typer.Exit(1) from error

    return reporting
