"""Measures `annotate-corpus`: the cost of Ray, the gain of a second worker, the memory of workers and of the driver.

    python corpora.py compare WORK
    python corpora.py plan WORK

Each run is a separate process, which is watched with its children (Linux). Timing begins once all workers have
annotated something, so rates exclude starting.
"""

from measure import Output, format_table, get_peak_memory, measure_in_fresh_process, write_results

# isort: split
import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import psutil
import spacy
import typer

app = typer.Typer(help=__doc__)
MB = 1_000_000
# Options by what runs the workers.
RAY = {"local": "", "ray": "--ray local"}
# Of a record.
SENTENCES = 25
WORDS = "the old man boats they said we left early rain fell all night and nobody knew why it mattered".split()  # noqa: SIM905


class Watched(NamedTuple):
    """A process: CPU seconds, proportional memory in bytes, and whether it annotates."""

    seconds: float
    pss: int
    annotates: bool


def write_corpus(path: Path, megabytes: float) -> Path:
    """Write JSON lines of sentences of a small vocabulary; with `.zst`, compressed."""
    import zstandard

    rng = random.Random(0)
    sentences = [" ".join(rng.choices(WORDS, k=rng.randint(4, 24))).capitalize() + "." for _ in range(5000)]
    path.parent.mkdir(parents=True, exist_ok=True)
    with zstandard.open(path, "wb") if path.suffix == ".zst" else path.open("wb") as file:
        written = 0
        while written < megabytes * MB:
            line = (json.dumps({"text": " ".join(rng.choices(sentences, k=SENTENCES))}) + "\n").encode("utf8")
            file.write(line)
            written += len(line)
    return path


def watch(root: int) -> dict[int, Watched]:
    """The process and all that descend from it."""
    found = {}
    for process in [psutil.Process(root), *psutil.Process(root).children(recursive=True)]:
        # It may end meanwhile.
        with suppress(psutil.NoSuchProcess):
            times, annotates = process.cpu_times(), "popen_loky" in " ".join(process.cmdline())
            found[process.pid] = Watched(times.user + times.system, process.memory_full_info().pss, annotates)
    return found


def get_anonymous_memory(pid: int) -> int:
    """The memory of a process that is not of files, in bytes; 0 if it has ended."""
    with suppress(psutil.NoSuchProcess):
        memory = psutil.Process(pid).memory_info()
        return memory.rss - memory.shared
    return 0


def measure(corpus: Path, output: Path, runner: str, workers: int, model: str | None, format_: str) -> dict[str, Any]:
    """Annotate a corpus, and measure from the time when each worker has annotated two partitions."""
    command = f"annotate-corpus {corpus} {RAY[runner]} --workers {workers} --format {format_} --output {output}"
    chosen = [] if model is None else ["--model", model]
    run = subprocess.Popen([sys.executable, "-m", "spacy", "joint", *command.split(), *chosen])
    seen: dict[int, Watched] = {}
    begin: tuple[float, int, dict[int, Watched]] | None = None
    last = (0.0, -1)
    peaks: Counter[int] = Counter()
    while run.poll() is None:
        time.sleep(0.1)
        for pid, found in seen.items():
            if found.annotates:
                peaks[pid] = max(peaks[pid], get_anonymous_memory(pid))
        n_done = len(list((output / "done").glob("*.json")))
        # Looking at all pages takes time, and stops who is looked at.
        if n_done == last[1]:
            continue
        last = (time.perf_counter(), n_done)
        now = watch(run.pid)
        seen.update({pid: found._replace(pss=max(found.pss, seen.get(pid, found).pss)) for pid, found in now.items()})
        if begin is None and n_done >= 2 * workers:
            begin = (*last, dict(seen))
    assert run.returncode == 0 and begin is not None
    n = last[1] - begin[1]
    spent = {pid: found.seconds - (begin[2][pid].seconds if pid in begin[2] else 0) for pid, found in seen.items()}
    annotating = sum(seconds for pid, seconds in spent.items() if seen[pid].annotates)
    others = sum(seconds for pid, seconds in spent.items() if not seen[pid].annotates)
    workers_seen = [found for found in seen.values() if found.annotates and found.seconds > 1]
    return {
        "runner": runner,
        "workers": workers,
        "shards": n,
        "wall": (last[0] - begin[0]) / n,
        "annotating": annotating / n,
        "others": others / n,
        # Core seconds per CPU second of annotating: it does not depend on how fast the machine is at the moment.
        "cores": workers * (last[0] - begin[0]) / annotating,
        "driver": seen[run.pid].pss / MB,
        "anonymous": max(peaks.values()) / MB,
        "pss": max(found.pss for found in workers_seen) / MB,
    }


