"""Annotating pieces on the cores of this machine, by processes that load the pipeline once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from threading import Thread

from ..errors import Errors, JointOSError
from .annotator import Annotation, Annotator, Done
from .pieces import Piece

# Pieces that are read ahead, per worker.
AHEAD = 2

_annotator: Annotator | None = None


def _load(annotation: Annotation, output: str) -> None:
    global _annotator
    Thread(target=_end_with_parent, daemon=True).start()
    _annotator = Annotator(annotation, output)


def _end_with_parent() -> None:
    """Ends this process when the one that started it has died: nobody else would."""
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _annotate(piece: Piece) -> Done:
    assert _annotator is not None
    return _annotator(piece)


def annotate_locally(
    read: Callable[[], Iterable[Piece]], annotation: Annotation, output: str, workers: int
) -> Iterator[Done]:
    """Annotates pieces. If a process dies, the pieces that are not done are given to new processes.

    read (Callable): Reads the pieces, in the same order each time.
    annotation (Annotation): How to annotate them.
    output (str): The address of the output directory.
    workers (int): The number of processes.
    YIELDS (Done): What is done, in any order.
    RAISES OSError: If processes die before anything is done (J718).
    """
    finished: set[tuple[int, int]] = set()
    while True:
        n_finished = len(finished)
        waiting: dict[Future[Done], Piece] = {}
        try:
            for done in _annotate_in_pool(read(), finished, waiting, annotation, output, workers):
                finished.add(done.place)
                yield done
            return
        except BrokenProcessPool as error:
            if len(finished) == n_finished:
                records = [record for piece in waiting.values() for record in (piece.records[0], piece.records[-1])]
                pieces = ", ".join(f"{record.source}:{record.number}" for record in records)
                raise JointOSError(Errors.J718, pieces=pieces or "nothing yet") from error


def _annotate_in_pool(
    pieces: Iterable[Piece],
    finished: set[tuple[int, int]],
    waiting: dict[Future[Done], Piece],
    annotation: Annotation,
    output: str,
    workers: int,
) -> Iterator[Done]:
    # Processes that are forked from one with threads may wait for locks that nobody holds.
    context = get_context("spawn")
    with ProcessPoolExecutor(workers, context, initializer=_load, initargs=(annotation, output)) as pool:
        for piece in pieces:
            if piece.place in finished:
                continue
            if not piece.records:
                yield Done(piece.place, piece.name, piece.n_read)
                continue
            waiting[pool.submit(_annotate, piece)] = piece
            if len(waiting) >= AHEAD * workers:
                yield from _take(waiting)
        while waiting:
            yield from _take(waiting)


def _take(waiting: dict[Future[Done], Piece]) -> Iterator[Done]:
    """Waits until something is done."""
    for future in wait(waiting, return_when=FIRST_COMPLETED).done:
        done = future.result()
        del waiting[future]
        yield done
