"""How commands report expected errors (a one-line message and exit code 1) and warnings, and use colours."""

import io
import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from configparser import Error as ConfigParserError
from contextlib import contextmanager, suppress
from functools import wraps
from math import isnan
from pathlib import Path
from traceback import walk_tb
from typing import Any

import typer
from spacy.cli._util import show_validation_error
from spacy.util import raise_error
from typer.core import TyperGroup
from wasabi import Printer, msg

from ..errors import SPACY_CODE, Errors, JointError, JointOSError, JointValueError, format_warning
from ..files.atomic import check_writable

# The arguments of commands that are written to.
OUTPUTS = ("output", "phrases")
# The formats of files with these suffixes, most likely first.
SUFFIXES = {f".{name}": [name] for name in ("conllu", "csv", "html", "json", "spacy", "srt", "vtt")}
SUFFIXES |= {".jsonl": ["jsonl", "json"]}


class JointGroup(TyperGroup):
    """A group whose commands, and their help, report failures."""

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        """Parses arguments."""
        with _report_failures():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: Any) -> Any:
        """Runs a command."""
        with _report_failures():
            return super().invoke(ctx)


@contextmanager
def _report_failures() -> Iterator[None]:
    """Prints coded errors, file errors and errors of configs instead of raising them."""
    warnings.formatwarning = format_warning
    # Removes temporary files, as after Ctrl-C. Only the main thread may set it.
    with suppress(ValueError):
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    if isinstance(sys.stdout, io.TextIOWrapper):
        # File names may not be valid text.
        sys.stdout.reconfigure(errors="backslashreplace")
    if os.environ.get("NO_COLOR") or sys.stdout is None or not sys.stdout.isatty():
        # For this printer, other printers and other processes: wasabi checks neither condition.
        msg.show_color = False
        os.environ["ANSI_COLORS_DISABLED"] = "1"
    try:
        with show_validation_error(show_config=False, hint_fill=False):
            yield
    except BrokenPipeError:
        # The reader of the output has closed it (`| head`): click exits quietly.
        raise
    except (JointError, ConfigParserError, ImportError, OSError, ValueError) as error:
        if isinstance(error, JointError) or SPACY_CODE.match(str(error)):
            message = str(error)
        elif isinstance(error, OSError) and not _is_of_component(error):
            message = str(Errors.J441.format(path=error.filename or "The output", reason=error.strerror or error))
        elif isinstance(error, ConfigParserError | UnicodeDecodeError) and not _is_of_component(error):
            # spaCy reads configs and metadata of pipelines; other files are read with errors of their own.
            message = str(Errors.J441.format(path="A config or meta.json", reason=error))
        elif isinstance(error, ImportError):
            message = str(Errors.J744.format(reason=str(error).rstrip(".")))
        else:
            raise
        typer.echo(Printer(no_print=True, pretty=False).fail(message), err=True)
        raise typer.Exit(1) from error


def check_arguments(command: Callable[..., None]) -> Callable[..., None]:
    """Makes a command refuse NaN (J030), outputs with the suffix of another format (J716), outputs that cannot be
    written, and outputs that are also an input, or inside a pipeline that is one (J440). Pipelines can be replaced by
    their copies."""

    @wraps(command)
    def checking(*args: Any, **kwargs: Any) -> None:
        _check_arguments(kwargs)
        command(*args, **kwargs)

    return checking


def _check_arguments(arguments: dict[str, Any]) -> None:
    values: list[Any] = []
    for name, value in arguments.items():
        if isinstance(value, float) and isnan(value):
            raise JointValueError(Errors.J030, name=f"--{name.replace('_', '-')}", value=value, allowed="a number")
        if name == "ctx":
            values += value.obj.values()
        elif name not in OUTPUTS:
            values += value if isinstance(value, list) else [value]
    inputs = [(each, Path(each).resolve()) for each in values if isinstance(each, (str, Path))]
    for output in (value for name, value in arguments.items() if name in OUTPUTS and isinstance(value, Path)):
        for each, path in inputs:
            if os.path.isfile(path / "config.cfg"):
                is_read = path in output.resolve().parents
            else:
                # Directories may have the name of a language.
                is_read = path == output.resolve() and (path.is_file() or (path.is_dir() and isinstance(each, Path)))
            if is_read:
                raise JointOSError(Errors.J440, path=output, reason=f"the command reads {each}")
        likely = SUFFIXES.get(output.suffix, [])
        if likely and arguments.get("format_") not in (None, *likely):
            raise JointValueError(Errors.J716, option=output, needed=f"--format {likely[0]}")
        # Directories that exist may be written into, and devices, such as /dev/stdout, in place.
        if output.is_file() or not output.exists():
            check_writable(output)


def _is_of_component(error: Exception) -> bool:
    """Returns whether a component raised an error: spaCy raises such errors again in `raise_error`."""
    return any(frame.f_code is raise_error.__code__ for frame, _ in walk_tb(error.__traceback__))
