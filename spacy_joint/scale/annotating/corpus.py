"""A run over a corpus, from files to a manifest. Its state is in the output directory, so the same run continues it."""

import json
import warnings
from collections.abc import Callable, Generator, Sequence, Set
from contextlib import closing
from pathlib import Path
from typing import Protocol

from ... import load
from ...errors import (
    Errors,
    JointFileNotFoundError,
    JointValueError,
    JointWarning,
    Warnings,
    check_choice,
    require_packages,
)
from .annotator import Annotation, WorkerDeath, describe_pipeline, describe_settings
from .manifest import ERRORS, claim, complete, find_output, is_output, list_done
from .partitions import Group, Partition, group_files
from .records import Reading, is_readable, require_text
from .shards import FORMATS
from .storage import Directory, StoredFile, find_files, identify, make_absolute, open_raw

# Called with each finished partition, and the stored size of the corpus in bytes.
Show = Callable[[Partition, int], object]


class CorpusRunner(Protocol):
    """Annotates partitions in other processes."""

    def run(self, groups: Sequence[Group], done: Set[str], annotation: Annotation) -> Generator[Partition, None, None]:
        """Annotates partitions, except those named in `done`, and yields all of them, in any order. Raises WorkerDeath
        if processes die."""


def annotate_corpus(
    inputs: Sequence[str],
    output: str,
    runner: CorpusRunner,
    *,
    model: str | None = None,
    beam_width: int | None = None,
    format: str,
    reading: Reading | None = None,
    shard_bytes: int = 1_000_000,
    show: Show = lambda done, total: None,
) -> dict[str, int]:
    """Annotates a corpus, and returns the numbers of `shards`, `records`, `documents`, `words`, `failures`, and
    `transient` failures (of memory, files and processes). Warns of failures (JW44). Raises J710 if a package is
    missing, J711 if there are no files, J713 if the output directory cannot be claimed, and errors of storage and
    processes.
    """
    check_choice("format", format, FORMATS)
    require_packages("corpora", "fastwarc", "filelock", "fsspec", "pyarrow")
    if model is not None and Path(model).exists():
        model = str(Path(model).resolve())
    inputs = [make_absolute(address) for address in inputs]
    reading = reading or Reading()
    # The pipeline is loaded for its description only.
    pipeline = describe_pipeline(load(model, beam_width=beam_width))
    directory = Directory(output)
    annotation = Annotation(model, pipeline, beam_width, format, reading, shard_bytes, inputs, directory.address)
    files = list_corpus(inputs, directory, reading)
    with claim(directory, describe_settings(annotation)) as check:
        names = _annotate(runner, files, directory, annotation, show)
        check()
        totals = complete(directory, names)
    if totals["failures"]:
        where = f"{directory.address}/{ERRORS}"
        with open_raw(where) as errors:
            first = json.loads(errors.readline())
        values = {"n": totals["failures"], "total": totals["records"], "address": where, **first}
        warnings.warn(JointWarning(Warnings.JW44, **values), stacklevel=2)
    return totals


def _annotate(
    runner: CorpusRunner, files: Sequence[StoredFile], output: Directory, annotation: Annotation, show: Show
) -> list[str]:
    """Annotates the partitions that are not done yet, and returns the names of all of them in corpus order."""
    groups = list(group_files(files, annotation.shard_bytes))
    total = sum(file.size for file in files)
    places: dict[tuple[int, int], str] = {}
    while True:
        n_done = len(places)
        try:
            with closing(runner.run(groups, list_done(output), annotation)) as results:
                for result in results:
                    if result.place not in places:
                        places[result.place] = result.name
                        show(result, total)
            return [places[place] for place in sorted(places)]
        except WorkerDeath:
            # Try again as long as there is progress.
            if len(places) == n_done:
                raise


def list_corpus(inputs: Sequence[str], output: Directory, reading: Reading) -> list[StoredFile]:
    """Lists the files of a corpus outside the output, each once, in the order of the inputs. Leaves the output of other
    runs and, unless a format is given, files of unknown formats out of directories and patterns (JW43). Raises J711 if
    there are no files, J713 if one that is named is in the output, and J718 for annotated documents."""
    found: dict[str, StoredFile] = {}
    own = f"{identify(output.address)}/"
    for address in inputs:
        files, are_found = find_files(address)
        names = {file: identify(file.address) for file in files}
        files = [file for file in files if not names[file].startswith(own)]
        if not (files or are_found):
            raise JointValueError(Errors.J713, address=output.address, reason=f"it contains the input {address}")
        if are_found:
            folders = {file: find_output(file.address) for file in files}
            others = {folder for folder in set(folders.values()) if folder is not None and is_output(folder)}
            written = {file for file in files if folders[file] in others}
            files = _leave_out(files, written, address, "they are the output of another run")
            if reading.format is None:
                unknown = {file for file in files if not is_readable(file.address)}
                files = _leave_out(files, unknown, address, "their suffixes are unknown")
        for file in files:
            if reading.format is None:
                require_text(file.address)
            found.setdefault(names[file], file)
    if not found:
        raise JointFileNotFoundError(Errors.J711, address=", ".join(inputs))
    return list(found.values())


def _leave_out(files: Sequence[StoredFile], left: Set[StoredFile], address: str, reason: str) -> list[StoredFile]:
    if left:
        values = {"n": len(left), "address": address, "example": min(left).address, "reason": reason}
        warnings.warn(JointWarning(Warnings.JW43, **values), stacklevel=4)
    return [file for file in files if file not in left]
