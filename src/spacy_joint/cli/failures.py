"""How commands fail: with a one-line message and exit code 1 for expected errors, else with a traceback."""

import re
from collections.abc import Callable
from functools import wraps
from typing import Any

import typer
from wasabi import Printer

from ..errors import Errors, JointError

# spaCy's errors also have codes, but no class of their own.
SPACY_CODE = re.compile(r"\[E\d+\]")


def report_failures(command: Callable[..., None]) -> Callable[..., None]:
    """Makes a command print coded errors and file errors instead of raising them."""

    @wraps(command)
    def reporting(*args: Any, **kwargs: Any) -> None:
        try:
            command(*args, **kwargs)
        except BrokenPipeError:
            # The reader of the output has closed it (`| head`): click exits quietly.
            raise
        except (JointError, OSError, ValueError) as error:
            if isinstance(error, JointError) or SPACY_CODE.match(str(error)):
                message = str(error)
            elif isinstance(error, OSError):
                message = str(Errors.J441.format(path=error.filename or "A file", reason=error.strerror or error))
            else:
                raise
            typer.echo(Printer(no_print=True, pretty=False).fail(message), err=True)
            raise typer.Exit(1) from error

    return reporting
