"""How commands fail: what users can meet is one line and exit code 1, anything else a traceback, to be reported."""

import re
from collections.abc import Callable
from functools import wraps
from typing import Any

import typer
from wasabi import Printer

from ..errors import Errors, JointError

# spaCy's errors have codes, too, but no class of their own.
OF_SPACY = re.compile(r"\[E\d+\]")


def report_failures(command: Callable[..., None]) -> Callable[..., None]:
    """Makes a command print errors of files and coded errors instead of raising them."""

    @wraps(command)
    def reporting(*args: Any, **kwargs: Any) -> None:
        try:
            command(*args, **kwargs)
        except BrokenPipeError:
            # Whoever read the output has enough of it (`| head`): click ends quietly.
            raise
        except (JointError, OSError, ValueError) as error:
            if isinstance(error, JointError) or OF_SPACY.match(str(error)):
                message = str(error)
            elif isinstance(error, OSError):
                message = str(Errors.J441.format(path=error.filename or "A file", reason=error.strerror or error))
            else:
                raise
            typer.echo(Printer(no_print=True, pretty=False).fail(message), err=True)
            raise typer.Exit(1) from error

    return reporting