@app.command()
def compare(
    work: Annotated[Path, typer.Argument(help="Directory to work in; outputs of earlier runs must not be there.")],
    model: Annotated[str | None, typer.Option(help="Pipeline. Default: en_joint_english.")] = None,
    megabytes: Annotated[float, typer.Option(help="Size of the corpus.")] = 30,
    format_: Annotated[str, typer.Option("--format", help="Format of the output.")] = "parquet",
    output: Output = None,
) -> None:
    """Print seconds per shard of 1 MB and megabytes of memory, for one and two workers, and for Ray."""
    corpus = write_corpus(work / "corpus.jsonl", megabytes)
    libraries = measure_in_fresh_process(measure_libraries)
    rows = []
    for runner, workers in (("local", 1), ("local", 2), ("ray", 2)):
        found = measure(corpus, work / f"{runner}{workers}", runner, workers, model, format_)
        rows.append(found)
        print(found, flush=True)
    header = list(rows[0])
    print(format_table(header, [[f"{x:.2f}" if isinstance(x, float) else x for x in row.values()] for row in rows]))
    one, two, ray = rows
    processes, cluster = ({"cpu": row["annotating"] + row["others"], "wall": row["wall"]} for row in (two, ray))
    print(
        f"Ray / processes: {cluster['cpu'] / processes['cpu']:.2f} CPU, {cluster['wall'] / processes['wall']:.2f} wall"
    )
    print(f"two workers / one: {one['wall'] / two['wall']:.2f} times as fast (wall)")
    print(f"CPU per shard with two workers / one: {two['annotating'] / one['annotating']:.2f}")
    print(f"interpreter and libraries: {libraries['anonymous'] / MB:.0f} MB, {libraries['pss'] / MB:.0f} MB with files")
    write_results({"runs": rows, "libraries": libraries, "load": os.getloadavg()}, output)


def measure_libraries() -> dict[str, int]:
    """The memory of an interpreter with all libraries."""
    import pyarrow.parquet  # noqa: F401
    import tqdm  # noqa: F401

    import spacy_joint.factories
    import spacy_joint.scale.annotating.corpus  # noqa: F401

    # Registers the components, and so imports them.
    for name in ("sequence_tagger", "joint_sbd_parser"):
        spacy.blank("en").get_factory_meta(name)
    return {"anonymous": get_anonymous_memory(os.getpid()), "pss": watch(os.getpid())[os.getpid()].pss}


def _link_gigabytes(directory: Path, gigabytes: float) -> list[Path]:
    """A directory of compressed files of a gigabyte of text each, all of them the same."""
    path = directory / ".gigabyte.jsonl.zst"
    if not path.exists():
        write_corpus(path, 1000)
    links = [directory / f"part{number:03}.jsonl.zst" for number in range(round(gigabytes))]
    for link in links:
        link.unlink(missing_ok=True)
        link.symlink_to(path.name)
    return links


@app.command()
def plan(
    work: Annotated[Path, typer.Argument(help="Directory to work in.")],
    gigabytes: Annotated[float, typer.Option(help="Size of the corpus, not compressed.")] = 20,
) -> None:
    """Read the partitions of a compressed corpus without annotating them; print the driver's memory as it grows."""
    from spacy_joint.scale.annotating.partitions import group_files, read_partitions
    from spacy_joint.scale.annotating.records import Reading
    from spacy_joint.scale.annotating.storage import StoredFile

    files = [StoredFile(str(link), link.stat().st_size) for link in _link_gigabytes(work / "plan", gigabytes)]
    places = {}
    start = time.process_time()
    for group in group_files(files, MB):
        for partition in read_partitions(group, Reading(), MB, set()):
            places[partition.place] = partition.name
            if len(places) % 1000 == 0:
                peak = get_peak_memory() / MB
                seconds = time.process_time() - start
                print(f"{len(places):,} partitions, {peak:.0f} MB peak, {seconds:.0f} CPU s", flush=True)
    assert len(set(places.values())) == len(places)


if __name__ == "__main__":
    app()
