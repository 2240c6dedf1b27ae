"""Annotating pieces on the cores of this machine, by processes that load the pipeline once."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence, Set
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from threading import Thread

from ..errors import Errors
from .annotator import Annotation, Annotator, Done, WorkerDeath
from .pieces import Group, Piece, read_pieces

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


class LocalEngine:
    """Runs workers on this machine.

    workers (int | None): The number of processes; None is one per core.
    """

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or os.cpu_count() or 1

    def run(self, groups: Sequence[Group], done: Set[str], annotation: Annotation, output: str) -> Iterator[Done]:
        """Annotates the pieces of groups of files, which are read as they are needed: see `Engine`.

        RAISES WorkerDeath: If a process dies (J718).
        """
        waiting: dict[Future[Done], Piece] = {}
        # Processes that are forked from one with threads may wait for locks that nobody holds.
        context = get_context("spawn")
        try:
            with ProcessPoolExecutor(self.workers, context, initializer=_load, initargs=(annotation, output)) as pool:
                try:
                    for group in groups:
                        for piece in read_pieces(group, annotation.reading, annotation.shard_bytes, done):
                            if not piece.records:
                                yield Done(piece.place, piece.name, piece.n_read)
                                continue
                            waiting[pool.submit(_annotate, piece)] = piece
                            if len(waiting) >= AHEAD * self.workers:
                                yield from _take(waiting)
                    while waiting:
                        yield from _take(waiting)
                finally:
                    # After an error or Ctrl-C, only what has begun is completed.
                    pool.shutdown(cancel_futures=True)
        except BrokenProcessPool as error:
            firsts = (piece.records[0] for piece in waiting.values())
            given = ", ".join(f"{record.source}:{record.number}" for record in firsts)
            raise WorkerDeath(Errors.J718, pieces=given or "nothing") from error


def _take(waiting: dict[Future[Done], Piece]) -> Iterator[Done]:
    """Waits until something is done."""
    for future in wait(waiting, return_when=FIRST_COMPLETED).done:
        done = future.result()
        del waiting[future]
        yield done
