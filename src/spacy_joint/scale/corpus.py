"""A run over a corpus: its files are found, pieces of them are annotated by an engine, and a manifest lists the output.

Nothing is remembered between runs but the output directory, and the order in which pieces are done does not matter. So
a run that was stopped anywhere continues when it is started again, on any number of machines.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence, Set
from pathlib import Path
from typing import Protocol

from .. import load
from ..errors import Errors, JointFileNotFoundError, JointValueError, JointWarning, Warnings
from ..extras import require_packages
from .annotator import Annotation, Done, WorkerDeath, describe_pipeline
from .manifest import ERRORS, claim, complete, list_done
from .pieces import Group, group_files
from .records import Reading, is_readable
from .shards import FORMATS
from .storage import Directory, StoredFile, find_files, make_absolute


class Engine(Protocol):
    """Who calls the map function."""

    def run(self, groups: Sequence[Group], done: Set[str], annotation: Annotation, output: str) -> Iterator[Done]:
        """Annotates the pieces of groups of files.

        groups (Sequence[Group]): The groups.
        done (Set[str]): The names of the pieces that are done.
        annotation (Annotation): How to annotate the others.
        output (str): The address of the output directory.
        YIELDS (Done): What is done, in any order.
        RAISES WorkerDeath: If processes die.
        """


def annotate_corpus(
    inputs: Sequence[str],
    output: str,
    engine: Engine,
    *,
    model: str | None = None,
    beam_width: int | None = None,
    format: str,
    reading: Reading,
    shard_bytes: int,
    show: Callable[[Done, int], object] = lambda done, total: None,
) -> dict[str, int]:
    """Annotates a corpus.

    inputs (Sequence[str]): Files, directories, patterns and addresses.
    output (str): The output directory, of any storage.
    engine (Engine): `LocalEngine` or `RayEngine`.
    model, beam_width: The pipeline, see `spacy_joint.load`.
    format (str): The format of shards, see `shards.FORMATS`.
    reading (Reading): How files are read.
    shard_bytes (int): The length of a piece, in bytes, from which on it is not continued.
    show (Callable): Called with what is done, and with the stored size of the corpus in bytes.
    RETURNS (dict[str, int]): The numbers of `shards`, `records`, `documents`, `words` and `failures`.
    RAISES ValueError, OSError: If something is not installed (J710), if there are no files (J711), if the directory
        has the output of another run (J713), and if storages or processes fail.
    """
    if format not in FORMATS:
        raise JointValueError(Errors.J404, found=format, allowed=", ".join(FORMATS))
    require_packages("corpora", "fsspec", "pyarrow")
    if model is not None and Path(model).exists():
        model = str(Path(model).resolve())
    nlp = load(model, beam_width=beam_width)
    annotation = Annotation(model, describe_pipeline(nlp), beam_width, format, reading, shard_bytes, inputs)
    del nlp
    output = make_absolute(output)
    directory = Directory(output)
    files = list_corpus(inputs, directory, reading)
    claim(directory, annotation)
    groups = list(group_files(files, shard_bytes))
    total = sum(file.size for file in files)
    places: dict[tuple[int, int], str] = {}
    while True:
        n_done = len(places)
        done = list_done(directory)
        try:
            for result in engine.run(groups, done, annotation, output):
                if result.place not in places:
                    places[result.place] = result.name
                    show(result, total)
            break
        except WorkerDeath:
            # Others take over what is left, as long as it becomes less.
            if len(places) == n_done:
                raise
    totals = complete(directory, [places[place] for place in sorted(places)])
    if totals["failures"]:
        where = f"{output}/{ERRORS}"
        warnings.warn(
            JointWarning(Warnings.JW44, n=totals["failures"], total=totals["records"], address=where), stacklevel=2
        )
    return totals


def list_corpus(inputs: Sequence[str], output: Directory, reading: Reading) -> list[StoredFile]:
    """The files of a corpus, each once, in the order of the inputs; the output is none of them.

    Of directories and patterns, files of unknown formats are left out (JW43), unless a format is given.

    RAISES OSError: If there is none (J711).
    """
    found: dict[str, StoredFile] = {}
    for address in inputs:
        files, are_found = find_files(address)
        files = [file for file in files if not output.covers(file.address)]
        unknown = [file for file in files if not is_readable(file.address)]
        if are_found and unknown and reading.format is None:
            name = unknown[0].address
            warnings.warn(JointWarning(Warnings.JW43, n=len(unknown), address=address, example=name), stacklevel=3)
            files = [file for file in files if is_readable(file.address)]
        found.update((file.address, file) for file in files)
    if not found:
        raise JointFileNotFoundError(Errors.J711, address=", ".join(inputs))
    return list(found.values())
