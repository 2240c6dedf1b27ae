"""Simulates annotating a corpus on 1 to 1,000 nodes: how long it takes, what it costs, and what breaks first.

This is a queueing model, not a simulation of Ray. A driver hands shards of text to cores at a limited rate; a core
reads a shard from storage, annotates it and writes the result; all cores share the throughput of the storage. Nodes
take time to start, some are slower than others, and some are lost: other cores redo their unfinished shards while a new
node starts. Annotation times and sizes of results are drawn from shards measured by service_times.py. The same seed
gives the same figures.
"""

from measure import Output, draw, format_table, replace_section, report

# isort: split
import json
import math
import random
from collections.abc import Generator, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import simpy
import typer

SEED = 0
NODES = (1, 3, 10, 30, 100, 300, 1000)
HOUR = 3600.0


@dataclass(frozen=True)
class Measured:
    """Shards that were measured: seconds, and bytes written, per byte of text, and bytes of text per word."""

    seconds: np.ndarray
    shard_bytes: float
    written: float
    bytes_per_word: float

    @classmethod
    def read(cls, path: Path) -> "Measured":
        """Read what service_times.py has written."""
        shards = json.loads(path.read_text(encoding="utf8"))["shards"]
        n_bytes, written, words = (sum(shard[key] for shard in shards) for key in ("bytes", "written_bytes", "words"))
        seconds = np.array([shard["seconds"] / shard["bytes"] for shard in shards])
        return cls(seconds, n_bytes / len(shards), written / n_bytes, n_bytes / words)

    def draw(self, draw: np.random.Generator, n: int, shard_bytes: float) -> np.ndarray:
        """The seconds of n shards, each made of as many measured ones as fit."""
        parts = max(1, round(shard_bytes / self.shard_bytes))
        total = np.zeros(n)
        for _ in range(parts):
            total += draw.choice(self.seconds, n)
        return total * shard_bytes / parts


@dataclass(frozen=True)
class Cluster:
    """A cluster and a corpus."""

    nodes: int = 100
    # Per node.
    cores: int = 16
    words: float = 1e9
    # Bytes of text.
    shard_bytes: float = 1e6
    # Seconds until a node works: machine, container, pipeline.
    start_up: float = 120.0
    # Nodes lost per hour and node.
    failures: float = 0.01
    # How much slower nodes and shards are: deviations of the logarithm. What was measured is as fast as it gets.
    slow_nodes: float = 0.1
    slow_shards: float = 0.1
    # Shards per second that the driver hands out.
    dispatches: float = 200.0
    # Bytes per second that the storage reads and writes.
    storage: float = 10e9
    # Bytes written per byte that CoNLL-U has.
    compression: float = 1.0


@dataclass(frozen=True)
class Outcome:
    """What a run took: hours, core hours from the start of the nodes on, and shares of these."""

    hours: float
    core_hours: float
    # Of the core hours: annotation that was kept.
    useful: float
    # Of the time: the driver was handing out shards, the storage was transferring.
    driver: float
    storage: float
    lost_nodes: int
    lost_shards: int


class Line:
    """What serves one after another, such as a driver, or a storage whose throughput is shared."""

    def __init__(self, environment: simpy.Environment) -> None:
        self.environment, self.free_at, self.busy = environment, 0.0, 0.0

    def serve(self, seconds: float) -> simpy.Event:
        """Join the line; the event is the end of one's own service."""
        self.free_at = max(self.free_at, self.environment.now) + seconds
        self.busy += seconds
        return self.environment.timeout(self.free_at - self.environment.now)


class Run:
    """The state of one simulation."""

    def __init__(self, cluster: Cluster, measured: Measured, seed: int) -> None:
        self.cluster = cluster
        self.draw = random.Random(seed)
        self.environment = simpy.Environment()
        self.driver, self.transfers = Line(self.environment), Line(self.environment)
        n_shards = math.ceil(cluster.words * measured.bytes_per_word / cluster.shard_bytes)
        self.seconds = measured.draw(np.random.default_rng(seed), n_shards, cluster.shard_bytes).tolist()
        self.written_bytes = cluster.shard_bytes * measured.written * cluster.compression
        # Those that nobody works on; the last is next.
        self.waiting = list(range(n_shards))
        self.n_left = n_shards
        self.done = self.environment.event()
        # Succeeds when there is something to do again.
        self.returned = self.environment.event()
        self.useful = 0.0
        self.lost_nodes = self.lost_shards = 0

    def simulate(self) -> Outcome:
        """Start all nodes, and run until all shards are done."""
        for _ in range(self.cluster.nodes):
            self.environment.process(self.run_node())
        self.environment.run(until=self.done)
        elapsed = self.environment.now
        core_seconds = elapsed * self.cluster.nodes * self.cluster.cores
        return Outcome(
            hours=elapsed / HOUR,
            core_hours=core_seconds / HOUR,
            useful=self.useful / core_seconds,
            driver=min(1.0, self.driver.busy / elapsed),
            storage=min(1.0, self.transfers.busy / elapsed),
            lost_nodes=self.lost_nodes,
            lost_shards=self.lost_shards,
        )

    def run_node(self) -> Iterator[simpy.Event]:
        """A node that starts, works until it is lost, and is replaced."""
        while True:
            yield self.environment.timeout(self.cluster.start_up)
            slowness = self.draw_slowness(self.cluster.slow_nodes)
            cores = [self.environment.process(self.run_core(slowness)) for _ in range(self.cluster.cores)]
            rate = self.cluster.failures / HOUR
            yield self.environment.timeout(self.draw.expovariate(rate) if rate else math.inf)
            self.lost_nodes += 1
            for core in cores:
                core.interrupt()

    def run_core(self, slowness: float) -> Generator[simpy.Event, Any, None]:
        """A core that works on one shard after another, until its node is lost."""
        shard = None
        try:
            while True:
                while not self.waiting:
                    yield self.returned
                shard = self.waiting.pop()
                yield self.driver.serve(1 / self.cluster.dispatches)
                yield self.transfers.serve(self.cluster.shard_bytes / self.cluster.storage)
                slowed = slowness * self.draw_slowness(self.cluster.slow_shards)
                yield self.environment.timeout(self.seconds[shard] * slowed)
                yield self.transfers.serve(self.written_bytes / self.cluster.storage)
                self.useful += self.seconds[shard]
                self.n_left -= 1
                if not self.n_left:
                    self.done.succeed()
                shard = None
        except simpy.Interrupt:
            if shard is not None:
                # Another core redoes it.
                self.lost_shards += 1
                self.waiting.append(shard)
                self.returned.succeed()
                self.returned = self.environment.event()

    def draw_slowness(self, deviation: float) -> float:
        """How many times longer something takes: the slower half of a lognormal distribution."""
        return math.exp(abs(self.draw.gauss(0.0, deviation)))


