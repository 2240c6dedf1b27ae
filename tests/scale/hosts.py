"""Annotate a corpus on a Ray cluster of two hosts, pull the cable between them, and compare the output with that of an
undisturbed run.

    python -m tests.scale.hosts

The hosts are network namespaces: this needs Linux, iproute2 and the rights of root. They share their files, as hosts
with a network file system do. So the host that is cut off still writes what it has begun.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import typer

from .corpora import N_SHARDS, count_done, read_tree, save_splitter, start, wait_until_done, write_records

# Names of namespaces and of their ends of the cable, and addresses.
HOSTS = {"joint0": "10.77.0.1", "joint1": "10.77.0.2"}
HEAD, OTHER = HOSTS
PORT = 6379
# What a node needs to start.
SECONDS = 20


def main(cut_after: int = 60) -> None:
    """Print how the run went; fail if the output differs.

    cut_after (int): The number of shards after which the cable is pulled.
    """
    # Nobody else is on this network.
    os.environ["RAY_AUTH_MODE"] = "disabled"
    with ExitStack() as stack:
        work = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        corpus = write_records(work / "a.jsonl", 18 * N_SHARDS)
        common = (corpus, "--format", "jsonl", "--shard-bytes", 1000, "--model", save_splitter(work / "splitter"))
        assert start(*common, "--workers", 1, "--output", work / "quiet").wait() == 0
        stack.enter_context(_connect_hosts())
        cluster = f"{HOSTS[HEAD]}:{PORT}"
        stack.enter_context(_start_node(HEAD, "--head", f"--port={PORT}", "--include-dashboard=false"))
        stack.enter_context(_start_node(OTHER, f"--address={cluster}"))
        options = ("--ray", cluster, "--workers", 2, "--output", work / "output")
        began = time.monotonic()
        run = start(*common, *options, inside=_enter(HEAD))
        wait_until_done(run, work / "output", cut_after)
        _ip("-n", OTHER, "link", "set", OTHER, "down")
        cut = time.monotonic()
        n_cut = count_done(work / "output")
        code = run.wait()
        print(
            f"{n_cut} of {N_SHARDS} shards after {cut - began:.0f} s, when the cable was pulled; all of them "
            f"{time.monotonic() - cut:.0f} s later, exit code {code}"
        )
        assert code == 0 and read_tree(work / "output") == read_tree(work / "quiet")
        print("the bytes are the same")


def _enter(host: str) -> tuple[str, ...]:
    """The beginning of a command that runs on a host."""
    return ("ip", "netns", "exec", host)


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True)


@contextmanager
def _connect_hosts() -> Iterator[None]:
    try:
        for host in HOSTS:
            _ip("netns", "add", host)
        _ip("link", "add", HEAD, "netns", HEAD, "type", "veth", "peer", "name", OTHER, "netns", OTHER)
        for host, address in HOSTS.items():
            _ip("-n", host, "address", "add", f"{address}/24", "dev", host)
            for device in ("lo", host):
                _ip("-n", host, "link", "set", device, "up")
            # By which Ray finds the address of its host.
            _ip("-n", host, "route", "add", "default", "dev", host)
        yield
    finally:
        for host in HOSTS:
            subprocess.run(["ip", "netns", "delete", host], check=False)


@contextmanager
def _start_node(host: str, *options: str) -> Iterator[None]:
    # Each host has a directory of its own for what Ray needs while it runs.
    alone = ("unshare", "--mount", "sh", "-c", 'mount -t tmpfs ray /tmp/ray && exec "$0" "$@"') if host != HEAD else ()
    limits = ("--num-cpus=1", "--object-store-memory=100000000", "--disable-usage-stats", "--block")
    start = (sys.executable, "-m", "ray.scripts.scripts", "start", f"--node-ip-address={HOSTS[host]}", *limits)
    node = subprocess.Popen([*_enter(host), *alone, *start, *options], stdout=subprocess.DEVNULL)
    try:
        time.sleep(SECONDS)
        assert node.poll() is None, "Ray has ended"
        yield
    finally:
        node.terminate()
        node.wait()


if __name__ == "__main__":
    typer.run(main)
