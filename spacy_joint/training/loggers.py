"""A training logger: spaCy's console logger, which also logs the seed, for reproducible runs."""

from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from spacy.language import Language
from spacy.training.loggers import console_logger_v3


def console_logger(
    progress_bar: str | None = None, console_output: bool = True, output_file: str | Path | None = None
) -> Callable[[Language, IO[str], IO[str]], Any]:
    """Makes the logger, registered as `spacy_joint.console_logger.v1`, with arguments of `spacy.ConsoleLogger.v3`."""
    set_up_spacy_logger = console_logger_v3(progress_bar, console_output, output_file)

    def set_up_logger(nlp: Language, stdout: IO[str], stderr: IO[str]) -> Any:
        # The seed may be a variable of the config.
        stdout.write(f"Seed: {nlp.config.interpolate()['training']['seed']}\n")
        return set_up_spacy_logger(nlp, stdout, stderr)

    return set_up_logger