def simulate(cluster: Cluster, measured: Measured, seed: int = SEED) -> Outcome:
    """Annotate a corpus on a cluster once."""
    return Run(cluster, measured, seed).simulate()


# A billion words in small shards, and a thousand times as much in larger ones.
BILLION = Cluster(words=1e9, shard_bytes=1e6)
TRILLION = Cluster(words=1e12, shard_bytes=64e6, storage=100e9)
# What a thousand nodes need, and what happens without it.
CHANGES: dict[str, dict[str, float]] = {
    "as above": {},
    "shards of 16 MB": {"shard_bytes": 16e6},
    "shards of 256 MB": {"shard_bytes": 256e6},
    "20 shards per second handed out": {"dispatches": 20.0},
    "shards of 16 MB, 20 per second handed out": {"shard_bytes": 16e6, "dispatches": 20.0},
    "storage of 10 GB/s": {"storage": 10e9},
    "storage of 10 GB/s, a tenth of the bytes written": {"storage": 10e9, "compression": 0.1},
    "nodes need 10 minutes to start": {"start_up": 600.0},
    "0.1 nodes lost per node and hour": {"failures": 0.1},
    "1 node lost per node and hour": {"failures": 1.0},
    "nodes and shards vary three times as much": {"slow_nodes": 0.3, "slow_shards": 0.3},
}
HEADER = ["hours", "core hours", "useful", "driver busy", "storage busy", "nodes lost", "shards redone"]


def format_outcome(outcome: Outcome) -> list[str]:
    """A row of a table."""
    shares = (outcome.useful, outcome.driver, outcome.storage)
    return [
        f"{outcome.hours:.3f}" if outcome.hours < 1 else f"{outcome.hours:.2f}",
        f"{outcome.core_hours:,.0f}" if outcome.core_hours >= 100 else f"{outcome.core_hours:.1f}",
        *(f"{share:.0%}".replace("%", " %") for share in shares),
        f"{outcome.lost_nodes:,}",
        f"{outcome.lost_shards:,}",
    ]


def draw_efficiency(outcomes: dict[str, dict[int, Outcome]], path: Path) -> None:
    """Draw hours and useful core hours by the number of nodes."""
    with draw(path, 2, 8, 3.2) as (times, shares):
        for name, by_nodes in outcomes.items():
            nodes, found = list(by_nodes), list(by_nodes.values())
            times.plot(nodes, [outcome.hours for outcome in found], "o-", label=name)
            shares.plot(nodes, [100 * outcome.useful for outcome in found], "o-", label=name)
        times.set(xscale="log", yscale="log", xlabel="nodes", ylabel="hours")
        shares.set(xscale="log", ylim=(0, 100), xlabel="nodes", ylabel="useful core hours (%)")
        times.legend(frameon=False)


def main(
    service_times: Annotated[Path, typer.Argument(help="JSON file by service_times.py.")],
    output: Output = None,
    document: Annotated[
        Path | None, typer.Option(help="Page in which to replace the sections, with a figure beside it.")
    ] = None,
) -> None:
    """Simulate both corpora on clusters of all sizes, and what breaks a thousand nodes."""
    measured = Measured.read(service_times)
    outcomes: dict[str, dict[int, Outcome]] = {}
    for name, cluster in {"a billion words": BILLION, "a trillion words": TRILLION}.items():
        outcomes[name] = {nodes: simulate(replace(cluster, nodes=nodes), measured) for nodes in NODES}
        rows = [[f"{nodes:,}", *format_outcome(outcome)] for nodes, outcome in outcomes[name].items()]
        table = format_table(["nodes", *HEADER], rows) + "\n"
        print(f"{name}\n\n{table}")
        replace_section(document, name.split()[1], table)
    largest = replace(TRILLION, nodes=NODES[-1])
    changed = {name: simulate(replace(largest, **change), measured) for name, change in CHANGES.items()}
    table = format_table(["change", *HEADER], [[name, *format_outcome(found)] for name, found in changed.items()])
    results = {name: {nodes: asdict(found) for nodes, found in by_nodes.items()} for name, by_nodes in outcomes.items()}
    results["changes"] = {name: asdict(found) for name, found in changed.items()}
    report(table, results, output, document, "changes")
    if document is not None:
        draw_efficiency(outcomes, document.with_name(f"{document.stem}_nodes.svg"))


if __name__ == "__main__":
    typer.run(main)
